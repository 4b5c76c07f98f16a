/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Worlds of phases with known truth: rows of counter rates and power of one node, drawn from letters that follow each other
 * either as a semi-Markov chain (any length) or as a program, a structured sequence that every run repeats, on a platform of
 * its own speed and power. Boundaries, letters and joules are readable. A world is repeatable from its configuration;
 * the sequence and the noise have streams of their own, so that the same phases can be seen through any noise.
 *
 *     struct wtl_phase_world_config config = wtl_phase_world_random(7, 14, 2, seed);   // or wtl_phase_world_program()
 *     config.rows = 100000;
 *     config.noise.ar = 0.9;
 *     struct wtl_phase_world *world;
 *     wtl_phase_world_create(&config, &world, &err);
 *     while (wtl_phase_world_next(world, rates, &power_w))
 *         ...
 *     truth = wtl_phase_world_segments(world, &count);
 *     wtl_phase_world_destroy(world);
 *
 * No allocation, no clock, no I/O per row. One thread per world.
 */
#ifndef WTL_SIM_PHASE_WORLD_H
#define WTL_SIM_PHASE_WORLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <wattle/error.h>

enum { WTL_SIM_COUNTERS = 16, WTL_SIM_LETTERS = 32, WTL_SIM_RELEVANT = 4, WTL_SIM_PROGRAMS = 8 };

/* The resources whose speed a platform has of its own. */
enum { WTL_SIM_CPU, WTL_SIM_MEMORY, WTL_SIM_NETWORK, WTL_SIM_RESOURCES };

/* One kind of behaviour, as on the reference platform. */
struct wtl_sim_letter {
    char name[16];
    bool idle;
    double rate[WTL_SIM_COUNTERS];      /* events per second */
    double duration_s;                  /* mean duration; programs give their own */
    double duration_cv;                 /* its coefficient of variation (lognormal); 0 = fixed */
    double share[WTL_SIM_RESOURCES];    /* of the time, spent on each resource; the sum is 1 */
    uint8_t relevant[WTL_SIM_RELEVANT]; /* fluctuations that move the power, strongest first */
    unsigned relevant_count;
    double gain_w; /* W per standard deviation of the strongest; of the k-th, gain_w / (k + 1) */
};

/* What one machine makes of a letter. */
struct wtl_sim_platform {
    char name[24];
    double speed[WTL_SIM_RESOURCES]; /* 1 = the reference */
    double static_w;
    double scale[WTL_SIM_COUNTERS];  /* events per second that cost coef_w; > 0 */
    double coef_w[WTL_SIM_COUNTERS]; /* watts at that rate; 0 = the counter costs nothing */
    double events[WTL_SIM_COUNTERS]; /* events per event of the reference (another ISA); 1 */
    double tdp_w;                    /* as the vendor prints it, for predictions by ratio */
};

/* Fluctuation of counters and power within a letter. All has mean 0; standard deviations are true for each kind. */
struct wtl_sim_noise {
    double snr;        /* noise of counter i has 1/snr of signal[i]; 0 = none */
    double relative;   /* and this share of the letter's rate; added in quadrature */
    double power_snr;  /* mean difference of two letters' power over the noise; 0 = none */
    double ar;         /* correlation from row to row, 0 .. 0.999: 0 is white */
    bool heavy;        /* Student t with 3 degrees of freedom instead of normal */
    double drift;      /* amplitude of a slow sine in standard deviations; 0 = none */
    double drift_rows; /* its period; each counter has a phase of its own */
    double data_cv; /* the data moves the dynamic power of a letter in a run, unseen by counters */
};

