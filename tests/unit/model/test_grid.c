/* SPDX-License-Identifier: BSD-3-Clause */
/* The tick grid found and followed from samples of a counter whose grid is known. */
#include <math.h>

#include "model/grid.h"
#include "tap.h"

#define SAMPLES 4000

static uint64_t state;

static double uniform(double low, double high)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return low + (high - low) * ((double)(state >> 11) * 0x1p-53);
}

static struct wtl_grid_sample samples[SAMPLES];
static double jitters[8 * SAMPLES];

static const struct row {
    int line;
    double claimed, period, phase, jitter, interval, late;
    double power_swing; /* relative, every 100 samples */
    bool found;
} rows[] = {
    {__LINE__, 976563, 976563, 100, 20e3, 1e6, 20e3, 0, true},
    {__LINE__, 976563, 981000, 700e3, 20e3, 1e6, 20e3, 0, true},
    {__LINE__, 976563, 971000, 300e3, 5e3, 1e6, 50e3, 0, true},
    {__LINE__, 1000000, 976000, 500e3, 20e3, 1e6, 20e3, 0, true},
    {__LINE__, 976563, 976563, 200e3, 20e3, 1e6, 20e3, 1, true}, /* power steps by 2 */
    {__LINE__, 976563, 976563, 900e3, 20e3, 250e3, 10e3, 0, true},
    {__LINE__, 976563, 976563, 900e3, 20e3, 900e3, 10e3, 0, true}, /* stale samples at the beat */
    {__LINE__, 976563, 1000000, 400e3, 5e3, 1e6, 1e3, 0, false},   /* no vernier */
    {__LINE__, 976563, 976563, 400e3, 20e3, 10e6, 1e3, 0, false},  /* too slow */
    {__LINE__, 976563, 1100000, 400e3, 20e3, 1e6, 1e3, 0, false},  /* not as claimed */
};

/* Value of the counter at t: ticks so far, times the power; monotone in t. */
static double shown(const struct row *row, double t)
{
    size_t k = (size_t)fmax(floor((t - row->phase) / row->period) + 1, 0);

    while (k > 0 && row->phase + (double)k * row->period + jitters[k] > t)
        k--;
    return (double)k;
}

static void make_samples(const struct row *row)
{
    double last = 0;

    state = 42;
    for (size_t k = 0; k < sizeof(jitters) / sizeof(jitters[0]); k++)
        jitters[k] = uniform(-row->jitter, row->jitter);
    for (size_t i = 0; i < SAMPLES; i++) {
        double t = 2e6 + (double)i * row->interval + uniform(0, row->late);
        double now = shown(row, t > 7.5 * SAMPLES * 1e6 ? 0 : t);

        samples[i].time_ns = t;
        samples[i].growth = (now - last) * 50 * (1 + row->power_swing * (double)(i / 100 % 2));
        last = now;
    }
    samples[0].growth = 0;
}

/* Distance of a time to the nearest tick of the true grid. */
static double off(const struct row *row, double time)
{
    return fabs(remainder(time - row->phase, row->period));
}

/* Follow using the truth about samples near ticks, as the profile does from their growth. */
static double follow(const struct row *row, struct wtl_grid *grid)
{
    double worst = 0;

    for (size_t i = 256; i < SAMPLES; i++) {
        double age, n = wtl_grid_ticks(grid, samples[i].time_ns, &age);
        bool next = grid->period_ns - age < age;
        double tick = next ? n + 1 : n;
        double distance = next ? grid->period_ns - age : age;

        if (distance < 100e3) {
            double truth =
                row->phase +
                row->period *
                    rint((grid->tick_ns + tick * grid->period_ns - row->phase) / row->period);
            size_t k = (size_t)rint((truth - row->phase) / row->period);

            wtl_grid_observe(grid, tick, samples[i].time_ns,
                             truth + jitters[k] <= samples[i].time_ns);
        }
        wtl_grid_advance(grid, n);
        worst = i > SAMPLES / 2 ? fmax(worst, off(row, grid->tick_ns)) : 0;
    }
    return worst;
}

static void check(const struct row *row)
{
    struct wtl_grid grid = {.period_ns = -1};

    make_samples(row);
    bool found = wtl_grid_find(samples, 256, row->claimed, 0.05, &grid);

    is_int(found, row->found, "found");
    if (!found) {
        ok(grid.period_ns == -1, "nothing touched");
        return;
    }
    is_double(grid.period_ns, row->period, 1000, "period");
    ok(off(row, grid.tick_ns) < 80e3, "phase: off by %.1f us", off(row, grid.tick_ns) * 1e-3);
    if (row->interval < 1.1 * row->period) {
        double worst = follow(row, &grid);

        ok(worst < 30e3, "followed: never off by more than %.1f us", worst * 1e-3);
        is_double(grid.period_ns, row->period, 60, "period");
        ok(wtl_grid_phase_sd_ns(&grid) < 15e3 && wtl_grid_phase_sd_ns(&grid) > 1e3,
           "and it says so: %.1f us", wtl_grid_phase_sd_ns(&grid) * 1e-3);
    }
}

