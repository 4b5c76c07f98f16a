/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Energies of regions compared with analytic truth: a counter whose power is a known staircase,
 * ticking on a known grid, sampled every millisecond. Each result must be within its own interval
 * of the truth, and the interval narrow where possible.
 */
#include <errno.h>
#include <math.h>

#include "tap.h"
#include "trace/regions/region_channel.h"
#include "trace/regions/region_energy.h"

#define MS       UINT64_C(1000000)
#define START    (1000 * MS) /* time 0 of the test */
#define UNIT_J   61e-6
#define PERIOD   976563u
#define SPAN_MS  1200
#define FROM_MS  300 /* the window */
#define UNTIL_MS 1000

/* Power: 50 W, 150 W from 500 to 600 ms, 100 W from 700 to 720 ms. */
static double energy_at(double ms)
{
    double joules = 50 * ms;

    joules += 100 * (fmin(fmax(ms, 500), 600) - 500);
    joules += 50 * (fmin(fmax(ms, 700), 720) - 700);
    return joules * 1e-3;
}

static uint64_t counter_at(uint64_t ns)
{
    uint64_t tick = (ns + 333333) / PERIOD * PERIOD;

    return tick < 333333 ? 0 : (uint64_t)(energy_at((double)(tick - 333333) * 1e-6) / UNIT_J);
}

static const struct wattle_channel channels[] = {
    {.quantity = WATTLE_ENERGY, .kind = WATTLE_COUNTER, .scale = UNIT_J, .refresh_ns = PERIOD},
    {.quantity = WATTLE_POWER, .kind = WATTLE_GAUGE, .scale = 1e-3},
    {.quantity = WATTLE_TEMPERATURE, .kind = WATTLE_GAUGE, .scale = 1},
};

/* Marks of a row: "500+a 600-a", milliseconds; a second thread by a capital letter. */
struct region {
    char name; /* '*' = untagged */
    uint64_t union_ms, exclusive_ms;
    double inclusive_j, exclusive_j;
    unsigned count;
};

static const struct row {
    int line;
    const char *marks;
    struct region want[4];
} rows[] = {
    {__LINE__, "500+a 600-a", {{'a', 100, 100, 15, 15, 1}, {'*', 600, 600, 31, 31, 2}}},
    {__LINE__,
     "400+a 500+b 600-b 650-a",
     {{'a', 250, 150, 22.5, 7.5, 1}, {'b', 100, 100, 15, 15, 1}, {'*', 450, 450, 23.5, 23.5, 2}}},
    /* recursion */
    {__LINE__,
     "400+a 500+a 600-a 650-a",
     {{'a', 250, 250, 22.5, 22.5, 2}, {'*', 450, 450, 23.5, 23.5, 2}}},
    /* two threads, overlapping: the union once; innermost on one thread or the other */
    {__LINE__, "450+a 500+A 600-a 650-A", {{'a', 200, 200, 20, 20, 2}, {'*', 500, 500, 26, 26, 2}}},
    {__LINE__,
     "400+a 500+B 600-B 650-a",
     {{'a', 250, 250, 22.5, 22.5, 1}, {'b', 100, 100, 15, 15, 1}, {'*', 450, 450, 23.5, 23.5, 2}}},
    /* crossing the borders of the window */
    {__LINE__, "100+a 500-a", {{'a', 200, 200, 10, 10, 1}, {'*', 500, 500, 36, 36, 1}}},
    {__LINE__, "600+a 1100-a", {{'a', 400, 400, 21, 21, 1}, {'*', 300, 300, 25, 25, 1}}},
    {__LINE__, "700+a", {{'a', 300, 300, 16, 16, 1}, {'*', 400, 400, 30, 30, 1}}},
    /* crossing regions: a 500-600, b 550-650 */
    {__LINE__,
     "500+a 550+b 600-a 650-b",
     {{'a', 100, 50, 15, 7.5, 1}, {'b', 100, 100, 10, 10, 1}, {'*', 550, 550, 28.5, 28.5, 2}}},
    {__LINE__, "50+a 60-a", {{'a', 0, 0, 0, 0, 0}, {'*', 700, 700, 46, 46, 1}}},
};

