/* SPDX-License-Identifier: BSD-3-Clause */
/* The steps in which a counter's hardware counts, which may be larger than the unit in which the kernel shows it. */
#ifndef WTL_MODEL_TALLY_GRAIN_H
#define WTL_MODEL_TALLY_GRAIN_H

#include <wattle/channel.h>

/*
 * In raw ticks, at least 1: RAPL counts in units of 2^-14 J or less, which powercap shows in microjoules and perf in 2^-32 J;
 * which of the units it is they do not show. (Source: Intel SDM volume 3, "RAPL Interfaces", MSR_RAPL_POWER_UNIT.)
 */
double wtl_grain_ticks(const struct wattle_channel *channel);

/* In the unit of its quantity. */
double wtl_grain_amount(const struct wattle_channel *channel);

/* Variance in ticks of a reading that is truncated to such steps. */
double wtl_grain_variance(const struct wattle_channel *channel);

#endif
