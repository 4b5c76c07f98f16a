/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A hold: settings of the machine that are changed for a while and always come back.
 *
 *     struct wtl_hold_request want = {.cpus = NULL};
 *     wtl_hold_set(&want, WTL_ASK_FREQUENCY, "2.1GHz", &err);
 *     wtl_hold_begin(&control, &want, &hold, &err);       journal, guard, writes, read back
 *     ... work ...
 *     wtl_hold_end(hold, &err);
 *
 * The journal is complete before the first write. A guard process, forked before it too, restores when its
 * connection to this process closes, for whatever reason. If both are killed, wtl_restore_all() restores
 * (restore.h); each wtl_hold_begin() calls it first.
 *
 * Call begin before threads are created where possible: the guard is forked without exec.
 */
#ifndef WTL_CONTROL_HOLD_H
#define WTL_CONTROL_HOLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <wattle/error.h>

#include "control/knob.h"

/* Where control acts, and how it reports. */
struct wtl_control {
    const struct wtl_world *world;
    const char *
        folder; /* of journals; NULL = WATTLE_CONTROL_DIR of the environment, /run/wattle/control */
    void (*tell)(void *context,
                 const char *sentence); /* each thing that a person should know; NULL = none */
    void *context;
    /* For tests: called before and after each step that leaves something behind. NULL = none. */
    void (*step)(void *step_context, bool in_guard);
    void *step_context;
};

/* What can be asked, by the name of its option. */
enum wtl_ask {
    WTL_ASK_FREQUENCY,   /* 2.1GHz | min | max | 1.2-2.1GHz */
    WTL_ASK_GOVERNOR,    /* a word */
    WTL_ASK_EPP,         /* a word, or a number */
    WTL_ASK_TURBO,       /* on | off */
    WTL_ASK_POWER_LIMIT, /* 150W[:1s]: per package, the long-term limit */
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
    const struct wtl_cpu_set
        *cpus; /* the CPUs that the caller owns; NULL = those that it may run on */
    bool
        alone; /* nobody else works on this node: knobs that also affect other CPUs may be changed */
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

struct wtl_hold;

/*
 * Change the settings. On failure nothing has changed: what had been written is restored. 0; -EINVAL: not
 * offered, or out of range; -EACCES; -EBUSY: held by another wattle; -EPERM: also affects CPUs of others;
 * -EIO: the machine ignored the value; -ENOSPC and others of the journal.
 */
int wtl_hold_begin(const struct wtl_control *control,
                   const struct wtl_hold_request *request,
                   struct wtl_hold **ret_hold,
                   struct wattle_error *err);

/* Restore. What could not be restored, or had been changed by others, is told. 0; -EIO: something is open
 * and stays in the journal. Accepts NULL. */
int wtl_hold_end(struct wtl_hold *hold, struct wattle_error *err);

/* The frequency that was asked for and what the policies accepted, of the CPUs held: NaN = none. */
struct wtl_hold_frequency {
    double low_hz, high_hz;
};
struct wtl_hold_frequency wtl_hold_accepted(const struct wtl_hold *hold);

/* Each knob that is held with its old and its new value (both for people). */
void wtl_hold_each(const struct wtl_hold *hold,
                   void (*take)(void *context,
                                const struct wtl_knob_row *row,
                                const char *id,
                                const char *before,
                                const char *now),
                   void *context);

/* In a process forked by the holder, or by code that must not keep the hold: close what belongs to it. */
void wtl_hold_forget(struct wtl_hold *hold);

#endif
