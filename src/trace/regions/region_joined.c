/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Combines the energies of a region on several channels: tick errors of the channels are independent and add
 * as squares; errors of an estimate's model are common and add linearly.
 */
#include "trace/regions/region_joined.h"

#include <math.h>
#include <stdlib.h>

static int compare_ids(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* NULL when the channel is neither energy nor power. */
static const struct wtl_energy *find(const struct wtl_region_summary *region,
                                     bool exclusive,
                                     size_t id)
{
    uint32_t key = (uint32_t)id;
    const uint32_t *found =
        region->energy_count && id <= UINT32_MAX
            ? bsearch(&key, region->channels, region->energy_count, sizeof key, compare_ids)
            : NULL;
    if (!found)
        return NULL;
    return (exclusive ? region->exclusive : region->inclusive) + (found - region->channels);
}

struct wtl_energy wtl_region_join(const struct wtl_region_summary *region,
                                  bool exclusive,
                                  const struct wtl_channel_set *set)
{
    struct wtl_energy_sum sum = {0};
    double model = 0;
    for (size_t i = 0; i < set->count; i++) {
        const struct wattle_channel *channel = set->channels[i];
        const struct wtl_energy *one = find(region, exclusive, set->ids[i]);
        struct wtl_energy part =
            wtl_energy_on(channel, one ? one->j : (double)NAN, one ? one->half_j : (double)NAN);
        part.interval_only = one && one->interval_only;
        wtl_energy_add(&sum, &part);
        if (channel->quality == WATTLE_ESTIMATED && channel->ratio_high > 0)
            model += part.j * (channel->ratio_high - channel->ratio_low) / 2;
    }
    struct wtl_energy joined = wtl_energy_sum_of(&sum, false);
    joined.half_j = hypot(joined.half_j, model);
    return joined;
}
