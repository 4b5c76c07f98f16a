/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Bytes: the contents of blocks. A growing buffer for writing and a bounded cursor for reading, both little
 * endian on every machine. Failures are sticky (out of memory; read past the end), so that a record is
 * written or read field by field and checked once.
 */
#ifndef WTL_TRACE_BYTES_H
#define WTL_TRACE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Little endian in memory. */
static inline uint32_t wtl_load_u32(const uint8_t *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static inline uint64_t wtl_load_u64(const uint8_t *p)
{
    return (uint64_t)wtl_load_u32(p) | (uint64_t)wtl_load_u32(p + 4) << 32;
}

static inline void wtl_store_u32(uint8_t *p, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        p[i] = (uint8_t)(value >> (8 * i));
}

static inline void wtl_store_u64(uint8_t *p, uint64_t value)
{
    wtl_store_u32(p, (uint32_t)value);
    wtl_store_u32(p + 4, (uint32_t)(value >> 32));
}

/* LEB128: 7 bits per byte, low bits first. Returns the number of bytes. */
enum { WTL_VARINT_BYTES = 10 }; /* at most */
static inline size_t wtl_store_varint(uint8_t *p, uint64_t value)
{
    size_t n = 0;
    for (; value >= 0x80; value >>= 7)
        p[n++] = (uint8_t)(value | 0x80);
    p[n++] = (uint8_t)value;
    return n;
}

struct wtl_bytes {
    uint8_t *data;
    size_t length, capacity;
    bool failed; /* out of memory: data added afterwards is missing */
};

void wtl_bytes_fini(struct wtl_bytes *bytes);
/* Empty it, keeping the memory. */
void wtl_bytes_reset(struct wtl_bytes *bytes);
/* Room for n more bytes: their address, to be filled and then added to length; NULL = failed. */
uint8_t *wtl_bytes_reserve(struct wtl_bytes *bytes, size_t n);

void wtl_bytes_put(struct wtl_bytes *bytes, const void *data, size_t n);
void wtl_bytes_put_u8(struct wtl_bytes *bytes, uint8_t value);
void wtl_bytes_put_u16(struct wtl_bytes *bytes, uint16_t value);
void wtl_bytes_put_u32(struct wtl_bytes *bytes, uint32_t value);
void wtl_bytes_put_u64(struct wtl_bytes *bytes, uint64_t value);
void wtl_bytes_put_f32(struct wtl_bytes *bytes, float value);
void wtl_bytes_put_f64(struct wtl_bytes *bytes, double value);
void wtl_bytes_put_varint(struct wtl_bytes *bytes, uint64_t value);
/* A u16 length and that many bytes; truncated at 65535. */
void wtl_bytes_put_text(struct wtl_bytes *bytes, const char *text);

struct wtl_cursor {
    const uint8_t *at, *end;
    bool failed; /* a read went past the end or found malformed data, and returned zeros */
};

static inline struct wtl_cursor wtl_cursor_init(const uint8_t *data, size_t n)
{
    return (struct wtl_cursor){.at = data, .end = n ? data + n : data, .failed = false};
}

static inline size_t wtl_cursor_left(const struct wtl_cursor *cursor)
{
    return (size_t)(cursor->end - cursor->at);
}

/* n bytes in place, or NULL when fewer are left. */
static inline const uint8_t *wtl_cursor_take(struct wtl_cursor *cursor, size_t n)
{
    if (cursor->failed || n > wtl_cursor_left(cursor)) {
        cursor->failed = true;
        return NULL;
    }
    const uint8_t *p = cursor->at;
    cursor->at += n;
    return p;
}

static inline uint8_t wtl_cursor_u8(struct wtl_cursor *cursor)
{
    const uint8_t *p = wtl_cursor_take(cursor, 1);
    return p ? *p : 0;
}

static inline uint16_t wtl_cursor_u16(struct wtl_cursor *cursor)
{
    const uint8_t *p = wtl_cursor_take(cursor, 2);
    return p ? (uint16_t)((unsigned)p[0] | (unsigned)p[1] << 8) : 0;
}

static inline uint32_t wtl_cursor_u32(struct wtl_cursor *cursor)
{
    const uint8_t *p = wtl_cursor_take(cursor, 4);
    return p ? wtl_load_u32(p) : 0;
}

static inline uint64_t wtl_cursor_u64(struct wtl_cursor *cursor)
{
    const uint8_t *p = wtl_cursor_take(cursor, 8);
    return p ? wtl_load_u64(p) : 0;
}

static inline float wtl_cursor_f32(struct wtl_cursor *cursor)
{
    uint32_t bits = wtl_cursor_u32(cursor);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline double wtl_cursor_f64(struct wtl_cursor *cursor)
{
    uint64_t bits = wtl_cursor_u64(cursor);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

uint64_t wtl_cursor_varint(struct wtl_cursor *cursor);
/* A string in place, not NUL-terminated; a NUL inside it is malformed. Returns its length. */
size_t wtl_cursor_text(struct wtl_cursor *cursor, const char **ret_text);
/* The same into buf (n bytes, NUL-terminated); a string that does not fit is malformed. */
void wtl_cursor_text_into(struct wtl_cursor *cursor, char *buf, size_t n);

static inline uint64_t wtl_zigzag(uint64_t difference)
{
    return (difference << 1) ^ (0 - (difference >> 63));
}

static inline uint64_t wtl_unzigzag(uint64_t code)
{
    return (code >> 1) ^ (0 - (code & 1));
}

#endif
