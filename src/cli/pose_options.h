/* SPDX-License-Identifier: BSD-3-Clause */
/* The command line of "wattle pose". */
#ifndef WTL_CLI_POSE_OPTIONS_H
#define WTL_CLI_POSE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "analysis/pose_metric.h"
#include "cli/options.h"
#include "cli/trace_list.h"

/* A code: from traces, all of them repeats of it. */
struct wtl_pose_code_option {
    const char *label; /* NULL = not named; label_length bytes of it */
    size_t label_length;
    struct wtl_trace_list traces;
};

struct wtl_pose_options {
    double time_s, energy_j, pmin_w, pmax_w; /* NaN = not given */
    const char *label;
    struct wtl_pose_metric *metrics; /* at least one; owned */
    char **metric_names;             /* owned */
    size_t metric_count;

    struct wtl_pose_code_option *codes; /* owned */
    size_t code_count;

    enum wtl_format format;
    bool has_format;
    const char *output;
    bool force, details;
};

extern const struct wtl_option wtl_pose_option_rows[];

/*
 * Read the command line. 0 with *ret_go: go on; else the exit status, everything told. wtl_pose_options_fini()
 * in any case. Texts point into argv.
 */
int wtl_pose_options_read(struct wtl_pose_options *options,
                          const struct wtl_command *command,
                          int argc,
                          char **argv,
                          bool *ret_go);
void wtl_pose_options_fini(struct wtl_pose_options *options);

#endif
