/* SPDX-License-Identifier: BSD-3-Clause */
/* The perf driver on recorded hosts, and its read path on a real PMU of the kernel, msr/tsc/. */
#define _GNU_SOURCE
#include <fcntl.h>

#include "host.h"
#include "made_host.h"
#include "sensors/perf_pmu.h"

extern const struct wtl_driver wtl_driver_perf;

static void test_channels(void)
{
    static const struct {
        int line;
        const char *host, *name, *location;
        double power_w;
    } rows[] = {
        {__LINE__, "skx-2s", "perf:package-0", "power/energy-pkg/ on CPU 0", 150},
        {__LINE__, "skx-2s", "perf:dram-0", "power/energy-ram/ on CPU 0", 20},
        {__LINE__, "skx-2s", "perf:package-1", "power/energy-pkg/ on CPU 2", 100},
        {__LINE__, "skx-2s", "perf:dram-1", "power/energy-ram/ on CPU 2", 18},
        {__LINE__, "zen5-core-pmu", "perf:package-0", "power/energy-pkg/ on CPU 0", 60},
        {__LINE__, "zen5-core-pmu", "perf:core-0-0", "power_core/energy-core/ on CPU 0", 3},
        {__LINE__, "zen5-core-pmu", "perf:core-0-3", "power_core/energy-core/ on CPU 3", 6},
        {__LINE__, "clx-ap", "perf:package-0-0", "power/energy-pkg/ on CPU 0", 50},
        {__LINE__, "clx-ap", "perf:package-1-1", "power/energy-pkg/ on CPU 3", 80},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct host host = host_open(rows[i].host, &wtl_driver_perf, NULL);
        tap_line = rows[i].line;
        const struct wattle_channel *channel = host_channel(&host, rows[i].name);
        if (ok(host.rc == 0 && channel, "%s has %s", rows[i].host, rows[i].name)) {
            is_str(channel->location, rows[i].location, "location");
            is_int(channel->modulus, 0, "64 bits");
            is_int(channel->quantity, WATTLE_ENERGY, "energy");
            is_double(channel->scale, 9.5367431640625e-07, 0, "the scale of the event");
            is_double(host_power(&host, rows[i].name, 1, 3), rows[i].power_w, 1e-4, "power");
        }
        host_close(&host, rows[i].host);
    }
    tap_line = 0;
}

