/* SPDX-License-Identifier: BSD-3-Clause */
/* "wattle jobs import": jobs of Slurm's accounting into the database, as far as their energy can be believed. */
#define _GNU_SOURCE
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/grow.h"
#include "cli/documents.h"
#include "cli/jobs/jobs.h"
#include "cli/jobs/jobs_filter.h"
#include "cli/jobs/jobs_items.h"
#include "cli/jobs/slurm_program.h"
#include "jobs/job_time.h"
#include "jobs/sacct.h"
#include "jobs/sacct_survey.h"
#include "report/json_value.h"

static const char *const sources[] = {"sacct", NULL};

enum { SHOWN = 20 };

struct request {
    struct wtl_jobs_filter filter;
    unsigned from_what;
    const char *begin, *end;
    bool given_from, dry_run, all;
};

static const struct wtl_option options_table[] = {
    {0, "from", "WHAT", "sacct: what FILE is (the only choice)",
     WTL_TAKES_CHOICE(struct request, from_what, sources)},
    {0, "begin", "TIME",
     "without FILE: jobs that ran at TIME or later, as\nin \"wattle jobs list --from\" (default "
     "1d)",
     WTL_TAKES_TEXT(struct request, begin)},
    {0, "end", "TIME", "without FILE: and before TIME (default now)",
     WTL_TAKES_TEXT(struct request, end)},
    WTL_JOBS_OPTION_CLUSTER(struct request, filter),
    {'n', "dry-run", NULL, "only print what would be believed", WTL_SETS(struct request, dry_run)},
    {'a', "all", NULL, "list all jobs that are not believed, not only 20",
     WTL_SETS(struct request, all)},
    {0, "database", "URL", "write to sqlite:PATH or postgresql://HOST/NAME\n(default: wattle.conf)",
     WTL_TAKES_TEXT(struct request, filter.database)},
    WTL_OPTION_FORMAT(struct request, filter.format),
    WTL_OPTION_HELP,
    WTL_OPTIONS_END,
};

/* A job that is not believed, or not in full. */
struct doubted {
    char id[128], energy[64];
    uint64_t line;
    const char *why;
    double charged_j; /* that is recorded; NaN = none */
    double half_j;    /* half width of its interval */
    bool left_out, lower;
};

struct reason {
    const char *why;
    uint64_t jobs;
};

struct import {
    struct wtl_store *store; /* NULL = only look */
    const char *cluster;     /* for jobs without one */
    struct wtl_store_bulk *bulk;
    uint64_t jobs, added, known_already, left_out, unknown, lower;
    uint64_t doubted_before; /* jobs of earlier imports */
    const bool *known;       /* of the jobs: are they in the database already? */
    struct wattle_error why;
    const char *not_compared; /* with a database: why; NULL: it was */
    double charged_j;
    struct doubted *doubted;
    size_t doubted_count, doubted_shown;
    uint64_t counts[WTL_SACCT_DOUBTS];
    struct reason reasons[WTL_SACCT_DOUBTS], *first_reason;
    size_t reason_count;
    bool dry_run;
    struct wattle_error *err;
};

/* ---- into the database ---- */

static int put(struct import *import, const struct wtl_job_record *record)
{
    struct wtl_job_record copy = *record;
    if (!copy.cluster[0])
        (void)wtl_job_text_set(copy.cluster, sizeof copy.cluster, import->cluster);
    return wtl_store_bulk_put(import->bulk, &copy, import->err);
}

/* ---- counting ---- */

static int note_doubt(struct import *import, const struct wtl_sacct_job *job)
{
    if (wtl_grow(&import->doubted, import->doubted_count, sizeof *import->doubted) < 0)
        return wtl_no_memory(import->err);
    struct doubted *doubted = &import->doubted[import->doubted_count++];
    *doubted = (struct doubted){.line = job->line,
                                .why = wtl_sacct_doubt_text(job->doubt),
                                .charged_j = job->record ? job->record->charged_j : (double)NAN,
                                .half_j = job->record ? job->record->resolution_j : (double)NAN,
                                .left_out = wtl_sacct_drops_job(job->doubt),
                                .lower = job->record && job->record->lower_bound};
    (void)snprintf(doubted->id, sizeof doubted->id, "%s", job->id);
    (void)snprintf(doubted->energy, sizeof doubted->energy, "%s", job->energy);
    return 0;
}

