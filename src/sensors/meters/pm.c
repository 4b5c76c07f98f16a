/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A meter that a pmlib server reads: wattle-pm(8) of another node, or a server of pmlib with the meters of a laboratory.
 *
 * The server sends the newest sample of each line again and again (READ of docs/format/pmlib.md), without times and without
 * saying whether it is new. A reading is the mean of the records since the last one. The time of a record is that of its arrival, so a value is older than it seems by what the
 * network takes and, for servers of pmlib, by up to one period of the meter. Some servers wait for an acknowledgement
 * before each record; the others ignore it.
 *
 * wattle-pm describes its lines, which are channels here under their domains. What the lines of others feed is not known:
 * they are "other", which is part of no total, unless the setting `domain` says what their sum is.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/grow.h"
#include "base/parse.h"
#include "base/world/world.h"
#include "pmlib/wire.h"
#include "sensors/meters/pm_line.h"
#include "source/driver.h"

/* ---- questions to a server ---- */

/* What a pmlib server has, asked through the world. All calls return 0 or -errno, and never wait beyond the deadline. */

enum { REPLY_MAX = 1 << 20, REPLY_MIN = 4096 };

static int send_request(const struct wtl_world *world,
                        const char *address,
                        uint64_t deadline_ns,
                        const struct wtl_pm_request *request)
{
    uint8_t bytes[WTL_PM_REQUEST_MAX];
    size_t n = wtl_pm_request_write(request, bytes);
    int fd = wtl_world_connect(world, address, deadline_ns);
    if (fd < 0)
        return fd;
    int rc = world->ops->send(world, fd, bytes, n, deadline_ns);
    if (rc == 0)
        return fd;
    world->ops->close(world, fd);
    return rc;
}

/* A request and its whole reply, up to the end of the connection: malloc'ed bytes, their number in *ret_n. What has come before
 * the deadline counts if the server does not close. */
static int ask(const struct wtl_world *world,
               const char *address,
               uint64_t deadline_ns,
               const struct wtl_pm_request *request,
               uint8_t **ret_bytes,
               size_t *ret_n)
{
    size_t room = REPLY_MIN, used = 0;
    uint8_t *bytes = malloc(room);
    int fd = bytes ? send_request(world, address, deadline_ns, request) : -ENOMEM;
    ssize_t got = fd < 0 ? fd : 1;
    while (got > 0 && used < REPLY_MAX) {
        if (used == room && wtl_reserve(&bytes, &room, used + REPLY_MIN, 1) < 0) {
            got = -ENOMEM;
            break;
        }
        got = world->ops->recv(world, fd, bytes + used, room - used, deadline_ns);
        used += got > 0 ? (size_t)got : 0;
    }
    if (fd >= 0)
        world->ops->close(world, fd);
    if (got < 0 && (used == 0 || got == -ENOMEM)) {
        free(bytes);
        return (int)got;
    }
    *ret_bytes = bytes;
    *ret_n = used;
    return 0;
}

static struct wtl_pm_request request_of(enum wtl_pm_mark mark, const char *device)
{
    struct wtl_pm_request request = {.mark = (int32_t)mark};
    (void)snprintf(request.name, sizeof request.name, "%s", device);
    return request;
}

/* All bytes are there: more will not come. */
static int complete(int rc)
{
    return rc == -EAGAIN ? -EBADMSG : rc;
}

/* The devices: their number, at most `most`, of which names[0 .. most-1] are filled in. *ret_dialect becomes WTL_PM_CPP if the
 * server's list shows it; else it is unchanged. */
static int pm_ask_list(const struct wtl_world *world,
                       const char *address,
                       uint64_t deadline_ns,
                       char (*names)[WTL_PM_TEXT],
                       size_t most,
                       enum wtl_pm_dialect *ret_dialect)
{
    const struct wtl_pm_request request = request_of(WTL_PM_LIST, "");
    struct wtl_pm_reader from = {.used = 0};
    uint8_t *bytes;
    size_t count = 0;
    int rc = ask(world, address, deadline_ns, &request, &bytes, &from.size);
    if (rc < 0)
        return rc;
    from.at = bytes;
    do
        rc = wtl_pm_list_next(&from, names[count], ret_dialect);
    while (rc > 0 && ++count < most);
    free(bytes);
    return rc < 0 ? rc : (int)count;
}

