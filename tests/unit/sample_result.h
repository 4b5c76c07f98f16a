/* SPDX-License-Identifier: BSD-3-Clause */
/* A result to be reported: two packages and DRAM, a duplicate, a temperature. */
#ifndef WATTLE_TESTS_SAMPLE_RESULT_H
#define WATTLE_TESTS_SAMPLE_RESULT_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/reading.h"
#include "model/result.h"

static struct wtl_result_channel sample_channel(const char *sensor,
                                                enum wattle_domain domain,
                                                unsigned flags,
                                                double energy_j)
{
    struct wtl_result_channel c = {.channel = {.domain = domain,
                                               .sub = -1,
                                               .quantity = WATTLE_ENERGY,
                                               .kind = WATTLE_COUNTER,
                                               .flags = flags,
                                               .scale = 1},
                                   .summary = {.amount = energy_j,
                                               .amount_half = energy_j / 1000,
                                               .mean_w = energy_j / 10,
                                               .min_w = energy_j / 20,
                                               .max_w = energy_j / 5,
                                               .sd_w = 1,
                                               .stat_window_ns = 20000000,
                                               .samples = 100}};
    (void)snprintf(c.channel.sensor, sizeof c.channel.sensor, "%s", sensor);
    wtl_channel_set_name(&c.channel, NULL);
    return c;
}

/* The channels are allocated; wtl_result_fini() frees them. */
__attribute__((unused)) static struct wtl_result sample_result(double factor)
{
    struct wtl_result r = {.command = "./app --size \"1\"",
                           .target = "command",
                           .start_monotonic_ns = 5000000000,
                           .end_monotonic_ns = 15000000000,
                           .start_realtime_ns = 1700000000000000000,
                           .wall_time_s = 10 * factor,
                           .cpu_s = 35 * factor,
                           .machine_cpu_s = NAN,
                           .max_rss_bytes = 64.0 * 1024 * 1024,
                           .energy_share_j = NAN,
                           .others_share_j = NAN,
                           .gpu_share_j = NAN,
                           .gpu_others_j = NAN,
                           .gpu_idle_j = NAN,
                           .gpu_unattributed_j = NAN,
                           .share_idle_j = NAN,
                           .unattributed_j = NAN,
                           .idle_before_w = NAN,
                           .idle_after_w = NAN,
                           .above_idle_j = NAN,
                           .work = NAN,
                           .own_cpu_s = 0.012,
                           .own_j = NAN,
                           .interval_ns = 100000000,
                           .late_p99_ns = 60000,
                           .sampler_cpu = -1,
                           .trace = "a.wtl",
                           .channel_count = 5};
    r.channels = calloc(r.channel_count, sizeof *r.channels);
    r.channels[0] =
        sample_channel("powercap", WATTLE_DOMAIN_PACKAGE, WATTLE_CHANNEL_PRIMARY, 1000 * factor);
    r.channels[1] =
        sample_channel("powercap", WATTLE_DOMAIN_CORE, WATTLE_CHANNEL_PRIMARY, 800 * factor);
    (void)snprintf(r.channels[1].channel.within, sizeof r.channels[1].channel.within, "%s",
                   r.channels[0].channel.name);
    r.channels[2] =
        sample_channel("powercap", WATTLE_DOMAIN_DRAM, WATTLE_CHANNEL_PRIMARY, 100 * factor);
    r.channels[2].summary.gaps = 2;
    r.channels[2].summary.gap_ns = 310000000;
    r.channels[2].summary.gap_reasons = 1u << WTL_GAP_READ_FAILED | 1u << WTL_GAP_OVERRUN;
    r.channels[3] = sample_channel("msr", WATTLE_DOMAIN_PACKAGE, 0, 1001 * factor);
    r.channels[4] = sample_channel("thermal", WATTLE_DOMAIN_CORE, 0, 0);
    r.channels[4].channel.quantity = WATTLE_TEMPERATURE;
    r.channels[4].channel.kind = WATTLE_GAUGE;
    wtl_result_total(&r);
    return r;
}

#endif
