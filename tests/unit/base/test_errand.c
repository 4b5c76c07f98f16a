/* SPDX-License-Identifier: BSD-3-Clause */
/* Work that returns, and work that does not: its data is left to it, and the caller continues. */
#include "base/errand.h"

#include <pthread.h>
#include <stdlib.h>

#include "tap.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static bool let_go;
static int late;

struct job {
    bool hangs;
    int value;
    pthread_t thread;
};

static void run(void *context)
{
    struct job *job = context;
    (void)pthread_mutex_lock(&lock);
    while (job->hangs && !let_go)
        (void)pthread_cond_wait(&changed, &lock);
    (void)pthread_mutex_unlock(&lock);
    job->value++;
    job->thread = pthread_self();
}

static void come_late(void *context)
{
    struct job *job = context;
    (void)pthread_mutex_lock(&lock);
    late += job->value;
    (void)pthread_cond_broadcast(&changed);
    (void)pthread_mutex_unlock(&lock);
    free(job);
}

int main(void)
{
    static const struct wtl_errand_work work = {run, come_late};
    struct wtl_errand *errand = NULL;
    struct job quick = {.value = 1};
    unsigned patience = WTL_PATIENCE;
    for (int i = 0; i < 1000 && quick.value == 1 + i; i++)
        (void)wtl_errand_do(&errand, &work, &quick, &patience);
    is_int(quick.value, 1001, "a thousand errands are run");
    ok(!pthread_equal(quick.thread, pthread_self()), "on another thread");

    struct job *slow = calloc(1, sizeof *slow);
    if (!slow)
        return 1;
    slow->hangs = true;
    patience = 1;
    ok(!wtl_errand_do(&errand, &work, slow, &patience), "one that does not come back is given up");
    ok(errand == NULL, "with its thread");
    is_int((int)patience, 0, "patience is at its end");
    ok(wtl_errand_do(&errand, &work, &quick, &patience), "the next one has another thread");
    is_int(quick.value, 1002, "which runs it");
    wtl_errand_end(errand);
    wtl_errand_end(NULL);

    (void)pthread_mutex_lock(&lock);
    is_int(late, 0, "what was given up still has its context");
    let_go = true;
    (void)pthread_cond_broadcast(&changed);
    while (late == 0)
        (void)pthread_cond_wait(&changed, &lock);
    is_int(late, 1, "and says when it comes back after all");
    (void)pthread_mutex_unlock(&lock);
    return done_testing();
}
