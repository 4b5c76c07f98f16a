/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Usage: make_tasks TRACE TASKS THREADS TASK_US
 *
 * A trace of an invented program with invented power, marked as simulated: iterations of a blocked factorization, in which
 * one thread does a dpotrf while the others spin in a barrier, then all do dtrsm, dsyrk and dgemm, and then the first waits
 * in MPI_Recv; in every third iteration the others sleep instead of spinning. The node draws 90 W, 9 W for each thread that
 * works, 7.5 W for one that spins or waits for MPI, 0 W for one that sleeps; the sockets have 25 W and half of the threads
 * each. Prints what is known: energy, times and counts. For tests, the pictures of the guide, and bench_lanes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <wattle/task.h>

#include "trace/writer.h"

#define MS    UINT64_C(1000000)
#define START (UINT64_C(1000) * 1000 * MS)

enum { MOST_THREADS = 256, METERS = 3 };
enum { DPOTRF, DTRSM, DSYRK, DGEMM, TASKWAIT, RECV, NAMES };

static const char *const texts[NAMES] = {"dpotrf", "dtrsm",    "dsyrk",
                                         "dgemm",  "taskwait", "MPI_Recv"};

struct meter {
    double power_w, energy_j;
};

static struct world {
    struct wtl_trace_writer *writer;
    uint32_t group, names[NAMES], threads[MOST_THREADS];
    unsigned thread_count;
    uint64_t now_ns, row_ns, tasks, number, state, task_ns;
    struct meter meters[METERS]; /* node, two sockets */
    uint64_t count[NAMES], time_ns[NAMES];
} w;

static double dice(void)
{
    w.state = w.state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(w.state >> 33) / 2147483648.0;
}

static void count_energy(uint64_t to_ns)
{
    for (int i = 0; i < METERS; i++)
        w.meters[i].energy_j += w.meters[i].power_w * (double)(to_ns - w.now_ns) * 1e-9;
    w.now_ns = to_ns;
}

/* Time goes on: rows of the counters on the way. */
static void go_on(uint64_t to_ns)
{
    for (; w.row_ns <= to_ns; w.row_ns += MS) {
        uint64_t values[METERS];
        count_energy(w.row_ns);
        for (int i = 0; i < METERS; i++)
            values[i] = (uint64_t)(w.meters[i].energy_j * 1e6);
        (void)wtl_trace_writer_row(w.writer, w.group, w.row_ns, values, NULL);
        if (w.row_ns % (500 * MS) == 0)
            (void)wtl_trace_writer_poll(w.writer, w.row_ns);
    }
    count_energy(to_ns);
}

static void mark(unsigned thread, unsigned kind, int name, uint64_t value)
{
    struct wtl_mark one = {.time_ns = w.now_ns,
                           .thread = w.threads[thread],
                           .name = w.names[name],
                           .value = value,
                           .kind = (enum wtl_mark_kind)kind};
    (void)wtl_trace_writer_marks(w.writer, &one, 1);
}

/* A thread draws more or less than before. */
static void draw(unsigned thread, double more_w)
{
    w.meters[0].power_w += more_w;
    w.meters[thread < w.thread_count / 2 ? 1 : 2].power_w += more_w;
}

/* Tasks on all threads until none is left; then all wait. */
static void work(uint64_t tasks)
{
    uint64_t ends[MOST_THREADS], runs[MOST_THREADS] = {0};
    int names[MOST_THREADS];
    unsigned running = w.thread_count;
    for (unsigned i = 0; i < w.thread_count; i++)
        ends[i] = w.now_ns;
    for (uint64_t n = 0; running > 0;) {
        unsigned first = w.thread_count;
        for (unsigned i = 0; i < w.thread_count; i++)
            if (ends[i] && (first == w.thread_count || ends[i] < ends[first]))
                first = i;
        go_on(ends[first]);
        if (runs[first])
            mark(first, WATTLE_TASK_DONE, names[first], runs[first]);
        if (n == tasks) {
            ends[first] = 0;
            running--;
            mark(first, WATTLE_STATE_ENTER + WATTLE_STATE_SYNC, TASKWAIT, 0);
            draw(first, -1.5);
            continue;
        }
        names[first] = n < w.thread_count ? DTRSM : dice() < 0.15 ? DSYRK : DGEMM;
        uint64_t length_ns = (uint64_t)((double)w.task_ns * (0.7 + 0.6 * dice()));
        w.count[names[first]]++;
        w.time_ns[names[first]] += length_ns;
        ends[first] = w.now_ns + length_ns;
        runs[first] = ++w.number;
        mark(first, WATTLE_TASK_RUN, names[first], runs[first]);
        n++;
    }
}

/* Thread 0 does something while the others spin or sleep. */
static void alone(int name, uint64_t length_ns, double power_w, int sleep)
{
    int task = name == DPOTRF;
    uint64_t number = task ? ++w.number : 0;
    w.count[name]++;
    w.time_ns[name] += length_ns;
    mark(0, task ? WATTLE_TASK_RUN : WATTLE_STATE_ENTER + WATTLE_STATE_MPI, name, number);
    draw(0, power_w - 7.5);
    for (unsigned i = 1; sleep && i < w.thread_count; i++)
        draw(i, -7.5);
    go_on(w.now_ns + length_ns);
    for (unsigned i = 1; sleep && i < w.thread_count; i++)
        draw(i, 7.5);
    draw(0, 7.5 - power_w);
    mark(0, task ? WATTLE_TASK_DONE : WATTLE_STATE_LEAVE + WATTLE_STATE_MPI, name, number);
}

