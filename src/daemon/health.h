/* SPDX-License-Identifier: BSD-3-Clause */
/* Which sensors answer: a line in the log when one fails, and when it works again. */
#ifndef WTL_DAEMON_HEALTH_H
#define WTL_DAEMON_HEALTH_H

#include <stddef.h>
#include <stdint.h>

#include <wattle/page.h>

struct wtl_health;

/* Until when it is known what a channel counted: its newest sample. A counter that stands still was last seen counting at the reading
 * before the one that first showed its value. */
uint64_t wtl_health_known_ns(const struct wattle_page_channel *channel,
                             const struct wattle_page_now *now);

/* How long to wait before one more reading shows whether the counters of a page still count; 0: their newest readings do. */
uint64_t wtl_health_proof_ns(const struct wattle_page *page);

/* For how long nothing is known of a channel at a time of CLOCK_MONOTONIC, given its newest values; 0: they are
 * recent, and it does not stand still. A reading that hangs leaves no error: its channel only ages. */
uint64_t wtl_health_unknown_ns(const struct wattle_page *page,
                               size_t i,
                               const struct wattle_page_now *now,
                               uint64_t time_ns);

/* For a page with so many channels. NULL: out of memory. */
struct wtl_health *wtl_health_create(size_t count, uint64_t time_ns);
void wtl_health_destroy(struct wtl_health *health); /* accepts NULL */

/* Look at a page at a time of CLOCK_MONOTONIC: the number of channels that do not work. */
size_t wtl_health_look(struct wtl_health *health, const struct wattle_page *page, uint64_t time_ns);

/* What is wrong with channel i, at the last look: 0; -ETIMEDOUT: its sensor does not answer; the errno of its reads. */
int wtl_health_of(const struct wtl_health *health, size_t i);

#endif
