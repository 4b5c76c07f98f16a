/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Driver "hwmon": power (microwatts) and energy (microjoules) of the chips in /sys/class/hwmon. Every sensor
 * gets its own index within its domain, in the order of the chips; what a chip measures is defined in
 * hwmon_table.c. If a chip provides both energy and power of the same thing, the energy counter is used.
 * Chips that only measure voltage and current give a derived power. Older drivers, that of ACPI's power meters before 2025
 * among them, have their files in the folder of the device ("hwmon3/device"), with an empty hwmon3.
 *
 * A firmware may have several power meters (ACPI000D), each of another part. What they measure is in power1_oem_info; where
 * that says nothing known, the one that shows most is that of the machine, which contains the others.
 */
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/grow.h"
#include "base/parse.h"
#include "sensors/hwmon_table.h"
#include "source/driver.h"

#define ROOT       "/sys/class/hwmon"
#define NUMBER_MAX 64 /* sensors of one kind on a chip; the largest in Linux 6.12 has 48 */
#define PAIR_MAX   3  /* ina3221: in4 and above are shunt voltages, curr4 is a sum */

enum { CHIP_FOLDER = 80, LABEL = 64 };

/* Which files of a sensor are read. */
enum form { FORM_ENERGY, FORM_POWER, FORM_AVERAGE, FORM_PAIR };

struct sensor {
    enum form form;
    int fd, fd_b; /* fd_b: the current of a pair, else -1 */
};

struct hwmon {
    struct sensor *sensors; /* parallel to the source's channels */
    size_t count;
    int next[WATTLE_DOMAIN_COUNT]; /* index of the next channel of each domain */
    char machine
        [CHIP_FOLDER]; /* the meter of the machine, of several without a known name; "" = the only one */
};

/* A chip being opened. */
struct chip {
    char folder[CHIP_FOLDER]; /* "hwmon3", "hwmon3/device" */
    char name[32];
    char **files;
    int count;
};

static int has_file(const struct chip *chip, const char *kind, unsigned number, const char *ending)
{
    char name[64];
    (void)snprintf(name, sizeof name, "%s%u%s", kind, number, ending);
    for (int i = 0; i < chip->count; i++) {
        if (strcmp(chip->files[i], name) == 0)
            return 1;
    }
    return 0;
}

static void path_of(const struct chip *chip,
                    const char *kind,
                    unsigned number,
                    const char *ending,
                    char path[160])
{
    (void)snprintf(path, 160, ROOT "/%.80s/%s%u%s", chip->folder, kind, number, ending);
}

/* The contents of a file in milliseconds, as nanoseconds; 0 = missing, or more than an hour and not an
 * interval. */
static uint64_t interval_ns(const struct wtl_source *source, const char *path)
{
    uint64_t ms;
    return wtl_world_u64(source->world, path, &ms) == 0 && ms <= 3600000 ? 1000000 * ms : 0;
}

/* Whether the sensor is switched off. Most chips do not support this. */
static bool is_off(const struct wtl_source *source,
                   const struct chip *chip,
                   const char *kind,
                   unsigned number)
{
    char path[160];
    uint64_t on;
    path_of(chip, kind, number, "_enable", path);
    return wtl_world_u64(source->world, path, &on) == 0 && on == 0;
}

/* File name parts for a form: "energy" "_input" and so on. */
static const char *kind_of(enum form form)
{
    return form == FORM_ENERGY ? "energy" : form == FORM_PAIR ? "in" : "power";
}

static const char *ending_of(enum form form)
{
    return form == FORM_AVERAGE ? "_average" : "_input";
}

/* The best form in which the chip provides sensor `number`: 1, or 0 if there is none. */
static int find_form(const struct chip *chip, unsigned number, enum form *ret_form)
{
    if (has_file(chip, "energy", number, "_input"))
        *ret_form = FORM_ENERGY;
    else if (has_file(chip, "power", number, "_average") &&
             (has_file(chip, "power", number, "_average_interval") ||
              !has_file(chip, "power", number, "_input")))
        *ret_form = FORM_AVERAGE;
    else if (has_file(chip, "power", number, "_input"))
        *ret_form = FORM_POWER;
    else if (number <= PAIR_MAX && has_file(chip, "in", number, "_input") &&
             has_file(chip, "curr", number, "_input"))
        *ret_form = FORM_PAIR;
    else
        return 0;
    return 1;
}

