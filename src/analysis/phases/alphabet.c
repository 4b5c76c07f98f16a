/* SPDX-License-Identifier: BSD-3-Clause */
/* Behaviours that recur: see alphabet.h. Which letters there are; alphabet_learn.c finds them. */
#include "analysis/phases/alphabet_parts.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/phases/letter.h"
#include "base/fail.h"

/* Standard errors that two means of the same behaviour do not differ by: with 16 counters and some hundred comparisons,
 * by chance once in a thousand recordings. */
static const double significant = 5;
/* Rates below this share of the largest one of their counter count as none. */
static const double none = 0.01;
/*
 * Nor do rates of the system that take less than about half a percent of a core: such background differs between equal runs, and
 * power does not show it. Of the counter sets that wattle comes with.
 */
static const struct {
    const char *name;
    double rate;
} background[] = {{"CONTEXT_SWITCHES", 1e3}, {"MIGRATIONS", 100},
                  {"PAGE_FAULTS", 1e3},      {"MAJOR_FAULTS", 100},
                  {"NET_SENT", 1e6},         {"NET_RECEIVED", 1e6},
                  {"NET_SENT_PACKETS", 1e3}, {"NET_RECEIVED_PACKETS", 1e3},
                  {"DISK_READ", 1e6},        {"DISK_WRITTEN", 1e6},
                  {"DISK_READS", 100},       {"DISK_WRITES", 100},
                  {"netSENTbyte", 1e6},      {"netRECVbyte", 1e6},
                  {"netSENTpkt", 1e3},       {"netRECVpkt", 1e3},
                  {"READ_IO", 1e6},          {"WRITE_IO", 1e6}};

int wtl_alphabet_init(struct wtl_alphabet *alphabet,
                      size_t columns,
                      const char (*names)[WTL_ALPHABET_NAME],
                      const char *set,
                      struct wattle_error *err)
{
    struct wtl_alphabet begun = {.columns = columns, .alike = WTL_ALPHABET_ALIKE, .idle_beta = NAN};
    if (columns < 1 || columns > WTL_ALPHABET_COLUMNS)
        return wtl_fail(err, -EINVAL, "an alphabet needs 1 to %d counters, not %zu",
                        WTL_ALPHABET_COLUMNS, columns);
    memcpy(begun.names, names, columns * sizeof *names);
    (void)snprintf(begun.set, sizeof begun.set, "%s", set);
    *alphabet = begun;
    return 0;
}

void wtl_alphabet_fini(struct wtl_alphabet *alphabet)
{
    free(alphabet->letters);
    *alphabet = (struct wtl_alphabet){.columns = 0};
}

static size_t column_of(const struct wtl_counter_rows *rows, const char *name)
{
    size_t i = 0;
    while (i < rows->columns && strcmp(rows->names[i], name) != 0)
        i++;
    return i;
}

int wtl_alphabet_fits(const struct wtl_alphabet *alphabet,
                      const struct wtl_counter_rows *rows,
                      size_t ret_column[WTL_ALPHABET_COLUMNS],
                      struct wattle_error *err)
{
    for (size_t c = 0; c < alphabet->columns; c++) {
        ret_column[c] = column_of(rows, alphabet->names[c]);
        if (ret_column[c] < rows->columns)
            continue;
        return wtl_fail(err, -EINVAL,
                        "%s was recorded with the counter set %s, which has no %s; the letters are "
                        "of the set %s: "
                        "record it with --counters %s, or learn a model of its own set",
                        *rows->host ? rows->host : "the trace", *rows->set ? rows->set : "unknown",
                        alphabet->names[c], *alphabet->set ? alphabet->set : "unknown",
                        *alphabet->set ? alphabet->set : "SET");
    }
    return 0;
}

