/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Counter energy: energy where there is no meter, from the counters alone. Power as a linear function of the counters'
 * rates is learnt from traces with a meter; what it says of others is derived, never measured, and comes with an interval
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
    bool known; /* else there was nothing to learn from */
    size_t columns;
    char names[WTL_ROW_COLUMNS][WTL_ROW_NAME_MAX];
    char platform[64];
    double base_w;                  /* power with all counters at their mean */
    double weight[WTL_ROW_COLUMNS]; /* watts per standard deviation; 0 = constant, left out */
    double mean[WTL_ROW_COLUMNS], sd[WTL_ROW_COLUMNS];  /* of the rates */
    double low[WTL_ROW_COLUMNS], high[WTL_ROW_COLUMNS]; /* what was seen */
    double row_w;         /* standard deviation of the error of one row */
    double bias;          /* relative standard deviation of the error of what was held out */
    double bias_df;       /* its degrees of freedom */
    double learnt_s;      /* time with a meter */
    double low_w, high_w; /* powers that were seen */
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
