/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Flags: events on the machine during the window that affect how a result may be interpreted, each with a
 * sentence that explains it. The thresholds are defined only here.
 */
#ifndef WTL_COUNTERS_FLAGS_H
#define WTL_COUNTERS_FLAGS_H

#include <stdint.h>

#include "counters/governor.h"
#include "model/result.h"

/* NOT ALONE: other processes used, on average, more than this part of one CPU. One interfering daemon at 5
 * % of a core is about 0.1 % of a small server's power: less than the variation between repeated runs. */
#define WTL_FLAG_OTHERS_CPUS 0.05
/* CAPPED: the mean power was at least this part of the limit in force. Firmware limits the mean over its
 * own window, which leaves the overall mean a few percent below the limit. */
#define WTL_FLAG_CAPPED_PART 0.95
/* CAPPED: the limit was lowered by more than this part. Its lowest value is a mean, so rounded; and firmware
 * rounds limits to its own unit. */
#define WTL_FLAG_LOWERED_PART 1e-3
/* SUSPENDED: the clock that continues during sleep gained more than this. */
#define WTL_FLAG_SUSPEND_NS UINT64_C(1000000)

/* END LATE: at least this part of the window, and at least this long. */
#define WTL_FLAG_END_PART 0.01
#define WTL_FLAG_END_S    1e-3

/* EDGES LOST: the half width of the total's interval is more than this part of the total. */
#define WTL_FLAG_EDGES_PART 1e-3

/* A counter of the total that updates more slowly than its channel states. */
struct wtl_slow_counter {
    const char *name;
    double claimed_s;
    double found_s;  /* between its updates; 0 = unknown */
    double window_s; /* of its min and max; with found_s */
    double stood_s;  /* without update at the start or end; 0 = not seen */
};

/* Observations. Unknown numbers are NaN; pointers may be NULL. */
struct wtl_flag_input {
    double window_s;
    double throttle_events; /* increase of all throttle counts in the window */
    double gpu_hot_part;    /* largest share of samples in which a GPU was slowed down by heat */
    double gpu_power_part;  /* the same, by a power limit */
    double limit_w;         /* lowest long-term limit of a package seen in the window */
    double limit_start_w;   /* the same at its start */
    double package_w;       /* mean power of the package with that limit */
    double machine_cpu_s;   /* CPU time of the machine in the window */
    double tree_cpu_s;      /* of the measured tree or cgroup */
    double own_cpu_s;       /* of wattle itself; NaN counts as 0 */
    double machine_step_s;  /* resolution of machine_cpu_s; NaN counts as 0 */
    double edges_lost;      /* counters in the total whose ticks at a border were missed */
    const struct wtl_slow_counter *slow; /* the slowest counter of the total; NULL = none */
    double interval_part;                /* half width of the counters' part of the total / total */
    double end_late_s;     /* upper bound of how late the end of the measured process may have been
                               noticed */
    uint64_t suspended_ns; /* increase of BOOTTIME beyond that of MONOTONIC */
    const struct wtl_governor *before, *after;
};

/* Set the flags of a result: THROTTLED, CAPPED, NOT ALONE, GOVERNOR CHANGED or NOT CHECKED, SUSPENDED,
 * EDGES LOST, SLOW UPDATES, END LATE. 0 or -ENOMEM. */
int wtl_flags_judge(const struct wtl_flag_input *input, struct wtl_result *result);

/* Inputs that are not in the channels of a result. */
struct wtl_flag_window {
    double tree_cpu_s; /* as above; NaN: the whole machine is measured, so there are no others */
    double own_cpu_s;  /* as above; NaN also where it is part of tree_cpu_s */
    double machine_step_s; /* as above; NaN: resolution of the channel for the machine */
    double edges_lost;     /* as above */
    const struct wtl_slow_counter *slow; /* as above */
    double end_late_s;                   /* as above */
    uint64_t suspended_ns;               /* as above */
    const struct wtl_governor *before, *after;
};

/* The same for a result that contains its channels, wall time, total and the machine's CPU time. 0 or
 * -ENOMEM. */
int wtl_flags_judge_result(const struct wtl_flag_window *window, struct wtl_result *result);

#endif
