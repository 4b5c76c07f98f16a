/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Channels over time: see timeline.h. Each set of channels that were read together (stretches.h)
 * fills a pool, from the pyramid of the trace or from its samples.
 */
#include "analysis/power/timeline.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/power/downsampler.h"
#include "analysis/power/smooth_stretches.h"
#include "analysis/power/tick_smoothing.h"
#include "base/fail.h"
#include "model/bound.h"
#include "model/reading.h"

/* A bucket this many times longer than the average contains a gap that it would hide. */
enum { BLUR = 4 };

/* Where the values of a channel are. */
struct place {
    bool used;
    size_t set, column;
};

struct job {
    struct wtl_trace_reader *reader;
    const struct wtl_trace_range *range;
    size_t points, set_count;
    enum wtl_timeline_use use;
    struct wtl_stretch_set *sets;  /* their channels are in ids */
    uint32_t *ids;                 /* [channels] */
    struct wtl_downsampler *pools; /* [set_count] */
    uint64_t *ticks_ns;            /* by channel id; 0: not an energy counter */
    bool *done;                    /* [set_count]: from the pyramid */
    struct place *places;          /* by channel id */
};

/* ---- planning ---- */

/* Copy the sets, since an iterator's channels are freed with it. */
static int plan(struct job *job, struct wattle_error *err)
{
    struct wtl_stretches *stretches;
    const struct wtl_stretch_set *sets;
    int rc = wtl_stretches_open(job->reader, job->range, &stretches, err);
    if (rc < 0)
        return rc;
    size_t count = wtl_stretches_sets(stretches, &sets), at = 0;
    job->sets = calloc(count + 1, sizeof *job->sets);
    job->pools = calloc(count + 1, sizeof *job->pools);
    job->done = calloc(count + 1, sizeof *job->done);
    job->ids = calloc(job->range->channel_count + 1, sizeof *job->ids);
    job->ticks_ns = calloc(wtl_trace_reader_channel_count(job->reader) + 1, sizeof *job->ticks_ns);
    job->places = calloc(wtl_trace_reader_channel_count(job->reader) + 1, sizeof *job->places);
    bool room = job->sets && job->pools && job->done && job->ids && job->ticks_ns && job->places;
    rc = room ? 0 : -ENOMEM;
    for (size_t i = 0; rc == 0 && i < count; i++, job->set_count++) {
        job->sets[i] = sets[i];
        job->sets[i].channels = &job->ids[at];
        memcpy(&job->ids[at], sets[i].channels, sets[i].count * sizeof *job->ids);
        at += sets[i].count;
        for (size_t c = 0; c < sets[i].count; c++) {
            uint32_t id = sets[i].channels[c];
            job->places[id] = (struct place){true, i, c};
            job->ticks_ns[id] = wtl_stretches_tick_ns(stretches, id);
        }
        rc = wtl_downsampler_init(&job->pools[i], sets[i].count, 2 * job->points);
    }
    wtl_stretches_close(stretches);
    return rc;
}

static void drop(struct job *job)
{
    for (size_t i = 0; i < job->set_count; i++)
        wtl_downsampler_fini(&job->pools[i]);
    free(job->sets);
    free(job->pools);
    free(job->done);
    free(job->ids);
    free(job->ticks_ns);
    free(job->places);
}

/* ---- from the pyramid ---- */

/* Do all channels of the set have rows there, equally many, and enough? */
static bool is_in_pyramid(const struct job *job, const struct wtl_stretch_set *set)
{
    size_t rows = 0;
    if (set->slow) /* its extremes are those of ticks */
        return false;
    for (size_t i = 0; i < set->count; i++) {
        if (job->use == WTL_TIMELINE_BANDS && job->ticks_ns[set->channels[i]] > 0)
            return false;
        size_t own =
            wtl_trace_reader_power_rows(job->reader, set->channels[i], job->range, job->points);
        if (own == 0 || (i > 0 && own != rows))
            return false;
        rows = own;
    }
    return set->one_group && rows > 0;
}

/* Do the points of all channels cover the same stretches, none of which hides a gap? */
static bool are_even(struct wtl_power_point *const *points, const size_t *counts, size_t channels)
{
    size_t n = counts[0];
    if (n == 0)
        return false;
    double most_ns = BLUR * (double)(points[0][n - 1].end_ns - points[0][0].begin_ns) / (double)n;
    for (size_t c = 0; c < channels; c++) {
        if (counts[c] != n)
            return false;
        for (size_t i = 0; i < n; i++)
            if (points[c][i].begin_ns != points[0][i].begin_ns ||
                points[c][i].end_ns != points[0][i].end_ns ||
                (double)(points[c][i].end_ns - points[c][i].begin_ns) > most_ns)
                return false;
    }
    return true;
}

