/* SPDX-License-Identifier: BSD-3-Clause */
/* Joules between two instants of a run of known power, whose counter was polled for its ticks at both borders. */
#include <math.h>
#include <unistd.h>

#include "analysis/power/stretch_energy.h"
#include "base/random.h"
#include "tap.h"
#include "trace/writer.h"

static const double tick_s = 1.0 / 1024, unit_j = 1.0 / 16384, interval_s = 0.01;
static const double run_s = 5, greatest_w = 120;
static const uint64_t origin_ns = UINT64_C(100000000000);

/* Of 100 + 20 sin(t) watts since 1 s before the run. */
static double joules(double t)
{
    return 100 * (t + 1) + 20 * (cos(1.0) - cos(t));
}

static uint64_t shown(double t)
{
    return (uint64_t)floor(joules(floor(t / tick_s) * tick_s) / unit_j);
}

static uint64_t ns(double t)
{
    return origin_ns + (uint64_t)llround((t + 1) * 1e9);
}

static void add_row(struct wtl_trace_writer *w, int group, double t)
{
    uint64_t value = shown(t);
    (void)wtl_trace_writer_row(w, (uint32_t)group, ns(t), &value, NULL);
}

static void add_polls(struct wtl_trace_writer *w, int group, double from, bool flush)
{
    for (int i = 0; i < 200; i++)
        add_row(w, group, from + i * 17.1e-6);
    if (flush)
        (void)wtl_trace_writer_flush(w);
}

/* together: the polls of both borders are in one block, before the samples. */
static int write_run(const char *path, bool together)
{
    struct wtl_trace_options options = {.force = true};
    struct wattle_channel channel = {.name = "powercap:package-0",
                                     .sensor = "powercap",
                                     .domain = WATTLE_DOMAIN_PACKAGE,
                                     .sub = -1,
                                     .quantity = WATTLE_ENERGY,
                                     .kind = WATTLE_COUNTER,
                                     .scale = unit_j,
                                     .refresh_ns = 976562};
    struct wtl_trace_writer *w;
    int rc = wtl_trace_writer_create(path, &options, &w, NULL);
    if (rc < 0)
        return rc;
    uint32_t id = (uint32_t)wtl_trace_writer_channel(w, &channel);
    int rows = wtl_trace_writer_group(w, &id, 1, 0);
    int polls = wtl_trace_writer_group(w, &id, 1, WTL_GROUP_EDGE);
    add_row(w, rows, -0.0051);
    (void)wtl_trace_writer_flush(w);
    add_polls(w, polls, -0.0035, !together);
    if (together)
        add_polls(w, polls, run_s + 1e-6, true);
    (void)wtl_trace_writer_window_begin(w, ns(0));
    for (int i = 0; i < (int)(run_s / interval_s); i++)
        add_row(w, rows, 0.0031 + i * interval_s);
    (void)wtl_trace_writer_flush(w);
    (void)wtl_trace_writer_window_end(w, ns(run_s));
    if (!together)
        add_polls(w, polls, run_s + 1e-6, true);
    add_row(w, rows, run_s + 0.0071);
    return wtl_trace_writer_finish(w, NULL);
}

/* Only the time of a sample and of a tick at each border is uncertain. */
static bool is_right(struct wtl_trace_reader *reader, double begin, double end)
{
    uint32_t id = 0;
    struct wtl_summary sum;
    double truth = joules(end) - joules(begin), most = 2 * greatest_w * (interval_s + tick_s);
    int rc = wtl_stretch_energy_read(reader, &id, 1, ns(begin), ns(end), &sum, NULL);
    bool right = rc == 0 && fabs(sum.amount - truth) <= 2 * sum.amount_half + 1e-6 &&
                 sum.amount_half <= most && sum.unknown_ns == 0;
    if (!right)
        diag("%.6f .. %.6f: %d, %.6f +- %.6f J, true %.6f", begin, end, rc, sum.amount,
             sum.amount_half, truth);
    return right;
}

