/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The nearest stored runs: see match.h. Runs are visited program by program, the first of each before the others, so that
 * most of the rest are given up early: a run counts if it is among the nearest of its program, and not much farther than
 * the nearest of all.
 */
#define _GNU_SOURCE
#include "analysis/predict/match.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/phases/dna.h"
#include "analysis/predict/match_state.h"
#include "base/fail.h"
#include "base/whole.h"

struct match_search {
    const struct wtl_match_run *runs;
    const struct wtl_match_run *beginning;
    const struct wtl_match_options *options;
    struct wtl_matcher *matcher;
    struct wtl_match *match;
    size_t *order;                  /* [compared]: runs with as many nodes, by name */
    struct wtl_match_place *places; /* [found * nodes]: of each run that was kept */
    double length_s;                /* of the beginning, all nodes */
};

/* Farther than this times the nearest, plus a margin: not a candidate. */
static const double far_times = 3, far_margin = 0.15;

/* The distance of a beginning from a run, over all nodes; -1: beyond the bound. places: [nodes]. */
static double match_distance(struct wtl_matcher *matcher,
                             const struct wtl_dna *beginning,
                             const struct wtl_dna *stored,
                             size_t nodes,
                             double bound,
                             struct wtl_match_place *places)
{
    double length_s = 0, cost_s = 0;
    for (size_t i = 0; i < nodes; i++)
        length_s += wtl_dna_seconds(&beginning[i]);
    for (size_t i = 0; i < nodes; i++) {
        if (!wtl_matcher_align(matcher, &beginning[i], &stored[i], bound * length_s - cost_s,
                               &places[i]))
            return -1;
        cost_s += places[i].cost_s;
    }
    return length_s > 0 ? fmin(cost_s / length_s, 1) : -1;
}

/* ---- the runs, by program ---- */

static int by_name(const void *a, const void *b, void *of)
{
    const struct wtl_match_run *runs = of;
    size_t i = *(const size_t *)a, k = *(const size_t *)b;
    int order = strcmp(runs[i].name, runs[k].name);
    return order ? order : (i > k) - (i < k);
}

static int group(struct match_search *s, size_t run_count)
{
    struct wtl_match *match = s->match;
    size_t kept = 0;
    s->order = calloc(run_count, sizeof *s->order);
    match->programs = calloc(run_count, sizeof *match->programs);
    if (!s->order || !match->programs)
        return -ENOMEM;
    for (size_t i = 0; i < run_count; i++) {
        if (s->runs[i].node_count == s->beginning->node_count)
            s->order[match->compared++] = i;
        else
            match->left_out++;
    }
    qsort_r(s->order, match->compared, sizeof *s->order, by_name, (void *)s->runs);
    for (size_t i = 0; i < match->compared; i++) {
        const char *name = s->runs[s->order[i]].name;
        assert(name);
        struct wtl_match_program *last =
            match->program_count ? &match->programs[match->program_count - 1] : NULL;
        assert(!last || last->name);
        if (!last || strcmp(last->name, name) != 0) {
            last = &match->programs[match->program_count++];
            *last = (struct wtl_match_program){.name = name, .first = kept, .distance = 1};
        }
        last->runs++;
        kept += last->runs <= WTL_MATCH_KEPT;
    }
    match->found_count = kept;
    match->found = calloc(kept ? kept : 1, sizeof *match->found);
    s->places = calloc((kept ? kept : 1) * s->beginning->node_count, sizeof *s->places);
    return match->found && s->places ? 0 : -ENOMEM;
}

/* ---- the nearest ---- */

