/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Programs of known power and hardware events: a CPU second of a program of this name takes so many joules, cycles, instructions
 * and cache misses. From looks at the processes of the command, each with its CPU time so far, come the watts of all programs, the events of
 * a process, a control group and a CPU, the CPU time of each CPU as /proc/stat shows it, and the truth: the joules of each program.
 * Between two looks power is that of the CPU time before the first of them, so the truth and the counters of the node follow by one look. Pure:
 * time is an argument.
 */
#ifndef WTL_SIM_PROGRAMS_H
#define WTL_SIM_PROGRAMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <wattle/error.h>

enum { WTL_SIM_PROGRAM_KINDS = 32, WTL_SIM_PROGRAM_GROUPS = 32, WTL_SIM_PROGRAM_EVENTS = 3 };

struct wtl_sim_program {
    char name[16];                           /* as in /proc/PID/comm; "*" = any other */
    double power_w;                          /* of a CPU that runs it */
    double events_s[WTL_SIM_PROGRAM_EVENTS]; /* cycles, instructions, cache misses per CPU second */
    double cpu_s, energy_j;                  /* the truth up to the last look */
};

/* A process in a look; parents come before their children. */
struct wtl_sim_seen {
    pid_t pid, parent;
    int cpu; /* on which it ran last */
    char name[16];
    uint64_t used_ns; /* CPU time of all its threads so far */
    uint32_t groups;  /* bit i: it is in group i of wtl_sim_programs_groups() */
};

struct wtl_sim_programs;

/* text: NAME=WATTS[:IPC[:MISSES]][,...]; instructions per cycle [1], misses per 1000 cycles [1], at 3 GHz. Returns 0, -EINVAL with what is
 * wrong, -ENOMEM. */
int wtl_sim_programs_create(const char *text,
                            int cpus,
                            struct wtl_sim_programs **ret_programs,
                            struct wattle_error *err);
void wtl_sim_programs_destroy(struct wtl_sim_programs *programs); /* accepts NULL */

/* The processes at now_ns, which never decreases; those that are missing have ended. *ret_w: watts of all programs from now on. 0 or
 * -ENOMEM. */
int wtl_sim_programs_look(struct wtl_sim_programs *programs,
                          uint64_t now_ns,
                          const struct wtl_sim_seen *list,
                          size_t n,
                          double *ret_w);

/* What an event counts. */
struct wtl_sim_scope {
    pid_t pid;      /* > 0: of this process */
    bool inherit;   /* and of processes that it starts from now on */
    size_t born;    /* how many processes there were when it was opened */
    int cpu, group; /* -1 = of all; of a CPU, or of a group on a CPU */
};
/* How many processes there have been. */
size_t wtl_sim_programs_born(const struct wtl_sim_programs *programs);
/* Events up to the last look: 0 cycles, 1 instructions, 2 cache misses. */
double wtl_sim_programs_count(const struct wtl_sim_programs *programs,
                              size_t event,
                              const struct wtl_sim_scope *scope);

/* The number of a group, whose processes are told by looks from now on; -ENOSPC, -ENAMETOOLONG. */
int wtl_sim_programs_group(struct wtl_sim_programs *programs, const char *path);
/* Their paths, from the root of the hierarchy; also of groups that are not asked about any more. */
size_t wtl_sim_programs_groups(const struct wtl_sim_programs *programs,
                               const char *paths[WTL_SIM_PROGRAM_GROUPS]);

/* CPU time of all CPUs up to the last look. */
uint64_t wtl_sim_programs_used_ns(const struct wtl_sim_programs *programs);

/* The text of /proc/stat: its length, or -EOVERFLOW. */
ssize_t wtl_sim_programs_stat(const struct wtl_sim_programs *programs,
                              uint64_t now_ns,
                              char *buf,
                              size_t size);

const struct wtl_sim_program *wtl_sim_programs_truth(const struct wtl_sim_programs *programs,
                                                     size_t *ret_count);

#endif
