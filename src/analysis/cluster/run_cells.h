/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Run cells: the power of each node over steps of the run's time that all nodes share, and which
 * regions were open then. Each node's trace is read once, from begin to end, and writes its cells
 * to an anonymous file, one channel after the other; from there they are read side by side. So the
 * rows of any number of nodes come in time order, with one trace open at a time and memory that
 * grows neither with the run nor with its nodes.
 *
 * A cell is the mean power over the part of the step inside the node's window: for a counter the
 * difference divided by the time, interpolated linearly between samples, so that power times time
 * adds up to the energy. It is known if at least half of that part is; otherwise NaN (a gap, no
 * sample). A region is in a cell if it is open on some thread of the node all the time. If it is
 * open for a part of it, that part has its own length and power, and so has what is outside of all
 * regions: so the rows of a region add up to its energy, too.
 */
#ifndef WTL_ANALYSIS_RUN_CELLS_H
#define WTL_ANALYSIS_RUN_CELLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <wattle/error.h>

#include "analysis/cluster/run.h"
#include "analysis/cluster/run_totals.h"
#include "trace/blocks/bytes.h"

/* A part as it is in the file, followed by the power of each channel. */
struct wtl_run_piece_record {
    uint64_t step, tag;
    double seconds;
};

struct wtl_run_grid {
    int64_t begin_ns; /* reference time */
    uint64_t step_ns, steps;
};

/* The steps that a node's window touches: the first, and their number. */
void wtl_run_grid_steps(const struct wtl_run_grid *grid,
                        const struct wtl_run_node *node,
                        uint64_t *ret_first,
                        uint64_t *ret_count);

/* Columns of power: two for the total (measured, estimated), then one for each of totals->domains. */
enum { WTL_CELLS_TOTAL = 0, WTL_CELLS_TOTAL_ESTIMATED = 1, WTL_CELLS_DOMAINS = 2 };

struct wtl_run_cells {
    const struct wtl_run *run;
    const struct wtl_run_totals *totals;
    struct wtl_run_grid grid;
    const char **tags; /* names of regions, each once; borrowed from the run */
    size_t tag_count, tag_bytes, column_count;
};

/* Where a node's cells are. */
struct wtl_run_cells_node {
    uint64_t offset;       /* in the file */
    uint64_t first, count; /* steps */
    uint64_t parts;        /* of steps, behind the bits */
    uint32_t channels;
    bool tagged;       /* bits of tags follow the channels */
    uint16_t *columns; /* [channels]: 2 * column + 1 if it is in the total; owned */
};

/* step_ns 0: the largest sampling interval of a node, at least 1 ms; 100 ms if none is known. 0;
 * -ERANGE if the run has more than 2^28 steps, or more rows than 2^22 plus four for each byte of
 * its traces (its clocks are far apart, or the step is too small); -ENOMEM; with a message. */
int wtl_run_cells_init(struct wtl_run_cells *cells,
                       const struct wtl_run *run,
                       const struct wtl_run_totals *totals,
                       uint64_t step_ns,
                       struct wattle_error *err);
void wtl_run_cells_fini(struct wtl_run_cells *cells);

/* Name of a column, "package_w" or "package_estimated_w"; NULL: no node has it. buf must have at
 * least 40 bytes. */
const char *wtl_run_cells_column(const struct wtl_run_cells *cells,
                                 size_t column,
                                 char *buf,
                                 size_t n);

/* Write the cells of a node at *offset of fd, which is advanced. 0, or -errno with a message. */
int wtl_run_cells_write(const struct wtl_run_cells *cells,
                        size_t node,
                        int fd,
                        uint64_t *offset,
                        struct wtl_run_cells_node *ret_place,
                        struct wattle_error *err);

/* Steps first .. first + n - 1 of a node: ret_power_w[n][column_count], ret_tags[n][tag_bytes].
 * Outside the node's own steps: NaN. room is memory for at least n doubles. 0 or -errno. */
int wtl_run_cells_read(const struct wtl_run_cells *cells,
                       const struct wtl_run_cells_node *place,
                       int fd,
                       uint64_t first,
                       size_t n,
                       double *room,
                       double *ret_power_w,
                       uint8_t *ret_tags);

/* The parts of a node, read in the order of steps. Zeroed but for the first three. */
struct wtl_run_pieces {
    const struct wtl_run_cells *cells;
    const struct wtl_run_cells_node *place;
    int fd;
    uint64_t next; /* the one after those in memory */
    uint8_t *held; /* [count] of them */
    size_t count, at;
};

struct wtl_run_piece {
    size_t tag;     /* cells->tag_count: outside of all regions */
    double seconds; /* less than the step */
};

/* The next part of this step, which must not be before that of an earlier call: 1 with ret_power_w[column_count]; 0: no more; or
 * -errno. */
int wtl_run_pieces_next(struct wtl_run_pieces *parts,
                        uint64_t step,
                        struct wtl_run_piece *ret_part,
                        double *ret_power_w);
void wtl_run_pieces_fini(struct wtl_run_pieces *parts);

void wtl_run_cells_node_fini(struct wtl_run_cells_node *place);
/* Serialise for another process, and back. */
void wtl_run_cells_node_put(struct wtl_bytes *bytes, const struct wtl_run_cells_node *place);
int wtl_run_cells_node_take(struct wtl_cursor *cursor, struct wtl_run_cells_node *ret_place);

#endif
