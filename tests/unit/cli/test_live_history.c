/* SPDX-License-Identifier: BSD-3-Clause */
/* Current power and its history: never over fewer than 20 ticks, never 0 for an unknown value. */
#include "cli/top/live_history.h"

#include <math.h>

#include "tap.h"

#define SECOND UINT64_C(1000000000)

static struct wattle_channel counter(uint64_t refresh_ns)
{
    return (struct wattle_channel){.kind = WATTLE_COUNTER, .refresh_ns = refresh_ns, .scale = 1};
}

/* The summary of a channel that has drawn 50 W since 100 s. */
static struct wtl_summary at(double seconds)
{
    return (struct wtl_summary){
        .amount = 50 * (seconds - 100), .last_ns = (uint64_t)(seconds * 1e9), .samples = 10};
}

static void look(struct wtl_history *s,
                 const struct wattle_channel *c,
                 struct wtl_summary m,
                 double now)
{
    wtl_history_look(s, c, &m, (uint64_t)(now * 1e9), SECOND);
}

static void test_fast(void)
{
    static struct wtl_history s;
    struct wattle_channel c = counter(976562);
    s = (struct wtl_history){0};
    wtl_history_begin(&s, 100 * SECOND);
    look(&s, &c, (struct wtl_summary){.amount = NAN}, 100.01);
    is_int(s.state, WTL_HISTORY_WAITS, "nothing yet");
    ok(isnan(s.power_w), "no power");
    look(&s, &c, at(100.9), 101);
    is_double(s.power_w, 50, 1e-9, "from the start on");
    is_int(s.window_ns, 900000000, "over what is known");
    look(&s, &c, at(101.9), 102);
    is_int(s.window_ns, SECOND, "from look to look");
    is_int(s.history_count, 2, "two columns");
    struct wtl_summary stands = at(101.9);
    stands.last_ns = 103 * SECOND;
    look(&s, &c, stands, 103);
    is_int(s.state, WTL_HISTORY_STANDS, "a counter that stands");
    ok(isnan(s.power_w), "has no power, not 0");
    ok(isnan(s.history_w[2]), "and leaves a gap");
    look(&s, &c, stands, 107);
    is_int(s.state, WTL_HISTORY_SILENT, "nothing read for 4 s");
    struct wtl_summary lost = at(110);
    lost.unknown_ns = 6 * SECOND;
    look(&s, &c, lost, 110);
    is_int(s.state, WTL_HISTORY_GAP, "most of the time unknown");
    lost.last_ns = 111 * SECOND;
    lost.amount += 50;
    look(&s, &c, lost, 111);
    is_double(s.power_w, 50, 1e-9, "known again");
    is_double(s.peak_w, 50, 1e-9, "the greatest");
    wtl_history_reset(&s);
    is_int(s.history_count, 0, "zeroed");
    is_double(s.peak_w, 50, 1e-9, "the greatest is that of now");
}

/* A counter stands still from 102 to 104 s, which is a gap, seen at two updates; afterwards it counts 50 W again. */
static void test_after_a_gap(void)
{
    static struct wtl_history s;
    struct wattle_channel c = counter(976562);
    struct wtl_summary m = at(102);
    s = (struct wtl_history){0};
    wtl_history_begin(&s, 100 * SECOND);
    look(&s, &c, m, 102);
    m.unknown_ns = SECOND;
    look(&s, &c, m, 103);
    is_int(s.state, WTL_HISTORY_GAP, "no power in a gap");
    m.unknown_ns = 2 * SECOND;
    look(&s, &c, m, 104);
    is_int(s.state, WTL_HISTORY_GAP, "nor in the rest of it");
    m.last_ns = 105 * SECOND;
    m.amount += 50;
    look(&s, &c, m, 105);
    is_double(s.power_w, 50, 1e-9, "the power after it is not spread over the gap");
    is_int(s.window_ns, SECOND, "over what is known");
}

