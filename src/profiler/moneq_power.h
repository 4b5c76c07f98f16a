/* SPDX-License-Identifier: BSD-3-Clause */
/* The seven domains of MonEQ out of today's channels. */
#ifndef WTL_PROFILER_MONEQ_POWER_H
#define WTL_PROFILER_MONEQ_POWER_H

#include <stdbool.h>

enum { WTL_MONEQ_API_DOMAINS = 7 };

struct wtl_moneq_domain {
    int id;           /* of Blue Gene/Q */
    const char *what; /* there */
    const char *here; /* what stands for it; NULL = nothing does */
};
extern const struct wtl_moneq_domain wtl_moneq_domains[WTL_MONEQ_API_DOMAINS];

/* Watts now of the node and, when not NULL, of its domains; NaN = unknown. */
double wtl_moneq_power(double *ret_domains);

#endif
