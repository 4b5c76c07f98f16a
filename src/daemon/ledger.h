/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The ledger: energy of each channel since boot, in a small mapped file (run_dir/ledger) that survives a
 * restart of wattled. A counter that could not have wrapped unseen continues exactly, because the hardware
 * kept counting; otherwise what was not seen is time that the joules leave out. Each entry is a latch with a
 * checksum, so that a kill at any moment leaves one complete copy. The ledger of another boot is not used.
 *
 * Thread rule: all calls from the daemon's thread.
 */
#ifndef WTL_DAEMON_LEDGER_H
#define WTL_DAEMON_LEDGER_H

#include <stdbool.h>
#include <stdint.h>

#include <wattle/channel.h>
#include <wattle/error.h>
#include <wattle/page.h>

#include "base/world/world.h"

struct wtl_ledger;

/* A channel's entry: what the page said last. */
struct wtl_ledger_entry {
    char name[WATTLE_NAME_MAX];
    double scale;
    struct wattle_page_now now;
};

/*
 * Open or create it; run_dir exists. *ret_created: it did not exist, was of another boot or damaged (then
 * err says so and the energy counts from now). 0; -EBUSY: another wattled holds it; the errno of the file.
 */
int wtl_ledger_open(const char *run_dir,
                    const char *boot_id,
                    struct wtl_ledger **ret_ledger,
                    bool *ret_created,
                    struct wattle_error *err);
void wtl_ledger_close(struct wtl_ledger *ledger); /* accepts NULL; the file stays */

/* The entry of a channel: true if there is one with this scale. */
bool wtl_ledger_find(const struct wtl_ledger *ledger,
                     const char *name,
                     double scale,
                     struct wtl_ledger_entry *ret_entry);

/* Number of those entries that are not of a channel of this page. */
size_t wtl_ledger_missing(const struct wtl_ledger *ledger, const struct wattle_page *page);

/* Store it: 0, -ENOSPC (1024 channels, or no space in run_dir). */
int wtl_ledger_store(struct wtl_ledger *ledger, const struct wtl_ledger_entry *entry);

/* A number that increases with each call, from 1 after boot: generations of pages. */
uint64_t wtl_ledger_generation(struct wtl_ledger *ledger);

#endif
