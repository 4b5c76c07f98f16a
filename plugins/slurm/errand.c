/* SPDX-License-Identifier: BSD-3-Clause */
/* See errand.h. Between fork and exec in slurmstepd, which has threads, only calls that are safe there. */
#define _GNU_SOURCE
#include "errand.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int64_t now_ms(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now); /* cannot fail */
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* ---- the new process ---- */

static void close_above(int lowest)
{
#ifdef SYS_close_range
    if (syscall(SYS_close_range, (unsigned)lowest, ~0u, 0u) == 0)
        return;
#endif
    for (int fd = lowest; fd < 65536; fd++)
        (void)close(fd);
}

/* slurmstepd calls some of us with the user's effective ids and root's real ones. */
static int take_user(const struct slurm_errand *errand)
{
    if (!errand->become)
        return 0;
    if (geteuid() != 0 && seteuid(0) < 0 && geteuid() != errand->uid)
        return -1;
    if (geteuid() == 0 && (setgroups(errand->group_count, errand->groups) < 0 ||
                           setresgid(errand->gid, errand->gid, errand->gid) < 0))
        return -1;
    return setresuid(errand->uid, errand->uid, errand->uid);
}

static void restore_signals(void)
{
    sigset_t none;
    for (int number = 1; number < 32; number++) {
        if (number != SIGKILL && number != SIGSTOP)
            (void)signal(number, SIG_DFL);
    }
    (void)sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
}

/* A folder and those above it. They may exist; what fails, the program reports. */
static void make_folders(const char *path)
{
    char part[1024];
    size_t n = path ? strlen(path) : 0;
    for (size_t i = 0; i < n && n < sizeof part; i++) {
        part[i] = path[i];
        part[i + 1] = '\0';
        if (path[i + 1] == '/' || path[i + 1] == '\0')
            (void)mkdir(part, 0777);
    }
}

static _Noreturn void be_program(const struct slurm_errand *errand, int out)
{
    int null = open("/dev/null", O_RDWR);
    (void)setsid();
    restore_signals();
    if (null < 0 || dup2(null, 0) < 0 || dup2(out, 1) < 0 || dup2(out, 2) < 0)
        _exit(127);
    close_above(3);
    if (take_user(errand) < 0)
        _exit(127);
    make_folders(errand->made);
    (void)execve(errand->argv[0], (char *const *)(uintptr_t)errand->argv, errand->envp);
    _exit(127);
}

/* A child that starts the program and ends; it writes the program's pid. */
static _Noreturn void be_between(const struct slurm_errand *errand, int out, int pid_out)
{
    pid_t pid = fork();
    if (pid == 0)
        be_program(errand, out);
    (void)!write(pid_out, &pid, sizeof pid);
    _exit(0);
}

static int start(const struct slurm_errand *errand, int out, pid_t *ret_pid)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) < 0)
        return -errno;
    *ret_pid = -1;
    pid_t between = fork();
    if (between == 0)
        be_between(errand, out, ends[1]);
    (void)close(ends[1]);
    int rc = between < 0 ? -errno : 0;
    if (between > 0) {
        while (read(ends[0], ret_pid, sizeof *ret_pid) < 0 && errno == EINTR)
            ;
        while (waitpid(between, NULL, 0) < 0 && errno == EINTR)
            ;
        rc = *ret_pid > 0 ? 0 : -EAGAIN;
    }
    (void)close(ends[0]);
    return rc;
}

/* ---- its output ---- */

static int collect(int from, int64_t until_ms, char *said, size_t n)
{
    char rest[512];
    size_t used = 0;
    for (;;) {
        int64_t left_ms = until_ms - now_ms();
        struct pollfd look = {.fd = from, .events = POLLIN};
        if (left_ms <= 0)
            return -ETIMEDOUT;
        int ready = poll(&look, 1, (int)left_ms);
        if (ready <= 0)
            continue; /* a signal, or the limit */
        bool full = used + 1 >= n;
        ssize_t got = read(from, full ? rest : said + used, full ? sizeof rest : n - 1 - used);
        if (got == 0)
            return 0;
        if (got < 0 && errno != EINTR)
            return -errno;
        used += got > 0 && !full ? (size_t)got : 0;
        said[used] = '\0';
    }
}

int slurm_errand_run(const struct slurm_errand *errand, char *ret_said, size_t n)
{
    int ends[2];
    pid_t pid;
    int64_t until_ms = now_ms() + errand->limit_ms;
    ret_said[0] = '\0';
    if (pipe2(ends, O_CLOEXEC) < 0)
        return -errno;
    int rc = start(errand, ends[1], &pid);
    (void)close(ends[1]);
    if (rc == 0)
        rc = collect(ends[0], until_ms, ret_said, n);
    if (rc == -ETIMEDOUT && errand->kill_late)
        (void)kill(pid, SIGKILL);
    (void)close(ends[0]);
    return rc;
}