static void test_stretches(struct wtl_trace_reader *reader)
{
    static const struct {
        double begin, end;
        const char *what;
    } cases[] = {
        {0, 5, "the whole run"},          {0.5, 1.5, "inside"},
        {0, 1, "from the start"},         {4, 5, "up to the end"},
        {-0.002, 5.002, "between polls"}, {1, 1.001, "a millisecond"},
        {-0.001, 0.5, "from a poll on"},  {2, 5.002, "up to a poll"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        ok(is_right(reader, cases[i].begin, cases[i].end), "%s", cases[i].what);
    int wrong = 0;
    for (uint64_t i = 0; i < 200; i++) {
        double a = run_s * wtl_random_uniform(1, 2 * i),
               b = run_s * wtl_random_uniform(1, 2 * i + 1);
        wrong += !is_right(reader, fmin(a, b), fmax(a, b));
    }
    ok(wrong <= 10, "%d of 200 random stretches are wrong", wrong);
}

/* The whole run is the same number everywhere. */
static void test_whole(struct wtl_trace_reader *reader)
{
    uint32_t id = 0;
    struct wtl_summary run, stretch;
    is_int(wtl_trace_reader_summary(reader, 0, &run, NULL), 0, "the footer");
    is_int(wtl_stretch_energy_read(reader, &id, 1, ns(0), ns(run_s), &stretch, NULL), 0, "whole");
    is_double(stretch.amount, run.amount, 1e-9, "its energy");
    is_double(stretch.amount_half, run.amount_half, 1e-9, "its interval");
    ok(run.amount_half < greatest_w * tick_s, "polls make it narrow: +- %.4f J", run.amount_half);
}

/*
 * A counter that claims 20 ms and updates every 100 ms, sampled every 50 ms: a stretch inside one update sees none of its
 * energy, and does not say that there was none.
 */
static const double slow_s = 0.1;

static int write_slow(const char *path)
{
    struct wtl_trace_options options = {.force = true};
    struct wattle_channel channel = {.name = "nvml:gpu-0",
                                     .sensor = "nvml",
                                     .domain = WATTLE_DOMAIN_GPU,
                                     .sub = -1,
                                     .quantity = WATTLE_ENERGY,
                                     .kind = WATTLE_COUNTER,
                                     .scale = 1e-3,
                                     .refresh_ns = 20000000};
    struct wtl_trace_writer *w;
    int rc = wtl_trace_writer_create(path, &options, &w, NULL);
    if (rc < 0)
        return rc;
    uint32_t id = (uint32_t)wtl_trace_writer_channel(w, &channel);
    int rows = wtl_trace_writer_group(w, &id, 1, 0);
    (void)wtl_trace_writer_window_begin(w, ns(0));
    for (double t = -0.0117; t < run_s + 0.1; t += 0.05) {
        uint64_t value = (uint64_t)floor(joules(floor((t + 1) / slow_s) * slow_s - 1) / 1e-3);
        (void)wtl_trace_writer_row(w, (uint32_t)rows, ns(t), &value, NULL);
    }
    (void)wtl_trace_writer_window_end(w, ns(run_s));
    return wtl_trace_writer_finish(w, NULL);
}

static void test_slow(struct wtl_trace_reader *reader)
{
    uint32_t id = 0;
    int wrong = 0, wide = 0;
    for (uint64_t i = 0; i < 400; i++) {
        double begin = (run_s - 1) * wtl_random_uniform(2, 2 * i);
        double end = begin + (i % 2 ? 0.04 : 1) * wtl_random_uniform(2, 2 * i + 1);
        struct wtl_summary sum;
        double truth = joules(end) - joules(begin);
        if (wtl_stretch_energy_read(reader, &id, 1, ns(begin), ns(end), &sum, NULL) < 0 ||
            !(fabs(sum.amount - truth) <= sum.amount_half + 1e-6)) {
            wrong++;
            diag("%.6f .. %.6f: %.6f +- %.6f J, true %.6f", begin, end, sum.amount, sum.amount_half,
                 truth);
        }
        wide += sum.amount_half > 2 * greatest_w * slow_s;
    }
    ok(wrong <= 20, "%d of 400 stretches of a counter slower than it claims are wrong", wrong);
    is_int(wide, 0, "none is wider than two of its updates");
}

/*
 * A counter that ticks as often as it is sampled, every 0.1 s, of a power that alternates between 10 and 200 W with a period
 * of 0.7 s: nothing says that the power changes at the borders of a stretch.
 */
static double square_joules(double t)
{
    double period = 0.7, from = floor((t + 1) / period), rest = t + 1 - from * period;
    return from * (200 * 0.3 + 10 * 0.7) * period + 10 * rest + 190 * fmin(rest, 0.3 * period);
}

static int write_square(const char *path)
{
    struct wtl_trace_options options = {.force = true};
    struct wattle_channel channel = {.name = "powercap:package-0",
                                     .sensor = "powercap",
                                     .domain = WATTLE_DOMAIN_PACKAGE,
                                     .sub = -1,
                                     .quantity = WATTLE_ENERGY,
                                     .kind = WATTLE_COUNTER,
                                     .scale = unit_j,
                                     .refresh_ns = 100000000};
    struct wtl_trace_writer *w;
    int rc = wtl_trace_writer_create(path, &options, &w, NULL);
    if (rc < 0)
        return rc;
    uint32_t id = (uint32_t)wtl_trace_writer_channel(w, &channel);
    int rows = wtl_trace_writer_group(w, &id, 1, 0);
    (void)wtl_trace_writer_window_begin(w, ns(0));
    for (double t = -0.15; t < run_s + 0.3; t += 0.1) {
        uint64_t value =
            (uint64_t)floor(square_joules(floor((t + 1.037) / slow_s) * slow_s - 1.037) / unit_j);
        (void)wtl_trace_writer_row(w, (uint32_t)rows, ns(t), &value, NULL);
    }
    (void)wtl_trace_writer_window_end(w, ns(run_s));
    return wtl_trace_writer_finish(w, NULL);
}

static void test_square(struct wtl_trace_reader *reader)
{
    uint32_t id = 0;
    int wrong = 0, wide = 0;
    for (uint64_t i = 0; i < 400; i++) {
        double a = run_s * wtl_random_uniform(3, 2 * i),
               b = run_s * wtl_random_uniform(3, 2 * i + 1);
        struct wtl_summary sum;
        double truth = fabs(square_joules(b) - square_joules(a));
        if (wtl_stretch_energy_read(reader, &id, 1, ns(fmin(a, b)), ns(fmax(a, b)), &sum, NULL) <
                0 ||
            !(fabs(sum.amount - truth) <= sum.amount_half + 1e-6))
            wrong++;
        wide += sum.amount_half > 200 * 2 * slow_s;
    }
    ok(wrong <= 20, "%d of 400 stretches of a power in squares are wrong", wrong);
    is_int(wide, 0, "none is wider than two ticks");
}

/* A gauge in steps of 25 W: 110 W for most of 80 s, shown as 100, then others. And it was not read for 1.5 s. */
static int write_gauge(const char *path)
{
    static const uint32_t shown_w[] = {100, 175, 50, 150};
    const struct wtl_gap pause = {
        .reason = WTL_GAP_NOT_SAMPLED, .begin_ns = ns(2.5), .end_ns = ns(4)};
    struct wtl_trace_options options = {.force = true};
    struct wattle_channel channel = {.name = "hwmon:node-0",
                                     .sensor = "hwmon",
                                     .domain = WATTLE_DOMAIN_NODE,
                                     .sub = -1,
                                     .quantity = WATTLE_POWER,
                                     .kind = WATTLE_GAUGE,
                                     .scale = 1e-6};
    struct wtl_trace_writer *w;
    int rc = wtl_trace_writer_create(path, &options, &w, NULL);
    if (rc < 0)
        return rc;
    uint32_t id = (uint32_t)wtl_trace_writer_channel(w, &channel);
    int rows = wtl_trace_writer_group(w, &id, 1, 0);
    (void)wtl_trace_writer_window_begin(w, ns(0));
    for (int i = -1; i <= 801; i++) {
        double t = 0.1 * i;
        uint64_t value = 1000000ull * shown_w[t < 70 ? 0 : 1 + i % 3];
        if (i == 40)
            (void)wtl_trace_writer_gap(w, &pause);
        if (i <= 25 || i >= 40)
            (void)wtl_trace_writer_row(w, (uint32_t)rows, ns(t), &value, NULL);
    }
    (void)wtl_trace_writer_window_end(w, ns(80));
    return wtl_trace_writer_finish(w, NULL);
}

static void test_gauge(struct wtl_trace_reader *reader)
{
    uint32_t id = 0;
    struct wtl_summary sum;
    is_int(wtl_stretch_energy_read(reader, &id, 1, ns(0.5), ns(1.5), &sum, NULL), 0, "a stretch");
    ok(fabs(sum.amount - 110) <= sum.amount_half && sum.amount_half < 14,
       "of 110 W, shown as 100 W by a gauge whose steps of 25 W are seen later: %g +- %g J",
       sum.amount, sum.amount_half);
    is_int(wtl_stretch_energy_read(reader, &id, 1, ns(2.1), ns(4.5), &sum, NULL), 0, "a stretch");
    is_double((double)sum.unknown_ns * 1e-9, 1.5, 1e-6, "with a pause is unknown there");
}

/* A counter of 50 W, read every 0.1 s, of which the readings of 2.0 and 2.1 s were 10 J too high: the fall after them shows it. */
static int write_high(const char *path)
{
    const struct wtl_gap wrong = {.reason = WTL_GAP_RESET, .begin_ns = ns(1.9), .end_ns = ns(2.3)};
    struct wtl_trace_options options = {.force = true};
    struct wattle_channel channel = {.name = "powercap:package-0",
                                     .sensor = "powercap",
                                     .domain = WATTLE_DOMAIN_PACKAGE,
                                     .sub = -1,
                                     .quantity = WATTLE_ENERGY,
                                     .kind = WATTLE_COUNTER,
                                     .scale = 1e-6,
                                     .refresh_ns = 1000000};
    struct wtl_trace_writer *w;
    int rc = wtl_trace_writer_create(path, &options, &w, NULL);
    if (rc < 0)
        return rc;
    uint32_t id = (uint32_t)wtl_trace_writer_channel(w, &channel);
    int rows = wtl_trace_writer_group(w, &id, 1, 0);
    (void)wtl_trace_writer_window_begin(w, ns(0));
    for (int i = -1; i <= 51; i++) {
        uint8_t missing = i == 22; /* the fall, which waits for the next reading */
        uint64_t value = (uint64_t)(5e6 * (i + 1) + (i >= 20 ? 10e6 : 0));
        if (i >= 23) /* ticks go on from the last one */
            value = (uint64_t)(5e6 * 22 + 10e6 + 5e6 * (i - 23));
        if (i == 23)
            (void)wtl_trace_writer_gap(w, &wrong);
        (void)wtl_trace_writer_row(w, (uint32_t)rows, ns(0.1 * i), &value, &missing);
    }
    (void)wtl_trace_writer_window_end(w, ns(run_s));
    return wtl_trace_writer_finish(w, NULL);
}

static void test_high(struct wtl_trace_reader *reader)
{
    static const struct {
        double begin, end, unknown_s;
        const char *what;
    } cases[] = {{0, 5, 0.4, "the whole run"},           {1, 3, 0.4, "around them"},
                 {0.5, 2.05, 0.15, "up to one of them"}, {2.05, 4, 0.25, "from one of them on"},
                 {2.2, 4, 0.1, "from the fall on"},      {2.5, 4, 0, "after them"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint32_t id = 0;
        struct wtl_summary sum;
        is_int(wtl_stretch_energy_read(reader, &id, 1, ns(cases[i].begin), ns(cases[i].end), &sum,
                                       NULL),
               0, "a stretch");
        is_double((double)sum.unknown_ns * 1e-9, cases[i].unknown_s, 1e-6, "unknown of it");
        double known_j = 50 * (cases[i].end - cases[i].begin - cases[i].unknown_s);
        ok(fabs(sum.amount - known_j) <= sum.amount_half + 0.2, "%s: %g +- %g J, %g are true",
           cases[i].what, sum.amount, sum.amount_half, known_j);
    }
}

int main(void)
{
    static const char path[] = "stretch-energy.wtl";
    struct wtl_trace_reader *reader = NULL;
    is_int(write_run(path, true), 0, "written with all polls in one block");
    if (is_int(wtl_trace_reader_open(path, &reader, NULL), 0, "read"))
        test_stretches(reader);
    wtl_trace_reader_close(reader);
    reader = NULL;
    is_int(write_run(path, false), 0, "written");
    if (is_int(wtl_trace_reader_open(path, &reader, NULL), 0, "read")) {
        test_whole(reader);
        test_stretches(reader);
    }
    wtl_trace_reader_close(reader);
    reader = NULL;
    is_int(write_slow(path), 0, "a slow one written");
    if (is_int(wtl_trace_reader_open(path, &reader, NULL), 0, "read"))
        test_slow(reader);
    wtl_trace_reader_close(reader);
    reader = NULL;
    is_int(write_square(path), 0, "squares written");
    if (is_int(wtl_trace_reader_open(path, &reader, NULL), 0, "read"))
        test_square(reader);
    wtl_trace_reader_close(reader);
    reader = NULL;
    is_int(write_gauge(path), 0, "a gauge written");
    if (is_int(wtl_trace_reader_open(path, &reader, NULL), 0, "read"))
        test_gauge(reader);
    wtl_trace_reader_close(reader);
    reader = NULL;
    is_int(write_high(path), 0, "readings that were too high written");
    if (is_int(wtl_trace_reader_open(path, &reader, NULL), 0, "read"))
        test_high(reader);
    wtl_trace_reader_close(reader);
    (void)unlink(path);
    return done_testing();
}