static void run(uint64_t tasks)
{
    unsigned rounds = 12;
    uint64_t weights = rounds * (rounds + 1) / 2, left = tasks;
    for (unsigned i = 0; i < w.thread_count; i++) {
        mark(i, WATTLE_STATE_ENTER + WATTLE_STATE_SYNC, TASKWAIT, 0);
        draw(i, 7.5);
    }
    for (unsigned k = 0; k < rounds; k++) {
        uint64_t some = k + 1 < rounds ? tasks * (rounds - k) / weights : left;
        uint64_t step_ns = some * w.task_ns / w.thread_count / 8 + 2 * w.task_ns;
        left -= some;
        alone(DPOTRF, step_ns, 9, k % 3 == 2);
        for (unsigned i = 0; i < w.thread_count; i++) {
            mark(i, WATTLE_STATE_LEAVE + WATTLE_STATE_SYNC, TASKWAIT, 0);
            draw(i, 1.5);
        }
        work(some);
        alone(RECV, step_ns, 7.5, k % 3 == 2);
    }
    for (unsigned i = 0; i < w.thread_count; i++)
        mark(i, WATTLE_STATE_LEAVE + WATTLE_STATE_SYNC, TASKWAIT, 0);
}

static int begin(const char *path)
{
    static const char *const sensors[METERS] = {"hwmon", "powercap", "powercap"};
    struct wtl_trace_options force = {.force = true};
    struct wtl_trace_process process = {.pid = 4711, .rank = -1, .command = "cholesky"};
    uint32_t ids[METERS];
    if (wtl_trace_writer_create(path, &force, &w.writer, NULL) < 0)
        return -1;
    (void)wtl_trace_writer_meta(w.writer, "run.command", "./cholesky 16384 256");
    (void)wtl_trace_writer_meta(w.writer, "run.target", "command");
    for (int i = 0; i < METERS; i++) {
        struct wattle_channel channel = {.scale = 1e-6,
                                         .sub = -1,
                                         .index = i > 0 ? i - 1 : 0,
                                         .refresh_ns = MS,
                                         .quantity = WATTLE_ENERGY,
                                         .kind = WATTLE_COUNTER,
                                         .flags = WATTLE_CHANNEL_SIMULATED,
                                         .domain =
                                             i > 0 ? WATTLE_DOMAIN_PACKAGE : WATTLE_DOMAIN_NODE};
        (void)snprintf(channel.sensor, sizeof channel.sensor, "%s", sensors[i]);
        (void)snprintf(channel.name, sizeof channel.name, "%s:%s-%d", sensors[i],
                       i > 0 ? "package" : "node", i > 0 ? i - 1 : 0);
        if (i > 0)
            (void)snprintf(channel.within, sizeof channel.within, "hwmon:node-0");
        channel.flags |= WATTLE_CHANNEL_PRIMARY;
        ids[i] = (uint32_t)wtl_trace_writer_channel(w.writer, &channel);
    }
    w.group = (uint32_t)wtl_trace_writer_group(w.writer, ids, METERS, 0);
    struct wtl_trace_thread thread = {
        .process = (uint32_t)wtl_trace_writer_process(w.writer, &process), .name = "cholesky"};
    for (unsigned i = 0; i < w.thread_count; i++) {
        thread.tid = 4711 + i;
        w.threads[i] = (uint32_t)wtl_trace_writer_thread(w.writer, &thread);
    }
    for (int i = 0; i < NAMES; i++)
        w.names[i] = (uint32_t)wtl_trace_writer_string(w.writer, texts[i]);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc != 5)
        return 2;
    uint64_t tasks = strtoull(argv[2], NULL, 10);
    w.thread_count = (unsigned)strtoul(argv[3], NULL, 10);
    w.task_ns = strtoull(argv[4], NULL, 10) * 1000;
    w.now_ns = w.row_ns = START - 100 * MS;
    w.meters[0].power_w = 90;
    w.meters[1].power_w = w.meters[2].power_w = 25;
    if (w.thread_count < 2 || w.thread_count > MOST_THREADS || begin(argv[1]) < 0)
        return 1;
    go_on(START);
    (void)wtl_trace_writer_window_begin(w.writer, START);
    double before_j = w.meters[0].energy_j;
    run(tasks);
    double energy_j = w.meters[0].energy_j - before_j, length_s = (double)(w.now_ns - START) * 1e-9;
    (void)wtl_trace_writer_window_end(w.writer, w.now_ns);
    for (unsigned i = 0; i < w.thread_count; i++)
        draw(i, -7.5);
    go_on(w.now_ns + 100 * MS);
    printf("{\"energy_j\": %.9g, \"length_s\": %.9f", energy_j, length_s);
    for (int i = 0; i < NAMES; i++)
        if (i != TASKWAIT)
            printf(", \"%s\": {\"count\": %llu, \"time_s\": %.9f}", texts[i],
                   (unsigned long long)w.count[i], (double)w.time_ns[i] * 1e-9);
    printf("}\n");
    return wtl_trace_writer_finish(w.writer, NULL) < 0;
}