/* -ENODEV: unknown device. */
static int pm_ask_info(const struct wtl_world *world,
                       const char *address,
                       uint64_t deadline_ns,
                       const char *device,
                       struct wtl_pm_device *ret_device)
{
    const struct wtl_pm_request request = request_of(WTL_PM_INFO, device);
    struct wtl_pm_reader from = {.used = 0};
    uint8_t *bytes;
    int rc = ask(world, address, deadline_ns, &request, &bytes, &from.size);
    if (rc < 0)
        return rc;
    from.at = bytes;
    rc = complete(wtl_pm_info_read(&from, ret_device));
    free(bytes);
    return rc;
}

/* Names and descriptions of the lines. Some servers do not answer while something is measured. */
static int wtl_pm_ask_lines(const struct wtl_world *world,
                            const char *address,
                            uint64_t deadline_ns,
                            const char *device,
                            void (*take)(void *context, const struct wtl_pm_line *line),
                            void *context)
{
    const struct wtl_pm_request request = request_of(WTL_PM_STATUS, "");
    struct wtl_pm_reader from = {.used = 0};
    uint8_t *bytes;
    int rc = ask(world, address, deadline_ns, &request, &bytes, &from.size);
    if (rc < 0)
        return rc;
    from.at = bytes;
    rc = complete(wtl_pm_status_read(&from, device, take, context));
    free(bytes);
    return rc;
}

/* Begin a stream of samples: the connection, or -errno; -ENODEV, -ERANGE (frequency too high). */
static int pm_ask_stream(const struct wtl_world *world,
                         const char *address,
                         uint64_t deadline_ns,
                         const char *device,
                         int frequency)
{
    struct wtl_pm_request request = request_of(WTL_PM_READ, device);
    uint8_t status[4];
    size_t used = 0;
    int32_t code = 0;
    request.frequency = frequency;
    int fd = send_request(world, address, deadline_ns, &request);
    if (fd < 0)
        return fd;
    ssize_t got = 1;
    while (got > 0 && used < sizeof status) {
        got = world->ops->recv(world, fd, status + used, sizeof status - used, deadline_ns);
        used += got > 0 ? (size_t)got : 0;
    }
    memcpy(&code, status, used == sizeof status ? sizeof code : 0);
    if (used == sizeof status && code == 0)
        return fd;
    world->ops->close(world, fd);
    return got < 0                   ? (int)got
           : used < sizeof status    ? -ECONNRESET
           : code == WTL_PM_TOO_FAST ? -ERANGE
                                     : -ENODEV;
}

/* ---- the meter ---- */

enum { IN = 8192, DEVICES = 64, DEFAULT_RATE = 100, PIECES = 256 };

static const double TICK_W = 1e-6;
static const double LARGEST_W = 1e9;
static const uint64_t SECOND_NS = 1000000000;
static const uint64_t OPEN_NS = 4000000000;  /* for all questions while opening */
static const uint64_t LINES_NS = 700000000;  /* for the one that some servers do not answer */
static const uint64_t AGAIN_NS = 1000000000; /* between attempts to connect */
static const uint64_t END_NS = 500000000;    /* for a server to end a stream, beyond a period */

struct pm {
    char address[300], device[WTL_PM_TEXT];
    enum wtl_pm_dialect dialect;
    int frequency, fd; /* fd -1 = none */
    uint64_t period_ns;
    int32_t line_count;
    uint8_t lines[WTL_PM_MASK]; /* selected */
    bool sums;                  /* one channel, the sum of the lines */
    int32_t *line_of;           /* of each channel; owned */
    /* the stream */
    uint8_t in[IN];
    size_t in_used;
    double sums_w[WTL_PM_LINES]; /* of the records since the last reading ... */
    unsigned records;            /* ... and how many they are */
    double watts[WTL_PM_LINES];  /* the newest reading: their mean, ... */
    uint64_t number;             /* ... its number, 0 = none yet, ... */
    uint64_t time_ns;            /* ... and when the newest record came */
    uint64_t looked_ns, again_ns;
    uint64_t *shown; /* number of the reading that each channel has shown; owned */
};

/* ---- the stream ---- */

