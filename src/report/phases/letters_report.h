/* SPDX-License-Identifier: BSD-3-Clause */
/* Letters and models: the DNA of a run as text, "wattle.dna/1" and CSV; a model as "wattle.phase-model/1", as a graph for
 * Graphviz, and as a picture. */
#ifndef WTL_REPORT_LETTERS_REPORT_H
#define WTL_REPORT_LETTERS_REPORT_H

#include <stdio.h>

#include "analysis/phases/model.h"
#include "plot/canvas.h"
#include "report/noun.h"
#include "report/report.h"

struct wtl_dna_node {
    const char *name;
    struct wtl_dna dna;
};

struct wtl_dna_document {
    const struct wtl_alphabet *alphabet;
    double step_s; /* 0 = of phase length */
    struct wtl_dna_node *nodes;
    size_t count;
};

extern const struct wtl_noun wtl_noun_dna, wtl_noun_dna_row;

/* Write and flush. 0, or -errno with a message. */
int wtl_report_dna(FILE *out,
                   enum wtl_format format,
                   const struct wtl_dna_document *document,
                   struct wattle_error *err);

/* A model with what follows from it: one node's transitions. */
struct wtl_model_document {
    const struct wtl_phase_model *model;
    struct wtl_letter_power *powers; /* [letters] */
    struct wtl_transitions transitions;
    size_t node; /* position, from 0 */
};

extern const struct wtl_noun wtl_noun_phase_model;

int wtl_model_document_init(struct wtl_model_document *document,
                            const struct wtl_phase_model *model,
                            size_t node,
                            struct wattle_error *err);
void wtl_model_document_fini(struct wtl_model_document *document);

/* "A", "XXX", "start/end", "?". */
const char *wtl_model_state_name(const struct wtl_phase_model *model, size_t state);

int wtl_report_model(FILE *out,
                     const struct wtl_model_document *document,
                     struct wattle_error *err);
int wtl_report_model_dot(FILE *out,
                         const struct wtl_model_document *document,
                         struct wattle_error *err);

enum { WTL_GRAPH_STATES = 40 };

/* The state graph: a circle for each state, an arrow for each transition, as wide as it is probable. -E2BIG for more than
 * WTL_GRAPH_STATES states. */
int wtl_report_model_picture(FILE *out,
                             enum wtl_picture picture,
                             const struct wtl_model_document *document,
                             struct wattle_error *err);

#endif
