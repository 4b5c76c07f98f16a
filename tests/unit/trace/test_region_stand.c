/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Regions on a counter of constant power that stands still for one to three sampling intervals and
 * then catches up, or has stood still since before the window, and on one whose unit is coarse: no
 * energy may be farther from the truth than three half widths. Without a standstill the intervals
 * are as narrow as the ticks.
 *
 *     test_trace_region_stand            some seeds of each row
 *     test_trace_region_stand 1 20000    a range of seeds
 */
#include <math.h>
#include <stdlib.h>

#include "base/random.h"
#include "tap.h"
#include "trace/regions/region_energy.h"

#define START UINT64_C(10000000000)

enum { SEEDS = 200, REGIONS = 24 };

static const double TICK_S = 1 / 1024.0;

static const struct row {
    int line;
    const char *name;
    double interval_s, watts, unit_j;
    double stand_from, stand_to; /* standstill in intervals */
    bool ahead;                  /* since before the window */
    double most_j;               /* bound of the mean half width */
} rows[] = {
    {__LINE__, "no standstill", 0.1, 100, 61e-6, 0, 0, false, 4.6},
    {__LINE__, "no standstill, sampled every 10 ms", 0.01, 100, 61e-6, 0, 0, false, 0.5},
    {__LINE__, "a standstill of an interval or two", 0.1, 100, 61e-6, 1, 2, false, 7.5},
    {__LINE__, "of two or three", 0.1, 100, 61e-6, 2, 3, false, 9.5},
    {__LINE__, "of one or two of 10 ms", 0.01, 100, 61e-6, 1, 2, false, 0.8},
    {__LINE__, "of two or three of 20 ms", 0.02, 100, 61e-6, 2, 3, false, 2},
    {__LINE__, "since before the window", 0.05, 22, 61e-6, 1, 3, true, 0.7},
    {__LINE__, "up to the end, while reads fail", 0.1, 100, 61e-6, 20, 30, false, 17},
    {__LINE__, "a coarse unit", 0.001, 0.4, 1.0 / 1024, 0, 0, false, 0.0014},
    {__LINE__, "a unit of more than a tick", 0.001, 0.3, 1.0 / 2048, 0, 0, false, 0.0007},
};

/* A node. */
struct world {
    const struct row *row;
    uint64_t seed, draws;
    double phase_s, from_s, to_s; /* phase of the ticks; when it stands still */
};

static double uniform(struct world *world, double low, double high)
{
    return low + (high - low) * wtl_random_uniform(world->seed, world->draws++);
}

/* Value of the counter at a time. */
static uint64_t shown_at(const struct world *world, double t)
{
    if (t >= world->from_s && t < world->to_s)
        t = world->from_s;
    double tick_s = floor((t + world->phase_s) / TICK_S) * TICK_S - world->phase_s;
    return (uint64_t)((tick_s + 5) * world->row->watts / world->row->unit_j);
}

static bool sample(struct wtl_region_energy *energy, const struct world *world, double t, bool edge)
{
    return wtl_region_energy_sample(energy, 0, START + (uint64_t)(int64_t)(t * 1e9),
                                    shown_at(world, t), edge) == 0;
}

/* Polls before the start and after the end, and rows. */
static bool feed(struct wtl_region_energy *energy, struct world *world, double end_s)
{
    bool good = true;

    for (int i = -40; i < 0; i++)
        good = sample(energy, world, i * TICK_S / 12, true) && good;
    double rows_s = world->to_s > end_s ? world->from_s : end_s;
    for (int i = 0; i * world->row->interval_s < rows_s; i++)
        good = sample(energy, world, i * world->row->interval_s + uniform(world, 0, 3e-5), false) &&
               good;
    if (rows_s < end_s) {
        struct wtl_gap gap = {.begin_ns = START + (uint64_t)(rows_s * 1e9),
                              .end_ns = START + (uint64_t)(end_s * 1e9),
                              .reason = WTL_GAP_READ_FAILED};
        good = wtl_region_energy_gap(energy, &gap) == 0 && good;
    }
    for (int i = 1; i < 40; i++)
        good = sample(energy, world, end_s + i * TICK_S / 12, true) && good;
    return good;
}

