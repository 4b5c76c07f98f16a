/* SPDX-License-Identifier: BSD-3-Clause */
/* Jobs in the ledger: see ledger_jobs.h. Their files: ledger_job_file.h, ledger_job_keeper.h. */
#define _GNU_SOURCE
#include "daemon/ledger_jobs.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/grow.h"
#include "base/whole.h"
#include "daemon/health.h"
#include "daemon/ledger_job_file.h"
#include "daemon/ledger_job_keeper.h"
#include "model/quality.h"

enum {
    OPEN_MAX_JOBS = 4096,
    TIDY_EVERY = 64 /* jobs that end, before old ones are looked for again */
};

static const uint64_t ANEW =
    UINT64_MAX; /* since_ns of a channel whose value went backwards: equal to none */

struct wtl_ledger_jobs {
    char folder[300];
    char boot_id[40];
    struct wtl_job_keeper *keeper;
    bool late; /* a checkpoint was due while the last one was not yet on the disk */
    size_t ended_kept, ended_count; /* files; jobs that have ended since old ones were removed */
    size_t count;
    struct wtl_ledger_job *list[OPEN_MAX_JOBS];
    struct wtl_ledger_job *ended; /* the last one that ended */
};

static uint64_t clock_ns(clockid_t clock)
{
    struct timespec now;
    (void)clock_gettime(clock, &now); /* cannot fail */
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static size_t number_of(const struct wtl_ledger_jobs *jobs, const char *id)
{
    size_t i = 0;
    while (i < jobs->count && strcmp(jobs->list[i]->id, id) != 0)
        i++;
    return i;
}

/* ---- files ---- */

/* Keep open jobs of this boot; those of another one ended with it. */
static void keep(struct wtl_ledger_jobs *jobs, struct wtl_ledger_job *job)
{
    if (job->state == WTL_JOB_OPEN && strcmp(job->boot_id, jobs->boot_id) != 0) {
        job->state = WTL_JOB_CUT;
        (void)wtl_job_keeper_put(jobs->keeper, job); /* else it is cut by the next start */
    }
    if (job->state == WTL_JOB_OPEN && jobs->count < OPEN_MAX_JOBS)
        jobs->list[jobs->count++] = job;
    else
        wtl_ledger_job_free(job);
}

int wtl_ledger_jobs_open(const char *state_dir,
                         const char *boot_id,
                         struct wtl_ledger_jobs **ret_jobs,
                         struct wattle_error *err)
{
    struct wtl_ledger_jobs *jobs = calloc(1, sizeof *jobs);
    if (!jobs)
        return wtl_no_memory_for(err, "the jobs");
    (void)snprintf(jobs->folder, sizeof jobs->folder, "%s/jobs", state_dir);
    (void)snprintf(jobs->boot_id, sizeof jobs->boot_id, "%s", boot_id);
    if (mkdir(jobs->folder, 0750) < 0 && errno != EEXIST) {
        int rc = wtl_fail(err, -errno,
                          "cannot create the folder \"%s\": %s; check its owner, or set "
                          "state-dir",
                          jobs->folder, strerror(errno));
        free(jobs);
        return rc;
    }
    DIR *folder = opendir(jobs->folder);
    if (!folder) {
        int rc = wtl_fail(err, -errno, "cannot read the folder \"%s\": %s", jobs->folder,
                          strerror(errno));
        free(jobs);
        return rc;
    }
    int rc = wtl_job_keeper_open(jobs->folder, &jobs->keeper);
    if (rc < 0) {
        (void)closedir(folder);
        free(jobs);
        return wtl_fail(err, rc, "cannot start a thread for the jobs: %s", strerror(-rc));
    }
    jobs->ended_kept = SIZE_MAX;
    const struct dirent *entry;
    while ((entry = readdir(folder))) {
        struct wtl_ledger_job *job = wtl_ledger_job_load(dirfd(folder), entry->d_name);
        if (job)
            keep(jobs, job);
    }
    (void)closedir(folder);
    *ret_jobs = jobs;
    return 0;
}

void wtl_ledger_jobs_close(struct wtl_ledger_jobs *jobs)
{
    if (!jobs)
        return;
    wtl_job_keeper_close(jobs->keeper);
    for (size_t i = 0; i < jobs->count; i++)
        wtl_ledger_job_free(jobs->list[i]);
    wtl_ledger_job_free(jobs->ended);
    free(jobs);
}

/* A file of a job that has ended. */
struct old_file {
    struct timespec time; /* when it was written */
    char id[WTL_JOB_ID_MAX + 1];
};

static int compare_files(const void *left, const void *right)
{
    const struct old_file *a = left, *b = right;
    int64_t seconds = (int64_t)a->time.tv_sec - (int64_t)b->time.tv_sec;
    int64_t rest = seconds != 0 ? seconds : a->time.tv_nsec - b->time.tv_nsec;
    return rest != 0 ? (rest > 0) - (rest < 0) : strcmp(a->id, b->id);
}

/* Those of jobs that are not open: malloc'ed; fewer if memory is short. */
static size_t list_ended(const struct wtl_ledger_jobs *jobs,
                         DIR *folder,
                         struct old_file **ret_files)
{
    struct old_file *files = NULL;
    const struct dirent *entry;
    size_t count = 0;
    while ((entry = readdir(folder))) {
        char id[WTL_JOB_ID_MAX + 1];
        struct stat about;
        if (!wtl_ledger_job_file_id(entry->d_name, id) || number_of(jobs, id) < jobs->count ||
            fstatat(dirfd(folder), entry->d_name, &about, AT_SYMLINK_NOFOLLOW) < 0 ||
            !S_ISREG(about.st_mode) || wtl_grow(&files, count, sizeof *files) < 0)
            continue;
        files[count].time = about.st_mtim;
        memcpy(files[count++].id, id, sizeof id);
    }
    *ret_files = files;
    return count;
}

/* Remove the oldest files of jobs that have ended, beyond those to be kept. */
static void tidy(struct wtl_ledger_jobs *jobs)
{
    struct old_file *files;
    DIR *folder = opendir(jobs->folder);
    jobs->ended_count = 0;
    if (!folder)
        return;
    size_t count = list_ended(jobs, folder, &files);
    if (count > jobs->ended_kept) {
        wtl_sort(files, count, sizeof *files, compare_files);
        for (size_t i = 0; i < count - jobs->ended_kept; i++) {
            char name[sizeof files->id + sizeof WTL_JOB_SUFFIX];
            (void)snprintf(name, sizeof name, "%s" WTL_JOB_SUFFIX, files[i].id);
            (void)unlinkat(dirfd(folder), name, 0); /* else tried again */
        }
    }
    free(files);
    (void)closedir(folder);
}

void wtl_ledger_jobs_keep(struct wtl_ledger_jobs *jobs, size_t ended)
{
    jobs->ended_kept = ended;
    tidy(jobs);
}

/* ---- energies ---- */

/* By how much a channel's value may be off at an instant: a tick, and the time since its sample. NaN: no power is known
 * that bounds it. */
static double doubt_j(const struct wattle_page_channel *channel,
                      const struct wattle_page_now *now,
                      uint64_t time_ns)
{
    double age_ns = time_ns > now->time_ns ? (double)(time_ns - now->time_ns) : 0;
    double power_w = isfinite(now->power_w) ? now->power_w
                     : channel->max_w > 0   ? channel->max_w
                                            : (double)NAN;
    return power_w * (age_ns + (double)channel->refresh_ns) * 1e-9 + channel->scale / 2;
}

/* A channel without a value now is in the job as well: as unknown. */
static void begin_channels(struct wtl_ledger_job *job, const struct wattle_page *page)
{
    for (size_t i = 0; i < wattle_page_count(page); i++) {
        const struct wattle_page_channel *from = wattle_page_channel_at(page, i);
        struct wattle_page_now now;
        int rc = wattle_page_read(page, i, &now);
        struct wtl_ledger_job_channel *to = &job->channels[job->channel_count++];
        *to = (struct wtl_ledger_job_channel){.begin_j = (double)NAN,
                                              .until_j = (double)NAN,
                                              .begin_doubt_j = (double)NAN,
                                              .resolution_j = (double)NAN,
                                              .in_total = from->flags & WATTLE_CHANNEL_IN_TOTAL};
        if (rc == 0 || rc == -ESTALE) {
            to->begin_j = to->until_j = now.energy_j;
            to->begin_unknown_ns = to->until_unknown_ns = now.unknown_ns;
            to->begin_doubt_j = doubt_j(from, &now, job->begin_ns);
            to->since_ns = now.since_ns;
        }
        memcpy(to->name, from->name, sizeof to->name);
        (void)snprintf(to->quality, sizeof to->quality, "%s",
                       wtl_quality_word((enum wattle_quality)from->quality,
                                        from->flags & WATTLE_CHANNEL_SIMULATED));
    }
}

/* Does a channel's value continue the one that the job has? A counter never counts down: its energy was lost. That of a
 * gauge may fall. */
static bool goes_on(struct wtl_ledger_job_channel *channel,
                    const struct wattle_page_channel *from,
                    const struct wattle_page_now *now)
{
    if (isnan(channel->begin_j) || now->since_ns != channel->since_ns)
        return false;
    if (from->kind != WATTLE_COUNTER || now->energy_j >= channel->until_j)
        return true;
    channel->since_ns = ANEW;
    return false;
}

/* The channel's values at an instant; the time since its newest sample counts as unknown if reads
 * fail or hang. False: no value of it belongs to this job. */
static bool advance(struct wtl_ledger_job_channel *channel,
                    const struct wattle_page *page,
                    uint64_t time_ns)
{
    for (size_t i = 0; i < wattle_page_count(page); i++) {
        const struct wattle_page_channel *from = wattle_page_channel_at(page, i);
        struct wattle_page_now now;
        if (strncmp(from->name, channel->name, sizeof channel->name) != 0)
            continue;
        int rc = wattle_page_read(page, i, &now);
        if ((rc < 0 && rc != -ESTALE) || !goes_on(channel, from, &now))
            break;
        channel->until_j = now.energy_j;
        channel->until_unknown_ns = now.unknown_ns;
        channel->until_unknown_ns += wtl_health_unknown_ns(page, i, &now, time_ns);
        channel->resolution_j = channel->begin_doubt_j + doubt_j(from, &now, time_ns);
        return true;
    }
    return false;
}

/* What does not go on is unknown since the last checkpoint. */
static void advance_job(struct wtl_ledger_job *job, const struct wattle_page *page)
{
    uint64_t now_ns = clock_ns(CLOCK_MONOTONIC);
    for (size_t i = 0; i < job->channel_count; i++) {
        if (!advance(&job->channels[i], page, now_ns))
            job->channels[i].until_unknown_ns += now_ns - job->until_ns;
    }
    job->until_ns = now_ns;
}

int wtl_ledger_jobs_begin(struct wtl_ledger_jobs *jobs,
                          const char *id,
                          const struct wattle_page *page,
                          struct wattle_error *err)
{
    if (number_of(jobs, id) < jobs->count)
        return wtl_fail(err, -EEXIST, "job %s is already open; end it first", id);
    if (jobs->count == OPEN_MAX_JOBS)
        return wtl_fail(err, -EMFILE, "4096 jobs are open; end some first");
    struct wtl_ledger_job *job = calloc(1, sizeof *job);
    if (job)
        job->channels = calloc(wattle_page_count(page) + 1, sizeof *job->channels);
    if (!job || !job->channels) {
        wtl_ledger_job_free(job);
        return wtl_no_memory_for(err, "a job");
    }
    (void)snprintf(job->id, sizeof job->id, "%s", id);
    (void)snprintf(job->boot_id, sizeof job->boot_id, "%s", jobs->boot_id);
    job->begin_realtime_ns = clock_ns(CLOCK_REALTIME);
    job->begin_ns = job->until_ns = clock_ns(CLOCK_MONOTONIC);
    begin_channels(job, page);
    int rc = wtl_job_keeper_put(jobs->keeper, job);
    if (rc < 0) {
        wtl_ledger_job_free(job);
        return wtl_fail(err, rc, "cannot write job %s to \"%s\": %s", id, jobs->folder,
                        strerror(-rc));
    }
    jobs->list[jobs->count++] = job;
    return 0;
}

static int fail_missing(const struct wtl_ledger_jobs *jobs,
                        const char *id,
                        struct wattle_error *err)
{
    char path[PATH_MAX];
    (void)snprintf(path, sizeof path, "%s/%s" WTL_JOB_SUFFIX, jobs->folder, id);
    if (access(path, F_OK) == 0)
        return wtl_fail(err, -ENOENT,
                        "job %s is not open: it has ended, or was cut when the node stopped; see "
                        "\"%s\"",
                        id, path);
    return wtl_fail(err, -ENOENT, "job %s has not begun, so its energy is unknown", id);
}

int wtl_ledger_jobs_end(struct wtl_ledger_jobs *jobs,
                        const char *id,
                        const struct wattle_page *page,
                        const struct wtl_ledger_job **ret_job,
                        struct wattle_error *err)
{
    size_t i = number_of(jobs, id);
    if (i == jobs->count)
        return fail_missing(jobs, id, err);
    struct wtl_ledger_job *job = jobs->list[i];
    advance_job(job, page);
    job->state = WTL_JOB_ENDED;
    int rc = wtl_job_keeper_put(jobs->keeper, job);
    if (rc < 0) {
        job->state = WTL_JOB_OPEN;
        return wtl_fail(err, rc, "cannot write job %s to \"%s\": %s", id, jobs->folder,
                        strerror(-rc));
    }
    jobs->list[i] = jobs->list[--jobs->count];
    wtl_ledger_job_free(jobs->ended);
    *ret_job = jobs->ended = job;
    if (++jobs->ended_count >= TIDY_EVERY)
        tidy(jobs);
    return 0;
}

void wtl_ledger_jobs_checkpoint(struct wtl_ledger_jobs *jobs, const struct wattle_page *page)
{
    jobs->late = false;
    for (size_t i = 0; i < jobs->count; i++) {
        advance_job(jobs->list[i], page);
        jobs->late |= !wtl_job_keeper_later(jobs->keeper, jobs->list[i]);
    }
}

void wtl_ledger_jobs_flush(struct wtl_ledger_jobs *jobs)
{
    wtl_job_keeper_wait(jobs->keeper);
}

int wtl_ledger_jobs_error(struct wtl_ledger_jobs *jobs)
{
    if (jobs->count == 0)
        return 0;
    int rc = wtl_job_keeper_error(jobs->keeper);
    return rc == 0 && jobs->late ? -ETIMEDOUT : rc;
}

size_t wtl_ledger_jobs_count(const struct wtl_ledger_jobs *jobs)
{
    return jobs->count;
}

const struct wtl_ledger_job *wtl_ledger_jobs_at(const struct wtl_ledger_jobs *jobs, size_t i)
{
    return i < jobs->count ? jobs->list[i] : NULL;
}
