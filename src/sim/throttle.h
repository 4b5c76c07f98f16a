/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Stops and continues the processes of the command, for the duty cycle of speed.h: a tree of processes that stand still
 * for part of the time are slowed alike, however many threads they have, which a CPU quota does not do (it bounds the
 * time of all together). Programs of wattle keep their speed, so that the measurement is not disturbed. A process that was
 * stopped by somebody else stays stopped.
 */
#ifndef WTL_SIM_THROTTLE_H
#define WTL_SIM_THROTTLE_H

#include <stddef.h>
#include <sys/types.h>

struct wtl_throttle {
    int *stopped; /* pidfds */
    size_t count, room;
};

void wtl_throttle_stop(struct wtl_throttle *throttle, pid_t root);
/* Continue what stop() stopped. */
void wtl_throttle_go_on(struct wtl_throttle *throttle);
void wtl_throttle_fini(struct wtl_throttle *throttle);

#endif
