/* SPDX-License-Identifier: BSD-3-Clause */
/* What "wattle tasks calibrate" found, as the document "wattle.tasks-calibrate/1". */
#ifndef WTL_CLI_PLATFORM_DOCUMENT_H
#define WTL_CLI_PLATFORM_DOCUMENT_H

#include <stddef.h>

#include "analysis/tasks/task_platform.h"
#include "report/noun.h"

/* Of the total, or a channel. NaN = unknown. */
struct wtl_platform_found {
    const char *name;
    double idle_w, idle_half_w;
    double static_w, static_half_w; /* negative: what was measured cannot be */
    struct wtl_task_line line;
    double spread; /* the most that a round is off the median of its level */
};

struct wtl_platform_document {
    const char *node, *date, *path, *quality;
    bool simulated;
    unsigned threads, rounds;
    double busy_cpus; /* that other programs used while the idle machine was measured, most */
    const struct wtl_platform_found *found;
    size_t count;
};

extern const struct wtl_noun wtl_noun_platform, wtl_noun_platform_row;

#endif
