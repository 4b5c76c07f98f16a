/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The processes of the machine, scanned repeatedly: how much CPU time each used between two scans. A process
 * that started after the last scan used all the CPU time it shows. One that has ended is no longer visible;
 * what it used since the last scan is included only in the machine's own clock (share.h: it is unattributed). A process is identified by pid and start time, so a reused pid is a different process.
 */
#ifndef WTL_ACCOUNT_PROCESS_TABLE_H
#define WTL_ACCOUNT_PROCESS_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <wattle/error.h>

#include "account/process_stat.h"
#include "base/world/world.h"

struct wtl_process {
    struct wtl_process_stat stat;
    uint32_t uid;     /* WTL_UID_UNKNOWN = unknown */
    char *command;    /* its arguments, separated by spaces, unmodified; its name if it has none */
    char *cpus;       /* on which it may run, "0-3,8"; NULL = unknown */
    uint64_t used_ns; /* CPU time between the last two scans; 0 at the first */
    /* For the owner, kept from scan to scan; 0 at first. */
    double pending_s; /* CPU time not yet given a share */
    double power_w;
    double half_w; /* half width of its interval; NaN = unknown */
    double gpu_w;  /* of it, on GPUs */
    double energy_j;
};

struct wtl_process_table {
    const struct wtl_world *world;
    struct wtl_process *items; /* by pid */
    size_t count;
    size_t ended;          /* number that ended between the last two scans */
    double ended_energy_j; /* sum of energy_j over all that have ended */
    uint64_t look_ns;      /* CLOCK_MONOTONIC of the last scan; 0 = none yet */
    uint64_t look_boot_ns; /* the same on CLOCK_BOOTTIME */
};

void wtl_process_table_init(struct wtl_process_table *table, const struct wtl_world *world);

/* Scan. 0; -ENOMEM, or the errno of reading /proc with the table unchanged. */
int wtl_process_table_look(struct wtl_process_table *table, struct wattle_error *err);

void wtl_process_table_fini(struct wtl_process_table *table);

#endif
