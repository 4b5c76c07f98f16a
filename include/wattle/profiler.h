/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The profiler: two lines measure the energy of the nodes that a program runs on.
 *
 *     wattle_init(NULL);
 *     ... the program, with regions (<wattle/region.h>) where it likes ...
 *     wattle_finalize();
 *
 * Every process of a job may call both. One of them on each node samples the sensors and writes the
 * node's trace; the others leave their regions in it. Which one is settled by a lock that the kernel
 * gives back when its holder dies: then another process takes over, and the trace has a gap. Under
 * "wattle run" nobody measures a second time: the calls join that trace.
 *
 * A program that never calls wattle_finalize() is finished at exit(); one that ends otherwise (_exit,
 * abort, a signal) leaves a trace that is readable up to its last second, and "wattle repair" completes it.
 *
 * What is not given in the options is taken from the environment, else it is the default; the variables
 * are in wattle-environment(7). A variable that makes no sense is told on stderr, and the default is used.
 *
 * wattle_init() sets WATTLE_SPOOL and WATTLE_SPOOL_NODE in the environment of this process, so that
 * programs it starts leave their regions in the same trace; wattle_finalize() takes them away.
 *
 * Thread rule: init and finalize from one thread, and not from signal handlers: within one of these calls they return -EBUSY, and
 * exit() from a handler there leaves the trace as _exit does. They may be called before
 * MPI_Init, in a constructor of a library, and before or after region calls. After fork the child records its
 * regions into the same trace, and finishes nothing.
 */
#ifndef WATTLE_PROFILER_H
#define WATTLE_PROFILER_H

#include <stddef.h>
#include <stdint.h>

#include <wattle/channel.h>
#include <wattle/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The caller sets size; 0 and NULL elsewhere mean: as the environment says, else the default. Texts are
 * copied. */
struct wattle_profiler_options {
    size_t size;          /* sizeof(struct wattle_profiler_options), so that it can grow */
    const char *output;   /* trace, or folder of traces (one that is there, or with a slash at its
                                 end: made). WATTLE_OUTPUT; "." */
    const char *sensors;  /* as for wattle_sensors_open(). WATTLE_SENSOR; what is there */
    const char *run_id;   /* the same on all nodes of a run. WATTLE_RUN_ID; the job's, or random */
    const char *groups;   /* ranks in parts, "1-10,11-32". WATTLE_GROUPS; one part */
    uint64_t interval_ns; /* between samples, 10 us to an hour. WATTLE_INTERVAL; 100 ms */
    int wait_for_edges; /* > 0: begin and end wait some ms for the counters' ticks; < 0: they do not;
                                 0: WATTLE_EDGES=yes|no, else they do */
    int no_trace;       /* not 0: only wattle_read(), no trace and no regions */
    int quiet;          /* not 0: print nothing. WATTLE_QUIET=1 */
    struct wattle_error *err; /* receives the sentence of a failure; NULL = print it on stderr */
};

/*
 * Begin. options: NULL = environment and defaults. With WATTLE_DISABLE=1 this and all other calls do nothing.
 * Where no sensor can be read the regions are recorded all the same, and stderr says so. Returns 0;
 * -EALREADY when it was called before: that is harmless; -EINVAL, -ENOTSUP for options that make no sense
 * or are of a newer libwattle, or name sensors that are not known; the errno of their trace that cannot be made (variables are
 * told, and done without); -ENOMEM, -EAGAIN. After a failure the program runs on unmeasured. Since 0.1.
 */
int wattle_init(const struct wattle_profiler_options *options);

/*
 * End: the window closes at the moment of the call, or, in the process that measures, when the others of
 * this node have finalized, too; for those that take longer than a second another one takes over. Prints the
 * node's energy on stderr, in the process that measures, unless quiet. Returns 0; -EINVAL before wattle_init();
 * -EALREADY when it was called before; the errno of a trace that could not be written whole. Since 0.1.
 */
int wattle_finalize(void);

