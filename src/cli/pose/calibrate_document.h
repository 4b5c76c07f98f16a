/* SPDX-License-Identifier: BSD-3-Clause */
/* The outcome of "wattle pose calibrate" as wattle.calibrate/1 (docs/format/calibrate.md) and CSV, and its warnings. */
#ifndef WTL_CLI_CALIBRATE_DOCUMENT_H
#define WTL_CLI_CALIBRATE_DOCUMENT_H

#include <stdio.h>

#include "cli/pose/calibrate.h"

/* Its loads as CSV. The document is wtl_noun_calibrate. */
void wtl_calibrate_csv(const struct wtl_calibrate *calibrate, FILE *out);

/* List the warnings known so far. Returns 0 or -ENOMEM. */
int wtl_calibrate_warn(struct wtl_calibrate *calibrate);

#endif
