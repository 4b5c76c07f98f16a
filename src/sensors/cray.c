/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Driver "cray": the power management counters of Cray XC and HPE Cray EX nodes, /sys/cray/pm_counters (files
 * and meanings: HPE's CSM documentation, "User Access to Compute Node Power Data"; Martin et al., Cray User
 * Group 2014 and 2018).
 *
 * The node's controller scans its meters raw_scan_hz times a second (10) and shows the last scan as "VALUE J
 * STAMP us", on old systems without the stamp. `energy` covers the whole node, including accelerators.
 * `freshness` counts scans; `startup` changes when the controller restarts, which resets its energies;
 * `generation` counts changes of the power cap and is unrelated to energies.
 *
 * The stamp is from the controller's clock, whose offset from this node's clock is unknown: it shows that a
 * scan is new, not when it happened by our clock. A value whose scan is not renewed is rejected.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/parse.h"
#include "base/world/topology.h"
#include "model/course/course.h"
#include "source/driver.h"

#define ROOT       "/sys/cray/pm_counters"
#define MOST       32                   /* an EX254n with four accelerators has 34 files in total */
#define SCAN_HZ    10                   /* if raw_scan_hz is missing */
#define STOPPED_NS UINT64_C(2000000000) /* the controller stopped scanning: 20 scans missed */

enum { LOOKS = 3, NONE = -1 };

/* State of one channel. Members after `unit` are only changed by reads of this channel. */
struct meter {
    int fd;
    char unit;        /* 'J' or 'W' */
    uint64_t scan;    /* stamp of the last scan seen; without stamps its freshness; 0 = unknown */
    uint64_t seen_ns; /* when that was first seen */
    uint64_t startup; /* of the controller */
    uint64_t run_bit; /* changes with each start of the controller */
};

struct pm_counters {
    int freshness, startup; /* negative = no such file */
    struct meter meters[MOST];
    size_t sockets;
    int boards; /* channels without a domain */
};

/* Parse "VALUE UNIT STAMP us": unit and stamp may be missing. Returns 0, -EBADMSG, or the reason why it
 * cannot be read. */
static int read_line(const struct wtl_source *source,
                     const struct meter *meter,
                     uint64_t *ret_value,
                     uint64_t *ret_stamp)
{
    char text[64];
    ssize_t n = source->world->ops->pread(source->world, meter->fd, text, sizeof text - 1, 0);
    if (n < 0)
        return (int)n;
    text[n] = '\0';
    text[strcspn(text, "\n")] = '\0';
    const char *p = text;
    *ret_stamp = 0;
    int used = wtl_scan_u64(p, strlen(p), ret_value);
    if (used < 0)
        return -EBADMSG;
    p += used;
    p += strspn(p, " ");
    if (*p && *p++ != meter->unit)
        return -EBADMSG;
    size_t blanks = strspn(p, " ");
    p += blanks;
    if (*p == '\0')
        return 0;
    used = blanks ? wtl_scan_u64(p, strlen(p), ret_stamp) : -EBADMSG;
    return used < 0 || strcmp(p + used, " us") != 0 ? -EBADMSG : 0;
}

static uint64_t read_count(const struct wtl_source *source, int fd)
{
    uint64_t count = 0;
    return fd >= 0 && wtl_world_pread_u64(source->world, fd, &count) == 0 ? count : 0;
}

/* Whether the controller has stopped scanning. */
static bool is_stopped(const struct wtl_source *source, struct meter *meter, uint64_t scan)
{
    uint64_t now_ns = wtl_world_monotonic(source->world);
    if (scan == 0)
        return false;
    if (scan != meter->scan) {
        meter->scan = scan;
        meter->seen_ns = now_ns;
    }
    return now_ns - meter->seen_ns > STOPPED_NS;
}

