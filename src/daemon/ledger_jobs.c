/* SPDX-License-Identifier: BSD-3-Clause */
/* Jobs in the ledger: see ledger_jobs.h. Their files: ledger_job_file.h, ledger_job_keeper.h. */
#define _GNU_SOURCE
#include "daemon/ledger_jobs.h"

#include <assert.h>
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

#include "base/fail.h"
#include "base/grow.h"
#include "base/whole.h"
#include "daemon/jobs/divider.h"
#include "daemon/ledger_job_file.h"
#include "daemon/ledger_job_keeper.h"
#include "daemon/log.h"
#include "model/bound.h"

enum {
    OPEN_MAX_JOBS = 4096,
    TIDY_EVERY = 64 /* jobs that end, before old ones are looked for again */
};

struct left {
    char id[WTL_JOB_ID_MAX + 1];
};

/* An open job, as the wattled before left it. */
struct found {
    struct wtl_ledger_job *job;
};

struct wtl_ledger_jobs {
    char folder[300];
    char share_path[300]; /* the file of the divider */
    char boot_id[40];
    struct wtl_job_keeper *keeper;
    bool late; /* a checkpoint was due while the last one was not yet on the disk */
    size_t ended_kept, ended_count; /* files; jobs that have ended since old ones were removed */
    size_t count;
    struct wtl_ledger_job *list[OPEN_MAX_JOBS];
    struct wtl_ledger_job *ended; /* the last one that ended */
    size_t found_count;
    struct found *found;
    struct wtl_divider *divider;
    struct wtl_page_values values;
    const struct wtl_selection *selection; /* NULL = not known */
    bool has_shares;                       /* that file is there */
    int share_error;                       /* of that file */
    size_t left_count;
    struct left *left; /* jobs that have ended and were not fetched */
};

/* An instant of CLOCK_MONOTONIC by CLOCK_REALTIME. */
static uint64_t realtime_ns(uint64_t monotonic_ns)
{
    struct timespec now, realtime;
    (void)clock_gettime(CLOCK_MONOTONIC, &now); /* cannot fail */
    (void)clock_gettime(CLOCK_REALTIME, &realtime);
    return monotonic_ns + (uint64_t)(realtime.tv_sec - now.tv_sec) * 1000000000u +
           (uint64_t)(realtime.tv_nsec - now.tv_nsec);
}

static size_t number_of(const struct wtl_ledger_jobs *jobs, const char *id)
{
    size_t i = 0;
    while (i < jobs->count && strcmp(jobs->list[i]->id, id) != 0)
        i++;
    return i;
}

/* ---- files ---- */

/* For whoever keeps records of jobs: without memory, it stays in its file. */
static void leave(struct wtl_ledger_jobs *jobs, const struct wtl_ledger_job *job)
{
    if (job->state == WTL_JOB_OPEN || job->fetched || !job->terms.note[0] ||
        wtl_grow(&jobs->left, jobs->left_count, sizeof *jobs->left) < 0)
        return;
    memcpy(jobs->left[jobs->left_count++].id, job->id, sizeof job->id);
}

static size_t left_of(const struct wtl_ledger_jobs *jobs, const char *id)
{
    size_t i = 0;
    while (i < jobs->left_count && strcmp(jobs->left[i].id, id) != 0)
        i++;
    return i;
}

static void take_off(struct wtl_ledger_jobs *jobs, const char *id)
{
    size_t i = left_of(jobs, id);
    if (i < jobs->left_count)
        memmove(&jobs->left[i], &jobs->left[i + 1], (--jobs->left_count - i) * sizeof *jobs->left);
}

static uint64_t monotonic_ns(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now); /* cannot fail */
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Keep open jobs of this boot; those of another one ended with it. One of the future was measured by another clock, that of another
 * time namespace: no time passes from there to here. */
static void keep(struct wtl_ledger_jobs *jobs, struct wtl_ledger_job *job)
{
    if (job->state == WTL_JOB_OPEN &&
        (strcmp(job->boot_id, jobs->boot_id) != 0 || job->until_ns > monotonic_ns())) {
        job->state = WTL_JOB_CUT;
        (void)wtl_job_keeper_put(jobs->keeper, job); /* else it is cut by the next start */
    }
    leave(jobs, job);
    if (job->state == WTL_JOB_OPEN && jobs->count < OPEN_MAX_JOBS)
        jobs->list[jobs->count++] = job;
    else
        wtl_ledger_job_free(job);
}

