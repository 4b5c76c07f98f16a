/* SPDX-License-Identifier: BSD-3-Clause */
/* Stops and continues the command: see throttle.h. */
#define _GNU_SOURCE
#include "sim/throttle.h"

#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/grow.h"
#include "sim/process_tree.h"

enum { PASSES = 3 }; /* a process may fork while its tree is listed */

static int send_signal(int pidfd, int signal_number)
{
    return (int)syscall(SYS_pidfd_send_signal, pidfd, signal_number, NULL, 0);
}

static bool keeps_speed(const struct wtl_sim_process *process)
{
    static const char *const names[] = {"wattle", "wattled", "wattle-sim"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(process->name, names[i]) == 0)
            return true;
    }
    return process->stopped;
}

/* Stop a process if it is still the one that was listed: its number may be another's by now. */
static bool stop_one(struct wtl_throttle *throttle, const struct wtl_sim_process *process)
{
    struct wtl_sim_process again;
    if (wtl_reserve(&throttle->stopped, &throttle->room, throttle->count + 1,
                    sizeof *throttle->stopped) < 0)
        return false;
    int pidfd = (int)syscall(SYS_pidfd_open, process->pid, 0);
    if (pidfd < 0)
        return false;
    if (wtl_sim_process_look(process->pid, &again) == 0 && again.parent == process->parent &&
        !keeps_speed(&again) && send_signal(pidfd, SIGSTOP) == 0) {
        throttle->stopped[throttle->count++] = pidfd;
        return true;
    }
    (void)close(pidfd);
    return false;
}

void wtl_throttle_stop(struct wtl_throttle *throttle, pid_t root)
{
    bool found = true;
    for (int pass = 0; found && pass < PASSES; pass++) {
        struct wtl_sim_process *list;
        size_t n = wtl_sim_process_tree(root, &list);
        found = false;
        for (size_t i = 0; i < n; i++)
            found |= !keeps_speed(&list[i]) && stop_one(throttle, &list[i]);
        free(list);
    }
}

void wtl_throttle_go_on(struct wtl_throttle *throttle)
{
    for (size_t i = 0; i < throttle->count; i++) {
        (void)send_signal(throttle->stopped[i], SIGCONT); /* it may have been killed */
        (void)close(throttle->stopped[i]);
    }
    throttle->count = 0;
}

void wtl_throttle_fini(struct wtl_throttle *throttle)
{
    wtl_throttle_go_on(throttle);
    free(throttle->stopped);
    *throttle = (struct wtl_throttle){0};
}