static void keep(struct match_search *s,
                 struct wtl_match_program *program,
                 size_t run,
                 double distance,
                 const struct wtl_match_place *places)
{
    struct wtl_match_found *found = &s->match->found[program->first];
    size_t nodes = s->beginning->node_count, place = program->count;
    struct wtl_match_place *all = &s->places[program->first * nodes];
    if (program->count < WTL_MATCH_KEPT)
        program->count++;
    else
        place = WTL_MATCH_KEPT - 1;
    for (; place > 0 && found[place - 1].distance > distance; place--) {
        found[place] = found[place - 1];
        memcpy(&all[place * nodes], &all[(place - 1) * nodes], nodes * sizeof *all);
    }
    found[place] = (struct wtl_match_found){.run = run, .distance = distance};
    memcpy(&all[place * nodes], places, nodes * sizeof *all);
    program->distance = found[0].distance;
}

static void visit(struct match_search *s,
                  struct wtl_match_program *program,
                  size_t run,
                  double *nearest,
                  struct wtl_match_place *places)
{
    double bound = fmin(*nearest * far_times + far_margin, 1);
    if (program->count == WTL_MATCH_KEPT)
        bound = fmin(bound, s->match->found[program->first + WTL_MATCH_KEPT - 1].distance);
    double distance = match_distance(s->matcher, s->beginning->nodes, s->runs[run].nodes,
                                     s->beginning->node_count, bound, places);
    if (distance < 0)
        return;
    keep(s, program, run, distance, places);
    *nearest = fmin(*nearest, distance);
}

static int find_nearest(struct match_search *s)
{
    double nearest = 1;
    struct wtl_match_place *places = calloc(s->beginning->node_count, sizeof *places);
    if (!places)
        return -ENOMEM;
    for (int first = 1; first >= 0; first--) {
        size_t at = 0;
        for (size_t p = 0; p < s->match->program_count; p++) {
            struct wtl_match_program *program = &s->match->programs[p];
            for (size_t i = 0; i < program->runs; i++) {
                if ((i == 0) == (first == 1))
                    visit(s, program, s->order[at + i], &nearest, places);
            }
            at += program->runs;
        }
    }
    free(places);
    return 0;
}

/* ---- where they are ---- */

static void add_up(const struct wtl_dna *dna,
                   const struct wtl_match_place *place,
                   struct wtl_match_found *found)
{
    for (size_t k = 0; k < dna->count; k++) {
        const struct wtl_base *base = &dna->list[k];
        double part = k < place->base        ? 1
                      : k > place->base      ? 0
                      : base->duration_s > 0 ? place->into_s / base->duration_s
                                             : 1;
        double joules = base->known_s > 0 ? base->energy_j * base->duration_s / base->known_s : 0;
        found->done_j += part * joules;
        found->rest_j += (1 - part) * joules;
        found->unknown_s += base->known_s > 0 ? 0 : base->duration_s;
    }
    if (place->base < dna->count)
        found->open_j = hypot(found->open_j, dna->list[place->base].half_j);
}

/* Energy adds up over nodes; time is that of the node that takes longest. */
static void locate(struct match_search *s)
{
    size_t nodes = s->beginning->node_count;
    for (size_t f = 0; f < s->match->found_count; f++) {
        struct wtl_match_found *found = &s->match->found[f];
        const struct wtl_match_place *places = &s->places[f * nodes];
        if (!(places[0].length_s > 0))
            continue;
        for (size_t i = 0; i < nodes; i++) {
            const struct wtl_dna *dna = &s->runs[found->run].nodes[i];
            double done_s = places[i].into_s, all_s = wtl_dna_seconds(dna);
            for (size_t k = 0; k < places[i].base; k++)
                done_s += dna->list[k].duration_s;
            found->done_s = fmax(found->done_s, done_s);
            found->rest_s = fmax(found->rest_s, all_s - done_s);
            add_up(dna, &places[i], found);
        }
        found->base = places[0].base;
        found->into_s = places[0].into_s;
    }
}

/* ---- how sure a match is ---- */

