/* SPDX-License-Identifier: BSD-3-Clause */
/* Other versions of the code: see pose_candidates.h. */
#define _GNU_SOURCE
#include "cli/pose/pose_candidates.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/pose/pose_traces.h"
#include "base/fail.h"
#include "base/grow.h"
#include "cli/commands.h"
#include "cli/pose/pose_quantity.h"
#include "cli/run_words.h"
#include "exchange/import/code_column.h"
#include "exchange/import/code_table.h"

static bool ends_in(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);
    return n > m && strcmp(text + n - m, end) == 0;
}

/* The part of a word up to the next comma, and what follows it. */
static const char *cut(const char *word, char part[64])
{
    size_t n = strcspn(word, ",");
    (void)snprintf(part, 64, "%.*s", (int)(n < 63 ? n : 63), word);
    return word + n + (word[n] == ',');
}

enum wtl_pose_candidate_form wtl_pose_candidate_form(const char *word)
{
    char time[64], energy[64];
    double value;
    if (ends_in(word, ".csv") || ends_in(word, ".csv.gz") || ends_in(word, ".csv.zst"))
        return WTL_POSE_CANDIDATE_TABLE;
    (void)cut(cut(word, time), energy);
    if (access(word, F_OK) != 0 && (wtl_pose_quantity(time, WTL_POSE_OF_TIME, &value) == 0 ||
                                    wtl_pose_quantity(energy, WTL_POSE_OF_ENERGY, &value) == 0))
        return WTL_POSE_CANDIDATE_GIVEN;
    return WTL_POSE_CANDIDATE_TRACES;
}

/* Takes ownership of the label, also on failure; NULL = "candidate N". */
static int add_candidate(struct wtl_pose_study *study,
                         char *label,
                         struct wtl_pose_point at,
                         const struct wtl_pose_doubt *doubt,
                         double parameter,
                         struct wattle_error *err)
{
    size_t n = study->candidate_count;
    if (!label && asprintf(&label, "candidate %zu", n + 1) < 0)
        return wtl_no_memory(err);
    if (wtl_grow(&study->candidates, n, sizeof *study->candidates) < 0) {
        free(label);
        return wtl_no_memory(err);
    }
    study->candidates[study->candidate_count++] = (struct wtl_pose_candidate){
        .label = label, .at = at, .doubt = *doubt, .parameter = parameter};
    return 0;
}

/* ---- TIME,ENERGY[,LABEL] ---- */

int wtl_pose_candidate_given(const char *word,
                             struct wtl_pose_point *ret_at,
                             const char **ret_label,
                             struct wattle_error *err)
{
    double values[2];
    const char *at = word;
    for (int i = 0; i < 2; i++) {
        enum wtl_pose_dimension dimension = i == 0 ? WTL_POSE_OF_TIME : WTL_POSE_OF_ENERGY;
        char text[64];
        at = cut(at, text);
        if (wtl_pose_quantity(text, dimension, &values[i]) < 0)
            return wtl_fail(err, -EINVAL,
                            "--candidate %.100s: \"%s\" is not %s; expected TIME,ENERGY[,LABEL]",
                            word, text, wtl_pose_quantity_expected(dimension));
        if (values[i] <= 0)
            return wtl_fail(err, -EINVAL, "--candidate %.100s: \"%s\" must be above 0", word, text);
    }
    *ret_at = (struct wtl_pose_point){values[0], values[1]};
    *ret_label = *at ? at : NULL;
    return 0;
}

static int add_given(struct wtl_pose_study *study, const char *word, struct wattle_error *err)
{
    struct wtl_pose_point at = {0, 0};
    const char *text = NULL;
    int rc = wtl_pose_candidate_given(word, &at, &text, err);
    if (rc < 0)
        return rc;
    char *label = text ? strdup(text) : NULL;
    if (text && !label)
        return wtl_no_memory(err);
    struct wtl_pose_doubt doubt = wtl_pose_doubt_unknown();
    return add_candidate(study, label, at, &doubt, (double)NAN, err);
}

