/* SPDX-License-Identifier: BSD-3-Clause */
/* Between match.c, which finds the nearest runs, and match_sure.c, which says how sure that is. */
#ifndef WTL_ANALYSIS_MATCH_STATE_H
#define WTL_ANALYSIS_MATCH_STATE_H

#include "analysis/predict/match.h"

struct wtl_match_search {
    const struct wtl_match_run *runs;
    const struct wtl_match_run *beginning;
    const struct wtl_match_options *options;
    struct wtl_matcher *matcher;
    struct wtl_match *match;
    size_t *order;                  /* [compared]: runs with as many nodes, by name */
    struct wtl_match_place *places; /* [found * nodes]: of each run that was kept */
    double length_s;                /* of the beginning, all nodes */
};

/* How unlike letter a of a beginning and letter b of a stored run are. */
static inline double wtl_match_unlike(const struct wtl_match_options *o, unsigned a, unsigned b)
{
    if (o->unlike && a < o->letters && b < o->letters)
        return o->unlike[a * o->letters + b];
    return a == b ? 0 : 1;
}

static inline double wtl_match_pace(const struct wtl_match_options *o, unsigned letter)
{
    return o->pace && letter < o->letters ? o->pace[letter] : 1;
}

/* The distance of a beginning from a run, over all nodes; -1: beyond the bound. places: [nodes]. */
double wtl_match_distance(struct wtl_matcher *matcher,
                          const struct wtl_dna *beginning,
                          const struct wtl_dna *stored,
                          size_t nodes,
                          double bound,
                          struct wtl_match_place *places);

/* Set the probabilities of the programs, which are sorted by distance, and sort them by probability. 0 or -ENOMEM. */
int wtl_match_judge(struct wtl_match_search *search);

#endif
