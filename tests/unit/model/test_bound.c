/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests of maximum powers by domain, and of what a gauge leaves open. */
#include "model/bound.h"

#include <math.h>

#include "model/tally/tally.h"
#include "tap.h"

#define MS 1000000ull

/* A gauge with impossible values: all bits set, a sign bit, a removed sensor. */
static void test_plausible(void)
{
    static const struct {
        int line;
        enum wattle_domain domain;
        double scale, max_w;
        int64_t raw;
        bool plausible;
    } rows[] = {
        {__LINE__, WATTLE_DOMAIN_PACKAGE, 1e-6, 0, 0, true},
        {__LINE__, WATTLE_DOMAIN_PACKAGE, 1e-6, 0, 95000000, true},
        {__LINE__, WATTLE_DOMAIN_PACKAGE, 1e-6, 0, 3000000000, true},
        {__LINE__, WATTLE_DOMAIN_PACKAGE, 1e-6, 0, 3000000001, false},
        {__LINE__, WATTLE_DOMAIN_PACKAGE, 1e-6, 0, 65535000000, false}, /* 65535 W: 0xffff */
        {__LINE__, WATTLE_DOMAIN_NODE, 1e-6, 0, 65535000000, false},
        {__LINE__, WATTLE_DOMAIN_NODE, 1e-6, 0, 20000000000, true}, /* a large node */
        {__LINE__, WATTLE_DOMAIN_NODE, 1e-6, 0, INT64_MAX, false},
        {__LINE__, WATTLE_DOMAIN_NODE, 1e-6, 0, INT64_MIN, false},
        {__LINE__, WATTLE_DOMAIN_NODE, 1e-6, 0, -1, false}, /* negative power */
        {__LINE__, WATTLE_DOMAIN_OTHER, 1, 100, 100, true},
        {__LINE__, WATTLE_DOMAIN_OTHER, 1, 100, 101, false}, /* above its own bound */
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tap_line = rows[i].line;
        struct wattle_channel channel = {.domain = rows[i].domain,
                                         .quantity = WATTLE_POWER,
                                         .kind = WATTLE_GAUGE,
                                         .scale = rows[i].scale,
                                         .max_w = rows[i].max_w};
        is_int(wtl_is_plausible(&channel, (uint64_t)rows[i].raw), rows[i].plausible, "a gauge");
        channel.kind = WATTLE_WINDOW_AVERAGE;
        is_int(wtl_is_plausible(&channel, (uint64_t)rows[i].raw), rows[i].plausible, "an average");
        channel.quantity = WATTLE_TEMPERATURE;
        ok(wtl_is_plausible(&channel, (uint64_t)rows[i].raw), "other quantities are not judged");
        channel.quantity = WATTLE_ENERGY;
        channel.kind = WATTLE_COUNTER;
        ok(wtl_is_plausible(&channel, (uint64_t)rows[i].raw), "nor are counters, by one reading");
    }
    tap_line = 0;
}

static void test_windows(void)
{
    struct wattle_channel c = {.kind = WATTLE_WINDOW_AVERAGE,
                               .refresh_ns = 100000000,
                               .window_ns = 100000000,
                               .max_w = 500};
    is_double(wtl_window_half_j(&c, 100, 1, 1), 0, 0, "longer than a window that sees all");
    is_double(wtl_window_half_j(&c, 100, 0.05, 1), 5, 1e-12,
              "half a window: 0 to twice its mean, which 500 W allow");
    is_double(wtl_window_half_j(&c, 400, 0.05, 1), 20, 1e-12, "0 to at most 25 J");
    is_double(wtl_window_half_j(&c, 100, 1, 20), 100, 1e-12, "twenty of 50 ms");
    c.max_w = 0;
    is_double(wtl_window_half_j(&c, 100, 0.05, 1), 5, 1e-12, "without a maximum");
    c.window_ns = 25000000;
    is_double(wtl_seen_part(&c), 0.25, 1e-12, "a quarter is seen");
    ok(isinf(wtl_window_half_j(&c, 100, 1, 1)), "the rest is not bounded");
    c.window_ns = 99700000;
    is_double(wtl_seen_part(&c), 1, 0, "what a calibration finds of all");
    c.kind = WATTLE_COUNTER;
    is_double(wtl_window_half_j(&c, 100, 1, 1), 0, 0, "counters see all");
}

static void test_limits(void)
{
    is_double(wtl_bound_of_limit_w(150), 600, 0, "four times the thermal power of a large package");
    is_double(wtl_bound_of_limit_w(6), 250, 0, "a small one may draw more than that");
    is_double(wtl_bound_of_limit_w(0), 0, 0, "none is stated");
    /* The smallest counter of 32 bits, in units of 2^-16 J, at the bound of a small part. */
    ok(0x1p32 * 0x1p-16 / wtl_bound_of_limit_w(6) > 60, "still goes round in more than a minute");
}

