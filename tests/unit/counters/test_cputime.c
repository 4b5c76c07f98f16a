/* SPDX-License-Identifier: BSD-3-Clause */
/* CPU time on a scripted host, and a real process tree on this kernel. */
#define _GNU_SOURCE
#include "counters/cputime.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../sensors/host.h"
#include "../sensors/made_host.h"
#include "counters/tree_time.h"
#include "tap.h"

extern const struct wtl_driver wtl_driver_cputime;

static double seconds(struct host *host, const char *name)
{
    struct wattle_reading reading = host_read(host, name);
    return reading.status ? reading.status : (double)reading.raw * 1e-9;
}

static void test_host(void)
{
    struct host host = {.world = host_world("xeon-2s-loaded")};
    struct wtl_target target = {.pid = 4711, .cgroup = "/sys/fs/cgroup/job"};
    host.rc =
        wtl_source_open(&host.source, &wtl_driver_cputime, host.world, NULL, &target, &host.err);
    is_int(host.rc, 0, "opens %s", host.err.text);
    is_int(host.source.count, 3, "machine, tree and cgroup");
    host_at(&host, 5.000001);
    double start = seconds(&host, WTL_CPUTIME_MACHINE);
    /* own 0.6 s, waited for 0.4 s, running child 1 s, child not yet waited for 0.1 s; the name
     * contains a bracket and a space. */
    is_double(seconds(&host, WTL_CPUTIME_TREE), 2.1, 1e-9, "the tree");
    is_double(seconds(&host, WTL_CPUTIME_CGROUP), 1.5, 1e-9, "the cgroup, version 2");
    host_at(&host, 25.000001);
    is_double(seconds(&host, WTL_CPUTIME_MACHINE) - start, 10 * 4 + 5 * 8, 0.1, "the machine");
    host_at(&host, 24.5);
    is_double(seconds(&host, WTL_CPUTIME_TREE), 2.1, 1e-9, "the root has gone: what it was");
    host_close(&host, "xeon-2s-loaded");

    struct host other = {.world = host_world("xeon-2s-loaded")};
    target = (struct wtl_target){.cgroup = "/sys/fs/cgroup/old"};
    other.rc =
        wtl_source_open(&other.source, &wtl_driver_cputime, other.world, NULL, &target, NULL);
    is_double(seconds(&other, WTL_CPUTIME_CGROUP), 2.5, 1e-9, "the cgroup, version 1");
    host_close(&other, "xeon-2s-loaded");

    struct host none = {.world = host_world("xeon-2s-loaded")};
    target = (struct wtl_target){.pid = 99, .cgroup = "/sys/fs/cgroup/none"};
    none.rc = wtl_source_open(&none.source, &wtl_driver_cputime, none.world, NULL, &target, NULL);
    is_int(none.rc, 0, "neither process nor cgroup: the machine is left");
    is_int(none.source.count, 1, "one channel");
    ok(strstr(none.source.notes[0].text, "/proc/99/stat") != NULL, "says why: %s",
       none.source.notes[0].text);
    host_close(&none, "xeon-2s-loaded");
}

static double cpu_time(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* From now on: what the process used before may not be counted. */
static void burn(double cpu_s)
{
    double end = cpu_time() + cpu_s;
    while (cpu_time() < end)
        ;
}

/* A process that waits for a byte, then uses CPU time itself and in two children. */
static pid_t start_tree(int *ret_go)
{
    int pipe_fds[2];
    if (pipe(pipe_fds) < 0)
        return -1;
    pid_t pid = fork();
    if (pid == 0) {
        char byte;
        (void)close(pipe_fds[1]);
        if (read(pipe_fds[0], &byte, 1) != 1)
            _exit(1);
        for (int i = 0; i < 2; i++) {
            if (fork() == 0) {
                burn(0.1);
                _exit(0);
            }
        }
        burn(0.1);
        while (wait(NULL) > 0)
            ;
        if (read(pipe_fds[0], &byte, 1) != 0) /* until the parent has looked */
            _exit(1);
        _exit(0);
    }
    (void)close(pipe_fds[0]);
    *ret_go = pipe_fds[1];
    return pid;
}

/* The kernel must count at least what the tree certainly used; the upper bound is rusage. */
static void test_real(bool inherit)
{
    struct wtl_tree_time tree;
    struct wattle_error err = {0};
    int go = -1;
    pid_t pid = start_tree(&go);
    int rc = wtl_tree_time_open(&tree, wtl_world_real(), pid, inherit, &err);
    is_int(rc, 0, "%s %s", inherit ? "inherited" : "walked", err.text);
    diag("%s", tree.where);
    (void)!write(go, "x", 1);
    struct timespec pause = {.tv_nsec = 10000000};
    /* Three times 0.1 s. /proc truncates the user and system time of each process to 10 ms, and perf's clock differs
     * from the kernel's by a little at each switch, of which a busy machine has many. */
    uint64_t used = 0, last = 0, least = UINT64_C(240000000);
    int fell = 0;
    for (int i = 0; i < 3000 && used < least; i++) {
        (void)nanosleep(&pause, NULL);
        rc = wtl_tree_time_read(&tree, &used);
        fell += rc < 0 || used < last;
        last = used;
    }
    is_int(fell, 0, "never falls");
    ok(used >= least, "root and both children are counted: %.3f s", (double)used * 1e-9);
    (void)close(go);
    (void)waitpid(pid, NULL, 0);
    is_int(wtl_tree_time_read(&tree, &used), 0, "still readable behind the end");
    ok(used >= last, "and not less");
    ok(used < UINT64_C(3000000000), "nor of another process");
    wtl_tree_time_close(&tree);
}

/* A launcher with many children: as many as a walk can take, plus one. */
static void test_wide(void)
{
    for (int more = 0; more < 2; more++) {
        struct made_host made = {0};
        struct wtl_tree_time tree;
        static char text[WTL_TREE_MAX * 8 + 8];
        size_t used = 0;
        for (int child = 0; child < WTL_TREE_MAX - 1 + more; child++)
            used += (size_t)snprintf(text + used, sizeof text - used, "%d ", 1000000 + child);
        made_host_put(&made, "root/proc/7/stat",
                      "7 (a) b) S 1 7 7 0 -1 0 0 0 0 0 100 20 3 1 20 0 1 0 5 0 0\n");
        made_host_put(&made, "root/proc/7/task/7/children", text);
        int rc = wtl_tree_time_open(&tree, made_host_open(&made), 7, false, NULL);
        is_int(rc, more ? -EOVERFLOW : 0, "%d children", WTL_TREE_MAX - 1 + more);
        uint64_t ns = 0;
        if (rc == 0) {
            is_int(wtl_tree_time_read(&tree, &ns), 0, "are walked");
            is_int(ns, 1240000000, "those that are gone count nothing");
            wtl_tree_time_close(&tree);
        }
        made_host_close(&made);
    }
}

int main(void)
{
    test_wide();
    test_host();
    test_real(true);
    test_real(false);
    return done_testing();
}
