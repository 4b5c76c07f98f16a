/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The total: which channels may be added up, and a description of what that sum contains and leaves out. It
 * depends only on the channels, so a live run and a trace read years later agree.
 *
 * The rule. Only primary energy or power channels that are not contained in another one are eligible. A node
 * sensor covers everything, so it is the total by itself; a platform (psys) counter covers processors and
 * memory. Estimated channels are used only if nothing is measured. Rails of a board never are (they contain
 * each other), supplies only if nothing closer to the load is available. Modules of sockets (card.h) are node sensors of a part: the
 * sum of all, unless a sensor of the whole is available.
 */
#ifndef WTL_MODEL_TOTAL_H
#define WTL_MODEL_TOTAL_H

#include <stddef.h>

#include <wattle/channel.h>
#include <wattle/error.h>

struct wtl_total {
    size_t count;                /* number of channels; 0 = no total */
    enum wattle_quality quality; /* the weakest of its channels */
    char contains[128];          /* "package + dram of 2 sockets" */
    char excludes[128];          /* "GPUs, network, disks, fans, supply loss"; "" = nothing known */
};

/* Set the flag IN_TOTAL on the channels of the total, clear it on the others, and generate the
 * description. Does not allocate. */
void wtl_total_choose(struct wattle_channel *channels, size_t n, struct wtl_total *ret_total);

/*
 * The same for a total named by the user: an energy or power channel, or a domain ("package"): its primary
 * channels, over all indices, except those contained in another of them; for "node" and "psys", each of which
 * covers the whole machine, the one with the lowest index. Returns 0; -ENOENT: unknown name, with a list of
 * the available ones; -EINVAL: not an energy; -ENOTSUP: the channels of the domain may not be added up. On
 * failure the flags are unchanged.
 */
int wtl_total_choose_named(struct wattle_channel *channels,
                           size_t n,
                           const char *name,
                           struct wtl_total *ret_total,
                           struct wattle_error *err);

#endif
