/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Unwrap: turns raw readings of a counter into ticks that only increase. A wrap is accepted only if
 * it is certain: the energy that it implies must be possible at the channel's maximum power and
 * consistent with what was counted so far (else it is a counter that restarted near its top), and
 * the pause must be too short for a second wrap. A reading that counting does not explain waits for
 * the next ones (model/course/course.h): a glitch is passed over, after a reset the ticks continue from
 * where it is certain, and the caller records a gap. Energy is never guessed.
 */
#ifndef WTL_RECORD_UNWRAP_H
#define WTL_RECORD_UNWRAP_H

#include <stdbool.h>
#include <stdint.h>

#include <wattle/channel.h>

#include "model/course/course.h"

enum wtl_unwrapped {
    WTL_UNWRAP_OK,    /* ticks grew by the difference */
    WTL_UNWRAP_FIRST, /* the first reading: ticks are 0 */
    WTL_UNWRAP_OPEN,  /* no plausible power explains the difference: a glitch or a reset */
    WTL_UNWRAP_RESET, /* it was a reset, or readings before were too high (course.back): ticks continue from this reading */
    WTL_UNWRAP_LOST_WRAP /* the pause was long enough for more than one wrap */
};

struct wtl_unwrap {
    uint64_t modulus;        /* 0 = 2^64 */
    double ticks_per_ns_max; /* at the channel's maximum power */
    double slack_ns;         /* how far a reading may lag behind the hardware */
    double late_ns; /* how much more the last one may have lagged: the counter may have stood
                     * still */
    uint64_t last_raw, last_ns;
    uint64_t ticks;
    uint64_t paced_ns, paced_ticks; /* when the rate below was last updated */
    bool paced_at_tick;             /* at a reading that showed a new value */
    double fastest;                 /* highest rate so far, ticks per ns over some refreshes; 0 =
                                     * unknown */
    double latest;                  /* the latest such rate; over less time otherwise */
    struct wtl_course course;       /* of readings that are off it */
    struct wtl_course_trail trail;  /* of those that are on it */
    bool started;
};

void wtl_unwrap_init(struct wtl_unwrap *unwrap, const struct wattle_channel *channel);

/* Ticks continue from this reading: what the counter gained before is not counted. */
void wtl_unwrap_skip(struct wtl_unwrap *unwrap, uint64_t raw, uint64_t time_ns);

/* Process one reading; *ret_ticks are the ticks since the first. Costs a few additions. */
enum wtl_unwrapped wtl_unwrap_feed(struct wtl_unwrap *unwrap,
                                   uint64_t raw,
                                   uint64_t time_ns,
                                   uint64_t *ret_ticks);

#endif
