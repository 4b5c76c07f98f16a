/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From runs to sections of calibration.conf (docs/format/calibration.md), and into the file. Loads that were
 * not measured this time are kept from the file if the conditions are the same, so that another load can be
 * added later.
 */
#define _GNU_SOURCE
#include "base/config/ini.h"
#include "base/text/figures.h"
#include "cli/pose/calibrate.h"
#include "model/calibration/calibration.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "account/share_calibration.h"
#include "base/fail.h"
#include "base/grow.h"
#include "cli/run/idle.h"
#include "measure/shares.h"
#include "model/quality.h"

/* A section under construction; all texts are its own. */
struct section {
    struct wtl_calibration_entry *entries;
    size_t count;
    bool failed; /* no memory */
    bool without_devices;
};

/* ---- what was measured ---- */

const char *wtl_calibrate_item(const struct wtl_calibrate *calibrate, size_t item)
{
    const struct wtl_result *any = wtl_calibrate_any(calibrate);
    if (item == 0)
        return "total";
    return any && item <= any->energy_count ? any->channels[item - 1].channel.name : NULL;
}

static void fill_total(const struct wtl_repeat *repeat, struct wtl_calibrate_power *power)
{
    power->quality = repeat->mean.total.quality;
    power->power_w = repeat->power_w.mean;
    power->half_w = repeat->power_w.ci95;
    power->low_w = repeat->mean.energy.low_j / repeat->mean.wall_time_s;
    power->high_w = repeat->mean.energy.high_j / repeat->mean.wall_time_s;
}

static bool fill_channel(const struct wtl_repeat *repeat,
                         const char *name,
                         struct wtl_calibrate_power *power)
{
    for (size_t i = 0; i < repeat->mean.energy_count; i++) {
        const struct wtl_result_channel *channel = &repeat->mean.channels[i];
        if (strcmp(channel->channel.name, name) != 0)
            continue;
        const struct wtl_energy energy = wtl_result_energy(channel);
        power->quality = channel->channel.quality;
        power->power_w = repeat->channel_w[i].mean;
        power->half_w = repeat->channel_w[i].ci95;
        power->low_w = energy.low_j / repeat->mean.wall_time_s;
        power->high_w = energy.high_j / repeat->mean.wall_time_s;
        return !isnan(power->power_w);
    }
    return false;
}

bool wtl_calibrate_power_of(const struct wtl_calibrate *calibrate,
                            const struct wtl_calibrate_load *load,
                            size_t item,
                            struct wtl_calibrate_power *ret_power)
{
    const char *name = wtl_calibrate_item(calibrate, item);
    *ret_power = (struct wtl_calibrate_power){
        .power_w = NAN, .half_w = NAN, .low_w = NAN, .high_w = NAN, .runs = load->count};
    if (!load->repeated || !name)
        return false;
    if (item > 0)
        return fill_channel(&load->repeat, name, ret_power);
    fill_total(&load->repeat, ret_power);
    return true;
}

/* ---- a section ---- */

/* One line without blanks at its ends, so that it can be read back whatever a load is called or has printed. */
static void make_plain(char *text)
{
    size_t n = strlen(text), blanks = 0;
    for (size_t i = 0; i < n; i++) {
        if ((unsigned char)text[i] < ' ' || text[i] == 127)
            text[i] = ' ';
    }
    while (n > 0 && text[n - 1] == ' ')
        text[--n] = '\0';
    while (text[blanks] == ' ')
        blanks++;
    memmove(text, text + blanks, n - blanks + 1);
}

/* Writes nothing if the value is empty. */
__attribute__((format(printf, 3, 4))) static void put(struct section *section,
                                                      const char *key,
                                                      const char *format,
                                                      ...)
{
    va_list arguments;
    char *value = NULL;
    int rc = wtl_grow(&section->entries, section->count, sizeof *section->entries);
    char *own_key = strdup(key);
    va_start(arguments, format);
    if (vasprintf(&value, format, arguments) < 0)
        value = NULL;
    va_end(arguments);
    if (rc < 0 || !own_key || !value) {
        free(own_key);
        free(value);
        section->failed = true;
        return;
    }
    make_plain(value);
    if (!*value) {
        free(own_key);
        free(value);
        return;
    }
    section->entries[section->count++] =
        (struct wtl_calibration_entry){.key = own_key, .value = value};
}

