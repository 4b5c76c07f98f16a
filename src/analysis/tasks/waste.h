/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Waste: stretches of a run in which few threads worked although the machine drew nearly as much power as when
 * all of them work: threads that spin in a barrier or poll for a message, a clock that stays high while one
 * thread does the serial part.
 *
 * The rule. The window is divided into cells, each long enough for the sensors (20 updates of the slowest
 * channel of the total, or what model/reading.h says, and at least 1/2048 of the window). For each cell: the power of the total, and the
 * threads that work on average (wtl_activity_type_works()).
 *   full activity  = the 95th percentile of the working threads over the cells;
 *   full power     = the median power of the cells with at least 90 % of full activity;
 *   wasteful       = at most `activity` (50 %) of full activity, at at least `power` (80 %) of full power.
 * Neighbouring wasteful cells are one stretch. A cell whose power is unknown is never wasteful. A machine whose
 * power hardly depends on its work fulfils the rule whenever few threads work: that is waste, too.
 */
#ifndef WTL_ANALYSIS_WASTE_H
#define WTL_ANALYSIS_WASTE_H

#include <stddef.h>
#include <stdint.h>

#include <wattle/error.h>

#include "analysis/tasks/lanes/activity_lanes.h"
#include "model/result.h"

/* The two bounds of the rule, as shares. */
struct wtl_waste_rule {
    double activity, power;
};
#define WTL_WASTE_RULE ((struct wtl_waste_rule){.activity = 0.5, .power = 0.8})

enum { WTL_WASTE_STRETCHES = 100 };

struct wtl_waste_stretch {
    uint64_t begin_ns, end_ns;
    double energy_j, mean_w; /* of the total */
    double working;          /* threads, on average */
    double waiting_j; /* the part of energy_j of the threads that are missing: energy_j x (1 -
                                working / full activity) */
    uint32_t type;    /* what the threads that did not work did most; UINT32_MAX = nothing known */
};

struct wtl_waste {
    const char *problem; /* why nothing can be said; NULL = the rule was applied */
    struct wtl_waste_rule rule;
    uint64_t cell_ns;
    double full_threads, full_w;
    struct wtl_waste_stretch *stretches; /* the most waiting_j first; at most WTL_WASTE_STRETCHES */
    size_t count, left_out;
    double time_s, energy_j, waiting_j; /* of all, those left out too */
};

/* Lanes and result are of the reader's trace. 0, -ENOMEM, or an error with a sentence. What cannot be judged is a problem,
 * not an error. */
int wtl_waste_find(struct wtl_trace_reader *reader,
                   const struct wtl_activity_lanes *lanes,
                   const struct wtl_result *result,
                   const struct wtl_waste_rule *rule,
                   struct wtl_waste *ret_waste,
                   struct wattle_error *err);
void wtl_waste_fini(struct wtl_waste *waste);

/* The rule itself, on cells: power_w[i] NaN = unknown. Fills the stretches but not their type; begin_ns of cell
 * 0 is start_ns. 0 or -ENOMEM. */
int wtl_waste_judge(struct wtl_waste *waste,
                    uint64_t start_ns,
                    const double *power_w,
                    const double *working,
                    size_t cells);

#endif
