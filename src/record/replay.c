/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Builds a table of drivers from a trace: see replay.h. Each group of channels of the trace is a
 * stream with its own reader, since fast and slow channels are read on two threads; a source's
 * channels refer to streams. A read advances the stream to the present and returns its current
 * values.
 */
#define _GNU_SOURCE
#include "record/replay.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/grow.h"
#include "base/whole.h"
#include "model/course/course.h"
#include "model/reading.h"
#include "trace/reader.h"

#define PREFIX "replay:"

/* A gap of a channel in the recording. */
struct hole {
    size_t column;
    uint64_t begin_ns, end_ns;
    bool resets; /* it loses energy: the counter continues from another value */
};

/* One group of the trace, up to now. Used by one thread. */
struct stream {
    struct wtl_trace_reader *reader;
    struct wtl_trace_samples *samples;
    struct wtl_trace_chunk chunk;
    size_t row;
    bool ended;
    uint64_t spacing_ns; /* average between its rows; 0 = unknown */
    uint64_t row_ns;     /* time of the current row */
    const uint32_t *channels;
    size_t count;
    struct wattle_reading *now; /* [count]: current values; status -ENODATA before the first row */
    uint64_t *run;              /* [count]: changes its top bit with each reset */
    uint64_t *blind_ns;         /* [count]: in a gap until this time */
    struct hole *holes;         /* sorted by begin */
    size_t hole_count, hole_at;
};

struct replay {
    char *path;
    char *which; /* all sensors with energy by name, to record all their channels; NULL = none */
    struct wtl_trace_reader *reader; /* for the tables */
    struct stream *streams;
    size_t stream_count;
    struct part *parts; /* [part_count] */
    size_t part_count;
    const struct wtl_driver **drivers; /* terminated by NULL */
    uint64_t first_ns;                 /* in the trace */
    uint64_t start_ns;                 /* here; 0 = nothing opened yet */
};

/* A sensor of the recording. */
struct part {
    struct wtl_driver driver; /* must be first: the source points to it */
    struct replay *replay;
    char name[16], summary[64];
};

/* Where to find channel i of a source. */
struct place {
    struct stream *stream;
    size_t column;
};

static size_t column_of(const struct stream *stream, uint32_t channel, size_t likely)
{
    if (likely < stream->count && stream->channels[likely] == channel)
        return likely;
    size_t at = 0;
    while (at < stream->count && stream->channels[at] != channel)
        at++;
    return at;
}

/* Enter the gaps that begin before a time: no values are shown in them, and values after one that
 * lost energy belong to another run, until the next such gap. */
static void enter_holes(struct stream *stream, uint64_t time_ns)
{
    for (;
         stream->hole_at < stream->hole_count && stream->holes[stream->hole_at].begin_ns < time_ns;
         stream->hole_at++) {
        const struct hole *hole = &stream->holes[stream->hole_at];
        if (hole->end_ns > stream->blind_ns[hole->column])
            stream->blind_ns[hole->column] = hole->end_ns;
        if (hole->resets)
            stream->run[hole->column] ^= WTL_ANOTHER_RUN;
    }
}

static void apply_row(struct stream *stream, uint64_t time_ns)
{
    stream->row_ns = time_ns;
    enter_holes(stream, time_ns);
    for (size_t c = 0; c < stream->chunk.column_count; c++) {
        const struct wtl_trace_column *column = &stream->chunk.columns[c];
        size_t at = column_of(stream, column->channel, c);
        bool missing = column->missing && column->missing[stream->row];
        if (at == stream->count)
            continue;
        stream->now[at].status = missing ? -ENODATA : 0;
        stream->now[at].raw = missing ? 0 : column->values[stream->row] ^ stream->run[at];
    }
}

/* No values inside a gap, whatever its rows say: a stall's rows begin with values that look
 * good. */
static void show_holes(struct stream *stream, uint64_t time_ns)
{
    enter_holes(stream, time_ns);
    for (size_t i = 0; i < stream->count; i++)
        if (time_ns < stream->blind_ns[i])
            stream->now[i] = (struct wattle_reading){.status = -ENODATA};
}

/* Advance to a time of the trace. The last row is valid for the usual time between rows, then
 * nothing has a value. */
