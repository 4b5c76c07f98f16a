/* SPDX-License-Identifier: BSD-3-Clause */
/* Hypotheses of a run whose letters may be misread: see run_filter.h. */
#include "analysis/predict/run_filter.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/predict/run_contexts.h"
#include "base/grow.h"
#include "base/hash.h"
#include "base/random.h"

/* ---- the beam of hypotheses ---- */

/* The most probable hypotheses of where a run stands. Equal states are one hypothesis; the least probable one gives way.
 * There are few, so all searches are linear. */

struct hypothesis {
    struct wtl_run_state state;
    double weight;
    uint64_t hash; /* of the state */
    double
        largest; /* weight of the most probable of the ways that led here: its letter and origin are kept */
    uint16_t letter; /* the last one */
    uint8_t from;    /* index of the hypothesis before it */
};

struct wtl_run_beam {
    size_t most, count;
    bool fair;
    uint64_t draws;
    struct hypothesis list[];
};

/*
 * At most `most` hypotheses. If there are more: fair = false keeps the most probable ones; fair = true draws lots between the
 * least probable one and the one that is added, and the winner gets the weight of both, so that sums over many hypotheses
 * are right on average (the draws are the same each time). 0 or -ENOMEM.
 */
static int run_beam_create(size_t most, bool fair, struct wtl_run_beam **ret_beam)
{
    struct wtl_run_beam *beam = calloc(1, sizeof *beam + most * sizeof beam->list[0]);
    if (!beam)
        return -ENOMEM;
    beam->most = most;
    beam->fair = fair;
    *ret_beam = beam;
    return 0;
}

/* Accepts NULL. */
static void run_beam_destroy(struct wtl_run_beam *beam)
{
    free(beam);
}

static void run_beam_clear(struct wtl_run_beam *beam)
{
    beam->count = 0;
}

static size_t run_beam_count(const struct wtl_run_beam *beam)
{
    return beam->count;
}

static const struct hypothesis *run_beam_at(const struct wtl_run_beam *beam, size_t i)
{
    return &beam->list[i];
}

static size_t run_beam_best(const struct wtl_run_beam *beam)
{
    size_t best = 0;
    for (size_t i = 1; i < beam->count; i++)
        best = beam->list[i].weight > beam->list[best].weight ? i : best;
    return best;
}

static size_t least_of(const struct wtl_run_beam *beam)
{
    size_t least = 0;
    for (size_t i = 1; i < beam->count; i++)
        least = beam->list[i].weight < beam->list[least].weight ? i : least;
    return least;
}

/* A weight up to this one would not be kept. */
static double run_beam_least(const struct wtl_run_beam *beam)
{
    return beam->fair || beam->count < beam->most ? 0 : beam->list[least_of(beam)].weight;
}

static void run_beam_add(struct wtl_run_beam *beam,
                         const struct wtl_run_state *state,
                         double weight,
                         uint16_t letter,
                         uint8_t from)
{
    uint64_t hash = wtl_hash_bytes(WTL_HASH_START, &state->elapsed, sizeof state->elapsed);
    hash = wtl_hash_bytes(hash, state->letter, sizeof state->letter);
    hash = wtl_hash_bytes(hash, state->length, sizeof state->length);
    struct hypothesis added = {*state, weight, hash, weight, letter, from};
    for (size_t i = 0; i < beam->count; i++) {
        struct hypothesis *same = &beam->list[i];
        if (same->hash != hash)
            continue;
        added.weight += same->weight;
        if (same->largest >= weight) {
            added.largest = same->largest;
            added.letter = same->letter;
            added.from = same->from;
        }
        *same = added;
        return;
    }
    if (beam->count < beam->most) {
        beam->list[beam->count++] = added;
        return;
    }
    struct hypothesis *least = &beam->list[least_of(beam)];
    double both = least->weight + weight;
    if (!beam->fair || wtl_random_uniform(0, beam->draws++) * both < weight)
        *least = added;
    if (beam->fair)
        least->weight = both;
}

/* Drop hypotheses with less than a share of the best one's weight, and scale the others to a sum. Returns the sum before. */
static double run_beam_scale(struct wtl_run_beam *beam, double share, double sum)
{
    double before = 0, after = 0, best = 0;
    size_t kept = 0;
    for (size_t i = 0; i < beam->count; i++) {
        before += beam->list[i].weight;
        best = beam->list[i].weight > best ? beam->list[i].weight : best;
    }
    for (size_t i = 0; i < beam->count; i++) {
        if (!(beam->list[i].weight >= share * best))
            continue;
        beam->list[kept++] = beam->list[i];
        after += beam->list[kept - 1].weight;
    }
    beam->count = kept;
    for (size_t i = 0; i < kept && after > 0; i++)
        beam->list[i].weight *= sum / after;
    return before;
}

