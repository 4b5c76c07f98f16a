/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by the kernels: --seconds N (how long to run, default 10) and a clock. */
#ifndef KERNEL_H
#define KERNEL_H

#include <stdint.h>

/* Parse the options; exits with usage when they are wrong. */
void kernel_start(int argc, char **argv, const char *about);
/* Whether to begin another round: at least one, and until the time is over. */
int kernel_goes_on(void);
/* Seconds since the start. */
double kernel_time(void);
/* When a phase that begins now ends: in a second, or earlier if the run is shorter. */
double kernel_phase(void);
/* Print the rounds and a checked value; the exit status: 0 if `verified`. */
int kernel_end(const char *what, double value, int verified);

/* A fast generator of random numbers (xorshift64*); state must not be 0. */
static inline uint64_t kernel_random(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * 0x2545f4914f6cdd1dU;
}

static inline double kernel_uniform(uint64_t *state)
{
    return (double)(kernel_random(state) >> 11) * 0x1p-53;
}

#endif
