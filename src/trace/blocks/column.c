/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Encoding of columns: see column.h for the idea. The encoder tries the four predictions, keeps the one with
 * the smallest residuals, and then calculates for each split point k how many bits Rice codes and
 * entropy-coded tokens would take. All arithmetic is modulo 2^64, so that any input is valid.
 */
#include "trace/blocks/column.h"

#include <math.h>

#define TOKEN_BITS 4  /* estimated size in the entropy stage's table for each distinct token */
#define TABLE_BITS 60 /* its fixed size */

struct plan {
    enum wtl_column_predictor predictor;
    enum wtl_column_coder coder;
    unsigned k;
    uint64_t base;
};

static unsigned bit_length(uint64_t u)
{
    return u ? 64 - (unsigned)__builtin_clzll(u) : 0;
}

static size_t residual_count(enum wtl_column_predictor predictor, size_t n)
{
    size_t first = predictor == WTL_PREDICT_LEVEL ? 0 : predictor == WTL_PREDICT_DELTA2 ? 2 : 1;
    return n > first ? n - first : 0;
}

/* Compute residuals as zigzag codes; returns their number. */
static size_t residuals(const struct plan *plan, const uint64_t *v, size_t n, uint64_t *ret_codes)
{
    uint64_t base = plan->base;
    switch (plan->predictor) {
    case WTL_PREDICT_LEVEL:
        for (size_t i = 0; i < n; i++)
            ret_codes[i] = wtl_zigzag(v[i] - base);
        break;
    case WTL_PREDICT_DELTA:
        for (size_t i = 1; i < n; i++)
            ret_codes[i - 1] = wtl_zigzag(v[i] - v[i - 1] - base);
        break;
    case WTL_PREDICT_DELTA2:
        for (size_t i = 2; i < n; i++)
            ret_codes[i - 2] = wtl_zigzag(v[i] - 2 * v[i - 1] + v[i - 2]);
        break;
    case WTL_PREDICT_LINE:
        for (size_t i = 1; i < n; i++)
            ret_codes[i - 1] = wtl_zigzag(v[i] - v[0] - i * base);
        break;
    }
    return residual_count(plan->predictor, n);
}

/* The base that makes residuals small; any value is correct. */
static uint64_t best_base(enum wtl_column_predictor predictor, const uint64_t *v, size_t n)
{
    if (predictor == WTL_PREDICT_DELTA2)
        return 0;
    if (predictor == WTL_PREDICT_LEVEL) {
        double sum = 0;
        for (size_t i = 1; i < n; i++)
            sum += (double)(int64_t)(v[i] - v[0]);
        double mean = sum / (double)n;
        return fabs(mean) < 4e18 ? v[0] + (uint64_t)(int64_t)llround(mean) : v[0];
    }
    return n > 1 ? (uint64_t)((int64_t)(v[n - 1] - v[0]) / (int64_t)(n - 1)) : 0;
}

static struct plan choose_predictor(const uint64_t *v, size_t n, uint64_t *scratch)
{
    struct plan best = {.predictor = WTL_PREDICT_LEVEL};
    uint64_t best_bits = UINT64_MAX;
    for (int p = WTL_PREDICT_LEVEL; p <= WTL_PREDICT_LINE; p++) {
        struct plan plan = {.predictor = (enum wtl_column_predictor)p};
        plan.base = best_base(plan.predictor, v, n);
        size_t count = residuals(&plan, v, n, scratch);
        uint64_t bits = 0;
        for (size_t i = 0; i < count; i++)
            bits += bit_length(scratch[i]);
        /* Stored in the head instead of in residuals. */
        bits += bit_length(wtl_zigzag(plan.base));
        bits += p == WTL_PREDICT_LEVEL ? 0 : bit_length(wtl_zigzag(v[0]));
        bits += p == WTL_PREDICT_DELTA2 && n > 1 ? bit_length(wtl_zigzag(v[1] - v[0])) : 0;
        if (bits < best_bits) {
            best_bits = bits;
            best = plan;
        }
    }
    return best;
}

static uint64_t rice_bits(const uint64_t *codes, size_t n, unsigned k)
{
    uint64_t bits = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t q = codes[i] >> k;
        bits += q < WTL_UNARY_MAX ? q + 1 + k : WTL_UNARY_MAX + 1 + 64;
    }
    return bits;
}

/* Escapes count as 32 or 64 bits, all others by the entropy of the tokens. */
static uint64_t split_bits(const uint64_t *codes, size_t n, unsigned k)
{
    uint32_t histogram[256] = {0};
    uint64_t bits = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t t = codes[i] >> k;
        if (t < WTL_TOKEN_32)
            histogram[t]++, bits += k;
        else if (codes[i] <= UINT32_MAX)
            histogram[WTL_TOKEN_32]++, bits += 32;
        else
            histogram[WTL_TOKEN_64]++, bits += 64;
    }
    double entropy = 0;
    unsigned distinct = 0;
    for (int t = 0; t < 256; t++) {
        if (histogram[t] == 0)
            continue;
        distinct++;
        entropy -= histogram[t] * log2((double)histogram[t] / (double)n);
    }
    return bits + (uint64_t)entropy + (uint64_t)distinct * TOKEN_BITS + TABLE_BITS;
}

