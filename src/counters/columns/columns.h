/* SPDX-License-Identifier: BSD-3-Clause */
/* The columns of a counter set on a machine, for a target: what can be counted, what not and why, and their counts. */
#ifndef WTL_COUNTERS_COLUMNS_H
#define WTL_COUNTERS_COLUMNS_H

#include "counters/columns/count_plan.h"
#include "counters/columns/perf_events.h"
#include "counters/tree_time.h"
#include "model/counters/counter_set.h"
#include "source/busy.h"

enum { WTL_COLUMNS_FILES = 16 };

struct wtl_counter_state {
    struct wtl_count_plan plan;
    const struct wtl_count_way *way; /* the one used; NULL = none */
    size_t at;                       /* its event or file */
    struct wtl_count_sum sum;
    int status; /* of opening: 0 or -errno */
    struct wattle_error why;
    struct wtl_remedy remedy;
    const char *note; /* what to know about the count; NULL = nothing */
    char where[160];
};

struct wtl_count_columns {
    const struct wtl_world *world;
    struct wtl_target target;
    enum wtl_counted scope;
    const struct wtl_counter_set *set;
    struct wtl_counter_state *list; /* one for each column of the set */
    struct wtl_perf_events perf;
    struct wtl_count_file files[WTL_COLUMNS_FILES];
    size_t file_count;
    struct wtl_busy busy;
    struct wtl_tree_time tree_time;
    struct wtl_tree_count tree;
    bool has_busy, has_tree_time, has_tree;
    int busy_status, tree_time_status;
    uint64_t busy_ns, tree_ns;
};

/* Open what can be counted; columns that cannot have a status below 0. 0 or -ENOMEM; wtl_count_columns_close() in both cases. The
 * set must outlive the columns. */
int wtl_count_columns_open(struct wtl_count_columns *columns,
                           const struct wtl_world *world,
                           const struct wtl_target *target,
                           const struct wtl_counter_set *set);
void wtl_count_columns_close(struct wtl_count_columns *columns);

/* Read everything, and then the value of column i: 0 or -errno. Neither allocates, locks or prints. */
void wtl_count_columns_read(struct wtl_count_columns *columns);
int wtl_count_columns_value(struct wtl_count_columns *columns, size_t i, uint64_t *ret_value);

/* "machine", "tree", "cgroup". */
const char *wtl_counted_name(enum wtl_counted scope);

/* Part of the time in which the hardware counted column i; NaN: it is not a multiplexed event. */
double wtl_count_columns_share(const struct wtl_count_columns *columns, size_t i);

#endif