static struct wtl_region_energy *start(void)
{
    struct wtl_region_energy *energy = NULL;

    is_int(wtl_region_energy_create(channels, 3, START + FROM_MS * MS, START + UNTIL_MS * MS,
                                    &energy, NULL),
           0, "created");
    return energy;
}

static bool feed_sample(struct wtl_region_energy *energy, unsigned ms)
{
    uint64_t time = START + ms * MS + ms * 7919 % 20000;
    uint64_t ns = time - START;
    double watts = (energy_at((double)ms + 0.5) - energy_at((double)ms - 0.5)) * 1e3;

    return wtl_region_energy_sample(energy, 0, time, counter_at(ns), false) == 0 &&
           wtl_region_energy_sample(energy, 1, time, (uint64_t)(watts * 1e3), false) == 0 &&
           wtl_region_energy_sample(energy, 2, time, 40, false) == 0 &&
           wtl_region_energy_advance(energy) == 0;
}

static bool feed_marks(struct wtl_region_energy *energy, const char *marks)
{
    bool good = true;

    for (const char *at = marks; *at;) {
        char *next;
        unsigned long ms = strtoul(at, &next, 10);
        bool second = next[1] < 'a';
        struct wtl_mark mark = {.time_ns = START + ms * MS,
                                .thread = second,
                                .name = (uint32_t)(second ? next[1] + 'a' - 'A' : next[1]),
                                .kind = next[0] == '+' ? WTL_MARK_BEGIN : WTL_MARK_END};

        good = good && wtl_region_energy_mark(energy, &mark) == 0;
        at = next + 2;
        at += *at == ' ';
    }
    return good;
}

static const struct wtl_region_result *find(const struct wtl_region_energy *energy, char name)
{
    for (size_t i = 0; i < wtl_region_energy_count(energy); i++) {
        const struct wtl_region_result *result = wtl_region_energy_result(energy, i);

        if (result->name == (name == '*' ? 0 : (uint32_t)name))
            return result;
    }
    return NULL;
}

static void check_joules(const struct wtl_energy *got, double want, const char *what)
{
    ok(fabs(got->j - want) <= got->half_j + 1e-6, "%s: %.4f +- %.4f J holds %.4f", what, got->j,
       got->half_j, want);
    ok(got->half_j < 0.05, "%s: narrow", what);
}

static void check_row(const struct row *row, bool marks_first)
{
    struct wtl_region_energy *energy = start();
    bool good = !marks_first || feed_marks(energy, row->marks);

    for (unsigned ms = 2; ms < SPAN_MS; ms++)
        good = feed_sample(energy, ms) && good;
    good = good && (marks_first || feed_marks(energy, row->marks));
    wtl_region_energy_marked(energy, UINT64_MAX);
    ok(good, "%s: fed", row->marks);
    is_int(wtl_region_energy_finish(energy), 0, "%s: finished", row->marks);
    for (const struct region *want = row->want; want->name; want++) {
        const struct wtl_region_result *got = find(energy, want->name);

        if (!ok(got != NULL, "%s: %c is there", row->marks, want->name))
            continue;
        is_int(got->union_ns, want->union_ms * MS, "%c: union", want->name);
        is_int(got->exclusive_union_ns, want->exclusive_ms * MS, "%c: exclusive", want->name);
        is_int(got->count, want->count, "%c: count", want->name);
        check_joules(&got->inclusive[0], want->inclusive_j, "counter, inclusive");
        check_joules(&got->exclusive[0], want->exclusive_j, "counter, exclusive");
        is_double(got->inclusive[1].j, want->inclusive_j, 0.15, "gauge, inclusive");
        ok(isnan(got->inclusive[2].j), "a temperature has no energy");
    }
    /* With one or more threads: the union of all regions and the rest are the whole window. */
    double all = energy_at(UNTIL_MS) - energy_at(FROM_MS);

    is_double(find(energy, '*')->inclusive[0].j, all, all, "untagged is within the window");
    wtl_region_energy_destroy(energy);
}

