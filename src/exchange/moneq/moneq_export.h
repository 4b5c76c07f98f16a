/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A trace as a MonEQ data file, as its reducer reads it: 15 fields per line, with tag markers
 * between lines.
 *
 * There is a line for each row of the channels in the total, unless it is closer to the previous
 * one than the requested step. Powers are those of the row if the sensor shows power (over several
 * rows, their mean), and the mean since the previous line if it counts energy, for the first line
 * since the start of the window; a last line at the end of the window has the rest, so that the sum
 * of powers times times is the energy of the window. There is no line before each counter has ticked since the line before it, nor
 * while one cannot be read, or stands still although it cannot: the next line has the mean over all that time, if its energy is
 * known. A gauge that is read less often keeps its value, as on Blue Gene. Unknown values are "nan"; where the total is unknown
 * there is no line, and the time up to the next one is a gap, which the note next to the file names (moneq_note.h).
 *
 * node_card is the total; chip_core the packages (or, without them, their cores); dram and network
 * are those domains; pciexpress the GPUs. sram, optics and link_chip_core have no equivalent today.
 * In a trace imported from MonEQ all are unchanged.
 */
#ifndef WTL_EXCHANGE_MONEQ_EXPORT_H
#define WTL_EXCHANGE_MONEQ_EXPORT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <wattle/error.h>
#include <wattle/quantity.h>

#include "exchange/moneq/moneq_line.h"
#include "exchange/moneq/moneq_names.h"
#include "exchange/moneq/moneq_note.h"
#include "trace/reader.h"

/* Resolution of the reducer, which treats times that agree to 1/100 s as equal. */
#define WTL_MONEQ_STEP_NS 10000000u

struct wtl_moneq_writing {
    struct wtl_moneq_place place;
    uint64_t step_ns;              /* minimum time between lines */
    struct wtl_moneq_names *names; /* over all files of the run */
};

struct wtl_moneq_written {
    uint64_t lines;
    uint64_t unknown_lines;     /* dropped: their total is unknown */
    struct wtl_moneq_gap *gaps; /* the times of these, for the note; to be freed, also on failure */
    size_t gap_count;
    struct wtl_channel_traits traits[WTL_MONEQ_POWERS];
    uint64_t between; /* regions that began and ended between two lines, within another: dropped */
    uint64_t within;  /* lines inside more than one region: assigned to the innermost */
    int64_t start_realtime_ns; /* time 0 of the file; 0 = unknown */
    bool has[WTL_MONEQ_POWERS], simulated;
    bool means;                  /* powers are means since the previous line, not values at the
                                  * line's time */
    enum wattle_quality quality; /* quality of the total */
};

/* Returns 0; -ENODATA if nothing can be added up; the reader's error; with a message. Stream errors
 * stay in the stream. Memory does not depend on the length of the trace. */
int wtl_moneq_write(struct wtl_trace_reader *reader,
                    const struct wtl_moneq_writing *writing,
                    FILE *out,
                    struct wtl_moneq_written *ret_written,
                    struct wattle_error *err);

#endif
