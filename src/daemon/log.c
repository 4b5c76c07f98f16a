/* SPDX-License-Identifier: BSD-3-Clause */
/* wattled's log: see log.h. One write per line, so that lines of threads do not mix. */
#define _GNU_SOURCE
#include "daemon/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void wtl_log(enum wtl_log_level level, const char *format, ...)
{
    char line[600];
    va_list list;
    int n = getenv("JOURNAL_STREAM") ? snprintf(line, sizeof line, "<%d>", (int)level)
                                     : snprintf(line, sizeof line, "wattled: %s",
                                                level == WTL_LOG_ERROR     ? "error: "
                                                : level == WTL_LOG_WARNING ? "warning: "
                                                                           : "");
    size_t length = (size_t)(n > 0 ? n : 0);
    va_start(list, format);
    (void)vsnprintf(line + length, sizeof line - length - 1, format, list);
    va_end(list);
    for (char *c = line; *c; c++)
        *c = (unsigned char)*c < ' ' || *c == 127 ? '?' : *c;
    length = strlen(line);
    line[length] = '\n';
    (void)!write(STDERR_FILENO, line, length + 1); /* an error here cannot be logged */
}