/* The server of pmlib in Python ends itself, and all its meters, when it sends to a client that is gone: 0 ends a stream. */
static void end_stream(struct wtl_source *source, const struct pm *pm)
{
    const int32_t stop = 0;
    (void)source->world->ops->send(source->world, pm->fd, &stop, sizeof stop, 0);
}

/* It reads that only after the next record. Servers in C++ never do. */
static void await_end(struct wtl_source *source, struct pm *pm)
{
    uint64_t until_ns = wtl_world_monotonic(source->world) + pm->period_ns + END_NS;
    ssize_t got = pm->dialect == WTL_PM_CPP ? 0 : 1;
    for (int i = 0; i < PIECES && got > 0; i++)
        got = source->world->ops->recv(source->world, pm->fd, pm->in, sizeof pm->in, until_ns);
}

static void hang_up(struct wtl_source *source, struct pm *pm, uint64_t now_ns)
{
    memset(pm->sums_w, 0, sizeof pm->sums_w);
    pm->records = 0;
    if (pm->fd >= 0) {
        end_stream(source, pm);
        source->world->ops->close(source->world, pm->fd);
    }
    pm->fd = -1;
    pm->in_used = 0;
    pm->again_ns = now_ns + AGAIN_NS;
}

static int connect_stream(struct wtl_source *source, struct pm *pm, uint64_t until_ns)
{
    pm->fd = pm_ask_stream(source->world, pm->address, until_ns, pm->device, pm->frequency);
    pm->in_used = 0;
    return pm->fd < 0 ? pm->fd : 0;
}

/* Ask for the next record; servers that do not wait for it ignore it. */
static void acknowledge(struct wtl_source *source, const struct pm *pm)
{
    const int32_t go_on = 1;
    (void)source->world->ops->send(source->world, pm->fd, &go_on, sizeof go_on, 0);
}

/* Add up the complete records that have come: their number; -EBADMSG. */
static int take_records(struct wtl_source *source, struct pm *pm)
{
    struct wtl_pm_reader from = {.at = pm->in, .size = pm->in_used};
    size_t size = 4 + (size_t)pm->line_count * wtl_pm_sample_size(pm->dialect);
    int count = 0;
    while (from.size - from.used >= size) {
        int32_t lines = 0;
        (void)wtl_pm_take_i32(&from, &lines); /* it is there */
        if (lines != pm->line_count)
            return -EBADMSG;
        for (int32_t i = 0; i < lines; i++) {
            double watts = (double)NAN;
            (void)wtl_pm_take_sample(&from, pm->dialect, &watts);
            pm->sums_w[i] += watts;
        }
        pm->records++;
        acknowledge(source, pm);
        count++;
    }
    pm->in_used -= from.used;
    memmove(pm->in, pm->in + from.used, pm->in_used);
    return count;
}

/* Receive once: the number of records, or -errno; -ETIMEDOUT. */
static int receive(struct wtl_source *source, struct pm *pm, uint64_t until_ns)
{
    ssize_t got = source->world->ops->recv(source->world, pm->fd, pm->in + pm->in_used,
                                           sizeof pm->in - pm->in_used, until_ns);
    if (got <= 0)
        return got == 0 ? -ECONNRESET : (int)got;
    pm->in_used += (size_t)got;
    return take_records(source, pm);
}

/* The records that have come since the last look, without waiting. A server that sends without end does not hold up the
 * other sensors. */
static int drain(struct wtl_source *source, struct pm *pm)
{
    int count = 0, rc = 0;
    for (int i = 0; i < PIECES && (rc = receive(source, pm, 0)) >= 0; i++)
        count += rc;
    if (rc >= 0)
        return count;
    return rc == -ETIMEDOUT ? count : rc;
}

/* The mean of the records since the last reading becomes the reading. */
static void take_mean(struct pm *pm)
{
    for (int32_t i = 0; i < pm->line_count; i++) {
        pm->watts[i] = pm->sums_w[i] / pm->records;
        pm->sums_w[i] = 0;
    }
    pm->records = 0;
    pm->number++;
}

/* Get the next reading, all records since the last one: 0 or -errno. The newest of them is waited for if the last look was
 * long ago: a server that waits for acknowledgements has measured the others then. */
