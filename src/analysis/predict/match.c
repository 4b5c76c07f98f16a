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

/* Farther than this times the nearest, plus a margin: not a candidate. */
static const double far_times = 3, far_margin = 0.15;

double wtl_match_distance(struct wtl_matcher *matcher,
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

static int group(struct wtl_match_search *s, size_t run_count)
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

static void keep(struct wtl_match_search *s,
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

static void visit(struct wtl_match_search *s,
                  struct wtl_match_program *program,
                  size_t run,
                  double *nearest,
                  struct wtl_match_place *places)
{
    double bound = fmin(*nearest * far_times + far_margin, 1);
    if (program->count == WTL_MATCH_KEPT)
        bound = fmin(bound, s->match->found[program->first + WTL_MATCH_KEPT - 1].distance);
    double distance = wtl_match_distance(s->matcher, s->beginning->nodes, s->runs[run].nodes,
                                         s->beginning->node_count, bound, places);
    if (distance < 0)
        return;
    keep(s, program, run, distance, places);
    *nearest = fmin(*nearest, distance);
}

static int find_nearest(struct wtl_match_search *s)
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
static void locate(struct wtl_match_search *s)
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
    struct wtl_match_search s = {
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
        rc = rc < 0 ? rc : wtl_match_judge(&s);
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
