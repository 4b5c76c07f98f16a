/* SPDX-License-Identifier: BSD-3-Clause */
/* The nouns of a run's results, from which its JSON ("wattle.run/1"), CSV and text tables are
 * generated. */
#ifndef WTL_REPORT_RUN_NOUNS_H
#define WTL_REPORT_RUN_NOUNS_H

#include "analysis/compare/comparison.h"
#include "analysis/compare/repeat.h"
#include "analysis/counters/counter_table.h"
#include "analysis/regions/mpi_time.h"
#include "analysis/traces/results.h"
#include "report/noun.h"

/* What a document "wattle.run/1" holds. */
struct wtl_run_content {
    const struct wtl_result *result;
    const struct wtl_repeat *repeat; /* and its `runs`, [run_count]; NULL = none */
    const struct wtl_result *runs;
    size_t run_count;
    const struct wtl_region_table *regions;   /* NULL = not asked for */
    const struct wtl_mpi_time *mpi;           /* NULL = no MPI */
    const struct wtl_counter_table *counters; /* NULL = none */
};

/* A CSV row: a channel of a run, or its total. */
struct wtl_result_row {
    uint64_t run; /* from 1 */
    const struct wtl_result *result;
    const struct wtl_result_channel *channel; /* NULL: the total */
};

/* A CSV row: a region of a run. */
struct wtl_region_of_run {
    uint64_t run;
    const struct wtl_region_row *row;
};

extern const struct wtl_noun wtl_noun_energy;                     /* struct wtl_energy */
extern const struct wtl_noun wtl_noun_region_energy;              /* the same, of a region */
extern const struct wtl_noun wtl_noun_lost;                       /* gaps of a wtl_result_channel */
extern const struct wtl_noun wtl_noun_frequency, wtl_noun_origin; /* struct wtl_result */
extern const struct wtl_noun wtl_noun_counters;                   /* struct wtl_counter_table */
extern const struct wtl_noun wtl_noun_run, wtl_noun_mpi;          /* struct wtl_run_content */
extern const struct wtl_noun wtl_noun_run_document; /* only described: it already exists */
extern const struct wtl_noun wtl_noun_channel_row, wtl_noun_total_row; /* struct wtl_result_row */
extern const struct wtl_noun wtl_noun_region;                          /* struct wtl_region_row */
extern const struct wtl_noun wtl_noun_region_row; /* struct wtl_region_of_run */

extern const struct wtl_noun wtl_noun_flag; /* struct wtl_result_flag */
extern const struct wtl_noun
    wtl_noun_interval; /* struct wtl_interval; of a change as a part, -0.031 = 3.1 % less */
extern const struct wtl_noun wtl_noun_spread; /* struct wtl_spread: mean, sd, ci95 */

/* Set a member's value to the change that a ratio represents. */
void wtl_change_of_ratio(struct wtl_value *ret, const struct wtl_interval *ratio);

/* How a value came to be: "quality", "simulated" and "simulates" of a noun. */
struct wtl_value_quality {
    bool known;
    bool simulated;
    enum wattle_quality quality;
};
extern const struct wtl_noun wtl_noun_quality; /* struct wtl_value_quality */

wtl_member_get wtl_get_energy_quality; /* that of a struct wtl_energy, at offset */

/* Make it part of a noun. */
void wtl_value_quality(struct wtl_value *ret,
                       bool known,
                       enum wattle_quality quality,
                       bool simulated);

#endif
