/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How fast a program runs on the simulated node: work per second as a function of the frequency, 1 being this machine's
 * own speed, as an expression of
 *
 *     f      GHz, mean over the CPUs          base    the nominal frequency          top    the highest, with turbo
 *
 * or one of the presets: of each, a share of the time at the top frequency lengthens as the clock slows.
 */
#ifndef WTL_SIM_SPEED_H
#define WTL_SIM_SPEED_H

#include <wattle/error.h>

#include "base/expression/expression.h"
#include "sim/node.h"

#define WTL_SPEED_LEAST 0.02 /* a program is never slowed further */

/* Compile a preset's name or an expression. 0, -EINVAL with the remedy, -ENOMEM. */
int wtl_speed_compile(const char *text, struct wtl_expression **ret, struct wattle_error *err);

/* The speed at the node's present frequency, WTL_SPEED_LEAST .. 1; 1 for NULL or a value that is not a number. */
double wtl_speed_of(const struct wtl_expression *speed, const struct wtl_node *node);

/*
 * A duty cycle: run, stand still, in turns, so that the part of the time spent running is the speed. The lengths that were
 * really reached are fed back, so that lateness does not add up.
 */
struct wtl_duty {
    double owed_ns; /* standing still that is still due; negative = too much */
};

/* How long to stand still after having run for ran_ns at this speed; 0 = not at all. Then tell how long it was. */
uint64_t wtl_duty_rest_ns(struct wtl_duty *duty, double speed, uint64_t ran_ns);
void wtl_duty_rested(struct wtl_duty *duty, uint64_t rested_ns);

#endif
