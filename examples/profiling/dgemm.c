/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dgemm [--size N] [--times N | --seconds S]
 *
 * C = C + A B of N x N numbers, in blocks that fit a cache, repeatedly. Regions "setup", "multiply"
 * (the work loop) and "free", in which its memory is released and nothing is computed. Its result
 * is checked with a vector: C x = times A (B x).
 */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <wattle/profiler.h>

#include "phase.h"

enum { BLOCK = 64 };

static const char usage[] =
    "usage: dgemm [--size 1..20000] [--times 1..1e9 | --seconds 0.01..86400]\n";

static size_t n;
static double *a, *b, *c;

static size_t least(size_t x, size_t y)
{
    return x < y ? x : y;
}

static void multiply_block(size_t i0, size_t k0, size_t j0)
{
    size_t i1 = least(i0 + BLOCK, n), k1 = least(k0 + BLOCK, n), j1 = least(j0 + BLOCK, n);
    for (size_t i = i0; i < i1; i++) {
        for (size_t k = k0; k < k1; k++) {
            double factor = a[i * n + k];
            const double *restrict from = b + k * n;
            double *restrict to = c + i * n;
            for (size_t j = j0; j < j1; j++)
                to[j] += factor * from[j];
        }
    }
}

static void multiply(void)
{
    for (size_t i = 0; i < n; i += BLOCK)
        for (size_t k = 0; k < n; k += BLOCK)
            for (size_t j = 0; j < n; j += BLOCK)
                multiply_block(i, k, j);
}

static void set_up(void)
{
    unsigned long long state = 7;
    a = room(n * n, sizeof *a);
    b = room(n * n, sizeof *b);
    c = room(n * n, sizeof *c);
    for (size_t i = 0; i < n * n; i++) {
        a[i] = draw_unit(&state);
        b[i] = draw_unit(&state);
    }
}

static void apply(const double *matrix, const double *from, double *to)
{
    for (size_t i = 0; i < n; i++) {
        to[i] = 0;
        for (size_t j = 0; j < n; j++)
            to[i] += matrix[i * n + j] * from[j];
    }
}

/* The maximum relative difference between C x and times A (B x). */
static double error_of(double times)
{
    double *x = room(n, sizeof *x), *y = room(n, sizeof *y), *want = room(n, sizeof *want);
    double *got = room(n, sizeof *got), worst = 0;
    unsigned long long state = 11;
    for (size_t i = 0; i < n; i++)
        x[i] = draw_unit(&state);
    apply(b, x, y);
    apply(a, y, want);
    apply(c, x, got);
    for (size_t i = 0; i < n; i++)
        worst = fmax(worst, fabs(got[i] / (times * want[i]) - 1));
    free(x);
    free(y);
    free(want);
    free(got);
    return worst;
}

/* Release the memory, and stay idle for a tenth of the time worked, so that the drop in power is
 * visible. */
static void release(double idle_s)
{
    struct timespec rest = {(time_t)idle_s, (long)((idle_s - floor(idle_s)) * 1e9)};
    free(a);
    free(b);
    free(c);
    (void)nanosleep(&rest, NULL);
}

int main(int argc, char **argv)
{
    double size = 512, times = 0, limit_s = 2, done = 0;
    for (int i = 1; i < argc; i += 2) {
        if (strcmp(argv[i], "--size") == 0) {
            size = number_of(argc, argv, i + 1, 1, 20000, usage);
        } else if (strcmp(argv[i], "--times") == 0) {
            times = number_of(argc, argv, i + 1, 1, 1e9, usage);
        } else if (strcmp(argv[i], "--seconds") == 0) {
            limit_s = number_of(argc, argv, i + 1, 0.01, 86400, usage);
        } else {
            fputs(usage, stderr);
            return 2;
        }
    }
    n = (size_t)size;
    (void)wattle_init(NULL); /* prints its own errors; the program works without it */
    phase_begin("setup");
    set_up();
    phase_end();
    phase_begin("multiply");
    double start = seconds(), spent_s;
    while (times > 0 ? done < times : seconds() - start < limit_s) {
        multiply();
        done++;
    }
    spent_s = seconds() - start;
    phase_end();
    phase_begin("check");
    double error = error_of(done), trace = 0;
    for (size_t i = 0; i < n; i++)
        trace += c[i * n + i];
    phase_end();
    printf("%.0f times in %.3f s: %.3f GFlop/s\n", done, spent_s,
           2 * size * size * size * done / spent_s * 1e-9);
    printf("checksum %.9g, relative error %.2g\n", trace / done, error);
    phase_begin("free");
    release(spent_s / 10);
    phase_end();
    (void)wattle_finalize();
    return !(error < 1e-9);
}
