/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The error that the rule of settling.h leaves for a power that has not settled, on simulated
 * curves: the error of the measured mean against the end of the curve, how long it took, and how
 * often the power was considered settled. For comparison, in the same worlds: measuring after 5 s
 * and after 60 s without a check.
 *
 *     bench_settling [WORLDS]         default 500 per row
 *
 * Power approaches its end as 1 - missing * exp(-t / tau), with normal noise on each interval of 1
 * s; turbo: 20 % more for the first 28 s, like a processor with a power budget. Measures 30 s, from
 * 5 s on, with 120 s to settle.
 */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "analysis/compare/settling.h"
#include "base/random.h"

enum { N = WTL_SETTLING_PARTS };

struct curve {
    const char *name;
    double missing, tau_s, turbo_s;
};

static const struct curve curves[] = {
    {"stands", 0, 1, 0},
    {"3 %, tau 10 s", 0.03, 10, 0},
    {"3 %, tau 30 s", 0.03, 30, 0},
    {"3 %, tau 60 s", 0.03, 60, 0},
    {"10 %, tau 30 s", 0.10, 30, 0},
    {"3 %, tau 120 s", 0.03, 120, 0},
    {"turbo for 28 s", 0, 1, 28},
};
static const double noises[] = {0.001, 0.005, 0.02};

struct outcome {
    double error, from_s;
    bool settled;
};

static double power_at(const struct curve *curve, double noise, uint64_t stream, double time_s)
{
    double power = 1 - curve->missing * exp(-time_s / curve->tau_s);
    if (time_s < curve->turbo_s)
        power += 0.2;
    return power + noise * wtl_random_normal(stream, (uint64_t)time_s);
}

static struct outcome by_rule(const struct curve *curve, double noise, uint64_t stream)
{
    struct wtl_settling_part parts[N];
    struct outcome outcome = {.from_s = 5};
    for (size_t n = 0; n < N;) {
        double time_s = outcome.from_s + (double)n + 0.5;
        parts[n++] = (struct wtl_settling_part){.time_s = time_s,
                                                .power_w = power_at(curve, noise, stream, time_s),
                                                .temperature_c = NAN};
        struct wtl_settling settling = wtl_settling_of(parts, n, n == N);
        outcome.settled = settling.state == WTL_SETTLING_STEADY;
        if (settling.state == WTL_SETTLING_DRIFTED && outcome.from_s + (double)n < 120) {
            outcome.from_s += (double)n;
            n = 0;
        }
    }
    for (size_t i = 0; i < N; i++)
        outcome.error += parts[i].power_w / N;
    outcome.error -= 1;
    return outcome;
}

static double from(const struct curve *curve, double noise, uint64_t stream, double from_s)
{
    double mean = 0;
    for (size_t i = 0; i < N; i++)
        mean += power_at(curve, noise, stream, from_s + (double)i + 0.5) / N;
    return mean - 1;
}

static void print_row(const struct curve *curve, double noise, uint64_t worlds)
{
    double sum = 0, square = 0, time_s = 0, early = 0, late = 0;
    uint64_t settled = 0;
    for (uint64_t world = 0; world < worlds; world++) {
        uint64_t stream = wtl_random_bits(7, world);
        struct outcome outcome = by_rule(curve, noise, stream);
        sum += outcome.error;
        square += outcome.error * outcome.error;
        time_s += outcome.from_s + N;
        settled += outcome.settled;
        early += from(curve, noise, stream, 5);
        late += from(curve, noise, stream, 60);
    }
    double n = (double)worlds;
    printf("%-16s %5.1f %8.2f %8.2f %8.0f %9.0f %12.2f %12.2f\n", curve->name, 100 * noise,
           100 * sum / n, 100 * sqrt(square / n), time_s / n, 100 * (double)settled / n,
           100 * early / n, 100 * late / n);
}

int main(int argc, char **argv)
{
    long worlds = argc > 1 ? strtol(argv[1], NULL, 10) : 500;
    if (worlds < 1)
        return 2;
    printf("all in %% of the final power but time [s]\n");
    printf("%-16s %5s %8s %8s %8s %9s %12s %12s\n", "power", "noise", "error", "rms", "time",
           "settled", "5 s waited", "60 s waited");
    for (size_t c = 0; c < sizeof curves / sizeof *curves; c++) {
        for (size_t k = 0; k < sizeof noises / sizeof *noises; k++)
            print_row(&curves[c], noises[k], (uint64_t)worlds);
    }
    return 0;
}
