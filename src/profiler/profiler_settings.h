/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What wattle_init() does: from its options, else from the environment, else the defaults. Invalid
 * options are the caller's mistake and fail; invalid variables are reported and ignored, since a
 * profiled program must run.
 */
#ifndef WTL_PROFILER_SETTINGS_H
#define WTL_PROFILER_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <wattle/profiler.h>

#include "base/world/world.h"

/* Receives messages for the user. */
typedef void (*wtl_profiler_tell_fn)(const char *sentence);

/* All texts are owned; NULL = not given. */
struct wtl_profiler_settings {
    char *output; /* never NULL */
    char *sensors, *run_id, *groups;
    uint64_t interval_ns;
    bool edges, no_trace, quiet;
    bool output_is_option, sensors_is_option; /* given by the caller: mistakes are errors */
};

/* Is WATTLE_DISABLE set to 1, or another word for yes? */
bool wtl_profiler_is_disabled(const struct wtl_world *world, wtl_profiler_tell_fn tell);

/* options may be NULL. Returns 0; -EINVAL, -ENOTSUP for options; -ENOMEM. On failure there is
 * nothing to free. */
int wtl_profiler_settings_take(const struct wattle_profiler_options *options,
                               const struct wtl_world *world,
                               wtl_profiler_tell_fn tell,
                               struct wtl_profiler_settings *ret_settings,
                               struct wattle_error *err);
void wtl_profiler_settings_fini(struct wtl_profiler_settings *settings);

#endif
