/* SPDX-License-Identifier: BSD-3-Clause */
/* Unwrapping: a million wraps exactly, resets and lost wraps distinguished from wraps. */
#include "record/unwrap.h"

#include <math.h>

#include "tap.h"

#define MS 1000000ull
#define S  (1000 * MS)

static struct wattle_channel package(uint64_t modulus, double max_w)
{
    return (struct wattle_channel){.quantity = WATTLE_ENERGY,
                                   .kind = WATTLE_COUNTER,
                                   .domain = WATTLE_DOMAIN_PACKAGE,
                                   .scale = 1.0 / 16384,
                                   .modulus = modulus,
                                   .refresh_ns = 976000,
                                   .max_w = max_w};
}

static void test_million_wraps(void)
{
    /* 24 bits of 61 uJ wrap every 1024 J; steps of 37 J at 370 W */
    struct wattle_channel channel = package(1u << 24, 1000);
    struct wtl_unwrap unwrap;
    wtl_unwrap_init(&unwrap, &channel);
    uint64_t truth = 0, ticks = 0, time_ns = S, wrong = 0, raw = 12345678;
    const uint64_t first = raw;
    wtl_unwrap_feed(&unwrap, raw, time_ns, &ticks);
    for (uint64_t wraps = 0; wraps < 1000000;) {
        uint64_t step = 606208 + truth % 977;
        truth += step;
        time_ns += 100 * MS;
        wraps += raw + step >= 1u << 24;
        raw = (first + truth) % (1u << 24);
        if (wtl_unwrap_feed(&unwrap, raw, time_ns, &ticks) != WTL_UNWRAP_OK || ticks != truth)
            wrong++;
    }
    is_int(wrong, 0, "10^6 wraps, no wrong tick at any reading");
    is_int(ticks, truth, "the sum is exact: %g J", (double)truth / 16384);
}

