/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "analysis/predict/subject.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/whole.h"

/* With less of its time known, an energy is no energy of the run. */
static const double known_least = 0.9;

/* A node that was recorded for less of the time ended before the others. */
static const double shorter = 0.95;

/* With less of its time in letters of the model, they are looked for row by row, so many together. */
static const double letters_least = 0.8;
enum { TOGETHER = 2 };

static double length_s(const struct wtl_counter_rows *rows)
{
    return 1e-9 * (double)(rows->end_ns - rows->begin_ns);
}

static double known_of(const struct wtl_counter_rows *rows)
{
    double known_s = 0;
    for (size_t k = 0; k < rows->rows; k++)
        known_s += rows->known_s[k];
    return known_s;
}

/* The energy of rows, for all of their time; NaN: too little of it is known. */
static double energy_of(const struct wtl_counter_rows *rows)
{
    double joules = 0, known_s = known_of(rows), all_s = length_s(rows);
    for (size_t k = 0; k < rows->rows; k++)
        joules += rows->known_s[k] > 0 ? rows->energy_j[k] : 0;
    return known_s >= known_least * all_s && known_s > 0 ? joules / known_s * all_s : NAN;
}

/* The rows of the first `seconds`; the arrays still belong to the study. */
static void cut(struct wtl_counter_rows *rows, double seconds)
{
    size_t count = wtl_whole_size(seconds * 1e9 / (double)rows->step_ns + 0.5, rows->rows);
    if (count >= rows->rows)
        return;
    rows->rows = count > 0 ? count : 1;
    rows->end_ns = rows->begin_ns + rows->rows * rows->step_ns;
}

/* ---- power that follows from counters ---- */

static int derive(struct wtl_subject *s,
                  const struct wtl_phase_model *model,
                  struct wattle_error *err)
{
    double sd_j = 0;
    struct wtl_counter_energy_sum all = {0};
    for (size_t i = 0; i < s->node_count; i++) {
        struct wtl_counter_rows *rows = &s->rows[i];
        struct wtl_counter_energy_sum sum = {0};
        double *power = calloc(rows->rows + 1, sizeof *power);
        int rc = power ? wtl_counter_energy_estimate(&model->power, rows, power, &sum, err)
                       : wtl_no_memory(err);
        for (size_t k = 0; rc == 0 && k < rows->rows; k++) {
            if (isfinite(power[k])) {
                wtl_counter_rows_power(rows, k, power[k]);
            } else {
                rows->power_w[k] = NAN;
                rows->energy_j[k] = rows->known_s[k] = 0;
            }
        }
        free(power);
        if (rc < 0)
            return rc;
        /* The model's error is the same on all nodes: their errors add up. */
        sd_j += (sum.high_j - sum.energy_j) / 1.96;
        all.energy_j += sum.energy_j;
        all.known_s += sum.known_s;
        all.missing_s += sum.missing_s;
        all.outside = fmax(all.outside, sum.outside);
        all.low_j += sum.low_j;
        all.high_j += sum.high_j;
    }
    s->derived = true;
    for (size_t i = 0; i < model->run_count; i++)
        s->from_estimates |= model->runs[i].quality == WATTLE_ESTIMATED;
    s->done_sd_j = sd_j;
    s->from_counters = all;
    return 0;
}

/* The share of the time of an energy, of all nodes, in which power is not known. */
static void see_gaps(struct wtl_subject *s, double joules, bool whole)
{
    double known_s = 0, all_s = 0;
    for (size_t i = 0; i < s->node_count; i++) {
        const struct wtl_counter_rows *rows = whole ? &s->study.nodes[i].rows : &s->rows[i];
        known_s += known_of(rows);
        all_s += length_s(rows);
    }
    if (isfinite(joules) && known_s < 0.999 * all_s)
        s->unknown = fmax(s->unknown, 1 - known_s / all_s);
}

static int set_energy(struct wtl_subject *s,
                      const struct wtl_phase_model *model,
                      bool always,
                      struct wattle_error *err)
{
    bool metered = true;
    for (size_t i = 0; i < s->node_count; i++)
        metered = metered && isfinite(energy_of(&s->rows[i]));
    int rc = !metered || always ? (model->power.columns > 0 ? derive(s, model, err) : -ENODATA) : 0;
    if (rc == -ENODATA && always)
        return wtl_fail(err, rc,
                        "the model has no power by counters; learn it from traces with a "
                        "meter");
    if (rc < 0 && rc != -ENODATA)
        return rc;
    s->done_j = 0;
    for (size_t i = 0; i < s->node_count; i++)
        s->done_j += energy_of(&s->rows[i]);
    if (!s->derived)
        see_gaps(s, s->done_j, false);
    return 0;
}

