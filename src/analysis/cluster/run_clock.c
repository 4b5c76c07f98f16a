/* SPDX-License-Identifier: BSD-3-Clause */
/* Clocks of nodes: see run_clock.h. */
#define _GNU_SOURCE
#include "analysis/cluster/run_clock.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/parse.h"
#include "base/whole.h"
#include "model/meta_key.h"
#include "trace/own_event.h"

enum { POINTS_MAX = 256 };

/* Nanoseconds since the first point, offsets relative to its offset: small numbers, so no precision
 * is lost. */
static double since(uint64_t a, uint64_t b)
{
    return (double)(int64_t)(a - b);
}

static uint64_t greatest_error(const struct wtl_run_offset *points, size_t count)
{
    uint64_t most = 0;
    for (size_t i = 0; i < count; i++)
        most = points[i].error_ns > most ? points[i].error_ns : most;
    return most;
}

static uint64_t error_of(const struct wtl_run_offset *point, uint64_t most)
{
    return point->error_ns ? point->error_ns : most;
}

struct wtl_run_clock wtl_run_clock_fit(const struct wtl_run_offset *points, size_t count)
{
    struct wtl_run_clock clock = {.at_ns = points[0].time_ns, .offset_ns = points[0].offset_ns};
    uint64_t most = greatest_error(points, count);
    double weights = 0, mean_t = 0, mean_o = 0, tt = 0, to = 0;
    for (size_t i = 0; i < count; i++) {
        double error = (double)error_of(&points[i], most) + 1, weight = 1 / (error * error);
        weights += weight;
        mean_t += weight * since(points[i].time_ns, points[0].time_ns);
        mean_o += weight * since((uint64_t)points[i].offset_ns, (uint64_t)points[0].offset_ns);
    }
    mean_t /= weights;
    mean_o /= weights;
    for (size_t i = 0; i < count; i++) {
        double error = (double)error_of(&points[i], most) + 1, weight = 1 / (error * error);
        double t = since(points[i].time_ns, points[0].time_ns) - mean_t;
        double o = since((uint64_t)points[i].offset_ns, (uint64_t)points[0].offset_ns) - mean_o;
        tt += weight * t * t;
        to += weight * t * o;
    }
    clock.drift = tt > 0 && count > 1 ? to / tt : 0;
    if (!(fabs(clock.drift) <
          0.01)) /* no oscillator is that wrong: the clock was set between the points */
        clock.drift = 0;
    clock.at_ns = points[0].time_ns + (uint64_t)wtl_whole_i64(rint(mean_t));
    clock.offset_ns =
        (int64_t)((uint64_t)points[0].offset_ns + (uint64_t)wtl_whole_i64(rint(mean_o)));
    for (size_t i = 0; i < count; i++) {
        int64_t line = wtl_run_clock_time(&clock, points[i].time_ns);
        int64_t shown = (int64_t)(points[i].time_ns + (uint64_t)points[i].offset_ns);
        double far =
            fabs(since((uint64_t)line, (uint64_t)shown)) + (double)error_of(&points[i], most);
        if (far > (double)clock.residual_ns)
            clock.residual_ns = wtl_whole_u64(rint(far));
    }
    return clock;
}

struct wtl_run_clock wtl_run_clock_join(const struct wtl_run_clock *first,
                                        const struct wtl_run_clock *second)
{
    struct wtl_run_clock joined = *first;
    int64_t middle = wtl_run_clock_time(first, first->at_ns);
    int64_t there = wtl_run_clock_time(second, (uint64_t)middle);
    joined.offset_ns = (int64_t)((uint64_t)there - first->at_ns);
    joined.drift = (1 + first->drift) * (1 + second->drift) - 1;
    if (first->residual_ns == WTL_RESIDUAL_UNKNOWN || second->residual_ns == WTL_RESIDUAL_UNKNOWN)
        joined.residual_ns = WTL_RESIDUAL_UNKNOWN;
    else
        joined.residual_ns = first->residual_ns + second->residual_ns;
    return joined;
}

/* ---- from a trace ---- */

/* -1 = absent or not a number. */
static int sync_text(const struct wtl_trace_reader *reader,
                     size_t n,
                     const char *what,
                     const char **ret)
{
    char key[48];
    (void)snprintf(key, sizeof key, "sync.%zu.%s", n, what);
    *ret = wtl_trace_reader_meta(reader, key);
    return *ret ? 0 : -1;
}

