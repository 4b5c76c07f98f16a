/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Driver "power_supply": the machine's power from its batteries, and the energy drawn from each of them, in
 * /sys/class/power_supply (files, units: Linux 6.16, Documentation/ABI/testing/sysfs-class-power).
 *
 * On battery, all power of the machine comes from its batteries; on mains a battery reports its charging
 * power or its contribution. Therefore open refuses a machine on mains, so that a node channel without values
 * does not displace sensors that have some, and plugging in a charger later causes a gap. The direction is
 * taken only from `status`, since kernel drivers use different signs. Scope "Device" is a mouse or headset,
 * and a UPS may feed other machines as well: neither belongs to this machine.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/parse.h"
#include "source/driver.h"

#define ROOT "/sys/class/power_supply"
#define MOST 8 /* maximum number of batteries, and of chargers */
/* drivers/acpi/battery.c caches a value for cache_time; gauges on I2C are polled more slowly. */
#define REFRESH_NS 1000000000

enum file { STATUS, POWER, CURRENT, VOLTAGE, ENERGY, CHARGE, FILES };
static const char *const names[FILES] = {"status",      "power_now",  "current_now",
                                         "voltage_now", "energy_now", "charge_now"};

struct battery {
    char supply[32]; /* "BAT0" */
    int fds[FILES];  /* negative = no such file */
    int64_t first;   /* ENERGY or CHARGE at open */
};

struct supplies {
    struct battery batteries[MOST];
    int online[MOST]; /* of chargers */
    size_t battery_count, charger_count;
    const struct battery *of[MOST + 1]; /* parallel to the source's channels; NULL = the node */
    char foreign[80];                   /* why another supply does not belong to this machine */
};

/* Whether a charger is plugged in. One that cannot be read may be. */
static bool is_on_mains(const struct wtl_source *source, const struct supplies *all)
{
    uint64_t online = 0;
    for (size_t i = 0; i < all->charger_count && online == 0; i++) {
        if (wtl_world_pread_u64(source->world, all->online[i], &online) < 0)
            online = 1;
    }
    return online != 0;
}

/* 1 discharging, 0 idle; -ENODATA when charging or unknown. */
static int is_discharging(const struct wtl_source *source, const struct battery *one)
{
    char text[24] = "";
    ssize_t n = source->world->ops->pread(source->world, one->fds[STATUS], text, 23, 0);
    if (n < 0 || strcmp(text, "Discharging\n") == 0)
        return n < 0 ? (int)n : 1;
    return strcmp(text, "Full\n") == 0 || strcmp(text, "Not charging\n") == 0 ? 0 : -ENODATA;
}

static int read_power(const struct wtl_source *source, const struct battery *one, int64_t *ret_uw)
{
    int64_t ua, uv, pw;
    if (one->fds[POWER] >= 0)
        return wtl_world_pread_i64(source->world, one->fds[POWER], ret_uw);
    int rc = wtl_world_pread_i64(source->world, one->fds[CURRENT], &ua);
    if (rc == 0)
        rc = wtl_world_pread_i64(source->world, one->fds[VOLTAGE], &uv);
    if (rc == 0 && __builtin_mul_overflow(ua, uv, &pw))
        rc = -EOVERFLOW;
    if (rc == 0)
        *ret_uw = pw / 1000000;
    return rc;
}

static int read_node(const struct wtl_source *source, uint64_t *ret_uw)
{
    const struct supplies *all = source->impl;
    int64_t sum_uw = 0;
    int rc = is_on_mains(source, all) ? -ENODATA : 0;
    for (size_t i = 0; i < all->battery_count && rc == 0; i++) {
        int64_t uw = 0;
        rc = is_discharging(source, &all->batteries[i]);
        if (rc > 0)
            rc = read_power(source, &all->batteries[i], &uw);
        sum_uw += llabs(uw);
    }
    if (rc == 0 && sum_uw == 0) /* a running machine draws power: not measured yet */
        rc = -ENODATA;
    if (rc == 0)
        *ret_uw = (uint64_t)sum_uw;
    return rc;
}

static void power_supply_read(struct wtl_source *source,
                              size_t first,
                              size_t n,
                              struct wattle_reading *out)
{
    const struct supplies *all = source->impl;
    for (size_t i = 0; i < n; i++) {
        const struct battery *one = all->of[first + i];
        int64_t left = 0;
        out[i] = (struct wattle_reading){0};
        out[i].status = one ? is_discharging(source, one) : read_node(source, &out[i].raw);
        if (!one || out[i].status < 0)
            continue;
        enum file file = one->fds[ENERGY] >= 0 ? ENERGY : CHARGE;
        out[i].status = wtl_world_pread_i64(source->world, one->fds[file], &left);
        out[i].raw =
            out[i].status ? 0 : (uint64_t)(one->first - left); /* energy drawn, increasing */
    }
}

