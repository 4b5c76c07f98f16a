/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Counter rows: what the counters of one node did in equal steps of its run, beside its power. Phases, letters and
 * predictions are computed from these rows.
 *
 *     wtl_counter_rows_read(reader, 0, &rows, err);
 *     for (size_t k = 0; k < rows.rows; k++)
 *         ... rows.rate[k * rows.columns + c] ... rows.power_w[k] ...
 *     wtl_counter_rows_fini(&rows);
 *
 * Power and energy are those of the channels that make up the total of the run (model/total.h), so that the sum of the
 * rows' energy is the energy of its result. A value that is unknown is NaN here, with its reason counted; whoever
 * computes with rows leaves it out, and nothing prints it.
 */
#ifndef WTL_ANALYSIS_COUNTER_ROWS_H
#define WTL_ANALYSIS_COUNTER_ROWS_H

#include <stddef.h>
#include <stdint.h>

#include <wattle/error.h>

#include "model/total.h"
#include "trace/reader.h"

enum {
    WTL_ROW_COLUMNS = 16,  /* most counters: a letter has 4 bits for each */
    WTL_ROW_NAME_MAX = 32, /* of a counter, with its NUL */
    WTL_ROW_HOST_MAX = 64, /* of a node */
    WTL_ROW_PHASE_MIN = 3, /* fewest rows in which anything is found */
};

/* Why a counter has no value in a row. */
enum wtl_row_reason {
    WTL_ROW_NOT_SAMPLED, /* no two samples around it */
    WTL_ROW_GAP,         /* a read failed, the machine was suspended, ... */
    WTL_ROW_RESTARTED,   /* the counter fell, and not because it wrapped */
    WTL_ROW_REASON_COUNT
};

struct wtl_counter_rows {
    size_t rows, columns;
    uint64_t begin_ns, step_ns; /* the last row ends with the window and may be shorter */
    uint64_t end_ns;
    char (*names)[WTL_ROW_NAME_MAX]; /* [columns], "CPU_CYCLES"; in the order of the set */
    double *rate;     /* [rows * columns], row by row: events or bytes per second; NaN = unknown */
    double *power_w;  /* [rows]: mean over the part of the row that is known; NaN = unknown */
    double *energy_j; /* [rows]: of the part that is known; add up to the energy of the run */
    double *known_s;  /* [rows]: for how much of the row the energy is known */
    size_t left_out;  /* counters of the trace beyond the first WTL_ROW_COLUMNS */
    char host[WTL_ROW_HOST_MAX];
    char set[WTL_ROW_NAME_MAX]; /* name of the counter set; "" = unknown */
    struct wtl_total total;     /* what the energy contains, and its quality; count 0: no power */
    size_t missing[WTL_ROW_REASON_COUNT]; /* values missing, by reason */
    size_t missing_of[WTL_ROW_COLUMNS];   /* values missing, by column */
};

/*
 * Read the rows of a trace, all in memory. step_ns: length of a row; 0 = the interval at which its counters were
 * recorded. A column of the counter set that could not be counted is there, without values; of a trace that another
 * program recorded, the columns are its counters of events and bytes. Returns 0; -ENODATA if the trace has no counters,
 * or none with two samples in the run; -ERANGE for too many rows; -ENOMEM; or the reader's error; with a message.
 */
int wtl_counter_rows_read(struct wtl_trace_reader *reader,
                          uint64_t step_ns,
                          struct wtl_counter_rows *ret_rows,
                          struct wattle_error *err);

/*
 * Rows in memory, for tables of others and for tests: all rates and powers NaN, energies and known times 0. Returns 0
 * or -ENOMEM. wtl_counter_rows_power() sets energy and known time of a row from a power that holds for all of it.
 */
int wtl_counter_rows_init(struct wtl_counter_rows *rows,
                          size_t count,
                          size_t columns,
                          uint64_t step_ns);
void wtl_counter_rows_power(struct wtl_counter_rows *rows, size_t row, double power_w);
void wtl_counter_rows_fini(struct wtl_counter_rows *rows); /* accepts zeroed rows */

/* Begin and end of row k; the end is at most that of the window. */
uint64_t wtl_counter_rows_begin(const struct wtl_counter_rows *rows, size_t k);
uint64_t wtl_counter_rows_end(const struct wtl_counter_rows *rows, size_t k);

/* "not sampled", ...; "?" out of range. */
const char *wtl_row_reason_name(enum wtl_row_reason reason);

#endif