/* 100 units per ms, 100 ms: the first has `first` of 10000, the second the rest of `both`. */
static bool caught_up(const struct wattle_channel *channel, double first, double both, bool seen)
{
    struct wtl_growth a = {1e8, first}, b = {1e8, both - first};
    return wtl_caught_up(channel, a, b, 1e-4, seen);
}

static void test_caught_up(void)
{
    struct wattle_channel package = {.domain = WATTLE_DOMAIN_PACKAGE,
                                     .quantity = WATTLE_ENERGY,
                                     .kind = WATTLE_COUNTER,
                                     .refresh_ns = 976563};
    ok(caught_up(&package, 100, 20000, false), "a hundredth, and then the rest: it stood still");
    ok(!caught_up(&package, 100, 10100, false), "nothing follows: the power was less");
    ok(!caught_up(&package, 8000, 20000, false), "a fifth less may be the power, too");
    ok(caught_up(&package, 8000, 20000, true), "but not where it was seen to stand");
    ok(!caught_up(&package, 9800, 20000, true), "two ticks are no standstill");
    package.domain = WATTLE_DOMAIN_CORE;
    ok(!caught_up(&package, 100, 20000, false), "cores may sleep");
}

/* Three times what was seen, between half of its own maximum and all of it. */
static void test_assumed(void)
{
    is_double(wtl_assumed_power_w(100, 0), 300, 1e-9, "three times");
    is_double(wtl_assumed_power_w(100, 1000), 500, 1e-9, "half of its own");
    is_double(wtl_assumed_power_w(900, 1000), 1000, 1e-9, "at most its own");
    is_double(wtl_assumed_power_w(0, 1000), 1000, 1e-9, "nothing was seen");
    ok(isinf(wtl_assumed_power_w(0, 0)) && isinf(wtl_assumed_power_w((double)NAN, 0)),
       "nothing bounds it");
}

/* A gauge that averages 25 of 100 ms: what it did not see is open up to its maximum, or unknown. */
static void test_part_time(void)
{
    struct wattle_channel channel = {.quantity = WATTLE_POWER,
                                     .kind = WATTLE_WINDOW_AVERAGE,
                                     .scale = 0.001,
                                     .refresh_ns = 100 * MS,
                                     .window_ns = 25 * MS,
                                     .max_w = 400,
                                     .name = "p"};
    for (int i = 0; i < 3; i++) {
        struct wtl_tally tally;
        struct wtl_summary s;
        channel.max_w = i == 1 ? 0 : 400;
        channel.window_ns = i == 2 ? 100 * MS : 25 * MS;
        wtl_tally_init(&tally, &channel);
        wtl_tally_sample(&tally, 0, 100000, false);
        wtl_tally_begin(&tally, 0);
        for (unsigned k = 1; k <= 20; k++)
            wtl_tally_sample(&tally, k * 100 * MS, 100000, false);
        wtl_tally_end(&tally, 2000 * MS);
        wtl_tally_summary(&tally, &s);
        if (i == 0) {
            is_double(s.amount, 200, 1e-6, "what it showed");
            is_double(s.amount_half, 0.75 * 2 * 300, 1e-6, "400 W in three quarters of the time");
        } else if (i == 1) {
            ok(isnan(s.amount), "without a maximum: no value");
        } else {
            ok(s.amount_half <= 1, "a window of a period sees all: +- %g", s.amount_half);
        }
    }
}

int main(void)
{
    test_assumed();
    test_caught_up();
    test_plausible();
    test_limits();
    test_windows();
    test_part_time();
    struct wattle_channel package = {.domain = WATTLE_DOMAIN_PACKAGE, .max_w = 120};
    ok(wtl_greatest_power_w(&package) == 120, "a channel's own bound goes first");
    for (int domain = 0; domain < WATTLE_DOMAIN_COUNT; domain++) {
        struct wattle_channel channel = {.domain = (enum wattle_domain)domain};
        ok(wtl_greatest_power_w(&channel) >= 1000, "%s has one",
           wattle_domain_name(channel.domain));
    }
    ok(wtl_domain_is_awake(WATTLE_DOMAIN_DRAM), "memory always draws power");
    ok(!wtl_domain_is_awake(WATTLE_DOMAIN_CORE), "cores may sleep at 0 W");
    struct wattle_channel gpu = {
        .domain = WATTLE_DOMAIN_GPU, .quantity = WATTLE_ENERGY, .refresh_ns = 20000000};
    ok(!wtl_never_ticked(&gpu, 10000000000), "a GPU may sleep, too");
    gpu.flags = WATTLE_CHANNEL_AWAKE;
    ok(wtl_never_ticked(&gpu, 10000000000) && wtl_stands_still(&gpu, 61000000),
       "unless its driver knows better");
    gpu.kind = WATTLE_GAUGE;
    ok(!wtl_stands_still(&gpu, 10000000000), "which says nothing of a gauge");
    return done_testing();
}
