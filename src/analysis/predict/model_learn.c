/* SPDX-License-Identifier: BSD-3-Clause */
/* From traces to a model: see model_learn.h. */
#define _GNU_SOURCE
#include "analysis/predict/model_learn.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "model/flag.h"
#include "model/program_name.h"

/* -- names -- */

/* The program of the command; else the file, without folder and ".wtl". */
static char *name_of(const struct wtl_result *result, const char *file)
{
    if (result->command && *result->command)
        return wtl_program_name(result->command);
    const char *slash = strrchr(file, '/');
    const char *base = slash && slash[1] ? slash + 1 : file;
    size_t n = strlen(base);
    if (n > 4 && strcmp(base + n - 4, ".wtl") == 0)
        n -= 4;
    return strndup(base, n);
}

static char *platform_of(const struct wtl_result *result)
{
    const char *text = result->cpu && *result->cpu     ? result->cpu
                       : result->host && *result->host ? result->host
                                                       : "unknown";
    return strdup(text);
}

/* -- one run -- */

static const struct wtl_phase_node *first_node(const struct wtl_phase_study *study)
{
    size_t i = 0;
    while (i < study->count && study->nodes[i].why.text[0])
        i++;
    return i < study->count ? &study->nodes[i] : NULL;
}

static bool is_unfinished(const struct wtl_phase_study *study)
{
    for (size_t i = 0; i < study->count; i++) {
        for (size_t k = 0; k < study->nodes[i].result.flag_count; k++) {
            if (strcmp(study->nodes[i].result.flags[k].name, WTL_FLAG_UNFINISHED) == 0)
                return true;
        }
    }
    return false;
}

static int begin_model(struct wtl_phase_model *model,
                       const struct wtl_learn_request *request,
                       const struct wtl_counter_rows *rows,
                       struct wattle_error *err)
{
    struct wtl_alphabet *alphabet = &model->alphabet;
    assert(rows);
    int rc = wtl_alphabet_init(alphabet, rows->columns,
                               (const char(*)[WTL_ALPHABET_NAME])rows->names, rows->set, err);
    if (rc < 0)
        return rc;
    alphabet->alike = request->alike > 0 ? request->alike : alphabet->alike;
    alphabet->idle_beta = request->what.idle_beta;
    alphabet->idle_w = request->what.idle_w;
    alphabet->idle_given = alphabet->idle_w > 0;
    alphabet->codes = request->what.options.method == WTL_PHASE_PAPER;
    model->version = WTL_PHASE_MODEL_VERSION;
    model->left_out = rows->left_out;
    model->step_s = wtl_dna_step(rows, request->step_s);
    (void)snprintf(model->method, sizeof model->method, "%s",
                   wtl_phase_method_name(request->what.options.method));
    return 0;
}

static int learn_node(struct wtl_phase_model *model,
                      struct wtl_phase_node *node,
                      struct wtl_dna *ret_dna,
                      struct wattle_error *err)
{
    if (node->why.text[0]) /* in its place, with no letters */
        return 0;
    int rc = wtl_alphabet_learn(&model->alphabet, &node->rows, &node->phases, err);
    return rc < 0 ? rc : wtl_dna_of_phases(&node->rows, &node->phases, model->step_s, ret_dna, err);
}

/* Before any of it is learnt. */
static int check_counters(const struct wtl_phase_model *model,
                          const struct wtl_phase_study *study,
                          const char *file,
                          struct wattle_error *err)
{
    size_t column[WTL_ALPHABET_COLUMNS] = {0};
    struct wattle_error why = {""};
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < study->count; i++) {
        if (!study->nodes[i].why.text[0])
            rc = wtl_alphabet_fits(&model->alphabet, &study->nodes[i].rows, column, &why);
    }
    return rc < 0 ? wtl_fail(err, rc, "%s: %s", file, why.text) : 0;
}

/* A sum is as good as the worst of its parts. */
static void set_quality(struct wtl_model_run *run, const struct wtl_phase_study *study)
{
    for (size_t i = 0; i < study->count; i++) {
        const struct wtl_phase_node *node = &study->nodes[i];
        run->simulated |= wtl_result_is_simulated(&node->result);
        if (node->rows.total.count > 0 && node->rows.total.quality > run->quality)
            run->quality = node->rows.total.quality;
    }
}

static int learn_study(struct wtl_phase_model *model,
                       const struct wtl_learn_request *request,
                       struct wtl_phase_study *study,
                       const char *file,
                       struct wattle_error *err)
{
    const struct wtl_result *result = &study->nodes[0].result;
    struct wtl_model_run run = {.node_count = study->count};
    int rc = check_counters(model, study, file, err);
    if (rc < 0)
        return rc;
    run.name = request->name ? strdup(request->name) : name_of(result, file);
    run.platform = request->platform ? strdup(request->platform) : platform_of(result);
    run.nodes = calloc(study->count, sizeof *run.nodes);
    if (rc == 0 && (!run.name || !run.platform || !run.nodes))
        rc = wtl_no_memory_for(err, "%s", file);
    set_quality(&run, study);
    for (size_t i = 0; rc == 0 && i < study->count; i++)
        rc = learn_node(model, &study->nodes[i], &run.nodes[i], err);
    if (rc == 0 && wtl_phase_model_add(model, &run) < 0)
        rc = wtl_no_memory_for(err, "%s", file);
    if (!run.nodes)
        run.node_count = 0;
    wtl_model_run_fini(&run);
    return rc;
}

