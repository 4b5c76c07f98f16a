/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The tally compared with analytic truth: counters whose energy between any two instants is known,
 * read through ticks; gauges whose integral is known; gaps of every kind at every position.
 */
#include "model/tally/tally.h"

#include <math.h>

#include "tap.h"

#define MS 1000000ull

static const double TICK_NS = 976000.0;
static const double UNIT_J = 1.0 / 16384;

/* A counter that draws outside_w, except inside_w in [job_ns, job_end_ns): its exact joules at
 * t. */
struct world {
    double outside_w, inside_w, job_ns, job_end_ns, phase_ns;
};

static double truth_j(const struct world *w, double t_ns)
{
    double inside = fmin(fmax(t_ns - w->job_ns, 0), w->job_end_ns - w->job_ns);
    return (w->outside_w * (t_ns - inside) + w->inside_w * inside) * 1e-9;
}

/* Value of the counter at t: the energy at its last tick, in whole units. */
static uint64_t shown(const struct world *w, uint64_t t_ns)
{
    double tick = floor(((double)t_ns - w->phase_ns) / TICK_NS) * TICK_NS + w->phase_ns;
    return (uint64_t)(truth_j(w, tick) / UNIT_J);
}

static struct wattle_channel counter_channel(void)
{
    return (struct wattle_channel){.name = "test:package-0",
                                   .quantity = WATTLE_ENERGY,
                                   .kind = WATTLE_COUNTER,
                                   .scale = UNIT_J,
                                   .refresh_ns = 976000};
}

/* Poll every 2 us from t on until `want` ticks were seen; returns the time of the last poll. */
static uint64_t poll_edges(struct wtl_tally *tally,
                           const struct world *w,
                           uint64_t t,
                           unsigned want)
{
    uint64_t last = shown(w, t), seen = 0;
    for (uint64_t previous = t; seen < want; previous = t) {
        t += 2000;
        uint64_t now = shown(w, t);
        if (now != last) {
            wtl_tally_sample(tally, previous, last, true);
            wtl_tally_sample(tally, t, now, true);
            seen++;
        }
        last = now;
    }
    return t;
}

static struct wtl_summary measure(const struct world *w, bool edges, uint64_t every_ns)
{
    struct wattle_channel channel = counter_channel();
    struct wtl_tally tally;
    struct wtl_summary summary;
    uint64_t start = (uint64_t)w->job_ns, end = (uint64_t)w->job_end_ns;
    wtl_tally_init(&tally, &channel);
    wtl_tally_sample(&tally, start - 5 * MS, shown(w, start - 5 * MS), false);
    if (edges)
        poll_edges(&tally, w, start - 4 * MS, 3);
    wtl_tally_begin(&tally, start);
    for (uint64_t t = start + every_ns; t < end; t += every_ns)
        wtl_tally_sample(&tally, t, shown(w, t), false);
    wtl_tally_end(&tally, end);
    uint64_t t = edges ? poll_edges(&tally, w, end + 3000, 3) : end + 3000;
    wtl_tally_sample(&tally, t + 1000, shown(w, t + 1000), false);
    wtl_tally_summary(&tally, &summary);
    return summary;
}

static void test_job_by_edges(void)
{
    static const struct {
        int line;
        double job_ms, outside_w, inside_w, phase_us;
        double relative; /* greatest error */
    } rows[] = {
        {__LINE__, 10, 50, 150, 0, 0.002},    {__LINE__, 10, 50, 150, 333, 0.002},
        {__LINE__, 10, 50, 150, 975, 0.002},  {__LINE__, 100, 50, 150, 500, 0.0002},
        {__LINE__, 100, 150, 20, 250, 0.001}, {__LINE__, 1000, 50, 150, 700, 0.00002},
        {__LINE__, 0.5, 100, 100, 100, 0.01},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tap_line = rows[i].line;
        struct world w = {.outside_w = rows[i].outside_w,
                          .inside_w = rows[i].inside_w,
                          .job_ns = 1000.0 * MS + 123457,
                          .phase_ns = rows[i].phase_us * 1000};
        w.job_end_ns = w.job_ns + rows[i].job_ms * 1e6;
        double truth = truth_j(&w, w.job_end_ns) - truth_j(&w, w.job_ns);
        struct wtl_summary s = measure(&w, true, 100 * MS);
        is_double(s.amount, truth, rows[i].relative * truth, "%g ms job by edges", rows[i].job_ms);
        ok(fabs(s.amount - truth) <= s.amount_half + UNIT_J,
           "the truth lies in the interval (%g of %g)", fabs(s.amount - truth), s.amount_half);
        is_double(s.mean_w, s.amount / (rows[i].job_ms * 1e-3), 1e-9 * s.mean_w, "mean power");
    }
    tap_line = 0;
}

/* The combined change of power at the two borders, which exact regions allow for. */
static void test_jump(void)
{
    struct wattle_channel channel = counter_channel();
    struct world w = {.outside_w = 50, .inside_w = 150, .job_ns = 1000.0 * MS + 123457};
    w.job_end_ns = w.job_ns + 10e6;
    struct wtl_tally tally;
    wtl_tally_init(&tally, &channel);
    ok(isnan(wtl_tally_jump_w(&tally)), "unknown before there is anything");
    poll_edges(&tally, &w, (uint64_t)w.job_ns - 4 * MS, 3);
    wtl_tally_begin(&tally, (uint64_t)w.job_ns);
    wtl_tally_end(&tally, (uint64_t)w.job_end_ns);
    ok(isnan(wtl_tally_jump_w(&tally)), "and without edges behind");
    poll_edges(&tally, &w, (uint64_t)w.job_end_ns + 3000, 3);
    is_double(wtl_tally_jump_w(&tally), 200, 2, "100 W up and 100 W down");
}

