/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The public recorder and sensors, used as by a program. The program runs on a simulated node of
 * constant power, so that the true energy is that power times the reported window.
 *
 * Invariants are checked at once. The accuracy of a measurement also depends on whether this
 * machine has time to read the counters, so this is waited for, or measured again: a wrong recorder
 * is wrong every time.
 */
#define _GNU_SOURCE
#include <wattle/recorder.h>
#include <wattle/region.h>
#include <wattle/sensors.h>
#include <wattle/trace.h>

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tap.h"

#define PACKAGE_W 50.0
#define DRAM_W    5.0

enum { TRIALS = 20, PATIENCE_MS = 60000 };

static char doubt[200]; /* the last value that was not close enough to the truth */

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

/* Wait until a running recorder has processed a sample of its first channel. */
static bool wait_for_sample(struct wattle_recorder *r)
{
    struct wattle_summary energy = {.size = sizeof energy};
    for (long waited_ms = 0; energy.samples == 0 && waited_ms < PATIENCE_MS; waited_ms += 10) {
        sleep_ms(10);
        if (wattle_recorder_summary(r, 0, &energy, NULL) != 0)
            return false;
    }
    return energy.samples > 0;
}

static struct wattle_recorder_options defaults(void)
{
    return (struct wattle_recorder_options){.size = sizeof(struct wattle_recorder_options),
                                            .sensors = "powercap",
                                            .interval_ns = 20000000};
}

static void test_bad_options(void)
{
    struct wattle_recorder *const untouched = (struct wattle_recorder *)&(char){0};
    struct wattle_recorder *r = untouched;
    struct wattle_error err = {""};
    struct wattle_recorder_options options = defaults();
    is_int(wattle_recorder_create(NULL, &r, &err), -EINVAL, "no options: %s", err.text);
    is_int(wattle_recorder_create(&options, NULL, &err), -EINVAL, "no result: %s", err.text);
    options.size = 0;
    is_int(wattle_recorder_create(&options, &r, &err), -EINVAL, "no size: %s", err.text);
    ok(strstr(err.text, "sizeof") != NULL, "the sentence says what to set");
    options = defaults();
    options.interval_ns = UINT64_MAX;
    is_int(wattle_recorder_create(&options, &r, &err), -EINVAL, "no interval: %s", err.text);
    options.interval_ns = 10; /* a mistake: milliseconds */
    is_int(wattle_recorder_create(&options, &r, &err), -EINVAL, "nor this: %s", err.text);
    ok(strstr(err.text, " ns;") != NULL, "the unit is said");
    options = defaults();
    options.trace = "";
    is_int(wattle_recorder_create(&options, &r, &err), -EINVAL, "no path: %s", err.text);
    options = defaults();
    options.sensors = "dowser";
    is_int(wattle_recorder_create(&options, &r, &err), -EINVAL, "no such sensor: %s", err.text);
    ok(strstr(err.text, "dowser") != NULL, "which is named");
    options.sensors = "hwmon";
    is_int(wattle_recorder_create(&options, &r, &err), -ENODEV, "none there: %s", err.text);
    options = defaults();
    options.trace = "no-such-folder/run.wtl";
    is_int(wattle_recorder_create(&options, &r, &err), -ENOENT, "no folder: %s", err.text);
    ok(strstr(err.text, "options.trace") != NULL, "the remedy is one for programs");
    is_int(wattle_recorder_create(&options, &r, NULL), -ENOENT, "err may be NULL");
    ok(r == untouched, "no failure touched the result");
    is_int(wattle_recorder_start(NULL, &err), -EINVAL, "start of NULL");
    is_int(wattle_recorder_stop(NULL, &err), -EINVAL, "stop of NULL");
    is_int((intmax_t)wattle_recorder_channel_count(NULL), 0, "channels of NULL");
    wattle_recorder_destroy(NULL);
}

