/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A column of a samples block: n 64-bit integers as a prediction and its residuals. The prediction removes
 * the regular part; the low k bits of a residual are noise and are stored unchanged, the rest consists of
 * small numbers and is stored as bytes ("tokens") compressed by zstd's entropy stage or, for short columns,
 * in unary. docs/format/trace.md is the normative text.
 */
#ifndef WTL_TRACE_COLUMN_H
#define WTL_TRACE_COLUMN_H

#include <stddef.h>
#include <stdint.h>

#include "trace/blocks/bytes.h"

#define WTL_COLUMN_MAX 65536 /* values of one column */

enum wtl_column_predictor {
    WTL_PREDICT_LEVEL = 0,  /* v[i] = base */
    WTL_PREDICT_DELTA = 1,  /* v[i] = v[i-1] + base */
    WTL_PREDICT_DELTA2 = 2, /* v[i] = v[i-1] + (v[i-1] - v[i-2]) */
    WTL_PREDICT_LINE = 3    /* v[i] = v[0] + i * base */
};

enum wtl_column_coder {
    WTL_CODE_RICE = 0, /* unary quotient and k low bits */
    WTL_CODE_SPLIT = 1 /* token byte and k low bits */
};

enum {
    WTL_K_MAX = 30,
    WTL_K_NONE = 31,    /* as k: all residuals are 0 */
    WTL_UNARY_MAX = 24, /* this quotient means: the residual follows with 64 bits */
    WTL_TOKEN_32 = 254, /* this token means: the residual follows with 32 bits */
    WTL_TOKEN_64 = 255  /* this one with 64 */
};

/* The three destinations of a column: head, tokens, bits. */
struct wtl_column_parts {
    struct wtl_bytes head, tokens, bits;
};

/* Append n values to the parts. scratch: room for n numbers. Failures are sticky in the parts. */
void wtl_column_encode(const uint64_t *values,
                       size_t n,
                       uint64_t *scratch,
                       struct wtl_column_parts *parts);

/* Number of low bits of the base that are left out for n >= 1 values. */
unsigned wtl_column_base_shift(enum wtl_column_predictor predictor, unsigned k, size_t n);

/* Decoding: takes n values from the cursors. Malformed input at most makes a cursor fail. */
struct wtl_column_cursors {
    struct wtl_cursor head, tokens, bits;
};

/* Returns 0, or -EBADMSG. ret_values NULL skips the column. */
int wtl_column_decode(struct wtl_column_cursors *cursors, size_t n, uint64_t *ret_values);

#endif
