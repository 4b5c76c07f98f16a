/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Learning a model: each run is read once.
 *
 *     wtl_phase_learner_run(&model, &request, name, err);     each run
 *     wtl_phase_learner_settle(&model, err);
 *
 * The first run decides the counter set; runs without one of its counters are refused.
 */
#ifndef WTL_ANALYSIS_PREDICT_MODEL_LEARN_H
#define WTL_ANALYSIS_PREDICT_MODEL_LEARN_H

#include "analysis/phases/model.h"
#include "analysis/phases/phase_study.h"

struct wtl_learn_request {
    struct wtl_phase_request what;
    double step_s;        /* length of letters; 0 = of phase length */
    double alike;         /* as in the alphabet; 0 = the default */
    const char *name;     /* of the runs; NULL = of each one's program, else of its file */
    const char *platform; /* where they ran; NULL = each one's processor, else its host */
};

/* Add a run to a model, zeroed before the first. 0; -EINVAL for other counters; -ENODATA if no node has phases; or what
 * wtl_phase_study_read() returns; with a message, and the model as before. */
int wtl_phase_learner_run(struct wtl_phase_model *model,
                          const struct wtl_learn_request *request,
                          const char *name,
                          struct wattle_error *err);
int wtl_phase_learner_settle(struct wtl_phase_model *model, struct wattle_error *err);

/* The activity (wtl_alphabet_activity) of phases, and energy. */
struct wtl_learner_activity {
    double most, least; /* the largest up to a limit, and the least above it */
    double energy_j, known_s;
};

/* Of the phases of a run, added to *activity; limit: see there. -EINVAL if its counters do not tell idle from work. */
int wtl_phase_learner_activity(const struct wtl_learn_request *request,
                               const char *name,
                               double limit,
                               struct wtl_learner_activity *activity,
                               struct wattle_error *err);

#endif
