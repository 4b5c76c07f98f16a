/* SPDX-License-Identifier: BSD-3-Clause */
/* Region energies computed during a run: see region_live.h. */
#include "trace/regions/region_live.h"

#include "trace/regions/region_summary.h"

/* Maximum samples to read again at the start, about 0.1 s: ring buffers hold a second. */
#define SAMPLES_MAX 1000000u

void wtl_region_live_end(struct wtl_region_live *live)
{
    wtl_region_feed_fini(&live->feed);
}

static void settle(struct wtl_region_live *live, int code)
{
    if (code < 0)
        wtl_region_live_end(live);
}

void wtl_region_live_begin(struct wtl_region_live *live,
                           const struct wtl_tables *tables,
                           int fd,
                           uint64_t end,
                           uint64_t samples,
                           uint64_t marked_ns)
{
    const struct wtl_trace_window *window = &tables->window;
    uint64_t start_ns = window->start_monotonic_ns;
    if (!window->started || start_ns == 0 || window->ended || samples > SAMPLES_MAX)
        return;
    if (wtl_region_feed_init(&live->feed, tables, start_ns, UINT64_MAX) < 0)
        return;
    wtl_region_energy_marked(live->feed.energy, marked_ns);
    settle(live, wtl_region_feed_file(&live->feed, fd, end));
}

void wtl_region_live_rows(struct wtl_region_live *live, const struct wtl_rows *rows)
{
    int code = 0;
    if (!wtl_region_live_is_on(live))
        return;
    for (size_t r = 0; r < rows->rows && code == 0; r++) {
        for (size_t c = 0; c < rows->columns && code == 0; c++) {
            size_t at = c * rows->stride + r;
            if (!rows->missing || !rows->missing[at])
                code = wtl_region_feed_sample(&live->feed, rows->channels[c], rows->time_ns[r],
                                              rows->values[at], rows->flags & WTL_GROUP_EDGE);
        }
        if (code == 0)
            code = wtl_region_energy_advance(live->feed.energy);
    }
    settle(live, code);
}

void wtl_region_live_gaps(struct wtl_region_live *live, struct wtl_cursor records)
{
    struct wtl_tables tables = {0};
    if (!wtl_region_live_is_on(live))
        return;
    int code = wtl_tables_load(&tables, WTL_BLOCK_GAPS, records);
    const struct wtl_gap *gaps = (const struct wtl_gap *)tables.gaps.items;
    for (size_t i = 0; i < tables.gaps.count && code == 0; i++)
        code = wtl_region_feed_gap(&live->feed, &gaps[i]);
    wtl_tables_fini(&tables);
    settle(live, code);
}

void wtl_region_live_marks(struct wtl_region_live *live, const struct wtl_mark *marks, size_t n)
{
    int code = 0;
    if (!wtl_region_live_is_on(live))
        return;
    for (size_t i = 0; i < n && code == 0; i++)
        if (wtl_mark_is_region(marks[i].kind))
            code = wtl_region_energy_mark(live->feed.energy, &marks[i]);
    if (code == 0)
        code = wtl_region_energy_advance(live->feed.energy);
    settle(live, code);
}

void wtl_region_live_marked(struct wtl_region_live *live, uint64_t time_ns)
{
    if (wtl_region_live_is_on(live))
        wtl_region_energy_marked(live->feed.energy, time_ns);
}

void wtl_region_live_window_end(struct wtl_region_live *live, uint64_t end_ns)
{
    if (wtl_region_live_is_on(live))
        settle(live, wtl_region_energy_window_end(live->feed.energy, end_ns));
}

int wtl_region_live_finish(struct wtl_region_live *live,
                           wtl_region_name_fn *name_of,
                           const void *context,
                           struct wtl_footer_regions *table)
{
    if (!wtl_region_live_is_on(live))
        return 0;
    int code = wtl_region_feed_finish(&live->feed, name_of, context, table);
    wtl_region_live_end(live);
    if (code < 0)
        wtl_footer_regions_fini(table);
    return code == 0;
}