static int fail_read(const struct wtl_ledger_jobs *jobs, struct wattle_error *err)
{
    return wtl_fail(err, -errno, "cannot read the folder \"%s\": %s", jobs->folder,
                    strerror(errno));
}

/* The folder, and all that is opened with it. */
static int open_parts(struct wtl_ledger_jobs *jobs,
                      const struct wtl_world *world,
                      DIR **ret_folder,
                      struct wattle_error *err)
{
    const struct wtl_share_model model = wtl_share_by_cpu_time((double)NAN, WTL_IDLE_UNKNOWN);
    if (mkdir(jobs->folder, 0750) < 0 && errno != EEXIST)
        return wtl_fail(err, -errno,
                        "cannot create the folder \"%s\": %s; check its owner, or set state-dir",
                        jobs->folder, strerror(errno));
    int rc = wtl_divider_create(world, &model, &jobs->divider);
    if (rc < 0)
        return wtl_no_memory_for(err, "the jobs");
    rc = wtl_job_keeper_open(jobs->folder, &jobs->keeper);
    if (rc < 0)
        return wtl_fail(err, rc, "cannot start a thread for the jobs: %s", strerror(-rc));
    *ret_folder = opendir(jobs->folder);
    return *ret_folder ? 0 : fail_read(jobs, err);
}

/* A damaged file stays as it is, and its job is unknown; without memory wattled would forget jobs that are there. */
static int load_all(struct wtl_ledger_jobs *jobs, DIR *folder, struct wattle_error *err)
{
    const struct dirent *entry;
    size_t damaged = 0;
    while ((entry = readdir(folder))) {
        struct wtl_ledger_job *job = NULL;
        int rc = wtl_ledger_job_load(dirfd(folder), entry->d_name, &job);
        if (rc == -ENOMEM)
            return wtl_no_memory_for(err, "the jobs");
        if (rc == 0)
            keep(jobs, job);
        else if (rc != -ENOENT && damaged++ == 0)
            wtl_log(WTL_LOG_WARNING, "%s/%s: %s; its job is unknown", jobs->folder, entry->d_name,
                    rc == -EBADMSG ? "damaged" : wtl_strerror(-rc));
    }
    return 0;
}

/* Without memory, a job that ends late has all that was used until then. */
static void keep_found(struct wtl_ledger_jobs *jobs)
{
    for (size_t i = 0; i < jobs->count; i++) {
        struct wtl_ledger_job *copy = wtl_ledger_job_copy(jobs->list[i]);
        if (copy && wtl_grow(&jobs->found, jobs->found_count, sizeof *jobs->found) == 0)
            jobs->found[jobs->found_count++].job = copy;
        else
            wtl_ledger_job_free(copy);
    }
}

int wtl_ledger_jobs_open(const char *state_dir,
                         const char *run_dir,
                         const char *boot_id,
                         const struct wtl_world *world,
                         struct wtl_ledger_jobs **ret_jobs,
                         struct wattle_error *err)
{
    DIR *folder = NULL;
    struct wtl_ledger_jobs *jobs = calloc(1, sizeof *jobs);
    if (!jobs)
        return wtl_no_memory_for(err, "the jobs");
    (void)snprintf(jobs->folder, sizeof jobs->folder, "%s/jobs", state_dir);
    (void)snprintf(jobs->share_path, sizeof jobs->share_path, "%s/shares", run_dir);
    (void)snprintf(jobs->boot_id, sizeof jobs->boot_id, "%s", boot_id);
    jobs->ended_kept = SIZE_MAX;
    int rc = open_parts(jobs, world, &folder, err);
    if (rc < 0) {
        wtl_ledger_jobs_close(jobs);
        return rc;
    }
    assert(folder);
    rc = load_all(jobs, folder, err);
    (void)closedir(folder);
    if (rc < 0) {
        wtl_ledger_jobs_close(jobs);
        return rc;
    }
    wtl_divider_load(jobs->divider, jobs->share_path, boot_id, jobs->list, jobs->count);
    jobs->has_shares = access(jobs->share_path, F_OK) == 0;
    keep_found(jobs);
    *ret_jobs = jobs;
    return 0;
}

