/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Time inside MPI calls: that in which some thread of the process is in one, so that threads side by side
 * (MPI_THREAD_MULTIPLE) do not make it longer than the run. Each call from outside of MPI counts, those that MPI makes within one
 * do not. Calls are counted by thread, and no call waits for another; the sums go into the trace twice a second, so that what
 * is lost by kill -9 is half a second. Long calls become the region "MPI".
 */
#ifndef WATTLE_MPI_CALL_TIME_H
#define WATTLE_MPI_CALL_TIME_H

#include <wattle/process.h>

struct call_counter {
    uint64_t calls;
    uint32_t used, inside; /* by a thread that lives; which is in a call */
    struct call_counter *older;
};

/* On the stack of a call. */
struct timed_call {
    struct wattle_stretch stretch;
    struct call_counter *counter; /* NULL = not counted */
};

/* Count from now on; text: WATTLE_MPI_REGIONS or NULL. Returns 0, or -1 when the text makes no sense: then it is as NULL. */
int call_time_start(const char *text);
/* The sums into the trace. */
void call_time_report(void);
/* Report, and count no more. */
void call_time_stop(void);

void call_time_begin(struct timed_call *call);
void call_time_end(struct timed_call *call);

#endif
