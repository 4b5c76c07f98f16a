/* SPDX-License-Identifier: BSD-3-Clause */
/* cpufreq, thermal, limits and the governor's snapshot on a scripted host. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>

#include "../sensors/host.h"
#include "../sensors/made_host.h"
#include "counters/governor.h"
#include "tap.h"

extern const struct wtl_driver wtl_driver_cpufreq, wtl_driver_thermal, wtl_driver_limits;

#define HOST "xeon-2s-loaded"

struct row {
    int line;
    const char *name;
    enum wattle_quantity quantity;
    double before, after; /* 15 s; NaN is represented by a status below */
    int status_after;
};

static void check_rows(const struct wtl_driver *driver,
                       const struct row *rows,
                       size_t n,
                       size_t channels)
{
    struct host host = host_open(HOST, driver, NULL);
    is_int(host.source.count, channels, "%s: channels", driver->name);
    for (int later = 0; later < 2; later++) {
        host_at(&host, later ? 16 : 1);
        for (size_t i = 0; i < n; i++) {
            tap_line = rows[i].line;
            const struct wattle_channel *channel = host_channel(&host, rows[i].name);
            if (!ok(channel != NULL, "%s", rows[i].name))
                continue;
            struct wattle_reading reading = host_read(&host, rows[i].name);
            is_int(channel->quantity, rows[i].quantity, "quantity");
            is_int(reading.status, later ? rows[i].status_after : 0, "status");
            if (reading.status == 0)
                is_double(wtl_channel_value(channel, reading.raw),
                          later ? rows[i].after : rows[i].before, 1e-9, "value");
        }
    }
    tap_line = 0;
    host_close(&host, HOST);
}

static void test_absent(void)
{
    static const struct wtl_driver *const drivers[] = {&wtl_driver_cpufreq, &wtl_driver_thermal,
                                                       &wtl_driver_limits};
    for (size_t i = 0; i < 3; i++) {
        struct host host = host_open("guest-2cpu", drivers[i], NULL);
        is_int(host.rc, -ENODEV, "%s: not in a guest", drivers[i]->name);
        ok(strlen(host.err.text) > 20, "and why: %s", host.err.text);
        wtl_world_close(host.world);
    }
}

static void test_governor(void)
{
    struct wtl_world *world = host_world(HOST);
    struct wtl_governor before, same, after;
    char text[128];
    wtl_governor_read(world, &before);
    wtl_governor_read(world, &same);
    is_str(before.governor, "powersave", "governor");
    is_str(before.driver, "acpi-cpufreq", "driver");
    is_int(before.turbo, 0, "no turbo");
    is_int(before.max_khz, 2400000, "highest frequency");
    ok(!wtl_governor_changed(&before, &same, text, sizeof text), "nothing changed");
    world->ops->sleep_until(world, WTL_RECORDED_START_NS + UINT64_C(16000000000));
    wtl_governor_read(world, &after);
    ok(wtl_governor_changed(&before, &after, text, sizeof text), "one CPU's governor changed");
    is_str(text, "governor powersave to mixed", "what");
    is_int(before.unread | after.unread, 0, "all was read, or is not there");
    wtl_world_close(world);
}

#define GOVERNOR "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"

/* An unreadable file is not a missing one. */
static void test_governor_unread(void)
{
    static const struct {
        int line;
        const char *script;
        int unread;
    } rows[] = {
        {__LINE__, "0\t" GOVERNOR "\t!EIO\n", -EIO},
        {__LINE__, "0\t" GOVERNOR "\t!EACCES\n", 0},
        {__LINE__, "0\t" GOVERNOR "\t!gone\n", 0},
    };
    struct wtl_governor governor;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct made_host made = {0};
        tap_line = rows[i].line;
        made_host_put(&made, "root/sys/devices/system/cpu/online", "0\n");
        made_host_put(&made, "root" GOVERNOR, "powersave\n");
        made_host_put(&made, "script.tsv", rows[i].script);
        struct wtl_world *world = made_host_open(&made);
        wtl_governor_read(world, &governor);
        is_int(governor.unread, rows[i].unread, "unread");
        made_host_close(&made);
    }
    tap_line = 0;
    struct wtl_world *world = host_world(HOST);
    while (world->ops->open(world, "/sys/devices/system/cpu/online", O_RDONLY) >= 0)
        ;
    wtl_governor_read(world, &governor);
    is_int(governor.unread, -EMFILE, "no descriptor is left");
    wtl_world_close(world);
}

