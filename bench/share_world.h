/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A simulated package shared by jobs, whose power is known for every set of jobs: 16 cores of two
 * threads, up to 8 jobs that are busy and idle at random times, in steps of 1 ms. Each job has
 * separate CPUs.
 */
#ifndef WTL_BENCH_SHARE_WORLD_H
#define WTL_BENCH_SHARE_WORLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SHARE_CORES = 16, SHARE_CPUS = 2 * SHARE_CORES, SHARE_JOBS = 8 };

/* Effects that make power differ from CPU time. */
enum share_effect {
    SHARE_SMT = 1,          /* jobs on the two threads of a core */
    SHARE_ACTIVATION = 2,   /* 15 W as soon as one core is busy */
    SHARE_TURBO = 4,        /* one frequency, which drops with the number of busy cores */
    SHARE_INTERFERENCE = 8, /* jobs that use memory slow each other down */
    SHARE_DATA = 16         /* energy per CPU second differs between jobs, by a factor of up to 2 */
};

struct share_job {
    uint32_t cpus;              /* bits: the CPUs of its threads */
    double duty;                /* fraction of the time for which a thread runs in an active
                                 * phase */
    double active_ms, pause_ms; /* mean lengths of its phases */
    double ipc, memory;         /* instructions and misses per cycle, relative */
    double heat;                /* energy per cycle, relative */
    /* Memory: counted misses per cycle, traffic beyond them (prefetching, writing back) relative to them, energy of
     * a byte relative to other jobs' (how often rows are opened), resident memory. */
    double misses, uncounted, locality, resident;
    bool active;
    double phase_left_ms;
};

struct share_world {
    unsigned effects;
    size_t jobs;
    struct share_job job[SHARE_JOBS];
    uint64_t seed, at;
    uint32_t running;                  /* bits: CPUs that are busy in this step */
    double shapley_w[1 << SHARE_JOBS]; /* power above idle of each set of jobs in this step */
};

/* Sums over the time between two readings. */
struct share_look {
    double seconds, energy_j; /* including idle power */
    double busy_s[SHARE_CPUS], used_s[SHARE_JOBS * SHARE_CPUS];
    double cycles[SHARE_JOBS], instructions[SHARE_JOBS], misses[SHARE_JOBS];
    double frequency_ghz[SHARE_CPUS];
    /* Of memory: the counter, counted misses and real traffic per job; truths as below. */
    double dram_j, dram_misses[SHARE_JOBS], dram_traffic[SHARE_JOBS];
    double dram_shapley_j[SHARE_JOBS], dram_heat_j[SHARE_JOBS];
    double shapley_j[SHARE_JOBS]; /* truth: the Shapley value of the power in each step */
    double
        heat_j[SHARE_JOBS]; /* truth: the power of its threads; activation divided equally between
                             * the busy CPUs */
};

#define SHARE_IDLE_W      25.0
#define SHARE_DRAM_IDLE_W 6.0

extern const uint32_t share_core_of[SHARE_CPUS];

void share_world_begin(struct share_world *world, unsigned effects, size_t jobs, uint64_t seed);

/* Simulate the next `steps` milliseconds. */
void share_world_look(struct share_world *world, unsigned steps, struct share_look *ret_look);

#endif
