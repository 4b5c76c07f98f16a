/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Regions on a counter that updates slowly, like that of a Cray node: a power that changes by a
 * factor of 5 to 100 within two updates of a border of the region, at any phase. No energy may be
 * farther from the truth than three half widths.
 *
 *     test_trace_region_slow            some seeds of each row
 *     test_trace_region_slow 1 20000    a range of seeds
 *     test_trace_region_slow 17         one, with its contents
 */
#include <math.h>
#include <stdlib.h>

#include "base/random.h"
#include "tap.h"
#include "trace/regions/region_energy.h"

#define START UINT64_C(1000000000)
#define LEAD  10.0 /* seconds of the node before the window */

enum { SEEDS = 300, SEEDS_BOUND = 1300, TICKS = 4096 };

static const struct row {
    int line;
    const char *name;
    double refresh_s, interval_s, unit_j;
    bool steps, last; /* last: the region ends with the window, else in the middle of it */
    double left_out;  /* fraction of the updates that never come */
    double bound;     /* the sensor states this multiple of the maximum power; 0 = it states none */
} rows[] = {
    {__LINE__, "constant, 10 Hz", 0.1, 0.1, 1, false, false, 0, 0},
    {__LINE__, "steps, 10 Hz", 0.1, 0.1, 1, true, false, 0, 0},
    {__LINE__, "steps, 10 Hz, at the end", 0.1, 0.1, 1, true, true, 0, 0},
    {__LINE__, "steps, 10 Hz, sampled every 10 ms", 0.1, 0.01, 1, true, false, 0, 0},
    {__LINE__, "steps, 10 Hz, sampled every 60 ms", 0.1, 0.06, 1, true, false, 0, 0},
    {__LINE__, "steps, 10 Hz, sampled every 0.45 s", 0.1, 0.45, 1, true, false, 0, 0},
    {__LINE__, "steps, 50 Hz", 0.02, 0.1, 61e-6, true, false, 0, 0},
    {__LINE__, "steps, 50 Hz, sampled every 5 ms", 0.02, 0.005, 61e-6, true, false, 0, 0},
    {__LINE__, "steps, 50 Hz, at the end", 0.02, 0.02, 61e-6, true, true, 0, 0},
    {__LINE__, "10 Hz, sampled every 10 ms, updates left out", 0.1, 0.01, 1, true, false, 0.1, 0},
    {__LINE__, "10 Hz, sampled every 60 ms, updates left out", 0.1, 0.06, 1, true, false, 0.1, 0},
    {__LINE__, "50 Hz, sampled every 5 ms, updates left out", 0.02, 0.005, 61e-6, true, false, 0.1,
     0},
    {__LINE__, "steps, 10 Hz, with a bound", 0.1, 0.1, 1, true, false, 0, 1},
};

/* A node and its region. */
struct world {
    const struct row *row;
    uint64_t seed, draws;
    double base_w, step_w[2], step_s[2]; /* step_w more from step_s on */
    double begin_s, end_s, length_s;     /* region; length of the window */
    double ticks_s[TICKS];
};

static double uniform(struct world *world, double low, double high)
{
    return low + (high - low) * wtl_random_uniform(world->seed, world->draws++);
}

static double joules_at(const struct world *world, double t)
{
    double joules = 0;

    for (int i = 0; i < 2; i++)
        joules += world->step_w[i] * fmax(t - world->step_s[i], 0);
    return world->base_w * (t + LEAD) + joules;
}

static void draw(struct world *world)
{
    const struct row *row = world->row;
    double update_s = row->refresh_s, jitter = uniform(world, 0, 0.02);
    double phase_s = uniform(world, -1, 0) * update_s;
    double low_w = 12 * pow(10, uniform(world, 0, 1));
    double high_w = low_w * (5 * pow(20, uniform(world, 0, 1)) - 1);
    unsigned where = (unsigned)uniform(world, 0, 3); /* at the begin, at the end, at both */
    bool up = uniform(world, 0, 1) < 0.5;

    world->begin_s = uniform(world, 0.3, 1.5);
    world->end_s = world->begin_s + uniform(world, 0.02, 3);
    world->length_s = row->last ? world->end_s : world->end_s + uniform(world, 0.3, 1);
    world->base_w = low_w;
    for (unsigned i = 0; i < 2 && row->steps; i++) {
        bool rises = up == (i == 0 || where != 2); /* at both: up and down again, or the reverse */

        if (where != i && where != 2)
            continue;
        world->step_s[i] = (i ? world->end_s : world->begin_s) + uniform(world, -2, 2) * update_s;
        world->step_w[i] = rises ? high_w : -high_w;
    }
    if (world->step_w[0] < 0 || (world->step_w[0] == 0 && world->step_w[1] < 0))
        world->base_w += high_w;
    if (where == 2 && world->step_s[1] < world->step_s[0])
        world->base_w = low_w + high_w; /* the later one comes first */
    for (int i = 0; i < TICKS; i++)
        world->ticks_s[i] =
            -update_s + phase_s + i * update_s + uniform(world, -1, 1) * jitter * update_s;
    for (int i = 1; i < TICKS && row->left_out > 0; i++) {
        if (uniform(world, 0, 1) < row->left_out)
            world->ticks_s[i] = world->ticks_s[i - 1];
    }
}