static int take(void *arg, const struct wtl_sacct_job *job)
{
    struct import *import = arg;
    const bool known = import->known[import->jobs++];
    import->known_already += known && job->record;
    import->counts[job->doubt]++;
    import->left_out += wtl_sacct_drops_job(job->doubt);
    import->unknown += wtl_sacct_drops_energy(job->doubt);
    if (job->record && !isnan(job->record->charged_j)) {
        import->charged_j += job->record->charged_j;
        import->lower += job->record->lower_bound;
    }
    int rc = job->doubt == WTL_SACCT_BELIEVED ? 0 : note_doubt(import, job);
    return rc < 0 || !job->record || known || !import->bulk ? rc : put(import, job->record);
}

/* ---- printed forms ---- */

static void line_cell(const void *of, char *text, size_t n)
{
    (void)snprintf(text, n, "%llu", (unsigned long long)((const struct doubted *)of)->line);
}

/* What is recorded of it. */
static void recorded_cell(const void *of, char *text, size_t n)
{
    const struct doubted *doubted = of;
    if (doubted->left_out)
        (void)snprintf(text, n, "left out");
    else
        (void)wtl_jobs_energy_cell(doubted->charged_j, doubted->half_j, doubted->lower, text, n);
}

static void count_cell(const void *of, char *text, size_t n)
{
    (void)snprintf(text, n, "%llu", (unsigned long long)((const struct reason *)of)->jobs);
}

/* Of members: types and fields take no parentheses. NOLINTBEGIN(bugprone-macro-parentheses) */
static const struct wtl_member of_doubted[] = {
    {"line", WTL_COUNT_AT(struct doubted, line), .csv = 1, .text = 1, .heading = "line",
     .cell = line_cell, .meaning = "of its row"},
    {"job", WTL_CHARS_AT(struct doubted, id), .csv = 2, .text = 2, .heading = "job", .left = true,
     .meaning = "its id"},
    {"energy", WTL_NAME_AT(struct doubted, energy), .nullable = true, .csv = 3, .text = 3,
     .heading = "sacct", .meaning = "its energy as sacct prints it; null: empty"},
    {"left_out", WTL_BOOLEAN_AT(struct doubted, left_out), .csv = 4,
     .meaning = "the job is not recorded at all"},
    {"charged_j", WTL_NUMBER_OR_NULL(struct doubted, charged_j), .csv = 5, .text = 4,
     .heading = "recorded", .cell = recorded_cell,
     .meaning = "energy that is recorded; null: unknown"},
    {"lower_bound", WTL_BOOLEAN_AT(struct doubted, lower), .csv = 6,
     .meaning = "it is a lower bound"},
    {"why", WTL_TEXT_AT(struct doubted, why), .csv = 7, .text = 5, .heading = "why", .left = true,
     .meaning = "the reason"},
    {.key = NULL}};
const struct wtl_noun wtl_noun_jobs_doubted = {"doubted job", of_doubted};

static const struct wtl_member of_reason[] = {
    {"jobs", WTL_COUNT_AT(struct reason, jobs), .text = 1, .heading = "jobs", .cell = count_cell,
     .meaning = "how many"},
    {"why", WTL_TEXT_AT(struct reason, why), .text = 2, .heading = "why", .left = true,
     .meaning = "the reason"},
    {.key = NULL}};
static const struct wtl_noun reason_noun = {"reason of doubt", of_reason};

