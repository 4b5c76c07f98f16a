/* SPDX-License-Identifier: BSD-3-Clause */
/* The driver pm on a recorded host with two servers; with real connections see tests/integration/pm. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "sensors/meters/pm_line.h"

#include "host.h"

extern const struct wtl_driver wtl_driver_pm;

static void test_descriptions(void)
{
    static const struct {
        int line;
        const char *text;
        bool holds;
        enum wattle_domain domain;
        int index, sub;
        enum wattle_quality quality;
        unsigned flags;
    } rows[] = {
        {__LINE__, "powercap:package-0 measured, mean of each period", true, WATTLE_DOMAIN_PACKAGE,
         0, -1, WATTLE_MEASURED, 0},
        {__LINE__, "msr:core-1-12 derived simulated, mean of each period", true, WATTLE_DOMAIN_CORE,
         1, 12, WATTLE_DERIVED, WATTLE_CHANNEL_SIMULATED},
        {__LINE__, "estimate:node-0 estimated, mean of each period", true, WATTLE_DOMAIN_NODE, 0,
         -1, WATTLE_ESTIMATED, 0},
        {.line = __LINE__, .text = "a line"},
        {.line = __LINE__, .text = ""},
        {.line = __LINE__, .text = "x:rack-0 measured, mean of each period"},
        {.line = __LINE__, .text = "x:node measured, mean of each period"},
        {.line = __LINE__, .text = "x:node-0 guessed, mean of each period"},
        {.line = __LINE__, .text = "x:node-999999999999 measured, mean of each period"},
        {.line = __LINE__, .text = "x:node-0 measured"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct wattle_channel channel = {.sub = -1};
        tap_line = rows[i].line;
        bool holds = wtl_pm_description(rows[i].text, &channel);
        is_int(holds, rows[i].holds, "\"%s\"", rows[i].text);
        if (holds && rows[i].holds)
            ok(channel.domain == rows[i].domain && channel.index == rows[i].index &&
                   channel.sub == rows[i].sub && channel.quality == rows[i].quality &&
                   channel.flags == rows[i].flags,
               "as it says");
    }
    tap_line = 0;
}

/* A reading at a time; NaN if it failed. */
static double watts_at(struct host *host, const char *name, double seconds)
{
    host_at(host, seconds);
    struct wattle_reading reading = host_read(host, name);
    return reading.status == 0 ? (double)(int64_t)reading.raw * host->source.channels[0].scale
                               : (double)NAN;
}

static size_t position, pieces;

/* A server that sends records faster than they can be read. */
static ssize_t endless(const struct wtl_world *world,
                       int fd,
                       void *bytes,
                       size_t n,
                       uint64_t until_ns)
{
    static const struct {
        int32_t lines;
        double watts[2];
    } __attribute__((packed)) record = {2, {80, 5}};
    (void)world;
    (void)fd;
    (void)until_ns;
    if (++pieces > 100000)
        return -ETIMEDOUT;
    for (size_t i = 0; i < n; i++)
        ((uint8_t *)bytes)[i] = ((const uint8_t *)&record)[position++ % sizeof record];
    return (ssize_t)n;
}

static int swallow(const struct wtl_world *world,
                   int fd,
                   const void *bytes,
                   size_t n,
                   uint64_t until_ns)
{
    (void)world;
    (void)fd;
    (void)bytes;
    (void)n;
    (void)until_ns;
    return 0;
}

static void test_flood(const struct wtl_settings *settings)
{
    struct host host = host_open("pm-meters", &wtl_driver_pm, settings);
    const struct wtl_world *recorded = host.source.world;
    struct wtl_world_ops ops = *recorded->ops;
    struct wtl_world world = *recorded;
    (void)watts_at(&host, "pm:package-0", 10);
    ops.recv = endless;
    ops.send = swallow;
    world.ops = &ops;
    host.source.world = &world;
    is_double(watts_at(&host, "pm:package-0", 20), 80, 1e-6, "a server that sends without end");
    ok(pieces < 10000, "holds nothing up: %zu pieces", pieces);
    host.source.world = recorded;
    host_close(&host, "pm-meters");
}

int main(void)
{
    const struct wtl_setting own = {"pm", "server", "192.0.2.7"},
                             other = {"pm", "server", "192.0.2.8/DC"},
                             none = {"pm", "server", "192.0.2.9"}, empty = {"pm", "server", ""};
    const struct wtl_settings far = {1, &own}, foreign = {1, &other}, missing = {1, &none},
                              unset = {1, &empty};
    test_descriptions();

    struct host host = host_open("pm-meters", &wtl_driver_pm, &far);
    is_int(host.rc, 0, "wattle-pm: %s", host.err.text);
    is_int(host.source.count, 2, "its channels");
    is_double(watts_at(&host, "pm:package-0", 10), 80, 1e-6, "80 W");
    is_double(watts_at(&host, "pm:dram-0", 20), 5, 1e-6, "5 W");
    ok(host.source.channels[0].flags & WATTLE_CHANNEL_SIMULATED, "labelled as simulated");
    host_at(&host, 70);
    (void)host_read(&host, "pm:dram-0");
    host_at(&host, 71);
    is_int(host_read(&host, "pm:dram-0").status, -ENODATA,
           "what the server does not know is a gap");
    is_double(watts_at(&host, "pm:package-0", 72), 80, 1e-6, "of that line only");
    host_close(&host, "pm-meters");

    test_flood(&far);
    host = host_open("pm-meters", &wtl_driver_pm, &foreign);
    is_int(host.rc, 0, "a server of 2013: %s", host.err.text);
    is_int(host.source.count, 3, "its lines");
    is_double(watts_at(&host, "pm:other-2", 20), 30, 1e-6, "30 W of line 2");
    host_close(&host, "pm-meters");

    host = host_open("pm-meters", &wtl_driver_pm, &missing);
    ok(host.rc == -ECONNREFUSED && strstr(host.err.text, "check that a server"), "no server: %s",
       host.err.text);
    host_close(&host, "pm-meters");
    host = host_open("pm-meters", &wtl_driver_pm, &unset);
    ok(host.rc == -ENODEV && strstr(host.err.text, "pm:HOST"), "not named: %s", host.err.text);
    host_close(&host, "pm-meters");
    return done_testing();
}
