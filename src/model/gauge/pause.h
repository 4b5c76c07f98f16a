/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pause: a time in which a gauge was not read, because the program that reads it was stopped, or a recording has a hole. A counter
 * counts on meanwhile. Of a gauge nothing is known about it: it is a gap ("not sampled"), and no line between the two readings.
 */
#ifndef WTL_MODEL_GAUGE_PAUSE_H
#define WTL_MODEL_GAUGE_PAUSE_H

#include <stdbool.h>
#include <stdint.h>

#include <wattle/channel.h>

/* What one gauge's readings have shown. Zero = nothing yet. */
struct wtl_pause {
    double usual_ns; /* between two readings */
};

/*
 * Whether the time between two readings that follow each other is a pause: for powers that do not count, if it is far longer than usual,
 * and than the interval at which it is read now (asked_ns; 0 = not known), and than what the later reading shows of it.
 */
bool wtl_pause_between(struct wtl_pause *pause,
                       const struct wattle_channel *channel,
                       uint64_t asked_ns,
                       uint64_t from_ns,
                       uint64_t to_ns);

#endif