static const struct wtl_member of_import[] = {
    {"jobs", WTL_COUNT_AT(struct import, jobs), .meaning = "jobs that were read"},
    {"added", WTL_COUNT_AT(struct import, added), .meaning = "of which are now in the database"},
    {"known_already", WTL_COUNT_AT(struct import, known_already),
     .meaning = "of which were in it before, and are left as they were"},
    {"left_out", WTL_COUNT_AT(struct import, left_out),
     .meaning = "of which are not recorded at all"},
    {"unknown", WTL_COUNT_AT(struct import, unknown), .meaning = "of which have an unknown energy"},
    {"lower_bounds", WTL_COUNT_AT(struct import, lower), .meaning = "of which have a lower bound"},
    {"charged_j", WTL_NUMBER_AT(struct import, charged_j), .meaning = "sum of what is believed"},
    {"doubted_before", WTL_COUNT_AT(struct import, doubted_before),
     .meaning = "jobs of earlier imports that shared nodes with these, or with other jobs of the "
                "database: their energy is unknown from now on"},
    {"not_compared", WTL_TEXT_OR_NULL(struct import, not_compared),
     .meaning = "why these jobs were not compared with those of a database; null: they were"},
    {"dry_run", WTL_BOOLEAN_AT(struct import, dry_run), .meaning = "nothing was recorded"},
    {"reasons", WTL_LIST_AT(struct import, first_reason, reason_count, reason_noun),
     .meaning = "why jobs are not believed"},
    {"doubted", WTL_LIST_AT(struct import, doubted, doubted_shown, wtl_noun_jobs_doubted),
     .meaning = "these jobs"},
    {.key = NULL}};
const struct wtl_noun wtl_noun_jobs_import = {"import of jobs", of_import};
/* NOLINTEND(bugprone-macro-parentheses) */

static int print_text(const struct import *import, FILE *out)
{
    char energy[WTL_JOBS_CELL];
    (void)fprintf(out, "%llu jobs", (unsigned long long)import->jobs);
    if (!import->dry_run)
        (void)fprintf(out, ", %llu recorded, %llu were there already",
                      (unsigned long long)import->added, (unsigned long long)import->known_already);
    bool none = import->unknown + import->left_out >= import->jobs;
    (void)fprintf(out, ": %s believed\n",
                  none ? "no energy"
                       : wtl_jobs_energy_cell(import->charged_j, (double)NAN,
                                              import->lower + import->unknown > 0, energy,
                                              sizeof energy));
    if (import->not_compared)
        wtl_print_sentence(out, "Not compared with the jobs of a database: %s.\n",
                           import->not_compared);
    if (import->doubted_before > 0)
        wtl_print_sentence(out, "Of %llu jobs of earlier imports, the energy %s unknown%s: %s.\n",
                           (unsigned long long)import->doubted_before,
                           import->dry_run ? "would be" : "is", import->dry_run ? "" : " now",
                           wtl_sacct_doubt_text(WTL_SACCT_SHARED));
    if (import->doubted_count == 0)
        return 0;
    (void)fputs("\nNot believed, or not in full:\n", out);
    int rc = wtl_jobs_table_print(&reason_noun, import->reasons, import->reason_count,
                                  sizeof *import->reasons, NULL, NULL, out);
    (void)fputc('\n', out);
    rc = rc < 0
             ? rc
             : wtl_jobs_table_print(&wtl_noun_jobs_doubted, import->doubted, import->doubted_shown,
                                    sizeof *import->doubted, NULL, NULL, out);
    if (import->doubted_shown < import->doubted_count)
        (void)fprintf(out, "... and %zu more: see --all\n",
                      import->doubted_count - import->doubted_shown);
    return rc;
}

