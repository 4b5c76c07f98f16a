/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Team: the processes that share one piece of work, and how they tell each other. One process alone is a team of one,
 * which never sends. All members make the same calls in the same order.
 */
#ifndef WTL_CLI_TEAM_H
#define WTL_CLI_TEAM_H

#include <stddef.h>

#include <wattle/error.h>

#include "trace/blocks/bytes.h"

struct wtl_team {
    int rank, size;
    void *context;
    /* All n bytes; 0 or -errno. NULL in a team of one. */
    int (*send)(void *context, int to, const void *bytes, size_t n);
    int (*receive)(void *context, int from, void *bytes, size_t n);
};

/* What each member has, one behind the other by rank, at rank 0; the others keep theirs. 0 or -errno. */
int wtl_team_gather(const struct wtl_team *team, struct wtl_bytes *bytes);

/* What rank 0 has, at all. */
int wtl_team_broadcast(const struct wtl_team *team, struct wtl_bytes *bytes);

/* The failure of the lowest rank that failed, with its sentence, at all; 0 when none did. Also a barrier. */
int wtl_team_agree(const struct wtl_team *team, int rc, struct wattle_error *err);

#endif
