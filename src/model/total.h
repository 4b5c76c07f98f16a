/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The total: which channels may be added up, and in words what that sum contains and leaves out.
 * It reads nothing but the channels, so a live run and a trace read years later agree.
 *
 * The rule. Only primary channels of energy or power that lie within no other one can enter. A node
 * sensor sees everything, so it is the total alone; a platform (psys) counter sees processors and
 * memory. Estimated channels enter only when nothing measured would. Rails of a board never do
 * (they contain each other), supplies only when nothing nearer to the work is there.
 */
#ifndef WTL_MODEL_TOTAL_H
#define WTL_MODEL_TOTAL_H

#include <stddef.h>

#include <wattle/channel.h>
#include <wattle/error.h>

struct wtl_total {
    size_t count;                /* channels in it; 0 = there is no total */
    enum wattle_quality quality; /* the weakest of its channels */
    char contains[128];          /* "package + dram of 2 sockets" */
    char excludes[128];          /* "GPUs, network, disks, fans, supply loss"; "" = nothing known */
};

/* Give the channels of the total the flag IN_TOTAL, take it from the others, and find the words. Does
 * not allocate. */
void wtl_total_choose(struct wattle_channel *channels, size_t n, struct wtl_total *ret_total);

/*
 * The same for what a person names instead: a channel of energy or power, or a domain ("package"): its primary
 * channels, over all indices, without those that lie within another of them; of "node" and "psys", where each
 * sees all of the machine, the one with the lowest index. Returns 0; -ENOENT: nothing has that name, with those
 * that there are; -EINVAL: it is no energy; -ENOTSUP: the channels of the domain may not be added up. A
 * failure leaves the flags as they were.
 */
int wtl_total_choose_named(struct wattle_channel *channels,
                           size_t n,
                           const char *name,
                           struct wtl_total *ret_total,
                           struct wattle_error *err);

#endif
