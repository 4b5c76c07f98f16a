/* SPDX-License-Identifier: BSD-3-Clause */
/* The options of cholesky. */
#ifndef CHOLESKY_OPTIONS_H
#define CHOLESKY_OPTIONS_H

struct options {
    int n;          /* order of the matrix */
    int tile;       /* order of a tile */
    double seconds; /* repeat until this much time has passed */
    int reps;       /* exact number of factorizations; 0: use `seconds` */
};

/*
 * Parses the command line. Returns 1 to continue, or 0 and the exit status in *ret_status after
 * printing the help (0) or an error (2).
 */
int options_read(int argc, char **argv, struct options *ret_options, int *ret_status);

#endif
