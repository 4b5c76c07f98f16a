/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The energy of regions on one node, from the marks of all its threads and the samples of all its
 * channels, in one pass and in memory that does not depend on their number.
 *
 *   inclusive  the node's energy over the union, over all threads and processes, of the times in
 *              which the name is open;
 *   exclusive  the same over the union of the times in which it is the innermost on some thread;
 *   untagged   the node's energy while no region at all is open.
 *
 * Unions: two threads in the same region at once count once. Inclusive energies of nested names,
 * and exclusive ones of threads that run side by side, overlap and are not to be added up. What
 * holds is: energy of the union of all regions + untagged = energy of the window.
 * A region that crosses the border of the window is cut there. An end without a begin is ignored, a
 * begin without an end lasts until its thread ends (or the window): both are counted `unbalanced`.
 * An end of a region that is open but not innermost closes just that one and is counted `crossing`.
 */
#ifndef WTL_TRACE_REGION_ENERGY_H
#define WTL_TRACE_REGION_ENERGY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <wattle/channel.h>
#include <wattle/error.h>

#include "model/energy.h"
#include "model/gap.h"
#include "trace/blocks/mark.h"

struct wtl_region_energy;

struct wtl_region_result {
    uint32_t name;               /* as in the marks; 0 = untagged */
    uint64_t count;              /* begins; untagged: stretches */
    uint64_t thread_time_ns;     /* sum over threads, recursion counted once; untagged: 0 */
    uint64_t union_ns;           /* of the time in which it is open */
    uint64_t exclusive_union_ns; /* of the time in which it is innermost somewhere */
    uint64_t unbalanced;         /* ends without begin and begins without end */
    uint64_t crossing;           /* ended while not innermost */
    /* One per channel, in the order given; unknown: no samples, a gap, no energy channel. What an estimate's model may be wrong
     * is not in them. */
    const struct wtl_energy *inclusive, *exclusive;
};

/*
 * Channels are copied; those that are not of energy or power get NaN. Marks and samples outside of
 * start_ns .. end_ns may be fed and help at the borders. Returns 0, -EINVAL, -ENOMEM.
 */
int wtl_region_energy_create(const struct wattle_channel *channels,
                             size_t count,
                             uint64_t start_ns,
                             uint64_t end_ns,
                             struct wtl_region_energy **ret_energy,
                             struct wattle_error *err);
void wtl_region_energy_destroy(struct wtl_region_energy *energy); /* accepts NULL */

/*
 * Feed samples of each channel in the order of their time (values and edges as for a tally: counters
 * unwrapped, others raw), marks in the order of time over all threads. Either may run ahead of the
 * other: what runs ahead is kept, so memory is bounded when both go on together. The results do not
 * depend on who was ahead. Return 0, -EINVAL (channel out of range), -EBADMSG (time runs backwards),
 * -ENOMEM.
 */
int wtl_region_energy_sample(struct wtl_region_energy *energy,
                             size_t channel,
                             uint64_t time_ns,
                             uint64_t value,
                             bool edge);
int wtl_region_energy_gap(struct wtl_region_energy *energy, const struct wtl_gap *gap);
int wtl_region_energy_mark(struct wtl_region_energy *energy, const struct wtl_mark *mark);

/* All marks before time_ns have been fed: samples before it need not be kept for others. */
void wtl_region_energy_marked(struct wtl_region_energy *energy, uint64_t time_ns);

/* Take what can be taken of what was fed, after each row or some. Returns 0 or -ENOMEM. */
int wtl_region_energy_advance(struct wtl_region_energy *energy);

/* True while marks wait for samples: feed a sample next. */
bool wtl_region_energy_wants_sample(const struct wtl_region_energy *energy);

/* For a window whose end was not known (UINT64_MAX). Returns 0, or -ERANGE when more has been fed than
 * goes with it: marks, or the promise of wtl_region_energy_marked(), lie behind it. */
int wtl_region_energy_window_end(struct wtl_region_energy *energy, uint64_t end_ns);

/* The window has no end of its own, since whoever measured was killed: it ends with the last samples. The energy of a
 * region that has no time before it, but went on or came later, is unknown. Before anything is fed. */
void wtl_region_energy_cut(struct wtl_region_energy *energy);

/* No more comes. After it the results are there, number 0 is untagged, the others are in the order
 * of first appearance; borrowed, valid until destroy. */
int wtl_region_energy_finish(struct wtl_region_energy *energy);
size_t wtl_region_energy_count(const struct wtl_region_energy *energy);
const struct wtl_region_result *wtl_region_energy_result(const struct wtl_region_energy *energy,
                                                         size_t i);

#endif
