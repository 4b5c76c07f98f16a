/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure/counted.h"

#include "counters/columns/counters.h"

struct wtl_source *wtl_measurement_counters(const struct wtl_measurement *m)
{
    for (size_t i = 0; m->selection && i < m->selection->offer_count; i++) {
        struct wtl_offer *offer = &m->selection->offers[i];
        if (offer->driver == &wtl_driver_counters && offer->status == 0 && !offer->is_silent)
            return &offer->source;
    }
    return NULL;
}