static bool sync_point(const struct wtl_trace_reader *reader,
                       size_t n,
                       struct wtl_run_offset *ret_point,
                       uint64_t *ret_reference)
{
    const char *time, *offset, *error, *reference;
    char *end;
    if (sync_text(reader, n, "time_ns", &time) < 0 ||
        sync_text(reader, n, "offset_ns", &offset) < 0)
        return false;
    uint64_t size;
    bool negative = offset[0] == '-';
    if (wtl_parse_u64(time, &ret_point->time_ns) < 0 ||
        wtl_parse_u64(offset + negative, &size) < 0 || size > INT64_MAX)
        return false;
    ret_point->offset_ns = negative ? -(int64_t)size : (int64_t)size;
    ret_point->error_ns = 0;
    if (sync_text(reader, n, "error_ns", &error) == 0 &&
        (wtl_parse_u64(error, &ret_point->error_ns) < 0 || ret_point->error_ns > INT64_MAX))
        ret_point->error_ns = 0;
    *ret_reference = 0;
    if (sync_text(reader, n, "reference", &reference) == 0)
        *ret_reference = strtoull(reference, &end, 16);
    return true;
}

static int by_time(const void *a, const void *b)
{
    const struct wtl_run_offset *x = (const struct wtl_run_offset *)a;
    const struct wtl_run_offset *y = (const struct wtl_run_offset *)b;
    return x->time_ns < y->time_ns ? -1 : x->time_ns > y->time_ns;
}

static void read_sync(const struct wtl_trace_reader *reader, struct wtl_run_clocks *clocks)
{
    struct wtl_run_offset points[POINTS_MAX];
    size_t count = 0;
    uint64_t reference;
    for (size_t n = 0; count < POINTS_MAX && sync_point(reader, n, &points[count], &reference);
         n++) {
        if (count == 0)
            clocks->reference = reference;
        count += reference == clocks->reference;
    }
    if (count == 0)
        return;
    wtl_sort(points, count, sizeof *points, by_time);
    clocks->sync = wtl_run_clock_fit(points, count);
    clocks->sync.aligned = WTL_ALIGNED_SYNC;
    clocks->sync_first_ns = points[0].time_ns;
    clocks->sync_last_ns = points[count - 1].time_ns;
    const char *key = wtl_trace_reader_meta(reader, WTL_META_NODE_KEY);
    clocks->own = key && wtl_hash_text(key) == clocks->reference;
    if (!clocks->own && greatest_error(points, count) == 0)
        clocks->sync.residual_ns = WTL_RESIDUAL_UNKNOWN;
}

void wtl_run_clocks_stretch(struct wtl_run_clocks *clocks, uint64_t begin_ns, uint64_t end_ns)
{
    struct wtl_run_clock *sync = &clocks->sync;
    uint64_t first_ns = clocks->sync_first_ns, last_ns = clocks->sync_last_ns;
    if (sync->aligned != WTL_ALIGNED_SYNC || clocks->own ||
        sync->residual_ns == WTL_RESIDUAL_UNKNOWN || end_ns <= begin_ns ||
        last_ns - first_ns >= (end_ns - begin_ns) / 2)
        return;
    uint64_t before_ns = begin_ns < first_ns ? first_ns - begin_ns : 0;
    uint64_t behind_ns = end_ns > last_ns ? end_ns - last_ns : 0;
    double far_ns = (double)(before_ns > behind_ns ? before_ns : behind_ns);
    sync->residual_ns += wtl_whole_u64(rint((1e-4 + fabs(sync->drift)) * far_ns));
}

static void read_realtime(const struct wtl_trace_reader *reader, struct wtl_run_clocks *clocks)
{
    struct wtl_run_offset points[POINTS_MAX];
    const struct wtl_clock_pair *pairs;
    size_t count = 0, all = wtl_trace_reader_clocks(reader, &pairs);
    for (size_t i = 0; i < all && count < POINTS_MAX; i++) {
        if (pairs[i].realtime_ns == 0 || pairs[i].realtime_ns > INT64_MAX)
            continue;
        points[count].time_ns = pairs[i].monotonic_ns;
        points[count].error_ns = 0;
        points[count++].offset_ns = (int64_t)(pairs[i].realtime_ns - pairs[i].monotonic_ns);
    }
    if (count == 0)
        return;
    clocks->realtime = wtl_run_clock_fit(points, count);
    clocks->realtime.aligned = WTL_ALIGNED_REALTIME;
    /* The error that NTP or similar left between the wall clocks is not in the trace. */
    clocks->realtime.residual_ns = WTL_RESIDUAL_UNKNOWN;
}

void wtl_run_clocks_read(const struct wtl_trace_reader *reader, struct wtl_run_clocks *ret_clocks)
{
    *ret_clocks = (struct wtl_run_clocks){0};
    read_sync(reader, ret_clocks);
    read_realtime(reader, ret_clocks);
}
