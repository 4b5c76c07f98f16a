/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests of greatest powers by domain. */
#include "model/bound.h"

#include "tap.h"

/* A gauge that shows what cannot be: all bits set, a sign bit, a sensor that went away. */
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

static void test_limits(void)
{
    is_double(wtl_bound_of_limit_w(150), 600, 0, "four times the thermal power of a large package");
    is_double(wtl_bound_of_limit_w(6), 250, 0, "a small one may draw more than that");
    is_double(wtl_bound_of_limit_w(0), 0, 0, "none is stated");
    /* The smallest counter of 32 bits, in units of 2^-16 J, at the bound of a small part. */
    ok(0x1p32 * 0x1p-16 / wtl_bound_of_limit_w(6) > 60, "still goes round in more than a minute");
}

int main(void)
{
    test_plausible();
    test_limits();
    struct wattle_channel package = {.domain = WATTLE_DOMAIN_PACKAGE, .max_w = 120};
    ok(wtl_greatest_power_w(&package) == 120, "a channel's own bound goes first");
    for (int domain = 0; domain < WATTLE_DOMAIN_COUNT; domain++) {
        struct wattle_channel channel = {.domain = (enum wattle_domain)domain};
        ok(wtl_greatest_power_w(&channel) >= 1000, "%s has one",
           wattle_domain_name(channel.domain));
    }
    ok(wtl_domain_is_awake(WATTLE_DOMAIN_DRAM), "memory always draws power");
    ok(!wtl_domain_is_awake(WATTLE_DOMAIN_CORE), "cores may sleep at 0 W");
    return done_testing();
}
