/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The measured command: forked early, held before exec until released, and waited for, including stops and
 * signals. Its stdin, stdout, stderr, terminal and exit status are passed through.
 */
#ifndef WTL_CLI_CHILD_H
#define WTL_CLI_CHILD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

#include <wattle/error.h>

#include "base/signals.h"

struct wtl_child {
    pid_t pid;      /* -1 = none */
    int release_fd; /* writing a byte releases the command */
    int error_fd;   /* the errno of a failed exec arrives here; end of file = it runs */
    int heard_fd;   /* for WTL_STDIO_HEARD: its output, nonblocking; closed by the caller */
    bool ended;
    int status;      /* as wait(2) gives it, once ended */
    int exec_errno;  /* why it could not be executed; 0 = executed */
    uint64_t end_ns; /* 0 = running */
    struct rusage usage;
    void (*ending)(void *context); /* called once it has ended, before it is waited for: what /proc
                                    * shows of it is lost after that; NULL = none */
    void *ending_context;
};

static inline struct wtl_child wtl_child_none(void)
{
    return (struct wtl_child){.pid = -1, .release_fd = -1, .error_fd = -1, .heard_fd = -1};
}

/* Standard input and output of the command. */
enum wtl_child_stdio {
    WTL_STDIO_PASS = 0, /* wattle's own */
    WTL_STDIO_SILENT,   /* empty input, output discarded; errors still shown */
    WTL_STDIO_SHOWN,    /* empty input; output goes to stderr, separate from ours */
    WTL_STDIO_HEARD, /* a helper: empty input, output goes to heard_fd, and it leads a process group so that it can be killed with all its children */
};

/* Fork; the child waits. environment: strings "K=V" to set in it, ended by NULL. bound: it is killed when
 * this thread ends, even by SIGKILL. Returns 0 or -errno. */
int wtl_child_fork(struct wtl_child *child,
                   char *const argv[],
                   const char *const *environment,
                   enum wtl_child_stdio stdio,
                   bool bound,
                   const struct wtl_signals *signals,
                   struct wattle_error *err);

/* Release it to exec; the time of this call is the start of the window. */
void wtl_child_release(struct wtl_child *child);

/* Has exec succeeded? Returns 0, or the negative errno of the failed exec (the child is then reaped and
 * ended with 126 or 127). */
int wtl_child_confirm(struct wtl_child *child);

/* Cancel it before its release: it ends without exec and is reaped. */
void wtl_child_cancel(struct wtl_child *child);

enum wtl_wait { WTL_WAIT_CHILD_ENDED, WTL_WAIT_TIME, WTL_WAIT_INTERRUPTED, WTL_WAIT_PID_ENDED };

struct wtl_watch {
    int pidfd;  /* becomes readable when the process ends; -1 = none */
    int folder; /* its /proc/PID, polled if pidfds are not available */
};

static inline struct wtl_watch wtl_watch_none(void)
{
    return (struct wtl_watch){.pidfd = -1, .folder = -1};
}

/* Returns 0, or -ESRCH and others with a message. */
int wtl_watch_open(pid_t pid, struct wtl_watch *ret_watch, struct wattle_error *err);
void wtl_watch_close(struct wtl_watch *watch);

/* Has it ended? False if none is watched. A zombie has ended. */
bool wtl_watch_ended(const struct wtl_watch *watch);

/*
 * Wait until the child has ended, CLOCK_MONOTONIC reaches until_ns (UINT64_MAX = never), a terminating signal
 * arrives without a child, or the watched process (NULL = none) has ended. Signals are forwarded to the child
 * by the rules of wtl_signals_next(). If the child is stopped by job control, wattle stops as well.
 */
enum wtl_wait wtl_child_wait(struct wtl_child *child,
                             struct wtl_signals *signals,
                             const struct wtl_watch *watch,
                             uint64_t until_ns);

/* The status of wait(2) as a shell shows it: exit code, or 128 + signal. */
int wtl_exit_code_of(int status);
int wtl_child_exit_code(const struct wtl_child *child);

/* The message for a command that could not be executed, with a remedy; returns code. */
int wtl_child_tell_exec(const char *name, int code, struct wattle_error *err);

#endif
