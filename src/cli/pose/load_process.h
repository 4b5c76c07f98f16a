/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A load that runs while the machine is measured: a child in a new process group, which is killed as a whole. A second child, the guard, waits for the end of wattle and then kills the group, so that no load is left even if wattle is killed with SIGKILL. The output of the load is kept for error messages.
 *
 *     rc = wtl_load_process_start(&load, argv, &signals, err);
 *     if (rc == 0)
 *         .. wtl_load_process_wait(&load, &signals, until_ns) ..
 *     wtl_load_process_stop(&load, &signals);
 */
#ifndef WTL_CLI_LOAD_PROCESS_H
#define WTL_CLI_LOAD_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/run/child.h"

struct wtl_load_process {
    struct wtl_child child;
    struct wtl_watch watch;
    pid_t guard; /* -1 = none */
    int guard_fd;
    bool ready;      /* it has printed a line that starts with "ready" */
    char said[4096]; /* what it printed last, both streams */
    size_t said_size;
};

/* Start it, searching PATH. Returns 0, or -ENOENT, -EACCES, ... with a message if it cannot be executed or
 * no process can be created. Call wtl_load_process_stop() in all cases. */
int wtl_load_process_start(struct wtl_load_process *load,
                           char *const argv[],
                           const struct wtl_signals *signals,
                           struct wattle_error *err);

/* Wait until CLOCK_MONOTONIC reaches until_ns (WTL_WAIT_TIME), the load has ended (_PID_ENDED), or INT,
 * QUIT, TERM or HUP arrives (_INTERRUPTED). until_ready: also until it reports ready (WTL_WAIT_TIME). */
enum wtl_wait wtl_load_process_wait(struct wtl_load_process *load,
                                    struct wtl_signals *signals,
                                    uint64_t until_ns,
                                    bool until_ready);

/* End the group: TERM, a grace period of some seconds, KILL. The status of the child is known afterwards. */
void wtl_load_process_stop(struct wtl_load_process *load, struct wtl_signals *signals);

/* Its output as one line without rules and blank lines; "" = none. Not sanitised: clean before printing. */
void wtl_load_process_words(const struct wtl_load_process *load, char *buf, size_t n);

/* The first output line that starts like this, without the line break; NULL = none. Valid until the next wait. */
bool wtl_load_process_line(const struct wtl_load_process *load,
                           const char *begin,
                           char *buf,
                           size_t n);

#endif