static void test_job_without_edges(void)
{
    struct world w = {.outside_w = 50, .inside_w = 150, .job_ns = 1e9, .job_end_ns = 1.1e9};
    struct wtl_summary s = measure(&w, false, MS);
    is_double(s.amount, 15.0, 0.4, "sampled at 1 kHz, no edges");
    ok(fabs(s.amount - 15.0) <= s.amount_half, "and the interval knows it (%g)", s.amount_half);
}

/* Both samples around the border are in one tick: the energy since the tick is unknown. */
static void test_border_within_a_tick(void)
{
    unsigned outside = 0, within = 0;
    for (int i = 0; i < 20; i++) {
        struct world w = {.outside_w = 100, .inside_w = 100, .job_ns = 1e9, .job_end_ns = 1.1e9};
        struct wattle_channel channel = counter_channel();
        struct wtl_tally tally;
        struct wtl_summary s;
        w.phase_ns = i * TICK_NS / 20;
        wtl_tally_init(&tally, &channel);
        (void)poll_edges(&tally, &w, 996 * MS, 3);
        wtl_tally_begin(&tally, 1000 * MS);
        wtl_tally_sample(&tally, 1050 * MS, shown(&w, 1050 * MS), false);
        wtl_tally_sample(&tally, 1100 * MS - 50000, shown(&w, 1100 * MS - 50000), false);
        wtl_tally_end(&tally, 1100 * MS);
        wtl_tally_sample(&tally, 1100 * MS + 50000, shown(&w, 1100 * MS + 50000), false);
        wtl_tally_summary(&tally, &s);
        within += shown(&w, 1100 * MS - 50000) == shown(&w, 1100 * MS + 50000);
        outside += fabs(s.amount - 10) > s.amount_half;
    }
    ok(within > 10, "most borders lie in a tick (%u of 20)", within);
    is_int(outside, 0, "the interval knows it in each");
}

static void test_power_statistics(void)
{
    struct world w = {.outside_w = 100, .inside_w = 100, .job_ns = 1e9, .job_end_ns = 2e9};
    struct wtl_summary s = measure(&w, true, MS);
    is_int(s.stat_window_ns, 128 * 976000, "stretches of 128 ticks");
    ok(s.min_w > 99 && s.max_w < 101, "constant power stays so: %g .. %g W", s.min_w, s.max_w);
    ok(s.sd_w < 0.6, "sd %g W is a tick's worth at most", s.sd_w);
    is_int(s.samples, 999, "samples in the window");
    ok(s.stale < 40, "few repeats at the tick's own rate (%d)", (int)s.stale);
    s = measure(&w, true, MS / 4);
    ok(s.stale > 2900, "sampling four times a tick repeats itself (%d)", (int)s.stale);
}

/* 60 W in units of unit_j, shown in ticks of tick_ns that are each late by up to 2 %, of a counter that claims
 * claimed_ns. */
static struct wtl_summary constant_of(uint64_t claimed_ns,
                                      double tick_ns,
                                      double unit_j,
                                      uint64_t every_ns,
                                      unsigned seed)
{
    struct wattle_channel channel = counter_channel();
    struct wtl_tally tally;
    struct wtl_summary summary;
    channel.scale = unit_j;
    channel.refresh_ns = claimed_ns;
    wtl_tally_init(&tally, &channel);
    for (uint64_t i = 0; i * every_ns <= 10000 * MS; i++) {
        double at = (double)(i * every_ns) + 20e3 * (double)((i * 7919 + seed) % 97) / 97;
        double n = floor(at / tick_ns),
               late = 0.02 * tick_ns * (double)((uint64_t)n * 31 % 17) / 17;
        if (n * tick_ns + late > at)
            late = 0.02 * tick_ns * (double)((uint64_t)--n * 31 % 17) / 17;
        if (i == 1)
            wtl_tally_begin(&tally, (uint64_t)at);
        wtl_tally_sample(&tally, (uint64_t)at,
                         (uint64_t)(60e-9 * fmax(n * tick_ns + late, 0) / unit_j), false);
    }
    wtl_tally_summary(&tally, &summary);
    return summary;
}

static struct wtl_summary constant(double tick_ns, double unit_j, uint64_t every_ns, unsigned seed)
{
    return constant_of((uint64_t)tick_ns, tick_ns, unit_j, every_ns, seed);
}

/* Samples are not synchronised with ticks: every other one sees one more. That is not a change of
 * power. */
static void test_constant_power(void)
{
    static const double ticks_ns[] = {976562.5, 1000000, 1000100},
                        units_j[] = {1.0 / 65536, 1.0 / 16384, 1.0 / 1024, 0.016};
    static const uint64_t every_ns[] = {MS, 5 * MS, 20 * MS, 100 * MS};
    double least = 60, most = 60;
    for (unsigned i = 0; i < 3 * 4 * 4; i++) {
        struct wtl_summary s = constant(ticks_ns[i % 3], units_j[i / 3 % 4], every_ns[i / 12], i);
        least = fmin(least, s.min_w);
        most = fmax(most, s.max_w);
    }
    ok(least >= 59.4 && most <= 60.6, "60 W are 60 W, within 1 %%: %g .. %g", least, most);
}

