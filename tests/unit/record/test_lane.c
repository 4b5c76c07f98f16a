/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A lane whose consumer is delayed: rows are dropped first, which is recorded in their place; edges
 * and the borders of the window always find room, since without them there is no energy at all.
 * Interrupted reads are repeated.
 */
#define _GNU_SOURCE
#include "record/lane.h"

#include <wattle/page.h>

#include "record/energy_page.h"
#include "tap.h"

enum { CHANNELS = 8 };

static void read_nothing(struct wtl_source *source,
                         size_t first,
                         size_t n,
                         struct wattle_reading *out)
{
    (void)source;
    (void)first;
    for (size_t i = 0; i < n; i++)
        out[i] = (struct wattle_reading){.raw = i};
}

static const struct wtl_driver driver = {.name = "nothing", .read = read_nothing};
static struct wtl_source source = {.driver = &driver, .count = CHANNELS};

static uint64_t pushed_until_full(struct wtl_lane *lane)
{
    uint64_t rows = 0;
    while (lane->lost == 0 && rows < 100000) {
        wtl_lane_collect(lane);
        rows++;
    }
    return rows - lane->lost;
}

static enum wtl_record_kind pop(struct wtl_lane *lane, uint64_t *ret_second)
{
    uint64_t record[WTL_RECORD_WORDS] = {99};
    (void)wtl_ring_pop(&lane->ring, record, WTL_RECORD_WORDS);
    *ret_second = record[1];
    return (enum wtl_record_kind)(record[0] & 0xff);
}

static void test_held_up(uint64_t interval_ns, uint64_t rows_at_least)
{
    struct wtl_batch run = {.source = &source, .n = CHANNELS};
    struct wtl_lane lane = {.world = wtl_world_real(),
                            .interval_ns = interval_ns,
                            .runs = &run,
                            .run_count = 1,
                            .cpu = -1};
    uint64_t edge[5] = {WTL_RECORD_EDGE}, second, lost = 0;
    is_int(wtl_lane_init(&lane), 0, "a lane of %llu us", (unsigned long long)interval_ns / 1000);
    uint64_t rows = pushed_until_full(&lane);
    ok(rows >= rows_at_least, "rows of most of a second fit (%d)", (int)rows);
    wtl_lane_collect(&lane);
    is_int(lane.lost, 2, "more do not");

    for (int i = 0; i < 50 * CHANNELS; i++)
        wtl_lane_push(&lane, edge, 5);
    wtl_lane_mark(&lane, WTL_RECORD_END, 77);
    wtl_lane_collect(&lane);
    is_int(lane.lost, 0, "edges, the border and the last row do");

    for (uint64_t i = 0; i < rows; i++)
        lost += pop(&lane, &second) != WTL_RECORD_ROW;
    is_int(lost, 0, "the rows are there");
    is_int(pop(&lane, &second), WTL_RECORD_LOST, "then it is told");
    is_int(second, 2, "how many are not");
    for (int i = 0; i < 50 * CHANNELS; i++)
        lost += pop(&lane, &second) != WTL_RECORD_EDGE;
    is_int(lost, 0, "the edges");
    is_int(pop(&lane, &second), WTL_RECORD_END, "the border");
    is_int(second, 77, "with its time");
    is_int(pop(&lane, &second), WTL_RECORD_ROW, "and the row behind it");
    wtl_lane_fini(&lane);
}

/* Losses are recorded at the first record that fits again. */
static void test_goes_on(void)
{
    struct wtl_batch run = {.source = &source, .n = CHANNELS};
    struct wtl_lane lane = {
        .world = wtl_world_real(), .interval_ns = 100000000, .runs = &run, .run_count = 1};
    uint64_t second, told = 0;
    is_int(wtl_lane_init(&lane), 0, "another lane");
    uint64_t rows = pushed_until_full(&lane);
    for (uint64_t i = 0; i < rows / 2; i++)
        (void)pop(&lane, &second);
    wtl_lane_collect(&lane);
    for (uint64_t i = rows / 2; i < rows; i++)
        told += pop(&lane, &second) == WTL_RECORD_LOST;
    is_int(told, 0, "nothing is told too early");
    is_int(pop(&lane, &second), WTL_RECORD_LOST, "but where it happened");
    is_int(pop(&lane, &second), WTL_RECORD_ROW, "before the next row");
    wtl_lane_fini(&lane);
}

/* A clock that advances by the duration set for the next read. */
static uint64_t clock_ns, costs_ns[8];
static size_t reads;

static uint64_t scripted_now_ns(const struct wtl_world *world, clockid_t clock)
{
    (void)world;
    (void)clock;
    return clock_ns;
}

static void read_scripted(struct wtl_source *from,
                          size_t first,
                          size_t n,
                          struct wattle_reading *out)
{
    (void)from;
    (void)first;
    for (size_t i = 0; i < n; i++)
        out[i] = (struct wattle_reading){.raw = reads};
    clock_ns += costs_ns[reads++];
}

/* The time of an interrupted read is unknown, so it is repeated; but not forever, and not if reads
 * are always slow. */
