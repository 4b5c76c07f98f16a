/* SPDX-License-Identifier: BSD-3-Clause */
/* Which counters count as stalled when they stand still: those in the total, those contained in
 * them, and others. And if a counter that stands still also loses its count, its standstill is part
 * of the gap. */
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

/* A counter of 1000 units per 10 ms that stands still from one time to another, read at this
 * interval for 5 s. */
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

/* The one gap of a measurement, which may be reported in parts. */
static void keep(void *context, const struct wtl_gap *gap)
{
    struct wtl_gap *kept = (struct wtl_gap *)context;
    bool goes_on = kept->reason == gap->reason && kept->end_ns == gap->begin_ns;
    uint64_t begin_ns = goes_on ? kept->begin_ns : gap->begin_ns;
    *kept = *gap;
    kept->begin_ns = begin_ns;
}

/* A suspend from 2045 to 2049 ms is noticed at this time; 0 = never. */
static struct wtl_gap watch_loss(uint64_t noticed_ms, uint64_t failed_ms, uint64_t failed_until_ms)
{
    const struct wattle_channel channel = {.name = "fake:0",
                                           .domain = WATTLE_DOMAIN_PACKAGE,
                                           .sub = -1,
                                           .quantity = WATTLE_ENERGY,
                                           .kind = WATTLE_COUNTER,
                                           .scale = 1e-6,
                                           .modulus = UINT64_C(1) << (noticed_ms ? 32 : 24),
                                           .max_w = 200,
                                           .refresh_ns = MS};
    struct wtl_gap gap = {.begin_ns = 0};
    struct wtl_continuity c;
    uint64_t value;
    wtl_continuity_init(&c, &channel, keep, &gap);
    for (uint64_t ms = 0; ms <= 3000; ms += 10) {
        if (noticed_ms == ms && ms > 0)
            wtl_continuity_sleep(&c, T0 + 2045 * MS, T0 + 2049 * MS);
        uint64_t shown_ms = ms > 2000 && ms < 2230 ? 2000 : ms;
        if (ms < failed_ms || ms >= failed_until_ms)
            (void)wtl_continuity_read(&c, T0 + ms * MS, 100 * shown_ms, &value);
        else
            wtl_continuity_miss(&c, T0 + ms * MS, WTL_GAP_READ_FAILED, 5);
    }
    wtl_continuity_end(&c, T0 + 3000 * MS);
    return gap;
}

static void test_losses(void)
{
    static const struct {
        int line;
        const char *name;
        uint64_t noticed_ms, failed_ms, failed_until_ms;
        enum wtl_gap_reason reason;
        uint64_t end_ms;
    } losses[] = {
        {__LINE__, "a sleep while it stands", 2050, 0, 0, WTL_GAP_SUSPENDED, 2230},
        {__LINE__, "noticed when it counts again", 2300, 0, 0, WTL_GAP_SUSPENDED, 2049},
        {__LINE__, "a wrap may be lost while it stands", 0, 2050, 2200, WTL_GAP_LOST_WRAP, 2230},
    };
    for (size_t i = 0; i < sizeof losses / sizeof *losses; i++) {
        tap_line = losses[i].line;
        struct wtl_gap gap =
            watch_loss(losses[i].noticed_ms, losses[i].failed_ms, losses[i].failed_until_ms);
        is_int(gap.reason, losses[i].reason, "%s", losses[i].name);
        ok(gap.begin_ns <= T0 + 2000 * MS && gap.begin_ns >= T0 + 1990 * MS,
           "unknown since it last counted: %g s", (double)(gap.begin_ns - T0) * 1e-9);
        is_int(gap.end_ns, T0 + losses[i].end_ms * MS, "until it counts again");
    }
    tap_line = 0;
}

/* A counter of 100 ticks per ms that stands still from 2000 ms on until it shows this much more, or
 * what it had missed. It counts at most 500. */
