/* SPDX-License-Identifier: BSD-3-Clause */
/* Identity of GPUs: see card.h. */
#include "model/card/card.h"

#include <stddef.h>
#include <string.h>

enum { ADDRESS = 12 }; /* "0000:65:00.0" */

/* It ends at a comma or the end. */
const char *wtl_card_address(const struct wattle_channel *channel, size_t *ret_n)
{
    const char *at =
        channel->domain == WATTLE_DOMAIN_GPU || channel->domain == WATTLE_DOMAIN_GPU_MEMORY
            ? strstr(channel->location, "pci ")
            : NULL;
    *ret_n = at ? strcspn(at + 4, ",") : 0;
    return *ret_n >= ADDRESS ? at + 4 : NULL;
}

bool wtl_same_card(const struct wattle_channel *a, const struct wattle_channel *b)
{
    size_t n = 0, m = 0;
    const char *first = wtl_card_address(a, &n), *second = wtl_card_address(b, &m);
    if (!first || !second || strcmp(a->sensor, b->sensor) == 0)
        return a->index == b->index;
    return n == m && memcmp(first, second, n) == 0;
}

bool wtl_is_apu(const struct wattle_channel *channel)
{
    return channel->domain == WATTLE_DOMAIN_GPU && strstr(channel->label, "MI300A");
}

bool wtl_is_module(const struct wattle_channel *channel)
{
    return channel->domain == WATTLE_DOMAIN_NODE && strstr(channel->label, "Module Power Socket");
}
