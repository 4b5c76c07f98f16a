/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Threads that wait in known ways: threads HOW.
 *   waits   3 workers: each waits in 4 barriers with main, for a condition, for a lock that main holds, for a semaphore; joined
 *   free    a million locks that nobody else holds, and recursive ones: no state
 *   cancel  a thread that is cancelled in pthread_cond_wait, and one that leaves by pthread_exit
 *   fork    the child of a process with threads that wait makes locks and threads of its own
 *   timed   4 threads of POSIX and 2 of C11 wait in calls with a time for locks, a semaphore and a condition; one lock in vain
 *   checks  an error checking mutex: EDEADLK, EPERM as ever
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

enum { WORKERS = 3, ROUNDS = 4 };
static pthread_barrier_t barrier;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, held = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t pages = PTHREAD_RWLOCK_INITIALIZER;
static sem_t semaphore;
static int go;
static atomic_int arrived;

static void pause_ms(long ms)
{
    struct timespec pause = {.tv_nsec = ms * 1000000};

    (void)nanosleep(&pause, NULL);
}

static void *worker(void *data)
{
    for (int i = 0; i < ROUNDS; i++)
        (void)pthread_barrier_wait(&barrier);
    (void)pthread_mutex_lock(&lock);
    arrived++;
    while (!go)
        (void)pthread_cond_wait(&condition, &lock);
    (void)pthread_mutex_unlock(&lock);
    arrived++;
    (void)sem_wait(&semaphore);
    arrived++;
    (void)pthread_rwlock_rdlock(&pages);
    (void)pthread_rwlock_unlock(&pages);
    return data;
}

static void wait_until(int count)
{
    while (arrived < count)
        pause_ms(1);
    pause_ms(20); /* so that they do wait */
}

static int waits(void)
{
    pthread_t threads[WORKERS];
    void *back;

    (void)pthread_barrier_init(&barrier, NULL, WORKERS + 1);
    (void)sem_init(&semaphore, 0, 0);
    for (long i = 0; i < WORKERS; i++)
        if (pthread_create(&threads[i], NULL, worker, (void *)i) != 0)
            return 2;
    for (int i = 0; i < ROUNDS; i++)
        (void)pthread_barrier_wait(&barrier);
    wait_until(WORKERS);
    (void)pthread_mutex_lock(&lock);
    go = 1;
    (void)pthread_cond_broadcast(&condition);
    (void)pthread_mutex_unlock(&lock);
    (void)pthread_rwlock_wrlock(&pages);
    wait_until(2 * WORKERS);
    for (int i = 0; i < WORKERS; i++)
        (void)sem_post(&semaphore);
    wait_until(3 * WORKERS);
    (void)pthread_rwlock_unlock(&pages);
    for (long i = 0; i < WORKERS; i++)
        if (pthread_join(threads[i], &back) != 0 || back != (void *)i)
            return 3;
    return 0;
}

static void *take(void *data)
{
    (void)pthread_mutex_lock(&held);
    (void)pthread_mutex_unlock(&held);
    return data;
}

static int free_locks(void)
{
    pthread_mutexattr_t attributes;
    pthread_mutex_t again;

    (void)pthread_mutexattr_init(&attributes);
    (void)pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
    (void)pthread_mutex_init(&again, &attributes);
    for (int i = 0; i < 1000000; i++) {
        (void)pthread_mutex_lock(&lock);
        (void)pthread_mutex_lock(&again);
        if (pthread_mutex_lock(&again) != 0)
            return 2;
        (void)pthread_mutex_unlock(&again);
        (void)pthread_mutex_unlock(&again);
        (void)pthread_mutex_unlock(&lock);
    }
    return 0;
}

static void *wait_forever(void *data)
{
    (void)pthread_mutex_lock(&lock);
    pthread_cleanup_push((void (*)(void *))pthread_mutex_unlock, &lock);
    arrived++;
    while (!go)
        (void)pthread_cond_wait(&condition, &lock);
    pthread_cleanup_pop(1);
    return data;
}

static void *leave(void *data)
{
    pthread_exit(data);
}

static int cancel(void)
{
    pthread_t one, other;
    void *first, *second;

    if (pthread_create(&one, NULL, wait_forever, NULL) != 0 ||
        pthread_create(&other, NULL, leave, &go) != 0)
        return 2;
    wait_until(1);
    (void)pthread_cancel(one);
    (void)pthread_join(one, &first);
    (void)pthread_join(other, &second);
    return first == PTHREAD_CANCELED && second == &go && pthread_mutex_trylock(&lock) == 0 ? 0 : 3;
}

static int in_child(void)
{
    pthread_t thread;

    (void)pthread_mutex_lock(&held);
    if (pthread_create(&thread, NULL, take, NULL) != 0)
        return 2;
    pause_ms(20);
    (void)pthread_mutex_unlock(&held);
    return pthread_join(thread, NULL);
}

