/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Goal P1: boundaries of phases in worlds of known truth, by each of the four methods; delay of the streaming detectors;
 * false alarms in rows of one phase; time per row.
 *
 *     bench_phases [WORLDS [ROWS_MIO [METHOD]]]   1000 worlds per cell, 4 million rows per kind of noise, all methods
 *     bench_phases calibrate [ROWS_MIO]     thresholds: alarms against evidence, with seeds of their own
 *     bench_phases live [ROWS_MIO [RATE [KIND]]]    false alarms with the second pass over the recent rows, as --on-phase has it
 *     bench_phases oracle [WORLDS]          the upper limit: who knows the letters, their levels and the noise
 *     bench_phases stored [WORLDS [ROWS]]   false boundaries in stored recordings of one phase
 *     bench_phases rows [WORLDS]            worlds of SNR 1 with truth and result, for bench_phases_peer.py
 *     bench_phases table FILE               phases of a table: a line per 3 s, "counter,counter,counter,power"
 *
 * A world: 14 counters and power; 7 letters, each of which raises two counters of its own, so that two to four counters
 * change at a boundary, each by SNR standard deviations of its noise; the power, on average, by as much. Phases last 60
 * rows on average (16 at least) or 150 (40 at least).
 */
#define _GNU_SOURCE
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/phases/detector.h"
#include "analysis/phases/phase.h"
#include "bench_spread.h"
#include "bench_time.h"
#include "sim/phases/phase_world.h"

enum { COLUMNS = 14, LETTERS = 7, HIGH = 2, PHASES = 6, SCORED = 800000, CALIBRATION = 900000000 };

struct kind {
    const char *name;
    double ar, drift;
    bool heavy;
};
static const struct kind kinds[] = {{"white", 0, 0, false},          {"AR(1) 0.5", 0.5, 0, false},
                                    {"AR(1) 0.9", 0.9, 0, false},    {"heavy tails", 0, 0, true},
                                    {"heavy, AR 0.5", 0.5, 0, true}, {"drift", 0, 1, false},
                                    {"drift, AR 0.5", 0.5, 1, false}};
enum { KINDS = sizeof kinds / sizeof *kinds };

static struct wtl_phase_world *make_world(const struct kind *kind,
                                          double snr,
                                          double length,
                                          uint64_t rows,
                                          bool one_phase,
                                          uint64_t seed)
{
    struct wtl_phase_world_config config =
        wtl_phase_world_random(one_phase ? 1 : LETTERS, COLUMNS, HIGH, seed);
    struct wtl_phase_world *world = NULL;
    struct wattle_error err = {0};
    config.rows = rows;
    config.noise.snr = config.noise.power_snr = snr;
    config.noise.ar = kind->ar;
    config.noise.heavy = kind->heavy;
    config.noise.drift = kind->drift;
    config.noise.drift_rows = 2000;
    config.min_rows = (uint64_t)(length * 16 / 60);
    for (size_t l = 0; l < config.letter_count; l++)
        config.letters[l].duration_s = one_phase ? (double)rows * 4 : length;
    if (one_phase)
        config.min_rows = rows;
    if (wtl_phase_world_create(&config, &world, &err) < 0) {
        (void)fprintf(stderr, "bench_phases: %s\n", err.text);
        exit(1);
    }
    return world;
}

/* ---- boundaries ---- */

struct score {
    double hits, found, truths;
    double *delays;
    size_t delay_count;
    double late; /* alarms of the streaming detector without a boundary */
    double ns, rows;
};

static struct wtl_counter_rows draw(struct wtl_phase_world *world)
{
    struct wtl_counter_rows rows;
    double power;
    if (wtl_counter_rows_init(&rows, (size_t)wtl_phase_world_rows(world), COLUMNS, 1000000000) < 0)
        exit(1);
    for (size_t k = 0; k < rows.rows; k++) {
        (void)wtl_phase_world_next(world, rows.rate + k * COLUMNS, &power);
        wtl_counter_rows_power(&rows, k, power);
    }
    return rows;
}

