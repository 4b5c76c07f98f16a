/* SPDX-License-Identifier: BSD-3-Clause */
/* The clocks of a spool: the TSC, tied to CLOCK_MONOTONIC by pairs, and the time namespace of its process. */
#ifndef WTL_TRACE_SPOOL_CLOCK_H
#define WTL_TRACE_SPOOL_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/spool/spool_layout.h"

/* A clock pair: time by the spool's clock, CLOCK_MONOTONIC at the same moment. */
struct wtl_spool_pair {
    uint64_t time;
    uint64_t monotonic_ns;
};

/* May times be taken from the TSC: it is invariant, and the kernel itself keeps time by it. */
bool wtl_spool_tsc_usable(void);
struct wtl_spool_pair wtl_spool_pair_take(bool tsc);

/* What CLOCK_MONOTONIC of this process is ahead of the machine's, by its time namespace. 0, or -errno where
 * that is not known; *ret_offset_ns is 0 then. */
int wtl_spool_clock_offset(int64_t *ret_offset_ns);

/* What is added to CLOCK_MONOTONIC of a spool's process to make that of this one, modulo 2^64. */
uint64_t wtl_spool_shift_ns(const struct wtl_spool_header *header);

/* Does the process keep another time than this one, by which amount it did not tell? */
bool wtl_spool_is_foreign(const struct wtl_spool_header *header);

/* A pair taken by the reader: helps with the last second of a process that was killed, when the
 * machine has not been booted since. */
struct wtl_spool_now {
    char boot_id[40];
    struct wtl_spool_pair pair; /* of the TSC */
};

/* 0, or -ENOTSUP where the TSC is not to be used. */
int wtl_spool_now_take(struct wtl_spool_now *ret_now);

#endif