/* ---- the filter ---- */

enum {
    KEPT = 8,        /* hypotheses of what was read */
    LAG = 12,        /* letters until the most probable hypothesis is learnt */
    KEPT_AHEAD = 64, /* of what will follow */
    BEGIN = UINT16_MAX,
    JUDGE_FIRST =
        64, /* letters after which the past is judged again, and whenever it has doubled */
    JUDGE_LAST = 1 << 17,
};
static const double not_worth = 1e-7; /* share of the best below which a hypothesis is dropped */
static const double not_worth_ahead = 1e-4; /* the same for what will follow */
static const double stands_out = 0.4;       /* share of one hypothesis in its letter */
/* Ends and letters that are not followed: with a thousand steps ahead they would add up. */
static const double unlikely = 0.004;
static const double forgetting = 5e-3; /* of the evidence, per letter */

/* One letter of a hypothesis: what it was, and the hypothesis it continues. */
struct link {
    uint16_t letter;
    uint8_t from;
};

struct wtl_run_filter {
    size_t symbols;
    bool misreads;
    unsigned order;
    struct wtl_run_contexts *contexts;    /* what is learnt */
    const struct wtl_run_contexts *judge; /* what is known: the same, except in judge_again() */
    struct wtl_run_beam *beam, *next;     /* hypotheses now; room for the next ones */
    struct wtl_run_state learnt;          /* the state after the letters learnt so far */
    struct link links[LAG][KEPT];
    uint16_t read[LAG];
    uint64_t letters;   /* of this run */
    double misread, of; /* letters misread, of how many */
    double evidence, evidence_weight;
    double *follows;   /* [symbols] */
    uint16_t *history; /* letters read, with the begins (BEGIN) and ends of runs; owned */
    size_t history_count, judge_at; /* when it is judged again */
};

static void start(struct wtl_run_filter *filter)
{
    struct wtl_run_state state;
    wtl_run_state_start(filter->contexts, &state);
    run_beam_clear(filter->beam);
    run_beam_add(filter->beam, &state, 1, 0, 0);
    filter->learnt = state;
    filter->letters = 0;
}

int wtl_run_filter_create(size_t symbols,
                          unsigned order,
                          bool misreads,
                          struct wtl_run_filter **ret_filter)
{
    struct wtl_run_filter *filter = calloc(1, sizeof *filter);
    if (!filter)
        return -ENOMEM;
    filter->symbols = symbols;
    filter->misreads = misreads;
    filter->order = order;
    filter->judge_at = JUDGE_FIRST;
    filter->misread = 1; /* of 50: a guess that a few hundred letters outweigh */
    filter->of = 50;
    filter->follows = malloc(symbols * sizeof *filter->follows);
    int rc = filter->follows ? 0 : -ENOMEM;
    rc = rc < 0 ? rc : wtl_run_contexts_create(symbols, order, &filter->contexts);
    rc = rc < 0 ? rc : run_beam_create(KEPT, false, &filter->beam);
    rc = rc < 0 ? rc : run_beam_create(KEPT, false, &filter->next);
    if (rc < 0) {
        wtl_run_filter_destroy(filter);
        return rc;
    }
    filter->judge = filter->contexts;
    start(filter);
    *ret_filter = filter;
    return 0;
}

void wtl_run_filter_destroy(struct wtl_run_filter *filter)
{
    if (!filter)
        return;
    wtl_run_contexts_destroy(filter->contexts);
    run_beam_destroy(filter->beam);
    run_beam_destroy(filter->next);
    free(filter->follows);
    free(filter->history);
    free(filter);
}

/* The probability of reading one letter when it is another one. */
static double misread_as(const struct wtl_run_filter *filter)
{
    size_t others = filter->symbols > 3 ? filter->symbols - 2 : 1; /* neither itself nor the end */
    return filter->misreads ? filter->misread / filter->of / (double)others : 0;
}

static double read_right(const struct wtl_run_filter *filter)
{
    return filter->misreads ? 1 - filter->misread / filter->of : 1;
}