/* One to one, in order, within `tolerance` rows. */
static void match(const struct wtl_phase_world *world,
                  const struct wtl_phase_list *phases,
                  double tolerance,
                  struct score *score)
{
    size_t count, k = 1;
    const struct wtl_sim_segment *truth = wtl_phase_world_segments(world, &count);
    for (size_t i = 1; i < count; i++) {
        while (k < phases->count &&
               (double)phases->list[k].first < (double)truth[i].first - tolerance)
            k++;
        if (k < phases->count &&
            (double)phases->list[k].first <= (double)truth[i].first + tolerance) {
            score->hits++;
            k++;
        }
    }
    score->found += (double)phases->count - 1;
    score->truths += (double)count - 1;
}

/* Rows from each boundary to the alarm that reported it. */
static void time_alarms(const struct wtl_phase_world *world,
                        const struct wtl_counter_rows *rows,
                        enum wtl_phase_method method,
                        struct score *score)
{
    struct wtl_detector_options options = wtl_detector_options_default();
    struct wtl_detector *detector;
    size_t count, i = 1, back;
    const struct wtl_sim_segment *truth = wtl_phase_world_segments(world, &count);
    options.method = method;
    options.second_pass = true; /* as --on-phase */
    if (wtl_detector_create(COLUMNS + 1, &options, &detector, NULL) < 0)
        exit(1);
    for (size_t k = 0; k < rows->rows; k++) {
        double row[COLUMNS + 1];
        memcpy(row, rows->rate + k * COLUMNS, COLUMNS * sizeof *row);
        row[COLUMNS] = rows->power_w[k];
        if (wtl_detector_push(detector, row, &back) != 1)
            continue;
        while (i < count && truth[i].first + truth[i].rows <= k - back)
            i++;
        if (i < count && truth[i].first <= k) {
            score->delays[score->delay_count++] = (double)(k - truth[i].first);
            i++;
        } else {
            score->late++;
        }
    }
    wtl_detector_close(detector);
}

static void score_cell(const struct kind *kind,
                       double snr,
                       double length,
                       double tolerance,
                       enum wtl_phase_method method,
                       size_t worlds)
{
    struct score score = {0};
    score.delays = calloc(worlds * PHASES * 8, sizeof *score.delays);
    for (size_t w = 0; w < worlds && score.delays; w++) {
        struct wtl_phase_world *world =
            make_world(kind, snr, length, (uint64_t)(length * PHASES), false, SCORED + w);
        struct wtl_counter_rows rows = draw(world);
        struct wtl_phase_options options = wtl_phase_options_default();
        struct wtl_phase_list phases;
        struct wattle_error err;
        options.method = method;
        if (method == WTL_PHASE_PAPER)
            options.window = WTL_PHASE_SLIDING;
        uint64_t begin_ns = now_ns();
        if (wtl_phases_find(&rows, &options, &phases, &err) < 0) {
            (void)fprintf(stderr, "bench_phases: %s\n", err.text);
            exit(1);
        }
        score.ns += (double)(now_ns() - begin_ns);
        score.rows += (double)rows.rows;
        match(world, &phases, tolerance, &score);
        if (method == WTL_PHASE_FOCUS || method == WTL_PHASE_NP_FOCUS)
            time_alarms(world, &rows, method, &score);
        wtl_phases_fini(&phases);
        wtl_counter_rows_fini(&rows);
        wtl_phase_world_destroy(world);
    }
    double precision = score.hits / fmax(1, score.found), recall = score.hits / score.truths;
    printf("%-14s snr %g  length %3g  %-9s F1 %.4f  precision %.4f  recall %.4f", kind->name, snr,
           length, wtl_phase_method_name(method), 2 * score.hits / (score.found + score.truths),
           precision, recall);
    bool online = method == WTL_PHASE_FOCUS || method == WTL_PHASE_NP_FOCUS;
    if (online) /* a delay is that of the boundaries that are called: it says nothing without their share */
        printf("  online %.1f %% called, %.0f without a boundary",
               100 * (double)score.delay_count / score.truths, score.late);
    if (online && score.delay_count > 0) {
        struct bench_spread delay = bench_spread_of(score.delays, score.delay_count);
        printf(", delay ");
        bench_spread_print(&delay, 1, 0, "rows");
    }
    printf("  %.2f us/row\n", score.ns / score.rows * 1e-3);
    (void)fflush(stdout);
    free(score.delays);
}

/* ---- for other programs ---- */