static void put_text(struct section *section, const char *key, const char *value)
{
    if (value && *value)
        put(section, key, "%s", value);
}

static void put_number(struct section *section, const char *key, double value)
{
    if (!isnan(value))
        put(section, key, "%.7g", value);
}

static void free_section(struct section *section)
{
    for (size_t i = 0; i < section->count; i++) {
        free((char *)(uintptr_t)section->entries[i].key);
        free((char *)(uintptr_t)section->entries[i].value);
    }
    free(section->entries);
    *section = (struct section){.count = 0};
}

/* Temperature of the hottest package at the end of the last load. */
static double last_temperature(const struct wtl_calibrate *calibrate)
{
    uint64_t newest = 0;
    double temperature_c = NAN;
    for (size_t i = 0; i < WTL_CALIBRATE_LOADS; i++) {
        const struct wtl_calibrate_load *load = &calibrate->loads[i];
        const struct wtl_result *last = load->count ? &load->results[load->count - 1] : NULL;
        if (!last || last->end_monotonic_ns < newest)
            continue;
        newest = last->end_monotonic_ns;
        temperature_c = load->runs[load->count - 1].temperature_c;
    }
    return temperature_c;
}

static void put_what(struct section *section, const struct wtl_calibrate *calibrate, size_t item)
{
    const struct wtl_result *any = wtl_calibrate_any(calibrate);
    char names[1024] = "";
    size_t used = 0;
    bool simulated = false;
    enum wattle_quality quality = any->total.quality;
    for (size_t i = 0; i < any->energy_count; i++) {
        const struct wattle_channel *channel = &any->channels[i].channel;
        bool is_of_it = item ? i + 1 == item : (channel->flags & WATTLE_CHANNEL_IN_TOTAL) != 0;
        if (!is_of_it)
            continue;
        simulated |= wtl_channel_is_simulated(channel);
        if (item)
            quality = channel->quality;
        if (used < sizeof names)
            used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", used ? " " : "",
                                     channel->name);
    }
    put_text(section, "contains",
             item ? any->channels[item - 1].channel.label : any->total.contains);
    if (!section->without_devices)
        put_text(section, "sensor", names);
    put_text(section, "quality", wattle_quality_name(quality));
    put_text(section, "simulated", simulated ? "yes" : "no");
}

void wtl_calibrate_date(uint64_t realtime_ns, char buf[WTL_CALIBRATE_DATE])
{
    time_t second = (time_t)(realtime_ns / 1000000000u);
    struct tm utc;
    if (!gmtime_r(&second, &utc) ||
        strftime(buf, WTL_CALIBRATE_DATE, "%Y-%m-%dT%H:%M:%SZ", &utc) == 0)
        buf[0] = '\0';
}

static void put_conditions(struct section *section,
                           const struct wtl_calibrate *calibrate,
                           size_t item,
                           unsigned cpus)
{
    const struct wtl_result *any = wtl_calibrate_any(calibrate);
    char date[WTL_CALIBRATE_DATE];
    wtl_calibrate_date(any->start_realtime_ns, date);
    put_text(section, "date", date);
    put_text(section, "wattle", WATTLE_VERSION);
    put_text(section, "cpu", calibrate->cpu);
    put(section, "cpus", "%u", cpus);
    put_what(section, calibrate, item);
    put_text(section, "governor", any->governor);
    put_text(section, "epp", any->epp);
    put_text(section, "turbo", any->turbo < 0 ? NULL : any->turbo ? "yes" : "no");
    if (any->min_khz)
        put(section, "min_khz", "%llu", (unsigned long long)any->min_khz);
    if (any->max_khz)
        put(section, "max_khz", "%llu", (unsigned long long)any->max_khz);
    put_number(section, "temperature_c", last_temperature(calibrate));
    put_number(section, "busy_cpus", calibrate->busy_cpus);
}

static const char *key_of(char *buf, size_t n, const char *name, const char *what)
{
    (void)snprintf(buf, n, "%s_%s", name, what);
    return buf;
}

