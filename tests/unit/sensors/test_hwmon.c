/* SPDX-License-Identifier: BSD-3-Clause */
/* The hwmon driver on recorded hosts: domains, forms, failures of single sensors. */
#define _GNU_SOURCE
#include "host.h"
#include "made_host.h"

extern const struct wtl_driver wtl_driver_hwmon;

static void test_channels(void)
{
    static const struct {
        int line;
        const char *host, *name, *label;
        enum wattle_quantity quantity;
        enum wattle_kind kind;
        enum wattle_quality quality;
        int slow;
        double at, value; /* value in the channel's unit at this second */
    } rows[] = {
        {__LINE__, "skx-2s", "hwmon:node-0", "power_meter", WATTLE_POWER, WATTLE_WINDOW_AVERAGE,
         WATTLE_MEASURED, 1, 5, 310},
        {__LINE__, "skx-2s", "hwmon:node-0", "power_meter", WATTLE_POWER, WATTLE_WINDOW_AVERAGE,
         WATTLE_MEASURED, 1, 11, 330},
        {__LINE__, "laptop-tgl", "hwmon:other-0", "BAT0", WATTLE_POWER, WATTLE_GAUGE,
         WATTLE_MEASURED, 1, 0, 23},
        {__LINE__, "jetson-orin", "hwmon:board-0", "ina3221 VDD_GPU_SOC", WATTLE_POWER,
         WATTLE_GAUGE, WATTLE_DERIVED, 1, 4, 4},
        {__LINE__, "jetson-orin", "hwmon:board-0", "ina3221 VDD_GPU_SOC", WATTLE_POWER,
         WATTLE_GAUGE, WATTLE_DERIVED, 1, 5, 8},
        {__LINE__, "jetson-orin", "hwmon:board-2", "ina3221 VIN_SYS_5V0", WATTLE_POWER,
         WATTLE_GAUGE, WATTLE_DERIVED, 1, 0, 6},
        {__LINE__, "jetson-orin", "hwmon:node-0", "ina3221 VDD_IN", WATTLE_POWER, WATTLE_GAUGE,
         WATTLE_DERIVED, 1, 5, 17.1},
        {__LINE__, "workstation-gpu", "hwmon:gpu-0", "amdgpu PPT", WATTLE_POWER,
         WATTLE_WINDOW_AVERAGE, WATTLE_MEASURED, 0, 3, 200},
        {__LINE__, "workstation-gpu", "hwmon:package-0", "amdgpu PPT", WATTLE_POWER, WATTLE_GAUGE,
         WATTLE_MEASURED, 0, 3, 18},
        {__LINE__, "workstation-gpu", "hwmon:gpu-1", "xe card", WATTLE_ENERGY, WATTLE_COUNTER,
         WATTLE_MEASURED, 0, 2, 111},
        {__LINE__, "workstation-gpu", "hwmon:psu-0", "corsairpsu power total", WATTLE_POWER,
         WATTLE_GAUGE, WATTLE_MEASURED, 1, 0, 180},
        {__LINE__, "kepler", "hwmon:package-0", "k10temp Package", WATTLE_POWER, WATTLE_GAUGE,
         WATTLE_MEASURED, 0, 0, 45},
        {__LINE__, "kepler", "hwmon:core-0", "k10temp Core", WATTLE_POWER, WATTLE_GAUGE,
         WATTLE_MEASURED, 0, 0, 15},
        {__LINE__, "kepler", "hwmon:other-0", "amdgpu GPU", WATTLE_POWER, WATTLE_GAUGE,
         WATTLE_MEASURED, 0, 0, 120},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct host host = host_open(rows[i].host, &wtl_driver_hwmon, NULL);
        tap_line = rows[i].line;
        const struct wattle_channel *channel = host_channel(&host, rows[i].name);
        if (ok(host.rc == 0 && channel, "%s has %s", rows[i].host, rows[i].name)) {
            is_str(channel->label, rows[i].label, "label");
            is_int(channel->quantity, rows[i].quantity, "quantity");
            is_int(channel->kind, rows[i].kind, "kind");
            is_int(channel->quality, rows[i].quality, "quality");
            is_int((channel->flags & WATTLE_CHANNEL_SLOW) != 0, rows[i].slow, "slow");
            host_at(&host, rows[i].at);
            struct wattle_reading reading = host_read(&host, rows[i].name);
            is_int(reading.status, 0, "reads");
            is_double(wtl_channel_value(channel, reading.raw), rows[i].value, 1e-9, "value");
        }
        host_close(&host, rows[i].host);
    }
    tap_line = 0;
}

