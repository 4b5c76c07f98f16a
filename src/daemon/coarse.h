/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The coarse page: the channels of the full page at a lower rate and resolution, for users that share the
 * node. Coarse readings reduce what leaks and do not remove it (docs/guide/wattled.md). Energies are rounded
 * down to the resolution, which is the scale of the channels, so that every interval computed from it
 * contains the rounding.
 */
#ifndef WTL_DAEMON_COARSE_H
#define WTL_DAEMON_COARSE_H

#include <stdint.h>

#include <wattle/error.h>
#include <wattle/page.h>

struct wtl_coarse;

/* Create it with the channels of a page; resolution_j > 0. 0, -ENOMEM or the error of the memory. */
int wtl_coarse_create(const struct wattle_page *full,
                      double resolution_j,
                      uint64_t interval_ns,
                      uint64_t generation,
                      struct wtl_coarse **ret_coarse);

/* Publish what the full page shows now, at a time of CLOCK_MONOTONIC, which is rounded down to the
 * interval: within one, only the first call has an effect. */
void wtl_coarse_publish(struct wtl_coarse *coarse,
                        const struct wattle_page *full,
                        uint64_t time_ns);

/* A descriptor, open for reading only, borrowed until retired. */
int wtl_coarse_fd(const struct wtl_coarse *coarse);

/* Mark it retired and free it. Accepts NULL. */
void wtl_coarse_retire(struct wtl_coarse *coarse);

#endif