struct wtl_phase_world_config {
    const char *names[WTL_SIM_COUNTERS]; /* borrowed; default: the ids of counters/paper.ini */
    size_t columns;
    struct wtl_sim_letter letters[WTL_SIM_LETTERS];
    size_t letter_count;
    double signal[WTL_SIM_COUNTERS]; /* unit of noise.snr, events per second */
    /* Semi-Markov: the next letter by these weights (the diagonal is ignored); all 0 = all alike. */
    double next[WTL_SIM_LETTERS][WTL_SIM_LETTERS];
    /* A program: "LETTER:SECONDS[~CV]" and "( ... )*TIMES", separated by blanks; NULL = semi-Markov. Borrowed until
     * the world is created. */
    const char *program;
    struct wtl_sim_platform platform;
    struct wtl_sim_noise noise;
    double step_s;     /* length of a row */
    uint64_t rows;     /* of a semi-Markov world; > 0. A program: 0 = to its end, else at most */
    uint64_t min_rows; /* shortest stay; 0 = 1 */
    double length;     /* factor of all durations of a program; 0 = 1 */
    double run_cv;     /* variation of the durations of a run together, and of each by half of it */
    double error_rate; /* share of wrong letters in what wtl_phase_world_letter() returns */
    uint64_t seed;     /* of letters, order and platform */
    uint64_t run;      /* number of the run: another one has other noise, durations and data */
    /* Number of the node in the run: all have the same stays and data, each its own noise; odd ones receive what even ones
     * send (the columns of names with SENT and RECV are exchanged). */
    uint64_t node;
};

/* A stay in one letter: rows first .. first + rows - 1. */
struct wtl_sim_segment {
    uint16_t letter;
    uint64_t first, rows;
    double mean_w;   /* without noise and drift */
    double energy_j; /* of the rows drawn so far */
};

struct wtl_phase_world;

/*
 * A semi-Markov world with random order. Letter 0 has all counters at their level; each other one raises
 * `high` counters of its own by a signal, a quarter of the level, or by two once all counters have their letter, and so on:
 * a boundary moves between `high` and 2 * high counters. Durations: 60 rows on average, cv 0.5, at least 16 rows; step 1 s;
 * snr 3, power_snr 3, white noise. rows must be set.
 */
struct wtl_phase_world_config wtl_phase_world_random(size_t letters,
                                                     size_t columns,
                                                     size_t high,
                                                     uint64_t seed);

/* The built-in programs: NULL from WTL_SIM_PROGRAMS on. 0 "lu", 1 "is-ep", 2 "cg", 3 "invert-copy", ... */
const char *wtl_phase_world_program_name(size_t i);
/* Configuration of a built-in program on the reference platform, its letters with the rates of the paper's fourteen counters:
 * 2 % relative noise, steps of 1 s, run_cv 1 %. Returns 0, or -ENOENT. */
int wtl_phase_world_program(const char *name, struct wtl_phase_world_config *ret_config);

/* A random other platform: speeds 0.4 .. 2.5, other costs of each counter, other static power. */
struct wtl_sim_platform wtl_phase_world_platform(uint64_t seed);
/* The reference platform of the programs. */
struct wtl_sim_platform wtl_phase_world_reference(void);

/* Returns 0, -EINVAL with what is wrong, -ENOMEM. */
int wtl_phase_world_create(const struct wtl_phase_world_config *config,
                           struct wtl_phase_world **ret_world,
                           struct wattle_error *err);
void wtl_phase_world_destroy(struct wtl_phase_world *world); /* accepts NULL */

/* The next row: rates[columns] in events per second, mean power. False at the end. */
bool wtl_phase_world_next(struct wtl_phase_world *world, double *rates, double *ret_power_w);
/* The same, and the letter of the row (the truth). */
bool wtl_phase_world_row(struct wtl_phase_world *world,
                         double *rates,
                         double *ret_power_w,
                         uint16_t *ret_letter);

/* The truth. Complete from the start, except energy_j (rows so far). */
const struct wtl_sim_segment *wtl_phase_world_segments(const struct wtl_phase_world *world,
                                                       size_t *ret_count);
uint64_t wtl_phase_world_rows(const struct wtl_phase_world *world);
double wtl_phase_world_energy_j(const struct wtl_phase_world *world); /* of the rows so far */
const struct wtl_phase_world_config *wtl_phase_world_config(const struct wtl_phase_world *world);

/* Mean rates of a letter on this platform, without noise. */
void wtl_phase_world_means(const struct wtl_phase_world *world, uint16_t letter, double *rates);

/* Letter of segment i as a profiler with error_rate sees it; the same at each call. */
uint16_t wtl_phase_world_letter(const struct wtl_phase_world *world, size_t segment);
/* Letter number n of a string of letters of length_s each (the letter in the middle), with errors: -ENOENT past the end. */
int wtl_phase_world_letter_at(const struct wtl_phase_world *world, size_t n, double length_s);

#endif
