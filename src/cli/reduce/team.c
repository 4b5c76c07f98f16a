/* SPDX-License-Identifier: BSD-3-Clause */
/* Communication between members of a team: see team.h. */
#include "cli/reduce/team.h"

#include <errno.h>
#include <string.h>

#include "cli/run/progress.h"

static int send_bytes(const struct wtl_team *team, int to, const struct wtl_bytes *bytes)
{
    uint64_t n = bytes->length;
    int rc = team->send(team->context, to, &n, sizeof n);
    return rc < 0 || n == 0 ? rc : team->send(team->context, to, bytes->data, n);
}

/* Append. */
static int receive_bytes(const struct wtl_team *team, int from, struct wtl_bytes *bytes)
{
    uint64_t n = 0;
    int rc = team->receive(team->context, from, &n, sizeof n);
    if (rc < 0 || n == 0)
        return rc;
    uint8_t *room = wtl_bytes_reserve(bytes, n);
    if (!room)
        return -ENOMEM;
    rc = team->receive(team->context, from, room, n);
    bytes->length += rc < 0 ? 0 : n;
    return rc;
}

int wtl_team_gather(const struct wtl_team *team, struct wtl_bytes *bytes)
{
    int rc = 0;
    if (team->rank > 0)
        return send_bytes(team, 0, bytes);
    for (int from = 1; rc == 0 && from < team->size; from++)
        rc = receive_bytes(team, from, bytes);
    return rc;
}

/* Along a binomial tree: from the rank without its lowest bit, to those with one lower bit more. */
int wtl_team_broadcast(const struct wtl_team *team, struct wtl_bytes *bytes)
{
    int bit = 1, rc = 0;
    while (bit < team->size && !(team->rank & bit))
        bit <<= 1;
    if (team->rank > 0) {
        wtl_bytes_reset(bytes);
        rc = receive_bytes(team, team->rank & ~bit, bytes);
    }
    for (bit >>= 1; rc == 0 && bit > 0; bit >>= 1)
        if (team->rank + bit < team->size)
            rc = send_bytes(team, team->rank + bit, bytes);
    return rc;
}

struct failure {
    int32_t rc;
    struct wattle_error err;
};

int wtl_team_agree(const struct wtl_team *team, int rc, struct wattle_error *err)
{
    struct wtl_bytes bytes = {0};
    struct failure own = {.rc = rc, .err = *err}, worst = {0};
    if (team->size == 1)
        return rc;
    wtl_bytes_put(&bytes, &own, sizeof own);
    int sent = wtl_team_gather(team, &bytes);
    for (size_t at = 0; sent == 0 && team->rank == 0 && at + sizeof own <= bytes.length;
         at += sizeof own) {
        struct failure one;
        memcpy(&one, bytes.data + at, sizeof one);
        if (worst.rc == 0 && one.rc < 0)
            worst = one;
    }
    if (team->rank == 0) {
        wtl_bytes_reset(&bytes);
        wtl_bytes_put(&bytes, &worst, sizeof worst);
    }
    sent = sent < 0 ? sent : wtl_team_broadcast(team, &bytes);
    if (sent == 0 && bytes.length == sizeof worst)
        memcpy(&worst, bytes.data, sizeof worst);
    wtl_bytes_fini(&bytes);
    if (sent < 0)
        return sent;
    if (worst.rc < 0)
        *err = worst.err;
    return worst.rc;
}

void wtl_team_progress(const struct wtl_team *team, const char *what, uint64_t done, uint64_t all)
{
    static struct wtl_progress progress;
    if (team->rank > 0)
        return;
    if (progress.begin_ns == 0)
        wtl_progress_begin(&progress, true, false);
    if (what)
        wtl_progress_step(&progress, what, done, all);
    else
        wtl_progress_clear(&progress);
}
