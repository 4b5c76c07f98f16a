/* SPDX-License-Identifier: BSD-3-Clause */
/* Gaps: time intervals in which a channel has no reliable value, and the reason. The numeric values are
 * part of the trace format. */
#ifndef WTL_MODEL_GAP_H
#define WTL_MODEL_GAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <wattle/channel.h>

enum wtl_gap_reason {
    WTL_GAP_READ_FAILED = 0, /* the read returned an error (its errno is stored as well) */
    WTL_GAP_STALLED = 1,     /* the counter stood still for much longer than its refresh */
    WTL_GAP_RESET = 2,       /* the counter decreased in a way that no wrap explains */
    WTL_GAP_LOST_WRAP = 3,   /* it may have wrapped unnoticed: too long without a sample */
    WTL_GAP_SUSPENDED = 4,   /* the machine was suspended */
    WTL_GAP_OVERRUN = 5,     /* samples were dropped: the writer was too slow or the disk full */
    WTL_GAP_DAMAGED = 6,     /* a block of the trace cannot be read */
    WTL_GAP_NOT_SAMPLED = 7, /* wattle was not running (killed, stopped) */
    WTL_GAP_IMPLAUSIBLE_VALUE = 8, /* a gauge showed an impossible power */
    WTL_GAP_DEVICE_LOST = 9,       /* the read returned ENODEV: the device is gone */
    WTL_GAP_REASON_COUNT = 10
};

struct wtl_gap {
    uint32_t channel;
    enum wtl_gap_reason reason;
    int error;         /* errno of a failed read, else 0 */
    uint64_t begin_ns; /* last good sample before */
    uint64_t end_ns;   /* first good sample after */
};

/* "read failed", ...; "?" out of range. */
const char *wtl_gap_reason_name(enum wtl_gap_reason reason);

/* Whether the energy in such a gap is unknown, on a channel of this kind. A counter keeps counting while
 * it is only not being read: its growth over the gap is correct. Out of range: true. */
bool wtl_gap_loses_energy(enum wtl_gap_reason reason, enum wattle_kind kind);

/*
 * The time covered by intervals, overlaps counted once, for intervals with increasing ends. For older times,
 * before the last few intervals, coverage is assumed to be evenly spread when another interval begins there.
 * All 0 = nothing yet.
 */
enum { WTL_COVER_PARTS = 16 };
struct wtl_cover {
    uint64_t total_ns;
    unsigned count;
    struct wtl_cover_part {
        uint64_t begin_ns, end_ns, covered_ns;
    } parts[WTL_COVER_PARTS + 1];
};

/* Add an interval; returns the increase of the covered time. No effect if it ends before it begins. */
uint64_t wtl_cover_add(struct wtl_cover *cover, uint64_t begin_ns, uint64_t end_ns);

/* The text printed with every energy that leaves out unknown_ns of its window, into buf, which is
 * returned: " INCOMPLETE: the energy of 2.5 s is missing"; "" if nothing is missing. 64 bytes are
 * sufficient. */
char *wtl_gap_incomplete(char *buf, size_t n, uint64_t unknown_ns);

/* Whether an energy leaves out so much of its time, more than a thousandth, that it is a lower bound only: no verdict, no
 * mean power over the whole time and nothing relative to it is derived from it. */
bool wtl_gap_matters(uint64_t unknown_ns, double time_s);

/* Whether a counter's ticks stand still over such a gap, so that its raw readings afterwards no longer
 * follow from the first one. Each of these loses energy. Out of range: true. */
bool wtl_gap_stops_ticks(enum wtl_gap_reason reason);

#endif
