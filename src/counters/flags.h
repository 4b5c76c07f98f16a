/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Flags: what happened on the machine that a reader of the result must know, from what was seen
 * during the window, each with the sentence that explains it. The thresholds stand here and nowhere
 * else.
 */
#ifndef WTL_COUNTERS_FLAGS_H
#define WTL_COUNTERS_FLAGS_H

#include <stdint.h>

#include "counters/governor.h"
#include "model/result.h"

/* NOT ALONE: others used, on average, more than this part of one CPU. One interfering daemon at 5 %
 * of a core is some 0.1 % of a small server's power: below what repeats of a run differ by. */
#define WTL_FLAG_OTHERS_CPUS 0.05
/* CAPPED: the mean power was at least this part of the limit in force. Firmware holds the mean over
 * its window, which leaves the mean some percent below the limit. */
#define WTL_FLAG_CAPPED_PART 0.95
/* SUSPENDED: the clock that runs on in sleep gained more than this. */
#define WTL_FLAG_SUSPEND_NS UINT64_C(1000000)

/* END LATE: so much of the window, and so long at least. */
#define WTL_FLAG_END_PART 0.01
#define WTL_FLAG_END_S    1e-3

/* EDGES LOST: the half width of the total's interval is more than this part of it. */
#define WTL_FLAG_EDGES_PART 1e-3

/* What was seen. Unknown numbers are NaN; pointers may be NULL. */
struct wtl_flag_input {
    double window_s;
    double throttle_events; /* growth of all throttle counts in the window */
    double limit_w;         /* lowest long-term limit of a package seen in the window */
    double limit_start_w;   /* the same at its start */
    double package_w;       /* mean power of the package that the limit belongs to */
    double machine_cpu_s;   /* CPU time of the machine in the window */
    double tree_cpu_s;      /* of the measured tree or cgroup */
    double own_cpu_s;       /* of wattle itself; NaN counts as 0 */
    double machine_step_s;  /* resolution of machine_cpu_s; NaN counts as 0 */
    double edges_lost;      /* counters of the total whose ticks at a border were not seen */
    double interval_part;   /* half width of the total's interval by the total */
    double end_late_s;      /* by so much the end of what is measured may have been noticed late */
    uint64_t suspended_ns;  /* growth of BOOTTIME beyond MONOTONIC */
    const struct wtl_governor *before, *after;
};

/* Give the result its flags: THROTTLED, CAPPED, NOT ALONE, GOVERNOR CHANGED or NOT CHECKED, SUSPENDED, EDGES LOST, END LATE.
 * 0 or -ENOMEM. */
int wtl_flags_judge(const struct wtl_flag_input *input, struct wtl_result *result);

/* What the channels of a result do not have. */
struct wtl_flag_window {
    double tree_cpu_s;     /* as above; NaN: the machine is measured, nobody is beside */
    double own_cpu_s;      /* as above; NaN also where it is part of tree_cpu_s */
    double machine_step_s; /* as above; NaN: that of the channel that tells of the machine */
    double edges_lost;     /* as above */
    double end_late_s;     /* as above */
    uint64_t suspended_ns; /* as above */
    const struct wtl_governor *before, *after;
};

/* The same for a result with its channels, its wall time, its total and the machine's CPU time. 0 or -ENOMEM. */
int wtl_flags_judge_result(const struct wtl_flag_window *window, struct wtl_result *result);

#endif
