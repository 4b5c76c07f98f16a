/* SPDX-License-Identifier: BSD-3-Clause */
/* CPU time used by processes. */
#ifndef WTL_BASE_USAGE_H
#define WTL_BASE_USAGE_H

#include <stdbool.h>
#include <sys/resource.h>

/* User and system time, in seconds. */
double wtl_usage_s(const struct rusage *usage);

/* The same for this process, with or without the children it has waited for. */
double wtl_usage_own_s(bool with_children);

#endif
