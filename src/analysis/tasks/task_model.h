/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The task model: what each type of task costs. For each channel, from its rows (task_rows.h):
 *
 *     power = P_Y + P_S x busy + sum over types of P_j x (mean number of active tasks)
 *
 * by least squares, weighted with the time of the rows. P_Y and P_S come from a calibration, or from the rows in which nothing
 * runs and the others. The energies of a type are P_j times the time of its tasks; over all channels, with the platform's and what
 * the model does not explain, they are the measured energy.
 *
 * Intervals are those of a bootstrap over blocks of time that are the same for all channels, so that errors which belong together
 * stay together. Since no model is right, it is also fitted with a part of the power that follows what ran before (heat), and with the
 * power of a task depending on how many run beside it; if the data say so, the intervals hold what these find. So they do for what the lag
 * of a sensor may be.
 *
 *     fill in channels and types
 *     wtl_task_model_fit(model, err)
 *     wtl_task_model_fini(model)
 */
#ifndef WTL_ANALYSIS_TASK_MODEL_H
#define WTL_ANALYSIS_TASK_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <wattle/channel.h>
#include <wattle/error.h>

#include "analysis/tasks/task_energy.h"
#include "analysis/tasks/task_fit.h"
#include "analysis/tasks/task_lag.h"
#include "analysis/tasks/task_rows.h"

enum {
    WTL_TASK_IDLE = 0, /* terms: P_Y */
    WTL_TASK_STATIC,   /* P_S */
    WTL_TASK_FIRST,    /* types */
    WTL_TASK_HEATS = 4,
    WTL_TASK_EXTRA = 1 + WTL_TASK_HEATS, /* terms that only test the model */
    WTL_TASK_MODELLED = WTL_FIT_TERMS - WTL_TASK_FIRST - WTL_TASK_EXTRA, /* most types */
    WTL_TASK_CORES = 512, /* active at a time, in tables */
    WTL_TASK_BLOCKS = 128
};

enum wtl_task_method {
    WTL_TASK_NNLS, /* powers are not negative */
    WTL_TASK_OLS,
    WTL_TASK_PAPER /* as the slides: tasks counted at the instants of the samples, P_S in all rows, least squares */
};
extern const char *const wtl_task_method_names[]; /* "nnls", "ols", "paper", NULL */

/* Where P_Y and P_S come from. */
enum wtl_task_source {
    WTL_TASK_FITTED,     /* from this trace */
    WTL_TASK_CALIBRATED, /* from calibration.conf */
    WTL_TASK_GIVEN,      /* by the user */
    WTL_TASK_NONE        /* P_S: cannot be told from the tasks and is part of their power */
};

struct wtl_task_value {
    double value, low, high; /* 95 % interval; NaN = unknown */
};

struct wtl_task_platform {
    double power_w, half_w; /* NaN = to be fitted; half width of its 95 % interval, 0 = exact */
    enum wtl_task_source source;
};

struct wtl_task_channel {
    /* Set before the fit. */
    char name[WATTLE_NAME_MAX];
    enum wattle_quality quality;
    const struct wtl_task_rows *rows;
    const struct wtl_task_lag *lag; /* that was found for the rows; NULL = none */
    size_t column;                  /* of its powers */
    unsigned
        part; /* 0 = anything explains it; channels of different parts have no workers in common */
    struct wtl_task_platform idle, statics;
    /* Results. */
    size_t equations, unknowns;
    double known_s, idle_s; /* time of its equations; that in which no task runs */
    struct wtl_fit fit;
    struct wtl_task_energy energy;
    double time_s[WTL_FIT_TERMS];     /* of each type in its equations, core seconds */
    double type_j[WTL_TASK_MODELLED]; /* of its energy, to each type */
    double mean_w, deviation_w;       /* of its power */
    double explained;                 /* share of the variance of its power */
    double autocorrelation;           /* of neighbouring residuals */
    double heat_t,
        crowd_t;   /* t values of terms that the model leaves out: beyond 4 it is not right */
    double heat_s; /* time constant of the first */
    struct wtl_task_value line[2]; /* P(c) = [0] + [1] c over rows in which something always runs */
};

/* A type of task, or of state. */
struct wtl_task_cost {
    char name[128];
    int kind;
    uint64_t count;
    double time_s; /* core seconds in the equations of the channel that has most, over all parts */
    struct wtl_task_value power_w;  /* of one core that runs it: energy / time, over all channels */
    struct wtl_task_value energy_j; /* beyond the platform's */
    int group;                      /* of types that cannot be told apart; -1 = none */
    double
        alea_j; /* by sampling: what was above the platform, to those at the sample in equal parts */
    double alea_s;
};

struct wtl_task_group {
    size_t types;
    bool exact; /* no equation tells them apart; else the noise hides it */
    struct wtl_task_value energy_j;
};

/* Rows in which so many are active, rounded. */
struct wtl_task_crowd {
    double seconds; /* of the channel that has most */
    double power_w; /* measured, over all channels */
    double *
        task_w; /* [types]: power of one task, what the model leaves unexplained shared equally; NaN = none ran */
    double *task_s; /* [types] */
};

struct wtl_task_model {
    enum wtl_task_method method;
    size_t channel_count;
    struct wtl_task_channel *channels; /* owned */
    size_t type_count;                 /* at most WTL_TASK_MODELLED */
    struct wtl_task_cost types[WTL_TASK_MODELLED];
    /* Column of the rows -> type of the model. */
    const uint16_t *type_of;
    size_t column_count;
    uint64_t seed;
    unsigned resamples; /* 0 = no intervals */

    struct wtl_task_group groups[WTL_TASK_MODELLED];
    size_t group_count;
    /* Over all channels; heat: what follows from earlier activity, 0 if nothing does. */
    struct wtl_task_value idle_j, static_j, heat_j, tasks_j, modelled_j;
    double measured_j;             /* in the equations */
    struct wtl_task_energy energy; /* of all channels together */
    size_t blocks;
    bool heats, crowds,
        mixes; /* power follows what ran before; it depends on how many run, on which */
    struct wtl_task_crowd *crowds_of; /* [crowd_count], from 0 active; owned */
    size_t crowd_count;
};

/*
 * Fit it. Returns 0; -ERANGE: fewer equations than unknowns; -ENODATA: no equation, no time in which nothing runs and no calibration,
 * or no task; -ENOMEM; with a sentence.
 */
int wtl_task_model_fit(struct wtl_task_model *model, struct wattle_error *err);
void wtl_task_model_fini(struct wtl_task_model *model); /* not its rows */

#endif