static void print_world(const struct kind *kind, double snr, int length, double tolerance, size_t w)
{
    struct wtl_phase_world *world =
        make_world(kind, snr, length, (uint64_t)length * PHASES, false, SCORED + w);
    struct wtl_counter_rows rows = draw(world);
    struct wtl_phase_options options = wtl_phase_options_default();
    struct wtl_phase_list phases;
    size_t count;
    const struct wtl_sim_segment *truth = wtl_phase_world_segments(world, &count);
    if (wtl_phases_find(&rows, &options, &phases, NULL) < 0)
        exit(1);
    printf("%s, snr %g, length %d|%g|", kind->name, snr, length, tolerance);
    for (size_t i = 1; i < count; i++)
        printf("%llu ", (unsigned long long)truth[i].first);
    printf("|");
    for (size_t i = 1; i < phases.count; i++)
        printf("%zu ", phases.list[i].first);
    printf("|%zu\n", rows.rows);
    for (size_t k = 0; k < rows.rows; k++) {
        for (size_t c = 0; c < COLUMNS; c++)
            printf("%.9g ", rows.rate[k * COLUMNS + c]);
        printf("%.9g\n", rows.power_w[k]);
    }
    wtl_phases_fini(&phases);
    wtl_counter_rows_fini(&rows);
    wtl_phase_world_destroy(world);
}

/* The cells of SNR 1: truth, boundaries of focus, and the rows. */
static void print_rows(size_t worlds)
{
    for (size_t i = 0; i < KINDS; i++)
        for (int length = 60; length <= 150; length += 90)
            for (size_t w = 0; w < worlds; w++)
                print_world(&kinds[i], 1, length, 12, w);
}

/* ---- the upper limit ---- */

/* Who knows the letters, their levels and the noise (but not a drift), and only has to say when each one holds. */
struct oracle {
    const struct wtl_counter_rows *rows;
    double level[LETTERS][COLUMNS + 1], sd[COLUMNS + 1], phi;
    bool heavy;
    double best[LETTERS];
    uint8_t *from; /* [rows * LETTERS] */
};

static double value_of(const struct wtl_counter_rows *rows, size_t k, size_t c)
{
    return c < COLUMNS ? rows->rate[k * COLUMNS + c] : rows->power_w[k];
}

static void learn_truth(struct oracle *o,
                        struct wtl_phase_world *world,
                        struct wtl_phase_world *clean)
{
    size_t count;
    const struct wtl_sim_segment *truth = wtl_phase_world_segments(world, &count);
    struct wtl_counter_rows means = draw(clean);
    for (size_t c = 0; c <= COLUMNS; c++) {
        double squares = 0;
        for (size_t i = 0; i < count; i++)
            o->level[truth[i].letter][c] = value_of(&means, (size_t)truth[i].first, c);
        for (size_t k = 0; k < means.rows; k++) {
            double away = value_of(o->rows, k, c) - value_of(&means, k, c);
            squares += away * away;
        }
        o->sd[c] = sqrt(squares / (double)means.rows * (1 - o->phi * o->phi));
    }
    wtl_counter_rows_fini(&means);
}

/* Twice the negative logarithm of the likelihood of row k in letter `to`, after one in letter `from`. */
static double surprise(const struct oracle *o, size_t k, size_t from, size_t to)
{
    double sum = 0;
    for (size_t c = 0; c <= COLUMNS; c++) {
        double left = value_of(o->rows, k, c) - o->level[to][c];
        left -= k > 0 ? o->phi * (value_of(o->rows, k - 1, c) - o->level[from][c]) : 0;
        left /= o->sd[c];
        sum += o->heavy ? 4 * log(1 + left * left) : left * left;
    }
    return sum;
}

