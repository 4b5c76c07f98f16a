/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Two groups of results: rows and verdicts computed manually, conditions that prevent them, the
 * order of the runs; and the rate of false alarms of all four verdicts together.
 */
#include "analysis/compare/sides.h"

#include <errno.h>
#include <math.h>

#include "../sample_result.h"

#include "simulated_runs.h"
#include "tap.h"

enum { RUNS = 6 };
#define MINUTE UINT64_C(60000000000)

/* n runs, every other minute from `first` on; time and energy vary independently. */
static void make(struct wtl_result *results, size_t n, uint64_t first, double factor, uint64_t seed)
{
    for (size_t i = 0; i < n; i++) {
        double time = exp(0.01 * simulated_normal(seed, 2 * i));
        double energy = factor * exp(0.01 * simulated_normal(seed, 2 * i + 1));
        results[i] = sample_result(energy);
        results[i].wall_time_s = 10 * time;
        results[i].start_realtime_ns += (first + 2 * i) * MINUTE;
        results[i].total_w = results[i].energy.j / results[i].wall_time_s;
    }
}

static void drop(struct wtl_result *results, size_t n)
{
    for (size_t i = 0; i < n; i++)
        wtl_result_fini(&results[i]);
}

static struct wtl_sides_options plain(void)
{
    struct wtl_sides_options options = {.resolve = 0.01, .seed = 1};
    for (size_t i = 0; i < 4; i++)
        options.noise[i] = (struct wtl_noise){NAN, NAN};
    return options;
}

static int compare(struct wtl_result *a,
                   struct wtl_result *b,
                   size_t n,
                   const struct wtl_sides_options *options,
                   struct wtl_sides *ret_sides)
{
    struct wattle_error err = {""};
    int rc = wtl_sides_compare(a, n, b, n, options, ret_sides, &err);
    if (rc < 0)
        diag("%s", err.text);
    return rc;
}

static const struct wtl_side_row *find(const struct wtl_sides *sides, const char *name)
{
    for (size_t i = 0; i < sides->count; i++) {
        if (strcmp(sides->rows[i].name, name) == 0)
            return &sides->rows[i];
    }
    return NULL;
}

static void test_rows(void)
{
    struct wtl_result a[RUNS], b[RUNS];
    struct wtl_sides_options options = plain();
    struct wtl_sides sides;
    make(a, RUNS, 0, 1, 1);
    make(b, RUNS, 1, 1.2, 2);
    is_int(compare(a, b, RUNS, &options, &sides), 0, "interleaved");
    is_int(sides.headline, 4, "time, energy, power, energy x time");
    is_int(sides.count, 4 + 2 * 4, "and energy and power of four channels, not of the temperature");
    is_int(sides.compared, 4, "four verdicts");
    const struct wtl_side_row *energy = &sides.rows[1];
    is_int(energy->verdict.kind, WTL_VERDICT_MORE, "energy: %s", energy->verdict.text);
    ok(energy->verdict.low < 0.2 && 0.2 < energy->verdict.high, "20 %% lie in the interval");
    is_double(energy->comparison.ratio.low - 1, energy->verdict.low, 0, "of which there is one");
    is_double(energy->comparison.ratio.high - 1, energy->verdict.high, 0, "at both ends");
    ok(energy->alpha < 0.05, "and it is wide enough for four verdicts");
    double sum = 0;
    for (size_t i = 0; i < RUNS; i++)
        sum += a[i].energy.j;
    is_double(energy->comparison.a.mean, sum / RUNS, 1e-9, "mean of A");
    is_double(sides.rows[3].a[2], a[2].energy.j * a[2].wall_time_s, 1e-9, "energy x time of a run");
    const struct wtl_side_row *dram = find(&sides, "powercap:dram-0");
    ok(dram && fabs(dram->comparison.ratio.value - energy->comparison.ratio.value) < 1e-12 &&
           dram->verdict.text[0] == '\0',
       "a channel has an interval and no verdict");
    ok(sides.order_known && !sides.apart && !sides.overlap, "they took turns");
    wtl_sides_fini(&sides);

    options.forbidden = "it rains";
    is_int(compare(a, b, RUNS, &options, &sides), 0, "forbidden from outside");
    is_str(sides.rows[0].verdict.text, "no verdict: it rains", "by the caller's words");
    wtl_sides_fini(&sides);
    drop(a, RUNS);
    drop(b, RUNS);
}

