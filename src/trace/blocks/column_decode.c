/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Decoding of columns: see column.h. Two passes: extract residuals from tokens and bits, then apply the
 * prediction. Bits are fetched with one unaligned load of 8 bytes, which always contains the 57 that the next
 * field may need; only the last bytes of a column take the careful path.
 */
#include <errno.h>

#include "trace/blocks/column.h"

struct bits {
    const uint8_t *data;
    size_t bytes;
    uint64_t position; /* in bits */
};

/* At least 57 bits from the present position; zeros after the end. */
static inline uint64_t peek(const struct bits *bits)
{
    size_t at = (size_t)(bits->position >> 3);
    uint64_t window = 0;
    if (at + 8 <= bits->bytes) {
        window = wtl_load_u64(bits->data + at);
    } else if (at < bits->bytes) {
        for (size_t i = bits->bytes; i > at; i--)
            window = window << 8 | bits->data[i - 1];
    }
    return window >> (bits->position & 7);
}

static uint64_t take_wide(struct bits *bits, unsigned n)
{
    uint64_t value = peek(bits) & UINT32_MAX;
    bits->position += 32;
    if (n == 64) {
        value |= peek(bits) << 32;
        bits->position += 32;
    }
    return value;
}

/* ret_codes NULL: only find the end. */
static int decode_rice(struct bits *bits, size_t n, unsigned k, uint64_t *ret_codes)
{
    uint64_t low = ((uint64_t)1 << k) - 1;
    for (size_t i = 0; i < n; i++) {
        uint64_t window = peek(bits);
        if (window == 0)
            return -EBADMSG;
        unsigned q = (unsigned)__builtin_ctzll(window);
        if (q > WTL_UNARY_MAX)
            return -EBADMSG;
        bits->position += q + 1;
        uint64_t code;
        if (q == WTL_UNARY_MAX) {
            code = take_wide(bits, 64);
        } else { /* q + 1 + k is at most 54: still within the window */
            code = (uint64_t)q << k | (window >> (q + 1) & low);
            bits->position += k;
        }
        if (ret_codes)
            ret_codes[i] = code;
    }
    return 0;
}

static void decode_split(struct bits *bits,
                         const uint8_t *tokens,
                         size_t n,
                         unsigned k,
                         uint64_t *ret_codes)
{
    uint64_t low = ((uint64_t)1 << k) - 1;
    for (size_t i = 0; i < n; i++) {
        if (tokens[i] < WTL_TOKEN_32) {
            ret_codes[i] = (uint64_t)tokens[i] << k | (peek(bits) & low);
            bits->position += k;
        } else {
            ret_codes[i] = take_wide(bits, tokens[i] == WTL_TOKEN_32 ? 32 : 64);
        }
    }
}

/* Convert the codes at values[first ..] to values. */
static void add_prediction(enum wtl_column_predictor predictor,
                           uint64_t *v,
                           size_t n,
                           uint64_t start,
                           uint64_t second)
{
    uint64_t sum = start, slope = second;
    switch (predictor) {
    case WTL_PREDICT_LEVEL:
        for (size_t i = 0; i < n; i++)
            v[i] = second + wtl_unzigzag(v[i]);
        return;
    case WTL_PREDICT_DELTA:
        v[0] = start;
        for (size_t i = 1; i < n; i++)
            v[i] = sum += second + wtl_unzigzag(v[i]);
        return;
    case WTL_PREDICT_DELTA2:
        v[0] = start;
        if (n > 1)
            v[1] = sum += slope;
        for (size_t i = 2; i < n; i++) {
            slope += wtl_unzigzag(v[i]);
            v[i] = sum += slope;
        }
        return;
    case WTL_PREDICT_LINE:
        v[0] = start;
        for (size_t i = 1; i < n; i++)
            v[i] = start + i * second + wtl_unzigzag(v[i]);
        return;
    }
}

struct column_head {
    enum wtl_column_predictor predictor;
    enum wtl_column_coder coder;
    unsigned k;
    size_t bytes; /* of bits; with Rice codes: everything left */
    uint64_t start, second;
};

static int read_head(struct wtl_column_cursors *cursors, size_t n, struct column_head *ret_head)
{
    struct wtl_cursor *cursor = &cursors->head;
    unsigned form = wtl_cursor_u8(cursor);
    struct column_head head = {.predictor = (enum wtl_column_predictor)(form & 3),
                               .coder = (enum wtl_column_coder)(form >> 2 & 1),
                               .k = form >> 3,
                               .bytes = wtl_cursor_left(&cursors->bits)};
    if (head.coder == WTL_CODE_SPLIT) {
        uint64_t bytes = wtl_cursor_varint(cursor);
        if (head.k == WTL_K_NONE || bytes > head.bytes)
            return -EBADMSG;
        head.bytes = (size_t)bytes;
    }
    if (head.predictor != WTL_PREDICT_LEVEL)
        head.start = wtl_unzigzag(wtl_cursor_varint(cursor));
    head.second = wtl_unzigzag(wtl_cursor_varint(cursor));
    if (cursor->failed)
        return -EBADMSG;
    head.second <<= wtl_column_base_shift(head.predictor, head.k, n);
    *ret_head = head;
    return 0;
}

/* Read the residuals of a column, or only find their length if ret_codes is NULL. */
static int read_codes(struct wtl_column_cursors *cursors,
                      const struct column_head *head,
                      size_t count,
                      uint64_t *ret_codes)
{
    struct bits bits = {.data = cursors->bits.at, .bytes = head->bytes};
    if (head->k == WTL_K_NONE) {
        if (ret_codes && count > 0)
            memset(ret_codes, 0, count * sizeof *ret_codes);
        return 0;
    }
    if (head->coder == WTL_CODE_RICE) {
        if (decode_rice(&bits, count, head->k, ret_codes) < 0)
            return -EBADMSG;
        wtl_cursor_take(&cursors->bits, (size_t)((bits.position + 7) / 8));
    } else {
        const uint8_t *tokens = wtl_cursor_take(&cursors->tokens, count);
        if (!tokens)
            return -EBADMSG;
        if (ret_codes)
            decode_split(&bits, tokens, count, head->k, ret_codes);
        wtl_cursor_take(&cursors->bits, head->bytes);
    }
    return cursors->bits.failed || bits.position > (uint64_t)head->bytes * 8 ? -EBADMSG : 0;
}

int wtl_column_decode(struct wtl_column_cursors *cursors, size_t n, uint64_t *ret_values)
{
    struct column_head head;
    if (n == 0)
        return 0;
    int code = read_head(cursors, n, &head);
    if (code < 0)
        return code;
    size_t first = head.predictor == WTL_PREDICT_LEVEL    ? 0
                   : head.predictor == WTL_PREDICT_DELTA2 ? 2
                                                          : 1;
    size_t count = n > first ? n - first : 0;
    code = read_codes(cursors, &head, count, ret_values ? ret_values + (n - count) : NULL);
    if (code == 0 && ret_values)
        add_prediction(head.predictor, ret_values, n, head.start, head.second);
    return code;
}
