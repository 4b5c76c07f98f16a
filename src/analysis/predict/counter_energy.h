/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Counter energy: energy where there is no meter, from the counters alone. Power as a function of the counters' rates
 * (linear, with square roots where they help) is learnt from traces with a meter; what it says of others is derived, never measured, and comes with an interval
 * from the errors on runs (or parts of one) that were held out. It refuses rows of another set, and rows far outside of
 * what was learnt.
 *
 * Pure: rows of rates. One thread per model.
 */
#ifndef WTL_ANALYSIS_COUNTER_ENERGY_H
#define WTL_ANALYSIS_COUNTER_ENERGY_H

#include <stdbool.h>
#include <stddef.h>

#include <wattle/error.h>

#include "analysis/phases/counter_rows.h"

struct wtl_counter_energy {
    size_t columns; /* 0: there was nothing to learn from */
    char names[WTL_ROW_COLUMNS][WTL_ROW_NAME_MAX];
    double base_w;
    double weight[WTL_ROW_COLUMNS]; /* joules per event */
    double root[WTL_ROW_COLUMNS];   /* of the square root of the rate; all 0: linear was as good */
    double low[WTL_ROW_COLUMNS], high[WTL_ROW_COLUMNS]; /* rates that were seen */
    double error;    /* relative standard deviation of the error of what was held out */
    double error_df; /* its degrees of freedom */
    double row_w;    /* standard deviation of the error of one row that was held out */
    double learnt_s; /* time with counters and a meter */
};

/*
 * Learn from the rows of traces, all with these columns. Returns 0; -ENODATA: too few rows with power, or no counter that
 * changes; -EINVAL: traces of different counters; -ENOMEM; with a sentence.
 */
int wtl_counter_energy_learn(const struct wtl_counter_rows *const *traces,
                             size_t count,
                             struct wtl_counter_energy *ret_model,
                             struct wattle_error *err);

struct wtl_counter_energy_sum {
    double energy_j, low_j, high_j; /* of the rows with counters; 95 % */
    double known_s, missing_s;
    double outside; /* share of the time outside of what was learnt */
};

/*
 * Energy of rows. power_w (NULL, or [rows]) gets the power of each, NaN where counters are missing. Returns 0; -EINVAL:
 * other counters; -ERANGE: more than a tenth of the time is far outside of what was learnt; -ENODATA: no row with
 * counters, or a model that has nothing; with a sentence.
 */
int wtl_counter_energy_estimate(const struct wtl_counter_energy *model,
                                const struct wtl_counter_rows *rows,
                                double *power_w,
                                struct wtl_counter_energy_sum *ret_sum,
                                struct wattle_error *err);

#endif
