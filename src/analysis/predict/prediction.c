/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "analysis/predict/prediction.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/predict/predictor.h"
#include "analysis/predict/remainder.h"
#include "base/fail.h"

enum { PROGRAMS = 4 /* that a mixture has at most */, TRAINED = 64 /* runs */ };

/* Runs of a program farther than this from the nearest one are other variants of it. */
static const double same_times = 3, same_margin = 0.05;
/* A stored run with more of its time without energy says nothing about energy. */
static const double unknown_most = 0.1;

struct wtl_match_run wtl_match_run_of(const struct wtl_model_run *run)
{
    return (struct wtl_match_run){run->name,       run->platform, run->nodes,
                                  run->node_count, run->quality,  run->simulated};
}

/* ---- runs of the model on this platform ---- */

struct runs {
    struct wtl_match_run *list;
    size_t count;
};

static bool is_here(const struct wtl_prediction_question *q, const struct wtl_model_run *run)
{
    return !q->platform[0] || !run->platform[0] || strcmp(run->platform, q->platform) == 0;
}

static int take_runs(const struct wtl_prediction_question *q, bool here, struct runs *runs)
{
    runs->count = 0;
    runs->list = calloc(q->model->run_count + 1, sizeof *runs->list);
    if (!runs->list)
        return -ENOMEM;
    for (size_t i = 0; i < q->model->run_count; i++) {
        if (is_here(q, &q->model->runs[i]) == here)
            runs->list[runs->count++] = wtl_match_run_of(&q->model->runs[i]);
    }
    return 0;
}

/* ---- energy and time to the end ---- */

/* The runs of a program as they were when they were where this one is. */
struct before_and_after {
    double before[WTL_MATCH_KEPT], after[WTL_MATCH_KEPT];
    size_t n;
};

static void take(struct before_and_after *b, double before, double after)
{
    b->before[b->n] = before;
    b->after[b->n++] = after;
}

/* A sum is as good as the worst of its parts. */
static void use_energy(struct wtl_prediction *p, const struct wtl_match_run *run)
{
    p->quality = run->quality > p->quality ? run->quality : p->quality;
    p->simulated = p->simulated || run->simulated;
}

static void gather(struct wtl_prediction *p,
                   const struct runs *runs,
                   const struct wtl_match_program *program,
                   struct before_and_after *joules,
                   struct before_and_after *seconds)
{
    const struct wtl_match *match = &p->match;
    joules->n = seconds->n = 0;
    for (size_t i = 0; i < program->count; i++) {
        const struct wtl_match_found *f = &match->found[program->first + i];
        if (f->distance > program->distance * same_times + same_margin)
            break;
        take(seconds, f->done_s, f->rest_s);
        if (f->unknown_s > unknown_most * (f->done_s + f->rest_s))
            continue;
        take(joules, f->done_j, f->rest_j);
        use_energy(p, &runs->list[f->run]);
    }
}

static void set_interval(const struct wtl_remainder *parts,
                         size_t n,
                         double done,
                         double done_sd,
                         double *ret_mean,
                         double *ret_low,
                         double *ret_high)
{
    double mean = wtl_remainder_mean(parts, n);
    double low = wtl_remainder_quantile(parts, n, 0.025);
    double high = wtl_remainder_quantile(parts, n, 0.975);
    double own = 1.96 * done_sd; /* of what is over: independent of what is to come */
    *ret_mean = done + mean;
    *ret_low = done + mean - hypot(mean - low, own);
    *ret_high = done + mean + hypot(high - mean, own);
}