static void take_supply(struct wtl_source *source, const char *supply)
{
    struct supplies *all = source->impl;
    struct battery *one = &all->batteries[all->battery_count];
    char type[24], scope[24], present[24];
    (void)wtl_source_text(source, type, sizeof type, ROOT "/%s/type", supply);
    (void)wtl_source_text(source, scope, sizeof scope, ROOT "/%s/scope", supply);
    (void)wtl_source_text(source, present, sizeof present, ROOT "/%s/present", supply);
    if (strcmp(scope, "Device") == 0 || strcmp(type, "UPS") == 0) {
        (void)snprintf(all->foreign, sizeof all->foreign, "; %.20s %s", supply,
                       type[0] == 'U' ? "is a UPS, which may also feed other machines"
                                      : "feeds a device, not this machine");
    } else if (all->battery_count == MOST || all->charger_count == MOST) {
        wtl_source_note(source, "skipped %s: more than %d supplies", supply, MOST);
    } else if (strcmp(type, "Battery") != 0) {
        int fd = wtl_source_open_file(source, ROOT "/%s/online", supply);
        all->online[all->charger_count] = fd;
        all->charger_count += fd >= 0;
    } else if (strcmp(present, "0") != 0) {
        (void)snprintf(one->supply, sizeof one->supply, "%s", supply);
        for (int file = 0; file < FILES; file++)
            one->fds[file] = wtl_source_open_file(source, ROOT "/%s/%s", supply, names[file]);
        all->battery_count += one->fds[STATUS] >= 0;
    }
}

static int add_channel(struct wtl_source *source,
                       struct wattle_channel *channel,
                       const struct battery *one,
                       enum file file)
{
    struct supplies *all = source->impl;
    const char *supply = one ? one->supply : all->batteries[0].supply;
    (void)snprintf(channel->location, sizeof channel->location, ROOT "/%s/%s", supply, names[file]);
    (void)snprintf(channel->label, sizeof channel->label, "%.19s%s", supply,
                   one || all->battery_count == 1 ? "" : " and others");
    int rc = wtl_source_add(source, channel);
    if (rc >= 0)
        all->of[rc] = one;
    return rc < 0 ? rc : 0;
}

/* Add the sum of all batteries, if all of them report their power. */
static int add_node(struct wtl_source *source)
{
    const struct supplies *all = source->impl;
    struct wattle_channel channel =
        wtl_channel_init(WATTLE_DOMAIN_NODE, 0, WATTLE_POWER, WATTLE_GAUGE);
    bool measured = all->battery_count == 1 && all->batteries[0].fds[POWER] >= 0;
    channel.scale = 1e-6;
    channel.refresh_ns = REFRESH_NS;
    channel.quality = measured ? WATTLE_MEASURED : WATTLE_DERIVED;
    for (size_t i = 0; i < all->battery_count; i++) {
        const int *fds = all->batteries[i].fds;
        if (fds[POWER] >= 0 || (fds[CURRENT] >= 0 && fds[VOLTAGE] >= 0))
            continue;
        wtl_source_note(source, "%s does not report its power", all->batteries[i].supply);
        return 0;
    }
    return add_channel(source, &channel, NULL, all->batteries[0].fds[POWER] >= 0 ? POWER : CURRENT);
}

/* Add the energy drawn from a battery. Charge is converted with the battery's design voltage. */
static int add_counter(struct wtl_source *source, size_t index)
{
    struct supplies *all = source->impl;
    struct battery *one = &all->batteries[index];
    struct wattle_channel channel =
        wtl_channel_init(WATTLE_DOMAIN_PSU, (int)index, WATTLE_ENERGY, WATTLE_COUNTER);
    enum file file = one->fds[ENERGY] >= 0 ? ENERGY : CHARGE;
    uint64_t uv = 1000000;
    char text[24];
    if (file == CHARGE) {
        channel.quality = WATTLE_DERIVED;
        (void)wtl_source_text(source, text, sizeof text, ROOT "/%s/voltage_min_design",
                              one->supply);
        if (wtl_parse_u64(text, &uv) < 0)
            uv = 0;
    }
    if (uv == 0 || wtl_world_pread_i64(source->world, one->fds[file], &one->first) < 0)
        return 0;
    channel.scale = 3.6e-9 * (double)uv; /* 1 uWh is 3.6 mJ */
    return add_channel(source, &channel, one, file);
}

static int power_supply_open(struct wtl_source *source, struct wattle_error *err)
{
    char **supplies;
    struct supplies *all = source->impl = calloc(1, sizeof *all);
    int rc = 0, count = source->world->ops->list(source->world, ROOT, &supplies);
    for (int i = 0; i < count && all; i++)
        take_supply(source, supplies[i]);
    if (count >= 0)
        free(supplies);
    if (!all || count == -ENOMEM)
        return -ENOMEM;
    if (all->battery_count > 0 && is_on_mains(source, all))
        return wtl_fail(err, -ENODEV,
                        "power_supply: on mains; a battery shows the machine's power only while "
                        "discharging: unplug the charger and start again");
    if (all->battery_count > 0)
        rc = add_node(source);
    for (size_t i = 0; i < all->battery_count && rc == 0; i++)
        rc = add_counter(source, i);
    if (rc == 0 && source->count == 0 && source->note_count == 0)
        return wtl_fail(err, -ENODEV, "power_supply: no battery of this machine in " ROOT "%s",
                        all->foreign);
    return rc;
}

extern const struct wtl_driver wtl_driver_power_supply;
const struct wtl_driver wtl_driver_power_supply = {
    .name = "power_supply",
    .summary = "batteries of this machine while discharging (/sys/class/power_supply)",
    .flags = WTL_DRIVER_SLOW, /* through the embedded controller: milliseconds */
    .open = power_supply_open,
    .read = power_supply_read,
};
