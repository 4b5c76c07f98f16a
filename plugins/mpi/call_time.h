/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Time inside MPI calls: the time during which some thread of the process is in one, so that
 * concurrent threads (MPI_THREAD_MULTIPLE) do not make it longer than the run. Each call from
 * outside MPI counts, those that MPI makes within one do not. Calls are counted per thread, and no
 * call waits for another; the sums are written to the trace twice a second, so kill -9 loses at
 * most half a second. Long calls become the region "MPI"; with tasks recorded each one is a state
 * instead (call_state.h).
 */
#ifndef WATTLE_MPI_CALL_TIME_H
#define WATTLE_MPI_CALL_TIME_H

#include <stdbool.h>

#include <wattle/process.h>

struct call_site;

struct call_counter {
    uint64_t calls;
    uint32_t used, inside; /* by a living thread; which is in a call */
    struct call_counter *older;
    struct call_room *room; /* NULL = no state yet */
};

/* On the stack of a call. */
struct timed_call {
    struct wattle_stretch stretch;
    struct call_counter *counter;   /* NULL = not counted */
    const struct call_site *inside; /* in its state; set by the caller */
    bool state;                     /* to be recorded as a state; then the counter has a room */
};

/* Start counting; text: WATTLE_MPI_REGIONS or NULL. Returns 0, or -1 if the text is invalid, which
 * is then treated as NULL. */
int call_time_start(const char *text);
/* Write the sums to the trace. */
void call_time_report(void);
/* Report, and stop counting. */
void call_time_stop(void);

void call_time_begin(struct timed_call *call);
void call_time_end(struct timed_call *call);

#endif