/* A counter that updates every 10 or 50 ms and claims 1 ms: its updates are not changes of power. */
static void test_slow_counter(void)
{
    static const double ticks_ns[] = {10.03e6, 50.1e6};
    static const uint64_t every_ns[] = {MS, 5 * MS, 7 * MS};
    for (unsigned i = 0; i < 6; i++) {
        double tick_ns = ticks_ns[i % 2];
        struct wtl_summary s = constant_of(1000000, tick_ns, 61e-6, every_ns[i / 2], i);
        ok(s.min_w > 58.5 && s.max_w < 61.5, "60 W are 60 W: %g .. %g", s.min_w, s.max_w);
        ok((double)s.stat_window_ns > 0.95 * fmax(20 * tick_ns, 250e6) &&
               (double)s.stat_window_ns < 1.05 * fmax(20 * tick_ns, 250e6),
           "over %.0f ms", (double)s.stat_window_ns * 1e-6);
        ok(fabs(s.amount - 60 * (10 - 1e-9 * (double)every_ns[i / 2])) < s.amount_half,
           "%g +- %g J", s.amount, s.amount_half);
    }
}

/* Extremes are over the stated stretch of 125 ms: a peak of 50 ms is not one of 900 W. */
static void test_brief_peak(void)
{
    struct world w = {.outside_w = 100, .inside_w = 900, .job_ns = 1e9, .job_end_ns = 1.05e9};
    struct wattle_channel channel = counter_channel();
    struct wtl_tally tally;
    struct wtl_summary s;
    wtl_tally_init(&tally, &channel);
    wtl_tally_sample(&tally, 499 * MS, shown(&w, 499 * MS), false);
    wtl_tally_begin(&tally, 500 * MS);
    for (uint64_t t = 510 * MS; t < 2000 * MS; t += 10 * MS)
        wtl_tally_sample(&tally, t, shown(&w, t), false);
    wtl_tally_summary(&tally, &s);
    double most_w = (50 * 900 + 75 * 100) / 125.0;
    ok(s.max_w > 200 && s.max_w <= 1.01 * most_w, "a peak of 900 W for 50 ms: %g of at most %g",
       s.max_w, most_w);
    ok(s.min_w > 99 && s.min_w <= 101, "and no dip beside it: %g", s.min_w);
}

/* Busy up to 90 ms after the start, or from 90 ms before the end: neither fills a stretch between samples. */
static void test_ends(void)
{
    static const double begins_ms[] = {500, 1410};
    for (size_t i = 0; i < 2; i++) {
        struct world w = {.outside_w = 30, .inside_w = 230, .job_ns = begins_ms[i] * 1e6};
        w.job_end_ns = w.job_ns + 90e6;
        struct wattle_channel channel = counter_channel();
        struct wtl_tally tally;
        struct wtl_summary s;
        wtl_tally_init(&tally, &channel);
        wtl_tally_sample(&tally, 500 * MS - 100000, shown(&w, 500 * MS - 100000), false);
        wtl_tally_begin(&tally, 500 * MS);
        for (uint64_t t = 600 * MS; t < 1500 * MS; t += 100 * MS)
            wtl_tally_sample(&tally, t, shown(&w, t), false);
        wtl_tally_end(&tally, 1500 * MS);
        wtl_tally_sample(&tally, 1500 * MS + 100000, shown(&w, 1500 * MS + 100000), false);
        wtl_tally_summary(&tally, &s);
        ok(s.min_w <= s.mean_w && s.mean_w <= s.max_w, "mean %g W, min..max %g..%g W", s.mean_w,
           s.min_w, s.max_w);
        ok(s.max_w > 80 && s.max_w <= (90 * 230 + 35 * 30) / 125.0,
           "the busy end is in the maximum: %g W", s.max_w);
        ok(s.min_w > 29 && s.min_w < 31, "the rest in the minimum: %g W", s.min_w);
    }
}

/* A counter that stood still once is not one that updates slowly. */
static void test_stood_once(void)
{
    struct wattle_channel channel = counter_channel();
    struct wtl_tally tally;
    struct wtl_summary s;
    wtl_tally_init(&tally, &channel);
    wtl_tally_sample(&tally, 499 * MS, 0, false);
    wtl_tally_begin(&tally, 500 * MS);
    for (uint64_t t = 600 * MS; t <= 1500 * MS; t += 100 * MS) {
        uint64_t shown_ms = t > 1000 * MS && t < 1200 * MS ? 1000 : t / MS;
        wtl_tally_sample(&tally, t, (uint64_t)((double)(shown_ms - 499) * 60e-3 / UNIT_J), false);
    }
    wtl_tally_summary(&tally, &s);
    is_int(s.stat_window_ns, 128 * 976000, "over 125 ms");
    ok(s.min_w > 59 && s.max_w < 61, "60 W are 60 W: %g .. %g", s.min_w, s.max_w);
}

/* A recording of a gauge begins with its first sample, which counts like the others. */
static void test_first_sample(void)
{
    static const double values[] = {100, 10, 20, 10};
    struct wattle_channel channel = {
        .quantity = WATTLE_POWER, .kind = WATTLE_GAUGE, .scale = 1, .domain = WATTLE_DOMAIN_NODE};
    for (unsigned ahead = 0; ahead < 2; ahead++) { /* and one that was read before the start */
        struct wtl_tally tally;
        struct wtl_summary s;
        wtl_tally_init(&tally, &channel);
        for (unsigned i = 0; i < 4; i++) {
            if (i == 1)
                wtl_tally_begin(&tally, (1000 + ahead * 500) * MS);
            wtl_tally_sample(&tally, (1000 + i * 1000) * MS, (uint64_t)values[i], false);
        }
        wtl_tally_end(&tally, 4000 * MS);
        wtl_tally_summary(&tally, &s);
        is_int(s.samples, ahead ? 3 : 4, "samples");
        is_double(s.max_w, ahead ? 20 : 100, 0, "the greatest");
        is_double(s.min_w, 10, 0, "the least");
        is_double(s.mean_w, ahead ? (16.25 + 30) / 2.5 : 85.0 / 3, 1e-9, "the mean");
        is_int(s.unknown_ns, 0, "all is known");
    }
}

