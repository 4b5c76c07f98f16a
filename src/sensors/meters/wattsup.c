/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * WattsUp? Pro, Pro ES, .Net: a meter between plug and computer, on USB, that sends a record each second: the mean power since the last
 * one in tenths of a watt. It must be named with its address. Its records have no checksum, so what disagrees with itself is
 * left out (meter_line.h).
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/fail.h"
#include "sensors/meters/meter_line.h"
#include "sensors/meters/serial_lines.h"
#include "source/driver.h"

static const uint64_t SECOND_NS = 1000000000;
static const uint64_t PATIENCE_NS = 5000000000; /* for the first record */
static const uint64_t STALE_NS = 3500000000;    /* without a record: three were missed */

/* Send records to the host each second, and do not log them in the meter. */
static const char GREETING[] = "#L,W,3,E,,1;";

struct wattsup {
    struct wtl_serial_lines lines;
    struct wattle_reading last; /* status 0: time_ns is that of the record */
    uint64_t heard_ns;
};

/* The next record: 1, 0 = none by then, or -errno. */
static int next_record(const struct wtl_world *world, struct wattsup *meter, uint64_t deadline_ns)
{
    const char *line;
    uint64_t tenths;
    int rc;
    while ((rc = wtl_serial_next(world, &meter->lines, deadline_ns, &line)) > 0) {
        rc = wtl_wattsup_parse(line, &tenths);
        if (rc < 0)
            return rc;
        if (rc > 0) {
            meter->heard_ns = wtl_world_monotonic(world);
            meter->last = (struct wattle_reading){.raw = tenths, .time_ns = meter->heard_ns};
            return 1;
        }
    }
    return rc;
}

static void wattsup_read(struct wtl_source *source,
                         size_t first,
                         size_t n,
                         struct wattle_reading *out)
{
    struct wattsup *meter = source->impl;
    int rc;
    (void)first; /* there is one channel */
    while ((rc = next_record(source->world, meter, 0)) > 0)
        continue;
    uint64_t now_ns = wtl_world_monotonic(source->world);
    if (rc == 0 && meter->lines.fd < 0)
        rc = meter->lines.error;
    else if (rc == 0 && now_ns > meter->heard_ns + STALE_NS)
        rc = -ETIMEDOUT;
    for (size_t i = 0; i < n; i++)
        out[i] = rc < 0 ? (struct wattle_reading){.status = rc, .time_ns = now_ns} : meter->last;
}

static int wattsup_open(struct wtl_source *source, struct wattle_error *err)
{
    const char *address = wtl_source_param(source, "address");
    struct wattsup *meter = source->impl = calloc(1, sizeof *meter);
    struct wattle_channel channel =
        wtl_channel_init(WATTLE_DOMAIN_NODE, 0, WATTLE_POWER, WATTLE_WINDOW_AVERAGE);
    if (!meter)
        return -ENOMEM;
    int rc = wtl_serial_init(&meter->lines, address, "115200:8N1", GREETING, ';');
    if (rc < 0)
        return wtl_fail(err, -ENODEV,
                        "wattsup: no address; give that of the meter, such as --sensor "
                        "wattsup:address=/dev/ttyUSB0");
    rc = wtl_serial_connect(source->world, &meter->lines);
    if (rc < 0)
        return wtl_fail(err, rc == -ENOENT ? -ENODEV : rc, "wattsup: %s: %s", address,
                        wtl_strerror(rc));
    uint64_t until_ns = wtl_world_monotonic(source->world) + PATIENCE_NS;
    while ((rc = next_record(source->world, meter, until_ns)) == -EBADMSG)
        continue; /* the rest of a record that was being sent */
    if (rc <= 0)
        return wtl_fail(err, -ENODEV,
                        "wattsup: %s: no record of a WattsUp within 5 s (%llu bytes came); check "
                        "the address",
                        address, (unsigned long long)meter->lines.bytes);
    channel.scale = 0.1;
    channel.window_ns = channel.refresh_ns = SECOND_NS;
    channel.max_w = 4000; /* of its fuse */
    (void)snprintf(channel.location, sizeof channel.location, "%s", meter->lines.address);
    rc = wtl_source_add(source, &channel);
    return rc < 0 ? rc : 0;
}

static void wattsup_close(struct wtl_source *source)
{
    struct wattsup *meter = source->impl;
    if (meter && meter->lines.end) /* initialised */
        wtl_serial_close(source->world, &meter->lines);
    free(meter);
}

static const struct wtl_param params[] = {
    {"address", "", "device of the meter, such as /dev/ttyUSB0"},
    {NULL, NULL, NULL},
};

extern const struct wtl_driver wtl_driver_wattsup;
const struct wtl_driver wtl_driver_wattsup = {
    .name = "wattsup",
    .summary = "WattsUp? Pro on a serial line (--sensor wattsup:address=/dev/ttyUSB0)",
    .flags = WTL_DRIVER_SLOW | WTL_DRIVER_MANUAL | WTL_DRIVER_TIMED,
    .params = params,
    .open = wattsup_open,
    .read = wattsup_read,
    .close = wattsup_close,
};
