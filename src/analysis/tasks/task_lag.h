/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where a sensor stands in time relative to the tasks. A sensor that answers late, a meter with a clock of its own, or a gauge with an
 * unknown window shows the power of other tasks than those at the time of its reading, and powers of types follow from exactly
 * that. The lag (and how it grows), and the window of a gauge that states none, are those for which the numbers of active tasks
 * explain the power best.
 *
 *     wtl_task_curve_begin(&curve, rows)
 *     wtl_task_curve_add(&curve, type, begin_ns, end_ns, 1) ... in order of the ends
 *     wtl_task_curve_end(&curve)
 *     wtl_task_lag_find(&curve, rows, gauge, &lag)
 *     wtl_task_lag_apply(&lag, rows)                            before rows get their tasks
 */
#ifndef WTL_ANALYSIS_TASK_LAG_H
#define WTL_ANALYSIS_TASK_LAG_H

#include "analysis/tasks/task_rows.h"

enum { WTL_TASK_CURVES = 8 }; /* types beyond these count as the last one */

/* The number of active tasks by type, and whether any is, over time in narrow bins. */
struct wtl_task_curve {
    double begin_ns, bin_ns;
    size_t count;
    double *active[WTL_TASK_CURVES],
        *busy; /* [count + 1]: seconds up to a bin once it has ended; owned */
    struct wtl_task_cover *cover;
};

struct wtl_task_lag {
    bool found;       /* it explains the power better than none does, beyond chance */
    double offset_s;  /* the sensor shows what was so long ago, in the middle of the rows ... */
    double drift;     /* ... and so much more per second */
    double window_s;  /* of a gauge, as found; NaN = as it says */
    double centre_ns; /* the middle of the rows */
    /* Half width of the 95 % interval of offset_s and of drift; by how much energies change within them, in the two cases that P_S has a
     * power of its own and that it is in the tasks: of types (those beyond are the last one), of all of them, and of the platform. */
    double offset_half_s, drift_half;
    struct wtl_task_lag_doubt {
        double type_j[WTL_TASK_CURVES], tasks_j, static_j, idle_j;
    } doubt[2];
};

int wtl_task_curve_begin(struct wtl_task_curve *curve, const struct wtl_task_rows *rows);
/* As for rows. Returns 0 or -ENOMEM. */
int wtl_task_curve_add(struct wtl_task_curve *curve,
                       size_t type,
                       uint64_t begin_ns,
                       uint64_t end_ns,
                       double share,
                       bool asleep);
void wtl_task_curve_end(struct wtl_task_curve *curve);
void wtl_task_curve_fini(struct wtl_task_curve *curve);

/* gauge: of unknown window. idle_w, static_w: of all channels together; NaN = unknown. Returns 0 or -ENOMEM. */
int wtl_task_lag_find(const struct wtl_task_curve *curve,
                      const struct wtl_task_rows *rows,
                      bool gauge,
                      double idle_w,
                      double static_w,
                      struct wtl_task_lag *ret_lag);
void wtl_task_lag_apply(const struct wtl_task_lag *lag, struct wtl_task_rows *rows);

#endif