static int next_reading(struct wtl_source *source, struct pm *pm)
{
    uint64_t now_ns = wtl_world_monotonic(source->world);
    uint64_t until_ns = now_ns + SECOND_NS + 3 * pm->period_ns;
    uint64_t looked_ns = pm->looked_ns, before_ns = pm->time_ns;
    if (pm->fd < 0 && now_ns < pm->again_ns)
        return -ETIMEDOUT;
    int rc = pm->fd < 0 ? connect_stream(source, pm, until_ns) : drain(source, pm);
    pm->looked_ns = now_ns;
    pm->time_ns = now_ns;
    if (rc > 0 && now_ns - looked_ns <= 2 * pm->period_ns) {
        uint64_t expected_ns = before_ns + (uint64_t)rc * pm->period_ns;
        if (expected_ns < now_ns && expected_ns > looked_ns)
            pm->time_ns = expected_ns;
    } else {
        rc = rc > 0 ? 0 : rc;
        while (rc == 0)
            rc = receive(source, pm, until_ns);
        pm->time_ns = pm->looked_ns = wtl_world_monotonic(source->world);
    }
    if (rc < 0) {
        hang_up(source, pm, pm->time_ns);
        return rc == -ETIMEDOUT || rc == -EBADMSG || rc == -ENODEV ? rc : -EIO;
    }
    take_mean(pm);
    return 0;
}

/* ---- reading ---- */

static double watts_of(const struct pm *pm, size_t channel)
{
    double sum = 0;
    if (!pm->sums)
        return pm->watts[pm->line_of[channel]];
    for (int32_t i = 0; i < pm->line_count; i++)
        sum += wtl_pm_mask_has(pm->lines, i) ? pm->watts[i] : 0;
    return sum;
}

/* A meter that says NaN knows nothing now; a sum of 0 W would be a running machine without power. */
static struct wattle_reading reading_of(const struct pm *pm, size_t channel)
{
    double watts = watts_of(pm, channel);
    struct wattle_reading reading = {.time_ns = pm->time_ns};
    if (!isfinite(watts) || (pm->sums && watts == 0))
        reading.status = -ENODATA;
    else if (fabs(watts) > LARGEST_W)
        reading.status = -EOVERFLOW;
    else
        reading.raw = (uint64_t)llround(watts / TICK_W);
    return reading;
}

static void pm_read(struct wtl_source *source, size_t first, size_t n, struct wattle_reading *out)
{
    struct pm *pm = source->impl;
    int rc = pm->number == 0 || pm->shown[first] == pm->number ? next_reading(source, pm) : 0;
    for (size_t i = 0; i < n; i++) {
        out[i] = rc == 0 ? reading_of(pm, first + i)
                         : (struct wattle_reading){.time_ns = pm->time_ns, .status = rc};
        pm->shown[first + i] = pm->number;
    }
}

/* ---- opening ---- */

/* "HOST[:PORT][/DEVICE]" */
static int parse_server(struct pm *pm, const char *text, struct wattle_error *err)
{
    size_t n = strcspn(text, "/");
    bool has_port = memchr(text, ':', n) != NULL;
    if (n == 0 || n > 255 || strlen(text + n) > WTL_PM_TEXT)
        return wtl_fail(err, -EINVAL,
                        "pm: \"%.80s\" is not the address of a server; write --sensor "
                        "pm:HOST[:PORT][/DEVICE]",
                        text);
    if (has_port)
        (void)snprintf(pm->address, sizeof pm->address, "tcp:%.*s", (int)n, text);
    else
        (void)snprintf(pm->address, sizeof pm->address, "tcp:%.*s:%d", (int)n, text, WTL_PM_PORT);
    (void)snprintf(pm->device, sizeof pm->device, "%s", text[n] ? text + n + 1 : "");
    return 0;
}

static int no_answer(const struct pm *pm, int rc, struct wattle_error *err)
{
    if (rc == -EBADMSG)
        return wtl_fail(err, rc, "pm: %s is not a server of pmlib; check host and port",
                        pm->address + 4);
    return wtl_fail(err, rc, "pm: cannot ask %s: %s; check that a server of pmlib runs there",
                    pm->address + 4, wtl_strerror(rc));
}