static void test_order_of_calls(void)
{
    struct wattle_recorder *r = NULL;
    struct wattle_error err = {""};
    struct wattle_recorder_options options = defaults();
    struct wattle_summary energy = {.size = sizeof energy};
    if (!ok(wattle_recorder_create(&options, &r, &err) == 0, "creates %s", err.text))
        return;
    is_int(wattle_recorder_stop(r, &err), -EINVAL, "stop before start: %s", err.text);
    is_int(wattle_recorder_summary(r, 0, &energy, NULL), 0, "energy before start");
    ok(isnan(energy.energy_j) && energy.window_ns == 0, "is not known");
    is_int(wattle_recorder_start(r, &err), 0, "start");
    is_int(wattle_recorder_start(r, &err), -EALREADY, "start again: %s", err.text);
    sleep_ms(20);
    is_int(wattle_recorder_stop(r, &err), 0, "stop");
    is_int(wattle_recorder_stop(r, &err), -EALREADY, "stop again");
    is_int(wattle_recorder_start(r, &err), -EALREADY, "start after stop");
    is_int(wattle_recorder_summary(r, 99, &energy, NULL), -EINVAL, "no such channel");
    is_int(wattle_recorder_summary(r, 99, &energy, &err), -EINVAL, "says %s", err.text);
    ok(strstr(err.text, "no channel 99") != NULL, "which one");
    energy.size = 8;
    is_int(wattle_recorder_summary(r, 0, &energy, NULL), -EINVAL, "a wrong size");
    is_int(wattle_recorder_total(r, &energy, NULL, NULL, NULL), -EINVAL, "also of the total");
    ok(wattle_recorder_channel(r, 99) == NULL, "no such channel, either");
    wattle_recorder_destroy(r);

    is_int(wattle_recorder_create(&options, &r, &err), 0, "another one");
    is_int(wattle_recorder_start(r, &err), 0, "starts");
    wattle_recorder_destroy(r);
}

/* Two at the same time, one within the time of the other: neither affects the other's samples or
 * trace. */
static void test_two(void)
{
    struct wattle_recorder *outer = NULL, *inner = NULL, *third = NULL;
    struct wattle_error err = {""};
    struct wattle_recorder_options options = defaults();
    struct wattle_summary long_one = {.size = sizeof long_one},
                          short_one = {.size = sizeof short_one};
    options.trace = "two.wtl";
    options.replace_trace = 1;
    if (!ok(wattle_recorder_create(&options, &outer, &err) == 0, "one recorder %s", err.text))
        return;
    is_int(wattle_recorder_create(&options, &third, &err), -EBUSY, "its trace is taken: %s",
           err.text);
    options.trace = NULL;
    options.interval_ns = 1000000;
    is_int(wattle_recorder_create(&options, &inner, &err), 0, "another one");
    is_int(wattle_recorder_start(outer, &err), 0, "starts");
    is_int(wattle_recorder_start(inner, &err), 0, "and the other");
    ok(wait_for_sample(outer) && wait_for_sample(inner), "both sample");
    is_int(wattle_recorder_stop(inner, &err), 0, "stops");
    is_int(wattle_recorder_stop(outer, &err), 0, "and the other");
    is_int(wattle_recorder_summary(outer, 0, &long_one, &err), 0, "tells");
    is_int(wattle_recorder_summary(inner, 0, &short_one, &err), 0, "and the other");
    ok(long_one.window_ns > short_one.window_ns, "of its own window");
    ok(long_one.samples > 0 && short_one.samples > 0, "from its own samples");
    wattle_recorder_destroy(inner);
    wattle_recorder_destroy(outer);
    (void)unlink("two.wtl");
}

/* A child of fork has a copy of the recorder, but none of its threads, and locks in any state. */
static void test_fork(void)
{
    struct wattle_recorder *r = NULL;
    struct wattle_error err = {""};
    struct wattle_recorder_options options = defaults();
    struct wattle_summary energy = {.size = sizeof energy};
    int status = -1;
    options.interval_ns = 1000000;
    if (!ok(wattle_recorder_create(&options, &r, &err) == 0, "creates %s", err.text))
        return;
    is_int(wattle_recorder_start(r, &err), 0, "starts");
    pid_t pid = fork();
    if (pid == 0) {
        bool refused = wattle_recorder_summary(r, 0, &energy, &err) == -EINVAL &&
                       wattle_recorder_total(r, &energy, NULL, NULL, &err) == -EINVAL &&
                       wattle_recorder_start(r, &err) == -EINVAL &&
                       wattle_recorder_stop(r, &err) == -EINVAL && strstr(err.text, "fork");
        wattle_recorder_destroy(r);
        _exit(refused ? 0 : 1);
    }
    ok(pid > 0 && waitpid(pid, &status, 0) == pid && status == 0, "a child is refused: %x", status);
    ok(wait_for_sample(r), "the parent's goes on");
    is_int(wattle_recorder_stop(r, &err), 0, "and stops");
    is_int(wattle_recorder_summary(r, 0, &energy, &err), 0, "and tells");
    ok(energy.samples > 0, "what it has sampled");
    wattle_recorder_destroy(r);
}