/*
 * Stored runs are cut where the run at hand is now, and matched as if they were it: with the other
 * runs of their program (how far are runs of one program apart?) and with those of others. Both distances, as logarithms,
 * are t distributions; a program's probability is its prior times the ratio of the two densities at the distance seen,
 * that of an unknown run its prior times 1.
 *
 * The ratio is taken from the tails of a few distances, so it is bounded by what the beginning shows: a single letter is
 * that of many programs, however well it fits. Each step of it (which letter follows which, how long a letter lasts) counts
 * by how many of the other programs have it, too.
 */

enum { PROGRAMS = 8, CUTS = 24, OTHERS = 16, STEPS = 100000000, FACTS = 64, LOOKED_AT = 8 };

/* Distances below this are as good as equal. */
static const double floor_distance = 0.005;

/* What is believed of the logarithms of distances before any are seen, worth so many of them. */
static const double like_mean = -3.7, like_sd = 0.7; /* about 0.02 */
static const double other_mean = -0.9, other_sd = 0.7;
static const double prior_runs = 2;

struct spread {
    double n, sum, squares;
};

static void see(struct spread *s, double distance)
{
    double x = log(distance + floor_distance);
    s->n++;
    s->sum += x;
    s->squares += x * x;
}

struct bell {
    double mean, sd, df;
};

/* A normal distribution with both parameters unknown, after the prior and what was seen. */
static struct bell bell_of(const struct spread *s, double mean, double sd)
{
    double n = prior_runs + s->n;
    double middle = (prior_runs * mean + s->sum) / n, own = s->n > 0 ? s->sum / s->n : mean;
    double squares = prior_runs * sd * sd + (s->n > 0 ? s->squares - s->n * own * own : 0) +
                     prior_runs * s->n / n * (own - mean) * (own - mean);
    return (struct bell){middle, sqrt(fmax(squares, 1e-6) / n * (1 + 1 / n)), n};
}

static double log_density(const struct bell *bell, double x)
{
    double z = (x - bell->mean) / bell->sd, df = bell->df;
    return lgamma((df + 1) / 2) - lgamma(df / 2) - 0.5 * log(df * 3.14159265358979) -
           log(bell->sd) - (df + 1) / 2 * log1p(z * z / df);
}

/* Nearer than usual speaks for a program as much as usual does; farther than usual for others likewise. */
static double log_evidence(const struct bell *like, const struct bell *other, double distance)
{
    double x = log(distance + floor_distance);
    double mine = log_density(like, fmax(x, like->mean));
    double theirs = log_density(other, fmin(x, other->mean));
    return mine - theirs;
}

/* ---- what the beginning shows ---- */

/* A step of a run: a letter follows another one, or lasts so long then. A loop shows each of its steps once. */
struct fact {
    uint16_t before, letter; /* before: WTL_DNA_UNKNOWN at the start of the run */
    double seconds;          /* of a letter that is over; 0: only that it follows */
};

/* Lengths of a letter that differ by less are the same. */
static const double same_length = 0.2;

static struct fact fact_of(const struct wtl_dna *dna, size_t k)
{
    return (struct fact){k > 0 ? dna->list[k - 1].letter : WTL_DNA_UNKNOWN, dna->list[k].letter,
                         dna->list[k].duration_s};
}

static bool same_step(const struct fact *a, const struct fact *b)
{
    return a->before == b->before && a->letter == b->letter;
}

static bool shows(const struct wtl_dna *dna, const struct fact *fact)
{
    for (size_t k = 0; k < dna->count; k++) {
        struct fact own = fact_of(dna, k);
        double most = fmax(own.seconds, fact->seconds);
        if (same_step(&own, fact) &&
            (fact->seconds == 0 || fabs(own.seconds - fact->seconds) <= same_length * most))
            return true;
    }
    return false;
}

