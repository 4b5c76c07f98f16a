/* SPDX-License-Identifier: BSD-3-Clause */
/* The counters of Cray nodes: channels, truth over time, a controller that restarts or stops, old
 * nodes. */
#include "host.h"

extern const struct wtl_driver wtl_driver_cray;

static void test_channels(void)
{
    static const struct {
        int line;
        const char *name, *label, *file;
        double watts;
    } rows[] = {
        {__LINE__, "cray:node-0", "node", "energy", 1500},
        {__LINE__, "cray:package-0", "cpu", "cpu_energy", 180},
        {__LINE__, "cray:dram-0", "memory", "memory_energy", 70},
        {__LINE__, "cray:gpu-0", "accel0", "accel0_energy", 250},
        {__LINE__, "cray:gpu-1", "accel1", "accel1_energy", 260},
        {__LINE__, "cray:gpu-2", "accel2", "accel2_energy", 270},
    };
    struct host host = host_open("cray-ex", &wtl_driver_cray, NULL);
    is_int(host.rc, 0, "opens");
    is_str(host.said, "", "without a word: an empty place is no fault");
    is_int((int)host.source.count, 6, "a counter each, no power beside, no empty place");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tap_line = rows[i].line;
        const struct wattle_channel *channel = host_channel(&host, rows[i].name);
        if (!ok(channel != NULL, "%s", rows[i].name) || !channel)
            continue;
        char path[64];
        (void)snprintf(path, sizeof path, "/sys/cray/pm_counters/%s", rows[i].file);
        is_str(channel->location, path, "location");
        is_str(channel->label, rows[i].label, "label");
        is_int(channel->quantity, WATTLE_ENERGY, "quantity");
        is_int(channel->kind, WATTLE_COUNTER, "kind");
        is_int(channel->quality, WATTLE_MEASURED, "quality");
        is_int((int)channel->refresh_ns, 100000000, "ten scans a second");
        is_double(channel->scale, 1, 0, "joules");
    }
    tap_line = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct host fresh = host_open("cray-ex", &wtl_driver_cray, NULL);
        is_double(host_power(&fresh, rows[i].name, 1, 30), rows[i].watts, 1e-9,
                  "%s has %g W, also while the cap changes", rows[i].name, rows[i].watts);
        host_close(&fresh, "cray-ex");
    }
    host_close(&host, "cray-ex");
}

static void test_restart(void)
{
    struct host host = host_open("cray-ex", &wtl_driver_cray, NULL);
    host_at(&host, 39);
    struct wattle_reading node = host_read(&host, "cray:node-0"),
                          cpu = host_read(&host, "cray:package-0");
    host_at(&host, 41);
    struct wattle_reading later = host_read(&host, "cray:node-0");
    is_int(later.status, 0, "after the start it is read");
    ok(later.raw - node.raw > UINT64_C(1) << 60,
       "and no possible power explains the step, though the joules rose");
    later = host_read(&host, "cray:package-0");
    ok(later.raw - cpu.raw > UINT64_C(1) << 60, "nor that of one that fell");
    is_double(host_power(&host, "cray:node-0", 42, 58), 1500, 1e-9, "from then on as before");

    host_at(&host, 60.5);
    (void)host_read(&host, "cray:node-0");
    host_at(&host, 61.5);
    is_int(host_read(&host, "cray:node-0").status, 0, "a short pause of the scans is none");
    host_at(&host, 63);
    is_int(host_read(&host, "cray:node-0").status, -ETIMEDOUT, "a longer one is a gap");
    host_at(&host, 71);
    is_int(host_read(&host, "cray:node-0").status, 0, "the scans go on");
    host_at(&host, 81);
    is_int(host_read(&host, "cray:gpu-1").status, -EIO, "one that fails");
    is_int(host_read(&host, "cray:package-0").status, -EBADMSG, "one that says nonsense");
    is_int(host_read(&host, "cray:gpu-0").status, 0, "spoil no other");
    is_double(host_power(&host, "cray:gpu-1", 83, 90), 260, 1e-9, "and come back");
    host_close(&host, "cray-ex");
}

