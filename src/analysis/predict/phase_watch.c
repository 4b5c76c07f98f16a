/* SPDX-License-Identifier: BSD-3-Clause */
/* Phases while a run goes on: see phase_watch.h. */
#include "analysis/predict/phase_watch.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/phases/detector.h"
#include "analysis/phases/letter.h"
#include "analysis/predict/predictor.h"
#include "base/fail.h"

/* Looking further ahead costs much more: the ways there multiply. */
enum { OWN_LETTERS = 24, SLOTS = 4, TELL_ROWS = 5 };
#define SLOT_S 1.0
#define SURE   0.5 /* least probability of a change that is announced */

struct wtl_phase_watch {
    struct wtl_detector *detector;
    struct wtl_predictor *predictor;
    const struct wtl_phase_model *model;
    struct wtl_alphabet own; /* without a model */
    size_t column[WTL_ALPHABET_COLUMNS];
    size_t letters; /* known to the predictor */
    double ahead_s, slot_s;
    struct wtl_phase_present present;
    double sum[WTL_ROW_COLUMNS], seconds[WTL_ROW_COLUMNS], energy_j, known_s;
    size_t slots;     /* of the present phase that the predictor has seen */
    double next_at_s; /* into the present phase, when the next one is expected; NaN = not known */
    int letter, last; /* of the present phase and of the one before; -1 = none */
    bool told, expected;
};

static const struct wtl_alphabet *alphabet_of(const struct wtl_phase_watch *watch)
{
    return watch->model ? &watch->model->alphabet : &watch->own;
}

static double row_seconds(const struct wtl_counter_rows *rows, size_t k)
{
    return 1e-9 * (double)(wtl_counter_rows_end(rows, k) - wtl_counter_rows_begin(rows, k));
}

/* ---- creation ---- */

static int train(struct wtl_phase_watch *watch)
{
    int rc = 0;
    for (size_t i = 0; watch->model && rc == 0 && i < watch->model->run_count; i++) {
        const struct wtl_model_run *run = &watch->model->runs[i];
        for (size_t n = 0; rc == 0 && n < run->node_count; n++) {
            uint16_t *letters = NULL;
            size_t count = 0;
            rc = wtl_dna_slots(&run->nodes[n], watch->slot_s, &letters, &count);
            rc = rc < 0 ? rc : wtl_predictor_train(watch->predictor, letters, count);
            free(letters);
        }
    }
    return rc < 0 ? rc : wtl_predictor_begin(watch->predictor);
}

static int set_up(struct wtl_phase_watch *watch,
                  const struct wtl_counter_rows *rows,
                  struct wattle_error *err)
{
    struct wtl_detector_options options = wtl_detector_options_default();
    options.second_pass = true;
    int rc = watch->model
                 ? 0
                 : wtl_alphabet_init(&watch->own, rows->columns,
                                     (const char(*)[WTL_ALPHABET_NAME])rows->names, rows->set, err);
    rc = rc < 0 ? rc : wtl_alphabet_fits(alphabet_of(watch), rows, watch->column, err);
    rc = rc < 0 ? rc : wtl_detector_create(rows->columns + 1, &options, &watch->detector, err);
    if (rc < 0)
        return rc;
    watch->letters = watch->model ? watch->model->alphabet.count : OWN_LETTERS;
    watch->letters = watch->letters > 0 ? watch->letters : 1;
    rc = wtl_predictor_create(watch->letters, NULL, &watch->predictor);
    rc = rc < 0 ? rc : train(watch);
    return rc < 0 ? wtl_no_memory_for(err, "the prediction of phases") : 0;
}

int wtl_phase_watch_create(const struct wtl_phase_watch_options *options,
                           const struct wtl_counter_rows *rows,
                           struct wtl_phase_watch **ret_watch,
                           struct wattle_error *err)
{
    struct wtl_phase_watch *watch = calloc(1, sizeof *watch);
    if (!watch)
        return wtl_no_memory(err);
    watch->model = options->model;
    watch->ahead_s = options->ahead_s;
    watch->slot_s = watch->model && watch->model->step_s > 0 ? watch->model->step_s : SLOT_S;
    watch->letter = watch->last = -1;
    watch->next_at_s = (double)NAN;
    watch->present =
        (struct wtl_phase_present){.number = 1, .mean_w = (double)NAN, .next_s = (double)NAN};
    int rc = set_up(watch, rows, err);
    if (rc < 0)
        wtl_phase_watch_close(watch);
    else
        *ret_watch = watch;
    return rc;
}

