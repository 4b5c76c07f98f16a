/* SPDX-License-Identifier: BSD-3-Clause */
/* The clocks of a spool: the TSC, converted to CLOCK_MONOTONIC by pairs, and the time namespace of its
 * process. */
#ifndef WTL_TRACE_SPOOL_CLOCK_H
#define WTL_TRACE_SPOOL_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/spool/spool_layout.h"

/* A clock pair: time on the spool's clock, and CLOCK_MONOTONIC at the same moment. */
struct wtl_spool_pair {
    uint64_t time;
    uint64_t monotonic_ns;
};

/* Whether times may be taken from the TSC: it is invariant, and the kernel uses it as its clock source. */
bool wtl_spool_tsc_usable(void);
struct wtl_spool_pair wtl_spool_pair_take(bool tsc);

/* The offset of this process's CLOCK_MONOTONIC from the machine's, due to its time namespace. 0, or -errno
 * if unknown; *ret_offset_ns is then 0. */
int wtl_spool_clock_offset(int64_t *ret_offset_ns);

/* Value to add to CLOCK_MONOTONIC of a spool's process to get that of this process, modulo 2^64. */
uint64_t wtl_spool_shift_ns(const struct wtl_spool_header *header);

/* Whether the process uses a different time than this one, by an unknown amount. */
bool wtl_spool_is_foreign(const struct wtl_spool_header *header);

/* A pair taken by the reader: used for the last second of a process that was killed, if the machine has
 * not been rebooted since. */
struct wtl_spool_now {
    char boot_id[40];
    struct wtl_spool_pair pair; /* of the TSC */
};

/* 0, or -ENOTSUP when the TSC cannot be used. */
int wtl_spool_now_take(struct wtl_spool_now *ret_now);

#endif
