/* SPDX-License-Identifier: BSD-3-Clause */
/* "wattle pose": decide whether to optimise power or run time. */
#define _GNU_SOURCE
#include "cli/commands.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/pose/pose_bounds.h"
#include "analysis/pose/pose_study.h"
#include "analysis/pose/pose_traces.h"
#include "base/fail.h"
#include "base/flush.h"
#include "base/grow.h"
#include "cli/inputs.h"
#include "cli/output.h"
#include "cli/pose/pose_candidates.h"
#include "cli/pose/pose_limits.h"
#include "cli/pose/pose_options.h"
#include "cli/pose/pose_plot.h"
#include "cli/pose/pose_quantity.h"
#include "cli/run_words.h"
#include "exchange/import/code_table.h"
#include "report/pose/pose_redact.h"
#include "report/pose/pose_report.h"

/* Both files are written before either is renamed, so that a failure leaves neither. */
static int write_both(const struct wtl_pose_options *options,
                      const struct wtl_pose_study *study,
                      struct wtl_output *text,
                      struct wtl_output *picture,
                      char caption[WTL_POSE_PLOT_CAPTION],
                      struct wattle_error *err)
{
    struct wtl_style style = wtl_style_of(text->stream);
    int rc = picture->stream
                 ? wtl_pose_plot_draw(&options->plot, study, picture->stream, caption, err)
                 : 0;
    rc = rc < 0
             ? rc
             : wtl_report_pose(text->stream, options->format, study, options->details, &style, err);
    if (rc == 0 && picture->stream) {
        struct wattle_error why = {""};
        rc = wtl_flush(text->stream, &why);
        rc = rc < 0 ? wtl_fail(err, rc, "%s: %s", text->path ? text->path : "standard output",
                               why.text)
                    : wtl_output_commit(picture, err);
    }
    return rc < 0 ? rc : wtl_output_commit(text, err);
}

static int print(const struct wtl_pose_options *options,
                 const struct wtl_pose_study *study,
                 struct wattle_error *err)
{
    struct wtl_output text = {0}, picture = {0};
    char caption[WTL_POSE_PLOT_CAPTION] = "";
    int rc = wtl_output_open(&text, options->output, options->force, err);
    if (rc == 0 && options->plot.path)
        rc = wtl_output_open(&picture, options->plot.path, options->force, err);
    rc = rc < 0 ? rc : write_both(options, study, &text, &picture, caption, err);
    if (rc == 0 && options->plot.path)
        wtl_pose_plot_tell(&options->plot, caption);
    wtl_output_drop(&picture);
    wtl_output_drop(&text);
    return rc;
}

/* ---- codes: from options, a table or traces ---- */

static int make_room(struct wtl_pose_study *study, size_t n, struct wattle_error *err)
{
    study->subjects = calloc(n, sizeof *study->subjects);
    return study->subjects ? 0 : wtl_no_memory(err);
}

/* Add a subject with nothing known. */
static struct wtl_pose_subject *next(struct wtl_pose_study *study)
{
    struct wtl_pose_subject *subject = &study->subjects[study->subject_count++];
    *subject = (struct wtl_pose_subject){
        .code = {(double)NAN, (double)NAN, (double)NAN, (double)NAN},
        .doubt = wtl_pose_doubt_unknown(),
    };
    return subject;
}

/* ---- --time and --energy ---- */

static int add_given(struct wtl_pose_study *study,
                     const struct wtl_pose_options *options,
                     struct wattle_error *err)
{
    if (make_room(study, 1, err) < 0)
        return -ENOMEM;
    struct wtl_pose_subject *subject = next(study);
    subject->code.t_s = options->time_s;
    subject->code.e_j = options->energy_j;
    subject->label = options->label ? strdup(options->label) : NULL;
    return options->label && !subject->label ? wtl_no_memory(err) : 0;
}

/* ---- --input ---- */

/* A row of machines, without codes. */
static const char *name_of(const struct wtl_pose_options *options)
{
    return strcmp(options->input, "-") == 0 ? "standard input" : options->input;
}

static int add_machine(struct wtl_pose_study *study,
                       const struct wtl_pose_options *options,
                       const struct wtl_code_row *row,
                       struct wattle_error *err)
{
    double pmin_w = isnan(options->pmin_w) ? row->pmin_w : options->pmin_w;
    double pmax_w = isnan(options->pmax_w) ? row->pmax_w : options->pmax_w;
    if (isnan(pmin_w) || isnan(pmax_w))
        return wtl_fail(err, -EBADMSG,
                        "%s:%llu: Pmin or Pmax is missing; fill it, or remove the row",
                        name_of(options), (unsigned long long)row->line);
    return wtl_pose_limits_add(study, row->label, row->group, pmin_w, pmax_w, err);
}