/* Cut off before the measurement began: one reading and polls of the same tick are not an energy of
 * 0. */
static void test_polls_alone(void)
{
    struct wattle_channel channel = counter_channel();
    struct wtl_tally tally;
    struct wtl_summary s;
    wtl_tally_init(&tally, &channel);
    wtl_tally_sample(&tally, 1000 * MS, 0, false);
    for (unsigned i = 1; i < 8; i++)
        wtl_tally_sample(&tally, 1000 * MS + i * MS / 2, i / 2, true);
    wtl_tally_summary(&tally, &s);
    ok(isnan(s.amount) && s.unknown_ns > 0, "unknown: %g J", s.amount);
    wtl_tally_sample(&tally, 1100 * MS, 100, false);
    wtl_tally_summary(&tally, &s);
    is_double(s.amount, 100 * UNIT_J, 2 * UNIT_J, "a recording that has no borders is known");
}

static void test_gaps(void)
{
    static const struct {
        int line;
        enum wtl_gap_reason reason;
        bool unknown;
    } rows[] = {
        {__LINE__, WTL_GAP_READ_FAILED, false}, {__LINE__, WTL_GAP_OVERRUN, false},
        {__LINE__, WTL_GAP_RESET, true},        {__LINE__, WTL_GAP_LOST_WRAP, true},
        {__LINE__, WTL_GAP_STALLED, true},
    };
    struct wattle_channel channel = counter_channel();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tap_line = rows[i].line;
        struct wtl_tally tally;
        struct wtl_summary s;
        struct wtl_gap gap = {.reason = rows[i].reason, .begin_ns = 400 * MS, .end_ns = 600 * MS};
        wtl_tally_init(&tally, &channel);
        /* 16384 ticks a second = 1 W; ticks stand still over a gap that hides them */
        uint64_t hidden = rows[i].unknown ? 3277 : 0;
        wtl_tally_sample(&tally, 0, 0, false);
        wtl_tally_begin(&tally, 0);
        for (unsigned t = 100; t <= 1000; t += 100) {
            if (t == 500)
                continue;
            if (t == 600)
                wtl_tally_gap(&tally, &gap);
            uint64_t ticks = 16384ull * t / 1000;
            wtl_tally_sample(&tally, t * MS, t >= 600 ? ticks - hidden : ticks, false);
        }
        wtl_tally_end(&tally, 1000 * MS);
        wtl_tally_summary(&tally, &s);
        is_int(s.gaps, 1, "%s is counted", wtl_gap_reason_name(rows[i].reason));
        is_int(s.gap_ns, 200 * MS, "its length");
        is_int(s.gap_reasons, 1u << rows[i].reason, "its reason");
        is_double(s.amount, rows[i].unknown ? 0.8 : 1.0, 1e-3, "no joule is guessed or lost");
        is_double(s.mean_w, 1, 2e-3, "the mean is over the known time");
        is_int(s.unknown_ns, rows[i].unknown ? 200 * MS : 0, "time without energy");
    }
    tap_line = 0;
}

/* Polls that see three ticks from the first one after t on; hidden: ticks that the counter
 * missed. */
static void take_edges(struct wtl_tally *tally, const struct world *w, uint64_t t, uint64_t hidden)
{
    double next = ceil(((double)t - w->phase_ns) / TICK_NS);
    for (unsigned i = 0; i < 3; i++) {
        uint64_t tick_ns = (uint64_t)((next + i) * TICK_NS + w->phase_ns);
        wtl_tally_sample(tally, tick_ns - 1000, shown(w, tick_ns - 1000) - hidden, true);
        wtl_tally_sample(tally, tick_ns + 1000, shown(w, tick_ns + 1000) - hidden, true);
    }
}

/* If the known time begins or ends in mid-run, it does so at a tick of the counter, some time
 * before the sample. */
/* A gap that loses energy is inside one that does not, for example when the rows around it are
 * damaged: no sample shows the energy of either. */
static void test_gap_within_a_gap(void)
{
    struct wattle_channel channel = counter_channel();
    const struct wtl_gap gaps[] = {
        {.reason = WTL_GAP_DAMAGED, .begin_ns = 300 * MS, .end_ns = 700 * MS},
        {.reason = WTL_GAP_SUSPENDED, .begin_ns = 500 * MS, .end_ns = 501 * MS},
    };
    struct wtl_tally tally;
    struct wtl_summary s;
    wtl_tally_init(&tally, &channel);
    wtl_tally_sample(&tally, 0, 0, false);
    wtl_tally_begin(&tally, 0);
    for (unsigned t = 100; t <= 1000; t += 100) {
        if (t > 300 && t < 700)
            continue;
        for (size_t i = 0; i < 2 && t == 700; i++)
            wtl_tally_gap(&tally, &gaps[i]);
        wtl_tally_sample(&tally, t * MS, 16384ull * t / 1000, false);
    }
    wtl_tally_end(&tally, 1000 * MS);
    wtl_tally_summary(&tally, &s);
    is_double(s.amount, 0.6, 1e-3, "what the samples tell");
    is_int(s.unknown_ns, 400 * MS, "the rest of the time is unknown, not a millisecond of it");
    is_double(s.mean_w, 1, 2e-3, "the power is that of the known time");
}

