/* SPDX-License-Identifier: BSD-3-Clause */
/* Phases as a string of letters: see dna.h. */
#define _GNU_SOURCE
#include "analysis/phases/dna.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/phases/alphabet.h"
#include "base/fail.h"
#include "base/grow.h"
#include "base/whole.h"

static uint16_t letter_of(const struct wtl_phase *phase)
{
    return phase->letter < 0 ? WTL_DNA_UNKNOWN : (uint16_t)phase->letter;
}

static double seconds_of(const struct wtl_counter_rows *rows, size_t row)
{
    return (double)(wtl_counter_rows_end(rows, row) - wtl_counter_rows_begin(rows, row)) * 1e-9;
}

/* Times are whole nanoseconds; sums of many are not. */
static void round_times(struct wtl_dna *dna)
{
    for (size_t i = 0; i < dna->count; i++) {
        struct wtl_base *base = &dna->list[i];
        base->duration_s = nearbyint(base->duration_s * 1e9) / 1e9;
        base->known_s = fmin(nearbyint(base->known_s * 1e9) / 1e9, base->duration_s);
    }
}

static void add_row(struct wtl_base *base, const struct wtl_counter_rows *rows, size_t row)
{
    base->duration_s += seconds_of(rows, row);
    base->energy_j += rows->energy_j[row];
    base->known_s += rows->known_s[row];
}

/* The letter that fills most of the rows first to last, the earlier one of two. */
static uint16_t most_of(const struct wtl_phase_list *phases,
                        size_t *from,
                        size_t first,
                        size_t last)
{
    size_t i = *from, best = 0;
    uint16_t letter = WTL_DNA_UNKNOWN;
    while (i + 1 < phases->count && phases->list[i].last < first)
        i++;
    *from = i;
    for (; i < phases->count && phases->list[i].first <= last; i++) {
        size_t filled = 0;
        for (size_t k = *from; k < phases->count && phases->list[k].first <= last; k++) {
            const struct wtl_phase *phase = &phases->list[k];
            size_t begin = phase->first > first ? phase->first : first;
            size_t end = phase->last < last ? phase->last : last;
            if (letter_of(phase) == letter_of(&phases->list[i]) && end >= begin)
                filled += end - begin + 1;
        }
        if (filled > best) {
            best = filled;
            letter = letter_of(&phases->list[i]);
        }
    }
    return letter;
}

static int fixed(const struct wtl_counter_rows *rows,
                 const struct wtl_phase_list *phases,
                 size_t step,
                 struct wtl_dna *dna)
{
    size_t from = 0;
    for (size_t first = 0; first < rows->rows; first += step) {
        size_t last = rows->rows - first > step ? first + step - 1 : rows->rows - 1;
        if (wtl_grow(&dna->list, dna->count, sizeof *dna->list) < 0)
            return -ENOMEM;
        struct wtl_base *base = &dna->list[dna->count++];
        *base = (struct wtl_base){.letter = most_of(phases, &from, first, last)};
        for (size_t row = first; row <= last; row++)
            add_row(base, rows, row);
    }
    return 0;
}

/* Half of the interval of a phase. Of neighbours that are joined it adds up: what one lost at their border the other has. */
static double half_of(const struct wtl_phase *phase)
{
    double half =
        fmax(phase->energy_high_j - phase->energy_j, phase->energy_j - phase->energy_low_j);
    return isfinite(half) && half > 0 ? half : 0;
}

static int of_phases(const struct wtl_counter_rows *rows,
                     const struct wtl_phase_list *phases,
                     struct wtl_dna *dna)
{
    for (size_t i = 0; i < phases->count; i++) {
        const struct wtl_phase *phase = &phases->list[i];
        if (dna->count == 0 || dna->list[dna->count - 1].letter != letter_of(phase)) {
            if (wtl_grow(&dna->list, dna->count, sizeof *dna->list) < 0)
                return -ENOMEM;
            dna->list[dna->count++] = (struct wtl_base){.letter = letter_of(phase)};
        }
        struct wtl_base *base = &dna->list[dna->count - 1];
        for (size_t row = phase->first; row <= phase->last && row < rows->rows; row++)
            base->duration_s += seconds_of(rows, row);
        base->energy_j += phase->energy_j;
        base->known_s += phase->known_s;
        base->half_j += half_of(phase);
    }
    return 0;
}