static void add_code(struct wtl_pose_study *study, const struct wtl_pose_repeats *code)
{
    struct wtl_pose_subject *subject = next(study);
    struct wtl_code_row *row = code->first;
    subject->code =
        (struct wtl_pose_code){code->code.t_s, code->code.e_j, row->pmin_w, row->pmax_w};
    subject->doubt = code->doubt;
    subject->label = row->label;
    subject->group = row->group;
    row->label = row->group = NULL; /* now owned by the subject */
}

static int check_row(const struct wtl_pose_options *options,
                     const struct wtl_pose_subject *subject,
                     unsigned long long line,
                     struct wattle_error *err)
{
    const struct wtl_pose_code *code = &subject->code;
    if (code->pmin_w < code->pmax_w)
        return 0;
    return wtl_fail(err, -EBADMSG, "%s:%llu: Pmin (%.6g W) must be below Pmax (%.6g W)",
                    name_of(options), line, code->pmin_w, code->pmax_w);
}

static int add_codes(struct wtl_pose_study *study,
                     const struct wtl_pose_options *options,
                     struct wtl_pose_limits *limits,
                     struct wtl_code_table *table,
                     struct wattle_error *err)
{
    struct wtl_pose_repeats *codes = NULL;
    int rc = make_room(study, table->code_count, err);
    if (rc == 0 && wtl_pose_repeats_of(table, &codes) < 0)
        rc = wtl_no_memory(err);
    for (size_t i = 0; rc == 0 && i < table->code_count; i++) {
        unsigned long long line = codes[i].first->line;
        struct wtl_pose_subject *subject = &study->subjects[i];
        struct wattle_error why = {""};
        add_code(study, &codes[i]);
        rc = wtl_pose_limits_set(limits, subject, &why);
        if (rc < 0)
            rc = wtl_fail(err, rc, "%s:%llu: %s", name_of(options), line, why.text);
        else
            rc = check_row(options, subject, line, err);
    }
    free(codes);
    return rc;
}

static int add_table(struct wtl_pose_study *study,
                     const struct wtl_pose_options *options,
                     struct wtl_pose_limits *limits,
                     struct wattle_error *err)
{
    struct wtl_code_table_options how = {.may_lack_codes = options->system};
    const char *path = name_of(options);
    struct wtl_text_source *source;
    struct wtl_code_table table;
    int rc = wtl_text_source_open(options->input, &source, err);
    rc = rc < 0 ? rc : wtl_code_table_read(path, source, &how, &table, err);
    if (rc < 0)
        return rc;
    rc = table.has_codes ? add_codes(study, options, limits, &table, err) : 0;
    for (size_t i = 0; rc == 0 && !table.has_codes && i < table.count; i++)
        rc = add_machine(study, options, &table.rows[i], err);
    wtl_code_table_fini(&table);
    return rc;
}

/* Options that select something that no row needs. */
static int check_unused(const struct wtl_pose_options *options,
                        const struct wtl_pose_limits *limits,
                        struct wattle_error *err)
{
    const char *unused = options->floor                                       ? "--floor"
                         : options->calibration                               ? "--calibration"
                         : options->channel && options->candidates.count == 0 ? "--channel"
                                                                              : NULL;
    return unused && !limits->used
               ? wtl_fail(err, -EINVAL, "%s cannot be used: the table has its own Pmin and Pmax",
                          unused)
               : 0;
}

/* ---- traces ---- */

/* The given name, or that of the traces; several arguments have the name of the first. */
static char *label_of(const struct wtl_pose_options *options, size_t number)
{
    const struct wtl_pose_code_option *code = &options->codes[number];
    if (code->label)
        return strndup(code->label, code->label_length);
    return options->label ? strdup(options->label)
                          : wtl_pose_name_of(code->word, options->redact ? "code" : NULL, number);
}

static int add_traces(struct wtl_pose_study *study,
                      const struct wtl_pose_options *options,
                      struct wattle_error *err)
{
    int rc = make_room(study, options->code_count, err);
    for (size_t i = 0; rc == 0 && i < options->code_count; i++) {
        const struct wtl_pose_code_option *code = &options->codes[i];
        struct wtl_pose_subject subject = {0};
        rc = wtl_pose_subject_of_traces(code->traces.paths, code->traces.count, options->channel,
                                        options->region, &subject, err);
        if (rc < 0)
            break;
        study->subjects[study->subject_count++] = subject;
        struct wtl_pose_subject *added = &study->subjects[i];
        char *label = label_of(options, i);
        if (!label)
            return wtl_no_memory(err);
        free(added->label);
        added->label = label;
        added->code.pmin_w = added->code.pmax_w = (double)NAN;
    }
    return rc;
}