static void test_order(void)
{
    struct wtl_result a[RUNS], b[RUNS];
    struct wtl_sides_options options = plain();
    struct wtl_sides sides;
    make(a, RUNS, 0, 1, 3);
    make(b, RUNS, 100, 1.2, 4);
    struct wtl_result first = a[0];
    a[0] = a[3];
    a[3] = first;
    is_int(compare(a, b, RUNS, &options, &sides), 0, "A, then B");
    ok(sides.apart && a[0].start_realtime_ns < a[1].start_realtime_ns, "sorted, and seen");
    is_int(sides.rows[1].verdict.kind, WTL_VERDICT_NONE, "far apart in time: %s",
           sides.rows[1].verdict.text);
    wtl_sides_fini(&sides);

    b[2].start_realtime_ns = a[2].start_realtime_ns + 1000000000;
    is_int(compare(a, b, RUNS, &options, &sides), 0, "two at once");
    ok(sides.overlap, "are seen");
    wtl_sides_fini(&sides);

    a[1].start_realtime_ns = 0;
    is_int(compare(a, b, RUNS, &options, &sides), 0, "a run that does not tell");
    ok(!sides.order_known && !sides.apart, "leaves the order unknown");
    is_int(sides.rows[1].verdict.kind, WTL_VERDICT_MORE, "which forbids nothing");
    wtl_sides_fini(&sides);
    drop(a, RUNS);
    drop(b, RUNS);
}

static void test_kinds(void)
{
    struct wtl_result a[RUNS], b[RUNS];
    struct wtl_sides_options options = plain();
    struct wtl_sides sides;
    make(a, RUNS, 0, 1, 5);
    make(b, RUNS, 1, 1, 6);
    b[4].channels[1].channel.flags |= WATTLE_CHANNEL_SIMULATED;
    is_int(compare(a, b, RUNS, &options, &sides), 0, "simulated and not");
    ok(strstr(sides.rows[0].verdict.text, "simulated"), "%s", sides.rows[0].verdict.text);
    ok(sides.rows[1].simulated && !sides.rows[0].simulated, "the energy is simulated, no time");
    wtl_sides_fini(&sides);
    b[4].channels[1].channel.flags &= ~(unsigned)WATTLE_CHANNEL_SIMULATED;

    for (size_t k = 0; k < b[0].energy_count; k++)
        b[0].channels[k].channel.quality = WATTLE_ESTIMATED;
    wtl_result_total(&b[0]);
    is_int(compare(a, b, RUNS, &options, &sides), 0, "one run is estimated");
    is_int(sides.rows[1].quality, WATTLE_ESTIMATED, "so is the energy of the sides");
    is_int(sides.rows[0].quality, WATTLE_MEASURED, "but no time");
    is_str(sides.rows[1].verdict.text, "no verdict: some runs are measured, others estimated",
           "no verdict on energy");
    ok(sides.rows[0].verdict.kind != WTL_VERDICT_NONE && sides.compared == 1, "but one on time");
    wtl_sides_fini(&sides);

    b[1].channels[2].channel.flags &= ~(unsigned)WATTLE_CHANNEL_PRIMARY;
    wtl_result_total(&b[1]);
    is_int(compare(a, b, RUNS, &options, &sides), 0, "another total");
    ok(sides.rows[1].why[0] && sides.totals_differ, "is not even compared: %s", sides.rows[1].why);
    wtl_sides_fini(&sides);

    b[2].channels[3].summary.amount = NAN;
    is_int(compare(a, b, RUNS, &options, &sides), 0, "a value is unknown");
    const struct wtl_side_row *msr = find(&sides, "msr:package-0");
    ok(msr && strcmp(msr->why, "energy is unknown in 1 of 6 runs of B") == 0, "it says where");
    wtl_sides_fini(&sides);
    drop(a, RUNS);
    drop(b, RUNS);
}

