/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The cost of making the report of a long run: 8 channels of power at 1 kHz with 4 channels of
 * activity at 10 Hz, for 10 min and for 1 h (28.8 M samples), and a run with 10^7 marks on 16
 * threads. For each: time, CPU time and peak memory of `wattle report` and of its figures, and the
 * size of the page; for comparison `wattle stats` and a bare pass over all samples of the same
 * trace. Each is a separate process; best of three. Asserts nothing.
 *
 * Usage: bench_report [MINUTES]     of the long run; default 60
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
#include "trace/reader.h"
#include "trace/writer.h"

#include "bench_node.h"

enum { POWER = BENCH_NODE_CHANNELS, OTHERS = 4, TIMES = 3, THREADS = 16 };
static const size_t piece_rows = 600000; /* 10 min at 1 kHz */

static char program[4096]; /* wattle */

/* ---- traces ---- */

static struct wtl_trace_writer *create(const char *path, uint32_t groups[2])
{
    struct wtl_trace_options options = {.force = true};
    struct wtl_trace_writer *writer;
    struct wattle_error err;
    uint32_t ids[POWER + OTHERS];
    if (wtl_trace_writer_create(path, &options, &writer, &err) < 0) {
        fprintf(stderr, "bench_report: %s\n", err.text);
        exit(1);
    }
    for (uint32_t c = 0; c < POWER + OTHERS; c++) {
        struct wattle_channel channel = {.sensor = "bench",
                                         .sub = -1,
                                         .index = (int)c,
                                         .domain = WATTLE_DOMAIN_PACKAGE,
                                         .flags = c < POWER ? WATTLE_CHANNEL_PRIMARY : 0,
                                         .quantity = c < POWER ? WATTLE_ENERGY : WATTLE_FREQUENCY,
                                         .kind = c < POWER ? WATTLE_COUNTER : WATTLE_GAUGE,
                                         .scale = c < POWER ? BENCH_NODE_UNIT_J : 1000,
                                         .refresh_ns = c < POWER ? 976562 : 0};
        (void)snprintf(channel.name, sizeof channel.name, "bench:%s-%u",
                       c < POWER ? "package" : "frequency", c);
        ids[c] = (uint32_t)wtl_trace_writer_channel(writer, &channel);
    }
    groups[0] = (uint32_t)wtl_trace_writer_group(writer, ids, POWER, 0);
    groups[1] = (uint32_t)wtl_trace_writer_group(writer, ids + POWER, OTHERS, 0);
    return writer;
}

static void write_piece(struct wtl_trace_writer *writer,
                        const uint32_t groups[2],
                        const struct bench_recording *rec,
                        uint64_t start_ns,
                        uint64_t base[POWER])
{
    uint64_t values[POWER], others[OTHERS];
    for (size_t r = 0; r < rec->rows; r++) {
        uint64_t now_ns = start_ns + rec->time_ns[r] - rec->time_ns[0];
        for (int c = 0; c < POWER; c++)
            values[c] = base[c] + rec->values[c][r] - rec->values[c][0];
        (void)wtl_trace_writer_row(writer, groups[0], now_ns, values, NULL);
        for (uint64_t c = 0; c < OTHERS; c++)
            others[c] = 2400000 + (r / 100 * 7919 + c * 104729) % 600000;
        if (r % 100 == 0)
            (void)wtl_trace_writer_row(writer, groups[1], now_ns, others, NULL);
        if (r % 50 == 0)
            (void)wtl_trace_writer_poll(writer, now_ns);
    }
    memcpy(base, values, sizeof values);
}

/* Pairs of begin and end, consecutive on each thread. */
static void write_marks(struct wtl_trace_writer *writer,
                        uint64_t start_ns,
                        uint64_t end_ns,
                        size_t n)
{
    struct wtl_trace_process process = {.pid = 1000, .rank = -1, .command = "bench"};
    uint32_t p = (uint32_t)wtl_trace_writer_process(writer, &process);
    uint32_t threads[THREADS], names[2] = {(uint32_t)wtl_trace_writer_string(writer, "assemble"),
                                           (uint32_t)wtl_trace_writer_string(writer, "solve")};
    for (uint32_t t = 0; t < THREADS; t++) {
        struct wtl_trace_thread thread = {.process = p, .tid = 1000 + t, .name = ""};
        threads[t] = (uint32_t)wtl_trace_writer_thread(writer, &thread);
    }
    uint64_t step_ns = (end_ns - start_ns) / (n / THREADS + 1);
    for (size_t i = 0; i < n / THREADS; i++) {
        struct wtl_mark marks[THREADS];
        for (uint32_t t = 0; t < THREADS; t++)
            marks[t] = (struct wtl_mark){.time_ns = start_ns + i * step_ns + t,
                                         .thread = threads[t],
                                         .name = names[i / 2 % 2],
                                         .kind = i % 2 ? WTL_MARK_END : WTL_MARK_BEGIN};
        (void)wtl_trace_writer_marks(writer, marks, THREADS);
    }
}

static void make_trace(const char *path, size_t pieces, size_t marks)
{
    static const struct bench_family family = {"1 kHz", BENCH_TICKING, 1000, 0.01, 5};
    struct bench_recording rec = bench_recording_make(&family, piece_rows);
    uint64_t base[POWER] = {0}, start_ns = UINT64_C(1000000000000), at_ns = start_ns;
    uint32_t groups[2];
    struct wtl_trace_writer *writer = create(path, groups);
    (void)wtl_trace_writer_window_begin(writer, start_ns);
    for (size_t i = 0; i < pieces; i++) {
        write_piece(writer, groups, &rec, at_ns, base);
        at_ns += rec.time_ns[rec.rows - 1] - rec.time_ns[0] + 1000000;
    }
    if (marks)
        write_marks(writer, start_ns, at_ns, marks);
    (void)wtl_trace_writer_window_end(writer, at_ns);
    (void)wtl_trace_writer_finish(writer, NULL);
    bench_recording_free(&rec);
}

