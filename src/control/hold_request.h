/* SPDX-License-Identifier: BSD-3-Clause */
/* What is asked of a hold, from the words of options. */
#ifndef WTL_CONTROL_HOLD_REQUEST_H
#define WTL_CONTROL_HOLD_REQUEST_H

#include <stdbool.h>

#include <wattle/error.h>

#include "control/knob.h"

/* What can be asked, by the name of its option. */
enum wtl_ask {
    WTL_ASK_FREQUENCY, /* 2.1GHz | min | max | 1.2-2.1GHz */
    WTL_ASK_GOVERNOR,  /* a word */
    WTL_ASK_EPP,       /* a word, or a number */
    WTL_ASK_TURBO,     /* on | off */
    WTL_ASK_POWER_LIMIT, /* 150W[:1s][:on]: per package, the long-term limit; on: switch on its zone */
    WTL_ASK_UNCORE,      /* as a frequency */
    WTL_ASKS
};
extern const char *const wtl_ask_names[WTL_ASKS + 1]; /* "freq", "governor", ... */

enum wtl_frequency_form {
    WTL_FREQUENCY_LEAVE,
    WTL_FREQUENCY_ONE,
    WTL_FREQUENCY_RANGE,
    WTL_FREQUENCY_MIN,
    WTL_FREQUENCY_MAX
};
struct wtl_frequency_wish {
    enum wtl_frequency_form form;
    double low_hz, high_hz; /* of ONE, both */
};

/* Zero = leave everything. */
struct wtl_hold_request {
    struct wtl_frequency_wish frequency, uncore;
    char governor[32], epp[32]; /* "" = leave */
    int turbo;                  /* 0 = leave, 1 = on, -1 = off */
    double limit_w, window_s;   /* 0 = leave */
    bool limit_on;              /* switch on zones that are off */
    const struct wtl_cpu_set
        *cpus; /* the CPUs that the caller owns; NULL = those that it may run on */
    bool
        alone; /* no other user's work runs on this node: knobs that also affect other CPUs may be changed */
    double low_hz, high_hz; /* range that the site allows; 0 = any */
    double low_w, high_w;   /* likewise */
};

/* Parse the value of an option into the request. 0; -EINVAL with a sentence. */
int wtl_hold_set(struct wtl_hold_request *request,
                 enum wtl_ask ask,
                 const char *text,
                 struct wattle_error *err);
/* "2.1GHz", "2100MHz", "2100000" (kHz, as Slurm and cpufreq write it). */
int wtl_hold_frequency(const char *text, double *ret_hz);
/* Whether anything is asked. */
bool wtl_hold_asks(const struct wtl_hold_request *request);

#endif
