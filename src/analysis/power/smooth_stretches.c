/* SPDX-License-Identifier: BSD-3-Clause */
/* Stretches in blocks, smoothed: see smooth_stretches.h. */
#include "analysis/power/smooth_stretches.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/power/tick_smoothing.h"
#include "base/fail.h"
#include "model/bound.h"

enum { ROOM = 4096, HALF = ROOM / 2 };

/* The state of one channel in a block. */
struct column {
    uint64_t tick_ns;
    double unit_j;
    bool awake;
    float read[ROOM], min[ROOM], mean[ROOM], max[ROOM];
};

struct block {
    size_t channels, count;
    uint64_t begin_ns[ROOM], end_ns;
    struct column *columns; /* [channels]; NULL: the set passes through */
    double *values;         /* [3 * channels], of the current stretch */
    size_t at, until;       /* smoothed stretches not returned yet */
};

struct wtl_smooth_stretches {
    struct wtl_stretches *stretches;
    const struct wtl_stretch_set *sets;
    struct block *blocks; /* [count] */
    size_t count, out;    /* out: the block being returned */
    bool ended;           /* all stretches have been read */
};

/* Either all channels of a set are energy counters, or none is. */
static int make_block(struct wtl_trace_reader *reader,
                      const struct wtl_stretches *stretches,
                      const struct wtl_stretch_set *set,
                      struct block *block)
{
    for (size_t c = 0; c < set->count; c++) {
        const struct wattle_channel *channel =
            &wtl_trace_reader_channel(reader, set->channels[c])->channel;
        uint64_t tick_ns = wtl_stretches_tick_ns(stretches, set->channels[c]);
        if (tick_ns == 0)
            return 0;
        if (c == 0) {
            block->channels = set->count;
            block->columns = calloc(set->count, sizeof *block->columns);
            block->values = calloc(3 * set->count, sizeof *block->values);
            if (!block->columns || !block->values)
                return -ENOMEM;
        }
        block->columns[c].tick_ns = tick_ns;
        block->columns[c].unit_j = channel->scale;
        block->columns[c].awake = wtl_counts_always(channel);
    }
    return 0;
}

int wtl_smooth_stretches_open(struct wtl_trace_reader *reader,
                              const struct wtl_trace_range *range,
                              struct wtl_smooth_stretches **ret_stretches,
                              struct wattle_error *err)
{
    struct wtl_smooth_stretches *s = calloc(1, sizeof *s);
    int rc = s ? wtl_stretches_open(reader, range, &s->stretches, err) : -ENOMEM;
    if (rc == 0) {
        s->count = wtl_stretches_sets(s->stretches, &s->sets);
        s->blocks = calloc(s->count + 1, sizeof *s->blocks);
        rc = s->blocks ? 0 : -ENOMEM;
    }
    for (size_t i = 0; rc == 0 && i < s->count; i++)
        rc = make_block(reader, s->stretches, &s->sets[i], &s->blocks[i]);
    if (rc < 0) {
        wtl_smooth_stretches_close(s);
        return rc == -ENOMEM ? wtl_no_memory_for(err, "the samples") : rc;
    }
    *ret_stretches = s;
    return 0;
}

void wtl_smooth_stretches_close(struct wtl_smooth_stretches *s)
{
    if (!s)
        return;
    for (size_t i = 0; s->blocks && i < s->count; i++) {
        free(s->blocks[i].columns);
        free(s->blocks[i].values);
    }
    free(s->blocks);
    wtl_stretches_close(s->stretches);
    free(s);
}

size_t wtl_smooth_stretches_sets(const struct wtl_smooth_stretches *stretches,
                                 const struct wtl_stretch_set **ret_sets)
{
    *ret_sets = stretches->sets;
    return stretches->count;
}

static void append(struct block *block, const struct wtl_stretch *stretch)
{
    size_t i = block->count++;
    block->begin_ns[i] = stretch->begin_ns;
    block->end_ns = stretch->end_ns;
    for (size_t c = 0; c < block->channels; c++)
        block->columns[c].read[i] = (float)stretch->mean[c];
}

/* What remains at the end is shorter than a stretch, so that its ticks would show as power: it extends the
 * last one, or stays unknown if one of them is. */
