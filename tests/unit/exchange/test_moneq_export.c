/* SPDX-License-Identifier: BSD-3-Clause */
/* A trace as MonEQ's lines: a counter that stands still and catches up gives no line with far too
 * much power. */
#define _GNU_SOURCE
#include "exchange/moneq/moneq_export.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "trace/writer.h"

#include "tap.h"

#define MS UINT64_C(1000000)

/* A package of 100 W, read every 20 ms from 1000 ms on; its counter stands still from stand_ms to
 * stand_end_ms. */
static void make(const char *path, uint64_t stand_ms, uint64_t stand_end_ms)
{
    struct wtl_trace_options options = {.force = true};
    struct wattle_channel c = {.name = "powercap:package-0",
                               .sensor = "powercap",
                               .domain = WATTLE_DOMAIN_PACKAGE,
                               .sub = -1,
                               .quantity = WATTLE_ENERGY,
                               .kind = WATTLE_COUNTER,
                               .flags = WATTLE_CHANNEL_PRIMARY,
                               .scale = 1e-3,
                               .refresh_ns = MS};
    struct wtl_clock_pair pair = {1000 * MS, 1000 * MS, 1700000000000 * MS};
    struct wtl_trace_writer *w;
    if (wtl_trace_writer_create(path, &options, &w, NULL) < 0)
        exit(1);
    uint32_t id = (uint32_t)wtl_trace_writer_channel(w, &c);
    uint32_t group = (uint32_t)wtl_trace_writer_group(w, &id, 1, 0);
    (void)wtl_trace_writer_meta(w, "sampler.interval_ns", "20000000");
    (void)wtl_trace_writer_clocks(w, &pair);
    for (uint64_t ms = 1000; ms <= 2040; ms += 20) {
        uint64_t shown_ms = ms >= stand_ms && ms < stand_end_ms ? stand_ms : ms;
        uint64_t ticks = 100 * (shown_ms - 1000);
        if (ms == 1020)
            (void)wtl_trace_writer_window_begin(w, 1010 * MS);
        if (ms == 2040)
            (void)wtl_trace_writer_window_end(w, 2030 * MS);
        (void)wtl_trace_writer_row(w, group, ms * MS, &ticks, NULL);
    }
    if (wtl_trace_writer_finish(w, NULL) < 0)
        exit(1);
}

struct lines {
    size_t count;
    double least_w, most_w, joules;
};

static struct lines export(const char *path)
{
    struct wtl_moneq_names names = {.changed = 0};
    struct wtl_moneq_writing writing = {.step_ns = WTL_MONEQ_STEP_NS, .names = &names};
    struct wtl_moneq_written written;
    struct wtl_trace_reader *reader;
    struct lines lines = {.least_w = INFINITY};
    struct wattle_error err = {""};
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out || wtl_trace_reader_open(path, &reader, &err) < 0)
        exit(1);
    is_int(wtl_moneq_write(reader, &writing, out, &written, &err), 0, "export %s", err.text);
    (void)fclose(out);
    double last_s = 0;
    for (char *line = text; *line; line = strchr(line, '\n') + 1) {
        double fields[5] = {0}; /* epoch, time base, seconds, place, node_card */
        char *at = strchr(line, ',');
        for (size_t i = 0; i < 8 && at; i++, at = strchr(at + 1, ','))
            if (i == 2 || i == 6)
                fields[i == 2 ? 2 : 4] = strtod(at + 1, NULL);
        lines.count++;
        lines.least_w = fmin(lines.least_w, fields[4]);
        lines.most_w = fmax(lines.most_w, fields[4]);
        lines.joules += fields[4] * (fields[2] - last_s);
        last_s = fields[2];
    }
    free(text);
    wtl_moneq_names_fini(&names);
    wtl_trace_reader_close(reader);
    return lines;
}

int main(void)
{
    make("moneq.wtl", 3000, 3000);
    struct lines lines = export("moneq.wtl");
    ok(lines.count > 45 && lines.least_w > 98 && lines.most_w < 102, "%zu lines of %g to %g W",
       lines.count, lines.least_w, lines.most_w);
    is_double(lines.joules, 102, 0.5, "of all its energy");
    make("moneq.wtl", 1300, 1500);
    lines = export("moneq.wtl");
    ok(lines.count > 35 && lines.least_w > 98 && lines.most_w < 102,
       "a counter that stood for 200 ms: %zu lines of %g to %g W", lines.count, lines.least_w,
       lines.most_w);
    is_double(lines.joules, 102, 0.5, "of all its energy");
    return done_testing();
}
