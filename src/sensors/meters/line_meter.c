/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A meter of one's own on a serial line, with the protocol of docs/format/line-meter.md: a microcontroller with a shunt, Hall sensors or
 * an energy chip. Every channel becomes an energy counter here, so that no line is lost between two readings; a line that
 * is, loses the energy of a mean (mW, adc), but not that of a counter (uJ).
 *
 * The counter steps down whenever energy is missing, which no wrap explains: it is then a gap whose energy is unknown. Times are
 * those of the meter's clock, put on this machine's by the fastest line so far.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <wattle/sensors.h>

#include "base/fail.h"
#include "model/calibration/calibration.h"
#include "sensors/meters/meter_line.h"
#include "sensors/meters/serial_lines.h"
#include "source/driver.h"

static const uint64_t SECOND_NS = 1000000000;
static const uint64_t PATIENCE_NS = 4000000000; /* for the description */
static const uint64_t START_NJ = UINT64_C(1) << 62;
static const uint64_t BREAK_NJ = UINT64_C(1)
                                 << 56; /* 72 MJ: more than comes between two readings */
static const double DRIFT = 200e-6;     /* by which a clock may be fast */

struct value {
    enum wtl_meter_unit unit;
    bool described, usable;
    double offset, watts_per_count; /* adc */
    uint64_t total_nj;
    double owed_nj;     /* negative energy, which a counter cannot show: noise around 0 */
    int64_t last;       /* uJ */
    bool known;         /* the counter goes on from the last line */
    bool lines_damaged; /* since the last reading */
    int status;         /* of the newest line */
    uint64_t time_ns;   /* of the newest good value */
};

struct meter {
    struct wtl_serial_lines lines;
    char name[WTL_METER_NAME];
    uint32_t period_us, boot, seq;
    unsigned count;
    bool greeted, started;
    uint64_t t_us, heard_ns;
    int64_t ahead_ns; /* this machine's clock minus the meter's */
    struct value values[WTL_METER_VALUES];
    unsigned value_of[WTL_METER_VALUES]; /* of each channel of the source */
    struct wtl_meter_line line;
};

/* ---- data ---- */

static uint64_t time_of(struct meter *meter, uint64_t t_us, uint64_t now_ns, bool restarted)
{
    int64_t ahead = (int64_t)(now_ns - t_us * 1000);
    double grown = restarted ? 0 : DRIFT * 1e3 * (double)(t_us - meter->t_us);
    if (restarted || ahead < meter->ahead_ns + (int64_t)grown)
        meter->ahead_ns = ahead;
    else
        meter->ahead_ns += (int64_t)grown;
    return t_us * 1000 + (uint64_t)meter->ahead_ns;
}

/* What is missing is not invented: the counter steps down. */
static void interrupt(struct value *value)
{
    if (value->known)
        value->total_nj -= BREAK_NJ;
    value->known = false;
    value->owed_nj = 0;
}

static void grow(struct value *value, double nj)
{
    value->owed_nj += nj;
    if (value->owed_nj >= 1) {
        double whole = floor(value->owed_nj);
        value->total_nj += (uint64_t)whole;
        value->owed_nj -= whole;
    }
}

/* follows: the line before this one came; its mean then is that since it. */
static void take_value(struct value *value, int64_t number, double us, bool follows, bool restarted)
{
    const double most_nj = 1e15; /* 1 MJ in one line: not even a wrong unit */
    bool counter = value->unit == WTL_METER_UJ;
    double nj = 0;
    if (counter && value->known)
        nj = 1e3 * (double)(number - value->last);
    else if (value->unit == WTL_METER_MW)
        nj = (double)number * us;
    else if (value->unit == WTL_METER_ADC)
        nj = 1e3 * us * ((double)number - value->offset) * value->watts_per_count;
    bool broken = restarted || (counter ? nj < 0 : !follows) || !(fabs(nj) <= most_nj);
    if (broken)
        interrupt(value);
    else
        grow(value, nj);
    value->last = number;
    value->known = true;
}

static void take_data(struct meter *meter, const struct wtl_meter_line *line, uint64_t now_ns)
{
    bool restarted = !meter->started || line->boot != meter->boot || line->t_us <= meter->t_us;
    bool follows = !restarted && line->seq == meter->seq + 1;
    double us = restarted ? 0 : (double)(line->t_us - meter->t_us);
    uint64_t time_ns = time_of(meter, line->t_us, now_ns, restarted);
    for (unsigned i = 0; i < meter->count; i++) {
        struct value *value = &meter->values[i];
        value->status = line->unknown >> i & 1 ? -ENODATA : 0;
        if (value->status < 0)
            interrupt(value);
        else
            take_value(value, line->values[i], us, follows, restarted);
        value->time_ns = time_ns;
    }
    meter->started = true;
    meter->boot = line->boot;
    meter->seq = line->seq;
    meter->t_us = line->t_us;
    meter->heard_ns = now_ns;
}