double wtl_alphabet_rates(const struct wtl_alphabet *alphabet,
                          const struct wtl_counter_rows *rows,
                          const struct wtl_phase *phase,
                          const size_t column[WTL_ALPHABET_COLUMNS],
                          double ret_rates[WTL_ALPHABET_COLUMNS])
{
    double most = 0;
    for (size_t c = 0; c < alphabet->columns; c++) {
        double sum = 0, n = 0;
        for (size_t row = phase->first; row <= phase->last && row < rows->rows; row++) {
            double rate = rows->rate[row * rows->columns + column[c]];
            sum += isfinite(rate) ? rate : 0;
            n += isfinite(rate);
        }
        ret_rates[c] = n > 0 ? sum / n : (double)NAN;
        most = n > most ? n : most;
    }
    return most;
}

/* -- idle -- */

static size_t find_column(const struct wtl_alphabet *alphabet, const char *name)
{
    size_t c = 0;
    while (c < alphabet->columns && strcmp(alphabet->names[c], name) != 0)
        c++;
    return c;
}

const char *wtl_alphabet_activity_name(const struct wtl_alphabet *alphabet)
{
    if (find_column(alphabet, "CACHE_MISSES") < alphabet->columns &&
        find_column(alphabet, "CPU_CYCLES") < alphabet->columns)
        return "cache misses per cycle";
    return find_column(alphabet, "TASK_CLOCK") < alphabet->columns ? "CPU time per second" : NULL;
}

double wtl_alphabet_activity(const struct wtl_alphabet *alphabet, const double *rates)
{
    size_t misses = find_column(alphabet, "CACHE_MISSES");
    size_t cycles = find_column(alphabet, "CPU_CYCLES");
    size_t clock = find_column(alphabet, "TASK_CLOCK");
    if (misses < alphabet->columns && cycles < alphabet->columns) {
        if (rates[cycles] > 0)
            return rates[misses] / rates[cycles];
        return isnan(rates[cycles]) ? (double)NAN : 0; /* no cycle at all */
    }
    return clock < alphabet->columns ? rates[clock] : (double)NAN;
}

/* -- which letter -- */

static double background_of(const char *name)
{
    for (size_t i = 0; i < sizeof background / sizeof *background; i++) {
        if (strcmp(background[i].name, name) == 0)
            return background[i].rate;
    }
    return 0;
}

/* The largest difference of two mean rates of counter c that may be the same behaviour. */
static double tolerance(const struct wtl_alphabet *alphabet,
                        size_t c,
                        double a,
                        double rows_a,
                        double b,
                        double rows_b)
{
    double repeated = alphabet->repeated[c];
    double each = alphabet->noise[c] * sqrt((1 + repeated) / (1 - repeated));
    double error = each * sqrt(1 / fmax(rows_a, 1) + 1 / fmax(rows_b, 1));
    double nothing = fmax(none * alphabet->most[c], background_of(alphabet->names[c]));
    double relevant = alphabet->alike * fmax(fabs(a), fabs(b)) + nothing;
    return fmax(significant * error, relevant);
}

double wtl_alphabet_distance(const struct wtl_alphabet *alphabet,
                             const struct wtl_letter *letter,
                             const double *rates,
                             double rows)
{
    double sum = 0;
    size_t compared = 0;
    for (size_t c = 0; c < alphabet->columns; c++) {
        double difference = fabs(rates[c] - letter->centre[c]);
        double allowed = tolerance(alphabet, c, rates[c], rows, letter->centre[c], letter->rows);
        if (!isfinite(difference) || !(difference > 0)) {
            compared += isfinite(difference) ? 1 : 0;
            continue;
        }
        if (!(difference <= allowed))
            return INFINITY;
        sum += difference / allowed * (difference / allowed);
        compared++;
    }
    return compared > 0 ? sum / (double)compared : INFINITY;
}

/* The letter of idle, or -1. */
static int idle_letter(const struct wtl_alphabet *alphabet)
{
    for (size_t i = 0; i < alphabet->count; i++) {
        if (alphabet->letters[i].idle)
            return (int)i;
    }
    return -1;
}

bool wtl_alphabet_is_quiet(const struct wtl_alphabet *alphabet, const double *rates)
{
    return wtl_alphabet_activity(alphabet, rates) < alphabet->idle_beta;
}

