/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests of greatest powers by domain. */
#include "model/bound.h"

#include "tap.h"

int main(void)
{
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
