/* SPDX-License-Identifier: BSD-3-Clause */
/* Times in which a gauge was not read: see pause.h. */
#include "model/gauge/pause.h"

#include <math.h>

/* A pause is longer than this many usual times, and than this: on a busy machine a sampler is late by tenths of a second. */
static const double USUAL_TIMES = 4, LEAST_NS = 500e6;

/* A time between two readings changes the usual one by this part of the difference, a pause by this factor: it may be another pace. */
static const double LEARNED = 1.0 / 8, PACED = 1.5;

bool wtl_pause_between(struct wtl_pause *pause,
                       const struct wattle_channel *channel,
                       uint64_t asked_ns,
                       uint64_t from_ns,
                       uint64_t to_ns)
{
    if (channel->kind == WATTLE_COUNTER || channel->quantity != WATTLE_POWER || to_ns <= from_ns)
        return false;
    double apart_ns = (double)(to_ns - from_ns), usual_ns = fmax(pause->usual_ns, (double)asked_ns);
    double shown_ns = (double)channel->refresh_ns;
    if (channel->kind == WATTLE_WINDOW_AVERAGE)
        shown_ns += (double)channel->window_ns;
    bool paused = pause->usual_ns > 0 && apart_ns > fmax(USUAL_TIMES * usual_ns, LEAST_NS) &&
                  apart_ns > shown_ns;
    if (pause->usual_ns == 0)
        pause->usual_ns = apart_ns;
    else if (paused)
        pause->usual_ns *= PACED;
    else
        pause->usual_ns += LEARNED * (apart_ns - pause->usual_ns);
    return paused;
}
