/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Time inside MPI calls, by rank, and its energy, of one trace (one node). Times are counted by libwattle-mpi. The
 * energy of the region "MPI" is that of the node while any of its ranks was in a long call, by the region's own
 * rules. What one rank spent in MPI is an estimate: no sensor tells ranks apart, so each is given an equal part of the node's
 * mean power.
 */
#ifndef WTL_ANALYSIS_MPI_TIME_H
#define WTL_ANALYSIS_MPI_TIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <wattle/error.h>

#include "analysis/regions/region_rows.h"
#include "model/result.h"

struct wtl_mpi_rank {
    uint32_t rank;
    uint64_t calls;
    double
        time_s; /* in which some thread of the rank was inside; older traces: summed over its threads */
    double
        share; /* of the window; more than 1 only in traces of threads that were summed; NaN = it has none */
    double energy_j; /* estimated; NaN = the total is not known */
};

struct wtl_mpi_time {
    uint32_t ranks;             /* of MPI_COMM_WORLD; 0 = not known */
    struct wtl_mpi_rank *rows;  /* of this node, by rank */
    size_t count;               /* 0 = no MPI program ran, or without libwattle-mpi */
    double mean_share, union_s; /* union_s: any rank in a long call; NaN = no such region */
    struct wtl_energy energy;   /* of that time */
};

/*
 * Of the trace that `result` was read from. From its metadata; of one that has none yet (live, cut off) and knows the region
 * "MPI", from its events. Freed by wtl_mpi_time_fini(). Returns 0, -ENOMEM, or what the reader said.
 */
int wtl_mpi_time_read(const struct wtl_result *result,
                      struct wtl_mpi_time *ret,
                      struct wattle_error *err);
void wtl_mpi_time_fini(struct wtl_mpi_time *mpi);

#endif
