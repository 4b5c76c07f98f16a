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

enum { PROGRAMS = 4 /* that have an end at most */, TRAINED = 64 /* runs */ };
/* A program that is less probable has no end. */
static const double least_probable = 0.01;
/* What an interval is to hold with. */
static const double sure = 0.95;

/* Runs of a program farther than this from the nearest one are other variants of it. */
static const double same_times = 3, same_margin = 0.05;
/* A run of another platform, laid with factors that are free, must fit better by this much. */
static const double better_by = 0.05;
/* A stored run with more of its time without energy says nothing about energy. */
static const double unknown_most = 0.1;

struct wtl_match_run wtl_match_run_of(const struct wtl_model_run *run)
{
    return (struct wtl_match_run){run->name,       run->platform, run->nodes,
                                  run->node_count, run->quality,  run->simulated};
}

bool wtl_prediction_is_open(const struct wtl_prediction *p)
{
    return !p->known && p->match.program_count > 0 &&
           p->match.programs[0].probability >= p->match.unknown;
}

static bool is_certain(const struct wtl_prediction *p)
{
    return p->known && p->match.unknown < 1 - sure;
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

/* Whether a run of this name is among the first `count`; here: one that ran here. */
static bool has_run(const struct wtl_prediction_question *q,
                    const char *name,
                    size_t count,
                    bool here)
{
    for (size_t i = count; i-- > 0;) {
        const struct wtl_model_run *run = &q->model->runs[i];
        if (strcmp(run->name, name) == 0 && (!here || is_here(q, run)))
            return true;
    }
    return false;
}

/* Programs that ran on other platforms only. */
static size_t count_elsewhere(const struct wtl_prediction_question *q)
{
    size_t count = 0, all = q->model->run_count;
    for (size_t i = 0; q->own && i < all; i++) {
        const char *name = q->model->runs[i].name;
        count += !is_here(q, &q->model->runs[i]) && !has_run(q, name, i, false) &&
                 !has_run(q, name, all, true);
    }
    return count;
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
    double open; /* half width of how they are divided, the largest */
    size_t n;
};

static void add_pair(struct before_and_after *b, double before, double after)
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
    joules->open = seconds->open = 0;
    for (size_t i = 0; i < program->count; i++) {
        const struct wtl_match_found *f = &match->found[program->first + i];
        if (f->distance > program->distance * same_times + same_margin)
            break;
        add_pair(seconds, f->done_s, f->rest_s);
        if (f->unknown_s > unknown_most * (f->done_s + f->rest_s))
            continue;
        add_pair(joules, f->done_j, f->rest_j);
        joules->open = fmax(joules->open, f->open_j);
        use_energy(p, &runs->list[f->run]);
    }
}

/* A quantity at the end, over the programs that it may be; those without a spread are left out. */
struct ends {
    struct wtl_remainder parts[PROGRAMS];
    size_t n;
    double weight; /* probability of all parts */
    double done, done_sd;
};

struct end {
    double value, low, high; /* NaN = unknown */
};

/* The interval that holds with 95 %, if the end is none of the parts, too: then it holds for the parts more often, or not. */
static void set_interval(const struct ends *ends, struct end *end)
{
    double outside = ends->weight > sure ? (1 - sure / ends->weight) / 2 : NAN;
    double own = 1.96 * ends->done_sd; /* of what is over: independent of what is to come */
    end->low = end->high = NAN;
    if (ends->n == 0 || isnan(outside))
        return;
    double low = ends->done + wtl_remainder_quantile(ends->parts, ends->n, outside);
    double high = ends->done + wtl_remainder_quantile(ends->parts, ends->n, 1 - outside);
    end->low = end->value - hypot(end->value - low, own);
    end->high = end->value + hypot(high - end->value, own);
}

/* The end if it is this program, which becomes a part. */
static struct end add_end(struct ends *ends, struct wtl_remainder remainder, double probability)
{
    struct end end = {ends->done + fmax(remainder.mean, 0), NAN, NAN};
    struct ends alone = {{remainder}, 1, 1, ends->done, ends->done_sd};
    if (!isfinite(remainder.sd))
        return end;
    set_interval(&alone, &end);
    ends->parts[ends->n] = remainder;
    ends->parts[ends->n++].weight = probability;
    ends->weight += probability;
    return end;
}

