/* SPDX-License-Identifier: BSD-3-Clause */
/* Energies with their intervals: ends, parts, and sums with unknown values. */
#include "model/energy.h"

#include <math.h>

#include "tap.h"

static const struct wattle_channel measured = {.quality = WATTLE_MEASURED};
static const struct wattle_channel derived = {.quality = WATTLE_DERIVED,
                                              .flags = WATTLE_CHANNEL_SIMULATED};
static const struct wattle_channel estimated = {.quality = WATTLE_ESTIMATED,
                                                .ratio_low = 0.5,
                                                .ratio_high = 2};
static const struct wattle_channel no_model = {.quality = WATTLE_ESTIMATED};

static void channels(void)
{
    double low, high;
    struct wtl_energy e = wtl_energy_on(&measured, 10, 1);
    wtl_energy_ends(&e, &low, &high);
    ok(isnan(e.low_j) && isnan(e.high_j), "what is measured has no range of a model");
    ok(low == 9 && high == 11 && wtl_energy_half(&e) == 1, "its ends are its half widths");
    e = wtl_energy_on(&measured, 1, 4);
    wtl_energy_ends(&e, &low, &high);
    ok(low == 0 && high == 5, "no end is below 0");
    e = wtl_energy_on(&estimated, 10, 2);
    wtl_energy_ends(&e, &low, &high);
    ok(low == 4 && high == 24 && wtl_energy_half(&e) == 10, "an estimate has its model's range");
    e = wtl_energy_on(&no_model, 10, 2);
    wtl_energy_ends(&e, &low, &high);
    ok(isnan(low) && isnan(high) && isnan(wtl_energy_half(&e)),
       "of a model that knows no range nothing is said");
}

static void sums(void)
{
    struct wtl_energy_sum sum = {0};
    struct wtl_energy a = wtl_energy_on(&measured, 10, 3), b = wtl_energy_on(&derived, 20, 4);
    struct wtl_energy e = wtl_energy_sum_of(&sum, false);
    ok(isnan(e.j) && isnan(e.known_j), "a sum of nothing is unknown, not 0");
    wtl_energy_add(&sum, &a);
    wtl_energy_add(&sum, &b);
    e = wtl_energy_sum_of(&sum, false);
    ok(e.j == 30 && e.half_j == 5, "half widths add as squares");
    ok(e.known_j == 30 && e.quality == WATTLE_DERIVED && e.simulated, "the weakest quality");
    e = wtl_energy_sum_of(&sum, true);
    ok(e.half_j == 7, "those with the error of a model add whole");
    struct wtl_energy_sum gauges = {0}, both;
    a.alike = b.alike = 1;
    wtl_energy_add(&gauges, &a);
    wtl_energy_add(&gauges, &b);
    e = wtl_energy_sum_of(&gauges, false);
    ok(e.half_j == 7 && e.alike == 1, "those of gauges as well");
    both = (struct wtl_energy_sum){0};
    a.alike = 0;
    wtl_energy_add(&both, &e);
    wtl_energy_add(&both, &a);
    e = wtl_energy_sum_of(&both, false);
    is_double(e.half_j, hypot(7, a.half_j), 1e-12, "a counter's is independent of these");
    a.alike = b.alike = 0;
    struct wtl_energy lost = wtl_energy_on(&measured, NAN, NAN);
    wtl_energy_add(&sum, &lost);
    e = wtl_energy_sum_of(&sum, false);
    ok(isnan(e.j) && isnan(e.half_j), "with an unknown part the sum is unknown");
    ok(e.known_j == 30 && sum.known == 2 && sum.unknown == 1, "and is at least what is known");
    ok(e.known_half_j == 5, "which has its interval");
    is_double(wtl_energy_at_least(e.known_j, e.known_half_j), 25, 1e-9, "whose lower end is true");
    is_double(wtl_energy_at_least(180, 330), 0, 1e-9, "and not below 0");
    is_double(wtl_energy_at_least(180, NAN), 180, 1e-9, "without an interval it is the value");
    sum = (struct wtl_energy_sum){0};
    a = wtl_energy_on(&estimated, 10, 0);
    wtl_energy_add(&sum, &a);
    wtl_energy_add(&sum, &a);
    e = wtl_energy_sum_of(&sum, false);
    ok(e.low_j == 10 && e.high_j == 40, "ranges of one model add whole");
}

static void parts(void)
{
    struct wtl_energy whole = wtl_energy_on(&estimated, 100, 0), part = whole;
    part.j = 10;
    part.half_j = 4;
    wtl_energy_range_as(&part, &whole);
    ok(part.low_j == 5 && part.high_j == 20, "a part of an estimate is as wrong as the whole");
    part.j = 3;
    part.interval_only = true;
    wtl_energy_range_as(&part, &whole);
    ok(part.low_j == 0 && part.high_j == 7, "one too short for the samples has its ticks");
    part = wtl_energy_on(&measured, 10, 4);
    wtl_energy_range_as(&part, &whole);
    ok(isnan(part.low_j), "what is measured keeps its half width");
    whole = wtl_energy_scaled(&whole, 0.5);
    ok(whole.j == 50 && whole.low_j == 25 && whole.high_j == 100, "half of an energy");
}

int main(void)
{
    channels();
    sums();
    parts();
    return done_testing();
}