/* The device, if it was not named: wattle-pm's "total", or the only one. */
static int choose_device(struct wtl_source *source,
                         struct pm *pm,
                         uint64_t until_ns,
                         struct wattle_error *err)
{
    static const char most_useful[] = "total";
    char known[160] = "";
    char(*names)[WTL_PM_TEXT] = calloc(DEVICES, sizeof *names);
    int count =
        names ? pm_ask_list(source->world, pm->address, until_ns, names, DEVICES, &pm->dialect)
              : -ENOMEM;
    int chosen = count == 1 && !pm->device[0] ? 0 : -1;
    for (int i = 0; i < count; i++) {
        size_t used = strlen(known);
        (void)snprintf(known + used, sizeof known - used, "%s%s", used ? ", " : "", names[i]);
        if (strcmp(names[i], pm->device[0] ? pm->device : most_useful) == 0)
            chosen = i;
    }
    if (chosen >= 0)
        memcpy(pm->device, names[chosen], sizeof pm->device);
    free(names);
    if (count < 0)
        return count == -ENOMEM ? count : no_answer(pm, count, err);
    return chosen >= 0 ? 0
                       : wtl_fail(err, -ENODEV,
                                  "pm: choose a device of %s with --sensor pm:HOST/DEVICE; it has: "
                                  "%s",
                                  pm->address + 4, known[0] ? known : "none");
}

/* Look at the first records to see how many bytes a sample has. 0 or -errno. */
static int find_width(struct wtl_source *source, struct pm *pm, uint64_t until_ns)
{
    int found = -EAGAIN, asked = 0;
    while (found == -EAGAIN) {
        if (pm->in_used == sizeof pm->in)
            return -EBADMSG;
        ssize_t got =
            source->world->ops->recv(source->world, pm->fd, pm->in + pm->in_used, 4, until_ns);
        if (got <= 0)
            return got == 0 ? -ECONNRESET : (int)got;
        pm->in_used += (size_t)got;
        if (wtl_pm_stream_dialect(pm->in, pm->in_used, &found) > 0 && !asked++)
            acknowledge(source, pm);
    }
    if (found < 0)
        return found;
    if (pm->dialect != WTL_PM_CPP)
        pm->dialect = (enum wtl_pm_dialect)found;
    return 0;
}

static int take_settings(struct wtl_source *source, struct pm *pm, struct wattle_error *err)
{
    const char *server = wtl_source_param(source, "server");
    const char *rate = wtl_source_param(source, "rate");
    uint64_t hz = 0;
    if (!server[0])
        return wtl_fail(err, -ENODEV,
                        "pm: no server was named; write --sensor pm:HOST[:PORT][/DEVICE]");
    if (rate[0] && (wtl_parse_u64(rate, &hz) < 0 || hz < 1 || hz > 100000))
        return wtl_fail(err, -EINVAL, "pm: rate \"%s\" is not a number of samples per second",
                        rate);
    pm->frequency = (int)hz;
    return parse_server(pm, server, err);
}

static int take_dialect(struct wtl_source *source,
                        struct pm *pm,
                        bool *ret_auto,
                        struct wattle_error *err)
{
    const char *dialect = wtl_source_param(source, "dialect");
    *ret_auto = strcmp(dialect, "auto") == 0;
    if (*ret_auto || wtl_pm_dialect_parse(dialect, &pm->dialect) == 0)
        return 0;
    return wtl_fail(err, -EINVAL, "pm: dialect \"%s\": use auto, g2, g1 or cpp", dialect);
}

/* The lines to use: "0-3+8"; "" = all. */
static int take_lines(struct wtl_source *source, struct pm *pm, struct wattle_error *err)
{
    char text[256];
    const char *lines = wtl_source_param(source, "lines");
    (void)snprintf(text, sizeof text, "%s", lines);
    for (char *plus = text; (plus = strchr(plus, '+')) != NULL;)
        *plus = ',';
    if (!lines[0])
        memset(pm->lines, 0xff, sizeof pm->lines);
    else if (wtl_parse_cpulist(text, pm->lines, (size_t)pm->line_count) <= 0)
        return wtl_fail(err, -EINVAL, "pm: lines \"%s\": use numbers from 0 to %d, as in 0-3+5",
                        lines, (int)pm->line_count - 1);
    return 0;
}

