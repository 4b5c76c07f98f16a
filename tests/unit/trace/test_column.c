/* SPDX-License-Identifier: BSD-3-Clause */
/* Columns: any numbers are restored, whatever their shape; malformed ones are refused. */
#include <errno.h>

#include "tap.h"
#include "trace/blocks/column.h"

#define N 3000

static uint64_t state = 88172645463325252u;

static uint64_t noise(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

static void fill(int shape, uint64_t *v, size_t n)
{
    static const uint64_t extremes[] = {0, UINT64_MAX, 1, UINT64_C(1) << 63, INT64_MAX, 2};
    for (size_t i = 0; i < n; i++) {
        uint64_t before = i ? v[i - 1] : UINT64_MAX - 5000;
        switch (shape) {
        case 0: /* constant */
            v[i] = 42;
            break;
        case 1: /* a clock with jitter */
            v[i] = i * 1000000 + noise() % 50000;
            break;
        case 2: /* a counter that passes 2^64 */
            v[i] = before + 1639 + noise() % 200;
            break;
        case 3: /* its ticks occasionally miss the sampling */
            v[i] = before + 1639u * (i % 41 == 0 ? 2u : i % 53 != 0) + noise() % 20;
            break;
        case 4: /* a gauge below 0 */
            v[i] = (uint64_t)(-(int64_t)(1000 + noise() % 8));
            break;
        case 5: /* anything */
            v[i] = noise();
            break;
        case 6: /* extremes */
            v[i] = extremes[noise() % 6];
            break;
        case 7: /* constant, with rare jumps */
            v[i] = i % 700 == 699 ? noise() >> 20 : 7;
            break;
        default: /* a parabola */
            v[i] = i * i * 3 + 5;
        }
    }
}

enum { SHAPES = 9 };

static void test_round_trips(void)
{
    static const size_t lengths[] = {0, 1, 2, 3, 4, 10, 63, 64, 65, 800, N};
    static uint64_t v[SHAPES][N], out[N], scratch[N];
    for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++) {
        size_t n = lengths[k];
        struct wtl_column_parts parts = {0};
        for (int shape = 0; shape < SHAPES; shape++) {
            fill(shape, v[shape], n);
            wtl_column_encode(v[shape], n, scratch, &parts);
        }
        for (int skipped = -1; skipped < SHAPES; skipped += 3) {
            struct wtl_column_cursors cursors = {
                wtl_cursor_init(parts.head.data, parts.head.length),
                wtl_cursor_init(parts.tokens.data, parts.tokens.length),
                wtl_cursor_init(parts.bits.data, parts.bits.length)};
            int wrong = 0;
            for (int shape = 0; shape < SHAPES; shape++) {
                memset(out, 0xaa, sizeof out);
                if (shape == skipped) {
                    wrong += wtl_column_decode(&cursors, n, NULL) < 0;
                    continue;
                }
                wrong += wtl_column_decode(&cursors, n, out) < 0;
                wrong += n > 0 && memcmp(out, v[shape], n * sizeof *out) != 0;
            }
            is_int(wrong, 0, "%zu values of each shape come back (skipping %d)", n, skipped);
            is_int(wtl_cursor_left(&cursors.head) + wtl_cursor_left(&cursors.tokens) +
                       wtl_cursor_left(&cursors.bits),
                   0, "and nothing is left");
        }
        wtl_bytes_fini(&parts.head);
        wtl_bytes_fini(&parts.tokens);
        wtl_bytes_fini(&parts.bits);
    }
}

/* The bytes of the specification, computed manually. */
static void test_known_bytes(void)
{
    static const struct {
        int line;
        const char *head, *tokens, *bits;
        size_t head_length, tokens_length, bits_length, n;
        uint64_t want[4];
        int code;
    } table[] = {
        /* level, nothing stored: base 21 */
        {__LINE__, "\xf8\x2a", "", "", 2, 0, 0, 3, {21, 21, 21}, 0},
        /* delta, nothing stored: 5, then + 3 */
        {__LINE__, "\xf9\x0a\x06", "", "", 3, 0, 0, 4, {5, 8, 11, 14}, 0},
        /* line, Rice with k = 0: 10, 20 + 1, 30 - 1: codes 2 = 001, 1 = 01 */
        {__LINE__, "\x03\x14\x14", "", "\x14", 3, 0, 1, 3, {10, 21, 29}, 0},
        /* second difference, split with k = 1: 0, 1, then codes 5 = (2, 1) and 4 = (2, 0) */
        {__LINE__,
         "\x0e\x01\x00\x02",
         "\x02\x02",
         "\x01",
         4,
         2,
         1,
         4,
         {0, 1, UINT64_MAX, UINT64_MAX},
         0},
        /* delta, Rice with k = 3: base is 2 * 2^2 */
        {__LINE__, "\x19\x00\x04", "", "\x01", 3, 0, 1, 2, {0, 8}, 0},
        {__LINE__, "\x00\x00", "", "\x00\x00\x00\x00\x00\x00\x00\x00", 2, 0, 8, 1, {0}, -EBADMSG},
        {__LINE__, "\x00\x00", "", "", 2, 0, 0, 1, {0}, -EBADMSG},             /* no bits */
        {__LINE__, "\x04\x00\x00", "", "", 3, 0, 0, 1, {0}, -EBADMSG},         /* no tokens */
        {__LINE__, "\x04\x09\x00", "\x01", "\x01", 3, 1, 1, 1, {0}, -EBADMSG}, /* too many bytes */
        {__LINE__, "\x04\x00\x00", "\xff", "", 3, 1, 0, 1, {0}, -EBADMSG}, /* 64 bits are missing */
        {__LINE__, "\xfc\x00\x00", "", "", 3, 0, 0, 1, {0}, -EBADMSG}, /* split, nothing stored */
        {__LINE__, "\xf9\x0a", "", "", 2, 0, 0, 4, {0}, -EBADMSG},     /* half a head */
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        uint64_t out[4] = {0};
        tap_line = table[i].line;
        struct wtl_column_cursors cursors = {
            wtl_cursor_init((const uint8_t *)table[i].head, table[i].head_length),
            wtl_cursor_init((const uint8_t *)table[i].tokens, table[i].tokens_length),
            wtl_cursor_init((const uint8_t *)table[i].bits, table[i].bits_length)};
        is_int(wtl_column_decode(&cursors, table[i].n, out), table[i].code, "row %zu", i);
        if (table[i].code == 0)
            ok(memcmp(out, table[i].want, table[i].n * sizeof *out) == 0,
               "%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64, out[0], out[1], out[2], out[3]);
    }
    tap_line = 0;
}

int main(void)
{
    test_round_trips();
    test_known_bytes();
    return done_testing();
}