static void choose_coder(struct plan *plan, const uint64_t *codes, size_t n)
{
    uint64_t total = 0, any = 0;
    for (size_t i = 0; i < n; i++) {
        total += bit_length(codes[i]);
        any |= codes[i];
    }
    plan->coder = WTL_CODE_RICE;
    plan->k = WTL_K_NONE;
    if (any == 0)
        return;
    unsigned typical = (unsigned)(total / n);
    if (typical > WTL_K_MAX)
        typical = WTL_K_MAX;
    uint64_t least = UINT64_MAX;
    for (unsigned k = typical > 5 ? typical - 5 : 0; k <= typical + 1 && k <= WTL_K_MAX; k++) {
        uint64_t bits = rice_bits(codes, n, k);
        if (bits < least) {
            least = bits;
            plan->k = k;
            plan->coder = WTL_CODE_RICE;
        }
        /* Never better for short columns: tables take more than all their high bits. */
        if (n * k + TABLE_BITS + TOKEN_BITS >= least)
            continue;
        bits = split_bits(codes, n, k);
        if (bits < least) {
            least = bits;
            plan->k = k;
            plan->coder = WTL_CODE_SPLIT;
        }
    }
}

/* The base needs no more digits than the noise leaves significant. On a line its error is multiplied by n. */
unsigned wtl_column_base_shift(enum wtl_column_predictor predictor, unsigned k, size_t n)
{
    unsigned less = predictor == WTL_PREDICT_LINE ? 1 + bit_length(n - 1) : 1;
    if (predictor == WTL_PREDICT_DELTA2 || k == WTL_K_NONE || k < less)
        return 0;
    return k - less;
}

struct bit_writer {
    uint8_t *p;
    uint64_t held;
    unsigned count; /* bits held, < 8 between calls */
};

/* n <= 56 bits. */
static void put_bits(struct bit_writer *w, uint64_t bits, unsigned n)
{
    w->held |= bits << w->count;
    w->count += n;
    for (; w->count >= 8; w->count -= 8) {
        *w->p++ = (uint8_t)w->held;
        w->held >>= 8;
    }
}

static void put_64(struct bit_writer *w, uint64_t bits, unsigned n)
{
    put_bits(w, bits & UINT32_MAX, 32);
    if (n == 64)
        put_bits(w, bits >> 32, 32);
}

static void write_rice(struct bit_writer *w, const uint64_t *codes, size_t n, unsigned k)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t q = codes[i] >> k;
        if (q < WTL_UNARY_MAX) {
            put_bits(w, (uint64_t)1 << q, (unsigned)q + 1);
            put_bits(w, codes[i] & (((uint64_t)1 << k) - 1), k);
        } else {
            put_bits(w, (uint64_t)1 << WTL_UNARY_MAX, WTL_UNARY_MAX + 1);
            put_64(w, codes[i], 64);
        }
    }
}

static void write_split(struct bit_writer *w,
                        uint8_t *tokens,
                        const uint64_t *codes,
                        size_t n,
                        unsigned k)
{
    uint64_t low = ((uint64_t)1 << k) - 1;
    for (size_t i = 0; i < n; i++) {
        uint64_t t = codes[i] >> k;
        if (t < WTL_TOKEN_32) {
            tokens[i] = (uint8_t)t;
            put_bits(w, codes[i] & low, k);
        } else if (codes[i] <= UINT32_MAX) {
            tokens[i] = WTL_TOKEN_32;
            put_64(w, codes[i], 32);
        } else {
            tokens[i] = WTL_TOKEN_64;
            put_64(w, codes[i], 64);
        }
    }
}

/* Returns the number of bytes of bits written. */
static size_t write_codes(const struct plan *plan,
                          const uint64_t *codes,
                          size_t n,
                          struct wtl_column_parts *parts)
{
    if (plan->k == WTL_K_NONE)
        return 0;
    uint8_t *room = wtl_bytes_reserve(&parts->bits, n * 12 + 8); /* at most 89 bits per value */
    if (!room)
        return 0;
    struct bit_writer w = {.p = room};
    if (plan->coder == WTL_CODE_RICE) {
        write_rice(&w, codes, n, plan->k);
    } else {
        uint8_t *tokens = wtl_bytes_reserve(&parts->tokens, n);
        if (!tokens)
            return 0;
        write_split(&w, tokens, codes, n, plan->k);
        parts->tokens.length += n;
    }
    if (w.count > 0)
        *w.p++ = (uint8_t)w.held;
    parts->bits.length += (size_t)(w.p - room);
    return (size_t)(w.p - room);
}

void wtl_column_encode(const uint64_t *values,
                       size_t n,
                       uint64_t *scratch,
                       struct wtl_column_parts *parts)
{
    if (n == 0)
        return;
    struct plan plan = choose_predictor(values, n, scratch);
    size_t count = residuals(&plan, values, n, scratch);
    choose_coder(&plan, scratch, count);
    unsigned shift = wtl_column_base_shift(plan.predictor, plan.k, n);
    uint64_t coarse = (uint64_t)((int64_t)plan.base >> shift);
    if (shift > 0) {
        plan.base = coarse << shift;
        count = residuals(&plan, values, n, scratch);
    }
    size_t bytes = write_codes(&plan, scratch, count, parts);

    struct wtl_bytes *head = &parts->head;
    unsigned form = (unsigned)plan.predictor | (unsigned)plan.coder << 2 | plan.k << 3;
    wtl_bytes_put_u8(head, (uint8_t)form);
    if (plan.coder == WTL_CODE_SPLIT)
        wtl_bytes_put_varint(head, bytes);
    if (plan.predictor != WTL_PREDICT_LEVEL)
        wtl_bytes_put_varint(head, wtl_zigzag(values[0]));
    if (plan.predictor == WTL_PREDICT_DELTA2)
        wtl_bytes_put_varint(head, wtl_zigzag(n > 1 ? values[1] - values[0] : 0));
    else
        wtl_bytes_put_varint(head, wtl_zigzag(coarse));
}
