/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One channel of the region energies: its steps (model/profile.h) in one chain without holes, and
 * the shares that sets of moments have in them. A set that is on over whole steps has their energy,
 * taken from a running sum; a step in which it switches is divided by model/split.h, once the two
 * steps after it are known.
 */
#ifndef WTL_TRACE_REGION_CHANNEL_H
#define WTL_TRACE_REGION_CHANNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/gap.h"
#include "model/profile.h"
#include "model/split.h"

enum {
    WTL_REGION_KEPT = 8,   /* steps remembered: a power of two above 5 */
    WTL_REGION_WAITING = 3 /* steps that may wait for the two after them */
};

/* A queue in one growing ring. */
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

/* A set on one channel. Zeroed at first; does not move while the channel lives. */
struct wtl_region_share {
    struct wtl_split_sum split;
    double parts_j;       /* of the steps that were divided, as a whole */
    double units_j;       /* of a counter: one for each of these */
    double in_ns, out_ns; /* of their time, what is inside of the set and what is not */
    double unsure_in_ns, unsure_out_ns; /* by which the ends of these steps inside of it, or
                                           outside, may be wrong, all in all */
    double whole_j;                     /* of whole steps */
    double doubt_j, from_doubt_j;       /* of it, what may be of a time before; likewise */
    double from_j;         /* running sum of the channel where the present whole stretch began */
    uint64_t from_unknown; /* likewise, of unknown steps */
    bool unknown;
    uint8_t touched;     /* bit i: it switched in step touched_at - i */
    uint64_t touched_at; /* number of a step, from 1; 0 = never */
    struct wtl_region_border borders[WTL_REGION_WAITING];
};

/* The marks in a step by which any set switches. */
struct wtl_region_marks {
    bool any;
    uint64_t first_ns, last_ns;
};

/* A stretch of time. */
struct wtl_region_span {
    uint64_t begin_ns, end_ns;
};

struct wtl_region_channel {
    bool used, ended;
    bool slow;         /* a counter that ticks slowly (model/bound.h) */
    int error;         /* -ENOMEM, once it happened */
    uint64_t start_ns; /* of the window */
    struct wtl_profile *profile;
    struct wtl_region_queue steps;
    uint64_t number; /* of the first step in the queue, from 1 */
    uint64_t end_ns; /* of the last */
    struct wtl_step kept[WTL_REGION_KEPT];
    struct wtl_region_marks marks[WTL_REGION_KEPT]; /* of the first step in the queue and of
                                                       those kept */
    double sum_j;                                   /* of all steps before the first in the queue */
    double doubt_j; /* of it, what may be of a time before its step */
    uint64_t unknown;
    struct wtl_region_span *lost; /* times whose energy is lost: in order, apart from each other */
    size_t lost_count;
    double jumps;       /* squared relative jumps of the power between steps without borders */
    double moves;       /* the same of all of them, however small */
    uint64_t quiet;     /* number of such pairs of steps */
    double mixed_moves; /* likewise of the others */
    uint64_t mixed;
    double max_w;  /* bound of its power as the sensor states it; 0 = none */
    double most_w; /* greatest mean power seen, over stretches that show one */
    double stretch_j, stretch_ns;
    struct wtl_region_list {
        struct wtl_region_share **shares;
        size_t count;
    } lists[WTL_REGION_WAITING]; /* those that switched in step number % WTL_REGION_WAITING */
};

/* 0, or -ENOMEM. A channel that is neither of energy nor of power is not `used`. It must not move. */
int wtl_region_channel_init(struct wtl_region_channel *channel,
                            const struct wattle_channel *description,
                            uint64_t start_ns);
void wtl_region_channel_fini(struct wtl_region_channel *channel);

/* Close the steps that end at or before the time, before which nothing switches any more. Returns
 * whether the channel reaches beyond it, or has ended. */
bool wtl_region_channel_reach(struct wtl_region_channel *channel, uint64_t time_ns);

/* A mark of a program by which a set switches, in the channel's first step: the power may change there. */
void wtl_region_channel_mark(struct wtl_region_channel *channel, uint64_t time_ns);

/* A set switches at a time that lies in the channel's first step. 0, or -ENOMEM. */
int wtl_region_channel_switch(struct wtl_region_channel *channel,
                              struct wtl_region_share *share,
                              uint64_t time_ns,
                              bool on);

/* A gap, before the sample behind it; ends rise. Where it loses energy, what the samples inside of it
 * seem to say of this time is not known: those of a stall were taken for good ones. 0, or -ENOMEM. */
int wtl_region_channel_gap(struct wtl_region_channel *channel, const struct wtl_gap *gap);

/* Is some of the energy between these times lost, by the gaps that came in so far? */
bool wtl_region_channel_loses(const struct wtl_region_channel *channel,
                              uint64_t begin_ns,
                              uint64_t end_ns);

/*
 * The energy of a set and its half width, but for what is not known of it. Where the split leaves more open
 * than can be, it is bound: by the energy counted in the steps that the set shares, and by its time
 * there at the greatest power. That is 3 times the greatest mean seen, but at least half of the bound that the
 * sensor states, since what is short hardly shows in a mean, and never more than that bound; of a counter that ticks slowly, whose
 * means hide what is short, that bound alone. *ret_energy_j then is the middle of what remains.
 */
void wtl_region_channel_energy(const struct wtl_region_channel *channel,
                               const struct wtl_region_share *share,
                               double *ret_energy_j,
                               double *ret_half_j);

/* No more samples: bridge what is missing up to the end of the window; what cannot be is unknown. */
void wtl_region_channel_end(struct wtl_region_channel *channel, uint64_t end_ns);

/* Close all steps and divide the last ones. */
void wtl_region_channel_finish(struct wtl_region_channel *channel);

#endif
