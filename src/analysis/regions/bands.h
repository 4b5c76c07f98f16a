/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Bands: regions over time, for a plot, with events. Each instance of a region is a band on the
 * line of its thread and depth; if there are more than can be drawn, those of one line are merged:
 * of the same name if they are close together, of different names over intervals of that length,
 * which get the name that was open for most of the interval's region time. So memory is that of the
 * plot and of what is open at a time, however many marks there are, and a plot of 10^5 short
 * regions still shows which of them fills which part of the run. One pass over the marks.
 */
#ifndef WTL_ANALYSIS_BANDS_H
#define WTL_ANALYSIS_BANDS_H

#include <stddef.h>
#include <stdint.h>

#include <wattle/error.h>

#include "trace/reader.h"

/* A line of bands; they do not overlap and are in time order. */
struct wtl_band_row {
    uint32_t pid, tid; /* 0 = not in the thread table */
    int32_t rank;      /* MPI rank; -1 = none */
    uint32_t depth;    /* 0 = outermost */
    const char *name;  /* name of the thread, or the command of its process; owned by the reader;
                        * NULL = none */
};

struct wtl_band {
    uint64_t begin_ns, end_ns;
    uint32_t row; /* index */
    int32_t name; /* index; for merged bands the name with the most time */
    float share;  /* that name's share of the merged time; 1 = it is the only one */
};

struct wtl_band_event {
    uint64_t time_ns, value;
    uint32_t type;
    const char *type_text,
        *value_text; /* what the program calls them; owned by the reader; NULL = nothing */
};

struct wtl_bands {
    const char **names; /* borrowed from the reader; in the order of the first mark */
    size_t name_count;
    struct wtl_band_row *rows; /* sorted by process, thread, depth */
    size_t row_count;
    struct wtl_band *bands; /* sorted by row, then time */
    size_t band_count;
    uint64_t
        merged_ns;   /* bands of one name closer than this, and bands of different names over this
                    * length, were merged; 0 = none were */
    size_t left_out; /* rows for which there was no room: outer ones take precedence */
    struct wtl_band_event *events; /* in time order; evenly thinned if there are more */
    size_t event_count;
    uint64_t events_left_out;
};

/* Limits on what is kept. */
struct wtl_band_limits {
    size_t rows, bands, events; /* each > 0 */
};

/*
 * Read a whole trace. What is open at its end ends with the window or the last mark, whichever is
 * later. The caller owns the bands (wtl_bands_fini()). Returns 0, -ENOMEM, or the reader's error.
 */
int wtl_bands_read(struct wtl_trace_reader *reader,
                   const struct wtl_band_limits *limits,
                   struct wtl_bands *ret_bands,
                   struct wattle_error *err);
void wtl_bands_fini(struct wtl_bands *bands);

#endif
