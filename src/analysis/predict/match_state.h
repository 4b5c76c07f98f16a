/* SPDX-License-Identifier: BSD-3-Clause */
/* How unlike letters are, for the files that align runs. */
#ifndef WTL_ANALYSIS_MATCH_STATE_H
#define WTL_ANALYSIS_MATCH_STATE_H

#include "analysis/predict/match.h"

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

#endif
