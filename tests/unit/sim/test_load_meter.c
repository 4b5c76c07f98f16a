/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The load of a process tree from both of its sources: two processes, parent and child, each use a
 * known CPU time; load times elapsed time times CPUs must be their sum.
 */
#define _GNU_SOURCE
#include "sim/load_meter.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tap.h"

#define USE_S 0.2

static double seconds(clockid_t clock)
{
    struct timespec now;
    (void)clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void use_cpu(void)
{
    while (seconds(CLOCK_PROCESS_CPUTIME_ID) < USE_S)
        continue;
}

/* CPU time of this process and of those it has waited for. */
static double used_s(void)
{
    static const int whose[] = {RUSAGE_SELF, RUSAGE_CHILDREN};
    double sum_s = 0;
    for (int i = 0; i < 2; i++) {
        struct rusage use;
        (void)getrusage(whose[i], &use);
        sum_s += (double)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) +
                 (double)(use.ru_utime.tv_usec + use.ru_stime.tv_usec) * 1e-6;
    }
    return sum_s;
}

/* Waits for a byte, then both use their time; the parent reports how much it was, including start
 * and end, and stays. */
static void child(int go, int done)
{
    char byte;
    if (read(go, &byte, 1) != 1)
        _exit(1);
    double before_s = used_s();
    pid_t below = fork();
    if (below == 0) {
        use_cpu();
        _exit(0);
    }
    use_cpu();
    (void)waitpid(below, NULL, 0);
    double sum_s = used_s() - before_s;
    (void)!write(done, &sum_s, sizeof sum_s);
    pause();
    _exit(0);
}

static void check(bool perf, double tolerance)
{
    enum { CPUS = 4 };
    struct wtl_load_meter meter;
    int go[2], done[2];
    double sum_s = 0;
    if (pipe(go) < 0 || pipe(done) < 0)
        return;
    pid_t pid = fork();
    if (pid == 0)
        child(go[0], done[1]);
    wtl_load_meter_init(&meter, pid, CPUS, perf);
    double begin = (double)meter.last_ns * 1e-9;
    if (perf && meter.fd < 0) {
        skip("perf events are not allowed here");
    } else {
        (void)!write(go[1], "", 1);
        ok(read(done[0], &sum_s, sizeof sum_s) == sizeof sum_s, "they are done");
        double load = wtl_load_meter_read(&meter);
        double elapsed = (double)meter.last_ns * 1e-9 - begin, used = load * CPUS * elapsed;
        /* perf also counts the time that the host takes from a virtual machine. */
        double most = perf ? 2 * elapsed : sum_s;
        ok(used >= sum_s - tolerance && used <= most + tolerance,
           "CPU time of both by %s: %g s of %g", perf ? "perf" : "/proc", used, sum_s);
        ok(wtl_load_meter_read(&meter) < 0.5, "no load since");
    }
    (void)kill(pid, SIGKILL);
    (void)waitpid(pid, NULL, 0);
    wtl_load_meter_fini(&meter);
    for (int i = 0; i < 2; i++) {
        (void)close(go[i]);
        (void)close(done[i]);
    }
}

int main(void)
{
    check(true, 0.02);
    check(false, 0.06); /* ticks of 10 ms, four of them begun or ended */
    return done_testing();
}
