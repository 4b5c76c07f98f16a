/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Integer sort, as IS of the NAS benchmarks, with the exchange of its keys. Three phases of about a second each: draw keys
 * (processor), rank them by counting (random references to memory), send them to another process and back (communication
 * through a socket).
 */
#define _POSIX_C_SOURCE 200809L
#include "kernel.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { KEYS = 1 << 22, RANGE = 1 << 20, BLOCK = 1 << 16 };

static uint32_t *keys, *sorted, *counts;

/* The other process: returns each block that it receives. */
static void echo(int fd)
{
    static char block[BLOCK];
    for (ssize_t n; (n = read(fd, block, sizeof block)) > 0;) {
        for (ssize_t sent = 0, m; sent < n; sent += m) {
            if ((m = write(fd, block + sent, (size_t)(n - sent))) <= 0)
                _exit(1);
        }
    }
    _exit(0);
}

static int exchange(int fd)
{
    char *all = (char *)keys;
    for (size_t at = 0; at < KEYS * sizeof *keys; at += BLOCK) {
        if (write(fd, all + at, BLOCK) != BLOCK)
            return 0;
        for (size_t got = 0; got < BLOCK;) {
            ssize_t n = read(fd, all + at + got, BLOCK - got);
            if (n <= 0)
                return 0;
            got += (size_t)n;
        }
    }
    return 1;
}

static void rank_keys(void)
{
    memset(counts, 0, (RANGE + 1) * sizeof *counts);
    for (int i = 0; i < KEYS; i++)
        counts[keys[i] + 1]++;
    for (int i = 0; i < RANGE; i++)
        counts[i + 1] += counts[i];
    for (int i = 0; i < KEYS; i++)
        sorted[counts[keys[i]]++] = keys[i];
}

static int is_sorted(uint64_t *sum)
{
    int good = 1;
    for (int i = 1; i < KEYS; i++) {
        good = good && sorted[i - 1] <= sorted[i];
        *sum += sorted[i];
    }
    return good;
}

int main(int argc, char **argv)
{
    int pair[2], good = 1;
    uint64_t state = 314159265, sum = 0;
    kernel_start(argc, argv,
                 "Draw keys, sort them, send them to a process and back: three phases.");
    keys = malloc(KEYS * sizeof *keys);
    sorted = malloc(KEYS * sizeof *sorted);
    counts = malloc((RANGE + 1) * sizeof *counts);
    if (!keys || !sorted || !counts || socketpair(AF_UNIX, SOCK_STREAM, 0, pair) < 0)
        return 1;
    pid_t child = fork();
    if (child == 0) {
        (void)close(pair[0]);
        echo(pair[1]);
    }
    (void)close(pair[1]);
    while (child > 0 && kernel_goes_on()) {
        for (double end = kernel_phase(); kernel_time() < end;) {
            for (int i = 0; i < KEYS; i++)
                keys[i] = (uint32_t)(kernel_random(&state) % RANGE);
        }
        for (double end = kernel_phase(); kernel_time() < end;)
            rank_keys();
        for (double end = kernel_phase(); kernel_time() < end;)
            good = good && exchange(pair[0]);
        good = good && is_sorted(&sum);
    }
    (void)close(pair[0]);
    (void)waitpid(child, NULL, 0);
    return kernel_end("sum of the keys", (double)sum, child > 0 && good);
}