/* Extend a hypothesis by a letter. */
static void follow(const struct wtl_run_contexts *contexts,
                   struct wtl_run_beam *to,
                   const struct hypothesis *from,
                   size_t index,
                   uint16_t letter,
                   double weight)
{
    struct wtl_run_state state = from->state;
    if (!(weight > run_beam_least(to)))
        return;
    wtl_run_state_add(contexts, &state, letter);
    wtl_run_state_trim(contexts, &state);
    run_beam_add(to, &state, weight, letter, (uint8_t)index);
}

/* All ways a hypothesis may go on, given that `letter` was read. */
static void follow_read(struct wtl_run_filter *filter, size_t index, uint16_t letter)
{
    const struct hypothesis *from = run_beam_at(filter->beam, index);
    double right = read_right(filter), wrong = misread_as(filter);
    double end = wtl_run_ends(filter->judge, &from->state), *follows = filter->follows;
    uint16_t now = from->state.letter[0];
    if (from->state.elapsed > 0)
        follow(filter->judge, filter->next, from, index, now,
               from->weight * (1 - end) * (now == letter ? right : wrong));
    wtl_run_follows(filter->judge, &from->state, follows);
    for (size_t i = 0; i + 1 < filter->symbols; i++) { /* the end is never read as a letter */
        double weight = from->weight * end * follows[i] * (i == letter ? right : wrong);
        if (i != now && weight > 0)
            follow(filter->judge, filter->next, from, index, (uint16_t)i, weight);
    }
}

/* Learn one letter of the most probable hypothesis. */
static int learn(struct wtl_run_filter *filter, uint16_t letter)
{
    int rc = wtl_run_contexts_learn(filter->contexts, &filter->learnt, letter);
    wtl_run_state_add(filter->contexts, &filter->learnt, letter);
    return rc;
}

/* The letters of the best hypothesis, from the last one, letters - 1, back to `first`. */
static void trace_back(const struct wtl_run_filter *filter, uint64_t first, uint16_t letters[LAG])
{
    size_t at = run_beam_best(filter->beam);
    for (uint64_t i = filter->letters; i > first; i--) {
        const struct link *link = &filter->links[(i - 1) % LAG][at];
        letters[i - 1 - first] = link->letter;
        at = link->from;
    }
}

/* Learn letter number `letters - LAG` before its place is used again. */
static int learn_oldest(struct wtl_run_filter *filter)
{
    uint16_t letters[LAG];
    uint64_t first = filter->letters - LAG;
    trace_back(filter, first, letters);
    filter->misread += letters[0] != filter->read[first % LAG];
    filter->of++;
    return learn(filter, letters[0]);
}

static void note_evidence(struct wtl_run_filter *filter, double probability)
{
    double log_p = probability > 1e-300 ? log(probability) : log(1e-300);
    filter->evidence = (1 - forgetting) * filter->evidence + log_p;
    filter->evidence_weight = (1 - forgetting) * filter->evidence_weight + 1;
}

static int observe_exactly(struct wtl_run_filter *filter, uint16_t letter)
{
    struct wtl_run_state *state = &filter->learnt;
    double end = wtl_run_ends(filter->judge, state), p = 1 - end;
    if (letter != state->letter[0]) {
        wtl_run_follows(filter->judge, state, filter->follows);
        p = end * filter->follows[letter];
    }
    note_evidence(filter, p);
    int rc = learn(filter, letter);
    run_beam_clear(filter->beam);
    run_beam_add(filter->beam, state, 1, letter, 0);
    return rc;
}

static int observe(struct wtl_run_filter *filter, uint16_t letter)
{
    int rc = filter->letters >= LAG ? learn_oldest(filter) : 0;
    run_beam_clear(filter->next);
    for (size_t i = 0; i < run_beam_count(filter->beam); i++)
        follow_read(filter, i, letter);
    note_evidence(filter, run_beam_scale(filter->next, not_worth, 1));
    struct wtl_run_beam *before = filter->beam;
    filter->beam = filter->next;
    filter->next = before;
    for (size_t i = 0; i < run_beam_count(filter->beam); i++) {
        const struct hypothesis *hypothesis = run_beam_at(filter->beam, i);
        filter->links[filter->letters % LAG][i] =
            (struct link){hypothesis->letter, hypothesis->from};
    }
    filter->read[filter->letters % LAG] = letter;
    filter->letters++;
    return rc;
}