static void put_load(struct section *section,
                     const struct wtl_calibrate_load *load,
                     const struct wtl_calibrate_power *power)
{
    char key[64];
    put_number(section, key_of(key, sizeof key, load->name, "w"), power->power_w);
    put_number(section, key_of(key, sizeof key, load->name, "half_w"), power->half_w);
    put_number(section, key_of(key, sizeof key, load->name, "low_w"), power->low_w);
    put_number(section, key_of(key, sizeof key, load->name, "high_w"), power->high_w);
    put(section, key_of(key, sizeof key, load->name, "runs"), "%zu", load->count);
    put_text(section, key_of(key, sizeof key, load->name, "settled"),
             load->drifted > 0              ? "no"
             : load->settled == load->count ? "yes"
                                            : NULL);
    put_text(section, key_of(key, sizeof key, load->name, "how"), load->how);
}

/* ---- existing contents of the file ---- */

static const struct wtl_calibration_section *old_section(const struct wtl_calibrate *calibrate,
                                                         size_t item)
{
    const struct wtl_result *any = wtl_calibrate_any(calibrate);
    return calibrate->old && any->host ? wtl_calibration_find(calibrate->old, "pose", any->host,
                                                              wtl_calibrate_item(calibrate, item))
                                       : NULL;
}

/* Were they measured under the same conditions, as far as recorded? */
static bool is_same(const struct wtl_calibration_section *old, const struct section *now)
{
    static const char *const keys[] = {"cpu",     "cpus",      "contains", "sensor",
                                       "quality", "simulated", "governor", "epp",
                                       "turbo",   "min_khz",   "max_khz",  NULL};
    struct wtl_calibration_section section = {.entries = now->entries, .count = now->count};
    for (const char *const *key = keys; *key; key++) {
        const char *a = wtl_calibration_get(old, *key), *b = wtl_calibration_get(&section, *key);
        if ((a || b) && (!a || !b || strcmp(a, b) != 0))
            return false;
    }
    return true;
}

/* Keep an earlier load, with the date of its section. */
static void put_old(struct section *section,
                    const struct wtl_calibration_section *old,
                    const char *name)
{
    char date[64];
    size_t n = strlen(name);
    (void)key_of(date, sizeof date, name, "date");
    for (size_t i = 0; i < old->count; i++) {
        const struct wtl_calibration_entry *entry = &old->entries[i];
        if (strncmp(entry->key, name, n) == 0 && entry->key[n] == '_')
            put(section, entry->key, "%s", entry->value);
    }
    if (!wtl_calibration_get(old, date))
        put_text(section, date, wtl_calibration_get(old, "date"));
}

/* The section of an item, for free_section(). 0 or -ENOMEM. */
static int make_section(const struct wtl_calibrate *calibrate, size_t item, struct section *section)
{
    const struct wtl_calibration_section *old = old_section(calibrate, item);
    char key[64];
    *section = (struct section){.count = 0};
    put_conditions(section, calibrate, item, calibrate->threads);
    if (old && !is_same(old, section))
        old = NULL;
    for (size_t i = 0; i < WTL_CALIBRATE_LOADS; i++) {
        const struct wtl_calibrate_load *load = &calibrate->loads[i];
        struct wtl_calibrate_power power;
        if (wtl_calibrate_power_of(calibrate, load, item, &power))
            put_load(section, load, &power);
        else if (old && wtl_calibration_get(old, key_of(key, sizeof key, load->name, "w")))
            put_old(section, old, load->name);
        else if (load->asked && (load->why[0] || load->dropped_for[0]))
            put(section, "#", "%s: %s", load->name, load->why[0] ? load->why : load->dropped_for);
    }
    return section->failed ? -ENOMEM : 0;
}

static struct wtl_calibration_section named(const struct wtl_calibrate *calibrate,
                                            size_t item,
                                            const struct section *section)
{
    const struct wtl_result *any = wtl_calibrate_any(calibrate);
    return (struct wtl_calibration_section){.kind = "pose",
                                            .host = any->host ? any->host : "unknown",
                                            .item = wtl_calibrate_item(calibrate, item),
                                            .entries = section->entries,
                                            .count = section->count};
}

