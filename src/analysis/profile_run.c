/* SPDX-License-Identifier: BSD-3-Clause */
/* A run as the source of a profile: see profile_run.h. */
#include "analysis/profile_run.h"

#include <math.h>

static int open_node(void *context,
                     size_t i,
                     struct wtl_trace_reader **ret_reader,
                     struct wattle_error *err)
{
    return wtl_run_node_open((const struct wtl_run *)context, i, ret_reader, err);
}

static const char *name_of(void *context, size_t i)
{
    return wtl_run_node((const struct wtl_run *)context, i)->name;
}

static int64_t reference_ns(void *context, size_t i, uint64_t node_ns)
{
    return wtl_run_clock_time(&wtl_run_node((const struct wtl_run *)context, i)->clock, node_ns);
}

static enum wtl_profile_clock clock_of(void *context, size_t i)
{
    const struct wtl_run *run = (const struct wtl_run *)context;
    if (wtl_run_node_count(run) < 2)
        return WTL_CLOCK_ALONE;
    switch (wtl_run_node(run, i)->clock.aligned) {
    case WTL_ALIGNED_SYNC:
        return WTL_CLOCK_SYNC;
    case WTL_ALIGNED_REALTIME:
        return WTL_CLOCK_REALTIME;
    default:
        return WTL_CLOCK_NONE;
    }
}

static double residual_s(void *context, size_t i)
{
    uint64_t ns = wtl_run_node((const struct wtl_run *)context, i)->clock.residual_ns;
    return ns == WTL_RESIDUAL_UNKNOWN ? (double)NAN : 1e-9 * (double)ns;
}

static const struct wtl_result_flag *flags_of(void *context, size_t i, size_t *ret_count)
{
    const struct wtl_run_row *row = wtl_run_node((const struct wtl_run *)context, i)->row;
    *ret_count = row->flag_count;
    return row->flags;
}

int wtl_profile_of_run(struct wtl_run *run,
                       const struct wtl_profile_options *options,
                       struct wtl_run_profile *ret_profile,
                       struct wattle_error *err)
{
    const struct wtl_profile_source source = {.context = run,
                                              .count = wtl_run_node_count(run),
                                              .open = open_node,
                                              .name = name_of,
                                              .reference_ns = reference_ns,
                                              .clock = clock_of,
                                              .residual_s = residual_s,
                                              .flags = flags_of};
    return wtl_run_profile_read(&source, options, ret_profile, err);
}