static void pool_points(struct wtl_downsampler *pool,
                        struct wtl_power_point *const *points,
                        size_t count,
                        double *values)
{
    size_t n = pool->channels;
    for (size_t i = 0; i < count; i++) {
        for (size_t c = 0; c < n; c++) {
            values[c] = points[c][i].min_w;
            values[n + c] = points[c][i].mean_w;
            values[2 * n + c] = points[c][i].max_w;
        }
        wtl_downsampler_add(pool, points[0][i].begin_ns, points[0][i].end_ns, values, values + n,
                            values + 2 * n);
    }
}

/* Fill the set's pool if possible; sets job->done. */
static int take_pyramid(struct job *job, size_t number, struct wattle_error *err)
{
    struct wtl_stretch_set *set = &job->sets[number];
    struct wtl_power_point **points = calloc(set->count, sizeof(struct wtl_power_point *));
    size_t *counts = calloc(set->count, sizeof *counts);
    double *values = calloc(3 * set->count, sizeof *values);
    int rc = points && counts && values ? 0 : -ENOMEM;
    for (size_t i = 0; rc >= 0 && i < set->count; i++) {
        rc = wtl_trace_reader_power(job->reader, set->channels[i], job->range, job->points,
                                    &points[i], &set->stretch_ns, err);
        counts[i] = rc < 0 ? 0 : (size_t)rc;
    }
    if (rc >= 0 && are_even(points, counts, set->count)) {
        pool_points(&job->pools[number], points, counts[0], values);
        job->done[number] = true;
    }
    for (size_t i = 0; points && i < set->count; i++)
        free(points[i]);
    free(points);
    free(counts);
    free(values);
    return rc < 0 ? rc : 0;
}

/* ---- from the samples ---- */

static int read_stretches(struct job *job,
                          const struct wtl_trace_range *range,
                          struct wattle_error *err)
{
    struct wtl_smooth_stretches *stretches;
    const struct wtl_stretch_set *sets;
    struct wtl_stretch stretch;
    int rc = wtl_smooth_stretches_open(job->reader, range, &stretches, err);
    if (rc < 0)
        return rc;
    size_t count = wtl_smooth_stretches_sets(stretches, &sets);
    size_t *numbers = calloc(count + 1, sizeof *numbers);
    rc = numbers ? 1 : -ENOMEM;
    for (size_t i = 0; rc > 0 && i < count; i++)
        numbers[i] = job->places[sets[i].channels[0]].set;
    while (rc > 0 && (rc = wtl_smooth_stretches_next(stretches, &stretch, err)) > 0)
        wtl_downsampler_add(&job->pools[numbers[stretch.set]], stretch.begin_ns, stretch.end_ns,
                            stretch.min, stretch.mean, stretch.max);
    free(numbers);
    wtl_smooth_stretches_close(stretches);
    return rc;
}

/* All sets that are not done, in one pass. */
static int take_samples(struct job *job, struct wattle_error *err)
{
    uint32_t *ids = calloc(job->range->channel_count + 1, sizeof *ids);
    struct wtl_trace_range rest = *job->range;
    if (!ids)
        return -ENOMEM;
    rest.channels = ids;
    rest.channel_count = 0;
    for (size_t i = 0; i < job->set_count; i++)
        for (size_t c = 0; !job->done[i] && c < job->sets[i].count; c++)
            ids[rest.channel_count++] = job->sets[i].channels[c];
    int rc = rest.channel_count > 0 ? read_stretches(job, &rest, err) : 0;
    free(ids);
    return rc;
}

/* ---- the result ---- */

static int make_axis(const struct wtl_downsampler *pool, struct wtl_axis *axis)
{
    axis->begin_ns = malloc((pool->count + 1) * sizeof *axis->begin_ns);
    if (!axis->begin_ns)
        return -ENOMEM;
    if (pool->count)
        memcpy(axis->begin_ns, pool->begin_ns, pool->count * sizeof *axis->begin_ns);
    axis->count = pool->count;
    axis->end_ns = pool->end_ns;
    return 0;
}

