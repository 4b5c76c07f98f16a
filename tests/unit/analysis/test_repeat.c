/* SPDX-License-Identifier: BSD-3-Clause */
/* Means over repeats: computed manually, and nothing of any run gets lost. */
#include "analysis/compare/repeat.h"

#include "tap.h"
#include "unit/sample_result.h"

/* A mean of measured and estimated values would be neither. */
static void test_mixture(void)
{
    struct wtl_result runs[3] = {sample_result(1), sample_result(1.1), sample_result(1.2)};
    struct wtl_repeat repeat;
    runs[2].total.quality = WATTLE_ESTIMATED;
    is_int(wtl_repeat_of(runs, 3, &repeat), 0, "one of three is estimated");
    ok(isnan(repeat.mean.energy.j) && isnan(repeat.mean.total_w) && isnan(repeat.energy_j.ci95) &&
           isnan(repeat.edp_js.mean),
       "there is no mean energy, nor what follows from it");
    is_int(repeat.mean.total.quality, WATTLE_ESTIMATED, "the quality is the weakest");
    is_double(repeat.mean.wall_time_s, 11, 1e-12, "the time has its mean");
    is_int(repeat.mean.flag_count, 1, "and a flag");
    is_str(repeat.mean.flags[0].name, "MIXED RUNS", "of that name");
    wtl_repeat_fini(&repeat);
    runs[2].total.quality = runs[0].total.quality;
    (void)snprintf(runs[1].total.contains, sizeof runs[1].total.contains, "something else");
    is_int(wtl_repeat_of(runs, 3, &repeat), 0, "one total contains something else");
    ok(isnan(repeat.mean.energy.j), "no mean energy, either");
    wtl_repeat_fini(&repeat);
    for (size_t i = 0; i < 3; i++)
        wtl_result_fini(&runs[i]);
}

/* Their interval is known from their phases; each of them sees a part of the time, their mean does not. */
static void test_passes(void)
{
    struct wtl_result runs[3] = {sample_result(1), sample_result(1.1), sample_result(1.2)};
    struct wtl_repeat repeat;
    for (size_t i = 0; i < 3; i++) {
        runs[i].channels[0].passes_half_j = 7;
        runs[i].passes_half_j = 9;
        (void)wtl_result_flag(&runs[i], "PART TIME", "of one run");
        (void)wtl_result_flag(&runs[i], "CAPPED", "of any");
    }
    is_int(wtl_repeat_of(runs, 3, &repeat), 0, "passes");
    is_double(repeat.channel_j[0].ci95, 7, 0, "the interval of the channel");
    is_double(repeat.channel_w[0].ci95, 7 / repeat.mean.wall_time_s, 1e-12, "of its power");
    ok(repeat.channel_j[1].ci95 > 0 && repeat.channel_j[1].ci95 < 300, "not of another one: %g",
       repeat.channel_j[1].ci95);
    is_double(repeat.energy_j.ci95, 9, 0, "the interval of the total");
    is_double(repeat.energy_j.sd, 110, 1e-9, "the deviation is that of single passes");
    is_int(repeat.mean.flag_count, 1, "PART TIME is not of the mean");
    is_str(repeat.mean.flags[0].name, "CAPPED", "another flag is");
    wtl_repeat_fini(&repeat);
    for (size_t i = 0; i < 3; i++)
        wtl_result_fini(&runs[i]);
}

/* Runs that agree to a joule, of a counter that leaves 40 J open in each: runs that start alike begin at the same phase of its
 * updates. */
static void test_resolution(void)
{
    struct wtl_result runs[3] = {sample_result(1), sample_result(1.001), sample_result(1.002)};
    struct wtl_repeat repeat;
    for (size_t i = 0; i < 3; i++) {
        runs[i].channels[0].summary.amount_half = 40;
        runs[i].energy.half_j = 45;
    }
    is_int(wtl_repeat_of(runs, 3, &repeat), 0, "repeats of a slow counter");
    double time_s = repeat.wall_time_s.mean;
    is_double(repeat.channel_j[0].ci95, 40, 1e-9,
              "the mean of a channel is not known better than one run");
    is_double(repeat.channel_w[0].ci95, 40 / time_s, 1e-9, "nor is its power");
    is_double(repeat.energy_j.ci95, 45, 1e-9, "nor the total");
    is_double(repeat.power_w.ci95, 45 / time_s, 1e-9, "nor its power");
    is_double(repeat.edp_js.ci95, 45 * time_s, 1e-9, "nor energy times time");
    is_double(repeat.ed2p_js2.ci95, 45 * time_s * time_s, 1e-9, "nor that times time");
    is_double(repeat.channel_j[1].ci95, 4.302653 * repeat.channel_j[1].sd / sqrt(3), 1e-6,
              "where runs differ by more, the spread decides");
    wtl_repeat_fini(&repeat);
    runs[1].channels[0].summary.amount = runs[1].channels[0].summary.amount_half = NAN;
    is_int(wtl_repeat_of(runs, 3, &repeat), 0, "unknown in one run");
    ok(isnan(repeat.channel_j[0].ci95), "the interval is unknown");
    wtl_repeat_fini(&repeat);
    for (size_t i = 0; i < 3; i++)
        wtl_result_fini(&runs[i]);
}

