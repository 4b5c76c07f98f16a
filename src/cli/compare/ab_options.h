/* SPDX-License-Identifier: BSD-3-Clause */
/* What was asked of "wattle ab": its command line, checked. */
#ifndef WTL_CLI_AB_OPTIONS_H
#define WTL_CLI_AB_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/compare/metric.h"
#include "cli/run/run_options.h"

extern const struct wtl_option wtl_ab_option_table[];

struct wtl_ab_options {
    struct wtl_run_options run;
    enum wtl_metric metric;
    double resolve; /* 0.01 = 1 % */
    unsigned min_pairs, max_pairs;
    unsigned noise_pairs;    /* of A against A; 0 = none */
    const char *noise_floor; /* a document of an earlier comparison; NULL = measure it */
    uint64_t seed;
    const char *folder; /* for the traces; NULL = none are kept */
    const char *save;   /* the JSON document, too; NULL = not */
    bool show_output, details;
    enum wtl_format format;
    char **argv[2];   /* A and B, each ended by NULL */
    char *line[2][4]; /* for commands given as lines for the shell */
};

/*
 * Read the command line, after the configuration. Returns WTL_GO_ON, or the exit status after a
 * message. *options must not move afterwards; argv is split in two.
 */
int wtl_ab_options_parse(struct wtl_ab_options *options,
                         const struct wtl_config *config,
                         int argc,
                         char **argv);

#endif
