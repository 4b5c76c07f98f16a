/* SPDX-License-Identifier: BSD-3-Clause */
/* The command line of cholesky: every number is checked, since a wrong one may cost memory or
 * hours. */
#include "options.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N_MAX 200000

static const char help[] =
    "Usage: cholesky [--n N] [--tile NB] [--seconds S | --reps R]\n"
    "\n"
    "Factorizes a symmetric positive definite N x N matrix, A = L L^T, tile by tile on OpenBLAS,\n"
    "again and again, and checks the result.\n"
    "\n"
    "  --n N        order of the matrix (default 4096); takes 8 N^2 bytes of memory\n"
    "  --tile NB    order of a tile (default 256)\n"
    "  --seconds S  factorize until S seconds have passed (default 10)\n"
    "  --reps R     factorize exactly R times\n"
    "  --help       this text\n"
    "\n"
    "The number of threads is OpenBLAS's: OPENBLAS_NUM_THREADS.\n";

static int read_int(const char *option, const char *text, int max, int *ret_value)
{
    char *end;
    long value;

    errno = 0;
    value = strtol(text, &end, 10);
    if (errno || end == text || *end || value < 1 || value > max) {
        fprintf(stderr, "cholesky: %s %s: not a number from 1 to %d\n", option, text, max);
        return -EINVAL;
    }
    *ret_value = (int)value;
    return 0;
}

static int read_seconds(const char *option, const char *text, double *ret_value)
{
    char *end;
    double value;

    errno = 0;
    value = strtod(text, &end);
    if (errno || end == text || *end || !isfinite(value) || value <= 0 || value > 1e6) {
        fprintf(stderr, "cholesky: %s %s: not a number of seconds above 0\n", option, text);
        return -EINVAL;
    }
    *ret_value = value;
    return 0;
}

static int read_one(struct options *options, const char *option, const char *text)
{
    if (strcmp(option, "--n") == 0)
        return read_int(option, text, N_MAX, &options->n);
    if (strcmp(option, "--tile") == 0)
        return read_int(option, text, N_MAX, &options->tile);
    if (strcmp(option, "--reps") == 0)
        return read_int(option, text, 1000000, &options->reps);
    return read_seconds(option, text, &options->seconds);
}

static int is_known(const char *option)
{
    return strcmp(option, "--n") == 0 || strcmp(option, "--tile") == 0 ||
           strcmp(option, "--reps") == 0 || strcmp(option, "--seconds") == 0;
}

int options_read(int argc, char **argv, struct options *ret_options, int *ret_status)
{
    struct options options = {.n = 4096, .tile = 256, .seconds = 10.0, .reps = 0};

    *ret_status = 2;
    for (int i = 1; i < argc; i += 2) {
        if (strcmp(argv[i], "--help") == 0) {
            fputs(help, stdout);
            *ret_status = 0;
            return 0;
        }
        if (!is_known(argv[i])) {
            fprintf(stderr, "cholesky: %s: unknown; try --help\n", argv[i]);
            return 0;
        }
        if (i + 1 == argc) {
            fprintf(stderr, "cholesky: %s: its value is missing\n", argv[i]);
            return 0;
        }
        if (read_one(&options, argv[i], argv[i + 1]))
            return 0;
    }
    if (options.tile > options.n)
        options.tile = options.n;
    *ret_options = options;
    return 1;
}