/* Programs that wait have as few events as the idle machine, but more power; a single row is more often a rest than idle. */
bool wtl_alphabet_is_idle(const struct wtl_alphabet *alphabet,
                          const double *rates,
                          double n,
                          double mean_w)
{
    int letter = idle_letter(alphabet);
    double idle_w = alphabet->idle_w;
    if (!(idle_w > 0) && letter >= 0)
        idle_w = alphabet->letters[letter].mean_w;
    return wtl_alphabet_is_quiet(alphabet, rates) && (n >= WTL_LETTER_ROWS || idle_w > 0) &&
           !(mean_w > WTL_ALPHABET_IDLE_MOST * idle_w);
}

int wtl_alphabet_letter(const struct wtl_alphabet *alphabet,
                        const double *rates,
                        double n,
                        double mean_w)
{
    bool idle = wtl_alphabet_is_idle(alphabet, rates, n, mean_w);
    double least = INFINITY;
    int best = idle ? idle_letter(alphabet) : -1;
    if (idle && isfinite(mean_w))
        return best;
    for (size_t i = 0; i < alphabet->count; i++) {
        const struct wtl_letter *letter = &alphabet->letters[i];
        double distance = INFINITY;
        /* Without power, what waits and what is idle are told apart by which of them is nearer. */
        if (idle ? wtl_alphabet_is_quiet(alphabet, letter->centre) : !letter->idle)
            distance = wtl_alphabet_distance(alphabet, letter, rates, n);
        if (distance < least) {
            least = distance;
            best = (int)i;
        }
    }
    return best;
}

uint16_t wtl_phase_code(const struct wtl_phase *phase)
{
    uint8_t rank[WTL_LETTER_IDS];
    unsigned used = 0, count = 0;
    uint16_t code = WTL_LETTER_XXX;
    if (phase->ranked == 0)
        return WTL_LETTER_XXX;
    for (; count < phase->ranked && count < WTL_LETTER_IDS; count++) {
        rank[count] = phase->rank[count];
        used |= 1u << (rank[count] & 15);
    }
    for (uint8_t id = 0; count < WTL_LETTER_IDS; id++) {
        if (!(used & 1u << id))
            rank[count++] = id;
    }
    return wtl_letter_code(rank, &code) == 0 ? code : WTL_LETTER_XXX;
}

/* The letter of a set of counters, or -1. */
static int letter_of_code(const struct wtl_alphabet *alphabet, uint16_t code)
{
    uint16_t sorted = wtl_letter_sorted(code);
    for (size_t i = 0; i < alphabet->count; i++) {
        if (wtl_letter_sorted(alphabet->letters[i].code) == sorted)
            return (int)i;
    }
    return -1;
}

int wtl_alphabet_letter_of(const struct wtl_alphabet *alphabet,
                           const struct wtl_phase *phase,
                           const double *rates,
                           double rows)
{
    uint16_t code = wtl_phase_code(phase);
    if (!alphabet->codes)
        return wtl_alphabet_letter(alphabet, rates, rows, phase->mean_w);
    if (wtl_alphabet_is_idle(alphabet, rates, rows, phase->mean_w))
        return idle_letter(alphabet);
    return code == WTL_LETTER_XXX ? -1 : letter_of_code(alphabet, code);
}

int wtl_alphabet_spell(const struct wtl_alphabet *alphabet,
                       const struct wtl_counter_rows *rows,
                       struct wtl_phase_list *phases,
                       struct wattle_error *err)
{
    size_t column[WTL_ALPHABET_COLUMNS] = {0};
    double rates[WTL_ALPHABET_COLUMNS];
    int rc = wtl_alphabet_fits(alphabet, rows, column, err);
    for (size_t i = 0; rc == 0 && i < phases->count; i++) {
        struct wtl_phase *phase = &phases->list[i];
        double n = wtl_alphabet_rates(alphabet, rows, phase, column, rates);
        phase->letter = wtl_alphabet_letter_of(alphabet, phase, rates, n);
    }
    return rc;
}

int wtl_alphabet_find(const struct wtl_alphabet *alphabet, const char *name)
{
    for (size_t i = 0; i < alphabet->count; i++) {
        if (strcmp(alphabet->letters[i].name, name) == 0)
            return (int)i;
    }
    return -1;
}
