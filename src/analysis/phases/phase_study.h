/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Phase study: the phases of the nodes of a run, with the result that they are part of. All outputs (text, JSON, CSV,
 * figure, the bands of the report) are generated from it.
 *
 *     wtl_phase_study_read(&study, "traces/", &request, err);
 *     for (size_t i = 0; i < study.count; i++)
 *         ... study.nodes[i].phases.list ..., or why there are none: study.nodes[i].why
 *     wtl_phase_study_fini(&study);
 */
#ifndef WTL_ANALYSIS_PHASE_STUDY_H
#define WTL_ANALYSIS_PHASE_STUDY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <wattle/error.h>

#include "analysis/cluster/run.h"
#include "analysis/phases/alphabet.h"
#include "analysis/phases/counter_rows.h"
#include "analysis/phases/phase.h"
#include "model/result.h"
#include "trace/reader.h"

/* What is asked for. */
struct wtl_phase_request {
    struct wtl_phase_options options;
    uint64_t step_ns;                    /* length of a row; 0 = as the counters were recorded */
    uint64_t min_length_ns;              /* shortest phase; 0 = options.min_rows */
    const char *node;                    /* only this one; NULL = all */
    const struct wtl_alphabet *alphabet; /* of a model; NULL = the letters of this run alone */
    double idle_beta;                    /* cache misses per cycle of XXX; NaN = none */
    double idle_w; /* power of the idle machine; 0 = that of the quiet phases that draw least */
};

/* A letter that occurs, for all nodes. */
struct wtl_phase_letter {
    char name[8];    /* "A"; "17692" with the paper's method; "XXX" */
    uint16_t code;   /* of the paper: of its longest phase; 0 = none */
    unsigned ranked; /* the counters that power follows in that phase, strongest first: */
    const char *counters[WTL_PHASE_RANKS];
    size_t phases;
    double length_s, mean_w; /* NaN = unknown */
};

struct wtl_phase_node {
    char *name;   /* of the node; "" = unknown */
    size_t place; /* in its run */
    struct wtl_result result;
    struct wtl_counter_rows rows;
    struct wtl_phase_list phases; /* letter: index into the study's letters, or -1 */
    double offset_s;              /* begin of its rows after the begin of the run */
    char missing[512];            /* counters that were not recorded, with reasons; "" = none */
    char multiplexed[256];        /* counters that were counted in turn; "" = none */
    struct wattle_error why;      /* why it has no phases; "" = it has */
};

struct wtl_phase_study {
    struct wtl_phase_request request;
    struct wtl_phase_node *nodes; /* in the order of the run */
    size_t count;
    struct wtl_phase_letter *letters; /* the same for all nodes; some may not occur */
    size_t letter_count;
    struct wtl_alphabet alphabet; /* of this run, if none was given */
};

/*
 * The phases of the run of this name (cluster/run_name.h). If some of its nodes have none, the others are returned and
 * these say why. Returns 0; -ENODATA if no node has phases; -ENOENT if there is no such node; -ENOMEM; or the reader's
 * error; with a message. The name must outlive the study.
 */
int wtl_phase_study_read(struct wtl_phase_study *study,
                         const char *name,
                         const struct wtl_phase_request *request,
                         struct wattle_error *err);

/* The same of an open run: all its nodes, whatever request->node. */
int wtl_phase_study_of_run(struct wtl_phase_study *study,
                           const struct wtl_run *run,
                           const struct wtl_phase_request *request,
                           struct wattle_error *err);

/* The same of one open trace, without its result. */
int wtl_phase_study_of(struct wtl_phase_study *study,
                       struct wtl_trace_reader *reader,
                       const struct wtl_phase_request *request,
                       struct wattle_error *err);
void wtl_phase_study_fini(struct wtl_phase_study *study); /* accepts a zeroed study */

/* Begin and end of a phase in seconds after the begin of the run. */
double wtl_phase_begin_s(const struct wtl_phase_node *node, const struct wtl_phase *phase);
double wtl_phase_end_s(const struct wtl_phase_node *node, const struct wtl_phase *phase);

#endif
