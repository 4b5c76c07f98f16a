/* SPDX-License-Identifier: BSD-3-Clause */
/* Region summaries of a file: a pass over its samples and its marks. */
#ifndef WTL_TRACE_REGION_SUMMARY_H
#define WTL_TRACE_REGION_SUMMARY_H

#include <wattle/error.h>

#include "trace/regions/region_feed.h"

struct wtl_trace_reader;

/* From the blocks; empty when there are no marks. Returns 0 or -errno. */
int wtl_region_summaries(struct wtl_trace_reader *reader,
                         struct wtl_footer_regions *ret_table,
                         struct wattle_error *err);

/* What the channels of a sensor counted in each region: see wtl_region_feed_init_of(). Freed with
 * wtl_footer_regions_fini(). */
int wtl_region_sensor(struct wtl_trace_reader *reader,
                      const char *sensor,
                      struct wtl_footer_regions *ret_table,
                      struct wattle_error *err);

/* The same for the file up to `end`. */
int wtl_region_summaries_of(int fd, uint64_t end, struct wtl_footer_regions *ret_table);

/* Add the samples and gaps of the file up to `end`. Returns 0 or -errno. */
int wtl_region_feed_file(struct wtl_region_feed *feed, int fd, uint64_t end);

#endif