static int start_stream(struct wtl_source *source,
                        struct pm *pm,
                        uint64_t until_ns,
                        bool finds_width,
                        struct wattle_error *err)
{
    struct wtl_pm_device device;
    int rc = pm_ask_info(source->world, pm->address, until_ns, pm->device, &device);
    if (rc < 0)
        return no_answer(pm, rc, err);
    int most = device.max_frequency < DEFAULT_RATE ? device.max_frequency : DEFAULT_RATE;
    pm->line_count = device.line_count;
    pm->frequency = pm->frequency ? pm->frequency : most;
    if (pm->frequency > device.max_frequency)
        return wtl_fail(err, -EINVAL, "pm: %s measures %d times a second at most; use rate=%d",
                        pm->device, (int)device.max_frequency, (int)device.max_frequency);
    pm->period_ns = SECOND_NS / (uint64_t)pm->frequency;
    if (pm->line_count == 0)
        return wtl_fail(err, -ENODEV, "pm: the device %s has no lines", pm->device);
    rc = connect_stream(source, pm, until_ns);
    if (rc == 0 && finds_width)
        rc = find_width(source, pm, until_ns);
    return rc < 0 ? no_answer(pm, rc, err) : take_lines(source, pm, err);
}

static int add_channels(struct wtl_source *source,
                        struct pm *pm,
                        uint64_t until_ns,
                        struct wattle_error *err)
{
    struct wtl_pm_lines known = {.count = 0};
    const char *domain = wtl_source_param(source, "domain");
    const struct wtl_pm_place place = {.address = pm->address + 4,
                                       .device = pm->device,
                                       .period_ns = pm->period_ns,
                                       .scale = TICK_W};
    int rc = 0;
    (void)wtl_pm_ask_lines(source->world, pm->address, until_ns, pm->device, wtl_pm_lines_take,
                           &known); /* without names, lines have numbers */
    pm->sums = domain[0] != '\0';
    pm->line_of = calloc((size_t)pm->line_count, sizeof *pm->line_of);
    pm->shown = calloc((size_t)pm->line_count, sizeof *pm->shown);
    if (!pm->line_of || !pm->shown)
        return -ENOMEM;
    if (pm->sums)
        return wtl_pm_add_sum(source, &place, domain, pm->lines, pm->line_count, err);
    for (int32_t i = 0; i < pm->line_count && rc >= 0; i++) {
        if (!wtl_pm_mask_has(pm->lines, i))
            continue;
        pm->line_of[source->count] = i;
        rc = wtl_pm_add_line(source, &place, &known, i);
    }
    return rc < 0 ? rc : 0;
}

static int pm_open(struct wtl_source *source, struct wattle_error *err)
{
    uint64_t now_ns = wtl_world_monotonic(source->world), until_ns = now_ns + OPEN_NS;
    struct pm *pm = calloc(1, sizeof *pm);
    bool finds = false;
    source->impl = pm;
    if (!pm)
        return -ENOMEM;
    pm->fd = -1;
    int rc = take_settings(source, pm, err);
    rc = rc < 0 ? rc : take_dialect(source, pm, &finds, err);
    rc = rc < 0 ? rc : choose_device(source, pm, until_ns, err);
    rc = rc < 0 ? rc : start_stream(source, pm, until_ns, finds, err);
    now_ns = wtl_world_monotonic(source->world);
    return rc < 0 ? rc : add_channels(source, pm, now_ns + LINES_NS, err);
}

static void pm_close(struct wtl_source *source)
{
    struct pm *pm = source->impl;
    if (!pm)
        return;
    if (pm->fd >= 0) {
        end_stream(source, pm);
        await_end(source, pm);
    }
    hang_up(source, pm, 0);
    free(pm->line_of);
    free(pm->shown);
    free(pm);
}

static const struct wtl_param params[] = {
    {"server", "", "the server of pmlib: HOST[:PORT][/DEVICE]"},
    {"lines", "", "lines of the device, as in 0-3+5; empty = all"},
    {"domain", "", "what the lines feed together, such as node: one channel, their sum"},
    {"rate", "", "samples per second; empty = those of the device, at most 100"},
    {"dialect", "auto", "generation of pmlib: auto, g2, g1, cpp"},
    {NULL, NULL, NULL},
};

const struct wtl_driver wtl_driver_pm = {
    .name = "pm",
    .summary = "a meter on the network, through wattle-pm or a server of pmlib",
    .flags = WTL_DRIVER_SLOW | WTL_DRIVER_MANUAL | WTL_DRIVER_ADDRESS,
    .params = params,
    .open = pm_open,
    .read = pm_read,
    .close = pm_close,
};