/* A meter that says other things than at the start is another one. */
static int take_line(struct meter *meter, const struct wtl_meter_line *line, uint64_t now_ns)
{
    if (line->kind == WTL_METER_HELLO)
        return strcmp(line->name, meter->name) != 0 || line->count != meter->count ? -EBADMSG : 0;
    if (line->kind == WTL_METER_DATA && line->count != meter->count)
        return -EBADMSG;
    if (line->kind == WTL_METER_DATA)
        take_data(meter, line, now_ns);
    return 0;
}

/* Take all lines that came. Returns 0, or the last reason why the line is not connected. */
static int pump(const struct wtl_world *world, struct meter *meter)
{
    const char *text;
    for (;;) {
        int rc = wtl_serial_next(world, &meter->lines, 0, &text);
        if (rc == 0)
            return meter->lines.fd < 0 ? meter->lines.error : 0;
        if (rc < 0 && rc != -EBADMSG)
            return rc;
        if (rc > 0)
            rc = wtl_meter_line_parse(text, &meter->line);
        if (rc == 0)
            rc = take_line(meter, &meter->line, wtl_world_monotonic(world));
        for (unsigned i = 0; rc < 0 && i < meter->count; i++)
            meter->values[i].lines_damaged = true;
    }
}

static void line_meter_read(struct wtl_source *source,
                            size_t first,
                            size_t n,
                            struct wattle_reading *out)
{
    struct meter *meter = source->impl;
    int rc = pump(source->world, meter);
    uint64_t now_ns = wtl_world_monotonic(source->world);
    uint64_t stale_ns = 3 * (uint64_t)meter->period_us * 1000 + SECOND_NS;
    if (rc == 0 && now_ns > meter->heard_ns + stale_ns)
        rc = -ETIMEDOUT;
    for (size_t i = 0; i < n; i++) {
        struct value *value = &meter->values[meter->value_of[first + i]];
        int status = rc < 0 ? rc : value->lines_damaged ? -EBADMSG : value->status;
        value->lines_damaged = false;
        out[i] = status < 0
                     ? (struct wattle_reading){.status = status, .time_ns = now_ns}
                     : (struct wattle_reading){.raw = value->total_nj, .time_ns = value->time_ns};
    }
}

/* ---- opening ---- */

static bool is_complete(const struct meter *meter)
{
    for (unsigned i = 0; i < meter->count; i++) {
        if (!meter->values[i].described)
            return false;
    }
    return meter->greeted;
}

/* Watts per count of a shunt or Hall sensor, from its section; NaN: something is missing or makes no sense. */
static double watts_per_count(const struct wtl_calibration_section *section)
{
    double volts = wtl_calibration_number(section, "volts");
    double amperes = wtl_calibration_number(section, "amperes_per_count");
    double adc = wtl_calibration_number(section, "adc_volts_per_count");
    double ohms = wtl_calibration_number(section, "shunt_ohms");
    double gain = wtl_calibration_number(section, "amplifier_gain");
    double hall = wtl_calibration_number(section, "volts_per_ampere");
    if (isnan(amperes) && !isnan(ohms))
        amperes = adc / (ohms * (isnan(gain) ? 1 : gain));
    else if (isnan(amperes))
        amperes = adc / hall;
    double watts = volts * amperes;
    return isfinite(watts) && watts != 0 && fabs(watts) < 1e6 ? watts : (double)NAN;
}

static bool calibrate(struct wtl_source *source,
                      const struct meter *meter,
                      const char *label,
                      struct value *value)
{
    struct wtl_calibration *calibration = NULL;
    struct wattle_error why = {""};
    char path[512];
    int rc = wtl_calibration_load(source->world, NULL, "meter", meter->name, label, &calibration,
                                  path, sizeof path, &why);
    if (rc < 0) {
        wtl_source_note(source,
                        "line_meter: %s sends counts of an ADC, which need a calibration: add "
                        "[meter %s %s] to calibration.conf (line-meter.md)",
                        label, meter->name, label);
        return false;
    }
    const struct wtl_calibration_section *section =
        wtl_calibration_find(calibration, "meter", meter->name, label);
    value->watts_per_count = watts_per_count(section);
    value->offset = wtl_calibration_number(section, "offset_counts");
    wtl_calibration_destroy(calibration);
    bool good = !isnan(value->watts_per_count) && !isnan(value->offset);
    if (!good)
        wtl_source_note(source,
                        "%s: [meter %s %s] needs offset_counts, volts, and amperes_per_count or "
                        "what it follows from (line-meter.md)",
                        path, meter->name, label);
    return good;
}

static int find_domain(const char *name)
{
    for (int i = 0; i < WATTLE_DOMAIN_COUNT; i++) {
        if (strcmp(wattle_domain_name((enum wattle_domain)i), name) == 0)
            return i;
    }
    return WATTLE_DOMAIN_OTHER;
}

