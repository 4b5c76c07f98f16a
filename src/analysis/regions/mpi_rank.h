/* SPDX-License-Identifier: BSD-3-Clause */
/* What is known of an MPI rank: mpi_time.h, and of its GPUs: rank_devices.h. */
#ifndef WTL_ANALYSIS_MPI_RANK_H
#define WTL_ANALYSIS_MPI_RANK_H

#include <stdbool.h>
#include <stdint.h>

#include "model/energy.h"

struct wtl_mpi_rank {
    uint32_t rank;
    uint64_t calls;
    double time_s;   /* in which some thread of the rank was inside; in older traces summed over its
                 * threads */
    double share;    /* share of the window; above 1 only in traces with summed threads; NaN = no
                    * window */
    double energy_j; /* estimated; NaN = the total is unknown */
    int64_t process; /* in the table of processes; -1 = unknown */
    uint64_t gpus;   /* GPUs that its environment shows it, a bit each; see rank_devices.h */
    bool gpus_known;
    struct wtl_energy
        gpu_energy; /* of these, in the window; estimated if other ranks see them, too */
};

#endif
