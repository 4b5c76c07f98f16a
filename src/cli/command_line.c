/* SPDX-License-Identifier: BSD-3-Clause */
/* Quoting of the command: see command_line.h. Made once, so that result and trace say the same. */
#define _GNU_SOURCE
#include "cli/command_line.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "counters/machine.h"

/* A text in a trace has at most 65535 bytes (docs/format/trace.md). */
enum { LINE_BYTES = 65000 };

static char *quoted(char *const *argv)
{
    char *line = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&line, &size);
    if (!stream)
        return NULL;
    for (size_t i = 0; argv[i]; i++) {
        static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                    "0123456789_@%+=:,./-";
        bool quote = !argv[i][0] || argv[i][strspn(argv[i], plain)];
        (void)fputs(i ? " " : "", stream);
        (void)fputs(quote ? "'" : "", stream);
        for (const char *p = argv[i]; *p; p++)
            (void)(*p == '\'' ? fputs("'\\''", stream) : fputc(*p, stream));
        (void)fputs(quote ? "'" : "", stream);
    }
    if (fclose(stream) != 0) {
        free(line);
        return NULL;
    }
    return line;
}

char *wtl_command_line(char *const *argv)
{
    char *line = quoted(argv), *shown = line ? malloc(LINE_BYTES + sizeof "...") : NULL;
    if (shown) {
        wtl_machine_hide_secrets(line, shown, LINE_BYTES);
        size_t n = strlen(shown);
        if (n + 1 == LINE_BYTES) { /* cut, but in the middle of no character */
            while (n > 0 && (shown[n - 1] & 0xC0) == 0x80)
                n--;
            n -= n > 0 && (shown[n - 1] & 0xC0) == 0xC0;
            memcpy(shown + n, "...", sizeof "...");
        }
    }
    free(line);
    return shown;
}
