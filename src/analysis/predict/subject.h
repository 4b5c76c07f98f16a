/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Subject: the run that is predicted, from its trace: its beginning in letters of the model and in letters of its own, what it
 * has used so far, and, where the trace goes on, what it has used in the end. Nothing after the beginning is looked at
 * before the prediction: phases and letters are found in its rows only.
 */
#ifndef WTL_ANALYSIS_SUBJECT_H
#define WTL_ANALYSIS_SUBJECT_H

#include <stdbool.h>
#include <stddef.h>

#include <wattle/error.h>

#include "analysis/phases/model.h"
#include "analysis/phases/phase_study.h"
#include "analysis/predict/counter_energy.h"

struct wtl_subject_request {
    double part; /* of the length of the trace; 1 = all of it */
    bool derive; /* power from counters, even if there is a meter */
};

struct wtl_subject {
    struct wtl_phase_study study;  /* of the whole trace */
    struct wtl_counter_rows *rows; /* [nodes]: of the beginning; borrowed from the study */
    struct wtl_dna *nodes, *own;   /* [nodes]; owned */
    size_t node_count;
    struct wtl_alphabet own_alphabet;
    char platform[64];
    double done_s, done_j, done_sd_j; /* NaN: unknown */
    double whole_s, whole_j; /* of the whole trace, measured; NaN = unknown, or part is 1 */
    const char *shortest;    /* a node that was recorded for much less than done_s; NULL = none */
    double shortest_s;       /* for so long */
    double unknown; /* share of the time of done_j, or of whole_j, in which power is not known */
    bool derived;   /* done_j follows from counters */
    bool from_estimates; /* by power that a run of the model only estimates */
    bool simulated;
    enum wattle_quality quality;                 /* of done_j, if it is measured */
    struct wtl_counter_energy_sum from_counters; /* if derived */
};

/* Returns 0; -EINVAL for a model of other counters; -ENODATA for a beginning too short for phases; -ERANGE for counters
 * outside of what the model derives power from; -ENOMEM; or what wtl_phase_study_read() said; with a sentence. The name must
 * outlive the subject. */
int wtl_subject_read(struct wtl_subject *subject,
                     const char *name,
                     const struct wtl_phase_model *model,
                     const struct wtl_subject_request *request,
                     struct wattle_error *err);
void wtl_subject_fini(struct wtl_subject *subject); /* accepts a zeroed one */

#endif
