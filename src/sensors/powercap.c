/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Driver "powercap": energy counters of /sys/class/powercap, one file per zone, in microjoules. A zone's name
 * says what it covers (package-0, package-1-die-0, psys) and its location what it belongs to (intel-rapl:0:2
 * is in intel-rapl:0). The same counter may appear twice, through MSRs and through MMIO (intel-rapl-mmio), or once for
 * each die of a package that has one counter for all: the first one found is used, MSRs first. "enabled" refers to the
 * zone's power limit, not to its counter, so it is ignored.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/grow.h"
#include "base/parse.h"
#include "model/bound.h"
#include "model/zone.h"
#include "sensors/rapl_range.h"
#include "source/driver.h"

#define REFRESH_NS 976563  /* 2^-10 s: Intel SDM vol. 3B, 15.10.3, "updated every ~1 ms" */
#define SETTLE_NS  3000000 /* three updates of a counter */

/* A zone being opened. */
struct candidate {
    struct wtl_zone zone;
    uint64_t energy_uj;
    int fd;
};

#define UDEV_RULE                                                                                \
    "echo 'SUBSYSTEM==\"powercap\", ACTION==\"add\", RUN+=\"/bin/chmod a+r /sys%p/energy_uj\"' " \
    ">/etc/udev/rules.d/90-powercap.rules"

struct powercap {
    int *fds; /* parallel to the source's channels */
    size_t count;
};

/* Whether the value of b is between two readings of a. This happens three times in a row only for the same
 * counter. It may wrap in between, but not again in the attempts after it. */
static bool same_counter(const struct wtl_world *world, int a, int b)
{
    for (int found = 0, attempts = 0; found < 3; attempts++) {
        uint64_t before, other, after;
        if (attempts == 6 || wtl_world_pread_u64(world, a, &before) < 0 ||
            wtl_world_pread_u64(world, b, &other) < 0 || wtl_world_pread_u64(world, a, &after) < 0)
            return false;
        if (after < before)
            continue;
        if (before == 0 || other < before || other > after)
            return false;
        found++;
    }
    return true;
}

static bool is_mmio(const char *path)
{
    return strstr(path, "-mmio") != NULL;
}

static bool is_of_place(const struct wattle_channel *channel, const struct wtl_zone *zone)
{
    return channel->domain == zone->domain && channel->index == zone->index &&
           channel->sub == zone->sub && zone->domain != WATTLE_DOMAIN_OTHER;
}

/*
 * The channel that already shows this zone: its number, or -1. Values decide, not names: kernels name zones by dies although
 * the package has one counter (AMD), and number packages that do not exist. Only the second way to one counter, MMIO beside
 * MSRs, is known by its place: its values need not be equal.
 */
static int find_twin(struct wtl_source *source, const struct candidate *candidate)
{
    const struct wtl_zone *zone = &candidate->zone;
    const struct powercap *state = source->impl;
    for (size_t i = 0; state->fds && i < source->count; i++) { /* they grow together */
        const struct wattle_channel *channel = &source->channels[i];
        if (channel->domain != zone->domain)
            continue;
        if (is_of_place(channel, zone) && is_mmio(channel->location) != is_mmio(zone->folder))
            return (int)i;
        if (same_counter(source->world, state->fds[i], candidate->fd))
            return (int)i;
    }
    return -1;
}

static bool is_taken(const struct wtl_source *source, const struct wtl_zone *zone)
{
    size_t i = 0;
    while (i < source->count && !is_of_place(&source->channels[i], zone))
        i++;
    return i < source->count;
}

/* Two zones of one name that count separately are two of their kind: the second gets the next free number. */
static void renumber(struct wtl_source *source, struct wtl_zone *zone)
{
    const int index = zone->index;
    while (is_taken(source, zone))
        zone->index++;
    if (zone->index != index)
        wtl_source_note(source,
                        "%s (%s) has the name of another zone but a counter of its own: it is "
                        "shown as number %d",
                        zone->folder, zone->name, zone->index);
}

