/* SPDX-License-Identifier: BSD-3-Clause */
/* The command line of "wattle pose": see pose_options.h. */
#define _GNU_SOURCE
#include "cli/pose_options.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "cli/commands.h"
#include "cli/pose_quantity.h"

/* One per cent of run time counts as three of energy, as in the published tables. */
#define DEFAULT_METRIC "Et^3"

enum { TIME = 1, ENERGY, PMIN, PMAX, METRIC, LABEL, DETAILS, FORMAT, OUTPUT, FORCE };

const struct wtl_option wtl_pose_option_rows[] = {
    {TIME, 0, "time", "TIME", "run time of the code: 212.91, 3.5min"},
    {ENERGY, 0, "energy", "ENERGY", "its energy: 38952.89, 39kJ, 10.8Wh"},
    {LABEL, 0, "label", "TEXT", "its name"},
    {PMIN, 0, "pmin", "POWER",
     "power of the machine that is busy with the least\n(default: from calibration.conf)"},
    {PMAX, 0, "pmax", "POWER",
     "power of the machine under the greatest load\n(default: from calibration.conf)"},
    {METRIC, 'm', "metric", "METRIC",
     "the cost that counts: Et^N, EDS:ALPHA,BETA,\nEDD:ALPHA,BETA, or an expression in E and "
     "t;\nmay be repeated (default " DEFAULT_METRIC ")"},
    {DETAILS, 0, "details", NULL, "of several codes each one in full"},
    {FORMAT, 0, "format", "FORMAT", "text, json or csv (default text)"},
    {OUTPUT, 'o', "output", "FILE", "write there instead of standard output"},
    {FORCE, 0, "force", NULL, "replace a file that is there"},
    WTL_OPTION_HELP_ROW,
    {0, 0, NULL, NULL, NULL},
};

static int take_quantity(const struct wtl_command *command,
                         const char *option,
                         const char *text,
                         enum wtl_pose_dimension dimension,
                         double *ret_value)
{
    double value;
    if (wtl_pose_quantity(text, dimension, &value) < 0)
        return wtl_usage(command, "%s: \"%s\" is not %s", option, text,
                         wtl_pose_quantity_expected(dimension));
    if (value < 0 || (value == 0 && dimension != WTL_POSE_POWER))
        return wtl_usage(command, "%s: \"%s\" must be above 0", option, text);
    *ret_value = value;
    return 0;
}

static int add_metric(struct wtl_pose_options *options,
                      const struct wtl_command *command,
                      const char *text)
{
    struct wattle_error err = {""};
    size_t n = options->metric_count;
    struct wtl_pose_metric *metrics =
        reallocarray(options->metrics, n + 1, sizeof *options->metrics);
    options->metrics = metrics ? metrics : options->metrics;
    char **names = reallocarray(options->metric_names, n + 1, sizeof *names);
    options->metric_names = names ? names : options->metric_names;
    if (metrics && names && (names[n] = strdup(text))) {
        int rc = wtl_pose_metric_parse(text, &metrics[n], &err);
        if (rc == 0) {
            options->metric_count++;
            return 0;
        }
        free(names[n]);
        return wtl_usage(command, "%s", err.text);
    }
    wtl_complain(command, "not enough memory");
    return WTL_EXIT_FAILED;
}

/* 0, or the exit status of the error that was told. */
static int take(struct wtl_pose_options *options,
                const struct wtl_command *command,
                int id,
                const char *value)
{
    switch (id) {
    case TIME:
        return take_quantity(command, "--time", value, WTL_POSE_TIME, &options->time_s);
    case ENERGY:
        return take_quantity(command, "--energy", value, WTL_POSE_ENERGY, &options->energy_j);
    case PMIN:
        return take_quantity(command, "--pmin", value, WTL_POSE_POWER, &options->pmin_w);
    case PMAX:
        return take_quantity(command, "--pmax", value, WTL_POSE_POWER, &options->pmax_w);
    case METRIC:
        return add_metric(options, command, value);
    case FORMAT:
        options->has_format = true;
        return wtl_option_format(command, value, &options->format);
    case LABEL:
        options->label = value;
        return 0;
    case OUTPUT:
        options->output = value;
        return 0;
    default:
        options->details |= id == DETAILS;
        options->force |= id == FORCE;
        return 0;
    }
}

/* What does not go together. */
static int check(const struct wtl_pose_options *options, const struct wtl_command *command)
{
    if (isnan(options->time_s) != isnan(options->energy_j))
        return wtl_usage(command, "--time and --energy go together; %s is missing",
                         isnan(options->time_s) ? "--time" : "--energy");
    if (isnan(options->time_s))
        return wtl_usage(command, "no code is named; give --time and --energy");
    if (options->pmin_w >= options->pmax_w)
        return wtl_usage(command, "--pmin (%g W) must lie below --pmax (%g W)", options->pmin_w,
                         options->pmax_w);
    if (isnan(options->pmin_w) || isnan(options->pmax_w))
        return wtl_usage(command, "give --pmin and --pmax");
    return 0;
}

int wtl_pose_options_read(struct wtl_pose_options *options,
                          const struct wtl_command *command,
                          int argc,
                          char **argv,
                          bool *ret_go)
{
    struct wtl_options scan;
    const char *value;
    int status = 0;
    *ret_go = false;
    *options = (struct wtl_pose_options){.time_s = (double)NAN,
                                         .energy_j = (double)NAN,
                                         .pmin_w = (double)NAN,
                                         .pmax_w = (double)NAN};
    wtl_options_init(&scan, command, argc, argv);
    for (int id; status == 0 && (id = wtl_options_next(&scan, &value)) != WTL_OPTIONS_END;) {
        if (id < 0)
            return scan.exit_code;
        status = take(options, command, id, value);
    }
    if (status == 0 && options->metric_count == 0)
        status = add_metric(options, command, DEFAULT_METRIC);
    status = status ? status : check(options, command);
    *ret_go = status == 0;
    return status;
}

void wtl_pose_options_fini(struct wtl_pose_options *options)
{
    for (size_t i = 0; i < options->metric_count; i++) {
        wtl_pose_metric_fini(&options->metrics[i]);
        free(options->metric_names[i]);
    }
    for (size_t i = 0; i < options->code_count; i++)
        wtl_trace_list_fini(&options->codes[i].traces);
    free(options->metrics);
    free(options->metric_names);
    free(options->codes);
    *options = (struct wtl_pose_options){0};
}