/*
 * The rows around the beginning of a stall are damaged. Constant power of 1 W up to 500 ms, the
 * counter stands still for 400 ms; between 300 and 700 ms nothing was read. It is unknown how much
 * of the growth between these was counted before the counter stopped: it is excluded, once, with
 * all of that time.
 */
static void test_stall_begins_in_damage(void)
{
    struct wattle_channel channel = counter_channel();
    const struct wtl_gap damage = {
        .reason = WTL_GAP_DAMAGED, .begin_ns = 300 * MS, .end_ns = 700 * MS};
    const struct wtl_gap stalls[] = {
        {.reason = WTL_GAP_STALLED, .begin_ns = 500 * MS, .end_ns = 750 * MS},
        {.reason = WTL_GAP_STALLED, .begin_ns = 750 * MS, .end_ns = 900 * MS},
        {.reason = WTL_GAP_IMPLAUSIBLE_VALUE,
         .begin_ns = 650 * MS,
         .end_ns = 950 * MS}, /* over both */
    };
    struct wtl_tally tally;
    struct wtl_summary s;
    wtl_tally_init(&tally, &channel);
    wtl_tally_sample(&tally, 0, 0, false);
    wtl_tally_begin(&tally, 0);
    for (unsigned t = 50; t <= 1500; t += 50) {
        if (t > 300 && t < 700)
            continue;
        if (t == 700)
            wtl_tally_gap(&tally, &damage);
        for (size_t i = 0; i < 3; i++)
            if (stalls[i].end_ns == t * MS)
                wtl_tally_gap(&tally, &stalls[i]);
        wtl_tally_sample(&tally, t * MS, 16384ull * (t > 500 && t < 900 ? 500 : t) / 1000, false);
    }
    wtl_tally_end(&tally, 1500 * MS);
    wtl_tally_summary(&tally, &s);
    is_double(s.amount, 0.85, 1e-3, "what is known, nothing left out twice");
    is_int(s.unknown_ns, 650 * MS, "and since the last row before the damage all is unknown");
    is_double(s.mean_w, 1, 2e-3, "the power is that of the known time");
}

static void test_lags(void)
{
    static const struct {
        const char *name;
        bool ahead;        /* it was read before the start */
        uint64_t begin_ns; /* the loss; 0 = none: it was first read at its end */
        uint64_t known_ns;
    } rows[] = {
        {"little is left beside a loss", true, 13100000, 13100000},
        {"it was first read in mid-run", false, 0, 5000000},
    };
    const struct world w = {.outside_w = 15, .phase_ns = 100000};
    const uint64_t start_ns = 5000000, behind_ns = 1005000000, end_ns = 1010000000;
    struct wattle_channel channel = counter_channel();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct wtl_tally tally;
        struct wtl_summary s;
        struct wtl_gap gap = {
            .reason = WTL_GAP_LOST_WRAP, .begin_ns = rows[i].begin_ns, .end_ns = behind_ns};
        uint64_t hidden = rows[i].begin_ns ? shown(&w, behind_ns) - shown(&w, rows[i].begin_ns) : 0;
        wtl_tally_init(&tally, &channel);
        if (rows[i].ahead)
            take_edges(&tally, &w, 1900000, 0);
        wtl_tally_begin(&tally, start_ns);
        if (rows[i].begin_ns) {
            wtl_tally_sample(&tally, gap.begin_ns, shown(&w, gap.begin_ns), false);
            wtl_tally_gap(&tally, &gap);
        }
        wtl_tally_sample(&tally, behind_ns, shown(&w, behind_ns) - hidden, false);
        wtl_tally_end(&tally, end_ns);
        take_edges(&tally, &w, end_ns, hidden);
        wtl_tally_summary(&tally, &s);
        double half_j = s.amount_half, tick_j = 15 * 1e-9 * TICK_NS;
        is_int(s.unknown_ns, end_ns - start_ns - rows[i].known_ns, "%s: unknown", rows[i].name);
        is_double(s.amount, 15e-9 * (double)rows[i].known_ns, half_j, "%s: energy", rows[i].name);
        ok(half_j > tick_j && half_j < 4 * tick_j, "%s: interval of some ticks, %g of %g J",
           rows[i].name, half_j, tick_j);
    }
}

/* Nothing follows a stall: what was counted before it is known to within some ticks. */
static void test_stall_up_to_the_end(void)
{
    const struct world w = {.outside_w = 15, .phase_ns = 100000};
    const uint64_t start_ns = 5000000, stood_ns = 300000000, end_ns = 1010000000;
    struct wattle_channel channel = counter_channel();
    struct wtl_gap gap = {.reason = WTL_GAP_STALLED, .begin_ns = stood_ns, .end_ns = 800000000};
    struct wtl_tally tally;
    struct wtl_summary s;
    wtl_tally_init(&tally, &channel);
    take_edges(&tally, &w, 1900000, 0);
    wtl_tally_begin(&tally, start_ns);
    for (uint64_t t = stood_ns / 3; t < 700000000; t += stood_ns / 3)
        wtl_tally_sample(&tally, t, shown(&w, t < stood_ns ? t : stood_ns), false);
    wtl_tally_gap(&tally, &gap);
    gap.begin_ns = gap.end_ns;
    gap.end_ns = 1020000000;
    wtl_tally_end(&tally, end_ns);
    wtl_tally_gap(&tally, &gap);
    wtl_tally_summary(&tally, &s);
    double half_j = s.amount_half, tick_j = 15 * 1e-9 * TICK_NS;
    is_int(s.unknown_ns, end_ns - stood_ns, "unknown up to the end");
    is_double(s.amount, 15e-9 * (double)(stood_ns - start_ns), half_j, "what is known");
    ok(half_j < 4 * tick_j, "to some ticks: %g of %g J", half_j, tick_j);
}

