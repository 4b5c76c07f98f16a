/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Unwrap: raw readings of a counter into ticks that only grow. A wrap is taken as such only if it
 * is certain: the energy that it implies must be possible at the channel's greatest power and go with
 * what was counted so far (else it is a counter that started again near its top), and the
 * pause must be too short for a second wrap. Else the ticks stand still and the caller records a
 * gap: a joule is never guessed.
 */
#ifndef WTL_RECORD_UNWRAP_H
#define WTL_RECORD_UNWRAP_H

#include <stdbool.h>
#include <stdint.h>

#include <wattle/channel.h>

enum wtl_unwrapped {
    WTL_UNWRAP_OK,       /* ticks have grown by the difference */
    WTL_UNWRAP_FIRST,    /* the first reading: ticks are 0 */
    WTL_UNWRAP_RESET,    /* no credible power explains the difference */
    WTL_UNWRAP_LOST_WRAP /* the pause was long enough for more than one wrap */
};

struct wtl_unwrap {
    uint64_t modulus;        /* 0 = 2^64 */
    double ticks_per_ns_max; /* at the channel's greatest power */
    double slack_ns;         /* by which a reading may lag behind the hardware */
    double late_ns; /* by which the last one may have lagged beyond that: it may have stood still */
    uint64_t last_raw, last_ns;
    uint64_t ticks;
    uint64_t paced_ns, paced_ticks; /* where the pace below was last taken */
    bool paced_at_tick;             /* that was a reading that showed another value */
    double fastest;                 /* ticks per ns over some refreshes, so far; 0 = not known */
    double latest;                  /* the last such pace; or over less time, if none */
    bool started;
};

void wtl_unwrap_init(struct wtl_unwrap *unwrap, const struct wattle_channel *channel);

/* Ticks go on from this reading: what came before it does not count. */
void wtl_unwrap_skip(struct wtl_unwrap *unwrap, uint64_t raw, uint64_t time_ns);

/* One reading; *ret_ticks are the ticks since the first. Costs a few additions. */
enum wtl_unwrapped wtl_unwrap_feed(struct wtl_unwrap *unwrap,
                                   uint64_t raw,
                                   uint64_t time_ns,
                                   uint64_t *ret_ticks);

#endif
