/* SPDX-License-Identifier: BSD-3-Clause */
/* The powercap driver on recorded hosts: which channels, their values over time, and the notes on
 * what cannot be read. */
#define _GNU_SOURCE
#include "host.h"
#include "made_host.h"

extern const struct wtl_driver wtl_driver_powercap;

#define LINUX_14 UINT64_C(262143328911) /* modulus of 2^-14 J in Linux */
#define LINUX_16 UINT64_C(65532611002)  /* and of 2^-16 J */

static void test_channels(void)
{
    static const struct {
        int line;
        const char *host, *name, *label;
        uint64_t modulus;
        double max_w, power_w;
    } rows[] = {
        {__LINE__, "skx-2s", "powercap:package-0", "package-0", LINUX_14, 600, 150},
        {__LINE__, "skx-2s", "powercap:package-1", "package-1", LINUX_14, 600, 100},
        {__LINE__, "skx-2s", "powercap:dram-0", "dram", LINUX_16, 250, 20},
        {__LINE__, "skx-2s", "powercap:dram-1", "dram", LINUX_16, 250, 18},
        {__LINE__, "laptop-tgl", "powercap:package-0", "package-0", LINUX_14, 250, 15},
        {__LINE__, "laptop-tgl", "powercap:core-0", "core", LINUX_14, 0, 9},
        {__LINE__, "laptop-tgl", "powercap:uncore-0", "uncore", LINUX_14, 0, 1},
        {__LINE__, "laptop-tgl", "powercap:psys-0", "psys", LINUX_14, 0, 24},
        {__LINE__, "clx-ap", "powercap:package-1-1", "package-1-die-1", LINUX_14, 700, 80},
        {__LINE__, "clx-ap", "powercap:dram-0-1", "dram", LINUX_16, 0, 6},
        {__LINE__, "kepler", "powercap:package-0", "package-0", LINUX_14, 0, 0},
        {__LINE__, "kepler", "powercap:core-0", "core", LINUX_14, 0, 0},
        {__LINE__, "denied-partly", "powercap:package-0", "package-0", LINUX_14, 260, 30},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct host host = host_open(rows[i].host, &wtl_driver_powercap, NULL);
        tap_line = rows[i].line;
        const struct wattle_channel *channel = host_channel(&host, rows[i].name);
        if (ok(host.rc == 0 && channel, "%s has %s", rows[i].host, rows[i].name)) {
            is_str(channel->label, rows[i].label, "label");
            is_int(channel->modulus, rows[i].modulus, "modulus");
            is_double(channel->max_w, rows[i].max_w, 1e-9, "bound of the power");
            is_double(channel->scale, 1e-6, 0, "microjoules");
            is_int(channel->quantity, WATTLE_ENERGY, "energy");
            is_int(channel->kind, WATTLE_COUNTER, "a counter");
            is_int(channel->refresh_ns, 976563, "claimed refresh");
            /* 1 and 9 s are not on ticks; each end is off by less than one. */
            is_double(host_power(&host, rows[i].name, 1, 9), rows[i].power_w,
                      rows[i].power_w * 2e-4, "power over 8 s");
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
        const char *says; /* in the note, or in the error */
    } rows[] = {
        {__LINE__, "skx-2s", 0, 4, ""},
        {__LINE__, "laptop-tgl", 0, 4,
         "intel-rapl-mmio:0 (package-0) is the same counter as "
         "powercap:package-0 and is not counted twice"},
        {__LINE__, "kepler", 0, 2,
         "intel-rapl:a (package-10) is the same counter as "
         "powercap:package-0 and is not counted twice"},
        {__LINE__, "clx-ap", 0, 8, ""},
        {__LINE__, "denied-partly", 0, 1, "intel-rapl:0:0/energy_uj: permission denied"},
        {__LINE__, "denied", -EACCES, 0, "as root run: chmod a+r /sys/class/powercap/*/energy_uj"},
        {__LINE__, "container", -ENODEV, 0, "modprobe intel_rapl_msr"},
        {__LINE__, "jetson-orin", -ENODEV, 0, "no zone"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct host host = host_open(rows[i].host, &wtl_driver_powercap, NULL);
        const char *said = host.said;
        tap_line = rows[i].line;
        is_int(host.rc, rows[i].rc, "%s opens so", rows[i].host);
        is_int(host.source.count, rows[i].count, "number of channels");
        ok(strstr(said, rows[i].says) != NULL, "it says: %s", said);
        ok(rows[i].says[0] || !said[0], "and nothing when there is nothing to say");
        host_close(&host, rows[i].host);
    }
    tap_line = 0;
}

/* The registers wrap 6 s after the start: the raw value falls by exactly the modulus. */
static void test_wrap(void)
{
    struct host host = host_open("skx-2s", &wtl_driver_powercap, NULL);
    host_at(&host, 5);
    struct wattle_reading before = host_read(&host, "powercap:package-0");
    host_at(&host, 7);
    struct wattle_reading after = host_read(&host, "powercap:package-0");
    ok(after.raw < before.raw, "it wrapped");
    is_double((double)(after.raw + LINUX_14 - before.raw) * 1e-6, 300, 0.3,
              "300 J in 2 s at 150 W");
    host_close(&host, "skx-2s");
}

/* Each package of "faults" has one fault at 2 s; the others are unaffected. */
static void test_faults(void)
{
    static const struct {
        int line;
        double at;
        int status[4];
        uint64_t raw[4];
    } rows[] = {
        {__LINE__, 1.5, {0, 0, 0, 0}, {10150000000, 20150000000, 30150000000, 40150000000}},
        {__LINE__, 2.25, {-ENODEV, -EIO, 0, 0}, {0, 0, 30200000000, 30000000}},
        {__LINE__, 2.75, {-ENODEV, 0, 0, 0}, {0, 20275000000, 30200000000, 80000000}},
        {__LINE__, 4.5, {0, 0, 0, 0}, {10450000000, 20450000000, 30450000000, 255000000}},
    };
    struct host host = host_open("faults", &wtl_driver_powercap, NULL);
    is_int(host.source.count, 4, "four packages");
    for (size_t i = 0; i < sizeof rows / sizeof *rows && host.source.count == 4; i++) {
        struct wattle_reading out[4];
        tap_line = rows[i].line;
        host_at(&host, rows[i].at);
        host.source.driver->read(&host.source, 0, 4, out);
        for (int k = 0; k < 4; k++) {
            is_int(out[k].status, rows[i].status[k], "status of package-%d", k);
            is_int(out[k].raw, rows[i].raw[k], "value of package-%d", k);
            is_int(out[k].time_ns, 0, "no time of its own");
        }
        host.source.driver->read(&host.source, 2, 2, out);
        is_int(out[0].raw, rows[i].raw[2], "a part of the channels reads the same");
    }
    tap_line = 0;
    host_close(&host, "faults");
}

/* A machine with these zones ("intel-rapl:0 package-0 VALUE", with the value's row of script.tsv). */
struct made_zone {
    const char *folder, *name, *value;
};

static void put_zones(struct made_host *made, const struct made_zone *zones)
{
    char script[1024] = "";
    size_t used = 0;
    made_host_put(made, "root/sys/devices/system/cpu/online", "0-1\n");
    for (const struct made_zone *zone = zones; zone->folder; zone++) {
        char path[128], text[64];
        (void)snprintf(path, sizeof path, "root/sys/class/powercap/%s/name", zone->folder);
        (void)snprintf(text, sizeof text, "%s\n", zone->name);
        made_host_put(made, path, text);
        (void)snprintf(path, sizeof path, "root/sys/class/powercap/%s/max_energy_range_uj",
                       zone->folder);
        made_host_put(made, path, "65532610987\n");
        (void)snprintf(path, sizeof path, "root/sys/class/powercap/%s/energy_uj", zone->folder);
        made_host_put(made, path, "1\n");
        used += (size_t)snprintf(script + used, sizeof script - used,
                                 "0\t/sys/class/powercap/%s/energy_uj\t%s\n", zone->folder,
                                 zone->value);
    }
    made_host_put(made, "script.tsv", script);
}

/* Two zones are one counter if they have one value, whatever they are called; two counters are two whatever they are called. */
static void test_mirrors(void)
{
#define A "50000000000+68000000/s%65532610987~976562ns"
#define B "7000000000+41000000/s%65532610987~976562ns"
#define C "900000000+12000000/s%65532610987~976562ns"
    static const struct {
        int line;
        struct made_zone zones[6];
        const char *channels, *says;
        size_t lacks;
    } rows[] = {
        {__LINE__,
         {{"intel-rapl:0", "package-0-die-0", A}, {"intel-rapl:1", "package-0-die-1", A}},
         "package-0-0",
         "intel-rapl:1 (package-0-die-1) is the same counter as powercap:package-0-0",
         0},
        {__LINE__,
         {{"intel-rapl:0", "package-0-die-0", B},
          {"intel-rapl:1", "package-0-die-1", B},
          {"intel-rapl:2", "package-1-die-0", A},
          {"intel-rapl:3", "package-1-die-1", A}},
         "package-0-0 package-1-0",
         "(package-1-die-1) is the same counter as powercap:package-1-0",
         0},
        {__LINE__,
         {{"intel-rapl:0", "package-1", A}, {"intel-rapl:1", "package-0", A}},
         "package-1",
         "(package-0) is the same counter",
         0},
        {__LINE__,
         {{"intel-rapl:0", "package-0-die-0", A}, {"intel-rapl:1", "package-0-die-1", B}},
         "package-0-0 package-0-1",
         "",
         0},
        {__LINE__,
         {{"intel-rapl:0", "package-0", A}, {"intel-rapl:1", "package-0", B}},
         "package-0 package-1",
         "intel-rapl:1 (package-0) has the name of another zone but a counter of its own",
         0},
        {__LINE__,
         {{"intel-rapl:0", "package-0", A},
          {"intel-rapl:1", "package-0", A},
          {"intel-rapl:2", "package-1", C},
          {"intel-rapl:3", "package-0", B}},
         "package-0 package-1 package-2",
         "intel-rapl:3 (package-0) has the name of another zone",
         0},
        {__LINE__,
         {{"intel-rapl:0", "package-0", A}, {"intel-rapl-mmio:0", "package-0", B}},
         "package-0",
         "intel-rapl-mmio:0 (package-0) is the same counter",
         0},
        {__LINE__,
         {{"intel-rapl:0", "package-0", "!EINVAL"}, {"intel-rapl:1", "package-1", A}},
         "package-1",
         "skipped zone: cannot read /sys/class/powercap/intel-rapl:0/energy_uj",
         1},
        {__LINE__,
         {{"intel-rapl:0", "package-0", A}, {"intel-rapl:1", "package-1", "!EACCES"}},
         "package-0",
         "permission denied",
         1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct made_host made = {0};
        struct wtl_source source;
        char channels[128] = "", notes[1024] = "";
        size_t used = 0, noted = 0;
        tap_line = rows[i].line;
        put_zones(&made, rows[i].zones);
        int rc =
            wtl_source_open(&source, &wtl_driver_powercap, made_host_open(&made), NULL, NULL, NULL);
        if (!is_int(rc, 0, "opens"))
            continue;
        for (size_t k = 0; k < source.count; k++)
            used += (size_t)snprintf(channels + used, sizeof channels - used, "%s%s", k ? " " : "",
                                     source.channels[k].name + sizeof "powercap");
        for (size_t k = 0; k < source.note_count; k++)
            noted +=
                (size_t)snprintf(notes + noted, sizeof notes - noted, "%s; ", source.notes[k].text);
        is_str(channels, rows[i].channels, "its counters");
        ok(strstr(notes, rows[i].says) && (rows[i].says[0] || !notes[0]), "it says: %s", notes);
        is_int(source.lack_count, rows[i].lacks, "what it could not read");
        wtl_source_close(&source);
        made_host_close(&made);
    }
    tap_line = 0;
}

int main(void)
{
    test_mirrors();
    test_channels();
    test_counts();
    test_wrap();
    test_faults();
    return done_testing();
}