/* Viterbi (1967), with a change in `length` rows to one of the other letters. */
static void decode(struct oracle *o, double length, struct wtl_phase_list *phases)
{
    const double change = 2 * log(length * (LETTERS - 1));
    size_t n = o->rows->rows, last = 0;
    for (size_t k = 0; k < n; k++) {
        double next[LETTERS];
        for (size_t to = 0; to < LETTERS; to++) {
            next[to] = INFINITY;
            for (size_t from = 0; from < LETTERS; from++) {
                double cost = o->best[from] + surprise(o, k, from, to) + (from == to ? 0 : change);
                if (cost < next[to]) {
                    next[to] = cost;
                    o->from[k * LETTERS + to] = (uint8_t)from;
                }
            }
        }
        memcpy(o->best, next, sizeof next);
    }
    for (size_t l = 1; l < LETTERS; l++)
        last = o->best[l] < o->best[last] ? l : last;
    phases->count = n;
    for (size_t k = n; k-- > 0;) {
        size_t before = o->from[k * LETTERS + last];
        if (k == 0 || before != last)
            phases->list[--phases->count] = (struct wtl_phase){.first = k};
        last = before;
    }
    size_t count = n - phases->count;
    memmove(phases->list, phases->list + phases->count, count * sizeof *phases->list);
    phases->count = count;
}

static void score_oracle(const struct kind *kind,
                         double snr,
                         double length,
                         double tolerance,
                         size_t worlds)
{
    struct score score = {0};
    struct kind quiet = {.name = ""};
    for (size_t w = 0; w < worlds; w++) {
        uint64_t count = (uint64_t)(length * PHASES);
        struct wtl_phase_world *world = make_world(kind, snr, length, count, false, SCORED + w);
        struct wtl_phase_world *clean = make_world(&quiet, 1e9, length, count, false, SCORED + w);
        struct wtl_counter_rows rows = draw(world);
        struct oracle oracle = {.rows = &rows, .phi = kind->ar, .heavy = kind->heavy};
        struct wtl_phase_list phases = {.list = calloc(rows.rows, sizeof *phases.list)};
        oracle.from = calloc(rows.rows, LETTERS);
        for (size_t l = 0; l < LETTERS; l++)
            for (size_t c = 0; c <= COLUMNS; c++)
                oracle.level[l][c] = INFINITY;
        if (!oracle.from || !phases.list)
            exit(1);
        learn_truth(&oracle, world, clean);
        decode(&oracle, length, &phases);
        match(world, &phases, tolerance, &score);
        free(oracle.from);
        free(phases.list);
        wtl_counter_rows_fini(&rows);
        wtl_phase_world_destroy(world);
        wtl_phase_world_destroy(clean);
    }
    printf("%-14s snr %g  length %3g  %-9s F1 %.4f  precision %.4f  recall %.4f\n", kind->name, snr,
           length, "oracle", 2 * score.hits / (score.found + score.truths),
           score.hits / fmax(1, score.found), score.hits / score.truths);
    (void)fflush(stdout);
}

static void oracle(size_t worlds)
{
    for (size_t i = 0; i < KINDS; i++)
        for (int length = 60; length <= 150 && !(kinds[i].drift > 0); length += 90) {
            score_oracle(&kinds[i], 3, length, 2, worlds);
            score_oracle(&kinds[i], 1, length, 12, worlds);
        }
}

/* ---- false boundaries in stored recordings of one phase ---- */

static void false_phases(const struct kind *kind, uint64_t length, size_t worlds)
{
    double found = 0, ns = 0;
    for (size_t w = 0; w < worlds; w++) {
        struct wtl_phase_world *world = make_world(kind, 3, 60, length, true, SCORED + w);
        struct wtl_counter_rows rows = draw(world);
        struct wtl_phase_options options = wtl_phase_options_default();
        struct wtl_phase_list phases;
        struct wattle_error err;
        uint64_t begin_ns = now_ns();
        if (wtl_phases_find(&rows, &options, &phases, &err) < 0)
            exit(1);
        ns += (double)(now_ns() - begin_ns);
        found += (double)phases.count - 1;
        wtl_phases_fini(&phases);
        wtl_counter_rows_fini(&rows);
        wtl_phase_world_destroy(world);
    }
    printf("%-14s focus, stored: %g false boundaries in %zu recordings of %g rows  %.2f us/row\n",
           kind->name, found, worlds, (double)length, ns / (double)(worlds * length) * 1e-3);
    (void)fflush(stdout);
}

/* ---- false alarms ---- */

