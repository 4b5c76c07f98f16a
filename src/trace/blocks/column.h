/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A column of a samples block: n integers of 64 bits as a prediction and what is left of it. The
 * prediction takes the regular part away; of the residual, the low k bits are noise and are stored
 * as they are, the rest is few small numbers and is stored as bytes ("tokens") that zstd's entropy
 * stage packs, or, for short columns, in unary. docs/format/trace.md is the normative text.
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
    WTL_K_NONE = 31,    /* in place of k: all residuals are 0 */
    WTL_UNARY_MAX = 24, /* a quotient of this means: the residual follows with 64 bits */
    WTL_TOKEN_32 = 254, /* a token of this means: the residual follows with 32 bits */
    WTL_TOKEN_64 = 255  /* or with 64 */
};

/* The three places a column goes to: its head, its tokens, its bits. */
struct wtl_column_parts {
    struct wtl_bytes head, tokens, bits;
};

/* Append n values to the parts. scratch: n numbers. Failures stick in the parts. */
void wtl_column_encode(const uint64_t *values,
                       size_t n,
                       uint64_t *scratch,
                       struct wtl_column_parts *parts);

/* How many low bits of the base are left out for n >= 1 values. */
unsigned wtl_column_base_shift(enum wtl_column_predictor predictor, unsigned k, size_t n);

/* The other way: takes n values off the cursors. Malformed input fails a cursor, never more. */
struct wtl_column_cursors {
    struct wtl_cursor head, tokens, bits;
};

/* Returns 0, or -EBADMSG. ret_values NULL skips the column. */
int wtl_column_decode(struct wtl_column_cursors *cursors, size_t n, uint64_t *ret_values);

#endif