static void advance(struct stream *stream, uint64_t time_ns)
{
    while (!stream->ended) {
        if (stream->row == stream->chunk.rows) {
            stream->row = 0;
            stream->chunk.rows = 0;
            int rc = wtl_trace_samples_next(stream->samples, &stream->chunk, NULL);
            stream->ended = rc <= 0;
            continue;
        }
        if (stream->chunk.time_ns[stream->row] > time_ns) {
            show_holes(stream, time_ns);
            return;
        }
        apply_row(stream, stream->chunk.time_ns[stream->row]);
        stream->row++;
    }
    for (size_t i = 0; i < stream->count && time_ns > stream->row_ns + stream->spacing_ns; i++)
        stream->now[i] = (struct wattle_reading){.status = -ENODATA};
}

static void replay_read(struct wtl_source *source,
                        size_t first,
                        size_t n,
                        struct wattle_reading *out)
{
    const struct replay *replay = ((const struct part *)source->driver)->replay;
    const struct place *places = source->impl;
    uint64_t now_ns = wtl_world_monotonic(source->world);
    uint64_t time_ns = replay->first_ns + (now_ns - replay->start_ns);
    for (size_t i = 0; i < n; i++) {
        struct stream *stream = places[first + i].stream;
        if (i == 0 || stream != places[first + i - 1].stream)
            advance(stream, time_ns);
        out[i] = stream->now[places[first + i].column];
    }
}

/* "tree" of "cputime:tree-0"; nothing if that position holds the domain. */
static void take_word(struct wattle_channel *channel)
{
    const char *colon = strchr(channel->name, ':'), *word = colon ? colon + 1 : "";
    size_t n = strcspn(word, "-");
    const char *domain = wattle_domain_name(channel->domain);
    bool is_domain = strlen(domain) == n && strncmp(domain, word, n) == 0;
    char copy[WATTLE_NAME_MAX];
    (void)snprintf(copy, sizeof copy, "%.*s", is_domain ? 0 : (int)n, word);
    memcpy(channel->name, copy, sizeof copy);
}

static int add(struct wtl_source *source,
               const struct replay *replay,
               struct stream *stream,
               size_t at)
{
    struct wattle_channel channel =
        wtl_trace_reader_channel(replay->reader, stream->channels[at])->channel;
    char location[sizeof channel.location];
    if (wtl_grow(&source->impl, source->count, sizeof(struct place)) < 0)
        return -ENOMEM;
    ((struct place *)source->impl)[source->count] = (struct place){.stream = stream, .column = at};
    take_word(&channel);
    channel.flags &= WATTLE_CHANNEL_SIMULATED | WATTLE_CHANNEL_SLOW;
    channel.modulus = 0; /* ticks in a trace do not wrap */
    channel.within[0] = '\0';
    if (channel.refresh_ns > 0 && channel.refresh_ns < stream->spacing_ns)
        channel.refresh_ns = stream->spacing_ns; /* unknown stays unknown */
    (void)snprintf(location, sizeof location, "replay of %.100s", channel.location);
    memcpy(channel.location, location, sizeof location);
    int rc = wtl_source_add(source, &channel);
    if (rc == -EINVAL)
        wtl_source_note(source, "skipped channel %u of the recording, which is not valid",
                        (unsigned)stream->channels[at]);
    return rc == -ENOMEM ? rc : 0;
}

static int replay_open(struct wtl_source *source, struct wattle_error *err)
{
    struct replay *replay = ((const struct part *)source->driver)->replay;
    if (replay->start_ns == 0)
        replay->start_ns = wtl_world_monotonic(source->world);
    int rc = 0;
    for (size_t s = 0; s < replay->stream_count; s++) {
        struct stream *stream = &replay->streams[s];
        for (size_t i = 0; i < stream->count && rc == 0; i++) {
            const struct wtl_trace_channel *one =
                wtl_trace_reader_channel(replay->reader, stream->channels[i]);
            if (strcmp(one->channel.sensor, source->driver->name) == 0 &&
                wtl_channel_is_understood(&one->channel))
                rc = add(source, replay, stream, i);
        }
    }
    if (rc == 0 && source->count == 0 && source->note_count == 0)
        return wtl_fail(err, -ENODEV, "%s: no channel in the recording", source->driver->name);
    return rc;
}

/* ---- building the table ---- */

static int compare_holes(const void *a, const void *b)
{
    const struct hole *x = a, *y = b;
    return (x->begin_ns > y->begin_ns) - (x->begin_ns < y->begin_ns);
}

