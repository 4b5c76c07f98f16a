/* SPDX-License-Identifier: BSD-3-Clause */
/* Conflicting options of "wattle pose": see pose_options.h. */
#include <math.h>
#include <string.h>

#include "cli/inputs.h"
#include "cli/pose/pose_candidates.h"
#include "cli/pose/pose_options.h"

/* What the options select. */
struct named {
    bool given, traces, no_code;
    bool candidate_traces, candidate_table;
};

static struct named look(const struct wtl_pose_options *options)
{
    struct named named = {
        .given = !isnan(options->time_s) || !isnan(options->energy_j),
        .traces = options->code_count > 0,
    };
    named.no_code = !named.given && !named.traces && !options->input;
    for (size_t i = 0; i < options->candidates.count; i++) {
        enum wtl_pose_candidate_form form = wtl_pose_candidate_form(options->candidates.items[i]);
        named.candidate_traces |= form == WTL_POSE_CANDIDATE_TRACES;
        named.candidate_table |= form == WTL_POSE_CANDIDATE_TABLE;
    }
    return named;
}

/* Where the codes come from: one way at a time. */
static int check_source(const struct wtl_pose_options *options,
                        const struct wtl_command *command,
                        const struct named *named)
{
    const char *other = named->traces ? "traces" : options->input ? "--input" : NULL;
    if (isnan(options->time_s) != isnan(options->energy_j))
        return wtl_usage(command, "--time and --energy are required together; %s is missing",
                         isnan(options->time_s) ? "--time" : "--energy");
    if (named->given && other)
        return wtl_usage(command, "--time and --energy cannot be used with %s", other);
    if (named->traces && options->input)
        return wtl_usage(command, "--input cannot be used with traces");
    if (named->no_code && !options->system)
        return wtl_usage(command, "no code given; use traces, --time and --energy, --input, or "
                                  "--system for the machine only");
    for (size_t i = 0; i < options->code_count; i++) {
        const struct wtl_pose_code_option *code = &options->codes[i];
        if (code->traces.count == 0)
            return wtl_usage(command, "--code %.*s: no trace given", (int)code->label_length,
                             code->label);
    }
    return 0;
}

static int check_bounds(const struct wtl_pose_options *options, const struct wtl_command *command)
{
    if (options->pmin_w >= options->pmax_w)
        return wtl_usage(command, "--pmin (%g W) must be below --pmax (%g W)", options->pmin_w,
                         options->pmax_w);
    if (options->floor && !isnan(options->pmin_w))
        return wtl_usage(command, "--floor cannot be used with --pmin");
    if (options->calibration && !isnan(options->pmin_w) && !isnan(options->pmax_w))
        return wtl_usage(command, "--calibration cannot be used with both --pmin and --pmax");
    return 0;
}

static int check_candidates(const struct wtl_pose_options *options,
                            const struct wtl_command *command,
                            const struct named *named)
{
    struct wattle_error err = {""};
    for (size_t i = 0; i < options->candidates.count; i++) {
        const char *word = options->candidates.items[i], *label;
        struct wtl_pose_point at;
        if (wtl_pose_candidate_form(word) == WTL_POSE_CANDIDATE_GIVEN &&
            wtl_pose_candidate_given(word, &at, &label, &err) < 0)
            return wtl_usage(command, "%s", err.text);
    }
    if (options->candidates.count > 0 && named->no_code)
        return wtl_usage(command, "--candidate requires a code");
    if (options->parameter && !named->candidate_table)
        return wtl_usage(command, "--parameter requires --candidate FILE.csv");
    return 0;
}

static int check_names(const struct wtl_pose_options *options,
                       const struct wtl_command *command,
                       const struct named *named)
{
    bool one = named->given || (options->code_count == 1 && !options->codes[0].label);
    if (options->label && !one)
        return wtl_usage(command, "--label applies to a single code without another name");
    if (options->region && !named->traces && !named->candidate_traces)
        return wtl_usage(command, "--region requires traces");
    if (options->channel && !isnan(options->pmin_w) && !isnan(options->pmax_w) && !named->traces &&
        !named->candidate_traces)
        return wtl_usage(command,
                         "--channel applies to traces and calibration.conf, and neither is used");
    return 0;
}

static int check_files(const struct wtl_pose_options *options, const struct wtl_command *command)
{
    if (wtl_outputs_differ(options->plot.path, options->output, NULL) < 0)
        return wtl_usage(command, "--plot and --output are both %s; use different files",
                         options->output);
    return 0;
}

int wtl_pose_options_check(const struct wtl_pose_options *options,
                           const struct wtl_command *command,
                           const struct wtl_command_line *line)
{
    struct named named = look(options);
    int status = check_source(options, command, &named);
    status = status ? status : check_bounds(options, command);
    status = status ? status : check_names(options, command, &named);
    status = status ? status : check_candidates(options, command, &named);
    status = status ? status : check_files(options, command);
    return status ? status : wtl_pose_plot_check(&options->plot, command, line, named.no_code);
}
