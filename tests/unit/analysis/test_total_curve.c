/* SPDX-License-Identifier: BSD-3-Clause */
/* The power of a run whose samples do not coincide with the ends of its window. */
#include "analysis/power/total_curve.h"

#include <errno.h>
#include <math.h>

#include "analysis/cluster/run_result.h"
#include "trace/writer.h"

#include "tap.h"

#define MS UINT64_C(1000000)
enum { CELLS = 50 };

/* A package that draws 10, 20, 30 ... W from sample to sample, every 100 ms from 1000 ms on. */
static struct wtl_result made(const char *path, uint64_t begin_ms, uint64_t end_ms, size_t samples)
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
                               .refresh_ns = 1000000};
    struct wtl_clock_pair pair = {1000 * MS, 1000 * MS, 1700000000000 * MS};
    struct wtl_trace_reader *reader;
    struct wtl_trace_writer *w;
    struct wtl_result result;
    uint64_t ticks = 0;
    bool begun = false, ended = false;
    if (wtl_trace_writer_create(path, &options, &w, NULL) < 0)
        exit(1);
    uint32_t id = (uint32_t)wtl_trace_writer_channel(w, &c);
    uint32_t group = (uint32_t)wtl_trace_writer_group(w, &id, 1, 0);
    (void)wtl_trace_writer_meta(w, "sampler.interval_ns", "100000000");
    (void)wtl_trace_writer_clocks(w, &pair);
    for (uint64_t i = 0; i < samples; i++) {
        uint64_t now_ms = 1000 + 100 * i;
        if (!begun && now_ms >= begin_ms)
            (void)wtl_trace_writer_window_begin(w, begin_ms * MS);
        begun |= now_ms >= begin_ms;
        if (begun && !ended && now_ms >= end_ms) {
            (void)wtl_trace_writer_window_end(w, end_ms * MS);
            ended = true;
        }
        (void)wtl_trace_writer_row(w, group, now_ms * MS, &ticks, NULL);
        ticks += 1000 * (i + 1); /* 1 J in 100 ms */
    }
    if (wtl_trace_writer_finish(w, NULL) < 0 || wtl_trace_reader_open(path, &reader, NULL) < 0 ||
        wtl_run_result_read(reader, path, &result, NULL) < 0)
        exit(1);
    wtl_trace_reader_close(reader);
    return result;
}

/* Does each cell have the power within begin_ms .. end_ms, and is the rest unknown? */
static void is_curve(const char *what,
                     const struct wtl_result *result,
                     double cell_s,
                     double begin_ms,
                     double end_ms)
{
    double power_w[CELLS];
    struct wattle_error err = {""};
    size_t right = 0, unknown = 0, behind = 0;
    if (!is_int(wtl_total_curve_read(result, cell_s, CELLS, power_w, &err), 0, "%s: read %s", what,
                err.text))
        return;
    for (size_t k = 0; k < CELLS; k++) {
        double middle_ms = begin_ms + ((double)k + 0.5) * cell_s * 1e3;
        double power = 10 * (floor((middle_ms - 1000) / 100) + 1);
        behind += middle_ms > end_ms;
        unknown += isnan(power_w[k]) && middle_ms > end_ms;
        right += fabs(power_w[k] - power) < 1e-3 && middle_ms < end_ms;
    }
    is_int(unknown, behind, "%s: nothing behind its end", what);
    is_int(right + unknown, CELLS, "%s: the power from its begin to its end", what);
}

int main(void)
{
    double power_w[CELLS];
    struct wattle_error err = {""};
    struct wtl_result run = made("curve.wtl", 1050, 1550, 7);
    is_curve("samples around both ends", &run, 0.010, 1050, 1550);
    is_curve("beside a longer run", &run, 0.025, 1050, 1550);
    wtl_result_fini(&run);
    run = made("curve.wtl", 1110, 1160, 6);
    is_curve("a run within a sample interval", &run, 0.001, 1110, 1160);
    wtl_result_fini(&run);
    run = made("curve.wtl", 1000, 1000, 1);
    is_int(wtl_total_curve_read(&run, 0.001, CELLS, power_w, &err), -ENODATA, "one sample: %s",
           err.text);
    wtl_result_fini(&run);
    return done_testing();
}
