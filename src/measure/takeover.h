/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Takeover: the process that measured its node was killed, or ended before the others; another one
 * of the job continues, in the same trace.
 *
 *     wtl_seat_try(seat) == 1 && wtl_seat_look(seat, 0, &note) == 0       the dead process's note
 *     wtl_takeover_begin(&options, &takeover, err);                       samples from here on
 *     wtl_seat_publish(seat, &note);                                      so that it can happen again
 *     wtl_takeover_end(takeover, end_ns, err);                            footer, regions of all processes
 *
 * The time from the last row to the first new one is a gap "not sampled" in each channel. A
 * hardware counter continues across it if no wrap can have been missed; one that restarts when it
 * is opened (CPU time of processes, an estimate) loses the time in between: that gap is a "reset".
 * At the end the file is repaired, as by wattle repair: the footer covers all its blocks, and the
 * spools in <trace>.d are merged, each mark once.
 */
#ifndef WTL_MEASURE_TAKEOVER_H
#define WTL_MEASURE_TAKEOVER_H

#include <stdint.h>
#include <sys/types.h>

#include <wattle/error.h>

#include "base/world/world.h"
#include "record/energy_link.h"
#include "source/driver.h"
#include "trace/writer.h"

struct wtl_takeover;

struct wtl_takeover_options {
    const struct wtl_world *world;
    const struct wtl_settings *settings; /* driver settings; may be NULL */
    const char *sensors;                 /* as given to the dead process; NULL = what is
                                          * available */
    const char *trace;
    const char *spool; /* its folder of regions; NULL or "" = none */
    uint64_t interval_ns;
    int sampler_cpu; /* WTL_SAMPLER_CPU_* */
    pid_t command;   /* its own command, for counters that follow a process; 0 = none */
    pid_t died;      /* the process that measured before, for the trace's flag; 0 = it handed
                      * over */
    const struct wtl_energy_link
        *page; /* page of the previous process, held by the caller; NULL or empty = none */
};

/* The channels of the sensors must be those of the trace. 0; -EALREADY if the trace is complete,
 * and others, each with a message: then nothing was changed. Its threads block all signals. */
int wtl_takeover_begin(const struct wtl_takeover_options *options,
                       struct wtl_takeover **ret_takeover,
                       struct wattle_error *err);

/* For metadata about the end of the run. Owned by the takeover. */
struct wtl_trace_writer *wtl_takeover_writer(struct wtl_takeover *takeover);

/* Stop sampling, leave the file for another process to continue, and free. */
void wtl_takeover_leave(struct wtl_takeover *takeover);

/* In the child of a fork: release the file, which would otherwise stay locked when the parent is
 * killed. Frees nothing. Accepts NULL. */
void wtl_takeover_forget(struct wtl_takeover *takeover);

/* Stop, add the regions and the footer, free. 0, or why the file is not complete: its content stays
 * readable. */
int wtl_takeover_end(struct wtl_takeover *takeover, uint64_t end_ns, struct wattle_error *err);

#endif
