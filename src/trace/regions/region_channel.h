/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One channel of the region energies: its steps (model/profile.h) in one chain without holes, and the shares
 * that sets have in them. A set that is on during whole steps gets their energy, taken from a running sum; a
 * step in which it switches is divided by model/split.h, once the two following steps are known.
 */
#ifndef WTL_TRACE_REGION_CHANNEL_H
#define WTL_TRACE_REGION_CHANNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/gap.h"
#include "model/gauge/quantum.h"
#include "model/profile.h"
#include "model/split.h"
#include "trace/regions/region_ends.h"

enum {
    WTL_REGION_KEPT = 8,   /* number of steps kept: a power of two above 5 */
    WTL_REGION_WAITING = 3 /* number of steps that may wait for the two that follow */
};

/* A queue in a growing ring buffer. */
struct wtl_region_queue {
    char *items;
    size_t size, room, first, count;
};

void *wtl_region_queue_at(const struct wtl_region_queue *queue, size_t i);
int wtl_region_queue_push(struct wtl_region_queue *queue, const void *item);
void wtl_region_queue_pop(struct wtl_region_queue *queue);

/* A step in which a set switches. */
struct wtl_region_border {
    uint64_t first_ns, last_ns, on_since_ns, inside_ns;
    bool begins_inside, ends_inside;
};

/* A set on one channel. Initially zero; must not move while the channel exists. */
struct wtl_region_share {
    struct wtl_split_sum split;
    double parts_j;                     /* total energy of the steps that were divided */
    double units_j;                     /* for a counter: one unit for each of these */
    double in_ns, out_ns;               /* their time inside the set, and outside */
    double unsure_in_ns, unsure_out_ns; /* total possible error of the ends of these steps inside
                                           it, and outside */
    double whole_j;                     /* of whole steps */
    double doubt_j, from_doubt_j;       /* part of it that may belong to an earlier time; the
                                           same at the begin */
    double from_j;         /* running sum of the channel when the present run of whole steps
                              began */
    uint64_t from_unknown; /* the same for unknown steps */
    struct wtl_region_ends ends;
    bool unknown;
    uint8_t touched;     /* bit i: it switched in step touched_at - i */
    uint64_t touched_at; /* number of a step, counted from 1; 0 = never */
    struct wtl_region_border borders[WTL_REGION_WAITING];
};

/* The marks in a step at which any set switches. */
struct wtl_region_marks {
    bool any;
    uint64_t first_ns, last_ns;
};

/* A time interval. */
struct wtl_region_span {
    uint64_t begin_ns, end_ns;
};

struct wtl_region_channel {
    bool used, ended;
    bool slow;         /* a counter that ticks slowly (model/bound.h) */
    int error;         /* -ENOMEM once it has occurred */
    uint64_t start_ns; /* of the window */
    struct wtl_profile *profile;
    struct wtl_region_queue steps;
    uint64_t number; /* of the first step in the queue, counted from 1 */
    uint64_t end_ns; /* of the last step */
    struct wtl_step kept[WTL_REGION_KEPT];
    struct wtl_region_marks marks[WTL_REGION_KEPT]; /* in the first step in the queue and in
                                                       those kept */
    double sum_j;                                   /* of all steps before the first in the queue */
    double doubt_j; /* part of it that may belong to a time before its step */
    uint64_t unknown;
    struct wtl_region_span *lost; /* times whose energy is lost: ordered, not overlapping */
    size_t lost_count;
    double jumps;       /* squared relative changes of power between steps without borders */
    double moves;       /* the same for all of them, however small */
    uint64_t quiet;     /* number of such pairs of steps */
    double mixed_moves; /* the same for the others */
    double mixed_p2;    /* as squared changes, in J per ns */
    double unmarked_p2; /* the same between steps that have no mark themselves */
    uint64_t unmarked;
    uint64_t mixed;
    double max_w;  /* maximum power stated by the sensor; 0 = none */
    double most_w; /* maximum mean power observed, over stretches that show one */
    double stretch_j, stretch_ns;
    struct wtl_quantum quantum; /* of a gauge's values */
    double known_ns, missed_ns; /* of the steps passed; the part that no window of an average saw */
    struct wtl_region_open open;
    struct wtl_region_list {
        struct wtl_region_share **shares;
        size_t count;
    } lists[WTL_REGION_WAITING]; /* sets that switched in step number % WTL_REGION_WAITING */
};

/* 0, or -ENOMEM. A channel that is neither energy nor power is not `used`. It must not be moved. */
int wtl_region_channel_init(struct wtl_region_channel *channel,
                            const struct wattle_channel *description,
                            uint64_t start_ns);
void wtl_region_channel_fini(struct wtl_region_channel *channel);

/* Close the steps that end at or before this time, before which nothing will switch any more. Returns
 * whether the channel extends beyond it, or has ended. */
bool wtl_region_channel_reach(struct wtl_region_channel *channel, uint64_t time_ns);

/* A mark of a program at which a set switches, in the channel's first step: the power may change there. */
void wtl_region_channel_mark(struct wtl_region_channel *channel, uint64_t time_ns);

/* A set switches at a time in the channel's first step. 0, or -ENOMEM. */
int wtl_region_channel_switch(struct wtl_region_channel *channel,
                              struct wtl_region_share *share,
                              uint64_t time_ns,
                              bool on);

/* Add a gap, before the sample after it; ends must increase. If it loses energy, the values of samples
 * inside it are not used for that time: during a stall they look valid. 0, or -ENOMEM. */
int wtl_region_channel_gap(struct wtl_region_channel *channel, const struct wtl_gap *gap);

/* Whether some of the energy between these times is lost, according to the gaps added so far. */
bool wtl_region_channel_loses(const struct wtl_region_channel *channel,
                              uint64_t begin_ns,
                              uint64_t end_ns);

/*
 * The known energy of a set and its half width. If the split leaves a wider range than is possible, it is
 * limited: by the energy counted in the steps that the set shares, and by its time there at the maximum
 * power. That is 3 times the maximum mean observed, but at least half of the bound stated by the sensor,
 * since short peaks hardly affect a mean, and never more than that bound; for a counter that ticks slowly,
 * whose means hide short peaks, only the stated bound. *ret_energy_j is then the midpoint of the remaining
 * range.
 */
void wtl_region_channel_energy(const struct wtl_region_channel *channel,
                               const struct wtl_region_share *share,
                               double *ret_energy_j,
                               double *ret_half_j);

/* No more samples: bridge what is missing up to the end of the window; what cannot be bridged is unknown. */
void wtl_region_channel_end(struct wtl_region_channel *channel, uint64_t end_ns);

/* Close all steps and divide the last ones. */
void wtl_region_channel_finish(struct wtl_region_channel *channel);

#endif