void wtl_phase_watch_close(struct wtl_phase_watch *watch)
{
    if (!watch)
        return;
    wtl_detector_close(watch->detector);
    wtl_predictor_destroy(watch->predictor);
    wtl_alphabet_fini(&watch->own);
    free(watch);
}

const struct wtl_phase_present *wtl_phase_watch_present(const struct wtl_phase_watch *watch)
{
    return &watch->present;
}

/* ---- the present phase ---- */

static void add_row(struct wtl_phase_watch *watch, const struct wtl_counter_rows *rows, size_t k)
{
    struct wtl_phase_present *now = &watch->present;
    double length_s = row_seconds(rows, k);
    for (size_t c = 0; c < rows->columns; c++) {
        double rate = rows->rate[k * rows->columns + c];
        if (!isfinite(rate))
            continue;
        watch->sum[c] += rate * length_s;
        watch->seconds[c] += length_s;
    }
    for (size_t c = 0; c < rows->columns; c++)
        now->rate[c] = watch->seconds[c] > 0 ? watch->sum[c] / watch->seconds[c] : (double)NAN;
    watch->energy_j += rows->known_s[k] > 0 ? rows->energy_j[k] : 0;
    watch->known_s += rows->known_s[k];
    now->mean_w = watch->known_s > 0 ? watch->energy_j / watch->known_s : (double)NAN;
    now->length_s += length_s;
}

/* Which letter the phase has so far. */
static void find_letter(struct wtl_phase_watch *watch, size_t row_count)
{
    const struct wtl_alphabet *alphabet = alphabet_of(watch);
    double rates[WTL_ALPHABET_COLUMNS];
    for (size_t i = 0; i < alphabet->columns; i++)
        rates[i] = watch->present.rate[watch->column[i]];
    watch->letter = wtl_alphabet_letter(alphabet, rates, (double)row_count, watch->present.mean_w);
    watch->present.letter[0] = '\0';
    if (watch->letter >= 0 && watch->model)
        (void)snprintf(watch->present.letter, sizeof watch->present.letter, "%s",
                       alphabet->letters[watch->letter].name);
    else if (watch->letter >= 0)
        wtl_letter_name((size_t)watch->letter, watch->present.letter, sizeof watch->present.letter);
}

/* ---- what comes next ---- */

static uint16_t symbol_of(const struct wtl_phase_watch *watch)
{
    return watch->letter >= 0 && (size_t)watch->letter < watch->letters ? (uint16_t)watch->letter
                                                                        : WTL_DNA_UNKNOWN;
}

/* Let the predictor see the slots of the present phase up to now. */
static int observe(struct wtl_phase_watch *watch)
{
    double slots = floor(watch->present.length_s / watch->slot_s + 1e-9);
    int rc = 0;
    for (; rc == 0 && (double)watch->slots < slots; watch->slots++)
        rc = wtl_predictor_observe(watch->predictor, symbol_of(watch));
    return rc;
}

static void name_next(struct wtl_phase_watch *watch, uint16_t letter)
{
    char *name = watch->present.next;
    if (letter >= watch->letters) /* the end, or nothing that is known */
        name[0] = '\0';
    else if (watch->model)
        (void)snprintf(name, sizeof watch->present.next, "%s",
                       watch->model->alphabet.letters[letter].name);
    else
        wtl_letter_name(letter, name, sizeof watch->present.next);
}

/* The first slot to come whose letter is another one. */
static int look_ahead(struct wtl_phase_watch *watch)
{
    uint16_t path[SLOTS];
    double probability[SLOTS];
    int rc = wtl_predictor_predict(watch->predictor, SLOTS, path, probability);
    watch->present.next[0] = '\0';
    watch->next_at_s = (double)NAN;
    for (size_t i = 0; rc == 0 && i < SLOTS && watch->letter >= 0; i++) {
        if (path[i] == symbol_of(watch))
            continue;
        if (probability[i] < SURE || path[i] >= watch->letters)
            break;
        name_next(watch, path[i]);
        watch->next_at_s = (double)(watch->slots + i) * watch->slot_s;
        break;
    }
    return rc;
}

/* ---- rows ---- */