/* Of the programs that it may be, each as often as it is probable. */
static void predict_end(const struct wtl_prediction_question *q,
                        const struct runs *runs,
                        struct wtl_prediction *p)
{
    static const char one_run[] = "only one run of the model is like this one, which does not show "
                                  "how much runs differ, so there is no interval";
    struct wtl_remainder joules[PROGRAMS] = {{0}}, seconds[PROGRAMS] = {{0}};
    struct before_and_after j, s;
    size_t nj = 0, ns = 0;
    for (size_t i = 0; i < p->match.program_count && ns < PROGRAMS; i++) {
        const struct wtl_match_program *program = &p->match.programs[i];
        if (program->count == 0 || (i > 0 && program->probability < 0.01))
            continue;
        gather(p, runs, program, &j, &s);
        seconds[ns] = wtl_remainder_of(s.before, s.after, s.n, q->done_s);
        seconds[ns++].weight = program->probability;
        p->runs = i == 0 ? s.n : p->runs;
        if (j.n == 0)
            continue;
        joules[nj] = wtl_remainder_of(j.before, j.after, j.n, q->done_j);
        joules[nj++].weight = program->probability;
    }
    set_interval(seconds, ns, q->done_s, 0, &p->time_s, &p->time_low_s, &p->time_high_s);
    if (isnan(q->done_j))
        (void)wtl_fail(&p->why, 0,
                       "the energy of this run up to now is not known: it has neither a "
                       "meter nor counters that the model can derive it from");
    else if (nj == 0)
        (void)wtl_fail(&p->why, 0,
                       "the model has no energy of this program; learn a run with a meter");
    else
        set_interval(joules, nj, q->done_j, q->done_sd_j, &p->energy_j, &p->energy_low_j,
                     &p->energy_high_j);
    if (nj == ns && nj > 0 && isnan(p->energy_low_j) && !p->why.text[0])
        (void)wtl_fail(&p->why, 0, one_run);
    const struct wtl_match_found *nearest = &p->match.found[p->match.programs[0].first];
    double all_s = nearest->done_s + nearest->rest_s;
    p->progress = all_s > 0 ? nearest->done_s / all_s : NAN;
}

/* ---- the letters to come ---- */

static void name_letter(const struct wtl_alphabet *alphabet, uint16_t letter, char name[8])
{
    (void)snprintf(name, 8, "%s", letter < alphabet->count ? alphabet->letters[letter].name : "?");
}

/* How many of the program's nearest runs have this letter, so many letters after the place. */
static double agreement(const struct runs *runs,
                        const struct wtl_match *match,
                        const struct wtl_match_program *program,
                        size_t ahead,
                        uint16_t letter)
{
    double same = 0, all = 0;
    for (size_t i = 0; i < program->count; i++) {
        const struct wtl_match_found *f = &match->found[program->first + i];
        const struct wtl_dna *dna = &runs->list[f->run].nodes[0];
        if (f->distance > program->distance * same_times + same_margin)
            break;
        all++;
        same += f->base + ahead < dna->count && dna->list[f->base + ahead].letter == letter;
    }
    return all > 0 ? same / all : 0;
}

static void replay(const struct wtl_prediction_question *q,
                   const struct runs *runs,
                   struct wtl_prediction *p)
{
    const struct wtl_match_program *program = &p->match.programs[0];
    const struct wtl_match_found *f = &p->match.found[program->first];
    const struct wtl_dna *dna = &runs->list[f->run].nodes[0];
    assert(dna);
    double at_s = 0;
    for (size_t k = f->base; k < dna->count && p->next_count < WTL_PREDICTED_LETTERS; k++) {
        const struct wtl_base *base = &dna->list[k];
        double left_s = base->duration_s - (k == f->base ? f->into_s : 0);
        if (!(left_s > 0))
            continue;
        struct wtl_predicted_letter *next = &p->next[p->next_count++];
        *next = (struct wtl_predicted_letter){.begin_s = at_s, .duration_s = left_s};
        name_letter(&q->model->alphabet, base->letter, next->name);
        next->probability =
            program->probability * agreement(runs, &p->match, program, k - f->base, base->letter);
        at_s += left_s;
    }
    p->next_from = "runs";
}

