/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Edges: a counter's value is that of its last tick. To know the energy at an instant better than
 * to a tick (1 ms), poll the counter until it changes: then its value belongs to that moment.
 */
#ifndef WTL_RECORD_EDGES_H
#define WTL_RECORD_EDGES_H

#include "record/lane.h"

/* Can edges of this channel be seen by polling? */
bool wtl_edges_visible(const struct wattle_channel *channel);

/* Does it tick too slowly for that, but soon enough for the one tick next to a border to be awaited? */
bool wtl_edges_awaited(const struct wattle_channel *channel);

/*
 * Poll the counters of the lane in turn until each has shown `want` ticks at a known instant, or
 * stands still for long (3 of its claimed refreshes where the domain may sleep, else 20), or could
 * not be read 8 times; 50 ms at most. Before the start all are polled until the last has enough and
 * each has ticked within its last 1.5 refreshes: ticks count by how near to the border they are. `behind` the end each is
 * left when it has enough.
 * Each tick becomes a record of kind EDGE: the last poll with the old value and the first with the new one. So does
 * the time next to the border in which the counter stood, with the same value twice. The lane's thread must not
 * read. Blocks the calling thread, which is busy meanwhile. Does not allocate.
 */
void wtl_edges_poll(struct wtl_lane *lane, unsigned want, bool behind);

/* Behind the end: look at the counters that tick slowly, some times in each of their refreshes, until each has shown a tick or stood for
 * so long that it has stopped (6 of these; 3 where the domain may sleep). The same records. Blocks the calling thread, which sleeps meanwhile. Does not allocate. */
void wtl_edges_await(struct wtl_lane *lane);

#endif
