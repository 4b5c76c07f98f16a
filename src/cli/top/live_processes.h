/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The processes of the machine with their shares of its energy, look by look. Shares are derived from
 * CPU time by the rule of account/share.h, with hardware counters where the machine has some (live_counters.h), of GPUs from the time on them (live_gpus.h); between two looks they and the rest add up to what
 * the total gained, so over time, too. Energy of a time for which CPU time is unknown, such as that before
 * the first look, is unattributed.
 *
 * CPU time is known up to the look, energy up to the newest reading of the sensors, a little before (a
 * slow sensor's: some looks before). CPU time waits until energy has come, and is then taken for that of
 * the energy's own time.
 *
 * Idle power is the given value, else the calibrated one, else that of the estimate, else the mean
 * seen while at most WTL_IDLE_LOAD of the CPUs was busy, else unknown.
 */
#ifndef WTL_CLI_LIVE_PROCESSES_H
#define WTL_CLI_LIVE_PROCESSES_H

#include <stdbool.h>

#include "account/cpu_times.h"
#include "account/process_table.h"
#include "account/share.h"
#include "cli/top/live_gpus.h"
#include "counters/columns/work_counter.h"
#include "source/busy.h"

#define WTL_IDLE_LOAD 0.05

enum { WTL_LIVE_COUNTED = 64 };

struct wtl_live_counted;

/* Zeroed = closed. */
struct wtl_live_counters {
    const struct wtl_world *world; /* NULL = closed */
    struct wtl_work_counter machine;
    struct wtl_share_events total, total_marked, rest;
    struct wtl_live_counted *list;
    size_t count;
};

struct wtl_live_processes {
    const struct wtl_world *world;
    struct wtl_process_table table;
    struct wtl_live_gpus *gpus; /* whose energy is divided as well; NULL = of none */
    struct wtl_busy busy;
    bool has_busy;
    double cpus;
    double load;    /* of all CPUs between the last two updates, 0 to 1; NaN = unknown */
    double seconds; /* between the last two updates; NaN before */
    struct wtl_share_model model;
    struct wtl_node_fit fit;
    struct wtl_live_counters counters; /* closed: CPU time alone, for the reason in no_counters */
    struct wattle_error no_counters;
    struct wtl_cpu_times times;            /* with the calibrated model, or with counters */
    double quiet_s, quiet_j, quiet_busy_s; /* SEEN: what it is the mean of */
    bool known;                            /* there are shares */
    struct wtl_share_rest power_w;         /* when energy last came, in watts */
    struct wtl_share_rest since;           /* since the start or reset, in joules */
    uint64_t look_ns, busy_ns;             /* at the last look */
    double pending_s, pending_busy_s; /* time, and CPU time of the machine, without a share yet */
    double total_j, devices_j;        /* divided up to here; NaN = not known */
    uint64_t total_ns;
    double settled_j; /* of the total, contained in `since`, or before the last reset */
};

/* idle_w: NaN = not given. Returns 0, or why there is no list of processes. */
int wtl_live_processes_open(struct wtl_live_processes *processes,
                            const struct wtl_world *world,
                            double idle_w,
                            struct wattle_error *err);
void wtl_live_processes_close(struct wtl_live_processes *processes);

/* Use a model, by which idle power is known; a given idle power stays. cpus > 0: that it refers to. */
void wtl_live_processes_model(struct wtl_live_processes *processes,
                              const struct wtl_share_model *model,
                              double cpus);

/* Use hardware counters from now on, after the model; where that is not possible, no_counters says why. */
void wtl_live_processes_count(struct wtl_live_processes *processes);

/* Update: the energy of the total from the start to total_ns (NaN = unknown), that of devices in it, its quality, and the
 * power that is shown for it (NaN = none), of which the powers of the processes are parts. Returns 0 or -errno. */
int wtl_live_processes_look(struct wtl_live_processes *processes,
                            double total_j,
                            double devices_j,
                            uint64_t total_ns,
                            enum wattle_quality quality,
                            double total_w,
                            struct wattle_error *err);

/* SEEN: part of the CPUs that was busy meanwhile. */
double wtl_live_processes_idle_load(const struct wtl_live_processes *processes);

/* Reset energies to 0. */
void wtl_live_processes_reset(struct wtl_live_processes *processes);

#endif
