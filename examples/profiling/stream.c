/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * stream [--size N] [--times N | --seconds S]
 *
 * Like STREAM (McCalpin): four loops over three vectors of N numbers, repeatedly. Regions "setup",
 * and within "work" one for each loop: "copy" c = a, "scale" b = s c, "add" c = a + b, "triad" a =
 * b + s c. The result is checked against a single number that goes through the same operations.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <wattle/profiler.h>
#include <wattle/region.h>

#include "phase.h"

enum { LOOPS = 4 };

static const char usage[] =
    "usage: stream [--size 1000..1e9] [--times 1..1e9 | --seconds 0.01..86400]\n";
static const char *const names[LOOPS] = {"copy", "scale", "add", "triad"};
static const double bytes_of[LOOPS] = {16, 16, 24, 24}; /* per number */
static const double FACTOR = 0.41421; /* (1 + s) s + s^2 is near 1: values do not grow */

static struct {
    size_t n;
    double *restrict a, *restrict b, *restrict c;
} vectors;

static void loop(int which)
{
    double *restrict a = vectors.a, *restrict b = vectors.b, *restrict c = vectors.c;
    size_t n = vectors.n;
    switch (which) {
    case 0:
        for (size_t i = 0; i < n; i++)
            c[i] = a[i];
        break;
    case 1:
        for (size_t i = 0; i < n; i++)
            b[i] = FACTOR * c[i];
        break;
    case 2:
        for (size_t i = 0; i < n; i++)
            c[i] = a[i] + b[i];
        break;
    default:
        for (size_t i = 0; i < n; i++)
            a[i] = b[i] + FACTOR * c[i];
    }
}

static void set_up(size_t n)
{
    vectors.n = n;
    vectors.a = room(n, sizeof(double));
    vectors.b = room(n, sizeof(double));
    vectors.c = room(n, sizeof(double));
    for (size_t i = 0; i < n; i++)
        vectors.a[i] = 1;
}

/* How many numbers differ from the one computed separately. */
static size_t count_wrong(unsigned long long times)
{
    double a = 1, b = 0, c = 0;
    size_t wrong = 0;
    for (unsigned long long t = 0; t < times; t++) {
        c = a;
        b = FACTOR * c;
        c = a + b;
        a = b + FACTOR * c;
    }
    for (size_t i = 0; i < vectors.n; i++)
        wrong += !(fabs(vectors.a[i] - a) <= 1e-8 * a && fabs(vectors.b[i] - b) <= 1e-8 * b &&
                   fabs(vectors.c[i] - c) <= 1e-8 * c);
    return wrong;
}

static double work(double times, double limit_s, double spent_s[LOOPS])
{
    uint32_t ids[LOOPS];
    double done = 0, start = seconds();
    for (int l = 0; l < LOOPS; l++)
        ids[l] = wattle_region_id(names[l]);
    while (times > 0 ? done < times : seconds() - start < limit_s) {
        for (int l = 0; l < LOOPS; l++) {
            double begin = seconds();
            wattle_region_begin(ids[l]);
            loop(l);
            wattle_region_end(ids[l]);
            spent_s[l] += seconds() - begin;
        }
        done++;
    }
    return done;
}

int main(int argc, char **argv)
{
    double size = 2e6, times = 0, limit_s = 2, spent_s[LOOPS] = {0};
    for (int i = 1; i < argc; i += 2) {
        if (strcmp(argv[i], "--size") == 0) {
            size = number_of(argc, argv, i + 1, 1000, 1e9, usage);
        } else if (strcmp(argv[i], "--times") == 0) {
            times = number_of(argc, argv, i + 1, 1, 1e9, usage);
        } else if (strcmp(argv[i], "--seconds") == 0) {
            limit_s = number_of(argc, argv, i + 1, 0.01, 86400, usage);
        } else {
            fputs(usage, stderr);
            return 2;
        }
    }
    (void)wattle_init(NULL); /* prints its own errors; the program works without it */
    phase_begin("setup");
    set_up((size_t)size);
    phase_end();
    phase_begin("work");
    double done = work(times, limit_s, spent_s);
    phase_end();
    phase_begin("check");
    size_t wrong = count_wrong((unsigned long long)done);
    phase_end();
    for (int l = 0; l < LOOPS; l++)
        printf("%-6s %10.3f GB/s\n", names[l],
               bytes_of[l] * (double)vectors.n * done / spent_s[l] * 1e-9);
    printf("%.0f times, checksum %.9g, %zu of %zu numbers are wrong\n", done, vectors.a[0], wrong,
           3 * vectors.n);
    free(vectors.a);
    free(vectors.b);
    free(vectors.c);
    (void)wattle_finalize();
    return wrong != 0;
}