int wtl_phase_learner_run(struct wtl_phase_model *model,
                          const struct wtl_learn_request *request,
                          const char *name,
                          struct wattle_error *err)
{
    struct wtl_phase_study study = {0};
    int rc = wtl_phase_study_read(&study, name, &request->what, err);
    const struct wtl_phase_node *first = rc < 0 ? NULL : first_node(&study);
    if (rc == 0 && !first)
        rc = wtl_fail(err, -ENODATA, "%s: no node has phases", name);
    if (rc == 0 && is_unfinished(&study))
        rc = wtl_fail(err, -ENODATA,
                      "%s: the run was cut off or is still running, so it does not show how its "
                      "program ends",
                      name);
    if (rc == 0 && model->alphabet.columns == 0)
        rc = begin_model(model, request, &first->rows, err);
    rc = rc < 0 ? rc : learn_study(model, request, &study, name, err);
    wtl_phase_study_fini(&study);
    return rc;
}

/* -- all runs -- */

/* Neighbours that have become the same letter are one. */
static void join_equal(struct wtl_dna *dna)
{
    size_t kept = 0;
    for (size_t i = 0; i < dna->count && dna->step_s <= 0; i++) {
        struct wtl_base *base = &dna->list[i], *last = kept ? &dna->list[kept - 1] : NULL;
        if (!last || last->letter != base->letter) {
            dna->list[kept++] = *base;
            continue;
        }
        last->duration_s += base->duration_s;
        last->energy_j += base->energy_j;
        last->known_s += base->known_s;
        last->half_j += base->half_j;
    }
    dna->count = dna->step_s <= 0 ? kept : dna->count;
}

int wtl_phase_learner_settle(struct wtl_phase_model *model, struct wattle_error *err)
{
    size_t *map = NULL, before = model->alphabet.count;
    int rc = wtl_alphabet_settle(&model->alphabet, &map, err);
    for (size_t r = 0; rc == 0 && r < model->run_count; r++) {
        for (size_t n = 0; n < model->runs[r].node_count; n++) {
            struct wtl_dna *dna = &model->runs[r].nodes[n];
            for (size_t i = 0; i < dna->count; i++) {
                if (dna->list[i].letter < before)
                    dna->list[i].letter = (uint16_t)map[dna->list[i].letter];
            }
            join_equal(dna);
        }
    }
    free(map);
    return rc;
}

/* -- idle -- */

static void widen(const struct wtl_alphabet *alphabet,
                  const struct wtl_phase_node *node,
                  const size_t *column,
                  double limit,
                  struct wtl_learner_activity *all)
{
    double rates[WTL_ALPHABET_COLUMNS];
    for (size_t i = 0; i < node->phases.count; i++) {
        (void)wtl_alphabet_rates(alphabet, &node->rows, &node->phases.list[i], column, rates);
        double activity = wtl_alphabet_activity(alphabet, rates);
        if (activity <= limit)
            all->most = fmax(all->most, activity);
        else if (activity > limit)
            all->least = fmin(all->least, activity);
        if (node->phases.list[i].known_s > 0) {
            all->energy_j += node->phases.list[i].energy_j;
            all->known_s += node->phases.list[i].known_s;
        }
    }
}

int wtl_phase_learner_activity(const struct wtl_learn_request *request,
                               const char *name,
                               double limit,
                               struct wtl_learner_activity *activity,
                               struct wattle_error *err)
{
    struct wtl_phase_study study = {0};
    size_t column[WTL_ALPHABET_COLUMNS] = {0};
    int rc = wtl_phase_study_read(&study, name, &request->what, err);
    for (size_t i = 0; rc == 0 && i < study.count; i++) {
        const struct wtl_phase_node *node = &study.nodes[i];
        struct wtl_alphabet alphabet;
        if (node->why.text[0])
            continue;
        rc = wtl_alphabet_init(&alphabet, node->rows.columns,
                               (const char(*)[WTL_ALPHABET_NAME])node->rows.names, node->rows.set,
                               err);
        rc = rc < 0 ? rc : wtl_alphabet_fits(&alphabet, &node->rows, column, err);
        if (rc == 0 && !wtl_alphabet_activity_name(&alphabet))
            rc = wtl_fail(err, -EINVAL,
                          "%s: idle cannot be told from work by the counter set %s; it needs "
                          "CACHE_MISSES and CPU_CYCLES, or TASK_CLOCK",
                          name, *node->rows.set ? node->rows.set : "of this trace");
        if (rc == 0)
            widen(&alphabet, node, column, limit, activity);
    }
    wtl_phase_study_fini(&study);
    return rc;
}
