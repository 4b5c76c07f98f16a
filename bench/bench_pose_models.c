/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * bench_pose_models [MODELS]: models of POSE per second (five vertices, five insights), per metric:
 * closed forms, an expression whose form shows that it is separable, and ones that need proof and
 * root finding. For comparison, in the same run, the time of one bare evaluation of the cost.
 * Medians of rounds, with quartiles. Prints results.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "analysis/pose/pose.h"
#include "base/world/world.h"
#include "bench_spread.h"

enum { ROUNDS = 21 };

static double now_s(void)
{
    return (double)wtl_world_monotonic(wtl_world_real()) * 1e-9;
}

static struct wtl_pose_code code_of(int i)
{
    double t = 100 + 0.01 * (i % 1000);
    return (struct wtl_pose_code){t, t * (160 + 0.15 * (i % 1200)), 150, 350};
}

/* Seconds per model, and per evaluation. `sink` keeps both from being optimised away. */
static double time_models(const struct wtl_pose_metric *metric, int n, double *sink)
{
    double start = now_s();
    for (int i = 0; i < n; i++) {
        struct wtl_pose_code code = code_of(i);
        struct wtl_pose pose;
        if (wtl_pose_of(&code, metric, &pose, NULL) == 0)
            *sink += pose.insights[WTL_POSE_DOMINATING_SPEEDUP].ratio;
    }
    return (now_s() - start) / n;
}

static double time_costs(const struct wtl_pose_metric *metric, int n, double *sink)
{
    double start = now_s();
    for (int i = 0; i < n; i++) {
        struct wtl_pose_code code = code_of(i);
        *sink += wtl_pose_metric_value(metric, code.e_j, code.t_s);
    }
    return (now_s() - start) / n;
}

static void bench(const char *text, int n, double *sink)
{
    struct wtl_pose_metric metric;
    struct wattle_error err = {""};
    double model[ROUNDS], cost[ROUNDS];
    if (wtl_pose_metric_parse(text, &metric, &err) < 0) {
        fprintf(stderr, "bench_pose_models: %s\n", err.text);
        exit(1);
    }
    for (int r = 0; r < ROUNDS; r++) {
        model[r] = time_models(&metric, n, sink);
        cost[r] = time_costs(&metric, n, sink);
    }
    struct bench_spread models = bench_spread_of(model, ROUNDS);
    struct bench_spread bare = bench_spread_of(cost, ROUNDS);
    printf("%-34s %10.0f", text, 1 / models.median);
    bench_spread_print(&models, 1e6, 3, "us");
    printf(" %10.1f %8.0f\n", bare.median * 1e9, models.median / bare.median);
    wtl_pose_metric_fini(&metric);
}

int main(int argc, char **argv)
{
    static const char *const texts[] = {
        "Et^3",
        "EDS:1,900",
        "EDD:1,519.615",
        "E*t^3",
        "sqrt(E^2 + (519.615*t)^2)",
        "E*t^2 + 0.1*t",
        "0.3*E/3.6e6 + 0.5*ceil(t/36)",
        "exp(log(E) + 3*log(t))",
    };
    int n = argc > 1 ? atoi(argv[1]) : 4000;
    double sink = 0;
    if (n <= 0) {
        fprintf(stderr, "usage: bench_pose_models [MODELS]\n");
        return 2;
    }
    printf("%-34s %10s  [quartiles] %21s %8s\n", "metric", "models/s", "one cost [ns]", "costs");
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        bench(texts[i], n, &sink);
    return isfinite(sink) ? 0 : 1;
}
