/* SPDX-License-Identifier: BSD-3-Clause */
/* The command line of "wattle pose": see pose_options.h. */
#define _GNU_SOURCE
#include "cli/pose_options.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/pose_bounds.h"
#include "base/fail.h"
#include "cli/commands.h"
#include "cli/pose_quantity.h"

/* One per cent of run time counts as three of energy, as in the published tables. */
#define DEFAULT_METRIC "Et^3"

enum {
    TIME = 1,
    ENERGY,
    LABEL,
    CODE,
    CHANNEL,
    REGION,
    INPUT,
    CANDIDATE,
    PARAMETER,
    SYSTEM,
    PMIN,
    PMAX,
    FLOOR,
    CALIBRATION,
    METRIC,
    DETAILS,
    FORMAT,
    OUTPUT,
    FORCE
};

const struct wtl_option wtl_pose_option_rows[] = {
    {TIME, 0, "time", "TIME", "run time of the code: 212.91, 3.5min"},
    {ENERGY, 0, "energy", "ENERGY", "its energy: 38952.89, 39kJ, 10.8Wh"},
    {LABEL, 0, "label", "TEXT", "its name"},
    {CODE, 0, "code", "LABEL[=TRACES]", "the traces that follow are repeats of this code"},
    {CHANNEL, 'c', "channel", "NAME",
     "take the energy of this channel or domain\n(default: the total)"},
    {REGION, 0, "region", "NAME", "take only this region of the code"},
    {INPUT, 'i', "input", "FILE",
     "many codes: a CSV with columns of run time and\nenergy; \"-\" is standard input"},
    {CANDIDATE, 0, "candidate", "WHAT",
     "another version of the code: TIME,ENERGY[,LABEL],\n[LABEL=]TRACES, or a CSV of versions; may "
     "be\nrepeated"},
    {PARAMETER, 0, "parameter", "NAME", "column of that CSV that tells the versions apart"},
    {SYSTEM, 0, "system", NULL, "what the machine has to offer, whatever the code"},
    {PMIN, 0, "pmin", "POWER",
     "power of the machine that is busy with the least\n(default: from calibration.conf)"},
    {PMAX, 0, "pmax", "POWER",
     "power of the machine under the greatest load\n(default: from calibration.conf)"},
    {FLOOR, 0, "floor", "NAME",
     "which calibrated load is Pmin: omp_serial,\nomp_parallel, mpi_parallel, mpi_serial "
     "(default:\nthe lower one of the two parallel ones)"},
    {CALIBRATION, 0, "calibration", "FILE", "a calibration.conf elsewhere"},
    {METRIC, 'm', "metric", "METRIC",
     "the cost that counts: Et^N, EDS:ALPHA,BETA,\nEDD:ALPHA,BETA, or an expression in E and "
     "t;\nALPHA and BETA may be prices, 0.30/3.6e6 a kWh and\n2.50/3600 an hour; may be repeated "
     "(default " DEFAULT_METRIC ")"},
    {DETAILS, 0, "details", NULL, "each code and metric in full, where there are\nseveral"},
    {FORMAT, 0, "format", "FORMAT", "text, json or csv (default text)"},
    {OUTPUT, 'o', "output", "FILE", "write there instead of standard output"},
    {FORCE, 0, "force", NULL, "replace files that are there"},
    WTL_POSE_PLOT_OPTIONS,
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
    if (value < 0 || (value == 0 && dimension != WTL_POSE_OF_POWER))
        return wtl_usage(command, "%s: \"%s\" must %s", option, text,
                         dimension == WTL_POSE_OF_POWER ? "not be below 0" : "be above 0");
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

static int no_memory(const struct wtl_command *command)
{
    wtl_complain(command, "not enough memory");
    return WTL_EXIT_FAILED;
}

static int add_code(struct wtl_pose_options *options,
                    const struct wtl_command *command,
                    const char *label,
                    size_t length)
{
    struct wtl_pose_code_option *codes =
        reallocarray(options->codes, options->code_count + 1, sizeof *codes);
    if (!codes)
        return no_memory(command);
    options->codes = codes;
    codes[options->code_count++] =
        (struct wtl_pose_code_option){.label = label, .label_length = length};
    return 0;
}

/* A word that names traces: of the code that was named last. */
static int take_word(struct wtl_pose_options *options,
                     const struct wtl_command *command,
                     const char *word)
{
    struct wattle_error err = {""};
    int status = options->code_count == 0 ? add_code(options, command, NULL, 0) : 0;
    if (status)
        return status;
    struct wtl_pose_code_option *code = &options->codes[options->code_count - 1];
    if (code->words++ == 0)
        code->word = word;
    if (wtl_trace_list_add(&code->traces, word, &err) == 0)
        return 0;
    wtl_complain(command, "%s", err.text);
    return WTL_EXIT_FAILED;
}

/* "LABEL" or "LABEL=TRACES". */
static int take_code(struct wtl_pose_options *options,
                     const struct wtl_command *command,
                     const char *value)
{
    size_t n = strcspn(value, "=");
    if (n == 0)
        return wtl_usage(command, "--code: \"%s\" has no label; give LABEL, then its traces",
                         value);
    if (options->code_count > 0 && !options->codes[0].label)
        return wtl_usage(command,
                         "--code %.*s comes behind traces that have no label; begin with --code",
                         (int)n, value);
    int status = add_code(options, command, value, n);
    return status || !value[n] ? status : take_word(options, command, value + n + 1);
}

static int add_candidate(struct wtl_pose_options *options,
                         const struct wtl_command *command,
                         const char *value)
{
    const char **all = reallocarray(options->candidates, options->candidate_count + 1, sizeof *all);
    if (!all)
        return no_memory(command);
    options->candidates = all;
    all[options->candidate_count++] = value;
    return 0;
}

/* Options that only keep their value. */
static const char **text_of(struct wtl_pose_options *options, int id)
{
    switch (id) {
    case LABEL:
        return &options->label;
    case CHANNEL:
        return &options->channel;
    case REGION:
        return &options->region;
    case INPUT:
        return &options->input;
    case PARAMETER:
        return &options->parameter;
    case CALIBRATION:
        return &options->calibration;
    case OUTPUT:
        return &options->output;
    default:
        return NULL;
    }
}

/* 0, or the exit status of the error that was told. */
static int take(struct wtl_pose_options *options,
                const struct wtl_command *command,
                int id,
                const char *value)
{
    const char **text = text_of(options, id);
    if (text) {
        *text = value;
        return 0;
    }
    if (id == FLOOR) {
        size_t which;
        options->floor = value;
        return wtl_option_choice(command, "--floor", value, wtl_pose_floor_names, &which);
    }
    if (id >= WTL_POSE_PLOT_OPTION_FIRST && id < WTL_OPTION_HELP)
        return wtl_pose_plot_option(&options->plot, command, id, value);
    switch (id) {
    case TIME:
        return take_quantity(command, "--time", value, WTL_POSE_OF_TIME, &options->time_s);
    case ENERGY:
        return take_quantity(command, "--energy", value, WTL_POSE_OF_ENERGY, &options->energy_j);
    case PMIN:
        return take_quantity(command, "--pmin", value, WTL_POSE_OF_POWER, &options->pmin_w);
    case PMAX:
        return take_quantity(command, "--pmax", value, WTL_POSE_OF_POWER, &options->pmax_w);
    case METRIC:
        return add_metric(options, command, value);
    case FORMAT:
        return wtl_option_format(command, value, &options->format);
    case CODE:
        return take_code(options, command, value);
    case WTL_OPTIONS_OPERAND:
        return take_word(options, command, value);
    case CANDIDATE:
        return add_candidate(options, command, value);
    default:
        options->system |= id == SYSTEM;
        options->details |= id == DETAILS;
        options->force |= id == FORCE;
        return 0;
    }
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
    for (int i = scan.operand; status == 0 && i < argc; i++)
        status = take_word(options, command, argv[i]);
    if (status == 0 && options->metric_count == 0)
        status = add_metric(options, command, DEFAULT_METRIC);
    status = status ? status : wtl_pose_options_check(options, command);
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
    free(options->candidates);
    *options = (struct wtl_pose_options){0};
}