/* A gap that extends to a border, and the unseen time there, are one: counted once. */
static void test_gap_at_border(void)
{
    struct wattle_channel channel = counter_channel();
    struct wtl_gap stall = {.reason = WTL_GAP_STALLED, .begin_ns = 300 * MS, .end_ns = 5000 * MS};
    struct wtl_gap failed = {.reason = WTL_GAP_READ_FAILED, .end_ns = 1000 * MS};
    struct wtl_tally tally;
    struct wtl_summary s;
    wtl_tally_init(&tally, &channel);
    for (unsigned t = 0; t <= 500; t += 100) { /* two more looks until it counts as a stall */
        if (t == 100)
            wtl_tally_begin(&tally, 50 * MS);
        wtl_tally_sample(&tally, t * MS, 16384ull * (t > 300 ? 300 : t) / 1000, false);
    }
    wtl_tally_end(&tally, 1050 * MS);
    wtl_tally_gap(&tally, &stall);
    wtl_tally_summary(&tally, &s);
    is_int(s.unknown_ns, 750 * MS, "a stall up to the end");
    is_double(s.amount, 0.25, 1e-3, "what was counted before");
    is_double(s.mean_w, 1, 5e-3, "its mean is over the known time");

    failed.begin_ns = 800 * MS; /* later readings failed, but the counter was known to count until
                                 * then */
    wtl_tally_init(&tally, &channel);
    wtl_tally_begin(&tally, 0);
    stall.begin_ns = 0;
    stall.end_ns = 400 * MS;
    wtl_tally_gap(&tally, &stall);
    wtl_tally_sample(&tally, 400 * MS, 0, false);
    wtl_tally_sample(&tally, 800 * MS, 6554, false);
    wtl_tally_end(&tally, 1000 * MS);
    wtl_tally_gap(&tally, &failed);
    wtl_tally_summary(&tally, &s);
    is_int(s.unknown_ns, 600 * MS, "a gap at the start, and no reading after 800 ms");
    is_int(s.gaps, 2, "two gaps");
}

/* A counter that stood still and caught up has neither drawn nothing nor everything at once; one
 * that stopped between two samples has counted only part of its last growth. */
static void test_standstill(void)
{
    struct wattle_channel channel = counter_channel();
    struct wtl_gap stall = {.reason = WTL_GAP_STALLED, .begin_ns = 1500 * MS, .end_ns = 3000 * MS};
    struct wtl_tally tally;
    struct wtl_summary s;
    channel.domain = WATTLE_DOMAIN_PACKAGE;
    channel.refresh_ns = MS;
    wtl_tally_init(&tally, &channel);
    wtl_tally_sample(&tally, 0, 0, false);
    wtl_tally_begin(&tally, 0);
    for (uint64_t t = 10; t <= 2000; t += 10) {
        bool stands = (t > 500 && t < 900);
        wtl_tally_sample(&tally, t * MS, 16384ull * (stands ? 500 : t) / 1000, false);
    }
    wtl_tally_end(&tally, 2000 * MS);
    wtl_tally_summary(&tally, &s);
    is_int(s.unknown_ns, 0, "caught up: nothing is lost");
    ok(s.min_w > 0.9 && s.max_w < 1.1, "caught up: %.2f to %.2f W", s.min_w, s.max_w);

    wtl_tally_init(&tally, &channel);
    wtl_tally_sample(&tally, 0, 0, false);
    wtl_tally_begin(&tally, 0);
    for (uint64_t t = 500; t <= 3000; t += 500) /* it stopped at 1900 ms */
        wtl_tally_sample(&tally, t * MS, 16384ull * (t > 1900 ? 1900 : t) / 1000, false);
    wtl_tally_end(&tally, 3000 * MS);
    wtl_tally_gap(&tally, &stall);
    wtl_tally_summary(&tally, &s);
    is_double(s.amount, 1.5, 1e-3, "stopped: energy is that of the known time");
    is_int(s.unknown_ns, 1500 * MS, "stopped: from the last sample that saw it count all the time");
    is_double(s.mean_w, 1, 1e-3, "stopped: the mean is of the known time");
    ok(s.min_w > 0.99, "stopped: no stretch of a part of the power, %.2f", s.min_w);
}

/* Constant power is the minimum, whenever the counter stops, and however much of that the samples
 * show. */
