/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sweep: energy against time of one program at several settings of the machine, one curve per sensor, and which setting
 * is best for what. A sensor that does not measure the whole node leaves out power that flows for as long as the program
 * runs, so its optimum leans to slow settings: such a curve is marked, and its optimum is given as a function of the power
 * that it does not measure.
 *
 * Pure: the runs are numbers. The caller fills settings, curves and runs; wtl_sweep_judge() does the rest.
 */
#ifndef WTL_ANALYSIS_SWEEP_H
#define WTL_ANALYSIS_SWEEP_H

#include <wattle/channel.h>
#include <wattle/error.h>

#include "analysis/sweep/best_group.h"

enum { WTL_SWEEP_CURVES = 24, WTL_SWEEP_GOALS = 8, WTL_SWEEP_NAME = 96 };

struct wtl_sweep_setting {
    char label[WTL_SWEEP_NAME]; /* "2.1 GHz, 4 threads" */
    char frequency[24];  /* as it is asked for: "2.1GHz", "max"; "" = not part of the setting */
    double ghz, limit_w; /* NaN = not part of the setting; of "min" and "max" unknown, too */
    unsigned threads;    /* 0 = likewise */
    int turbo;           /* 1, -1 = off, 0 = likewise */
    char refused[200];   /* why it could not be measured; "" = it was */
    size_t runs;         /* of complete blocks */

    /* Computed. */
    double time_s, time_low_s, time_high_s;
};

/* A setting as a sensor sees it. */
struct wtl_sweep_point {
    double energy_j, low_j,
        high_j; /* geometric mean, and its 95 % interval; of an estimate that of its model, or NaN */
    double power_w;
    bool pareto; /* no setting is better in time and energy */
};

struct wtl_sweep_goal {
    char name[32];               /* "energy", "EDP", "within 5%", a metric as typed */
    bool known;                  /* else there is no run with it */
    struct wtl_best_group group; /* over the settings that were measured, by their own numbers */
    double slower, saves; /* of the best one against the fastest: 0.08 = 8 % slower; energy */
};

/* The best setting while the power that is not measured lies in from_w .. the next one's from_w. */
struct wtl_sweep_stage {
    double from_w;
    size_t setting;
};

struct wtl_sweep_curve {
    char name[WTL_SWEEP_NAME]; /* of the channel; "total" */
    bool is_total;
    bool partial;                      /* it does not measure the whole node */
    char contains[128], excludes[128]; /* in words (model/total.h); "" = unknown */
    enum wattle_quality quality;       /* estimated: there are no goals */
    char open[160]; /* why settings cannot be told apart by it; not "": likewise */
    bool simulated;
    double
        *energy_j; /* [block * settings + setting]; NaN = unknown, or it leaves out time; owned */
    double *low_j, *high_j; /* likewise: the interval of each; of an estimate that of its model */
    double *resolution;     /* [setting]; owned */
    size_t lacking;         /* runs whose energy leaves out time; their blocks do not count */

    /* Computed. */
    struct wtl_sweep_point points[WTL_SWEEP_SETTINGS];
    size_t blocks; /* complete ones */
    struct wtl_sweep_goal goals[WTL_SWEEP_GOALS];
    size_t goal_count;
    struct wtl_sweep_stage stages[WTL_SWEEP_SETTINGS]; /* of energy; from 0 W on */
    size_t stage_count;
};

/* Something remarkable in some of the runs: the name of a flag, as in wattle(1). */
struct wtl_sweep_flag {
    char name[32];
    size_t runs;
};

struct wtl_sweep {
    const char *command; /* borrowed */
    double slowdown;     /* 0.05 = 5 % slower than the fastest at most */
    const char *metric;  /* as "wattle pose" takes it; NULL = none; borrowed */
    uint64_t seed;

    struct wtl_sweep_setting *settings; /* owned */
    size_t setting_count;
    size_t blocks;                  /* asked for */
    size_t whole;                   /* in which each setting that was not refused has a run */
    double *time_s;                 /* [block * setting_count + setting]; NaN = no run; owned */
    struct wtl_sweep_curve *curves; /* the total first; owned */
    size_t curve_count;
    size_t other_totals; /* runs whose total is of other sensors: left out of it */
    size_t fastest;
    size_t measured;              /* settings that were not refused */
    struct wtl_sweep_flag *flags; /* in the order in which they came; owned */
    size_t flag_count;
    bool interrupted;
    size_t resumed; /* calls that went on with it */
};

/* Room for the settings and blocks: all runs unknown. 0 or -ENOMEM. */
int wtl_sweep_init(struct wtl_sweep *sweep, size_t settings, size_t blocks);
void wtl_sweep_fini(struct wtl_sweep *sweep);

/* The curve of that name, added if missing; NULL: out of memory, or too many. */
struct wtl_sweep_curve *wtl_sweep_curve(struct wtl_sweep *sweep, const char *name);
/* Likewise the curve of totals that contain the same. wtl_sweep_judge() keeps the one of most runs, as the first curve. */
struct wtl_sweep_curve *wtl_sweep_total(struct wtl_sweep *sweep, const char *contains);

/* A run has this flag. 0 or -ENOMEM. */
int wtl_sweep_flag(struct wtl_sweep *sweep, const char *name);

/* Has the curve a value of each setting that was not refused in this block? Others are left out of it. NULL: of the times. */
bool wtl_sweep_is_whole(const struct wtl_sweep *sweep,
                        const struct wtl_sweep_curve *curve,
                        size_t block);

/* Compute everything from the runs. Blocks in which a curve lacks a value are left out of it. 0; -ENODATA: not one whole
 * block; -EINVAL: the metric; -ENOMEM. */
int wtl_sweep_judge(struct wtl_sweep *sweep, struct wattle_error *err);

/* The setting that is best if `watts` more flow than a curve measures. */
size_t wtl_sweep_best_with(const struct wtl_sweep_curve *curve, double watts);

#endif