/* All runs may have missed the same, in time that is not seen or at their ends. */
static void test_averages(uint64_t window_ns)
{
    struct wtl_result runs[3] = {sample_result(1), sample_result(1.1), sample_result(1.2)};
    struct wtl_repeat repeat;
    for (size_t i = 0; i < 3; i++) {
        runs[i].channels[0].channel.kind = WATTLE_WINDOW_AVERAGE;
        runs[i].channels[0].channel.refresh_ns = 100000000;
        runs[i].channels[0].channel.window_ns = window_ns;
        runs[i].channels[0].channel.flags |= WATTLE_CHANNEL_IN_TOTAL;
        runs[i].channels[0].summary.amount_half = 800;
        runs[i].energy.half_j = 900;
    }
    is_int(wtl_repeat_of(runs, 3, &repeat), 0, "repeats of a window average");
    is_double(repeat.channel_j[0].ci95, 800, 1e-9, "the mean is not known better than one run");
    is_double(repeat.energy_j.ci95, 900, 1e-9, "nor is that of the total");
    ok(repeat.channel_j[1].ci95 < 300, "that of another channel is: %g", repeat.channel_j[1].ci95);
    wtl_repeat_fini(&repeat);
    is_int(wtl_repeat_of(runs, 2, &repeat), 0, "two runs");
    ok(isnan(repeat.energy_j.ci95), "have no interval");
    wtl_repeat_fini(&repeat);
    for (size_t i = 0; i < 3; i++)
        wtl_result_fini(&runs[i]);
}

int main(void)
{
    struct wtl_result runs[3] = {sample_result(1), sample_result(1.1), sample_result(1.2)};
    runs[1].exit_code = 3;
    runs[1].missed = 7;
    runs[2].late_p99_ns = 90000;
    runs[2].max_rss_bytes = 5e8;
    runs[0].channels[0].summary.min_w = 42;
    (void)wtl_result_flag(&runs[2], "THROTTLED", "in the last run");

    struct wtl_repeat repeat;
    is_int(wtl_repeat_of(runs, 3, &repeat), 0, "merged");
    const struct wtl_result *mean = &repeat.mean;
    is_double(mean->wall_time_s, 11, 1e-12, "mean time");
    is_double(mean->energy.j, 1210, 1e-9, "mean energy");
    is_double(repeat.energy_j.sd, 110, 1e-9, "its deviation");
    is_double(repeat.energy_j.ci95, 4.302653 * 110 / sqrt(3), 1e-3, "its interval");
    is_double(repeat.edp_js.mean, (11000 + 1210 * 11 + 1320 * 12) / 3.0, 1e-9,
              "EDP is the mean of products, not the product of means");
    is_double(repeat.channel_j[0].mean, 1100, 1e-9, "a channel's mean");
    is_double(mean->channels[0].summary.min_w, 42, 0, "the least power of all runs");
    is_double(mean->channels[0].summary.max_w, 240, 1e-9, "the greatest");
    is_double(mean->channels[0].summary.amount_half, sqrt((1 + 1.21 + 1.44) / 3), 1e-9,
              "the resolution of one run");
    is_int(mean->channels[2].summary.gaps, 6, "gaps add up");
    is_int(mean->exit_code, 3, "a failed run shows");
    is_int(mean->missed, 7, "missed samples add up");
    is_int(mean->late_p99_ns, 90000, "the worst lateness");
    is_double(mean->max_rss_bytes, 5e8, 0, "the most memory");
    is_int(mean->flag_count, 1, "the flag of any run");
    ok(isnan(mean->energy_share_j), "unknown stays unknown");
    is_int(mean->start_monotonic_ns, 0, "means have no window");
    wtl_repeat_fini(&repeat);

    snprintf(runs[1].channels[0].channel.name, 20, "other");
    is_int(wtl_repeat_of(runs, 3, &repeat), 0, "a channel is absent from one run");
    ok(isnan(repeat.mean.channels[0].summary.amount), "its mean is unknown");
    wtl_repeat_fini(&repeat);
    for (size_t i = 0; i < 3; i++)
        wtl_result_fini(&runs[i]);
    test_mixture();
    test_passes();
    test_resolution();
    test_averages(25000000);
    test_averages(1000000000);
    return done_testing();
}