void wtl_ledger_jobs_close(struct wtl_ledger_jobs *jobs)
{
    if (!jobs)
        return;
    wtl_job_keeper_close(jobs->keeper);
    wtl_divider_destroy(jobs->divider);
    wtl_page_values_fini(&jobs->values);
    for (size_t i = 0; i < jobs->count; i++)
        wtl_ledger_job_free(jobs->list[i]);
    for (size_t i = 0; i < jobs->found_count; i++)
        wtl_ledger_job_free(jobs->found[i].job);
    wtl_ledger_job_free(jobs->ended);
    free(jobs->found);
    free(jobs->left);
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
            take_off(jobs, files[i].id);
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

void wtl_ledger_jobs_set_model(struct wtl_ledger_jobs *jobs, const struct wtl_share_model *model)
{
    wtl_divider_set_model(jobs->divider, model);
}

void wtl_ledger_jobs_use(struct wtl_ledger_jobs *jobs, struct wtl_work_counter *machine)
{
    wtl_divider_count(jobs->divider, machine);
}

void wtl_ledger_jobs_watch(struct wtl_ledger_jobs *jobs, const struct wtl_selection *selection)
{
    jobs->selection = selection;
    wtl_divider_watch(jobs->divider, selection);
}

bool wtl_ledger_jobs_is_shared(const struct wtl_ledger_jobs *jobs)
{
    size_t i = 0;
    while (i < jobs->count && !jobs->list[i]->terms.given)
        i++;
    return i < jobs->count;
}

/* What the next wattled continues with. */
static void save_shares(struct wtl_ledger_jobs *jobs)
{
    const char *path = jobs->share_path;
    if (wtl_ledger_jobs_is_shared(jobs)) {
        jobs->share_error =
            wtl_divider_save(jobs->divider, path, jobs->boot_id, jobs->list, jobs->count);
        jobs->has_shares = true;
    } else if (jobs->has_shares) {
        jobs->share_error = 0;
        jobs->has_shares = unlink(path) < 0 && errno != ENOENT;
    }
}

/* All open jobs, at what the page shows now; final: one begins or ends. 0 or -ENOMEM. */
static int update_jobs(struct wtl_ledger_jobs *jobs, const struct wattle_page *page, bool final)
{
    int rc = wtl_page_values_take(&jobs->values, page);
    if (rc == 0)
        wtl_divider_look(jobs->divider, &jobs->values, jobs->list, jobs->count, final);
    return rc;
}

void wtl_ledger_jobs_look(struct wtl_ledger_jobs *jobs, const struct wattle_page *page)
{
    if (update_jobs(jobs, page, false) == 0)
        save_shares(jobs);
}

int wtl_ledger_jobs_share_error(const struct wtl_ledger_jobs *jobs)
{
    return jobs->share_error;
}

/* ---- begin and end ---- */

static int check_begin(const struct wtl_ledger_jobs *jobs,
                       const char *id,
                       const struct wtl_job_terms *terms,
                       struct wattle_error *err)
{
    if (number_of(jobs, id) < jobs->count)
        return wtl_fail(err, -EEXIST, "job %s is already open; end it first", id);
    if (jobs->count == OPEN_MAX_JOBS)
        return wtl_fail(err, -EMFILE, "4096 jobs are open; end some first");
    if (!terms || !terms->parent[0])
        return 0;
    size_t parent = number_of(jobs, terms->parent);
    return parent < jobs->count && !jobs->list[parent]->terms.parent[0]
               ? 0
               : wtl_fail(err, -ENOENT, "job %s, of which %s is a step, is not open", terms->parent,
                          id);
}

static struct wtl_ledger_job *make_job(struct wtl_ledger_jobs *jobs,
                                       const char *id,
                                       const struct wtl_job_terms *terms)
{
    struct wtl_ledger_job *job = calloc(1, sizeof *job);
    if (job)
        job->channels = calloc(jobs->values.count + WTL_JOB_UNREAD_MAX + 1, sizeof *job->channels);
    if (!job || !job->channels) {
        wtl_ledger_job_free(job);
        return NULL;
    }
    (void)snprintf(job->id, sizeof job->id, "%s", id);
    (void)snprintf(job->boot_id, sizeof job->boot_id, "%s", jobs->boot_id);
    if (terms)
        job->terms = *terms;
    job->begin_ns = job->until_ns = jobs->values.time_ns;
    job->begin_realtime_ns = realtime_ns(job->begin_ns);
    wtl_job_channels_begin(job, &jobs->values);
    if (jobs->selection)
        wtl_job_channels_lack(job, jobs->selection->lacks);
    if (job->terms.given)
        wtl_divider_begin(jobs->divider, job);
    return job;
}

int wtl_ledger_jobs_begin(struct wtl_ledger_jobs *jobs,
                          const char *id,
                          const struct wtl_job_terms *terms,
                          const struct wattle_page *page,
                          struct wattle_error *err)
{
    int rc = check_begin(jobs, id, terms, err);
    if (rc < 0)
        return rc;
    struct wtl_ledger_job *job =
        update_jobs(jobs, page, true) == 0 ? make_job(jobs, id, terms) : NULL;
    if (!job)
        return wtl_no_memory_for(err, "a job");
    save_shares(jobs);
    rc = wtl_job_keeper_put(jobs->keeper, job);
    if (rc < 0) {
        wtl_ledger_job_free(job);
        return wtl_fail(err, rc, "cannot write job %s to \"%s\": %s", id, jobs->folder,
                        strerror(-rc));
    }
    take_off(jobs, id); /* its file was replaced */
    jobs->list[jobs->count++] = job;
    save_shares(jobs);
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

/* A job that has just been looked at ends. 0 or -errno: it is still open. */
static int end_job(struct wtl_ledger_jobs *jobs, size_t i, struct wtl_ledger_job **ret_job)
{
    struct wtl_ledger_job *job = jobs->list[i];
    job->state = WTL_JOB_ENDED;
    int rc = wtl_job_keeper_put(jobs->keeper, job);
    if (rc < 0) {
        job->state = WTL_JOB_OPEN;
        return rc;
    }
    jobs->list[i] = jobs->list[--jobs->count];
    leave(jobs, job);
    *ret_job = job;
    return 0;
}

/* One whose file cannot be written ends with the next try. */
static void end_steps(struct wtl_ledger_jobs *jobs, const char *id)
{
    struct wtl_ledger_job *step;
    for (size_t i = jobs->count; i-- > 0;) {
        if (strcmp(jobs->list[i]->terms.parent, id) == 0 && end_job(jobs, i, &step) == 0)
            wtl_ledger_job_free(step);
    }
}

/* How it was at an instant or before, as far as that is still known: a copy, or NULL. */
static struct wtl_ledger_job *copy_before(const struct wtl_ledger_jobs *jobs,
                                          const struct wtl_ledger_job *job,
                                          uint64_t time_ns)
{
    if (job->until_ns <= time_ns)
        return wtl_ledger_job_copy(job);
    for (size_t i = 0; i < jobs->found_count; i++) {
        const struct wtl_ledger_job *found = jobs->found[i].job;
        if (strcmp(found->id, job->id) == 0 && found->begin_ns == job->begin_ns &&
            found->until_ns <= time_ns)
            return wtl_ledger_job_copy(found);
    }
    return NULL;
}

/* It ends as it was, and what it used from then on is unknown. */
static void clip(struct wtl_ledger_job *job, struct wtl_ledger_job *before, uint64_t ended_ns)
{
    for (size_t i = 0; i < before->channel_count; i++)
        before->channels[i].until_unknown_ns += ended_ns - before->until_ns;
    free(job->channels);
    job->channels = before->channels;
    job->channel_count = before->channel_count;
    job->use = before->use;
    job->until_ns = ended_ns;
    before->channels = NULL;
    before->channel_count = 0;
}

/* What was used since it ended may be in its energy. */
static void doubt(struct wtl_ledger_job *job, uint64_t ended_ns)
{
    for (size_t i = 0; i < job->channel_count; i++) {
        struct wtl_ledger_job_channel *channel = &job->channels[i];
        double energy_j = wtl_ledger_job_energy_j(job, channel);
        double late = (double)(job->until_ns - ended_ns) / (double)(job->until_ns - job->begin_ns);
        double more_j = wtl_assumed_power_w(energy_j, 0) * late; /* in place of a power */
        if (isfinite(energy_j) && energy_j > 0)
            channel->resolution_j += fmin(more_j, energy_j);
    }
}

/* ended_ns: 0 = now. */
static int end_at(struct wtl_ledger_jobs *jobs,
                  const char *id,
                  uint64_t ended_ns,
                  const struct wattle_page *page,
                  const struct wtl_ledger_job **ret_job,
                  struct wattle_error *err)
{
    struct wtl_ledger_job *before = NULL, *job = NULL;
    if (number_of(jobs, id) == jobs->count)
        return fail_missing(jobs, id, err);
    job = jobs->list[number_of(jobs, id)];
    job->ending = true;
    if (ended_ns > 0)
        before = copy_before(jobs, job, ended_ns);
    if (update_jobs(jobs, page, true) < 0) {
        wtl_ledger_job_free(before);
        return wtl_no_memory_for(err, "a look at the jobs");
    }
    save_shares(jobs);
    end_steps(jobs, id);
    if (before)
        clip(job, before, ended_ns);
    else if (ended_ns > 0)
        doubt(job, ended_ns);
    wtl_ledger_job_free(before);
    int rc = end_job(jobs, number_of(jobs, id), &job);
    if (rc < 0)
        return wtl_fail(err, rc, "cannot write job %s to \"%s\": %s", id, jobs->folder,
                        strerror(-rc));
    save_shares(jobs);
    if (!wtl_ledger_jobs_is_shared(jobs))
        wtl_divider_rest(jobs->divider);
    wtl_ledger_job_free(jobs->ended);
    *ret_job = jobs->ended = job;
    if (++jobs->ended_count >= TIDY_EVERY)
        tidy(jobs);
    return 0;
}

int wtl_ledger_jobs_end(struct wtl_ledger_jobs *jobs,
                        const char *id,
                        const struct wattle_page *page,
                        const struct wtl_ledger_job **ret_job,
                        struct wattle_error *err)
{
    return end_at(jobs, id, 0, page, ret_job, err);
}

int wtl_ledger_jobs_end_late(struct wtl_ledger_jobs *jobs,
                             const char *id,
                             uint64_t ended_ns,
                             const struct wattle_page *page,
                             const struct wtl_ledger_job **ret_job,
                             struct wattle_error *err)
{
    size_t i = number_of(jobs, id);
    bool late = i < jobs->count && ended_ns > jobs->list[i]->begin_ns;
    return end_at(jobs, id, late ? ended_ns : 0, page, ret_job, err);
}

/* ---- jobs that have ended ---- */

const char *wtl_ledger_jobs_left(const struct wtl_ledger_jobs *jobs, size_t i)
{
    return i < jobs->left_count ? jobs->left[i].id : NULL;
}

int wtl_ledger_jobs_load(const struct wtl_ledger_jobs *jobs,
                         const char *id,
                         struct wtl_ledger_job **ret_job,
                         struct wattle_error *err)
{
    char name[WTL_JOB_ID_MAX + sizeof WTL_JOB_SUFFIX];
    (void)snprintf(name, sizeof name, "%s" WTL_JOB_SUFFIX, id);
    if (number_of(jobs, id) < jobs->count)
        return wtl_fail(err, -ENOENT, "job %s has not ended", id);
    int folder = open(jobs->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0)
        return fail_read(jobs, err);
    int rc = wtl_ledger_job_load(folder, name, ret_job);
    (void)close(folder); /* read only */
    if (rc == -ENOENT)
        return wtl_fail(err, rc, "nothing is known of job %s", id);
    if (rc == -EBADMSG)
        return wtl_fail(err, rc, "the file of job %s is damaged", id);
    return rc == 0 ? 0 : wtl_fail(err, rc, "job %s cannot be read: %s", id, wtl_strerror(-rc));
}

int wtl_ledger_jobs_fetched(struct wtl_ledger_jobs *jobs, const char *id, struct wattle_error *err)
{
    struct wtl_ledger_job *job = NULL;
    int rc = wtl_ledger_jobs_load(jobs, id, &job, err);
    if (rc < 0)
        return rc;
    assert(job);
    bool known = job->fetched;
    job->fetched = true;
    rc = known ? 0 : wtl_job_keeper_put(jobs->keeper, job);
    wtl_ledger_job_free(job);
    if (rc < 0)
        return wtl_fail(err, rc, "cannot write job %s to \"%s\": %s", id, jobs->folder,
                        strerror(-rc));
    take_off(jobs, id);
    return 0;
}

void wtl_ledger_jobs_checkpoint(struct wtl_ledger_jobs *jobs, const struct wattle_page *page)
{
    jobs->late = false;
    if (jobs->count == 0)
        return;
    if (!wtl_ledger_jobs_is_shared(jobs)) /* else they are looked at each second, with a sample */
        wtl_ledger_jobs_look(jobs, page);
    for (size_t i = 0; i < jobs->count; i++)
        jobs->late |= !wtl_job_keeper_later(jobs->keeper, jobs->list[i]);
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
