/* SPDX-License-Identifier: BSD-3-Clause */
/* Floats as base64 (RFC 4648): see packed.h. */
#include "report/packed.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/* Byte i of floats, in the order of the format on any machine. */
static uint8_t byte_of_float(const void *values, size_t i)
{
    uint32_t bits;
    memcpy(&bits, &((const float *)values)[i / 4], sizeof bits);
    return (uint8_t)(bits >> (8 * (i % 4)));
}

static uint8_t byte_at(const void *values, size_t i)
{
    return ((const uint8_t *)values)[i];
}

static char *encode(const void *values,
                    size_t bytes,
                    uint8_t (*at)(const void *, size_t),
                    size_t *ret_length)
{
    size_t length = (bytes + 2) / 3 * 4, out = 0;
    char *text = malloc(length + 1);
    if (!text)
        return NULL;
    for (size_t i = 0; i < bytes; i += 3) {
        size_t n = bytes - i < 3 ? bytes - i : 3;
        uint32_t three = 0;
        for (size_t k = 0; k < 3; k++)
            three = three << 8 | (k < n ? at(values, i + k) : 0);
        for (size_t k = 0; k < 4; k++)
            text[out++] = k <= n ? digits[three >> (18 - 6 * k) & 63] : '=';
    }
    text[out] = '\0';
    *ret_length = length;
    return text;
}

char *wtl_base64(const void *bytes, size_t count)
{
    size_t length;
    return encode(bytes, count, byte_at, &length);
}

json_t *wtl_json_packed(const float *values, size_t count)
{
    size_t length;
    char *text = encode(values, 4 * count, byte_of_float, &length);
    json_t *value = text ? json_stringn_nocheck(text, length) : NULL;
    free(text);
    return value;
}