static bool is_near(bool holds, const char *name, const char *what, double got, double want)
{
    if (!holds)
        (void)snprintf(doubt, sizeof doubt, "%s: %s %g, true %g", name, what, got, want);
    return holds;
}

/* Energy compared with power times window, within the interval and a tick of the counter. */
static bool is_true(const struct wattle_summary *energy, double watts, const char *name)
{
    double truth_j = watts * (double)energy->window_ns * 1e-9;
    double half_j = energy->resolution_interval_j;
    return is_near(energy->gaps == 0, name, "gaps", (double)energy->gaps, 0) &&
           is_near(fabs(energy->energy_j - truth_j) <= half_j + watts * 2e-3, name, "J",
                   energy->energy_j, truth_j) &&
           is_near(half_j >= 0 && half_j < 0.2 * truth_j, name, "half width J of", half_j,
                   truth_j) &&
           is_near(fabs(energy->mean - watts) <= 0.05 * watts, name, "mean W", energy->mean, watts);
}

static bool check_energies(struct wattle_recorder *r, const char *when)
{
    struct wattle_summary energy = {.size = sizeof energy};
    const char *contains = NULL, *excludes = NULL;
    double sum_j = 0;
    bool near = true;
    for (size_t i = 0; i < wattle_recorder_channel_count(r); i++) {
        const struct wattle_channel *channel = wattle_recorder_channel(r, i);
        is_int(wattle_recorder_summary(r, i, &energy, NULL), 0, "%s: energy of %s", when,
               channel->name);
        ok(channel->flags & WATTLE_CHANNEL_SIMULATED, "is marked as simulated");
        near = near && is_true(&energy, channel->domain == WATTLE_DOMAIN_DRAM ? DRAM_W : PACKAGE_W,
                               channel->name);
        if (!isnan(energy.energy_j))
            is_double(energy.high_j - energy.low_j, 2 * energy.resolution_interval_j, 1e-9,
                      "nothing but resolution is in its interval");
        if (channel->flags & WATTLE_CHANNEL_IN_TOTAL)
            sum_j += energy.energy_j;
    }
    is_int(wattle_recorder_total(r, &energy, &contains, &excludes, NULL), 0, "%s: total", when);
    is_str(contains, "package + dram of 1 socket", "what it contains");
    is_str(excludes, "GPUs, network, disks, fans, supply loss", "what it leaves out");
    if (strcmp(when, "stopped") == 0)
        is_double(energy.energy_j, sum_j, 1e-9, "is the sum of the channels that say so");
    return near && is_near(fabs(energy.latest - PACKAGE_W - DRAM_W) < 0.2 * PACKAGE_W, "display",
                           "W", energy.latest, PACKAGE_W + DRAM_W);
}

/* What the recorder returned is in its trace. */
static void check_trace(const char *path, struct wattle_recorder *r)
{
    struct wattle_trace *trace = NULL;
    struct wattle_error err = {""};
    uint64_t start_ns = 0, end_ns = 0;
    if (!ok(wattle_trace_open(path, &trace, &err) == 0, "the trace opens %s", err.text))
        return;
    is_int(wattle_trace_is_complete(trace), 1, "is complete");
    is_int(wattle_trace_window(trace, &start_ns, &end_ns), 0, "has a window");
    is_str(wattle_trace_metadata(trace, "sampler.interval_ns"), "20000000", "says its interval");
    is_str(wattle_trace_metadata(trace, "run.target"), "machine", "and what was measured");
    ok(wattle_trace_metadata(trace, "kernel.release") != NULL, "and where");
    is_int((intmax_t)wattle_trace_channel_count(trace), (intmax_t)wattle_recorder_channel_count(r),
           "as many channels");
    for (size_t i = 0; i < wattle_trace_channel_count(trace); i++) {
        struct wattle_summary stored = {.size = sizeof stored};
        struct wattle_summary energy = {.size = sizeof energy};
        is_int(wattle_trace_summary(trace, i, &stored, &err), 0, "stored energy");
        (void)wattle_recorder_summary(r, i, &energy, NULL); /* checked before */
        is_double(stored.energy_j, energy.energy_j, 1e-9 * energy.energy_j, "the same");
        is_int((intmax_t)(end_ns - start_ns), (intmax_t)energy.window_ns, "over the same window");
        is_int(wattle_trace_channel(trace, i)->flags & WATTLE_CHANNEL_IN_TOTAL,
               wattle_recorder_channel(r, i)->flags & WATTLE_CHANNEL_IN_TOTAL, "in total or not");
    }
    wattle_trace_close(trace);
}

