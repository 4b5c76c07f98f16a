/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Launcher: was this process started as one of many by mpirun, srun or similar, and of which job?
 * Determined from the environment that launchers give to ranks; if that does not name a job
 * (MPICH's hydra), from the launcher's own process on this node.
 */
#ifndef WTL_RECORD_LAUNCHER_H
#define WTL_RECORD_LAUNCHER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/world/world.h"

struct wtl_launcher {
    char job[192];   /* the same for all ranks on this node, different for every other job; "" =
                    * none */
    char run_id[64]; /* the same on all nodes of the job; "" = nothing available is */
    int ranks_here;  /* ranks of the job on this node; 0 = unknown */
};

/*
 * The launcher of this process. Checked in this order:
 *   WATTLE_JOB                          set by the user
 *   PMIX_NAMESPACE                      Open MPI's mpirun (with OMPI_MCA_orte_hnp_uri), prterun, srun --mpi=pmix
 *   SLURM_JOB_ID and SLURM_STEP_ID      srun (a batch script itself has no step: not launched)
 *   FLUX_JOB_ID, PALS_APID, ...         others, each with its variable for the rank
 *   PMI_RANK and similar                the nearest ancestor that belongs to a launcher, else the parent
 * Reads only the environment and /proc; thread-safe as long as no thread changes the environment.
 */
void wtl_launcher_of(const struct wtl_world *world, struct wtl_launcher *ret_launcher);

/* Text of the flag RANKS MISSING: fewer have taken part than the launcher has started here. False: none is missing, as far
 * as it tells. */
bool wtl_launcher_missing(const struct wtl_launcher *launcher,
                          uint32_t took_part,
                          char *text,
                          size_t n);

#endif
