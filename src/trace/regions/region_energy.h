/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The energy of regions on one node, from the marks of all its threads and the samples of all its channels,
 * in one pass and with memory that does not depend on their number.
 *
 *   inclusive  the node's energy over the union, over all threads and processes, of the times in
 *              which the name is open;
 *   exclusive  the same over the union of the times in which it is innermost on some thread;
 *   untagged   the node's energy while no region at all is open.
 *
 * Unions: two threads in the same region at the same time count once. Inclusive energies of nested names, and
 * exclusive ones of threads that run concurrently, overlap and must not be added up. It always holds that:
 * energy of the union of all regions + untagged = energy of the window.
 * A region that crosses a border of the window is cut there. An end without a begin is ignored, a begin
 * without an end lasts until its thread (or the window) ends: both are counted as `unbalanced`. An end of a
 * region that is open but not innermost closes only that region and is counted as `crossing`.
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
    /* One per channel, in the order given; unknown: no samples, a gap, or not an energy channel. Without
     * the possible error of an estimate's model. */
    const struct wtl_energy *inclusive, *exclusive;
};

/*
 * Channels are copied; those that are neither energy nor power get NaN. Marks and samples outside start_ns ..
 * end_ns may be added and improve the borders. Returns 0, -EINVAL, -ENOMEM.
 */
int wtl_region_energy_create(const struct wattle_channel *channels,
                             size_t count,
                             uint64_t start_ns,
                             uint64_t end_ns,
                             struct wtl_region_energy **ret_energy,
                             struct wattle_error *err);
void wtl_region_energy_destroy(struct wtl_region_energy *energy); /* accepts NULL */

/*
 * Add samples of each channel in time order (values and edges as for a tally: counters unwrapped, others
 * raw), and marks in time order over all threads. Either may be ahead of the other: the excess is stored, so
 * memory is bounded if both advance together. The results do not depend on which was ahead. Return 0, -EINVAL
 * (channel out of range), -EBADMSG (time decreases), -ENOMEM.
 */
int wtl_region_energy_sample(struct wtl_region_energy *energy,
                             size_t channel,
                             uint64_t time_ns,
                             uint64_t value,
                             bool edge);
int wtl_region_energy_gap(struct wtl_region_energy *energy, const struct wtl_gap *gap);
int wtl_region_energy_mark(struct wtl_region_energy *energy, const struct wtl_mark *mark);

/* All marks before time_ns have been added: samples before it need not be kept for further marks. */
void wtl_region_energy_marked(struct wtl_region_energy *energy, uint64_t time_ns);

/* Process what can be processed of the added data; call after each row or every few rows. Returns 0 or
 * -ENOMEM. */
int wtl_region_energy_advance(struct wtl_region_energy *energy);

/* True while marks wait for samples: add a sample next. */
bool wtl_region_energy_wants_sample(const struct wtl_region_energy *energy);

/* Set the end of a window that was unknown (UINT64_MAX). Returns 0, or -ERANGE when data has been added
 * that is inconsistent with it: marks after it, or a call of wtl_region_energy_marked() for a later time. */
int wtl_region_energy_window_end(struct wtl_region_energy *energy, uint64_t end_ns);

/*
 * The window has no recorded end, because the measuring process was killed: it ends with the last samples.
 * The energy of a region that has no time before it, but continued or began later, is unknown. Call before
 * adding anything.
 */
void wtl_region_energy_cut(struct wtl_region_energy *energy);

/* No more data. Afterwards the results are available, number 0 is untagged, the others in order of first
 * appearance; borrowed, valid until destroy. */
int wtl_region_energy_finish(struct wtl_region_energy *energy);
size_t wtl_region_energy_count(const struct wtl_region_energy *energy);
const struct wtl_region_result *wtl_region_energy_result(const struct wtl_region_energy *energy,
                                                         size_t i);

#endif