/* ---- a table ---- */

static int name_parameter(struct wtl_pose_study *study,
                          const struct wtl_code_table *table,
                          const char *path,
                          struct wattle_error *err)
{
    char name[64], unit[16];
    if (!table->parameter)
        return 0;
    wtl_code_parameter_split(table->parameter, name, unit);
    if (study->parameter_name &&
        (strcmp(study->parameter_name, name) != 0 ||
         strcmp(study->parameter_unit ? study->parameter_unit : "", unit) != 0))
        return wtl_fail(err, -EINVAL,
                        "%s: its parameter is \"%s\", but that of the previous table is \"%s\"",
                        path, name, study->parameter_name);
    if (study->parameter_name)
        return 0;
    study->parameter_name = strdup(name);
    study->parameter_unit = unit[0] ? strdup(unit) : NULL;
    return study->parameter_name && (!unit[0] || study->parameter_unit) ? 0 : wtl_no_memory(err);
}

/* The label of a row, or what distinguishes it from the others. */
static char *label_of(const struct wtl_pose_study *study, const struct wtl_code_row *row)
{
    char *label = NULL;
    assert(row);
    if (row->label)
        return strdup(row->label);
    if (isnan(row->parameter))
        return asprintf(&label, "line %llu", (unsigned long long)row->line) < 0 ? NULL : label;
    const char *unit = study->parameter_unit;
    int n = unit ? asprintf(&label, "%.6g %s", row->parameter, unit)
                 : asprintf(&label, "%.6g %s", row->parameter, study->parameter_name);
    return n < 0 ? NULL : label;
}

/* Rows in the order of their codes: starts[c] .. starts[c + 1] are the runs of code c. squares: of their half widths, summed by code. */
static void sort_runs(const struct wtl_code_table *table,
                      size_t *starts,
                      double *t_s,
                      double *e_j,
                      double *squares)
{
    for (size_t i = 0; i < table->count; i++)
        starts[table->rows[i].code + 2]++;
    for (size_t c = 2; c < table->code_count + 2; c++)
        starts[c] += starts[c - 1];
    for (size_t i = 0; i < table->count; i++) {
        size_t at = starts[table->rows[i].code + 1]++;
        t_s[at] = table->rows[i].t_s;
        e_j[at] = table->rows[i].e_j;
        squares[table->rows[i].code] += table->rows[i].half_j * table->rows[i].half_j;
    }
}

int wtl_pose_repeats_of(struct wtl_code_table *table, struct wtl_pose_repeats **ret_codes)
{
    size_t *starts = calloc(table->code_count + 2, sizeof *starts);
    double *t_s = calloc(table->count + 1, sizeof *t_s),
           *e_j = calloc(table->count + 1, sizeof *e_j),
           *squares = calloc(table->code_count + 1, sizeof *squares);
    struct wtl_pose_repeats *codes = calloc(table->code_count + 1, sizeof *codes);
    bool made = starts && t_s && e_j && squares && codes;
    if (made)
        sort_runs(table, starts, t_s, e_j, squares);
    for (size_t i = 0; made && i < table->count; i++) {
        size_t c = table->rows[i].code, n = starts[c + 1] - starts[c];
        struct wtl_pose_repeats *code = &codes[c];
        if (code->first)
            continue;
        code->first = &table->rows[i];
        code->doubt = wtl_pose_doubt_unknown();
        code->code.t_s = table->rows[i].t_s;
        code->code.e_j = table->rows[i].e_j;
        if (n > 1) /* checked by the reader: numbers above 0 */
            (void)wtl_pose_doubt_of_runs(t_s + starts[c], e_j + starts[c], n, &code->code,
                                         &code->doubt);
        code->doubt.e_resolution_j =
            sqrt(squares[c]) / (double)n; /* the sensors err in each run anew */
    }
    free(starts);
    free(t_s);
    free(e_j);
    free(squares);
    if (!made)
        free(codes);
    else
        *ret_codes = codes;
    return made ? 0 : -ENOMEM;
}

