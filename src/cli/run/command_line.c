/* SPDX-License-Identifier: BSD-3-Clause */
/* Quoting of the command: see command_line.h. Done once, so that result and trace agree. */
#define _GNU_SOURCE
#include "cli/run/command_line.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/secrets.h"
#include "base/shell_word.h"

/* A text in a trace has at most 65535 bytes (docs/format/trace.md). */
enum { LINE_BYTES = 65000 };

/* The whole line, with secrets hidden in each argument. */
static char *quoted(char *const *argv)
{
    char *line = NULL;
    size_t size = 0;
    struct wtl_secrets secrets = {0};
    FILE *stream = open_memstream(&line, &size);
    bool failed = !stream;
    for (size_t i = 0; !failed && argv[i]; i++) {
        size_t room = wtl_secrets_room(argv[i]);
        char *shown = malloc(room);
        failed = !shown;
        if (failed)
            break;
        (void)wtl_secrets_argument(&secrets, argv[i], shown, room);
        (void)fputs(i ? " " : "", stream);
        wtl_shell_word(stream, shown,
                       wtl_shell_needs_quotes(argv[i])); /* not those of what hides it */
        free(shown);
    }
    if ((stream && fclose(stream) != 0) || failed) {
        free(line);
        return NULL;
    }
    return line;
}

char *wtl_command_line(char *const *argv)
{
    char *line = quoted(argv), *shown = line ? malloc(LINE_BYTES + sizeof "...") : NULL;
    if (shown) {
        (void)snprintf(shown, LINE_BYTES, "%s", line);
        size_t n = strlen(shown);
        if (n + 1 == LINE_BYTES) { /* cut, but not within a character */
            while (n > 0 && (shown[n - 1] & 0xC0) == 0x80)
                n--;
            n -= n > 0 && (shown[n - 1] & 0xC0) == 0xC0;
            memcpy(shown + n, "...", sizeof "...");
        }
    }
    free(line);
    return shown;
}

char *wtl_command_line_shown(const char *line)
{
    size_t room = wtl_secrets_room(line);
    char *shown = malloc(room);
    if (shown)
        wtl_secrets_line(line, shown, room);
    return shown;
}
