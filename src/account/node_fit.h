/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Determines how the power of a package depends on its activity, from samples of both (looks): least squares
 * of
 *
 *     power - idle_w = activation_w x any + core_w x (weighted CPU time) + sum of ratio_w x (weighted CPU time x ratio)
 *
 * over the terms of node_share.h, with non-negative coefficients, for each of several values of smt_part.
 * Idle power, exponent and reference frequency are given.
 */
#ifndef WTL_ACCOUNT_NODE_FIT_H
#define WTL_ACCOUNT_NODE_FIT_H

#include <stdbool.h>

#include "account/node_share.h"

enum { WTL_NODE_SMT_STEPS = 9 }; /* smt_part 0, 1/8, ... 1 */

/* Zeroed = no look yet. */
struct wtl_node_fit {
    struct wtl_node_sums {
        double products[WTL_NODE_TERMS][WTL_NODE_TERMS], targets[WTL_NODE_TERMS];
    } sums[WTL_NODE_SMT_STEPS];
    double square; /* of the power above idle */
    size_t looks, ratios;
    /* Looks with ratios, each predicted from those before it: sums of squares over about the last 60, of what a prediction with ratios missed,
     * of what one without them missed, and of the power above idle. */
    struct wtl_node_predicted {
        double missed, missed_by_time, power;
        size_t looks;
    } predicted;
};

/* The power of a busy core at weight 1 whose job has these ratios is core_w + sum of ratio_w x ratio. */
struct wtl_node_activity {
    double core_w, ratio_w[WTL_NODE_RATIOS];
};

/* Add a look; every look has the same number of ratios. Returns 0 or the error of wtl_node_terms(). */
int wtl_node_fit_add(struct wtl_node_fit *fit,
                     const struct wtl_node_model *model,
                     const struct wtl_node_look *look,
                     const double *ratios,
                     size_t n);

/*
 * Set activation_w and smt_part of the model, as far as the looks determine them. Returns 0; -ENODATA when
 * they do not even determine the power of a core: the model is unchanged. Pure.
 */
int wtl_node_fit_solve(const struct wtl_node_fit *fit,
                       struct wtl_node_model *model,
                       struct wtl_node_activity *ret_activity);

/*
 * Error of a prediction of the power above idle of a look that was not learnt yet: root mean square, relative. With ratios, or by CPU
 * time alone (both from the looks before). NaN: fewer than 10 looks were predicted. Pure.
 */
double wtl_node_fit_error(const struct wtl_node_fit *fit, bool ratios);

/*
 * Whether the ratios tell more about power than CPU time alone:
 *   - the F statistic of their coefficients exceeds 10, which noise reaches once in thousands of fits, even if looks depend somewhat on
 *     each other. Otherwise jobs differ by chance;
 *   - looks that were not learnt yet were predicted within 10 % with them, and CPU time missed those by half as much again.
 * `still`: they did before, so that 3, 15 % and a tenth are enough: a rule that comes and goes would be worse than either. Pure.
 */
bool wtl_node_fit_tells(const struct wtl_node_fit *fit,
                        const struct wtl_node_model *model,
                        bool still);

#endif