/* Some of the model's runs, then this one so far. */
static int train(struct wtl_predictor *predictor,
                 const struct wtl_prediction_question *q,
                 double step_s)
{
    uint16_t *slots = NULL;
    size_t n = 0, step = q->model->run_count / TRAINED + 1;
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < q->model->run_count; i += step) {
        rc = wtl_dna_slots(&q->model->runs[i].nodes[0], step_s, &slots, &n);
        rc = rc < 0 ? rc : wtl_predictor_train(predictor, slots, n);
        free(slots);
        slots = NULL;
    }
    rc = rc < 0 ? rc : wtl_predictor_begin(predictor);
    rc = rc < 0 ? rc : wtl_dna_slots(&q->nodes[0], step_s, &slots, &n);
    for (size_t i = 0; rc == 0 && i < n; i++)
        rc = wtl_predictor_observe(predictor, slots[i]);
    free(slots);
    return rc;
}

/* One step more; steps with the same letter are one. */
static void add_step(struct wtl_prediction *p, const struct wtl_predicted_letter *next)
{
    struct wtl_predicted_letter *last = p->next_count ? &p->next[p->next_count - 1] : NULL;
    if (last && strcmp(last->name, next->name) == 0) {
        last->duration_s += next->duration_s;
        last->probability = fmin(last->probability, next->probability);
    } else
        p->next[p->next_count++] = *next;
}

/* A run that is not known: what follows such letters in any of the runs. */
static int ask_predictor(const struct wtl_prediction_question *q,
                         double step_s,
                         struct wtl_prediction *p)
{
    struct wtl_predictor *predictor = NULL;
    uint16_t ahead[WTL_PREDICTED_LETTERS];
    double probability[WTL_PREDICTED_LETTERS];
    int rc = wtl_predictor_create(q->model->alphabet.count, NULL, &predictor);
    rc = rc < 0 ? rc : train(predictor, q, step_s);
    rc = rc < 0 ? rc : wtl_predictor_predict(predictor, WTL_PREDICTED_LETTERS, ahead, probability);
    for (size_t i = 0; rc == 0 && i < WTL_PREDICTED_LETTERS && ahead[i] != WTL_PREDICT_END; i++) {
        struct wtl_predicted_letter next = {.begin_s = step_s * (double)i, .duration_s = step_s};
        next.probability = probability[i];
        name_letter(&q->model->alphabet, ahead[i], next.name);
        add_step(p, &next);
    }
    p->next_from = p->next_count ? "predictor" : NULL;
    wtl_predictor_destroy(predictor);
    return rc;
}

/* ---- from a run on another platform ---- */

/* Lay the beginning on runs of other platforms: the one that fits best is the reference. */
static int try_others(const struct wtl_prediction_question *q,
                      struct wtl_prediction *p,
                      struct wattle_error *err)
{
    struct runs there = {0};
    double *reference = wtl_transfer_centres(&q->model->alphabet, &q->model->alphabet);
    double *target = wtl_transfer_centres(q->own_alphabet, &q->model->alphabet);
    const struct wtl_match_run *best = NULL;
    double least = INFINITY;
    int rc = reference && target ? take_runs(q, false, &there) : -ENOMEM;
    struct wtl_match_run own = {
        .name = "", .platform = q->platform, .nodes = q->own, .node_count = q->node_count};
    size_t step = there.count / TRAINED + 1;
    for (size_t i = 0; rc == 0 && i < there.count; i += step) {
        struct wtl_transfer t;
        struct wattle_error why = {""};
        struct wtl_transfer_question transfer = {
            .columns = q->model->alphabet.columns,
            .reference_letters = {reference, q->model->alphabet.count},
            .target_letters = {target, q->own_alphabet->count},
            .reference = &there.list[i],
            .target = &own};
        int one = wtl_transfer(&transfer, &t, &why);
        rc = one == -ENOMEM ? one : 0;
        if (one < 0 || !(t.distance < least))
            continue;
        least = t.distance;
        p->transfer = t;
        best = &there.list[i];
        p->program = there.list[i].name;
        p->reference = there.list[i].platform;
    }
    if (best)
        use_energy(p, best);
    free(there.list);
    free(reference);
    free(target);
    if (rc < 0)
        return wtl_no_memory(err);
    if (!p->program)
        return 0;
    const struct wtl_transfer *t = &p->transfer;
    p->known = true;
    p->runs = 1;
    p->probability = NAN; /* how often runs of other platforms fit by chance is not known */
    p->energy_j = t->energy_j;
    p->energy_low_j = t->energy_low_j;
    p->energy_high_j = t->energy_high_j;
    p->time_s = t->time_s;
    p->time_low_s = t->time_low_s;
    p->time_high_s = t->time_high_s;
    p->progress = t->reference_s > 0 ? t->reference_done_s / t->reference_s : NAN;
    return 0;
}