static void test_old(void)
{
    struct host host = host_open("cray-xc", &wtl_driver_cray, NULL);
    is_int(host.rc, 0, "opens");
    is_int((int)host.source.count, 3, "node, processors, memory");
    const struct wattle_channel *cpu = host_channel(&host, "cray:board-0");
    const struct wattle_channel *memory = host_channel(&host, "cray:board-1");
    if (ok(cpu && memory, "what is of two sockets is no package")) {
        is_str(cpu->label, "cpu", "label");
        is_int(memory->kind, WATTLE_GAUGE, "without a counter its power is taken");
        is_int(memory->quantity, WATTLE_POWER, "in watts");
    }
    host_at(&host, 5);
    struct wattle_reading reading = host_read(&host, "cray:board-1");
    is_int((int)reading.raw, 40, "memory 40 W");
    is_double(host_power(&host, "cray:node-0", 6, 9), 310, 1e-9, "node 310 W");
    host_at(&host, 11);
    is_int(host_read(&host, "cray:board-1").status, -ENODATA, "0 W is no measurement");
    for (int t = 29; t <= 32; t++) {
        host_at(&host, t);
        reading = host_read(&host, "cray:node-0");
    }
    is_int(reading.status, 0, "2 s without a scan are borne");
    host_at(&host, 33);
    is_int(host_read(&host, "cray:node-0").status, -ETIMEDOUT,
           "more are not, even if the joules grow");
    host_close(&host, "cray-xc");
}

/* A scan that happens while its values are read: they are read again. */
static void test_one_scan(void)
{
    struct host host = host_open("cray-ex", &wtl_driver_cray, NULL);
    struct wattle_reading out[6];
    host_at(&host, 9.99);
    wtl_world_recorded_step(host.world, 2000000); /* each look at the clock takes 2 ms */
    host.source.driver->read(&host.source, 0, 6, out);
    wtl_world_recorded_step(host.world, 0);
    for (size_t i = 0; i < 6; i++)
        is_int(out[i].status, 0, "%s is read", host.source.channels[i].name);
    uint64_t scan = 0;
    bool same = true;
    for (size_t i = 0; i < 6; i++) {
        const char *name = host.source.channels[i].name;
        uint64_t start = strstr(name, "node")      ? 148239563
                         : strstr(name, "package") ? 31000000
                         : strstr(name, "dram")
                             ? 9000000
                             : 20000000 + 1000 * (uint64_t)host.source.channels[i].index;
        uint64_t watts = strstr(name, "node")      ? 1500
                         : strstr(name, "package") ? 180
                         : strstr(name, "dram")
                             ? 70
                             : 250 + 10 * (uint64_t)host.source.channels[i].index;
        uint64_t at = ((out[i].raw - start) * 10 + watts / 2) / watts;
        same = same && (scan == 0 || at == scan);
        scan = at;
    }
    ok(same, "all of one scan");
    is_int((int)scan, 100, "the new one");
    host_close(&host, "cray-ex");
}

static void test_absent(void)
{
    struct host host = host_open("cray-denied", &wtl_driver_cray, NULL);
    is_int(host.rc, -EACCES, "forbidden");
    ok(strstr(host.said, "chmod a+r /sys/cray/pm_counters/energy") != NULL, "with the remedy: %s",
       host.said);
    host_close(&host, "cray-denied");
    host = host_open("container", &wtl_driver_cray, NULL);
    is_int(host.rc, -ENODEV, "not there");
    ok(strstr(host.said, "no /sys/cray/pm_counters") != NULL, "it says: %s", host.said);
    host_close(&host, "container");
}

int main(void)
{
    test_channels();
    test_restart();
    test_old();
    test_one_scan();
    test_absent();
    return done_testing();
}