/* Consecutive regions without a pause, all on one thread: exclusive energies and untagged add up to
 * the window. */
static void check_sum(void)
{
    struct wtl_region_energy *energy = start();
    uint64_t time = START + 310 * MS, state = 1;
    bool good = true;
    double sum = 0;
    unsigned depth = 0;

    for (unsigned ms = 2; ms < SPAN_MS; ms++)
        good = feed_sample(energy, ms) && good;
    while (time < START + 990 * MS) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        bool end = depth > 3 || (depth > 0 && state >> 63);
        struct wtl_mark mark = {.time_ns = time,
                                .name = (uint32_t)(depth + !end),
                                .kind = end ? WTL_MARK_END : WTL_MARK_BEGIN};

        good = good && wtl_region_energy_mark(energy, &mark) == 0;
        depth += end ? -1u : 1u;
        time += 10000 + (state >> 40) % 9000000;
    }
    wtl_region_energy_marked(energy, UINT64_MAX);
    ok(good && wtl_region_energy_finish(energy) == 0, "random regions");
    uint64_t ns = 0;

    for (size_t i = 0; i < wtl_region_energy_count(energy); i++) {
        sum += wtl_region_energy_result(energy, i)->exclusive[0].j;
        ns += wtl_region_energy_result(energy, i)->exclusive_union_ns;
    }
    is_int(ns, (UNTIL_MS - FROM_MS) * MS, "exclusive times and untagged are the window");
    is_double(sum, energy_at(UNTIL_MS) - energy_at(FROM_MS), 0.15,
              "exclusive energies and untagged are its energy");
    wtl_region_energy_destroy(energy);
}

/* An unknown value is NaN. */
static void check_unknown(void)
{
    struct wtl_region_energy *energy = start();
    bool good = true;

    for (unsigned ms = 2; ms < SPAN_MS; ms++) {
        struct wtl_gap gap = {.channel = 0, .reason = WTL_GAP_LOST_WRAP};

        if (ms == 550)
            good = wtl_region_energy_gap(energy, &gap) == 0;
        if (ms < 540 || ms >= 550)
            good = feed_sample(energy, ms) && good;
    }
    good = good && feed_marks(energy, "400+a 450-a 500+b 600-b");
    ok(good && wtl_region_energy_finish(energy) == 0, "with a lost wrap at 540 ms");
    check_joules(&find(energy, 'a')->inclusive[0], 2.5, "before it");
    ok(isnan(find(energy, 'b')->inclusive[0].j), "over it: not known");
    ok(isfinite(find(energy, 'b')->inclusive[1].j), "another channel is");
    wtl_region_energy_destroy(energy);

    energy = start();
    (void)feed_marks(energy, "400+a 450-a");
    is_int(wtl_region_energy_finish(energy), 0, "without a sample");
    ok(isnan(find(energy, 'a')->inclusive[0].j), "nothing is known");
    is_int(find(energy, 'a')->union_ns, 50 * MS, "but the time is");
    wtl_region_energy_destroy(energy);
}

/* The measuring process was killed: the window ends with the samples, and regions after it are
 * unknown. */
