/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Stretches: the samples of a trace as mean values over short stretches of time, in one pass and in
 * memory that does not grow with the trace.
 *
 * Channels that are read together are one set and are cut at the same rows.
 * Counters: from a row to the first that is at least stretch_ns later; the value is the difference by
 * the time (energy: W). stretch_ns is the greatest of 20 times the refresh of each channel of the set,
 * 20 ms where that is not known, as in the pyramid of the trace (docs/format/trace.md): a rate over
 * fewer ticks is an artefact of the ticking. All samples, where they are shorter than that, are one.
 * Others: from row to row (stretch_ns 0); the value is that of the later row, or of both where nothing
 * known ends at the first. Energy, processor time and events never share a set.
 *
 * Unknown (NaN): a value is missing at an end, or a gap shares time with the stretch. Rows of edges
 * are left out.
 *
 *     range.channels = ids; range.channel_count = n;
 *     wtl_stretches_open(reader, &range, &stretches, err);
 *     while (wtl_stretches_next(stretches, &stretch, err) > 0) ...
 *     wtl_stretches_close(stretches);
 */
#ifndef WTL_ANALYSIS_STRETCHES_H
#define WTL_ANALYSIS_STRETCHES_H

#include <stddef.h>
#include <stdint.h>

#include <wattle/error.h>

#include "trace/reader.h"

struct wtl_stretch_set {
    size_t count;
    const uint32_t *channels; /* [count], ids */
    uint64_t stretch_ns;      /* 0 = values of single rows */
    bool one_group;           /* all their samples are rows of one group */
};

struct wtl_stretch {
    size_t set;
    uint64_t begin_ns, end_ns; /* of a set: one begins where the last one ended */
    /* [channels of the set]; counters: all three the same. */
    const double *min, *mean, *max;
};

struct wtl_stretches;

/* For range->channels (ids of the reader; those it has none of, or whose values are not understood
 * or are neither joules that count nor watts that do not, are in no set) and rows in begin_ns .. end_ns. Returns 0, -ENOMEM, or what the reader said. */
int wtl_stretches_open(struct wtl_trace_reader *reader,
                       const struct wtl_trace_range *range,
                       struct wtl_stretches **ret_stretches,
                       struct wattle_error *err);
void wtl_stretches_close(struct wtl_stretches *stretches); /* accepts NULL */

/* The time between ticks that the stretches of a counter of energy are made for; 0: it is none. */
uint64_t wtl_stretch_tick_ns(const struct wattle_channel *channel);

/* The sets; a channel is in one of them. Borrowed. */
size_t wtl_stretches_sets(const struct wtl_stretches *stretches,
                          const struct wtl_stretch_set **ret_sets);

/* The next stretch: those of one set in the order of time, sets in turns. 1, 0 at the end, or what
 * the reader said. Borrowed until the next call. */
int wtl_stretches_next(struct wtl_stretches *stretches,
                       struct wtl_stretch *ret_stretch,
                       struct wattle_error *err);

#endif
