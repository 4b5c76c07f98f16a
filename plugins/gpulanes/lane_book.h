/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Work of GPUs on its way into lanes (wattle_lane_spans()): collected from a vendor's buffer, sorted, and given to the lane of its
 * device and queue. Tasks of a queue that overlap get further lanes. For the tools of CUPTI and rocprofiler.
 *
 *     if (!lane_book_open())
 *         return;
 *     lane_book_add("0000:65:00.0", 7, begin_ns, end_ns, lane_book_name("_Z4axpyi"));  for each
 *     lane_book_close();
 *
 * Between open and close a lock is held.
 */
#ifndef LANE_BOOK_H
#define LANE_BOOK_H

#include <stdbool.h>
#include <stdint.h>

/* Their clock and ours (CLOCK_MONOTONIC) at one moment. */
struct lane_moment {
    uint64_t theirs_ns, ours_ns;
    uint64_t width_ns; /* how well that is known */
};

/* Take one with the vendor's call, which returns 0; false: it failed. */
bool lane_book_moment(int (*get_timestamp)(uint64_t *ns), struct lane_moment *ret);

/* A vendor's time by the two moments around it, or beside it. */
uint64_t lane_book_time(const struct lane_moment *before,
                        const struct lane_moment *after,
                        uint64_t theirs_ns);

bool lane_book_open(void);
void lane_book_close(void);

/* False in a child of fork: the records in the vendor's buffers are the parent's, which writes them, and a lock may be held by a thread
 * that does not exist here. Then nothing is written and the vendor is not called. lane_book_open() returns the same. */
bool lane_book_is_own(void);

/* device: its PCI address. 0 in both times: they are unknown, and it is lost. */
void lane_book_add(const char *device,
                   uint64_t queue,
                   uint64_t begin_ns,
                   uint64_t end_ns,
                   uint32_t name);

/* Id of a kernel's name, demangled if the program can, and of any length. 0 = none. */
uint32_t lane_book_name(const char *mangled);

/* Something begins to be recorded: who records, and that its end is lost if lane_book_tell_lost() is never called. */
void lane_book_begin(const char *runtime);

/* What else was lost; and at the end of the program what was, in words (LABEL_LOST). */
void lane_book_lost(uint64_t count);
void lane_book_tell_lost(const char *vendor);

/* Something is not recorded at all. */
void lane_book_refused(const char *text);

#endif