static void test_verdicts(void)
{
    static const struct {
        int line;
        uint64_t modulus;
        double max_w;
        uint64_t raw1, raw2, pause_ns;
        enum wtl_unwrapped verdict;
        uint64_t ticks;
    } rows[] = {
        {__LINE__, 1ull << 32, 500, 100, 200, 100 * MS, WTL_UNWRAP_OK, 100},
        /* nothing is known of its rate: a wrap, or a counter that restarted near its top? */
        {__LINE__, 1ull << 32, 500, (1ull << 32) - 50, 50, 100 * MS, WTL_UNWRAP_OPEN, 0},
        {__LINE__, 1ull << 32, 500, 100, 100, 100 * MS, WTL_UNWRAP_OK, 0},
        /* the counter fell to 0: as a wrap that would be 131072 J in 0.1 s */
        {__LINE__, 1ull << 32, 500, 1ull << 31, 0, 100 * MS, WTL_UNWRAP_OPEN, 0},
        /* it jumped ahead by an impossible amount */
        {__LINE__, 1ull << 32, 500, 0, 1ull << 31, 100 * MS, WTL_UNWRAP_OPEN, 0},
        /* 262144 J at 500 W pass in 524 s */
        {__LINE__, 1ull << 32, 500, 100, 200, 524 * S, WTL_UNWRAP_OK, 100},
        {__LINE__, 1ull << 32, 500, 100, 200, 525 * S, WTL_UNWRAP_LOST_WRAP, 0},
        /* a counter of 64 bits cannot wrap: it was reset */
        {__LINE__, 0, 500, 1000, 10, 100 * MS, WTL_UNWRAP_OPEN, 0},
        /* two readings within one tick of a counter that shows whole ticks */
        {__LINE__, 1ull << 32, 500, 1000, 1001, 100, WTL_UNWRAP_OK, 1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tap_line = rows[i].line;
        struct wattle_channel channel = package(rows[i].modulus, rows[i].max_w);
        struct wtl_unwrap unwrap;
        uint64_t ticks = 99;
        wtl_unwrap_init(&unwrap, &channel);
        is_int(wtl_unwrap_feed(&unwrap, rows[i].raw1, S, &ticks), WTL_UNWRAP_FIRST, "first");
        is_int(ticks, 0, "ticks begin at 0");
        is_int(wtl_unwrap_feed(&unwrap, rows[i].raw2, S + rows[i].pause_ns, &ticks),
               rows[i].verdict, "verdict");
        is_int(ticks, rows[i].ticks, "ticks");
        bool open = rows[i].verdict == WTL_UNWRAP_OPEN;
        uint64_t then_ns = S + rows[i].pause_ns + 100 * MS, skipped = open ? 3 : 0;
        is_int(wtl_unwrap_feed(&unwrap, rows[i].raw2 + 3, then_ns, &ticks),
               open ? WTL_UNWRAP_RESET : WTL_UNWRAP_OK, "it goes on from there");
        wtl_unwrap_feed(&unwrap, rows[i].raw2 + 7, then_ns + 100 * MS, &ticks);
        is_int(ticks, rows[i].ticks + 7 - skipped, "from where it is certain");
    }
    tap_line = 0;
}

/* Near its top a counter restarts: a wrap is what is consistent with its rate so far, however small
 * the energy. */
static void test_pace(void)
{
    static const struct {
        int line;
        uint64_t left; /* to the top, at the reading before */
        enum wtl_unwrapped verdict;
    } rows[] = {
        {__LINE__, 1000, WTL_UNWRAP_OK},
        {__LINE__, 4000, WTL_UNWRAP_OK}, /* 2.4 times the rate */
        {__LINE__, 5000, WTL_UNWRAP_OPEN},
        {__LINE__, 40000,
         WTL_UNWRAP_OPEN}, /* 2.4 J, in 0.1 s: less than the greatest power of 500 W */
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tap_line = rows[i].line;
        struct wattle_channel channel = package(1ull << 32, 500);
        struct wtl_unwrap unwrap;
        uint64_t ticks, time_ns = S, raw = (1ull << 32) - rows[i].left - 16384;
        wtl_unwrap_init(&unwrap, &channel);
        for (unsigned k = 0; k <= 10; k++, time_ns += 100 * MS) /* 1 W */
            wtl_unwrap_feed(&unwrap, raw + (uint64_t)k * 16384 / 10, time_ns, &ticks);
        is_int(wtl_unwrap_feed(&unwrap, 10, time_ns, &ticks), rows[i].verdict, "verdict");
    }
    tap_line = 0;
}

/*
 * 50 W at this interval, after which come readings that are off the course; then it is on the old course, or on the one that the first
 * of them began. What was counted in 10 s of the old course is all there, or unknown since the last reading before.
 */
static void test_glitches(void)
{
    static const struct {
        int line;
        const char *name;
        uint64_t interval_ms;
        double start_j, off_j[2]; /* NAN: as the course is */
        double jump_j;            /* from then on */
        bool is_glitch;
        unsigned lasts; /* readings that are off_j[0] off; 0: one each */
    } rows[] = {
        {__LINE__, "40 J low, read every 10 ms", 10, 5000, {-40, NAN}, 0, true, 0},
        {__LINE__, "read every 100 ms", 100, 5000, {-40, NAN}, 0, true, 0},
        {__LINE__, "every 500 ms", 500, 5000, {-40, NAN}, 0, true, 0},
        {__LINE__, "70 J low, every second", 1000, 5000, {-70, NAN}, 0, true, 0},
        {__LINE__, "0", 100, 5000, {-1e9, NAN}, 0, true, 0},
        {__LINE__, "0, every second", 1000, 5000, {-1e9, NAN}, 0, true, 0},
        {__LINE__, "0, of a counter that began a second ago", 1000, 50, {-1e9, NAN}, 0, true, 0},
        {__LINE__, "far ahead", 100, 5000, {30000, NAN}, 0, true, 0},
        {__LINE__, "read twice", 10, 5000, {-40, -40}, 0, true, 0},
        {__LINE__, "two of different kinds", 100, 5000, {-1e9, 30000}, 0, true, 0},
        {__LINE__, "the last one before a wrap", 100, 262091.5, {-40, NAN}, 0, true, 0},
        {__LINE__, "20 J low for 0.3 s", 100, 5000, {-20, NAN}, 0, true, 4},
        {__LINE__, "20 J low for 0.14 s, every 10 ms", 10, 5000, {-20, NAN}, 0, true, 14},
        {__LINE__, "20 J low for 1 s", 100, 5000, {-20, NAN}, 0, false, 10},
        {__LINE__, "200 J low for 1 s", 100, 5000, {-200, NAN}, 0, false, 10},
        {__LINE__, "started again", 100, 5000, {NAN, NAN}, -1e9, false, 0},
        {__LINE__, "started again, every second", 1000, 5000, {NAN, NAN}, -1e9, false, 0},
        {__LINE__, "started again soon", 1000, 3, {NAN, NAN}, -1e9, false, 0},
        {__LINE__, "somewhere else", 100, 5000, {NAN, NAN}, -2000, false, 0},
        {__LINE__, "a bit lower for good", 1000, 5000, {NAN, NAN}, -70, false, 0},
        {__LINE__, "ahead for good", 100, 5000, {NAN, NAN}, 30000, false, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tap_line = rows[i].line;
        const double range_j = 262144, watts = 50;
        struct wattle_channel channel = package(1ull << 32, 250);
        struct wtl_unwrap unwrap;
        uint64_t ticks = 0, interval_ns = rows[i].interval_ms * MS, lost_ns = 0, good_ns = 0;
        double restart_j = NAN;
        wtl_unwrap_init(&unwrap, &channel);
        for (unsigned k = 0; k <= 24; k++) {
            uint64_t time_ns = S + k * interval_ns;
            double used_j = watts * (double)(k * interval_ns) * 1e-9, j = rows[i].start_j + used_j;
            if (k >= 10 && rows[i].jump_j < -1e8) {
                restart_j = isnan(restart_j) ? used_j : restart_j;
                j = used_j - restart_j;
            } else if (k >= 10) {
                j += rows[i].jump_j;
            }
            if (k >= 10 && k < 12 && !rows[i].lasts && !isnan(rows[i].off_j[k - 10]))
                j = fmax(j + rows[i].off_j[k - 10], 0);
            else if (k >= 10 && k < 10 + rows[i].lasts)
                j += rows[i].off_j[0];
            uint64_t raw = (uint64_t)(fmod(j, range_j) * 16384);
            enum wtl_unwrapped verdict = wtl_unwrap_feed(&unwrap, raw, time_ns, &ticks);
            if (verdict == WTL_UNWRAP_RESET)
                lost_ns += time_ns - good_ns;
            if (verdict != WTL_UNWRAP_OPEN)
                good_ns = time_ns;
        }
        double counted_j = (double)ticks / 16384, known_s = 24e-9 * (double)interval_ns;
        bool low = rows[i].lasts > 0 || (rows[i].jump_j < 0 && rows[i].jump_j > -1e8);
        uint64_t most_ns = low ? 500 * MS : 60 * MS;
        if (rows[i].is_glitch)
            is_int(lost_ns, 0, "%s: nothing is lost", rows[i].name);
        else
            ok(lost_ns >= interval_ns && lost_ns <= 2 * interval_ns + most_ns, "%s: %g s are lost",
               rows[i].name, (double)lost_ns * 1e-9);
        is_double(counted_j, watts * (known_s - (double)lost_ns * 1e-9), 1e-3,
                  "%s: the rest is there", rows[i].name);
    }
    tap_line = 0;
}

/*
 * Readings that are too high, by what could have been counted, and then the old course again: that fall is the first that shows it. Nothing
 * is known from the reading before them on, and what they counted is not kept.
 */
static void test_too_high(void)
{
    static const struct {
        int line;
        const char *name;
        uint64_t interval_ms;
        double start_j, high_j;
        unsigned lasts;
        double spread; /* of the power */
        double falls;  /* part of the power from then on, if not 0 */
    } rows[] = {
        {__LINE__, "8 J, read every 100 ms", 100, 5000, 8, 1, 0, 0},
        {__LINE__, "12 J", 100, 5000, 12, 1, 0, 0},
        {__LINE__, "20 J", 100, 5000, 20, 1, 0, 0},
        {__LINE__, "at a varying power", 100, 5000, 12, 1, 0.3, 0},
        {__LINE__, "5 J, read every 50 ms", 50, 5000, 5, 1, 0, 0},
        {__LINE__, "of a counter that began a moment ago", 50, 1, 5, 1, 0, 0},
        {__LINE__, "1.2 J, read four times", 10, 5000, 1.2, 4, 0, 0},
        {__LINE__, "20 J, read six times", 100, 5000, 20, 6, 0, 0},
        {__LINE__, "beyond the range", 100, 262143.5 - 50, 7, 1, 0, 0},
        {__LINE__, "just after a wrap", 100, 262144.5 - 50, 7, 1, 0, 0},
        {__LINE__, "while the power falls", 100, 5000, 8, 4, 0, 0.025},
        {__LINE__, "while the power falls to a third", 100, 5000, 10, 3, 0, 0.3},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tap_line = rows[i].line;
        const double range_j = 262144, watts = 50;
        struct wattle_channel channel = package(1ull << 32, 250);
        struct wtl_unwrap unwrap;
        uint64_t ticks = 0, interval_ns = rows[i].interval_ms * MS, at[25] = {0}, from_ns = 0,
                 gap_ticks = 0;
        double j = rows[i].start_j, truth_j = 0, missing_j = 0, then_j = 0;
        unsigned resets = 0;
        wtl_unwrap_init(&unwrap, &channel);
        for (unsigned k = 0; k <= 24; k++) {
            uint64_t time_ns = S + k * interval_ns;
            double step_j = watts * (double)interval_ns * 1e-9;
            step_j *= 1 + rows[i].spread * ((k * 7) % 5 / 2.0 - 1);
            if (k >= 10 && rows[i].falls > 0)
                step_j *= rows[i].falls;
            if (k > 0) {
                j += step_j;
                truth_j += step_j;
            }
            bool high = k >= 10 && k < 10 + rows[i].lasts;
            uint64_t raw = (uint64_t)(fmod(j + (high ? rows[i].high_j : 0), range_j) * 16384);
            enum wtl_unwrapped verdict = wtl_unwrap_feed(&unwrap, raw, time_ns, &ticks);
            at[k] = ticks;
            if (k == 9)
                then_j = truth_j;
            if (verdict == WTL_UNWRAP_RESET) {
                resets++;
                from_ns = unwrap.course.back.last.time_ns;
                missing_j = truth_j - then_j; /* and its ticks are in the gap */
                gap_ticks = at[k] - at[9];
            }
        }
        is_int(resets, 1, "%s: a reset", rows[i].name);
        is_int(from_ns, S + 9 * interval_ns, "since the last good reading");
        is_double((double)(ticks - gap_ticks) / 16384, truth_j - missing_j, 2e-3,
                  "the rest is there");
    }
    tap_line = 0;
}

/* A reading that was reached by a step as high as the fall is a high one itself, though less than what is read after the fall. */
static void test_fall(void)
{
    static const int64_t seen[] = {0, 1, 2, 3, 44, 70, 85, 95};
    struct wtl_course_trail trail = {.count = 0};
    for (uint64_t i = 0; i < sizeof seen / sizeof *seen; i++)
        wtl_course_note(&trail, seen[i], (i + 1) * S);
    struct wtl_course_back back = wtl_course_fall(&trail, 68, 9 * S);
    is_int(back.last.time_ns, 4 * S, "the last one before a load and 40 too much");
}

/* A counter that is lower, by low_j, for some readings while the power changes. */
static void test_low(void)
{
    static const struct {
        int line;
        const char *name;
        double low_j, before_w, then_w;
        unsigned changes, lasts, resets;
    } rows[] = {
        {__LINE__, "3 J while the power falls: it jumps back by them", 3, 130, 30, 100, 10, 0},
        {__LINE__, "40 J for long, and a load that makes up for them", 40, 30, 130, 102, 70, 1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tap_line = rows[i].line;
        struct wattle_channel channel = package(1ull << 32, 250);
        struct wtl_unwrap unwrap;
        uint64_t ticks = 0;
        double j = 5000;
        unsigned resets = 0;
        wtl_unwrap_init(&unwrap, &channel);
        for (unsigned k = 0; k <= 170; k++) {
            j += k ? 0.01 * (k < rows[i].changes ? rows[i].before_w : rows[i].then_w) : 0;
            bool low = k >= 100 && k < 100 + rows[i].lasts;
            resets += wtl_unwrap_feed(&unwrap, (uint64_t)((j - (low ? rows[i].low_j : 0)) * 16384),
                                      S + k * 10 * MS, &ticks) == WTL_UNWRAP_RESET;
        }
        is_int(resets, rows[i].resets, "%s", rows[i].name);
        if (!rows[i].resets)
            is_double((double)ticks / 16384, j - 5000, 2e-3, "nothing is lost");
    }
    tap_line = 0;
}

int main(void)
{
    test_glitches();
    test_too_high();
    test_fall();
    test_low();
    test_million_wraps();
    test_verdicts();
    test_pace();
    struct wattle_channel counts = {.quantity = WATTLE_EVENTS, .kind = WATTLE_COUNTER, .scale = 1};
    struct wtl_unwrap unwrap;
    uint64_t ticks;
    wtl_unwrap_init(&unwrap, &counts);
    wtl_unwrap_feed(&unwrap, 5, 0, &ticks);
    is_int(wtl_unwrap_feed(&unwrap, UINT64_MAX / 2, 1, &ticks), WTL_UNWRAP_OK,
           "other counts may grow as they like");
    is_int(wtl_unwrap_feed(&unwrap, 3, 2, &ticks), WTL_UNWRAP_OPEN, "but not fall");
    is_int(wtl_unwrap_feed(&unwrap, 4, S, &ticks), WTL_UNWRAP_RESET, "which was a new beginning");
    is_int(wtl_unwrap_feed(&unwrap, 0, S + 1, &ticks), WTL_UNWRAP_OPEN, "one wrong value");
    is_int(wtl_unwrap_feed(&unwrap, 9, S + 2, &ticks), WTL_UNWRAP_OK, "is passed over");
    is_int(ticks, UINT64_MAX / 2, "and not counted: %llu", (unsigned long long)ticks);
    return done_testing();
}
