/* SPDX-License-Identifier: BSD-3-Clause */
/* What "wattle jobs post" and "verify" print, and the steps that they share: see jobs_posting.h. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "cli/commands.h"
#include "cli/documents.h"
#include "cli/jobs/jobs_items.h"
#include "cli/jobs/jobs_posting.h"
#include "report/json_value.h"

static const char *const words[] = {
    "same",    "differs",   "missing",   "posted", "failed",        "not final", "absent",
    "unknown", "simulated", "too small", "no id",  "comment taken", NULL};

static const char *const meanings[] = {
    "Slurm has the ledger's energy",
    ("Slurm has another energy than the ledger: the job's owner, or an administrator, may have "
     "changed it"),
    "Slurm has no energy of it",
    "written, and read back",
    "written, but Slurm does not have it: may you change jobs (sacctmgr show user)?",
    "Slurm's accounting does not have its end yet: later",
    "not in Slurm's accounting",
    "not all of its energy is known, so it is not posted",
    "of a simulated sensor, so it is not posted",
    "less than 1 J, which would look like a node without a sensor",
    "no id that means this job alone",
    "its AdminComment has another text, which stays"};

static void charged_cell(const void *of, char *text, size_t n)
{
    (void)wtl_jobs_energy_cell(((const struct wtl_posting *)of)->charged_j, 0.5, false, text, n);
}

static void slurm_cell(const void *of, char *text, size_t n)
{
    (void)wtl_jobs_energy_cell(((const struct wtl_posting *)of)->slurm_j, 0.5, false, text, n);
}

/* Of members: types and fields take no parentheses. NOLINTBEGIN(bugprone-macro-parentheses) */
#define TEXT_OF(field) WTL_TEXT_OR_NULL(struct wtl_posting, field)
static const struct wtl_member of_posting[] = {
    {"job", TEXT_OF(job_id), .csv = 1, .text = 1, .heading = "job", .left = true,
     .meaning = "its id"},
    {"unit", TEXT_OF(unit), .csv = 2, .meaning = "its SLUID, or what distinguishes it"},
    {"cluster", TEXT_OF(cluster), .csv = 3, .meaning = "its cluster"},
    {"user", TEXT_OF(user), .csv = 4, .text = 2, .heading = "user", .left = true,
     .meaning = "who ran it"},
    {"charged_j", WTL_NUMBER_OR_NULL(struct wtl_posting, charged_j), .csv = 5, .digits = 15,
     .text = 3, .heading = "ledger", .cell = charged_cell,
     .meaning = "energy in the database; null: unknown"},
    {"slurm_j", WTL_NUMBER_OR_NULL(struct wtl_posting, slurm_j), .csv = 6, .digits = 15, .text = 4,
     .heading = "Slurm", .cell = slurm_cell, .meaning = "energy in Slurm's accounting; null: none"},
    {"what", WTL_WORD_AT(struct wtl_posting, what, words), .csv = 7, .text = 5, .heading = "",
     .left = true,
     .meaning = "same, differs, missing, posted, failed, not final, absent, unknown, simulated, "
                "too small, no id, comment "
                "taken"},
    {.key = NULL}};
const struct wtl_noun wtl_noun_jobs_posting = {"posted job", of_posting};

#define COUNT_OF(what) WTL_SIZE_AT(struct wtl_postings, counts[what])
static const struct wtl_member of_postings[] = {
    {"how", WTL_TEXT_AT(struct wtl_postings, how),
     .meaning = "energy (of 25.11 and newer) or AdminComment"},
    {"jobs", WTL_SIZE_AT(struct wtl_postings, count), .meaning = "jobs of Slurm in this period"},
    {"same", COUNT_OF(WTL_POSTING_SAME), .meaning = "of which Slurm has this energy"},
    {"posted", COUNT_OF(WTL_POSTING_POSTED), .meaning = "of which it has since now"},
    {"differs", COUNT_OF(WTL_POSTING_DIFFERS), .meaning = "of which it has another one"},
    {"missing", COUNT_OF(WTL_POSTING_MISSING), .meaning = "of which it has none"},
    {"failed", COUNT_OF(WTL_POSTING_FAILED), .meaning = "that were written in vain"},
    {"rows", WTL_LIST_AT(struct wtl_postings, shown, shown_count, wtl_noun_jobs_posting),
     .meaning = "those that are not the same, or all"},
    {.key = NULL}};
const struct wtl_noun wtl_noun_jobs_postings = {"posted jobs", of_postings};
/* NOLINTEND(bugprone-macro-parentheses) */

static int print_text(const struct wtl_postings *postings, FILE *out)
{
    int rc = 0;
    (void)fprintf(out, "%zu jobs of Slurm%s\n", postings->count,
                  postings->count ? ":" : " ended in this time");
    for (size_t i = 0; i < WTL_POSTING_WHATS; i++)
        if (postings->counts[i])
            (void)fprintf(out, "  %6zu  %-13s %s\n", postings->counts[i], words[i], meanings[i]);
    if (postings->shown_count) {
        (void)fputc('\n', out);
        rc = wtl_jobs_table_print(&wtl_noun_jobs_posting, postings->shown, postings->shown_count,
                                  sizeof *postings->shown, NULL, NULL, out);
    }
    return rc;
}

