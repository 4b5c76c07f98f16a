/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Prediction on generated worlds with known truth (src/sim/phases/phase_world.h).
 *
 *     bench_predict [x1 | unknown | intervals | nodes | speed | all] [WORLDS]
 *     bench_predict recording FOLDER      the real recording of counters and power
 *
 * x1: energy of eight programs that change phases on a random other platform, from one run on the reference, with 0, 1 and 5
 * calibration kernels, before anything has run there and when 20 % have; beside the ratio of times and of thermal design
 * powers. Matched; power that depends on the data by 5 % per letter and run; and with 5 % of wrong letters.
 */
#define _GNU_SOURCE
#include "bench_predict.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/predict/transfer.h"
#include "base/random.h"
#include "bench_time.h"
#include "model/statistics/quantile.h"
#include "predict_world.h"

enum { KERNELS = 5 };

/* Kernels as those of the NAS benchmarks: embarrassingly parallel, sort, sparse matrix, solver, copy. */
static const char *const kernels[KERNELS] = {
    "idle:6 (sweep:9 rhs:6 exchange:5)*3 norm:6 idle:6", "idle:6 init:5 random:30 idle:6",
    "idle:6 (spmv:9 dot:6)*3 output:8 idle:6", "idle:6 (sort:10 exchange:6)*3 idle:6",
    "idle:6 factor:20 fft:10 copy:20 idle:6"};

struct x1_world {
    const char *name;
    double data_cv, errors;
};

struct method {
    const char *name;
    double error, worst, covered, count, refused;
};

static void score(struct method *m, double estimate, double truth)
{
    double off = fabs(estimate / truth - 1);
    m->error += off;
    m->worst = fmax(m->worst, off);
    m->count++;
}

enum { PAPER, LETTERS, TIME, TDP, METHODS };

struct x1_case {
    struct wtl_phase_world_config there, here; /* the reference, the target */
    struct predict_letters there_letters, here_letters;
    struct wtl_dna kernels[KERNELS][2];
    struct wtl_match_run runs[KERNELS][2];
    struct wtl_transfer_kernel pairs[KERNELS];
};

static void run_kernels(struct x1_case *x)
{
    for (size_t k = 0; k < KERNELS; k++) {
        x->there.program = x->here.program = kernels[k];
        (void)predict_run(&x->there, &x->kernels[k][0], &x->there_letters);
        (void)predict_run(&x->here, &x->kernels[k][1], &x->here_letters);
        for (size_t side = 0; side < 2; side++)
            x->runs[k][side] = (struct wtl_match_run){
                .name = "kernel", .nodes = &x->kernels[k][side], .node_count = 1};
        x->pairs[k] = (struct wtl_transfer_kernel){&x->runs[k][0], &x->runs[k][1]};
    }
}

static void x1_one(const struct x1_world *world,
                   const char *program,
                   size_t kernel_count,
                   double part,
                   uint64_t seed,
                   struct method methods[METHODS])
{
    static struct x1_case x;
    struct wattle_error err = {""};
    memset(&x, 0, sizeof x);
    (void)wtl_phase_world_program(program, &x.there);
    x.there.noise.data_cv = world->data_cv;
    x.there.error_rate = world->errors;
    x.there.seed = seed;
    x.there.run = 1;
    x.here = x.there;
    x.here.run = 2;
    x.here.platform = wtl_phase_world_platform(seed);
    const char *script = x.there.program;
    run_kernels(&x);
    x.there.program = x.here.program = script;
    x.there.run = 3;
    x.here.run = 4;
    struct wtl_dna reference, whole;
    (void)predict_run(&x.there, &reference, &x.there_letters);
    double truth = predict_run(&x.here, &whole, &x.here_letters);
    struct wtl_dna beginning = predict_cut(&whole, part * wtl_dna_seconds(&whole));
    predict_centres(&x.there_letters, x.there.letter_count, x.there.columns);
    predict_centres(&x.here_letters, x.here.letter_count, x.here.columns);
    struct wtl_match_run from = {.name = program, .nodes = &reference, .node_count = 1};
    struct wtl_match_run to = {.name = program, .nodes = &beginning, .node_count = 1};
    struct wtl_transfer_question q = {
        .columns = x.there.columns,
        .reference_letters = {x.there_letters.centre, x.there.letter_count},
        .target_letters = {x.here_letters.centre, x.here.letter_count},
        .kernels = x.pairs,
        .kernel_count = kernel_count,
        .reference = &from,
        .target = part > 0 ? &to : NULL};
    struct wtl_transfer t;
    if (wtl_transfer(&q, &t, &err) < 0) {
        methods[LETTERS].refused++;
    } else {
        if (part > 0)
            score(&methods[PAPER], t.paper_j, truth);
        score(&methods[LETTERS], t.energy_j, truth);
        methods[LETTERS].covered += t.energy_low_j <= truth && truth <= t.energy_high_j;
        score(&methods[TIME], t.time_ratio_j, truth);
        score(&methods[TDP], t.time_ratio_j * x.here.platform.tdp_w / x.there.platform.tdp_w,
              truth);
    }
    for (size_t k = 0; k < KERNELS; k++) {
        free(x.kernels[k][0].list);
        free(x.kernels[k][1].list);
    }
    free(reference.list);
    free(whole.list);
    free(beginning.list);
}

