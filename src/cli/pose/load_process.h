/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A load that runs while the machine is measured: a child in a process group of its own, which is ended
 * whole. A second child, the guard, waits for the end of wattle and then ends the group, so that no load is left
 * however wattle dies, SIGKILL included. What the load prints is kept for what to say when it fails.
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
    bool ready;      /* it has printed a line that begins with "ready" */
    char said[4096]; /* what it printed last, both streams */
    size_t said_size;
};

/* Start it, in the PATH. 0; -ENOENT, -EACCES, ...: it cannot be executed, or no process can be made, with a
 * sentence, and nothing runs. In all cases for wtl_load_process_stop(). */
int wtl_load_process_start(struct wtl_load_process *load,
                           char *const argv[],
                           const struct wtl_signals *signals,
                           struct wattle_error *err);

/* Until CLOCK_MONOTONIC reaches until_ns (WTL_WAIT_TIME), the load has ended by itself (_PID_ENDED), or INT,
 * QUIT, TERM or HUP came (_INTERRUPTED). until_ready: also when it says that it is (WTL_WAIT_TIME). */
enum wtl_wait wtl_load_process_wait(struct wtl_load_process *load,
                                    struct wtl_signals *signals,
                                    uint64_t until_ns,
                                    bool until_ready);

/* End the group: TERM, some seconds of grace, KILL. The child's status is known afterwards. */
void wtl_load_process_stop(struct wtl_load_process *load, struct wtl_signals *signals);

/* What it said, in one line without rules and blank lines; "" = nothing. Bytes are as they came: print them clean. */
void wtl_load_process_words(const struct wtl_load_process *load, char *buf, size_t n);

/* The first line that it said which begins like this, without its end; NULL = none. Valid until the next wait. */
bool wtl_load_process_line(const struct wtl_load_process *load,
                           const char *begin,
                           char *buf,
                           size_t n);

#endif