/* ---- processes ---- */

struct cost {
    double wall_s, cpu_s, mib;
};

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Read all samples in sequence. */
static int bare_pass(const char *path)
{
    struct wtl_trace_reader *reader;
    struct wtl_trace_samples *samples;
    struct wtl_trace_chunk chunk;
    struct wtl_trace_range all = {.end_ns = UINT64_MAX};
    uint64_t sum = 0;
    if (wtl_trace_reader_open(path, &reader, NULL) < 0 ||
        wtl_trace_samples_open(reader, &all, &samples, NULL) < 0)
        return 1;
    while (wtl_trace_samples_next(samples, &chunk, NULL) > 0)
        for (size_t c = 0; c < chunk.column_count; c++)
            sum += chunk.columns[c].values[chunk.rows - 1];
    wtl_trace_samples_close(samples);
    wtl_trace_reader_close(reader);
    return sum == 1; /* used, so that nothing is optimised away */
}

static _Noreturn void run_wattle(const char *const *words)
{
    int null = open("/dev/null", O_WRONLY);
    (void)dup2(null, STDOUT_FILENO);
    (void)execv(program, (char *const *)words);
    perror(program);
    _exit(127);
}

/* words[0] NULL: the bare pass over path. */
static struct cost cost_of(const char *const *words, const char *path)
{
    struct cost best = {.wall_s = 1e9};
    for (int i = 0; i < TIMES; i++) {
        struct rusage usage;
        int status;
        double begin_s = now_s();
        pid_t pid = fork();
        if (pid == 0 && words[0])
            run_wattle(words);
        if (pid == 0)
            _exit(bare_pass(path));
        if (pid < 0 || wait4(pid, &status, 0, &usage) < 0 || status != 0) {
            fprintf(stderr, "bench_report: %s failed\n", words[0] ? words[1] : "the bare pass");
            exit(1);
        }
        double wall_s = now_s() - begin_s;
        if (wall_s < best.wall_s)
            best = (struct cost){
                .wall_s = wall_s,
                .cpu_s = (double)usage.ru_utime.tv_sec + (double)usage.ru_stime.tv_sec +
                         1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec),
                .mib = (double)usage.ru_maxrss / 1024};
    }
    return best;
}

static double size_of(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 ? (double)about.st_size : 0;
}

static void show(const char *what, struct cost cost)
{
    printf("  %-34s %8.3f s %8.3f s cpu %8.1f MiB\n", what, cost.wall_s, cost.cpu_s, cost.mib);
    (void)fflush(stdout);
}

/* A row of results for one trace, which a separate process creates: otherwise this process's peak
 * memory would count for those it starts. */
static void measure(const char *name, size_t pieces, size_t marks)
{
    static const char trace[] = "bench_report.wtl", page[] = "bench_report.html";
    static const char figure[] = "bench_report.svg";
    char title[64];
    const char *report[] = {program, "report", "--force", "-o", page, trace, NULL};
    const char *json[] = {program, "report", "--force", "--format", "json",
                          "-o",    page,     trace,     NULL};
    const char *stats[] = {program, "stats", "--regions", trace, NULL}, *none[] = {NULL};
    int status = 1;
    (void)fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        make_trace(trace, pieces, marks);
        _exit(0);
    }
    if (pid < 0 || waitpid(pid, &status, 0) < 0 || status != 0)
        exit(1);
    printf("%s: %.1f M samples, trace of %.1f MiB\n", name,
           ((double)pieces * (double)piece_rows * (POWER + OTHERS / 100.0)) * 1e-6,
           size_of(trace) / 0x1p20);
    show("bare pass over the samples", cost_of(none, trace));
    show("wattle stats --regions", cost_of(stats, trace));
    show("wattle report --format json", cost_of(json, trace));
    double document = size_of(page);
    (void)unlink(page);
    show("wattle report", cost_of(report, trace));
    double whole = size_of(page);
    for (size_t kind = 0; kind < 2; kind++) {
        static const char *const kinds[] = {"power", "distribution"};
        const char *plot[] = {program,    "report",    "--force", "--plot", figure,
                              "--figure", kinds[kind], trace,     NULL};
        (void)snprintf(title, sizeof title, "wattle report --plot, %s", kinds[kind]);
        show(title, cost_of(plot, trace));
    }
    printf("  figure of %.0f KiB\n", size_of(figure) / 1024);
    printf("  page of %.0f KiB; its document, indented, %.0f KiB\n", whole / 1024, document / 1024);
    (void)unlink(figure);
    (void)unlink(trace);
    (void)unlink(page);
}

int main(int argc, char **argv)
{
    uint64_t minutes = 60;
    char name[64];
    if (argc > 1 && (wtl_parse_u64(argv[1], &minutes) < 0 || minutes < 10)) {
        fprintf(stderr, "usage: bench_report [MINUTES]    at least 10\n");
        return 2;
    }
    ssize_t n = readlink("/proc/self/exe", program, sizeof program - 32);
    char *slash = n > 0 ? strrchr(program, '/') : NULL;
    if (!slash)
        return 1;
    memcpy(slash, "/../wattle", sizeof "/../wattle");
    measure("10 min, 8 channels at 1 kHz", 1, 0);
    (void)snprintf(name, sizeof name, "%u min, 8 channels at 1 kHz", (unsigned)minutes);
    measure(name, minutes / 10, 0);
    measure("10 min, and 10^7 marks of 16 threads", 1, 10000000);
    return 0;
}
