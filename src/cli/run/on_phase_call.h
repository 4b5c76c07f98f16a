/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls of the command of --on-phase: one at a time, not too often, ended when the next one is due. */
#ifndef WTL_CLI_ON_PHASE_CALL_H
#define WTL_CLI_ON_PHASE_CALL_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "analysis/predict/phase_watch.h"
#include "base/signals.h"

struct wtl_on_phase_caller {
    const char *command;
    const char *trace;
    const struct wtl_signals *signals; /* restored in the command */
    uint64_t least_ns;
    pid_t pid;        /* of the call in progress, which leads its process group; 0 = none */
    uint64_t last_ns; /* when the last call began; 0 = never */
    bool ending;      /* the call in progress was asked to end */
    bool waiting;     /* a call is due: */
    enum wtl_phase_event event;
    struct wtl_phase_present phase;
    size_t calls, merged,
        failed; /* merged: calls that a later one replaced before they were made */
};

/* A call is due now, instead of one that is still waiting. */
void wtl_on_phase_due(struct wtl_on_phase_caller *caller,
                      enum wtl_phase_event event,
                      const struct wtl_phase_present *phase);

/* Reap, end and begin what is due at this time. names: [columns] of the counters. */
void wtl_on_phase_step(struct wtl_on_phase_caller *caller,
                       uint64_t now_ns,
                       const char (*names)[WTL_ROW_NAME_MAX],
                       size_t columns);

/* End the call in progress: asked first, killed after `patience_ms`. */
void wtl_on_phase_end(struct wtl_on_phase_caller *caller, unsigned patience_ms);

#endif
