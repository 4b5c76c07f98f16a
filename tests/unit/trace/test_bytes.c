/* SPDX-License-Identifier: BSD-3-Clause */
/* Bytes and cursors: what is written is read back, nothing is read past the end. */
#include "tap.h"
#include "trace/blocks/bytes.h"

static void test_round_trip(void)
{
    static const uint64_t numbers[] = {0,         1, 127, 128, 300, UINT32_MAX, UINT64_C(1) << 63,
                                       UINT64_MAX};
    struct wtl_bytes b = {0};
    char text[8];
    wtl_bytes_put_u8(&b, 200);
    wtl_bytes_put_u16(&b, 0x1234);
    wtl_bytes_put_u32(&b, 0x89abcdef);
    wtl_bytes_put_u64(&b, UINT64_C(0x0123456789abcdef));
    wtl_bytes_put_f32(&b, -1.5f);
    wtl_bytes_put_f64(&b, 0.1);
    wtl_bytes_put_text(&b, "\xc2\xb5J");
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        wtl_bytes_put_varint(&b, numbers[i]);
    is_int(b.data[1], 0x34, "little endian");
    struct wtl_cursor c = wtl_cursor_init(b.data, b.length);
    is_int(wtl_cursor_u8(&c), 200, "u8");
    is_int(wtl_cursor_u16(&c), 0x1234, "u16");
    is_int(wtl_cursor_u32(&c), 0x89abcdef, "u32");
    ok(wtl_cursor_u64(&c) == UINT64_C(0x0123456789abcdef), "u64");
    ok(wtl_cursor_f32(&c) == -1.5f, "f32");
    ok(wtl_cursor_f64(&c) == 0.1, "f64");
    wtl_cursor_text_into(&c, text, sizeof text);
    is_str(text, "\xc2\xb5J", "text");
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        ok(wtl_cursor_varint(&c) == numbers[i], "varint %" PRIu64, numbers[i]);
    ok(!c.failed && wtl_cursor_left(&c) == 0, "all taken");
    wtl_bytes_fini(&b);
}

static void test_malformed(void)
{
    static const uint8_t endless[] = {0x80, 0x80, 0x80, 0x80, 0x80, 0x80,
                                      0x80, 0x80, 0x80, 0x80, 1};
    static const uint8_t wide[] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02};
    static const uint8_t nul[] = {3, 0, 'a', 0, 'b'};
    char text[3];
    struct wtl_cursor c = wtl_cursor_init(endless, 3);
    is_int(wtl_cursor_varint(&c), 0, "a varint cut off");
    ok(c.failed, "fails");
    is_int(wtl_cursor_u8(&c), 0, "and everything after it is 0");
    c = wtl_cursor_init(endless, sizeof endless);
    wtl_cursor_varint(&c);
    ok(c.failed, "a varint of 11 bytes");
    c = wtl_cursor_init(wide, sizeof wide);
    wtl_cursor_varint(&c);
    ok(c.failed, "a varint of more than 64 bits");
    c = wtl_cursor_init(nul, sizeof nul);
    wtl_cursor_text_into(&c, text, sizeof text);
    ok(c.failed, "a text with a NUL");
    is_str(text, "", "is empty");
    c = wtl_cursor_init(nul, 4);
    wtl_cursor_text_into(&c, text, sizeof text);
    ok(c.failed, "a text cut off");
    static const uint8_t fits[] = {3, 0, 'a', 'b', 'c'};
    c = wtl_cursor_init(fits, sizeof fits);
    wtl_cursor_text_into(&c, text, sizeof text);
    ok(c.failed, "a text too long for its place");
    c = wtl_cursor_init(fits, sizeof fits);
    ok(wtl_cursor_take(&c, SIZE_MAX) == NULL && c.failed, "more than there is");
}

static void test_zigzag(void)
{
    static const int64_t numbers[] = {0, -1, 1, -2, 2, INT64_MAX, INT64_MIN};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        uint64_t code = wtl_zigzag((uint64_t)numbers[i]);
        ok((int64_t)wtl_unzigzag(code) == numbers[i], "%" PRId64, numbers[i]);
        ok(i >= 5 || code == i, "small numbers have small codes");
    }
}

int main(void)
{
    test_round_trip();
    test_malformed();
    test_zigzag();
    return done_testing();
}
