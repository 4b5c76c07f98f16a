/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Stretches: the samples of a trace as mean values over short intervals of time, in one pass and in
 * memory that does not grow with the trace.
 *
 * Channels that are read together form a set and are cut at the same rows.
 *
 * Counters: from a row to the first that is at least stretch_ns later; the value is the difference
 * divided by the time (energy: W). stretch_ns is the maximum over the channels of the set: for energy,
 * which must be smoothed before it is shown (smooth_stretches.h), 5 times the refresh that they state or, if
 * that is longer, the one that their samples show; 20 times their refresh for others; the refresh is 1 ms if it is unknown. If all samples together are shorter than that,
 * they are one stretch. Of energy, the last stretch is what remains, which may be shorter.
 *
 * Others: from row to row (stretch_ns 0); the value is that of the later row, or of both if no
 * known stretch ends at the first. Energy, CPU time and events never share a set.
 *
 * Unknown (NaN): a value is missing at an end, or a gap overlaps the stretch. Rows of edges are
 * skipped.
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
    bool slow;                /* one of them updates more slowly than it claims */
};

struct wtl_stretch {
    size_t set;
    uint64_t begin_ns, end_ns; /* within a set each begins where the previous one ended */
    /* [channels of the set]; for counters all three are the same. */
    const double *min, *mean, *max;
};

struct wtl_stretches;

/* For range->channels (ids of the reader) and rows in begin_ns .. end_ns. Channels that the trace
 * lacks, or whose values are unsupported or are neither a counter of joules nor a gauge of watts,
 * are in no set. Returns 0, -ENOMEM, or the reader's error. */
int wtl_stretches_open(struct wtl_trace_reader *reader,
                       const struct wtl_trace_range *range,
                       struct wtl_stretches **ret_stretches,
                       struct wattle_error *err);
void wtl_stretches_close(struct wtl_stretches *stretches); /* accepts NULL */

/* The tick period on which the stretches of an energy counter are based: the refresh that its samples
 * show (paces.h); 0: not an energy counter. */
uint64_t wtl_stretches_tick_ns(const struct wtl_stretches *stretches, uint32_t channel);

/* The sets; each channel is in one of them. Borrowed. */
size_t wtl_stretches_sets(const struct wtl_stretches *stretches,
                          const struct wtl_stretch_set **ret_sets);

/* The next stretch: those of one set in time order, sets interleaved. 1, 0 at the end, or the
 * reader's error. Borrowed until the next call. */
int wtl_stretches_next(struct wtl_stretches *stretches,
                       struct wtl_stretch *ret_stretch,
                       struct wattle_error *err);

#endif
