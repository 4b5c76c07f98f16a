/* SPDX-License-Identifier: BSD-3-Clause */
/* How often a counter of a public page ticks: as its readings show, not as the driver believes (RAPL filtering). */
#define _GNU_SOURCE
#include "record/energy_page.h"

#include <wattle/page.h>

#include "tap.h"

static const uint64_t MS = 1000000;

static struct wattle_channel channel = {.name = "powercap:package-0",
                                        .domain = WATTLE_DOMAIN_PACKAGE,
                                        .quantity = WATTLE_ENERGY,
                                        .kind = WATTLE_COUNTER,
                                        .quality = WATTLE_MEASURED,
                                        .scale = 1e-6,
                                        .max_w = 1000,
                                        .refresh_ns = 976563};

/* The refresh that a page shows after 300 ms of readings, every step_ns, of a counter that ticks every tick_ns. */
static uint64_t shown_ns(uint64_t step_ns, uint64_t tick_ns, bool public)
{
    struct wtl_energy_writer *writer;
    struct wattle_page page = {.socket = -1};
    if (!ok(wtl_energy_page_open_writer(&(struct wtl_energy_page_options){.channels = &channel,
                                                                          .count = 1,
                                                                          .interval_ns = MS,
                                                                          .public = public,
                                                                          .generation = 1,
                                                                          .boot_id = "x"},
                                        &writer) == 0,
            "a page"))
        return 0;
    page.header = wtl_energy_page_lend(writer, &page.size);
    for (uint64_t time_ns = 1000 * MS; time_ns < 1300 * MS; time_ns += step_ns)
        wtl_energy_page_publish(writer, 0, time_ns, time_ns / tick_ns * tick_ns / 20000, 0);
    uint64_t refresh_ns = wattle_page_channel_at(&page, 0)->refresh_ns;
    if (public)
        ok(wtl_energy_page_renew(writer, 2) <= 0, "renewed");
    wtl_energy_page_publish(writer, 0, 1301 * MS, 1301 * MS / tick_ns * tick_ns / 20000, 0);
    page.header = wtl_energy_page_lend(writer, &page.size);
    is_int((long)wattle_page_channel_at(&page, 0)->refresh_ns, (long)refresh_ns,
           "the next page has it, too");
    wtl_energy_page_close_writer(writer);
    return refresh_ns;
}

int main(void)
{
    uint64_t refresh_ns = shown_ns(MS, 8 * MS, true);
    ok(refresh_ns > 7 * MS && refresh_ns < 9 * MS, "every 8th tick: %g ms",
       (double)refresh_ns * 1e-6);
    is_int((long)shown_ns(MS, 976563, true), 976563, "every tick");
    is_int((long)shown_ns(10 * MS, 8 * MS, true), 976563, "readings too far apart show nothing");
    refresh_ns = shown_ns(MS, 8 * MS, false);
    ok(refresh_ns > 7 * MS && refresh_ns < 9 * MS, "the page of a run, too: %g ms",
       (double)refresh_ns * 1e-6);
    return done_testing();
}
