/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pace: how often a counter really updates, as its samples show. Drivers state what is documented or usual
 * for the hardware, but virtual machines, power-saving firmware and filters update some counters 10 to 100
 * times more slowly, and a counter with a coarse unit shows nothing between two units. Between such updates
 * the same value is read again and again.
 *
 * The time from one new value to the next is kept in octaves: of all of them and of those values that were
 * read more than once. Streaming, fixed size, no allocation.
 */
#ifndef WTL_MODEL_PACE_H
#define WTL_MODEL_PACE_H

#include <stdbool.h>
#include <stdint.h>

#include <wattle/channel.h>

enum { WTL_PACE_OCTAVES = 32 };

/* Zero = nothing seen yet. */
struct wtl_pace {
    bool seen, whole; /* whole: the present value was new at new_ns */
    bool again;       /* it was read again */
    uint64_t value, new_ns;
    uint64_t count, repeated; /* values that were whole, and those read again */
    struct {
        uint64_t count;
        double sum_ns;
    } octaves[WTL_PACE_OCTAVES]; /* of their times, from 1 us on */
};

/* Add a sample, but no polls for a tick: times and values increase. */
void wtl_pace_add(struct wtl_pace *pace, uint64_t time_ns, uint64_t value);

/* The next sample does not continue the present value: a gap that loses energy. */
void wtl_pace_break(struct wtl_pace *pace);

/*
 * The refresh of a counter: the channel's (0 = unknown) or, if the samples show that it updates more slowly
 * by at least half, the mean time between its updates. For that, at least 8 values are needed, with regular
 * times: three quarters of them in the octave of the median and those next to it. Where a domain always
 * draws power, three values read more than once, and one in 64, are sufficient: if it is sampled more slowly
 * than it updates, there are none but where it stood still. Where it may sleep, three quarters are needed.
 */
uint64_t wtl_pace_refresh_ns(const struct wtl_pace *pace, const struct wattle_channel *channel);

/*
 * What polls close together saw of a counter: the longest time in which it showed one value (stood), and the
 * longest of those values whose begin and end were seen (whole); both 0 = nothing.
 */
struct wtl_polled {
    uint64_t stood_ns, whole_ns;
    bool seen, begun; /* the present value; it replaced another one between two polls */
    uint64_t value, first_ns, last_ns, late_ns; /* late_ns: the time between those two */
};

/* Add a poll for a tick: times increase. */
void wtl_polled_add(struct wtl_polled *polled, uint64_t time_ns, uint64_t value);

/*
 * As wtl_pace_refresh_ns(), for samples that are too far apart to show the same value twice: if polls saw that
 * the counter updates more slowly than stated, it is the time of a whole value or, if polls ended before they
 * saw one that long, the greatest that is possible: the time between samples, but at most 100 times what is
 * stated.
 */
uint64_t wtl_pace_polled_refresh_ns(const struct wtl_pace *pace,
                                    const struct wtl_polled *polled,
                                    const struct wattle_channel *channel);

/* Values are read more than once, but too few have been seen to say how often it updates. */
bool wtl_pace_is_open(const struct wtl_pace *pace);

#endif
