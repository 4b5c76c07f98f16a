/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The process in which the command will run, and the messages between it and wattle-sim: it builds
 * the private view, passes the FUSE device, waits, and execs the command.
 */
#ifndef WTL_SIM_STAGE_H
#define WTL_SIM_STAGE_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

#include <wattle/error.h>

#include "sim/node_tree.h"

struct wtl_stage {
    pid_t pid;
    int channel; /* to the process; -1 = closed */
    int root;    /* of the FUSE mount, if calls are reported; -1 = none */
    int calls;   /* reports them, for wtl_listener_start() */
};

struct wtl_stage_config {
    const struct wtl_tree *tree;
    char **command;
    bool reports;     /* perf_event_open(2) of the command (phases/listener.h) */
    sigset_t signals; /* signal mask of the command */
};

/* Fork. Returns 0, or a negative errno. */
int wtl_stage_start(const struct wtl_stage_config *config,
                    struct wtl_stage *ret_stage,
                    struct wattle_error *err);
/* Receive the device it has mounted, which must be served before wtl_stage_build() is called.
 * Returns 0; on failure the process has ended. */
int wtl_stage_device(struct wtl_stage *stage, int *ret_fd, struct wattle_error *err);
/* Let it put the files in place. Returns when all are there; `root` and `calls` are then the caller's. */
int wtl_stage_build(struct wtl_stage *stage, struct wattle_error *err);
/* Let it exec the command. Returns 0 once it has, or the negative errno of exec. */
int wtl_stage_release(struct wtl_stage *stage);

#endif
