/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Phases of the programs in this folder: each is a wattle region, and before it begins the command
 * in PHASE_COMMAND, if set, runs with the phase's name as its argument. The script "node" uses this
 * to step the power of a simulated node.
 */
#ifndef PROFILING_PHASE_H
#define PROFILING_PHASE_H

#include <stddef.h>

/* Begin the phase `name`; the previous one must have ended. */
void phase_begin(const char *name);
void phase_end(void);

/* Seconds on CLOCK_MONOTONIC. */
double seconds(void);

/* The number in argv[i] after an option, or the usage and exit status 2. */
double number_of(int argc, char **argv, int i, double least, double greatest, const char *usage);

/* Zeroed memory that is really allocated; or an error and exit status 1. */
void *room(size_t count, size_t size);

/* The next random number: splitmix64; and one in 0 .. 1. */
unsigned long long draw(unsigned long long *state);
double draw_unit(unsigned long long *state);

#endif