static int make_series(const struct wtl_downsampler *pool, size_t column, struct wtl_series *series)
{
    size_t count = pool->count;
    series->min = malloc((3 * count + 1) * sizeof *series->min);
    if (!series->min)
        return -ENOMEM;
    series->mean = series->min + count;
    series->max = series->mean + count;
    for (size_t i = 0; i < count; i++) {
        const struct wtl_downsampler_cell *cell = &pool->cells[i * pool->channels + column];
        series->min[i] = cell->known_s > 0 ? cell->min : NAN;
        series->mean[i] = (float)wtl_downsampler_mean(cell);
        series->max[i] = cell->known_s > 0 ? cell->max : NAN;
    }
    return 0;
}

/* Energy counters from the pyramid: remove steps that are ticks rather than power. */
static int quieten(const struct job *job, const struct wtl_axis *axis, struct wtl_series *series)
{
    const struct wattle_channel *channel =
        &wtl_trace_reader_channel(job->reader, series->channel)->channel;
    const struct wtl_tick_series ticks = {.count = axis->count,
                                          .begin_ns = axis->begin_ns,
                                          .end_ns = axis->end_ns,
                                          .tick_ns = job->ticks_ns[series->channel],
                                          .unit_j = channel->scale,
                                          .awake = wtl_counts_always(channel),
                                          .stretch_ns = series->stretch_ns,
                                          .min = series->min,
                                          .mean = series->mean,
                                          .max = series->max};
    return ticks.tick_ns > 0 ? wtl_tick_smoothing_apply(&ticks) : 0;
}

static int make_timeline(const struct job *job, struct wtl_timeline *timeline)
{
    size_t channels = wtl_trace_reader_channel_count(job->reader);
    timeline->axes = calloc(job->set_count + 1, sizeof *timeline->axes);
    timeline->series = calloc(job->range->channel_count + 1, sizeof *timeline->series);
    int rc = timeline->axes && timeline->series ? 0 : -ENOMEM;
    for (size_t i = 0; rc == 0 && i < job->set_count; i++)
        rc = make_axis(&job->pools[i], &timeline->axes[timeline->axis_count++]);
    for (size_t i = 0; rc == 0 && i < job->range->channel_count; i++) {
        uint32_t id = job->range->channels[i];
        if (id >= channels || !job->places[id].used)
            continue;
        size_t set = job->places[id].set;
        job->places[id].used = false; /* each once */
        struct wtl_series *series = &timeline->series[timeline->series_count++];
        *series = (struct wtl_series){
            .channel = id, .axis = set, .stretch_ns = job->sets[set].stretch_ns};
        rc = make_series(&job->pools[set], job->places[id].column, series);
        rc = rc < 0 || !job->done[set] ? rc : quieten(job, &timeline->axes[set], series);
    }
    return rc;
}

int wtl_timeline_read(struct wtl_trace_reader *reader,
                      const struct wtl_trace_range *range,
                      size_t points,
                      enum wtl_timeline_use use,
                      struct wtl_timeline *ret_timeline,
                      struct wattle_error *err)
{
    struct job job = {.reader = reader, .range = range, .points = points ? points : 1, .use = use};
    struct wtl_timeline timeline = {0};
    int rc = plan(&job, err);
    for (size_t i = 0; rc == 0 && i < job.set_count; i++)
        if (is_in_pyramid(&job, &job.sets[i]))
            rc = take_pyramid(&job, i, err);
    rc = rc < 0 ? rc : take_samples(&job, err);
    rc = rc < 0 ? rc : make_timeline(&job, &timeline);
    drop(&job);
    if (rc < 0) {
        wtl_timeline_fini(&timeline);
        return rc == -ENOMEM ? wtl_no_memory_for(err, "a picture") : rc;
    }
    *ret_timeline = timeline;
    return 0;
}

void wtl_timeline_fini(struct wtl_timeline *timeline)
{
    for (size_t i = 0; i < timeline->axis_count; i++)
        free(timeline->axes[i].begin_ns);
    for (size_t i = 0; i < timeline->series_count; i++)
        free(timeline->series[i].min);
    free(timeline->axes);
    free(timeline->series);
    *timeline = (struct wtl_timeline){0};
}

const struct wtl_series *wtl_timeline_find(const struct wtl_timeline *timeline, uint32_t channel)
{
    for (size_t i = 0; i < timeline->series_count; i++)
        if (timeline->series[i].channel == channel)
            return &timeline->series[i];
    return NULL;
}
