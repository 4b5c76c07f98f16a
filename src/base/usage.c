/* SPDX-License-Identifier: BSD-3-Clause */
/* Processor time: see usage.h. */
#include "base/usage.h"

double wtl_usage_s(const struct rusage *usage)
{
    return (double)(usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) +
           (double)(usage->ru_utime.tv_usec + usage->ru_stime.tv_usec) * 1e-6;
}

double wtl_usage_own_s(bool with_children)
{
    struct rusage own, children = {0};
    (void)getrusage(RUSAGE_SELF, &own); /* cannot fail with these arguments */
    if (with_children)
        (void)getrusage(RUSAGE_CHILDREN, &children);
    return wtl_usage_s(&own) + wtl_usage_s(&children);
}
