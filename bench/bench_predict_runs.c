/* SPDX-License-Identifier: BSD-3-Clause */
/* Which run is it, and what does it still take: parts of bench_predict. */
#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/predict/prediction.h"
#include "base/random.h"
#include "bench_predict.h"
#include "bench_time.h"
#include "predict_world.h"

enum { MOST_RUNS = 256, NODES = 2 };

struct world {
    const char *name;
    double data_cv, errors, ar;
    bool heavy;
};

static const struct world worlds[] = {{"matched", 0, 0, 0, false},
                                      {"AR(1) 0.9, heavy tails", 0, 0, 0.9, true},
                                      {"data-dependent power 5 %", 0.05, 0, 0, false},
                                      {"5 % wrong letters", 0, 0.05, 0, false}};
enum { WORLDS = sizeof worlds / sizeof *worlds };

static struct wtl_phase_world_config config_of(const char *program,
                                               const struct world *world,
                                               uint64_t seed,
                                               uint64_t run)
{
    struct wtl_phase_world_config config;
    (void)wtl_phase_world_program(program, &config);
    config.noise.data_cv = world->data_cv;
    config.noise.ar = world->ar;
    config.noise.heavy = world->heavy;
    config.error_rate = world->errors;
    config.seed = seed;
    config.run = run;
    return config;
}

/* ---- a model of such runs ---- */

struct model {
    struct wtl_phase_model model;
    struct wtl_model_run runs[MOST_RUNS];
    struct wtl_dna nodes[MOST_RUNS][NODES];
    struct wtl_letter letters[WTL_SIM_LETTERS];
};

static void model_init(struct model *m, size_t letters)
{
    memset(m, 0, sizeof *m);
    m->model.runs = m->runs;
    m->model.alphabet.letters = m->letters;
    m->model.alphabet.count = letters;
    for (size_t i = 0; i < letters; i++)
        (void)snprintf(m->letters[i].name, sizeof m->letters[i].name, "%u", (unsigned)i % 100);
}

static struct wtl_model_run *model_add(struct model *m, const char *name, size_t nodes)
{
    struct wtl_model_run *run = &m->runs[m->model.run_count];
    static char here[] = "here";
    *run = (struct wtl_model_run){.name = (char *)name,
                                  .platform = here,
                                  .nodes = m->nodes[m->model.run_count],
                                  .node_count = nodes};
    m->model.run_count++;
    return run;
}

static void model_fini(struct model *m)
{
    for (size_t i = 0; i < m->model.run_count; i++) {
        for (size_t k = 0; k < m->runs[i].node_count; k++)
            free(m->runs[i].nodes[k].list);
    }
}

/* Predict from the first part of these strings. */
static int predict_part(const struct model *m,
                        const struct wtl_dna *whole,
                        size_t nodes,
                        double part,
                        struct wtl_prediction *p)
{
    struct wattle_error err = {""};
    struct wtl_dna cut[NODES];
    struct wtl_prediction_question q = {
        .model = &m->model, .nodes = cut, .node_count = nodes, .platform = "here", .idle_w = NAN};
    double known_s;
    for (size_t k = 0; k < nodes; k++) {
        cut[k] = predict_cut(&whole[k], part * wtl_dna_seconds(&whole[k]));
        q.done_s = fmax(q.done_s, wtl_dna_seconds(&cut[k]));
        q.done_j += wtl_dna_joules(&cut[k], &known_s);
    }
    int rc = wtl_predict(&q, p, &err);
    if (rc < 0)
        (void)fprintf(stderr, "bench_predict: %s\n", err.text);
    for (size_t k = 0; k < nodes; k++)
        free(cut[k].list);
    return rc;
}

/* ---- unknown runs ---- */

struct score {
    double right, wrong, rejected, known; /* of runs of stored programs */
    double accepted, unknown;             /* of runs of the program that is left out */
    double brier, stated[10], true_of[10], in[10];
};

static void judge(struct score *s, const struct wtl_prediction *p, const char *name, bool stored)
{
    bool right = stored && p->known && strcmp(p->program, name) == 0;
    double probability = p->known ? p->probability : 1 - p->match.unknown;
    bool truth = p->known ? right : stored; /* of the statement that has this probability */
    size_t bin = (size_t)fmin(9, 10 * probability);
    s->known += stored;
    s->unknown += !stored;
    s->right += right;
    s->wrong += stored && p->known && !right;
    s->rejected += stored && !p->known;
    s->accepted += !stored && p->known;
    s->brier += (probability - truth) * (probability - truth);
    s->in[bin]++;
    s->stated[bin] += probability;
    s->true_of[bin] += truth;
}