static void add_why(struct wtl_prediction *p, const char *sentence)
{
    struct wattle_error before = p->why;
    (void)wtl_fail(&p->why, 0, "%s%s%s", before.text, before.text[0] ? "; " : "", sentence);
}

static void predict_candidate(struct wtl_prediction *p,
                              const struct runs *runs,
                              size_t i,
                              struct ends *joules,
                              struct ends *seconds)
{
    struct wtl_predicted_candidate *c = &p->candidates[i];
    struct before_and_after j, s;
    gather(p, runs, &p->match.programs[i], &j, &s);
    c->used = s.n;
    struct end end =
        add_end(seconds, wtl_remainder_of(s.before, s.after, s.n, seconds->done), c->probability);
    c->time_s = end.value;
    c->time_low_s = end.low;
    c->time_high_s = end.high;
    if (j.n == 0 || isnan(joules->done))
        return;
    struct wtl_remainder rest = wtl_remainder_of(j.before, j.after, j.n, joules->done);
    rest.sd = hypot(rest.sd, j.open / 1.96);
    end = add_end(joules, rest, c->probability);
    c->energy_j = end.value;
    c->energy_low_j = end.low;
    c->energy_high_j = end.high;
}

static void say_why(const struct wtl_prediction_question *q, struct wtl_prediction *p)
{
    const struct wtl_predicted_candidate *first = &p->candidates[0];
    char sentence[256];
    bool bare = isnan(p->time_low_s) || (isfinite(p->energy_j) && isnan(p->energy_low_j));
    if (isnan(q->done_j))
        add_why(p, "the energy of this run up to now is not known: it has neither a meter nor "
                   "counters that the model can derive it from");
    else if (isnan(first->energy_j))
        add_why(p, "the model has no energy of this program; learn a run with a meter");
    if (p->known && p->match.unknown >= 1 - sure) {
        (void)snprintf(sentence, sizeof sentence,
                       "with a probability of %.0f %% it is none of the programs that ran here, so "
                       "its end is known only if it is one of them",
                       100 * p->match.unknown);
        add_why(p, sentence);
    } else if (p->known && bare)
        add_why(p, first->used == 1 ? "only one run of the model is like this one, which does not "
                                      "show how much runs differ, so there is no interval"
                                    : "a program that it may be has only one run like this one, or "
                                      "one with an energy, so there is no interval");
}

