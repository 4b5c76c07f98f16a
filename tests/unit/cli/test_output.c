/* SPDX-License-Identifier: BSD-3-Clause */
/* Files are complete or do not exist: committed together, dropped, and when a signal ends the
 * program. */
#define _GNU_SOURCE
#include "cli/output.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tap.h"

static char folder[] = "/tmp/wattle-output-XXXXXX";
static char path[64], other[64];

/* Is there a file of the program with this number? */
static bool is_left(const char *name, pid_t pid)
{
    char temporary[128];
    (void)snprintf(temporary, sizeof temporary, "%s.part-%d", name, (int)pid);
    return access(temporary, F_OK) == 0 || access(name, F_OK) == 0;
}

static void die(int number)
{
    struct wtl_output one, two;
    struct wattle_error err;
    const struct rlimit none = {0, 0};
    (void)setrlimit(RLIMIT_CORE, &none);
    wtl_leftovers_guard();
    if (wtl_output_open(&one, path, false, &err) < 0 ||
        wtl_output_open(&two, other, false, &err) < 0)
        _exit(3);
    wtl_output_drop(&one);
    if (wtl_output_open(&one, path, false, &err) < 0 || wtl_output_close(&two, &err) < 0 ||
        !is_left(path, getpid()) || !is_left(other, getpid()))
        _exit(4);
    (void)raise(number);
    _exit(5);
}

static void test_signals(void)
{
    static const int numbers[] = {SIGHUP, SIGINT, SIGTERM, SIGXCPU};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        int status = 0;
        pid_t pid = fork();
        if (pid == 0)
            die(numbers[i]);
        is_int(waitpid(pid, &status, 0), pid, "a program");
        is_int(WIFSIGNALED(status) ? WTERMSIG(status) : -WEXITSTATUS(status), numbers[i],
               "it ends by the signal");
        ok(!is_left(path, pid) && !is_left(other, pid), "and leaves nothing");
    }
}

/* Exits with 0 if the write fails and reports it. */
static void grow(void)
{
    struct wtl_output output;
    struct wattle_error err = {""};
    const struct rlimit small = {4096, 4096};
    wtl_leftovers_guard();
    if (setrlimit(RLIMIT_FSIZE, &small) < 0 || wtl_output_open(&output, path, false, &err) < 0)
        _exit(3);
    for (int i = 0; i < 8192; i++)
        (void)fputc('x', output.stream);
    _exit(wtl_output_commit(&output, &err) < 0 && strstr(err.text, path) ? 0 : 4);
}

static void test_size(void)
{
    int status = 0;
    pid_t pid = fork();
    if (pid == 0)
        grow();
    is_int(waitpid(pid, &status, 0), pid, "a program whose files may not grow");
    ok(WIFEXITED(status) && WEXITSTATUS(status) == 0, "a sentence, no signal");
    ok(!is_left(path, pid), "nothing is left");
}

static void test_close(void)
{
    struct wtl_output output;
    struct wattle_error err;
    is_int(wtl_output_open(&output, path, false, &err), 0, "open");
    (void)fputs("x\n", output.stream);
    is_int(wtl_output_close(&output, &err), 0, "close");
    ok(access(path, F_OK) != 0, "not there yet");
    is_int(wtl_output_commit(&output, &err), 0, "commit");
    ok(access(path, F_OK) == 0, "there");
    is_int(wtl_output_open(&output, path, true, &err), 0, "again");
    is_int(wtl_output_close(&output, &err), 0, "close");
    wtl_output_drop(&output);
    ok(access(path, F_OK) == 0 && !is_left(other, getpid()), "what was there stays");
    is_int(unlink(path), 0, "one file");
}

int main(void)
{
    if (!mkdtemp(folder))
        return 1;
    (void)snprintf(path, sizeof path, "%s/a", folder);
    (void)snprintf(other, sizeof other, "%s/b", folder);
    test_signals();
    test_size();
    test_close();
    is_int(rmdir(folder), 0, "the folder is empty");
    return done_testing();
}
