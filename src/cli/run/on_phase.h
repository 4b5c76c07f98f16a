/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * "wattle run --on-phase CMD": a process of its own follows the trace as it is written, and runs CMD when a phase begins
 * or is expected. The measurement never waits for it.
 *
 *     wtl_on_phase_start(&options, trace, &signals, &on_phase, err);    before there are threads
 *     ... the run ...
 *     wtl_on_phase_stop(&on_phase);
 */
#ifndef WTL_CLI_ON_PHASE_H
#define WTL_CLI_ON_PHASE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <wattle/error.h>

#include "base/signals.h"

/* Of the command line. */
struct wtl_on_phase_options {
    const char *command; /* for the shell; NULL = none */
    const char *model;   /* file of "wattle phases learn"; NULL = none */
    uint64_t least_ns;   /* between the begins of two calls */
    uint64_t ahead_ns;   /* before an expected phase; 0 = only when one has begun */
    bool quiet;
};

#define WTL_ON_PHASE_LEAST_NS UINT64_C(5000000000)

struct wtl_on_phase {
    pid_t pid;   /* 0 = none */
    int stop_fd; /* closing it ends the process */
};

/* Returns 0, also without a command; or -errno with a message: no model at that name, no process. */
int wtl_on_phase_start(const struct wtl_on_phase_options *options,
                       const char *trace,
                       const struct wtl_signals *signals,
                       struct wtl_on_phase *ret_on_phase,
                       struct wattle_error *err);

/* The run has ended: CMD is ended, too. Waits for that for a few seconds at most. */
void wtl_on_phase_stop(struct wtl_on_phase *on_phase);

#endif
