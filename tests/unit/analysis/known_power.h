/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A trace of known power, second by second: two energy counters read together at 1 kHz, package-0
 * with 1 ms ticks and dram-0 at a tenth of its power, and at 10 Hz a temperature and a CPU time
 * counter at 3.5 CPUs. The power is 50 W, 150 W in 20 s .. 40 s, and 900 W for 50 ms at 60 s.
 */
#ifndef WATTLE_TESTS_KNOWN_POWER_H
#define WATTLE_TESTS_KNOWN_POWER_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/writer.h"

#define KNOWN_START UINT64_C(1000000000000)
#define KNOWN_MS    UINT64_C(1000000)

struct known {
    const char *path;
    uint64_t seconds;
    uint64_t sleep_s; /* at 50 s the machine is suspended for this long; 0 = not */
    bool footer;
};

enum { KNOWN_PACKAGE, KNOWN_DRAM, KNOWN_HEAT, KNOWN_CPU, KNOWN_CHANNELS };

static inline double known_power_w(uint64_t ms)
{
    if (ms >= 60000 && ms < 60050)
        return 900;
    return ms >= 20000 && ms < 40000 ? 150 : 50;
}

/* 40 C plus a millidegree per second; 90 C once, at 30.1 s. */
static inline uint64_t known_millidegrees(uint64_t ms)
{
    return ms == 30100 ? 90000 : 40000 + ms / 1000;
}

static inline struct wattle_channel known_channel(const char *name,
                                                  enum wattle_domain domain,
                                                  enum wattle_quantity quantity,
                                                  enum wattle_kind kind,
                                                  double scale)
{
    struct wattle_channel c = {.sensor = "known",
                               .domain = domain,
                               .sub = -1,
                               .quantity = quantity,
                               .kind = kind,
                               .scale = scale,
                               .refresh_ns = quantity == WATTLE_ENERGY ? KNOWN_MS : 0};
    for (int i = 0; name[i]; i++)
        c.name[i] = name[i];
    c.flags = domain == WATTLE_DOMAIN_PACKAGE ? WATTLE_CHANNEL_PRIMARY : 0;
    return c;
}

/* Returns 0 or the writer's error. */
static inline int known_write(const struct known *known)
{
    struct wtl_trace_options force = {.force = true};
    struct wtl_trace_writer *w;
    const struct wattle_channel channels[KNOWN_CHANNELS] = {
        known_channel("known:package-0", WATTLE_DOMAIN_PACKAGE, WATTLE_ENERGY, WATTLE_COUNTER,
                      1e-6),
        known_channel("known:dram-0", WATTLE_DOMAIN_DRAM, WATTLE_ENERGY, WATTLE_COUNTER, 1e-6),
        known_channel("known:heat-0", WATTLE_DOMAIN_CORE, WATTLE_TEMPERATURE, WATTLE_GAUGE, 1e-3),
        known_channel("known:cpu-0", WATTLE_DOMAIN_OTHER, WATTLE_CPU_TIME, WATTLE_COUNTER, 1e-9)};
    uint32_t ids[KNOWN_CHANNELS];
    int rc = wtl_trace_writer_create(known->path, &force, &w, NULL);
    if (rc < 0)
        return rc;
    for (int i = 0; i < KNOWN_CHANNELS; i++)
        ids[i] = (uint32_t)wtl_trace_writer_channel(w, &channels[i]);
    uint32_t fast = (uint32_t)wtl_trace_writer_group(w, &ids[KNOWN_PACKAGE], 2, 0);
    uint32_t slow = (uint32_t)wtl_trace_writer_group(w, &ids[KNOWN_HEAT], 2, 0);
    uint64_t microjoules = 0, asleep_ns = 0;
    (void)wtl_trace_writer_window_begin(w, KNOWN_START);
    for (uint64_t ms = 0; ms <= known->seconds * 1000; ms++) {
        uint64_t now = KNOWN_START + ms * KNOWN_MS + asleep_ns;
        if (known->sleep_s && ms == 50000) {
            for (uint32_t i = 0; i < KNOWN_CHANNELS; i++) {
                const struct wtl_gap gap = {.channel = ids[i],
                                            .reason = WTL_GAP_SUSPENDED,
                                            .begin_ns = now - (i < 2 ? 1 : 100) * KNOWN_MS,
                                            .end_ns = now + known->sleep_s * 1000 * KNOWN_MS};
                (void)wtl_trace_writer_gap(w, &gap);
            }
            asleep_ns = known->sleep_s * 1000 * KNOWN_MS;
            now += asleep_ns;
        }
        const uint64_t values[2] = {microjoules, microjoules / 10};
        const uint64_t others[2] = {known_millidegrees(ms), ms * 3500000};
        if (ms == known->seconds * 1000)
            (void)wtl_trace_writer_window_end(w, now);
        (void)wtl_trace_writer_row(w, fast, now, values, NULL);
        if (ms % 100 == 0)
            (void)wtl_trace_writer_row(w, slow, now, others, NULL);
        (void)wtl_trace_writer_poll(w, now);
        microjoules += (uint64_t)(known_power_w(ms) * 1000);
    }
    if (known->footer)
        return wtl_trace_writer_finish(w, NULL);
    rc = wtl_trace_writer_flush(w);
    wtl_trace_writer_abandon(w);
    return rc;
}

#endif
