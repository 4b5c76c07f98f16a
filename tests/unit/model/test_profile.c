/* SPDX-License-Identifier: BSD-3-Clause */
/* Steps of a profile: their energies are the counter's, their ends its ticks; gaps, edges,
 * gauges. */
#include <errno.h>
#include <math.h>

#include "model/profile.h"
#include "tap.h"

#define MS     UINT64_C(1000000)
#define ORIGIN (1000 * MS)
#define PERIOD 976563u
#define MAX    4000

static struct wtl_step steps[MAX];
static size_t count;

static void keep(void *context, const struct wtl_step *step)
{
    (void)context;
    if (count < MAX)
        steps[count++] = *step;
}

static const struct wattle_channel counter = {.quantity = WATTLE_ENERGY,
                                              .kind = WATTLE_COUNTER,
                                              .scale = 61e-6,
                                              .refresh_ns = PERIOD};

/* 100 W, ticks at ORIGIN + 123456 + k PERIOD. */
static uint64_t value_at(uint64_t ns)
{
    uint64_t tick = (ns - 123456) / PERIOD * PERIOD;

    return (uint64_t)((double)tick * 100e-9 / 61e-6);
}

static void feed(struct wtl_profile *profile, uint64_t interval_ns, uint64_t until_ns)
{
    for (uint64_t at = MS, i = 0; at < until_ns; at += interval_ns, i++) {
        uint64_t late = i * 7919 % (interval_ns / 50);

        wtl_profile_sample(profile, ORIGIN + at + late, value_at(at + late), false);
    }
}

static bool chain(void)
{
    bool good = count > 0;

    for (size_t i = 0; i < count; i++)
        good = good && steps[i].end_ns > steps[i].begin_ns &&
               (i == 0 || steps[i].begin_ns == steps[i - 1].end_ns);
    return good;
}

static double power(const struct wtl_step *step)
{
    return step->energy_j / (double)(step->end_ns - step->begin_ns) * 1e9;
}

static const struct row {
    int line;
    uint64_t interval_ns;
    bool grid;
    double sd_ns_max;
} rows[] = {
    {__LINE__, MS, true, 30e3},
    {__LINE__, MS / 4, true, 30e3},
    {__LINE__, 5 * MS, false, 300e3},
    {__LINE__, 100 * MS, false, 300e3},
};

static void check_rows(void)
{
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct wtl_profile profile;
        double energy = 0, off = 0;

        tap_line = rows[i].line;
        count = 0;
        is_int(wtl_profile_init(&profile, &counter, keep, NULL), 0, "ready");
        feed(&profile, rows[i].interval_ns, rows[i].interval_ns < MS ? 700 * MS : 2000 * MS);
        wtl_profile_flush(&profile);
        ok(chain(), "%zu steps in one chain", count);
        for (size_t s = 0; s < count; s++) {
            energy += steps[s].energy_j;
            off = fmax(off, fabs(remainder((double)(steps[s].end_ns - ORIGIN) - 123456, PERIOD)));
        }
        double span = (double)(steps[count - 1].end_ns - steps[0].begin_ns) * 1e-9;

        is_double(energy / span, 100, rows[i].grid ? 0.1 : 0.2, "the energy is all there");
        is_int((steps[count / 2].flags & WTL_STEP_GRID) != 0, rows[i].grid, "on a grid or not");
        ok(steps[count / 2].end_sd_ns <= rows[i].sd_ns_max, "sd of a knot: %.1f us",
           (double)steps[count / 2].end_sd_ns * 1e-3);
        if (rows[i].grid)
            ok(off < 60e3, "knots are ticks: %.1f us off at most", off * 1e-3);
    }
    tap_line = 0;
}

static void check_gaps(void)
{
    struct wtl_profile profile;
    size_t gaps = 0;

    count = 0;
    (void)wtl_profile_init(&profile, &counter, keep, NULL);
    feed(&profile, MS, 500 * MS);
    wtl_profile_gap(&profile, true);
    for (uint64_t at = 800 * MS; at < 1200 * MS; at += MS)
        wtl_profile_sample(&profile, ORIGIN + at, value_at(at), false);
    wtl_profile_flush(&profile);
    for (size_t i = 0; i < count; i++) {
        gaps += (steps[i].flags & WTL_STEP_GAP) != 0;
        if (steps[i].flags & WTL_STEP_GAP)
            is_double(power(&steps[i]), 100, 1, "over the gap the counter counted on");
    }
    is_int(gaps, 1, "one step over the gap");
    ok(chain(), "in the chain");

    count = 0;
    (void)wtl_profile_init(&profile, &counter, keep, NULL);
    feed(&profile, 100 * MS, 1000 * MS);
    wtl_profile_gap(&profile, false); /* a reset */
    for (uint64_t at = 1500 * MS; at < 3000 * MS; at += 100 * MS)
        wtl_profile_sample(&profile, ORIGIN + at, value_at(at - 1400 * MS), false);
    wtl_profile_flush(&profile);
    size_t holes = 0;

    for (size_t i = 1; i < count; i++)
        holes += steps[i].begin_ns != steps[i - 1].end_ns;
    is_int(holes, 1, "no step over what is not known");
    for (size_t i = 0; i < count; i++)
        is_double(power(&steps[i]), 100, 2, "and no wrong one");
}

