/* SPDX-License-Identifier: BSD-3-Clause */
/* The result of "wattle run" in the requested format, with the regions that the command marked. */
#ifndef WTL_CLI_RUN_OUTPUT_H
#define WTL_CLI_RUN_OUTPUT_H

#include <wattle/error.h>

#include "cli/output.h"
#include "model/result.h"
#include "report/report.h"

/* Write and commit. Returns 0, -ENOMEM, or the errno of a failed write with a message. */
int wtl_run_output(struct wtl_output *output,
                   enum wtl_format format,
                   const struct wtl_result *results,
                   unsigned count,
                   bool verbose,
                   struct wattle_error *err);

#endif
