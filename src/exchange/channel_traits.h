/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What another format has no place for but the interval of an energy depends on, as text for its comments, descriptions or notes:
 * the window and the period of a window average, its maximum, and the interval of an estimate. An export prints it, and the import
 * of such a file reads it, so that a gauge that sees a part of the time is not taken for one that sees all of it.
 *
 *     window_ns=25000000 refresh_ns=100000000 max_w=400
 */
#ifndef WTL_EXCHANGE_CHANNEL_TRAITS_H
#define WTL_EXCHANGE_CHANNEL_TRAITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <wattle/channel.h>

/* Enough for all of them. */
enum { WTL_TRAITS_SIZE = 192 };

struct wtl_channel_traits {
    uint64_t window_ns, refresh_ns; /* of a window average; 0 = unknown */
    double max_w;                   /* the same; 0 = unknown */
    double ratio_low, ratio_high;   /* of an estimate; 0 0 = unknown */
};

/* The traits of a channel; all 0 if it has none. */
struct wtl_channel_traits wtl_channel_traits_of(const struct wattle_channel *channel);

/* Those of a sum: as wide as the widest of its parts. count: how many parts were added before. */
void wtl_channel_traits_add(struct wtl_channel_traits *sum,
                            const struct wattle_channel *channel,
                            size_t count);

/* As text into buf, which is returned; "" if there are none. */
char *wtl_channel_traits_print(const struct wtl_channel_traits *traits, char *buf, size_t size);

/* Back. Unknown words are passed over, and values that no channel can have are left out. */
void wtl_channel_traits_read(const char *text, struct wtl_channel_traits *ret_traits);

/* Give them to a channel of an imported trace. */
void wtl_channel_traits_apply(const struct wtl_channel_traits *traits,
                              struct wattle_channel *channel);

#endif
