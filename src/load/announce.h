/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The lines a load prints for the measuring program: "ready" when all its threads are in their
 * loop, "done" at the end. As text "ready kernel=omp_parallel threads=24 cpus=0-23 ...", or as a
 * JSON object on one line; the fields are described in wattle-load(1).
 */
#ifndef WTL_LOAD_ANNOUNCE_H
#define WTL_LOAD_ANNOUNCE_H

#include <stdint.h>

#include <jansson.h>

#include <wattle/error.h>

#include "load/load.h"

/* A line that begins with its event and the kernel. NULL if out of memory, which send() reports. */
json_t *wtl_announce(const struct wtl_load *load, const char *event);

/*
 * Write it with one write(2), and free it. Null fields are omitted from text. 0, or -errno with a
 * message: a load that could not announce itself cannot be measured.
 */
int wtl_announce_send(const struct wtl_load *load, json_t *line, struct wattle_error *err);

/* Common fields of "done": seconds since ready, CPU time used, what ended it. */
struct wtl_load_clock {
    double start_s, start_cpu_s;
};
struct wtl_load_clock wtl_load_clock_start(void);
void wtl_announce_end(json_t *line, const struct wtl_load_clock *clock, int signal);

#endif