static void check_cut(void)
{
    struct wtl_region_energy *energy = start();
    bool good = true;

    wtl_region_energy_cut(energy);
    for (unsigned ms = 2; ms < SPAN_MS; ms++)
        good = feed_sample(energy, ms) && good;
    good = good && feed_marks(energy, "400+a 450-a 900+b 950+C 1020+b 1030-b 1040+d 1045-d 1050-b");
    ok(good && wtl_region_energy_finish(energy) == 0, "without an end");
    check_joules(&find(energy, 'a')->inclusive[0], 2.5, "one that was over");
    check_joules(&find(energy, 'b')->inclusive[0], 5, "one that was over later: up to the end");
    check_joules(&find(energy, 'c')->inclusive[0], 2.5, "one that nobody ended: likewise");
    ok(isnan(find(energy, 'd')->inclusive[0].j), "one that came later: not known");
    ok(isfinite(find(energy, '*')->inclusive[0].j), "the time outside of all ends with the window");
    wtl_region_energy_destroy(energy);
}

/* Gaps of each reason; those of a stall and a suspend contain samples that look good. Whether the
 * gap is noticed before or after the marks were processed makes no difference. */
static void check_reasons(void)
{
    for (int row = 0; row < 3 * WTL_GAP_REASON_COUNT; row++) {
        enum wtl_gap_reason reason = (enum wtl_gap_reason)(row / 3);
        unsigned seen_ms = row % 3 == 0 ? 460 : row % 3 == 1 ? 545 : 800; /* when it ends */
        struct wtl_gap gap = {
            .reason = reason, .begin_ns = START + 450 * MS, .end_ns = START + seen_ms * MS};
        struct wtl_region_energy *energy = start();
        bool good = feed_marks(energy, "400+a 440-a 445+b 455-b 840+c 860-c"), lost[2];

        for (unsigned ms = 2; ms < SPAN_MS; ms++) {
            for (gap.channel = 0; ms == seen_ms && gap.channel < 2; gap.channel++)
                good = wtl_region_energy_gap(energy, &gap) == 0 && good;
            good = feed_sample(energy, ms) && good;
        }
        ok(good && wtl_region_energy_finish(energy) == 0, "%s up to %u ms",
           wtl_gap_reason_name(reason), seen_ms);
        lost[0] = wtl_gap_loses_energy(reason, WATTLE_COUNTER);
        lost[1] = wtl_gap_loses_energy(reason, WATTLE_GAUGE);
        for (int c = 0; c < 2; c++) {
            ok(isfinite(find(energy, 'a')->inclusive[c].j), "channel %d: known before it", c);
            ok(isnan(find(energy, 'b')->inclusive[c].j) == lost[c],
               "over its begin, if it loses none");
            ok(isfinite(find(energy, 'c')->inclusive[c].j), "known behind it");
            ok(isnan(find(energy, '*')->inclusive[c].j) == lost[c], "outside of all likewise");
        }
        wtl_region_energy_destroy(energy);
    }
}

/* What no sample covers, at the start and at the end of the window, is unknown, however short
 * compared with the interval. */
static void check_unseen(void)
{
    struct wtl_region_energy *energy = start();
    bool good = true;

    for (unsigned ms = 400; ms <= 800; ms += 100)
        good = feed_sample(energy, ms) && good;
    good = good && feed_marks(energy, "320+a 390-a 510+b 590-b 780+c 900-c");
    ok(good && wtl_region_energy_finish(energy) == 0, "samples from 400 to 800 ms");
    for (int c = 0; c < 2; c++) {
        ok(isnan(find(energy, 'a')->inclusive[c].j), "not known before them");
        ok(isfinite(find(energy, 'b')->inclusive[c].j), "known between them");
        ok(isnan(find(energy, 'c')->inclusive[c].j), "not known after them");
    }
    wtl_region_energy_destroy(energy);
}

static bool feed_gap(struct wtl_region_energy *energy, unsigned from_ms, unsigned until_ms)
{
    struct wtl_gap gap = {.reason = WTL_GAP_READ_FAILED,
                          .begin_ns = START + from_ms * MS,
                          .end_ns = START + until_ms * MS};

    return wtl_region_energy_gap(energy, &gap) == 0;
}

/* Reads that fail occasionally, and then up to the end: what no sample covers is unknown, whatever
 * came before. */
