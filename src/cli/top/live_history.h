/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Series: what the live view remembers of one channel: its energy at each look, power now and the
 * history that is drawn. Power is a mean from look to look and never over fewer than 20 updates of a
 * counter, since less is an artefact of its ticks: a slow counter is averaged over more looks. What is
 * not known is NaN with a reason, never 0.
 */
#ifndef WTL_CLI_LIVE_HISTORY_H
#define WTL_CLI_LIVE_HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <wattle/channel.h>

#include "model/tally/tally.h"

enum { WTL_HISTORY_LENGTH = 256 };

enum wtl_history_state {
    WTL_HISTORY_KNOWN,
    WTL_HISTORY_WAITS,   /* not enough updates of the sensor yet */
    WTL_HISTORY_STANDS,  /* a counter that has not moved: that is not 0 W */
    WTL_HISTORY_SILENT,  /* no good reading lately */
    WTL_HISTORY_GAP,     /* what was read says nothing of the energy: a reset, a lost wrap, ... */
    WTL_HISTORY_AVERAGE, /* of a finished recording: the mean of all of it */
    WTL_HISTORY_NONE,    /* there is no such thing: a total of nothing */
};

struct wtl_history_point {
    uint64_t time_ns; /* of the newest good reading */
    double energy_j;  /* from the start up to it */
    uint64_t unknown_ns;
};

struct wtl_history {
    struct wtl_history_point points[WTL_HISTORY_LENGTH]; /* a ring, one for each look */
    size_t looks;                                        /* in all */
    float history_w[WTL_HISTORY_LENGTH];                 /* oldest first; NaN = a gap */
    size_t history_count;
    enum wtl_history_state state;
    double power_w;     /* now; NaN unless KNOWN or AVERAGE */
    uint64_t window_ns; /* that it is the mean of */
    double peak_w;      /* greatest that was shown; 0 = none yet */
};

/* The measurement began at start_ns: power is known from the first look on. */
void wtl_history_begin(struct wtl_history *history, uint64_t start_ns);

/* A look: the channel's summary so far, at now_ns, looks being every_ns apart. */
void wtl_history_look(struct wtl_history *history,
                      const struct wattle_channel *channel,
                      const struct wtl_summary *summary,
                      uint64_t now_ns,
                      uint64_t every_ns);

/* Put a value of the past behind the history (NaN = a gap), as of a recording. */
void wtl_history_past(struct wtl_history *history, double power_w);

/* Before the first look at a recording that goes on: power was this lately, as a mean over window_ns. */
void wtl_history_lately(struct wtl_history *history, double power_w, uint64_t window_ns);

/* Nothing comes any more. */
void wtl_history_silence(struct wtl_history *history);

/* The end of a recording: power is the mean over all of it. */
void wtl_history_end(struct wtl_history *history, double mean_w, uint64_t window_ns);

/* Forget the greatest value and the history; energies go on. */
void wtl_history_reset(struct wtl_history *history);

/* "...", "stands", "silent", "gap", "-": what is shown where no power is. */
const char *wtl_history_state_word(enum wtl_history_state state);

#endif
