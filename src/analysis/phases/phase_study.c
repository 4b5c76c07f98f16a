/* SPDX-License-Identifier: BSD-3-Clause */
/* The phases of the nodes of a run: see phase_study.h. One trace is open at a time. */
#define _GNU_SOURCE
#include "analysis/phases/phase_study.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/cluster/run_name.h"
#include "analysis/cluster/run_result.h"
#include "analysis/phases/letter.h"
#include "analysis/phases/phase_energy.h"
#include "base/fail.h"
#include "model/meta_key.h"

static const double NS = 1e-9;

double wtl_phase_begin_s(const struct wtl_phase_node *node, const struct wtl_phase *phase)
{
    const struct wtl_counter_rows *rows = &node->rows;
    return node->offset_s +
           NS * (double)(wtl_counter_rows_begin(rows, phase->first) - rows->begin_ns);
}

double wtl_phase_end_s(const struct wtl_phase_node *node, const struct wtl_phase *phase)
{
    const struct wtl_counter_rows *rows = &node->rows;
    return node->offset_s + NS * (double)(wtl_counter_rows_end(rows, phase->last) - rows->begin_ns);
}

/* ---- letters ---- */

/* The letters of this run, from its nodes that have phases. */
static int learn_letters(struct wtl_phase_study *study, struct wattle_error *err)
{
    struct wtl_alphabet *alphabet = &study->alphabet;
    size_t first = 0;
    while (study->nodes[first].why.text[0])
        first++;
    const struct wtl_counter_rows *rows = &study->nodes[first].rows;
    int rc = wtl_alphabet_init(alphabet, rows->columns,
                               (const char(*)[WTL_ALPHABET_NAME])rows->names, rows->set, err);
    alphabet->codes = study->request.options.method == WTL_PHASE_PAPER;
    alphabet->idle_beta = study->request.idle_beta;
    alphabet->idle_w = study->request.idle_w;
    alphabet->idle_given = alphabet->idle_w > 0;
    for (size_t i = first; rc == 0 && i < study->count; i++) {
        struct wtl_phase_node *node = &study->nodes[i];
        size_t column[WTL_ALPHABET_COLUMNS] = {0};
        /* Nodes with other counters are left out, with that reason. */
        if (!node->why.text[0] && wtl_alphabet_fits(alphabet, &node->rows, column, &node->why) == 0)
            rc = wtl_alphabet_learn(alphabet, &node->rows, &node->phases, err);
    }
    return rc < 0 ? rc : wtl_alphabet_settle(alphabet, NULL, err);
}

/* Of the longest phase of each letter: what power follows in it. */
static void describe_letter(struct wtl_phase_letter *letter,
                            const struct wtl_counter_rows *rows,
                            const struct wtl_phase *phase)
{
    letter->ranked = phase->ranked;
    for (unsigned i = 0; i < phase->ranked; i++)
        letter->counters[i] = rows->names[phase->rank[i]];
    if (phase->ranked < WTL_PHASE_RANKS || wtl_letter_code(phase->rank, &letter->code) < 0)
        letter->code = WTL_LETTER_XXX;
}

static void sum_letters(struct wtl_phase_study *study)
{
    for (size_t k = 0; k < study->letter_count; k++) {
        struct wtl_phase_letter *letter = &study->letters[k];
        double longest = -1, energy_j = 0, known_s = 0;
        for (size_t i = 0; i < study->count; i++) {
            const struct wtl_phase_node *node = &study->nodes[i];
            for (size_t j = 0; j < node->phases.count; j++) {
                const struct wtl_phase *phase = &node->phases.list[j];
                if (phase->letter != (int)k)
                    continue;
                letter->phases++;
                letter->length_s += phase->length_s;
                if (wtl_phase_has_energy(phase)) {
                    energy_j += phase->energy_j;
                    known_s += phase->known_s;
                }
                if (phase->length_s > longest)
                    describe_letter(letter, &node->rows, phase);
                longest = fmax(longest, phase->length_s);
            }
        }
        letter->mean_w = known_s > 0 ? energy_j / known_s : (double)NAN;
    }
}

/* Two phases of one behaviour in a row are one: what changed between them is less than what tells letters apart. */
static int join_equal(struct wtl_phase_study *study, struct wtl_phase_node *node)
{
    const struct wtl_phase_options *options = &study->request.options;
    bool joins = options->method != WTL_PHASE_PAPER && !options->keep_equal;
    return joins ? wtl_phases_join(&node->rows, options, &node->phases) : 0;
}

