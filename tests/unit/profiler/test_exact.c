/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Exact regions, used as by a program, on a simulated node of constant power: the true energy is
 * that power times the window. Whether this machine has time to see each tick does not depend on
 * the code: here the intervals must hold, however wide; test_exact_ticks.c, in virtual time, checks
 * how narrow they are.
 */
#define _GNU_SOURCE
#include <wattle/exact.h>
#include <wattle/recorder.h>
#include <wattle/region.h>
#include <wattle/trace.h>

#include <errno.h>
#include <math.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tap.h"
#include "trace/own_event.h"

#define PACKAGE_W 50.0
#define DRAM_W    5.0

enum { TRIALS = 10, SHORT_MS = 10 };

static void sleep_ms(long ms)
{
    struct timespec time = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
    while (nanosleep(&time, &time) < 0)
        ;
}

static int exit_status(const char *const *argv)
{
    int status = -1;
    pid_t pid = fork();
    if (pid == 0) {
        execv(argv[0], (char *const *)argv);
        _exit(127);
    }
    if (pid < 0 || waitpid(pid, &status, 0) < 0 || !WIFEXITED(status))
        return -1;
    return WEXITSTATUS(status);
}

/* Run this program again as the command of a simulated node. */
static int on_simulated_node(const char *self)
{
    const char *sim = getenv("WATTLE_SIM");
    if (!sim || access(sim, X_OK) < 0)
        skip_all("no wattle-sim here");
    const char *const probe[] = {sim, "run", "--", "/bin/true", NULL};
    if (exit_status(probe) != 0)
        skip_all("no simulated node can be made here");
    const char *const argv[] = {sim,       "run",    "--power",   "package=50",
                                "--power", "dram=5", "--view",    "powercap",
                                "--",      self,     "--on-node", NULL};
    return exit_status(argv);
}

static void test_misuse(void)
{
    struct wattle_exact *exact = NULL;
    struct wattle_error err = {""};
    struct wattle_summary summary = {.size = sizeof summary};
    uint64_t before = 1, after = 1;
    is_int(wattle_exact_open(NULL, NULL, &err), -EINVAL, "no place: %s", err.text);
    is_int(wattle_exact_open("dowser", &exact, &err), -EINVAL, "no such sensor: %s", err.text);
    is_int(wattle_exact_open("estimate", &exact, &err), -ENOTSUP, "an estimate: %s", err.text);
    ok(exact == NULL, "nothing was opened");
    is_int(wattle_exact_begin(NULL, "x", &err), -EINVAL, "begin of NULL: %s", err.text);
    is_int(wattle_exact_end(NULL, NULL), -EINVAL, "end of NULL");
    is_int(wattle_exact_summary(NULL, 0, &summary, NULL), -EINVAL, "summary of NULL");
    is_int(wattle_exact_total(NULL, &summary, NULL, NULL, NULL), -EINVAL, "total of NULL");
    wattle_exact_waited(NULL, &before, &after);
    ok(before == 0 && after == 0, "NULL waited for nothing");
    wattle_exact_waited(NULL, NULL, NULL);
    is_int(wattle_exact_channel_count(NULL), 0, "channels of NULL");
    ok(wattle_exact_channel(NULL, 0) == NULL, "channel of NULL");
    wattle_exact_close(NULL);
}

static void test_order(void)
{
    struct wattle_exact *exact;
    struct wattle_error err = {""};
    struct wattle_summary summary = {.size = sizeof summary};
    if (!is_int(wattle_exact_open("powercap", &exact, &err), 0, "open: %s", err.text))
        return;
    is_int(wattle_exact_channel_count(exact), 2, "two channels");
    is_str(wattle_exact_channel(exact, 0)->name, "powercap:package-0", "the first");
    ok(wattle_exact_channel(exact, 2) == NULL, "no third");
    is_int(wattle_exact_end(exact, &err), -EINVAL, "end before begin: %s", err.text);
    is_int(wattle_exact_total(exact, &summary, NULL, NULL, &err), -EINVAL, "no region yet: %s",
           err.text);
    is_int(wattle_exact_begin(exact, "", &err), -EINVAL, "no name: %s", err.text);
    is_int(wattle_exact_begin(exact, "once", &err), 0, "begin: %s", err.text);
    is_int(wattle_exact_begin(exact, "twice", &err), -EBUSY, "begin again: %s", err.text);
    is_int(wattle_exact_total(exact, &summary, NULL, NULL, NULL), -EINVAL, "none has ended");
    is_int(wattle_exact_end(exact, &err), 0, "end: %s", err.text);
    is_int(wattle_exact_end(exact, NULL), -EINVAL, "end again");
    is_int(wattle_exact_summary(exact, 2, &summary, &err), -EINVAL, "no such channel: %s",
           err.text);
    summary.size = 0;
    is_int(wattle_exact_summary(exact, 0, &summary, &err), -EINVAL, "no size: %s", err.text);
    is_int(wattle_exact_begin(exact, "open at the end", &err), 0, "one more: %s", err.text);
    pid_t pid = fork();
    if (pid == 0)
        _exit(wattle_exact_end(exact, NULL) == -EINVAL ? 0 : 1);
    int status = -1;
    ok(pid > 0 && waitpid(pid, &status, 0) == pid && status == 0, "a child of fork is told so");
    wattle_exact_close(exact); /* which ends it */
}

