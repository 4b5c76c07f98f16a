/* SPDX-License-Identifier: BSD-3-Clause */
/* The coarse page: never finer than its resolution and its interval, in energy, time and gaps; and never more than the full one. */
#define _GNU_SOURCE
#include "daemon/coarse.h"

#include <errno.h>
#include <math.h>
#include <time.h>

#include "record/energy_page.h"
#include "tap.h"

#define MS UINT64_C(1000000)

static struct wattle_channel channel = {.name = "powercap:package-0",
                                        .domain = WATTLE_DOMAIN_PACKAGE,
                                        .quantity = WATTLE_ENERGY,
                                        .kind = WATTLE_COUNTER,
                                        .quality = WATTLE_MEASURED,
                                        .flags = WATTLE_CHANNEL_IN_TOTAL,
                                        .scale = 1e-6,
                                        .max_w = 1000,
                                        .refresh_ns = MS};

static int map_page(int fd, struct wattle_page *page)
{
    const void *at;
    size_t size;
    int rc = wattle_page_map_(fd, &at, &size);
    return rc < 0 ? rc : wattle_page_use_(page, at, size);
}

static bool is_multiple(double value, double unit)
{
    return fabs(value / unit - round(value / unit)) < 1e-9;
}

static void check(const struct wattle_page *coarse,
                  const struct wattle_page *full,
                  const char *when)
{
    struct wattle_page_now now = {0}, exact = {0};
    int rc = wattle_page_read(coarse, 0, &now);
    (void)wattle_page_read(full, 0, &exact);
    ok(rc == 0 && is_multiple(now.energy_j, 0.5) && is_multiple((double)now.unknown_ns, 1e8) &&
           now.time_ns % (100 * MS) == 0 && now.changed_ns % (100 * MS) == 0 &&
           now.before_ns % (100 * MS) == 0 && now.raw_ns % (100 * MS) == 0 && now.raw == now.ticks,
       "%s: %g J, nothing finer than the resolution", when, now.energy_j);
    ok(now.energy_j <= exact.energy_j && now.unknown_ns >= exact.unknown_ns,
       "%s: not more than %g J", when, exact.energy_j);
}

/* Of a gauge that sees a quarter of the time: so does its counter. */
static void test_part_time(void)
{
    struct wattle_channel gauge = channel;
    const struct wtl_energy_page_options options = {.channels = &gauge,
                                                    .count = 1,
                                                    .interval_ns = MS,
                                                    .public = true,
                                                    .generation = 1,
                                                    .boot_id = "x"};
    struct wtl_energy_writer *writer;
    struct wattle_page full = {.socket = -1}, coarse = {.socket = -1};
    struct wtl_coarse *made;
    bool sealed;
    gauge.kind = WATTLE_WINDOW_AVERAGE;
    gauge.quantity = WATTLE_POWER;
    gauge.refresh_ns = 100 * MS;
    gauge.window_ns = 25 * MS;
    if (!ok(wtl_energy_page_open_writer(&options, &writer) == 0 &&
                map_page(wtl_energy_page_fd(writer, &sealed), &full) == 0 &&
                wtl_coarse_create(&full, 0.5, 1000 * MS, 7, &made) == 0 &&
                map_page(wtl_coarse_fd(made), &coarse) == 0,
            "a coarse page of a gauge"))
        return;
    const struct wattle_page_channel *counter = wattle_page_channel_at(&coarse, 0);
    ok(counter->kind == WATTLE_COUNTER && counter->window_ns == 250 * MS &&
           counter->refresh_ns == 1000 * MS,
       "which sees a quarter of the time");
    is_double(counter->max_w, 1000, 0, "and says what bounds the rest");
    wtl_coarse_retire(made);
    wattle_page_close(&coarse);
    wattle_page_close(&full);
    wtl_energy_page_close_writer(writer);
}

int main(void)
{
    const struct wtl_energy_page_options options = {.channels = &channel,
                                                    .count = 1,
                                                    .interval_ns = MS,
                                                    .public = true,
                                                    .generation = 1,
                                                    .boot_id = "x"};
    struct wtl_energy_writer *writer;
    struct wattle_page full = {.socket = -1}, coarse = {.socket = -1};
    struct wtl_coarse *made;
    struct timespec clock;
    bool sealed;
    (void)clock_gettime(CLOCK_MONOTONIC, &clock);
    uint64_t time_ns = (uint64_t)clock.tv_sec * 1000 * MS, raw = 1000;
    if (!ok(wtl_energy_page_open_writer(&options, &writer) == 0 &&
                map_page(wtl_energy_page_fd(writer, &sealed), &full) == 0,
            "a full page"))
        return done_testing();
    wtl_energy_page_publish(writer, 0, time_ns, raw, 0);
    if (!ok(wtl_coarse_create(&full, 0.5, 100 * MS, 7, &made) == 0 &&
                map_page(wtl_coarse_fd(made), &coarse) == 0,
            "a coarse page"))
        return done_testing();
    is_int((int)coarse.header->detail, WATTLE_PAGE_COARSE, "says what it is");
    is_double(wattle_page_channel_at(&coarse, 0)->scale, 0.5, 0,
              "its channels have its resolution");
    for (int i = 0; i < 400; i++) { /* 37 W */
        time_ns += 7 * MS;
        raw += 37 * 7000;
        wtl_energy_page_publish(writer, 0, time_ns, raw, i >= 200 && i < 250 ? -EIO : 0);
        wtl_coarse_publish(made, &full, time_ns);
        if (i % 40 == 39)
            check(&coarse, &full, i >= 200 && i < 250 ? "reads fail" : "reads");
    }
    struct wattle_page_now now = {0};
    (void)wattle_page_read(&coarse, 0, &now);
    ok(now.energy_j > 100, "it follows: %g J", now.energy_j);
    /* wattled was stopped: what it read before is not the energy of now. */
    uint64_t shown_ns = now.time_ns;
    time_ns += 2500 * MS;
    wtl_coarse_publish(made, &full, time_ns);
    (void)wattle_page_read(&coarse, 0, &now);
    ok(now.time_ns == shown_ns, "an old reading is not shown as a new one");
    raw += 37 * 2500000;
    wtl_energy_page_publish(writer, 0, time_ns, raw, 0);
    wtl_coarse_publish(made, &full, time_ns);
    check(&coarse, &full, "read again");
    (void)wattle_page_read(&coarse, 0, &now);
    ok(now.time_ns > shown_ns, "a new one is");
    wtl_coarse_retire(made);
    is_int((int)wattle_page_state(&coarse), WATTLE_PAGE_RETIRED, "retired");
    wattle_page_close(&coarse);
    wattle_page_close(&full);
    wtl_energy_page_close_writer(writer);
    test_part_time();
    return done_testing();
}
