/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Region energies that go along with a run, so that closing the trace has little left to do. Blocks
 * are fed as they are written, marks as they are given. Whenever that cannot be exact (a mark comes
 * later than was promised, memory is short) it gives up, and the footer reads the file instead: both
 * ways give the same bytes.
 */
#ifndef WTL_TRACE_REGION_LIVE_H
#define WTL_TRACE_REGION_LIVE_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/blocks/mark.h"
#include "trace/regions/region_feed.h"
#include "trace/samples.h"

struct wtl_region_live {
    struct wtl_region_feed feed; /* feed.energy NULL: off */
};

/*
 * Begin, with no mark given so far and none before marked_ns to come: the samples that are in the file
 * already are read once. Stays off when they are too many, or the window has not begun.
 */
void wtl_region_live_begin(struct wtl_region_live *live,
                           const struct wtl_tables *tables,
                           int fd,
                           uint64_t end,
                           uint64_t samples,
                           uint64_t marked_ns);
void wtl_region_live_end(struct wtl_region_live *live); /* off, whatever it was */

static inline bool wtl_region_live_is_on(const struct wtl_region_live *live)
{
    return live->feed.energy != NULL;
}

/* Each does nothing when it is off. Marks in the order of time. */
void wtl_region_live_rows(struct wtl_region_live *live, const struct wtl_rows *rows);
void wtl_region_live_gaps(struct wtl_region_live *live, struct wtl_cursor records);
void wtl_region_live_marks(struct wtl_region_live *live, const struct wtl_mark *marks, size_t n);
void wtl_region_live_marked(struct wtl_region_live *live, uint64_t time_ns);
void wtl_region_live_window_end(struct wtl_region_live *live, uint64_t end_ns);

/* The results: 1, or 0 when it is off or gave up now. */
int wtl_region_live_finish(struct wtl_region_live *live,
                           wtl_region_name_fn *name_of,
                           const void *context,
                           struct wtl_footer_regions *table);

#endif
