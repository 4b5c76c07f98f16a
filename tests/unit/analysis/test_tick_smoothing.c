/* SPDX-License-Identifier: BSD-3-Clause */
/* Drawing a counter whose ticks and rows drift past each other: constant power is constant, steps
 * are kept. */
#include "analysis/power/tick_smoothing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analysis/power/distribution.h"
#include "analysis/power/timeline.h"
#include "known_power.h"
#include "tap.h"

static const char path[] = "ticks.wtl";
static const uint32_t package = 0;
static const double seconds = 30;

struct trace {
    double interval_ms, tick_ms, jitter_ms; /* rows, updates of the counter, maximum delay of an
                                             * update */
    double power_w, later_w;                /* before and after the middle */
    double wave_ms;                         /* 0 or: power_w and later_w alternate with this half
                                             * period */
    double peak_w;                          /* more than power_w for 100 ms from 10 s on */
    double claimed_ms;                      /* 0 or: between updates, as the channel states it */
    double polled_ms;                       /* polls for this long at the begin and at the end */
    double from_ms, rest_ms;                /* the first row, and the last one after the others */
};

/* The energy at an instant. */
static double joules(const struct trace *t, double ms)
{
    double middle = seconds * 500;
    if (t->wave_ms > 0) {
        double turns = floor(ms / (2 * t->wave_ms)), rest = ms - turns * 2 * t->wave_ms;
        return 1e-3 *
               (turns * t->wave_ms * (t->power_w + t->later_w) +
                t->power_w * fmin(rest, t->wave_ms) + t->later_w * fmax(rest - t->wave_ms, 0));
    }
    return 1e-3 * t->peak_w * fmin(fmax(ms - 10000, 0), 100) +
           1e-3 * (t->power_w * fmin(ms, middle) + t->later_w * fmax(ms - middle, 0));
}

/* Value of the counter at ms: the energy at its last update, each delayed depending on its
 * number. */
static uint64_t shown(const struct trace *t, double ms)
{
    double number = floor(ms / t->tick_ms);
    double late_ms = t->jitter_ms * fmod(number * 0.618, 1);
    if (number * t->tick_ms + late_ms > ms)
        number--;
    return number > 0 ? (uint64_t)(joules(t, number * t->tick_ms) * 1e6) : 0;
}

/* Polls for a tick from ms on, as the sampler records them: both sides of each update, and how long the
 * last value stood. */
static void write_polls(const struct trace *t,
                        struct wtl_trace_writer *w,
                        uint32_t group,
                        double ms)
{
    double first = ms, last = ms, end = ms + t->polled_ms;
    for (double now = ms; now <= end; last = now, now += 0.02) {
        const uint64_t values[2] = {shown(t, last), shown(t, now)};
        bool rest = now + 0.02 > end;
        if (values[0] == values[1] && !rest)
            continue;
        double from = values[0] == values[1] ? first : last;
        (void)wtl_trace_writer_row(w, group, KNOWN_START + (uint64_t)(from * 1e6), &values[0],
                                   NULL);
        (void)wtl_trace_writer_row(w, group, KNOWN_START + (uint64_t)(now * 1e6), &values[1], NULL);
        first = now;
    }
}

static int write_trace(const struct trace *t, bool footer)
{
    struct wtl_trace_options force = {.force = true};
    struct wattle_channel channel = known_channel("known:package-0", WATTLE_DOMAIN_PACKAGE,
                                                  WATTLE_ENERGY, WATTLE_COUNTER, 1e-6);
    struct wtl_trace_writer *w;
    channel.refresh_ns = (uint64_t)round(t->claimed_ms > 0 ? t->claimed_ms : t->tick_ms) * KNOWN_MS;
    int rc = wtl_trace_writer_create(path, &force, &w, NULL);
    if (rc < 0)
        return rc;
    uint32_t id = (uint32_t)wtl_trace_writer_channel(w, &channel);
    uint32_t group = (uint32_t)wtl_trace_writer_group(w, &id, 1, 0);
    uint32_t edges =
        t->polled_ms > 0 ? (uint32_t)wtl_trace_writer_group(w, &id, 1, WTL_GROUP_EDGE) : 0;
    if (t->polled_ms > 0)
        write_polls(t, w, edges, 0);
    (void)wtl_trace_writer_window_begin(w, KNOWN_START);
    for (size_t row = 0; (double)row * t->interval_ms <= seconds * 1000; row++) {
        double ms = (double)row * t->interval_ms + 0.05 * fmod((double)row * 0.414, 1);
        ms = row == 0 ? ms + t->from_ms : ms;
        uint64_t now = KNOWN_START + (uint64_t)(ms * 1e6), value = shown(t, ms);
        (void)wtl_trace_writer_row(w, group, now, &value, NULL);
        (void)wtl_trace_writer_poll(w, now);
    }
    (void)wtl_trace_writer_window_end(w, KNOWN_START + (uint64_t)(seconds * 1e9));
    if (t->rest_ms > 0) {
        uint64_t value = shown(t, seconds * 1000 + t->rest_ms);
        (void)wtl_trace_writer_row(
            w, group, KNOWN_START + (uint64_t)((seconds * 1000 + t->rest_ms) * 1e6), &value, NULL);
    }
    if (t->polled_ms > 0)
        write_polls(t, w, edges, seconds * 1000 + t->rest_ms);
    rc = footer ? wtl_trace_writer_finish(w, NULL) : wtl_trace_writer_flush(w);
    if (!footer)
        wtl_trace_writer_abandon(w);
    return rc;
}

