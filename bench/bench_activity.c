/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The cost of one read of the estimate and of CPU time on this machine, per source of busy time,
 * compared with the bare pread of the same file: medians and means of rounds. Prints results.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "bench_spread.h"
#include "source/busy.h"
#include "source/driver.h"

extern const struct wtl_driver wtl_driver_estimate, wtl_driver_cputime;

#define ROUNDS 41
#define READS  500

static void print(const char *what, double ns[ROUNDS])
{
    struct bench_spread spread = bench_spread_of(ns, ROUNDS);
    printf("  %-28s ", what);
    bench_spread_print(&spread, 1, 0, "ns");
    putchar('\n');
}

static double now_ns(void)
{
    return (double)wtl_world_monotonic(wtl_world_real());
}

static double time_driver(struct wtl_source *source)
{
    struct wattle_reading out[4];
    double start = now_ns();
    for (int i = 0; i < READS; i++)
        source->driver->read(source, 0, source->count, out);
    return (now_ns() - start) / READS;
}

static double time_bare(int fd)
{
    char text[256];
    double start = now_ns();
    for (int i = 0; i < READS; i++) {
        if (pread(fd, text, sizeof text, 0) <= 0)
            return 0;
    }
    return (now_ns() - start) / READS;
}

static void measure(const char *busy, const char *path)
{
    struct wtl_setting list[] = {{"estimate", "busy", busy}, {"cputime", "busy", busy}};
    struct wtl_settings settings = {.count = 2, .list = list};
    struct wtl_source estimate, cputime;
    struct wattle_error err;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || wtl_source_open(&estimate, &wtl_driver_estimate, wtl_world_real(), &settings,
                                  NULL, &err) < 0) {
        printf("%s: not here\n", busy);
        return;
    }
    if (wtl_source_open(&cputime, &wtl_driver_cputime, wtl_world_real(), &settings, NULL, &err) ==
        0) {
        double bare[ROUNDS], with[ROUNDS], time[ROUNDS];
        for (int r = 0; r < ROUNDS; r++) {
            bare[r] = time_bare(fd);
            with[r] = time_driver(&estimate);
            time[r] = time_driver(&cputime);
        }
        printf("%s (%s)\n", busy, path);
        print("bare pread", bare);
        print("estimate, one read", with);
        print("cputime, machine", time);
        wtl_source_close(&cputime);
    }
    wtl_source_close(&estimate);
    (void)close(fd);
}

int main(void)
{
    printf("cost of a read, median of %d rounds of %d\n", ROUNDS, READS);
    measure("cpuacct", "/sys/fs/cgroup/cpuacct/cpuacct.usage");
    measure("stat", "/proc/stat");
    measure("schedstat", "/proc/schedstat");
    return 0;
}
