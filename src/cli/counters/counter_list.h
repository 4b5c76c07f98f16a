/* SPDX-License-Identifier: BSD-3-Clause */
/* What "wattle counters" prints: sets and events, and whether this machine counts them, for a command and as a whole. */
#ifndef WTL_CLI_COUNTER_LIST_H
#define WTL_CLI_COUNTER_LIST_H

#include <stdio.h>

#include <wattle/error.h>

#include "counters/columns/columns.h"
#include "report/noun.h"
#include "report/style.h"

/* A set, opened for a command (this process stands for it) and for the machine. */
struct wtl_counter_listing {
    struct wtl_counter_set set;
    bool is_set; /* else all known events */
    struct wtl_count_columns tree, machine;
    char broken[512]; /* why the set cannot be read; "" = it can */
};

struct wtl_counter_list {
    struct wtl_counter_listing
        *items; /* sets; the last one, if there are several, is of all events */
    size_t count, set_count;
};

/* All sets and all events, or the one of this name. A set that cannot be read is listed as such, unless it is the one.
 * 0, or -errno; wtl_counter_list_close() in any case. */
int wtl_counter_list_open(struct wtl_counter_list *list,
                          const struct wtl_world *world,
                          const char *name,
                          struct wattle_error *err);
void wtl_counter_list_close(struct wtl_counter_list *list);

/* 0 or -ENOMEM. */
int wtl_counter_list_text(FILE *out,
                          const struct wtl_style *style,
                          const struct wtl_counter_list *list);
int wtl_counter_list_json(FILE *out, const struct wtl_counter_list *list);

extern const struct wtl_noun wtl_noun_counter_list;

#endif
