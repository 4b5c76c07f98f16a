/* SPDX-License-Identifier: BSD-3-Clause */
/* The counter set of a trace: what was counted in the run and in its regions, and the metrics derived from it. */
#ifndef WTL_ANALYSIS_COUNTER_TABLE_H
#define WTL_ANALYSIS_COUNTER_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include <wattle/error.h>

#include "model/counters/counter_set.h"
#include "model/result.h"
#include "trace/reader.h"

/* One column. */
struct wtl_counter_info {
    const char *name, *source;
    const struct wattle_channel *channel; /* NULL = missing */
    char why[256];                        /* why it is missing; "" = not said */
    double share;                         /* multiplexed: part of the time it was counted; else 1 */
    double amount;                        /* in the window; of a gauge its mean; NaN = unknown */
    double rate;                          /* per second; of a gauge NaN */
};

/* The value of a metric somewhere. */
struct wtl_counter_value {
    const char *name, *unit, *formula;
    double value;   /* NaN = unknown */
    bool estimated; /* of energy that is only estimated */
    bool rough;     /* of counts whose samples are too far apart for the region */
};

/* A region. */
struct wtl_counter_row {
    const char *name; /* "" = outside all regions */
    double time_s;    /* of its union */
    double energy_j;
    size_t column_count, metric_count;
    double *amounts;                  /* of each column, in their order */
    struct wtl_counter_value *values; /* of each metric */
};

struct wtl_counter_table {
    struct wtl_trace_reader *reader; /* owns the texts */
    bool borrowed;                   /* of the caller */
    struct wtl_counter_set set;      /* column_count 0: the trace has none */
    const char *scope, *note;        /* NULL = not said */
    char damaged[400];               /* why the set of the trace cannot be used; "" = it can */
    double interval_s;               /* NaN = unknown */
    struct wtl_counter_info *columns;
    struct wtl_counter_value *values; /* of the window */
    bool estimated;                   /* the total is an estimate */
    struct wtl_counter_row *rows;
    size_t row_count;
};

/* For the trace that `result` was read from or that it wrote; `reader` has it open, or NULL. A trace without a set is no error. 0,
 * -EBADMSG, -ENOMEM, or as
 * wtl_trace_reader_open(). */
int wtl_counter_table_open(const struct wtl_result *result,
                           struct wtl_trace_reader *reader,
                           bool regions,
                           struct wtl_counter_table *ret_table,
                           struct wattle_error *err);
void wtl_counter_table_close(struct wtl_counter_table *table);

#endif
