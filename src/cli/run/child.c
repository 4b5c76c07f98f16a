/* SPDX-License-Identifier: BSD-3-Clause */
/* Forking, releasing and waiting for the command: see child.h. */
#define _GNU_SOURCE
#include "cli/run/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/world/world.h"

/* Polling interval for a watched process that cannot be waited for. */
enum { LOOK_MS = 20 };

static uint64_t now_ns(void)
{
    return wtl_world_monotonic(wtl_world_real());
}

/* Ends of pipes: those of the child, and ours in the same order. */
enum { RELEASE, ERROR, TOLD, PIPES };

static void close_fd(int *fd)
{
    if (*fd >= 0)
        (void)close(*fd);
    *fd = -1;
}

/* In the child. Without /dev/null it keeps the streams of wattle. */
static void set_stdio(enum wtl_child_stdio stdio, int told_fd)
{
    int null = stdio == WTL_STDIO_PASS ? -1 : open("/dev/null", O_RDWR | O_CLOEXEC);
    if (null >= 0)
        (void)dup2(null, STDIN_FILENO);
    if (stdio == WTL_STDIO_SHOWN)
        (void)dup2(STDERR_FILENO, STDOUT_FILENO);
    else if (null >= 0)
        (void)dup2(null, STDOUT_FILENO);
    if (stdio != WTL_STDIO_HEARD)
        return;
    (void)setpgid(0, 0);
    (void)dup2(told_fd, STDOUT_FILENO);
    (void)dup2(told_fd, STDERR_FILENO);
}

/* In the child: die with the parent, however that dies, since a launcher sees only the end of the parent. */
static void bind_to(pid_t parent)
{
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL); /* cannot fail for a valid signal */
    if (getppid() != parent)
        _exit(125); /* the parent has already died */
}

/* In the child: wait for the release, then execute the command. */
static void run_child(char *const argv[],
                      const char *const *environment,
                      enum wtl_child_stdio stdio,
                      const struct wtl_signals *signals,
                      const int *fds)
{
    char go;
    ssize_t got;
    wtl_signals_restore(signals);
    set_stdio(stdio, fds[TOLD]);
    for (size_t i = 0; environment && environment[i]; i++)
        (void)putenv((char *)(uintptr_t)environment[i]); /* lives until the exec */
    while ((got = read(fds[RELEASE], &go, 1)) < 0 && errno == EINTR)
        continue;
    if (got != 1)
        _exit(125); /* wattle has died or cancelled */
    (void)execvp(argv[0], argv);
    int error = errno;
    ssize_t told = write(fds[ERROR], &error, sizeof error);
    _exit(told == sizeof error && error == ENOENT ? 127 : 126);
}

static int make_pipes(int *theirs, int *ours, int count)
{
    for (int i = 0; i < count; i++) {
        int ends[2];
        if (pipe2(ends, O_CLOEXEC) < 0)
            return -errno;
        theirs[i] = ends[i != RELEASE]; /* they read the release and write all else */
        ours[i] = ends[i == RELEASE];
    }
    return 0;
}

static void close_all(int *fds)
{
    for (int i = 0; i < PIPES; i++)
        close_fd(&fds[i]);
}

int wtl_child_fork(struct wtl_child *child,
                   char *const argv[],
                   const char *const *environment,
                   enum wtl_child_stdio stdio,
                   bool bound,
                   const struct wtl_signals *signals,
                   struct wattle_error *err)
{
    pid_t parent = getpid();
    int theirs[PIPES] = {-1, -1, -1}, ours[PIPES] = {-1, -1, -1};
    *child = wtl_child_none();
    int rc = make_pipes(theirs, ours, stdio == WTL_STDIO_HEARD ? PIPES : TOLD);
    if (rc < 0) {
        close_all(theirs);
        close_all(ours);
        return wtl_fail(err, rc, "cannot create a pipe: %s", wtl_strerror(rc));
    }
    pid_t pid = fork();
    if (pid == 0) {
        close_all(ours);
        if (bound)
            bind_to(parent);
        run_child(argv, environment, stdio, signals, theirs);
    }
    rc = pid < 0 ? -errno : 0;
    close_all(theirs);
    if (rc < 0) {
        close_all(ours);
        return wtl_fail(err, rc, "cannot start a process: %s", wtl_strerror(rc));
    }
    if (stdio == WTL_STDIO_HEARD) {
        (void)setpgid(pid, pid); /* also here: either process may run first */
        (void)fcntl(ours[TOLD], F_SETFL, O_NONBLOCK);
    }
    child->pid = pid;
    child->release_fd = ours[RELEASE];
    child->error_fd = ours[ERROR];
    child->heard_fd = ours[TOLD];
    return 0;
}

