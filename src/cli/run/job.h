/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Job: one "wattle run" among many that a launcher has started (mpirun, srun). On each node one of them has
 * the seat (record/seat.h) and measures; the others hold their command, hand its regions to the one
 * that measures, and print nothing. Without a launcher there is no job, and nothing of this happens.
 *
 *     wtl_job_init(&job, world, &tools);
 *     wtl_job_join(&job, &role, err);
 *     WTL_JOB_MEASURE:   wtl_job_environment(), wtl_job_await(), wtl_job_publish(), wtl_job_gather(), ...   by measure.c
 *     WTL_JOB_FOLLOW:    wtl_job_follow()
 *     wtl_job_fini(&job);
 */
#ifndef WTL_CLI_JOB_H
#define WTL_CLI_JOB_H

#include <stdbool.h>

#include <wattle/error.h>

#include "cli/run/child.h"
#include "cli/run/tools.h"
#include "measure/measurement.h"
#include "model/result.h"
#include "record/energy_link.h"
#include "record/launcher.h"
#include "record/seat.h"

enum wtl_job_role {
    WTL_JOB_MEASURE, /* alone, or the one of its node */
    WTL_JOB_FOLLOW   /* another process on this node measures; its note is in the job */
};

enum { WTL_JOB_ENVIRONMENT = 4 + WTL_TOOLS_ENVIRONMENT };

struct wtl_job {
    const struct wtl_world *world;
    struct wtl_seat_key key;
    struct wtl_launcher launcher;
    struct wtl_seat *seat;       /* NULL = not in a job */
    struct wtl_seat_note note;   /* of the measuring process */
    bool followed;               /* its note has arrived */
    struct wtl_energy_link page; /* its energy page, to continue */
    bool has_usage;              /* of the members other than our command: */
    struct wtl_seat_usage usage;
    bool others_went_on; /* when the command of the measuring process had failed */
    char *environment[WTL_JOB_ENVIRONMENT]; /* owned: WATTLE_SPOOL_NODE, WATTLE_SPOOL,
                                               WATTLE_MEASURED, and those of tools.h; ended by NULL */
};

/* Determine node, launcher and the tools for the command. Returns 0 or -errno; call wtl_job_fini() in both
 * cases. -ENOENT: a tool was requested but not found. */
int wtl_job_init(struct wtl_job *job,
                 const struct wtl_world *world,
                 const struct wtl_tools *tools,
                 struct wattle_error *err);
void wtl_job_fini(struct wtl_job *job); /* leaves the seat */

/* Measure or follow? Waits a few seconds for the note of the measuring process. Returns 0, or why no seat
 * can be acquired: then this process measures for itself. */
int wtl_job_join(struct wtl_job *job, enum wtl_job_role *ret_role, struct wattle_error *err);

/* The measuring process writes no trace: nested programs must not measure again. Returns 0 or -ENOMEM. */
int wtl_job_without_trace(struct wtl_job *job, struct wattle_error *err);

/* Strings "K=V" for the command in addition to WATTLE_SPOOL, ended by NULL; owned by the job. */
char *const *wtl_job_environment(const struct wtl_job *job);

/* The measuring process, before the window: waits for the ranks of this node announced by the launcher, until none has come
 * for a few seconds. */
void wtl_job_await(struct wtl_job *job);

/* Once the window is open: publishes the trace (NULL = none) and the folder for regions (NULL = none). This releases the commands
 * of the others, whose regions the window must hold. */
void wtl_job_publish(struct wtl_job *job, const char *trace, const char *spool);

/*
 * Our command has ended: wait for those of the others and sum their usage. Only briefly if the command failed
 * or a signal arrived: a launcher must see the failure to end the others. Returns true if there were others.
 */
bool wtl_job_gather(struct wtl_job *job,
                    const struct wtl_child *child,
                    struct wtl_signals *signals);

/* Add CPU time and memory of the whole job on this node to the usage of our command. */
void wtl_job_add_usage(const struct wtl_job *job, struct wtl_child *child);

/* Set the flags of the job in the result. */
void wtl_job_flag(const struct wtl_job *job, struct wtl_result *result);

/*
 * Run the command argv with its regions sent to the measuring process; *ret_child is how it ended. If the
 * measuring process is killed, take over with the settings of `measure` (sensors, interval): then *ret_trace
 * is the finished trace, owned by the job, else NULL. Returns 0, or why the command could not be run.
 */
int wtl_job_follow(struct wtl_job *job,
                   char *const *argv,
                   const struct wtl_measurement_options *measure,
                   struct wtl_signals *signals,
                   struct wtl_child *ret_child,
                   const char **ret_trace,
                   struct wattle_error *err);

#endif
