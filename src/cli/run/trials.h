/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Series: measurements one after another, and what lies between them: pauses, warnings that are told
 * once each, a signal that ends it all. "run" and "check" repeat one command in it, "ab" takes turns.
 *
 *     wtl_trials_init(&trials, &options, &settings, err);
 *     trials.measure.argv = ...; trials.measure.trace_path = ...;    what differs from run to run
 *     wtl_trials_measure(&trials, &result, &trace, err);             as often as wanted
 *     wtl_trials_fini(&trials);
 */
#ifndef WTL_CLI_TRIALS_H
#define WTL_CLI_TRIALS_H

#include <stdbool.h>

#include "cli/run/measure.h"
#include "cli/run/run_options.h"
#include "cli/settings.h"
#include "model/counters/counter_set.h"

struct wtl_trials {
    const struct wtl_run_options *options; /* borrowed */
    struct wtl_measure_options measure;
    struct wtl_signals signals;
    struct wtl_child child; /* of the last run */
    bool command_failed;    /* command not found or not executable */
    int first_bad;          /* wait status of the first run that did not exit with 0; 0 = all did */
    struct wtl_world *recorded;      /* with --host */
    struct wtl_counter_set counters; /* with --counters */
    const char *output; /* --output, or the folder of the setting trace-dir; NULL = none */
    char folder[4096];  /* that folder */
    char told[8][64];   /* starts of the warnings printed so far */
    unsigned told_count;
};

/* Set up signals (before any thread is created) and fill `measure` from the options. The trials must not
 * move afterwards. Returns 0 or -errno; call wtl_trials_fini() in both cases. */
int wtl_trials_init(struct wtl_trials *trials,
                    const struct wtl_run_options *options,
                    const struct wtl_cli_settings *settings,
                    struct wattle_error *err);
void wtl_trials_fini(struct wtl_trials *trials);

/* Fill `output`: -o, or the folder of the setting trace-dir, which is created. 0 or -errno with a message. */
int wtl_trials_place(struct wtl_trials *trials, struct wattle_error *err);

/* Likewise for a series of runs, which gets its own folder there: "DIR/wattle-HOST-TIME-PID-ab". Set in
 * *ret_folder unless already given; owned by the trials. */
int wtl_trials_place_series(struct wtl_trials *trials,
                            const char *verb,
                            const char **ret_folder,
                            struct wattle_error *err);

/* Pause for --cooldown, then measure once, as wtl_measure(). Returns -EINTR if a signal has ended the
 * series; nothing was measured. */
int wtl_trials_measure(struct wtl_trials *trials,
                       struct wtl_result *ret_result,
                       struct wtl_run_trace *ret_trace,
                       struct wattle_error *err);

/*
 * Does the last run count? 0; -EINTR if a signal arrived during it, or the command died of INT or
 * TERM; -ECHILD with a message if it failed, unless --ignore-failure. The one rule for everything
 * that repeats a command: such a run is not in the statistics, and no further run starts.
 */
int wtl_trials_judge(const struct wtl_trials *trials, struct wattle_error *err);

/*
 * Measure one run for a comparison and finish its trace. Returns -EINTR as above, also if the signal arrived
 * during the run; -ECHILD as wtl_trials_judge(); others as wtl_measure(). On failure there is no result and
 * no trace.
 */
int wtl_trials_trial(struct wtl_trials *trials,
                     struct wtl_result *ret_result,
                     struct wattle_error *err);

/* The folder for the traces of a series: created if missing (*ret_made), and writable. NULL: none
 * requested. Returns 0, or -errno with a message. */
int wtl_trace_folder_make(const char *folder, bool *ret_made, struct wattle_error *err);

/* With --force, remove the traces that an earlier, longer series of the same verb left: FOLDER/PREFIX-N SUFFIX for each N
 * above the count. folder NULL: it is part of the prefix. */
void wtl_trials_clear(const struct wtl_trials *trials,
                      const char *folder,
                      const char *prefix,
                      size_t count,
                      const char *suffix);

/* Checked for each later run before the first one starts: may its trace be created, and is it a
 * different file from the command's other output (NULL = none)? 0, or -errno with a message. */
int wtl_trials_check_trace(const struct wtl_trials *trials,
                           const char *trace,
                           const char *other,
                           struct wattle_error *err);

/* Has a signal arrived, or was the last command killed by INT or TERM? Then no further run starts. */
bool wtl_trials_interrupted(const struct wtl_trials *trials);

/* The signal that ended the series, or that killed the first failing command; 0 = none. cut_short: the
 * series was not complete. */
int wtl_trials_deadly_signal(const struct wtl_trials *trials, bool cut_short);

/* Print a warning on stderr, once per series; context is the trials (struct wtl_teller). */
void wtl_trials_warn(void *context, const char *sentence);

#endif