/* Let what needs the ended process look at it. */
static void look_at_end(struct wtl_child *child)
{
    siginfo_t info = {.si_pid = 0};
    if (!child->ending || child->end_ns > 0 ||
        waitid(P_PID, (id_t)child->pid, &info, WEXITED | WNOHANG | WNOWAIT) < 0 || info.si_pid == 0)
        return;
    child->end_ns = now_ns();
    child->ending(child->ending_context);
}

/* Reap the child if it has ended. */
static bool reap(struct wtl_child *child, int flags)
{
    look_at_end(child);
    int status = 0; /* nothing has changed */
    pid_t pid;
    while ((pid = wait4(child->pid, &status, flags, &child->usage)) < 0 && errno == EINTR)
        continue;
    if (pid != child->pid || !(WIFEXITED(status) || WIFSIGNALED(status))) {
        child->status = status;
        return false;
    }
    if (child->end_ns == 0)
        child->end_ns = now_ns();
    child->status = status;
    child->ended = true;
    return true;
}

void wtl_child_release(struct wtl_child *child)
{
    char go = 1;
    (void)!write(child->release_fd, &go,
                 1); /* fails if it was killed meanwhile; wait() reports that */
    close_fd(&child->release_fd);
}

int wtl_child_confirm(struct wtl_child *child)
{
    int error = 0;
    ssize_t got;
    while ((got = read(child->error_fd, &error, sizeof error)) < 0 && errno == EINTR)
        continue;
    close_fd(&child->error_fd);
    if (got != (ssize_t)sizeof error)
        return 0;
    child->exec_errno = error;
    (void)reap(child, 0);
    return -error;
}

void wtl_child_cancel(struct wtl_child *child)
{
    close_fd(&child->release_fd);
    close_fd(&child->error_fd);
    if (child->pid > 0 && !child->ended)
        (void)reap(child, 0);
}

static void handle_child_signal(struct wtl_child *child)
{
    if (child->pid <= 0 || child->ended || reap(child, WNOHANG | WUNTRACED))
        return;
    /* A stop from the terminal also stops us, so that the shell sees its job stop. A stop sent only to the
     * child concerns only the child. */
    if (WIFSTOPPED(child->status) && WSTOPSIG(child->status) != SIGSTOP)
        (void)raise(SIGSTOP);
}

/* Handle pending signals: true if one of them ends the wait. */
static bool handle_signals(struct wtl_child *child, struct wtl_signals *signals)
{
    int number;
    while ((number = wtl_signals_next(signals, child->ended ? 0 : child->pid)) != 0) {
        if (number == SIGCHLD)
            handle_child_signal(child);
        if (child->pid > 0 ? child->ended : wtl_signal_ends(number))
            return true;
    }
    return false;
}

static int time_left_ms(uint64_t until_ns)
{
    if (until_ns == UINT64_MAX)
        return -1;
    uint64_t now = now_ns();
    if (now >= until_ns)
        return 0;
    uint64_t ms = (until_ns - now + 999999) / 1000000;
    return ms > 1000000 ? 1000000 : (int)ms;
}

/* Sleep until an event. */
static void sleep_until_event(const struct wtl_signals *signals,
                              const struct wtl_watch *watch,
                              int left_ms)
{
    struct pollfd fds[2] = {{.fd = signals->fd, .events = POLLIN},
                            {.fd = watch ? watch->pidfd : -1, .events = POLLIN}};
    if (watch && watch->folder >= 0 && (left_ms < 0 || left_ms > LOOK_MS))
        left_ms = LOOK_MS;
    (void)poll(fds, 2, left_ms); /* an interrupted wait is handled like any other */
}

/* ---- a process that is not a child ---- */

/*
 * Kernels before 5.3 (EL8 has 4.18) have no pidfd_open(2). There we use an open folder /proc/PID:
 * it stays bound to that process, and its files cannot be read once it has ended.
 */

