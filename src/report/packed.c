/* SPDX-License-Identifier: BSD-3-Clause */
/* Floats as base64 (RFC 4648): see packed.h. */
#include "report/packed.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static uint8_t byte_at(const float *values, size_t i)
{
    uint32_t bits;
    memcpy(&bits, &values[i / 4], sizeof bits);
    return (uint8_t)(bits >> (8 * (i % 4)));
}

json_t *wtl_json_packed(const float *values, size_t count)
{
    size_t bytes = 4 * count, length = (bytes + 2) / 3 * 4, out = 0;
    char *text = malloc(length + 1);
    if (!text)
        return NULL;
    for (size_t i = 0; i < bytes; i += 3) {
        size_t n = bytes - i < 3 ? bytes - i : 3;
        uint32_t three = 0;
        for (size_t k = 0; k < 3; k++)
            three = three << 8 | (k < n ? byte_at(values, i + k) : 0);
        for (size_t k = 0; k < 4; k++)
            text[out++] = k <= n ? digits[three >> (18 - 6 * k) & 63] : '=';
    }
    json_t *value = json_stringn_nocheck(text, length);
    free(text);
    return value;
}
