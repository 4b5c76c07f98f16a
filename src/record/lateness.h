/* SPDX-License-Identifier: BSD-3-Clause */
/* Lateness: how late a periodic thread wakes after its deadlines, as a fixed-size histogram with
 * 8 steps per octave, so quantiles are accurate to 12 %. One writer; any reader after it has
 * stopped. */
#ifndef WTL_RECORD_LATENESS_H
#define WTL_RECORD_LATENESS_H

#include <stdint.h>

enum { WTL_LATENESS_BUCKETS = 8 * 40 };

struct wtl_lateness {
    uint64_t count, max_ns;
    uint64_t missed; /* deadlines that passed before the previous sample was done */
    uint32_t buckets[WTL_LATENESS_BUCKETS];
};

void wtl_lateness_add(struct wtl_lateness *lateness, uint64_t late_ns);

/* The lateness that a fraction q (0..1) of the wake-ups did not exceed; 0 without wake-ups. */
uint64_t wtl_lateness_quantile(const struct wtl_lateness *lateness, double q);

#endif