static int add_table(struct wtl_pose_study *study,
                     const char *path,
                     const char *parameter,
                     struct wattle_error *err)
{
    struct wtl_code_table_options options = {.wants_parameter = true, .parameter = parameter};
    struct wtl_text_source *source;
    struct wtl_code_table table;
    struct wtl_pose_repeats *codes = NULL;
    int rc = wtl_text_source_open(path, &source, err);
    rc = rc < 0 ? rc : wtl_code_table_read(path, source, &options, &table, err);
    if (rc < 0)
        return rc;
    rc = name_parameter(study, &table, path, err);
    if (rc == 0 && wtl_pose_repeats_of(&table, &codes) < 0)
        rc = wtl_no_memory(err);
    for (size_t i = 0; rc == 0 && i < table.code_count; i++) {
        assert(codes); /* of all codes of the table */
        const struct wtl_pose_repeats *code = &codes[i];
        char *label = label_of(study, code->first);
        rc = label ? add_candidate(study, label,
                                   (struct wtl_pose_point){code->code.t_s, code->code.e_j},
                                   &code->doubt, code->first->parameter, err)
                   : wtl_no_memory(err);
    }
    free(codes);
    wtl_code_table_fini(&table);
    return rc;
}

/* ---- traces ---- */

char *wtl_pose_name_of(const char *path, const char *instead, size_t number)
{
    char name[32];
    if (instead) {
        (void)snprintf(name, sizeof name, "%.8s %zu", instead, number + 1);
        return strdup(name);
    }
    size_t n = strcspn(path, ",");
    while (n > 1 && path[n - 1] == '/')
        n--;
    size_t begin = n;
    while (begin > 0 && path[begin - 1] != '/')
        begin--;
    if (n - begin > 4 && strncmp(path + n - 4, ".wtl", 4) == 0)
        n -= 4;
    return strndup(path + begin, n - begin);
}

/* Another version of a code must run on the same machine and its energy must cover the same parts. */
static int check_place(const struct wtl_pose_subject *code,
                       const struct wtl_pose_subject *candidate,
                       const char *word,
                       struct wattle_error *err)
{
    const char *a = code->group, *b = candidate->group;
    if (code->origin != WTL_POSE_TRACE)
        return 0;
    if (a && b && strcmp(a, b) != 0)
        return wtl_fail(err, -EXDEV,
                        "--candidate %.200s: ran on \"%.60s\" but the code ran on \"%.60s\"; "
                        "compare versions on the same machine",
                        word, b, a);
    a = code->contains;
    b = candidate->contains;
    if (a && b && strcmp(a, b) != 0)
        return wtl_fail(err, -EXDEV,
                        "--candidate %.200s: measured \"%.60s\" but the code measured \"%.60s\"; "
                        "select a common channel with --channel",
                        word, b, a);
    if (code->quality != candidate->quality)
        return wtl_fail(err, -EXDEV,
                        "--candidate %.200s: its energy is %s but that of the code is %s; compare "
                        "versions with the same sensors",
                        word, wattle_quality_name(candidate->quality),
                        wattle_quality_name(code->quality));
    if (code->simulated != candidate->simulated)
        return wtl_fail(err, -EXDEV, "--candidate %.200s: %s is simulated, %s is not", word,
                        code->simulated ? "the code" : "it", code->simulated ? "it" : "the code");
    return 0;
}

static int flag_candidate(struct wtl_pose_study *study,
                          size_t number,
                          const char *name,
                          const char *text)
{
    char own[sizeof study->subjects[0].flags->name];
    (void)snprintf(own, sizeof own, "%.*s_%zu", (int)sizeof own - 8, name, number % 1000000);
    return wtl_pose_subject_flag(&study->subjects[0], own, "candidate %.40s: %s",
                                 study->candidates[number - 1].label, text);
}