static void extend(struct block *block, const struct wtl_stretch *rest)
{
    size_t last = block->count - 1;
    double last_s = (double)(block->end_ns - block->begin_ns[last]);
    double rest_s = (double)(rest->end_ns - rest->begin_ns);
    for (size_t c = 0; c < block->channels; c++)
        if (isnan(rest->mean[c]) || isnan(block->columns[c].read[last]))
            return;
    for (size_t c = 0; c < block->channels; c++) {
        float *read = &block->columns[c].read[last];
        *read = (float)(((double)*read * last_s + rest->mean[c] * rest_s) / (last_s + rest_s));
    }
    block->end_ns = rest->end_ns;
}

/* Smooth all stretches of the block; the first `until` of them are returned next. */
static int smooth(struct block *block, uint64_t stretch_ns, size_t until)
{
    size_t bytes = block->count * sizeof(float);
    block->at = 0;
    block->until = until;
    for (size_t c = 0; c < block->channels; c++) {
        struct column *column = &block->columns[c];
        const struct wtl_tick_series series = {.count = block->count,
                                               .begin_ns = block->begin_ns,
                                               .end_ns = block->end_ns,
                                               .tick_ns = column->tick_ns,
                                               .unit_j = column->unit_j,
                                               .awake = column->awake,
                                               .stretch_ns = stretch_ns,
                                               .min = column->min,
                                               .mean = column->mean,
                                               .max = column->max};
        memcpy(column->min, column->read, bytes);
        memcpy(column->mean, column->read, bytes);
        memcpy(column->max, column->read, bytes);
        if (wtl_tick_smoothing_apply(&series) < 0)
            return -ENOMEM;
    }
    return 0;
}

/* Remove what has been returned. */
static void forget(struct block *block)
{
    size_t left = block->count - block->until;
    memmove(block->begin_ns, block->begin_ns + block->until, left * sizeof *block->begin_ns);
    for (size_t c = 0; c < block->channels; c++) {
        float *read = block->columns[c].read;
        memmove(read, read + block->until, left * sizeof *read);
    }
    block->count = left;
    block->at = block->until = 0;
}

static void hand_out(struct block *block, size_t set, struct wtl_stretch *ret_stretch)
{
    size_t i = block->at++, n = block->channels;
    for (size_t c = 0; c < n; c++) {
        block->values[c] = (double)block->columns[c].min[i];
        block->values[n + c] = (double)block->columns[c].mean[i];
        block->values[2 * n + c] = (double)block->columns[c].max[i];
    }
    *ret_stretch = (struct wtl_stretch){.set = set,
                                        .begin_ns = block->begin_ns[i],
                                        .end_ns = i + 1 < block->count ? block->begin_ns[i + 1]
                                                                       : block->end_ns,
                                        .min = block->values,
                                        .mean = block->values + n,
                                        .max = block->values + 2 * n};
}

/* Prepare the last block after the last stretch; false if there is none. */
static int take_rest(struct wtl_smooth_stretches *s)
{
    for (s->out = 0; s->out < s->count; s->out++) {
        struct block *block = &s->blocks[s->out];
        if (block->count > 0)
            return smooth(block, s->sets[s->out].stretch_ns, block->count) < 0 ? -ENOMEM : 1;
    }
    s->out = 0;
    return 0;
}

int wtl_smooth_stretches_next(struct wtl_smooth_stretches *s,
                              struct wtl_stretch *ret_stretch,
                              struct wattle_error *err)
{
    for (;;) {
        struct block *block = &s->blocks[s->out];
        if (block->at < block->until) {
            hand_out(block, s->out, ret_stretch);
            return 1;
        }
        forget(block);
        int rc = s->ended ? 0 : wtl_stretches_next(s->stretches, ret_stretch, err);
        if (rc < 0)
            return rc;
        if (rc == 0) {
            s->ended = true;
            rc = take_rest(s);
            if (rc <= 0)
                return rc < 0 ? wtl_no_memory_for(err, "the samples") : 0;
            continue;
        }
        s->out = ret_stretch->set;
        block = &s->blocks[s->out];
        if (!block->columns)
            return 1;
        uint64_t long_ns = s->sets[s->out].stretch_ns;
        if (block->count > 0 && ret_stretch->end_ns - ret_stretch->begin_ns < long_ns) {
            extend(block, ret_stretch);
            continue;
        }
        append(block, ret_stretch);
        if (block->count == ROOM && smooth(block, long_ns, HALF) < 0)
            return wtl_no_memory_for(err, "the samples");
    }
}