double wtl_dna_step(const struct wtl_counter_rows *rows, double step_s)
{
    double row_s = (double)rows->step_ns * 1e-9;
    return step_s > 0 && row_s > 0 ? fmax(nearbyint(step_s / row_s), 1) * row_s : 0;
}

int wtl_dna_of_phases(const struct wtl_counter_rows *rows,
                      const struct wtl_phase_list *phases,
                      double step_s,
                      struct wtl_dna *ret_dna,
                      struct wattle_error *err)
{
    struct wtl_dna dna = {.step_s = wtl_dna_step(rows, step_s)};
    size_t step =
        dna.step_s > 0
            ? wtl_whole_size(nearbyint(dna.step_s * 1e9 / (double)rows->step_ns), rows->rows)
            : 0;
    int rc = step ? fixed(rows, phases, step, &dna) : of_phases(rows, phases, &dna);
    if (rc < 0) {
        wtl_dna_fini(&dna);
        return wtl_no_memory_for(err, "the letters of %s", rows->host);
    }
    round_times(&dna);
    *ret_dna = dna;
    return 0;
}

void wtl_dna_fini(struct wtl_dna *dna)
{
    free(dna->list);
    *dna = (struct wtl_dna){0};
}

int wtl_dna_slots(const struct wtl_dna *dna,
                  double step_s,
                  uint16_t **ret_letters,
                  size_t *ret_count)
{
    double total_s = wtl_dna_seconds(dna), end_s = 0, slots = ceil(total_s / step_s - 0.5);
    if (!(slots < 1e9))
        return -ENOMEM;
    size_t count = slots < 1 && dna->count > 0 ? 1 : (size_t)(slots < 0 ? 0 : slots), done = 0;
    uint16_t *letters = malloc((count ? count : 1) * sizeof *letters);
    if (!letters)
        return -ENOMEM;
    /* A slot has the letter of its middle: a base of k slots gives k of them, whatever the rounding before it. */
    for (size_t i = 0; i < dna->count; i++) {
        end_s += dna->list[i].duration_s;
        while (done < count && ((double)done + 0.5) * step_s < end_s)
            letters[done++] = dna->list[i].letter;
    }
    while (done < count) {
        letters[done] = dna->list[dna->count - 1].letter;
        done++;
    }
    *ret_letters = letters;
    *ret_count = count;
    return 0;
}

double wtl_dna_seconds(const struct wtl_dna *dna)
{
    double seconds = 0;
    for (size_t i = 0; i < dna->count; i++)
        seconds += dna->list[i].duration_s;
    return seconds;
}

double wtl_dna_joules(const struct wtl_dna *dna, double *ret_known_s)
{
    double joules = 0, known_s = 0;
    for (size_t i = 0; i < dna->count; i++) {
        joules += dna->list[i].energy_j;
        known_s += dna->list[i].known_s;
    }
    if (ret_known_s)
        *ret_known_s = known_s;
    return joules;
}

char *wtl_dna_text(const struct wtl_dna *dna, const struct wtl_alphabet *alphabet)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    for (size_t i = 0; i < dna->count; i++) {
        const struct wtl_base *base = &dna->list[i];
        const char *name =
            base->letter < alphabet->count ? alphabet->letters[base->letter].name : "?";
        double seconds = nearbyint(base->duration_s * 1e3) * 1e-3;
        if (alphabet->codes)
            (void)fprintf(out, "%s(%s, %.10g)", i ? " " : "", name, seconds);
        else
            (void)fprintf(out, "%s%s%.10g", i ? " " : "", name, seconds);
    }
    if (fclose(out) != 0) {
        free(text);
        return NULL;
    }
    return text;
}
