/* SPDX-License-Identifier: BSD-3-Clause */
/* The on and off times of a load, from a file: one "SECONDS LOAD" per line, from the start of the load; a load above 0 is on. The last
 * line ends it. */
#ifndef WTL_LOAD_LOAD_PERIODS_H
#define WTL_LOAD_LOAD_PERIODS_H

#include <stdbool.h>
#include <stddef.h>

#include <wattle/error.h>

struct wtl_load_period {
    double from_s; /* until that of the next one */
    bool on;
};

/* Returns the number of lines, *ret is malloc'ed; -EBADMSG with the line; -ENOMEM, or the errno of opening it. */
int wtl_load_periods_read(const char *path, struct wtl_load_period **ret, struct wattle_error *err);

#endif
