/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The energy page: memory into which a node's sampler publishes what each energy or power channel
 * has used so far, so that every process on the node can read it directly. The layout is that of
 * <wattle/page.h>, which also has the reader's part of the latch; docs/format/page.md describes it.
 * For how processes find the page of a run, see energy_link.h.
 *
 * A channel's slot has one writer, the lane that reads it. Publishing takes some tens of
 * nanoseconds; it does not allocate, lock, print or make system calls.
 *
 * Past times: the slot keeps its newest samples in rings, level k every 2^k-th of them, so that the
 * energy at an instant is interpolated between samples no farther apart than a thirtieth of the
 * time that has passed since.
 *
 * A writer that takes over from one that died continues in the same page
 * (wtl_energy_page_open_writer() adopts it): readers keep their mapping, and counters continue
 * where no wrap can have been missed.
 */
#ifndef WTL_RECORD_ENERGY_PAGE_H
#define WTL_RECORD_ENERGY_PAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <wattle/channel.h>
#include <wattle/page_layout.h>

#include "record/energy_link.h"

/* ---- sampler's side ---- */

struct wtl_energy_writer;

/* Everything is borrowed until close. */
struct wtl_energy_page_options {
    const char *folder; /* absolute path in which to publish the page; NULL: in memory of this
                           process only, unless public */
    const struct wtl_energy_link *held; /* adopt this page if it has the same channels, else replace
                                           it; NULL or empty: the one named in the folder, if its
                                           process lives */
    const struct wattle_channel *channels;
    size_t count;
    uint64_t interval_ns;
    bool public;         /* for other users: read-only for everybody else, sealed for good */
    bool coarse;         /* as the page then says */
    uint64_t generation; /* of public pages; else 0 */
    const char *writer;  /* program and version; NULL = wattle's */
    const char *boot_id; /* NULL = not stated */
    /* Where a channel continues, if an earlier writer has left that: true. NULL = nowhere. */
    bool (*rest)(void *context,
                 const struct wattle_channel *channel,
                 struct wattle_page_now *ret_now);
    void *context;
};

/*
 * Create a page for those channels that are energy or power. Returns 0; -ENODATA if no channel is
 * energy; -ENOSPC and other errors of the folder; -ENOMEM.
 */
int wtl_energy_page_open_writer(const struct wtl_energy_page_options *options,
                                struct wtl_energy_writer **ret_writer);

/* A public page's descriptor, open for reading only; borrowed until it is renewed. -1: none.
 * *ret_sealed: no process can get a writable mapping, by a seal (else only by its mode). */
int wtl_energy_page_fd(const struct wtl_energy_writer *writer, bool *ret_sealed);

/*
 * Continue in a new public page with this generation, and retire the old one. Each channel moves
 * with its next reading; the call waits for all of them, at most 200 ms: until then, one has no
 * value in the new page. From one thread, while lanes publish. Returns 0; -ENOMEM or the error of
 * the memory: the old page stays.
 */
int wtl_energy_page_renew(struct wtl_energy_writer *writer, uint64_t generation);

/* The interval between samples has changed. */
void wtl_energy_page_set_interval(struct wtl_energy_writer *writer, uint64_t interval_ns);

/* The window begins; from any thread, once. */
void wtl_energy_page_begin(struct wtl_energy_writer *writer, uint64_t start_ns);

/* A reading of channel number `channel` of those given: raw value, or status < 0. Call from one
 * thread at a time per channel, in time order. Channels that are not energy are ignored. */
void wtl_energy_page_publish(struct wtl_energy_writer *writer,
                             size_t channel,
                             uint64_t time_ns,
                             uint64_t raw,
                             int status);

/* A poll for a tick, before the window; it is no reading of the page, but shows how often the counter ticks. From the
 * thread that publishes, or while that does not. */
void wtl_energy_page_poll(struct wtl_energy_writer *writer,
                          size_t channel,
                          uint64_t time_ns,
                          uint64_t raw);

/* The times of readings from now on are known to this half width: of a read that takes long, the sensor's value is of any moment in
 * it. From the thread that publishes them. */
void wtl_energy_page_blur(struct wtl_energy_writer *writer, size_t channel, uint64_t half_ns);

/* So much time before the next reading of a channel is not in its energy, for a reason that its
 * readings do not show. From the thread that publishes it. */
void wtl_energy_page_lose(struct wtl_energy_writer *writer, size_t channel, uint64_t unknown_ns);

/* The mapping, for a reader in this process: stays for the life of the process. */
const struct wattle_page_header *wtl_energy_page_lend(struct wtl_energy_writer *writer,
                                                      size_t *ret_size);

/* No more readings. The page is no longer published in the folder; readers keep their mapping.
 * Accepts NULL. */
void wtl_energy_page_close_writer(struct wtl_energy_writer *writer);

/* Free without touching the page; for a child after fork. */
void wtl_energy_page_forget_writer(struct wtl_energy_writer *writer);

/* ---- readers' side; all calls are safe from any thread ---- */

struct wtl_energy_reader;

/* Map and check the page of a folder; it must belong to this user. Returns 0, or as
 * wtl_energy_link_find(). */
int wtl_energy_page_open(const char *folder, struct wtl_energy_reader **ret_reader);

/* The same for a permanent mapping (of a writer in this process). */
int wtl_energy_page_attach(const struct wattle_page_header *header,
                           size_t size,
                           struct wtl_energy_reader **ret_reader);
void wtl_energy_page_close(struct wtl_energy_reader *reader); /* accepts NULL */

size_t wtl_energy_page_count(const struct wtl_energy_reader *reader);
const struct wattle_page_channel *wtl_energy_page_channel(const struct wtl_energy_reader *reader,
                                                          size_t i);
/* The refresh of a channel, or of its readings so far if these show that it is longer. */
uint64_t wtl_energy_page_refresh_ns(const struct wtl_energy_reader *reader, size_t i);
uint64_t wtl_energy_page_key(const struct wtl_energy_reader *reader);
uint64_t wtl_energy_page_interval_ns(const struct wtl_energy_reader *reader);
uint32_t wtl_energy_page_pid(const struct wtl_energy_reader *reader); /* the sampling process */
bool wtl_energy_page_ended(const struct wtl_energy_reader *reader);

/* A consistent copy of a channel. */
struct wtl_energy_view {
    struct wattle_page_point newest; /* time_ns 0 = no sample yet */
    struct wattle_page_point start;  /* time_ns 0 = unknown */
    uint64_t changed_ns;             /* the first sample with the newest value */
    bool unknown;                    /* nothing is known since `newest` */
};

/* Returns 0; -EAGAIN if the slot kept changing. */
int wtl_energy_page_look(const struct wtl_energy_reader *reader,
                         size_t i,
                         struct wtl_energy_view *ret_view);

/* The samples around a past time: before <= time_ns < behind; either has time 0 without such a sample
 * (or it is no longer kept). Returns as above. */
int wtl_energy_page_around(const struct wtl_energy_reader *reader,
                           size_t i,
                           uint64_t time_ns,
                           struct wattle_page_point *ret_before,
                           struct wattle_page_point *ret_behind);

#endif
