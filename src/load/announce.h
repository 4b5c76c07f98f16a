/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The lines a load prints, for whoever measures: "ready" when all its threads are in their loop, "done" at
 * the end. As text "ready kernel=omp_parallel threads=24 cpus=0-23 ...", or as a JSON object on one line; the fields are in
 * wattle-load(1).
 */
#ifndef WTL_LOAD_ANNOUNCE_H
#define WTL_LOAD_ANNOUNCE_H

#include <stdint.h>

#include <jansson.h>

#include <wattle/error.h>

#include "load/load.h"

/* A line that begins with its event and the kernel. NULL without memory, which send() tells. */
json_t *wtl_announce(const struct wtl_load *load, const char *event);

/*
 * Write it with one write(2), and drop it. Fields that are null are left out of text. 0, or -errno with a
 * sentence: nobody can measure a load that could not say that it runs.
 */
int wtl_announce_send(const struct wtl_load *load, json_t *line, struct wattle_error *err);

/* What the line "done" says of any load: seconds since ready, CPU time in it, what ended it. */
struct wtl_load_clock {
    double start_s, start_cpu_s;
};
struct wtl_load_clock wtl_load_clock_start(void);
void wtl_announce_end(json_t *line, const struct wtl_load_clock *clock, int signal);

#endif
