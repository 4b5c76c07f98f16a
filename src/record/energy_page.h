/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The energy page: memory into which a node's sampler publishes what each energy or power channel
 * has used so far, so that every process on the node can read it directly. For the layout see
 * docs/format/spool.md; for how processes find it, energy_link.h.
 *
 * A channel's slot has one writer, the lane that reads it, and a sequence that is odd while it
 * writes. Publishing takes some tens of nanoseconds; it does not allocate, lock, print or make
 * system calls. A reader copies what it needs, and accepts it if the sequence was even and the same
 * before and after.
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

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <wattle/channel.h>

#include "record/energy_link.h"

#define WTL_ENERGY_MAGIC   "WTLENRGY"
#define WTL_ENERGY_VERSION 1

enum { WTL_ENERGY_LEVELS = 22, WTL_ENERGY_RING = 64, WTL_ENERGY_CHANNELS_MAX = 1024 };

enum wtl_energy_state { WTL_ENERGY_LIVE = 1, WTL_ENERGY_ENDED = 2 };

/* A channel's totals since its first sample, at the time of one of its samples. */
struct wtl_energy_point {
    uint64_t time_ns; /* CLOCK_MONOTONIC; 0 = none */
    double energy_j;
    double variance_j2;  /* for a gauge: variance due to the time between samples */
    uint64_t unknown_ns; /* time not included in energy_j */
};

struct wtl_energy_header {
    char magic[8]; /* stored last */
    uint32_t version, header_size, slot_size, channel_count;
    uint32_t levels, ring; /* in each slot */
    uint32_t state;        /* enum wtl_energy_state */
    uint32_t pid;          /* pid of the sampling process */
    uint64_t interval_ns;
    uint64_t key;      /* identifies this page: its creation time */
    uint64_t start_ns; /* start of the window; 0 = not yet */
};

/* Description of a channel, written before the magic and never changed. */
struct wtl_energy_channel {
    char name[WATTLE_NAME_MAX];
    uint32_t domain, quantity, kind, quality, flags;
    int32_t index;
    double scale;
    uint64_t refresh_ns, window_ns;
};

struct wtl_energy_slot {
    struct wtl_energy_channel channel;
    uint32_t sequence; /* odd during a write */
    uint32_t unknown;  /* 1: no energy is known since the newest sample (failed reads, a stall) */
    uint64_t count;    /* samples in the rings */
    struct wtl_energy_point start; /* at the start of the window, interpolated */
    /* the writer's own state, for a process that takes over */
    uint64_t raw, raw_ns, ticks, changed_ns;
    struct wtl_energy_point rings[WTL_ENERGY_LEVELS][WTL_ENERGY_RING];
};

static_assert(sizeof(struct wtl_energy_point) == 32, "layout of the energy page");
static_assert(sizeof(struct wtl_energy_header) == 64, "layout of the energy page");
static_assert(sizeof(struct wtl_energy_channel) == 96, "layout of the energy page");
static_assert(sizeof(struct wtl_energy_slot) % 8 == 0, "layout of the energy page");

/* ---- sampler's side ---- */

struct wtl_energy_writer;

/*
 * Create a page for those channels (borrowed until close) that are energy or power, published in a
 * folder (absolute path); NULL: in memory of this process only. A held page (borrowed; NULL or
 * empty: the one named in the folder, if its process lives) is adopted if it has the same channels,
 * else replaced. Returns 0; -ENODATA if no channel is energy; -ENOSPC and other errors of the
 * folder; -ENOMEM.
 */
int wtl_energy_page_open_writer(const char *folder,
                                const struct wtl_energy_link *held,
                                const struct wattle_channel *channels,
                                size_t count,
                                uint64_t interval_ns,
                                struct wtl_energy_writer **ret_writer);

/* The window begins; from any thread, once. */
void wtl_energy_page_begin(struct wtl_energy_writer *writer, uint64_t start_ns);

/* A reading of channel number `channel` of those given: raw value, or status < 0. Call from one
 * thread at a time per channel, in time order. Channels that are not energy are ignored. */
void wtl_energy_page_publish(struct wtl_energy_writer *writer,
                             size_t channel,
                             uint64_t time_ns,
                             uint64_t raw,
                             int status);

/* The mapping, for a reader in this process: stays for the life of the process. */
const struct wtl_energy_header *wtl_energy_page_lend(struct wtl_energy_writer *writer,
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
int wtl_energy_page_attach(const struct wtl_energy_header *header,
                           size_t size,
                           struct wtl_energy_reader **ret_reader);
void wtl_energy_page_close(struct wtl_energy_reader *reader); /* accepts NULL */

size_t wtl_energy_page_count(const struct wtl_energy_reader *reader);
const struct wtl_energy_channel *wtl_energy_page_channel(const struct wtl_energy_reader *reader,
                                                         size_t i);
uint64_t wtl_energy_page_key(const struct wtl_energy_reader *reader);
uint64_t wtl_energy_page_interval_ns(const struct wtl_energy_reader *reader);
uint32_t wtl_energy_page_pid(const struct wtl_energy_reader *reader); /* the sampling process */
bool wtl_energy_page_ended(const struct wtl_energy_reader *reader);

/* A consistent copy of a channel. */
struct wtl_energy_view {
    struct wtl_energy_point newest; /* time_ns 0 = no sample yet */
    struct wtl_energy_point start;  /* time_ns 0 = unknown */
    uint64_t changed_ns;            /* the first sample with the newest value */
    bool unknown;                   /* nothing is known since `newest` */
};

/* Returns 0; -EAGAIN if the writer died in the middle of a sample. */
int wtl_energy_page_look(const struct wtl_energy_reader *reader,
                         size_t i,
                         struct wtl_energy_view *ret_view);

/* The samples around a past time: before <= time_ns < behind; either has time 0 if there is none
 * (or it is no longer kept). Returns as above. */
int wtl_energy_page_around(const struct wtl_energy_reader *reader,
                           size_t i,
                           uint64_t time_ns,
                           struct wtl_energy_point *ret_before,
                           struct wtl_energy_point *ret_behind);

#endif
