/* SPDX-License-Identifier: BSD-3-Clause */
/* Processor time that processes have used. */
#ifndef WTL_BASE_USAGE_H
#define WTL_BASE_USAGE_H

#include <stdbool.h>
#include <sys/resource.h>

/* User and system time, in seconds. */
double wtl_usage_s(const struct rusage *usage);

/* The same of this process, with its children that it has waited for or without. */
double wtl_usage_own_s(bool with_children);

#endif
