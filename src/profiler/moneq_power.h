/* SPDX-License-Identifier: BSD-3-Clause */
/* Maps today's channels to MonEQ's seven domains. */
#ifndef WTL_PROFILER_MONEQ_POWER_H
#define WTL_PROFILER_MONEQ_POWER_H

#include <stdbool.h>

enum { WTL_MONEQ_API_DOMAINS = 7 };

struct wtl_moneq_domain {
    int id;           /* on Blue Gene/Q */
    const char *what; /* on Blue Gene/Q */
    const char *here; /* its equivalent here; NULL = none */
};
extern const struct wtl_moneq_domain wtl_moneq_domains[WTL_MONEQ_API_DOMAINS];

/* Current power in watts of the node and, if not NULL, of its domains; NaN = unknown. */
double wtl_moneq_power(double *ret_domains);

#endif
