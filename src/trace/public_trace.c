/* SPDX-License-Identifier: BSD-3-Clause */
/* The public reading of traces: see <wattle/trace.h>. A thin layer over reader.h that exposes only what
 * can remain unchanged for years. */
#define _GNU_SOURCE
#include <wattle/trace.h>

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/sized.h"
#include "model/public_summary.h"
#include "model/reading.h"
#include "model/total.h"
#include "trace/public_trace.h"
#include "trace/reader.h"
#include "trace/regions/region_joined.h"

struct wattle_trace {
    struct wtl_trace_reader *reader;
    char *path; /* for messages */
    struct wtl_total total;
    struct wtl_channel_set in_total; /* ids NULL = not yet chosen */
};

static const struct wtl_sized region_summary_sized = {
    "struct wattle_region_summary", sizeof(struct wattle_region_summary),
    offsetof(struct wattle_region_summary, crossing) + sizeof(uint64_t)};
static const struct wtl_sized region_energy_sized = {
    "struct wattle_region_energy", sizeof(struct wattle_region_energy),
    offsetof(struct wattle_region_energy, exclusive_unresolved) + sizeof(int)};

struct wattle_trace_samples {
    const struct wattle_trace *trace;
    struct wtl_trace_samples *samples;
    uint32_t id;
    struct wtl_trace_chunk chunk;
    size_t row;
};

struct wtl_trace_reader *wtl_public_trace_reader(const struct wattle_trace *trace)
{
    return trace->reader;
}

int wattle_trace_open(const char *path, struct wattle_trace **ret_trace, struct wattle_error *err)
{
    if (!path || !path[0])
        return wtl_fail(err, -EINVAL, "trace: no path given");
    if (!ret_trace)
        return wtl_fail(err, -EINVAL,
                        "trace: ret_trace is NULL; give the address of a struct "
                        "wattle_trace *");
    struct wattle_trace *trace = calloc(1, sizeof *trace);
    char *copy = strdup(path);
    int code = trace && copy ? wtl_trace_reader_open(path, &trace->reader, err)
                             : wtl_no_memory_for(err, "%s", path);
    if (!trace || code < 0) {
        free(copy);
        free(trace);
        return code;
    }
    trace->path = copy;
    *ret_trace = trace;
    return 0;
}

void wattle_trace_close(struct wattle_trace *trace)
{
    if (!trace)
        return;
    wtl_trace_reader_close(trace->reader);
    free(trace->in_total.ids);
    free(trace->in_total.channels);
    free(trace->path);
    free(trace);
}

int wattle_trace_is_complete(const struct wattle_trace *trace)
{
    struct wtl_trace_reader_status status;
    if (!trace)
        return 0;
    wtl_trace_reader_status(trace->reader, &status);
    return status.has_footer || status.footer_came;
}

int wattle_trace_refresh(struct wattle_trace *trace, struct wattle_error *err)
{
    if (!trace)
        return wtl_fail(err, -EINVAL, "trace: NULL was given; open one first");
    free(trace->in_total.ids); /* it refers to channels that may move */
    free(trace->in_total.channels);
    trace->in_total = (struct wtl_channel_set){0};
    return wtl_trace_reader_refresh(trace->reader, err);
}

uint64_t wattle_trace_damage_count(const struct wattle_trace *trace)
{
    struct wtl_trace_reader_status status;
    if (!trace)
        return 0;
    wtl_trace_reader_status(trace->reader, &status);
    return status.damaged;
}

uint64_t wattle_trace_not_shown_count(const struct wattle_trace *trace)
{
    struct wtl_trace_reader_status status;
    if (!trace)
        return 0;
    wtl_trace_reader_status(trace->reader, &status);
    return status.not_shown;
}

const char *wattle_trace_metadata(const struct wattle_trace *trace, const char *key)
{
    return trace && key ? wtl_trace_reader_meta(trace->reader, key) : NULL;
}

int wattle_trace_metadata_at(const struct wattle_trace *trace,
                             size_t i,
                             const char **ret_key,
                             const char **ret_value)
{
    if (!trace || !ret_key || !ret_value)
        return -EINVAL;
    return wtl_trace_reader_meta_at(trace->reader, i, ret_key, ret_value);
}

