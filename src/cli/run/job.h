/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Job: one "wattle run" among many that a launcher has started (mpirun, srun). On each node one of them has
 * the seat (record/seat.h) and measures; the others hold their command, hand its regions to the one
 * that measures, and print nothing. Without a launcher there is no job, and nothing of this happens.
 *
 *     wtl_job_init(&job, world, mpi);
 *     wtl_job_join(&job, &role, err);
 *     WTL_JOB_MEASURE:   wtl_job_environment(), wtl_job_publish(), wtl_job_gather(), ...   by measure.c
 *     WTL_JOB_FOLLOW:    wtl_job_follow()
 *     wtl_job_fini(&job);
 */
#ifndef WTL_CLI_JOB_H
#define WTL_CLI_JOB_H

#include <stdbool.h>

#include <wattle/error.h>

#include "cli/run/child.h"
#include "measure/measurement.h"
#include "model/result.h"
#include "record/energy_link.h"
#include "record/launcher.h"
#include "record/seat.h"

enum wtl_job_mpi { WTL_JOB_MPI_AUTO, WTL_JOB_MPI_ON, WTL_JOB_MPI_OFF };

enum wtl_job_role {
    WTL_JOB_MEASURE, /* alone, or the one of its node */
    WTL_JOB_FOLLOW   /* another process of this node measures; its note is in the job */
};

struct wtl_job {
    const struct wtl_world *world;
    struct wtl_seat_key key;
    struct wtl_launcher launcher;
    struct wtl_seat *seat;       /* NULL = stands alone */
    struct wtl_seat_note note;   /* of the one that measures */
    bool followed;               /* its note has come */
    struct wtl_energy_link page; /* its energy page, to go on in */
    bool has_usage;              /* of the members beside the own command: */
    struct wtl_seat_usage usage;
    bool others_went_on; /* when the measuring one's command had failed */
    char *environment
        [5]; /* owned: WATTLE_SPOOL_NODE, WATTLE_SPOOL, LD_PRELOAD, WATTLE_MEASURED; ended by NULL */
};

/* Node, launcher, the library for MPI. 0 or -errno; in both cases for wtl_job_fini(). -ENOENT: it was asked
 * for (WTL_JOB_MPI_ON) and is not there. */
int wtl_job_init(struct wtl_job *job,
                 const struct wtl_world *world,
                 enum wtl_job_mpi mpi,
                 struct wattle_error *err);
void wtl_job_fini(struct wtl_job *job); /* leaves the seat */

/* Measure or follow? Waits some seconds at most for the one that measures to say where. 0, or why no seat
 * can be had: then this process stands alone. */
int wtl_job_join(struct wtl_job *job, enum wtl_job_role *ret_role, struct wattle_error *err);

/* The one that measures writes no trace: programs below are not to measure once more. 0 or -ENOMEM. */
int wtl_job_without_trace(struct wtl_job *job, struct wattle_error *err);

/* Strings "K=V" for the command beside WATTLE_SPOOL, ended by NULL; the job's. */
char *const *wtl_job_environment(const struct wtl_job *job);

/* The one that measures says where its trace (NULL = none) and the folder for regions (NULL = none) are, and waits
 * up to some seconds for the ranks of this node that the launcher has announced. */
void wtl_job_publish(struct wtl_job *job, const char *trace, const char *spool);

/*
 * The own command has ended: wait for those of the others, and add up what they used. Not for long when
 * the command has failed or a signal has come: a launcher must see the failure to end the others. True
 * when there was anybody to wait for.
 */
bool wtl_job_gather(struct wtl_job *job,
                    const struct wtl_child *child,
                    struct wtl_signals *signals);

/* Processor time and memory of the whole job on this node into the usage of the own command. */
void wtl_job_add_usage(const struct wtl_job *job, struct wtl_child *child);

/* What cannot be said, as flags of the result. */
void wtl_job_flag(const struct wtl_job *job, struct wtl_result *result);

/*
 * Run the command argv with the regions going to the one that measures; *ret_child tells how it ended. When the one
 * that measures is killed, go on in its place, as `measure` says (sensors, interval): then *ret_trace is the finished
 * trace, the job's, else NULL. 0, or why the command could not be run.
 */
int wtl_job_follow(struct wtl_job *job,
                   char *const *argv,
                   const struct wtl_measurement_options *measure,
                   struct wtl_signals *signals,
                   struct wtl_child *ret_child,
                   const char **ret_trace,
                   struct wattle_error *err);

#endif
