/* SPDX-License-Identifier: BSD-3-Clause */
/* Pictures: a few points that keep the mean and the extremes, from the pyramid and from samples. */
#define _GNU_SOURCE
#include "trace_fixture.h"

#define ROWS   400000
#define SECOND UINT64_C(1000000000)

/* 50 W, from 100 s to 200 s 150 W, with a peak of 900 W for 50 ms at 300 s. */
static double watts(size_t row)
{
    double t = (double)row * 1e-3;
    return t >= 300 && t < 300.05 ? 900 : t >= 100 && t < 200 ? 150 : 50;
}

static void write_steps(const char *path, bool abandon)
{
    struct wtl_trace_options force = {.force = true};
    struct wtl_trace_writer *w;
    struct wattle_channel package =
        fixture_channel("fake:package-0", WATTLE_COUNTER, WATTLE_ENERGY, 61e-6);
    struct wattle_channel heat =
        fixture_channel("fake:package-0-t", WATTLE_GAUGE, WATTLE_TEMPERATURE, 1e-3);
    wtl_trace_writer_create(path, &force, &w, NULL);
    uint32_t ids[2] = {(uint32_t)wtl_trace_writer_channel(w, &package),
                       (uint32_t)wtl_trace_writer_channel(w, &heat)};
    uint32_t group = (uint32_t)wtl_trace_writer_group(w, ids, 2, 0);
    double joules = 0;
    for (size_t row = 0; row < ROWS; row++) {
        uint64_t values[2] = {(uint64_t)(joules / 61e-6), 40000};
        wtl_trace_writer_row(w, group, START_NS + row * 1000000, values, NULL);
        joules += watts(row) * 1e-3;
    }
    if (abandon) {
        wtl_trace_writer_flush(w);
        wtl_trace_writer_abandon(w);
    } else {
        wtl_trace_writer_finish(w, NULL);
    }
}

static void test_picture(struct wtl_trace_reader *r, size_t wanted, size_t at_most, bool peak)
{
    struct wtl_trace_range all = {.end_ns = UINT64_MAX};
    struct wtl_power_point *points = NULL;
    uint64_t stretch_ns = 0;
    int count = wtl_trace_reader_power(r, 0, &all, wanted, &points, &stretch_ns, NULL);
    ok(count >= (int)wanted && count <= (int)at_most, "%zu wanted, %d points", wanted, count);
    is_int(stretch_ns, 20 * 976000, "over twenty ticks at least");
    double energy_j = 0, greatest = 0, least = 1e9;
    bool joined = true;
    for (int i = 0; i < count; i++) {
        energy_j += points[i].mean_w * (double)(points[i].end_ns - points[i].begin_ns) * 1e-9;
        greatest = fmax(greatest, points[i].max_w);
        least = fmin(least, points[i].min_w);
        joined &= i == 0 || points[i].begin_ns == points[i - 1].end_ns;
    }
    ok(joined, "without holes");
    is_double(energy_j, 50 * 400 + 100 * 100 + 850 * 0.05, 3, "the means keep the energy");
    is_double(least, 50, 0.5, "the least");
    if (peak)
        is_double(greatest, 900, 1, "the greatest keeps a peak of 50 ms");
    free(points);
}

/* 50 W, but the counter stalls at 200 s for 2 s, which is noticed 0.25 s later: the gap comes after
 * those rows. */
static void test_stall(void)
{
    static const uint64_t MS = 1000000, STALL_MS = 200000, NOTICED_MS = 200250, END_MS = 202000;
    struct wtl_trace_options force = {.force = true};
    struct wtl_trace_writer *w;
    struct wtl_trace_reader *r;
    struct wattle_channel package =
        fixture_channel("fake:package-0", WATTLE_COUNTER, WATTLE_ENERGY, 1e-6);
    wtl_trace_writer_create("stall.wtl", &force, &w, NULL);
    uint32_t id = (uint32_t)wtl_trace_writer_channel(w, &package);
    uint32_t group = (uint32_t)wtl_trace_writer_group(w, &id, 1, 0);
    struct wtl_gap gap = {.channel = id, .reason = WTL_GAP_STALLED};
    for (uint64_t ms = 0; ms < 400000; ms += 10) {
        uint64_t counted_ms = ms < STALL_MS ? ms : ms < END_MS ? STALL_MS : ms - END_MS + STALL_MS;
        uint64_t value = counted_ms * 50000;
        uint8_t missing = ms >= NOTICED_MS && ms < END_MS;
        if (ms == NOTICED_MS || ms == END_MS) {
            wtl_trace_writer_flush(w);
            gap.begin_ns = START_NS + (ms == END_MS ? NOTICED_MS : STALL_MS - 10) * MS;
            gap.end_ns = START_NS + ms * MS;
            wtl_trace_writer_gap(w, &gap);
        }
        wtl_trace_writer_row(w, group, START_NS + ms * MS, &value, &missing);
    }
    wtl_trace_writer_finish(w, NULL);
    struct wtl_trace_range all = {.end_ns = UINT64_MAX};
    struct wtl_power_point *points = NULL;
    wtl_trace_reader_open("stall.wtl", &r, NULL);
    int count = wtl_trace_reader_power(r, 0, &all, 30, &points, NULL, NULL);
    double least = 1e9, greatest = 0;
    for (int i = 0; i < count; i++) {
        least = fmin(least, fmin(points[i].min_w, points[i].mean_w));
        greatest = fmax(greatest, fmax(points[i].max_w, points[i].mean_w));
    }
    ok(count >= 30 && count < 1000, "%d points of the pyramid", count);
    is_double(least, 50, 1e-3, "the time before a stall is noticed is no dip of the power");
    is_double(greatest, 50, 1e-3, "nor is that after it a peak");
    free(points);
    wtl_trace_reader_close(r);
}

int main(void)
{
    test_stall();
    struct wtl_trace_reader *r;
    struct wattle_error err = {""};
    write_steps("steps.wtl", false);
    wtl_trace_reader_open("steps.wtl", &r, NULL);
    test_picture(r, 10, 40, true);
    test_picture(r, 100, 320, true);
    test_picture(r, 300, 320, true);
    test_picture(r, 2000, 20001, true); /* finer than the pyramid: from samples */

    struct wtl_trace_range some = {.begin_ns = START_NS + 150 * SECOND,
                                   .end_ns = START_NS + 160 * SECOND};
    struct wtl_power_point *points = NULL;
    int count = wtl_trace_reader_power(r, 0, &some, 5, &points, NULL, &err);
    ok(count >= 5 && count < 20, "ten seconds of it: %d points", count);
    for (int i = 0; i < count; i++)
        is_double(points[i].mean_w, 150, 0.1, "of 150 W");
    free(points);
    is_int(wtl_trace_reader_power(r, 1, &some, 5, &points, NULL, &err), -EINVAL,
           "a temperature has no power");
    wtl_trace_reader_close(r);

    write_steps("steps-cut.wtl", true);
    wtl_trace_reader_open("steps-cut.wtl", &r, NULL);
    test_picture(r, 100, 20001, true);
    wtl_trace_reader_close(r);
    return done_testing();
}
