/* SPDX-License-Identifier: BSD-3-Clause */
/* Which counters have stalled when they stand still: those of the total, those that lie within them, and those beside. */
#include "record/continuity.h"

#include "tap.h"

static const uint64_t MS = 1000000, T0 = UINT64_C(1000000000);

struct gaps {
    uint64_t stalled_ns, other;
};

static void note(void *context, const struct wtl_gap *gap)
{
    struct gaps *gaps = (struct gaps *)context;
    if (gap->reason == WTL_GAP_STALLED)
        gaps->stalled_ns += gap->end_ns - gap->begin_ns;
    else
        gaps->other++;
}

/* A counter of 1000 units each 10 ms that stands from one time to another, looked at so often for 5 s. */
static struct gaps watch(const struct wattle_channel *channel,
                         uint64_t every_ms,
                         uint64_t stand_ms,
                         uint64_t stand_end_ms)
{
    struct gaps gaps = {.other = 0};
    struct wtl_continuity c;
    uint64_t value;
    wtl_continuity_init(&c, channel, note, &gaps);
    for (uint64_t ms = 0; ms <= 5000; ms += every_ms) {
        uint64_t shown_ms = ms < stand_ms ? ms : ms < stand_end_ms ? stand_ms : ms;
        (void)wtl_continuity_read(&c, T0 + ms * MS, 100 * shown_ms, &value);
    }
    wtl_continuity_end(&c, T0 + 5000 * MS);
    return gaps;
}

static const struct row {
    int line;
    enum wattle_domain domain;
    int sub;
    enum wattle_quality quality;
    enum wattle_quantity quantity;
    bool stalls;
} rows[] = {
    {__LINE__, WATTLE_DOMAIN_PACKAGE, -1, WATTLE_MEASURED, WATTLE_ENERGY, true},
    {__LINE__, WATTLE_DOMAIN_DRAM, -1, WATTLE_MEASURED, WATTLE_ENERGY, true},
    {__LINE__, WATTLE_DOMAIN_CORE, -1, WATTLE_MEASURED, WATTLE_ENERGY, true},
    {__LINE__, WATTLE_DOMAIN_UNCORE, -1, WATTLE_MEASURED, WATTLE_ENERGY, true},
    {__LINE__, WATTLE_DOMAIN_GPU, -1, WATTLE_MEASURED, WATTLE_ENERGY, true},
    {__LINE__, WATTLE_DOMAIN_CORE, 3, WATTLE_MEASURED, WATTLE_ENERGY, false}, /* switched off */
    {__LINE__, WATTLE_DOMAIN_CORE, -1, WATTLE_ESTIMATED, WATTLE_ENERGY, false},
    {__LINE__, WATTLE_DOMAIN_CORE, -1, WATTLE_MEASURED, WATTLE_CPU_TIME, false},
};

int main(void)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct row *row = &rows[i];
        const struct wattle_channel channel = {.name = "fake:0",
                                               .domain = row->domain,
                                               .sub = row->sub,
                                               .quality = row->quality,
                                               .quantity = row->quantity,
                                               .kind = WATTLE_COUNTER,
                                               .scale = 1e-6,
                                               .modulus = UINT64_C(1) << 32,
                                               .max_w = 200,
                                               .refresh_ns = MS};
        tap_line = row->line;
        struct gaps gaps = watch(&channel, 10, 2000, 3500);
        ok(row->stalls ? gaps.stalled_ns >= 1400 * MS && gaps.stalled_ns <= 1520 * MS
                       : gaps.stalled_ns == 0,
           "it counts, and stands for 1.5 s: %g s unknown", (double)gaps.stalled_ns * 1e-9);
        gaps = watch(&channel, 10, 2000, 2100);
        ok(gaps.stalled_ns == 0, "for 0.1 s");
        gaps = watch(&channel, 10, 0, 9000);
        ok(row->stalls == (gaps.stalled_ns == 5000 * MS), "it never moves: %g s unknown",
           (double)gaps.stalled_ns * 1e-9);
        gaps = watch(&channel, 5000, 0, 9000);
        ok(row->stalls == (gaps.stalled_ns == 5000 * MS), "which two readings show as well");
        ok(gaps.other == 0, "and nothing else");
    }
    tap_line = 0;
    return done_testing();
}
