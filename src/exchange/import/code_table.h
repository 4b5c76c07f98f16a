/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Code table: run time and energy of codes, or of versions of one code, from a CSV file with a
 * header. Columns are found by their names, units are part of the names: "runtime_s", "energy_J",
 * "time [ms]", "Energy (kWh)".
 *
 *   run time   time, runtime, run_time, walltime, wall_time, elapsed, duration, t      s (default) ns us ms min h
 *   energy     energy, e                                                      J (default) uJ mJ kJ MJ Wh kWh
 *   interval   energy_half: half width of the 95 % interval of energy         likewise
 *   bounds     pmin, p_min, pmax, p_max                                        W (default) mW kW MW
 *   group      group, platform, host, node, machine, system
 *   label      label, name, code, application, app, benchmark, program, model, variant, version: several are joined
 *
 *   repeats    run, repeat, repetition, rep, trial, iteration
 *
 * Rows with a label that differ only in run time, energy, its interval and the column of repeats are runs of one
 * code.
 *
 * Other columns are ignored, except that a bound or interval with an unknown unit is refused, and so is run
 * time or energy with an unknown unit if no column has a known one.
 *
 * The separator is the comma, the semicolon (then the decimal sign may be a comma, too) or the tab,
 * whichever is most frequent in the header.
 */
#ifndef WTL_EXCHANGE_CODE_TABLE_H
#define WTL_EXCHANGE_CODE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <wattle/error.h>

#include "exchange/import/text_source.h"

enum { WTL_CODE_TABLE_ROWS = 1000000 }; /* more are refused */

struct wtl_code_row {
    char *label, *group;   /* NULL = none */
    double t_s, e_j;       /* above 0; NaN if the table has no codes */
    double half_j;         /* of e_j; not below 0; NaN = unknown */
    double pmin_w, pmax_w; /* not below 0; NaN = none */
    double parameter;      /* NaN = none */
    uint64_t line;
    uint64_t others; /* hash of the ignored cells */
    size_t code;     /* index of the code that this is a run of, in the order of their first rows */
};

struct wtl_code_table {
    struct wtl_code_row *rows; /* owned */
    size_t count;              /* at least 1 */
    size_t code_count;         /* different codes, or machines */
    bool has_codes;            /* there are columns of run time and energy */
    char *parameter;           /* name of its column as in the file; NULL = none. Owned */
};

struct wtl_code_table_options {
    bool may_lack_codes;   /* a table of machines: columns of bounds suffice */
    bool wants_parameter;  /* if there is exactly one other numeric column, use it as the
                            * parameter */
    const char *parameter; /* use this column as the parameter; NULL = not specified */
};

/*
 * Read a table; path is for messages. Takes ownership of the source, also on failure. 0; -EBADMSG
 * for an invalid table, with line, column and remedy; -E2BIG for too many rows; the source's error;
 * -ENOMEM.
 */
int wtl_code_table_read(const char *path,
                        struct wtl_text_source *source,
                        const struct wtl_code_table_options *options,
                        struct wtl_code_table *ret_table,
                        struct wattle_error *err);
void wtl_code_table_fini(struct wtl_code_table *table);

#endif