/* The maximum relative error of what is drawn, farther than near_s from the step. */
static double worst(const struct wtl_timeline *timeline, const struct trace *t, double near_s)
{
    const struct wtl_series *s = wtl_timeline_find(timeline, package);
    const struct wtl_axis *axis = &timeline->axes[s->axis];
    double most = 0;
    for (size_t i = 0; i < axis->count; i++) {
        uint64_t end_ns = i + 1 < axis->count ? axis->begin_ns[i + 1] : axis->end_ns;
        double begin = (double)(axis->begin_ns[i] - KNOWN_START) * 1e-9;
        double end = (double)(end_ns - KNOWN_START) * 1e-9;
        bool before = end<seconds / 2 - near_s, after = begin> seconds / 2 + near_s;
        double truth = before ? t->power_w : t->later_w;
        if (!before && !after && near_s > 0)
            continue;
        most = fmax(most, fabs((double)s->mean[i] / truth - 1));
        most = fmax(most, fabs((double)s->min[i] / truth - 1));
        most = fmax(most, fabs((double)s->max[i] / truth - 1));
    }
    return most;
}

static void check(const struct trace *t, double near_s, double part)
{
    struct wtl_timeline timeline;
    struct wtl_trace_reader *reader;
    const struct wtl_trace_range range = {
        .end_ns = UINT64_MAX, .channels = &package, .channel_count = 1};
    for (int footer = 0; footer < 2; footer++) {
        if (!is_int(write_trace(t, footer == 1), 0, "a trace") ||
            !is_int(wtl_trace_reader_open(path, &reader, NULL), 0, "opened"))
            return;
        for (size_t points = 8; points < 4000; points *= 16) {
            enum wtl_timeline_use use = footer ? WTL_TIMELINE_MEANS : WTL_TIMELINE_BANDS;
            if (!is_int(wtl_timeline_read(reader, &range, points, use, &timeline, NULL), 0, "read"))
                continue;
            double length = 2 * seconds / (double)points;
            double off = worst(&timeline, t, near_s > 0 ? near_s + length : 0);
            ok(off <= part, "rows of %g ms, ticks of %g ms, %zu points: %.4f off, at most %.4f",
               t->interval_ms, t->tick_ms, points, off, part);
            wtl_timeline_fini(&timeline);
        }
        wtl_trace_reader_close(reader);
    }
}

static void test_constant(void)
{
    const double intervals_ms[] = {1, 10, 100};
    for (size_t i = 0; i < 3; i++) {
        struct trace fine = {intervals_ms[i], 1.003, 0.05, 80, 80, 0, 0, 0, 0, 0, 0};
        struct trace coarse = {intervals_ms[i], 100.3, 0, 80, 80, 0, 0, 0, 0, 0, 0};
        check(&fine, 0, 0.002);
        check(&coarse, 0, 0.01);
    }
}

/* A step by a tenth shows within about ten ticks; each side is drawn as it is. */
static void test_step(void)
{
    const double intervals_ms[] = {1, 10, 100};
    for (size_t i = 0; i < 3; i++) {
        struct trace fine = {intervals_ms[i], 1.003, 0.05, 80, 88, 0, 0, 0, 0, 0, 0};
        struct trace coarse = {intervals_ms[i], 100.3, 0, 80, 88, 0, 0, 0, 0, 0, 0};
        check(&fine, 0.15, 0.01);
        check(&coarse, 3, 0.02);
    }
}

static double share_near(const struct wtl_distribution *d, double power_w, double part)
{
    double sum = 0;
    for (size_t i = 0; i < d->bins; i++) {
        double low = d->low_w + (double)i * d->step_w;
        sum +=
            low + d->step_w > power_w * (1 - part) && low < power_w * (1 + part) ? d->share[i] : 0;
    }
    return sum;
}