static void test_interrupted(void)
{
    static const struct {
        int line;
        uint64_t costs_us[8];
        uint64_t rows, reads, last_us, last_raw;
    } cases[] = {
        {__LINE__, {50, 60, 70, 90}, 4, 4, 50 + 60 + 70 + 45, 3},
        {__LINE__, {50, 30000, 60, 0}, 2, 3, 50 + 30000 + 30, 2},
        {__LINE__, {50, 30000, 30000, 30000, 50}, 2, 4, 50 + 60000 + 15000, 3},
        {__LINE__, {5000, 5000, 30000, 5000}, 2, 3, 10000 + 15000, 2},
        {__LINE__, {30000, 60, 50}, 1, 2, 30000 + 30, 1}, /* the first one */
    };
    static const struct wtl_driver scripted = {.name = "scripted", .read = read_scripted};
    static const struct wtl_world_ops ops = {.now_ns = scripted_now_ns};
    const struct wtl_world world = {.ops = &ops};
    struct wtl_source slow = {.driver = &scripted, .count = 1};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        tap_line = cases[c].line;
        struct wtl_batch run = {.source = &slow, .n = 1};
        struct wtl_lane lane = {.world = &world, .runs = &run, .run_count = 1};
        uint64_t record[WTL_RECORD_WORDS] = {0};
        is_int(wtl_lane_init(&lane), 0, "a lane");
        clock_ns = reads = 0;
        for (size_t i = 0; i < 8; i++)
            costs_ns[i] = cases[c].costs_us[i] * 1000;
        for (uint64_t i = 0; i < cases[c].rows; i++) {
            wtl_lane_collect(&lane);
            is_int((intmax_t)wtl_ring_pop(&lane.ring, record, WTL_RECORD_WORDS), 4, "a row");
        }
        is_int((intmax_t)reads, (intmax_t)cases[c].reads, "reads");
        is_int((intmax_t)record[1], (intmax_t)cases[c].last_us * 1000, "the last one's time");
        is_int((intmax_t)record[3], (intmax_t)cases[c].last_raw, "and value");
        wtl_lane_fini(&lane);
    }
    tap_line = 0;
}

/* A page does not get a reading that was interrupted for long, since it is repeated soon; of a sensor that is always slow, it says how well
 * the time is known. */
static void test_interrupted_page(bool is_slow)
{
    static const struct wattle_channel channel = {.name = "x:package-0",
                                                  .domain = WATTLE_DOMAIN_PACKAGE,
                                                  .quantity = WATTLE_ENERGY,
                                                  .kind = WATTLE_COUNTER,
                                                  .scale = 1e-6};
    static const struct wtl_driver scripted = {.name = "scripted", .read = read_scripted};
    static const struct wtl_world_ops ops = {.now_ns = scripted_now_ns};
    static const uint64_t fast_us[8] = {50, 800000, 800000, 800000, 400, 400, 400, 50};
    static const uint64_t slow_us[8] = {5000, 5000, 5000, 2700000};
    const struct wtl_world world = {.ops = &ops};
    struct wtl_source slow = {.driver = &scripted, .count = 1};
    struct wtl_batch run = {.source = &slow, .n = 1};
    struct wtl_lane lane = {.world = &world, .runs = &run, .run_count = 1};
    struct wattle_page page = {.socket = -1};
    struct wattle_page_now now;
    is_int(wtl_lane_init(&lane), 0, "a lane");
    is_int(wtl_energy_page_open_writer(
               &(struct wtl_energy_page_options){.channels = &channel, .count = 1}, &lane.energy),
           0, "a page");
    page.header = wtl_energy_page_lend(lane.energy, &page.size);
    clock_ns = reads = 0;
    for (size_t i = 0; i < 8; i++)
        costs_ns[i] = (is_slow ? slow_us : fast_us)[i] * 1000;
    wtl_lane_collect(&lane);
    wtl_lane_collect(&lane);
    is_int(wattle_page_read(&page, 0, &now), 0, "has values");
    is_int((intmax_t)now.raw_ns, is_slow ? 12500000 : 25000,
           is_slow ? "at the middle of a read that takes as long as others"
                   : "not at a time that may be wrong by 0.4 s");
    wtl_lane_collect(&lane);
    (void)wattle_page_read(&page, 0, &now);
    is_int((intmax_t)reads, is_slow ? 4 : 7, "repeated where that helps");
    is_int((intmax_t)now.raw_ns, (intmax_t)clock_ns - (is_slow ? 1350000000 : 200000),
           is_slow ? "in the middle of one that takes 2.7 s"
                   : "but at one that is right to 0.2 ms");
    is_int((intmax_t)now.half_ns, is_slow ? 1350000000 : 200000, "which is known to that");
    wtl_energy_page_close_writer(lane.energy);
    wtl_lane_fini(&lane);
}

int main(void)
{
    test_interrupted_page(false);
    test_interrupted_page(true);
    test_held_up(1000000, 750);
    test_held_up(100000000, 8);
    test_held_up(UINT64_C(1000000000), 1);
    test_goes_on();
    test_interrupted();
    return done_testing();
}
