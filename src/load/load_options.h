/* SPDX-License-Identifier: BSD-3-Clause */
/* The command line of wattle-load. */
#ifndef WTL_LOAD_LOAD_OPTIONS_H
#define WTL_LOAD_LOAD_OPTIONS_H

#include <stdbool.h>

#include <wattle/error.h>

#include "load/load.h"

struct wtl_load_options {
    struct wtl_load load;
    bool list, help, version;
};

/* 0; -EINVAL with a sentence. The strings are argv's. */
int wtl_load_options_parse(struct wtl_load_options *options,
                           int argc,
                           char **argv,
                           struct wattle_error *err);

#endif
