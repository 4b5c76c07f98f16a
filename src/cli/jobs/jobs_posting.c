/* SPDX-License-Identifier: BSD-3-Clause */
/* Comparison with Slurm's accounting, and writing into it: see jobs_posting.h. */
#define _GNU_SOURCE
#include "cli/jobs/jobs_posting.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/shell_word.h"
#include "base/whole.h"
#include "cli/jobs/jobs_items.h"

/* ---- before Slurm is asked ---- */

static enum wtl_posting_what posting_of_job(const struct wtl_jobs_item *item, bool simulated_too)
{
    const struct wtl_job_row *row = &item->row;
    if (isnan(item->energy.charged_j) || row->lower_bound)
        return WTL_POSTING_UNKNOWN;
    if (row->simulated && !simulated_too)
        return WTL_POSTING_SIMULATED;
    if (row->charged_j < 0.5)
        return WTL_POSTING_SMALL;
    return row->raw_job_id > 0 ? WTL_POSTING_ABSENT : WTL_POSTING_NO_ID;
}

int wtl_postings_init(struct wtl_postings *postings, const struct wtl_jobs_list *jobs)
{
    postings->items = calloc(jobs->count + 1, sizeof *postings->items);
    if (!postings->items)
        return -ENOMEM;
    for (size_t i = 0; i < jobs->count; i++) {
        const struct wtl_job_row *row = &jobs->items[i].row;
        struct wtl_posting *posting = &postings->items[postings->count++];
        *posting =
            (struct wtl_posting){.job_id = row->job_id,
                                 .unit = row->unit,
                                 .cluster = row->cluster,
                                 .user = row->user,
                                 .raw_id = row->raw_job_id,
                                 .submit_s = row->submit_ns / 1000000000,
                                 .begin_s = row->begin_ns / 1000000000,
                                 .end_s = row->end_ns / 1000000000,
                                 .joules = wtl_whole_i64(row->charged_j + 0.5),
                                 .charged_j = jobs->items[i].energy.charged_j,
                                 .slurm_j = (double)NAN,
                                 .what = posting_of_job(&jobs->items[i], postings->simulated_too)};
        (void)snprintf(posting->quality, sizeof posting->quality, "%s", row->quality);
    }
    return 0;
}

void wtl_postings_fini(struct wtl_postings *postings)
{
    free(postings->items);
    free(postings->shown);
    postings->items = postings->shown = NULL;
}

/* ---- reading ---- */

/* Has it this number, in this cluster? Those of an array, and of requeued jobs, are several records. */
static bool is_of_number(const struct wtl_slurm_row *row, const struct wtl_posting *posting)
{
    if (posting->cluster[0] && row->cluster[0] && strcmp(posting->cluster, row->cluster) != 0)
        return false;
    return row->raw_id == posting->raw_id;
}

/* Is it this record? By the SLUID, else by when it ran: prolog and epilog are a little before and after. */
static bool is_row_of(const struct wtl_slurm_row *row, const struct wtl_posting *posting)
{
    const int64_t tolerance_s = 5;
    if (wtl_slurm_is_sluid(posting->unit))
        return strcmp(posting->unit, row->sluid) == 0;
    return row->start_s > 0 && row->start_s >= posting->begin_s - tolerance_s &&
           row->start_s <= posting->end_s + tolerance_s &&
           (posting->submit_s == 0 || row->submit_s == 0 || posting->submit_s == row->submit_s);
}

static bool could_post(const struct wtl_posting *posting)
{
    return posting->what <= WTL_POSTING_ABSENT || posting->what == WTL_POSTING_TAKEN;
}