/* Letters that are not in the alphabet are as good as none; the length of one of fixed length says nothing. */
static size_t take_facts(const struct wtl_dna *dna, struct fact facts[FACTS])
{
    size_t n = 0;
    for (size_t k = 0; k < dna->count && n + 2 <= FACTS; k++) {
        struct fact fact = fact_of(dna, k);
        bool is = fact.letter != WTL_DNA_UNKNOWN && (k == 0 || fact.before != WTL_DNA_UNKNOWN);
        for (size_t i = 0; is && i < n; i++)
            is = !same_step(&facts[i], &fact);
        if (!is)
            continue;
        facts[n++] = (struct fact){fact.before, fact.letter, 0};
        if (k + 1 < dna->count && !(dna->step_s > 0))
            facts[n++] = fact;
    }
    return n;
}

/* How many programs have each step, in one of their first runs. */
static void count_programs(const struct match_search *s,
                           size_t node,
                           const struct fact *facts,
                           size_t n,
                           size_t *have)
{
    for (size_t f = 0; f < n; f++) {
        const char *name = NULL;
        size_t looked = 0;
        bool has = false;
        for (size_t i = 0; i < s->match->compared; i++) {
            const struct wtl_match_run *run = &s->runs[s->order[i]];
            if (!name || strcmp(name, run->name) != 0) {
                name = run->name;
                looked = 0;
                has = false;
            }
            if (has || looked++ >= LOOKED_AT)
                continue;
            has = shows(&run->nodes[node], &facts[f]);
            have[f] += has;
        }
    }
}

/*
 * The most evidence for each program, as a logarithm: the chance that another one shows a step is (k + 1) / (n + 2) when k of
 * the n others do. Nodes of a run do the same, so they do not add up: the one that shows most counts. [program_count]
 */
static void bound_evidence(const struct match_search *s, double *bound)
{
    const struct wtl_match *match = s->match;
    for (size_t node = 0; node < s->beginning->node_count; node++) {
        struct fact facts[FACTS];
        size_t have[FACTS] = {0}, n = take_facts(&s->beginning->nodes[node], facts);
        count_programs(s, node, facts, n, have);
        for (size_t p = 0; p < match->program_count; p++) {
            const struct wtl_match_program *program = &match->programs[p];
            double sum = 0;
            for (size_t f = 0; program->count > 0 && f < n; f++) {
                const struct wtl_match_run *run = &s->runs[match->found[program->first].run];
                double others = have[f] > 0 ? (double)have[f] - 1 : 0;
                if (shows(&run->nodes[node], &facts[f]))
                    sum += log(((double)match->program_count + 1) / (others + 1));
            }
            bound[p] = fmax(bound[p], sum);
        }
    }
}

/* ---- stored runs as if they were at the same place ---- */

struct cuts {
    struct wtl_dna *nodes; /* [nodes], each with its own list */
    struct wtl_match_place *places;
    size_t count;
};

static void cuts_fini(struct cuts *cut)
{
    for (size_t i = 0; cut->nodes && i < cut->count; i++)
        free(cut->nodes[i].list);
    free(cut->nodes);
    free(cut->places);
}

static int cuts_make(struct cuts *cut,
                     const struct wtl_match_run *run,
                     const struct wtl_match_place *places)
{
    *cut = (struct cuts){calloc(run->node_count, sizeof *cut->nodes),
                         calloc(run->node_count, sizeof *cut->places), run->node_count};
    for (size_t i = 0; cut->nodes && cut->places && i < run->node_count; i++) {
        const struct wtl_dna *from = &run->nodes[i];
        struct wtl_dna *to = &cut->nodes[i];
        size_t count = places[i].base + 1 < from->count ? places[i].base + 1 : from->count;
        to->list = calloc(count ? count : 1, sizeof *to->list);
        if (!to->list)
            return -ENOMEM;
        memcpy(to->list, from->list, count * sizeof *to->list);
        if (count > 0)
            to->list[count - 1].duration_s = places[i].into_s;
        to->count = count;
    }
    return cut->nodes && cut->places ? 0 : -ENOMEM;
}