static int find_holes(struct stream *stream, struct wattle_error *err)
{
    const struct wtl_gap *gaps;
    int count = wtl_trace_reader_gaps(stream->reader, &gaps, err);
    if (count < 0)
        return count;
    stream->holes = calloc((size_t)count + 1, sizeof *stream->holes);
    if (!stream->holes)
        return -ENOMEM;
    for (int i = 0; i < count; i++) {
        size_t at = column_of(stream, gaps[i].channel, stream->count);
        const struct wtl_trace_channel *one =
            wtl_trace_reader_channel(stream->reader, gaps[i].channel);
        if (at == stream->count || !one)
            continue;
        enum wattle_kind kind = one->channel.kind;
        stream->holes[stream->hole_count++] = (struct hole){
            .column = at,
            .begin_ns = gaps[i].begin_ns,
            .end_ns = gaps[i].end_ns,
            .resets = kind == WATTLE_COUNTER && wtl_gap_loses_energy(gaps[i].reason, kind)};
    }
    wtl_sort(stream->holes, stream->hole_count, sizeof *stream->holes, compare_holes);
    return 0;
}

/* The mean time between the rows of the group, by the samples of its channel with the most
 * samples. */
static int find_spacing(struct stream *stream, struct wattle_error *err)
{
    for (size_t i = 0; i < stream->count; i++) {
        struct wtl_summary summary;
        int rc = wtl_trace_reader_summary(stream->reader, stream->channels[i], &summary, err);
        if (rc < 0)
            return rc;
        uint64_t each_ns =
            summary.samples > 1 ? (summary.last_ns - summary.first_ns) / summary.samples : 0;
        if (each_ns > 0 && (stream->spacing_ns == 0 || each_ns < stream->spacing_ns))
            stream->spacing_ns = each_ns;
    }
    return 0;
}

static int open_stream(struct stream *stream, const char *path, size_t id, struct wattle_error *err)
{
    int rc = wtl_trace_reader_open(path, &stream->reader, err);
    if (rc < 0)
        return rc;
    const struct wtl_trace_group *group = wtl_trace_reader_group(stream->reader, id);
    stream->channels = group->channels;
    stream->count = group->count;
    stream->now = calloc(group->count + 1, sizeof *stream->now);
    stream->run = calloc(group->count + 1, sizeof *stream->run);
    stream->blind_ns = calloc(group->count + 1, sizeof *stream->blind_ns);
    if (!stream->now || !stream->run || !stream->blind_ns)
        return -ENOMEM;
    for (size_t i = 0; i < stream->count; i++)
        stream->now[i].status = -ENODATA;
    struct wtl_trace_range range = {.begin_ns = 0,
                                    .end_ns = UINT64_MAX,
                                    .channels = stream->channels,
                                    .channel_count = stream->count,
                                    .no_edges = true};
    rc = find_holes(stream, err);
    rc = rc < 0 ? rc : wtl_trace_samples_open(stream->reader, &range, &stream->samples, err);
    rc = rc < 0 ? rc : wtl_trace_samples_next(stream->samples, &stream->chunk, err);
    stream->ended = rc == 0;
    return rc < 0 ? rc : find_spacing(stream, err);
}

static struct part *find_part(struct replay *replay, const char *name)
{
    for (size_t i = 0; i < replay->part_count; i++) {
        if (strcmp(replay->parts[i].name, name) == 0)
            return &replay->parts[i];
    }
    return NULL;
}

/* A driver for each sensor of the recording, in the order of its channels. */
static int make_parts(struct replay *replay)
{
    size_t channels = wtl_trace_reader_channel_count(replay->reader);
    replay->parts = calloc(channels + 1, sizeof *replay->parts);
    replay->drivers = calloc(channels + 1, sizeof(void *));
    if (!replay->parts || !replay->drivers)
        return -ENOMEM;
    for (size_t i = 0; i < channels; i++) {
        const struct wattle_channel *channel =
            &wtl_trace_reader_channel(replay->reader, i)->channel;
        struct part *part = find_part(replay, channel->sensor);
        if (!part) {
            part = &replay->parts[replay->part_count++];
            replay->drivers[replay->part_count - 1] = &part->driver;
            part->replay = replay;
            (void)snprintf(part->name, sizeof part->name, "%s", channel->sensor);
            (void)snprintf(part->summary, sizeof part->summary, "replayed from a recording");
            part->driver = (struct wtl_driver){.name = part->name,
                                               .summary = part->summary,
                                               .flags = WTL_DRIVER_ACTIVITY,
                                               .open = replay_open,
                                               .read = replay_read};
        }
        if (wtl_channel_is_energy(channel))
            part->driver.flags = 0;
    }
    return 0;
}