static void move_metrics(struct wtl_pose_study *study, struct wtl_pose_options *options)
{
    study->metrics = options->metrics;
    study->metric_names = options->metric_names;
    study->metric_count = options->metric_count;
    options->metrics = NULL;
    options->metric_names = NULL;
    options->metric_count = 0;
}

/* Fill the study from the options: codes with their bounds, machines, candidates. The metrics move from the
 * options to the study. Returns 0, or -errno with a message; the caller frees the study in any case. */
static int pose_subjects_build(struct wtl_pose_study *study,
                               struct wtl_pose_options *options,
                               struct wattle_error *err)
{
    struct wtl_pose_limits limits;
    int rc = 0;
    move_metrics(study, options);
    wtl_pose_limits_init(&limits, options);
    if (options->input) {
        rc = add_table(study, options, &limits, err);
        rc = rc < 0 ? rc : check_unused(options, &limits, err);
    } else if (options->code_count > 0)
        rc = add_traces(study, options, err);
    else if (!isnan(options->time_s))
        rc = add_given(study, options, err);
    for (size_t i = 0; rc == 0 && !options->input && i < study->subject_count; i++)
        rc = wtl_pose_limits_set(&limits, &study->subjects[i], err);
    if (rc == 0 && options->system && study->subject_count > 0)
        rc = wtl_pose_limits_groups(study, err);
    else if (rc == 0 && options->system && study->system_count == 0)
        rc = wtl_pose_limits_machine(&limits, study, err);
    return rc < 0 ? rc : wtl_pose_candidates_add(study, options, err);
}

/* ---- options ---- */

/* One percent of run time counts as three percent of energy, as in the published tables. */
#define DEFAULT_METRIC "Et^3"

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

static int take_time(const struct wtl_command *command, void *place, const char *value)
{
    return take_quantity(command, "--time", value, WTL_POSE_OF_TIME, place);
}

static int take_energy(const struct wtl_command *command, void *place, const char *value)
{
    return take_quantity(command, "--energy", value, WTL_POSE_OF_ENERGY, place);
}

static int take_pmin(const struct wtl_command *command, void *place, const char *value)
{
    return take_quantity(command, "--pmin", value, WTL_POSE_OF_POWER, place);
}

static int take_pmax(const struct wtl_command *command, void *place, const char *value)
{
    return take_quantity(command, "--pmax", value, WTL_POSE_OF_POWER, place);
}

static int take_floor(const struct wtl_command *command, void *place, const char *value)
{
    size_t which;
    *(const char **)place = value;
    return wtl_option_choice(command, "--floor", value, wtl_pose_floor_names, &which);
}

static int take_metric(const struct wtl_command *command, void *place, const char *text)
{
    struct wtl_pose_options *options = place;
    struct wattle_error err = {""};
    size_t n = options->metric_count;
    if (wtl_grow(&options->metrics, n, sizeof *options->metrics) == 0 &&
        wtl_grow(&options->metric_names, n, sizeof *options->metric_names) == 0 &&
        (options->metric_names[n] = strdup(text))) {
        int rc = wtl_pose_metric_parse(text, &options->metrics[n], &err);
        if (rc == 0) {
            options->metric_count++;
            return 0;
        }
        free(options->metric_names[n]);
        return wtl_usage(command, "%s", err.text);
    }
    wtl_complain(command, WTL_NO_MEMORY);
    return WTL_EXIT_FAILED;
}

static int no_memory(const struct wtl_command *command)
{
    wtl_complain(command, WTL_NO_MEMORY);
    return WTL_EXIT_FAILED;
}

static int add_code_option(struct wtl_pose_options *options,
                           const struct wtl_command *command,
                           const char *label,
                           size_t length)
{
    if (wtl_grow(&options->codes, options->code_count, sizeof *options->codes) < 0)
        return no_memory(command);
    options->codes[options->code_count++] =
        (struct wtl_pose_code_option){.label = label, .label_length = length};
    return 0;
}

/*
 * An argument that names traces, for the last --code (struct wtl_command). An argument that names
 * traces, for the last --code.
 */