static double count_alarms(const struct kind *kind,
                           enum wtl_phase_method method,
                           bool second_pass,
                           double nominal,
                           uint64_t rows,
                           size_t columns,
                           uint64_t seed,
                           double *ret_ns)
{
    struct wtl_phase_world *world = make_world(kind, 3, 60, rows, true, seed);
    struct wtl_detector_options options = wtl_detector_options_default();
    struct wtl_detector *detector;
    double row[COLUMNS + 1], alarms = 0;
    options.method = method;
    options.second_pass = second_pass;
    options.false_alarms_per_row = nominal;
    if (wtl_detector_create(columns, &options, &detector, NULL) < 0)
        exit(1);
    *ret_ns = 0;
    for (size_t k = 0; wtl_phase_world_next(world, row, &row[COLUMNS]); k++) {
        uint64_t begin_ns = now_ns();
        alarms += wtl_detector_push(detector, row + COLUMNS + 1 - columns, NULL);
        *ret_ns += (double)(now_ns() - begin_ns);
    }
    wtl_detector_close(detector);
    wtl_phase_world_destroy(world);
    return alarms;
}

static void false_alarms(const struct kind *kind, enum wtl_phase_method method, double mio)
{
    double ns, all_ns = 0, alarms = 0, parts = ceil(mio * 5);
    for (double part = 0; part < parts; part++) {
        alarms += count_alarms(kind, method, false, 1e-6, 200000, COLUMNS + 1,
                               SCORED + (uint64_t)part, &ns);
        all_ns += ns;
    }
    printf("%-14s %-9s %g false alarms in %.3g rows  %.3f us/row\n", kind->name,
           wtl_phase_method_name(method), alarms, parts * 2e5, all_ns / (parts * 2e5) * 1e-3);
    (void)fflush(stdout);
}

static void calibrate(double mio)
{
    static const size_t columns[] = {1, 2, 4, 8, 15};
    static const double nominal[] = {1e-1, 1e-2, 1e-3, 1e-4, 1e-5};
    for (int m = WTL_PHASE_FOCUS; m <= WTL_PHASE_NP_FOCUS; m++)
        for (size_t i = 0; i < KINDS; i++)
            for (size_t c = 0; c < sizeof columns / sizeof *columns; c++) {
                printf("%-9s %-14s %2zu columns:", wtl_phase_method_name((enum wtl_phase_method)m),
                       kinds[i].name, columns[c]);
                for (size_t n = 0; n < sizeof nominal / sizeof *nominal; n++) {
                    double ns, alarms = 0;
                    for (double part = 0; part < mio * 10; part++)
                        alarms +=
                            count_alarms(&kinds[i], (enum wtl_phase_method)m, false, nominal[n],
                                         100000, columns[c], CALIBRATION + (uint64_t)part, &ns);
                    printf("  %.0e: %.1e", nominal[n], alarms / (mio * 1e6));
                }
                printf("\n");
                (void)fflush(stdout);
            }
}

/* With the second pass over the recent rows: alarms in rows of one phase, at a rate that is asked for. It takes 0.2 to 0.5 ms a
 * row: larger rates say sooner what the rare ones follow. A line as soon as each kind of noise is done. */
static void live(char **words)
{
    enum { PART = 20000 };
    double mio = words[0] ? strtod(words[0], NULL) : 0.1;
    double nominal = words[0] && words[1] ? strtod(words[1], NULL) : 1e-6;
    const char *only = words[0] && words[1] ? words[2] : NULL;
    double parts = ceil(mio * 1e6 / PART);
    for (size_t i = 0; i < KINDS; i++) {
        double ns, all_ns = 0, alarms = 0, first = 0;
        if (only && strcmp(only, kinds[i].name) != 0)
            continue;
        for (double part = 0; part < parts; part++) {
            first += count_alarms(&kinds[i], WTL_PHASE_FOCUS, false, nominal, PART, COLUMNS + 1,
                                  SCORED + (uint64_t)part, &ns);
            alarms += count_alarms(&kinds[i], WTL_PHASE_FOCUS, true, nominal, PART, COLUMNS + 1,
                                   SCORED + (uint64_t)part, &ns);
            all_ns += ns;
        }
        printf("%-14s focus, live, asked for %.0e: %g false alarms in %.3g rows, %g without the "
               "second pass  %.0f us/row\n",
               kinds[i].name, nominal, alarms, parts * PART, first, all_ns / (parts * PART) * 1e-3);
        (void)fflush(stdout);
    }
}

/* ---- a recording ---- */

enum { TABLE_COLUMNS = 3, TABLE_ROWS = 100000 };

