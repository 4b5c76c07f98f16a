/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "cli/run/progress.h"

#include <math.h>
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

void wtl_progress_show(struct wtl_progress *progress, double part, const char *format, ...)
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
        (void)snprintf(left, sizeof left, ", about %.0f s left",
                       fmax(passed_s * (1 - part) / part, 1));
    (void)fprintf(stderr, "%s%s%s%s", progress->lines ? "wattle: " : "\r\033[K", text, left,
                  progress->lines ? "\n" : "");
    progress->drawn = true;
}

void wtl_progress_step(struct wtl_progress *progress, const char *step, uint64_t done, uint64_t all)
{
    static const uint64_t FROM_NS = 2000000000, EVERY_NS = 100000000;
    enum { COUNTED = 100000 }; /* larger numbers say nothing */
    char far[64] = " ...", left[64] = "";
    if (!progress->shown)
        return;
    uint64_t now_ns = wtl_world_monotonic(wtl_world_real());
    if (!progress->step || strcmp(progress->step, step) != 0) {
        progress->step = step;
        progress->step_ns = now_ns;
    }
    if (now_ns - progress->begin_ns < FROM_NS || now_ns < progress->next_ns)
        return;
    progress->next_ns = now_ns + EVERY_NS;
    double part = all > 0 ? (double)done / (double)all : 0;
    double passed_s = (double)(now_ns - progress->step_ns) * 1e-9;
    if (all > COUNTED)
        (void)snprintf(far, sizeof far, ": %.0f %%", 100 * part);
    else if (all > 0)
        (void)snprintf(far, sizeof far, ": %llu of %llu", (unsigned long long)done,
                       (unsigned long long)all);
    if (part > 0 && part < 1 && passed_s > 0)
        (void)snprintf(left, sizeof left, ", about %.0f s left",
                       fmax(passed_s * (1 - part) / part, 1));
    (void)fprintf(stderr, "\r\033[K%s%s%s", step, far, left);
    progress->drawn = true;
}

void wtl_progress_clear(struct wtl_progress *progress)
{
    if (progress->drawn && !progress->lines)
        (void)fputs("\r\033[K", stderr);
    progress->drawn = false;
}