/* Add the flags of the last candidate to those of the code; "FAILED_2" belongs to the second one. The
 * variation of its runs is not used, so few runs are not flagged. */
static int say_all(struct wtl_pose_study *study,
                   const struct wtl_pose_subject *candidate,
                   struct wattle_error *err)
{
    size_t number = study->candidate_count;
    bool alike = study->subjects[0].origin == WTL_POSE_TRACE; /* already a flag of the code */
    int rc = 0;
    if (!alike && candidate->quality == WATTLE_ESTIMATED)
        rc = flag_candidate(study, number, "ESTIMATED",
                            "its energy is estimated by a model, not measured");
    if (rc == 0 && !alike && candidate->simulated)
        rc = flag_candidate(study, number, "SIMULATED", "its energy is simulated");
    for (size_t i = 0; rc == 0 && i < candidate->flag_count; i++) {
        const struct wtl_result_flag *flag = &candidate->flags[i];
        if (strcmp(flag->name, "FEW_RUNS") != 0)
            rc = flag_candidate(study, number, flag->name, flag->text);
    }
    return rc < 0 ? wtl_no_memory(err) : 0;
}

static int add_traces(struct wtl_pose_study *study,
                      const char *word,
                      const struct wtl_pose_options *options,
                      struct wattle_error *err)
{
    struct wtl_trace_list list = {0};
    struct wtl_pose_subject subject = {0};
    size_t n = access(word, F_OK) == 0 ? strlen(word) : strcspn(word, "=");
    const char *traces = word[n] ? word + n + 1 : word;
    int rc = wtl_run_names_add(&list, traces, err);
    rc = rc < 0 ? rc : wtl_run_words_once(&list, err);
    if (rc == 0)
        wtl_say_left_out(&wtl_pose_command, &list);
    if (rc == 0 && list.count == 0)
        rc = wtl_fail(err, -EINVAL, "--candidate \"%s\": no trace given", word);
    rc = rc < 0 ? rc
                : wtl_pose_subject_of_traces(list.paths, list.count, options->channel,
                                             options->region, &subject, err);
    if (rc == 0) {
        rc = check_place(&study->subjects[0], &subject, word, err);
        if (rc < 0)
            wtl_pose_subject_fini(&subject);
    }
    if (rc == 0) {
        char *label = word[n] ? strndup(word, n)
                              : wtl_pose_name_of(traces, options->redact ? "version" : NULL,
                                                 study->candidate_count);
        rc = label ? add_candidate(study, label,
                                   (struct wtl_pose_point){subject.code.t_s, subject.code.e_j},
                                   &subject.doubt, (double)NAN, err)
                   : wtl_no_memory(err);
        rc = rc < 0 ? rc : say_all(study, &subject, err);
        wtl_pose_subject_fini(&subject);
    }
    wtl_trace_list_fini(&list);
    return rc;
}

int wtl_pose_candidates_add(struct wtl_pose_study *study,
                            const struct wtl_pose_options *options,
                            struct wattle_error *err)
{
    int rc = 0;
    if (options->candidates.count > 0 && study->subject_count == 0)
        return wtl_fail(err, -EINVAL,
                        "--candidate is another version of a code, but %s has machines only",
                        options->input ? options->input : "--system");
    for (size_t i = 0; rc == 0 && i < options->candidates.count; i++) {
        const char *word = options->candidates.items[i];
        enum wtl_pose_candidate_form form = wtl_pose_candidate_form(word);
        if (form == WTL_POSE_CANDIDATE_GIVEN)
            rc = add_given(study, word, err);
        else if (form == WTL_POSE_CANDIDATE_TABLE)
            rc = add_table(study, word, options->parameter, err);
        else
            rc = add_traces(study, word, options, err);
    }
    return rc;
}
