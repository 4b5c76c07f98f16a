/* SPDX-License-Identifier: BSD-3-Clause */
/* The power of the total over time: see total_curve.h. */
#include "analysis/power/total_curve.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "analysis/cluster/run_names.h"
#include "analysis/power/bins.h"
#include "analysis/power/timeline.h"
#include "base/fail.h"
#include "base/whole.h"

/* Add a series to the cells, clipped to the window. */
static void spread_series(const struct wtl_axis *axis,
                          const struct wtl_series *series,
                          uint64_t start_ns,
                          double whole_s,
                          struct wtl_bins *cells)
{
    for (size_t i = 0; i < axis->count; i++) {
        uint64_t end_ns = i + 1 < axis->count ? axis->begin_ns[i + 1] : axis->end_ns;
        double begin = ((double)axis->begin_ns[i] - (double)start_ns) * 1e-9;
        double end = ((double)end_ns - (double)start_ns) * 1e-9;
        wtl_bins_add(cells, begin, fmin(end, whole_s), (double)series->mean[i]);
    }
}

struct scratch {
    uint32_t *ids;
    size_t count;
    struct wtl_bins cells; /* cells for one channel */
};

static int find_ids(const struct wtl_trace_reader *reader,
                    const struct wtl_result *result,
                    struct scratch *scratch)
{
    for (size_t i = 0; i < result->energy_count; i++) {
        const struct wattle_channel *channel = &result->channels[i].channel;
        if (!(channel->flags & WATTLE_CHANNEL_IN_TOTAL))
            continue;
        int id = wtl_trace_reader_find_channel(reader, channel->name);
        if (id < 0)
            return id;
        assert(scratch->ids);
        scratch->ids[scratch->count++] = (uint32_t)id;
    }
    return scratch->count > 0 ? 0 : -ENODATA;
}

enum { WIDEST = 16 /* multiple of the points in the window */ };

/* The rows of the window and those around it: stretches that cross its ends are clipped there, not
 * dropped. Returns the factor by which it is longer. */
static double widen(const struct wtl_result *result, struct wtl_trace_range *range)
{
    uint64_t begin_ns = result->start_monotonic_ns, end_ns = result->end_monotonic_ns;
    double whole = (double)(end_ns - begin_ns), interval = (double)result->interval_ns;
    double margin = fmin(whole + 2 * interval, 9e18);
    range->begin_ns = margin < (double)begin_ns ? begin_ns - wtl_whole_u64(margin) : 0;
    range->end_ns =
        margin < (double)(UINT64_MAX - end_ns) ? end_ns + wtl_whole_u64(margin) : UINT64_MAX;
    return whole > 0 ? 1 + 2 * margin / whole : 1;
}

static int add_channels(struct wtl_trace_reader *reader,
                        const struct wtl_result *result,
                        struct scratch *scratch,
                        double *power,
                        struct wattle_error *err)
{
    struct wtl_trace_range range = {
        .channels = scratch->ids, .channel_count = scratch->count, .no_edges = true};
    struct wtl_timeline timeline;
    struct wtl_bins *into = &scratch->cells;
    size_t cells = into->count;
    double times = fmin(widen(result, &range), WIDEST);
    double whole_s = (double)(result->end_monotonic_ns - result->start_monotonic_ns) * 1e-9;
    int rc =
        wtl_timeline_read(reader, &range, wtl_whole_size(times * (double)cells, WIDEST * cells),
                          WTL_TIMELINE_MEANS, &timeline, err);
    if (rc < 0)
        return rc;
    for (size_t k = 0; k < cells; k++)
        power[k] = 0;
    for (size_t i = 0; i < scratch->count; i++) {
        const struct wtl_series *series = wtl_timeline_find(&timeline, scratch->ids[i]);
        wtl_bins_clear(into);
        if (series)
            spread_series(&timeline.axes[series->axis], series, result->start_monotonic_ns, whole_s,
                          into);
        for (size_t k = 0; k < cells; k++)
            power[k] += wtl_bins_mean(into, k, 0);
    }
    wtl_timeline_fini(&timeline);
    size_t k = 0;
    while (k < cells && isnan(power[k]))
        k++;
    return k < cells ? 0
                     : wtl_fail(err, -ENODATA, "%s: its power over time is unknown", result->trace);
}

int wtl_total_curve_of(struct wtl_trace_reader *reader,
                       const struct wtl_result *result,
                       double cell_s,
                       size_t cells,
                       double *ret_power_w,
                       struct wattle_error *err)
{
    struct scratch scratch = {.ids = malloc((result->energy_count + 1) * sizeof(uint32_t)),
                              .cells = {.cell_s = cell_s,
                                        .count = cells,
                                        .integral = malloc((cells + 1) * sizeof(double)),
                                        .known_s = malloc((cells + 1) * sizeof(double))}};
    int rc =
        scratch.ids && scratch.cells.integral && scratch.cells.known_s ? 0 : wtl_no_memory(err);
    if (rc == 0 && (rc = find_ids(reader, result, &scratch)) < 0)
        (void)wtl_fail(err, rc, "%s: no total to draw", result->trace);
    rc = rc < 0 ? rc : add_channels(reader, result, &scratch, ret_power_w, err);
    free(scratch.ids);
    free(scratch.cells.integral);
    free(scratch.cells.known_s);
    return rc;
}

int wtl_total_curve_read(const struct wtl_result *result,
                         double cell_s,
                         size_t cells,
                         double *ret_power_w,
                         struct wattle_error *err)
{
    struct wtl_trace_reader *reader = NULL;
    if (!result->trace)
        return wtl_fail(err, -ENODATA, "the result has no trace");
    if (wtl_run_name_is_run(result->trace))
        return wtl_fail(err, -ENODATA, "%s: the curve of a run of many nodes is not drawn",
                        result->trace);
    int rc = wtl_trace_reader_open(result->trace, &reader, err);
    rc = rc < 0 ? rc : wtl_total_curve_of(reader, result, cell_s, cells, ret_power_w, err);
    wtl_trace_reader_close(reader);
    return rc;
}
