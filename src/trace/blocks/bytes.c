/* SPDX-License-Identifier: BSD-3-Clause */
/* Bytes: see bytes.h. Everything written to or read from a trace passes through this file, which is the
 * only place that handles byte order and bounds. */
#include "trace/blocks/bytes.h"

#include <stdlib.h>

#include "base/grow.h"

void wtl_bytes_fini(struct wtl_bytes *bytes)
{
    free(bytes->data);
    memset(bytes, 0, sizeof *bytes);
}

void wtl_bytes_reset(struct wtl_bytes *bytes)
{
    bytes->length = 0;
    bytes->failed = false;
}

uint8_t *wtl_bytes_reserve(struct wtl_bytes *bytes, size_t n)
{
    if (bytes->failed)
        return NULL;
    if (n > bytes->capacity - bytes->length) {
        size_t wanted = n > SIZE_MAX - bytes->length ? SIZE_MAX : bytes->length + n;
        bytes->failed = wtl_reserve(&bytes->data, &bytes->capacity, wanted, 1) < 0;
        if (bytes->failed)
            return NULL;
    }
    return bytes->data + bytes->length;
}

void wtl_bytes_put(struct wtl_bytes *bytes, const void *data, size_t n)
{
    if (n == 0)
        return;
    uint8_t *p = wtl_bytes_reserve(bytes, n);
    if (!p)
        return;
    memcpy(p, data, n);
    bytes->length += n;
}

void wtl_bytes_put_u8(struct wtl_bytes *bytes, uint8_t value)
{
    wtl_bytes_put(bytes, &value, 1);
}

void wtl_bytes_put_u16(struct wtl_bytes *bytes, uint16_t value)
{
    uint8_t b[2] = {(uint8_t)value, (uint8_t)(value >> 8)};
    wtl_bytes_put(bytes, b, sizeof b);
}

void wtl_bytes_put_u32(struct wtl_bytes *bytes, uint32_t value)
{
    uint8_t b[4];
    wtl_store_u32(b, value);
    wtl_bytes_put(bytes, b, sizeof b);
}

void wtl_bytes_put_u64(struct wtl_bytes *bytes, uint64_t value)
{
    uint8_t b[8];
    wtl_store_u64(b, value);
    wtl_bytes_put(bytes, b, sizeof b);
}

void wtl_bytes_put_f32(struct wtl_bytes *bytes, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    wtl_bytes_put_u32(bytes, bits);
}

void wtl_bytes_put_f64(struct wtl_bytes *bytes, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    wtl_bytes_put_u64(bytes, bits);
}

void wtl_bytes_put_varint(struct wtl_bytes *bytes, uint64_t value)
{
    uint8_t b[WTL_VARINT_BYTES];
    wtl_bytes_put(bytes, b, wtl_store_varint(b, value));
}

void wtl_bytes_put_text(struct wtl_bytes *bytes, const char *text)
{
    size_t n = strlen(text);
    if (n > UINT16_MAX)
        n = UINT16_MAX;
    wtl_bytes_put_u16(bytes, (uint16_t)n);
    wtl_bytes_put(bytes, text, n);
}

uint64_t wtl_cursor_varint(struct wtl_cursor *cursor)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        uint8_t b = wtl_cursor_u8(cursor);
        value |= (uint64_t)(b & 0x7f) << shift;
        if (!(b & 0x80)) {
            if (shift == 63 && b > 1)
                cursor->failed = true; /* more than 64 bits */
            return cursor->failed ? 0 : value;
        }
    }
    cursor->failed = true;
    return 0;
}

size_t wtl_cursor_text(struct wtl_cursor *cursor, const char **ret_text)
{
    size_t n = wtl_cursor_u16(cursor);
    const uint8_t *p = wtl_cursor_take(cursor, n);
    if (!p || memchr(p, 0, n)) {
        cursor->failed = true;
        *ret_text = "";
        return 0;
    }
    *ret_text = (const char *)p;
    return n;
}

void wtl_cursor_text_into(struct wtl_cursor *cursor, char *buf, size_t n)
{
    const char *text;
    size_t length = wtl_cursor_text(cursor, &text);
    if (length >= n) {
        cursor->failed = true;
        length = 0;
    }
    memcpy(buf, text, length);
    buf[length] = 0;
}
