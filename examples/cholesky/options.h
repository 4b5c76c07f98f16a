/* SPDX-License-Identifier: BSD-3-Clause */
/* What the user asks of cholesky. */
#ifndef CHOLESKY_OPTIONS_H
#define CHOLESKY_OPTIONS_H

struct options {
    int n;          /* order of the matrix */
    int tile;       /* order of a tile */
    double seconds; /* factorize again until this much time has passed */
    int reps;       /* exactly so many factorizations; 0: as long as `seconds` says */
};

/*
 * Reads the command line. Returns 1 to go on, or 0 and the exit status in *ret_status after having
 * printed the help (0) or what is wrong (2).
 */
int options_read(int argc, char **argv, struct options *ret_options, int *ret_status);

#endif