/* For each program that it may be; and of the run, if it is hardly none of them. */
static void predict_end(const struct wtl_prediction_question *q,
                        const struct runs *runs,
                        struct wtl_prediction *p)
{
    struct ends joules = {.done = q->done_j, .done_sd = q->done_sd_j},
                seconds = {.done = q->done_s};
    const struct wtl_predicted_candidate *first = &p->candidates[0];
    for (size_t i = 0; i < p->candidate_count && i < PROGRAMS; i++) {
        if (p->match.programs[i].count > 0 && p->candidates[i].probability >= least_probable)
            predict_candidate(p, runs, i, &joules, &seconds);
    }
    p->runs = first->used;
    if (is_certain(p)) {
        struct end time = {first->time_s, NAN, NAN}, energy = {first->energy_j, NAN, NAN};
        set_interval(&seconds, &time);
        set_interval(&joules, &energy);
        p->time_s = time.value;
        p->time_low_s = time.low;
        p->time_high_s = time.high;
        p->energy_j = energy.value;
        p->energy_low_j = energy.low;
        p->energy_high_j = energy.high;
    }
    say_why(q, p);
    const struct wtl_match_found *nearest = &p->match.found[p->match.programs[0].first];
    double all_s = nearest->done_s + nearest->rest_s;
    p->progress = p->known && all_s > 0 ? nearest->done_s / all_s : NAN;
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

/* Lay the beginning on runs of other platforms whose program has not run here; *ret_best: the one that fits best, with a distance
 * below `least`. 0 or -ENOMEM. */
static int lay_on_others(const struct wtl_prediction_question *q,
                         const struct runs *there,
                         struct wtl_transfer_question *transfer,
                         double least,
                         struct wtl_transfer *ret_transfer,
                         const struct wtl_match_run **ret_best)
{
    size_t step = there->count / TRAINED + 1;
    for (size_t i = 0; i < there->count; i += step) {
        struct wtl_transfer t;
        struct wattle_error why = {""};
        if (has_run(q, there->list[i].name, q->model->run_count, true))
            continue;
        transfer->reference = &there->list[i];
        int rc = wtl_transfer(transfer, &t, &why);
        if (rc == -ENOMEM)
            return rc;
        if (rc < 0 || !(t.distance < least))
            continue;
        least = t.distance;
        *ret_transfer = t;
        *ret_best = &there->list[i];
    }
    return 0;
}

static void use_reference(struct wtl_prediction *p, const struct wtl_match_run *reference)
{
    const struct wtl_transfer *t = &p->transfer;
    use_energy(p, reference);
    p->known = true;
    p->program = reference->name;
    p->reference = reference->platform;
    p->runs = 1;
    p->probability = NAN; /* how often runs of other platforms fit by chance is not known */
    p->energy_j = t->energy_j;
    p->energy_low_j = t->energy_low_j;
    p->energy_high_j = t->energy_high_j;
    p->time_s = t->time_s;
    p->time_low_s = t->time_low_s;
    p->time_high_s = t->time_high_s;
    p->progress = t->reference_s > 0 ? t->reference_done_s / t->reference_s : NAN;
}

/* A run of another platform is the reference, unless a program that ran here fits as well. */
static int try_others(const struct wtl_prediction_question *q,
                      struct wtl_prediction *p,
                      struct wattle_error *err)
{
    struct runs there = {0};
    double *reference = wtl_transfer_centres(&q->model->alphabet, &q->model->alphabet);
    double *target = wtl_transfer_centres(q->own_alphabet, &q->model->alphabet);
    const struct wtl_match_run *best = NULL;
    bool local = p->known || wtl_prediction_is_open(p);
    double least = local ? p->match.programs[0].distance - better_by : INFINITY;
    struct wtl_match_run own = {
        .name = "", .platform = q->platform, .nodes = q->own, .node_count = q->node_count};
    struct wtl_transfer_question transfer = {
        .columns = q->model->alphabet.columns,
        .reference_letters = {reference, q->model->alphabet.count},
        .target_letters = {target, q->own_alphabet->count},
        .target = &own};
    int rc = reference && target ? take_runs(q, false, &there) : -ENOMEM;
    rc = rc < 0 ? rc : lay_on_others(q, &there, &transfer, least, &p->transfer, &best);
    if (rc == 0 && best)
        use_reference(p, best);
    free(there.list);
    free(reference);
    free(target);
    return rc < 0 ? wtl_no_memory(err) : 0;
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
    options.elsewhere = count_elsewhere(q);
    struct wtl_match_run beginning = {
        .name = "", .platform = "", .nodes = q->nodes, .node_count = q->node_count};
    int rc = wtl_match_find(here->list, here->count, &beginning, &options, &p->match, err);
    if (rc < 0)
        return rc;
    p->known = p->match.known;
    p->program = p->known ? p->match.programs[0].name : NULL;
    p->probability = p->known ? p->match.programs[0].probability : p->match.unknown;
    for (size_t i = 0; i < p->match.program_count && i < WTL_PREDICTED_CANDIDATES; i++) {
        const struct wtl_match_program *from = &p->match.programs[i];
        p->candidates[p->candidate_count++] = (struct wtl_predicted_candidate){
            from->name, from->runs, 0,  from->distance, from->probability, NAN, NAN, NAN,
            NAN,        NAN,        NAN};
    }
    return 0;
}

/* Among the runs of this platform, and those of others if that is not certain. */
static int find_run(const struct wtl_prediction_question *q,
                    const struct runs *here,
                    struct wtl_prediction *p,
                    struct wattle_error *err)
{
    bool others = here->count < q->model->run_count && q->own;
    int rc = here->count > 0 || !others ? match(q, here, p, err) : 0;
    if ((rc == 0 || rc == -ENODATA) && others && !is_certain(p))
        rc = try_others(q, p, err);
    if (rc < 0 || p->reference)
        return rc;
    if (!p->known)
        add_why(p, wtl_prediction_is_open(p)
                       ? "it cannot be told yet which program this is, so its end is not known"
                       : "the run is none of those in the model, so its end is not known");
    if (p->known || wtl_prediction_is_open(p))
        predict_end(q, here, p);
    if (p->known)
        replay(q, here, p);
    return 0;
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