void bench_predict_x1(size_t worlds)
{
    static const struct x1_world table[] = {
        {"matched", 0, 0}, {"data-dependent power 5 %", 0.05, 0}, {"5 % wrong letters", 0, 0.05}};
    static const size_t counts[] = {5, 1, 0};
    printf("X1: mean |error| of energy on another platform (worst), %zu platforms for each of %d "
           "programs\n",
           worlds, WTL_SIM_PROGRAMS);
    printf("%-26s %7s %6s %18s %18s %18s %18s %9s %9s\n", "world", "kernels", "run", "letters",
           "paper", "time ratio", "TDP ratio", "coverage", "refused");
    for (size_t w = 0; w < sizeof table / sizeof *table; w++) {
        for (size_t i = 0; i < 6; i++) {
            struct method methods[METHODS] = {{0}};
            double part = i % 2 ? 0.2 : 0;
            if (counts[i / 2] == 0 && part == 0)
                continue;
            for (size_t p = 0; p < WTL_SIM_PROGRAMS; p++) {
                for (size_t k = 0; k < worlds; k++)
                    x1_one(&table[w], wtl_phase_world_program_name(p), counts[i / 2], part,
                           wtl_random_bits(p + 1, k), methods);
            }
            printf("%-26s %7zu %4.0f %%", table[w].name, counts[i / 2], 100 * part);
            static const int order[METHODS] = {LETTERS, PAPER, TIME, TDP};
            for (size_t m = 0; m < METHODS; m++) {
                const struct method *s = &methods[order[m]];
                if (s->count > 0)
                    printf("  %6.2f %% (%5.1f)", 100 * s->error / s->count, 100 * s->worst);
                else
                    printf("  %16s", "-");
            }
            printf("  %6.1f %% %4.0f of %zu\n",
                   100 * methods[LETTERS].covered / methods[LETTERS].count,
                   methods[LETTERS].refused, worlds * WTL_SIM_PROGRAMS);
        }
    }
}

static void bench_predict_two_nodes_of(size_t worlds)
{
    (void)worlds;
    bench_predict_two_nodes();
}

static void bench_predict_speed_of(size_t worlds)
{
    (void)worlds;
    bench_predict_speed();
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(size_t worlds);
        size_t worlds;
    } parts[] = {{"x1", bench_predict_x1, 25},
                 {"unknown", bench_predict_unknown, 5},
                 {"intervals", bench_predict_intervals, 1000},
                 {"nodes", bench_predict_two_nodes_of, 0},
                 {"speed", bench_predict_speed_of, 0}};
    const char *what = argc > 1 ? argv[1] : "all";
    size_t worlds = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
    if (strcmp(what, "recording") == 0 && argc > 2)
        bench_predict_recording(argv[2]);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (strcmp(what, "all") == 0 || strcmp(what, parts[i].name) == 0)
            parts[i].run(worlds ? worlds : parts[i].worlds);
    }
    return 0;
}
