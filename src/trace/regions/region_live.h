/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Region energies computed during a run, so that little remains to be done when the trace is closed. Blocks
 * are added as they are written, marks as they arrive. If this cannot be exact (a mark comes later than
 * promised, memory runs out), it is switched off, and the footer is computed from the file instead: both ways
 * give the same bytes.
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
 * Begin, with no marks so far and none before marked_ns to come: the samples already in the file are read
 * once. Stays off when there are too many, or the window has not begun.
 */
void wtl_region_live_begin(struct wtl_region_live *live,
                           const struct wtl_tables *tables,
                           int fd,
                           uint64_t end,
                           uint64_t samples,
                           uint64_t marked_ns);
void wtl_region_live_end(struct wtl_region_live *live); /* switch off, in any state */

static inline bool wtl_region_live_is_on(const struct wtl_region_live *live)
{
    return live->feed.energy != NULL;
}

/* No effect when off. Marks in time order. */
void wtl_region_live_rows(struct wtl_region_live *live, const struct wtl_rows *rows);
void wtl_region_live_gaps(struct wtl_region_live *live, struct wtl_cursor records);
void wtl_region_live_marks(struct wtl_region_live *live, const struct wtl_mark *marks, size_t n);
void wtl_region_live_marked(struct wtl_region_live *live, uint64_t time_ns);
void wtl_region_live_window_end(struct wtl_region_live *live, uint64_t end_ns);

/* The results: 1, or 0 when it is off or was switched off now. */
int wtl_region_live_finish(struct wtl_region_live *live,
                           wtl_region_name_fn *name_of,
                           const void *context,
                           struct wtl_footer_regions *table);

#endif
