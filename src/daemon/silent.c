/* SPDX-License-Identifier: BSD-3-Clause */
/* Which drivers hang while they are opened: see silent.h. The child cannot be waited for: if a thread of it is stuck in the
 * kernel, it does not even end when it is killed. Its findings are in shared memory. */
#define _GNU_SOURCE
#include "daemon/silent.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/fail.h"
#include "source/registry.h"
#include "source/select.h"
#include "source/silence.h"

enum { DRIVERS_MAX = 256 };
static const uint64_t PATIENCE_NS = 30000000000;
static const struct timespec STEP = {.tv_nsec = 2000000};

struct findings {
    atomic_bool done;
    bool silent[DRIVERS_MAX]; /* by the number in wtl_drivers */
};

/* In the child. */
static void look(const struct wtl_world *world,
                 const struct wtl_daemon_settings *settings,
                 struct findings *findings)
{
    struct wattle_error err;
    struct wtl_selection *selection = NULL;
    const struct wtl_request request = {.drivers = wtl_drivers,
                                        .which = settings->sensors[0] ? settings->sensors : NULL,
                                        .settings = settings->drivers,
                                        .direct = true};
    (void)wtl_selection_open(&request, world, &selection,
                             &err); /* why not: said when they are opened again */
    for (size_t i = 0; wtl_drivers[i] && i < DRIVERS_MAX; i++)
        findings->silent[i] = wtl_silence_is(wtl_drivers[i], world);
    atomic_store(&findings->done, true);
}

/* Here, they hang as well. */
static int take(const struct wtl_world *world, const struct findings *findings)
{
    for (size_t i = 0; wtl_drivers[i] && i < DRIVERS_MAX; i++) {
        struct wtl_silence *silence = findings->silent[i] ? calloc(1, sizeof *silence) : NULL;
        if (silence)
            wtl_silence_begin(silence, wtl_drivers[i], world);
        else if (findings->silent[i])
            return -ENOMEM;
    }
    return 0;
}

static bool wait_for(const struct wtl_world *world, const struct findings *findings, pid_t child)
{
    uint64_t until_ns = wtl_world_monotonic(world) + PATIENCE_NS;
    bool ended = false;
    while (!ended && !atomic_load(&findings->done) && wtl_world_monotonic(world) < until_ns) {
        (void)nanosleep(&STEP, NULL);
        ended = waitpid(child, NULL, WNOHANG) != 0; /* also if it crashed */
    }
    return atomic_load(&findings->done);
}

int wtl_silent_find(const struct wtl_world *world,
                    const struct wtl_daemon_settings *settings,
                    struct wattle_error *err)
{
    struct findings *findings =
        mmap(NULL, sizeof *findings, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (findings == MAP_FAILED)
        return wtl_no_memory_for(err, "the sensors");
    (void)signal(SIGCHLD, SIG_IGN); /* whenever it ends, nobody waits for it */
    pid_t child = fork();
    if (child == 0) {
        (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
        look(world, settings, findings);
        _exit(0);
    }
    int rc = child < 0 ? wtl_fail(err, -errno, "cannot start a process to try the sensors: %s",
                                  wtl_strerror(errno))
             : wait_for(world, findings, child)
                 ? take(world, findings)
                 : wtl_fail(err, -ETIMEDOUT,
                            "the sensors cannot be opened within 30 s; see dmesg for their drivers "
                            "or devices, or choose other sensors");
    (void)munmap(findings, sizeof *findings); /* the child has its own mapping */
    return rc == -ENOMEM ? wtl_no_memory_for(err, "the sensors") : rc;
}
