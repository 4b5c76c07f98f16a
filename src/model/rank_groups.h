/* SPDX-License-Identifier: BSD-3-Clause */
/* Groups of ranks into which a run's output is divided. */
#ifndef WTL_MODEL_RANK_GROUPS_H
#define WTL_MODEL_RANK_GROUPS_H

#include <stddef.h>
#include <stdint.h>

#include <wattle/error.h>

/* Ranks from first to last, and their name as given. */
struct wtl_rank_group {
    char name[64]; /* "1-10" */
    int32_t first, last;
};

/* Parse "1-10,11-32"; a group may be a single rank. 0, or -EINVAL with a message. The caller frees the array. */
int wtl_rank_groups_parse(const char *text,
                          struct wtl_rank_group **ret_groups,
                          size_t *ret_count,
                          struct wattle_error *err);

#endif
