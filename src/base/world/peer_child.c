/* SPDX-License-Identifier: BSD-3-Clause */
/* Programs of peer.h: started by posix_spawn(3), waited for by their pid only. No signal handler is
 * needed, and nothing in this process is changed. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/own_program.h"
#include "base/world/peer.h"

enum { ARGUMENTS = 8 };

extern char **environ;

/* The environment without locale settings, so that numbers use a decimal point, and without preloaded
 * libraries meant for this process. NULL: out of memory. */
static char **make_environment(bool own)
{
    static const char *const without[] = {"LC_", "LANG", "LD_PRELOAD=", "WATTLE_"};
    size_t left_out =
        sizeof without / sizeof *without - own; /* our own programs get our variables */
    size_t count = 0, used = 0;
    while (environ && environ[count])
        count++;
    char **made = calloc(count + 2, sizeof *made);
    for (size_t i = 0; made && i < count; i++) {
        bool keep = true;
        for (size_t k = 0; k < left_out; k++)
            keep &= strncmp(environ[i], without[k], strlen(without[k])) != 0;
        if (keep)
            made[used++] = environ[i];
    }
    if (made)
        made[used] = (char *)(uintptr_t) "LC_ALL=C"; /* never written to */
    return made;
}

/* Its output first: the pipe may have the descriptor number that is opened next. both: it is the input as well. */
static int add_actions(posix_spawn_file_actions_t *actions, int output, bool both)
{
    int rc = posix_spawn_file_actions_adddup2(actions, output, STDOUT_FILENO);
    if (rc == 0 && both)
        rc = posix_spawn_file_actions_adddup2(actions, STDOUT_FILENO, STDIN_FILENO);
    else if (rc == 0)
        rc = posix_spawn_file_actions_addopen(actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (rc == 0)
        rc = posix_spawn_file_actions_addopen(actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 34)
    if (rc == 0) /* descriptors that the surrounding program left open for its own children */
        rc = posix_spawn_file_actions_addclosefrom_np(actions, STDERR_FILENO + 1);
#endif
    return -rc;
}

static int start(const char *const argv[],
                 char **environment,
                 int output,
                 bool both,
                 pid_t *ret_child)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none, all;
    (void)sigemptyset(&none); /* these two cannot fail */
    (void)sigfillset(&all);
    int rc = -posix_spawn_file_actions_init(&actions);
    if (rc < 0)
        return rc;
    rc = add_actions(&actions, output, both);
    int made = posix_spawnattr_init(&attributes);
    if (rc == 0 && (rc = -made) == 0) { /* the attributes are initialised: cannot fail */
        (void)posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK |
                                                        POSIX_SPAWN_SETSIGDEF);
        (void)posix_spawnattr_setpgroup(&attributes, 0);
        (void)posix_spawnattr_setsigmask(&attributes, &none);
        (void)posix_spawnattr_setsigdefault(&attributes, &all);
        rc = -posix_spawnp(ret_child, argv[0], &actions, &attributes, (char *const *)argv,
                           environment);
    }
    if (made == 0)
        (void)posix_spawnattr_destroy(&attributes);
    (void)posix_spawn_file_actions_destroy(&actions);
    return rc;
}

/* Start it with the other one of two descriptors; ends[0] is ours, or closed on failure. */
static int start_with(const char *const argv[], const int ends[2], bool both, pid_t *ret_child)
{
    pid_t child = 0;
    char **environment = make_environment(both);
    int rc = environment ? 0 : -ENOMEM;
    if (rc == 0 && fcntl(ends[0], F_SETFL, O_NONBLOCK) < 0) /* our end only */
        rc = -errno;
    if (rc == 0)
        rc = start(argv, environment, ends[1], both, &child);
    free(environment);
    (void)close(ends[1]);
    if (rc < 0) {
        (void)close(ends[0]); /* nothing was received */
        return rc;
    }
    *ret_child = child;
    return ends[0];
}

int wtl_peer_spawn(const struct wtl_world *world, const char *const argv[], pid_t *ret_child)
{
    int ends[2];
    (void)world;
    return pipe2(ends, O_CLOEXEC) < 0 ? -errno : start_with(argv, ends, false, ret_child);
}

int wtl_peer_converse(const struct wtl_world *world, const char *const argv[], pid_t *ret_child)
{
    int ends[2];
    char path[PATH_MAX];
    const char *found[ARGUMENTS + 1] = {path};
    size_t count = 0;
    (void)world;
    while (argv[count])
        count++;
    if (count == 0 || count > ARGUMENTS)
        return -EINVAL;
    memcpy(found, argv, count * sizeof *argv);
    if (!wtl_own_program_find(argv[0], path, sizeof path))
        return -ENOENT;
    found[0] = path;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0)
        return -errno;
    return start_with(found, ends, true, ret_child);
}

int wtl_peer_reap(const struct wtl_world *world, pid_t child, uint64_t deadline_ns)
{
    const uint64_t step_ns = 1000000, grace_ns = 1000000000;
    siginfo_t end = {0};
    bool late = false;
    while (waitid(P_PID, (id_t)child, &end, WEXITED | WNOHANG | WNOWAIT) == 0 && end.si_pid == 0) {
        uint64_t now_ns = wtl_world_monotonic(world);
        if (now_ns < deadline_ns) {
            (void)world->ops->sleep_until(world, now_ns + step_ns); /* or until a signal */
            continue;
        }
        if (late)
            return -ETIMEDOUT; /* the kernel does not let it end */
        late = true;
        deadline_ns = now_ns + grace_ns;
        (void)kill(-child, SIGKILL); /* it exists */
    }
    if (end.si_pid != child)
        return -errno; /* ECHILD: already reaped by someone else */
    (void)kill(-child,
               SIGKILL); /* any remaining processes of its group: the number stays reserved until
                            the next line */
    (void)waitid(P_PID, (id_t)child, &end, WEXITED | WNOHANG);
    if (late)
        return -ETIMEDOUT;
    return end.si_code == CLD_EXITED ? end.si_status : 128 + end.si_status;
}