static void unknown_one(const struct world *world,
                        size_t runs,
                        double part,
                        size_t left_out,
                        uint64_t seed,
                        struct score *s)
{
    static struct model m;
    struct wtl_phase_world_config c = config_of("lu", world, seed, 0);
    model_init(&m, c.letter_count);
    for (size_t p = 0; p < WTL_SIM_PROGRAMS; p++) {
        const char *name = wtl_phase_world_program_name(p);
        for (size_t r = 0; p != left_out && r < runs; r++) {
            c = config_of(name, world, seed, r);
            (void)predict_run(&c, &model_add(&m, name, 1)->nodes[0], NULL);
        }
    }
    for (size_t p = 0; p < WTL_SIM_PROGRAMS; p++) {
        struct wtl_dna whole;
        struct wtl_prediction prediction;
        c = config_of(wtl_phase_world_program_name(p), world, seed, 1000);
        (void)predict_run(&c, &whole, NULL);
        if (predict_part(&m, &whole, 1, part, &prediction) == 0) {
            judge(s, &prediction, wtl_phase_world_program_name(p), p != left_out);
            wtl_prediction_fini(&prediction);
        }
        free(whole.list);
    }
    model_fini(&m);
}

void bench_predict_unknown(size_t count)
{
    static const size_t stored[] = {1, 3, 10};
    static const double parts[] = {0.1, 0.2, 0.5};
    struct score all = {0};
    printf("\nWhich run: seven of eight programs stored, each left out in turn, %zu times\n",
           count);
    printf("%-26s %5s %6s %8s %8s %9s %12s\n", "world", "runs", "part", "right", "wrong",
           "rejected", "accepted");
    for (size_t w = 0; w < WORLDS; w++) {
        for (size_t i = 0; i < 9; i++) {
            struct score s = {0};
            for (size_t k = 0; k < count * WTL_SIM_PROGRAMS; k++)
                unknown_one(&worlds[w], stored[i / 3], parts[i % 3], k % WTL_SIM_PROGRAMS, k + 1,
                            &s);
            printf("%-26s %5zu %4.0f %% %6.1f %% %6.1f %% %7.1f %% %10.1f %%\n", worlds[w].name,
                   stored[i / 3], 100 * parts[i % 3], 100 * s.right / s.known,
                   100 * s.wrong / s.known, 100 * s.rejected / s.known,
                   100 * s.accepted / s.unknown);
            all.brier += s.brier;
            for (size_t b = 0; b < 10; b++) {
                all.in[b] += s.in[b];
                all.stated[b] += s.stated[b];
                all.true_of[b] += s.true_of[b];
            }
        }
    }
    double n = 0;
    for (size_t b = 0; b < 10; b++)
        n += all.in[b];
    printf("Brier score %.4f. Stated probability, how often it was true:\n", all.brier / n);
    for (size_t b = 0; b < 10; b++) {
        if (all.in[b] > 0)
            printf("  %5.1f %%  %5.1f %%  (%.0f runs)\n", 100 * all.stated[b] / all.in[b],
                   100 * all.true_of[b] / all.in[b], all.in[b]);
    }
}

/* ---- intervals ---- */

void bench_predict_intervals(size_t count)
{
    static const size_t stored[] = {3, 10, 30};
    static struct model m;
    printf("\nEnergy and time at the end, predicted at 20 %%, %zu worlds per line\n", count);
    printf("%-26s %5s %14s %12s %12s %12s %12s %12s\n", "world", "runs", "mean |error|", "covered",
           "half width", "time covered", "not known", "no interval");
    for (size_t i = 0; i < 3 * WORLDS; i++) {
        double error = 0, covered = 0, width = 0, time = 0, n = 0, known = 0;
        for (size_t k = 0; k < count; k++) {
            const char *name = wtl_phase_world_program_name(k % WTL_SIM_PROGRAMS);
            struct wtl_phase_world_config c;
            struct wtl_dna whole;
            struct wtl_prediction p;
            model_init(&m, WTL_SIM_LETTERS);
            for (size_t r = 0; r < stored[i % 3]; r++) {
                c = config_of(name, &worlds[i / 3], k + 1, r);
                (void)predict_run(&c, &model_add(&m, name, 1)->nodes[0], NULL);
            }
            c = config_of(name, &worlds[i / 3], k + 1, 1000);
            double truth = predict_run(&c, &whole, NULL), truth_s = wtl_dna_seconds(&whole);
            if (predict_part(&m, &whole, 1, 0.2, &p) == 0) {
                known += p.known;
                if (isfinite(p.energy_low_j) && isfinite(p.time_low_s)) {
                    n++;
                    error += fabs(p.energy_j / truth - 1);
                    covered += p.energy_low_j <= truth && truth <= p.energy_high_j;
                    time += p.time_low_s <= truth_s && truth_s <= p.time_high_s;
                    width += (p.energy_high_j - p.energy_low_j) / 2 / truth;
                }
                wtl_prediction_fini(&p);
            }
            free(whole.list);
            model_fini(&m);
        }
        printf("%-26s %5zu %12.2f %% %10.1f %% %10.2f %% %10.1f %% %10.1f %% %10.1f %%\n",
               worlds[i / 3].name, stored[i % 3], 100 * error / n, 100 * covered / n,
               100 * width / n, 100 * time / n, 100 * (1 - known / (double)count),
               100 * (known - n) / (double)count);
    }
}

/* ---- 30 runs on two nodes ---- */