static void test_least_before_a_stall(void)
{
    struct wattle_channel channel = counter_channel();
    channel.domain = WATTLE_DOMAIN_PACKAGE;
    channel.refresh_ns = MS;
    double least = INFINITY, most = 0;
    for (uint64_t every = 5; every <= 200; every += 13) {
        for (uint64_t stop = 1000; stop < 1500; stop += 7) {
            struct wtl_tally tally;
            struct wtl_summary s;
            struct wtl_gap stall = {.reason = WTL_GAP_STALLED};
            wtl_tally_init(&tally, &channel);
            wtl_tally_sample(&tally, 0, 0, false);
            wtl_tally_begin(&tally, 0);
            uint64_t last = 0;
            for (uint64_t t = every; t < stop + 8 + 2 * every; t += every) {
                wtl_tally_sample(&tally, t * MS, 163840ull * (t > stop ? stop : t) / 1000, false);
                last = t;
            }
            stall.begin_ns = stop / every * every * MS;
            stall.end_ns = last * MS;
            wtl_tally_gap(&tally, &stall);
            wtl_tally_sample(&tally, last * MS, 163840ull * stop / 1000, false);
            for (uint64_t t = last + every; t <= last + 1000; t += every)
                wtl_tally_sample(&tally, t * MS, 163840ull * (stop + t - last) / 1000, false);
            wtl_tally_end(&tally, (last + 1000) * MS);
            wtl_tally_summary(&tally, &s);
            least = fmin(least, s.min_w);
            most = fmax(most, s.max_w);
        }
    }
    /* The maximum is at least the mean, whose energy and known time may be of samples a tick apart. */
    ok(least > 9.99 && most < 10.03, "10 W are %.3f to %.3f W beside a stall", least, most);
}

/* Edges 8 ticks apart, each showing an older energy: the interval has to allow for both. */
static void test_slow_edges(void)
{
    struct wattle_channel channel = counter_channel();
    struct wtl_tally tally;
    struct wtl_summary s;
    wtl_tally_init(&tally, &channel);
    for (unsigned i = 0; i < 3; i++) { /* 100 W: 800 mJ each time; one poll on either side */
        wtl_tally_sample(&tally, (8 * i + 1) * MS - 1000, 13107u * i, true);
        wtl_tally_sample(&tally, (8 * i + 1) * MS + 1000, 13107u * (i + 1), true);
    }
    wtl_tally_begin(&tally, 20 * MS);
    for (unsigned i = 3; i < 100; i++)
        wtl_tally_sample(&tally, (8 * i + 2) * MS, 13107u * (i + 1), false);
    wtl_tally_end(&tally, 796 * MS);
    wtl_tally_sample(&tally, 800 * MS, 13107u * 100, false);
    wtl_tally_summary(&tally, &s);
    ok(s.amount_half > 0.8 && s.amount_half < 4, "an interval of some steps: %g", s.amount_half);
    is_double(s.amount, 77.6, s.amount_half, "holds the truth");
}

/* 20 W, and 120 W from the start at 1.02 s on: what a counter shows at t that ticks every 100 ms. */
static uint64_t polled_slow_value(unsigned t_us, unsigned phase_ms)
{
    double seconds = (t_us / 1000 + phase_ms) / 100 * 0.1 - phase_ms * 1e-3;
    return (uint64_t)((20 * seconds + 100 * fmax(0, seconds - 1.02)) * 16384);
}

/* Polls before the start saw a counter that claims 1 ms stand still for 20 ms: it ticks every 100 ms, and so often it is
 * sampled. The energy so far, which has no polls after it, allows for a value that is a tick old, whatever the phase. */
static void test_polled_slow(void)
{
    struct wattle_channel channel = counter_channel();
    unsigned outside = 0, vague = 0;
    for (unsigned i = 0; i < 400; i++) {
        unsigned phase = i % 20 * 5, later = 5 + i / 20 * 5, last = 1020 + later + 1000;
        struct wtl_tally tally;
        struct wtl_summary s;
        wtl_tally_init(&tally, &channel);
        for (unsigned t = 1000000; t <= 1020000;
             t += 100) { /* of a stand, the first and the last poll */
            uint64_t value = polled_slow_value(t, phase);
            if (t == 1000000 || t == 1020000 || value != polled_slow_value(t - 100, phase) ||
                value != polled_slow_value(t + 100, phase))
                wtl_tally_sample(&tally, t * (MS / 1000), value, true);
        }
        wtl_tally_begin(&tally, 1020 * MS);
        for (unsigned t = 1020 + later; t <= last; t += 100)
            wtl_tally_sample(&tally, t * MS, polled_slow_value(1000 * t, phase), false);
        wtl_tally_summary(&tally, &s);
        outside += fabs(s.amount - 0.12 * (last - 1020)) > s.amount_half;
        vague += !(s.amount_half < 40);
    }
    is_int(outside, 0, "120 W since the start are in the interval");
    is_int(vague, 0, "which is of the size of two ticks");
}

/* A counter that ticks every second without saying so. */
static void test_unknown_refresh(void)
{
    struct wattle_channel channel = counter_channel();
    struct wtl_tally tally;
    struct wtl_summary s;
    channel.refresh_ns = 0;
    wtl_tally_init(&tally, &channel);
    for (unsigned t = 0; t <= 10500; t += 700) {
        if (t == 700)
            wtl_tally_begin(&tally, 650 * MS);
        if (t == 10500)
            wtl_tally_end(&tally, 10100 * MS);
        wtl_tally_sample(&tally, t * MS, 16384ull * (t / 1000), false);
    }
    wtl_tally_summary(&tally, &s);
    ok(s.amount_half > 0.9 && s.amount_half < 4, "is unsure by ticks of 1 s: %g J", s.amount_half);
    is_double(s.amount, 9.45, s.amount_half, "holds the truth");
}

/* A battery's gauge: steps of 10 s, read every second. For every phase of the window the interval
 * contains the truth. */