/* Open the files of a sensor; 0, or the reason of failure. */
static int open_sensor(struct wtl_source *source,
                       const struct chip *chip,
                       unsigned number,
                       struct sensor *sensor)
{
    char path[160];
    sensor->fd_b = -1;
    path_of(chip, kind_of(sensor->form), number, ending_of(sensor->form), path);
    sensor->fd = wtl_source_open_file(source, "%s", path);
    if (sensor->fd < 0 || sensor->form != FORM_PAIR)
        return sensor->fd < 0 ? sensor->fd : 0;
    path_of(chip, "curr", number, "_input", path);
    sensor->fd_b = wtl_source_open_file(source, "%s", path);
    return sensor->fd_b < 0 ? sensor->fd_b : 0;
}

/* The first number in a label, or `none`. */
static int number_of_label(const char *label, int none)
{
    uint64_t value;
    const char *p = label + strcspn(label, "0123456789");
    if (wtl_scan_u64(p, strlen(p), &value) < 0 || value > INT16_MAX)
        return none;
    return (int)value;
}

/* The PCI device to which the chip belongs, from where its folder really is: "..../0000:03:00.0/hwmon/hwmon2". Other drivers
 * may show the same card. */
static void add_address(struct wtl_source *source,
                        const struct chip *chip,
                        struct wattle_channel *channel)
{
    char path[160], target[512];
    (void)snprintf(path, sizeof path, ROOT "/%.80s", chip->folder);
    if (source->world->ops->readlink(source->world, path, target, sizeof target) < 0)
        return;
    char *end = strstr(target, "/hwmon/");
    if (end)
        *end = '\0';
    const char *address = end ? strrchr(target, '/') : NULL;
    size_t used = strlen(channel->location);
    if (address && strlen(address) == sizeof "/0000:03:00.0" - 1 && address[5] == ':')
        (void)snprintf(channel->location + used, sizeof channel->location - used, ", pci %s",
                       address + 1);
}

/* What the machine calls a sensor: its label, or what the firmware says of a power meter. */
static void name_sensor(const struct wtl_world *world,
                        const struct chip *chip,
                        const char *kind,
                        unsigned number,
                        char label[LABEL])
{
    char path[160];
    path_of(chip, kind, number, "_label", path);
    if (wtl_world_text(world, path, label, LABEL) > 0)
        return;
    path_of(chip, kind, number, "_oem_info", path);
    if (wtl_world_text(world, path, label, LABEL) < 0)
        label[0] = '\0';
}

/* Of several meters, only one is that of the machine. */
static enum wattle_domain domain_of(const struct wtl_source *source,
                                    const struct chip *chip,
                                    const struct wtl_hwmon_row *row)
{
    const struct hwmon *state = source->impl;
    bool other = row->flags & WTL_HWMON_ONE_IS_MACHINE && state->machine[0] &&
                 strcmp(state->machine, chip->folder) != 0;
    return other ? WATTLE_DOMAIN_OTHER : row->domain;
}

/* The chip and its sensor, or what the firmware says, which is enough. */
static void label_channel(const struct chip *chip,
                          const char *label,
                          bool is_enough,
                          struct wattle_channel *channel)
{
    if (snprintf(channel->label, sizeof channel->label, "%.15s%s%s", is_enough ? "" : chip->name,
                 label[0] && !is_enough ? " " : "", label) >= (int)sizeof channel->label)
        channel->label[sizeof channel->label - 2] = '~'; /* truncated */
}

static void fill_channel(struct wtl_source *source,
                         const struct chip *chip,
                         unsigned number,
                         enum form form,
                         struct wattle_channel *channel)
{
    const char *kind = kind_of(form);
    char path[160], label[LABEL];
    name_sensor(source->world, chip, kind, number, label);
    const struct wtl_hwmon_row *row = wtl_hwmon_find(chip->name, label);
    *channel = wtl_channel_init(domain_of(source, chip, row), 0,
                                form == FORM_ENERGY ? WATTLE_ENERGY : WATTLE_POWER,
                                form == FORM_ENERGY    ? WATTLE_COUNTER
                                : form == FORM_AVERAGE ? WATTLE_WINDOW_AVERAGE
                                                       : WATTLE_GAUGE);
    struct hwmon *state = source->impl;
    channel->index =
        row->flags & WTL_HWMON_SOCKET ? number_of_label(label, 0) : state->next[channel->domain];
    if (row->flags & WTL_HWMON_NO_CAP_IS_PACKAGE && !has_file(chip, "power", number, "_cap")) {
        channel->domain = WATTLE_DOMAIN_PACKAGE;
        channel->index = 0; /* such processors are always the only one */
    }
    channel->scale = 1e-6;
    if (form == FORM_PAIR)
        channel->quality = WATTLE_DERIVED;
    if (row->flags & WTL_HWMON_SLOW)
        channel->flags |= WATTLE_CHANNEL_SLOW;
    path_of(chip, kind, number, "_average_interval", path);
    if (form == FORM_AVERAGE)
        channel->window_ns = interval_ns(source, path);
    (void)snprintf(path, sizeof path, ROOT "/%.80s/update_interval", chip->folder);
    uint64_t refresh_ns = interval_ns(source, path);
    channel->refresh_ns = refresh_ns ? refresh_ns : channel->window_ns;
    path_of(chip, kind, number, ending_of(form), channel->location);
    if (channel->domain == WATTLE_DOMAIN_GPU)
        add_address(source, chip, channel);
    label_channel(chip, label, row->flags & WTL_HWMON_NAMED, channel);
}