static bool has_floor(const struct wtl_calibration_section *section)
{
    char key[64];
    for (const char *const *name = wtl_pose_floor_names + 1; *name; name++) {
        if (wtl_calibration_get(section, key_of(key, sizeof key, *name, "w")))
            return true;
    }
    return false;
}

int wtl_calibrate_bounds(const struct wtl_calibrate *calibrate,
                         size_t item,
                         struct wtl_pose_bounds *ret_bounds,
                         struct wattle_error *err)
{
    struct section section;
    int rc = make_section(calibrate, item, &section);
    if (rc == 0) {
        static const char *const floors[] = {NULL, "omp_serial", "mpi_serial"};
        struct wtl_calibration_section whole = named(calibrate, item, &section);
        rc = wtl_pose_bounds_of(&whole, floors[0], ret_bounds, err);
        for (size_t i = 1; i < sizeof floors / sizeof *floors && rc == -ENOENT; i++)
            rc = wtl_pose_bounds_of(&whole, floors[i], ret_bounds, err);
        if (rc == -ENOENT)
            (void)wtl_fail(err, rc, "no load for %s was measured",
                           has_floor(&whole) ? "Pmax" : "Pmin");
    }
    free_section(&section);
    return rc;
}

bool wtl_calibrate_sound(const struct wtl_pose_bounds *bounds, char *why, size_t n)
{
    const struct wtl_pose_bound *pmin = &bounds->pmin, *pmax = &bounds->pmax;
    double gap_w = pmax->power_w - pmin->power_w, half_w = hypot(pmin->half_w, pmax->half_w);
    if (bounds->quality == WATTLE_ESTIMATED && strcmp(pmin->name, "omp_serial") != 0) {
        (void)snprintf(why, n,
                       "the estimate follows CPU load, which is the same for %s and %s, so Pmin "
                       "and Pmax cannot be distinguished",
                       pmin->name, pmax->name);
        return false;
    }
    if (gap_w > 0 && !(gap_w <= half_w))
        return true;
    (void)snprintf(why, n,
                   "Pmin and Pmax cannot be distinguished: %s draws %s W more than %s, +- %s W",
                   pmax->name, WTL_IN_FIGURES(gap_w, 4), pmin->name, WTL_IN_FIGURES(half_w, 2));
    return false;
}

/* ---- the file ---- */

/* Is there a file with higher precedence that also has this machine? */
static void look_for_others(struct wtl_calibrate *calibrate, const char *host)
{
    struct wtl_calibration *found = NULL;
    struct wattle_error none;
    char path[sizeof calibrate->hidden_by];
    calibrate->found_by_default =
        wtl_calibration_load(wtl_world_real(), NULL, "pose", host, "total", &found, path,
                             sizeof path, &none) == 0;
    wtl_calibration_destroy(found);
    if (!calibrate->found_by_default || strcmp(path, calibrate->path) == 0)
        return;
    calibrate->found_by_default = false;
    if (!calibrate->options.output)
        (void)snprintf(calibrate->hidden_by, sizeof calibrate->hidden_by, "%s", path);
}

static double devices_w(const struct wtl_result *idle)
{
    return wtl_share_devices_j(idle) / idle->wall_time_s;
}

/* Names of the channels that idle power is of. */
static void put_divided(struct section *section, const struct wtl_result *idle)
{
    char names[1024] = "";
    size_t used = 0;
    for (size_t i = 0; i < idle->energy_count && used < sizeof names; i++) {
        const struct wattle_channel *channel = &idle->channels[i].channel;
        if (channel->flags & WATTLE_CHANNEL_IN_TOTAL && !wtl_share_is_of_device(channel))
            used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", used ? " " : "",
                                     channel->name);
    }
    put_text(section, "sensor", names);
}

/* Idle power, as the baseline of shares (account/share_calibration.h): measured before the loads. False if the machine was
 * not idle, or its power is only estimated. */
static bool make_shares(const struct wtl_calibrate *calibrate, struct section *section)
{
    const struct wtl_result *idle = &calibrate->idle;
    *section = (struct section){.without_devices = true};
    if (!calibrate->has_idle || isnan(idle->total_w) || !(calibrate->busy_cpus <= WTL_IDLE_CPUS) ||
        idle->total.quality == WATTLE_ESTIMATED)
        return false;
    put_conditions(section, calibrate, 0, calibrate->online);
    put_divided(section, idle);
    put_number(section, "idle_w", idle->total_w - devices_w(idle));
    put_number(section, "idle_half_w",
               idle->wall_time_s > 0 ? idle->energy.half_j / idle->wall_time_s : (double)NAN);
    put_number(section, "idle_s", idle->wall_time_s);
    return true;
}