static int forks(void)
{
    pthread_t thread;
    int status = -1;

    if (pthread_create(&thread, NULL, wait_forever, NULL) != 0)
        return 2;
    wait_until(1);
    for (int i = 0; i < 5; i++) {
        pid_t child = fork();

        if (child == 0)
            _exit(in_child());
        if (child < 0 || waitpid(child, &status, 0) != child || status != 0)
            return 3;
    }
    (void)pthread_mutex_lock(&lock);
    go = 1;
    (void)pthread_cond_signal(&condition);
    (void)pthread_mutex_unlock(&lock);
    return pthread_join(thread, NULL);
}

static mtx_t turn;
static cnd_t bell;

static struct timespec in_seconds(clockid_t clock, long ms)
{
    struct timespec until;

    (void)clock_gettime(clock, &until);
    until.tv_sec += ms / 1000;
    until.tv_nsec += ms % 1000 * 1000000;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    return until;
}

static void *hurry(void *data)
{
    struct timespec until = in_seconds(CLOCK_REALTIME, 60000),
                    at = in_seconds(CLOCK_MONOTONIC, 60000), soon = in_seconds(CLOCK_REALTIME, 30);
    long which = (long)data;
    int rc;

    if (which == 0 && pthread_mutex_timedlock(&held, &soon) != ETIMEDOUT)
        return &go;
    arrived++;
    if (which == 0)
        rc = pthread_mutex_timedlock(&held, &until) || pthread_mutex_unlock(&held);
    else if (which == 1)
        rc = pthread_mutex_clocklock(&held, CLOCK_MONOTONIC, &at) || pthread_mutex_unlock(&held);
    else if (which == 2)
        rc = pthread_rwlock_timedwrlock(&pages, &until) || pthread_rwlock_unlock(&pages);
    else
        rc = sem_timedwait(&semaphore, &until);
    return rc ? &go : NULL;
}

static int c11(void *data)
{
    struct timespec until = in_seconds(CLOCK_REALTIME, 60000);

    arrived++;
    if (data ? mtx_timedlock(&turn, &until) != thrd_success : mtx_lock(&turn) != thrd_success)
        return 1;
    arrived++;
    while (!go)
        if (data ? cnd_timedwait(&bell, &turn, &until) != thrd_success
                 : cnd_wait(&bell, &turn) != thrd_success)
            return 2;
    (void)mtx_unlock(&turn);
    return data ? 7 : 8;
}

static int timed(void)
{
    pthread_t threads[4];
    thrd_t others[2];
    void *back;
    int first, second;

    if (mtx_init(&turn, mtx_timed) != thrd_success || cnd_init(&bell) != thrd_success)
        return 2;
    (void)sem_init(&semaphore, 0, 0);
    (void)mtx_lock(&turn);
    (void)pthread_mutex_lock(&held);
    (void)pthread_rwlock_rdlock(&pages);
    for (long i = 0; i < 4; i++)
        if (pthread_create(&threads[i], NULL, hurry, (void *)i) != 0)
            return 2;
    if (thrd_create(&others[0], c11, &go) != thrd_success ||
        thrd_create(&others[1], c11, NULL) != thrd_success)
        return 2;
    wait_until(6);
    (void)mtx_unlock(&turn);
    (void)pthread_mutex_unlock(&held);
    (void)pthread_rwlock_unlock(&pages);
    (void)sem_post(&semaphore);
    wait_until(8);
    (void)mtx_lock(&turn);
    go = 1;
    (void)cnd_broadcast(&bell);
    (void)mtx_unlock(&turn);
    for (int i = 0; i < 4; i++)
        if (pthread_join(threads[i], &back) != 0 || back)
            return 3;
    if (thrd_join(others[0], &first) != thrd_success ||
        thrd_join(others[1], &second) != thrd_success)
        return 4;
    return first == 7 && second == 8 ? 0 : 5;
}

static int checks(void)
{
    pthread_mutexattr_t attributes;
    pthread_mutex_t mutex;

    (void)pthread_mutexattr_init(&attributes);
    (void)pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
    (void)pthread_mutex_init(&mutex, &attributes);
    return pthread_mutex_lock(&mutex) == 0 && pthread_mutex_lock(&mutex) == EDEADLK &&
                   pthread_mutex_unlock(&mutex) == 0 && pthread_mutex_unlock(&mutex) == EPERM &&
                   pthread_join(pthread_self(), NULL) == EDEADLK
               ? 0
               : 2;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        int (*function)(void);
    } all[] = {{"waits", waits}, {"free", free_locks}, {"cancel", cancel},
               {"fork", forks},  {"timed", timed},     {"checks", checks}};

    for (size_t i = 0; argc > 1 && i < sizeof(all) / sizeof(all[0]); i++)
        if (strcmp(argv[1], all[i].name) == 0)
            return all[i].function();
    return 9;
}