static struct wtl_gap watch_leap(enum wattle_domain domain,
                                 int sub,
                                 uint64_t stand_end_ms,
                                 uint64_t more)
{
    const struct wattle_channel channel = {.name = "fake:0",
                                           .domain = domain,
                                           .sub = sub,
                                           .quantity = WATTLE_ENERGY,
                                           .kind = WATTLE_COUNTER,
                                           .scale = 1e-6,
                                           .modulus = UINT64_C(1) << 32,
                                           .max_w = 0.5,
                                           .refresh_ns = MS};
    struct wtl_gap gap = {.begin_ns = 0};
    struct wtl_continuity c;
    uint64_t value;
    wtl_continuity_init(&c, &channel, keep, &gap);
    for (uint64_t ms = 0; ms <= 3000; ms += 10) {
        uint64_t shown = 100 * (ms > 2000 && ms < stand_end_ms ? 2000 : ms);
        if (ms >= stand_end_ms && more)
            shown = 100 * (2000 + ms - stand_end_ms) + more;
        (void)wtl_continuity_read(&c, T0 + ms * MS, shown, &value);
    }
    wtl_continuity_end(&c, T0 + 3000 * MS);
    return gap;
}

/* A domain that may sleep, but whose counter shows after a standstill what it cannot have counted
 * since its last reading, was not asleep. */
static void test_leaps(void)
{
    static const struct {
        int line;
        const char *name;
        enum wattle_domain domain;
        int sub;
        uint64_t stand_end_ms, more, begin_ms, end_ms; /* begin_ms 0 = no gap */
    } leaps[] = {
        {__LINE__, "cores", WATTLE_DOMAIN_CORE, -1, 2200, 0, 1990, 2230},
        {__LINE__, "a single core", WATTLE_DOMAIN_CORE, 3, 2200, 0, 1990, 2230},
        {__LINE__, "uncore", WATTLE_DOMAIN_UNCORE, -1, 2060, 25000, 1990, 2090},
        {__LINE__, "cores that slept", WATTLE_DOMAIN_CORE, -1, 2200, 1000, 0, 0},
        {__LINE__, "without a standstill", WATTLE_DOMAIN_CORE, -1, 2010, 25000, 2000, 2040},
        {__LINE__, "a package that caught up", WATTLE_DOMAIN_PACKAGE, -1, 2200, 0, 0, 0},
    };
    for (size_t i = 0; i < sizeof leaps / sizeof *leaps; i++) {
        tap_line = leaps[i].line;
        struct wtl_gap gap =
            watch_leap(leaps[i].domain, leaps[i].sub, leaps[i].stand_end_ms, leaps[i].more);
        uint64_t begin_ms = gap.begin_ns ? (gap.begin_ns - T0) / MS : 0;
        uint64_t end_ms = gap.begin_ns ? (gap.end_ns - T0) / MS : 0;
        is_int(begin_ms, leaps[i].begin_ms, "%s: unknown since it last counted", leaps[i].name);
        is_int(end_ms, leaps[i].end_ms, "until it is certain that it leaped");
    }
    tap_line = 0;
}

/* A package of 100 ticks per ms that moved last this long before the other process ended, at 1200
 * ms. It is read again from 1300 ms on, then shows this much more, and moves from move_ms on. */
static struct wtl_gap watch_rejoin(uint64_t stood_ms,
                                   bool raw_known,
                                   uint64_t more,
                                   uint64_t move_ms)
{
    static const struct wattle_channel channel = {.name = "fake:0",
                                                  .domain = WATTLE_DOMAIN_PACKAGE,
                                                  .sub = -1,
                                                  .quantity = WATTLE_ENERGY,
                                                  .kind = WATTLE_COUNTER,
                                                  .scale = 1e-6,
                                                  .modulus = UINT64_C(1) << 32,
                                                  .max_w = 200,
                                                  .refresh_ns = MS};
    uint64_t value, ticks = 100 * (1200 - stood_ms);
    struct wtl_gap gap = {.begin_ns = 0};
    struct wtl_continuity c;
    wtl_continuity_init(&c, &channel, keep, &gap);
    wtl_continuity_resume(&c,
                          &(struct wtl_continuity_rest){.last_ns = T0 + 1200 * MS,
                                                        .changed_ns = T0 + (1200 - stood_ms) * MS,
                                                        .before_ns = T0 + (1199 - stood_ms) * MS,
                                                        .ticks = ticks,
                                                        .raw = ticks,
                                                        .rate = 100e-6,
                                                        .raw_known = raw_known});
    for (uint64_t ms = 1300; ms <= 3000; ms += 10)
        (void)wtl_continuity_read(&c, T0 + ms * MS, ms < move_ms ? ticks + more : 100 * ms, &value);
    wtl_continuity_end(&c, T0 + 3000 * MS);
    return gap;
}