int wtl_calibrate_store(struct wtl_calibrate *calibrate, struct wattle_error *err)
{
    size_t count = 0, made = 0;
    while (wtl_calibrate_item(calibrate, count))
        count++;
    struct section *sections = calloc(count + 1, sizeof *sections);
    struct wtl_calibration_section *whole = calloc(count + 1, sizeof *whole);
    int rc = sections && whole ? 0 : -ENOMEM;
    for (; rc == 0 && made < count; made++) {
        rc = make_section(calibrate, made, &sections[made]);
        if (rc == 0)
            whole[made] = named(calibrate, made, &sections[made]);
    }
    if (rc == 0 && make_shares(calibrate, &sections[made])) {
        rc = sections[made].failed ? -ENOMEM : 0;
        whole[made] = named(calibrate, 0, &sections[made]);
        whole[made++].kind = WTL_SHARE_CALIBRATION_KIND;
    }
    if (rc < 0)
        (void)wtl_no_memory(err);
    rc = rc < 0 ? rc : wtl_calibration_store(calibrate->path, whole, made, err);
    calibrate->stored = rc == 0;
    if (rc == 0)
        look_for_others(calibrate, whole[0].host);
    for (size_t i = 0; i < made && sections; i++)
        free_section(&sections[i]);
    free(sections);
    free(whole);
    return rc;
}

/* ---- where it is stored ---- */

/* The nearest existing folder of a path. */
static void existing_folder(const char *path, char *buf, size_t n)
{
    (void)snprintf(buf, n, "%s", path);
    for (;;) {
        char *slash = strrchr(buf, '/');
        if (!slash) {
            (void)snprintf(buf, n, ".");
            return;
        }
        slash[slash == buf] = '\0';
        if (access(buf, F_OK) == 0 || strcmp(buf, "/") == 0)
            return;
    }
}

int wtl_calibration_place(const char *given, char *path, size_t n, struct wattle_error *err)
{
    const struct wtl_world *world = wtl_world_real();
    const char *other = world->ops->getenv(world, "WATTLE_CALIBRATION");
    if (given)
        (void)snprintf(path, n, "%s", given);
    else if (other && *other)
        (void)snprintf(path, n, "%s", other);
    else if (geteuid() == 0)
        (void)snprintf(path, n, "%s", wtl_calibration_system_path());
    else
        wtl_calibration_user_path(world, path, n);
    return path[0] ? 0
                   : wtl_fail(err, -ENOENT,
                              "HOME is not set, so there is no default place to store a "
                              "calibration; use --output FILE");
}

int wtl_calibrate_place(struct wtl_calibrate *calibrate, struct wattle_error *err)
{
    char target[PATH_MAX], folder[PATH_MAX], *text = NULL;
    struct stat about;
    size_t size = 0;
    int rc = wtl_calibration_place(calibrate->options.output, calibrate->path,
                                   sizeof calibrate->path, err);
    rc = rc < 0 ? rc : wtl_calibration_target(calibrate->path, target, sizeof target, err);
    if (rc < 0)
        return rc;
    existing_folder(target, folder, sizeof folder);
    bool here = access(target, F_OK) == 0;
    bool is_folder = stat(folder, &about) == 0 && S_ISDIR(about.st_mode);
    if (!is_folder)
        rc = -ENOTDIR;
    else if (access(folder, W_OK | X_OK) < 0 || (here && access(target, W_OK) < 0))
        rc = -errno;
    if (rc < 0)
        return wtl_fail(err, rc,
                        "cannot write %s: %s; nothing was run; choose another file with --output",
                        calibrate->path, wtl_strerror(rc));
    rc = here ? wtl_ini_load(wtl_world_real(), calibrate->path, &text, &size, err) : 0;
    if (rc == 0 && here)
        rc = wtl_calibration_text(calibrate->path, text, size, &calibrate->old, err);
    free(text);
    return rc;
}
