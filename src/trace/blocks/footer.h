/* SPDX-License-Identifier: BSD-3-Clause */
/* Contents of a footer other than tables: the summaries of regions. Those of channels are struct
 * wtl_summary of model/tally/tally.h. */
#ifndef WTL_TRACE_FOOTER_H
#define WTL_TRACE_FOOTER_H

#include <stddef.h>
#include <stdint.h>

#include "trace/regions/region_energy.h"

/* One region name, over all processes and threads of the trace; see region_energy.h. */
struct wtl_region_summary {
    const char *name;                   /* "" = untagged: the time outside of all regions */
    uint64_t count;                     /* begins; untagged: stretches */
    uint64_t thread_time_ns;            /* sum over threads of the time inside */
    uint64_t union_ns;                  /* time in which at least one thread was inside */
    uint64_t exclusive_union_ns;        /* time in which it was innermost on at least one thread */
    uint64_t unbalanced;                /* ends without begin, begins without end */
    uint64_t crossing;                  /* ended while not innermost */
    size_t energy_count;                /* channels of energy or power */
    const uint32_t *channels;           /* [energy_count], ids, ascending */
    const struct wtl_energy *inclusive; /* [energy_count] */
    const struct wtl_energy *exclusive;
};

#endif