static int find_letters(struct wtl_phase_study *study, struct wattle_error *err)
{
    const struct wtl_alphabet *given = study->request.alphabet;
    const struct wtl_alphabet *alphabet = given ? given : &study->alphabet;
    int rc = given ? 0 : learn_letters(study, err);
    for (size_t i = 0; rc == 0 && i < study->count; i++) {
        struct wtl_phase_node *node = &study->nodes[i];
        if (!node->why.text[0])
            rc = wtl_alphabet_spell(alphabet, &node->rows, &node->phases, err);
        if (rc == 0 && !node->why.text[0] && join_equal(study, node) < 0)
            rc = wtl_no_memory_for(err, "the letters of the phases");
    }
    if (rc < 0)
        return rc;
    study->letters = calloc(alphabet->count + 1, sizeof *study->letters);
    if (!study->letters)
        return wtl_no_memory_for(err, "the letters of the phases");
    study->letter_count = alphabet->count;
    for (size_t i = 0; i < alphabet->count; i++)
        memcpy(study->letters[i].name, alphabet->letters[i].name, sizeof study->letters[i].name);
    return 0;
}

/* ---- nodes ---- */

static int find_phases(const struct wtl_phase_request *request,
                       struct wtl_trace_reader *reader,
                       struct wtl_phase_node *node,
                       struct wattle_error *err)
{
    struct wtl_phase_options options = request->options;
    const char *missing = wtl_trace_reader_meta(reader, WTL_META_COUNTERS_MISSING);
    const char *in_turn = wtl_trace_reader_meta(reader, WTL_META_COUNTERS_MULTIPLEXED);
    (void)snprintf(node->missing, sizeof node->missing, "%s", missing ? missing : "");
    (void)snprintf(node->multiplexed, sizeof node->multiplexed, "%s", in_turn ? in_turn : "");
    int rc = wtl_counter_rows_read(reader, request->step_ns, &node->rows, err);
    if (rc < 0)
        return rc;
    if (request->min_length_ns > 0)
        options.min_rows =
            (size_t)((request->min_length_ns + node->rows.step_ns - 1) / node->rows.step_ns);
    return wtl_phases_find(&node->rows, &options, &node->phases, err);
}

/* A node without phases keeps the reason, and the others go on; what is not its own fault is returned. */
static int fill_node(const struct wtl_phase_request *request,
                     struct wtl_trace_reader *reader,
                     struct wtl_phase_node *node,
                     struct wattle_error *err)
{
    struct wattle_error why = {""};
    int rc = find_phases(request, reader, node, &why);
    if (rc == -ENOMEM) {
        *err = why;
        return rc;
    }
    node->why = why;
    return 0;
}

static int read_node(const struct wtl_run *run,
                     size_t i,
                     const struct wtl_phase_request *request,
                     struct wtl_phase_node *node,
                     struct wattle_error *err)
{
    const struct wtl_run_node *entry = wtl_run_node(run, i);
    struct wtl_trace_reader *reader = NULL;
    assert(node);
    node->name = strdup(entry->name);
    node->place = i;
    node->result = wtl_result_unknown();
    if (!node->name)
        return wtl_no_memory(err);
    int rc = wtl_run_node_open(run, i, &reader, err);
    rc = rc < 0 ? rc : wtl_run_result_read(reader, entry->path, &node->result, err);
    rc = rc < 0 ? rc : fill_node(request, reader, node, err);
    if (rc == 0 && !node->why.text[0])
        node->offset_s = NS * (double)(wtl_run_clock_time(&entry->clock, node->rows.begin_ns) -
                                       wtl_run_begin(run));
    wtl_trace_reader_close(reader);
    return rc;
}

static int read_nodes(struct wtl_phase_study *study,
                      const struct wtl_run *run,
                      const char *wanted,
                      struct wattle_error *err)
{
    size_t all = wtl_run_node_count(run);
    int rc = 0;
    if (!(study->nodes = calloc(all, sizeof *study->nodes)))
        return wtl_no_memory_for(err, "%zu nodes", all);
    for (size_t i = 0; rc == 0 && i < all; i++)
        if (!wanted || strcmp(wtl_run_node(run, i)->name, wanted) == 0)
            rc = read_node(run, i, &study->request, &study->nodes[study->count++], err);
    return rc;
}

/* No phases at all are an error. */
static int check_study(const struct wtl_phase_study *study, struct wattle_error *err)
{
    const struct wtl_phase_node *first = study->nodes;
    for (size_t i = 0; i < study->count; i++)
        if (!study->nodes[i].why.text[0])
            return 0;
    if (study->count == 1)
        return wtl_fail(err, -ENODATA, "%s", first->why.text);
    return wtl_fail(err, -ENODATA, "no node has phases; %s: %s", first->name, first->why.text);
}

/* Phases, their letters, and then the energy of what they have become: of the nodes of a run, or of a single trace. */
static int complete(struct wtl_phase_study *study,
                    const struct wtl_run *run,
                    struct wtl_trace_reader *trace,
                    struct wattle_error *err)
{
    int rc = check_study(study, err);
    rc = rc < 0 ? rc : find_letters(study, err);
    for (size_t i = 0; rc == 0 && i < study->count; i++) {
        struct wtl_phase_node *node = &study->nodes[i];
        struct wtl_trace_reader *opened = NULL;
        if (node->why.text[0])
            continue;
        rc = run ? wtl_run_node_open(run, node->place, &opened, err) : 0;
        rc = rc < 0 ? rc : wtl_phases_weigh(run ? opened : trace, &node->rows, &node->phases, err);
        wtl_trace_reader_close(opened);
    }
    if (rc == 0)
        sum_letters(study);
    return rc;
}