/* A gauge that sees a part of the time, of a device without a maximum: no energy, but a power. */
static void test_unbounded(void)
{
    static struct wtl_history s;
    struct wattle_channel c = {.quantity = WATTLE_POWER, .kind = WATTLE_WINDOW_AVERAGE};
    struct wtl_summary gauge = {.amount = NAN,
                                .last_w = NAN,
                                .last_ns = 101 * SECOND,
                                .samples = 1,
                                .stat_window_ns = 2 * SECOND};
    s = (struct wtl_history){0};
    wtl_history_begin(&s, 100 * SECOND);
    look(&s, &c, gauge, 101);
    gauge.samples = 2;
    gauge.last_w = 150;
    gauge.last_ns = 102 * SECOND;
    look(&s, &c, gauge, 102);
    is_int(s.state, WTL_HISTORY_KNOWN, "its power is known");
    is_double(s.power_w, 150, 1e-9, "as it was shown");
    gauge.unknown_ns = SECOND;
    gauge.last_ns = 103 * SECOND;
    look(&s, &c, gauge, 103);
    is_int(s.state, WTL_HISTORY_GAP, "but not with a gap");
}

static void test_slow(void)
{
    static struct wtl_history s;
    struct wattle_channel c = counter(SECOND / 10); /* 20 ticks are 2 s */
    wtl_history_begin(&s, 100 * SECOND);
    look(&s, &c, at(101), 101);
    is_int(s.state, WTL_HISTORY_WAITS, "10 ticks are too few");
    look(&s, &c, at(102), 102);
    is_double(s.power_w, 50, 1e-9, "20 are enough");
    look(&s, &c, at(103), 103);
    is_int(s.window_ns, 2 * SECOND, "a mean over two looks");
    struct wattle_channel gauge = {.kind = WATTLE_GAUGE, .refresh_ns = 5 * SECOND};
    static struct wtl_history g;
    wtl_history_begin(&g, 100 * SECOND);
    look(&g, &gauge, at(105), 105);
    look(&g, &gauge, at(105), 107);
    is_int(g.state, WTL_HISTORY_KNOWN, "a slow gauge: what it last said holds");
    look(&g, &gauge, at(105), 121);
    is_int(g.state, WTL_HISTORY_SILENT, "not for ever");
}

/* Read every 10 s, displayed every second. */
static void test_rare(void)
{
    static struct wtl_history s;
    struct wattle_channel c = counter(976562);
    wtl_history_begin(&s, 100 * SECOND);
    for (int i = 1; i <= 45; i++) {
        int read_s = i / 10 * 10;
        struct wtl_summary m = at(100 + read_s);
        m.samples = (uint64_t)(i / 10);
        m.first_ns = 100 * SECOND;
        if (i / 10 == 0)
            m = (struct wtl_summary){.amount = NAN};
        look(&s, &c, m, 100 + i);
        if (i >= 10 && s.state != WTL_HISTORY_KNOWN)
            ok(false, "rare readings hold until the next (%d s)", i);
    }
    is_double(s.power_w, 50, 1e-9, "rare readings are no silence");
    struct wtl_summary last = at(140);
    last.samples = 4;
    last.first_ns = 100 * SECOND;
    look(&s, &c, last, 171);
    is_int(s.state, WTL_HISTORY_SILENT, "three of them missing are");
}

static void test_length(void)
{
    static struct wtl_history s;
    struct wattle_channel c = counter(976562);
    wtl_history_begin(&s, 100 * SECOND);
    for (int i = 1; i < 3 * WTL_HISTORY_LENGTH; i++)
        look(&s, &c, at(100 + i), 100 + i);
    is_int(s.history_count, WTL_HISTORY_LENGTH, "the history is bounded");
    is_double(s.power_w, 50, 1e-9, "and goes on");
    wtl_history_end(&s, 42, 10 * SECOND);
    is_double(s.power_w, 42, 0, "the end: the mean of all");
    wtl_history_end(&s, NAN, 0);
    is_int(s.state, WTL_HISTORY_GAP, "an end that knows nothing");
}

int main(void)
{
    test_fast();
    test_after_a_gap();
    test_unbounded();
    test_slow();
    test_rare();
    test_length();
    return done_testing();
}
