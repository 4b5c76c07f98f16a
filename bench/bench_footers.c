/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Goal S1: how many traces per second one core can open, read the totals of, and reduce to those of
 * a run ("wattle reduce" without --output), for 10^2 to 10^5 files, compared with the system calls
 * by themselves. The files are those of a run with 8 channels and 60 metadata keys, in the page
 * cache. Asserts nothing.
 *
 * Usage: bench_footers [FILES]     default 10000; 100000 need 700 MB
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "analysis/cluster/run.h"
#include "analysis/cluster/run_result.h"
#include "analysis/cluster/run_totals.h"
#include "base/parse.h"
#include "bench_spread.h"
#include "trace/reader.h"
#include "trace/writer.h"

enum { CHANNELS = 8, KEYS = 60, ROWS = 100, PER_FOLDER = 1000, REPEATS = 5 };

static const char folder[] = "bench_footers.d";

static void path_of(size_t i, char path[64])
{
    (void)snprintf(path, 64, "%s/%zu/%zu.wtl", folder, i / PER_FOLDER, i);
}

/* One trace of a short run. */
static int write_trace(const char *path)
{
    static const struct wtl_trace_options force = {.force = true};
    struct wtl_trace_writer *writer;
    uint32_t ids[CHANNELS];
    uint64_t values[CHANNELS] = {0};
    char text[32];
    if (wtl_trace_writer_create(path, &force, &writer, NULL) < 0)
        return -1;
    for (unsigned i = 0; i < KEYS; i++) {
        (void)snprintf(text, sizeof text, "machine.fact-%u", i);
        wtl_trace_writer_meta(writer, text, "some words of an ordinary length");
    }
    for (unsigned c = 0; c < CHANNELS; c++) {
        struct wattle_channel channel = {.sensor = "bench",
                                         .domain = WATTLE_DOMAIN_PACKAGE,
                                         .index = (int)c,
                                         .sub = -1,
                                         .quantity = WATTLE_ENERGY,
                                         .kind = WATTLE_COUNTER,
                                         .scale = 61e-6,
                                         .refresh_ns = 976562};
        (void)snprintf(channel.name, sizeof channel.name, "bench:package-%u", c);
        ids[c] = (uint32_t)wtl_trace_writer_channel(writer, &channel);
    }
    uint32_t group = (uint32_t)wtl_trace_writer_group(writer, ids, CHANNELS, 0);
    wtl_trace_writer_window_begin(writer, 1000000000);
    for (uint64_t row = 0; row < ROWS; row++) {
        for (unsigned c = 0; c < CHANNELS; c++)
            values[c] += 100000 + row % 7 * c;
        wtl_trace_writer_row(writer, group, 1000000000 + row * 100000000, values, NULL);
    }
    wtl_trace_writer_window_end(writer, 1000000000 + UINT64_C(100000000) * (ROWS - 1));
    return wtl_trace_writer_finish(writer, NULL);
}

/* The first is written, the others are copies of it: different files on disk. */
static int make_files(size_t files)
{
    char path[64];
    static char bytes[1 << 16];
    ssize_t size = 0;
    (void)mkdir(folder, 0777);
    for (size_t i = 0; i < files; i++) {
        if (i % PER_FOLDER == 0) {
            (void)snprintf(path, sizeof path, "%s/%zu", folder, i / PER_FOLDER);
            (void)mkdir(path, 0777);
        }
        path_of(i, path);
        int code = i == 0 ? write_trace(path) : 0;
        int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
        if (fd < 0 || code < 0)
            return -1;
        if (i == 0)
            size = read(fd, bytes, sizeof bytes);
        else if (write(fd, bytes, (size_t)size) != size)
            size = -1;
        (void)close(fd);
        if (size <= 0)
            return -1;
    }
    printf("%zu files of %zd bytes\n", files, size);
    return 0;
}

static void remove_files(size_t files)
{
    char path[64];
    for (size_t i = 0; i < files; i++) {
        path_of(i, path);
        (void)unlink(path);
        if (i % PER_FOLDER == PER_FOLDER - 1 || i + 1 == files) {
            *strrchr(path, '/') = 0;
            (void)rmdir(path);
        }
    }
    (void)rmdir(folder);
}

/* ---- work per file ---- */

static double just_read(const char *path)
{
    static char bytes[16384];
    struct stat status = {0};
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    off_t from = fstat(fd, &status) == 0 && status.st_size > 16384 ? status.st_size - 16384 : 0;
    double got = (double)pread(fd, bytes, sizeof bytes, from);
    (void)close(fd);
    return got;
}

