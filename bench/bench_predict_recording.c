/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The recording of counters, RAPL and platform power of a node with two sockets (bench_predict recording FOLDER): one half
 * predicted from the other, by letters and from counters alone. Its rates are smoothed over 15 s, so that neighbouring rows are not
 * independent.
 */
#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/phases/alphabet.h"
#include "analysis/predict/counter_energy.h"
#include "bench_predict.h"

enum { MOST_ROWS = 4096, FIELDS = 40, COUNTERS = 3 };

static const char *const counters[COUNTERS] = {"cpu_cycles", "cpu_instructions", "cache_miss"};
#define STEP_NS UINT64_C(3000000000)

static size_t split(char *line, char *fields[FIELDS])
{
    size_t n = 0;
    for (char *at = strtok_r(line, ",\n", &line); at && n < FIELDS;
         at = strtok_r(NULL, ",\n", &line))
        fields[n++] = at;
    return n;
}

static size_t find(char *const fields[], size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++) {
        if (strcmp(fields[i], name) == 0)
            return i;
    }
    return FIELDS;
}

/* These columns of a table, row by row; 0 if the file or a column is missing. */
static size_t read_columns(const char *folder,
                           const char *file,
                           const char *const *names,
                           size_t count,
                           double (*values)[8])
{
    char path[4096], line[4096], *fields[FIELDS];
    size_t at[8], rows = 0;
    (void)snprintf(path, sizeof path, "%s/%s", folder, file);
    FILE *in = fopen(path, "re");
    if (!in || !fgets(line, sizeof line, in))
        return 0;
    size_t n = split(line, fields);
    for (size_t c = 0; c < count; c++)
        at[c] = find(fields, n, names[c]);
    while (rows < MOST_ROWS && fgets(line, sizeof line, in)) {
        n = split(line, fields);
        for (size_t c = 0; c < count; c++)
            values[rows][c] = at[c] < n ? strtod(fields[at[c]], NULL) : (double)NAN;
        rows++;
    }
    (void)fclose(in);
    return rows;
}

static void fill(struct wtl_counter_rows *rows,
                 double (*rates)[8],
                 const double *power_w,
                 size_t n,
                 size_t block,
                 size_t which)
{
    size_t count = 0;
    for (size_t k = 0; k < n; k++)
        count += k / block % 2 == which;
    (void)wtl_counter_rows_init(rows, count, COUNTERS, STEP_NS);
    rows->end_ns = rows->begin_ns + count * STEP_NS;
    for (size_t c = 0; c < COUNTERS; c++)
        (void)snprintf(rows->names[c], WTL_ROW_NAME_MAX, "%s", counters[c]);
    for (size_t k = 0, row = 0; k < n; k++) {
        if (k / block % 2 != which)
            continue;
        for (size_t c = 0; c < COUNTERS; c++)
            rows->rate[row * COUNTERS + c] = rates[k][c];
        wtl_counter_rows_power(rows, row++, power_w[k]);
    }
}

static double energy_of(const struct wtl_counter_rows *rows)
{
    double joules = 0;
    for (size_t k = 0; k < rows->rows; k++)
        joules += rows->energy_j[k];
    return joules;
}

static void by_counters(const struct wtl_counter_rows *learnt, const struct wtl_counter_rows *other)
{
    static double power[MOST_ROWS];
    struct wtl_counter_energy model = {0};
    struct wtl_counter_energy_sum sum;
    struct wattle_error err = {""};
    double truth = energy_of(other), squares = 0;
    if (wtl_counter_energy_learn(&learnt, 1, &model, &err) < 0 ||
        wtl_counter_energy_estimate(&model, other, power, &sum, &err) < 0) {
        printf("    from counters alone: refused: %s\n", err.text);
        return;
    }
    for (size_t k = 0; k < other->rows; k++)
        squares += (power[k] - other->power_w[k]) * (power[k] - other->power_w[k]);
    printf("    from counters alone: %+.2f %% (interval %.1f .. %+.1f %%), rows %.1f W rms, of "
           "mean %.0f W\n",
           100 * (sum.energy_j / truth - 1), 100 * (sum.low_j / sum.energy_j - 1),
           100 * (sum.high_j / sum.energy_j - 1), sqrt(squares / (double)other->rows),
           truth / (double)other->rows / 3);
}