/* Polls around ticks, as made by a recorder at the borders of a window. */
static void check_edges(void)
{
    struct wtl_profile profile;

    count = 0;
    (void)wtl_profile_init(&profile, &counter, keep, NULL);
    feed(&profile, 100 * MS, 1000 * MS);
    for (uint64_t k = 1030; k < 1034; k++) {
        uint64_t tick = 123456 + k * PERIOD;

        wtl_profile_sample(&profile, ORIGIN + tick - 5000, value_at(tick - 5000), true);
        wtl_profile_sample(&profile, ORIGIN + tick + 3000, value_at(tick + 3000), true);
    }
    wtl_profile_flush(&profile);
    ok(chain(), "one chain");
    for (size_t i = count - 3; i < count; i++) {
        is_double(remainder((double)(steps[i].end_ns - ORIGIN) - 123456, PERIOD), -1000, 1,
                  "a knot between the two polls");
        ok(steps[i].end_sd_ns < 3000, "well known");
        is_double(power(&steps[i]), 100, 0.1, "and the power between two");
    }
}

/* A counter that grows continuously, whatever it claims, has no grid. */
static void check_no_ticks(void)
{
    struct wattle_channel smooth = counter;
    struct wtl_profile profile;
    size_t grid = 0, wrong = 0;

    smooth.refresh_ns = 4 * MS;
    count = 0;
    (void)wtl_profile_init(&profile, &smooth, keep, NULL);
    for (uint64_t at = 0; at < 1000 * MS; at += MS)
        wtl_profile_sample(&profile, ORIGIN + at, at / 1000, false);
    wtl_profile_flush(&profile);
    for (size_t i = 0; i < count; i++) {
        grid += steps[i].flags & WTL_STEP_GRID;
        wrong += !(fabs(power(&steps[i]) - 61e-6 * 1e6) < 1);
    }
    ok(count > 900 && chain(), "steps all along");
    is_int(grid, 0, "none on a grid");
    is_int(wrong, 0, "each with its power");
}

/* A late sample and one on time just after it show the same tick: no power of 0 W between them. */
static void check_late(void)
{
    static const uint64_t times_us[] = {1000, 2000, 3000, 6400, 6900, 8000, 9000};
    struct wtl_profile profile;

    count = 0;
    (void)wtl_profile_init(&profile, &counter, keep, NULL);
    for (size_t i = 0; i < sizeof(times_us) / sizeof(times_us[0]); i++)
        wtl_profile_sample(&profile, ORIGIN + times_us[i] * 1000, value_at(times_us[i] * 1000),
                           false);
    wtl_profile_flush(&profile);
    ok(chain(), "late: one chain");
    is_int(count, 5, "late: no step to the sample that saw no tick");
    for (size_t i = 0; i < count; i++)
        ok(power(&steps[i]) > 70 && power(&steps[i]) < 150, "late: %.1f W", power(&steps[i]));
    /* The tick at 5.98 ms, which both show, came after 5.92 ms according to the later one. */
    ok(steps[2].end_ns > ORIGIN + 5923000 && steps[2].end_sd_ns < 0.2 * PERIOD,
       "late: the tick between is known better: %.0f ns", (double)steps[2].end_sd_ns);
}

/* A counter that stands still for a while and catches up: its energy belongs to all that time, not
 * to the end. */
static void check_standstill(uint64_t interval_ns)
{
    struct wattle_channel package = counter;
    struct wtl_profile profile;
    size_t flagged = 0;

    package.domain = WATTLE_DOMAIN_PACKAGE;
    count = 0;
    (void)wtl_profile_init(&profile, &package, keep, NULL);
    for (uint64_t at = MS; at < 1000 * MS; at += interval_ns) {
        bool stands = at > 500 * MS && at < 600 * MS;

        wtl_profile_sample(&profile, ORIGIN + at + at / 7 % 50000, value_at(stands ? 500 * MS : at),
                           false);
    }
    wtl_profile_flush(&profile);
    ok(chain(), "standstill: one chain");
    for (size_t i = 0; i < count; i++) {
        if (power(&steps[i]) < 50 || power(&steps[i]) > 250)
            flagged = count + 1; /* neither nothing nor everything at once */
        flagged += (steps[i].flags & WTL_STEP_GAP) != 0;
    }
    is_int(flagged, 1, "standstill: one step, which says so");
}

static void check_power(void)
{
    struct wattle_channel gauge = {
        .quantity = WATTLE_POWER, .kind = WATTLE_GAUGE, .scale = 1e-3, .refresh_ns = 0};
    struct wtl_profile profile;

    count = 0;
    (void)wtl_profile_init(&profile, &gauge, keep, NULL);
    wtl_profile_sample(&profile, ORIGIN, 10000, false);
    wtl_profile_sample(&profile, ORIGIN + 1000 * MS, 30000, false);
    wtl_profile_sample(&profile, ORIGIN + 2000 * MS, (uint64_t)(int64_t)-10000, false);
    wtl_profile_flush(&profile);
    is_int(count, 2, "steps");
    is_double(steps[0].energy_j, 20, 1e-9, "a trapezoid");
    is_double(steps[1].energy_j, 10, 1e-9, "power may be negative");

    gauge.kind = WATTLE_WINDOW_AVERAGE;
    count = 0;
    (void)wtl_profile_init(&profile, &gauge, keep, NULL);
    wtl_profile_sample(&profile, ORIGIN, 10000, false);
    wtl_profile_sample(&profile, ORIGIN + 1000 * MS, 30000, false);
    is_double(steps[0].energy_j, 30, 1e-9, "an average holds for the time before it");

    struct wattle_channel other = {.quantity = WATTLE_FREQUENCY, .scale = 1};

    is_int(wtl_profile_init(&profile, &other, keep, NULL), -EINVAL, "a frequency has none");
}

int main(void)
{
    check_rows();
    check_gaps();
    check_edges();
    check_no_ticks();
    check_late();
    check_standstill(MS);
    check_standstill(10 * MS);
    check_power();
    return done_testing();
}
