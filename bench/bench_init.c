/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Goal O5: the cost of wattle_init() and wattle_finalize() to a program, with and without waiting
 * for the counters' ticks, and of finalize after as many samples and regions as an hour has at 10
 * Hz, which were followed while the program ran. Each measurement is a separate process. On a
 * simulated node if possible, else on this machine. For comparison: creating and joining a thread,
 * and writing a file of the trace's size. Prints results; asserts nothing.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <wattle/profiler.h>
#include <wattle/region.h>

#include "bench_spread.h"
#include "bench_time.h"

enum { REPEATS = 30, HOUR_SAMPLES = 36000 };

struct times {
    double init_ms, finalize_ms;
};

/* Regions and samples at a pace that the session can follow, so that little is left at the end. */
static void run_on(uint64_t samples, uint64_t interval_ns)
{
    uint32_t id = wattle_region_id("step");
    uint64_t end_ns = now_ns() + samples * interval_ns;
    while (now_ns() < end_ns) {
        for (int i = 0; i < 5; i++) {
            wattle_region_begin(id);
            wattle_region_end(id);
        }
        (void)nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
}

static struct times measure(int edges, uint64_t interval_ns, uint64_t samples)
{
    struct wattle_profiler_options options = {
        .size = sizeof options, .quiet = 1, .wait_for_edges = edges, .interval_ns = interval_ns};
    uint64_t begin = now_ns();
    int rc = wattle_init(&options);
    uint64_t running = now_ns();
    if (rc < 0)
        exit(1);
    run_on(samples, interval_ns);
    uint64_t ending = now_ns();
    (void)wattle_finalize();
    return (struct times){(double)(running - begin) * 1e-6, (double)(now_ns() - ending) * 1e-6};
}

/* In a separate process: 0 = measured. */
static int in_child(int edges, uint64_t interval_ns, uint64_t samples, struct times *ret_times)
{
    int ends[2], status = 0;
    if (pipe(ends) < 0)
        return -1;
    pid_t pid = fork();
    if (pid == 0) {
        struct times times = measure(edges, interval_ns, samples);
        _exit(write(ends[1], &times, sizeof times) != (ssize_t)sizeof times);
    }
    (void)close(ends[1]);
    ssize_t got = pid > 0 ? read(ends[0], ret_times, sizeof *ret_times) : -1;
    (void)close(ends[0]);
    if (pid > 0)
        (void)waitpid(pid, &status, 0);
    return got == (ssize_t)sizeof *ret_times && status == 0 ? 0 : -1;
}

static void row(const char *title, int edges, uint64_t interval_ns, uint64_t samples, int repeats)
{
    double init[REPEATS], finalize[REPEATS];
    struct times times;
    int n = 0;
    for (int i = 0; i < repeats; i++) {
        if (in_child(edges, interval_ns, samples, &times) < 0)
            continue;
        init[n] = times.init_ms;
        finalize[n++] = times.finalize_ms;
    }
    if (n == 0) {
        printf("%-44s could not be measured\n", title);
        return;
    }
    struct bench_spread begins = bench_spread_of(init, (size_t)n);
    struct bench_spread ends = bench_spread_of(finalize, (size_t)n);
    printf("%-42s init", title);
    bench_spread_print(&begins, 1, 2, "ms");
    printf("\n%-42s finalize", "");
    bench_spread_print(&ends, 1, 2, "ms");
    printf("  n = %d\n", n);
}

static void *nothing(void *unused)
{
    return unused;
}

/* The minimum cost of an init: two threads and a file. */
static void peers(void)
{
    pthread_t threads[2];
    char block[4096] = "";
    uint64_t begin = now_ns();
    for (size_t i = 0; i < 2; i++)
        if (pthread_create(&threads[i], NULL, nothing, NULL) != 0)
            return;
    for (size_t i = 0; i < 2; i++)
        (void)pthread_join(threads[i], NULL);
    uint64_t made = now_ns();
    int fd = open("peer.tmp", O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    for (int i = 0; fd >= 0 && i < 100; i++)
        if (write(fd, block, sizeof block) < 0)
            break;
    if (fd >= 0)
        (void)close(fd);
    (void)unlink("peer.tmp");
    printf("two threads made and joined %.2f ms, 400 KiB written %.2f ms\n",
           (double)(made - begin) * 1e-6, (double)(now_ns() - made) * 1e-6);
}

/* Again, on a simulated node. */
static void on_node(char **argv)
{
    char sim[4096], self[4096], folder[] = "/tmp/wattle-bench-XXXXXX";
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    if (!mkdtemp(folder) || chdir(folder) < 0 || argv[1] || n < 0)
        return;
    self[n] = '\0';
    (void)snprintf(sim, sizeof sim, "%.*s/../wattle-sim", (int)(strrchr(self, '/') - self), self);
    pid_t pid = fork();
    int status = 1;
    if (pid == 0) {
        (void)execl(sim, sim, "run", "--view", "powercap", "--", self, "on-node", (char *)NULL);
        _exit(127);
    }
    if (pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0)
        exit(0);
    printf("no simulated node here: this machine's own sensors\n");
}

int main(int argc, char **argv)
{
    (void)argc;
    (void)setvbuf(stdout, NULL, _IOLBF, 0);
    on_node(argv);
    peers();
    row("without waiting for ticks", -1, 100000000, 1, REPEATS);
    row("waiting for ticks", 1, 100000000, 1, REPEATS);
    row("without waiting, an hour's 36000 samples", -1, 200000, HOUR_SAMPLES, 3);
    return 0;
}
