/* SPDX-License-Identifier: BSD-3-Clause */
/* Which runs may be compared: each condition that prevents it, and some that do not. */
#include "analysis/compare/matching.h"

#include "../sample_result.h"
#include "tap.h"

static char why[200];

static struct wtl_result result_of(void)
{
    struct wtl_result r = sample_result(1);
    r.host = "n1";
    r.governor = "performance";
    r.turbo = 1;
    r.min_khz = 800000;
    r.max_khz = 3000000;
    (void)wtl_result_total(&r);
    return r;
}

/* Expects `said` (NULL: nothing) for a result against the usual one, and frees it. */
static void against(struct wtl_result *b, enum wtl_metric metric, const char *said)
{
    struct wtl_result a = result_of();
    why[0] = '\0';
    bool differ = wtl_matching_differ(&a, b, metric, why, sizeof why);
    is_int(differ, said != NULL, "%s", said ? said : "the same");
    ok(!said || strstr(why, said), "says: %s", why);
    why[0] = '\0';
    is_int(wtl_matching_differ(b, &a, metric, why, sizeof why), differ, "the other way: %s", why);
    wtl_result_fini(&a);
    wtl_result_fini(b);
}

static void set_limit(struct wtl_result *r, double watts)
{
    r->channels = realloc(r->channels, (r->channel_count + 1) * sizeof *r->channels);
    if (!r->channels)
        exit(1);
    struct wtl_result_channel *limit = &r->channels[r->channel_count++];
    *limit = sample_channel("limits", WATTLE_DOMAIN_PACKAGE, 0, NAN);
    limit->channel.quantity = WATTLE_POWER_LIMIT;
    (void)snprintf(limit->channel.label, sizeof limit->channel.label, "package long_term");
    limit->summary.mean_w = watts;
}

static void test_rows(void)
{
    struct wtl_result b = result_of();
    against(&b, WTL_METRIC_ENERGY, NULL);
    b = result_of();
    b.host = "n2";
    against(&b, WTL_METRIC_TIME, "node");
    b = result_of();
    b.host = NULL;
    against(&b, WTL_METRIC_ENERGY, "unknown");
    b = result_of();
    b.governor = "powersave";
    against(&b, WTL_METRIC_TIME, "governor");
    b = result_of();
    b.governor = NULL;
    against(&b, WTL_METRIC_TIME, "unknown");
    b = result_of();
    b.epp = "power";
    against(&b, WTL_METRIC_TIME, "preference");
    b = result_of();
    b.turbo = 0;
    against(&b, WTL_METRIC_TIME, "turbo");
    b = result_of();
    b.max_khz = 2000000;
    against(&b, WTL_METRIC_TIME, "maximum frequency");
    b = result_of();
    b.min_khz = 0;
    against(&b, WTL_METRIC_TIME, "minimum frequency");
}

static void test_totals(void)
{
    struct wtl_result b = result_of();
    b.total.quality = WATTLE_ESTIMATED;
    against(&b, WTL_METRIC_ENERGY, "estimate");
    b = result_of();
    b.total.quality = WATTLE_ESTIMATED;
    against(&b, WTL_METRIC_TIME, NULL);
    b = result_of();
    b.total.count = 0;
    against(&b, WTL_METRIC_EDP, "no sensor measures energy");
    b = result_of();
    (void)snprintf(b.total.contains, sizeof b.total.contains, "package");
    against(&b, WTL_METRIC_POWER, "content of the total");
    b = result_of();
    b.total_unknown_ns = 50000000; /* of 10 s */
    against(&b, WTL_METRIC_ENERGY, "the energy of 0.05 s of a run is missing");
    b = result_of();
    b.total_unknown_ns = 50000000;
    against(&b, WTL_METRIC_TIME, NULL);
    b = result_of();
    b.total_unknown_ns = 5000000; /* less than a thousandth */
    against(&b, WTL_METRIC_ENERGY, NULL);
    b = result_of();
    b.channels[0].channel.flags |= WATTLE_CHANNEL_SIMULATED;
    against(&b, WTL_METRIC_ENERGY, "simulated");
    for (uint64_t window_ms = 25; window_ms <= 100; window_ms += 75) {
        b = result_of();
        struct wattle_channel *gauge = &b.channels[0].channel;
        gauge->kind = WATTLE_WINDOW_AVERAGE;
        gauge->refresh_ns = 100000000;
        gauge->window_ns = window_ms * 1000000;
        against(&b, WTL_METRIC_ENERGY, window_ms < 100 ? "sees 25 % of the time" : NULL);
    }
    b = result_of();
    b.channels[0].channel.kind = WATTLE_WINDOW_AVERAGE;
    b.channels[0].channel.window_ns = 20000000000;
    b.channels[0].summary.amount_half = 0.3 * b.channels[0].summary.amount;
    against(&b, WTL_METRIC_ENERGY, "averages 20 s, too long for runs of 10 s");
}

static void test_limits(void)
{
    struct wtl_result results[3] = {result_of(), result_of(), result_of()};
    set_limit(&results[0], 150);
    set_limit(&results[1], 150.2);
    ok(!wtl_matching_forbids(results, 2, WTL_METRIC_ENERGY, why, sizeof why),
       "a limit that is read back");
    set_limit(&results[2], 120);
    ok(wtl_matching_forbids(results, 3, WTL_METRIC_ENERGY, why, sizeof why) &&
           strstr(why, "package long_term") && strstr(why, "120 W"),
       "a limit that changed: %s", why);
    for (int i = 0; i < 3; i++)
        wtl_result_fini(&results[i]);
}

int main(void)
{
    test_rows();
    test_totals();
    test_limits();
    return done_testing();
}