/* The finished phase, for the letters of this run. */
static int learn(struct wtl_phase_watch *watch,
                 const struct wtl_counter_rows *rows,
                 size_t last,
                 struct wattle_error *err)
{
    struct wtl_phase phase = {.first = watch->present.first,
                              .last = last,
                              .mean_w = watch->present.mean_w,
                              .energy_j = watch->energy_j,
                              .energy_low_j = (double)NAN,
                              .energy_high_j = (double)NAN,
                              .known_s = watch->known_s,
                              .length_s = watch->present.length_s,
                              .letter = -1};
    struct wtl_phase_list list = {.list = &phase, .count = 1};
    if (watch->model)
        return 0;
    int rc = wtl_alphabet_learn(&watch->own, rows, &list, err);
    watch->letter = phase.letter;
    return rc == -E2BIG ? 0 : rc; /* too many letters: the phase has none */
}

/* Rows first .. last are the present phase, number `number`. */
static void begin(struct wtl_phase_watch *watch,
                  const struct wtl_counter_rows *rows,
                  size_t number,
                  size_t first,
                  size_t last)
{
    watch->present = (struct wtl_phase_present){
        .number = number, .first = first, .mean_w = (double)NAN, .next_s = (double)NAN};
    memset(watch->sum, 0, sizeof watch->sum);
    memset(watch->seconds, 0, sizeof watch->seconds);
    watch->energy_j = watch->known_s = 0;
    for (size_t k = first; k <= last; k++)
        add_row(watch, rows, k);
}

/* A phase has begun `back` rows ago: the one before ends there. */
static int change(struct wtl_phase_watch *watch,
                  const struct wtl_counter_rows *rows,
                  size_t k,
                  size_t back,
                  struct wattle_error *err)
{
    size_t number = watch->present.number, first = watch->present.first;
    size_t since = k - back > first ? k - back : first + 1;
    begin(watch, rows, number, first, since - 1);
    int rc = learn(watch, rows, since - 1, err);
    if (rc == 0 && observe(watch) < 0)
        rc = wtl_no_memory(err);
    watch->last = watch->letter;
    begin(watch, rows, number + 1, since, k);
    watch->slots = 0;
    watch->next_at_s = (double)NAN;
    watch->told = false;
    return rc;
}

/* Whether the detector says that a phase has begun, with this row in it. */
static int take_row(struct wtl_phase_watch *watch,
                    const struct wtl_counter_rows *rows,
                    size_t k,
                    struct wattle_error *err)
{
    double row[WTL_DETECTOR_COLUMNS];
    size_t back = 0;
    memcpy(row, rows->rate + k * rows->columns, rows->columns * sizeof *row);
    row[rows->columns] = rows->power_w[k];
    bool changed = wtl_detector_push(watch->detector, row, &back) == 1 && k > watch->present.first;
    if (!changed)
        add_row(watch, rows, k);
    else if (change(watch, rows, k, back, err) < 0)
        return -ENOMEM;
    find_letter(watch, k - watch->present.first + 1);
    if (changed && watch->letter >= 0 && watch->letter == watch->last) {
        watch->present.number--; /* the same again: the phase goes on */
        watch->told = true;
    } else if (changed) {
        watch->expected = false;
    }
    return changed;
}

/* What comes next; a phase that is like none before is seen by the predictor when it has its letter, at its end. */
static int expect(struct wtl_phase_watch *watch, bool changed)
{
    struct wtl_phase_present *now = &watch->present;
    size_t seen = watch->slots;
    int rc = watch->letter >= 0 ? observe(watch) : 0;
    if (rc == 0 && (changed || seen != watch->slots))
        rc = look_ahead(watch);
    now->next_s = isnan(watch->next_at_s) ? (double)NAN : fmax(watch->next_at_s - now->length_s, 0);
    return rc;
}

int wtl_phase_watch_push(struct wtl_phase_watch *watch,
                         const struct wtl_counter_rows *rows,
                         size_t k,
                         struct wattle_error *err)
{
    int changed = take_row(watch, rows, k, err);
    if (changed < 0)
        return changed;
    if (expect(watch, changed) < 0)
        return wtl_no_memory_for(err, "the prediction of phases");
    if (!watch->told && (changed || k - watch->present.first + 1 >= TELL_ROWS)) {
        watch->told = true;
        return WTL_PHASE_BEGAN;
    }
    if (!watch->expected && watch->ahead_s > 0 && watch->present.next_s <= watch->ahead_s) {
        watch->expected = true;
        return WTL_PHASE_EXPECTED;
    }
    return WTL_PHASE_NOTHING;
}