static int add_sensor(struct wtl_source *source,
                      const struct sensor *sensor,
                      struct wattle_channel *channel)
{
    struct hwmon *state = source->impl;
    if (wtl_grow(&state->sensors, state->count, sizeof *state->sensors) < 0)
        return -ENOMEM;
    int rc = wtl_source_add(source, channel);
    if (rc == -EINVAL && channel->domain == WATTLE_DOMAIN_PACKAGE) {
        /* Two chips for one package: an additional package would be counted twice. */
        channel->domain = WATTLE_DOMAIN_OTHER;
        channel->index = state->next[WATTLE_DOMAIN_OTHER];
        rc = wtl_source_add(source, channel);
    }
    /* Another chip may already use the index: use the next free one. */
    while (rc == -EINVAL && channel->index < INT16_MAX) {
        channel->index++;
        rc = wtl_source_add(source, channel);
    }
    if (rc < 0)
        return rc;
    if (channel->index >= state->next[channel->domain])
        state->next[channel->domain] = channel->index + 1;
    state->sensors[state->count++] = *sensor;
    return 0;
}

static int take_sensor(struct wtl_source *source, const struct chip *chip, unsigned number)
{
    struct sensor sensor;
    struct wattle_channel channel;
    if (!find_form(chip, number, &sensor.form))
        return 0;
    if (sensor.form == FORM_PAIR && !(wtl_hwmon_find(chip->name, "")->flags & WTL_HWMON_PAIRS))
        return 0; /* a voltage and a current with the same number need not belong together */
    if (is_off(source, chip, kind_of(sensor.form), number)) {
        wtl_source_remedy(source, NULL, "echo 1 > " ROOT "/%s/%s%u_enable", chip->folder,
                          kind_of(sensor.form), number);
        wtl_source_note(
            source, "%s %s%u is switched off; as root run: echo 1 > " ROOT "/%s/%s%u_enable",
            chip->name, kind_of(sensor.form), number, chip->folder, kind_of(sensor.form), number);
        return 0;
    }
    if (open_sensor(source, chip, number, &sensor) < 0)
        return 0;
    fill_channel(source, chip, number, sensor.form, &channel);
    int rc = add_sensor(source, &sensor, &channel);
    return rc == -ENOMEM ? rc : 0;
}

/* Whether the chip matches one of the patterns, which are separated by '+'. */
static int is_excluded(const char *patterns, const char *chip)
{
    for (const char *p = patterns; *p;) {
        char pattern[64];
        size_t n = strcspn(p, "+");
        if (n > 0 && n < sizeof pattern) {
            memcpy(pattern, p, n);
            pattern[n] = '\0';
            if (fnmatch(pattern, chip, 0) == 0)
                return 1;
        }
        p += n + (p[n] == '+');
    }
    return 0;
}

/* Its folder of files, and its name. */
static void find_chip(const struct wtl_world *world, const char *folder, struct chip *chip)
{
    static const char *const places[] = {"", "/device"};
    for (size_t i = 0; i < 2; i++) {
        char path[160];
        (void)snprintf(chip->folder, sizeof chip->folder, "%.64s%s", folder, places[i]);
        (void)snprintf(path, sizeof path, ROOT "/%.80s/name", chip->folder);
        if (wtl_world_text(world, path, chip->name, sizeof chip->name) > 0)
            return;
    }
    (void)snprintf(chip->folder, sizeof chip->folder, "%.64s", folder);
    (void)snprintf(chip->name, sizeof chip->name, "%.31s", folder);
}

static int take_chip(struct wtl_source *source, const char *folder)
{
    struct chip chip = {.files = NULL};
    char path[160], type[16];
    find_chip(source->world, folder, &chip);
    if (is_excluded(wtl_source_param(source, "exclude"), chip.name))
        return 0;
    /* A battery also appears as a chip; the driver power_supply handles its direction. */
    if (wtl_source_text(source, type, sizeof type, ROOT "/%.80s/device/type", folder) > 0 &&
        strcmp(type, "Battery") == 0)
        return 0;
    (void)snprintf(path, sizeof path, ROOT "/%.80s", chip.folder);
    chip.count = source->world->ops->list(source->world, path, &chip.files);
    if (chip.count < 0)
        return chip.count == -ENOMEM ? -ENOMEM : 0;
    int rc = 0;
    for (unsigned number = 0; rc == 0 && number <= NUMBER_MAX; number++)
        rc = take_sensor(source, &chip, number);
    free(chip.files);
    return rc;
}

