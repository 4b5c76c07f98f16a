/* SPDX-License-Identifier: BSD-3-Clause */
/* Which sensors answer: a line in the log when one fails, and when it works again. */
#ifndef WTL_DAEMON_HEALTH_H
#define WTL_DAEMON_HEALTH_H

#include <stddef.h>
#include <stdint.h>

#include <wattle/page.h>

struct wtl_health;

/* For how long nothing is known of a channel at a time of CLOCK_MONOTONIC, given its newest values; 0: they are
 * recent. A reading that hangs leaves no error: its channel only ages. */
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
