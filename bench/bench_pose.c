/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How often the 95 % intervals of POSE's insights contain the truth, in simulated worlds where it
 * is known.
 *
 *     bench_pose [WORLDS]         default 2000 per cell
 *
 * A code has a true mean run time and energy; its runs are normally distributed around both, by
 * 0.5, 2 and 10 %, with a correlation. With and without noise in Pmin and Pmax: means of three runs
 * with 1 %, with the interval that `wattle pose calibrate` would store. Each cell is the lowest and
 * the highest coverage among the ten values (five insights, absolute and ratio). For comparison the
 * same without the correlation, which is equivalent to adding the squares of the intervals of time
 * and energy.
 */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "analysis/pose/pose_interval.h"
#include "base/random.h"
#include "model/statistics/spread.h"

enum { MOST = 15, VALUES = 2 * WTL_POSE_INSIGHTS, CALIBRATIONS = 3 };

static const char *const metrics[] = {"Et^3", "EDS:1,250", "E*t^2+400*t^3"};
static const double noises[] = {0.005, 0.02, 0.1}, correlations[] = {0, 0.9, -0.9};
static const size_t sizes[] = {3, 5, 15};
/* A code within its envelope (PathFinder on Haswell). */
static const struct wtl_pose_code truth = {.t_s = 212.91,
                                           .e_j = 48952.89,
                                           .pmin_w = 181.14,
                                           .pmax_w = 345.57};

struct draw {
    uint64_t stream, at;
};

static double normal(struct draw *draw)
{
    double radius = sqrt(-2 * log(1 - wtl_random_uniform(draw->stream, draw->at++)));
    return radius * cos(2 * acos(-1.0) * wtl_random_uniform(draw->stream, draw->at++));
}

struct cell {
    double noise, correlation, bounds_noise;
    size_t n;
};

/* Simulates one measurement. */
static void measure(struct draw *draw,
                    const struct cell *cell,
                    struct wtl_pose_code *code,
                    struct wtl_pose_doubt *doubt)
{
    double t[MOST], e[MOST], bounds[2][CALIBRATIONS];
    for (size_t i = 0; i < cell->n; i++) {
        double common = normal(draw), own = normal(draw);
        t[i] = truth.t_s * (1 + cell->noise * common);
        e[i] =
            truth.e_j * (1 + cell->noise * (cell->correlation * common +
                                            sqrt(1 - cell->correlation * cell->correlation) * own));
    }
    *code = truth;
    if (wtl_pose_doubt_of_runs(t, e, cell->n, code, doubt) < 0)
        exit(1);
    if (cell->bounds_noise <= 0)
        return;
    for (int i = 0; i < CALIBRATIONS; i++) {
        bounds[0][i] = truth.pmin_w * (1 + cell->bounds_noise * normal(draw));
        bounds[1][i] = truth.pmax_w * (1 + cell->bounds_noise * normal(draw));
    }
    struct wtl_spread low = wtl_spread_of(bounds[0], CALIBRATIONS);
    struct wtl_spread high = wtl_spread_of(bounds[1], CALIBRATIONS);
    code->pmin_w = low.mean;
    code->pmax_w = high.mean;
    doubt->pmin_half_w = low.ci95;
    doubt->pmax_half_w = high.ci95;
}

static void count(size_t covered[VALUES],
                  const struct wtl_pose_intervals *intervals,
                  const struct wtl_pose *true_pose)
{
    for (int i = 0; i < WTL_POSE_INSIGHTS; i++) {
        const struct wtl_pose_value *value = &true_pose->insights[i];
        covered[i] += intervals->absolute[i].low <= value->absolute &&
                      value->absolute <= intervals->absolute[i].high;
        covered[WTL_POSE_INSIGHTS + i] +=
            intervals->ratio[i].low <= value->ratio && value->ratio <= intervals->ratio[i].high;
    }
}

/* Both methods in the same worlds. */
static void judge(struct wtl_pose_metric *metric,
                  const struct cell *cell,
                  size_t worlds,
                  size_t joint[VALUES],
                  size_t apart[VALUES])
{
    struct wtl_pose true_pose;
    if (wtl_pose_of(&truth, metric, &true_pose, NULL) < 0)
        exit(1);
    for (size_t world = 0; world < worlds; world++) {
        struct draw draw = {.stream = world * 1000 + cell->n};
        struct wtl_pose_code code;
        struct wtl_pose_doubt doubt;
        struct wtl_pose pose;
        struct wtl_pose_intervals intervals;
        measure(&draw, cell, &code, &doubt);
        if (wtl_pose_of(&code, metric, &pose, NULL) < 0 ||
            wtl_pose_intervals_of(&pose, metric, &doubt, &intervals) < 0)
            exit(1);
        count(joint, &intervals, &true_pose);
        doubt.correlation = 0;
        if (wtl_pose_intervals_of(&pose, metric, &doubt, &intervals) < 0)
            exit(1);
        count(apart, &intervals, &true_pose);
    }
}

static void print_range(const size_t covered[VALUES], size_t worlds)
{
    size_t least = covered[0], most = covered[0];
    for (int i = 1; i < VALUES; i++) {
        least = covered[i] < least ? covered[i] : least;
        most = covered[i] > most ? covered[i] : most;
    }
    printf("  %5.1f-%5.1f", 100 * (double)least / (double)worlds,
           100 * (double)most / (double)worlds);
}

static void print_row(struct wtl_pose_metric *metric, struct cell cell, size_t worlds)
{
    size_t apart[sizeof correlations / sizeof *correlations][VALUES] = {{0}};
    printf("  %4.1f %%  %2zu", 100 * cell.noise, cell.n);
    for (size_t i = 0; i < sizeof correlations / sizeof *correlations; i++) {
        size_t joint[VALUES] = {0};
        cell.correlation = correlations[i];
        judge(metric, &cell, worlds, joint, apart[i]);
        print_range(joint, worlds);
    }
    printf("  |");
    for (size_t i = 0; i < sizeof correlations / sizeof *correlations; i++)
        print_range(apart[i], worlds);
    printf("\n");
    (void)fflush(stdout);
}

int main(int argc, char **argv)
{
    size_t worlds = argc > 1 ? strtoul(argv[1], NULL, 10) : 2000;
    if (worlds == 0)
        return 2;
    printf("coverage of the 95 %% intervals, %%: lowest-highest of ten values; %zu worlds a cell\n",
           worlds);
    for (size_t m = 0; m < sizeof metrics / sizeof *metrics; m++) {
        struct wtl_pose_metric metric;
        if (wtl_pose_metric_parse(metrics[m], &metric, NULL) < 0)
            return 1;
        for (int bounds = 0; bounds < 2; bounds++) {
            printf("\n%s, Pmin and Pmax %s\n", metrics[m],
                   bounds ? "means of 3 runs, 1 % noise" : "exact");
            printf("  noise   n   r = 0        r = 0.9      r = -0.9     | correlation not "
                   "looked at\n");
            for (size_t k = 0; k < sizeof noises / sizeof *noises; k++) {
                for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
                    print_row(&metric,
                              (struct cell){.noise = noises[k],
                                            .bounds_noise = bounds ? 0.01 : 0,
                                            .n = sizes[s]},
                              m < 2 ? worlds : (worlds + 9) / 10);
            }
        }
        wtl_pose_metric_fini(&metric);
    }
    return 0;
}
