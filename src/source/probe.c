/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The probe: see probe.h. Cost is the clock difference around one read; the clock's own 20 ns are not
 * subtracted, since a sampler pays them too. Refresh is found by polling without a pause, so the time of a
 * change is known to about one read; the first change only starts the count.
 */
#include "source/probe.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/whole.h"
#include "model/statistics/quantile.h"

#define COSTS_MAX   256
#define CHANGES_MAX 33
#define POLLS_MAX   50000000u /* a limit in case the clock stands still */

static int probe_cost(struct wtl_source *source, size_t at, unsigned reads, struct wtl_probe *probe)
{
    double costs[COSTS_MAX];
    int status = -EIO;
    for (unsigned i = 0; i < reads && i < COSTS_MAX; i++) {
        struct wattle_reading reading;
        uint64_t before = wtl_world_monotonic(source->world);
        source->driver->read(source, at, 1, &reading);
        uint64_t after = wtl_world_monotonic(source->world);
        if (reading.status == 0)
            costs[probe->reads++] = (double)(after - before);
        else
            status = reading.status;
    }
    if (probe->reads == 0)
        return status;
    probe->cost_ns = wtl_whole_u64(wtl_median(costs, probe->reads));
    probe->cost_p90_ns = wtl_whole_u64(wtl_quantile_sorted(costs, probe->reads, 0.9));
    return 0;
}

static void probe_refresh(struct wtl_source *source,
                          size_t at,
                          uint64_t budget_ns,
                          struct wtl_probe *probe)
{
    double periods[CHANGES_MAX];
    uint64_t start = wtl_world_monotonic(source->world);
    uint64_t now = start, changed_ns = 0, last = 0;
    bool has_last = false;
    for (unsigned i = 0; i < POLLS_MAX && now - start < budget_ns; i++) {
        struct wattle_reading reading;
        source->driver->read(source, at, 1, &reading);
        now = wtl_world_monotonic(source->world);
        if (source->world->virtual_time && now - start == probe->polled_ns) {
            /* Virtual time does not advance by itself: sleep as long as a quick read takes. */
            (void)source->world->ops->sleep_until(source->world, now + 1000);
        }
        probe->polled_ns = now - start;
        if (reading.status != 0)
            continue;
        if (has_last && reading.raw != last) {
            if (probe->changes > 0)
                periods[probe->changes - 1] = (double)(now - changed_ns);
            probe->changes++;
            changed_ns = now;
            if (probe->changes == CHANGES_MAX)
                break;
        }
        last = reading.raw;
        has_last = true;
    }
    if (probe->changes >= 3)
        probe->refresh_ns = wtl_whole_u64(wtl_median(periods, probe->changes - 1));
}

int wtl_probe_channel(struct wtl_source *source,
                      size_t at,
                      unsigned reads,
                      uint64_t budget_ns,
                      struct wtl_probe *ret_probe)
{
    struct wtl_probe probe = {0};
    if (at >= source->count)
        return -EINVAL;
    int rc = probe_cost(source, at, reads, &probe);
    if (rc < 0)
        return rc;
    if (budget_ns)
        probe_refresh(source, at, budget_ns, &probe);
    *ret_probe = probe;
    return 0;
}