/* The least distance of a cut run from runs of a program; 1: none of them is near. */
static double nearest_of(struct match_search *s,
                         const struct cuts *cut,
                         const struct wtl_match_program *program,
                         size_t most,
                         size_t self)
{
    double nearest = 1;
    for (size_t k = 0; k < program->count && k < most; k++) {
        size_t run = s->match->found[program->first + k].run;
        if (run == self)
            continue;
        double distance = match_distance(s->matcher, cut->nodes, s->runs[run].nodes, cut->count,
                                         nearest, cut->places);
        nearest = distance >= 0 ? fmin(nearest, distance) : nearest;
    }
    return nearest;
}

/* How many runs may be cut, so that long strings do not take long. */
static size_t affordable(const struct match_search *s)
{
    double cells = 0;
    for (size_t i = 0; i < s->beginning->node_count; i++) {
        const struct wtl_match_run *run = &s->runs[s->order[0]];
        cells += (double)s->beginning->nodes[i].count * (double)run->nodes[i].count;
    }
    double most = (double)STEPS / (PROGRAMS * (WTL_MATCH_KEPT + OTHERS) * fmax(cells, 1));
    return most > CUTS ? CUTS : most < 4 ? 4 : (size_t)most;
}

/* Distances of a cut run from some runs of other programs, evenly over all of them. */
static void see_others(struct match_search *s,
                       const struct cuts *cut,
                       const char *name,
                       struct spread *other)
{
    size_t step = s->match->compared / OTHERS + 1;
    for (size_t i = 0; i < s->match->compared; i += step) {
        const struct wtl_match_run *run = &s->runs[s->order[i]];
        if (strcmp(run->name, name) == 0)
            continue;
        double d = match_distance(s->matcher, cut->nodes, run->nodes, cut->count, 1, cut->places);
        see(other, d < 0 ? 1 : d);
    }
}

static int see_program(struct match_search *s,
                       const struct wtl_match_program *program,
                       size_t cuts,
                       struct spread *like,
                       struct spread *other)
{
    size_t step = program->count / cuts + 1;
    for (size_t i = 0; i < program->count; i += step) {
        struct cuts cut;
        size_t found = program->first + i, run = s->match->found[found].run;
        int rc = cuts_make(&cut, &s->runs[run], &s->places[found * s->beginning->node_count]);
        if (rc == 0 && program->count > 1)
            see(like, nearest_of(s, &cut, program, WTL_MATCH_KEPT, run));
        if (rc == 0)
            see_others(s, &cut, program->name, other);
        cuts_fini(&cut);
        if (rc < 0)
            return rc;
    }
    return 0;
}

/* ---- probabilities ---- */

static int surer_first(const void *a, const void *b)
{
    const struct wtl_match_program *p = a, *q = b;
    if (p->probability != q->probability)
        return p->probability > q->probability ? -1 : 1;
    if (p->distance != q->distance)
        return p->distance < q->distance ? -1 : 1;
    return strcmp(p->name, q->name);
}

static void set_probabilities(struct match_search *s,
                              const struct spread like[PROGRAMS],
                              const struct spread *other,
                              const double *bound)
{
    struct wtl_match *match = s->match;
    struct spread of_all = {0, 0, 0};
    for (size_t p = 0; p < PROGRAMS; p++)
        of_all = (struct spread){of_all.n + like[p].n, of_all.sum + like[p].sum,
                                 of_all.squares + like[p].squares};
    struct bell usual = bell_of(&of_all, like_mean, like_sd);
    struct bell others = bell_of(other, other_mean, other_sd);
    others.sd = fmax(others.sd, other_sd); /* programs that are not stored may be nearer */
    /* Few programs are few of those that there are. */
    double all = (double)(match->program_count + s->options->elsewhere);
    double unknown = fmax(s->options->unknown, 1 / (all + 1)), prior = (1 - unknown) / all;
    unknown += prior * (double)s->options->elsewhere;
    double sum = unknown;
    for (size_t p = 0; p < match->program_count; p++) {
        struct wtl_match_program *program = &match->programs[p];
        struct bell own =
            p < PROGRAMS && like[p].n > 0 ? bell_of(&like[p], usual.mean, usual.sd) : usual;
        program->probability =
            program->count == 0
                ? 0
                : prior * exp(fmin(log_evidence(&own, &others, program->distance), bound[p]));
        sum += program->probability;
    }
    for (size_t p = 0; p < match->program_count; p++)
        match->programs[p].probability /= sum;
    match->unknown = unknown / sum;
}