int wtl_postings_print(struct wtl_postings *postings,
                       const char *schema,
                       enum wtl_format format,
                       FILE *out)
{
    struct wtl_row_writer sheet;
    postings->shown = calloc(postings->count + 1, sizeof *postings->shown);
    if (!postings->shown)
        return -ENOMEM;
    for (size_t i = 0; i < postings->count; i++) {
        postings->counts[postings->items[i].what]++;
        if (postings->details || postings->items[i].what != WTL_POSTING_SAME)
            postings->shown[postings->shown_count++] = postings->items[i];
    }
    postings->how = postings->by_comment ? "AdminComment" : "energy";
    if (format == WTL_FORMAT_JSON)
        return wtl_json_print(out, wtl_noun_document(schema, &wtl_noun_jobs_postings, postings));
    if (format == WTL_FORMAT_TEXT)
        return print_text(postings, out);
    size_t columns = wtl_noun_csv_begin(&sheet, out, "jobs post", &wtl_noun_jobs_posting);
    for (size_t i = 0; i < postings->shown_count; i++)
        wtl_noun_csv_row(&sheet, columns, &wtl_noun_jobs_posting, &postings->shown[i]);
    return 0;
}

/* ---- the actions ---- */

struct work {
    struct wtl_jobs_context context;
    struct wtl_jobs_list jobs;
};

static int check_allowed(const struct wtl_config *config, bool write, struct wattle_error *err)
{
    if (!write || strcmp(wtl_config_get(config, "slurm", "post"), "yes") == 0)
        return 0;
    return wtl_fail(
        err, -EPERM,
        "posting is off; set \"post = yes\" in section [slurm] of wattle.conf(5), or look "
        "with --dry-run");
}

static int work_on(struct work *work,
                   const struct wtl_jobs_filter *filter,
                   struct wtl_job_query *query,
                   struct wtl_postings *postings,
                   FILE *dry_run,
                   bool write,
                   struct wattle_error *err)
{
    const char *cluster = filter->cluster;
    int rc = wtl_jobs_context_open(&work->context, filter->database, WTL_STORE_READ, err);
    rc = rc < 0 ? rc : check_allowed(work->context.settings.config, write && !dry_run, err);
    if (rc < 0)
        return rc;
    if (!cluster)
        cluster = wtl_config_get(work->context.settings.config, "slurm", "cluster");
    query->cluster = cluster;
    query->kind = WTL_JOB_SLURM + 1;
    work->jobs.factors = &work->context.factors;
    rc = wtl_store_jobs(work->context.store, query, wtl_jobs_list_take, &work->jobs, err);
    if (rc == -ENOMEM || (rc == 0 && wtl_postings_init(postings, &work->jobs) < 0))
        return wtl_no_memory(err);
    rc = rc < 0 ? rc : wtl_slurm_version(&postings->version, err);
    if (rc == 0)
        postings->by_comment |= !postings->version.has_sluid;
    rc = rc < 0 ? rc : wtl_postings_read(postings, cluster, err);
    return rc == 0 && write ? wtl_postings_write(postings, cluster, dry_run, err) : rc;
}

static int status_of(const struct wtl_postings *postings, bool write)
{
    size_t bad = postings->counts[WTL_POSTING_FAILED];
    if (!write)
        bad += postings->counts[WTL_POSTING_DIFFERS] + postings->counts[WTL_POSTING_MISSING];
    return bad > 0 ? WTL_EXIT_FAILED : WTL_EXIT_OK;
}

int wtl_postings_run(const struct wtl_command *command,
                     const struct wtl_jobs_filter *filter,
                     struct wtl_postings *postings,
                     bool write,
                     bool dry_run)
{
    struct work work = {.jobs = {.count = 0}};
    struct wtl_job_query query;
    struct wattle_error err = {""};
    int status = wtl_jobs_filter_query(command, filter, "2d", &query);
    if (status != 0)
        return status;
    int rc = work_on(&work, filter, &query, postings, dry_run ? stdout : NULL, write, &err);
    struct wattle_error why = err;
    if (postings->items && (rc == 0 || write) && !dry_run &&
        wtl_postings_print(postings, write ? "wattle.jobs-post/1" : "wattle.jobs-verify/1",
                           filter->format, stdout) < 0)
        rc = wtl_no_memory(&why);
    if (rc < 0)
        wtl_complain(command, "%s", why.text);
    status = rc < 0 ? WTL_EXIT_FAILED : status_of(postings, write);
    wtl_postings_fini(postings);
    wtl_jobs_list_fini(&work.jobs);
    wtl_jobs_context_fini(&work.context);
    return status;
}