static void check_failing(void)
{
    struct wtl_region_energy *energy = start();
    bool good = true;

    for (unsigned ms = 2; ms < 800; ms += 3) {
        good = feed_sample(energy, ms) && good;
        good = feed_gap(energy, ms, ms + 3) && good;
    }
    good = good && feed_gap(energy, 800, SPAN_MS);
    good =
        good && feed_marks(energy, "400+a 450-a 650+b 660-b 750+b 900-b 950+c 960-c 960+d 960-d");
    ok(good && wtl_region_energy_finish(energy) == 0, "failed reads, from 800 ms on all of them");
    const struct wtl_energy *got = &find(energy, 'a')->inclusive[0];

    ok(fabs(got->j - 2.5) <= got->half_j, "before: %g +- %g J of 2.5", got->j, got->half_j);
    ok(isnan(find(energy, 'b')->inclusive[0].j), "partly behind the last sample: not known");
    ok(isnan(find(energy, 'c')->inclusive[0].j), "behind it: not known");
    is_double(find(energy, 'd')->inclusive[0].j, 0, 0, "no time: nothing");
    ok(isnan(find(energy, '*')->inclusive[0].j), "outside of all: not known");
    wtl_region_energy_destroy(energy);
}

/* A failed read in the last tick, and samples after the end: interpolated as without it. */
static void check_failed_last(bool failed)
{
    static const struct wattle_channel slow = {
        .quantity = WATTLE_ENERGY, .kind = WATTLE_COUNTER, .scale = UNIT_J, .refresh_ns = 100 * MS};
    struct wtl_region_energy *energy = NULL;
    bool good = wtl_region_energy_create(&slow, 1, START + FROM_MS * MS, START + 990 * MS, &energy,
                                         NULL) == 0;

    for (unsigned ms = 5; ms < 1000; ms += 10) { /* 50 W */
        uint64_t ticks = (uint64_t)(50 * (ms / 100) * 0.1 / UNIT_J);

        if (failed && ms == 905)
            good = good && feed_gap(energy, 895, 915);
        else
            good = good && wtl_region_energy_sample(energy, 0, START + ms * MS, ticks, false) == 0;
    }
    good = good && feed_marks(energy, "620+a");
    ok(good && wtl_region_energy_finish(energy) == 0, "%s in the last tick",
       failed ? "a failed read" : "no failed read");
    const struct wtl_energy *got = &find(energy, 'a')->inclusive[0];

    ok(fabs(got->j - 18.5) <= got->half_j, "up to the end: %g +- %g J of 18.5", got->j,
       got->half_j);
    ok(got->half_j < 10, "and not all of it is open");
    wtl_region_energy_destroy(energy);
}

/* The last sample covers only a part of its time, as the gap reveals afterwards: its power is not
 * that of a neighbour. */
static void check_stopped(void)
{
    struct wtl_region_energy *energy = start();
    struct wtl_gap gap = {
        .reason = WTL_GAP_STALLED, .begin_ns = START + 920 * MS, .end_ns = START + 1020 * MS};
    bool good = true;

    for (unsigned ms = 20; ms <= 920; ms += 100)
        good = feed_sample(energy, ms) && good;
    good = good &&
           wtl_region_energy_sample(energy, 0, START + 1020 * MS, counter_at(930 * MS), false) == 0;
    good = good && wtl_region_energy_gap(energy, &gap) == 0;
    good = good && feed_marks(energy, "840+a 880-a");
    ok(good && wtl_region_energy_finish(energy) == 0, "stopped at 930 ms, noticed later");
    const struct wtl_energy *got = &find(energy, 'a')->inclusive[0];

    ok(fabs(got->j - 2) <= got->half_j, "a region before that: %g +- %g J of 2", got->j,
       got->half_j);
    ok(fabs(got->j - 2) < 0.75, "and is not given what its neighbour lacks");
    wtl_region_energy_destroy(energy);
}