/* ---- all of it ---- */

static void set_unknown(struct wtl_prediction *p)
{
    p->progress = p->energy_j = p->energy_low_j = p->energy_high_j = NAN;
    p->time_s = p->time_low_s = p->time_high_s = p->measured_j = p->measured_s = NAN;
    p->idle_w = p->variation_j = NAN;
}

/* The idle system's power: that of XXX. */
static double idle_of(const struct wtl_alphabet *alphabet)
{
    for (size_t i = 0; i < alphabet->count; i++) {
        if (alphabet->letters[i].idle && alphabet->letters[i].mean_w > 0)
            return alphabet->letters[i].mean_w;
    }
    return NAN;
}

static int match(const struct wtl_prediction_question *q,
                 const struct runs *here,
                 struct wtl_prediction *p,
                 struct wattle_error *err)
{
    struct wtl_match_options options = wtl_match_options_default();
    struct wtl_match_run beginning = {
        .name = "", .platform = "", .nodes = q->nodes, .node_count = q->node_count};
    int rc = wtl_match_find(here->list, here->count, &beginning, &options, &p->match, err);
    if (rc < 0)
        return rc;
    p->known = p->match.known;
    p->program = p->known ? p->match.programs[0].name : NULL;
    p->probability = p->known ? p->match.programs[0].probability : p->match.unknown;
    return 0;
}

bool wtl_prediction_is_open(const struct wtl_prediction *p)
{
    return !p->known && p->match.program_count > 0 &&
           p->match.programs[0].probability >= p->match.unknown;
}

/* Among the runs of this platform, else those of others. */
static int find_run(const struct wtl_prediction_question *q,
                    const struct runs *here,
                    struct wtl_prediction *p,
                    struct wattle_error *err)
{
    bool others = here->count < q->model->run_count && q->own;
    int rc = here->count > 0 || !others ? match(q, here, p, err) : 0;
    if (rc == 0 && p->known) {
        predict_end(q, here, p);
        replay(q, here, p);
    } else if ((rc == 0 || rc == -ENODATA) && others)
        rc = try_others(q, p, err);
    if (rc == 0 && !p->known)
        (void)wtl_fail(&p->why, 0, "%s, so its end is not known",
                       wtl_prediction_is_open(p) ? "it cannot be told yet which program this is"
                                                 : "the run is none of those in the model");
    return rc;
}

int wtl_predict(const struct wtl_prediction_question *q,
                struct wtl_prediction *ret_prediction,
                struct wattle_error *err)
{
    struct wtl_prediction *p = ret_prediction;
    struct runs here = {0};
    *p = (struct wtl_prediction){.done_j = q->done_j, .done_s = q->done_s, .probability = 1};
    p->match.unknown = 1;
    set_unknown(p);
    int rc = take_runs(q, true, &here) < 0 ? wtl_no_memory(err) : find_run(q, &here, p, err);
    if (rc == 0 && p->next_count == 0 && !p->reference) {
        double step_s = q->model->step_s > 0 ? q->model->step_s : fmax(q->done_s / 64, 1e-3);
        rc = ask_predictor(q, step_s, p) < 0 ? wtl_no_memory(err) : 0;
    }
    p->idle_w = isnan(q->idle_w) ? idle_of(&q->model->alphabet) * (double)q->node_count : q->idle_w;
    p->variation_j = q->done_j - p->idle_w * q->done_s;
    free(here.list);
    if (rc < 0)
        wtl_prediction_fini(p);
    return rc;
}

void wtl_prediction_fini(struct wtl_prediction *p)
{
    wtl_match_fini(&p->match);
}
