/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * xsbench [--size N] [--lookups N] [--seconds S]
 *
 * Like XSBench (Tramm et al.): macroscopic cross sections of a particle of random energy in a
 * random material. Regions "setup", "generate" (random tables of 32 nuclides with N points each,
 * and one grid of all energies with the position of each in every table) and "lookup", the work
 * loop: a search in the grid, then two points of each nuclide of the material. It does --lookups
 * lookups, or runs for --seconds. Every 1000th result is computed again without the grid, from the
 * tables only.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <wattle/profiler.h>

#include "phase.h"

enum { NUCLIDES = 32, SECTIONS = 5, MATERIALS = 4, CHECK_EVERY = 1000, BATCH = 256 };

static const char usage[] =
    "usage: xsbench [--size 2..1000000] [--lookups 1..1e12 | --seconds 0.01..86400]\n";

struct point {
    double energy, section[SECTIONS];
};

static struct {
    size_t points, entries;        /* points per nuclide; grid entries */
    struct point *table[NUCLIDES]; /* [points], by ascending energy */
    double *grid;                  /* [entries], ascending */
    unsigned *place;               /* [entries][NUCLIDES]: the last point at or below */
} data;

/* Number of nuclides in a material: the first ones. Fuel has the most, and most particles are in
 * it. */
static const int nuclides_of[MATERIALS] = {NUCLIDES, 4, 6, 12};
static const double share_of[MATERIALS] = {0.6, 0.2, 0.15, 0.05};

static int compare_points(const void *a, const void *b)
{
    double x = ((const struct point *)a)->energy, y = ((const struct point *)b)->energy;
    return (x > y) - (x < y);
}

static int compare_numbers(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void set_up(size_t points)
{
    data.points = points;
    data.entries = points * NUCLIDES;
    for (int n = 0; n < NUCLIDES; n++)
        data.table[n] = room(points, sizeof *data.table[n]);
    data.grid = room(data.entries, sizeof *data.grid);
    data.place = room(data.entries * NUCLIDES, sizeof *data.place);
}

static void generate(void)
{
    unsigned long long state = 42;
    size_t last[NUCLIDES] = {0};
    for (int n = 0; n < NUCLIDES; n++) {
        for (size_t i = 0; i < data.points; i++) {
            struct point *point = &data.table[n][i];
            point->energy = draw_unit(&state);
            for (int s = 0; s < SECTIONS; s++)
                point->section[s] = draw_unit(&state);
        }
        qsort(data.table[n], data.points, sizeof *data.table[n], compare_points);
        for (size_t i = 0; i < data.points; i++)
            data.grid[(size_t)n * data.points + i] = data.table[n][i].energy;
    }
    qsort(data.grid, data.entries, sizeof *data.grid, compare_numbers);
    for (size_t e = 0; e < data.entries; e++) {
        for (int n = 0; n < NUCLIDES; n++) {
            while (last[n] + 2 < data.points && data.table[n][last[n] + 1].energy <= data.grid[e])
                last[n]++;
            data.place[e * NUCLIDES + (size_t)n] = (unsigned)last[n];
        }
    }
}

/* The index of the last of n ascending values, `step` bytes apart, at or below `value`; 0 if there
 * is none. */
static size_t search(const void *values, size_t step, size_t n, double value)
{
    size_t low = 0, high = n;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (*(const double *)((const char *)values + middle * step) <= value)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static void add(const struct point *low, double energy, double sum[SECTIONS])
{
    const struct point *high = low + 1;
    double part = (energy - low->energy) / (high->energy - low->energy);
    for (int s = 0; s < SECTIONS; s++)
        sum[s] += low->section[s] + part * (high->section[s] - low->section[s]);
}

static void look_up(double energy, int material, double sum[SECTIONS])
{
    const unsigned *place =
        data.place + NUCLIDES * search(data.grid, sizeof *data.grid, data.entries, energy);
    for (int n = 0; n < nuclides_of[material]; n++)
        add(&data.table[n][place[n]], energy, sum);
}

/* The same without the grid. */
static void look_up_slowly(double energy, int material, double sum[SECTIONS])
{
    for (int n = 0; n < nuclides_of[material]; n++) {
        size_t at = search(data.table[n], sizeof *data.table[n], data.points, energy);
        add(&data.table[n][at + 2 > data.points ? data.points - 2 : at], energy, sum);
    }
}

static int material_of(double random)
{
    int material = 0;
    while (material < MATERIALS - 1 && random >= share_of[material])
        random -= share_of[material++];
    return material;
}

struct outcome {
    unsigned long long lookups, checked, wrong, checksum;
    double seconds;
};

static void one(struct outcome *outcome, unsigned long long *state)
{
    double energy = draw_unit(state), sum[SECTIONS] = {0}, again[SECTIONS] = {0};
    int material = material_of(draw_unit(state)), greatest = 0;
    look_up(energy, material, sum);
    for (int s = 1; s < SECTIONS; s++)
        greatest = sum[s] > sum[greatest] ? s : greatest;
    outcome->checksum += (unsigned long long)greatest + 1;
    if (outcome->lookups++ % CHECK_EVERY != 0)
        return;
    look_up_slowly(energy, material, again);
    outcome->checked++;
    for (int s = 0; s < SECTIONS; s++) {
        if (!(fabs(sum[s] - again[s]) <= 1e-9 * fabs(again[s]))) {
            outcome->wrong++;
            break;
        }
    }
}

static struct outcome work(double count, double limit_s)
{
    struct outcome outcome = {0};
    unsigned long long state = 1;
    double start = seconds();
    while (count > 0 ? (double)outcome.lookups < count : seconds() - start < limit_s)
        for (int i = 0; i < BATCH && !(count > 0 && (double)outcome.lookups >= count); i++)
            one(&outcome, &state);
    outcome.seconds = seconds() - start;
    return outcome;
}

int main(int argc, char **argv)
{
    double size = 1000, count = 0, limit_s = 2;
    for (int i = 1; i < argc; i += 2) {
        if (strcmp(argv[i], "--size") == 0) {
            size = number_of(argc, argv, i + 1, 2, 1e6, usage);
        } else if (strcmp(argv[i], "--lookups") == 0) {
            count = number_of(argc, argv, i + 1, 1, 1e12, usage);
        } else if (strcmp(argv[i], "--seconds") == 0) {
            limit_s = number_of(argc, argv, i + 1, 0.01, 86400, usage);
        } else {
            fputs(usage, stderr);
            return 2;
        }
    }
    (void)wattle_init(NULL); /* prints its own errors; the program works without it */
    phase_begin("setup");
    set_up((size_t)size);
    phase_end();
    phase_begin("generate");
    generate();
    phase_end();
    phase_begin("lookup");
    struct outcome outcome = work(count, limit_s);
    phase_end();
    printf("%llu lookups in %.3f s: %.0f lookups/s\n", outcome.lookups, outcome.seconds,
           (double)outcome.lookups / outcome.seconds);
    printf("checksum %llu, %llu of %llu checked are wrong\n", outcome.checksum, outcome.wrong,
           outcome.checked);
    for (int n = 0; n < NUCLIDES; n++)
        free(data.table[n]);
    free(data.grid);
    free(data.place);
    (void)wattle_finalize();
    return outcome.wrong != 0;
}
