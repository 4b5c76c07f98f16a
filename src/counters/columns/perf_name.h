/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Names of perf events: those of the kernel as perf(1) spells them ("cycles", "LLC-load-misses", "page-faults"), a raw
 * code ("r1a2"), and with libpfm4 those of the processor's manual ("INST_RETIRED:ANY"). The library is optional: it is
 * looked for when a name is unknown without it.
 */
#ifndef WTL_COUNTERS_PERF_NAME_H
#define WTL_COUNTERS_PERF_NAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <wattle/error.h>

#include "base/world/world.h"

#define WTL_PFM_LIBRARY "libpfm.so.4"

enum { WTL_PERF_RAW_MAX = 16 }; /* digits */

struct wtl_perf_code {
    uint32_t type; /* PERF_TYPE_... or that of a PMU */
    uint64_t config, config1, config2;
    bool of_pfm;
};

/* 0; -ENOENT with what would help; -EINVAL for a malformed raw code. */
int wtl_perf_code(const struct wtl_world *world,
                  const char *name,
                  struct wtl_perf_code *ret_code,
                  struct wattle_error *err);

/* Whether the event is counted by the kernel itself: it exists on every machine. */
bool wtl_perf_code_is_software(const struct wtl_perf_code *code);

/* Whether the kernel's code itself causes it: without the kernel it is always 0. */
bool wtl_perf_code_needs_kernel(const struct wtl_perf_code *code);

/* Name i of those without a library, NULL after the last. */
const char *wtl_perf_name(size_t i);

#endif