static void by_letters(const struct wtl_counter_rows *learnt, const struct wtl_counter_rows *other)
{
    struct wtl_phase_options options = wtl_phase_options_default();
    struct wtl_phase_list a = {0}, b = {0};
    struct wtl_alphabet alphabet = {0};
    struct wattle_error err = {""};
    static double length_s[WTL_ALPHABET_LETTERS], joules[WTL_ALPHABET_LETTERS];
    memset(length_s, 0, sizeof length_s);
    memset(joules, 0, sizeof joules);
    int rc = wtl_phases_find(learnt, &options, &a, &err);
    rc = rc < 0 ? rc : wtl_phases_find(other, &options, &b, &err);
    rc = rc < 0 ? rc
                : wtl_alphabet_init(&alphabet, COUNTERS,
                                    (const char(*)[WTL_ALPHABET_NAME])learnt->names, "", &err);
    rc = rc < 0 ? rc : wtl_alphabet_learn(&alphabet, learnt, &a, &err);
    rc = rc < 0 ? rc : wtl_alphabet_settle(&alphabet, NULL, &err);
    rc = rc < 0 ? rc : wtl_alphabet_spell(&alphabet, other, &b, &err);
    if (rc < 0) {
        printf("    by letters: %s\n", err.text);
        return;
    }
    double known_j = 0, predicted_j = 0, known_s = 0, all_s = 0, off_j = 0;
    for (size_t i = 0; i < b.count; i++) {
        const struct wtl_phase *phase = &b.list[i];
        all_s += phase->length_s;
        if (phase->letter < 0 || isnan(alphabet.letters[phase->letter].mean_w))
            continue;
        length_s[phase->letter] += phase->length_s;
        joules[phase->letter] += phase->energy_j;
    }
    for (size_t i = 0; i < alphabet.count; i++) {
        double estimate = length_s[i] > 0 ? alphabet.letters[i].mean_w * length_s[i] : 0;
        known_s += length_s[i];
        known_j += joules[i];
        predicted_j += estimate;
        off_j += fabs(estimate - joules[i]);
    }
    printf("    by letters: %zu phases, %zu letters; power explained by phases %.1f %%; %.0f %% of "
           "the other "
           "half has letters of this one: its energy %+.2f %%, mean |error| per letter %.2f %%\n",
           a.count, alphabet.count, 100 * a.explained, 100 * known_s / all_s,
           100 * (predicted_j / known_j - 1), 100 * off_j / known_j);
    wtl_alphabet_fini(&alphabet);
    wtl_phases_fini(&a);
    wtl_phases_fini(&b);
}

void bench_predict_recording(const char *folder)
{
    static double rapl[MOST_ROWS][8], acpi[MOST_ROWS][8], rates[MOST_ROWS][8], power_w[MOST_ROWS];
    static const char *const of_rapl[] = {"cpu_cycles", "cpu_instructions", "cache_miss",
                                          "package_power", "dram_power"};
    static const char *const of_acpi[] = {"platform_power"};
    size_t n =
        read_columns(folder, "preprocess_abs_default_rapl_CounterOnly.csv", of_rapl, 5, rapl);
    size_t m = read_columns(folder, "preprocess_abs_default_acpi_Basic.csv", of_acpi, 1, acpi);
    if (n < 16 || m != n) {
        (void)fprintf(stderr, "bench_predict: %s: not the recording\n", folder);
        return;
    }
    memcpy(rates, rapl, sizeof rates);
    printf("\nRecording of %zu rows, one half predicted from the other\n", n);
    for (int i = 0; i < 4; i++) {
        bool platform = i % 2;
        size_t block = i < 2 ? n / 2 : 110; /* rows */
        for (size_t k = 0; k < n; k++)
            power_w[k] = platform ? acpi[k][0] : rapl[k][3] + rapl[k][4];
        struct wtl_counter_rows half[2];
        fill(&half[0], rates, power_w, n, block, 0);
        fill(&half[1], rates, power_w, n, block, 1);
        for (int k = 0; k < 2; k++) {
            printf("  %s, %s %s from the others\n", platform ? "platform" : "RAPL",
                   k ? "first" : "second", i < 2 ? "half" : "of each two parts of 330 s");
            by_letters(&half[k], &half[1 - k]);
            by_counters(&half[k], &half[1 - k]);
        }
        wtl_counter_rows_fini(&half[0]);
        wtl_counter_rows_fini(&half[1]);
    }
}
