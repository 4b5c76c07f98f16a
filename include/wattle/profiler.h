/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The profiler: two calls measure the energy of the nodes that a program runs on.
 *
 *     wattle_init(NULL);
 *     ... the program, optionally with regions (<wattle/region.h>) ...
 *     wattle_finalize();
 *
 * Every process of a job may make both calls. On each node one of them samples the sensors and
 * writes the node's trace; the others record their regions in it. A lock, released by the kernel
 * when its holder dies, determines which one: another process then takes over, and the trace has a
 * gap. Under "wattle run" nothing is measured twice: the calls join that trace.
 *
 * A program that never calls wattle_finalize() is finalized at exit(); if it ends otherwise (_exit,
 * abort, a signal), the trace is readable up to the last second, and "wattle repair" completes it.
 *
 * Options that are not set are taken from the environment, or else have their defaults; the
 * variables are described in wattle-environment(7). An invalid variable is reported on stderr, and
 * the default is used.
 *
 * wattle_init() sets WATTLE_SPOOL and WATTLE_SPOOL_NODE in the environment of this process, so that
 * programs it starts record their regions in the same trace; wattle_finalize() unsets them.
 *
 * Thread rule: init and finalize from one thread, and not from signal handlers: if a handler
 * interrupts one of these calls, they return -EBUSY, and exit() called there leaves the trace as
 * _exit does. They may be called before MPI_Init, in a constructor of a library, and before or
 * after region calls. After fork the child records its regions into the same trace and finalizes
 * nothing.
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

/* The caller sets size; 0 or NULL in the other members means: from the environment, else the
 * default. Strings are copied. */
struct wattle_profiler_options {
    size_t size;          /* sizeof(struct wattle_profiler_options), so that it can grow */
    const char *output;   /* trace file, or folder of traces (an existing one, or a name that
                             ends with a slash: it is created). WATTLE_OUTPUT; "." */
    const char *sensors;  /* as for wattle_sensors_open(). WATTLE_SENSOR; what is available */
    const char *run_id;   /* the same on all nodes of a run. WATTLE_RUN_ID; the job's, or random */
    const char *groups;   /* groups of ranks, "1-10,11-32". WATTLE_GROUPS; one group */
    uint64_t interval_ns; /* between samples, 10 us to an hour. WATTLE_INTERVAL; 100 ms */
    int wait_for_edges;   /* > 0: begin and end wait a few ms for the counters' ticks; < 0: they
                             do not; 0: WATTLE_EDGES=yes|no, else they do */
    int no_trace;         /* not 0: only wattle_read(), no trace and no regions */
    int quiet;            /* not 0: print nothing. WATTLE_QUIET=1 */
    struct wattle_error *err; /* receives the message of a failure; NULL = print it on stderr */
};

/*
 * Begin. options: NULL = environment and defaults. With WATTLE_DISABLE=1 this and all other calls
 * do nothing. If no sensor can be read, regions are still recorded, and a message on stderr says
 * so. Returns 0; -EALREADY when already called, which is harmless; -EINVAL for invalid options or
 * unknown sensors, -ENOTSUP for options of a newer libwattle; the errno of a trace named in the
 * options that cannot be created (with variables, the failure is reported and the trace left out);
 * -ENOMEM, -EAGAIN. After a failure the program continues without measurement. Since 0.1.
 */
int wattle_init(const struct wattle_profiler_options *options);

/*
 * End. The window closes at the moment of the call or, in the process that measures, when the
 * others on this node have finalized as well; if they take longer than a second, one of them takes
 * over. The process that measures prints the node's energy on stderr, unless quiet. Returns 0;
 * -EINVAL before wattle_init(); -EALREADY when already called; the errno of a trace that could not
 * be written completely. Since 0.1.
 */
int wattle_finalize(void);

/*
 * Like wattle_finalize(), for a program about to be terminated, as by MPI_Abort: does not wait for
 * other processes. If there are others on the node, the trace with all samples so far is left to
 * them to continue. Since 0.1.
 */
int wattle_finalize_now(void);