static int print(struct import *import, const struct request *request, FILE *out)
{
    struct wtl_row_writer sheet;
    const enum wtl_format format = request->filter.format;
    for (size_t i = 1; i < WTL_SACCT_DOUBTS; i++) {
        if (import->counts[i] > 0)
            import->reasons[import->reason_count++] =
                (struct reason){wtl_sacct_doubt_text((enum wtl_sacct_doubt)i), import->counts[i]};
    }
    import->first_reason = import->reasons;
    import->doubted_shown = import->doubted_count;
    if (format == WTL_FORMAT_TEXT && !request->all && import->doubted_count > SHOWN)
        import->doubted_shown = SHOWN;
    if (format == WTL_FORMAT_JSON)
        return wtl_json_print(
            out, wtl_noun_document("wattle.jobs-import/1", &wtl_noun_jobs_import, import));
    if (format == WTL_FORMAT_TEXT)
        return print_text(import, out);
    size_t columns = wtl_noun_csv_begin(&sheet, out, "jobs import", &wtl_noun_jobs_doubted);
    for (size_t i = 0; i < import->doubted_count; i++)
        wtl_noun_csv_row(&sheet, columns, &wtl_noun_jobs_doubted, &import->doubted[i]);
    return 0;
}

/* ---- reading ---- */

/* Two passes over the same lines: what they say of each other is known after the first. */
struct reading {
    struct wtl_sacct *sacct;
    struct wtl_sacct_survey *survey;
    struct wtl_sacct_found found;
    FILE *copy; /* of the lines */
    struct wattle_error *err;
};

static int take_line(void *arg, const char *line, size_t n)
{
    struct reading *reading = arg;
    if (fwrite(line, 1, n, reading->copy) < n || fputc('\n', reading->copy) == EOF)
        return wtl_fail(reading->err, -EIO, "cannot write a temporary file in /tmp: %s",
                        wtl_strerror(errno ? errno : EIO));
    return wtl_sacct_line(reading->sacct, line, n, reading->err);
}

/* The second pass: all or nothing is recorded. */
static int read_again(struct reading *reading, struct import *import, struct wattle_error *err)
{
    char *line = NULL;
    size_t room = 0;
    ssize_t n;
    if (wtl_sacct_create(take, import, &reading->sacct) < 0)
        return wtl_no_memory(err);
    wtl_sacct_use(reading->sacct, reading->found.doubts, reading->found.count);
    import->known = reading->found.known;
    int rc = fseek(reading->copy, 0, SEEK_SET) < 0 ? -errno : 0;
    while (rc == 0 && (n = getline(&line, &room, reading->copy)) >= 0)
        rc = wtl_sacct_line(reading->sacct, line, (size_t)n - 1, err);
    if (rc == 0 && ferror(reading->copy))
        rc = wtl_fail(err, -EIO, "cannot read a temporary file in /tmp");
    free(line);
    return rc < 0 ? rc : wtl_sacct_end(reading->sacct, err);
}

static int read_file(struct reading *reading, const char *path, struct wattle_error *err)
{
    const bool is_input = strcmp(path, "-") == 0;
    FILE *file = is_input ? stdin : fopen(path, "re");
    char *line = NULL;
    size_t room = 0;
    ssize_t n;
    int rc = 0;
    if (!file)
        return wtl_fail(err, -errno, "cannot read %s: %s", path, wtl_strerror(errno));
    errno = 0;
    while (rc == 0 && (n = getline(&line, &room, file)) >= 0)
        rc = take_line(reading, line, (size_t)n - (n > 0 && line[n - 1] == '\n'));
    if (rc == 0 && ferror(file))
        rc = wtl_fail(err, errno ? -errno : -EIO, "cannot read %s: %s", path,
                      wtl_strerror(errno ? errno : EIO));
    free(line);
    if (!is_input)
        (void)fclose(file);
    return rc;
}

/* As all versions of sacct read it: in the local zone. */
static void put_time(char *text, size_t n, const char *option, int64_t ns)
{
    char time[WTL_JOB_TIME_TEXT];
    (void)snprintf(text, n, "%s%s", option, wtl_job_time_print(ns > 0 ? ns : 1, time));
    char *blank = strchr(text, ' ');
    if (blank)
        *blank = 'T';
}

