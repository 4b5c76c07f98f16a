/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Standby: a thread of a process that does not measure, which checks twice a second whether it has
 * to. It blocks all signals and sleeps between checks.
 */
#ifndef WTL_PROFILER_STANDBY_H
#define WTL_PROFILER_STANDBY_H

#include <stdbool.h>

struct wtl_profiler_standby;

/* One check, on the standby's thread; false = no more checks are needed. */
typedef bool (*wtl_profiler_look_fn)(void);

/* 0, -ENOMEM or -EAGAIN. */
int wtl_profiler_standby_start(wtl_profiler_look_fn look,
                               struct wtl_profiler_standby **ret_standby);

/* Waits for a check in progress, and frees. Accepts NULL. */
void wtl_profiler_standby_stop(struct wtl_profiler_standby *standby);

#endif