static void compare(struct wtl_postings *postings,
                    struct wtl_posting *posting,
                    const struct wtl_slurm_row *row)
{
    if (posting->found) { /* two records: which of them it is cannot be told */
        posting->what = WTL_POSTING_NO_ID;
        return;
    }
    posting->found = true;
    posting->start_s = row->start_s;
    (void)snprintf(posting->typed_id, sizeof posting->typed_id, "%s", row->job_id);
    (void)snprintf(posting->sluid, sizeof posting->sluid, "%s", row->sluid);
    posting->slurm_j = postings->by_comment ? row->comment_j : row->energy_j;
    if (!row->is_final)
        posting->what = WTL_POSTING_NOT_FINAL;
    else if (postings->by_comment && !wtl_slurm_comment_is_free(row->comment))
        posting->what = WTL_POSTING_TAKEN;
    else if (isnan(posting->slurm_j))
        posting->what = WTL_POSTING_MISSING;
    else
        posting->what = fabs(posting->slurm_j - (double)posting->joules) < 0.5
                            ? WTL_POSTING_SAME
                            : WTL_POSTING_DIFFERS;
}

struct reading {
    struct wtl_postings *postings;
    size_t from, to; /* of the items that were asked for */
};

static int take_row(void *arg, const char *line, size_t n)
{
    struct reading *reading = arg;
    struct wtl_slurm_row row;
    if (n == 0 || !wtl_slurm_row_parse(line, n, reading->postings->version.has_sluid, &row))
        return 0;
    for (size_t i = reading->from; i < reading->to; i++) {
        struct wtl_posting *posting = &reading->postings->items[i];
        if (!could_post(posting) || !is_of_number(&row, posting))
            continue;
        posting->newest_s = row.start_s > posting->newest_s ? row.start_s : posting->newest_s;
        if (is_row_of(&row, posting))
            compare(reading->postings, posting, &row);
    }
    return 0;
}

/* Those from *at on, as many as fit in one call of sacct. */
static int read_some(struct wtl_postings *postings,
                     const char *cluster,
                     size_t *at,
                     struct wattle_error *err)
{
    uint64_t ids[WTL_SLURM_BATCH];
    struct wtl_slurm_argv *argv = malloc(sizeof *argv);
    struct reading reading = {postings, *at, *at};
    size_t n = 0;
    if (!argv)
        return wtl_no_memory(err);
    for (; *at < postings->count && n < WTL_SLURM_BATCH; (*at)++) {
        struct wtl_posting *posting = &postings->items[*at];
        posting->found = false;
        posting->newest_s = 0;
        if (!could_post(posting))
            continue;
        posting->what = WTL_POSTING_ABSENT;
        ids[n++] = posting->raw_id;
    }
    reading.to = *at;
    int rc = 0;
    if (n > 0 && wtl_slurm_ask(argv, ids, n, cluster, postings->version.has_sluid) < 0)
        rc = wtl_fail(err, -EINVAL, "\"%s\" is not a name of a cluster", cluster);
    else if (n > 0)
        rc = wtl_slurm_run(argv->words, take_row, &reading, err);
    free(argv);
    for (size_t i = reading.from;
         i < reading.to && postings->by_comment && !postings->version.has_sluid; i++) {
        struct wtl_posting *posting = &postings->items[i];
        if (posting->found && posting->start_s < posting->newest_s)
            posting->what = WTL_POSTING_NO_ID; /* an id would change the newest */
    }
    return rc;
}

int wtl_postings_read(struct wtl_postings *postings, const char *cluster, struct wattle_error *err)
{
    int rc = 0;
    for (size_t at = 0; rc == 0 && at < postings->count;)
        rc = read_some(postings, cluster, &at, err);
    return rc;
}

/* ---- writing ---- */

static int nothing(void *arg, const char *line, size_t n)
{
    (void)arg;
    (void)line;
    (void)n;
    return 0;
}

static int run_or_show(const struct wtl_slurm_argv *argv, FILE *dry_run, struct wattle_error *err)
{
    if (!dry_run)
        return wtl_slurm_run(argv->words, nothing, NULL, err);
    for (size_t i = 0; i < WTL_SLURM_WORDS && argv->words[i]; i++) {
        (void)fputs(i ? " " : "", dry_run);
        wtl_shell_word(dry_run, argv->words[i], wtl_shell_needs_quotes(argv->words[i]));
    }
    (void)fputc('\n', dry_run);
    return 0;
}

