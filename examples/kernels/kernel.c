/* SPDX-License-Identifier: BSD-3-Clause */
#define _POSIX_C_SOURCE 200809L
#include "kernel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double seconds = 10, started;
static long rounds;

static double clock_s(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now); /* cannot fail */
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

void kernel_start(int argc, char **argv, const char *about)
{
    char *end = NULL;
    if (argc == 3 && strcmp(argv[1], "--seconds") == 0)
        seconds = strtod(argv[2], &end);
    if (argc != 1 && !(end && end != argv[2] && !*end && seconds > 0)) {
        int asked = argc == 2 && strcmp(argv[1], "--help") == 0;
        (void)fprintf(asked ? stdout : stderr, "Usage: %s [--seconds N]\n%s\n", argv[0], about);
        exit(asked ? 0 : 2);
    }
    started = clock_s();
}

int kernel_goes_on(void)
{
    return rounds++ == 0 || kernel_time() < seconds;
}

double kernel_time(void)
{
    return clock_s() - started;
}

double kernel_phase(void)
{
    return kernel_time() + (seconds < 1 ? seconds : 1);
}

int kernel_end(const char *what, double value, int verified)
{
    (void)printf("%ld rounds in %.2f s, %s %.6g: %s\n", rounds - 1, kernel_time(), what, value,
                 verified ? "verified" : "wrong");
    return verified ? 0 : 1;
}