/* From the largest limit that the zone's constraints allow; 0 if they do not say. */
static double find_bound(const struct wtl_world *world, const char *folder)
{
    uint64_t largest = 0;
    for (int i = 0; i < 4; i++) {
        char path[128];
        uint64_t value;
        (void)snprintf(path, sizeof path, WTL_ZONES "/%.60s/constraint_%d_max_power_uw", folder, i);
        if (wtl_world_u64(world, path, &value) == 0 && value > largest)
            largest = value;
    }
    return wtl_bound_of_limit_w((double)largest * 1e-6);
}

static int add_zone(struct wtl_source *source, const struct candidate *candidate, int other_index)
{
    const struct wtl_zone *zone = &candidate->zone;
    struct powercap *state = source->impl;
    struct wattle_channel channel = wtl_channel_init(
        zone->domain, zone->domain == WATTLE_DOMAIN_OTHER ? other_index : zone->index,
        WATTLE_ENERGY, WATTLE_COUNTER);
    char path[128];
    uint64_t range = 0;
    channel.sub = zone->sub;
    channel.scale = 1e-6;
    channel.refresh_ns = REFRESH_NS;
    channel.max_w = find_bound(source->world, zone->folder);
    (void)snprintf(path, sizeof path, WTL_ZONES "/%.60s/max_energy_range_uj", zone->folder);
    if (wtl_world_u64(source->world, path, &range) == 0)
        channel.modulus = wtl_rapl_modulus_uj(range);
    (void)snprintf(channel.location, sizeof channel.location, WTL_ZONES "/%.60s/energy_uj",
                   zone->folder);
    (void)snprintf(channel.label, sizeof channel.label, "%s", zone->name);
    if (wtl_grow(&state->fds, state->count, sizeof *state->fds) < 0)
        return -ENOMEM;
    int rc = wtl_source_add(source, &channel);
    if (rc < 0)
        return rc;
    state->fds[state->count++] = candidate->fd;
    return 0;
}

/* Whether the counter changes, or ever has. One that reads 0 twice, several updates apart, does not. */
static int counts(const struct wtl_world *world, const struct candidate *candidate)
{
    uint64_t value = candidate->energy_uj;
    if (value == 0) {
        (void)world->ops->sleep_until(world, wtl_world_monotonic(world) + SETTLE_NS);
        if (wtl_world_pread_u64(world, candidate->fd, &value) < 0)
            return 0;
    }
    return value != 0;
}

static int open_zone(struct wtl_source *source, struct candidate *candidate)
{
    char path[128];
    (void)snprintf(path, sizeof path, WTL_ZONES "/%.60s/energy_uj", candidate->zone.folder);
    candidate->fd = source->world->ops->open(source->world, path, O_RDONLY);
    int rc = candidate->fd;
    if (rc >= 0)
        rc = wtl_world_pread_u64(source->world, candidate->fd, &candidate->energy_uj);
    if (rc < 0 && candidate->fd >= 0) {
        source->world->ops->close(source->world, candidate->fd);
        candidate->fd = -1;
    }
    if (rc == -EACCES || rc == -EPERM) {
        wtl_source_remedy(source, UDEV_RULE, "chmod a+r " WTL_ZONES "/*/energy_uj");
        if (source->forbidden)
            wtl_source_note(source, "%s: also permission denied", path);
        else
            wtl_source_note(source,
                            "%s: permission denied (root only since CVE-2020-8694); as root run: "
                            "chmod a+r " WTL_ZONES
                            "/*/energy_uj  (until the next boot; for a permanent udev rule see "
                            "wattle-sensors(7); this reopens the PLATYPUS side channel to every "
                            "user with access)",
                            path);
        source->forbidden = true;
        return -EACCES;
    }
    if (rc < 0 && rc != -ENOENT)
        wtl_source_note(source, "skipped zone: cannot read %s", path);
    return rc < 0 ? rc : 0;
}

