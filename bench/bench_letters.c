/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Prediction of letters (goal P2), in random worlds of src/sim/phases/phase_world.h.
 *
 *     bench_letters [WORLDS [SEED [SEMI]]]      default 1000 programs, and 20 semi-Markov worlds
 *
 * Programs: random nested loops of phases of fixed length, a letter per second. After some rounds of it, from a random
 * place, the letters to come are predicted at once; the correct run is the number of letters until the first that differs
 * from what is read. In the noisy ones one letter of 50 is misread, so the optimum, which knows the program, is right 49
 * letters on average. Before the place: 3 rounds without noise, 12 with.
 *
 * Semi-Markov: durations and order are random, so the optimum is a filter that knows the distribution of durations (from
 * a million letters) and the chain; scored are letters 1, 10 and 60 ahead, after 20,000 letters.
 */
#define _GNU_SOURCE
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "analysis/predict/predictor.h"
#include "base/random.h"
#include "sim/phases/phase_world.h"

enum { AHEAD = 1200, ROUNDS_CLEAN = 3, ROUNDS_NOISY = 6, PLACES = 4 };

static double now_s(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static size_t below(uint64_t seed, uint64_t *n, size_t limit)
{
    return (size_t)(wtl_random_uniform(seed, (*n)++) * (double)limit);
}

/* Append "LETTER:SECONDS" or a loop of them; returns the letters in it. */
static size_t add_part(char *text,
                       size_t room,
                       uint64_t seed,
                       uint64_t *n,
                       size_t letters,
                       size_t *last)
{
    size_t used = strlen(text);
    if (below(seed, n, 4) > 0) {
        size_t letter = below(seed, n, letters - 1), length = 1 + below(seed, n, 20);
        letter += letter >= *last; /* a program does not go from a letter to itself */
        *last = letter;
        (void)snprintf(text + used, room - used, "%c:%zu ", (char)('A' + letter), length);
        return length;
    }
    size_t times = 2 + below(seed, n, 4), a = below(seed, n, letters - 1), b;
    a += a >= *last;
    b = (a + 1 + below(seed, n, letters - 1)) % letters;
    size_t length_a = 1 + below(seed, n, 10), length_b = 1 + below(seed, n, 10);
    *last = b;
    (void)snprintf(text + used, room - used, "( %c:%zu %c:%zu )*%zu ", (char)('A' + a), length_a,
                   (char)('A' + b), length_b, times);
    return times * (length_a + length_b);
}

struct world {
    struct wtl_phase_world *world;
    size_t letters, round;
};

static bool open_program(struct world *ret,
                         uint64_t seed,
                         double error_rate,
                         uint64_t run,
                         size_t rounds)
{
    static char text[4096];
    char body[2048] = "";
    uint64_t n = 0;
    size_t letters = 3 + below(seed, &n, 10), parts = 3 + below(seed, &n, 8), last = letters;
    struct wattle_error err;
    ret->letters = letters;
    ret->round = 0;
    for (size_t i = 0; i < parts; i++)
        ret->round += add_part(body, sizeof body, seed, &n, letters, &last);
    size_t times = rounds + 1 + AHEAD / ret->round + 1;
    (void)snprintf(text, sizeof text, "( %s)*%zu", body, times);
    struct wtl_phase_world_config config = wtl_phase_world_random(letters, 14, 2, seed);
    for (size_t i = 0; i < letters; i++)
        (void)snprintf(config.letters[i].name, sizeof config.letters[i].name, "%c",
                       (char)('A' + i));
    config.program = text;
    config.min_rows = 1;
    config.run_cv = 0;
    config.rows = 0;
    config.step_s = 1;
    config.error_rate = error_rate;
    config.run = run;
    if (wtl_phase_world_create(&config, &ret->world, &err) < 0) {
        fprintf(stderr, "%s: %s\n", err.text, text);
        return false;
    }
    return true;
}

static uint16_t letter(const struct world *world, size_t n)
{
    return (uint16_t)wtl_phase_world_letter_at(world->world, n, 1);
}

struct score {
    double run, rounds_run[2], ahead_s, observe_us;
    size_t count, full;
};

static size_t leading(const uint16_t *path, const struct world *world, size_t from)
{
    size_t right = 0;
    while (right < AHEAD && path[right] == letter(world, from + right))
        right++;
    return right;
}

static void score_program(enum wtl_predictor_kind kind,
                          const struct world *world,
                          uint64_t seed,
                          size_t rounds,
                          struct score *score)
{
    static uint16_t path[AHEAD];
    struct wtl_predictor_options options = {.kind = kind};
    struct wtl_predictor *predictor = NULL;
    uint64_t n = 1000;
    size_t from = rounds * world->round + below(seed, &n, world->round);
    if (wtl_predictor_create(world->letters, &options, &predictor) < 0)
        return;
    double begin_s = now_s();
    for (size_t i = 0; i < from; i++)
        (void)wtl_predictor_observe(predictor, letter(world, i));
    double between_s = now_s();
    (void)wtl_predictor_predict(predictor, AHEAD, path, NULL);
    score->ahead_s += now_s() - between_s;
    score->observe_us += (between_s - begin_s) * 1e6 / (double)from;
    size_t right = leading(path, world, from);
    score->run += (double)right;
    score->full += right == AHEAD;
    score->count++;
    wtl_predictor_destroy(predictor);
}

/* What the program itself would predict: the same world without misread letters. */
static void score_optimum(const struct world *world,
                          const struct world *clean,
                          uint64_t seed,
                          size_t rounds,
                          struct score *score)
{
    static uint16_t path[AHEAD];
    uint64_t n = 1000;
    size_t from = rounds * world->round + below(seed, &n, world->round);
    for (size_t i = 0; i < AHEAD; i++)
        path[i] = letter(clean, from + i);
    score->run += (double)leading(path, world, from);
    score->count++;
}

static void programs(size_t worlds, uint64_t seed, double error_rate)
{
    struct score scores[WTL_PREDICT_KINDS] = {{0}}, optimum = {0};
    size_t rounds = error_rate > 0 ? ROUNDS_NOISY : ROUNDS_CLEAN;
    for (size_t i = 0; i < worlds; i++) {
        struct world world, clean;
        uint64_t stream = wtl_random_bits(seed, i);
        if (!open_program(&world, stream, error_rate, 1, rounds) ||
            !open_program(&clean, stream, 0, 1, rounds))
            exit(1);
        for (enum wtl_predictor_kind kind = 0; kind < WTL_PREDICT_KINDS; kind++)
            score_program(kind, &world, stream, rounds, &scores[kind]);
        score_optimum(&world, &clean, stream, rounds, &optimum);
        wtl_phase_world_destroy(world.world);
        wtl_phase_world_destroy(clean.world);
    }
    printf("programs, %g %% of letters misread, %zu worlds, after %zu rounds\n", 100 * error_rate,
           worlds, rounds);
    printf("  %-8s  mean correct run  of optimum  all %d right  us/letter  us/letter ahead\n", "",
           AHEAD);
    double best = optimum.run / (double)optimum.count;
    for (size_t kind = 0; kind < WTL_PREDICT_KINDS; kind++) {
        const struct score *score = &scores[kind];
        double count = (double)score->count;
        printf("  %-8s  %16.1f  %9.1f%%  %13.1f%%  %9.2f  %15.2f\n", wtl_predictor_kind_names[kind],
               score->run / count, 100 * score->run / count / best,
               100 * (double)score->full / count, score->observe_us / count,
               score->ahead_s * 1e6 / count / AHEAD);
    }
    printf("  %-8s  %16.1f\n", "optimum", best);
}

/* -- semi-Markov -- */

enum { LONGEST = 400, LETTERS = 6, DISTANCES = 3 };
static const size_t distances[DISTANCES] = {1, 10, 60};

/* The optimum: the distribution of durations and the chain are known, and which letters are misread is inferred. */
struct optimum {
    double hazard[LETTERS][LONGEST + 1], next[LETTERS][LETTERS];
    double (*now)[LONGEST + 1], (*then)[LONGEST + 1]; /* [LETTERS] */
    double error_rate;
};

static struct wtl_phase_world_config semi_markov(uint64_t seed, double error_rate, uint64_t rows)
{
    struct wtl_phase_world_config config = wtl_phase_world_random(LETTERS, 14, 2, seed);
    uint64_t n = 0;
    for (size_t i = 0; i < LETTERS; i++) {
        config.letters[i].duration_s = 5 + 35 * wtl_random_uniform(seed, n++);
        config.letters[i].duration_cv = 0.05 + 0.35 * wtl_random_uniform(seed, n++);
        for (size_t k = 0; k < LETTERS; k++)
            config.next[i][k] = pow(wtl_random_uniform(seed, n++), 4);
    }
    config.min_rows = 1;
    config.rows = rows;
    config.error_rate = error_rate;
    return config;
}

static void step(struct optimum *o)
{
    double ended[LETTERS] = {0};
    for (size_t i = 0; i < LETTERS; i++) {
        for (size_t e = LONGEST; e > 0; e--) {
            double p = o->now[i][e];
            ended[i] += p * o->hazard[i][e];
            if (e < LONGEST)
                o->then[i][e + 1] = p * (1 - o->hazard[i][e]);
        }
        o->then[i][0] = o->then[i][1] = 0;
    }
    for (size_t i = 0; i < LETTERS; i++) {
        for (size_t k = 0; k < LETTERS; k++)
            o->then[k][1] += ended[i] * o->next[i][k];
    }
    void *swap = o->now;
    o->now = o->then;
    o->then = swap;
}

static uint16_t most_probable(const struct optimum *o)
{
    uint16_t best = 0;
    double most = -1;
    for (uint16_t i = 0; i < LETTERS; i++) {
        double sum = 0;
        for (size_t e = 1; e <= LONGEST; e++)
            sum += o->now[i][e];
        best = sum > most ? i : best;
        most = sum > most ? sum : most;
    }
    return best;
}

static void read_letter(struct optimum *o, uint16_t read)
{
    double sum = 0;
    step(o);
    for (uint16_t i = 0; i < LETTERS; i++) {
        double p = i == read ? 1 - o->error_rate : o->error_rate / (LETTERS - 1);
        for (size_t e = 1; e <= LONGEST; e++)
            sum += o->now[i][e] *= p;
    }
    for (size_t i = 0; i < LETTERS; i++) {
        for (size_t e = 1; e <= LONGEST; e++)
            o->now[i][e] /= sum;
    }
}

/* The distributions, from the truth of a long recording of this world. */
static void know(struct optimum *o, struct wtl_phase_world_config config)
{
    static double ends[LETTERS][LONGEST + 1], stays[LETTERS][LONGEST + 1];
    struct wtl_phase_world *world;
    struct wattle_error err;
    size_t count;
    memset(ends, 0, sizeof ends);
    memset(stays, 0, sizeof stays);
    memset(o->next, 0, sizeof o->next);
    config.rows = 1000000;
    config.run = 99;
    if (wtl_phase_world_create(&config, &world, &err) < 0) {
        fprintf(stderr, "%s\n", err.text);
        exit(1);
    }
    const struct wtl_sim_segment *list = wtl_phase_world_segments(world, &count);
    for (size_t i = 0; i + 1 < count; i++) {
        size_t rows = list[i].rows < LONGEST ? (size_t)list[i].rows : LONGEST;
        for (size_t e = 1; e <= rows; e++)
            stays[list[i].letter][e]++;
        ends[list[i].letter][rows]++;
        o->next[list[i].letter][list[i + 1].letter]++;
    }
    for (size_t i = 0; i < LETTERS; i++) {
        double sum = 0;
        for (size_t e = 0; e <= LONGEST; e++)
            o->hazard[i][e] = (ends[i][e] + 1e-3) / (stays[i][e] + 2e-3);
        for (size_t k = 0; k < LETTERS; k++)
            sum += o->next[i][k] += i == k ? 0 : 1e-3;
        for (size_t k = 0; k < LETTERS && sum > 0; k++)
            o->next[i][k] /= sum;
    }
    wtl_phase_world_destroy(world);
}

static void score_semi_markov(uint64_t seed,
                              double error_rate,
                              double right[][DISTANCES],
                              double *of)
{
    static double a[LETTERS][LONGEST + 1], b[LETTERS][LONGEST + 1], kept[LETTERS][LONGEST + 1];
    static const size_t learn = 20000, test = 2000, each = 7;
    struct wtl_phase_world_config config = semi_markov(seed, error_rate, learn + test + 100);
    struct optimum o = {.now = a, .then = b, .error_rate = error_rate};
    struct wtl_predictor *predictors[WTL_PREDICT_KINDS] = {NULL};
    struct wtl_phase_world *world;
    struct wattle_error err;
    uint16_t path[60];
    config.step_s = 1;
    know(&o, config);
    if (wtl_phase_world_create(&config, &world, &err) < 0)
        exit(1);
    for (size_t i = 0; i < LETTERS; i++) {
        for (size_t e = 0; e <= LONGEST; e++)
            a[i][e] = e == 1;
    }
    for (enum wtl_predictor_kind kind = 0; kind < WTL_PREDICT_KINDS; kind++) {
        struct wtl_predictor_options options = {.kind = kind};
        (void)wtl_predictor_create(LETTERS, &options, &predictors[kind]);
    }
    for (size_t n = 0; n < learn + test; n++) {
        uint16_t read = (uint16_t)wtl_phase_world_letter_at(world, n, 1);
        for (size_t kind = 0; kind < WTL_PREDICT_KINDS; kind++)
            (void)wtl_predictor_observe(predictors[kind], read);
        if (n > learn - 2000)
            read_letter(&o, read);
        if (n < learn || n % each != 0)
            continue;
        for (size_t kind = 0; kind < WTL_PREDICT_KINDS; kind++) {
            (void)wtl_predictor_predict(predictors[kind], 60, path, NULL);
            for (size_t d = 0; d < DISTANCES; d++)
                right[kind][d] +=
                    path[distances[d] - 1] == wtl_phase_world_letter_at(world, n + distances[d], 1);
        }
        memcpy(kept, o.now, sizeof kept);
        for (size_t d = 0, at = 0; d < DISTANCES; d++) {
            for (; at < distances[d]; at++)
                step(&o);
            right[WTL_PREDICT_KINDS][d] +=
                most_probable(&o) == wtl_phase_world_letter_at(world, n + distances[d], 1);
        }
        memcpy(o.now, kept, sizeof kept);
        (*of)++;
    }
    for (size_t kind = 0; kind < WTL_PREDICT_KINDS; kind++)
        wtl_predictor_destroy(predictors[kind]);
    wtl_phase_world_destroy(world);
}

static void semi_markov_worlds(size_t worlds, uint64_t seed, double error_rate)
{
    double right[WTL_PREDICT_KINDS + 1][DISTANCES] = {{0}}, of = 0;
    for (size_t i = 0; i < worlds; i++)
        score_semi_markov(wtl_random_bits(seed, i), error_rate, right, &of);
    printf("semi-Markov, %g %% of letters misread, %zu worlds\n", 100 * error_rate, worlds);
    printf("  %-8s  right 1 ahead  10 ahead  60 ahead   of optimum\n", "");
    for (size_t kind = 0; kind <= WTL_PREDICT_KINDS; kind++) {
        const double *best = right[WTL_PREDICT_KINDS];
        printf("  %-8s  %12.1f%%  %7.1f%%  %7.1f%%   %.1f%% %.1f%% %.1f%%\n",
               kind < WTL_PREDICT_KINDS ? wtl_predictor_kind_names[kind] : "optimum",
               100 * right[kind][0] / of, 100 * right[kind][1] / of, 100 * right[kind][2] / of,
               100 * right[kind][0] / best[0], 100 * right[kind][1] / best[1],
               100 * right[kind][2] / best[2]);
    }
}

int main(int argc, char **argv)
{
    (void)setvbuf(stdout, NULL, _IOLBF, 0);
    size_t worlds = argc > 1 ? (size_t)strtoul(argv[1], NULL, 10) : 1000;
    uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    size_t semi = argc > 3 ? (size_t)strtoul(argv[3], NULL, 10) : 20;
    programs(worlds, seed, 0);
    programs(worlds, seed, 0.02);
    semi_markov_worlds(semi, seed, 0);
    semi_markov_worlds(semi, seed, 0.02);
    return 0;
}