/* Ask sacct itself, which then prints seconds since 1970, which have no zone. */
static int ask_sacct(struct reading *reading,
                     const struct request *request,
                     int64_t from_ns,
                     int64_t to_ns,
                     struct wattle_error *err)
{
    char from[64], to[64], format[512], clusters[128];
    struct wtl_slurm_version version;
    int rc = wtl_slurm_version(&version, err);
    if (rc < 0)
        return rc;
    put_time(from, sizeof from, "--starttime=", from_ns);
    put_time(to, sizeof to, "--endtime=", to_ns);
    (void)snprintf(format, sizeof format, "--format=%s", wtl_sacct_columns(version.has_sluid));
    (void)snprintf(clusters, sizeof clusters, "--clusters=%s",
                   request->filter.cluster ? request->filter.cluster : "");
    const char *const argv[] = {"sacct",      "--parsable2",
                                "--allusers", "--duplicates",
                                from,         to,
                                format,       request->filter.cluster ? clusters : NULL,
                                NULL};
    return wtl_slurm_run(argv, take_line, reading, err);
}

/* ---- the action ---- */

static int take_stay(void *arg, const struct wtl_store_stay *stay)
{
    const struct wtl_sacct_known known = {.cluster = stay->cluster,
                                          .unit = stay->unit,
                                          .job_id = stay->job_id,
                                          .node = stay->node,
                                          .raw_job_id = stay->raw_job_id,
                                          .begin_ns = stay->begin_ns,
                                          .end_ns = stay->end_ns,
                                          .had_nodes = !stay->is_run,
                                          .is_imported = stay->is_imported,
                                          .has_energy = stay->has_energy};
    return wtl_sacct_survey_know(arg, &known);
}

/* The first pass, and what the database holds of that time: from here on nobody else changes it. */
static int survey(struct reading *reading,
                  struct import *import,
                  const struct request *request,
                  const char *path,
                  int64_t from_ns,
                  int64_t to_ns)
{
    struct wattle_error *err = reading->err;
    int rc =
        path ? read_file(reading, path, err) : ask_sacct(reading, request, from_ns, to_ns, err);
    rc = rc < 0 ? rc : wtl_sacct_end(reading->sacct, err);
    wtl_sacct_destroy(reading->sacct);
    reading->sacct = NULL;
    if (rc == 0 && !import->dry_run)
        rc = wtl_store_bulk_begin(import->store, wtl_sacct_survey_count(reading->survey),
                                  &import->bulk, err);
    if (rc == 0 && import->store && wtl_sacct_survey_time(reading->survey, &from_ns, &to_ns))
        rc = wtl_store_stays(import->store, from_ns, to_ns, take_stay, reading->survey, err);
    rc = rc < 0 ? rc : wtl_sacct_survey_end(reading->survey, &reading->found);
    import->doubted_before = reading->found.shared_count;
    return rc;
}

/* All or nothing: rc: what went wrong before. */
static int record_all(struct import *import, const struct wtl_sacct_found *found, int rc)
{
    size_t added = 0;
    struct wtl_store_doubt *doubts = calloc(found->shared_count + 1, sizeof *doubts);
    for (size_t i = 0; doubts && i < found->shared_count; i++)
        doubts[i] = (struct wtl_store_doubt){.cluster = found->shared[i].cluster,
                                             .unit = found->shared[i].unit,
                                             .problem = wtl_sacct_doubt_text(WTL_SACCT_SHARED)};
    rc = rc < 0 || doubts ? rc : wtl_no_memory(import->err);
    rc = wtl_store_bulk_end(import->bulk, rc, doubts, doubts ? found->shared_count : 0, &added,
                            import->err);
    free(doubts);
    import->added = added;
    return rc;
}

