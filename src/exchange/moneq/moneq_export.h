/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A trace as a data file of MonEQ, as its reducer reads it: 15 fields a line, markers of tags between them.
 *
 * A line stands at each row of the channels that are in the total, so far as it is not nearer to the one before than
 * wanted. Powers are those of the row where the sensor shows power (their mean, of several rows), and the mean
 * since the line before where it counts energy, of the first line since the start of the window; a last line at the end of the window
 * has what is left, so that powers times times are the energy of the window. A domain whose sensor is slower keeps its value, as
 * the meter of Blue Gene does. What is not known is "nan"; where the total is not known there is no line, and none
 * while a counter of the total stands still that cannot: the next one has the mean of all that time.
 *
 * node_card is the total; chip_core the packages (or, without them, their cores); dram, network those domains; pciexpress
 * the GPUs. sram, optics and link_chip_core have no like today. Of a trace imported from MonEQ all are what they
 * were.
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
#include "trace/reader.h"

/* Of the reducer, which takes times to 1/100 s for equal. */
#define WTL_MONEQ_STEP_NS 10000000u

struct wtl_moneq_writing {
    struct wtl_moneq_place place;
    uint64_t step_ns;              /* least time from line to line */
    struct wtl_moneq_names *names; /* of all files of the run */
};

struct wtl_moneq_written {
    uint64_t lines;
    uint64_t unknown_lines; /* left out: their total is not known */
    uint64_t between; /* regions begun and ended between two lines, within another: left out */
    uint64_t within;  /* lines inside of more than one region: they belong to the innermost */
    int64_t start_realtime_ns; /* time 0 of the file; 0 = not known */
    bool has[WTL_MONEQ_POWERS], simulated;
    bool means;                  /* since the line before, and not of the line's time */
    enum wattle_quality quality; /* of the total */
};

/* Returns 0; -ENODATA when nothing can be added up; what the reader says; with a sentence. Failures of the stream stay in
 * it. Memory does not depend on the length of the trace. */
int wtl_moneq_write(struct wtl_trace_reader *reader,
                    const struct wtl_moneq_writing *writing,
                    FILE *out,
                    struct wtl_moneq_written *ret_written,
                    struct wattle_error *err);

#endif
