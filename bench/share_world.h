/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A simulated package that jobs share, whose power is known for every set of jobs: 16 cores of two threads, up to 8 jobs
 * that are busy and idle at random times, in steps of 1 ms. Each job has threads on CPUs of its own.
 */
#ifndef WTL_BENCH_SHARE_WORLD_H
#define WTL_BENCH_SHARE_WORLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SHARE_CORES = 16, SHARE_CPUS = 2 * SHARE_CORES, SHARE_JOBS = 8 };

/* What makes power differ from CPU time. */
enum share_effect {
    SHARE_SMT = 1,          /* jobs on the two threads of a core */
    SHARE_ACTIVATION = 2,   /* 15 W as soon as one core is busy */
    SHARE_TURBO = 4,        /* one frequency, lower the more cores are busy */
    SHARE_INTERFERENCE = 8, /* jobs that use memory slow each other down */
    SHARE_DATA = 16         /* energy per CPU second differs between jobs, by up to 2 */
};

struct share_job {
    uint32_t cpus;              /* bits: where its threads are */
    double duty;                /* part of the time for which a thread runs in an active phase */
    double active_ms, pause_ms; /* mean lengths of its phases */
    double ipc, memory;         /* instructions and misses of a cycle, relative */
    double heat;                /* energy of a cycle, relative */
    bool active;
    double phase_left_ms;
};

struct share_world {
    unsigned effects;
    size_t jobs;
    struct share_job job[SHARE_JOBS];
    uint64_t seed, at;
    uint32_t running;                  /* bits: CPUs that are busy in this step */
    double shapley_w[1 << SHARE_JOBS]; /* power above idle of each set of jobs, of this step */
};

/* Sums over a look. */
struct share_look {
    double seconds, energy_j; /* with the idle power */
    double busy_s[SHARE_CPUS], used_s[SHARE_JOBS * SHARE_CPUS];
    double cycles[SHARE_JOBS], instructions[SHARE_JOBS], misses[SHARE_JOBS];
    double frequency_ghz[SHARE_CPUS];
    double shapley_j[SHARE_JOBS]; /* truth: the Shapley value of the power in each step */
    double
        heat_j[SHARE_JOBS]; /* truth: what its threads draw; activation equally to the busy CPUs */
};

#define SHARE_IDLE_W 25.0

extern const uint32_t share_core_of[SHARE_CPUS];

void share_world_begin(struct share_world *world, unsigned effects, size_t jobs, uint64_t seed);

/* The next `steps` milliseconds. */
void share_world_look(struct share_world *world, unsigned steps, struct share_look *ret_look);

#endif