/* Another process works at the same time: the trace has the flag, as with "wattle run". On a
 * machine with many CPUs its time shows only after a while. */
static void test_not_alone(void)
{
    struct wattle_recorder_options options = defaults();
    bool flagged = false;
    options.trace = "beside.wtl";
    options.replace_trace = 1;
    for (long ms = 300; ms < PATIENCE_MS && !flagged; ms *= 3) {
        struct wattle_recorder *r = NULL;
        struct wattle_trace *trace = NULL;
        pid_t pid = fork();
        while (pid == 0)
            if (getppid() == 1)
                _exit(1);
        if (!ok(pid > 0 && wattle_recorder_create(&options, &r, NULL) == 0, "a recorder"))
            break;
        is_int(wattle_recorder_start(r, NULL), 0, "starts");
        sleep_ms(ms);
        is_int(wattle_recorder_stop(r, NULL), 0, "stops");
        wattle_recorder_destroy(r);
        (void)kill(pid, SIGKILL);
        (void)waitpid(pid, NULL, 0);
        if (!ok(wattle_trace_open(options.trace, &trace, NULL) == 0, "its trace"))
            break;
        flagged = wattle_trace_metadata(trace, "flag.NOT ALONE") != NULL;
        ok(wattle_trace_metadata(trace, "flag.NOT CHECKED") == NULL, "it was looked at");
        ok(wattle_trace_metadata(trace, "run.command") != NULL, "it says which program this was");
        ok(wattle_trace_metadata(trace, "machine.cpu_s") != NULL, "and what the machine did");
        wattle_trace_close(trace);
    }
    ok(flagged, "somebody was beside");
    (void)unlink(options.trace);
}

static atomic_int asking;

/* Queries while another thread starts and stops: for the thread sanitizer, and never a wrong
 * window. */
static void *ask(void *argument)
{
    struct wattle_recorder *r = argument;
    size_t wrong = 0;
    uint64_t last_ns = 0;
    while (atomic_load(&asking)) {
        struct wattle_summary energy = {.size = sizeof energy};
        wrong += wattle_recorder_summary(r, 0, &energy, NULL) != 0 || energy.window_ns < last_ns;
        wrong += wattle_recorder_total(r, &energy, NULL, NULL, NULL) != 0;
        (void)wattle_recorder_summary(r, 0, &energy, NULL);
        last_ns = energy.window_ns;
        sleep_ms(1);
    }
    return (void *)(uintptr_t)wrong;
}

/* One measurement from start to stop. Were its energies close to the truth? */
static bool measure(const char *path, int wait_for_edges)
{
    pthread_t thread;
    void *wrong = NULL;
    struct wattle_recorder *r = NULL;
    struct wattle_error err = {""};
    struct wattle_recorder_options options = defaults();
    bool near = false;
    options.trace = path;
    options.wait_for_edges = wait_for_edges;
    (void)unlink(path);
    if (!ok(wattle_recorder_create(&options, &r, &err) == 0, "creates with a trace %s", err.text))
        return false;
    is_int((intmax_t)wattle_recorder_channel_count(r), 2, "package and dram");
    atomic_store(&asking, 1);
    int started = pthread_create(&thread, NULL, ask, r);
    is_int(started, 0, "a thread that asks");
    is_int(wattle_recorder_start(r, &err), 0, "starts");
    for (int looks = 0; !near && looks < TRIALS; looks++) {
        sleep_ms(500);
        near = check_energies(r, "running");
    }
    is_int(wattle_recorder_stop(r, &err), 0, "stops %s", err.text);
    atomic_store(&asking, 0);
    if (started == 0)
        (void)pthread_join(thread, &wrong);
    is_int((intmax_t)(uintptr_t)wrong, 0, "its answers were good, and windows only grew");
    near = check_energies(r, "stopped") && near;
    check_trace(path, r);
    wattle_recorder_destroy(r);
    return near;
}