static struct wtl_distribution *distribution_of(const struct trace *t)
{
    struct wtl_distribution *d = NULL;
    struct wtl_trace_reader *reader;
    const struct wtl_trace_range range = {
        .end_ns = UINT64_MAX, .channels = &package, .channel_count = 1};
    if (!is_int(write_trace(t, true), 0, "a trace") ||
        !is_int(wtl_trace_reader_open(path, &reader, NULL), 0, "opened"))
        return NULL;
    is_int(wtl_distributions_read(reader, &range, &d, NULL), 1, "its distribution");
    wtl_trace_reader_close(reader);
    return d;
}

/* Constant power is one narrow peak; alternating power is two, with little in between. */
static void test_distribution(void)
{
    const double intervals_ms[] = {1, 10, 100};
    for (size_t i = 0; i < 6; i++) {
        double interval_ms = intervals_ms[i % 3], tick_ms = i < 3 ? 1.003 : 100.3;
        double jitter_ms = i < 3 ? 0.05 : 0, near = i < 3 ? 0.003 : 0.01;
        struct trace same = {interval_ms, tick_ms, jitter_ms, 80, 80, 0, 0, 0, 0, 0, 0};
        struct wtl_distribution *d = distribution_of(&same);
        if (d) {
            double range_w = (double)d->bins * d->step_w;
            ok(range_w < 80 * 2 * near, "rows of %g ms, ticks of %g ms: all within %g W",
               interval_ms, tick_ms, range_w);
            is_double(share_near(d, 80, near), 1, 0.001, "around 80 W");
        }
        wtl_distributions_free(d, 1);
    }
    for (size_t i = 0; i < 3; i++) {
        struct trace wave = {intervals_ms[i], 1.003, 0.05, 50, 100, 1000, 0, 0, 0, 0, 0};
        struct wtl_distribution *d = distribution_of(&wave);
        if (d) {
            double low = share_near(d, 50, 0.02), high = share_near(d, 100, 0.02);
            ok(low > 0.4 && low < 0.52, "rows of %g ms: 50 W for %.3f of the time", intervals_ms[i],
               low);
            ok(high > 0.4 && high < 0.52, "100 W for %.3f", high);
            ok(low + high > 0.85, "other power for %.3f", 1 - low - high);
        }
        wtl_distributions_free(d, 1);
    }
}

/* A counter that updates far more slowly than it claims: constant power is constant all the same. */
static void test_slow(void)
{
    const double ticks_ms[] = {10.03, 50.1}, intervals_ms[] = {1, 5, 7};
    for (size_t i = 0; i < 6; i++) {
        struct trace slow = {intervals_ms[i % 3], ticks_ms[i / 3], 0.2, 100, 100, 0, 0, 1, 0, 0, 0};
        struct wtl_distribution *d = distribution_of(&slow);
        check(&slow, 0, 0.01);
        if (d)
            is_double(share_near(d, 100, 0.01), 1, 0.001, "around 100 W");
        wtl_distributions_free(d, 1);
    }
}

/* The same where rows are too far apart to show it, and polls saw it: the pieces at the ends, which hold more
 * or less than their share of ticks, are no power. Waves stay. */
static void test_slow_polled(void)
{
    const double ticks_ms[] = {10, 50, 50, 90}, from_ms[] = {83, 83, 48, 70},
                 rests_ms[] = {22, 22, 51, 30};
    for (size_t i = 0; i < 4; i++) {
        struct trace slow = {.interval_ms = 100, .tick_ms = ticks_ms[i], .power_w = 100};
        slow.later_w = 100;
        slow.claimed_ms = 1;
        slow.polled_ms = 21;
        slow.from_ms = from_ms[i];
        slow.rest_ms = rests_ms[i];
        check(&slow, 0, 0.01);
        struct wtl_distribution *d = distribution_of(&slow);
        if (d) {
            is_double(share_near(d, 100, 0.01), 1, 0.001, "around 100 W");
            is_double(d->known_s, seconds + (slow.rest_ms - slow.from_ms) / 1000, 0.001,
                      "from the first row to the last");
            is_double(d->mean_w * d->known_s, 100 * d->known_s, 1.1 * ticks_ms[i] / 10,
                      "the energy, but for a tick");
        }
        wtl_distributions_free(d, 1);
        slow.wave_ms = 1000;
        slow.power_w = 50;
        d = distribution_of(&slow);
        if (d)
            ok(d->min_w > 42 && d->percentile_w[WTL_P25] < 60 && d->percentile_w[WTL_P75] > 90 &&
                   d->max_w < 110,
               "a second of 50 W, one of 100 W: %.1f, %.1f, %.1f, %.1f W", d->min_w,
               d->percentile_w[WTL_P25], d->percentile_w[WTL_P75], d->max_w);
        wtl_distributions_free(d, 1);
    }
}