/* A limit of a subzone of a package belongs to that package. */
static void test_limit_below(void)
{
    struct made_host made = {0};
    struct wtl_source source;
    made_host_put(&made, "root/sys/class/powercap/intel-rapl:1/name", "package-1\n");
    made_host_put(&made, "root/sys/class/powercap/intel-rapl:1:0/name", "dram\n");
    made_host_put(&made, "root/sys/class/powercap/intel-rapl:1:0/constraint_0_name", "long_term\n");
    made_host_put(&made, "root/sys/class/powercap/intel-rapl:1:0/constraint_0_power_limit_uw",
                  "40000000\n");
    struct wtl_world *world = made_host_open(&made);
    if (ok(wtl_source_open(&source, &wtl_driver_limits, world, NULL, NULL, NULL) == 0, "opens")) {
        is_str(source.channels[0].name, "limits:dram-1-0", "name");
        is_int(source.channels[0].domain, WATTLE_DOMAIN_DRAM, "of memory");
        is_int(source.channels[0].index, 1, "of package 1");
        wtl_source_close(&source);
    }
    made_host_close(&made);
}

/* An offline CPU has no governor, which is different from another governor. */
static void test_offline(void)
{
    struct wtl_world *world = host_world("odd-server");
    struct wtl_governor governor;
    wtl_governor_read(world, &governor);
    is_str(governor.governor, "performance", "the governor of those that are online");
    wtl_world_close(world);
}

int main(void)
{
    static const struct row freq[] = {
        {__LINE__, "cpufreq:core-0-0", WATTLE_FREQUENCY, 1.2e9, 1.2e9, 0},
        {__LINE__, "cpufreq:core-0-3", WATTLE_FREQUENCY, 1.2e9, 2.4e9, 0},
        {__LINE__, "cpufreq:core-1-7", WATTLE_FREQUENCY, 1.2e9, 1.2e9, 0},
    };
    static const struct row heat[] = {
        {__LINE__, "thermal:package-0", WATTLE_TEMPERATURE, 45, 45, 0},
        {__LINE__, "thermal:package-1", WATTLE_TEMPERATURE, 46, 46, 0},
        {__LINE__, "thermal:core-1-1", WATTLE_TEMPERATURE, 41, 0, -EIO},
        {__LINE__, "thermal:core-0-1", WATTLE_TEMPERATURE, 41, 41, 0},
        {__LINE__, "thermal:package_throttle-0", WATTLE_EVENTS, 5, 5, 0},
        {__LINE__, "thermal:package_throttle-1", WATTLE_EVENTS, 5, 9, 0},
        {__LINE__, "thermal:core_throttle-1-7", WATTLE_EVENTS, 0, 0, 0},
    };
    static const struct row caps[] = {
        {__LINE__, "limits:package-0-0", WATTLE_POWER_LIMIT, 80, 80, 0},
        {__LINE__, "limits:package-1-0", WATTLE_POWER_LIMIT, 80, 60, 0},
        {__LINE__, "limits:package-1-1", WATTLE_POWER_LIMIT, 96, 96, 0},
    };
    check_rows(&wtl_driver_cpufreq, freq, 3, 8);
    check_rows(&wtl_driver_thermal, heat, 7, 10 + 2 + 8);
    check_rows(&wtl_driver_limits, caps, 3, 6);
    test_absent();
    test_governor();
    test_governor_unread();
    test_offline();
    test_limit_below();
    return done_testing();
}