size_t wattle_trace_channel_count(const struct wattle_trace *trace)
{
    return trace ? wtl_trace_reader_channel_count(trace->reader) : 0;
}

const struct wattle_channel *wattle_trace_channel(const struct wattle_trace *trace, size_t channel)
{
    if (!trace)
        return NULL;
    const struct wtl_trace_channel *found = wtl_trace_reader_channel(trace->reader, channel);
    return found ? &found->channel : NULL;
}

int wattle_trace_window(const struct wattle_trace *trace,
                        uint64_t *ret_start_ns,
                        uint64_t *ret_end_ns)
{
    struct wtl_trace_window window;
    if (!trace || !ret_start_ns || !ret_end_ns)
        return -EINVAL;
    wtl_trace_reader_window(trace->reader, &window);
    if (!window.started || !window.ended)
        return -ENOENT;
    *ret_start_ns = window.start_monotonic_ns;
    *ret_end_ns = window.end_monotonic_ns;
    return 0;
}

static int check(const struct wattle_trace *trace,
                 const struct wtl_sized *sized,
                 const void *ret_result,
                 struct wattle_error *err)
{
    if (!trace)
        return wtl_fail(err, -EINVAL, "trace: NULL was given; open one first");
    return wtl_sized_check(sized, ret_result, err);
}

/* Where the window has no border, the first or last sample is used. */
static uint64_t span_ns(const struct wattle_trace *trace, const struct wtl_summary *summary)
{
    struct wtl_trace_window window;
    wtl_trace_reader_window(trace->reader, &window);
    uint64_t start_ns = window.started ? window.start_monotonic_ns : summary->first_ns;
    uint64_t end_ns = window.ended ? window.end_monotonic_ns : summary->last_ns;
    return end_ns > start_ns ? end_ns - start_ns : 0;
}

static int summarise(struct wattle_trace *trace,
                     size_t channel,
                     struct wattle_summary *ret_summary,
                     struct wattle_error *err)
{
    struct wtl_summary summary;
    int code = wtl_trace_reader_summary(trace->reader, channel, &summary, err);
    if (code < 0)
        return code;
    *ret_summary = wtl_public_summary(wattle_trace_channel(trace, channel), &summary,
                                      span_ns(trace, &summary));
    return 0;
}

int wattle_trace_summary(struct wattle_trace *trace,
                         size_t channel,
                         struct wattle_summary *ret_summary,
                         struct wattle_error *err)
{
    struct wattle_summary summary;
    int code = check(trace, &wtl_public_summary_sized, ret_summary, err);
    code = code < 0 ? code : summarise(trace, channel, &summary, err);
    if (code < 0)
        return code;
    wtl_sized_give(&wtl_public_summary_sized, &summary, ret_summary);
    return 0;
}

/* Apply the rule of totals to the available channels. */
static int choose_total(struct wattle_trace *trace, struct wattle_error *err)
{
    size_t count = wattle_trace_channel_count(trace), n = 0;
    if (trace->in_total.ids)
        return 0;
    struct wtl_channel_set set = {.ids = calloc(count + 1, sizeof *set.ids),
                                  .channels = calloc(count + 1, sizeof(void *))};
    struct wattle_channel *copies = calloc(count + 1, sizeof *copies);
    if (set.ids && set.channels && copies) {
        for (size_t i = 0; i < count; i++) {
            const struct wattle_channel *channel = wattle_trace_channel(trace, i);
            if (!channel)
                continue;
            set.ids[n] = i;
            set.channels[n] = channel;
            copies[n++] = *channel;
        }
        wtl_total_choose(copies, n, &trace->total);
        for (size_t i = 0; i < n; i++) {
            set.ids[set.count] = set.ids[i];
            set.channels[set.count] = set.channels[i];
            set.count += !!(copies[i].flags & WATTLE_CHANNEL_IN_TOTAL);
        }
        trace->in_total = set;
        set = (struct wtl_channel_set){0};
    }
    free(set.ids);
    free(set.channels);
    free(copies);
    if (!trace->in_total.ids)
        return wtl_no_memory_for(err, "%zu channels of %s", count, trace->path);
    return 0;
}