/* "perf,hwmon": named sensors are recorded completely. Names that a list cannot contain are left to
 * the selection. */
static int name_all(struct replay *replay)
{
    for (size_t i = 0; i < replay->part_count; i++) {
        const char *name = replay->parts[i].name;
        char *longer;
        if (replay->parts[i].driver.flags & WTL_DRIVER_ACTIVITY)
            continue;
        if (!name[0] || strpbrk(name, ",:=") || strcmp(name, "all") == 0) {
            free(replay->which);
            replay->which = NULL;
            return 0;
        }
        if (asprintf(&longer, "%s%s%s", replay->which ? replay->which : "",
                     replay->which ? "," : "", name) < 0)
            return -ENOMEM;
        free(replay->which);
        replay->which = longer;
    }
    return 0;
}

static void close_replay(void *what)
{
    struct replay *replay = what;
    for (size_t i = 0; i < replay->stream_count; i++) {
        struct stream *stream = &replay->streams[i];
        wtl_trace_samples_close(stream->samples);
        wtl_trace_reader_close(stream->reader);
        free(stream->now);
        free(stream->run);
        free(stream->blind_ns);
        free(stream->holes);
    }
    wtl_trace_reader_close(replay->reader);
    free(replay->streams);
    free(replay->parts);
    free(replay->drivers);
    free(replay->path);
    free(replay->which);
    free(replay);
}

static int fill(struct replay *replay, const char *path, struct wattle_error *err)
{
    uint64_t last_ns;
    replay->path = strdup(path);
    int rc = replay->path ? wtl_trace_reader_open(path, &replay->reader, err) : -ENOMEM;
    if (rc < 0)
        return rc;
    if (wtl_trace_reader_span(replay->reader, &replay->first_ns, &last_ns) < 0)
        return wtl_fail(err, -ENODATA, "%s: no samples to replay", path);
    size_t groups = wtl_trace_reader_group_count(replay->reader);
    replay->streams = calloc(groups + 1, sizeof *replay->streams);
    if (!replay->streams)
        return -ENOMEM;
    for (size_t i = 0; i < groups && rc == 0; i++) {
        if (!(wtl_trace_reader_group(replay->reader, i)->flags & WTL_GROUP_EDGE))
            rc = open_stream(&replay->streams[replay->stream_count++], path, i, err);
    }
    rc = rc < 0 ? rc : make_parts(replay);
    return rc < 0 ? rc : name_all(replay);
}

int wtl_replay_or_select(const struct wtl_request *request,
                         const struct wtl_world *world,
                         struct wtl_selection **ret_selection,
                         struct wattle_error *err)
{
    if (!request->which || strncmp(request->which, PREFIX, strlen(PREFIX)) != 0)
        return wtl_selection_open(request, world, ret_selection, err);
    const char *path = request->which + strlen(PREFIX);
    if (!path[0])
        return wtl_fail(err, -EINVAL, "replay: requires a trace; write replay:FILE");
    struct replay *replay = calloc(1, sizeof *replay);
    int rc = replay ? fill(replay, path, err) : -ENOMEM;
    struct wtl_request live = *request;
    if (rc == 0) {
        live.drivers = replay->drivers;
        live.which = replay->which;
        live.settings = NULL;
        live.in_place = true; /* there is no device */
        rc = wtl_selection_open(&live, world, ret_selection, err);
    }
    if (rc == -ENOMEM)
        (void)wtl_no_memory_for(err, "the replay");
    if (rc < 0 && replay)
        close_replay(replay);
    if (rc < 0)
        return rc;
    (*ret_selection)->kept = replay;
    (*ret_selection)->close_kept = close_replay;
    return 0;
}

const char *wtl_replay_of(const struct wtl_selection *selection)
{
    return selection->close_kept == close_replay ? ((const struct replay *)selection->kept)->path
                                                 : NULL;
}
