/* SPDX-License-Identifier: BSD-3-Clause */
/* A lock file: acquired once, released, taken over from dead processes, never from living ones. */
#define _GNU_SOURCE
#include "base/lock_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tap.h"

static char folder[] = "/tmp/wattle-lock-XXXXXX";
static char path[64];

static void test_take(void)
{
    struct wattle_error err = {""};
    struct wtl_lock_file lock, other;
    is_int(wtl_lock_file_take(path, 1000000, &lock, &err), 0, "taken %s", err.text);
    ok(access(path, F_OK) == 0, "it is a file");
    ok(wtl_lock_file_held(&lock), "it is ours");
    is_int(wtl_lock_file_take(path, 20000000, &other, &err), 0,
           "who waits for longer than its patience takes it over");
    ok(!wtl_lock_file_held(&lock), "it is not ours any more");
    wtl_lock_file_release(&lock);
    ok(wtl_lock_file_held(&other), "what is not ours is not removed");
    wtl_lock_file_release(&other);
    ok(access(path, F_OK) < 0, "what is ours is");
    wtl_lock_file_release(&other);
    ok(!wtl_lock_file_held(&other), "twice does no harm");
}

/* Processes that increment a number in a file many times each: no increment is lost. */
static void test_many(void)
{
    enum { PROCESSES = 4, TURNS = 25 };
    char number[80];
    pid_t pids[PROCESSES];
    (void)snprintf(number, sizeof number, "%s/number", folder);
    for (int i = 0; i < PROCESSES; i++) {
        pids[i] = fork();
        if (pids[i] != 0)
            continue;
        for (int turn = 0; turn < TURNS; turn++) {
            struct wtl_lock_file lock;
            int value = 0;
            if (wtl_lock_file_take(path, 30000000000U, &lock, NULL) < 0)
                _exit(1);
            FILE *file = fopen(number, "r");
            if (file && fscanf(file, "%d", &value) != 1)
                _exit(2);
            if (file)
                (void)fclose(file);
            file = fopen(number, "w");
            if (!file || fprintf(file, "%d\n", value + 1) < 0 || fclose(file) != 0)
                _exit(3);
            if (!wtl_lock_file_held(&lock))
                _exit(4);
            wtl_lock_file_release(&lock);
        }
        _exit(0);
    }
    for (int i = 0; i < PROCESSES; i++) {
        int status = -1;
        (void)waitpid(pids[i], &status, 0);
        is_int(status, 0, "process %d had its turns", i);
    }
    int value = 0;
    FILE *file = fopen(number, "r");
    ok(file && fscanf(file, "%d", &value) == 1, "a number");
    if (file)
        (void)fclose(file);
    is_int(value, PROCESSES * TURNS, "no turn was lost");
    (void)unlink(number);
}

static void test_refused(void)
{
    struct wattle_error err = {""};
    struct wtl_lock_file lock;
    is_int(wtl_lock_file_take("/tmp/wattle-no-such-folder/lock", 1000000, &lock, &err), -ENOENT,
           "no folder");
    ok(strstr(err.text, "/tmp/wattle-no-such-folder/lock: No such file"), "says: %s", err.text);
    is_int(wtl_lock_file_take(folder, 1000000, &lock, &err), -ETIMEDOUT, "a folder of that name");
    ok(strstr(err.text, "locked by another process"), "says: %s", err.text);
}

int main(void)
{
    if (!mkdtemp(folder))
        return 1;
    (void)snprintf(path, sizeof path, "%s/lock", folder);
    test_take();
    test_many();
    test_refused();
    (void)rmdir(folder);
    return done_testing();
}
