/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs of one code in a table: their mean and their doubt. */
#ifndef WTL_CLI_POSE_REPEATS_H
#define WTL_CLI_POSE_REPEATS_H

#include "analysis/pose/pose_interval.h"
#include "exchange/import/code_table.h"

/* A code of a table. */
struct wtl_pose_repeats {
    struct wtl_code_row *first; /* its first run; borrowed */
    struct wtl_pose_code code;  /* means; no bounds */
    struct wtl_pose_doubt doubt;
};

/* The codes of a table, [table->code_count] for free(). Returns 0 or -ENOMEM. */
int wtl_pose_repeats_of(struct wtl_code_table *table, struct wtl_pose_repeats **ret_codes);

#endif