static void test_steps(void)
{
    struct wattle_channel channel = counter_channel();
    unsigned outside = 0, vague = 0;
    channel.refresh_ns = 0;
    for (unsigned phase = 0; phase < 100; phase++) {
        struct wtl_tally tally;
        struct wtl_summary s;
        uint64_t start = 500 + 100u * phase, end = start + 45000;
        wtl_tally_init(&tally, &channel);
        for (uint64_t t = 0; t <= 60000; t += 1000) {
            if (t >= start && t < start + 1000)
                wtl_tally_begin(&tally, start * MS);
            if (t >= end && t < end + 1000)
                wtl_tally_end(&tally, end * MS);
            wtl_tally_sample(&tally, t * MS, 16384ull * 12 * (t / 10000 * 10), false);
        }
        wtl_tally_summary(&tally, &s);
        outside += fabs(s.amount - 12 * 45.0) > s.amount_half;
        vague += !(s.amount_half < 3 * 120);
    }
    ok(outside <= 5, "95 %% of the intervals hold 12 W for 45 s; not %u of 100", outside);
    is_int(vague, 0, "and they are of the size of a step");
}

/* Shorter than one update of a slow counter: no change is not 0 J. A domain that may sleep, or a
 * counter that counts, is left unchanged. */
static void test_shorter_than_an_update(void)
{
    static const struct {
        enum wattle_domain domain;
        uint64_t growth;
        double half_j;
    } rows[] = {{WATTLE_DOMAIN_NODE, 0, 30000 * 0.02},
                {WATTLE_DOMAIN_PACKAGE, 0, 3000 * 0.02},
                {WATTLE_DOMAIN_GPU, 0, 0},
                {WATTLE_DOMAIN_NODE, 50, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct wattle_channel channel = counter_channel();
        struct wtl_tally tally;
        struct wtl_summary s;
        channel.domain = rows[i].domain;
        channel.refresh_ns = 100 * MS;
        channel.scale = 1;
        channel.max_w = 0;
        wtl_tally_init(&tally, &channel);
        wtl_tally_sample(&tally, 0, 0, false);
        wtl_tally_begin(&tally, 1 * MS);
        wtl_tally_end(&tally, 21 * MS);
        wtl_tally_sample(&tally, 22 * MS, rows[i].growth, false);
        wtl_tally_summary(&tally, &s);
        if (rows[i].half_j > 0)
            is_double(s.amount_half, rows[i].half_j, 1e-9, "all that it can draw");
        else
            ok(s.amount_half < 500, "+- %g J", s.amount_half);
    }
}

static void test_few_samples(void)
{
    struct wattle_channel channel = counter_channel();
    struct wtl_tally tally;
    struct wtl_summary s;
    wtl_tally_init(&tally, &channel);
    wtl_tally_summary(&tally, &s);
    ok(isnan(s.amount) && isnan(s.mean_w) && isnan(s.min_w), "nothing known of nothing");
    wtl_tally_begin(&tally, 1000);
    wtl_tally_end(&tally, 2000);
    wtl_tally_summary(&tally, &s);
    ok(isnan(s.amount), "a window without a sample has no energy");
    wtl_tally_init(&tally, &channel);
    wtl_tally_sample(&tally, 5 * MS, 1u << 20, false);
    wtl_tally_sample(&tally, 1005 * MS, (1u << 20) + 16384, false);
    wtl_tally_summary(&tally, &s);
    is_double(s.amount, 1, 1e-9, "never told of a window: it is what was sampled");
    wtl_tally_sample(&tally, 900 * MS, 0, false);
    wtl_tally_summary(&tally, &s);
    is_double(s.amount, 1, 1e-9, "a sample out of time is ignored");
}

/* Readings of a counter that were too high are known to be wrong once it falls: what they made of the power is taken back. */
static void test_extremes_of_wrong_readings(void)
{
    const struct world w = {.outside_w = 90};
    struct wattle_channel channel = counter_channel();
    struct wtl_tally tally;
    struct wtl_summary summary;
    uint64_t lost = 0;
    wtl_tally_init(&tally, &channel);
    wtl_tally_sample(&tally, 0, 0, false);
    wtl_tally_begin(&tally, 0);
    for (uint64_t k = 1; k <= 30; k++) {
        bool high = k >= 11 && k <= 16;
        uint64_t t = k * 100 * MS, value = shown(&w, t) + (high ? (uint64_t)(40 / UNIT_J) : 0);
        if (k == 17) {
            wtl_tally_gap(&tally, &(struct wtl_gap){
                                      .reason = WTL_GAP_RESET, .begin_ns = 1000 * MS, .end_ns = t});
            lost = shown(&w, 1600 * MS) + (uint64_t)(40 / UNIT_J) - value;
        }
        wtl_tally_sample(&tally, t, value + lost, false);
    }
    wtl_tally_end(&tally, 3000 * MS);
    wtl_tally_summary(&tally, &summary);
    is_double(summary.max_w, 90, 0.1, "the maximum is without them");
    is_double(summary.min_w, 90, 0.1, "and so is the minimum");
    is_int(summary.unknown_ns, 700 * MS, "their time is unknown");
}

int main(void)
{
    test_extremes_of_wrong_readings();
    test_job_by_edges();
    test_jump();
    test_job_without_edges();
    test_border_within_a_tick();
    test_power_statistics();
    test_constant_power();
    test_slow_counter();
    test_brief_peak();
    test_ends();
    test_stood_once();
    test_first_sample();
    test_polls_alone();
    test_gaps();
    test_gap_within_a_gap();
    test_stall_begins_in_damage();
    test_lags();
    test_stall_up_to_the_end();
    test_gap_at_border();
    test_standstill();
    test_least_before_a_stall();
    test_slow_edges();
    test_polled_slow();
    test_unknown_refresh();
    test_steps();
    test_shorter_than_an_update();
    test_few_samples();
    return done_testing();
}