/* Consecutive regions, of 0.2 to 3 intervals; at least 2 ticks. */
static size_t mark(struct wtl_region_energy *energy,
                   struct world *world,
                   double end_s,
                   double *at_s)
{
    size_t n = 0;

    for (at_s[0] = 0.1 * end_s * uniform(world, 0, 1); n < REGIONS; n++) {
        double length_s = fmax(world->row->interval_s * uniform(world, 0.2, 3), 2 * TICK_S);

        if (at_s[n] + length_s > end_s)
            break;
        at_s[n + 1] = at_s[n] + length_s;
        struct wtl_mark mark = {.time_ns = START + (uint64_t)(at_s[n] * 1e9), .name = (uint32_t)n};

        (void)wtl_region_energy_mark(energy, &mark);
        mark.kind = WTL_MARK_END;
        mark.time_ns = START + (uint64_t)(at_s[n + 1] * 1e9);
        (void)wtl_region_energy_mark(energy, &mark);
    }
    wtl_region_energy_marked(energy, UINT64_MAX);
    return n;
}

static void draw(struct world *world, double end_s)
{
    const struct row *row = world->row;
    double stand_s = uniform(world, row->stand_from, row->stand_to) * row->interval_s;

    world->phase_s = uniform(world, 0, 1) * TICK_S;
    world->from_s = row->ahead ? uniform(world, -2, -0.1) * row->interval_s - 5 * TICK_S
                               : uniform(world, 0.3, 0.6) * end_s;
    world->to_s =
        row->ahead ? uniform(world, 0.2, 0.95) * row->interval_s : world->from_s + stand_s;
}

struct sums {
    unsigned n, far;
    double half_j;
};

static bool run(struct world *world, struct sums *sums)
{
    struct wattle_channel channel = {.quantity = WATTLE_ENERGY,
                                     .domain = WATTLE_DOMAIN_PACKAGE,
                                     .kind = WATTLE_COUNTER,
                                     .scale = world->row->unit_j,
                                     .refresh_ns = (uint64_t)(TICK_S * 1e9)};
    struct wtl_region_energy *energy = NULL;
    double end_s = 14.3 * world->row->interval_s, at_s[REGIONS + 1];

    draw(world, end_s);
    if (wtl_region_energy_create(&channel, 1, START, START + (uint64_t)(end_s * 1e9), &energy,
                                 NULL) < 0)
        return false;
    bool good = feed(energy, world, end_s);
    size_t n = mark(energy, world, end_s, at_s);

    good = wtl_region_energy_finish(energy) == 0 && good;
    for (size_t i = 0; good && i < n; i++) {
        const struct wtl_energy *got = wtl_region_energy_result(energy, i + 1)->inclusive;
        double truth_j = (at_s[i + 1] - at_s[i]) * world->row->watts;
        bool is_far = !(fabs(got->j - truth_j) <= 3 * got->half_j + 1e-9);

        sums->n++;
        sums->half_j += got->half_j;
        sums->far += is_far;
        if (is_far && sums->far < 10)
            diag(
                "%s, seed %d: stands %.4f..%.4f, region %.4f..%.4f of %.4f s: %g +- %g J, truth %g",
                world->row->name, (int)world->seed, world->from_s, world->to_s, at_s[i],
                at_s[i + 1], end_s, got->j, got->half_j, truth_j);
    }
    wtl_region_energy_destroy(energy);
    return good;
}

static void test_row(const struct row *row, uint64_t from, uint64_t to)
{
    struct sums sums = {0};
    bool good = true;

    for (uint64_t seed = from; seed <= to; seed++) {
        struct world world = {.row = row, .seed = seed};

        good = run(&world, &sums) && good;
    }
    tap_line = row->line;
    ok(good && sums.far == 0, "%s: %u of %u regions are farther off than three half widths",
       row->name, sums.far, sums.n);
    ok(sums.half_j / sums.n < row->most_j, "%s: the mean half width is %g J", row->name,
       sums.half_j / sums.n);
}

int main(int argc, char **argv)
{
    uint64_t from = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    uint64_t to = argc > 2 ? strtoull(argv[2], NULL, 10) : argc > 1 ? from : SEEDS;

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        test_row(&rows[i], from, to);
    return done_testing();
}
