/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The processes of the machine, looked at again and again: what CPU time each used between two looks.
 * One that began since the last look used all that it shows; one that has ended is not seen any more,
 * and what it used since the last look is known to nobody but the machine's own clock
 * (process_share.h says where that goes). A process is pid and start time, so a pid that is used again
 * is another process.
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
    uint32_t uid;  /* WTL_UID_UNKNOWN = not to be known */
    char *command; /* its arguments with spaces between, as they are; its name where it has none */
    uint64_t used_ns; /* CPU time between the last two looks; 0 at the first */
    /* The owner's, carried from look to look; 0 at first. */
    double pending_s; /* CPU time that has no share yet */
    double power_w;
    double energy_j;
};

struct wtl_process_table {
    const struct wtl_world *world;
    struct wtl_process *items; /* by pid */
    size_t count;
    size_t ended;          /* how many went between the last two looks */
    double ended_energy_j; /* sum of energy_j of all that have ended */
    uint64_t look_ns;      /* CLOCK_MONOTONIC of the last look; 0 = none yet */
    uint64_t look_boot_ns; /* the same on CLOCK_BOOTTIME */
};

void wtl_process_table_init(struct wtl_process_table *table, const struct wtl_world *world);

/* Look. 0; -ENOMEM, or the errno of reading /proc: the table is then as it was. */
int wtl_process_table_look(struct wtl_process_table *table, struct wattle_error *err);

void wtl_process_table_fini(struct wtl_process_table *table);

#endif
