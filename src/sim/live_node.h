/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A node that runs in real time, shared by the threads that serve its files, measure the load and
 * answer requests. Every time is CLOCK_MONOTONIC, read while holding the lock, so that steps and
 * readings are ordered. Requests are words, one per line (an expression may contain blanks):
 *
 *   set NAME=VALUE...    a domain's power (an expression), load (0..1 or auto), f (GHz), a fault from then on, all
 *                        at one instant                    ok TIME
 *   energy [FROM [TO]]   exact joules of each domain    ok FROM TO, then NAME JOULES lines
 *   phases               ok T0, then FROM TO LETTER WATTS lines (ns; mean W of the letter), also of those to come
 *   counts [FROM [TO]]   ok FROM TO, then NAME COUNT lines: exact events
 *   tasks                ok TYPES, then NAME COUNT SECONDS JOULES lines: what tasks really took so far
 *   programs             ok COUNT, then NAME CPU_SECONDS JOULES lines: what programs used so far
 *   kernel GPU NS LEVEL PID [AFTER]   a kernel of this process uses a share (0..1) of a GPU for NS, from now or AFTER
 *                        on, whichever is later         ok FROM UNTIL
 *   log                  all steps so far               ok, then TIME WHAT VALUE lines
 *
 * Any other answer is "error SENTENCE".
 */
#ifndef WTL_SIM_LIVE_NODE_H
#define WTL_SIM_LIVE_NODE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "sim/gpu/gpu_kernels.h"
#include "sim/node.h"
#include "sim/node_tree.h"
#include "sim/phases/pmu.h"
#include "sim/programs/programs.h"
#include "sim/tasks/task_follow.h"

struct wtl_live_step {
    uint64_t time_ns;
    int domain;                   /* index in the node */
    struct wtl_expression *power; /* owned */
};

struct wtl_live {
    pthread_mutex_t lock;
    struct wtl_node *node;       /* owned; NULL before wtl_live_start() */
    const struct wtl_tree *tree; /* borrowed */
    struct wtl_live_step *steps;
    size_t step_count, step_capacity;
    uint64_t now_ns;                    /* the instant of the present call */
    bool load_fixed;                    /* by a request; the meter is ignored */
    struct wtl_sim_pmu *pmu;            /* owned; NULL = perf events are the machine's */
    const struct wtl_expression *speed; /* borrowed; NULL = 1 (speed.h) */
    struct wtl_sim_kernels kernels;     /* on the node's GPUs */
    struct wtl_sim_follow *follow;      /* borrowed; NULL = power does not follow tasks */
    struct wtl_sim_programs *programs;  /* borrowed; NULL = power does not follow programs */
};

void wtl_live_init(struct wtl_live *live, const struct wtl_tree *tree);
void wtl_live_fini(struct wtl_live *live);

/* CLOCK_MONOTONIC. */
uint64_t wtl_live_now(void);

/* Start the node at this instant, which is also t = 0 unless config->t0_ns is set. */
int wtl_live_start(struct wtl_live *live, struct wtl_node_config *config, struct wattle_error *err);

/* Current text of a file, or value of a register, as in node_tree.h. -EAGAIN before the start. */
ssize_t wtl_live_text(struct wtl_live *live,
                      int entry,
                      char buf[WTL_TREE_TEXT],
                      const char **ret_text);
int wtl_live_open(struct wtl_live *live, int entry);
int wtl_live_msr(struct wtl_live *live, int cpu, uint32_t reg, uint64_t *ret_value);

/* Programs of the command have spools in these files: follow their tasks from now on. */
void wtl_live_add_spools(struct wtl_live *live, char *const paths[], size_t count);

/* A look at the processes of the command (programs.h), and the paths of the groups that it tells apart. */
void wtl_live_look(struct wtl_live *live, const struct wtl_sim_seen *list, size_t n);
size_t wtl_live_groups(struct wtl_live *live, const char *paths[WTL_SIM_PROGRAM_GROUPS]);

/* Set the measured load from now on; logged if it changes. */
void wtl_live_load(struct wtl_live *live, double load);
/* Set the frequency from now on: 0, or -EINVAL if it is not above 0. */
int wtl_live_frequency(struct wtl_live *live, double ghz);
/* Write to a file, as in node_tree.h. */
int wtl_live_write(struct wtl_live *live, int entry, const char *text, size_t n);
/* Speed of the command at the present frequency, WTL_SPEED_LEAST .. 1. */
double wtl_live_speed(struct wtl_live *live);

/* Answer one request. *ret_answer is malloc'ed for the caller: returns its length, or -ENOMEM. */
ssize_t wtl_live_request(struct wtl_live *live, const char *text, char **ret_answer);

/* Write the log to `out`; the node must have been started. */
void wtl_live_log(struct wtl_live *live, FILE *out);

#endif
