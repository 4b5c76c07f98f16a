/* SPDX-License-Identifier: BSD-3-Clause */
/* What was asked of "wattle check": its command line, checked. */
#ifndef WTL_CLI_CHECK_OPTIONS_H
#define WTL_CLI_CHECK_OPTIONS_H

#include <stdbool.h>

#include "analysis/compare/metric.h"
#include "cli/run/run_options.h"
#include "report/compare/report_check.h"

extern const struct wtl_option wtl_check_option_table[];

struct wtl_check_options {
    struct wtl_run_options run; /* the command is run.argv, its runs run.repeat */
    enum wtl_metric metric;
    double limit;             /* 0.02 = 2 % more than the base; NaN = none was given */
    struct wtl_words against; /* paths; none = a base is only made */
    const char *save;         /* the runs as a base; NULL = not */
    const char *junit;        /* NULL = none */
    const char *folder;       /* for the traces; NULL = none are kept */
    bool show_output, details;
    struct wtl_check_rules rules;
    enum wtl_format format; /* text or JSON */
};

/* Read the command line on top of the configuration. As wtl_run_options_parse(); in any case
 * wtl_check_options_fini() frees what it has. */
int wtl_check_options_parse(struct wtl_check_options *options,
                            const struct wtl_config *config,
                            int argc,
                            char **argv);
void wtl_check_options_fini(struct wtl_check_options *options);

#endif
