/* SPDX-License-Identifier: BSD-3-Clause */
/* The command line of wattled. */
#ifndef WTL_DAEMON_WATTLED_OPTIONS_H
#define WTL_DAEMON_WATTLED_OPTIONS_H

#include "options/options.h"

enum { WTL_WATTLED_FAILED = 125 };

struct wtl_wattled_options {
    const char *config;                     /* file; NULL = the system's */
    const char *run_dir, *state_dir, *user; /* NULL = as configured */
    bool status, test, explain, version;
    unsigned format; /* 0 text, 1 json */
};

extern const struct wtl_command wtl_wattled_command;

/* Returns WTL_GO_ON; else the exit status, after --help or an error was printed. */
int wtl_wattled_options_read(struct wtl_wattled_options *options, int argc, char **argv);

#endif
