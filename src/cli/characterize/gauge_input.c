/* SPDX-License-Identifier: BSD-3-Clause */
/* Recordings of a gauge, and shapes of loads: see characterize.h. */
#define _GNU_SOURCE
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/grow.h"
#include "base/parse.h"
#include "cli/characterize/characterize.h"
#include "model/meta_key.h"
#include "model/reading.h"
#include "trace/reader.h"

enum { MOST_LINES = 50 * 1000 * 1000 };

/* Called with both numbers of each line: 0 or -errno. */
typedef int take_pair(struct wtl_characterize *c, double first, double second);

static int take_step(struct wtl_characterize *c, double time_s, double load)
{
    if (wtl_grow(&c->steps, c->step_count, sizeof *c->steps) < 0)
        return -ENOMEM;
    c->steps[c->step_count++] = (struct wtl_load_step){time_s, load};
    return load >= 0 && load <= 1 ? 0 : -EBADMSG;
}

static int take_reading(struct wtl_characterize *c, double time_s, double watts)
{
    if (wtl_grow(&c->readings, c->reading_count, sizeof *c->readings) < 0)
        return -ENOMEM;
    c->readings[c->reading_count++] = (struct wtl_gauge_reading){time_s, watts};
    return 0;
}

static int read_lines(struct wtl_characterize *c,
                      FILE *in,
                      const char *path,
                      const char *columns,
                      take_pair *take,
                      struct wattle_error *err)
{
    char *line = NULL;
    size_t room = 0, number = 0;
    int rc = 0;
    while (rc == 0 && getline(&line, &room, in) > 0) {
        double first, second;
        number++;
        bool skipped = line[0] == '#' || line[strspn(line, " \t\r\n")] == '\0';
        if (skipped)
            continue;
        rc = wtl_parse_pair(line, ",", &first, &second) < 0 || number > MOST_LINES ? -EBADMSG : 0;
        if (rc < 0 && number == 1)
            rc = 0; /* a heading */
        else if (rc == 0)
            rc = take(c, first, second);
    }
    free(line);
    if (rc == -ENOMEM)
        return wtl_no_memory(err);
    if (rc < 0)
        return wtl_fail(err, rc, "%s:%zu: expected \"%s\"", path, number, columns);
    if (ferror(in))
        return wtl_fail(err, -EIO, "%s: cannot be read", path);
    return 0;
}

static int read_file(struct wtl_characterize *c,
                     const char *path,
                     const char *columns,
                     take_pair *take,
                     struct wattle_error *err)
{
    FILE *in = fopen(path, "re");
    if (!in)
        return wtl_fail(err, -errno, "%s: %s", path, wtl_strerror(errno));
    int rc = read_lines(c, in, path, columns, take, err);
    (void)fclose(in);
    return rc;
}

int wtl_characterize_shape(struct wtl_characterize *c, struct wattle_error *err)
{
    return read_file(c, c->load_shape, "SECONDS,LOAD, with a load from 0 to 1", take_step, err);
}

/* ---- traces ---- */

/* The named channel, or the only one of a power. */
static int find_channel(const struct wtl_characterize *c,
                        const struct wtl_trace_reader *reader,
                        struct wattle_error *err)
{
    int found = -ENOENT;
    size_t count = wtl_trace_reader_channel_count(reader), powers = 0;
    if (c->channel) {
        found = wtl_trace_reader_find_channel(reader, c->channel);
        return found >= 0 ? found
                          : wtl_fail(err, -ENOENT, "%s: no channel %s; \"wattle stats\" lists them",
                                     c->recording, c->channel);
    }
    for (size_t i = 0; i < count; i++) {
        const struct wattle_channel *channel = &wtl_trace_reader_channel(reader, i)->channel;
        if (channel->quantity != WATTLE_POWER || channel->kind == WATTLE_COUNTER)
            continue;
        powers++;
        found = (int)i;
    }
    if (powers == 1)
        return found;
    return wtl_fail(err, -EINVAL, "%s: %zu channels show power; choose one with --channel",
                    c->recording, powers);
}

static int take_samples(struct wtl_characterize *c,
                        struct wtl_trace_reader *reader,
                        const struct wattle_channel *channel,
                        uint32_t id,
                        struct wattle_error *err)
{
    struct wtl_trace_range range = {
        .end_ns = UINT64_MAX, .channels = &id, .channel_count = 1, .no_edges = true};
    struct wtl_trace_samples *samples = NULL;
    struct wtl_trace_chunk chunk;
    struct wtl_trace_window window;
    wtl_trace_reader_window(reader, &window);
    int rc = wtl_trace_samples_open(reader, &range, &samples, err);
    while (rc >= 0 && (rc = wtl_trace_samples_next(samples, &chunk, err)) > 0) {
        const struct wtl_trace_column *column = &chunk.columns[0];
        for (size_t i = 0; i < chunk.rows && rc > 0; i++) {
            double time_s = (double)(int64_t)(chunk.time_ns[i] - window.start_monotonic_ns) * 1e-9;
            if ((column->missing && column->missing[i]) ||
                (c->reading_count && c->readings[c->reading_count - 1].time_s >= time_s))
                continue;
            if (take_reading(c, time_s, wtl_channel_value(channel, column->values[i])) < 0)
                rc = wtl_no_memory(err);
        }
    }
    wtl_trace_samples_close(samples);
    return rc;
}

static int read_trace(struct wtl_characterize *c,
                      struct wtl_trace_reader *reader,
                      struct wattle_error *err)
{
    int id = find_channel(c, reader, err);
    if (id < 0)
        return id;
    const struct wattle_channel *channel = &wtl_trace_reader_channel(reader, (size_t)id)->channel;
    const char *host = wtl_trace_reader_meta(reader, WTL_META_HOST_NAME);
    (void)snprintf(c->host, sizeof c->host, "%.64s", host ? host : "");
    (void)snprintf(c->name, sizeof c->name, "%s", channel->name);
    (void)snprintf(c->device_name, sizeof c->device_name, "%s", channel->label);
    c->claimed_period_s = channel->refresh_ns ? (double)channel->refresh_ns * 1e-9 : NAN;
    c->claimed_window_s = channel->window_ns ? (double)channel->window_ns * 1e-9 : NAN;
    c->rated_w = channel->max_w > 0 ? channel->max_w : NAN;
    c->simulated = channel->flags & WATTLE_CHANNEL_SIMULATED;
    return take_samples(c, reader, channel, (uint32_t)id, err);
}

int wtl_characterize_recording(struct wtl_characterize *c, struct wattle_error *err)
{
    struct wtl_trace_reader *reader = NULL;
    int rc = wtl_trace_reader_open(c->recording, &reader, err);
    if (rc == -EBADMSG)
        return read_file(c, c->recording, "SECONDS,WATTS", take_reading, err);
    rc = rc < 0 ? rc : read_trace(c, reader, err);
    wtl_trace_reader_close(reader);
    return rc;
}
