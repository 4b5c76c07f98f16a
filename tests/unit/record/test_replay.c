/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Replay of the fixtures in tests/traces, in virtual time: channels as recorded; every row of the
 * trace is shown from its time until the next one; after the last nothing is.
 */
#include "record/replay.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/world/world_recorded.h"
#include "model/reading.h"
#include "source/registry.h"
#include "tap.h"
#include "trace/reader.h"

#define SOURCE WATTLE_SOURCE_DIR "/tests/"

static struct wtl_world *world;

static int start(const char *which, struct wtl_selection **ret_selection, struct wattle_error *err)
{
    struct wtl_request request = {.drivers = wtl_drivers, .which = which, .activity = true};
    wtl_world_close(world);
    if (wtl_world_recorded(SOURCE "hosts/container", &world, NULL) < 0)
        exit(1);
    return wtl_replay_or_select(&request, world, ret_selection, err);
}

static void test_refused(void)
{
    static const struct {
        int line;
        const char *which, *says;
    } rows[] = {
        {__LINE__, "replay:", "replay:FILE"},
        {__LINE__, "replay:/nonexistent/x.wtl", "No such file"},
        {__LINE__, "replay:" SOURCE "hosts/container/about.md", "about.md"},
        {__LINE__, "replai:x", "unknown sensor"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct wtl_selection *selection = NULL;
        struct wattle_error err = {""};
        tap_line = rows[i].line;
        ok(start(rows[i].which, &selection, &err) < 0, "%s is refused", rows[i].which);
        ok(strstr(err.text, rows[i].says) != NULL, "with a sentence: %s", err.text);
        ok(selection == NULL, "and nothing is made");
    }
    tap_line = 0;
}

/* One channel compared with the rows of the trace. */
static void test_channel(const char *path, const struct wtl_trace_reader *reader, const char *name)
{
    char which[512];
    struct wtl_selection *selection = NULL;
    struct wtl_trace_samples *samples;
    struct wtl_trace_chunk chunk;
    struct wattle_error err = {""};
    uint64_t first_ns, last_ns, wrong = 0, rows = 0;
    int id = wtl_trace_reader_find_channel(reader, name);
    (void)snprintf(which, sizeof which, "replay:%s", path);
    if (!ok(id >= 0 && start(which, &selection, &err) == 0, "%s is replayed %s", name, err.text) ||
        !selection)
        return;
    is_str(wtl_replay_of(selection), path, "and says so");
    size_t at = 0;
    while (at < selection->count && strcmp(selection->channels[at].name, name) != 0)
        at++;
    if (!ok(at < selection->count, "under its own name"))
        return;
    const struct wattle_channel *was = &wtl_trace_reader_channel(reader, (size_t)id)->channel;
    const struct wattle_channel *is = &selection->channels[at];
    is_int(is->quality, was->quality, "quality");
    is_int(is->quantity, was->quantity, "quantity");
    is_int(is->kind, was->kind, "kind");
    is_double(is->scale, was->scale, 0, "scale");
    is_int(is->flags & WATTLE_CHANNEL_SIMULATED, was->flags & WATTLE_CHANNEL_SIMULATED,
           "simulated or not");
    ok(strncmp(is->location, "replay of ", 10) == 0, "its place: %s", is->location);

    uint32_t wanted = (uint32_t)id;
    struct wtl_trace_range range = {
        .end_ns = UINT64_MAX, .channels = &wanted, .channel_count = 1, .no_edges = true};
    (void)wtl_trace_reader_span(reader, &first_ns, &last_ns);
    (void)wtl_trace_samples_open((struct wtl_trace_reader *)reader, &range, &samples, NULL);
    uint64_t start_ns = wtl_world_monotonic(world), time_ns = 0, same = 0;
    struct wtl_source *source = selection->picks[at].source;
    while (wtl_trace_samples_next(samples, &chunk, NULL) > 0) {
        for (size_t i = 0; i < chunk.rows; i++, rows++) {
            struct wattle_reading reading;
            bool repeated = chunk.time_ns[i] == time_ns;
            time_ns = chunk.time_ns[i];
            if (chunk.columns[0].missing && chunk.columns[0].missing[i])
                continue;
            (void)world->ops->sleep_until(world, start_ns + (time_ns - first_ns));
            source->driver->read(source, selection->picks[at].at, 1, &reading);
            /* The top bit, which a reset changes, is excluded. */
            bool good = reading.status == 0 && reading.raw << 1 == chunk.columns[0].values[i] << 1;
            wrong += !good && !repeated;
            same += good;
        }
    }
    wtl_trace_samples_close(samples);
    ok(rows > 1 && same > 0, "%llu rows are replayed", (unsigned long long)rows);
    is_int((int)wrong, 0, "each has its value at its time");
    struct wattle_reading reading;
    (void)world->ops->sleep_until(world, start_ns + (last_ns - first_ns) + UINT64_C(3600000000000));
    source->driver->read(source, selection->picks[at].at, 1, &reading);
    is_int(reading.status, -ENODATA, "behind the end there is nothing");
    wtl_selection_close(selection);
}

static void test_trace(const char *path)
{
    struct wtl_trace_reader *reader;
    if (!ok(wtl_trace_reader_open(path, &reader, NULL) == 0, "%s opens", path))
        return;
    for (size_t i = 0; i < wtl_trace_reader_channel_count(reader); i++) {
        const struct wattle_channel *channel = &wtl_trace_reader_channel(reader, i)->channel;
        if (wtl_channel_is_understood(channel))
            test_channel(path, reader, channel->name);
    }
    wtl_trace_reader_close(reader);
}

int main(void)
{
    test_refused();
    test_trace(SOURCE "traces/good/kilohertz-1.0.wtl");
    test_trace(SOURCE "traces/good/version-1.0.wtl");
    test_trace(SOURCE "traces/good/no-footer.wtl");
    wtl_world_close(world);
    return done_testing();
}
