/* SPDX-License-Identifier: BSD-3-Clause */
/* What the library knows about a counter beyond its public members. */
#ifndef WTL_PMCLIENT_CLIENT_COUNTER_H
#define WTL_PMCLIENT_CLIENT_COUNTER_H

#include <errno.h>
#include <stdbool.h>

#include <pm/pmlib.h>

#include "pmlib/wire.h"

struct wtl_pm_own {
    pm_measures_wt shown; /* counter_t.measures points to it */
    enum wtl_pm_dialect dialect;
    size_t timing_room; /* sets */
    bool active;
};

struct wtl_pm_own *wtl_pm_own_of(const counter_t *counter);

/* The fetched data as a table: columns of lines, rows in time. */
struct wtl_pm_table {
    const pm_measures *energy;
    const double *timing;
    int line_count;            /* columns; 1 when aggregated */
    int lines[WTL_PM_LINES];   /* of the device: their numbers, ascending; -1 = the sum */
    int columns[WTL_PM_LINES]; /* where each is in the data */
    int first_set, end_set;
};

/* Lines in both `lines` and the counter, and a set, -1 = all. 0, or -1 after a message. */
int wtl_pm_table_of(const counter_t *counter, line_t lines, int set, struct wtl_pm_table *ret);

int wtl_pm_table_length(const struct wtl_pm_table *table, int set);
double wtl_pm_table_duration_s(const struct wtl_pm_table *table, int set);
double wtl_pm_table_at(const struct wtl_pm_table *table, int column, int set, int i);
/* All columns; NaN if one is. */
double wtl_pm_table_sum(const struct wtl_pm_table *table, int set, int i);

#endif
