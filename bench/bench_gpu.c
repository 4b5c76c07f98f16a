/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A bare loop of reads of a vendor's library, in this process and without wattle's drivers: what bench_gpu.py compares with.
 *
 *     bench_gpu nvml|rocm|levelzero LIBRARY SECONDS MILLISECONDS
 *
 * Prints one line: channels, then the time and the CPU time of one read in a row of many, in us, and the CPU time in percent of a
 * core of reading all channels each time after so many milliseconds, and of only waking up as often.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench_time.h"
#include "gpu/backend.h"

enum { CHANNELS = 256, ROUNDS = 500 };

static uint64_t interval_ns;

static uint64_t cpu_ns(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void read_all(const struct wtl_gpu_backend *backend,
                     const struct wtl_gpu_list *list,
                     const size_t *channels,
                     size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t raw = 0;
        int rc = backend->read(list, channels[i], &raw);
        if (rc < 0)
            (void)fprintf(stderr, "bench_gpu: %s: %s\n", list->channels[channels[i]].word,
                          strerror(-rc));
    }
}

/* CPU time in percent of a core. */
static double paced(const struct wtl_gpu_backend *backend,
                    const struct wtl_gpu_list *list,
                    const size_t *channels,
                    size_t count,
                    double seconds)
{
    uint64_t begin = now_ns(), cpu = cpu_ns(),
             rounds = (uint64_t)(seconds * 1e9 / (double)interval_ns);
    for (uint64_t i = 1; i <= rounds; i++) {
        uint64_t at = begin + i * interval_ns;
        struct timespec until = {.tv_sec = (time_t)(at / 1000000000),
                                 .tv_nsec = (long)(at % 1000000000)};
        (void)clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
        read_all(backend, list, channels, count);
    }
    return 100 * (double)(cpu_ns() - cpu) / (double)(now_ns() - begin);
}

int main(int argc, char **argv)
{
    static const struct wtl_gpu_backend *const backends[] = {&wtl_gpu_nvml, &wtl_gpu_rocm,
                                                             &wtl_gpu_levelzero};
    const struct wtl_gpu_backend *backend = NULL;
    struct wtl_gpu_list list = {0};
    struct wattle_error err = {""};
    size_t channels[CHANNELS], count = 0;
    for (size_t i = 0; argc == 5 && i < 3; i++)
        backend = strcmp(backends[i]->name, argv[1]) == 0 ? backends[i] : backend;
    if (!backend)
        return puts("bench_gpu: started by bench_gpu.py") < 0;
    if (backend->open(argv[2], &list, &err) < 0) {
        (void)fprintf(stderr, "bench_gpu: %s\n", err.text);
        return 1;
    }
    for (size_t i = 0; i < list.channel_count && count < CHANNELS; i++) {
        if (!list.channels[i].activity && !list.channels[i].spare)
            channels[count++] = i;
    }
    interval_ns = (uint64_t)(strtod(argv[4], NULL) * 1e6);
    uint64_t begin = now_ns(), cpu = cpu_ns();
    for (int i = 0; i < ROUNDS; i++)
        read_all(backend, &list, channels, count);
    double reads = (double)ROUNDS * (double)(count ? count : 1);
    double wall_us = (double)(now_ns() - begin) / reads / 1e3,
           cpu_us = (double)(cpu_ns() - cpu) / reads / 1e3, seconds = strtod(argv[3], NULL);
    double busy = paced(backend, &list, channels, count, seconds),
           idle = paced(backend, &list, channels, 0, seconds / 4);
    (void)printf("%zu %.3f %.3f %.4f %.4f\n", count, wall_us, cpu_us, busy, idle);
    backend->close();
    wtl_gpu_list_fini(&list);
    return 0;
}
