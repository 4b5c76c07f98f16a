/* SPDX-License-Identifier: BSD-3-Clause */
/* How often a counter updates, from samples of counters with known updates. */
#include "model/pace.h"

#include <math.h>

#include "tap.h"

#define MS UINT64_C(1000000)

static struct wattle_channel counter(uint64_t refresh_ns, enum wattle_domain domain)
{
    return (struct wattle_channel){.quantity = WATTLE_ENERGY,
                                   .kind = WATTLE_COUNTER,
                                   .domain = domain,
                                   .scale = 61e-6,
                                   .refresh_ns = refresh_ns};
}

struct one {
    int line;
    double tick_ms, interval_ms, seconds, power_w, unit_j;
    double asleep_s; /* of each 2 s; 0 = never */
    enum wattle_domain domain;
    double claimed_ms, low_ms, high_ms;
};

static double joules(const struct one *one, double s)
{
    double turns = floor(s / 2), rest = s - 2 * turns;
    return one->power_w * (turns * (2 - one->asleep_s) + fmax(0, rest - one->asleep_s));
}

static double found_ms(const struct one *one)
{
    struct wtl_pace pace = {0};
    const struct wattle_channel channel = counter((uint64_t)(one->claimed_ms * 1e6), one->domain);
    for (double ms = 1; ms < one->seconds * 1e3; ms += one->interval_ms) {
        double tick_s = floor(ms / one->tick_ms) * one->tick_ms * 1e-3;
        wtl_pace_add(&pace, (uint64_t)(ms * 1e6), (uint64_t)(joules(one, tick_s) / one->unit_j));
    }
    return (double)wtl_pace_refresh_ns(&pace, &channel) * 1e-6;
}

static const struct one ones[] = {
    /* as claimed, read more often, as often and less often */
    {__LINE__, 1.003, 0.5, 3, 100, 61e-6, 0, WATTLE_DOMAIN_PACKAGE, 1, 1, 1},
    {__LINE__, 1.003, 1, 3, 100, 61e-6, 0, WATTLE_DOMAIN_PACKAGE, 1, 1, 1},
    {__LINE__, 1.003, 100, 3, 100, 61e-6, 0, WATTLE_DOMAIN_PACKAGE, 1, 1, 1},
    /* slower than claimed */
    {__LINE__, 50, 1, 3, 100, 61e-6, 0, WATTLE_DOMAIN_PACKAGE, 1, 49.5, 50.5},
    {__LINE__, 50, 5, 3, 100, 61e-6, 0, WATTLE_DOMAIN_PACKAGE, 1, 49, 51},
    {__LINE__, 50.3, 10, 3, 100, 61e-6, 0, WATTLE_DOMAIN_PACKAGE, 1, 49, 52},
    {__LINE__, 10.1, 7, 3, 100, 61e-6, 0, WATTLE_DOMAIN_PACKAGE, 1, 9, 11},
    {__LINE__, 10.1, 9, 3, 100, 61e-6, 0, WATTLE_DOMAIN_PACKAGE, 1, 9, 11},
    {__LINE__, 50, 5, 3, 100, 61e-6, 0, WATTLE_DOMAIN_GPU, 1, 49, 51},
    /* not read often enough to see that; too few values */
    {__LINE__, 50, 100, 30, 100, 61e-6, 0, WATTLE_DOMAIN_PACKAGE, 1, 1, 1},
    {__LINE__, 50, 5, 0.3, 100, 61e-6, 0, WATTLE_DOMAIN_PACKAGE, 1, 1, 1},
    /* 2 W in whole joules */
    {__LINE__, 100, 20, 60, 2, 1, 0, WATTLE_DOMAIN_NODE, 100, 490, 510},
    /* asleep half of the time, and almost always: no power is not a slow counter */
    {__LINE__, 1.003, 10, 60, 50, 61e-6, 1, WATTLE_DOMAIN_CORE, 1, 1, 1},
    {__LINE__, 1.003, 100, 60, 50, 61e-6, 1.7, WATTLE_DOMAIN_CORE, 1, 1, 1},
    {__LINE__, 1.003, 10, 60, 0, 61e-6, 0, WATTLE_DOMAIN_CORE, 1, 1, 1},
};

static void test_others(void)
{
    struct wtl_pace pace = {0};
    struct wattle_channel channel = counter(MS, WATTLE_DOMAIN_PACKAGE);
    is_int((int)wtl_pace_refresh_ns(&pace, &channel), 1000000, "no sample");
    for (uint64_t i = 0; i < 100; i++) {
        wtl_pace_add(&pace, (i + 1) * 10 * MS, i / 4);
        if (i % 4 == 1)
            wtl_pace_break(&pace);
    }
    is_int((int)wtl_pace_refresh_ns(&pace, &channel), 1000000, "no value without a loss");
    pace = (struct wtl_pace){0};
    for (uint64_t i = 0; i < 100; i++)
        wtl_pace_add(&pace, (i + 1) * 10 * MS, i / 4);
    is_int((int)wtl_pace_refresh_ns(&pace, &channel), 40000000, "each value four times");
    channel.refresh_ns = 0;
    is_int((int)wtl_pace_refresh_ns(&pace, &channel), 40000000, "nothing claimed");
    channel.refresh_ns = 30 * MS;
    is_int((int)wtl_pace_refresh_ns(&pace, &channel), 30000000, "close to what is claimed");
    channel.kind = WATTLE_GAUGE;
    channel.refresh_ns = MS;
    is_int((int)wtl_pace_refresh_ns(&pace, &channel), 1000000, "a gauge may be constant");
}

int main(void)
{
    for (size_t i = 0; i < sizeof ones / sizeof *ones; i++) {
        double ms = found_ms(&ones[i]);
        ok(ms >= ones[i].low_ms && ms <= ones[i].high_ms, "line %d: %.3f ms", ones[i].line, ms);
    }
    test_others();
    return done_testing();
}