static void test_rejoins(void)
{
    static const struct {
        int line;
        const char *name;
        uint64_t stood_ms;
        bool raw_known;
        uint64_t more, move_ms;
        enum wtl_gap_reason reason;
        uint64_t begin_ms, end_ms;
    } rejoins[] = {
        {__LINE__, "it stood, its count is not known", 350, false, 0, 0, WTL_GAP_RESET, 849, 1300},
        {__LINE__, "it moves again before", 200, true, 0, 0, WTL_GAP_STALLED, 999, 1300},
        {__LINE__, "it moves again behind", 200, true, 0, 1650, WTL_GAP_STALLED, 999, 1650},
        {__LINE__, "it stands since then", 1, true, 0, 1650, WTL_GAP_STALLED, 1198, 1650},
        {__LINE__, "not seen to stand before", 0, true, 100, 1500, WTL_GAP_STALLED, 1200, 1500},
        {__LINE__, "it counts", 0, true, 0, 0, WTL_GAP_NOT_SAMPLED, 1200, 1300},
        {__LINE__, "a few ticks late", 15, true, 0, 0, WTL_GAP_NOT_SAMPLED, 1200, 1300},
    };
    for (size_t i = 0; i < sizeof rejoins / sizeof *rejoins; i++) {
        tap_line = rejoins[i].line;
        struct wtl_gap gap = watch_rejoin(rejoins[i].stood_ms, rejoins[i].raw_known,
                                          rejoins[i].more, rejoins[i].move_ms);
        is_int(gap.reason, rejoins[i].reason, "%s", rejoins[i].name);
        is_int((gap.begin_ns - T0) / MS, rejoins[i].begin_ms, "unknown since it last counted");
        is_int((gap.end_ns - T0) / MS, rejoins[i].end_ms, "until it was read again");
    }
    tap_line = 0;
}

/* A gauge is read every 100 ms, asked for every asked_ms, but not from 2 s for paused_ms. */
static struct wtl_gap watch_pause(enum wattle_kind kind, uint64_t asked_ms, uint64_t paused_ms)
{
    const struct wattle_channel channel = {.name = "fake:0",
                                           .domain = WATTLE_DOMAIN_GPU,
                                           .sub = -1,
                                           .quantity = WATTLE_POWER,
                                           .kind = kind,
                                           .scale = 0.001,
                                           .refresh_ns = 100 * MS,
                                           .window_ns = 1000 * MS};
    struct wtl_gap gap = {.begin_ns = 0};
    struct wtl_continuity c;
    uint64_t value;
    wtl_continuity_init(&c, &channel, keep, &gap);
    for (uint64_t ms = 0; ms <= 5000; ms += 100) {
        c.asked_ns = asked_ms * MS;
        if (ms <= 2000 || ms >= 2000 + paused_ms)
            (void)wtl_continuity_read(&c, T0 + ms * MS, 60000, &value);
    }
    wtl_continuity_end(&c, T0 + 5000 * MS);
    return gap;
}

static void test_pauses(void)
{
    struct wtl_gap gap = watch_pause(WATTLE_WINDOW_AVERAGE, 0, 2200);
    ok(gap.reason == WTL_GAP_NOT_SAMPLED && gap.begin_ns == T0 + 2000 * MS &&
           gap.end_ns == T0 + 4200 * MS,
       "a gauge is not sampled while its reader is stopped: %s for %g s",
       wtl_gap_reason_name(gap.reason), (double)(gap.end_ns - gap.begin_ns) * 1e-9);
    gap = watch_pause(WATTLE_WINDOW_AVERAGE, 0, 1000);
    ok(gap.begin_ns == 0, "no gap where its window reaches back over the pause");
    gap = watch_pause(WATTLE_GAUGE, 0, 1000);
    ok(gap.reason == WTL_GAP_NOT_SAMPLED && gap.begin_ns == T0 + 2000 * MS,
       "it does not reach back where it is an instant");
    gap = watch_pause(WATTLE_GAUGE, 0, 400);
    ok(gap.begin_ns == 0, "nor where the reader was late by tenths of a second");
    gap = watch_pause(WATTLE_GAUGE, 1000, 2200);
    ok(gap.begin_ns == 0, "nor where it is read less often from now on");
    gap = watch_pause(WATTLE_COUNTER, 0, 2200);
    ok(gap.begin_ns == 0, "a counter counts on");
}

int main(void)
{
    test_losses();
    test_leaps();
    test_rejoins();
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
    test_pauses();
    return done_testing();
}
