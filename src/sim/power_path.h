/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The power of one domain over time, and its exact integral. Power is a staircase by definition:
 * constant inside each part, where a part ends at the next logged step (of the load, the frequency
 * or the expression) and, if the expression depends on t or the power wanders, at the next line of
 * a grid of 100 us; its height is the expression at the middle of the grid cell. So the energy
 * between any two instants is a finite sum without quadrature. Pure: no clock, no I/O.
 */
#ifndef WTL_SIM_POWER_PATH_H
#define WTL_SIM_POWER_PATH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/expression/expression.h"
#include "sim/phases/phase_track.h"

/* The variables of a power expression, in this order: t (s), load (0..1), f (GHz), socket, phases (W of the track), tasks (W of
 * the running tasks), busy (threads in a task), gpu (of a domain gpu: share of it that kernels use), programs (W of
 * the running programs). */
enum {
    WTL_POWER_T,
    WTL_POWER_LOAD,
    WTL_POWER_F,
    WTL_POWER_SOCKET,
    WTL_POWER_PHASES,
    WTL_POWER_TASKS,
    WTL_POWER_BUSY,
    WTL_POWER_GPU,
    WTL_POWER_PROGRAMS,
    WTL_POWER_VARIABLES
};
extern const char *const wtl_power_variables[WTL_POWER_VARIABLES];

enum { WTL_SIM_GPUS = 16 };

/* Inputs of all domains, as steps in time order; the first is at the node's start. */
struct wtl_influence {
    uint64_t time_ns;
    double load;    /* 0 .. 1 */
    double f;       /* GHz */
    double tasks_w; /* of tasks, or of programs */
    unsigned busy;
    float gpu[WTL_SIM_GPUS]; /* 0 .. 1 */
};

struct wtl_influences {
    struct wtl_influence *list;
    size_t count, capacity;
};

/* A part of the staircase: power_w from time_ns to next_ns. */
struct wtl_power_part {
    uint64_t time_ns, next_ns;
    double energy_j; /* from the start to time_ns */
    double power_w;
    double base_w; /* without wander */
    double wander; /* in standard deviations */
    uint64_t cell; /* grid cell */
    size_t influence, program;
};

struct wtl_power_path {
    const struct wtl_influences *influences;
    struct wtl_power_program {
        uint64_t time_ns;
        const struct wtl_expression *power; /* borrowed */
    } * programs;
    size_t program_count, program_capacity;
    uint64_t start_ns, t0_ns, grid_ns;
    const struct wtl_sim_track *track; /* borrowed; NULL = none */
    int socket;
    int gpu;                                  /* -1 = not the domain of a GPU */
    double wander_w, wander_keep, wander_add; /* Ornstein-Uhlenbeck process, per cell */
    uint64_t stream;
    struct wtl_power_part now;
    uint64_t asked_ns; /* results up to here have been returned and cannot change any more */
    struct wtl_power_part *marks;
    size_t mark_count, mark_capacity, since_mark;
    uint64_t undefined; /* parts in which the expression was not a finite number; 0 W was used */
};

struct wtl_power_config {
    const struct wtl_influences *influences; /* borrowed, at least one */
    const struct wtl_expression *power;      /* borrowed */
    uint64_t start_ns;                       /* energy counts from here */
    uint64_t t0_ns;                          /* t = 0 */
    uint64_t grid_ns;                        /* > 0 */
    const struct wtl_sim_track *track;       /* borrowed; NULL = none: phases is not a number */
    int socket;
    int gpu;             /* -1 = not the domain of a GPU: gpu is 0 */
    double wander_w;     /* rms of the wander; 0 = none */
    double wander_tau_s; /* its correlation time, > 0 if wander_w is */
    uint64_t stream;     /* random number stream */
};

/* Returns 0 or -ENOMEM. fini accepts a zeroed path. */
int wtl_power_path_init(struct wtl_power_path *path, const struct wtl_power_config *config);
void wtl_power_path_fini(struct wtl_power_path *path);

/* Joules from the start to time_ns >= start_ns. Cheap in time order; the past is recomputed from
 * marks kept every few hundred parts, with a bit-identical result. */
double wtl_power_path_energy_j(struct wtl_power_path *path, uint64_t time_ns);
/* Watts at time_ns. */
double wtl_power_path_power_w(struct wtl_power_path *path, uint64_t time_ns);

/* Watts that the present expression gives at time_ns with this load and frequency, without wander; 0 if not finite. */
double wtl_power_path_would_w(const struct wtl_power_path *path,
                              uint64_t time_ns,
                              double load,
                              double f);
/* Does the present expression depend on variable i? */
bool wtl_power_path_uses(const struct wtl_power_path *path, size_t i);

/* Use another expression (borrowed) from time_ns on. Returns 0, -ENOMEM, or -EINVAL if that is
 * before another step or before what has already been returned. */
int wtl_power_path_set(struct wtl_power_path *path,
                       uint64_t time_ns,
                       const struct wtl_expression *power);

/* Call it for each path before an influence is added at time_ns: ends the part there. -EINVAL as
 * above, with nothing changed. */
int wtl_power_path_cut(struct wtl_power_path *path, uint64_t time_ns);

#endif