static void test_energies(const char *path, int wait_for_edges)
{
    bool near = false;
    for (int trials = 0; !near && trials < TRIALS; trials++)
        near = measure(path, wait_for_edges);
    ok(near, "energies are the true ones%s%s", near ? "" : "; but ", near ? "" : doubt);
}

static void test_trace_exists(const char *path)
{
    struct wattle_recorder *r = NULL;
    struct wattle_error err = {""};
    struct wattle_recorder_options options = defaults();
    struct stat before, after;
    options.trace = path;
    (void)stat(path, &before);
    is_int(wattle_recorder_create(&options, &r, &err), -EEXIST, "a trace is there: %s", err.text);
    ok(strstr(err.text, "options.replace_trace") != NULL, "the remedy is one for programs");
    ok(stat(path, &after) == 0 && after.st_size == before.st_size, "it is left as it was");
    options.replace_trace = 1;
    is_int(wattle_recorder_create(&options, &r, &err), 0, "force replaces it %s", err.text);
    wattle_recorder_destroy(r);
}

/* Regions of another thread, which persists while recorders come and go. */
static void *visit(void *argument)
{
    atomic_int *turn = argument;
    uint32_t id = wattle_region_id("visit");
    for (int last = 0; last >= 0;) {
        int now = atomic_load(turn);
        if (now > last) {
            wattle_region_begin(id);
            sleep_ms(50);
            wattle_region_end(id);
            atomic_store(turn, 0);
        }
        last = now < 0 ? now : 0;
        sleep_ms(1);
    }
    return NULL;
}

/* The trace of a recorder has `count` visits of 50 ms at 50 W. Is their energy close to the
 * truth? */
static bool check_visits(const char *path, uint64_t count)
{
    struct wattle_trace *trace = NULL;
    struct wattle_error err = {""};
    struct wattle_region_summary region = {.size = sizeof region};
    struct wattle_region_energy energy = {.size = sizeof energy};
    if (!ok(wattle_trace_open(path, &trace, &err) == 0, "the trace opens %s", err.text))
        return false;
    is_int(wattle_trace_region_count(trace, &err), 2, "has the region, and what is outside");
    is_int(wattle_trace_region(trace, 1, &region, &err), 0, "the region %s", err.text);
    is_str(region.name, "visit", "its name");
    is_int((intmax_t)region.count, (intmax_t)count, "as often as it was visited");
    is_int(wattle_trace_region_energy(trace, 1, 0, &energy, &err), 0, "its energy %s", err.text);
    double truth_j = PACKAGE_W * (double)region.union_ns * 1e-9;
    double allowed_j = 3 * energy.inclusive_interval_j + 0.05 * truth_j;
    wattle_trace_close(trace);
    return is_near(fabs(energy.inclusive_j - truth_j) <= allowed_j, path, "J", energy.inclusive_j,
                   truth_j);
}

/* A recorder with a trace that records the regions of that thread, next to one that does not. */
static bool record_visits(const char *path, atomic_int *turn, uint64_t count)
{
    struct wattle_recorder *r = NULL, *other = NULL;
    struct wattle_error err = {""};
    struct wattle_recorder_options options = defaults();
    options.trace = path;
    is_int(wattle_recorder_create(&options, &r, &err), 0, "a recorder %s", err.text);
    options.trace = "regions-other.wtl";
    is_int(wattle_recorder_create(&options, &other, &err), 0, "one beside it %s", err.text);
    is_int(wattle_recorder_start(r, &err), 0, "starts");
    is_int(wattle_recording(), 1, "with it they are");
    is_int(wattle_recorder_start(other, &err), 0, "the other one starts");
    for (uint64_t visits = 0; visits < count; visits++) {
        atomic_store(turn, 1);
        while (atomic_load(turn) != 0)
            sleep_ms(1);
    }
    is_int(wattle_recorder_stop(other, &err), 0, "stops %s", err.text);
    is_int(wattle_recording(), 1, "which is none of its business");
    is_int(wattle_recorder_stop(r, &err), 0, "stops %s", err.text);
    is_int(wattle_recording(), 0, "no more");
    wattle_recorder_destroy(r);
    wattle_recorder_destroy(other);
    bool near = check_visits(path, count);
    (void)unlink("regions-other.wtl");
    (void)unlink(path);
    return near;
}