static void test_counts(void)
{
    static const struct {
        int line;
        const char *host;
        int rc, count;
        unsigned fds;
        const char *says;
    } rows[] = {
        {__LINE__, "skx-2s", 0, 4, 4, ""},
        {__LINE__, "zen5-core-pmu", 0, 5, 5, ""},
        {__LINE__, "clx-ap", 0, 4, 4, ""},
        {__LINE__, "denied", -EACCES, 0, 0,
         "kernel.perf_event_paranoid is 3 and must be 0 or less"},
        {__LINE__, "container", -ENODEV, 0, 0, "no PMU power+power_core with events"},
        {__LINE__, "guest-psys", -ENODEV, 0, 0, "power/energy-psys/ on CPU 0, which never counts"},
        {__LINE__, "spr-2s-psys", 0, 5, 5, ""},
        {__LINE__, "spr-no-psys", 0, 4, 4, ""},
        {__LINE__, "kepler", -ENODEV, 0, 0, "no PMU"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct host host = host_open(rows[i].host, &wtl_driver_perf, NULL);
        tap_line = rows[i].line;
        is_int(host.rc, rows[i].rc, "%s opens so", rows[i].host);
        is_int(host.source.count, rows[i].count, "number of channels");
        is_int(wtl_world_recorded_open_fds(host.world), rows[i].fds, "descriptors in use");
        ok(strstr(host.err.text, rows[i].says) != NULL, "it says: %s", host.err.text);
        host_close(&host, rows[i].host);
    }
    tap_line = 0;
}

/* Any subset of the channels can be read, across groups. */
static void test_parts(void)
{
    struct host host = host_open("skx-2s", &wtl_driver_perf, NULL);
    struct wattle_reading all[4], part[4];
    host_at(&host, 3);
    host.source.driver->read(&host.source, 0, 4, all);
    for (size_t first = 0; first < 4; first++) {
        for (size_t n = 1; first + n <= 4; n++) {
            host.source.driver->read(&host.source, first, n, part);
            ok(memcmp(part, all + first, n * sizeof *part) == 0, "channels %zu .. %zu", first,
               first + n - 1);
        }
    }
    host_close(&host, "skx-2s");
}

/* Event terms converted to the words of perf_event_attr. */
static void test_events(void)
{
    struct wtl_world *world = host_world("skx-2s");
    struct wtl_pmu pmu;
    struct wtl_pmu_event event;
    is_int(wtl_pmu_load(world, "power", &pmu), 0, "PMU loads");
    is_int(pmu.type, 18, "its type");
    ok(pmu.has_cpumask && pmu.cpus[0] == 5, "its CPUs 0 and 2");
    is_int(wtl_pmu_event(world, &pmu, "energy-ram", &event), 0, "event loads");
    is_int(event.config[0], 3, "its config");
    is_str(event.unit, "Joules", "its unit");
    is_int(wtl_pmu_event(world, &pmu, "energy-none", &event), -ENOENT, "no such event");
    is_int(wtl_pmu_load(world, "cpu", &pmu), -ENODEV, "no such PMU");
    is_int(wtl_pmu_load(world, "../power", &pmu), -ENODEV, "no path as a name");
    wtl_world_close(world);
}

/* With a real kernel: perf_event_open(2), the group's layout and read(2) on the time stamp
 * counter. */
static void test_tsc(void)
{
    static const struct wtl_setting list[] = {{"perf", "pmu", "msr"}, {"perf", "event", "tsc"}};
    static const struct wtl_settings settings = {2, list};
    const struct wtl_world *world = wtl_world_real();
    struct wtl_source source;
    struct wattle_error err = {{0}};
    int rc = wtl_source_open(&source, &wtl_driver_perf, world, &settings, NULL, &err);
    if (rc == -ENODEV || rc == -EACCES) {
        skip("msr/tsc/ cannot be opened here: %s", err.text);
        return;
    }
    if (!ok(rc == 0, "msr/tsc/ opens: %s", err.text))
        return;
    const struct wattle_channel *channel = &source.channels[0];
    is_str(channel->name, "perf:other-0-0", "name");
    is_str(channel->label, "tsc", "label");
    is_int(channel->quantity, WATTLE_EVENTS, "a count");
    uint64_t last = 0, falls = 0, bad = 0, stands = 0;
    for (int i = 0; i < 1000; i++) {
        struct wattle_reading reading;
        source.driver->read(&source, 0, 1, &reading);
        bad += reading.status != 0;
        falls += reading.raw < last;
        stands += reading.raw == last;
        last = reading.raw;
    }
    is_int(bad, 0, "1000 good reads");
    is_int(falls, 0, "it never falls");
    is_int(stands, 0, "and never stands");
    wtl_source_close(&source);
}

/* More events than fit one CPU's group: the excluded ones are reported. */
static void test_many_events(void)
{
    static const struct wtl_setting list[] = {{"perf", "pmu", "many"}};
    static const struct wtl_settings settings = {1, list};
    struct made_host made = {0};
    struct wtl_source source;
    made_host_put(&made, "root/sys/devices/system/cpu/online", "0\n");
    made_host_put(&made, "root/sys/bus/event_source/devices/many/type", "9\n");
    made_host_put(&made, "root/sys/bus/event_source/devices/many/format/event", "config:0-7\n");
    for (unsigned i = 1; i <= 17; i++) {
        char name[96], text[16];
        (void)snprintf(name, sizeof name, "root/sys/bus/event_source/devices/many/events/e%u", i);
        (void)snprintf(text, sizeof text, "event=%u\n", i);
        made_host_put(&made, name, text);
        (void)snprintf(name, sizeof name, "root/perf/9/0x%x/0", i);
        made_host_put(&made, name, "5\n");
    }
    int rc =
        wtl_source_open(&source, &wtl_driver_perf, made_host_open(&made), &settings, NULL, NULL);
    if (is_int(rc, 0, "opens")) {
        is_int(source.count, 16, "sixteen events");
        ok(source.note_count == 1 && strstr(source.notes[0].text, "more than 16 events"),
           "and a word about the rest");
        wtl_source_close(&source);
    }
    made_host_close(&made);
}

/* The kernel lists the counter of a package of AMD once for each die. */
static void test_dies(void)
{
    static const struct {
        int line;
        const char *cpuinfo;
        int count;
    } rows[] = {
        {__LINE__, "processor\t: 0\nvendor_id\t: AuthenticAMD\ncpu family\t: 25\nmodel\t\t: 17\n",
         2},
        {__LINE__, "processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 85\n",
         4},
    };
    static const char *const packages[] = {"0\n", "0\n", "1\n", "1\n"}, *const dies[] = {
                                                                            "0\n", "1\n", "0\n",
                                                                            "1\n"};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct made_host made = {0};
        struct wtl_source source;
        tap_line = rows[i].line;
        made_host_put(&made, "root/proc/cpuinfo", rows[i].cpuinfo);
        made_host_put(&made, "root/sys/devices/system/cpu/online", "0-3\n");
        for (int cpu = 0; cpu < 4; cpu++) {
            char name[96];
            (void)snprintf(name, sizeof name,
                           "root/sys/devices/system/cpu/cpu%d/topology/physical_package_id", cpu);
            made_host_put(&made, name, packages[cpu]);
            (void)snprintf(name, sizeof name, "root/sys/devices/system/cpu/cpu%d/topology/die_id",
                           cpu);
            made_host_put(&made, name, dies[cpu]);
            (void)snprintf(name, sizeof name, "root/perf/18/0x2/%d", cpu);
            made_host_put(&made, name, "5\n");
        }
#define PMU "root/sys/bus/event_source/devices/power/"
        made_host_put(&made, PMU "type", "18\n");
        made_host_put(&made, PMU "cpumask", "0-3\n");
        made_host_put(&made, PMU "format/event", "config:0-7\n");
        made_host_put(&made, PMU "events/energy-pkg", "event=0x02\n");
        made_host_put(&made, PMU "events/energy-pkg.unit", "Joules\n");
        made_host_put(&made, PMU "events/energy-pkg.scale", "2.3283064365386962890625e-10\n");
        int rc =
            wtl_source_open(&source, &wtl_driver_perf, made_host_open(&made), NULL, NULL, NULL);
        if (is_int(rc, 0, "opens")) {
            is_int(source.count, rows[i].count, "one for each counter");
            wtl_source_close(&source);
        }
        made_host_close(&made);
    }
    tap_line = 0;
}

int main(void)
{
    test_dies();
    test_channels();
    test_counts();
    test_parts();
    test_events();
    test_tsc();
    test_many_events();
    return done_testing();
}