/* 1 when this process samples its node at present; 0 when another process does, or none. Any
 * thread. Since 0.1. */
int wattle_measuring(void);

/*
 * Energy used so far, while the program runs: in every process of the node, also under "wattle run"
 * with a trace and without wattle_init(). The sampler publishes its readings; nothing here reads a
 * sensor, locks or allocates (except for the first call). Values are as old as the newest sample,
 * at most one interval, or, for a counter that stands still, as the last time it grew. Work shorter
 * than a few intervals cannot be resolved; for the interval see WATTLE_INTERVAL.
 *
 *     struct wattle_mark before;
 *     struct wattle_domain_energy used = {0};
 *     wattle_mark_now(&before);
 *     step();
 *     if (wattle_read_total(&before, &used) > 0 && used.window_ns > 0)
 *         ... used.energy_j in used.window_ns: used.energy_j / (used.window_ns * 1e-9) watts ...
 */

/* A moment, with the values of all channels at that time. Opaque to the program; valid in this
 * process only. */
struct wattle_mark {
    uint64_t opaque[128];
};

/* What one channel, or their sum, used between a moment and its newest sample. Doubles are NaN
 * when unknown, never 0. */
struct wattle_domain_energy {
    const char *name;            /* the channel, "powercap:package-0"; or "total". Stays valid */
    enum wattle_domain domain;   /* for a total: WATTLE_DOMAIN_OTHER */
    int index;                   /* socket, card, supply */
    enum wattle_quality quality; /* for a total: the weakest */
    unsigned flags;              /* enum wattle_channel_flags */
    double energy_j; /* in window_ns, excluding unknown_ns; NaN before the first sample after the
                        moment, or when nothing is known, as before the first tick of a counter */
    double resolution_interval_j; /* half width of its 95 % interval: ticks, timing */
    double power_w;       /* now: the mean over the last 20 updates of the hardware, at least an
                             interval; NaN in a gap, and before there are that many */
    uint64_t window_ns;   /* from the moment to the newest sample; 0 = no sample since */
    uint64_t age_ns;      /* of the newest sample */
    uint64_t unknown_ns;  /* part of window_ns in gaps that lost energy; if not 0, energy_j is
                             too low */
    uint64_t reserved[5]; /* 0 */
};

/* Remember the present moment. Returns 0; -ENODATA when no process samples for this one; -EINVAL
 * for NULL. Any thread. Since 0.1. */
int wattle_mark_now(struct wattle_mark *ret_mark);

/*
 * Remember when the innermost open region of the calling thread began. Returns 0; -ENODATA as
 * above; -ENOENT when no region is open, or it began too long ago to be found; -EINVAL for NULL.
 * Since 0.1.
 */
int wattle_mark_region(struct wattle_mark *ret_mark);

/*
 * What each energy or power channel used since a mark; NULL: since the measurement window began.
 * Fills in at most n elements of ret_energy, which may be NULL if n = 0. Returns the number of
 * channels, which does not change; -ENODATA when no process samples for this one; -EINVAL for an
 * invalid mark. Any thread. Since 0.1.
 */
int wattle_read(const struct wattle_mark *since, struct wattle_domain_energy *ret_energy, size_t n);

/*
 * The sum over the channels with WATTLE_CHANNEL_IN_TOTAL, which counts nothing twice. All are taken
 * over one window, which ends at the newest sample of the slowest of them; the part of it in which
 * a channel is unknown (its reads fail, it stands still) is in unknown_ns. Returns the number of
 * these channels, otherwise as above, and -ENODATA when none may be added up. Any thread. Since
 * 0.1.
 */
int wattle_read_total(const struct wattle_mark *since, struct wattle_domain_energy *ret_energy);

/* wattle_read() since the innermost open region of the calling thread began: energy of the node,
 * with all threads and processes. Returns as wattle_read() and wattle_mark_region(). Since 0.1. */
int wattle_read_region(struct wattle_domain_energy *ret_energy, size_t n);

#ifdef __cplusplus
}
#endif
#endif
