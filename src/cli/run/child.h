/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The command under measurement: forked early, held before its exec until it is released, waited
 * for with its stops and signals. Its stdin, stdout, stderr, terminal and exit status pass
 * untouched.
 */
#ifndef WTL_CLI_CHILD_H
#define WTL_CLI_CHILD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

#include <wattle/error.h>

#include "base/signals.h"
#include "cli/run/watch.h"

struct wtl_child {
    pid_t pid;      /* -1 = there is none */
    int release_fd; /* writing a byte lets the command go */
    int error_fd;   /* the errno of a failed exec arrives here; end of file = it runs */
    int heard_fd;   /* of WTL_STDIO_HEARD: what it prints, nonblocking; the caller's to close */
    bool ended;
    int status;     /* as wait(2) gives it, once ended */
    int exec_errno; /* why it could not be executed; 0 = it could */
    uint64_t end_ns;
    struct rusage usage;
};

static inline struct wtl_child wtl_child_none(void)
{
    return (struct wtl_child){.pid = -1, .release_fd = -1, .error_fd = -1, .heard_fd = -1};
}

/* What the command has as its standard input and output. */
enum wtl_child_stdio {
    WTL_STDIO_PASS = 0, /* wattle's own */
    WTL_STDIO_SILENT,   /* nothing to read, and what it prints is dropped; errors still show */
    WTL_STDIO_SHOWN,    /* nothing to read; what it prints goes to stderr, away from our output */
    WTL_STDIO_HEARD, /* a helper of ours: nothing to read, what it prints comes to heard_fd, and it
                           leads a process group, so that it can be ended with all its children */
};

/* Fork; the child waits. environment: strings "K=V" to be set in it, ended by NULL. bound: it is killed when this
 * thread ends, even by kill -9. 0 or -errno. */
int wtl_child_fork(struct wtl_child *child,
                   char *const argv[],
                   const char *const *environment,
                   enum wtl_child_stdio stdio,
                   bool bound,
                   const struct wtl_signals *signals,
                   struct wattle_error *err);

/* Let it exec; the moment of this call is the start of the window. */
void wtl_child_release(struct wtl_child *child);

/* Has it exec'ed? 0, or the negative errno of the exec that failed (the child is then reaped and
 * has ended with 126 or 127). */
int wtl_child_confirm(struct wtl_child *child);

/* Give it up before its release: it ends without exec and is reaped. */
void wtl_child_cancel(struct wtl_child *child);

enum wtl_wait { WTL_WAIT_CHILD_ENDED, WTL_WAIT_TIME, WTL_WAIT_INTERRUPTED, WTL_WAIT_PID_ENDED };

/*
 * Wait until the child has ended, CLOCK_MONOTONIC reaches until_ns (UINT64_MAX = never), a signal that ends a program
 * came while there is no child, or the process that is watched (NULL = none) has ended. Signals are passed on to the
 * child as wtl_signals_next() has it. When the child stops by job control, so does wattle.
 */
enum wtl_wait wtl_child_wait(struct wtl_child *child,
                             struct wtl_signals *signals,
                             const struct wtl_watch *watch,
                             uint64_t until_ns);

/* The status of wait(2) as a shell shows it: exit code, or 128 + signal. */
int wtl_exit_code_of(int status);
int wtl_child_exit_code(const struct wtl_child *child);

/* The sentence for a command that could not be executed, and what would help; returns code. */
int wtl_child_tell_exec(const char *name, int code, struct wattle_error *err);

#endif
