/* SPDX-License-Identifier: BSD-3-Clause */
/* What hardware counters show of a job, by which energy is divided (account/share.h). */
#ifndef WTL_MODEL_SHARE_EVENTS_H
#define WTL_MODEL_SHARE_EVENTS_H

/* Hardware events of a job in the interval. */
struct wtl_share_events {
    double cycles, instructions, misses; /* of the last-level cache */
};

#endif
