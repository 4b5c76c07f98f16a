/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The energy page: memory into which the sampler of a node publishes what each channel of energy or power has used so far, so that
 * every process of the node can read it without asking anybody: docs/format/spool.md has the layout. How processes
 * come to it is energy_link.h.
 *
 * A channel's slot has one writer, the lane that reads it, and a sequence that is odd while it writes. Publishing costs
 * some tens of nanoseconds; it does not allocate, lock, print or call the system. A reader copies what it needs, and takes it
 * when the sequence was even and the same before and behind.
 *
 * Past times: the slot keeps its newest samples in rings, level k every 2^k-th of them, so that
 * the energy at an instant is interpolated between samples that lie no farther apart than a thirtieth of the
 * time that has passed since.
 *
 * A writer that takes over from one that died goes on in the same page (wtl_energy_page_open_writer() adopts it):
 * readers keep their mapping, and counters go on where no wrap can have been missed.
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

/* A channel at the time of one of its samples, all since its first one. */
struct wtl_energy_point {
    uint64_t time_ns; /* CLOCK_MONOTONIC; 0 = none */
    double energy_j;
    double variance_j2;  /* of a gauge: from what lies between samples */
    uint64_t unknown_ns; /* time that energy_j leaves out */
};

struct wtl_energy_header {
    char magic[8]; /* stored last */
    uint32_t version, header_size, slot_size, channel_count;
    uint32_t levels, ring; /* of each slot */
    uint32_t state;        /* enum wtl_energy_state */
    uint32_t pid;          /* of the process that samples */
    uint64_t interval_ns;
    uint64_t key;      /* of this page: its time of making */
    uint64_t start_ns; /* of the window; 0 = not yet */
};

/* What a channel is, written before the magic and never again. */
struct wtl_energy_channel {
    char name[WATTLE_NAME_MAX];
    uint32_t domain, quantity, kind, quality, flags;
    int32_t index;
    double scale;
    uint64_t refresh_ns, window_ns;
};

struct wtl_energy_slot {
    struct wtl_energy_channel channel;
    uint32_t sequence; /* odd while it is written */
    uint32_t unknown;  /* 1: since the newest sample no energy is known (failed reads, a stall) */
    uint64_t count;    /* samples in the rings */
    struct wtl_energy_point start; /* at the start of the window, interpolated */
    /* the writer's own, for one that takes over */
    uint64_t raw, raw_ns, ticks, changed_ns;
    struct wtl_energy_point rings[WTL_ENERGY_LEVELS][WTL_ENERGY_RING];
};

static_assert(sizeof(struct wtl_energy_point) == 32, "layout of the energy page");
static_assert(sizeof(struct wtl_energy_header) == 64, "layout of the energy page");
static_assert(sizeof(struct wtl_energy_channel) == 96, "layout of the energy page");
static_assert(sizeof(struct wtl_energy_slot) % 8 == 0, "layout of the energy page");

/* ---- the sampler's side ---- */

struct wtl_energy_writer;

/*
 * A page for those of the channels (borrowed until close) that are energy or power, told in a folder (absolute path); NULL: in memory of
 * this process only. A page that is held (borrowed; NULL or empty: that which the folder tells, whose process lives) and has the same
 * channels is adopted, else replaced. Returns
 * 0; -ENODATA when no channel is energy; -ENOSPC and others of the folder; -ENOMEM.
 */
int wtl_energy_page_open_writer(const char *folder,
                                const struct wtl_energy_link *held,
                                const struct wattle_channel *channels,
                                size_t count,
                                uint64_t interval_ns,
                                struct wtl_energy_writer **ret_writer);

/* The window begins; from any thread, once. */
void wtl_energy_page_begin(struct wtl_energy_writer *writer, uint64_t start_ns);

/* A reading of channel number `channel` of those given: raw value, or status < 0. Each channel from one thread at a
 * time, in the order of time. What is no energy is passed over. */
void wtl_energy_page_publish(struct wtl_energy_writer *writer,
                             size_t channel,
                             uint64_t time_ns,
                             uint64_t raw,
                             int status);

/* The mapping, for a reader in this process: it stays for the life of the process. */
const struct wtl_energy_header *wtl_energy_page_lend(struct wtl_energy_writer *writer,
                                                     size_t *ret_size);

/* No more comes. The folder tells it no more; readers keep what they have mapped. Accepts NULL. */
void wtl_energy_page_close_writer(struct wtl_energy_writer *writer);

/* Free without touching the page; in a child of fork. */
void wtl_energy_page_forget_writer(struct wtl_energy_writer *writer);

/* ---- the readers' side; all calls from any thread ---- */

struct wtl_energy_reader;

/* Map the page of a folder, checked; only one of this user. Returns 0, or as wtl_energy_link_find(). */
int wtl_energy_page_open(const char *folder, struct wtl_energy_reader **ret_reader);

/* The same of a mapping that stays (of a writer in this process). */
int wtl_energy_page_attach(const struct wtl_energy_header *header,
                           size_t size,
                           struct wtl_energy_reader **ret_reader);
void wtl_energy_page_close(struct wtl_energy_reader *reader); /* accepts NULL */

size_t wtl_energy_page_count(const struct wtl_energy_reader *reader);
const struct wtl_energy_channel *wtl_energy_page_channel(const struct wtl_energy_reader *reader,
                                                         size_t i);
uint64_t wtl_energy_page_key(const struct wtl_energy_reader *reader);
uint64_t wtl_energy_page_interval_ns(const struct wtl_energy_reader *reader);
uint32_t wtl_energy_page_pid(
    const struct wtl_energy_reader *reader); /* of the process that samples */
bool wtl_energy_page_ended(const struct wtl_energy_reader *reader);

/* A channel as a copy that fits together. */
struct wtl_energy_view {
    struct wtl_energy_point newest; /* time_ns 0 = no sample yet */
    struct wtl_energy_point start;  /* time_ns 0 = none known */
    uint64_t changed_ns;            /* the first sample that showed what the newest shows */
    bool unknown;                   /* nothing is known since `newest` */
};

/* Returns 0; -EAGAIN when the writer died in the middle of a sample. */
int wtl_energy_page_look(const struct wtl_energy_reader *reader,
                         size_t i,
                         struct wtl_energy_view *ret_view);

/* The samples around a past time: before <= time_ns < behind, either with time 0 when there is none (that is kept). Returns as
 * above. */
int wtl_energy_page_around(const struct wtl_energy_reader *reader,
                           size_t i,
                           uint64_t time_ns,
                           struct wtl_energy_point *ret_before,
                           struct wtl_energy_point *ret_behind);

#endif
