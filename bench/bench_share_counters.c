/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the counters of shares cost: to open, read and close a group of three events for each of N processes (wattle top), for a cgroup on each CPU (wattle run
 * --cgroup) and for each CPU (all of them, and wattled), and what a group costs a process at each context switch. Software events where the machine has no
 * hardware counters: then opening and reading are those of the kernel's events, without the access to the hardware.
 *
 *     bench_share_counters [CGROUP]
 *
 * Times are CPU time, so that a busy machine does not matter; opening waits in the kernel, too (wall).
 */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench_time.h"
#include "counters/columns/perf_events.h"

enum { EVENTS = 3, MOST = 1000, READS = 20, SWITCHES = 50000 };

static const char *const hardware[EVENTS] = {"cycles", "instructions", "cache-misses"};
static const char *const software[EVENTS] = {"page-faults", "context-switches", "cpu-migrations"};
static const char *const *names = hardware;

static uint64_t cpu_ns(void)
{
    struct timespec used;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    return (uint64_t)used.tv_sec * 1000000000u + (uint64_t)used.tv_nsec;
}

/* Of this process and of those it has waited for. */
static double used_us(void)
{
    struct rusage own, others;
    (void)getrusage(RUSAGE_SELF, &own);
    (void)getrusage(RUSAGE_CHILDREN, &others);
    return (double)(own.ru_utime.tv_sec + own.ru_stime.tv_sec + others.ru_utime.tv_sec +
                    others.ru_stime.tv_sec) *
               1e6 +
           (double)(own.ru_utime.tv_usec + own.ru_stime.tv_usec + others.ru_utime.tv_usec +
                    others.ru_stime.tv_usec);
}

static int open_events(struct wtl_perf_events *events,
                       const struct wtl_target *target,
                       enum wtl_counted scope)
{
    struct wtl_perf_code codes[EVENTS];
    struct wattle_error why;
    for (size_t i = 0; i < EVENTS; i++)
        (void)wtl_perf_code(wtl_world_real(), names[i], &codes[i], &why);
    int rc = wtl_perf_events_open(events, wtl_world_real(), target, scope, codes, EVENTS);
    return rc < 0 ? rc : events->list[0].status;
}

static void bench_processes(size_t n)
{
    static struct wtl_perf_events events[MOST];
    static struct wtl_target targets[MOST];
    static pid_t pids[MOST];
    size_t opened = 0, files = 0;
    for (size_t i = 0; i < n; i++) {
        pids[i] = fork();
        if (pids[i] == 0) {
            (void)pause();
            _exit(0);
        }
    }
    uint64_t wall = now_ns(), begin = cpu_ns();
    for (size_t i = 0; i < n; i++) {
        targets[i] = (struct wtl_target){.pid = pids[i]};
        opened += open_events(&events[i], &targets[i], WTL_COUNTED_PROCESS) == 0;
        files += EVENTS * events[i].unit_count;
    }
    uint64_t middle = cpu_ns();
    wall = now_ns() - wall;
    for (size_t k = 0; k < READS; k++)
        for (size_t i = 0; i < n; i++)
            wtl_perf_events_read(&events[i]);
    uint64_t end = cpu_ns();
    for (size_t i = 0; i < n; i++)
        wtl_perf_events_close(&events[i]);
    uint64_t closed = cpu_ns();
    for (size_t i = 0; i < n; i++) {
        (void)kill(pids[i], SIGKILL);
        (void)waitpid(pids[i], NULL, 0);
    }
    (void)printf("%4zu processes (%zu opened, %zu descriptors): open %.1f us (%.0f wall), read "
                 "%.2f us, close "
                 "%.1f us each\n",
                 n, opened, files, (double)(middle - begin) * 1e-3 / (double)n,
                 (double)wall * 1e-3 / (double)n,
                 (double)(end - middle) * 1e-3 / (double)(n * READS),
                 (double)(closed - end) * 1e-3 / (double)n);
}

static void bench_cpus(const char *what, const char *cgroup)
{
    struct wtl_perf_events events;
    const struct wtl_target target = {.cgroup = cgroup};
    uint64_t begin = cpu_ns();
    int rc = open_events(&events, &target, cgroup ? WTL_COUNTED_CGROUP : WTL_COUNTED_MACHINE);
    uint64_t middle = cpu_ns();
    for (size_t k = 0; k < 1000 && rc == 0; k++)
        wtl_perf_events_read(&events);
    uint64_t end = cpu_ns();
    if (rc < 0)
        (void)printf("%s: %s\n", what, events.list[0].why.text);
    else
        (void)printf("%s: open %.1f us, read %.2f us for each of %zu CPUs\n", what,
                     (double)(middle - begin) * 1e-3 / (double)events.unit_count,
                     (double)(end - middle) * 1e-6 / (double)events.unit_count, events.unit_count);
    wtl_perf_events_close(&events);
}

/* Two processes that wake each other: the time of a round trip. */
static double round_trip_us(bool counted)
{
    int there[2], back[2];
    struct wtl_perf_events events;
    char byte = 0;
    if (pipe(there) < 0 || pipe(back) < 0)
        return 0;
    pid_t pid = fork();
    if (pid == 0) {
        for (int i = 0; i < SWITCHES; i++)
            if (read(there[0], &byte, 1) != 1 || write(back[1], &byte, 1) != 1)
                _exit(1);
        _exit(0);
    }
    const struct wtl_target target = {.pid = pid};
    if (counted && open_events(&events, &target, WTL_COUNTED_PROCESS) < 0)
        (void)printf("(not counted) ");
    double begin_us = used_us();
    for (int i = 0; i < SWITCHES; i++)
        if (write(there[1], &byte, 1) != 1 || read(back[0], &byte, 1) != 1)
            break;
    (void)waitpid(pid, NULL, 0);
    double us = (used_us() - begin_us) / SWITCHES;
    if (counted)
        wtl_perf_events_close(&events);
    for (int i = 0; i < 2; i++) {
        (void)close(there[i]);
        (void)close(back[i]);
    }
    return us;
}

int main(int argc, char **argv)
{
    struct wtl_perf_events events;
    const struct wtl_target self = {.pid = getpid()};
    struct rlimit files;
    if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
        files.rlim_cur = files.rlim_max;
        (void)setrlimit(RLIMIT_NOFILE, &files);
    }
    if (open_events(&events, &self, WTL_COUNTED_PROCESS) < 0)
        names = software;
    wtl_perf_events_close(&events);
    (void)printf("three %s events in a group\n", names == software ? "SOFTWARE" : "hardware");
    bench_processes(100);
    bench_processes(1000);
    bench_cpus("machine", NULL);
    if (argc > 1)
        bench_cpus("cgroup", argv[1]);
    for (int i = 0; i < 5; i++) {
        double without = round_trip_us(false), with = round_trip_us(true);
        (void)printf("round trip of two processes: %.2f us, with one of them counted %.2f us\n",
                     without, with);
    }
    return 0;
}
