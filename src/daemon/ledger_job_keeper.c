/* SPDX-License-Identifier: BSD-3-Clause */
/* Brings jobs to the disk: see ledger_job_keeper.h. */
#define _GNU_SOURCE
#include "daemon/ledger_job_keeper.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/ledger_job_file.h"

enum { QUEUE = 8192 }; /* all open jobs twice: a disk that hangs must not take all memory */

struct item {
    struct wtl_ledger_job *job; /* NULL: another version has replaced it */
    bool checkpoint;
};

struct wtl_job_keeper {
    const char *folder;
    pthread_t thread;
    pthread_mutex_t lock; /* the rest; never held while the disk is waited for, but for a rename */
    pthread_cond_t changed;
    struct item queue[QUEUE];
    size_t first, count;
    const struct wtl_ledger_job
        *writing; /* the first one, once the thread has it and will free it */
    int error;
    bool ending;
};

/* Of a job, or the one that it is renamed from: then hidden, so no job's. */
static void path_of(const struct wtl_job_keeper *keeper,
                    const char *before,
                    const char *id,
                    const char *after,
                    char *path)
{
    (void)snprintf(path, PATH_MAX, "%s/%s%s%s", keeper->folder, before, id, after);
}

/* ---- the thread ---- */

/* Write the first of the queue. The lock is not held meanwhile. */
static int write_first(struct wtl_job_keeper *keeper, struct wtl_ledger_job *job)
{
    char path[PATH_MAX], fresh[PATH_MAX];
    path_of(keeper, "", job->id, WTL_JOB_SUFFIX, path);
    path_of(keeper, ".", job->id, ".later", fresh);
    int rc = wtl_ledger_job_write(fresh, job, true);
    (void)pthread_mutex_lock(&keeper->lock);
    bool wanted = keeper->queue[keeper->first].job == job;
    if (rc == 0 && wanted && rename(fresh, path) < 0)
        rc = -errno;
    else if (rc == 0 && !wanted)
        (void)remove(fresh);
    return wanted ? rc : 0;
}

static void *work(void *context)
{
    struct wtl_job_keeper *keeper = context;
    (void)pthread_mutex_lock(&keeper->lock);
    while (keeper->count > 0 || !keeper->ending) {
        if (keeper->count == 0) {
            (void)pthread_cond_wait(&keeper->changed, &keeper->lock);
            continue;
        }
        struct wtl_ledger_job *job = keeper->queue[keeper->first].job;
        if (job) {
            keeper->writing = job;
            (void)pthread_mutex_unlock(&keeper->lock);
            keeper->error = write_first(keeper, job); /* returns with the lock */
            keeper->writing = NULL;
            wtl_ledger_job_free(job);
        }
        keeper->first = (keeper->first + 1) % QUEUE;
        keeper->count--;
        (void)pthread_cond_broadcast(&keeper->changed);
    }
    (void)pthread_mutex_unlock(&keeper->lock);
    return NULL;
}

/* ---- the daemon's side ---- */

int wtl_job_keeper_open(const char *folder, struct wtl_job_keeper **ret_keeper)
{
    struct wtl_job_keeper *keeper = calloc(1, sizeof *keeper);
    if (!keeper)
        return -ENOMEM;
    keeper->folder = folder;
    (void)pthread_mutex_init(&keeper->lock, NULL);   /* cannot fail, */
    (void)pthread_cond_init(&keeper->changed, NULL); /* with the default attributes */
    int rc = pthread_create(&keeper->thread, NULL, work, keeper);
    if (rc != 0) {
        free(keeper);
        return -rc;
    }
    *ret_keeper = keeper;
    return 0;
}

void wtl_job_keeper_close(struct wtl_job_keeper *keeper)
{
    if (!keeper)
        return;
    (void)pthread_mutex_lock(&keeper->lock);
    keeper->ending = true;
    (void)pthread_cond_broadcast(&keeper->changed);
    (void)pthread_mutex_unlock(&keeper->lock);
    (void)pthread_join(keeper->thread, NULL);
    (void)pthread_cond_destroy(&keeper->changed);
    (void)pthread_mutex_destroy(&keeper->lock);
    free(keeper);
}

/* What is in the queue of this job is not written any more; nor, if all, is what the thread writes now. True: a
 * checkpoint was among it. */
static bool supersede(struct wtl_job_keeper *keeper, const char *id, bool all)
{
    bool checkpoint = false;
    for (size_t i = 0; i < keeper->count; i++) {
        struct item *at = &keeper->queue[(keeper->first + i) % QUEUE];
        bool written = at->job && at->job == keeper->writing;
        if (!at->job || strcmp(at->job->id, id) != 0 || (written && !all))
            continue;
        if (!written)
            wtl_ledger_job_free(at->job);
        checkpoint |= at->checkpoint;
        at->job = NULL;
    }
    return checkpoint;
}

static bool queue(struct wtl_job_keeper *keeper, const struct wtl_ledger_job *job, bool checkpoint)
{
    struct wtl_ledger_job *copy = wtl_ledger_job_copy(job);
    (void)pthread_mutex_lock(&keeper->lock);
    bool late = supersede(keeper, job->id, false);
    if (copy && keeper->count < QUEUE) {
        keeper->queue[(keeper->first + keeper->count++) % QUEUE] = (struct item){copy, checkpoint};
        (void)pthread_cond_broadcast(&keeper->changed);
        copy = NULL;
    } else {
        keeper->error = copy ? -ETIMEDOUT : -ENOMEM;
    }
    (void)pthread_mutex_unlock(&keeper->lock);
    wtl_ledger_job_free(copy);
    return !late;
}

int wtl_job_keeper_put(struct wtl_job_keeper *keeper, const struct wtl_ledger_job *job)
{
    char path[PATH_MAX], fresh[PATH_MAX];
    path_of(keeper, "", job->id, WTL_JOB_SUFFIX, path);
    path_of(keeper, ".", job->id, ".new", fresh);
    int rc = wtl_ledger_job_write(fresh, job, false);
    if (rc < 0)
        return rc;
    (void)pthread_mutex_lock(&keeper->lock);
    (void)supersede(keeper, job->id, true);
    rc = rename(fresh, path) < 0 ? -errno : 0;
    (void)pthread_mutex_unlock(&keeper->lock);
    if (rc == 0)
        (void)queue(keeper, job, false);
    return rc;
}

bool wtl_job_keeper_later(struct wtl_job_keeper *keeper, const struct wtl_ledger_job *job)
{
    return queue(keeper, job, true);
}

void wtl_job_keeper_wait(struct wtl_job_keeper *keeper)
{
    (void)pthread_mutex_lock(&keeper->lock);
    while (keeper->count > 0)
        (void)pthread_cond_wait(&keeper->changed, &keeper->lock);
    (void)pthread_mutex_unlock(&keeper->lock);
}

int wtl_job_keeper_error(struct wtl_job_keeper *keeper)
{
    (void)pthread_mutex_lock(&keeper->lock);
    int error = keeper->error;
    (void)pthread_mutex_unlock(&keeper->lock);
    return error;
}