/* ---- letters ---- */

static int find_own(struct wtl_subject *s, struct wtl_phase_list *phases, struct wattle_error *err)
{
    struct wtl_alphabet *own = &s->own_alphabet;
    const struct wtl_counter_rows *first = &s->rows[0];
    int rc = wtl_alphabet_init(own, first->columns, (const char(*)[WTL_ALPHABET_NAME])first->names,
                               first->set, err);
    for (size_t i = 0; rc == 0 && i < s->node_count; i++)
        rc = wtl_alphabet_learn(own, &s->rows[i], &phases[i], err);
    rc = rc < 0 ? rc : wtl_alphabet_settle(own, NULL, err);
    for (size_t i = 0; rc == 0 && i < s->node_count; i++) {
        rc = wtl_alphabet_spell(own, &s->rows[i], &phases[i], err);
        rc = rc < 0 ? rc : wtl_dna_of_phases(&s->rows[i], &phases[i], 0, &s->own[i], err);
    }
    return rc;
}

/* Seconds of letters that are in the alphabet. */
static double known_seconds(const struct wtl_dna *dna)
{
    double seconds = 0;
    for (size_t k = 0; k < dna->count; k++)
        seconds += dna->list[k].letter == WTL_DNA_UNKNOWN ? 0 : dna->list[k].duration_s;
    return seconds;
}

/* A short beginning shows few changes by itself; the model knows its letters. A few rows at a time are compared with them. */
static int spell_rows(const struct wtl_counter_rows *rows,
                      const struct wtl_alphabet *alphabet,
                      struct wtl_dna *ret,
                      struct wattle_error *err)
{
    size_t column[WTL_ALPHABET_COLUMNS];
    int rc = wtl_alphabet_fits(alphabet, rows, column, err);
    struct wtl_dna dna = {.list = rc < 0 ? NULL : calloc(rows->rows + 1, sizeof *dna.list)};
    if (rc == 0 && !dna.list)
        rc = wtl_no_memory(err);
    for (size_t k = 0; rc == 0 && k < rows->rows; k += TOGETHER) {
        double mean[WTL_ALPHABET_COLUMNS] = {0}, joules = 0, known_s = 0;
        size_t last = k + TOGETHER < rows->rows ? k + TOGETHER : rows->rows;
        for (size_t i = k; i < last; i++) {
            for (size_t c = 0; c < alphabet->columns; c++)
                mean[c] += rows->rate[i * rows->columns + column[c]] / (double)(last - k);
            joules += rows->known_s[i] > 0 ? rows->energy_j[i] : 0;
            known_s += rows->known_s[i];
        }
        int letter = wtl_alphabet_letter(alphabet, mean, (double)(last - k),
                                         joules / known_s); /* NaN of no time */
        uint16_t code = letter < 0 ? WTL_DNA_UNKNOWN : (uint16_t)letter;
        if (dna.count == 0 || dna.list[dna.count - 1].letter != code)
            dna.list[dna.count++].letter = code;
        struct wtl_base *base = &dna.list[dna.count - 1];
        base->duration_s +=
            1e-9 * (double)(wtl_counter_rows_end(rows, last - 1) - wtl_counter_rows_begin(rows, k));
        base->energy_j += joules;
        base->known_s += known_s;
    }
    if (rc < 0)
        return rc;
    if (known_seconds(&dna) > known_seconds(ret)) {
        wtl_dna_fini(ret);
        *ret = dna;
    } else
        wtl_dna_fini(&dna);
    return 0;
}

static int find_letters(struct wtl_subject *s,
                        const struct wtl_phase_model *model,
                        struct wattle_error *err)
{
    struct wtl_phase_options options = s->study.request.options;
    struct wtl_phase_list *phases = calloc(s->node_count, sizeof *phases);
    int rc = phases ? 0 : wtl_no_memory(err);
    for (size_t i = 0; rc == 0 && i < s->node_count; i++) {
        rc = wtl_phases_find(&s->rows[i], &options, &phases[i], err);
        rc = rc < 0 ? rc : wtl_alphabet_spell(&model->alphabet, &s->rows[i], &phases[i], err);
        rc = rc < 0 ? rc
                    : wtl_dna_of_phases(&s->rows[i], &phases[i], model->step_s, &s->nodes[i], err);
        if (rc == 0 && model->step_s == 0 &&
            known_seconds(&s->nodes[i]) < letters_least * wtl_dna_seconds(&s->nodes[i]))
            rc = spell_rows(&s->rows[i], &model->alphabet, &s->nodes[i], err);
    }
    rc = rc < 0 ? rc : find_own(s, phases, err);
    for (size_t i = 0; phases && i < s->node_count; i++)
        wtl_phases_fini(&phases[i]);
    free(phases);
    return rc;
}

