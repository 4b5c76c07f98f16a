/* SPDX-License-Identifier: BSD-3-Clause */
/* What each thread did, for a page: lanes, types, tiles of the picture and inefficient stretches ("tasks" of
 * "wattle.report/1": docs/format/report.md). */
#ifndef WTL_REPORT_LANES_DOCUMENT_H
#define WTL_REPORT_LANES_DOCUMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <wattle/error.h>

#include "analysis/tasks/lanes/activity_lanes.h"
#include "analysis/tasks/waste.h"
#include "model/result.h"
#include "report/noun.h"

/* Bytes of tiles in a file, before base64. */
#define WTL_REPORT_TILE_BYTES (UINT64_C(24) << 20)

struct wtl_report_tile {
    unsigned level;
    uint64_t index;
    char *data; /* base64 */
};

struct wtl_report_lanes {
    struct wtl_activity_lanes lanes;
    struct wtl_waste waste;
    struct wtl_report_tile *tiles;
    size_t tile_count;
    bool complete; /* no tile is left out */
    bool served;   /* others can be asked for */
    uint64_t start_ns;
    double begin_s; /* of the tile of level 0, from start_ns */
};

extern const struct wtl_noun wtl_noun_lanes; /* of struct wtl_report_lanes */

/* start_ns: the zero of all times. most_bytes: of tiles; the tile of level 0 is always there. Without activities
 * there are no lanes. The reader must stay open. 0, -ENOMEM, or an error with a sentence. */
int wtl_report_lanes_read(struct wtl_report_lanes *lanes,
                          struct wtl_trace_reader *reader,
                          const struct wtl_result *result,
                          uint64_t start_ns,
                          uint64_t most_bytes,
                          struct wattle_error *err);
void wtl_report_lanes_fini(struct wtl_report_lanes *lanes);

#endif
