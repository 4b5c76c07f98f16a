/* SPDX-License-Identifier: BSD-3-Clause */
/* Each class of malformed UTF-8 of RFC 3629 is replaced byte by byte, valid text is kept. */
#include "base/utf8.h"

#include "tap.h"

#define R "\xEF\xBF\xBD"

/* Characters that could control a terminal, or change the direction of surrounding text, are not
 * printable. */
static void test_printable(void)
{
    static const struct {
        int line;
        const char *text, *clean;
    } rows[] = {
        {__LINE__, "a b", "a b"},
        {__LINE__, "\xC3\xA4\xE2\x82\xAC", "\xC3\xA4\xE2\x82\xAC"},
        {__LINE__, "a\x1B[31mb", "a?[31mb"},
        {__LINE__, "a\x7F\rb\n\t", "a??b\n\t"},
        {__LINE__,
         "\xC2\x9B"
         "1m",
         "?1m"}, /* 8-bit CSI */
        {__LINE__,
         "a\xE2\x80\xAE"
         "b",
         "a?b"}, /* U+202E */
        {__LINE__,
         "a\xE2\x81\xA6"
         "b",
         "a?b"},                                               /* U+2066 */
        {__LINE__, "\xE2\x80\x8F\xE2\x80\x8E\xD8\x9C", "???"}, /* directional marks */
        {__LINE__, "\xE2\x80\xA8", "?"},                       /* U+2028 */
        {__LINE__, "\xFF", "?"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[32];
        tap_line = rows[i].line;
        (void)snprintf(text, sizeof text, "%s", rows[i].text);
        wtl_utf8_clean(text);
        is_str(text, rows[i].clean, "as people may see it");
    }
    tap_line = 0;
}

int main(void)
{
    static const struct {
        int line;
        const char *text, *want;
        size_t columns;
    } rows[] = {
        {__LINE__, "", "", 0},
        {__LINE__, "abc", "abc", 3},
        {__LINE__, "\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80", "\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80",
         3},
        {__LINE__, "a\x80z", "a" R "z", 3},         /* a lone continuation byte */
        {__LINE__, "\xC3", R, 1},                   /* truncated */
        {__LINE__, "\xE2\x82", R R, 2},             /* truncated */
        {__LINE__, "\xC3(", R "(", 2},              /* not a continuation byte */
        {__LINE__, "\xC0\x80", R R, 2},             /* overlong */
        {__LINE__, "\xE0\x80\x80", R R R, 3},       /* overlong */
        {__LINE__, "\xF0\x80\x80\x80", R R R R, 4}, /* overlong */
        {__LINE__, "\xED\xA0\x80", R R R, 3},       /* a surrogate */
        {__LINE__, "\xF4\x90\x80\x80", R R R R, 4}, /* beyond U+10FFFF */
        {__LINE__, "\xFF\xFE", R R, 2},
        {__LINE__, "\xF4\x8F\xBF\xBF", "\xF4\x8F\xBF\xBF", 1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tap_line = rows[i].line;
        char *copy = wtl_utf8_dup(rows[i].text);
        is_str(copy, rows[i].want, "as valid text");
        is_int(wtl_utf8_columns(rows[i].text), rows[i].columns, "columns");
        free(copy);
    }
    test_printable();
    return done_testing();
}