static void test_regions(void)
{
    static const char *const paths[] = {"regions-1.wtl", "regions-2.wtl"};
    pthread_t thread;
    atomic_int turn = 0;
    if (!ok(pthread_create(&thread, NULL, visit, &turn) == 0, "a thread with regions"))
        return;
    is_int(wattle_recording(), 0, "without a recorder its calls are not recorded");
    for (size_t i = 0; i < 2; i++) {
        bool near = false;
        for (int trials = 0; !near && trials < TRIALS; trials++)
            near = record_visits(paths[i], &turn, i + 1);
        ok(near, "energy of regions is the true one%s%s", near ? "" : "; but ", near ? "" : doubt);
    }
    ok(access("regions-1.wtl.d", F_OK) < 0 && access("regions-2.wtl.d", F_OK) < 0,
       "no spool is left behind");
    atomic_store(&turn, -1);
    (void)pthread_join(thread, NULL);
}

static double now_s(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void test_sensors(void)
{
    struct wattle_sensors *s = NULL;
    struct wattle_error err = {""};
    struct wattle_reading first[8], second[8];
    is_int(wattle_sensors_open("dowser", &s, &err), -EINVAL, "sensors: %s", err.text);
    is_int(wattle_sensors_open("powercap", NULL, &err), -EINVAL, "sensors: %s", err.text);
    if (!ok(wattle_sensors_open("powercap", &s, &err) == 0, "sensors open %s", err.text))
        return;
    size_t n = wattle_sensors_channel_count(s);
    is_int((intmax_t)n, 2, "package and dram");
    is_int(wattle_sensors_read(s, first, n - 1, &err), -EINVAL, "too little room");
    double from_s = now_s();
    is_int(wattle_sensors_read(s, first, 8, NULL), 2, "both are read");
    double after_first_s = now_s();
    sleep_ms(300);
    double before_second_s = now_s();
    is_int(wattle_sensors_read(s, second, 8, NULL), 2, "and again");
    double to_s = now_s();
    for (size_t i = 0; i < n; i++) {
        const struct wattle_channel *channel = wattle_sensors_channel(s, i);
        double watts = channel->domain == WATTLE_DOMAIN_DRAM ? DRAM_W : PACKAGE_W;
        double least_j = watts * (before_second_s - after_first_s - 4e-3);
        double most_j = watts * (to_s - from_s + 4e-3);
        double between_j = wattle_sensors_difference(s, i, &first[i], &second[i]);
        ok(between_j >= least_j && between_j <= most_j, "%s: %g J between, of %g to %g J",
           channel->name, between_j, least_j, most_j);
        double read_s = (double)first[i].time_ns * 1e-9;
        ok(read_s > from_s && read_s < after_first_s, "its time is that of the read");
    }
    const struct wattle_channel *channel = wattle_sensors_channel(s, 0);
    ok(wattle_sensors_channel(s, n) == NULL, "no such channel");
    first[0].raw = channel->modulus - 10;
    second[0].raw = 5;
    is_double(wattle_sensors_difference(s, 0, &first[0], &second[0]), 15 * channel->scale, 1e-9,
              "over a wrap");
    second[0].status = -EIO;
    ok(isnan(wattle_sensors_difference(s, 0, &first[0], &second[0])), "of a failed reading: NaN");
    ok(isnan(wattle_sensors_difference(s, n, &first[0], &first[0])), "no such channel: NaN");
    wattle_sensors_close(s);
    wattle_sensors_close(NULL);
}

int main(int argc, char **argv)
{
    if (argc < 2)
        return on_simulated_node(argv[0]);
    char path[64];
    (void)snprintf(path, sizeof path, "recorder-%d.wtl", (int)getpid());
    test_bad_options();
    test_order_of_calls();
    test_two();
    test_fork();
    test_not_alone();
    test_energies(path, 1);
    test_trace_exists(path);
    (void)unlink(path);
    test_energies(path, 0);
    (void)unlink(path);
    test_regions();
    test_sensors();
    return done_testing();
}
