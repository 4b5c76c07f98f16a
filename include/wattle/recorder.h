/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The recorder: sample the sensors of this machine in the background, with or without a trace, and
 * ask at any time what was used so far. What "wattle run" does, inside of a program:
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
 * The recorder has threads of its own; they block all signals. It never prints, exits or changes
 * the process. Any number of recorders may run side by side. After fork only the parent has it:
 * in the child each call returns -EINVAL, and destroy does nothing. A program that ends
 * without stop leaves a trace that is readable and marked as unfinished.
 *
 * Between start and stop the regions of the program (<wattle/region.h>) go into the trace, unless they
 * are recorded already: under "wattle run", or for a recorder that was started before. They pass
 * through the folder <trace>.d; where that cannot be made, or is a link or somebody else's, there are
 * no regions: wattle_recording() says so. The trace has the flags and the facts that one of "wattle run" has.
 *
 * Thread rule: create, start, stop and destroy from one thread at a time; the other calls from any
 * thread between create and destroy. Nothing here may be called from a signal handler.
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

/* The caller sets size; 0 and NULL elsewhere mean the default. */
struct wattle_recorder_options {
    size_t size;          /* sizeof(struct wattle_recorder_options), so that it can grow */
    const char *sensors;  /* as for wattle_sensors_open(); NULL = what is there */
    uint64_t interval_ns; /* between samples, 10 us to an hour; 0 = 100 ms */
    const char *trace;    /* path of the trace to write; NULL = none */
    int replace_trace;    /* not 0: a trace that is there is replaced, 0: -EEXIST */
    int wait_for_edges;   /* not 0: start and stop wait for the counters' ticks (some ms), so that
                             the energy between them is known much better than to a tick */
};

/*
 * Open the sensors and the trace. The options, with their texts, are copied. *ret_recorder is the
 * caller's, freed by wattle_recorder_destroy(). Returns 0; -ENODEV, -EACCES when nothing can be
 * measured; -EEXIST when the trace is there; -EBUSY when another recorder is writing it; else the
 * errno of open(2) of the trace; -EINVAL for options that make no sense, -ENOTSUP for those of a
 * newer libwattle; -EAGAIN when no thread can be made; -ENOMEM. Since 0.1.
 */
int wattle_recorder_create(const struct wattle_recorder_options *options,
                           struct wattle_recorder **ret_recorder,
                           struct wattle_error *err);

/* Stops when it runs, and frees. Accepts NULL. Since 0.1. */
void wattle_recorder_destroy(struct wattle_recorder *recorder);

/*
 * Begin; the window of the measurement opens as start returns. A recorder is started once; for
 * another window create another one. Returns 0; -EALREADY when it was started before; -EINVAL for
 * NULL or in a child of fork. Since 0.1.
 */
int wattle_recorder_start(struct wattle_recorder *recorder, struct wattle_error *err);

/*
 * End, at the moment of the call; then finish the trace. The summaries stay until destroy. Returns
 * 0; -EALREADY when it was stopped before; -EINVAL for NULL, before start or in a child of fork; the
 * errno of a trace that could not be written whole: the summaries are good all the same. Since 0.1.
 */
int wattle_recorder_stop(struct wattle_recorder *recorder, struct wattle_error *err);

/* Number of channels that are recorded; 0 of NULL. It does not change. Since 0.1. */
size_t wattle_recorder_channel_count(const struct wattle_recorder *recorder);

/* Channel number `channel`, borrowed until destroy; NULL when out of range. Since 0.1. */
const struct wattle_channel *wattle_recorder_channel(const struct wattle_recorder *recorder,
                                                     size_t channel);

/*
 * What a channel used from start to stop; while it runs, up to the newest sample taken in, which is
 * up to 0.25 s and an interval ago; NaN before. Two of these, taken one after the other, differ by
 * what was used between their windows. Returns 0; -EINVAL for no such channel, a size not set, or
 * in a child of fork; -ENOTSUP for a size of a newer libwattle. Since 0.1.
 */
int wattle_recorder_summary(struct wattle_recorder *recorder,
                            size_t channel,
                            struct wattle_summary *ret_summary,
                            struct wattle_error *err);

/*
 * The same of the sum over the channels with WATTLE_CHANNEL_IN_TOTAL, and in words what it contains
 * and leaves out ("" = nothing known); these are borrowed until destroy, and NULL may be given for
 * either pointer. Its window is the shortest of theirs, samples the fewest of any, gaps and their
 * times are sums; min and max are NaN. Returns as wattle_recorder_summary(), and -ENODATA when no
 * channel may be added up. Since 0.1.
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
