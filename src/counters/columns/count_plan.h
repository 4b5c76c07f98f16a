/* SPDX-License-Identifier: BSD-3-Clause */
/* The sources of a counter set ("net:sent_bytes"): what they are, and where a machine, a tree or a cgroup shows them. */
#ifndef WTL_COUNTERS_COUNT_PLAN_H
#define WTL_COUNTERS_COUNT_PLAN_H

#include "counters/columns/count_file.h"
#include "counters/columns/perf_name.h"
#include "counters/columns/tree_count.h"
#include "source/driver.h"

enum wtl_count_feed {
    WTL_FEED_NONE, /* not counted for this scope */
    WTL_FEED_PERF,
    WTL_FEED_FILE,
    WTL_FEED_BUSY,      /* CPU time of the machine */
    WTL_FEED_TREE_TIME, /* CPU time of the tree */
    WTL_FEED_TREE       /* I/O, memory of the tree */
};

struct wtl_count_way {
    enum wtl_count_feed feed;
    struct wtl_perf_code code;
    char path[300];
    struct wtl_count_rule rule;
    enum wtl_tree_value tree;
};

enum { WTL_COUNT_WAYS = 2 };

struct wtl_count_plan {
    enum wattle_domain domain;
    enum wattle_quantity quantity;
    enum wattle_kind kind;
    double scale;
    struct wtl_count_way ways[WTL_COUNT_WAYS]; /* the first that works */
    bool of_machine; /* counted for the whole machine whatever the scope is */
};

/* 0; -ENOENT: no such source, with the remedy. */
int wtl_count_plan(const struct wtl_world *world,
                   const struct wtl_target *target,
                   enum wtl_counted scope,
                   const char *source,
                   struct wtl_count_plan *ret_plan,
                   struct wattle_error *err);

/* Source i that is not one of perf ("net:sent_bytes") and what it is; NULL after the last. */
const char *wtl_count_source(size_t i, const char **ret_about);

#endif
