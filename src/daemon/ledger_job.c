/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Jobs in the ledger: see ledger_job.h. A job is a file of INI text (docs/format/page.md, Jobs), written whole under another
 * name, flushed to the disk and renamed.
 */
#define _GNU_SOURCE
#include "daemon/ledger_job.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/config/ini.h"
#include "base/fail.h"
#include "base/grow.h"
#include "base/parse.h"
#include "daemon/health.h"
#include "model/quality.h"

#define SUFFIX ".job"

enum { OPEN_MAX_JOBS = 4096, FILE_MAX = 1 << 20 };

struct wtl_ledger_jobs {
    char folder[300];
    char boot_id[40];
    size_t count;
    struct wtl_ledger_job *list[OPEN_MAX_JOBS];
    struct wtl_ledger_job *ended; /* the last one that ended */
};

static const char *const state_names[] =
    {[WTL_JOB_OPEN] = "open", [WTL_JOB_ENDED] = "ended", [WTL_JOB_CUT] = "cut"};

static void free_job(struct wtl_ledger_job *job)
{
    if (job)
        free(job->channels);
    free(job);
}

static uint64_t clock_ns(clockid_t clock)
{
    struct timespec now;
    (void)clock_gettime(clock, &now); /* cannot fail */
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* ---- files ---- */

static void print_job(FILE *out, const struct wtl_ledger_job *job)
{
    (void)fprintf(
        out,
        "[job]\nid = %s\nstate = %s\nboot = %s\nbegin_realtime_ns = %llu\nbegin_ns = %llu\n"
        "until_ns = %llu\n",
        job->id, state_names[job->state], job->boot_id, (unsigned long long)job->begin_realtime_ns,
        (unsigned long long)job->begin_ns, (unsigned long long)job->until_ns);
    for (size_t i = 0; i < job->channel_count; i++) {
        const struct wtl_ledger_job_channel *channel = &job->channels[i];
        (void)fprintf(out,
                      "\n[channel %s]\nbegin_j = %.9g\nuntil_j = %.9g\nenergy_j = %.9g\n"
                      "begin_unknown_ns = %llu\nuntil_unknown_ns = %llu\nbegin_doubt_j = %.3g\n"
                      "resolution_j = %.3g\nin_total = %d\nquality = %s\n",
                      channel->name, channel->begin_j, channel->until_j,
                      channel->until_j - channel->begin_j,
                      (unsigned long long)channel->begin_unknown_ns,
                      (unsigned long long)channel->until_unknown_ns, channel->begin_doubt_j,
                      channel->resolution_j, channel->in_total, channel->quality);
    }
}

/* Written, flushed and closed: 0 or -errno. */
static int put_job(int fd, const struct wtl_ledger_job *job)
{
    FILE *out = fdopen(fd, "w");
    if (!out) {
        int rc = -errno;
        (void)close(fd); /* nothing was written */
        return rc;
    }
    errno = 0;
    print_job(out, job);
    int rc = fflush(out) != 0 || ferror(out) || fsync(fd) < 0 ? (errno ? -errno : -EIO) : 0;
    if (fclose(out) != 0 && rc == 0)
        rc = errno ? -errno : -EIO;
    return rc;
}

static int store(const struct wtl_ledger_jobs *jobs, const struct wtl_ledger_job *job)
{
    char path[PATH_MAX], fresh[PATH_MAX];
    (void)snprintf(path, sizeof path, "%s/%s" SUFFIX, jobs->folder, job->id);
    (void)snprintf(fresh, sizeof fresh, "%s/.%s.new", jobs->folder, job->id);
    (void)unlink(fresh); /* left by a wattled that was killed */
    int fd = open(fresh, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0640);
    int rc = fd < 0 ? -errno : put_job(fd, job);
    if (rc == 0 && rename(fresh, path) < 0)
        rc = -errno;
    if (rc < 0 && fd >= 0)
        (void)unlink(fresh);
    return rc;
}

static bool take_count(const char *text, uint64_t *ret)
{
    return wtl_parse_u64(text, ret) == 0;
}

static bool take_number(const char *text, double *ret)
{
    return wtl_parse_double(text, ret) == 0 && isfinite(*ret);
}

/* A key of [job]. False: its value is not valid. */
static bool take_job_key(struct wtl_ledger_job *job, const char *name, const char *value)
{
    if (strcmp(name, "id") == 0)
        return wtl_job_id_is_valid(value) && strcmp(value, job->id) == 0;
    if (strcmp(name, "boot") == 0)
        return (size_t)snprintf(job->boot_id, sizeof job->boot_id, "%s", value) <
               sizeof job->boot_id;
    if (strcmp(name, "begin_realtime_ns") == 0)
        return take_count(value, &job->begin_realtime_ns);
    if (strcmp(name, "begin_ns") == 0)
        return take_count(value, &job->begin_ns);
    if (strcmp(name, "until_ns") == 0)
        return take_count(value, &job->until_ns);
    if (strcmp(name, "state") != 0)
        return true; /* of a later version */
    for (size_t i = 0; i < sizeof state_names / sizeof *state_names; i++) {
        if (strcmp(value, state_names[i]) == 0) {
            job->state = (enum wtl_ledger_job_state)i;
            return true;
        }
    }
    return false;
}

static bool take_channel_key(struct wtl_ledger_job_channel *channel,
                             const char *name,
                             const char *value)
{
    uint64_t flag = 0;
    if (strcmp(name, "begin_j") == 0)
        return take_number(value, &channel->begin_j);
    if (strcmp(name, "until_j") == 0)
        return take_number(value, &channel->until_j);
    if (strcmp(name, "begin_doubt_j") == 0)
        return take_number(value, &channel->begin_doubt_j);
    if (strcmp(name, "resolution_j") == 0)
        return take_number(value, &channel->resolution_j);
    if (strcmp(name, "begin_unknown_ns") == 0)
        return take_count(value, &channel->begin_unknown_ns);
    if (strcmp(name, "until_unknown_ns") == 0)
        return take_count(value, &channel->until_unknown_ns);
    if (strcmp(name, "quality") == 0)
        return (size_t)snprintf(channel->quality, sizeof channel->quality, "%s", value) <
               sizeof channel->quality;
    if (strcmp(name, "in_total") == 0) {
        bool valid = take_count(value, &flag) && flag <= 1;
        channel->in_total = flag == 1;
        return valid;
    }
    return true;
}

static bool add_channel(struct wtl_ledger_job *job, const char *name)
{
    static const char prefix[] = "channel ";
    if (strncmp(name, prefix, sizeof prefix - 1) != 0 ||
        strlen(name) - (sizeof prefix - 1) >= WATTLE_NAME_MAX ||
        job->channel_count == WATTLE_PAGE_CHANNELS_MAX)
        return false;
    if (wtl_grow(&job->channels, job->channel_count, sizeof *job->channels) < 0)
        return false;
    struct wtl_ledger_job_channel *channel = &job->channels[job->channel_count++];
    *channel = (struct wtl_ledger_job_channel){.begin_j = 0};
    (void)snprintf(channel->name, sizeof channel->name, "%s", name + sizeof prefix - 1);
    return true;
}

/* False: the text is not that of a job. */
static bool parse_job(const char *text, size_t size, struct wtl_ledger_job *job)
{
    struct wtl_ini ini = wtl_ini_of("job", text, size);
    struct wtl_ini_line line;
    struct wattle_error err;
    bool good = true, in_job = false;
    int rc;
    while (good && (rc = wtl_ini_next(&ini, &line, &err)) > 0) {
        if (line.kind == WTL_INI_SECTION) {
            in_job = strcmp(line.name, "job") == 0;
            good = in_job || add_channel(job, line.name);
        } else if (line.kind == WTL_INI_PAIR) {
            good = in_job ? take_job_key(job, line.name, line.value)
                   : job->channel_count > 0
                       ? take_channel_key(&job->channels[job->channel_count - 1], line.name,
                                          line.value)
                       : false;
        }
    }
    return good && rc == 0 && job->boot_id[0] && job->begin_ns > 0;
}

/* Read a small regular file: malloc'ed text, NULL = it cannot be read. */
static char *read_file(int folder, const char *name, size_t *ret_size)
{
    struct stat about;
    char *text = NULL;
    int fd = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return NULL;
    if (fstat(fd, &about) == 0 && S_ISREG(about.st_mode) && about.st_size > 0 &&
        about.st_size <= FILE_MAX && (text = malloc((size_t)about.st_size))) {
        ssize_t got = pread(fd, text, (size_t)about.st_size, 0);
        *ret_size = got > 0 ? (size_t)got : 0;
    }
    (void)close(fd); /* read only */
    return text;
}

/* The job of a file: NULL = it is not one. */
static struct wtl_ledger_job *load(int folder, const char *name)
{
    size_t length = strlen(name), size = 0;
    struct wtl_ledger_job *job = calloc(1, sizeof *job);
    if (!job || length <= sizeof SUFFIX - 1 || length - (sizeof SUFFIX - 1) > WTL_JOB_ID_MAX ||
        strcmp(name + length - (sizeof SUFFIX - 1), SUFFIX) != 0) {
        free(job);
        return NULL;
    }
    memcpy(job->id, name, length - (sizeof SUFFIX - 1));
    char *text = wtl_job_id_is_valid(job->id) ? read_file(folder, name, &size) : NULL;
    bool good = text && parse_job(text, size, job);
    free(text);
    if (good)
        return job;
    free_job(job);
    return NULL;
}

/* Keep open jobs of this boot; those of another one ended with it. */
static void keep(struct wtl_ledger_jobs *jobs, struct wtl_ledger_job *job)
{
    if (job->state == WTL_JOB_OPEN && strcmp(job->boot_id, jobs->boot_id) != 0) {
        job->state = WTL_JOB_CUT;
        (void)store(jobs, job); /* else it is cut by the next start */
    }
    if (job->state == WTL_JOB_OPEN && jobs->count < OPEN_MAX_JOBS)
        jobs->list[jobs->count++] = job;
    else
        free_job(job);
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
    const struct dirent *entry;
    while ((entry = readdir(folder))) {
        struct wtl_ledger_job *job = load(dirfd(folder), entry->d_name);
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
    for (size_t i = 0; i < jobs->count; i++)
        free_job(jobs->list[i]);
    free_job(jobs->ended);
    free(jobs);
}

/* ---- energies ---- */

/* By how much a channel's value may be off at an instant: a tick, and the time since its sample. */
static double doubt_j(const struct wattle_page_channel *channel,
                      const struct wattle_page_now *now,
                      uint64_t time_ns)
{
    double age_ns = time_ns > now->time_ns ? (double)(time_ns - now->time_ns) : 0;
    double power_w = isfinite(now->power_w) ? now->power_w : channel->max_w;
    return power_w * (age_ns + (double)channel->refresh_ns) * 1e-9 + channel->scale / 2;
}

static void begin_channels(struct wtl_ledger_job *job, const struct wattle_page *page)
{
    for (size_t i = 0; i < wattle_page_count(page); i++) {
        const struct wattle_page_channel *from = wattle_page_channel_at(page, i);
        struct wattle_page_now now;
        int rc = wattle_page_read(page, i, &now);
        if (rc < 0 && rc != -ESTALE)
            continue; /* it has no value yet: not a part of this job */
        struct wtl_ledger_job_channel *to = &job->channels[job->channel_count++];
        *to = (struct wtl_ledger_job_channel){.begin_j = now.energy_j,
                                              .until_j = now.energy_j,
                                              .begin_unknown_ns = now.unknown_ns,
                                              .until_unknown_ns = now.unknown_ns,
                                              .begin_doubt_j = doubt_j(from, &now, job->begin_ns),
                                              .in_total = from->flags & WATTLE_CHANNEL_IN_TOTAL};
        memcpy(to->name, from->name, sizeof to->name);
        (void)snprintf(to->quality, sizeof to->quality, "%s",
                       wtl_quality_word((enum wattle_quality)from->quality,
                                        from->flags & WATTLE_CHANNEL_SIMULATED));
    }
}

/* The channel's values at an instant; the time that its newest sample is behind counts as unknown if reads
 * fail or hang. */
static void advance(struct wtl_ledger_job_channel *channel,
                    const struct wattle_page *page,
                    uint64_t time_ns,
                    double *ret_doubt_j)
{
    for (size_t i = 0; i < wattle_page_count(page); i++) {
        const struct wattle_page_channel *from = wattle_page_channel_at(page, i);
        struct wattle_page_now now;
        if (strncmp(from->name, channel->name, sizeof channel->name) != 0)
            continue;
        int rc = wattle_page_read(page, i, &now);
        if (rc < 0 && rc != -ESTALE)
            break;
        channel->until_j = now.energy_j;
        channel->until_unknown_ns = now.unknown_ns;
        channel->until_unknown_ns += wtl_health_unknown_ns(page, i, &now, time_ns);
        *ret_doubt_j = doubt_j(from, &now, time_ns);
        return;
    }
    *ret_doubt_j = 0; /* gone: unknown since the last checkpoint */
    channel->until_unknown_ns = UINT64_MAX;
}

static void advance_job(struct wtl_ledger_job *job, const struct wattle_page *page)
{
    uint64_t now_ns = clock_ns(CLOCK_MONOTONIC);
    for (size_t i = 0; i < job->channel_count; i++) {
        double doubt;
        uint64_t before_ns = job->channels[i].until_unknown_ns;
        advance(&job->channels[i], page, now_ns, &doubt);
        if (job->channels[i].until_unknown_ns == UINT64_MAX)
            job->channels[i].until_unknown_ns = before_ns + (now_ns - job->until_ns);
        job->channels[i].resolution_j = job->channels[i].begin_doubt_j + doubt;
    }
    job->until_ns = now_ns;
}

static size_t number_of(const struct wtl_ledger_jobs *jobs, const char *id)
{
    size_t i = 0;
    while (i < jobs->count && strcmp(jobs->list[i]->id, id) != 0)
        i++;
    return i;
}

int wtl_ledger_jobs_begin(struct wtl_ledger_jobs *jobs,
                          const char *id,
                          const struct wattle_page *page,
                          struct wattle_error *err)
{
    if (number_of(jobs, id) < jobs->count)
        return wtl_fail(err, -EEXIST, "job %s has begun before; end it first", id);
    if (jobs->count == OPEN_MAX_JOBS)
        return wtl_fail(err, -EMFILE, "4096 jobs are open; end some first");
    struct wtl_ledger_job *job = calloc(1, sizeof *job);
    if (job)
        job->channels = calloc(wattle_page_count(page) + 1, sizeof *job->channels);
    if (!job || !job->channels) {
        free_job(job);
        return wtl_no_memory_for(err, "a job");
    }
    (void)snprintf(job->id, sizeof job->id, "%s", id);
    (void)snprintf(job->boot_id, sizeof job->boot_id, "%s", jobs->boot_id);
    job->begin_realtime_ns = clock_ns(CLOCK_REALTIME);
    job->begin_ns = job->until_ns = clock_ns(CLOCK_MONOTONIC);
    begin_channels(job, page);
    int rc = store(jobs, job);
    if (rc < 0) {
        free_job(job);
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
    (void)snprintf(path, sizeof path, "%s/%s" SUFFIX, jobs->folder, id);
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
    int rc = store(jobs, job);
    if (rc < 0) {
        job->state = WTL_JOB_OPEN;
        return wtl_fail(err, rc, "cannot write job %s to \"%s\": %s", id, jobs->folder,
                        strerror(-rc));
    }
    jobs->list[i] = jobs->list[--jobs->count];
    free_job(jobs->ended);
    *ret_job = jobs->ended = job;
    return 0;
}

int wtl_ledger_jobs_checkpoint(struct wtl_ledger_jobs *jobs, const struct wattle_page *page)
{
    int rc = 0;
    for (size_t i = 0; i < jobs->count; i++) {
        advance_job(jobs->list[i], page);
        int stored = store(jobs, jobs->list[i]);
        rc = rc < 0 ? rc : stored;
    }
    return rc;
}

size_t wtl_ledger_jobs_count(const struct wtl_ledger_jobs *jobs)
{
    return jobs->count;
}

const struct wtl_ledger_job *wtl_ledger_jobs_at(const struct wtl_ledger_jobs *jobs, size_t i)
{
    return i < jobs->count ? jobs->list[i] : NULL;
}