/* As wattle_finalize(), for a program that is about to be ended by force, as by MPI_Abort: waits for no other process. Where
 * there are others on the node the trace is left for them to go on, with all that was sampled. Since 0.1. */
int wattle_finalize_now(void);

/* 1 when this process samples its node now; 0 when another does, or nobody. Any thread. Since 0.1. */
int wattle_measuring(void);

/*
 * What is used while the program runs: in every process of the node, also under "wattle run" with a trace and
 * without wattle_init(). The sampler publishes what it has read; nothing here reads a sensor, locks or allocates (but for the
 * first call). Numbers are as old as the newest sample, at most an interval, or as the last growth of a counter that stands still: work
 * shorter than some intervals cannot be told apart; for the interval see WATTLE_INTERVAL.
 *
 *     struct wattle_mark before;
 *     struct wattle_domain_energy used = {0};
 *     wattle_mark_now(&before);
 *     step();
 *     if (wattle_read_total(&before, &used) > 0 && used.window_ns > 0)
 *         ... used.energy_j in used.window_ns: used.energy_j / (used.window_ns * 1e-9) watts ...
 */

/* A moment, with what all channels had used then. No part of it is for the program; it is good in this process. */
struct wattle_mark {
    uint64_t opaque[128];
};

/* What one channel, or their sum, used from a moment to its newest sample. Doubles are NaN when unknown, never 0. */
struct wattle_domain_energy {
    const char *name;            /* the channel, "powercap:package-0"; "total". Stays */
    enum wattle_domain domain;   /* of a total: WATTLE_DOMAIN_OTHER */
    int index;                   /* socket, card, supply */
    enum wattle_quality quality; /* of a total: the weakest */
    unsigned flags;              /* enum wattle_channel_flags */
    double
        energy_j; /* in window_ns, without unknown_ns; NaN when no sample is later than the moment yet, or nothing is known, as before the first tick of a counter */
    double resolution_interval_j; /* half width of its 95 % interval: ticks, timing */
    double
        power_w; /* now: the mean over the last 20 updates of the hardware, at least an interval; NaN in a gap, and before there were so many */
    uint64_t window_ns; /* from the moment to the newest sample; 0 = no sample since */
    uint64_t age_ns;    /* of the newest sample */
    uint64_t
        unknown_ns; /* of window_ns: gaps in which energy was lost; not 0 = energy_j is too low */
    uint64_t reserved[5]; /* 0 */
};

/* Remember this moment. Returns 0; -ENODATA when nobody samples for this process; -EINVAL for NULL. Any thread. Since 0.1. */
int wattle_mark_now(struct wattle_mark *ret_mark);

/* Remember the begin of the innermost region that is open on the calling thread. Returns 0; -ENODATA as above; -ENOENT when
 * there is none, or it began too long ago to be found; -EINVAL for NULL. Since 0.1. */
int wattle_mark_region(struct wattle_mark *ret_mark);

/*
 * What each channel of energy or power used since a mark; NULL: since the window of the measurement began. Fills in at most n
 * of ret_energy, which may be NULL with n = 0. Returns the number of channels, which does not change; -ENODATA when nobody
 * samples for this process; -EINVAL for a mark that is none. Any thread. Since 0.1.
 */
int wattle_read(const struct wattle_mark *since, struct wattle_domain_energy *ret_energy, size_t n);

/* The sum of the channels with WATTLE_CHANNEL_IN_TOTAL: what counts nothing twice. All are taken over one window, which ends at the newest
 * sample of the slowest of them; what is not known of one in it (its reads fail, it stands still) is in unknown_ns. Returns their
 * number, as above, and -ENODATA when none may be added up. Any thread. Since 0.1. */
int wattle_read_total(const struct wattle_mark *since, struct wattle_domain_energy *ret_energy);

/* wattle_read() since the begin of the innermost region that is open on the calling thread: what the node used, all
 * threads and processes. Returns as wattle_read() and wattle_mark_region(). Since 0.1. */
int wattle_read_region(struct wattle_domain_energy *ret_energy, size_t n);

#ifdef __cplusplus
}
#endif
#endif