/* Value of the counter at a time. */
static uint64_t shown_at(const struct world *world, double t)
{
    int tick = 0;

    while (tick + 1 < TICKS && world->ticks_s[tick + 1] <= t)
        tick++;
    return (uint64_t)(joules_at(world, world->ticks_s[tick]) / world->row->unit_j);
}

static bool sample(struct wtl_region_energy *energy, const struct world *world, double t, bool edge)
{
    return wtl_region_energy_sample(energy, 0, START + (uint64_t)(t * 1e9), shown_at(world, t),
                                    edge) == 0;
}

/* Rows, looks just after the start, and polls after the end up to the next tick, as made by a
 * session. */
static bool feed(struct wtl_region_energy *energy, struct world *world)
{
    const struct row *row = world->row;
    double look_s = row->refresh_s / 12, poll_s = row->refresh_s / 16;
    double end_s = world->length_s;
    int look = 1;
    bool good = sample(energy, world, 0, false);

    for (int i = 1; i * row->interval_s < end_s; i++) {
        double row_s = i * row->interval_s;

        for (; look < 16 && look * look_s < row_s && row->interval_s > row->refresh_s / 4; look++)
            good = sample(energy, world, look * look_s, true) && good;
        good = sample(energy, world, row_s + uniform(world, 0, 3e-5), false) && good;
    }
    good = sample(energy, world, end_s + 1e-4, false) && good;
    uint64_t was = shown_at(world, end_s + 1e-4);

    for (int i = 0; i < 48; i++) {
        double poll_at_s = end_s + 2e-4 + i * poll_s;

        good = sample(energy, world, poll_at_s, true) && good;
        if (shown_at(world, poll_at_s) != was)
            break;
    }
    struct wtl_mark begin = {.time_ns = START + (uint64_t)(world->begin_s * 1e9), .name = 1};
    struct wtl_mark end = {
        .time_ns = START + (uint64_t)(world->end_s * 1e9), .name = 1, .kind = WTL_MARK_END};

    good = wtl_region_energy_mark(energy, &begin) == 0 && good;
    good = wtl_region_energy_mark(energy, &end) == 0 && good;
    wtl_region_energy_marked(energy, UINT64_MAX);
    return wtl_region_energy_finish(energy) == 0 && good;
}

static double greatest_w(const struct world *world)
{
    double greatest = fmax(world->base_w, world->base_w + world->step_w[0] + world->step_w[1]);

    return fmax(greatest, world->base_w + fmax(world->step_w[0], world->step_w[1]));
}

static bool run(struct world *world, struct wtl_energy *ret_got)
{
    struct wattle_channel channel = {.quantity = WATTLE_ENERGY,
                                     .domain = WATTLE_DOMAIN_NODE,
                                     .kind = WATTLE_COUNTER,
                                     .scale = world->row->unit_j,
                                     .refresh_ns = (uint64_t)(world->row->refresh_s * 1e9)};
    struct wtl_region_energy *energy = NULL;

    draw(world);
    channel.max_w = world->row->bound * greatest_w(world);
    bool good =
        wtl_region_energy_create(&channel, 1, START, START + (uint64_t)(world->length_s * 1e9),
                                 &energy, NULL) == 0 &&
        feed(energy, world);

    *ret_got = (struct wtl_energy){.j = (double)NAN, .half_j = (double)NAN};
    for (size_t i = 1; good && i < wtl_region_energy_count(energy); i++)
        *ret_got = wtl_region_energy_result(energy, i)->inclusive[0];
    wtl_region_energy_destroy(energy);
    return good;
}

static void test_row(const struct row *row, uint64_t from, uint64_t to)
{
    unsigned within = 0, far = 0, n = 0;
    double half_j = 0, off_j = 0;

    for (uint64_t seed = from; seed <= to; seed++, n++) {
        struct world world = {.row = row, .seed = seed};
        struct wtl_energy got;
        bool good = run(&world, &got);
        double truth = joules_at(&world, world.end_s) - joules_at(&world, world.begin_s);
        double off = fabs(got.j - truth);
        bool is_far = !good || !(off <= 3 * got.half_j + 1e-6);

        within += off <= got.half_j;
        far += is_far;
        half_j += got.half_j;
        off_j += off;
        if (is_far || from == to)
            diag("%s, seed %d: %.3f..%.3f of %.3f s, %.1f W, %+.1f W at %.3f s, %+.1f W at %.3f s: "
                 "%.2f +- %.2f J, truth %.2f",
                 row->name, (int)seed, world.begin_s, world.end_s, world.length_s, world.base_w,
                 world.step_w[0], world.step_s[0], world.step_w[1], world.step_s[1], got.j,
                 got.half_j, truth);
    }
    tap_line = row->line;
    is_int((long)far, 0, "%s: of %u none is farther off than three half widths", row->name, n);
    diag("%s: %.1f %% within one half width, mean half width %.2f J, mean error %.2f J", row->name,
         100.0 * within / n, half_j / n, off_j / n);
}

int main(int argc, char **argv)
{
    uint64_t from = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    uint64_t to = argc > 2 ? strtoull(argv[2], NULL, 10) : argc > 1 ? from : SEEDS;

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        test_row(&rows[i], from, argc == 1 && rows[i].bound > 0 ? SEEDS_BOUND : to);
    return done_testing();
}
