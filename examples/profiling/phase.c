/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by the three programs: see phase.h. */
#define _POSIX_C_SOURCE 200809L
#include "phase.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <wattle/region.h>

enum { PAGE = 4096 };

static uint32_t current;

void phase_begin(const char *name)
{
    const char *command = getenv("PHASE_COMMAND");
    char line[512];
    if (command && snprintf(line, sizeof line, "%s %s", command, name) < (int)sizeof line) {
        (void)fflush(stdout);
        if (system(line) != 0) /* NOLINT(cert-env33-c): the user's own command */
            fprintf(stderr, "PHASE_COMMAND \"%s\" failed\n", line);
    }
    current = wattle_region_id(name);
    wattle_region_begin(current);
}

void phase_end(void)
{
    wattle_region_end(current);
}

double seconds(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now); /* cannot fail */
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

double number_of(int argc, char **argv, int i, double least, double greatest, const char *usage)
{
    char *end = NULL;
    double value = i < argc ? strtod(argv[i], &end) : NAN;
    if (!end || end == argv[i] || *end || !(value >= least && value <= greatest)) {
        fprintf(stderr, "%s: %s needs a number from %g to %g\n%s", argv[0], argv[i - 1], least,
                greatest, usage);
        exit(2);
    }
    return value;
}

void *room(size_t count, size_t size)
{
    char *memory = calloc(count, size);
    if (!memory) {
        fprintf(stderr, "%zu x %zu bytes: %s; choose a smaller --size\n", count, size,
                strerror(ENOMEM));
        exit(1);
    }
    for (size_t at = 0; at < count * size;
         at += PAGE) /* the system allocates pages when they are written */
        ((volatile char *)memory)[at] = 0;
    return memory;
}

unsigned long long draw(unsigned long long *state)
{
    unsigned long long z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

double draw_unit(unsigned long long *state)
{
    return (double)(draw(state) >> 11) * 0x1p-53;
}
