/* SPDX-License-Identifier: BSD-3-Clause */
/* The command line of wattle-load. */
#ifndef WTL_LOAD_LOAD_OPTIONS_H
#define WTL_LOAD_LOAD_OPTIONS_H

#include <stdbool.h>

#include "load/load.h"
#include "options/options.h"

struct wtl_load_options {
    struct wtl_load load;
    bool list, version;
};

extern const struct wtl_command wtl_load_command;

/* WTL_GO_ON; else the exit status, after printing everything. The strings are argv's. */
int wtl_load_options_read(struct wtl_load_options *options, int argc, char **argv);

#endif
