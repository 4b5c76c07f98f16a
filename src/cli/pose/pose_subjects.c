/* SPDX-License-Identifier: BSD-3-Clause */
/* The study's codes: see pose_subjects.h. */
#define _GNU_SOURCE
#include "cli/pose/pose_subjects.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/pose/pose_traces.h"
#include "base/fail.h"
#include "cli/pose/pose_candidates.h"
#include "cli/pose/pose_limits.h"
#include "cli/pose/pose_repeats.h"
#include "exchange/import/code_table.h"

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

int wtl_pose_subjects_build(struct wtl_pose_study *study,
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