/* With the name of the file, if it has no phases. */
static int complete_named(struct wtl_phase_study *study,
                          const char *name,
                          const struct wtl_run *run,
                          struct wtl_trace_reader *trace,
                          struct wattle_error *err)
{
    struct wattle_error why = {""};
    if (check_study(study, &why) < 0)
        return wtl_fail(err, -ENODATA, "%s: %s", name, why.text);
    return complete(study, run, trace, err);
}

static int read_run(struct wtl_phase_study *study, const char *name, struct wattle_error *err)
{
    char *const words[] = {(char *)(uintptr_t)name};
    const char *wanted = study->request.node;
    struct wtl_run *run = NULL;
    int rc = wtl_run_open(words, 1, NULL, &run, err);
    if (rc == 0 && wanted && wtl_run_find(run, wanted) < 0)
        rc = wtl_fail(err, -ENOENT, "%s: no node \"%s\" in this run; its first node is \"%s\"",
                      name, wanted, wtl_run_node(run, 0)->name);
    rc = rc < 0 ? rc : read_nodes(study, run, wanted, err);
    rc = rc < 0 ? rc : complete_named(study, name, run, NULL, err);
    wtl_run_close(run);
    return rc;
}

static int read_single(struct wtl_phase_study *study,
                       struct wtl_trace_reader *reader,
                       struct wattle_error *err)
{
    struct wtl_phase_node *node = study->nodes = calloc(1, sizeof *study->nodes);
    if (!node)
        return wtl_no_memory(err);
    study->count = 1;
    node->result = wtl_result_unknown();
    int rc = fill_node(&study->request, reader, node, err);
    if (rc == 0 && !(node->name = strdup(node->rows.host)))
        rc = wtl_no_memory(err);
    return rc;
}

static int read_trace(struct wtl_phase_study *study, const char *name, struct wattle_error *err)
{
    struct wtl_trace_reader *reader = NULL;
    const char *wanted = study->request.node;
    int rc = wtl_trace_reader_open(name, &reader, err);
    rc = rc < 0 ? rc : read_single(study, reader, err);
    rc = rc < 0 ? rc : wtl_run_result_read(reader, name, &study->nodes->result, err);
    if (rc == 0 && wanted && strcmp(study->nodes->name, wanted) != 0)
        rc = wtl_fail(err, -ENOENT, "%s: no node \"%s\"; it is the trace of \"%s\"", name, wanted,
                      study->nodes->name);
    rc = rc < 0 ? rc : complete_named(study, name, NULL, reader, err);
    wtl_trace_reader_close(reader);
    return rc;
}

int wtl_phase_study_read(struct wtl_phase_study *study,
                         const char *name,
                         const struct wtl_phase_request *request,
                         struct wattle_error *err)
{
    *study = (struct wtl_phase_study){.request = *request};
    int rc = wtl_run_name_is_run(name) ? read_run(study, name, err) : read_trace(study, name, err);
    if (rc < 0)
        wtl_phase_study_fini(study);
    return rc;
}

int wtl_phase_study_of_run(struct wtl_phase_study *study,
                           const struct wtl_run *run,
                           const struct wtl_phase_request *request,
                           struct wattle_error *err)
{
    *study = (struct wtl_phase_study){.request = *request};
    int rc = read_nodes(study, run, NULL, err);
    rc = rc < 0 ? rc : complete(study, run, NULL, err);
    if (rc < 0)
        wtl_phase_study_fini(study);
    return rc;
}

int wtl_phase_study_of(struct wtl_phase_study *study,
                       struct wtl_trace_reader *reader,
                       const struct wtl_phase_request *request,
                       struct wattle_error *err)
{
    *study = (struct wtl_phase_study){.request = *request};
    int rc = read_single(study, reader, err);
    rc = rc < 0 ? rc : complete(study, NULL, reader, err);
    if (rc < 0)
        wtl_phase_study_fini(study);
    return rc;
}

void wtl_phase_study_fini(struct wtl_phase_study *study)
{
    for (size_t i = 0; i < study->count; i++) {
        struct wtl_phase_node *node = &study->nodes[i];
        wtl_phases_fini(&node->phases);
        wtl_counter_rows_fini(&node->rows);
        wtl_result_fini(&node->result);
        free(node->name);
    }
    free(study->nodes);
    free(study->letters);
    wtl_alphabet_fini(&study->alphabet);
    *study = (struct wtl_phase_study){.count = 0};
}
