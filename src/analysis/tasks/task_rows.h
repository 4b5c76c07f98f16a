/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Task rows: the equations of the task model. A row is what a sensor measured at once: the interval of a counter between
 * two readings, the window of a gauge. It says how many tasks of each type were active in it on average, from the times
 * at which they overlap, for how much of it any was, and how many were at the instant of the sample.
 *
 *     wtl_task_rows_add_interval(rows, &interval, powers) ...      in order of the ends
 *     wtl_task_rows_begin(rows)
 *     wtl_task_rows_add(rows, type, begin_ns, end_ns, 1) ...       in order of the ends, types from 0
 *     wtl_task_rows_end(rows)
 *
 * Channels that are read together share rows. Memory is bounded: beyond WTL_TASK_ROWS_MAX adjacent rows are merged, and
 * types beyond the room count as one, `others`.
 */
#ifndef WTL_ANALYSIS_TASK_ROWS_H
#define WTL_ANALYSIS_TASK_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    WTL_TASK_ROWS_MAX = 1 << 20,
    WTL_TASK_CELLS_MAX = 1 << 25, /* rows x types, of 6 bytes */
    WTL_TASK_TYPES_MAX = 4096     /* of one trace */
};

struct wtl_task_interval {
    uint64_t begin_ns, end_ns; /* what the value covers */
    double seconds;            /* for how long it counts: since the row before */
};

struct wtl_task_cover; /* the time in which any task is active, while it is being added */

struct wtl_task_rows {
    size_t channels; /* set before the first interval */
    size_t count, room;
    struct wtl_task_interval *intervals; /* [count] */
    double *power_w;                     /* [count][channels]; NaN = unknown */
    size_t merged;                       /* samples in a row; 1 = each its own */
    /* Between _begin() and _end() these are sums of seconds. */
    size_t types, type_room;
    float **active; /* [types][count]: mean number of active tasks; NULL: none */
    uint16_t **at;  /* [types][count]: at the end of the row */
    float *busy;    /* [count]: share of the time in which any is active */
    bool others;    /* there were more types than there is room for: the last one is all others */
    struct wtl_task_cover *cover;
    size_t hint;
};

/* Zeroed = none. The powers are rows->channels numbers. Returns 0 or -ENOMEM. Ends must not decrease. */
int wtl_task_rows_add_interval(struct wtl_task_rows *rows,
                               const struct wtl_task_interval *interval,
                               const double *powers);
int wtl_task_rows_begin(struct wtl_task_rows *rows);
/* share: of the time for which it is active, 1 but for summaries. asleep: it does not count as activity of the machine (`busy`). Returns 0
 * or -ENOMEM. */
int wtl_task_rows_add(struct wtl_task_rows *rows,
                      size_t type,
                      uint64_t begin_ns,
                      uint64_t end_ns,
                      double share,
                      bool asleep);
void wtl_task_rows_end(struct wtl_task_rows *rows);
void wtl_task_rows_fini(struct wtl_task_rows *rows);

/* Mean number of active tasks of a type in a row. */
static inline double wtl_task_rows_active(const struct wtl_task_rows *rows, size_t type, size_t row)
{
    return type < rows->types && rows->active[type] ? (double)rows->active[type][row] : 0;
}

/* At the instant of its sample. */
static inline unsigned wtl_task_rows_at(const struct wtl_task_rows *rows, size_t type, size_t row)
{
    return type < rows->types && rows->at[type] ? rows->at[type][row] : 0;
}

#endif
