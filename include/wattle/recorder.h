/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The recorder: sample the sensors of this machine in the background, with or without a trace, and
 * query at any time what was used so far. It does inside a program what "wattle run" does:
 *
 *     struct wattle_recorder_options options = {.size = sizeof options, .interval_ns = 10000000};
 *     struct wattle_recorder *r;
 *     struct wattle_error err;
 *     if (wattle_recorder_create(&options, &r, &err) < 0 || wattle_recorder_start(r, &err) < 0)
 *         ... err.text says why ...
 *     work();
 *     wattle_recorder_stop(r, &err);
 *     for (size_t i = 0; i < wattle_recorder_channel_count(r); i++) {
 *         struct wattle_summary summary = {.size = sizeof summary};
 *         if (wattle_recorder_summary(r, i, &summary, &err) == 0)
 *             printf("%s %g J\n", wattle_recorder_channel(r, i)->name, summary.energy_j);
 *     }
 *     wattle_recorder_destroy(r);
 *
 * The recorder starts its own threads, which block all signals. It never prints, exits or changes
 * process-wide state. Any number of recorders may run at the same time. After fork only the parent
 * has the recorder: in the child each call returns -EINVAL, and destroy does nothing. A program
 * that ends without stop leaves a trace that is readable and marked as unfinished.
 *
 * Between start and stop the program's regions (<wattle/region.h>) are recorded in the trace,
 * unless they are already being recorded, under "wattle run" or by a recorder started earlier. They
 * pass through the folder <trace>.d; if it cannot be created, is a link or belongs to another user,
 * no regions are recorded: check with wattle_recording(). The trace has the same flags and metadata
 * as one written by "wattle run".
 *
 * Thread rule: create, start, stop and destroy from one thread at a time; the other calls from any
 * thread between create and destroy. No call may be made from a signal handler.
 */
#ifndef WATTLE_RECORDER_H
#define WATTLE_RECORDER_H

#include <stddef.h>
#include <stdint.h>

#include <wattle/channel.h>
#include <wattle/error.h>
#include <wattle/summary.h>

#ifdef __cplusplus
extern "C" {
#endif

struct wattle_recorder;

/* The caller sets size; 0 or NULL in the other members means the default. */
struct wattle_recorder_options {
    size_t size;          /* sizeof(struct wattle_recorder_options), so that it can grow */
    const char *sensors;  /* as for wattle_sensors_open(); NULL = what is available */
    uint64_t interval_ns; /* between samples, 10 us to an hour; 0 = 100 ms */
    const char *trace;    /* path of the trace to write; NULL = none */
    int replace_trace;    /* not 0: replace an existing trace, 0: -EEXIST */
    int wait_for_edges;   /* not 0: start and stop wait for the counters' ticks (a few ms), which
                             makes the energy between them far more precise than one tick */
};

/*
 * Open the sensors and the trace. The options and their strings are copied. The caller owns
 * *ret_recorder and frees it with wattle_recorder_destroy(). Returns 0; -ENODEV, -EACCES when
 * nothing can be measured; -EEXIST when the trace exists; -EBUSY when another recorder is writing
 * it; else the errno of open(2) for the trace; -EINVAL for invalid options, -ENOTSUP for options of
 * a newer libwattle; -EAGAIN when a thread cannot be created; -ENOMEM. Since 0.1.
 */
int wattle_recorder_create(const struct wattle_recorder_options *options,
                           struct wattle_recorder **ret_recorder,
                           struct wattle_error *err);

/* Stop if running, and free. Accepts NULL. Since 0.1. */
void wattle_recorder_destroy(struct wattle_recorder *recorder);

/*
 * Begin. The measurement window opens when start returns. A recorder can be started once; create
 * another one for another window. Returns 0; -EALREADY when it was started before; -EINVAL for NULL
 * or in a child of fork. Since 0.1.
 */
int wattle_recorder_start(struct wattle_recorder *recorder, struct wattle_error *err);

/*
 * End at the moment of the call, then finish the trace. The summaries remain valid until destroy.
 * Returns 0; -EALREADY when it was stopped before; -EINVAL for NULL, before start or in a child of
 * fork; the errno of a trace that could not be written completely: the summaries are valid all the
 * same. Since 0.1.
 */
int wattle_recorder_stop(struct wattle_recorder *recorder, struct wattle_error *err);

/* Number of recorded channels; 0 for NULL. Never changes. Since 0.1. */
size_t wattle_recorder_channel_count(const struct wattle_recorder *recorder);

/* Channel number `channel`, borrowed until destroy; NULL when out of range. Since 0.1. */
const struct wattle_channel *wattle_recorder_channel(const struct wattle_recorder *recorder,
                                                     size_t channel);

/*
 * What a channel used from start to stop or, while running, up to the newest sample processed,
 * which is up to 0.25 s and an interval old; NaN before that. Two successive summaries differ by
 * what was used between the ends of their windows. Returns 0; -EINVAL for a channel out of range, a
 * size that is not set, or in a child of fork; -ENOTSUP for the size of a newer libwattle. Since
 * 0.1.
 */
int wattle_recorder_summary(struct wattle_recorder *recorder,
                            size_t channel,
                            struct wattle_summary *ret_summary,
                            struct wattle_error *err);

/*
 * The same for the sum over the channels with WATTLE_CHANNEL_IN_TOTAL, with a description of what
 * it contains and leaves out ("" = nothing known); the strings are borrowed until destroy, and
 * either pointer may be NULL. The window is the shortest of the channels, samples the fewest of
 * any, gaps their sum, gap_ns and unknown_ns the longest of any; min and max are NaN. Returns as
 * wattle_recorder_summary(), and -ENODATA when no channel may be added up. Since 0.1.
 */
int wattle_recorder_total(struct wattle_recorder *recorder,
                          struct wattle_summary *ret_summary,
                          const char **ret_contains,
                          const char **ret_excludes,
                          struct wattle_error *err);

#ifdef __cplusplus
}
#endif
#endif
