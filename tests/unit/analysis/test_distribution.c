/* SPDX-License-Identifier: BSD-3-Clause */
/* Distributions of known power: fractions of the time, percentiles, and channels without one. */
#include "analysis/power/distribution.h"

#include <math.h>
#include <stdlib.h>

#include "known_power.h"
#include "tap.h"

static const uint32_t all[KNOWN_CHANNELS + 2] = {KNOWN_DRAM, KNOWN_PACKAGE, KNOWN_HEAT, KNOWN_CPU,
                                                 77,         KNOWN_DRAM};
static const struct wtl_trace_range range = {.end_ns = UINT64_MAX,
                                             .channels = all,
                                             .channel_count = KNOWN_CHANNELS + 2};

static double share_between(const struct wtl_distribution *d, double low_w, double high_w)
{
    double sum = 0;
    for (size_t i = 0; i < d->bins; i++) {
        double middle_w = d->low_w + ((double)i + 0.5) * d->step_w;
        sum += middle_w >= low_w && middle_w < high_w ? d->share[i] : 0;
    }
    return sum;
}

/* 90 s: 69.95 s at 50 W, 20 s at 150 W, 0.05 s at 900 W. */
static void test_known(struct wtl_trace_reader *reader)
{
    struct wtl_distribution *d = NULL;
    struct wattle_error err = {""};
    if (!is_int(wtl_distributions_read(reader, &range, &d, &err), 2, "power has them, each once%s",
                err.text))
        return;
    is_int(d[0].channel, KNOWN_DRAM, "in the order asked for");
    is_int(d[1].channel, KNOWN_PACKAGE, "package second");
    is_double(d[1].stretch_s, 0.005, 1e-6, "stretches of 5 ticks");
    is_double(d[1].known_s, 90, 0.02, "of all the time");
    is_double(d[1].min_w, 50, 0.001, "the least");
    is_double(d[1].max_w, 900, 0.001, "the greatest");
    is_double(d[1].mean_w, (50 * 69.95 + 150 * 20 + 900 * 0.05) / 90, 0.02, "the mean");
    is_double(share_between(&d[1], -1e9, 1e9), 1, 1e-9, "shares sum to 1");
    is_double(share_between(&d[1], 0, 100), 69.95 / 90, 0.001, "of the time at 50 W");
    is_double(share_between(&d[1], 100, 200), 20 / 90.0, 0.001, "of the time at 150 W");
    is_double(share_between(&d[1], 800, 1000), 0.05 / 90, 0.0004, "of the time at 900 W");
    is_double(d[1].percentile_w[WTL_P5], 50, 0.3, "p5");
    is_double(d[1].percentile_w[WTL_P50], 50, 0.3, "median");
    is_double(d[1].percentile_w[WTL_P75], 50, 0.3, "p75 is within the 77.7 %% of 50 W");
    is_double(d[1].percentile_w[WTL_P95], 150, 0.3, "p95");
    ok(d[1].bins >= 40 && d[1].bins <= 500, "%zu bins", d[1].bins);
    is_double(d[0].max_w, 90, 0.001, "dram has a tenth");
    wtl_distributions_free(d, 2);

    const struct wtl_trace_range hot = {.begin_ns = KNOWN_START + 21000 * KNOWN_MS,
                                        .end_ns = KNOWN_START + 39000 * KNOWN_MS,
                                        .channels = all,
                                        .channel_count = 2};
    if (!is_int(wtl_distributions_read(reader, &hot, &d, &err), 2, "a part of the time"))
        return;
    is_int((long)d[1].bins, 1, "of one power is one bin");
    is_double(d[1].share[0], 1, 1e-12, "with all of it");
    is_double(d[1].percentile_w[WTL_P5], 150, 0.001, "150 W");
    is_double(d[1].known_s, 18, 0.03, "18 s");
    wtl_distributions_free(d, 2);

    const struct wtl_trace_range nothing = {
        .begin_ns = 1, .end_ns = 2, .channels = all, .channel_count = KNOWN_CHANNELS};
    is_int(wtl_distributions_read(reader, &nothing, &d, &err), 0, "nothing where nothing was");
    wtl_distributions_free(d, 0);
}