static void test_refusals(void)
{
    struct wtl_result a[RUNS], b[RUNS];
    struct wtl_sides_options options = plain();
    struct wtl_sides sides;
    struct wattle_error err = {""};
    make(a, RUNS, 0, 1, 7);
    make(b, RUNS, 1, 1, 8);
    options.paired = true;
    is_int(wtl_sides_compare(a, 6, b, 5, &options, &sides, &err), -EINVAL, "%s", err.text);
    options = plain();
    options.warm_up = 6;
    is_int(wtl_sides_compare(a, 6, b, 6, &options, &sides, &err), -EINVAL, "%s", err.text);
    options.warm_up = 1;
    is_int(wtl_sides_compare(a, 6, b, 6, &options, &sides, &err), 0, "one of warm-up");
    ok(sides.a_n == 5 && sides.a_dropped == 1 && sides.a == a + 1, "is dropped");
    wtl_sides_fini(&sides);
    a[0].wall_time_s *= 1.5;
    options = plain();
    is_int(wtl_sides_compare(a, 6, b, 6, &options, &sides, &err), 0, "a slow first run");
    ok(sides.a_n == 6 && sides.a_warm_up == 1 && sides.a_dropped == 0, "is told, not dropped");
    wtl_sides_fini(&sides);
    options.warm_up_auto = true;
    is_int(wtl_sides_compare(a, 6, b, 6, &options, &sides, &err), 0, "with auto");
    ok(sides.a_n == 5 && sides.b_n == 6 && sides.a_warm_up == 0, "it is dropped");
    wtl_sides_fini(&sides);
    options = plain();
    for (size_t i = 0; i < RUNS; i++)
        for (size_t k = 0; k < b[i].energy_count; k++) {
            struct wattle_channel *channel = &b[i].channels[k].channel;
            (void)snprintf(channel->name, sizeof channel->name, "other:gpu-%zu", k);
            channel->domain = WATTLE_DOMAIN_GPU;
        }
    is_int(wtl_sides_compare(a, 6, b, 6, &options, &sides, &err), -EINVAL, "%s", err.text);
    ok(strstr(err.text, "no common channel"), "says why");
    drop(a, RUNS);
    drop(b, RUNS);
}

/* At most 5 % of all comparisons have a wrong one among the four verdicts. */
static void test_rate(void)
{
    enum { WORLDS = 800 };
    size_t alarms = 0;
    struct wtl_sides_options options = plain();
    for (size_t world = 0; world < WORLDS; world++) {
        struct wtl_result a[RUNS], b[RUNS];
        struct wtl_sides sides;
        struct wattle_error err = {""};
        bool alarm = false;
        make(a, RUNS, 0, 1, wtl_random_bits(51, world));
        make(b, RUNS, 1, 1, wtl_random_bits(52, world));
        if (wtl_sides_compare(a, RUNS, b, RUNS, &options, &sides, &err) == 0) {
            for (size_t i = 0; i < sides.headline; i++) {
                enum wtl_verdict_kind kind = sides.rows[i].verdict.kind;
                alarm |= kind == WTL_VERDICT_LESS || kind == WTL_VERDICT_MORE;
            }
            wtl_sides_fini(&sides);
        }
        alarms += alarm;
        drop(a, RUNS);
        drop(b, RUNS);
    }
    diag("false alarms of four verdicts together: %.3f", (double)alarms / WORLDS);
    ok((double)alarms <= WORLDS * (0.05 + 4 * sqrt(0.05 * 0.95 / WORLDS)), "at most 5 %%");
    ok(alarms > 0, "and some");
}

int main(void)
{
    test_rows();
    test_order();
    test_kinds();
    test_refusals();
    test_rate();
    return done_testing();
}