static int need_total(struct wattle_trace *trace, struct wattle_error *err)
{
    int code = choose_total(trace, err);
    if (code == 0 && trace->in_total.count == 0)
        return wtl_fail(err, -ENODATA,
                        "%s: its channels cannot be summed to a total; use them one by one",
                        trace->path);
    return code;
}

int wattle_trace_total(struct wattle_trace *trace,
                       struct wattle_summary *ret_summary,
                       const char **ret_contains,
                       const char **ret_excludes,
                       struct wattle_error *err)
{
    struct wattle_summary total = {0};
    int code = check(trace, &wtl_public_summary_sized, ret_summary, err);
    code = code < 0 ? code : need_total(trace, err);
    for (size_t i = 0; code == 0 && i < trace->in_total.count; i++) {
        struct wattle_summary one;
        code = summarise(trace, trace->in_total.ids[i], &one, err);
        if (code == 0)
            wtl_public_summary_add(&total, trace->in_total.channels[i], &one);
    }
    if (code < 0)
        return code;
    wtl_sized_give(&wtl_public_summary_sized, &total, ret_summary);
    if (ret_contains)
        *ret_contains = trace->total.contains;
    if (ret_excludes)
        *ret_excludes = trace->total.excludes;
    return 0;
}

int wattle_trace_region_count(struct wattle_trace *trace, struct wattle_error *err)
{
    const struct wtl_region_summary *regions;
    if (!trace)
        return wtl_fail(err, -EINVAL, "trace: NULL was given; open one first");
    return wtl_trace_reader_regions(trace->reader, &regions, err);
}

/* NULL with the reason in *ret_code. */
static const struct wtl_region_summary *find_region(struct wattle_trace *trace,
                                                    size_t region,
                                                    int *ret_code,
                                                    struct wattle_error *err)
{
    const struct wtl_region_summary *regions;
    int count = wtl_trace_reader_regions(trace->reader, &regions, err);
    if (count >= 0 && region < (size_t)count)
        return &regions[region];
    *ret_code = count < 0 ? count
                          : wtl_fail(err, -EINVAL, "%s: no region %zu; there are %d, from 0",
                                     trace->path, region, count);
    return NULL;
}

int wattle_trace_region(struct wattle_trace *trace,
                        size_t region,
                        struct wattle_region_summary *ret_summary,
                        struct wattle_error *err)
{
    int code = check(trace, &region_summary_sized, ret_summary, err);
    const struct wtl_region_summary *found =
        code < 0 ? NULL : find_region(trace, region, &code, err);
    if (!found)
        return code;
    struct wattle_region_summary summary = {.name = found->name,
                                            .count = found->count,
                                            .thread_time_ns = found->thread_time_ns,
                                            .union_ns = found->union_ns,
                                            .exclusive_union_ns = found->exclusive_union_ns,
                                            .unbalanced = found->unbalanced,
                                            .crossing = found->crossing};
    wtl_sized_give(&region_summary_sized, &summary, ret_summary);
    return 0;
}

/* The region's energies, combined over a set of channels. */
static void give_energy(const struct wtl_region_summary *region,
                        const struct wtl_channel_set *set,
                        struct wattle_region_energy *ret_energy)
{
    struct wtl_energy in = wtl_region_join(region, false, set);
    struct wtl_energy ex = wtl_region_join(region, true, set);
    struct wattle_region_energy energy = {.inclusive_j = in.j,
                                          .inclusive_interval_j = in.half_j,
                                          .exclusive_j = ex.j,
                                          .exclusive_interval_j = ex.half_j,
                                          .inclusive_unresolved = in.interval_only,
                                          .exclusive_unresolved = ex.interval_only};
    wtl_sized_give(&region_energy_sized, &energy, ret_energy);
}

