/* SPDX-License-Identifier: BSD-3-Clause */
/* The most probable hypotheses of where a run stands. Equal states are one hypothesis; the least probable one gives way. */
#ifndef WTL_ANALYSIS_PREDICT_RUN_BEAM_H
#define WTL_ANALYSIS_PREDICT_RUN_BEAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/predict/run_contexts.h"

struct wtl_hypothesis {
    struct wtl_run_state state;
    double weight;
    uint64_t hash; /* of the state */
    double
        largest; /* weight of the most probable of the ways that led here: its letter and origin are kept */
    uint16_t letter; /* the last one */
    uint8_t from;    /* index of the hypothesis before it */
};

struct wtl_run_beam;

/*
 * At most `most` hypotheses. If there are more: fair = false keeps the most probable ones; fair = true draws lots between the
 * least probable one and the one that is added, and the winner gets the weight of both, so that sums over many hypotheses
 * are right on average (the draws are the same each time). 0 or -ENOMEM.
 */
int wtl_run_beam_create(size_t most, bool fair, struct wtl_run_beam **ret_beam);
void wtl_run_beam_destroy(struct wtl_run_beam *beam); /* accepts NULL */
void wtl_run_beam_clear(struct wtl_run_beam *beam);
size_t wtl_run_beam_count(const struct wtl_run_beam *beam);
const struct wtl_hypothesis *wtl_run_beam_at(const struct wtl_run_beam *beam, size_t i);
size_t wtl_run_beam_best(const struct wtl_run_beam *beam);
/* A weight up to this one would not be kept. */
double wtl_run_beam_least(const struct wtl_run_beam *beam);
void wtl_run_beam_add(struct wtl_run_beam *beam,
                      const struct wtl_run_state *state,
                      double weight,
                      uint16_t letter,
                      uint8_t from);
/* Drop hypotheses with less than a share of the best one's weight, and scale the others to a sum. Returns the sum before. */
double wtl_run_beam_scale(struct wtl_run_beam *beam, double share, double sum);

#endif