static int import_all(struct import *import,
                      const struct request *request,
                      const char *path,
                      int64_t from_ns,
                      int64_t to_ns,
                      struct wattle_error *err)
{
    struct reading reading = {.copy = tmpfile(), .err = err};
    int rc = reading.copy ? 0
                          : wtl_fail(err, -errno, "cannot create a temporary file in /tmp: %s",
                                     wtl_strerror(errno));
    if (rc == 0 && (wtl_sacct_survey_create(import->cluster, &reading.survey) < 0 ||
                    wtl_sacct_create(wtl_sacct_survey_take, reading.survey, &reading.sacct) < 0))
        rc = wtl_no_memory(err);
    rc = rc < 0 ? rc : survey(&reading, import, request, path, from_ns, to_ns);
    rc = rc < 0 ? rc : read_again(&reading, import, err);
    if (import->bulk)
        rc = record_all(import, &reading.found, rc);
    import->known = NULL;
    wtl_sacct_destroy(reading.sacct);
    wtl_sacct_survey_destroy(reading.survey);
    if (reading.copy)
        (void)fclose(reading.copy);
    return rc == -ENOMEM ? wtl_no_memory(err) : rc;
}

/* Of a dry run, any database will do, and none: nothing is recorded. */
static int open_database(struct import *import,
                         struct wtl_jobs_context *context,
                         const struct request *request,
                         struct wattle_error *err)
{
    int rc = wtl_cli_settings_load(&context->settings, wtl_world_real(), err);
    if (rc < 0)
        return rc;
    import->cluster = request->filter.cluster
                          ? request->filter.cluster
                          : wtl_config_get(context->settings.config, "slurm", "cluster");
    rc = wtl_jobs_database_open(context->settings.config, request->filter.database,
                                request->dry_run ? WTL_STORE_READ : WTL_STORE_WRITE,
                                &context->store, request->dry_run ? &import->why : err);
    import->why.text[strcspn(import->why.text, ";")] = '\0'; /* without what to do about it */
    if (rc < 0 && request->dry_run)
        import->not_compared = import->why.text;
    import->store = context->store;
    return request->dry_run ? 0 : rc;
}

static int run(int argc, char **argv)
{
    const struct wtl_command *command = &wtl_jobs_import_command;
    struct wtl_command_line line;
    struct request request = {.dry_run = false};
    struct wtl_jobs_context context = {.store = NULL};
    struct wattle_error err = {""};
    struct import import = {.err = &err};
    int64_t from_ns = 0, to_ns = 0;
    int status = wtl_command_read(command, argc, argv, &request, &line);
    if (status != WTL_GO_ON)
        return status;
    const char *path = line.count > 0 ? line.words[0] : NULL;
    if (line.count > 1)
        return wtl_usage(command, "unexpected argument \"%s\"", line.words[1]);
    if (path && (request.begin || request.end))
        return wtl_usage(command, "--begin and --end are for sacct, not for a file");
    request.filter.from = request.begin;
    request.filter.to = request.end;
    if ((status = wtl_jobs_filter_period(command, &request.filter, "1d", &from_ns, &to_ns)))
        return status;
    import.dry_run = request.dry_run;
    int rc = open_database(&import, &context, &request, &err);
    rc = rc < 0 ? rc : import_all(&import, &request, path, from_ns, to_ns, &err);
    rc = rc < 0 ? rc : print(&import, &request, stdout);
    if (rc < 0)
        wtl_complain(command, "%s", err.text[0] ? err.text : "out of memory");
    free(import.doubted);
    wtl_jobs_context_fini(&context);
    return rc < 0 ? WTL_EXIT_FAILED : WTL_EXIT_OK;
}

const struct wtl_command wtl_jobs_import_command = {
    .verb = "jobs import",
    .run = run,
    .operands = "[FILE | -]",
    .summary = "record jobs of Slurm's accounting, as far as they can be believed",
    .text = "FILE is the output of \"sacct -P\" with the columns that \"man\n"
            "wattle-jobs-import\" names, JobName last; without FILE, sacct is run. Prints which\n"
            "jobs are not believed, and why. Jobs that are in the database already, such as\n"
            "those of wattle's own ledger, stay as they are.\n",
    .options = options_table,
    .examples = "wattle jobs import --begin 2026-11-01 --end 2026-12-01\n"
                "wattle jobs import --from sacct november.txt --dry-run\n",
    .usage_exit = WTL_EXIT_USAGE,
};
