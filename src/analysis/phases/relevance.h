/* SPDX-License-Identifier: BSD-3-Clause */
/* Which counters the power follows in a stretch of rows: by correlation, or by a regression with tests. */
#ifndef WTL_ANALYSIS_RELEVANCE_H
#define WTL_ANALYSIS_RELEVANCE_H

#include "analysis/phases/counter_rows.h"
#include "analysis/phases/phase.h"

/* Sums over the rows of a stretch, about the values of its first row; rows can be added and taken away. */
struct wtl_relevance_sums {
    const struct wtl_counter_rows *rows;
    bool cross;   /* also the products of counters with each other, for a regression */
    size_t count; /* rows with power */
    size_t have[WTL_ROW_COLUMNS];    /* of them, those in which the column has a value */
    size_t changes[WTL_ROW_COLUMNS]; /* of them, those that differ from the row before */
    size_t power_changes;
    bool started;
    double origin[WTL_ROW_COLUMNS], origin_w;
    double sum[WTL_ROW_COLUMNS], square[WTL_ROW_COLUMNS], with_w[WTL_ROW_COLUMNS];
    double sum_w, square_w;
    double product[WTL_ROW_COLUMNS][WTL_ROW_COLUMNS]; /* i < k */
};

struct wtl_relevance {
    uint16_t set;
    uint8_t rank[WTL_PHASE_RANKS]; /* by correlation, strongest first; ties by id */
    unsigned ranked;
};

void wtl_relevance_begin(struct wtl_relevance_sums *sums,
                         const struct wtl_counter_rows *rows,
                         bool cross);
/* Rows must be added in order, and taken away in order from the oldest on. */
void wtl_relevance_add(struct wtl_relevance_sums *sums, size_t row);
void wtl_relevance_remove(struct wtl_relevance_sums *sums, size_t row);

/* By the options: `top` columns, or those with a significant coefficient. Columns that are constant or have missing
 * values in the stretch are not relevant; neither is any where the power is constant. */
struct wtl_relevance wtl_relevance_of(const struct wtl_relevance_sums *sums,
                                      const struct wtl_phase_options *options);

/* Of rows first .. last. */
struct wtl_relevance wtl_relevance_between(const struct wtl_counter_rows *rows,
                                           size_t first,
                                           size_t last,
                                           const struct wtl_phase_options *options);

#endif
