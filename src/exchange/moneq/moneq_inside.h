/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finds the tag that a sample belongs to. MonEQ's reducer supports one tag at a time: with regions
 * inside each other, or on several threads, a sample belongs to the one that began last and is
 * still open.
 */
#ifndef WTL_EXCHANGE_MONEQ_INSIDE_H
#define WTL_EXCHANGE_MONEQ_INSIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "exchange/moneq/moneq_names.h"
#include "trace/reader.h"

struct wtl_moneq_open {
    uint32_t thread, tag;
    uint64_t line; /* lines written before it began */
};

struct wtl_moneq_inside {
    struct wtl_trace_reader *reader;
    struct wtl_trace_marks *marks;
    struct wtl_mark next; /* has_next */
    bool has_next;
    struct wtl_moneq_names *names; /* borrowed */
    struct wtl_moneq_open *open;   /* owned; sorted by begin */
    size_t count;
    uint32_t written; /* the tag whose START was written last without an END; 0 = none */
    bool again;       /* it has ended since */
    uint64_t lines;   /* written so far */
    uint32_t *empty;  /* owned; tags with visits since the last line, without duplicates */
    size_t empty_count;
    uint64_t between; /* visits without a line, dropped because another tag continues there */
    uint64_t within;  /* lines inside more than one name */
};

/* 0 or -errno with a message; call close in either case. */
int wtl_moneq_inside_open(struct wtl_moneq_inside *inside,
                          struct wtl_trace_reader *reader,
                          struct wtl_moneq_names *names,
                          struct wattle_error *err);

/* Call before a line of this time, later than the previous one: writes the markers that precede
 * it. */
int wtl_moneq_inside_line(struct wtl_moneq_inside *inside,
                          uint64_t time_ns,
                          FILE *out,
                          struct wattle_error *err);

/* Call after the last line: writes the END of a tag that has ended. */
int wtl_moneq_inside_end(struct wtl_moneq_inside *inside, FILE *out, struct wattle_error *err);
void wtl_moneq_inside_close(struct wtl_moneq_inside *inside);

#endif
