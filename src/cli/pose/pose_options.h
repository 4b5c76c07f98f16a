/* SPDX-License-Identifier: BSD-3-Clause */
/* The command line of "wattle pose". */
#ifndef WTL_CLI_POSE_OPTIONS_H
#define WTL_CLI_POSE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "analysis/pose/pose_metric.h"
#include "analysis/traces/trace_list.h"
#include "cli/pose/pose_plot.h"
#include "cli/verb.h"

/* A code: from traces, all of them repeats of it. */
struct wtl_pose_code_option {
    const char *label; /* NULL = not named; label_length bytes of it */
    size_t label_length;
    const char *word; /* the first argument that names them */
    size_t words;
    struct wtl_trace_list traces;
};

struct wtl_pose_options {
    double time_s, energy_j, pmin_w, pmax_w; /* NaN = not given */
    const char *label;
    struct wtl_pose_metric *metrics; /* at least one; owned */
    char **metric_names;             /* owned */
    size_t metric_count;

    struct wtl_pose_code_option *codes; /* from traces; owned */
    size_t code_count;
    const char *input; /* a table of codes */
    const char *channel, *region;

    struct wtl_words candidates; /* as given */
    const char *parameter;
    bool system;

    const char *floor, *calibration;

    enum wtl_format format;
    const char *output;
    bool force, details, redact;
    struct wtl_pose_plot plot;
};

#endif
