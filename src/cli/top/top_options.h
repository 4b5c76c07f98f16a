/* SPDX-License-Identifier: BSD-3-Clause */
/* The options of "wattle top". */
#ifndef WTL_CLI_TOP_OPTIONS_H
#define WTL_CLI_TOP_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/top/live_view.h"
#include "cli/verb.h"

extern const struct wtl_option wtl_top_option_table[];

struct wtl_top_options {
    uint64_t interval_ns, sample_ns, count; /* count 0 = no end */
    bool batch, force, ascii, no_processes;
    enum wtl_format format;
    const char *sensors, *output, *host, *filter; /* NULL = not given */
    enum wtl_live_sort sort;
    uint64_t processes;
    double idle_w;     /* NaN = not given */
    const char *trace; /* NULL = the machine */
};

/* Returns WTL_GO_ON, or the exit status after a message. */
int wtl_top_options_parse(struct wtl_top_options *options, int argc, char **argv);

#endif