static struct wattle_reading read_meter(const struct wtl_source *source,
                                        struct meter *meter,
                                        uint64_t freshness,
                                        uint64_t startup)
{
    struct wattle_reading reading = {0};
    uint64_t value, stamp;
    reading.status = read_line(source, meter, &value, &stamp);
    if (reading.status == 0 && is_stopped(source, meter, stamp ? stamp : freshness))
        reading.status = -ETIMEDOUT;
    if (reading.status == 0 && meter->unit == 'W' && value == 0)
        reading.status = -ENODATA; /* a running machine draws power */
    if (reading.status < 0)
        return reading;
    if (startup != 0 && startup != meter->startup) {
        /* The counter may already have passed its old value: only an impossible step is always recognised
         * as the reset that this is. */
        meter->run_bit ^= meter->startup && meter->unit == 'J' ? WTL_ANOTHER_RUN : 0;
        meter->startup = startup;
    }
    reading.raw = value | meter->run_bit;
    return reading;
}

/* Read all values from one scan: if a new scan arrives while reading, read them again. */
static void cray_read(struct wtl_source *source, size_t first, size_t n, struct wattle_reading *out)
{
    struct pm_counters *all = source->impl;
    uint64_t startup = read_count(source, all->startup);
    uint64_t freshness = read_count(source, all->freshness), before;
    int looks = 0;
    do {
        before = freshness;
        for (size_t i = 0; i < n; i++)
            out[i] = read_meter(source, &all->meters[first + i], freshness, startup);
        freshness = n > 1 ? read_count(source, all->freshness) : before;
    } while (freshness != before && ++looks < LOOKS);
}

/* Split "cpu0_energy" into prefix "cpu", number 0 and the quantity; false if it is not a meter. */
static bool parse_name(const char *name, char prefix[16], int *ret_number, char *ret_unit)
{
    size_t n = strcspn(name, "_"), letters = strcspn(name, "0123456789_");
    const char *what = name[n] ? name + n + 1 : name;
    uint64_t number = 0;
    if (strcmp(what, "energy") != 0 && strcmp(what, "power") != 0)
        return false;
    if (what == name)
        letters = n = 0;
    if (letters > 15 ||
        (n > letters && wtl_scan_u64(name + letters, n - letters, &number) != (int)(n - letters)))
        return false;
    (void)snprintf(prefix, 16, "%.*s", (int)letters, name);
    *ret_number = n > letters && number < 1000 ? (int)number : NONE;
    *ret_unit = what[0] == 'e' ? 'J' : 'W';
    return true;
}

static bool is_listed(char *const *names, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(names[i], name) == 0)
            return true;
    }
    return false;
}

/* The domain of a meter. A meter for all of several sockets, or for all cards, has no domain of its own:
 * it counts as a board, and only as part of the node. */
static enum wattle_domain place(const struct pm_counters *all,
                                const char *prefix,
                                int number,
                                bool has_parts)
{
    bool single = number != NONE || (!has_parts && all->sockets == 1);
    if (prefix[0] == '\0')
        return WATTLE_DOMAIN_NODE;
    if (strcmp(prefix, "accel") == 0 && (number != NONE || !has_parts))
        return WATTLE_DOMAIN_GPU;
    if (strcmp(prefix, "cpu") == 0 && single)
        return WATTLE_DOMAIN_PACKAGE;
    if (strcmp(prefix, "memory") == 0 && single)
        return WATTLE_DOMAIN_DRAM;
    return WATTLE_DOMAIN_BOARD;
}

/* Add one file as a channel: 1, 0 when it has no useful value, or -ENOMEM. */
static int add_meter(struct wtl_source *source,
                     const char *file,
                     struct wattle_channel channel,
                     char unit)
{
    struct pm_counters *all = source->impl;
    if (source->count == MOST) {
        wtl_source_note(source, "skipped %.40s: more than %d meters", file, MOST);
        return 0;
    }
    struct meter *meter = &all->meters[source->count];
    uint64_t value = 0, stamp = 0;
    *meter = (struct meter){.fd = wtl_source_open_file(source, ROOT "/%s", file), .unit = unit};
    if (meter->fd < 0)
        return 0;
    int rc = read_line(source, meter, &value, &stamp);
    bool absent = value == 0 && channel.domain == WATTLE_DOMAIN_GPU; /* no card installed there */
    if (rc < 0 || absent) {
        if (!absent)
            wtl_source_note(source, ROOT "/%.40s: skipped, %s", file,
                            rc == -EBADMSG ? "no energy or power in it" : wtl_strerror(rc));
        return 0;
    }
    meter->startup = read_count(source, all->startup);
    (void)is_stopped(source, meter, stamp ? stamp : read_count(source, all->freshness));
    (void)snprintf(channel.location, sizeof channel.location, ROOT "/%.80s", file);
    rc = wtl_source_add(source, &channel);
    return rc < 0 ? rc : 1;
}

