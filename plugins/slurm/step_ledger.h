/* SPDX-License-Identifier: BSD-3-Clause */
/* A step in wattled's ledger, as a part of its job: from before its first task runs until its last one has ended. */
#ifndef WTL_SLURM_STEP_LEDGER_H
#define WTL_SLURM_STEP_LEDGER_H

#include <stdbool.h>
#include <sys/types.h>

/* Begin "12.0", whose task has this PID. False, with the reason in the log, if wattled has not taken it. As root. */
bool step_ledger_begin(const char *name, pid_t task);

void step_ledger_end(const char *name);

#endif