/* A visit shorter than a tick: an interval that says so. */
static void check_short(void)
{
    struct wtl_region_energy *energy = start();
    bool good = true;

    for (unsigned ms = 2; ms < SPAN_MS; ms++)
        good = feed_sample(energy, ms) && good;
    for (uint64_t us = 400000; us < 440000; us += 200) {
        struct wtl_mark mark = {.time_ns = START + us * 1000, .name = 'a'};

        good = good && wtl_region_energy_mark(energy, &mark) == 0;
        mark.kind = WTL_MARK_END;
        mark.time_ns += 50000;
        good = good && wtl_region_energy_mark(energy, &mark) == 0;
    }
    ok(good && wtl_region_energy_finish(energy) == 0, "50 us of each 200");
    const struct wtl_energy *got = &find(energy, 'a')->inclusive[0];

    ok(got->interval_only, "is an interval only");
    ok(fabs(got->j - 0.5) < got->half_j, "that holds the truth");
    wtl_region_energy_destroy(energy);
}

/* An impossible estimate leaves everything possible: never a value that looks certain. */
static void check_beyond(void)
{
    static const double estimates_j[] = {9, -3}; /* parts of 10 J; half of the second is inside */
    struct wtl_region_channel channel = {.most_w = 6, .max_w = 8};

    for (size_t i = 0; i < 2; i++) {
        struct wtl_region_share share = {.parts_j = 10, .in_ns = 0.5e9, .out_ns = 0.5e9};
        double energy_j, half_j;

        share.split.energy_j = estimates_j[i];
        share.split.variance_j2 = 1e-6;
        share.split.most_j = 10;
        channel.max_w = 16; /* at most 8 J of it inside, at least 2 */
        wtl_region_channel_energy(&channel, &share, &energy_j, &half_j);
        is_double(energy_j, 5, 1e-9, "beyond: the middle of what can be");
        is_double(half_j, 3, 1e-9, "beyond: and all of it");
    }
}

static void check_misuse(void)
{
    struct wtl_region_energy *energy = NULL;
    struct wattle_error err = {""};
    struct wtl_mark mark = {.time_ns = START + 500 * MS, .name = 1};

    is_int(wtl_region_energy_create(channels, 3, 10, 5, &energy, &err), -EINVAL, "no window");
    ok(!energy && err.text[0], "and it says so");
    energy = start();
    is_int(wtl_region_energy_sample(energy, 3, START, 1, false), -EINVAL, "no such channel");
    is_int(wtl_region_energy_mark(energy, &mark), 0, "a mark");
    mark.time_ns--;
    is_int(wtl_region_energy_mark(energy, &mark), -EBADMSG, "time runs backwards");
    ok(wtl_region_energy_wants_sample(energy), "the mark waits for samples");
    wtl_region_energy_destroy(energy);
    wtl_region_energy_destroy(NULL);
}

/* A region shorter than the window of an average has an interval only. */
static void test_window(void)
{
    const struct wattle_channel average = {.quantity = WATTLE_POWER,
                                           .kind = WATTLE_WINDOW_AVERAGE,
                                           .scale = 1e-3,
                                           .refresh_ns = 10 * MS,
                                           .window_ns = 100 * MS,
                                           .max_w = 300};
    for (unsigned length = 50; length <= 400; length += 350) {
        struct wtl_region_energy *energy;
        struct wtl_mark mark = {.kind = WTL_MARK_BEGIN, .time_ns = START + 400 * MS, .name = 1};
        if (wtl_region_energy_create(&average, 1, START + 300 * MS, START + 1000 * MS, &energy,
                                     NULL) < 0)
            exit(1);
        (void)wtl_region_energy_mark(energy, &mark);
        mark.kind = WTL_MARK_END;
        mark.time_ns += length * MS;
        (void)wtl_region_energy_mark(energy, &mark);
        wtl_region_energy_marked(energy, UINT64_MAX);
        for (unsigned ms = 0; ms <= SPAN_MS; ms += 10)
            (void)wtl_region_energy_sample(energy, 0, START + ms * MS, 100000, false);
        is_int(wtl_region_energy_finish(energy), 0, "a region of %u ms", length);
        const struct wtl_energy *got = wtl_region_energy_result(energy, 1)->inclusive;
        is_double(got->j, 0.1 * length, 0.05, "its energy");
        ok(got->interval_only == (length < 100), "resolved, or not: +- %g J", got->half_j);
        wtl_region_energy_destroy(energy);
    }
}

