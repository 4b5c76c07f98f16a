/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How sure a match is. Stored runs are cut where the run at hand is now, and matched as if they were it: with the other
 * runs of their program (how far are runs of one program apart?) and with those of others. Both distances, as logarithms,
 * are t distributions; a program's probability is its prior times the ratio of the two densities at the distance seen,
 * that of an unknown run its prior times 1.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/phases/dna.h"
#include "analysis/predict/match_state.h"
#include "base/whole.h"

enum { PROGRAMS = 8, CUTS = 24, OTHERS = 16, STEPS = 100000000 };

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
    return fmin(mine - theirs, 30);
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
static double nearest_of(struct wtl_match_search *s,
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
        double distance = wtl_match_distance(s->matcher, cut->nodes, s->runs[run].nodes, cut->count,
                                             nearest, cut->places);
        nearest = distance >= 0 ? fmin(nearest, distance) : nearest;
    }
    return nearest;
}

/* How many runs may be cut, so that long strings do not take long. */
static size_t affordable(const struct wtl_match_search *s)
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
static void see_others(struct wtl_match_search *s,
                       const struct cuts *cut,
                       const char *name,
                       struct spread *other)
{
    size_t step = s->match->compared / OTHERS + 1;
    for (size_t i = 0; i < s->match->compared; i += step) {
        const struct wtl_match_run *run = &s->runs[s->order[i]];
        if (strcmp(run->name, name) == 0)
            continue;
        double d =
            wtl_match_distance(s->matcher, cut->nodes, run->nodes, cut->count, 1, cut->places);
        see(other, d < 0 ? 1 : d);
    }
}

static int see_program(struct wtl_match_search *s,
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

static void set_probabilities(struct wtl_match_search *s,
                              const struct spread like[PROGRAMS],
                              const struct spread *other)
{
    struct wtl_match *match = s->match;
    struct spread all = {0, 0, 0};
    for (size_t p = 0; p < PROGRAMS; p++)
        all = (struct spread){all.n + like[p].n, all.sum + like[p].sum,
                              all.squares + like[p].squares};
    struct bell usual = bell_of(&all, like_mean, like_sd);
    struct bell others = bell_of(other, other_mean, other_sd);
    others.sd = fmax(others.sd, other_sd); /* programs that are not stored may be nearer */
    double sum = s->options->unknown;
    double prior = (1 - s->options->unknown) / (double)match->program_count;
    for (size_t p = 0; p < match->program_count; p++) {
        struct wtl_match_program *program = &match->programs[p];
        struct bell own =
            p < PROGRAMS && like[p].n > 0 ? bell_of(&like[p], usual.mean, usual.sd) : usual;
        program->probability =
            program->count == 0 ? 0 : prior * exp(log_evidence(&own, &others, program->distance));
        sum += program->probability;
    }
    for (size_t p = 0; p < match->program_count; p++)
        match->programs[p].probability /= sum;
    match->unknown = s->options->unknown / sum;
}

int wtl_match_judge(struct wtl_match_search *s)
{
    struct spread like[PROGRAMS] = {{0, 0, 0}}, other = {0, 0, 0};
    size_t cuts = affordable(s);
    for (size_t p = 0; p < s->match->program_count && p < PROGRAMS; p++) {
        int rc = see_program(s, &s->match->programs[p], cuts, &like[p], &other);
        if (rc < 0)
            return rc;
    }
    set_probabilities(s, like, &other);
    wtl_sort(s->match->programs, s->match->program_count, sizeof *s->match->programs, surer_first);
    const struct wtl_match_program *best = &s->match->programs[0];
    s->match->known = best->count > 0 && best->probability >= s->options->accept &&
                      best->probability > s->match->unknown;
    return 0;
}
