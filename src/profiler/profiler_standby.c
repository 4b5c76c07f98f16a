/* SPDX-License-Identifier: BSD-3-Clause */
/* The thread that checks twice a second: see profiler_standby.h. */
#define _GNU_SOURCE
#include "profiler/profiler_standby.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>

static const long LOOK_EVERY_NS = 500000000;

struct wtl_profiler_standby {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    bool stopping;
    wtl_profiler_look_fn look;
};

/* The exact time of a check does not matter: let it wake up with other threads. What it does then,
 * and the threads that it starts, must be on time. */
static const unsigned long SLACK_NS = 50000000, SLACK_DEFAULT = 0;

static struct timespec next_look(void)
{
    struct timespec when;
    (void)clock_gettime(CLOCK_MONOTONIC, &when); /* cannot fail */
    when.tv_nsec += LOOK_EVERY_NS;
    if (when.tv_nsec >= 1000000000) {
        when.tv_nsec -= 1000000000;
        when.tv_sec++;
    }
    return when;
}

static void *standby_main(void *arg)
{
    struct wtl_profiler_standby *standby = arg;
    (void)prctl(PR_SET_NAME, "wattle-standby");
    bool going_on = true;
    while (going_on) {
        struct timespec when = next_look();
        (void)prctl(PR_SET_TIMERSLACK, SLACK_NS);
        (void)pthread_mutex_lock(&standby->lock);
        int rc = 0;
        while (!standby->stopping && rc != ETIMEDOUT)
            rc = pthread_cond_timedwait(&standby->wake, &standby->lock, &when);
        going_on = !standby->stopping;
        (void)pthread_mutex_unlock(&standby->lock);
        (void)prctl(PR_SET_TIMERSLACK, SLACK_DEFAULT);
        going_on = going_on && standby->look();
    }
    return NULL;
}

static int init_lock(struct wtl_profiler_standby *standby)
{
    pthread_condattr_t attr;
    int rc = -pthread_condattr_init(&attr);
    if (rc < 0)
        return rc;
    (void)pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    rc = -pthread_cond_init(&standby->wake, &attr);
    (void)pthread_condattr_destroy(&attr);
    return rc < 0 ? rc : -pthread_mutex_init(&standby->lock, NULL);
}

int wtl_profiler_standby_start(wtl_profiler_look_fn look, struct wtl_profiler_standby **ret_standby)
{
    struct wtl_profiler_standby *standby = calloc(1, sizeof *standby);
    sigset_t all, old;
    if (!standby)
        return -ENOMEM;
    standby->look = look;
    int rc = init_lock(standby);
    sigfillset(&all);
    (void)pthread_sigmask(SIG_BLOCK, &all, &old);
    if (rc == 0)
        rc = -pthread_create(&standby->thread, NULL, standby_main, standby);
    (void)pthread_sigmask(SIG_SETMASK, &old, NULL);
    if (rc < 0) {
        free(standby);
        return rc;
    }
    *ret_standby = standby;
    return 0;
}

void wtl_profiler_standby_stop(struct wtl_profiler_standby *standby)
{
    if (!standby)
        return;
    (void)pthread_mutex_lock(&standby->lock);
    standby->stopping = true;
    (void)pthread_cond_signal(&standby->wake);
    (void)pthread_mutex_unlock(&standby->lock);
    (void)pthread_join(standby->thread, NULL); /* joinable and ours: cannot fail */
    (void)pthread_cond_destroy(&standby->wake);
    (void)pthread_mutex_destroy(&standby->lock);
    free(standby);
}