static int open_pidfd(pid_t pid)
{
#ifdef SYS_pidfd_open
    return (int)syscall(SYS_pidfd_open, pid, 0);
#else
    (void)pid;
    errno = ENOSYS;
    return -1;
#endif
}

int wtl_watch_open(pid_t pid, struct wtl_watch *ret_watch, struct wattle_error *err)
{
    struct wtl_watch watch = {.pidfd = open_pidfd(pid), .folder = -1};
    int code = watch.pidfd < 0 ? -errno : 0;
    if (code == -ENOSYS || code == -EPERM) { /* EPERM: of a container's filter */
        char path[32];
        (void)snprintf(path, sizeof path, "/proc/%d", (int)pid);
        watch.folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        code = watch.folder >= 0 ? 0 : errno == ENOENT ? -ESRCH : -errno;
    }
    if (code < 0)
        return wtl_fail(err, code, "process %d: %s; \"ps -e\" lists running processes", (int)pid,
                        wtl_strerror(code));
    *ret_watch = watch;
    return 0;
}

void wtl_watch_close(struct wtl_watch *watch)
{
    if (watch->pidfd >= 0)
        (void)close(watch->pidfd);
    if (watch->folder >= 0)
        (void)close(watch->folder);
    *watch = wtl_watch_none();
}

/* The state letter in /proc/PID/stat follows the name, which may contain anything. */
static bool has_ended(int folder)
{
    char text[512];
    int fd = openat(folder, "stat", O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return errno == ENOENT || errno == ESRCH;
    ssize_t n = read(fd, text, sizeof text);
    (void)close(fd);
    const char *name_end = n > 0 ? memrchr(text, ')', (size_t)n) : NULL;
    if (!name_end || name_end + 2 >= text + n)
        return n <= 0;
    return name_end[2] == 'Z' || name_end[2] == 'X';
}

bool wtl_watch_ended(const struct wtl_watch *watch)
{
    struct pollfd end = {.fd = watch->pidfd, .events = POLLIN};
    if (watch->folder >= 0)
        return has_ended(watch->folder);
    return poll(&end, 1, 0) > 0;
}

/* ---- the end of the child ---- */

enum wtl_wait wtl_child_wait(struct wtl_child *child,
                             struct wtl_signals *signals,
                             const struct wtl_watch *watch,
                             uint64_t until_ns)
{
    for (;;) {
        if (handle_signals(child, signals))
            return child->pid > 0 ? WTL_WAIT_CHILD_ENDED : WTL_WAIT_INTERRUPTED;
        /* The signal may have arrived before the first read of the signalfd. */
        handle_child_signal(child);
        if (child->ended)
            return WTL_WAIT_CHILD_ENDED;
        if (watch && wtl_watch_ended(watch))
            return WTL_WAIT_PID_ENDED;
        int left_ms = time_left_ms(until_ns);
        if (left_ms == 0)
            return WTL_WAIT_TIME;
        sleep_until_event(signals, watch, left_ms);
    }
}

int wtl_exit_code_of(int status)
{
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

int wtl_child_exit_code(const struct wtl_child *child)
{
    if (child->exec_errno)
        return child->exec_errno == ENOENT ? 127 : 126;
    return wtl_exit_code_of(child->status);
}

int wtl_child_tell_exec(const char *name, int code, struct wattle_error *err)
{
    bool is_path = strchr(name, '/') != NULL;
    struct stat status;
    bool here = stat(name, &status) == 0;
    if (code == -ENOENT && !is_path)
        return wtl_fail(err, code, "cannot run \"%s\": command not found in PATH%s%s", name,
                        here ? "; to run the one in this folder use ./" : "", here ? name : "");
    if (code == -ENOENT && here)
        return wtl_fail(err, code,
                        "cannot run \"%s\": the interpreter named in its first line, or its "
                        "loader, does not exist",
                        name);
    if (code == -EACCES && here && S_ISDIR(status.st_mode))
        return wtl_fail(err, code, "cannot run \"%s\": is a folder", name);
    if (code == -EACCES && here && S_ISREG(status.st_mode) && !(status.st_mode & 0111))
        return wtl_fail(
            err, code, "cannot run \"%s\": permission denied; make it executable with \"chmod +x\"",
            name);
    return wtl_fail(err, code, "cannot run \"%s\": %s", name, wtl_strerror(code));
}
