/* SPDX-License-Identifier: BSD-3-Clause */
/* Within the task model: the sums of its equations by blocks of time (model_sums.c), bootstrap (model_interval.c), tables (model_tables.c). */
#ifndef WTL_ANALYSIS_MODEL_PARTS_H
#define WTL_ANALYSIS_MODEL_PARTS_H

#include "analysis/tasks/task_model.h"

/* One channel's equations. */
struct wtl_model_sums {
    struct wtl_fit_sums all;
    struct wtl_fit_sums *blocks;   /* [WTL_TASK_BLOCKS], merged in pairs to model->blocks */
    double *room;                  /* of all their products */
    double crowd_s[WTL_FIT_TERMS]; /* what the crowd term of each type adds up to */
    double tasks_s[WTL_FIT_TERMS];
    int heat;                        /* the heat term that fits best */
    struct wtl_fit extended;         /* with it, and with the crowd term, as far as they matter */
    bool has_extended, use_extended; /* it is tried; its energies are those of the result */
    double heat_s[WTL_TASK_HEATS];   /* the heat terms, added up */
    double mix_w; /* power of a task depends on who runs beside it: types may be off by so much */
    double mean_w;
    double
        half_w[WTL_FIT_TERMS]; /* half 95 % intervals from the size of the residuals of each row */
};

struct wtl_model_work {
    struct wtl_task_model *model;
    size_t terms;
    uint64_t begin_ns, end_ns;
    struct wtl_model_sums *sums; /* [channel_count] */
};

/* The terms of a row, one after another: heat follows from the rows before. Zeroed to begin. */
struct wtl_model_cursor {
    size_t row;
    double heat[WTL_TASK_HEATS];
    double terms[WTL_FIT_TERMS];
    double active; /* of all types */
    double power_w;
    double seconds;
    uint64_t end_ns;
};
bool wtl_model_next(const struct wtl_task_model *model,
                    const struct wtl_task_channel *channel,
                    struct wtl_model_cursor *cursor);
extern const double wtl_model_heats[WTL_TASK_HEATS]; /* seconds */

static inline size_t wtl_model_crowd_term(const struct wtl_model_work *work)
{
    return WTL_TASK_FIRST + work->model->type_count;
}

/* Returns 0 or -ENOMEM. */
int wtl_model_sums_make(struct wtl_model_work *work);
void wtl_model_sums_free(struct wtl_model_work *work);
/* Merge blocks until they are independent of each other. Needs fits. */
void wtl_model_blocks_merge(struct wtl_model_work *work);

/* The t value beyond which a term that the model leaves out is not by chance. */
#define WTL_MODEL_T_MOST 4.0

/* What is fixed in the fit of a channel; extended: which other terms are free. */
struct wtl_fit_known wtl_model_known(const struct wtl_model_work *work,
                                     size_t channel,
                                     bool extended);
/* Energy of a type in a channel by a fit. */
double wtl_model_type_j(const struct wtl_model_work *work,
                        size_t channel,
                        const struct wtl_fit *fit,
                        size_t type);

/* What follows from earlier activity. */
double wtl_model_heat_j(const struct wtl_model_work *work,
                        size_t channel,
                        const struct wtl_fit *fit);

/* Intervals of everything, by resampling. Returns 0 or -ENOMEM. */
int wtl_model_intervals(struct wtl_model_work *work);
/* Residuals, sampling, and tables by the number of active tasks. Returns 0 or -ENOMEM. */
int wtl_model_tables(struct wtl_model_work *work);

#endif