/* An edge has more weight than a yes or no; an outlier none. */
static void check_edge(void)
{
    struct wtl_grid grid = {.period_ns = 1e6, .jitter_ns = 5e3, .variance = {1e10, 0, 100}};

    wtl_grid_observe_edge(&grid, 3, 3.08e6, 3e3);
    is_double(grid.tick_ns, 80e3, 1e3, "an edge moves the phase");
    ok(wtl_grid_phase_sd_ns(&grid) < 7e3, "and pins it");
    double was = grid.tick_ns;

    wtl_grid_observe_edge(&grid, 3, 3.5e6, 3e3);
    is_double(grid.tick_ns, was, 1e-9, "half a period away it is no tick");
}

/* A busy machine: samples late by a large part of a tick, and missed; the times are those of the
 * reads. The grid found must follow the ticks, not the samples. */
static void check_busy(void)
{
    static const double period = 976563, jitter = 20e3;
    int found = 0, in_step = 0, wrong = 0;

    for (unsigned world = 0; world < 200; world++) {
        struct wtl_grid grid;
        double phase, last = 0;

        state = 1000 + world;
        phase = uniform(0, period);
        for (size_t i = 0, slot = 2; i < 256; i++, slot++) {
            double fate = uniform(0, 1), late = uniform(0, 30e3);

            if (fate < 0.05) {
                slot += (size_t)uniform(0, 4); /* missed */
                late = uniform(0.2e6, 0.9e6);
            } else if (fate < 0.1) {
                late = uniform(50e3, 300e3);
            }
            double t = (double)slot * 1e6 + late;
            double now = floor((t + uniform(-jitter, jitter) - phase) / period);

            now = fmax(now, last);
            samples[i] = (struct wtl_grid_sample){t, i ? 50 * (now - last) : 0};
            last = now;
        }
        if (!wtl_grid_find(samples, 256, period, 0.05, &grid))
            continue;
        double error = remainder(grid.tick_ns - phase, period);

        found++;
        in_step += fabs(grid.period_ns - 1e6) < 3e3;
        wrong += fabs(grid.period_ns - period) > 3e3 || fabs(error) > 0.2 * period;
    }
    ok(found > 100, "busy: a grid in %d of 200 worlds", found);
    is_int(in_step, 0, "busy: none in step with the samples");
    ok(wrong <= 2, "busy: %d wrong", wrong);
}

/* A program's phases on an otherwise idle machine: samples on time except a few, the power steps,
 * and around each step some samples are missing. */
static void check_phases(void)
{
    static const double period = 976563, jitter = 20e3;
    int found = 0, wrong = 0;

    for (unsigned world = 0; world < 2000; world++) {
        struct wtl_grid grid;
        double phase, last = 0, energy = 0, shown_j = 0, power = 50;
        size_t next_step = 0;

        state = 5000 + world;
        phase = uniform(0, period);
        for (size_t i = 0, slot = 2; i < 256; i++, slot++) {
            double late = uniform(60e3, 150e3);

            if (i == next_step) {
                double was = power;

                next_step += (size_t)uniform(10, 90);
                power = uniform(40, 170);
                /* The tick in which it steps. */
                energy += uniform(0, 1) * (was - power);
                slot += (size_t)uniform(0, 4);
            }
            if (uniform(0, 1) < 0.02)
                slot += 1;
            double t = (double)slot * 1e6 + late;
            double now = fmax(floor((t + uniform(-jitter, jitter) - phase) / period), last);

            energy += power * (now - last);
            samples[i] = (struct wtl_grid_sample){t, i ? energy - shown_j : 0};
            shown_j = energy;
            last = now;
        }
        if (!wtl_grid_find(samples, 256, period, 0.05, &grid))
            continue;
        double error = remainder(grid.tick_ns - phase, period);

        found++;
        wrong +=
            fabs(grid.period_ns - period) > 5e3 || fabs(error) > 4 * wtl_grid_phase_sd_ns(&grid);
    }
    ok(found > 600, "phases: a grid in %d of 2000 worlds", found);
    ok(wrong <= 2, "phases: %d wrong", wrong);
}

int main(void)
{
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        tap_line = rows[i].line;
        check(&rows[i]);
    }
    tap_line = 0;
    check_edge();
    check_busy();
    check_phases();
    return done_testing();
}