static void test_counts(void)
{
    static const struct {
        int line;
        const char *host, *exclude;
        int rc, count;
        const char *says;
    } rows[] = {
        {__LINE__, "skx-2s", "", 0, 1, ""},
        {__LINE__, "skx-2s", "power_*", -ENODEV, 0, "no chip with power or energy"},
        {__LINE__, "laptop-tgl", "", 0, 1, ""},
        {__LINE__, "jetson-orin", "", 0, 4,
         "ina3221 in2 is switched off; as root run: echo 1 > "
         "/sys/class/hwmon/hwmon4/in2_enable"},
        {__LINE__, "workstation-gpu", "", 0, 6, ""},
        {__LINE__, "workstation-gpu", "corsair*+xe", 0, 2, ""},
        {__LINE__, "container", "", -ENODEV, 0, "no chip with power or energy"},
        {__LINE__, "epyc-zen3", "", -ENODEV, 0, "no chip with power or energy"},
        {__LINE__, "denied", "", -EACCES, 0, "energy1_input: permission denied"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct wtl_setting list[] = {{"hwmon", "exclude", rows[i].exclude}};
        struct wtl_settings settings = {1, list};
        struct host host = host_open(rows[i].host, &wtl_driver_hwmon, &settings);
        const char *said = host.said;
        tap_line = rows[i].line;
        is_int(host.rc, rows[i].rc, "%s opens so", rows[i].host);
        is_int(host.source.count, rows[i].count, "number of channels");
        ok(strstr(said, rows[i].says) != NULL, "it says: %s", said);
        host_close(&host, rows[i].host);
    }
    tap_line = 0;
}

/* The fixture of another project, chip by chip: the sensor values that its tests expect. */
static void test_kepler(void)
{
    struct host host = host_open("kepler", &wtl_driver_hwmon, NULL);
    unsigned power = 0, energy = 0, derived = 0, off = 0;
    for (size_t i = 0; i < host.source.count; i++) {
        const struct wattle_channel *channel = &host.source.channels[i];
        derived += channel->quality == WATTLE_DERIVED;
        energy += channel->quantity == WATTLE_ENERGY;
        power += channel->quantity == WATTLE_POWER && channel->quality == WATTLE_MEASURED;
        off += strstr(channel->label, "Rail_C") != NULL || strstr(channel->label, "channel_3");
        for (size_t k = 0; k < i; k++)
            ok(strcmp(host.source.channels[k].name, channel->name) != 0, "%s is there once",
               channel->name);
    }
    is_int(power, 10, "power sensors that are on");
    is_int(energy, 7, "energy counters that are on");
    is_int(derived, 10, "rails of ina3221 with voltage and current");
    is_int(off, 0, "what is switched off is left out");
    host_close(&host, "kepler");
}

/* One failed current: a gap of that rail only, never a zero. */
static void test_fault(void)
{
    struct host host = host_open("jetson-orin", &wtl_driver_hwmon, NULL);
    struct wattle_reading out[4];
    host_at(&host, 6.5);
    host.source.driver->read(&host.source, 0, 4, out);
    is_int(out[0].status, 0, "first rail reads");
    is_int(out[1].status, -EAGAIN, "second rail fails");
    is_int(out[2].status, 0, "third rail reads");
    is_int(host_read(&host, "hwmon:board-1").status, -EAGAIN, "alone, too");
    host_at(&host, 7);
    is_int(host_read(&host, "hwmon:board-1").status, 0, "and comes back");
    host_close(&host, "jetson-orin");
}

/* An impossible interval is ignored. */
static void test_absurd_interval(void)
{
    struct made_host made = {0};
    struct wtl_source source;
    made_host_put(&made, "root/sys/class/hwmon/hwmon0/name", "odd\n");
    made_host_put(&made, "root/sys/class/hwmon/hwmon0/update_interval", "18446744073709551615\n");
    made_host_put(&made, "root/sys/class/hwmon/hwmon0/power1_average", "5000000\n");
    made_host_put(&made, "root/sys/class/hwmon/hwmon0/power1_average_interval",
                  "99999999999999999\n");
    int rc = wtl_source_open(&source, &wtl_driver_hwmon, made_host_open(&made), NULL, NULL, NULL);
    if (is_int(rc, 0, "opens")) {
        ok(source.channels[0].window_ns == 0, "no window");
        ok(source.channels[0].refresh_ns == 0, "no refresh");
        wtl_source_close(&source);
    }
    made_host_close(&made);
}

struct made_meter {
    const char *info, *microwatts;
};

/* ACPI power meters, in the folder of the device or in that of the chip. */
static void put_meters(struct made_host *made, const struct made_meter *meters, bool legacy)
{
    for (int i = 0; meters[i].microwatts; i++) {
        static const char *const files[] = {"name", "power1_average", "power1_average_interval",
                                            "power1_oem_info"};
        const char *texts[] = {"power_meter\n", meters[i].microwatts, "1000\n", meters[i].info};
        for (size_t k = 0; k < 4; k++) {
            char path[128];
            (void)snprintf(path, sizeof path, "root/sys/class/hwmon/hwmon%d%s/%s", i,
                           legacy ? "/device" : "", files[k]);
            made_host_put(made, path, texts[k]);
        }
    }
}

static void test_meters(void)
{
    static const struct {
        int line;
        struct made_meter meters[6];
        const char *channels; /* with their watts */
        const char *says;
    } rows[] = {
        {__LINE__, {{"", "310000000\n"}}, "node-0=310", ""},
        {__LINE__,
         {{"\n", "90000000\n"}, {"\n", "420000000\n"}, {"\n", "230000000\n"}},
         "other-0=90 node-0=420 other-1=230",
         "3 power meters of ACPI have no name that is known"},
        {__LINE__,
         {{"Grace Power Socket 0\n", "160000000\n"},
          {"CPU Power Socket 0\n", "100000000\n"},
          {"SysIO Power Socket 0\n", "25000000\n"},
          {"Module Power Socket 0\n", "520000000\n"},
          {"Module Power Socket 1\n", "550000000\n"}},
         "package-0=160 core-0=100 uncore-0=25 node-0=520 node-1=550",
         ""},
    };
    for (size_t i = 0; i < 2 * sizeof rows / sizeof *rows; i++) {
        struct made_host made = {0};
        struct wtl_source source;
        char channels[256] = "";
        size_t used = 0, row = i / 2;
        tap_line = rows[row].line;
        put_meters(&made, rows[row].meters, i % 2);
        int rc =
            wtl_source_open(&source, &wtl_driver_hwmon, made_host_open(&made), NULL, NULL, NULL);
        if (is_int(rc, 0, "opens")) {
            for (size_t k = 0; k < source.count; k++) {
                const struct wattle_channel *channel = &source.channels[k];
                struct wattle_reading reading;
                source.driver->read(&source, k, 1, &reading);
                used += (size_t)snprintf(channels + used, sizeof channels - used, "%s%s=%g",
                                         k ? " " : "", channel->name + sizeof "hwmon",
                                         wtl_channel_value(channel, reading.raw));
            }
            is_str(channels, rows[row].channels, "its meters");
            const char *said = source.note_count ? source.notes[0].text : "";
            ok(strstr(said, rows[row].says) && (rows[row].says[0] || !said[0]), "it says: %s",
               said);
            wtl_source_close(&source);
        }
        made_host_close(&made);
    }
    tap_line = 0;
}

int main(void)
{
    test_meters();
    test_channels();
    test_counts();
    test_kepler();
    test_fault();
    test_absurd_interval();
    return done_testing();
}
