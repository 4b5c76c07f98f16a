/* SPDX-License-Identifier: BSD-3-Clause */
/* The rate between two samples: see spans.h. */
#include "analysis/power/spans.h"

#include <math.h>

#include "base/whole.h"
#include "model/reading.h"

/* Is the time between these two lost in a gap? A counter keeps counting across most gaps. */
static bool is_lost(struct wtl_spans *spans, uint64_t from_ns, uint64_t to_ns)
{
    while (spans->gap < spans->gap_count && spans->gaps[spans->gap].end_ns <= from_ns)
        spans->gap++;
    for (size_t i = spans->gap; i < spans->gap_count && spans->gaps[i].begin_ns < to_ns; i++)
        if (spans->gaps[i].end_ns > from_ns &&
            wtl_gap_loses_energy(spans->gaps[i].reason, spans->channel->kind))
            return true;
    return false;
}

static double rate_of(const struct wtl_spans *spans, uint64_t time_ns, uint64_t value)
{
    const struct wattle_channel *channel = spans->channel;
    if (channel->kind == WATTLE_COUNTER)
        return (double)(int64_t)(value - spans->last_value) * channel->scale /
               ((double)(time_ns - spans->last_ns) * 1e-9);
    double later = wtl_channel_value(channel, value);
    return channel->kind == WATTLE_GAUGE
               ? (later + wtl_channel_value(channel, spans->last_value)) / 2
               : later;
}

bool wtl_spans_take(struct wtl_spans *spans,
                    uint64_t time_ns,
                    uint64_t value,
                    struct wtl_rate_span *ret_span)
{
    bool found = spans->has_last;
    if (found && time_ns <= spans->last_ns)
        return false;
    if (found)
        *ret_span = (struct wtl_rate_span){
            .begin_ns = spans->last_ns,
            .end_ns = time_ns,
            .rate = is_lost(spans, spans->last_ns, time_ns) ? NAN : rate_of(spans, time_ns, value)};
    spans->has_last = true;
    spans->last_ns = time_ns;
    spans->last_value = value;
    return found;
}

static int compare_gaps(const void *a, const void *b)
{
    const struct wtl_gap *x = (const struct wtl_gap *)a, *y = (const struct wtl_gap *)b;
    if (x->channel != y->channel)
        return x->channel < y->channel ? -1 : 1;
    return (x->begin_ns > y->begin_ns) - (x->begin_ns < y->begin_ns);
}

void wtl_spans_sort_gaps(struct wtl_gap *gaps, size_t count)
{
    wtl_sort(gaps, count, sizeof *gaps, compare_gaps);
}

void wtl_spans_find_gaps(struct wtl_spans *spans,
                         const struct wtl_gap *gaps,
                         size_t count,
                         uint32_t id)
{
    for (size_t i = 0; i < count; i++) {
        if (gaps[i].channel != id)
            continue;
        spans->gaps = spans->gap_count ? spans->gaps : &gaps[i];
        spans->gap_count++;
    }
}
