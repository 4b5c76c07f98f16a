/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/gauge/gauge_plan.h"

#include <stdlib.h>

#include "base/random.h"

/* Lengths of the on and off times in periods, each varied by up to a fifth. */
static const double ratios[] = {0.55, 0.7, 0.9, 1.1, 1.35, 1.7};
enum { RATIOS = sizeof ratios / sizeof ratios[0], HALVES = 24, ROUNDS = 2, HELD = 2 };
static const double VARIED = 0.2;

size_t wtl_gauge_plan(double period_s,
                      double hold_s,
                      uint64_t seed,
                      struct wtl_load_step **ret_steps)
{
    size_t most = (size_t)ROUNDS * (HELD * 2 + RATIOS * HALVES) + 2, n = 0;
    struct wtl_load_step *steps = malloc(most * sizeof *steps);
    double now_s = 0;
    *ret_steps = steps;
    if (!steps)
        return 0;
    steps[n++] = (struct wtl_load_step){now_s, 0};
    now_s += hold_s;
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < HELD * 2; i++) {
            steps[n++] = (struct wtl_load_step){now_s, i % 2 ? 0 : 1};
            now_s += hold_s;
        }
        for (size_t i = 0; i < (size_t)RATIOS * HALVES; i++) {
            double varied = 1 + VARIED * (2 * wtl_random_uniform(seed, n) - 1);
            steps[n++] = (struct wtl_load_step){now_s, i % 2 ? 0 : 1};
            now_s += ratios[i / HALVES] * varied * period_s;
        }
    }
    steps[n++] = (struct wtl_load_step){now_s + hold_s, 0};
    return n;
}
