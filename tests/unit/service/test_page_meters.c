/* SPDX-License-Identifier: BSD-3-Clause */
/* Channels of the energy page as devices: lines of one device never contain each other. */
#define _GNU_SOURCE
#include <string.h>

#include <wattle/channel.h>

#include "service/page_meters.h"

#include "tap.h"

static struct wattle_page_channel row(const char *name,
                                      uint32_t domain,
                                      int sub,
                                      uint64_t refresh_ns,
                                      unsigned flags)
{
    struct wattle_page_channel channel = {
        .domain = domain, .sub = sub, .refresh_ns = refresh_ns, .flags = flags};
    (void)snprintf(channel.name, sizeof channel.name, "%s", name);
    (void)snprintf(channel.sensor, sizeof channel.sensor, "%.*s", (int)strcspn(name, ":"), name);
    return channel;
}

int main(void)
{
    const uint64_t ms = 1000000;
    const struct wattle_page_channel rows[] = {
        row("powercap:package-0", WATTLE_DOMAIN_PACKAGE, -1, ms, WATTLE_CHANNEL_IN_TOTAL),
        row("powercap:package-1", WATTLE_DOMAIN_PACKAGE, -1, ms, WATTLE_CHANNEL_IN_TOTAL),
        row("powercap:core-0", WATTLE_DOMAIN_CORE, -1, ms, 0),
        row("powercap:core-0-3", WATTLE_DOMAIN_CORE, 3, ms, 0),
        row("powercap:dram-0", WATTLE_DOMAIN_DRAM, -1, ms,
            WATTLE_CHANNEL_IN_TOTAL | WATTLE_CHANNEL_SIMULATED),
        row("hwmon:board-0", WATTLE_DOMAIN_BOARD, -1, 40 * ms, 0),
        row("hwmon:board-1", WATTLE_DOMAIN_BOARD, -1, 0, 0),
        row("bad name", WATTLE_DOMAIN_BOARD, -1, 0, 0),
    };
    static const struct {
        int line;
        const char *name;
        size_t lines;
        int hz;
    } devices[] = {
        {__LINE__, "hwmon:board-0", 1, 25},  {__LINE__, "hwmon:board-1", 1, 10},
        {__LINE__, "powercap:core", 1, 250}, {__LINE__, "powercap:core-parts", 1, 250},
        {__LINE__, "powercap:dram", 1, 250}, {__LINE__, "powercap:package", 2, 250},
        {__LINE__, "total", 3, 250},
    };
    struct wtl_pm_meters meters;
    is_int(wtl_pm_meters_of(rows, sizeof rows / sizeof *rows, 0, 250, &meters), 0, "devices");
    is_int(meters.count, 7, "their number");
    for (size_t i = 0; i < meters.count && i < 7; i++) {
        tap_line = devices[i].line;
        is_str(meters.list[i].name, devices[i].name, "sorted by name");
        is_int(meters.list[i].line_count, devices[i].lines, "lines");
        is_int(meters.list[i].max_frequency, devices[i].hz, "samples per second");
    }
    tap_line = 0;
    struct wattle_page_channel later[8];
    memcpy(later, rows, sizeof later);
    ok(!wtl_pm_channels_differ(rows, 8, later, 8), "the same channels");
    ok(!wtl_pm_channels_differ(rows, 8, later + 2, 5), "some are missing");
    later[0].flags = 0;
    ok(wtl_pm_channels_differ(rows, 8, later, 8), "one left the total");
    later[0] = row("ipmi:node-0", WATTLE_DOMAIN_NODE, -1, 1000 * ms, 0);
    ok(!wtl_pm_channels_differ(rows, 8, later, 8), "a new one that no device needs");
    later[0].flags = WATTLE_CHANNEL_IN_TOTAL;
    ok(wtl_pm_channels_differ(rows, 8, later, 8), "a new one in the total");
    later[0] = rows[0];
    later[4].flags = WATTLE_CHANNEL_IN_TOTAL;
    ok(wtl_pm_channels_differ(rows, 8, later, 8), "no longer simulated");
    is_str(meters.list[4].lines[0].description,
           "powercap:dram-0 measured simulated, mean of each period",
           "the label of a simulated channel");
    wtl_pm_meters_fini(&meters);
    is_int(wtl_pm_meters_of(rows, 1, 1000 * ms, 250, &meters), 0, "a coarse page");
    is_int(meters.list[0].max_frequency, 1, "is served as often as it has values");
    wtl_pm_meters_fini(&meters);
    return done_testing();
}
