/* SPDX-License-Identifier: BSD-3-Clause */
/* Loads, their process groups and their guards: see load_process.h. */
#define _GNU_SOURCE
#include "cli/pose/load_process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/world/world.h"

static const uint64_t LISTEN_NS = 100 * 1000 * 1000, GRACE_NS = 5ull * 1000 * 1000 * 1000;
enum { GUARD_GRACE_S = 3, FDS = 1024 };

static uint64_t now_ns(void)
{
    return wtl_world_monotonic(wtl_world_real());
}

/* The guard, a member of the group: wait until the end of wattle closes the pipe, then kill the group. It
 * keeps no other descriptor open, so that readers of wattle's output do not wait for it. */
static _Noreturn void keep_guard(int fd, pid_t group)
{
    sigset_t all;
    char none;
    sigfillset(&all);
    (void)sigprocmask(SIG_SETMASK, &all, NULL);
    (void)setpgid(0, group);
    for (int other = 0; other < FDS; other++) {
        if (other != fd)
            (void)close(other);
    }
    while (read(fd, &none, 1) < 0 && errno == EINTR)
        continue;
    (void)kill(-group, SIGTERM);
    struct timespec grace = {.tv_sec = GUARD_GRACE_S};
    (void)nanosleep(&grace, NULL);
    (void)kill(-group, SIGKILL); /* which also ends the guard */
    _exit(0);
}

static int post_guard(struct wtl_load_process *load, struct wattle_error *err)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) < 0)
        return wtl_fail(err, -errno, "cannot create a pipe: %s", wtl_strerror(errno));
    pid_t pid = fork();
    if (pid == 0)
        keep_guard(ends[0], load->child.pid);
    int rc = pid < 0 ? -errno : 0;
    (void)close(ends[0]);
    if (rc < 0) {
        (void)close(ends[1]);
        return wtl_fail(err, rc, "cannot start a process: %s", wtl_strerror(rc));
    }
    (void)setpgid(pid, load->child.pid); /* also here: either process may run first */
    load->guard = pid;
    load->guard_fd = ends[1];
    return 0;
}

int wtl_load_process_start(struct wtl_load_process *load,
                           char *const argv[],
                           const struct wtl_signals *signals,
                           struct wattle_error *err)
{
    *load = (struct wtl_load_process){
        .child = wtl_child_none(), .watch = wtl_watch_none(), .guard = -1, .guard_fd = -1};
    int rc = wtl_child_fork(&load->child, argv, NULL, WTL_STDIO_HEARD, false, signals, err);
    rc = rc < 0 ? rc : post_guard(load, err);
    rc = rc < 0 ? rc : wtl_watch_open(load->child.pid, &load->watch, err);
    if (rc < 0)
        return rc;
    wtl_child_release(&load->child);
    rc = wtl_child_confirm(&load->child);
    return rc < 0 ? wtl_fail(err, rc, "cannot run \"%.200s\": %s", argv[0], wtl_strerror(rc)) : 0;
}

/* ---- what it prints ---- */

static bool find_line(const struct wtl_load_process *load,
                      const char *begin,
                      const char **ret_line,
                      size_t *ret_size)
{
    const char *line = load->said, *end = load->said + load->said_size;
    size_t n = strlen(begin);
    while (line < end) {
        const char *stop = memchr(line, '\n', (size_t)(end - line));
        if (!stop)
            return false;
        if ((size_t)(stop - line) >= n && memcmp(line, begin, n) == 0) {
            *ret_line = line;
            *ret_size = (size_t)(stop - line);
            return true;
        }
        line = stop + 1;
    }
    return false;
}

/* Read available output; if the buffer is full, drop the older half. */
static void listen_to(struct wtl_load_process *load)
{
    enum { ROOM = sizeof load->said };
    const char *line;
    size_t size;
    for (ssize_t got = 1; got > 0 && load->child.heard_fd >= 0;) {
        if (load->said_size == ROOM) {
            load->said_size = ROOM / 2;
            memmove(load->said, load->said + ROOM / 2, ROOM / 2);
        }
        got = read(load->child.heard_fd, load->said + load->said_size, ROOM - load->said_size);
        load->said_size += got > 0 ? (size_t)got : 0;
        load->ready |= find_line(load, "ready", &line, &size);
    }
}

bool wtl_load_process_line(const struct wtl_load_process *load,
                           const char *begin,
                           char *buf,
                           size_t n)
{
    const char *line = "";
    size_t size = 0;
    bool found = find_line(load, begin, &line, &size);
    (void)snprintf(buf, n, "%.*s", (int)size, line);
    return found;
}

static bool is_rule(const char *line, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (!strchr("-=_* \t\r", line[i]))
            return false;
    }
    return true;
}

void wtl_load_process_words(const struct wtl_load_process *load, char *buf, size_t n)
{
    const char *at = load->said, *end = load->said + load->said_size;
    size_t used = 0;
    buf[0] = '\0';
    while (at < end && used + 1 < n) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        size_t length = (size_t)((stop ? stop : end) - at);
        const char *next = stop ? stop + 1 : end;
        while (length > 0 && (*at == ' ' || *at == '\t')) {
            at++;
            length--;
        }
        if (!is_rule(at, length)) {
            int put = snprintf(buf + used, n - used, "%s%.*s", used ? " " : "", (int)length, at);
            used += put > 0 ? (size_t)put : 0;
        }
        at = next;
    }
}

/* ---- waiting, ending ---- */

enum wtl_wait wtl_load_process_wait(struct wtl_load_process *load,
                                    struct wtl_signals *signals,
                                    uint64_t until_ns,
                                    bool until_ready)
{
    struct wtl_child none = wtl_child_none(); /* so that signals are not forwarded */
    for (;;) {
        uint64_t next_ns = now_ns() + (until_ready ? LISTEN_NS / 10 : LISTEN_NS);
        if (next_ns > until_ns)
            next_ns = until_ns;
        enum wtl_wait why = wtl_child_wait(&none, signals, &load->watch, next_ns);
        listen_to(load);
        if (why != WTL_WAIT_TIME || next_ns == until_ns || (until_ready && load->ready))
            return why;
    }
}

static void close_fd(int *fd)
{
    if (*fd >= 0)
        (void)close(*fd);
    *fd = -1;
}

void wtl_load_process_stop(struct wtl_load_process *load, struct wtl_signals *signals)
{
    pid_t group = load->child.pid;
    bool released = load->child.release_fd < 0;
    if (group > 0 && released && !load->child.ended) {
        uint64_t until_ns = now_ns() + GRACE_NS;
        /* Only once: a launcher that gets a second signal abandons its ranks. */
        (void)kill(-group, SIGTERM);
        while (!load->child.ended && now_ns() < until_ns) {
            (void)wtl_child_wait(&load->child, signals, NULL, now_ns() + LISTEN_NS);
            listen_to(load); /* it may print a lot and must not block on us */
        }
    }
    if (group > 0 && (load->guard > 0 || !load->child.ended))
        (void)kill(-group, SIGKILL); /* its ID is not reused while the guard is a member */
    wtl_child_cancel(&load->child);
    while (load->guard > 0 && waitpid(load->guard, NULL, 0) < 0 && errno == EINTR)
        continue;
    load->guard = -1;
    listen_to(load);
    close_fd(&load->guard_fd);
    close_fd(&load->child.heard_fd);
    wtl_watch_close(&load->watch);
}