/* The meter of the machine among those whose name says nothing: the one that shows most. Each is read once, if there are
 * several. */
static void find_machine(struct wtl_source *source, char **names, int count)
{
    struct hwmon *state = source->impl;
    uint64_t most = 0;
    int found = 0;
    for (int i = 0; i < count; i++) {
        struct chip chip = {.files = NULL};
        char path[160], label[LABEL];
        uint64_t microwatts = 0;
        find_chip(source->world, names[i], &chip);
        if (is_excluded(wtl_source_param(source, "exclude"), chip.name) ||
            !(wtl_hwmon_find(chip.name, "")->flags & WTL_HWMON_ONE_IS_MACHINE))
            continue;
        name_sensor(source->world, &chip, "power", 1, label);
        path_of(&chip, "power", 1, "_average", path);
        if (!(wtl_hwmon_find(chip.name, label)->flags & WTL_HWMON_ONE_IS_MACHINE) ||
            wtl_world_u64(source->world, path, &microwatts) < 0)
            continue;
        if (found++ == 0 || microwatts > most) {
            most = microwatts;
            memcpy(state->machine, chip.folder, sizeof state->machine);
        }
    }
    if (found > 1)
        wtl_source_note(
            source,
            "%d power meters of ACPI have no name that is known; %s, which shows most, is "
            "taken for that of the machine",
            found, state->machine);
}

static int hwmon_open(struct wtl_source *source, struct wattle_error *err)
{
    char **names;
    struct hwmon *state = source->impl = calloc(1, sizeof *state);
    if (!state)
        return -ENOMEM;
    int count = source->world->ops->list(source->world, ROOT, &names);
    int rc = count == -ENOMEM ? count : 0;
    find_machine(source, names, count);
    for (int i = 0; i < count && rc == 0; i++)
        rc = take_chip(source, names[i]);
    if (count >= 0)
        free(names);
    if (rc < 0 || source->count > 0 || source->note_count > 0)
        return rc;
    wtl_source_remedy(source, NULL, "sensors-detect");
    return wtl_fail(err, -ENODEV,
                    "hwmon: no chip with power or energy in " ROOT
                    "; drivers for boards and power supplies may have to be loaded (find them with "
                    "sensors-detect of lm-sensors)");
}

static int read_sensor(const struct wtl_world *world, const struct sensor *sensor, int64_t *ret)
{
    int64_t millivolts, milliamperes;
    if (sensor->form != FORM_PAIR)
        return wtl_world_pread_i64(world, sensor->fd, ret);
    int rc = wtl_world_pread_i64(world, sensor->fd, &millivolts);
    if (rc == 0)
        rc = wtl_world_pread_i64(world, sensor->fd_b, &milliamperes);
    if (rc != 0)
        return rc;
    return __builtin_mul_overflow(millivolts, milliamperes, ret) ? -EOVERFLOW : 0;
}

static void hwmon_read(struct wtl_source *source,
                       size_t first,
                       size_t n,
                       struct wattle_reading *out)
{
    const struct hwmon *state = source->impl;
    for (size_t i = 0; i < n; i++) {
        const struct sensor *sensor = &state->sensors[first + i];
        uint64_t raw = 0;
        int64_t value = 0;
        int rc = sensor->form == FORM_ENERGY ? wtl_world_pread_u64(source->world, sensor->fd, &raw)
                                             : read_sensor(source->world, sensor, &value);
        if (sensor->form != FORM_ENERGY)
            raw = (uint64_t)value;
        out[i] = (struct wattle_reading){.raw = rc < 0 ? 0 : raw, .status = rc};
    }
}

static void hwmon_close(struct wtl_source *source)
{
    struct hwmon *state = source->impl;
    if (state)
        free(state->sensors);
    free(state);
    source->impl = NULL;
}

static const struct wtl_param hwmon_params[] = {
    {"exclude", "", "chips to skip, as patterns joined by '+': nvme+BAT*"},
    {NULL, NULL, NULL},
};

extern const struct wtl_driver wtl_driver_hwmon;
const struct wtl_driver wtl_driver_hwmon = {
    .name = "hwmon",
    .summary = "power and energy sensors of boards, supplies and graphics (/sys/class/hwmon)",
    .params = hwmon_params,
    .open = hwmon_open,
    .read = hwmon_read,
    .close = hwmon_close,
};
