/* SPDX-License-Identifier: BSD-3-Clause */
/* Batteries on recorded hosts: whose power it is, which way it flows, and when it is unknown. */
#include "host.h"

extern const struct wtl_driver wtl_driver_power_supply;

static void test_channels(void)
{
    static const struct {
        int line;
        const char *host, *name, *label, *location;
        enum wattle_quantity quantity;
        enum wattle_quality quality;
        double scale;
    } rows[] = {
        {__LINE__, "laptop-battery", "power_supply:node-0", "BAT0", "BAT0/power_now", WATTLE_POWER,
         WATTLE_MEASURED, 1e-6},
        {__LINE__, "laptop-battery", "power_supply:psu-0", "BAT0", "BAT0/energy_now", WATTLE_ENERGY,
         WATTLE_MEASURED, 3.6e-3},
        {__LINE__, "laptop-two-batteries", "power_supply:node-0", "BAT0 and others",
         "BAT0/current_now", WATTLE_POWER, WATTLE_DERIVED, 1e-6},
        {__LINE__, "laptop-two-batteries", "power_supply:psu-1", "BAT1", "BAT1/charge_now",
         WATTLE_ENERGY, WATTLE_DERIVED, 3.6e-3 * 11.1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct host host = host_open(rows[i].host, &wtl_driver_power_supply, NULL);
        tap_line = rows[i].line;
        const struct wattle_channel *channel = host_channel(&host, rows[i].name);
        if (ok(channel != NULL, "%s has %s", rows[i].host, rows[i].name)) {
            is_str(channel->label, rows[i].label, "label");
            ok(strstr(channel->location, rows[i].location) != NULL, "at %s", channel->location);
            is_int(channel->quantity, rows[i].quantity, "quantity");
            is_int(channel->quality, rows[i].quality, "quality");
            is_double(channel->scale, rows[i].scale, 1e-12, "scale");
            ok(channel->flags & WATTLE_CHANNEL_SLOW, "slow");
        }
        host_close(&host, rows[i].host);
    }
    tap_line = 0;
}

static void test_refusals(void)
{
    static const struct {
        int line;
        const char *host;
        int rc, count;
        const char *says;
    } rows[] = {
        {__LINE__, "laptop-battery", 0, 2, ""},
        {__LINE__, "laptop-two-batteries", 0, 3, ""},
        {__LINE__, "laptop-mains", -ENODEV, 0, "unplug the charger"},
        {__LINE__, "laptop-denied", -EACCES, 0, "chmod a+r /sys/class/power_supply/BAT0/status"},
        {__LINE__, "desktop-ups", -ENODEV, 0, "ups0 is a UPS"},
        {__LINE__, "container", -ENODEV, 0,
         "no battery of this machine in /sys/class/power_supply"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct host host = host_open(rows[i].host, &wtl_driver_power_supply, NULL);
        tap_line = rows[i].line;
        is_int(host.rc, rows[i].rc, "%s opens so", rows[i].host);
        is_int(host.source.count, rows[i].count, "number of channels");
        is_int(host.source.note_count, 0, "nothing that the machine has is left out");
        ok(strstr(host.said, rows[i].says) != NULL, "it says: %s", host.said);
        host_close(&host, rows[i].host);
    }
    tap_line = 0;
}

/* The machine's power over the script's time. */
static void test_power(void)
{
    static const struct {
        int line;
        const char *host;
        double at, watts;
        int status;
    } rows[] = {
        {__LINE__, "laptop-battery", 0, 12.6, 0},
        {__LINE__, "laptop-battery", 31, 0, -ENODEV},    /* the rate is unknown */
        {__LINE__, "laptop-battery", 33, 12.6, 0},       /* again */
        {__LINE__, "laptop-battery", 70, 0, -ENODATA},   /* 45 W flow into it */
        {__LINE__, "laptop-battery", 90.5, 0, -ENODATA}, /* 0 W is not a machine's power */
        {__LINE__, "laptop-battery", 91, 18, 0},
        {__LINE__, "laptop-battery", 121, 0, -ENODATA}, /* the mains supply the rest */
        {__LINE__, "laptop-two-batteries", 0, 18, 0},   /* the other one is idle */
        {__LINE__, "laptop-two-batteries", 41, 20, 0},
        {__LINE__, "laptop-two-batteries", 81, 32, 0},
        {__LINE__, "laptop-two-batteries", 121, 0, -ENODEV}, /* half of it is not enough */
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct host host = host_open(rows[i].host, &wtl_driver_power_supply, NULL);
        tap_line = rows[i].line;
        host_at(&host, rows[i].at);
        struct wattle_reading reading = host_read(&host, "power_supply:node-0");
        is_int(reading.status, rows[i].status, "status");
        is_double((double)reading.raw * 1e-6, rows[i].watts, 1e-9, "watts");
        host_close(&host, rows[i].host);
    }
    tap_line = 0;
}

/* A decrease in the battery is an increase of the channel, and a gap while the battery is
 * charged. */
static void test_counters(void)
{
    struct host host = host_open("laptop-battery", &wtl_driver_power_supply, NULL);
    is_double(host_power(&host, "power_supply:psu-0", 0, 50), 12.6, 1e-9, "BAT0 gives 12.6 W");
    host_at(&host, 70);
    is_int(host_read(&host, "power_supply:psu-0").status, -ENODATA, "a gap while it is charged");
    is_double(host_power(&host, "power_supply:psu-0", 90, 110), 18, 1e-9, "then it gives 18 W");
    host_close(&host, "laptop-battery");

    host = host_open("laptop-two-batteries", &wtl_driver_power_supply, NULL);
    is_double(host_power(&host, "power_supply:psu-1", 0, 40), 0, 0, "the other one gives nothing");
    host_close(&host, "laptop-two-batteries");
    host = host_open("laptop-two-batteries", &wtl_driver_power_supply, NULL);
    is_double(host_power(&host, "power_supply:psu-0", 0, 39), 15.984, 1e-9,
              "400 uAh a second at 11.1 V");
    host_close(&host, "laptop-two-batteries");
}

int main(void)
{
    test_channels();
    test_refusals();
    test_power();
    test_counters();
    return done_testing();
}
