/* SPDX-License-Identifier: BSD-3-Clause */
/* How a trace is written. */
#ifndef WTL_TRACE_TRACE_OPTIONS_H
#define WTL_TRACE_TRACE_OPTIONS_H

#include <stdbool.h>

struct wtl_trace_options {
    bool force; /* replace an existing file */
    bool sync;  /* fdatasync after each block: survives power loss */
    int level;  /* of zstd, 1 .. 9; 0 = the default (1) */
};

#endif
