/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Team: processes that share work, and their communication. A single process is a team of one, which never
 * sends. All members make the same calls in the same order.
 */
#ifndef WTL_CLI_TEAM_H
#define WTL_CLI_TEAM_H

#include <stddef.h>
#include <stdint.h>

#include <wattle/error.h>

#include "trace/blocks/bytes.h"

struct wtl_team {
    int rank, size;
    void *context;
    /* All n bytes; 0 or -errno. NULL in a team of one. */
    int (*send)(void *context, int to, const void *bytes, size_t n);
    int (*receive)(void *context, int from, void *bytes, size_t n);
};

/* Gather the data of all members at rank 0, concatenated by rank; the others keep theirs. Returns 0 or -errno. */
int wtl_team_gather(const struct wtl_team *team, struct wtl_bytes *bytes);

/* Broadcast the data of rank 0 to all. */
int wtl_team_broadcast(const struct wtl_team *team, struct wtl_bytes *bytes);

/* Distribute the failure of the lowest failed rank, with its message, to all; 0 if none failed. Also a barrier. */
int wtl_team_agree(const struct wtl_team *team, int rc, struct wattle_error *err);

/* Show a line of progress on a terminal; what NULL: remove it. Only rank 0 does. */
void wtl_team_progress(const struct wtl_team *team, const char *what, uint64_t done, uint64_t all);

#endif
