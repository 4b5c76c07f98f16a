/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * In which tag a sample lies. MonEQ's reducer knows one tag at a time: of regions within each other, or on several
 * threads, a sample belongs to the one that began last and is still open.
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
    uint64_t line; /* lines that were written when it began */
};

struct wtl_moneq_inside {
    struct wtl_trace_reader *reader;
    struct wtl_trace_marks *marks;
    struct wtl_mark next; /* has_next */
    bool has_next;
    struct wtl_moneq_names *names; /* borrowed */
    struct wtl_moneq_open *open;   /* owned; in the order of their begins */
    size_t count;
    uint32_t written; /* the tag whose START was written last and has no END; 0 = none */
    bool again;       /* it ended meanwhile */
    uint64_t lines;   /* written so far */
    uint32_t *empty;  /* owned; tags with visits since the last line, each once */
    size_t empty_count;
    uint64_t between; /* visits without a line, left out since another tag goes on there */
    uint64_t within;  /* lines inside of more than one name */
};

/* 0 or -errno with a sentence; close in either case. */
int wtl_moneq_inside_open(struct wtl_moneq_inside *inside,
                          struct wtl_trace_reader *reader,
                          struct wtl_moneq_names *names,
                          struct wattle_error *err);

/* Before a line of this time, later than the one before: write the markers that belong in front of it. */
int wtl_moneq_inside_line(struct wtl_moneq_inside *inside,
                          uint64_t time_ns,
                          FILE *out,
                          struct wattle_error *err);

/* Behind the last line: the END of a tag that was ended. */
int wtl_moneq_inside_end(struct wtl_moneq_inside *inside, FILE *out, struct wattle_error *err);
void wtl_moneq_inside_close(struct wtl_moneq_inside *inside);

#endif