/* Learn the letters that are not learnt yet. */
static int learn_rest(struct wtl_run_filter *filter)
{
    int rc = 0;
    uint16_t letters[LAG];
    uint64_t first = filter->letters > LAG ? filter->letters - LAG : 0;
    if (!filter->misreads)
        return 0;
    trace_back(filter, first, letters);
    for (uint64_t i = first; i < filter->letters && rc == 0; i++) {
        filter->misread += letters[i - first] != filter->read[i % LAG];
        filter->of++;
        rc = learn(filter, letters[i - first]);
    }
    return rc;
}

static int begin(struct wtl_run_filter *filter)
{
    int rc = learn_rest(filter);
    start(filter);
    return rc;
}

static int end(struct wtl_run_filter *filter)
{
    int rc = learn_rest(filter);
    rc = rc < 0 ? rc : learn(filter, (uint16_t)(filter->symbols - 1));
    start(filter);
    return rc;
}

/* -- the past, judged again -- */

static int read_history(struct wtl_run_filter *filter, const uint16_t *history, size_t n)
{
    int rc = 0;
    for (size_t i = 0; i < n && rc == 0; i++)
        rc = history[i] == BEGIN                 ? begin(filter)
             : history[i] == filter->symbols - 1 ? end(filter)
                                                 : observe(filter, history[i]);
    return rc;
}

/* A filter that has read the history with what `known` knows of it, leaving out what it knows only from there. */
static int read_again(const struct wtl_run_filter *filter,
                      struct wtl_run_contexts *known,
                      struct wtl_run_filter **ret_again)
{
    struct wtl_run_filter *again = NULL;
    int rc = wtl_run_filter_create(filter->symbols, filter->order, true, &again);
    if (rc < 0)
        return rc;
    again->judge = known;
    wtl_run_contexts_leave_out(known, 1);
    rc = read_history(again, filter->history, filter->history_count);
    wtl_run_contexts_leave_out(known, 0);
    again->judge = again->contexts;
    if (rc < 0)
        wtl_run_filter_destroy(again);
    else
        *ret_again = again;
    return rc;
}

/* Take over what another filter has learnt, and where it stands. */
static void take_over(struct wtl_run_filter *filter, struct wtl_run_filter *from)
{
    struct wtl_run_filter before = *filter;
    *filter = *from;
    *from = before;
    filter->history = before.history;
    filter->history_count = before.history_count;
    filter->judge_at = before.judge_at;
    filter->evidence = before.evidence;
    filter->evidence_weight = before.evidence_weight;
    from->history = NULL;
}

/*
 * What was learnt online confirms itself: a letter misread in the first round of a loop becomes a phase, and all rounds
 * after it are misread. So, now and then, the past is read with counts of the letters as read, of which most are right,
 * and again with what comes out of that.
 */
static int judge_again(struct wtl_run_filter *filter, struct wtl_run_contexts *as_read)
{
    struct wtl_run_filter *first = NULL, *second = NULL;
    int rc = read_again(filter, as_read, &first);
    rc = rc < 0 ? rc : read_again(filter, first->contexts, &second);
    if (rc == 0)
        take_over(filter, second);
    wtl_run_filter_destroy(first);
    wtl_run_filter_destroy(second);
    filter->judge_at *= 2;
    return rc;
}

static int note(struct wtl_run_filter *filter, uint16_t word)
{
    if (!filter->misreads || filter->history_count >= JUDGE_LAST)
        return 0;
    if (wtl_grow(&filter->history, filter->history_count, sizeof word) < 0)
        return -ENOMEM;
    filter->history[filter->history_count++] = word;
    return 0;
}

int wtl_run_filter_begin(struct wtl_run_filter *filter)
{
    int rc = note(filter, BEGIN);
    return rc < 0 ? rc : begin(filter);
}

int wtl_run_filter_observe(struct wtl_run_filter *filter,
                           uint16_t letter,
                           const struct wtl_run_filter *as_read)
{
    int rc = note(filter, letter);
    if (rc < 0 || !filter->misreads)
        return rc < 0 ? rc : observe_exactly(filter, letter);
    rc = observe(filter, letter);
    if (rc == 0 && filter->history_count >= filter->judge_at && filter->judge_at <= JUDGE_LAST)
        rc = judge_again(filter, as_read->contexts);
    return rc;
}

int wtl_run_filter_end(struct wtl_run_filter *filter)
{
    int rc = note(filter, (uint16_t)(filter->symbols - 1));
    return rc < 0 ? rc : end(filter);
}

