/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Launcher: was this process started as one of many by mpirun, srun or their like, and of which job? Told
 * from the environment that launchers give to ranks; where that names no job (MPICH's hydra), from the
 * launcher's own process on this node.
 */
#ifndef WTL_RECORD_LAUNCHER_H
#define WTL_RECORD_LAUNCHER_H

#include "base/world/world.h"

struct wtl_launcher {
    char job[192]; /* the same for all ranks on this node, another for every other job; "" = none */
    char run_id[64]; /* the same on all nodes of the job; "" = nothing here is */
    int ranks_here;  /* of the job on this node; 0 = unknown */
};

/*
 * Who started this process. In this order:
 *   WATTLE_JOB                          the user's own word
 *   PMIX_NAMESPACE                      Open MPI's mpirun (with OMPI_MCA_orte_hnp_uri), prterun, srun --mpi=pmix
 *   SLURM_JOB_ID and SLURM_STEP_ID      srun (a batch script itself has no step: not launched)
 *   FLUX_JOB_ID, PALS_APID, ...         others, each beside its variable for the rank
 *   PMI_RANK and the like               the nearest ancestor that is a launcher's, else the parent
 * Reads the environment and /proc only; safe from any thread that nobody changes the environment beside.
 */
void wtl_launcher_of(const struct wtl_world *world, struct wtl_launcher *ret_launcher);

#endif
