/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "cli/run/progress.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/world/world.h"

void wtl_progress_begin(struct wtl_progress *progress, bool wanted, bool lines)
{
    const char *term = getenv("TERM");
    bool can = isatty(STDERR_FILENO) && (lines || (term && strcmp(term, "dumb") != 0));
    *progress = (struct wtl_progress){
        .shown = wanted && can, .lines = lines, .begin_ns = wtl_world_monotonic(wtl_world_real())};
}

void wtl_progress_show(const struct wtl_progress *progress, double part, const char *format, ...)
{
    char text[256], left[64] = "";
    va_list args;
    double passed_s = (double)(wtl_world_monotonic(wtl_world_real()) - progress->begin_ns) * 1e-9;
    if (!progress->shown || (progress->lines && passed_s < 2))
        return;
    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (part > 0 && part <= 1 && passed_s >= 1)
        (void)snprintf(left, sizeof left, ", about %.0f s left", passed_s * (1 - part) / part);
    (void)fprintf(stderr, "%s%s%s%s", progress->lines ? "wattle: " : "\r\033[K", text, left,
                  progress->lines ? "\n" : "");
}

void wtl_progress_clear(const struct wtl_progress *progress)
{
    if (progress->shown && !progress->lines)
        (void)fputs("\r\033[K", stderr);
}
