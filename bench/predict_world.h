/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs of generated worlds as strings of letters, with the centres of their letters, for bench_predict*.c. */
#ifndef WTL_BENCH_PREDICT_WORLD_H
#define WTL_BENCH_PREDICT_WORLD_H

#include "analysis/phases/dna.h"
#include "sim/phases/phase_world.h"

/* What was seen of the letters of a platform. */
struct predict_letters {
    double seconds[WTL_SIM_LETTERS], sum[WTL_SIM_LETTERS][WTL_SIM_COUNTERS];
    double centre[WTL_SIM_LETTERS * WTL_SIM_COUNTERS]; /* letter by letter, `columns` each */
};

/* One run; letters may be NULL. Returns its energy in joules. */
double predict_run(const struct wtl_phase_world_config *config,
                   struct wtl_dna *ret_dna,
                   struct predict_letters *letters);
void predict_centres(struct predict_letters *letters, size_t count, size_t columns);

/* The first seconds of a string. */
struct wtl_dna predict_cut(const struct wtl_dna *dna, double seconds);

#endif
