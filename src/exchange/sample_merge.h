/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The samples of a trace row by row in time order over all groups. Each group has its own times and
 * its own iterator: one block per group is in memory. Rows of edge polls are skipped.
 */
#ifndef WTL_EXCHANGE_SAMPLE_MERGE_H
#define WTL_EXCHANGE_SAMPLE_MERGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/reader.h"

/* A group, and the position in it. */
struct wtl_sample_strand {
    struct wtl_trace_samples *samples;
    uint32_t *ids; /* its selected channels */
    uint32_t group;
    struct wtl_trace_chunk chunk;
    size_t row;
    bool done;
};

struct wtl_sample_merge {
    struct wtl_sample_strand *strands;
    size_t strand_count;
    struct wtl_sample_strand *given; /* strand of the row returned last */
};

/* One row: the value of column i is columns[i].values[row]. */
struct wtl_sample_row {
    uint64_t time_ns;
    const struct wtl_trace_column *columns; /* borrowed until the next row */
    size_t column_count, row;
};

/* channels: ids, ascending, or NULL = all. 0; -ENOMEM; the reader's error. Call close in either
 * case. */
int wtl_sample_merge_open(struct wtl_sample_merge *merge,
                          struct wtl_trace_reader *reader,
                          const struct wtl_trace_range *range,
                          struct wattle_error *err);
/* 1 and a row, 0 at the end, -errno. */
int wtl_sample_merge_next(struct wtl_sample_merge *merge,
                          struct wtl_sample_row *ret_row,
                          struct wattle_error *err);
void wtl_sample_merge_close(struct wtl_sample_merge *merge);

/* The gaps of a trace, queried with ascending times in each channel. */
struct wtl_gap_walk {
    struct wtl_gap *gaps; /* owned; sorted by channel, then time */
    struct wtl_gap_reach {
        size_t at, end;
    } * channels; /* owned; by id: gaps not passed yet */
};

int wtl_gap_walk_open(struct wtl_gap_walk *walk,
                      struct wtl_trace_reader *reader,
                      struct wattle_error *err);
/* Is there a gap of the channel between two times? */
bool wtl_gap_walk_between(struct wtl_gap_walk *walk,
                          uint32_t channel,
                          uint64_t from_ns,
                          uint64_t to_ns);
/* Is there one in which the energy of a channel of this kind is unknown? The same order of times. */
bool wtl_gap_walk_loses(struct wtl_gap_walk *walk,
                        uint32_t channel,
                        enum wattle_kind kind,
                        uint64_t from_ns,
                        uint64_t to_ns);

void wtl_gap_walk_close(struct wtl_gap_walk *walk);

#endif
