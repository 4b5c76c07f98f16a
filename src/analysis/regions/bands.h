/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Bands: regions over time, for a picture, and events beside them. Each instance of a region is a
 * band on the line of its thread and depth; where there are more than can be drawn, those of one line are joined: of one
 * name where they are close together, of several names over stretches of that length, which have the name that was open for
 * most of the stretch's region time. So memory is that of the picture and of what is open at a time, however many marks
 * there are, and a picture of 10^5 short regions still says which of them fills which part of the run. One pass over the marks.
 */
#ifndef WTL_ANALYSIS_BANDS_H
#define WTL_ANALYSIS_BANDS_H

#include <stddef.h>
#include <stdint.h>

#include <wattle/error.h>

#include "trace/reader.h"

/* A line of bands; they do not overlap and come in the order of time. */
struct wtl_band_row {
    uint32_t pid, tid; /* 0 = the table of threads does not know it */
    int32_t rank;      /* of MPI; -1 = none */
    uint32_t depth;    /* 0 = outermost */
    const char *name;  /* of the thread, or the command of its process; the reader's; NULL = none */
};

struct wtl_band {
    uint64_t begin_ns, end_ns;
    uint32_t row; /* index */
    int32_t name; /* index; of several that were joined the one with most time */
    float share;  /* of the time of those that were joined, that name's; 1 = it is the only one */
};

struct wtl_band_event {
    uint64_t time_ns, value;
    uint32_t type;
};

struct wtl_bands {
    const char **names; /* borrowed from the reader; by first mark */
    size_t name_count;
    struct wtl_band_row *rows; /* by process, thread, depth */
    size_t row_count;
    struct wtl_band *bands; /* by row, then time */
    size_t band_count;
    uint64_t
        merged_ns; /* bands of one name closer than this, of several over this, were joined; 0 = none was */
    size_t left_out; /* rows for which there was no room: outer ones go before inner ones */
    struct wtl_band_event *events; /* in the order of time; evenly thinned where there are more */
    size_t event_count;
    uint64_t events_left_out;
};

/* How much may be kept. */
struct wtl_band_limits {
    size_t rows, bands, events; /* each > 0 */
};

/*
 * All of a trace. What is open at its end ends with the window or the last mark, whichever is later.
 * The bands are the caller's (wtl_bands_fini()). Returns 0, -ENOMEM, or what the reader said.
 */
int wtl_bands_read(struct wtl_trace_reader *reader,
                   const struct wtl_band_limits *limits,
                   struct wtl_bands *ret_bands,
                   struct wattle_error *err);
void wtl_bands_fini(struct wtl_bands *bands);

#endif