/* Waves of 10 %, each half of which lasts 5 ticks of energy: both powers are drawn. */
static void test_wave(void)
{
    const double intervals_ms[] = {1, 2, 5, 10};
    for (size_t i = 0; i < 4; i++) {
        struct trace wave = {intervals_ms[i], 1.003, 0.02, 100, 110, 50, 0, 0, 0, 0, 0};
        struct wtl_distribution *d = distribution_of(&wave);
        if (d) {
            ok(d->percentile_w[WTL_P25] < 102.5 && d->percentile_w[WTL_P75] > 107.5,
               "rows of %g ms: %.1f and %.1f W", intervals_ms[i], d->percentile_w[WTL_P25],
               d->percentile_w[WTL_P75]);
            ok(d->min_w > 90 && d->max_w < 120, "no power below %.1f or above %.1f W", d->min_w,
               d->max_w);
        }
        wtl_distributions_free(d, 1);
    }
}

/* 4 W more for 100 ms are four ticks of energy: the band shows them, even if one point covers 8
 * s. */
static void test_peak(void)
{
    const struct trace peak = {1, 1.003, 0.05, 80, 80, 0, 4, 0, 0, 0, 0};
    struct wtl_timeline timeline;
    struct wtl_trace_reader *reader;
    const struct wtl_trace_range range = {
        .end_ns = UINT64_MAX, .channels = &package, .channel_count = 1};
    if (!is_int(write_trace(&peak, true), 0, "a trace") ||
        !is_int(wtl_trace_reader_open(path, &reader, NULL), 0, "opened"))
        return;
    ok(wtl_trace_reader_power_rows(reader, package, &range, 4) > 0,
       "a pyramid, which lacks the peak");
    if (is_int(wtl_timeline_read(reader, &range, 4, WTL_TIMELINE_BANDS, &timeline, NULL), 0,
               "read")) {
        const struct wtl_series *s = wtl_timeline_find(&timeline, package);
        double max_w = 0, others_w = 0;
        for (size_t i = 0; i < timeline.axes[s->axis].count; i++) {
            double w = (double)s->max[i];
            others_w = w > max_w ? max_w : fmax(others_w, w);
            max_w = fmax(max_w, w);
        }
        ok(max_w > 82.4 && max_w < 85, "a short peak of 84 W is drawn with %.2f W", max_w);
        ok(others_w < 80.2, "the other points up to %.2f W", others_w);
        wtl_timeline_fini(&timeline);
    }
    wtl_trace_reader_close(reader);
}

/* Computed manually: one tick too many or too few is ignored, three are not; a hole separates the
 * lines. */
static void test_by_hand(void)
{
    const uint64_t begin_ns[] = {0, 20, 40, 60, 80, 100, 120};
    float mean[] = {100, 105, 95, 100, NAN, 100, 115};
    float min[] = {100, 105, 95, 70, NAN, 100, 115}, max[] = {100, 105, 95, 104, NAN, 100, 115};
    const struct wtl_tick_series series = {7, begin_ns, 140, 1, 0, false, 20, min, mean, max};
    is_int(wtl_tick_smoothing_apply(&series), 0, "seven stretches of 20 ticks");
    for (size_t i = 0; i < 4; i++)
        is_double(mean[i], 100, 1e-4, "stretch %zu is on the line", i);
    is_double(min[3], 70, 1e-4, "a dip stays");
    is_double(max[3], 100, 1e-4, "what a tick makes goes");
    ok(isnan(mean[4]) && isnan(min[4]) && isnan(max[4]), "a hole stays");
    is_double(mean[5], 100, 1e-4, "before a step");
    is_double(mean[6], 115, 1e-4, "after it");
}

/* A counter that showed no tick for 70 of 120 ns, and then all of it: what it counts either drew power in the meantime, or
 * may have slept. */
static void test_stand(void)
{
    const uint64_t begin_ns[] = {0, 20, 40, 60, 80, 100};
    const float read[] = {100, 50, 0, 0, 0, 450}; /* it stopped within the second stretch */
    for (int awake = 0; awake < 2; awake++) {
        float min[6], mean[6], max[6];
        memcpy(min, read, sizeof read);
        memcpy(mean, read, sizeof read);
        memcpy(max, read, sizeof read);
        const struct wtl_tick_series series = {6, begin_ns, 120, 1, 0, awake, 20, min, mean, max};
        is_int(wtl_tick_smoothing_apply(&series), 0, "a counter that stood still");
        for (size_t i = 0; i < 6; i++) {
            is_double(mean[i], awake ? 100 : read[i], 1e-3, "stretch %zu", i);
            ok(min[i] == mean[i] && max[i] == mean[i], "nothing else is drawn");
        }
    }
}

int main(void)
{
    test_by_hand();
    test_stand();
    test_constant();
    test_step();
    test_distribution();
    test_peak();
    test_slow();
    test_slow_polled();
    test_wave();
    return done_testing();
}