void bench_predict_two_nodes(void)
{
    static const char *const names[] = {"lu", "is-ep", "invert-copy"};
    /* The node that receives the file computes nothing. */
    static const char receives[] = "idle:8 init:16 idle:147 copy:75 idle:8";
    static struct model m;
    static struct wtl_dna target[90][NODES];
    struct wtl_phase_world_config c;
    model_init(&m, WTL_SIM_LETTERS);
    for (size_t i = 0; i < 180; i++) {
        const char *name = names[i % 3];
        struct wtl_dna *nodes = i < 90 ? model_add(&m, name, NODES)->nodes : target[i - 90];
        for (size_t k = 0; k < NODES; k++) {
            c = config_of(name, &worlds[0], 1, 2 * i + k);
            c.program = k == 1 && i % 3 == 2 ? receives : c.program;
            (void)predict_run(&c, &nodes[k], NULL);
        }
    }
    printf("\n30 runs on two nodes from 30 stored ones, predicted at 20 %%\n");
    printf("%-14s %8s %20s %14s %14s %10s\n", "program", "right", "estimated/measured",
           "mean |error|", "worst", "covered");
    for (size_t n = 0; n < 3; n++) {
        double right = 0, ratio = 0, error = 0, worst = 0, covered = 0;
        for (size_t i = n; i < 90; i += 3) {
            struct wtl_prediction p;
            double known_s, joules = wtl_dna_joules(&target[i][0], &known_s) +
                                     wtl_dna_joules(&target[i][1], &known_s);
            if (predict_part(&m, target[i], NODES, 0.2, &p) < 0)
                continue;
            right += p.known && strcmp(p.program, names[n]) == 0;
            ratio += p.energy_j / joules / 30;
            error += fabs(p.energy_j / joules - 1) / 30;
            worst = fmax(worst, fabs(p.energy_j / joules - 1));
            covered += p.energy_low_j <= joules && joules <= p.energy_high_j;
            wtl_prediction_fini(&p);
        }
        printf("%-14s %5.0f/30 %20.4f %12.2f %% %12.2f %% %7.0f/30\n", names[n], right, ratio,
               100 * error, 100 * worst, covered);
    }
    model_fini(&m);
    for (size_t i = 0; i < 90; i++) {
        free(target[i][0].list);
        free(target[i][1].list);
    }
}

/* ---- speed ---- */

static struct wtl_dna random_dna(uint64_t program, uint64_t run, size_t length)
{
    struct wtl_dna dna = {.list = calloc(length, sizeof *dna.list), .count = length};
    for (size_t i = 0; dna.list && i < length; i++) {
        struct wtl_base *base = &dna.list[i];
        base->letter = (uint16_t)(wtl_random_bits(program, i) % 16);
        base->duration_s = base->known_s = 5 + 40 * wtl_random_uniform(program + 77, i);
        base->duration_s *= 1 + 0.02 * wtl_random_normal(run, i);
        base->known_s = base->duration_s;
        base->energy_j = 200 * base->duration_s;
    }
    return dna;
}

void bench_predict_speed(void)
{
    static const size_t counts[] = {100, 1000, 10000, 100000}, lengths[] = {20, 200};
    struct wattle_error err = {""};
    struct wtl_match_options options = wtl_match_options_default();
    printf("\nMatching 20 %% of a run, 10 runs of each program\n%8s %8s %12s %14s\n", "runs",
           "letters", "ms", "us per run");
    for (size_t i = 0; i < 8; i++) {
        size_t count = counts[i / 2], length = lengths[i % 2];
        struct wtl_dna *all = calloc(count, sizeof *all);
        struct wtl_match_run *runs = calloc(count, sizeof *runs);
        char(*names)[16] = calloc(count, sizeof *names);
        if (!all || !runs || !names)
            break;
        for (size_t k = 0; k < count; k++) {
            all[k] = random_dna(k / 10 + 1, k + 1000000, length);
            (void)snprintf(names[k], sizeof *names, "p%u", (unsigned)(k / 10) % 100000);
            runs[k] = (struct wtl_match_run){
                .name = names[k], .platform = "", .nodes = &all[k], .node_count = 1};
        }
        struct wtl_dna whole = random_dna(5, 9999999, length);
        struct wtl_dna cut = predict_cut(&whole, 0.2 * wtl_dna_seconds(&whole));
        struct wtl_match_run beginning = {
            .name = "", .platform = "", .nodes = &cut, .node_count = 1};
        struct wtl_match match;
        uint64_t begin = now_ns();
        if (wtl_match_find(runs, count, &beginning, &options, &match, &err) == 0) {
            double ms = (double)(now_ns() - begin) / 1e6;
            printf("%8zu %8zu %12.2f %14.3f%s\n", count, length, ms, 1e3 * ms / (double)count,
                   match.known && strcmp(match.programs[0].name, "p4") == 0 ? "" : "  (not found)");
            wtl_match_fini(&match);
        }
        for (size_t k = 0; k < count; k++)
            free(all[k].list);
        free(all);
        free(runs);
        free(names);
        free(whole.list);
        free(cut.list);
    }
}