/* 0 = added, or left out for a reason that is noted; else the error. */
static int take_zone(struct wtl_source *source, const char *folder, int *other_index)
{
    struct candidate candidate = {.fd = -1};
    const struct wtl_zone *zone = &candidate.zone;
    struct wattle_error why;
    int rc = wtl_zone_identify(source->world, folder, &candidate.zone, &why);
    if (rc < 0) {
        wtl_source_note(source, "%s", why.text);
        return rc;
    }
    rc = open_zone(source, &candidate);
    if (rc < 0) {
        wtl_source_lack(source, &(struct wtl_lack){zone->domain, zone->index, zone->sub});
        return rc;
    }
    int twin = find_twin(source, &candidate);
    if (twin >= 0)
        wtl_source_note(source, "%s (%s) is the same counter as %s and is not counted twice",
                        folder, zone->name, source->channels[twin].name);
    else if (!counts(source->world, &candidate))
        wtl_source_note(source, "%s (%s) reads 0: not supported by this processor", folder,
                        zone->name);
    else {
        renumber(source, &candidate.zone);
        if ((rc = add_zone(source, &candidate, *other_index)) == 0) {
            *other_index += zone->domain == WATTLE_DOMAIN_OTHER;
            return 0;
        }
    }
    source->world->ops->close(source->world, candidate.fd);
    return rc;
}

/* All zones, those using MSRs before those using MMIO. */
static int take_zones(struct wtl_source *source, char **names, int count)
{
    int other_index = 0, rc = 0;
    for (int i = 0; i < 2 * count && rc == 0; i++) {
        const char *folder = names[i % count];
        if (is_mmio(folder) != i / count || !wtl_zone_is(folder))
            continue;
        int taken = take_zone(source, folder, &other_index);
        rc = taken == -ENOMEM ? -ENOMEM : 0;
    }
    return rc;
}

static int powercap_open(struct wtl_source *source, struct wattle_error *err)
{
    char **names;
    int count = source->world->ops->list(source->world, WTL_ZONES, &names);
    if (count == -ENOMEM)
        return -ENOMEM;
    if (count == 0)
        free(names);
    if (count <= 0) {
        wtl_source_remedy(source, "echo intel_rapl_msr >/etc/modules-load.d/rapl.conf",
                          "modprobe intel_rapl_msr");
        return wtl_fail(
            err, -ENODEV,
            "powercap: no zone in " WTL_ZONES
            "; it requires a physical x86 machine with RAPL; on one, try: modprobe intel_rapl_msr");
    }
    source->impl = calloc(1, sizeof(struct powercap));
    int rc = source->impl ? take_zones(source, names, count) : -ENOMEM;
    free(names);
    return rc;
}

static void powercap_read(struct wtl_source *source,
                          size_t first,
                          size_t n,
                          struct wattle_reading *out)
{
    const struct powercap *state = source->impl;
    for (size_t i = 0; i < n; i++) {
        uint64_t raw = 0;
        int rc = wtl_world_pread_u64(source->world, state->fds[first + i], &raw);
        out[i] = (struct wattle_reading){.raw = rc < 0 ? 0 : raw, .status = rc};
    }
}

static void powercap_close(struct wtl_source *source)
{
    struct powercap *state = source->impl;
    for (size_t i = 0; state && i < state->count; i++)
        source->world->ops->close(source->world, state->fds[i]);
    if (state)
        free(state->fds);
    free(state);
    source->impl = NULL;
}

extern const struct wtl_driver wtl_driver_powercap;
const struct wtl_driver wtl_driver_powercap = {
    .name = "powercap",
    .summary = "RAPL energy counters through /sys/class/powercap",
    .open = powercap_open,
    .read = powercap_read,
    .close = powercap_close,
};
