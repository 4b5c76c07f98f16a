/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Feeds the contents of a trace into its region energies: samples and gaps in file order, marks in time
 * order. Both the pass over a file (region_summary.c) and the writer during a run (region_live.c) use this,
 * so their results are identical.
 */
#ifndef WTL_TRACE_REGION_FEED_H
#define WTL_TRACE_REGION_FEED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/blocks/footer_block.h"
#include "trace/blocks/index.h"
#include "trace/regions/region_channel.h"
#include "trace/regions/region_energy.h"
#include "trace/tables.h"

struct wtl_region_feed {
    struct wtl_region_energy *energy; /* of the chosen channels */
    size_t table_count;               /* channels of the trace */
    uint32_t *numbers;                /* [table_count] index of a channel in `ids`; UINT32_MAX =
                                         none */
    uint32_t *ids;                    /* [channel_count] */
    size_t channel_count;
    struct wtl_region_wait { /* items waiting for the sample they belong to */
        struct wtl_region_queue gaps, edges;
        uint64_t last_ns; /* of the samples added */
    } * waiting;          /* [channel_count] */
};

/* For the channels of the tables, and a window. Returns 0, -EINVAL, -ENOMEM. */
int wtl_region_feed_init(struct wtl_region_feed *feed,
                         const struct wtl_tables *tables,
                         uint64_t start_ns,
                         uint64_t end_ns);
/* The same for the counters and gauges of one sensor, whatever they count: their "energies" are what was counted, and for a
 * gauge its value times seconds. NULL: the channels of energy and power. */
int wtl_region_feed_init_of(struct wtl_region_feed *feed,
                            const struct wtl_tables *tables,
                            const char *sensor,
                            uint64_t start_ns,
                            uint64_t end_ns);
void wtl_region_feed_fini(struct wtl_region_feed *feed);

/* Add a gap: those of a channel ordered by their ends, each before the sample that ends it. Returns 0,
 * -EBADMSG when it is too late for that, -ENOMEM. */
int wtl_region_feed_gap(struct wtl_region_feed *feed, const struct wtl_gap *gap);

/* Add a sample. Groups of edges are in separate blocks, before or after the rows of the same time: edges
 * are stored until a later row arrives. wtl_region_energy_advance() processes the data. */
int wtl_region_feed_sample(struct wtl_region_feed *feed,
                           uint32_t channel,
                           uint64_t time_ns,
                           uint64_t value,
                           bool edge);

/* No more data: write results into an empty table. name_of: the text of a name, NULL when it is lost. */
typedef const char *wtl_region_name_fn(const void *context, uint32_t number);
int wtl_region_feed_finish(struct wtl_region_feed *feed,
                           wtl_region_name_fn *name_of,
                           const void *context,
                           struct wtl_footer_regions *table);

/* The window; if a border was not recorded, the first or last of all samples, rows_first_ns ..
 * rows_last_ns; without samples (first > last) that of the index, which may be NULL. */
void wtl_region_window(const struct wtl_trace_window *window,
                       uint64_t rows_first_ns,
                       uint64_t rows_last_ns,
                       const struct wtl_index *index,
                       uint64_t *ret_start_ns,
                       uint64_t *ret_end_ns);

#endif
