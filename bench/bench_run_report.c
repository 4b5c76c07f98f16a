/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The cost of making the report of a run of many nodes: traces of 3 channels sampled every 10 s for
 * 10 h, on 96 and on 1536 nodes (the size of the machine in the paper on MonEQ). For each: time,
 * CPU time and peak memory of `wattle report`, of its document and of a figure, with the output
 * size. Each is a separate process. Asserts nothing.
 *
 * Usage: bench_run_report [NODES [HOURS]]     default 1536 and 10; 300 MB of traces
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/parse.h"
#include "trace/writer.h"

enum { CHANNELS = 3, STEP_S = 10 };
#define SECOND UINT64_C(1000000000)

static const char folder[] = "bench_run_report.d", page[] = "bench_run_report.out";

static void path_of(size_t node, char path[64])
{
    (void)snprintf(path, 64, "%s/n%zu.wtl", folder, node);
}

static void describe(struct wtl_trace_writer *writer, size_t node, uint32_t ids[CHANNELS])
{
    static const char *const names[] = {"package-0", "package-1", "dram-0"};
    char name[32];
    (void)snprintf(name, sizeof name, "n%zu", node);
    wtl_trace_writer_meta(writer, "run.id", "bench");
    wtl_trace_writer_meta(writer, "node.name", name);
    wtl_trace_writer_meta(writer, "host.name", name);
    wtl_trace_writer_meta(writer, "sampler.interval_ns", "10000000000");
    for (unsigned c = 0; c < CHANNELS; c++) {
        struct wattle_channel channel = {.sensor = "bench",
                                         .domain =
                                             c < 2 ? WATTLE_DOMAIN_PACKAGE : WATTLE_DOMAIN_DRAM,
                                         .index = (int)(c % 2),
                                         .sub = -1,
                                         .quantity = WATTLE_ENERGY,
                                         .kind = WATTLE_COUNTER,
                                         .flags = WATTLE_CHANNEL_PRIMARY,
                                         .scale = 1e-6,
                                         .refresh_ns = 1000000};
        (void)snprintf(channel.name, sizeof channel.name, "bench:%s", names[c]);
        ids[c] = (uint32_t)wtl_trace_writer_channel(writer, &channel);
    }
}

/* Nodes have separate clocks; their power steps every hour and varies. */
static int write_node(size_t node, uint64_t rows)
{
    static const struct wtl_trace_options force = {.force = true};
    struct wtl_trace_writer *writer;
    uint64_t values[CHANNELS] = {0}, zero = (node + 1) * 1000 * SECOND;
    struct wtl_clock_pair pair = {zero, zero, 1700000000 * SECOND};
    uint32_t ids[CHANNELS];
    char path[64];
    path_of(node, path);
    if (wtl_trace_writer_create(path, &force, &writer, NULL) < 0)
        return -1;
    describe(writer, node, ids);
    uint32_t group = (uint32_t)wtl_trace_writer_group(writer, ids, CHANNELS, 0);
    wtl_trace_writer_clocks(writer, &pair);
    wtl_trace_writer_window_begin(writer, zero);
    for (uint64_t row = 0; row < rows; row++) {
        uint64_t now = zero + row * STEP_S * SECOND;
        if (row + 1 == rows)
            wtl_trace_writer_window_end(writer, now);
        wtl_trace_writer_row(writer, group, now, values, NULL);
        wtl_trace_writer_poll(writer, now);
        for (unsigned c = 0; c < CHANNELS; c++)
            values[c] += STEP_S * (UINT64_C(80000000) + row / 360 % 3 * 30000000 +
                                   (row * 7919 + node * 104729) % 1000 * 5000);
    }
    return wtl_trace_writer_finish(writer, NULL);
}

static double seconds(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Run wattle with these words; print cost and output size. */
static void measure(const char *program, const char *what, const char *const *words)
{
    struct rusage usage;
    struct stat about = {0};
    int status = -1;
    double from = seconds();
    (void)fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        int null = open("/dev/null", O_RDWR | O_CLOEXEC);
        (void)dup2(null, STDOUT_FILENO);
        (void)execv(program, (char *const *)words);
        _exit(127);
    }
    if (pid < 0 || wait4(pid, &status, 0, &usage) < 0 || status != 0) {
        printf("  %-14s failed\n", what);
        return;
    }
    double took = seconds() - from;
    double cpu = (double)usage.ru_utime.tv_sec + 1e-6 * (double)usage.ru_utime.tv_usec +
                 (double)usage.ru_stime.tv_sec + 1e-6 * (double)usage.ru_stime.tv_usec;
    (void)stat(page, &about);
    printf("  %-14s %6.2f s, %6.2f s of processor, %5.1f MiB at most, makes %7.2f MiB\n", what,
           took, cpu, (double)usage.ru_maxrss / 1024, (double)about.st_size / 1048576);
    (void)unlink(page);
}

static int bench(const char *program, size_t nodes, uint64_t hours)
{
    const char *const html[] = {"wattle", "report", "--force", "-o", page, folder, NULL};
    const char *const json[] = {"wattle", "report", "--force", "--format", "json",
                                "-o",     page,     folder,    NULL};
    const char *const stats[] = {"wattle", "stats", "bench_run_report.d/n0.wtl", NULL};
    char path[64];
    int code = 0;
    (void)mkdir(folder, 0777);
    for (size_t i = 0; i < nodes && code == 0; i++)
        code = write_node(i, hours * 3600 / STEP_S);
    printf("%zu nodes, %lu h, a sample each %d s\n", nodes, (unsigned long)hours, STEP_S);
    if (code == 0) {
        measure(program, "report", html);
        measure(program, "report, json", json);
        measure(program, "stats of one", stats);
    }
    for (size_t i = 0; i < nodes; i++) {
        path_of(i, path);
        (void)unlink(path);
    }
    (void)rmdir(folder);
    return code;
}

/* wattle of the same build: ../wattle relative to the folder of this program. */
static int find_wattle(char *path, size_t n)
{
    ssize_t length = readlink("/proc/self/exe", path, n - 1);
    if (length <= 0)
        return -1;
    path[length] = '\0';
    for (int up = 0; up < 2; up++) {
        char *slash = strrchr(path, '/');
        if (!slash)
            return -1;
        *slash = '\0';
    }
    (void)strncat(path, "/wattle", n - strlen(path) - 1);
    return access(path, X_OK);
}

int main(int argc, char **argv)
{
    uint64_t nodes = 1536, hours = 10;
    char program[4096];
    if ((argc > 1 && wtl_parse_u64(argv[1], &nodes) < 0) ||
        (argc > 2 && wtl_parse_u64(argv[2], &hours) < 0) || nodes < 1 || hours < 1) {
        (void)fputs("usage: bench_run_report [NODES [HOURS]]\n", stderr);
        return 2;
    }
    if (find_wattle(program, sizeof program) < 0) {
        (void)fputs("bench_run_report: no bin/wattle beside bin/bench\n", stderr);
        return 1;
    }
    if (nodes > 96 && bench(program, 96, hours) < 0)
        return 1;
    return bench(program, nodes, hours) < 0;
}