/* Add the counter of a meter, or its power if no counter can be read. */
static int add_counter(struct wtl_source *source,
                       const char *name,
                       char *const *names,
                       size_t count)
{
    struct pm_counters *all = source->impl;
    char prefix[16], part[40], unit, energy[64];
    int number, rc;
    if (!parse_name(name, prefix, &number, &unit))
        return 0;
    size_t n = strlen(name) - (unit == 'J' ? strlen("energy") : strlen("power"));
    (void)snprintf(energy, sizeof energy, "%.*senergy", (int)n, name);
    if (unit == 'W' && is_listed(names, count, energy))
        return 0; /* added with its counter */
    (void)snprintf(part, sizeof part, "%s0_%s", prefix, unit == 'J' ? "energy" : "power");
    enum wattle_domain domain = place(all, prefix, number, is_listed(names, count, part));
    int index = number == NONE ? 0 : number;
    if (domain == WATTLE_DOMAIN_BOARD)
        index = all->boards++;
    struct wattle_channel channel = wtl_channel_init(domain, index, WATTLE_ENERGY, WATTLE_COUNTER);
    uint64_t scan_hz = 0;
    (void)wtl_world_u64(source->world, ROOT "/raw_scan_hz", &scan_hz);
    channel.refresh_ns = 1000000000u / (scan_hz && scan_hz <= 1000 ? scan_hz : SCAN_HZ);
    (void)snprintf(channel.label, sizeof channel.label, "%.*s", n ? (int)n - 1 : 4,
                   n ? name : "node");
    rc = unit == 'J' ? add_meter(source, name, channel, 'J') : 0;
    if (rc != 0)
        return rc;
    (void)snprintf(energy, sizeof energy, "%.*spower", (int)n, name);
    channel.quantity = WATTLE_POWER;
    channel.kind = WATTLE_GAUGE;
    return is_listed(names, count, energy) ? add_meter(source, energy, channel, 'W') : 0;
}

static size_t count_sockets(const struct wtl_world *world)
{
    struct wtl_topology topology;
    size_t sockets = 0;
    if (wtl_topology_load(world, &topology) < 0)
        return 1;
    for (size_t i = 0; i < topology.count; i++)
        sockets += topology.cpus[i].first_of_package;
    wtl_topology_fini(&topology);
    return sockets;
}

static int cray_open(struct wtl_source *source, struct wattle_error *err)
{
    char **names;
    struct pm_counters *all = source->impl = calloc(1, sizeof *all);
    int rc = 0, count = source->world->ops->list(source->world, ROOT, &names);
    if (!all || count == -ENOMEM) {
        if (count >= 0)
            free(names);
        return -ENOMEM;
    }
    if (count == -EACCES || count == -EPERM)
        return wtl_fail(err, -EACCES,
                        "cray: " ROOT ": permission denied; as root run: chmod a+rx " ROOT);
    if (count < 0)
        return wtl_fail(err, -ENODEV,
                        "cray: no " ROOT "; only nodes of Cray XC and HPE Cray EX have it");
    all->sockets = count_sockets(source->world);
    all->freshness = wtl_source_open_file(source, ROOT "/freshness");
    all->startup = wtl_source_open_file(source, ROOT "/startup");
    for (int parts = 0; parts < 2; parts++) { /* the node first */
        for (int i = 0; i < count && rc >= 0; i++) {
            if ((strchr(names[i], '_') != NULL) == (parts == 1))
                rc = add_counter(source, names[i], names, (size_t)count);
        }
    }
    free(names);
    if (rc >= 0 && source->count == 0 && source->note_count == 0)
        return wtl_fail(err, -ENODEV, "cray: no energy or power in " ROOT);
    return rc < 0 ? rc : 0;
}

extern const struct wtl_driver wtl_driver_cray;
const struct wtl_driver wtl_driver_cray = {
    .name = "cray",
    .summary = "meters of Cray nodes (" ROOT ")",
    .open = cray_open,
    .read = cray_read,
};
