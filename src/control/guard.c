/* SPDX-License-Identifier: BSD-3-Clause */
/* The guard process: see guard.h. */
#define _GNU_SOURCE
#include "control/guard.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fail.h"
#include "control/restore.h"

#ifndef SYS_pidfd_open /* the C libraries of EL8 do not name these */
#    define SYS_pidfd_open 434
#endif
#ifndef SYS_close_range
#    define SYS_close_range 436
#endif

enum { FINISH_MS = 5000, KILLED_MS = 5000 };
enum { WORD = 'r', DONE = 'd', LOOK_MS = 1000, MOST_DESCRIPTORS = 65536 };

/* Close the descriptors of the program from `first` to `last`: pipes of others must not stay open. */
static void close_between(unsigned first, unsigned last)
{
    struct rlimit limit = {MOST_DESCRIPTORS, MOST_DESCRIPTORS};
    if (first > last || syscall(SYS_close_range, first, last, 0) == 0)
        return;
    (void)getrlimit(RLIMIT_NOFILE, &limit); /* then as many as usual */
    for (unsigned fd = first; fd <= last && fd < limit.rlim_cur && fd < MOST_DESCRIPTORS; fd++)
        (void)close((int)fd); /* most are not open */
}

static void leave_program(int keep, int also)
{
    sigset_t all;
    (void)sigfillset(&all);
    (void)sigprocmask(SIG_SETMASK, &all, NULL); /* cannot fail */
    (void)setsid(); /* only a leader of a group cannot, and this is none */
    (void)prctl(PR_SET_NAME, "wattle-guard");
    (void)!chdir("/");
    unsigned low = (unsigned)(keep < also ? keep : also),
             high = (unsigned)(keep < also ? also : keep);
    if (low > 0)
        close_between(0, low - 1);
    close_between(low + 1, high - 1);
    close_between(high + 1, ~0u);
    int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return;
    (void)!write(fd, "-1000", 5); /* needs a privilege */
    (void)close(fd);
}

/* Wait until the holder asks, or has ended. Its children may have copies of the socket. true: it asks. */
static bool wait_for_holder(int fd, pid_t holder, uint64_t start)
{
    int process = (int)syscall(SYS_pidfd_open, holder, 0);
    for (;;) {
        struct pollfd polls[2] = {{.fd = fd, .events = POLLIN}, {.fd = process, .events = POLLIN}};
        char word = 0;
        int ready = poll(polls, 2, process < 0 ? LOOK_MS : -1);
        if (ready > 0 && polls[0].revents)
            return read(fd, &word, 1) == 1 && word == WORD;
        if (ready > 0 && polls[1].revents)
            return false;
        if (start != 0 && wtl_process_start(holder) != start)
            return false;
    }
}

/* Never returns. */
static void guard(const struct wtl_control *control, struct wtl_journal *j, int fd)
{
    char done = DONE;
    pid_t self = getpid();
    leave_program(fd, j->fd);
    (void)send(fd, &self, sizeof self, MSG_NOSIGNAL); /* it is ready */
    bool asked = wait_for_holder(fd, j->holder, j->holder_start);
    size_t open = wtl_restore_entries(control, j, false, true);
    if (control->step)
        control->step(control->step_context, true);
    /* Without a holder that reports it, a journal with something remarkable is left for the next start. */
    if (open == 0 && (asked || !wtl_restore_is_remarkable(j)))
        (void)unlink(j->path); /* otherwise it is found, and nothing is left to do */
    (void)close(j->fd); /* who hears of it finds the journal, if there is one, without a holder */
    (void)send(fd, &done, 1, MSG_NOSIGNAL);
    _exit(0);
}

static bool hears(int fd, void *message, size_t n)
{
    ssize_t got;
    do
        got = recv(fd, message, n, MSG_WAITALL);
    while (got < 0 && errno == EINTR);
    return got == (ssize_t)n;
}

/* Whether something can be read, or the other end has closed. */
static bool hears_in_time(int fd, int timeout_ms)
{
    struct pollfd wait = {.fd = fd, .events = POLLIN};
    int ready;
    do
        ready = poll(&wait, 1, timeout_ms);
    while (ready < 0 && errno == EINTR);
    return ready > 0;
}

int wtl_guard_start(const struct wtl_control *control,
                    struct wtl_journal *j,
                    pid_t *ret_guard,
                    struct wattle_error *err)
{
    int pair[2], status;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
        return wtl_fail(err, -errno, "cannot start the guard: %s", wtl_strerror(errno));
    pid_t child = fork();
    if (child == 0) {
        pid_t inner = fork();
        if (inner == 0)
            guard(control, j, pair[1]);
        _exit(inner < 0 ? 1 : 0);
    }
    int rc = child < 0 ? -errno : 0;
    (void)close(pair[1]); /* the guard has it */
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    if (rc == 0 && hears(pair[0], ret_guard, sizeof *ret_guard))
        return pair[0];
    (void)close(pair[0]); /* nothing was sent */
    rc = rc < 0 ? rc : -EAGAIN;
    return wtl_fail(err, rc, "cannot start the guard, a process that restores the settings: %s",
                    wtl_strerror(rc));
}

int wtl_guard_finish(int fd, pid_t process)
{
    char word = WORD, answer = 0;
    bool asked = send(fd, &word, 1, MSG_NOSIGNAL) == 1;
    if (asked &&
        !hears_in_time(
            fd,
            FINISH_MS)) { /* stopped; as long as its end is open it lives, so the number is its own */
        (void)kill(process, SIGKILL);
        (void)hears_in_time(fd, KILLED_MS);
    }
    bool done = asked && recv(fd, &answer, 1, MSG_DONTWAIT) == 1 && answer == DONE;
    (void)close(fd);
    return done ? 0 : -EPIPE;
}
