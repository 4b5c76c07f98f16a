/* SPDX-License-Identifier: BSD-3-Clause */
/* The name of a trace that nobody named. */
#ifndef WTL_CLI_TRACE_NAME_H
#define WTL_CLI_TRACE_NAME_H

/* "wattle-HOST-TIME-PID.wtl", malloc'ed for the caller to free; NULL without memory. */
char *wtl_trace_default_name(void);

#endif
