/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Time inside MPI calls, by rank, and its energy, for one trace (one node). Times are counted by
 * libwattle-mpi. The energy of the region "MPI" is that of the node while any of its ranks was in a
 * long call, by the region's own rules. What one rank spent in MPI is an estimate: sensors cannot
 * distinguish ranks, so each gets an equal share of the node's mean power.
 */
#ifndef WTL_ANALYSIS_MPI_TIME_H
#define WTL_ANALYSIS_MPI_TIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <wattle/error.h>

#include "analysis/regions/mpi_rank.h"
#include "analysis/regions/region_rows.h"
#include "model/result.h"

struct wtl_mpi_time {
    uint32_t ranks;             /* size of MPI_COMM_WORLD; 0 = unknown */
    struct wtl_mpi_rank *rows;  /* this node's ranks, sorted */
    size_t count;               /* 0 = no MPI program ran, or it ran without libwattle-mpi */
    double mean_share, union_s; /* union_s: any rank in a long call; NaN = no such region */
    struct wtl_energy energy;   /* energy during union_s */
};

/*
 * For the trace that `result` was read from: from its metadata; if it has none yet (live, cut off)
 * but has the region "MPI", from its events. Freed by wtl_mpi_time_fini(). Returns 0, -ENOMEM, or
 * the reader's error.
 */
int wtl_mpi_time_read(const struct wtl_result *result,
                      struct wtl_mpi_time *ret,
                      struct wattle_error *err);
void wtl_mpi_time_fini(struct wtl_mpi_time *mpi);

#endif
