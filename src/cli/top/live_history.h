/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Series: the state of one channel in the live view: its energy at each update, current power and the history
 * drawn. Power is a mean between updates, never over fewer than 20 updates of a counter, since shorter means
 * are artefacts of its ticks: a slow counter is averaged over more screen updates. Unknown values are NaN
 * with a reason, never 0.
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
    WTL_HISTORY_STANDS,  /* a counter that has not changed, which is not 0 W */
    WTL_HISTORY_SILENT,  /* no recent good reading */
    WTL_HISTORY_GAP,     /* the readings do not determine the energy: a reset, a lost wrap, ... */
    WTL_HISTORY_AVERAGE, /* of a finished recording: the mean of all of it */
    WTL_HISTORY_NONE,    /* does not exist: a total of nothing */
};

struct wtl_history_point {
    uint64_t time_ns; /* of the newest good reading, or the end of unknown time after it */
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
    double peak_w;      /* maximum shown; 0 = none yet */
};

/* The measurement started at start_ns: power is known from the first update on. */
void wtl_history_begin(struct wtl_history *history, uint64_t start_ns);

/* An update: the summary of the channel so far, at now_ns, with updates every_ns apart. */
void wtl_history_look(struct wtl_history *history,
                      const struct wattle_channel *channel,
                      const struct wtl_summary *summary,
                      uint64_t now_ns,
                      uint64_t every_ns);

/* Append a past value to the history (NaN = a gap), as for a recording. */
void wtl_history_past(struct wtl_history *history, double power_w);

/* Before the first update of a growing recording: set the recent power, as a mean over window_ns. */
void wtl_history_lately(struct wtl_history *history, double power_w, uint64_t window_ns);

/* No more data arrives. */
void wtl_history_silence(struct wtl_history *history);

/* The end of a recording: power is the mean over all of it. */
void wtl_history_end(struct wtl_history *history, double mean_w, uint64_t window_ns);

/* Reset the maximum and the history; energies continue. */
void wtl_history_reset(struct wtl_history *history);

/* "...", "stalled", "silent", "gap", "-": shown if power is unknown. */
const char *wtl_history_state_word(enum wtl_history_state state);

#endif
