/* SPDX-License-Identifier: BSD-3-Clause */
/* Detects the last thread: see profiler_last.h. The end of main()'s thread starts a thread that
 * checks which threads are left; finalizing does not wait for it. */
#define _GNU_SOURCE
#include "profiler/profiler_last.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

static struct {
    pthread_key_t key;
    bool keyed;
    pid_t process; /* that watches: not a child of fork */
    void (*finish)(void);
} last;

/* The name and state of a thread, as in its stat file: "(wattle-sampler) S". false: it is gone. */
static bool look_at(int tasks, const char *thread, char text[64])
{
    char path[300];
    (void)snprintf(path, sizeof path, "%s/stat", thread);
    int fd = openat(tasks, path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, text, 63);
    if (fd >= 0)
        (void)close(fd);
    text[n > 0 ? n : 0] = '\0';
    return n > 0;
}

/* Is it one of wattle's own threads, or the main thread after its end? */
static bool counts_not(const char *thread, const char *text, pid_t process)
{
    static const char *const own[] = {"(wattle-sampler)", "(wattle-intake)", "(wattle-standby)",
                                      "(wattle-last)", "(wattle-errand)"};
    const char *end = strrchr(text, ')');
    if (strtol(thread, NULL, 10) == process)
        return end && (end[1] == ' ' && (end[2] == 'Z' || end[2] == 'X'));
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
        if (strstr(text, own[i]))
            return true;
    }
    return false;
}

static bool is_over(pid_t process)
{
    DIR *tasks = opendir("/proc/self/task");
    struct dirent *entry;
    char text[64];
    bool over = tasks != NULL;
    while (over && (entry = readdir(tasks))) {
        if (entry->d_name[0] != '.' && look_at(dirfd(tasks), entry->d_name, text))
            over = counts_not(entry->d_name, text, process);
    }
    if (tasks)
        (void)closedir(tasks);
    return over;
}

static void *look_after(void *unused)
{
    const struct timespec pause = {.tv_nsec = 20000000};
    (void)unused;
    (void)prctl(PR_SET_NAME, "wattle-last");
    while (!is_over(getpid()))
        (void)nanosleep(&pause, NULL);
    last.finish();
    return NULL;
}

/* The watched thread ends, but its process does not. */
static void thread_ends(void *value)
{
    pthread_t thread;
    sigset_t all, old;
    (void)value;
    if (getpid() != last.process)
        return; /* a child of fork has no threads of ours */
    sigfillset(&all);
    (void)pthread_sigmask(SIG_BLOCK, &all, &old);
    if (pthread_create(&thread, NULL, look_after, NULL) == 0)
        (void)pthread_detach(thread); /* else it stays joinable */
    (void)pthread_sigmask(SIG_SETMASK, &old, NULL);
}

void wtl_profiler_last_watch(void (*finish)(void))
{
    if (last.keyed || gettid() != getpid())
        return;
    last.process = getpid();
    last.finish = finish;
    last.keyed = pthread_key_create(&last.key, thread_ends) == 0;
    if (last.keyed)
        (void)pthread_setspecific(last.key, &last); /* out of memory: not watched */
}

/* dlclose: the key must not call unloaded code. */
static __attribute__((destructor)) void unload(void)
{
    if (last.keyed)
        (void)pthread_key_delete(last.key);
    last.keyed = false;
}
