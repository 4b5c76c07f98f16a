/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Phases of the programs in this folder: a region of wattle each, and before it begins the command of PHASE_COMMAND, if
 * there is one, with the phase's name as its argument. The script "node" steps the power of a simulated node by it.
 */
#ifndef PROFILING_PHASE_H
#define PROFILING_PHASE_H

#include <stddef.h>

/* The phase `name` begins; another one must have ended. */
void phase_begin(const char *name);
void phase_end(void);

/* Seconds on CLOCK_MONOTONIC. */
double seconds(void);

/* A number of argv[i] behind an option, or the usage and exit status 2. */
double number_of(int argc, char **argv, int i, double least, double greatest, const char *usage);

/* Memory of zeros that is there, not only promised; or a sentence and exit status 1. */
void *room(size_t count, size_t size);

/* The next random number: splitmix64; and one in 0 .. 1. */
unsigned long long draw(unsigned long long *state);
double draw_unit(unsigned long long *state);

#endif
