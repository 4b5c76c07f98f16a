/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/shell_word.h"

#include <string.h>

bool wtl_shell_needs_quotes(const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                "0123456789_@%+=:,./-";
    return !word[0] || word[strspn(word, plain)];
}

void wtl_shell_word(FILE *out, const char *word, bool quote)
{
    (void)fputs(quote ? "'" : "", out);
    for (const char *p = word; *p; p++)
        (void)(*p == '\'' ? fputs("'\\''", out) : fputc(*p, out));
    (void)fputs(quote ? "'" : "", out);
}