/* Set the probabilities of the programs, which are sorted by distance, and sort them by probability. 0 or -ENOMEM. */
static int match_judge(struct match_search *s)
{
    struct spread like[PROGRAMS] = {{0, 0, 0}}, other = {0, 0, 0};
    size_t cuts = affordable(s);
    double *bound = calloc(s->match->program_count + 1, sizeof *bound);
    int rc = bound ? 0 : -ENOMEM;
    for (size_t p = 0; rc == 0 && p < s->match->program_count && p < PROGRAMS; p++)
        rc = see_program(s, &s->match->programs[p], cuts, &like[p], &other);
    if (rc == 0) {
        bound_evidence(s, bound);
        set_probabilities(s, like, &other, bound);
    }
    free(bound);
    if (rc < 0)
        return rc;
    wtl_sort(s->match->programs, s->match->program_count, sizeof *s->match->programs, surer_first);
    const struct wtl_match_program *best = &s->match->programs[0];
    s->match->known = best->count > 0 && best->probability >= s->options->accept &&
                      best->probability > s->match->unknown;
    return 0;
}

/* ---- the match ---- */

static int nearer_first(const void *a, const void *b)
{
    const struct wtl_match_program *p = a, *q = b;
    if (p->distance != q->distance)
        return p->distance < q->distance ? -1 : 1;
    return strcmp(p->name, q->name);
}

int wtl_match_find(const struct wtl_match_run *runs,
                   size_t run_count,
                   const struct wtl_match_run *beginning,
                   const struct wtl_match_options *options,
                   struct wtl_match *ret_match,
                   struct wattle_error *err)
{
    struct wtl_match match = {.unknown = 1};
    struct match_search s = {
        .runs = runs, .beginning = beginning, .options = options, .match = &match};
    for (size_t i = 0; i < beginning->node_count; i++)
        s.length_s += wtl_dna_seconds(&beginning->nodes[i]);
    if (!(s.length_s > 0))
        return wtl_fail(err, -ENODATA, "the run has no phases yet; try again when it is longer");
    if (run_count == 0)
        return wtl_fail(err, -ENODATA, "the model has no runs; learn it from at least one trace");
    int rc = wtl_matcher_create(options, &s.matcher);
    rc = rc < 0 ? rc : group(&s, run_count);
    if (rc == 0 && match.compared == 0)
        rc = wtl_fail(err, -ENODATA,
                      "the run has %zu node%s, and no run of the model has as many; learn one",
                      beginning->node_count, beginning->node_count == 1 ? "" : "s");
    else if (rc < 0)
        rc = wtl_no_memory_for(err, "%zu runs of a model", run_count);
    if (rc == 0) {
        rc = find_nearest(&s);
        locate(&s);
        wtl_sort(match.programs, match.program_count, sizeof *match.programs, nearer_first);
        rc = rc < 0 ? rc : match_judge(&s);
        rc = rc < 0 ? wtl_no_memory_for(err, "%zu runs of a model", run_count) : 0;
    }
    wtl_matcher_destroy(s.matcher);
    free(s.order);
    free(s.places);
    if (rc < 0)
        wtl_match_fini(&match);
    else
        *ret_match = match;
    return rc;
}

void wtl_match_fini(struct wtl_match *match)
{
    free(match->programs);
    free(match->found);
    *match = (struct wtl_match){.unknown = 1};
}