double wtl_run_filter_evidence(const struct wtl_run_filter *filter)
{
    return filter->evidence_weight > 0 ? filter->evidence / filter->evidence_weight : 0;
}

/* -- what follows -- */

struct ahead {
    const struct wtl_run_filter *filter;
    double *sum, *follows; /* [symbols] */
    double ended;
};

/* All ways a hypothesis may go on, with its weight shared among them. */
static void follow_any(struct ahead *ahead, struct wtl_run_beam *to, const struct hypothesis *from)
{
    const struct wtl_run_contexts *contexts = ahead->filter->judge;
    size_t end_letter = ahead->filter->symbols - 1;
    double end = wtl_run_ends(contexts, &from->state);
    end = end < unlikely ? 0 : end > 1 - unlikely ? 1 : end;
    if (from->state.elapsed > 0 && end < 1) {
        ahead->sum[from->state.letter[0]] += from->weight * (1 - end);
        follow(contexts, to, from, 0, from->state.letter[0], from->weight * (1 - end));
    }
    if (!(from->weight * end > 0.1 * not_worth_ahead))
        return;
    wtl_run_follows(contexts, &from->state, ahead->follows);
    for (size_t i = 0; i < ahead->filter->symbols; i++) {
        double weight = from->weight * end * ahead->follows[i];
        if (ahead->follows[i] < unlikely)
            continue;
        ahead->sum[i] += weight;
        if (i != end_letter && weight > 0.1 * not_worth_ahead)
            follow(contexts, to, from, 0, (uint16_t)i, weight);
    }
    if (ahead->follows[end_letter] >= unlikely)
        ahead->ended += from->weight * end * ahead->follows[end_letter];
}

static size_t largest(const double *list, size_t n)
{
    size_t best = 0;
    for (size_t i = 1; i < n; i++)
        best = list[i] > list[best] ? i : best;
    return best;
}

/* The letter to predict: that of the most probable way, as long as there is one that stands out, so that letters far ahead
 * are still those of one sequence; then the most probable one over all ways. */
static size_t predicted(const struct ahead *ahead, const struct wtl_run_beam *beam)
{
    size_t most = largest(ahead->sum, ahead->filter->symbols);
    if (most == ahead->filter->symbols - 1 || run_beam_count(beam) == 0)
        return most;
    const struct hypothesis *best = run_beam_at(beam, run_beam_best(beam));
    return best->weight >= stands_out * ahead->sum[most] ? best->state.letter[0] : most;
}

static void step(struct ahead *ahead, const struct wtl_run_beam *beam, struct wtl_run_beam *next)
{
    memset(ahead->sum, 0, ahead->filter->symbols * sizeof *ahead->sum);
    run_beam_clear(next);
    for (size_t i = 0; i < run_beam_count(beam); i++)
        follow_any(ahead, next, run_beam_at(beam, i));
    ahead->sum[ahead->filter->symbols - 1] = ahead->ended;
    /* The weight of what was dropped goes to what was kept. */
    (void)run_beam_scale(next, not_worth_ahead, 1 - ahead->ended);
}

int wtl_run_filter_predict(const struct wtl_run_filter *filter,
                           size_t n,
                           uint16_t *ret_letters,
                           double *ret_probabilities)
{
    struct ahead ahead = {.filter = filter};
    struct wtl_run_beam *beam = NULL, *next = NULL;
    int rc = run_beam_create(KEPT_AHEAD, true, &beam);
    rc = rc < 0 ? rc : run_beam_create(KEPT_AHEAD, true, &next);
    ahead.sum = malloc(2 * filter->symbols * sizeof *ahead.sum);
    ahead.follows = ahead.sum ? ahead.sum + filter->symbols : NULL;
    rc = rc < 0 || ahead.sum ? rc : -ENOMEM;
    for (size_t i = 0; rc == 0 && i < run_beam_count(filter->beam); i++) {
        const struct hypothesis *from = run_beam_at(filter->beam, i);
        run_beam_add(beam, &from->state, from->weight, from->letter, 0);
    }
    for (size_t i = 0; rc == 0 && i < n; i++) {
        step(&ahead, beam, next);
        size_t best = predicted(&ahead, next);
        ret_letters[i] = (uint16_t)best;
        if (ret_probabilities)
            ret_probabilities[i] = ahead.sum[best] * read_right(filter);
        struct wtl_run_beam *before = beam;
        beam = next;
        next = before;
    }
    free(ahead.sum);
    run_beam_destroy(beam);
    run_beam_destroy(next);
    return rc;
}
