/* SPDX-License-Identifier: BSD-3-Clause */
/* Conversion of the tally's summary to the public one, and sums of public ones. */
#ifndef WTL_MODEL_PUBLIC_SUMMARY_H
#define WTL_MODEL_PUBLIC_SUMMARY_H

#include <wattle/channel.h>
#include <wattle/summary.h>

#include "base/sized.h"
#include "model/tally/tally.h"

extern const struct wtl_sized wtl_public_summary_sized;

/* The summary of a channel over a window of window_ns; all unknown when that is 0. */
struct wattle_summary wtl_public_summary(const struct wattle_channel *channel,
                                         const struct wtl_summary *summary,
                                         uint64_t window_ns);

/*
 * Add a channel's summary to a total, which is initially all 0. Errors of ticks are independent and add as
 * squares, those of estimates come from one model and add linearly. The window is the shortest, samples the
 * fewest of any channel.
 */
void wtl_public_summary_add(struct wattle_summary *total,
                            const struct wattle_channel *channel,
                            const struct wattle_summary *summary);

#endif
