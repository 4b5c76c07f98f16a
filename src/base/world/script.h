/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The script of a recorded host: which file shows what, and when. The grammar is normative in
 * docs/format/host.md; this is its parser and its evaluation at an instant.
 */
#ifndef WTL_BASE_SCRIPT_H
#define WTL_BASE_SCRIPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <wattle/error.h>

/* The start, from which the times of a script are counted. */
#define WTL_RECORDED_START_NS UINT64_C(1000000000000) /* the clock of every host starts at 1000 s */
#define WTL_RECORDED_REALTIME_NS \
    UINT64_C(1767225600000000000) /* on the wall: 2026-01-01T00:00:00Z */

enum wtl_script_kind {
    WTL_SCRIPT_CONTENT = 0, /* the file's own content */
    WTL_SCRIPT_TEXT = 1,    /* text in its place */
    WTL_SCRIPT_RAMP = 2,    /* a number that grows, or falls, with time */
    WTL_SCRIPT_FAILURE = 3, /* opening or reading fails */
    WTL_SCRIPT_STALL = 4    /* what was shown when the row came stays */
};

struct wtl_script_row {
    uint64_t time_ns; /* since the start */
    const char *path; /* absolute, in the script's own text */
    enum wtl_script_kind kind;
    int error;                     /* FAILURE: errno; ENOENT = the file is gone */
    const char *text;              /* TEXT; RAMP: what stands behind the number, or NULL */
    uint64_t start, rate, modulus; /* RAMP: per second; modulus 0 = 2^64 */
    bool falls;                    /* the rate is taken off, down to 0 */
    uint64_t tick_ns;              /* RAMP: grows in steps of this much time; 0 = steadily */
    unsigned line;
};

/* All rows, ordered by path, then time, then line. */
struct wtl_script {
    struct wtl_script_row *rows;
    size_t count;
    char *text;
};

/* What a path shows at an instant. */
struct wtl_script_state {
    enum wtl_script_kind kind; /* never STALL; RAMP = number */
    int error;
    const char *text; /* TEXT; RAMP: what stands behind the number, or NULL */
    uint64_t number;
    uint64_t ticked_ns; /* RAMP: when the number last changed by a tick; without ticks, now */
};

/* Parse n bytes of text. *ret_script is the caller's, freed by wtl_script_fini().
 * Returns 0, -EBADMSG with the line that cannot be read, -ENOMEM. */
int wtl_script_parse(const char *text,
                     size_t n,
                     struct wtl_script *ret_script,
                     struct wattle_error *err);
void wtl_script_fini(struct wtl_script *script);

/* START+RATE/s[%MODULUS][~TICK] or START-RATE/s[~TICK] into a row: 0, -EINVAL when it is something else. */
int wtl_script_ramp(const char *value, struct wtl_script_row *row);

/* The state that rows[0 .. count-1], all of one path, give at time_ns. Does not allocate. */
struct wtl_script_state wtl_script_at(const struct wtl_script_row *rows,
                                      size_t count,
                                      uint64_t time_ns);

#endif