/* A gauge that shows the mean of 100 ms each 100 ms: a burst of 300 W, 50 W around it, shown late by the phase of the gauge. The region is the
 * burst, or its first half, or lies before the burst; the same burst without a region beside it changes nothing. */
static double shown_late(double time_ms, double phase_ms, double begin_ms, double end_ms)
{
    double published = floor((time_ms - phase_ms) / 100) * 100 + phase_ms;
    double on = fmin(published, end_ms) - fmax(published - 100, begin_ms);
    return 50 + 250 * fmax(on, 0) / 100;
}

static void test_ends(void)
{
    const struct wattle_channel average = {.quantity = WATTLE_POWER,
                                           .kind = WATTLE_WINDOW_AVERAGE,
                                           .scale = 1e-3,
                                           .refresh_ns = 100 * MS,
                                           .window_ns = 100 * MS,
                                           .max_w = 400};
    const struct {
        unsigned begin_ms, end_ms;
        const char *name;
    } of[] = {{400, 1000, "the burst"},
              {400, 700, "its first half"},
              {200, 390, "before it"},
              {1010, 1400, "after it"}};
    for (unsigned i = 0; i < sizeof of / sizeof of[0]; i++) {
        unsigned held = 0;
        double widest = 0, truth = 0.05 * (of[i].end_ms - of[i].begin_ms);
        truth += 0.25 * fmax(fmin(1000, of[i].end_ms) - fmax(400, of[i].begin_ms), 0);
        for (unsigned phase_ms = 0; phase_ms < 100; phase_ms++) {
            struct wtl_region_energy *energy;
            struct wtl_mark mark = {
                .kind = WTL_MARK_BEGIN, .time_ns = START + of[i].begin_ms * MS, .name = 1};
            if (wtl_region_energy_create(&average, 1, START + 100 * MS, START + 1500 * MS, &energy,
                                         NULL) < 0)
                exit(1);
            (void)wtl_region_energy_mark(energy, &mark);
            mark.kind = WTL_MARK_END;
            mark.time_ns = START + of[i].end_ms * MS;
            (void)wtl_region_energy_mark(energy, &mark);
            wtl_region_energy_marked(energy, UINT64_MAX);
            for (unsigned ms = 0; ms <= 1600; ms += 50)
                (void)wtl_region_energy_sample(
                    energy, 0, START + ms * MS,
                    (uint64_t)(1000 * shown_late(ms, phase_ms, 400, 1000)), false);
            is_int(wtl_region_energy_finish(energy), 0, "%s, shown late", of[i].name);
            const struct wtl_energy *got = wtl_region_energy_result(energy, 1)->inclusive;
            held += fabs(got->j - truth) <= got->half_j;
            widest = fmax(widest, got->half_j);
            wtl_region_energy_destroy(energy);
        }
        ok(held >= 95 && widest < 150, "%s: %u of 100 intervals hold %g J, at most +- %g J",
           of[i].name, held, truth, widest);
    }
}

int main(void)
{
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        tap_line = rows[i].line;
        check_row(&rows[i], true);
        check_row(&rows[i], false);
    }
    tap_line = 0;
    check_sum();
    check_unknown();
    check_cut();
    check_reasons();
    check_unseen();
    check_failing();
    check_failed_last(false);
    check_failed_last(true);
    check_stopped();
    check_short();
    check_beyond();
    check_misuse();
    test_window();
    test_ends();
    return done_testing();
}
