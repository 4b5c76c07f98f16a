/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The script of a recorded host: what each file contains at which time. docs/format/host.md defines the
 * grammar; this is its parser and its evaluation at a given time.
 */
#ifndef WTL_BASE_SCRIPT_H
#define WTL_BASE_SCRIPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <wattle/error.h>

/* The origin of the times in a script. */
#define WTL_RECORDED_START_NS UINT64_C(1000000000000) /* the clock of every host starts at 1000 s */
#define WTL_RECORDED_REALTIME_NS \
    UINT64_C(1767225600000000000) /* wall-clock time: 2026-01-01T00:00:00Z */

enum wtl_script_kind {
    WTL_SCRIPT_CONTENT = 0, /* the file's own content */
    WTL_SCRIPT_TEXT = 1,    /* this text instead */
    WTL_SCRIPT_RAMP = 2,    /* a number that grows, or falls, with time */
    WTL_SCRIPT_FAILURE = 3, /* opening or reading fails */
    WTL_SCRIPT_STALL = 4    /* stays as it was when the row took effect */
};

struct wtl_script_row {
    uint64_t time_ns; /* since the start */
    const char *path; /* absolute, in the script's copy of the text */
    enum wtl_script_kind kind;
    int error;                     /* FAILURE: errno; ENOENT = the file was removed */
    const char *text;              /* TEXT; RAMP: text after the number, or NULL */
    uint64_t start, rate, modulus; /* RAMP: per second; modulus 0 = 2^64 */
    bool falls;                    /* the value decreases at this rate, down to 0 */
    uint64_t tick_ns;              /* RAMP: grows in steps of this duration; 0 = continuously */
    unsigned line;
};

/* All rows, ordered by path, then time, then line. */
struct wtl_script {
    struct wtl_script_row *rows;
    size_t count;
    char *text;
};

/* The state of a path at a given time. */
struct wtl_script_state {
    enum wtl_script_kind kind; /* never STALL; RAMP = a number */
    int error;
    const char *text; /* TEXT; RAMP: text after the number, or NULL */
    uint64_t number;
    uint64_t ticked_ns; /* RAMP: time of the last tick; without ticks, the present time */
};

/* Parse n bytes of text. The caller owns *ret_script and frees it with wtl_script_fini(). Returns 0,
 * -EBADMSG with the line that cannot be parsed, -ENOMEM. */
int wtl_script_parse(const char *text,
                     size_t n,
                     struct wtl_script *ret_script,
                     struct wattle_error *err);
void wtl_script_fini(struct wtl_script *script);

/* Parse START+RATE/s[%MODULUS][~TICK] or START-RATE/s[~TICK] into a row: 0, -EINVAL for anything else. */
int wtl_script_ramp(const char *value, struct wtl_script_row *row);

/* The state at time_ns according to rows[0 .. count-1], all of one path. Does not allocate. */
struct wtl_script_state wtl_script_at(const struct wtl_script_row *rows,
                                      size_t count,
                                      uint64_t time_ns);

#endif