static int pose_take_word(const struct wtl_command *command, void *place, const char *word)
{
    struct wtl_pose_options *options = place;
    struct wattle_error err = {""};
    int status = options->code_count == 0 ? add_code_option(options, command, NULL, 0) : 0;
    if (status)
        return status;
    struct wtl_pose_code_option *code = &options->codes[options->code_count - 1];
    if (code->words++ == 0)
        code->word = word;
    if (wtl_run_names_add(&code->traces, word, &err) == 0)
        return 0;
    wtl_complain(command, "%s", err.text);
    return WTL_EXIT_FAILED;
}

/* "LABEL" or "LABEL=TRACES". */
static int take_code(const struct wtl_command *command, void *place, const char *value)
{
    struct wtl_pose_options *options = place;
    size_t n = strcspn(value, "=");
    if (n == 0)
        return wtl_usage(command, "--code: \"%s\" has no label; write --code LABEL TRACE...",
                         value);
    if (options->code_count > 0 && !options->codes[0].label)
        return wtl_usage(command, "--code %.*s follows traces without a label; start with --code",
                         (int)n, value);
    int status = add_code_option(options, command, value, n);
    return status || !value[n] ? status : pose_take_word(command, options, value + n + 1);
}

static const struct wtl_option pose_option_rows[] = {
    {0, "time", "TIME", "run time of the code: 212.91, 3.5min",
     WTL_CALLS(struct wtl_pose_options, time_s, take_time)},
    {0, "energy", "ENERGY", "energy of the code: 38952.89, 39kJ, 10.8Wh",
     WTL_CALLS(struct wtl_pose_options, energy_j, take_energy)},
    {0, "label", "TEXT", "name of the code", WTL_TAKES_TEXT(struct wtl_pose_options, label)},
    {0, "code", "LABEL[=TRACES]", "the following traces are repeats of this code",
     WTL_CALLS_WITH_ALL(take_code), .is_input = true},
    {'c', "channel", "NAME", "use the energy of this channel or domain\n(default: the total)",
     WTL_TAKES_TEXT(struct wtl_pose_options, channel)},
    {0, "region", "NAME", "use only this region of the code",
     WTL_TAKES_TEXT(struct wtl_pose_options, region)},
    {'i', "input", "FILE",
     "CSV of codes with run time and energy columns;\n\"-\" is standard input",
     WTL_TAKES_INPUT(struct wtl_pose_options, input)},
    {0, "candidate", "WHAT",
     "another version of the code: TIME,ENERGY[,LABEL],\n[LABEL=]TRACES, or a CSV of versions; "
     "repeatable",
     WTL_TAKES_LIST(struct wtl_pose_options, candidates), .is_input = true},
    {0, "parameter", "NAME", "column of that CSV that distinguishes the versions",
     WTL_TAKES_TEXT(struct wtl_pose_options, parameter)},
    {0, "system", NULL, "what the machine allows, for any code",
     WTL_SETS(struct wtl_pose_options, system)},
    {0, "pmin", "POWER", "minimum power of the busy machine\n(default: from calibration.conf)",
     WTL_CALLS(struct wtl_pose_options, pmin_w, take_pmin)},
    {0, "pmax", "POWER", "maximum power of the busy machine\n(default: from calibration.conf)",
     WTL_CALLS(struct wtl_pose_options, pmax_w, take_pmax)},
    {0, "floor", "NAME",
     "calibrated load used for Pmin: omp_serial,\nomp_parallel, mpi_parallel, mpi_serial "
     "(default:\nthe lower of the two parallel ones)",
     WTL_CALLS(struct wtl_pose_options, floor, take_floor)},
    {0, "calibration", "FILE", "use this calibration.conf",
     WTL_TAKES_INPUT(struct wtl_pose_options, calibration)},
    {'m', "metric", "METRIC",
     "cost to minimise: Et^N, EDS:ALPHA,BETA,\nEDD:ALPHA,BETA, or an expression in E and t; "
     "ALPHA\nand BETA may be prices, 0.30/3.6e6 per kWh and\n2.50/3600 per hour; repeatable "
     "(default " DEFAULT_METRIC ")",
     WTL_CALLS_WITH_ALL(take_metric)},
    {0, "details", NULL, "show each code and metric in full",
     WTL_SETS(struct wtl_pose_options, details)},
    WTL_OPTION_FORMAT(struct wtl_pose_options, format),
    {'o', "output", "FILE", "write to FILE instead of standard output",
     WTL_TAKES_TEXT(struct wtl_pose_options, output)},
    {0, "force", NULL, "overwrite existing files", WTL_SETS(struct wtl_pose_options, force)},
    {0, "redact", NULL,
     "leave out what identifies people and machines\nfrom every output: hosts become node 1, "
     "traces\nrun 1",
     WTL_SETS(struct wtl_pose_options, redact)},
    WTL_POSE_PLOT_OPTIONS(struct wtl_pose_options, plot),
    WTL_OPTION_HELP,
    WTL_OPTIONS_END,
};