/* One region; true if the truth is within twice the interval, of the package as of the total. */
static bool measure(struct wattle_exact *exact, long ms)
{
    struct wattle_summary total = {.size = sizeof total}, package = {.size = sizeof package};
    struct wattle_error err = {""};
    uint64_t before_ns = 0, after_ns = 0;
    const char *contains = NULL;
    if (!is_int(wattle_exact_begin(exact, "solve", &err), 0, "begin: %s", err.text))
        return false;
    sleep_ms(ms);
    is_int(wattle_exact_end(exact, &err), 0, "end: %s", err.text);
    is_int(wattle_exact_total(exact, &total, &contains, NULL, &err), 0, "total: %s", err.text);
    is_int(wattle_exact_summary(exact, 0, &package, &err), 0, "summary: %s", err.text);
    wattle_exact_waited(exact, &before_ns, &after_ns);
    ok(total.window_ns >= (uint64_t)ms * 1000000, "its length: %" PRIu64 " ns", total.window_ns);
    ok(before_ns > 1500000 && after_ns > 1500000,
       "it waited for three ticks at each border: %" PRIu64 " and %" PRIu64 " ns", before_ns,
       after_ns);
    is_str(contains, "package + dram of 1 socket", "what it contains");
    double true_j = (PACKAGE_W + DRAM_W) * (double)total.window_ns * 1e-9;
    double error = fabs(total.energy_j - true_j), half = total.resolution_interval_j;
    diag("%ld ms: %.6f +- %.6f J, true %.6f J", ms, total.energy_j, half, true_j);
    double off = fabs(package.energy_j - PACKAGE_W * (double)package.window_ns * 1e-9);
    return error <= 2 * half && off <= 2 * package.resolution_interval_j;
}

/* A tick of the package is 0.05 J, and 10 ms of the node 0.55 J: two plain reads would sometimes be
 * wrong by 4 %. */
static void test_energy(void)
{
    struct wattle_exact *exact;
    struct wattle_error err = {""};
    int held = 0;
    if (!is_int(wattle_exact_open("powercap", &exact, &err), 0, "open: %s", err.text))
        return;
    for (int i = 0; i < TRIALS; i++)
        held += measure(exact, SHORT_MS);
    ok(held >= TRIALS - 1, "intervals of 95 %%: twice their width holds in %d of %d", held, TRIALS);
    wattle_exact_close(exact);
}

struct seen {
    unsigned begins, ends, waits, events;
    double energy_j, half_j, wait_ns;
};

static double double_of(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static void look(struct wattle_trace *trace, struct seen *seen)
{
    struct wattle_trace_marks *marks;
    struct wattle_trace_mark mark;
    if (wattle_trace_marks_open(trace, &marks, NULL) < 0)
        return;
    while (wattle_trace_marks_next(marks, &mark, 1, NULL) == 1) {
        if (mark.kind == WATTLE_MARK_EVENT) {
            seen->events++;
            if (mark.type == WTL_EVENT_EXACT_WAIT_NS)
                seen->wait_ns = (double)mark.value;
            else if (mark.type == WTL_EVENT_EXACT_ENERGY_J)
                seen->energy_j = double_of(mark.value);
            else if (mark.type == WTL_EVENT_EXACT_HALF_J)
                seen->half_j = double_of(mark.value);
        } else if (mark.name && strcmp(mark.name, "wattle exact wait") == 0) {
            seen->waits++;
        } else if (mark.name && strcmp(mark.name, "solve") == 0) {
            seen->begins += mark.kind == WATTLE_MARK_BEGIN;
            seen->ends += mark.kind == WATTLE_MARK_END;
        }
    }
    wattle_trace_marks_close(marks);
}

/* A region of the trace, with its waits, and the results in its events. */
static void test_trace(void)
{
    char path[64];
    (void)snprintf(path, sizeof path, "exact-%d.wtl", (int)getpid());
    struct wattle_recorder_options options = {
        .size = sizeof options, .sensors = "powercap", .trace = path};
    struct wattle_recorder *recorder;
    struct wattle_exact *exact = NULL;
    struct wattle_trace *trace;
    struct wattle_error err = {""};
    struct wattle_summary total = {.size = sizeof total};
    struct seen seen = {0};
    uint64_t before_ns, after_ns;
    if (!is_int(wattle_recorder_create(&options, &recorder, &err), 0, "a recorder: %s", err.text))
        return;
    is_int(wattle_recorder_start(recorder, &err), 0, "runs: %s", err.text);
    is_int(wattle_exact_open("powercap", &exact, &err), 0, "open: %s", err.text);
    is_int(wattle_exact_begin(exact, "solve", &err), 0, "begin: %s", err.text);
    is_int(wattle_exact_end(exact, &err), 0, "end: %s", err.text);
    (void)wattle_exact_total(exact, &total, NULL, NULL, NULL);
    wattle_exact_waited(exact, &before_ns, &after_ns);
    wattle_exact_close(exact);
    is_int(wattle_recorder_stop(recorder, &err), 0, "stop: %s", err.text);
    wattle_recorder_destroy(recorder);
    if (is_int(wattle_trace_open(path, &trace, &err), 0, "its trace: %s", err.text)) {
        look(trace, &seen);
        wattle_trace_close(trace);
    }
    ok(seen.begins == 1 && seen.ends == 1, "the region");
    is_int(seen.waits, 4, "a wait before and one behind");
    is_int(seen.events, 3, "three events");
    is_double(seen.wait_ns, (double)(before_ns + after_ns), 0, "how long it waited");
    ok(seen.energy_j == total.energy_j || (isnan(seen.energy_j) && isnan(total.energy_j)),
       "its energy");
    ok(seen.half_j == total.resolution_interval_j ||
           (isnan(seen.half_j) && isnan(total.resolution_interval_j)),
       "its interval");
    (void)unlink(path);
}

int main(int argc, char **argv)
{
    if (argc < 2)
        return on_simulated_node(argv[0]);
    test_misuse();
    test_order();
    test_energy();
    test_trace();
    return done_testing();
}
