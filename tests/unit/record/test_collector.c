/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The end of the window comes from one thread, rows from another: rows that were sampled after the
 * end before the lane was stopped are in the ring before its record. They are not in the window.
 */
#include "record/collector.h"

#include "source/driver.h"
#include "tap.h"

#define MS UINT64_C(1000000)

/* The sampler was interrupted in the middle of a read, and the window ended in that time: what it
 * read belongs to the time after. */
static void test_straddling(void)
{
    struct wattle_channel channel =
        wtl_channel_init(WATTLE_DOMAIN_DRAM, 0, WATTLE_ENERGY, WATTLE_COUNTER);
    channel.scale = 1e-3;
    channel.refresh_ns = MS;
    struct wtl_source source = {.channels = &channel, .count = 1};
    struct wtl_batch run = {.source = &source, .n = 1};
    const struct wtl_batch *runs[] = {&run};
    struct wtl_lane lane = {.interval_ns = 10 * MS, .runs = &run, .run_count = 1};
    struct wtl_collector collector;
    struct wtl_summary summary;
    is_int(wtl_lane_init(&lane), 0, "a lane");
    is_int(wtl_collector_init(&collector, &channel, 1, runs, 1, NULL), 0, "an collector");
    for (uint64_t ms = 0; ms <= 490; ms += 10) { /* 10 W */
        uint64_t record[4] = {WTL_RECORD_ROW, ms * MS, 0, 10 * ms};
        if (ms == 10)
            wtl_lane_mark(&lane, WTL_RECORD_BEGIN, 0);
        wtl_lane_push(&lane, record, 4);
    }
    /* from 500 to 560 ms, and the value is of 559 ms */
    uint64_t interrupted[4] = {WTL_RECORD_ROW, 530 * MS, 30 * MS << 32, 5590};
    wtl_lane_push(&lane, interrupted, 4);
    wtl_collector_end(&collector, 531 * MS);
    wtl_lane_mark(&lane, WTL_RECORD_END, 531 * MS);
    uint64_t behind[4] = {WTL_RECORD_ROW, 570 * MS, 0, 5700};
    wtl_lane_push(&lane, behind, 4);
    wtl_collector_drain(&collector, &lane, UINT64_MAX);
    wtl_collector_finish(&collector, 571 * MS);
    wtl_tally_summary(&collector.channels[0].tally, &summary);
    is_double(summary.amount, 5.31, 0.001, "a read across the end says nothing of it");
    is_int((intmax_t)summary.gaps, 0, "nor is it missed");
    wtl_collector_fini(&collector);
    wtl_lane_fini(&lane);
}

int main(void)
{
    test_straddling();
    struct wattle_channel channel =
        wtl_channel_init(WATTLE_DOMAIN_NODE, 0, WATTLE_POWER, WATTLE_GAUGE);
    channel.scale = 1;
    struct wtl_source source = {.channels = &channel, .count = 1};
    struct wtl_batch run = {.source = &source, .n = 1};
    const struct wtl_batch *runs[] = {&run};
    struct wtl_lane lane = {.interval_ns = MS, .runs = &run, .run_count = 1};
    struct wtl_collector collector;
    struct wtl_summary summary;
    is_int(wtl_lane_init(&lane), 0, "a lane");
    is_int(wtl_collector_init(&collector, &channel, 1, runs, 1, NULL), 0, "an collector");

    /* 100 W up to 1 s, then 1000 W; the lane is stopped 10 ms late. One reading fails there. */
    wtl_lane_mark(&lane, WTL_RECORD_BEGIN, 1 * MS);
    for (uint64_t ms = 1; ms <= 1010; ms++) {
        uint64_t record[4] = {WTL_RECORD_ROW, ms * MS, ms == 1005, ms <= 1000 ? 100 : 1000};
        wtl_lane_push(&lane, record, 4);
        if (ms == 500 || ms == 1008) /* what is newer than 10 ms waits */
            wtl_collector_drain(&collector, &lane, ms * MS - 10 * MS);
    }
    wtl_collector_end(&collector, 1000 * MS);
    wtl_lane_mark(&lane, WTL_RECORD_END, 1000 * MS);
    wtl_collector_drain(&collector, &lane, UINT64_MAX);
    wtl_collector_finish(&collector, 1010 * MS);
    wtl_tally_summary(&collector.channels[0].tally, &summary);
    is_double(summary.amount, 99.9, 1e-9, "the energy of the window");
    is_int((intmax_t)summary.samples, 1000, "the samples in it");
    is_int((intmax_t)summary.gaps, 0, "what fails behind it is no gap");
    wtl_collector_fini(&collector);
    wtl_lane_fini(&lane);
    return done_testing();
}
