/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One connection of a pmlib server, without its socket: bytes in, bytes out, and time (docs/format/pmlib.md). A request may
 * arrive in any pieces. While a reply is under way, nothing more is read; a counter samples all the same.
 */
#ifndef WTL_SERVICE_PM_PEER_H
#define WTL_SERVICE_PM_PEER_H

#include "service/pm_counter.h"

/* What all connections share. */
struct wtl_pm_service {
    struct wtl_pm_meters meters;
    enum wtl_pm_dialect dialect;
    struct wtl_pm_memory memory;
    struct wtl_pm_peer *peers; /* all of them, linked; for STATUS */
    int32_t next_number;
};

enum wtl_pm_peer_state {
    WTL_PM_FRESH, /* nothing was asked */
    WTL_PM_COUNTING,
    WTL_PM_STREAMING,
    WTL_PM_LEAVING /* close it when its replies are sent */
};

struct wtl_pm_peer {
    struct wtl_pm_service *service;
    struct wtl_pm_peer *next;
    enum wtl_pm_peer_state state;
    char address[16];
    int32_t number;
    uint8_t in[WTL_PM_REQUEST_MAX];
    size_t in_used;
    uint8_t *out; /* bytes [out_sent, out_used) are to be sent */
    size_t out_room, out_used, out_sent;
    struct wtl_pm_counter counter; /* while counting; when streaming, of all lines */
    bool waiting;                  /* for samples that are not settled, to answer a GET; ... */
    uint64_t look_ns;              /* ... when to look again */
    bool getting;                  /* samples follow: */
    int64_t get_next, get_count;
    int32_t get_set; /* of the sample get_next in the dialect whose order is by sets */
};

void wtl_pm_peer_init(struct wtl_pm_peer *peer,
                      struct wtl_pm_service *service,
                      const char *address);
void wtl_pm_peer_fini(struct wtl_pm_peer *peer);

/* How many bytes it would take now; 0 = none until its reply is sent. */
size_t wtl_pm_peer_room(const struct wtl_pm_peer *peer);

/* Take n <= room bytes. */
void wtl_pm_peer_feed(struct wtl_pm_peer *peer, const uint8_t *bytes, size_t n, uint64_t now_ns);

/* Bytes to be sent: *ret_n of them, NULL = none. wtl_pm_peer_sent() when some were. */
const uint8_t *wtl_pm_peer_pull(struct wtl_pm_peer *peer, size_t *ret_n);
void wtl_pm_peer_sent(struct wtl_pm_peer *peer, size_t n, uint64_t now_ns);

/* When wtl_pm_peer_tick() has something to do; UINT64_MAX = never. */
uint64_t wtl_pm_peer_next_ns(const struct wtl_pm_peer *peer);
void wtl_pm_peer_tick(struct wtl_pm_peer *peer, uint64_t now_ns);

/* Does it need the values of the meters? */
bool wtl_pm_peer_measures(const struct wtl_pm_peer *peer);

#endif
