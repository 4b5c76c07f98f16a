/* SPDX-License-Identifier: BSD-3-Clause */
/* Regions for a table: see region_rows.h. The result decides which channels are added up. */
#include "analysis/regions/region_rows.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"

static int choose(const struct wtl_trace_reader *reader,
                  const struct wtl_result *result,
                  struct wtl_channel_set *chosen)
{
    chosen->ids = malloc((result->energy_count + 1) * sizeof *chosen->ids);
    chosen->channels = malloc((result->energy_count + 1) * sizeof(void *));
    if (!chosen->ids || !chosen->channels)
        return -ENOMEM;
    for (size_t i = 0; i < result->energy_count; i++) {
        const struct wtl_result_channel *c = &result->channels[i];
        int id = c->channel.flags & WATTLE_CHANNEL_IN_TOTAL
                     ? wtl_trace_reader_find_channel(reader, c->channel.name)
                     : -1;
        if (id < 0)
            continue;
        chosen->ids[chosen->count] = (size_t)id;
        chosen->channels[chosen->count++] = &c->channel;
    }
    return 0;
}

static struct wtl_region_row row_of(const struct wtl_region_summary *region,
                                    const struct wtl_channel_set *chosen,
                                    const struct wtl_energy *total)
{
    struct wtl_region_row row = {
        .name = region->name,
        .count = region->count,
        .thread_s = (double)region->thread_time_ns * 1e-9,
        .union_s = (double)region->union_ns * 1e-9,
        .exclusive_s = (double)region->exclusive_union_ns * 1e-9,
        .unbalanced = region->unbalanced,
        .crossing = region->crossing,
        .inclusive = wtl_region_join(region, false, chosen),
        .exclusive = wtl_region_join(region, true, chosen),
    };
    wtl_energy_range_as(&row.inclusive, total);
    wtl_energy_range_as(&row.exclusive, total);
    return row;
}

/* Exact regions are indicated by the region in which they wait. */
static int add_exact(struct wtl_trace_reader *reader,
                     struct wtl_region_row *rows,
                     size_t count,
                     struct wattle_error *err)
{
    bool some = false;
    for (size_t i = 0; i < count; i++)
        some |= strcmp(rows[i].name, WTL_EXACT_WAIT) == 0;
    if (!some)
        return 0;
    const char **names = malloc(count * sizeof *names);
    struct wtl_exact_sum *sums = malloc(count * sizeof *sums);
    int rc = -ENOMEM;
    if (!names || !sums) {
        (void)wtl_no_memory_for(err, "%zu regions", count);
        goto out;
    }
    for (size_t i = 0; i < count; i++)
        names[i] = rows[i].name;
    rc = wtl_exact_sums(reader, names, count, sums, err);
    for (size_t i = 0; rc == 0 && i < count; i++)
        rows[i].exact = sums[i];
out:
    free(names);
    free(sums);
    return rc;
}

int wtl_region_rows(struct wtl_trace_reader *reader,
                    const struct wtl_result *result,
                    struct wtl_region_row **ret_rows,
                    struct wattle_error *err)
{
    const struct wtl_region_summary *regions;
    struct wtl_channel_set chosen = {0};
    struct wtl_region_row *rows = NULL;
    int count = wtl_trace_reader_regions(reader, &regions, err);
    int rc = count;
    if (count < 0)
        return count;
    /* Only the time outside: the program has no regions. */
    if (count == 1 && !regions[0].name[0])
        rc = 0;
    if (rc > 0 && choose(reader, result, &chosen) < 0)
        rc = -ENOMEM;
    if (rc > 0 && !(rows = malloc((size_t)count * sizeof *rows)))
        rc = -ENOMEM;
    for (int i = 0; i < rc; i++)
        rows[i] = row_of(&regions[i], &chosen, &result->energy);
    free(chosen.ids);
    free(chosen.channels);
    if (rc == -ENOMEM)
        return wtl_no_memory_for(err, "%d regions", count);
    if (rc > 0) {
        int exact = add_exact(reader, rows, (size_t)rc, err);
        if (exact < 0) {
            free(rows);
            return exact;
        }
    }
    *ret_rows = rows;
    return rc;
}
