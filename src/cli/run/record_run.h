/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The row of a "wattle run" in the user's own database. It is written by a process of its own after the result has been printed:
 * a slow or locked database delays the end of "wattle run" by WTL_RECORD_WAIT_MS at most, and never fails it.
 */
#ifndef WTL_CLI_RECORD_RUN_H
#define WTL_CLI_RECORD_RUN_H

#include "base/config/config.h"
#include "jobs/record.h"
#include "model/result.h"

enum { WTL_RECORD_WAIT_MS = 500 };

struct wtl_record_run {
    const struct wtl_config *config;
    char *const *argv;  /* the command */
    const char *run_id; /* of a launcher's job, the same on all its nodes; "" = none */
    unsigned number;    /* among repeats, from 0 */
};

/* Record these results. What fails is a warning on stderr. */
void wtl_record_run(const struct wtl_record_run *run,
                    const struct wtl_result *results,
                    size_t count);

#endif