static double energies(const char *path)
{
    struct wtl_trace_reader *reader;
    struct wtl_summary summary;
    double sum_j = 0;
    if (wtl_trace_reader_open(path, &reader, NULL) < 0)
        return NAN;
    for (size_t c = 0; c < wtl_trace_reader_channel_count(reader); c++)
        if (wtl_trace_reader_summary(reader, c, &summary, NULL) == 0)
            sum_j += summary.amount;
    wtl_trace_reader_close(reader);
    return sum_j;
}

static double whole_result(const char *path)
{
    struct wtl_trace_reader *reader;
    struct wtl_result result;
    double sum_j = NAN;
    if (wtl_trace_reader_open(path, &reader, NULL) < 0)
        return NAN;
    if (wtl_run_result_read(reader, path, &result, NULL) == 0) {
        sum_j = result.wall_time_s;
        wtl_result_fini(&result);
    }
    wtl_trace_reader_close(reader);
    return sum_j;
}

/* All files as nodes of one run: rows, order, clocks, totals. */
static double reduce(size_t files)
{
    struct wtl_run *run = NULL;
    struct wtl_run_totals totals;
    char(*paths)[64] = calloc(files, sizeof *paths), **words = calloc(files, sizeof *words);
    double sum_j = NAN;
    for (size_t i = 0; paths && words && i < files; i++) {
        path_of(i, paths[i]);
        words[i] = paths[i];
    }
    if (paths && words && wtl_run_open(words, files, NULL, &run, NULL) == 0 &&
        wtl_run_totals_of(run, &totals, NULL) == 0) {
        if (wtl_run_node_count(run) == files && wtl_run_refused_count(run) == 0)
            sum_j = totals.wall_s;
        wtl_run_totals_fini(&totals);
    }
    wtl_run_close(run);
    free(paths);
    free(words);
    return sum_j;
}

static double cpu_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Prints the median CPU time per file in seconds. */
static double measure(const char *what, double (*visit)(const char *path), size_t files)
{
    double seconds[REPEATS], sum = 0;
    char path[64];
    for (int k = 0; k < REPEATS; k++) {
        double begin_s = cpu_s();
        for (size_t i = 0; i < files; i++) {
            path_of(i, path);
            sum += visit(path);
        }
        seconds[k] = (cpu_s() - begin_s) / (double)files;
    }
    struct bench_spread spread = bench_spread_of(seconds, REPEATS);
    printf("%8zu files, %-36s ", files, what);
    bench_spread_print(&spread, 1e6, 2, "us");
    printf(", %7.0f/s%s\n", 1 / spread.median, isnan(sum) ? " FAILED" : "");
    return spread.median;
}

/* Prints the median CPU time per file of a reduction in seconds, and the ratio to the system calls
 * by themselves. */
static double measure_reduction(size_t files, double alone_s)
{
    double seconds[REPEATS], sum = 0;
    for (int k = 0; k < REPEATS; k++) {
        double begin_s = cpu_s();
        sum += reduce(files);
        seconds[k] = (cpu_s() - begin_s) / (double)files;
    }
    struct bench_spread spread = bench_spread_of(seconds, REPEATS);
    printf("%8zu files, %-36s ", files, "wattle reduce: rows, order, totals");
    bench_spread_print(&spread, 1e6, 2, "us");
    printf(", %7.0f/s, %.2f times open, read, close%s\n", 1 / spread.median,
           spread.median / alone_s, isnan(sum) ? " FAILED" : "");
    return spread.median;
}

int main(int argc, char **argv)
{
    uint64_t files = 10000;
    struct rusage usage;
    if (argc > 2 || (argc == 2 && wtl_parse_u64(argv[1], &files) < 0) || files < 100) {
        fprintf(stderr, "usage: bench_footers [FILES]\n");
        return 2;
    }
    if (make_files(files) < 0) {
        fprintf(stderr, "bench_footers: cannot write %s\n", folder);
        remove_files(files);
        return 1;
    }
    double least = 0, most = 0, least_run = 0, most_run = 0;
    for (size_t n = 100; n <= files; n *= 10) {
        double alone_s = measure("open, read, close alone", just_read, n);
        most = measure("energies of all channels", energies, n);
        least = n == 100 ? most : least;
        (void)measure("the whole result", whole_result, n);
        most_run = measure_reduction(n, alone_s);
        least_run = n == 100 ? most_run : least_run;
        getrusage(RUSAGE_SELF, &usage);
        printf("%8zu files, memory at most %ld KiB\n", n, usage.ru_maxrss);
    }
    if (files >= 1000)
        printf("S1: exponent of time over 100 .. %zu files: %.3f, of a reduction %.3f\n", files,
               1 + log(most / least) / log((double)files / 100),
               1 + log(most_run / least_run) / log((double)files / 100));
    remove_files(files);
    return 0;
}
