/* SPDX-License-Identifier: BSD-3-Clause */
/* UTF-8 as in RFC 3629, for text that is shown or put into documents. */
#include "base/utf8.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Length that a first byte announces; 0 = not a valid first byte. */
static size_t announced(unsigned char first)
{
    if (first < 0x80)
        return 1;
    if (first < 0xC2 || first > 0xF4)
        return 0;
    return first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
}

size_t wtl_utf8_length(const char *text, size_t n)
{
    const unsigned char *p = (const unsigned char *)text;
    size_t length = n > 0 ? announced(p[0]) : 0;
    if (length < 2 || length > n)
        return length > n ? 0 : length;
    for (size_t i = 1; i < length; i++) {
        if ((p[i] & 0xC0) != 0x80)
            return 0;
    }
    /* Overlong forms, surrogates, and values beyond U+10FFFF differ in the second byte. */
    unsigned low = p[0] == 0xE0 ? 0xA0 : p[0] == 0xF0 ? 0x90 : 0x80;
    unsigned high = p[0] == 0xED ? 0x9F : p[0] == 0xF4 ? 0x8F : 0xBF;
    return p[1] >= low && p[1] <= high ? length : 0;
}

unsigned wtl_utf8_code(const char *text, size_t length)
{
    const unsigned char *p = (const unsigned char *)text;
    static const unsigned char masks[] = {0, 0x7F, 0x1F, 0x0F, 0x07};
    unsigned code = p[0] & masks[length];
    for (size_t i = 1; i < length; i++)
        code = code << 6 | (p[i] & 0x3F);
    return code;
}

size_t wtl_utf8_printable(const char *text, size_t n, size_t *ret_length)
{
    size_t length = wtl_utf8_length(text, n);
    unsigned c = length ? wtl_utf8_code(text, length) : 0;
    bool control = c < 0x20 || (c >= 0x7F && c < 0xA0);
    bool layout = c == 0x061C || c == 0x200E || c == 0x200F || (c >= 0x2028 && c <= 0x202E) ||
                  (c >= 0x2066 && c <= 0x2069);
    *ret_length = length ? length : 1;
    return control || layout ? 0 : length;
}

void wtl_utf8_clean(char *text)
{
    size_t n = strlen(text), used = 0, length;
    for (size_t i = 0; i < n; i += length) {
        bool kept =
            wtl_utf8_printable(text + i, n - i, &length) > 0 || text[i] == '\n' || text[i] == '\t';
        memmove(text + used, kept ? text + i : "?", kept ? length : 1);
        used += kept ? length : 1;
    }
    text[used] = '\0';
}

char *wtl_utf8_dup(const char *text)
{
    static const char replacement[] = "\xEF\xBF\xBD";
    size_t n = strlen(text), used = 0;
    char *copy = malloc(3 * n + 1);
    if (!copy)
        return NULL;
    for (size_t i = 0; i < n;) {
        size_t length = wtl_utf8_length(text + i, n - i);
        memcpy(copy + used, length ? text + i : replacement, length ? length : 3);
        used += length ? length : 3;
        i += length ? length : 1;
    }
    copy[used] = '\0';
    return copy;
}

size_t wtl_utf8_columns(const char *text)
{
    size_t n = strlen(text), columns = 0;
    for (size_t i = 0; i < n; columns++) {
        size_t length = wtl_utf8_length(text + i, n - i);
        i += length ? length : 1;
    }
    return columns;
}