int wattle_trace_region_energy(struct wattle_trace *trace,
                               size_t region,
                               size_t channel,
                               struct wattle_region_energy *ret_energy,
                               struct wattle_error *err)
{
    const struct wattle_channel *one = wattle_trace_channel(trace, channel);
    int code = check(trace, &region_energy_sized, ret_energy, err);
    const struct wtl_region_summary *found =
        code < 0 ? NULL : find_region(trace, region, &code, err);
    if (!found)
        return code;
    if (!one)
        return wtl_fail(err, -EINVAL, "%s: no channel %zu", trace->path, channel);
    give_energy(found, &(struct wtl_channel_set){&channel, &one, 1}, ret_energy);
    return 0;
}

int wattle_trace_region_total(struct wattle_trace *trace,
                              size_t region,
                              struct wattle_region_energy *ret_energy,
                              struct wattle_error *err)
{
    int code = check(trace, &region_energy_sized, ret_energy, err);
    const struct wtl_region_summary *found =
        code < 0 ? NULL : find_region(trace, region, &code, err);
    if (!found)
        return code;
    code = need_total(trace, err);
    if (code < 0)
        return code;
    give_energy(found, &trace->in_total, ret_energy);
    return 0;
}

int wattle_trace_samples_open(struct wattle_trace *trace,
                              size_t channel,
                              uint64_t begin_ns,
                              uint64_t end_ns,
                              struct wattle_trace_samples **ret_samples,
                              struct wattle_error *err)
{
    const struct wattle_channel *found = wattle_trace_channel(trace, channel);
    if (!ret_samples)
        return wtl_fail(err, -EINVAL,
                        "trace: ret_samples is NULL; give the address of a struct "
                        "wattle_trace_samples *");
    if (!trace)
        return wtl_fail(err, -EINVAL, "trace: NULL was given; open one first");
    if (!found)
        return wtl_fail(err, -EINVAL, "%s: no channel %zu", trace->path, channel);
    if (end_ns < begin_ns)
        return wtl_fail(err, -EINVAL, "%s: the requested samples end before they begin",
                        trace->path);
    struct wattle_trace_samples *samples = calloc(1, sizeof *samples);
    if (!samples)
        return wtl_no_memory_for(err, "%s", trace->path);
    samples->id = (uint32_t)channel;
    samples->trace = trace;
    struct wtl_trace_range range = {.begin_ns = begin_ns,
                                    .end_ns = end_ns,
                                    .channels = &samples->id,
                                    .channel_count = 1,
                                    .no_edges = true};
    int code = wtl_trace_samples_open(trace->reader, &range, &samples->samples, err);
    if (code < 0) {
        free(samples);
        return code;
    }
    *ret_samples = samples;
    return 0;
}

int wattle_trace_samples_next(struct wattle_trace_samples *samples,
                              struct wattle_trace_sample *ret_samples,
                              size_t n,
                              struct wattle_error *err)
{
    size_t filled = 0;
    if (!samples || !ret_samples || n == 0)
        return wtl_fail(err, -EINVAL,
                        "trace: open samples and an array of at least one element are required");
    n = n > INT_MAX ? INT_MAX : n;
    /* Looked up again: the trace may have been refreshed. */
    const struct wattle_channel *channel = wattle_trace_channel(samples->trace, samples->id);
    while (filled < n) {
        struct wtl_trace_chunk *chunk = &samples->chunk;
        if (samples->row == chunk->rows) {
            chunk->rows = samples->row = 0;
            int code = wtl_trace_samples_next(samples->samples, chunk, err);
            if (code < 0)
                return code;
            if (code == 0)
                break;
        }
        const struct wtl_trace_column *column = &chunk->columns[0];
        size_t r = samples->row++;
        if (column->missing && column->missing[r])
            continue;
        ret_samples[filled++] =
            (struct wattle_trace_sample){.time_ns = chunk->time_ns[r],
                                         .raw = column->values[r],
                                         .value = wtl_channel_value(channel, column->values[r])};
    }
    return (int)filled;
}

void wattle_trace_samples_close(struct wattle_trace_samples *samples)
{
    if (!samples)
        return;
    wtl_trace_samples_close(samples->samples);
    free(samples);
}
