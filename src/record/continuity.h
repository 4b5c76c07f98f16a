/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Continuity: turns the successive readings of one channel into values that may be summed, and
 * gaps. Each reading of a counter gets a verdict: does the difference from the last trusted one
 * represent energy? Anything may have happened in between: failed reads, a standstill, a wrap, a
 * reset, or several of these. So at most one gap is open; it begins where the counter was last
 * known to count, and its reason is the worst found since: a gap that was merely not sampled can
 * become one that loses energy, never the reverse.
 *
 * A gap that loses energy may begin before, and cover, gaps that were already reported (reads that
 * failed while a counter stood still, before it counted as stalled); two gaps that lose energy do
 * not overlap.
 */
#ifndef WTL_RECORD_CONTINUITY_H
#define WTL_RECORD_CONTINUITY_H

#include <stdbool.h>
#include <stdint.h>

#include <wattle/channel.h>

#include "model/gap.h"
#include "model/gauge/pause.h"
#include "record/unwrap.h"

typedef void wtl_continuity_gap_fn(void *context, const struct wtl_gap *gap);

struct wtl_continuity {
    const struct wattle_channel *channel; /* borrowed */
    uint32_t id;                          /* for reporting its gaps */
    wtl_continuity_gap_fn *report;        /* called for each gap that ends; or NULL */
    void *context;
    struct wtl_unwrap unwrap;
    uint64_t first_ns;      /* first good reading of a counter */
    uint64_t last_ns;       /* last good reading; 0 = none yet */
    uint64_t changed_ns;    /* first reading that showed the current value */
    uint64_t before_ns;     /* the reading before that: the counter was counting at or after it */
    uint64_t lost_until_ns; /* end of the last gap that lost energy */
    uint64_t
        stood_from_ns; /* the last standstill that ended: it counted at or after this reading ... */
    uint64_t stood_until_ns; /* ... and again at this one; 0 = none */
    uint64_t grown;          /* by the last change */
    double rate_before;      /* ticks per ns up to the last change but one; 0 = unknown */
    double still_ns;         /* longest standstill seen so far */
    double change_rate;      /* ticks per ns before the last change; 0 = it never moved */
    bool rejoins;            /* values continue from another process */
    uint64_t rejoined_ns; /* first reading since; 0 once the counter was seen counting after it */
    bool raw_known;       /* and readings continue from it */
    uint64_t
        too_high; /* ticks that readings had which were too high: in the values, and no energy */
    struct wtl_pause pause; /* of a gauge */
    uint64_t asked_ns;      /* the interval at which it is read; 0 = as it was until now */
    bool open;              /* a gap is open */
    struct wtl_gap gap;
};

void wtl_continuity_init(struct wtl_continuity *c,
                         const struct wattle_channel *channel,
                         wtl_continuity_gap_fn *report,
                         void *context);

/* Where another process that read the same channel stopped. */
struct wtl_continuity_rest {
    uint64_t last_ns, changed_ns, before_ns; /* as above */
    uint64_t ticks, raw;                     /* counter values at last_ns */
    double rate;                             /* ticks per ns until it last moved; 0 = not known */
    bool raw_known;                          /* raw is what the sensor showed */
};

/* Before the first reading: continue from there. Hardware counters include what passed in the
 * meantime; an estimate, or CPU time of processes, restarts with each reading process. */
void wtl_continuity_resume(struct wtl_continuity *c, const struct wtl_continuity_rest *rest);

/* A good reading at time_ns: true if *ret_value may be used. False during a stall, and for a value
 * that the channel cannot have (then a gap is open). */
bool wtl_continuity_read(struct wtl_continuity *c,
                         uint64_t time_ns,
                         uint64_t raw,
                         uint64_t *ret_value);

/* No reading at time_ns because it failed or was dropped. error: errno of a failed read, else 0. */
void wtl_continuity_miss(struct wtl_continuity *c,
                         uint64_t time_ns,
                         enum wtl_gap_reason reason,
                         int error);

/* The machine was suspended at some time between these two. */
void wtl_continuity_sleep(struct wtl_continuity *c, uint64_t begin_ns, uint64_t end_ns);

/* Has a counter stood still for so long that it would have stalled if no more readings came? Its
 * value may then be that of an earlier time. */
bool wtl_continuity_stands(const struct wtl_continuity *c);

/* No more readings. */
void wtl_continuity_end(struct wtl_continuity *c, uint64_t now_ns);

#endif