/* Time made unknown by a suspend is excluded. */
static void test_sleep(void)
{
    const struct known known = {
        .path = "distribution-sleep.wtl", .seconds = 90, .sleep_s = 600, .footer = true};
    struct wtl_trace_reader *reader;
    struct wtl_distribution *d = NULL;
    is_int(known_write(&known), 0, "a trace with a sleep");
    if (!is_int(wtl_trace_reader_open(known.path, &reader, NULL), 0, "opened"))
        return;
    if (is_int(wtl_distributions_read(reader, &range, &d, NULL), 2, "read")) {
        is_double(d[1].known_s, 90, 0.05, "time that was sampled");
        is_double(d[1].min_w, 50, 0.001, "no power of the sleep");
        wtl_distributions_free(d, 2);
    }
    wtl_trace_reader_close(reader);
}

/* Compared with sorting: 3000 gauge readings of a skewed distribution, one every 10 ms. */
static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void test_gauge(void)
{
    enum { ROWS = 3000 };
    static double values[ROWS];
    struct wtl_trace_options force = {.force = true};
    struct wtl_trace_writer *w;
    const struct wattle_channel channel =
        known_channel("known:psu-0", WATTLE_DOMAIN_PSU, WATTLE_POWER, WATTLE_GAUGE, 1e-6);
    if (!is_int(wtl_trace_writer_create("distribution-gauge.wtl", &force, &w, NULL), 0, "a gauge"))
        return;
    uint32_t id = (uint32_t)wtl_trace_writer_channel(w, &channel);
    uint32_t group = (uint32_t)wtl_trace_writer_group(w, &id, 1, 0);
    uint64_t state = 1;
    for (size_t i = 0; i < ROWS; i++) {
        state = state * UINT64_C(6364136223846793005) + 1442695040888963407u;
        double u = (double)(state >> 11) * 0x1p-53;
        uint64_t microwatts = (uint64_t)(1e6 * (20 + 10 * u * u * u));
        values[i] = (double)microwatts * 1e-6;
        (void)wtl_trace_writer_row(w, group, KNOWN_START + i * 10 * KNOWN_MS, &microwatts, NULL);
        (void)wtl_trace_writer_poll(w, KNOWN_START + i * 10 * KNOWN_MS);
    }
    (void)wtl_trace_writer_finish(w, NULL);
    struct wtl_trace_reader *reader;
    struct wtl_distribution *d = NULL;
    const uint32_t zero = 0;
    const struct wtl_trace_range one = {
        .end_ns = UINT64_MAX, .channels = &zero, .channel_count = 1};
    if (!is_int(wtl_trace_reader_open("distribution-gauge.wtl", &reader, NULL), 0, "opened"))
        return;
    if (is_int(wtl_distributions_read(reader, &one, &d, NULL), 1, "read")) {
        static const double parts[] = {0.05, 0.25, 0.5, 0.75, 0.95};
        qsort(values, ROWS, sizeof *values, compare);
        for (int i = 0; i < WTL_PERCENTILES; i++)
            is_double(d[0].percentile_w[i], values[(size_t)(parts[i] * ROWS)], 0.03,
                      "percentile %g as by sorting", parts[i]);
        is_double(d[0].stretch_s, 0.01, 1e-6, "reading by reading");
        is_double(share_between(&d[0], -1e9, 1e9), 1, 1e-9, "shares sum to 1");
        wtl_distributions_free(d, 1);
    }
    wtl_trace_reader_close(reader);
}

int main(void)
{
    const struct known known = {.path = "distribution.wtl", .seconds = 90, .footer = true};
    struct wtl_trace_reader *reader;
    is_int(known_write(&known), 0, "a trace");
    if (is_int(wtl_trace_reader_open(known.path, &reader, NULL), 0, "opened")) {
        test_known(reader);
        wtl_trace_reader_close(reader);
    }
    test_sleep();
    test_gauge();
    return done_testing();
}
