/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Run clock: relates the time of a node to that of the others. Synchronisation points measured
 * against another node (metadata sync.N.*) are better than the wall clock, whose error is unknown
 * here; both are fitted with a line by least squares, and the largest distance from it is reported.
 */
#ifndef WTL_ANALYSIS_RUN_CLOCK_H
#define WTL_ANALYSIS_RUN_CLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/reader.h"
#include "trace/run_file.h"

/* What a trace says about its clock. */
struct wtl_run_clocks {
    struct wtl_run_clock sync, realtime; /* aligned WTL_ALIGNED_NOT: it says nothing */
    uint64_t reference; /* for sync: FNV-1a 64 of the key of the node it was measured against */
    uint64_t sync_first_ns, sync_last_ns; /* the first and last measured offset, own clock */
    bool own;                             /* sync was measured against itself: exact */
};

/* One measured offset. */
struct wtl_run_offset {
    uint64_t time_ns;
    int64_t offset_ns;
    uint64_t error_ns; /* half width; 0 = not given */
};

/*
 * The line through offsets in time order; with one point: a constant. Points with smaller errors
 * weigh more; a point without an error gets the largest given. residual_ns is the maximum of error
 * + distance from the line. The caller sets aligned. count >= 1.
 */
struct wtl_run_clock wtl_run_clock_fit(const struct wtl_run_offset *points, size_t count);

void wtl_run_clocks_read(const struct wtl_trace_reader *reader, struct wtl_run_clocks *ret_clocks);

/*
 * If the measured offsets span less than half of the window (one in MPI_Init and none in
 * MPI_Finalize), their drift is practically unknown: the residual then grows by 100 ppm, which
 * oscillators keep, plus the line's own drift, times the distance from the offsets to the far end
 * of the window.
 */
void wtl_run_clocks_stretch(struct wtl_run_clocks *clocks, uint64_t begin_ns, uint64_t end_ns);

/* Convert the reference time of `first` to that of `second`, which is the clock of the node that
 * `first` refers to. */
struct wtl_run_clock wtl_run_clock_join(const struct wtl_run_clock *first,
                                        const struct wtl_run_clock *second);

#endif