static void read_table(FILE *file, struct wtl_counter_rows *rows)
{
    char line[512], *at = line;
    rows->rows = 0;
    while (rows->rows < TABLE_ROWS && fgets(line, sizeof line, file)) {
        at = line;
        for (int c = 0; c < TABLE_COLUMNS; c++, at += *at == ',')
            rows->rate[rows->rows * TABLE_COLUMNS + (size_t)c] = strtod(at, &at);
        wtl_counter_rows_power(rows, rows->rows, strtod(at, NULL));
        rows->rows++;
    }
    rows->end_ns = rows->rows * rows->step_ns;
    for (size_t k = 0; k < rows->rows; k++)
        wtl_counter_rows_power(rows, k, rows->power_w[k]);
}

static void table(const char *path)
{
    struct wtl_counter_rows rows;
    struct wattle_error err = {0};
    FILE *file = fopen(path, "r");
    if (!file || wtl_counter_rows_init(&rows, TABLE_ROWS, TABLE_COLUMNS, 3000000000u) < 0)
        exit(1);
    read_table(file, &rows);
    (void)fclose(file);
    for (int m = 0; m < WTL_PHASE_METHOD_COUNT; m++)
        for (int variant = 0; variant < (m == WTL_PHASE_PAPER ? 2 : 1); variant++) {
            struct wtl_phase_options options = wtl_phase_options_default();
            struct wtl_phase_list phases;
            options.method = (enum wtl_phase_method)m;
            options.window = variant ? WTL_PHASE_SLIDING : WTL_PHASE_GROWING;
            options.window_rows = m == WTL_PHASE_PAPER ? 16 : 0;
            options.top = m == WTL_PHASE_PAPER ? 1 : options.top;
            if (wtl_phases_find(&rows, &options, &phases, &err) < 0) {
                (void)fprintf(stderr, "bench_phases: %s\n", err.text);
                continue;
            }
            printf("%-9s%s %zu rows, %zu phases, R2 of power %.4f\n",
                   wtl_phase_method_name(phases.method), variant ? " sliding" : "", rows.rows,
                   phases.count, phases.explained);
            wtl_phases_fini(&phases);
        }
    wtl_counter_rows_fini(&rows);
}

static void all_of(enum wtl_phase_method method, size_t worlds, double mio)
{
    for (size_t i = 0; i < KINDS && worlds > 0; i++)
        for (int length = 60; length <= 150; length += 90) {
            score_cell(&kinds[i], 3, length, 2, method, worlds);
            score_cell(&kinds[i], 1, length, 12, method, worlds);
        }
    for (size_t i = 0; i < KINDS && mio > 0; i++)
        if (method == WTL_PHASE_FOCUS || method == WTL_PHASE_NP_FOCUS)
            false_alarms(&kinds[i], method, mio);
}

/* Everything but boundaries and alarms. */
static bool other_work(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    double number = argc > 2 ? strtod(argv[2], NULL) : 0;
    size_t worlds = number >= 1 ? (size_t)number : 100;
    if (strcmp(what, "calibrate") == 0)
        calibrate(number > 0 ? number : 0.1);
    else if (strcmp(what, "rows") == 0)
        print_rows(worlds);
    else if (strcmp(what, "live") == 0)
        live(argv + 2);
    else if (strcmp(what, "oracle") == 0)
        oracle(worlds);
    else if (strcmp(what, "stored") == 0)
        for (size_t i = 0; i < KINDS; i++)
            false_phases(&kinds[i], argc > 3 ? strtoul(argv[3], NULL, 10) : 2000, worlds);
    else if (strcmp(what, "table") == 0 && argc > 2)
        table(argv[2]);
    else
        return false;
    return true;
}

int main(int argc, char **argv)
{
    size_t worlds = argc > 1 ? (size_t)strtoul(argv[1], NULL, 10) : 1000;
    double mio = argc > 2 ? strtod(argv[2], NULL) : 4;
    if (other_work(argc, argv))
        return 0;
    int only = argc > 3 ? wtl_phase_method_of(argv[3]) : -1;
    for (int m = 0; m < WTL_PHASE_METHOD_COUNT; m++)
        if (only < 0 || m == only)
            all_of((enum wtl_phase_method)m, worlds, mio);
    return 0;
}