/* Described values become channels; those that cannot be used are noted. */
static int describe(struct wtl_source *source,
                    struct meter *meter,
                    const struct wtl_meter_line *line)
{
    struct value *value = &meter->values[line->count];
    if (!meter->greeted || line->count >= meter->count || value->described)
        return 0;
    enum wattle_domain domain = (enum wattle_domain)find_domain(line->domain);
    int index = 0;
    for (size_t i = 0; i < source->count; i++)
        index += source->channels[i].domain == domain;
    struct wattle_channel channel = wtl_channel_init(domain, index, WATTLE_ENERGY, WATTLE_COUNTER);
    value->described = true;
    value->unit = line->unit;
    value->total_nj = START_NJ;
    if (line->unit == WTL_METER_ADC && !calibrate(source, meter, line->name, value))
        return 0;
    channel.scale = 1e-9;
    channel.quality = line->unit == WTL_METER_UJ ? WATTLE_MEASURED : WATTLE_DERIVED;
    channel.refresh_ns = (uint64_t)meter->period_us * 1000;
    channel.max_w = 100000;
    (void)snprintf(channel.location, sizeof channel.location, "%s", meter->lines.address);
    (void)snprintf(channel.label, sizeof channel.label, "%.31s", line->name);
    int rc = wtl_source_add(source, &channel);
    if (rc < 0)
        return rc;
    meter->value_of[rc] = line->count;
    value->usable = true;
    return 0;
}

static int get_to_know(struct wtl_source *source, struct meter *meter, uint64_t *damaged)
{
    uint64_t until_ns = wtl_world_monotonic(source->world) + PATIENCE_NS;
    const char *text;
    int rc = 0;
    while (rc == 0 && !(is_complete(meter) && meter->started)) {
        rc = wtl_serial_next(source->world, &meter->lines, until_ns, &text);
        if (rc == 0)
            return -ETIMEDOUT;
        if (rc > 0)
            rc = wtl_meter_line_parse(text, &meter->line);
        const struct wtl_meter_line *line = &meter->line;
        *damaged += rc == -EBADMSG;
        if (rc == -EBADMSG) {
            rc = 0; /* at the start a line may be half */
        } else if (rc == 0 && line->kind == WTL_METER_HELLO && !meter->greeted) {
            meter->greeted = true;
            meter->count = line->count;
            meter->period_us = line->period_us;
            memcpy(meter->name, line->name, sizeof meter->name);
        } else if (rc == 0 && line->kind == WTL_METER_CHANNEL) {
            rc = describe(source, meter, line);
        } else if (rc == 0 && is_complete(meter)) {
            (void)take_line(meter, line, wtl_world_monotonic(source->world));
        }
    }
    return rc;
}

static int line_meter_open(struct wtl_source *source, struct wattle_error *err)
{
    const char *address = wtl_source_param(source, "address");
    struct meter *meter = source->impl = calloc(1, sizeof *meter);
    uint64_t damaged = 0;
    if (!meter)
        return -ENOMEM;
    if (wtl_serial_init(&meter->lines, address, "115200:8N1", "?\n", '\n') < 0)
        return wtl_fail(err, -ENODEV,
                        "line_meter: no address; give that of the meter, such as --sensor "
                        "line_meter:address=/dev/ttyACM0");
    int rc = wtl_serial_connect(source->world, &meter->lines);
    if (rc < 0)
        return wtl_fail(err, rc == -ENOENT ? -ENODEV : rc, "line_meter: %s: %s", address,
                        wtl_strerror(rc));
    rc = get_to_know(source, meter, &damaged);
    if (rc == -ENOMEM)
        return rc;
    if (rc < 0)
        return wtl_fail(err, -ENODEV,
                        "line_meter: %s: no meter introduced itself within 4 s (%llu bytes, %llu "
                        "damaged lines came); check address and speed",
                        address, (unsigned long long)meter->lines.bytes,
                        (unsigned long long)damaged);
    (void)snprintf(source->about, sizeof source->about, "%s: %u values every %.6g ms", meter->name,
                   meter->count, 1e-3 * meter->period_us);
    return 0;
}

static void line_meter_close(struct wtl_source *source)
{
    struct meter *meter = source->impl;
    if (meter && meter->lines.end) /* initialised */
        wtl_serial_close(source->world, &meter->lines);
    free(meter);
}

static const struct wtl_param params[] = {
    {"address", "", "device of the meter, such as /dev/ttyACM0, or tty:/dev/ttyACM0:9600:8N1"},
    {NULL, NULL, NULL},
};

extern const struct wtl_driver wtl_driver_line_meter;
const struct wtl_driver wtl_driver_line_meter = {
    .name = "line_meter",
    .summary = "a meter of your own on a serial line (line-meter.md)",
    .flags = WTL_DRIVER_SLOW | WTL_DRIVER_MANUAL | WTL_DRIVER_TIMED,
    .params = params,
    .open = line_meter_open,
    .read = line_meter_read,
    .close = line_meter_close,
};