/* ---- the trace ---- */

static void see_shortest(struct wtl_subject *s)
{
    s->shortest_s = shorter * s->done_s;
    for (size_t i = 0; i < s->node_count; i++) {
        if (length_s(&s->rows[i]) >= s->shortest_s)
            continue;
        s->shortest = s->study.nodes[i].name;
        s->shortest_s = length_s(&s->rows[i]);
    }
}

static int take_nodes(struct wtl_subject *s, double part, struct wattle_error *err)
{
    size_t n = s->study.count;
    s->rows = calloc(n, sizeof *s->rows);
    s->nodes = calloc(n, sizeof *s->nodes);
    s->own = calloc(n, sizeof *s->own);
    if (!s->rows || !s->nodes || !s->own)
        return wtl_no_memory_for(err, "%zu nodes", n);
    s->node_count = n;
    s->whole_s = s->whole_j = NAN;
    double whole_s = 0, whole_j = 0;
    for (size_t i = 0; i < n; i++) {
        const struct wtl_phase_node *node = &s->study.nodes[i];
        if (node->why.text[0])
            return wtl_fail(err, -ENODATA, "%s: %s", node->name, node->why.text);
        s->rows[i] = node->rows;
        whole_s = fmax(whole_s, length_s(&node->rows));
        whole_j += energy_of(&node->rows);
    }
    for (size_t i = 0; i < n; i++) { /* of all nodes the same time, however long each of them ran */
        const struct wtl_phase_node *node = &s->study.nodes[i];
        if (part < 1)
            cut(&s->rows[i], part * whole_s);
        s->done_s = fmax(s->done_s, length_s(&s->rows[i]));
        s->simulated = s->simulated || wtl_result_is_simulated(&node->result);
        s->quality =
            node->rows.total.quality > s->quality || i == 0 ? node->rows.total.quality : s->quality;
    }
    see_shortest(s);
    if (part < 1) {
        s->whole_s = whole_s;
        s->whole_j = whole_j;
        see_gaps(s, whole_j, true);
    }
    const struct wtl_result *first =
        &s->study.nodes[0].result; /* as "wattle phases learn" has it */
    const char *host = first->host ? first->host : "";
    (void)snprintf(s->platform, sizeof s->platform, "%s",
                   first->cpu && first->cpu[0] ? first->cpu : host);
    return 0;
}

int wtl_subject_read(struct wtl_subject *s,
                     const char *name,
                     const struct wtl_phase_model *model,
                     const struct wtl_subject_request *request,
                     struct wattle_error *err)
{
    *s = (struct wtl_subject){.done_j = NAN};
    struct wtl_phase_request what = {.options = wtl_phase_options_default(), .idle_beta = NAN};
    int method = wtl_phase_method_of(model->method);
    what.options.method = method < 0 ? WTL_PHASE_FOCUS : (enum wtl_phase_method)method;
    int rc = wtl_phase_study_read(&s->study, name, &what, err);
    rc = rc < 0 ? rc : take_nodes(s, request->part, err);
    for (size_t i = 0; rc == 0 && i < s->node_count; i++) {
        size_t column[WTL_ALPHABET_COLUMNS] = {0};
        rc = wtl_alphabet_fits(&model->alphabet, &s->rows[i], column, err);
    }
    rc = rc < 0 ? rc : set_energy(s, model, request->derive, err);
    rc = rc < 0 ? rc : find_letters(s, model, err);
    if (rc < 0)
        wtl_subject_fini(s);
    return rc;
}

void wtl_subject_fini(struct wtl_subject *s)
{
    for (size_t i = 0; i < s->node_count; i++) {
        wtl_dna_fini(&s->nodes[i]);
        wtl_dna_fini(&s->own[i]);
    }
    free(s->nodes);
    free(s->own);
    free(s->rows);
    wtl_alphabet_fini(&s->own_alphabet);
    wtl_phase_study_fini(&s->study);
    *s = (struct wtl_subject){.node_count = 0};
}