/* ---- conflicting options ---- */

/* What the options select. */
struct named {
    bool given, traces, no_code;
    bool candidate_traces, candidate_table;
};

static struct named named_by(const struct wtl_pose_options *options)
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

/* Check for conflicting options. Returns 0, or the exit status of the usage error after a message. */
static int pose_options_check(const struct wtl_pose_options *options,
                              const struct wtl_command *command,
                              const struct wtl_command_line *line)
{
    struct named named = named_by(options);
    int status = check_source(options, command, &named);
    status = status ? status : check_bounds(options, command);
    status = status ? status : check_names(options, command, &named);
    status = status ? status : check_candidates(options, command, &named);
    status = status ? status : check_files(options, command);
    return status ? status : wtl_pose_plot_check(&options->plot, command, line, named.no_code);
}

/*
 * Read the command line. Returns WTL_GO_ON, or the exit status after a message. Call pose_options_fini()
 * in any case. Texts point into argv.
 */
static int pose_options_read(struct wtl_pose_options *options,
                             const struct wtl_command *command,
                             int argc,
                             char **argv)
{
    struct wtl_command_line line;
    *options = (struct wtl_pose_options){.time_s = (double)NAN,
                                         .energy_j = (double)NAN,
                                         .pmin_w = (double)NAN,
                                         .pmax_w = (double)NAN};
    int status = wtl_command_read(command, argc, argv, options, &line);
    if (status != WTL_GO_ON)
        return status;
    for (size_t i = 0; i < options->code_count; i++) {
        if (wtl_run_words_once(&options->codes[i].traces, NULL) < 0)
            return no_memory(command);
        wtl_say_left_out(command, &options->codes[i].traces);
    }
    status = options->metric_count == 0 ? take_metric(command, options, DEFAULT_METRIC) : 0;
    status = status ? status : pose_options_check(options, command, &line);
    return status ? status : WTL_GO_ON;
}

static void pose_options_fini(struct wtl_pose_options *options)
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
    free(options->candidates.items);
    *options = (struct wtl_pose_options){0};
}

/* ---- the verb ---- */

static int run(int argc, char **argv)
{
    const struct wtl_command *command = &wtl_pose_command;
    struct wtl_pose_study study = {0};
    struct wtl_pose_options options;
    struct wattle_error err = {""};
    if (argc > 1 && strcmp(argv[1], "calibrate") == 0)
        return wtl_pose_calibrate_command.run(argc - 1, argv + 1);
    int status = pose_options_read(&options, command, argc, argv);
    if (status == WTL_GO_ON) {
        int rc = pose_subjects_build(&study, &options, &err);
        if (rc == 0 && options.redact && wtl_pose_redact(&study) < 0)
            rc = wtl_no_memory(&err);
        rc = rc < 0 ? rc : wtl_pose_study_compute(&study, &err);
        rc = rc < 0 ? rc : print(&options, &study, &err);
        if (rc < 0)
            wtl_complain(command, "%s", err.text);
        status = rc < 0 ? WTL_EXIT_FAILED : WTL_EXIT_OK;
    }
    wtl_pose_study_fini(&study);
    pose_options_fini(&options);
    return status;
}

const struct wtl_command wtl_pose_command = {
    .verb = "pose",
    .run = run,
    .operands = "[TRACE...] | calibrate",
    .summary = "decide whether to optimise power or run time",
    .text = "Computes, from a code's run time and energy and the machine's minimum and\nmaximum "
            "power when busy, how much lower power can save at most and which\nspeed-up beats "
            "that. A code is one or more traces (repeats), or --time and\n--energy, or a table of "
            "codes (--input). \"wattle pose calibrate\" measures the\ntwo powers.\n",
    .options = pose_option_rows,
    .examples = "wattle pose --time 212.91 --energy 38952.89 --pmin 181.14 --pmax 345.57\n"
                "wattle pose runs/ --metric Et^2 --metric EDS:1,900 --plot pose.svg\n"
                "wattle pose --code OpenMP omp-*.wtl --code MPI mpi-*.wtl --plot pose.html\n"
                "wattle pose before/ --candidate O3=after/ --candidate frequencies.csv\n"
                "wattle pose --metric 'EDS:0.30/3.6e6,2.50/3600' app.wtl\n"
                "wattle pose --input codes.csv --system --format json\n"
                "wattle pose calibrate\n",
    .usage_exit = WTL_EXIT_USAGE,
    .take_operand = pose_take_word,
};