static bool is_to_write(const struct wtl_posting *posting)
{
    return posting->what == WTL_POSTING_DIFFERS || posting->what == WTL_POSTING_MISSING;
}

/* One by one: each has a comment of its own. */
static int write_comments(struct wtl_postings *postings, FILE *dry_run, struct wattle_error *err)
{
    struct wtl_slurm_argv *argv = malloc(sizeof *argv);
    int rc = 0;
    if (!argv)
        return wtl_no_memory(err);
    for (size_t i = 0; rc == 0 && i < postings->count; i++) {
        struct wtl_posting *posting = &postings->items[i];
        if (!is_to_write(posting))
            continue;
        /* Where there is a SLUID: an id means an array, or the newest of requeued jobs. */
        const char *id = postings->version.has_sluid ? posting->sluid : posting->typed_id;
        if (wtl_slurm_post_comment(argv, id, postings->version.has_sluid, posting->joules,
                                   posting->quality) < 0)
            posting->what = WTL_POSTING_NO_ID;
        else
            rc = run_or_show(argv, dry_run, err);
    }
    free(argv);
    return rc;
}

/* All of the same energy from `first` on in one call. `done` marks those that were in one. */
static int write_group(struct wtl_postings *postings,
                       size_t first,
                       bool *done,
                       FILE *dry_run,
                       struct wattle_error *err)
{
    const char *sluids[WTL_SLURM_BATCH];
    struct wtl_slurm_argv *argv = malloc(sizeof *argv);
    size_t n = 0;
    int rc = 0;
    if (!argv)
        return wtl_no_memory(err);
    for (size_t i = first; rc == 0 && i < postings->count && n < WTL_SLURM_BATCH; i++) {
        const struct wtl_posting *posting = &postings->items[i];
        if (done[i] || !is_to_write(posting) || posting->joules != postings->items[first].joules ||
            !wtl_slurm_is_sluid(posting->sluid))
            continue;
        done[i] = true;
        sluids[n++] = posting->sluid;
    }
    if (n == 0)
        postings->items[first].what = WTL_POSTING_NO_ID;
    else if (wtl_slurm_post_energy(argv, sluids, n, postings->items[first].joules) == 0)
        rc = run_or_show(argv, dry_run, err);
    free(argv);
    return rc;
}

static int write_energies(struct wtl_postings *postings, FILE *dry_run, struct wattle_error *err)
{
    bool *done = calloc(postings->count + 1, sizeof *done);
    int rc = 0;
    if (!done)
        return wtl_no_memory(err);
    for (size_t i = 0; rc == 0 && i < postings->count; i++) {
        if (!done[i] && is_to_write(&postings->items[i]))
            rc = write_group(postings, i, done, dry_run, err);
    }
    free(done);
    return rc;
}

int wtl_postings_write(struct wtl_postings *postings,
                       const char *cluster,
                       FILE *dry_run,
                       struct wattle_error *err)
{
    bool *written = calloc(postings->count + 1, sizeof *written);
    if (!written)
        return wtl_no_memory(err);
    for (size_t i = 0; i < postings->count; i++)
        written[i] = is_to_write(&postings->items[i]);
    int rc = postings->by_comment ? write_comments(postings, dry_run, err)
                                  : write_energies(postings, dry_run, err);
    struct wattle_error why = {""}; /* what was written is read back even if one call failed */
    int read = dry_run ? 0 : wtl_postings_read(postings, cluster, rc == 0 ? err : &why);
    for (size_t i = 0; i < postings->count && !dry_run && read == 0; i++) {
        struct wtl_posting *posting = &postings->items[i];
        if (written[i] && posting->what == WTL_POSTING_SAME)
            posting->what = WTL_POSTING_POSTED;
        else if (written[i] && is_to_write(posting))
            posting->what = WTL_POSTING_FAILED;
    }
    free(written);
    return rc < 0 ? rc : read;
}
