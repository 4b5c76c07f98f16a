/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Edges: a counter's value is that of its last tick. To know the energy at an instant more
 * precisely than one tick (1 ms), poll the counter until it changes: the new value belongs to that
 * moment.
 */
#ifndef WTL_RECORD_EDGES_H
#define WTL_RECORD_EDGES_H

#include "record/lane.h"

/* Can polling see the edges of this channel, which is read at the pace of the others? */
bool wtl_edges_visible(const struct wattle_channel *channel);

/* Does it tick too slowly for that, but fast enough to wait for the one tick next to a border? After the end only those are
 * waited for that are read at the pace of the others. */
bool wtl_edges_awaited(const struct wattle_channel *channel);

/*
 * Poll the counters of the lane in turn until each has shown `want` ticks at a known instant, has
 * stood still too long (3 of its nominal refreshes where the domain may sleep, else 20), or could
 * not be read 8 times; at most 50 ms. Before the start all are polled until the last has enough and
 * each has ticked within its last 1.5 refreshes, since ticks matter by how close to the border they
 * are. After the end (`behind`) polling of a counter stops when it has enough. Each tick becomes an
 * EDGE record: the last poll with the old value and the first with the new one. So does the time
 * next to the border in which the counter stood still, with the same value twice. The lane's thread
 * must not be reading. Busy-waits in the calling thread. Does not allocate.
 */
void wtl_edges_poll(struct wtl_lane *lane, unsigned want, bool behind);

/* After the end: look at the slow counters a few times per refresh until each has shown a tick or
 * stood still long enough to count as stopped (6 refreshes; 3 where the domain may sleep). Writes
 * the same records. Blocks the calling thread, which sleeps in between. Does not allocate. */
void wtl_edges_await(struct wtl_lane *lane);

/* After the end: read what has its own times (WTL_DRIVER_TIMED) until each reading is later than the
 * end; at most 2.5 s. Writes rows. Blocks the calling thread, which sleeps in between. Does not
 * allocate. */
void wtl_edges_follow(struct wtl_lane *lane);

#endif
