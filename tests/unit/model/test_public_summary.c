/* SPDX-License-Identifier: BSD-3-Clause */
/* The summary of a channel that programs get, and sums of it. */
#include "model/public_summary.h"

#include <math.h>

#include "tap.h"

static const struct wattle_channel package = {.quantity = WATTLE_ENERGY};
static const struct wattle_channel model = {.quantity = WATTLE_POWER,
                                            .quality = WATTLE_ESTIMATED,
                                            .ratio_low = 0.5,
                                            .ratio_high = 2};
static const struct wattle_channel model_unknown = {.quantity = WATTLE_POWER,
                                                    .quality = WATTLE_ESTIMATED};
static const struct wattle_channel frequency = {.quantity = WATTLE_FREQUENCY};

static const struct row {
    int line;
    const struct wattle_channel *channel;
    double energy_j, half_j, want_j, low_j, high_j;
} rows[] = {
    {__LINE__, &package, 100, 3, 100, 97, 103},
    {__LINE__, &package, 1, 3, 1, 0, 4},
    {__LINE__, &model, 100, 4, 100, 48, 208},
    {__LINE__, &model_unknown, 100, 4, 100, NAN, NAN},
    {__LINE__, &frequency, 100, 3, NAN, NAN, NAN},
    {__LINE__, &package, NAN, NAN, NAN, NAN, NAN},
};

static bool same(double a, double b)
{
    return (isnan(a) && isnan(b)) || fabs(a - b) < 1e-9;
}

static void test_rows(void)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct row *row = &rows[i];
        struct wtl_summary summary = {
            .amount = row->energy_j, .amount_half = row->half_j, .mean_w = 7, .unknown_ns = 5};
        struct wattle_summary got = wtl_public_summary(row->channel, &summary, 11);
        tap_line = row->line;
        ok(same(got.energy_j, row->want_j), "energy: %g", got.energy_j);
        ok(same(got.low_j, row->low_j) && same(got.high_j, row->high_j), "from %g to %g", got.low_j,
           got.high_j);
        ok(got.window_ns == 11 && got.unknown_ns == 5 && got.mean == 7, "the rest as it is");
    }
    tap_line = 0;
}

static struct wattle_summary sum_of(const struct wattle_channel *channel)
{
    struct wattle_summary total = {0};
    for (unsigned i = 0; i < 2; i++) {
        struct wtl_summary summary = {.amount = 100,
                                      .amount_half = 3 + i,
                                      .mean_w = 10,
                                      .samples = 9 - i,
                                      .gaps = 1,
                                      .gap_ns = 15 + i,
                                      .unknown_ns = 4};
        struct wattle_summary one = wtl_public_summary(channel, &summary, 20 + i);
        wtl_public_summary_add(&total, channel, &one);
    }
    return total;
}

int main(void)
{
    test_rows();
    struct wtl_summary early = {.amount = 0, .amount_half = 1, .mean_w = 5};
    struct wattle_summary none = wtl_public_summary(&package, &early, 0);
    ok(isnan(none.energy_j) && isnan(none.high_j) && isnan(none.mean), "no window: not 0 J");
    struct wattle_summary total = sum_of(&package);
    is_double(total.energy_j, 200, 1e-9, "energies add up");
    is_double(total.resolution_interval_j, 5, 1e-9, "errors of ticks as squares");
    ok(same(total.low_j, 195) && same(total.high_j, 205), "in the interval, too");
    is_double(total.mean, 20, 1e-9, "powers add up");
    ok(total.window_ns == 20 && total.samples == 8 && total.gaps == 2 && total.unknown_ns == 4,
       "shortest window, fewest samples, all gaps");
    is_int(total.gap_ns, 16, "no more time in gaps than one of them had");
    ok(isnan(total.min) && isnan(total.max), "nobody knows when the others were lowest");
    total = sum_of(&model);
    ok(same(total.low_j, 97 * 0.5 + 96 * 0.5) && same(total.high_j, 103 * 2 + 104 * 2),
       "errors of a model add whole: %g to %g", total.low_j, total.high_j);
    return done_testing();
}
