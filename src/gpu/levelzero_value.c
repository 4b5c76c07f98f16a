/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A card contains its packages and a package its tiles, each with an energy counter of its own: the outermost one that can
 * be read is the device's energy. Tiles are parts of it, as cores are of a package; the other domains are spare.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/grow.h"
#include "gpu/levelzero_value.h"

enum { PARTS_MAX = 64 }; /* of a kind, of a device */

/* What is read; key[0] of a channel. */
enum what {
    ENERGY,
    LIMIT,
    CLOCK,
    SLOWED_POWER,
    SLOWED_HEAT,
    SLOWED_OTHER,
    USE,
    TEMPERATURE,
    MEMORY
};

struct row {
    enum what what;
    const char *word;
    enum wattle_quantity quantity;
    enum wattle_kind kind;
    double scale;
    const char *call;
};

static const struct row energy = {ENERGY,         "energy", WATTLE_ENERGY,
                                  WATTLE_COUNTER, 1e-6,     "zesPowerGetEnergyCounter"};
static const struct row limit = {LIMIT,        "power_limit", WATTLE_POWER_LIMIT,
                                 WATTLE_GAUGE, 1e-3,          "zesPowerGetLimits"};

/* Parts with a kind of their own, by list. */
enum list { CLOCKS, ENGINES, SENSORS, MEMORIES };

static const struct {
    enum list list;
    uint32_t kinds; /* bits; of engines the first kind that is there */
    struct row row;
} rows[] = {
    {CLOCKS,
     1 << WTL_ZES_CLOCK_GPU,
     {CLOCK, "gpu_clock", WATTLE_FREQUENCY, WATTLE_GAUGE, 1e3, "zesFrequencyGetState"}},
    {CLOCKS,
     1 << WTL_ZES_CLOCK_MEMORY,
     {CLOCK, "memory_clock", WATTLE_FREQUENCY, WATTLE_GAUGE, 1e3, "zesFrequencyGetState"}},
    {CLOCKS,
     1 << WTL_ZES_CLOCK_GPU,
     {SLOWED_POWER, "slowed_power", WATTLE_RATIO, WATTLE_GAUGE, 1, "zesFrequencyGetState"}},
    {CLOCKS,
     1 << WTL_ZES_CLOCK_GPU,
     {SLOWED_HEAT, "slowed_heat", WATTLE_RATIO, WATTLE_GAUGE, 1, "zesFrequencyGetState"}},
    {CLOCKS,
     1 << WTL_ZES_CLOCK_GPU,
     {SLOWED_OTHER, "slowed_other", WATTLE_RATIO, WATTLE_GAUGE, 1, "zesFrequencyGetState"}},
    {ENGINES,
     1 << WTL_ZES_ENGINES_ALL | 1 << WTL_ZES_ENGINES_COMPUTE,
     {USE, "gpu_use", WATTLE_RATIO, WATTLE_GAUGE, 1e-6, "zesEngineGetActivity"}},
    {SENSORS,
     1 << WTL_ZES_SENSOR_GLOBAL | 1 << WTL_ZES_SENSOR_GPU,
     {TEMPERATURE, "temperature", WATTLE_TEMPERATURE, WATTLE_GAUGE, 1e-3,
      "zesTemperatureGetState"}},
    {SENSORS,
     1 << WTL_ZES_SENSOR_MEMORY,
     {TEMPERATURE, "memory_temperature", WATTLE_TEMPERATURE, WATTLE_GAUGE, 1e-3,
      "zesTemperatureGetState"}},
    {MEMORIES,
     UINT32_MAX,
     {MEMORY, "memory_used", WATTLE_BYTES, WATTLE_GAUGE, 1, "zesMemoryGetState"}},
};

int wtl_zes_error(int result)
{
    switch (result) {
    case 0:
        return 0;
    case WTL_ZE_LOST:
    case WTL_ZE_NEEDS_RESET:
    case WTL_ZE_UNINITIALIZED:
        return -ENODEV;
    case WTL_ZE_LOW_POWER:
    case WTL_ZE_NOT_AVAILABLE:
        return -ENODATA;
    case WTL_ZE_NO_PERMISSION:
        return -EACCES;
    case WTL_ZE_NO_DEPENDENCY:
    case WTL_ZE_UNSUPPORTED_VERSION:
    case WTL_ZE_UNSUPPORTED:
        return -ENOTSUP;
    default:
        return -EIO;
    }
}

/* One value of a power domain, clock ... */

static int limit_now(const struct wtl_zes_calls *calls, void *power, uint64_t *ret_mw)
{
    struct wtl_zes_power_limit list[8];
    struct wtl_zes_sustained_limit sustained = {0};
    uint32_t count = sizeof list / sizeof *list;
    for (uint32_t i = 0; i < count; i++)
        list[i] = (struct wtl_zes_power_limit){.type = WTL_ZES_POWER_LIMIT};
    int rc = calls->limits_ext ? wtl_zes_error(calls->limits_ext(power, &count, list)) : -ENOTSUP;
    for (uint32_t i = 0; rc == 0 && i < count && i < sizeof list / sizeof *list; i++)
        if (list[i].level == WTL_ZES_LEVEL_SUSTAINED && list[i].unit == WTL_ZES_UNIT_POWER &&
            list[i].limit_mw > 0) {
            *ret_mw = (uint64_t)list[i].limit_mw;
            return 0;
        }
    rc = calls->limits ? wtl_zes_error(calls->limits(power, &sustained, NULL, NULL)) : -ENOTSUP;
    if (rc == 0 && (!sustained.enabled || sustained.power_mw <= 0))
        rc = -ENOTSUP;
    if (rc == 0)
        *ret_mw = (uint64_t)sustained.power_mw;
    return rc;
}

static int clock_now(const struct wtl_zes_calls *calls,
                     void *clock,
                     enum what what,
                     uint64_t *ret_raw)
{
    const double kilo = 1e3, most_mhz = 1e5;
    struct wtl_zes_frequency_state state = {.type = WTL_ZES_FREQUENCY_STATE, .actual_mhz = -1};
    int rc = calls->clock_state ? wtl_zes_error(calls->clock_state(clock, &state)) : -ENOTSUP;
    if (rc < 0)
        return rc;
    if (what == SLOWED_POWER || what == SLOWED_HEAT || what == SLOWED_OTHER) {
        uint32_t mask = what == SLOWED_POWER  ? WTL_ZES_SLOWED_POWER
                        : what == SLOWED_HEAT ? WTL_ZES_SLOWED_HEAT
                                              : WTL_ZES_SLOWED_OTHER;
        *ret_raw = (state.reasons & mask) != 0;
        return 0;
    }
    if (!(state.actual_mhz >= 0 && state.actual_mhz < most_mhz))
        return -ENODATA;
    *ret_raw = (uint64_t)lround(kilo * state.actual_mhz);
    return 0;
}

/* The share of time since the previous read, in millionths. */
static int use_now(const struct wtl_zes_calls *calls, struct wtl_zes_part *part, uint64_t *ret_raw)
{
    const uint64_t all = 1000000;
    struct wtl_zes_engine_stats now = {0}, before = part->before;
    int rc = calls->activity ? wtl_zes_error(calls->activity(part->handle, &now)) : -ENOTSUP;
    if (rc < 0)
        return rc;
    part->before = now;
    if (before.time_us == 0 || now.time_us <= before.time_us || now.active_us < before.active_us)
        return -ENODATA;
    uint64_t active = now.active_us - before.active_us, time = now.time_us - before.time_us;
    *ret_raw = active >= time ? all : (uint64_t)((double)all * (double)active / (double)time);
    return 0;
}

static int temperature_now(const struct wtl_zes_calls *calls, void *sensor, uint64_t *ret_raw)
{
    const double milli = 1e3, most = 1e4;
    double celsius = NAN;
    int rc = calls->temperature ? wtl_zes_error(calls->temperature(sensor, &celsius)) : -ENOTSUP;
    if (rc == 0 && !(fabs(celsius) < most))
        rc = -ENODATA;
    if (rc == 0)
        *ret_raw = (uint64_t)(int64_t)llround(milli * celsius);
    return rc;
}

static int memory_now(const struct wtl_zes_calls *calls, void *memory, uint64_t *ret_raw)
{
    struct wtl_zes_memory_state state = {.type = WTL_ZES_MEMORY_STATE};
    int rc = calls->memory_state ? wtl_zes_error(calls->memory_state(memory, &state)) : -ENOTSUP;
    if (rc == 0 && (state.size == 0 || state.free > state.size))
        rc = -ENODATA;
    if (rc == 0)
        *ret_raw = state.size - state.free;
    return rc;
}

static int energy_now(const struct wtl_zes_calls *calls, void *power, uint64_t *ret_raw)
{
    struct wtl_zes_energy counter = {0};
    int rc = wtl_zes_error(calls->energy(power, &counter));
    if (rc == 0)
        *ret_raw = counter.energy_uj;
    return rc;
}

static int value_of(const struct wtl_zes_calls *calls,
                    struct wtl_zes_part *part,
                    enum what what,
                    uint64_t *ret_raw)
{
    switch (what) {
    case ENERGY:
        return energy_now(calls, part->handle, ret_raw);
    case LIMIT:
        return limit_now(calls, part->handle, ret_raw);
    case CLOCK:
    case SLOWED_POWER:
    case SLOWED_HEAT:
    case SLOWED_OTHER:
        return clock_now(calls, part->handle, what, ret_raw);
    case USE:
        return use_now(calls, part, ret_raw);
    case TEMPERATURE:
        return temperature_now(calls, part->handle, ret_raw);
    case MEMORY:
        return memory_now(calls, part->handle, ret_raw);
    default:
        return -ENOTSUP;
    }
}

int wtl_zes_value(const struct wtl_zes_calls *calls,
                  struct wtl_zes_parts *parts,
                  const struct wtl_gpu_channel *channel,
                  uint64_t *ret_raw)
{
    return value_of(calls, &parts->list[channel->key[1]], (enum what)channel->key[0], ret_raw);
}

/* Channels. */

struct target {
    const struct wtl_zes_calls *calls;
    void *device;
    int number;
    struct wtl_zes_parts *parts;
    struct wtl_gpu_list *list;
};

static bool has_channel(const struct target *to, const char *word, int sub)
{
    for (size_t i = 0; i < to->list->channel_count; i++) {
        const struct wtl_gpu_channel *channel = &to->list->channels[i];
        if (channel->device == to->number && channel->sub == sub &&
            strcmp(channel->word, word) == 0)
            return true;
    }
    return false;
}

/* A channel for a part that answers; ret_rc: what it answered otherwise. NULL: it is not added. */
static struct wtl_gpu_channel *add_channel(const struct target *to,
                                           void *handle,
                                           const struct row *row,
                                           int sub,
                                           int *ret_rc)
{
    uint64_t raw;
    struct wtl_zes_part part = {.handle = handle};
    *ret_rc = value_of(to->calls, &part, row->what, &raw);
    if ((*ret_rc < 0 && *ret_rc != -ENODATA) || has_channel(to, row->word, sub))
        return NULL;
    struct wtl_gpu_channel channel =
        wtl_gpu_channel_init(to->number, row->word, row->quantity, row->kind);
    channel.sub = sub;
    channel.scale = row->scale;
    channel.activity = row->what != ENERGY;
    channel.key[0] = row->what;
    channel.key[1] = to->parts->count;
    (void)snprintf(channel.location, sizeof channel.location, "%s %s", row->call,
                   to->list->devices[to->number].pci);
    if (wtl_grow(&to->parts->list, to->parts->count, sizeof part) < 0) {
        to->list->out_of_memory = true;
        return NULL;
    }
    to->parts->list[to->parts->count++] = part;
    int at = wtl_gpu_add_channel(to->list, &channel);
    return at < 0 ? NULL : &to->list->channels[at];
}

/* The handles of a list of parts: their number. */
static uint32_t parts_of(const struct target *to,
                         wtl_zes_list_fn *function,
                         void *handles[PARTS_MAX])
{
    uint32_t count = 0;
    if (!function || function(to->device, &count, NULL) != 0 || count == 0)
        return 0;
    count = count < PARTS_MAX ? count : PARTS_MAX;
    return function(to->device, &count, handles) == 0 && count <= PARTS_MAX ? count : 0;
}

struct domain {
    void *handle;
    uint32_t kind;
    int tile; /* or WTL_GPU_NO */
};

static size_t find_domains(const struct target *to, struct domain domains[PARTS_MAX + 1])
{
    void *handles[PARTS_MAX], *card = NULL;
    size_t count = parts_of(to, to->calls->powers, handles);
    bool listed = false;
    if (!to->calls->card_power || to->calls->card_power(to->device, &card) != 0)
        card = NULL;
    for (size_t i = 0; i < count; i++) {
        struct wtl_zes_power_extension extension = {.type = WTL_ZES_POWER_EXTENSION};
        struct wtl_zes_power_properties properties = {.type = WTL_ZES_POWER_PROPERTIES,
                                                      .next = &extension};
        if (to->calls->power(handles[i], &properties) != 0)
            memset(&properties, 0, sizeof properties);
        domains[i] = (struct domain){handles[i], extension.domain, WTL_GPU_NO};
        if (properties.on_subdevice)
            domains[i].tile = (int)properties.subdevice_id;
        if (handles[i] == card && card) {
            listed = true;
            domains[i].kind = WTL_ZES_DOMAIN_CARD;
        }
    }
    if (card && !listed)
        domains[count++] = (struct domain){card, WTL_ZES_DOMAIN_CARD, WTL_GPU_NO};
    return count;
}

/* Outermost first; what is not of the whole device is not among them. */
static int rank_of(const struct domain *domain)
{
    if (domain->tile != WTL_GPU_NO)
        return 0;
    switch (domain->kind) {
    case WTL_ZES_DOMAIN_CARD:
        return 3;
    case WTL_ZES_DOMAIN_PACKAGE:
        return 2;
    case WTL_ZES_DOMAIN_UNKNOWN:
        return 1; /* drivers before the extension: the only one */
    default:
        return 0;
    }
}

/* The energy of the whole device: the outermost domain whose counter can be read, or NULL. */
static const struct domain *whole_of(const struct target *to,
                                     const struct domain *domains,
                                     size_t count,
                                     int *ret_rc)
{
    const struct domain *whole = NULL;
    *ret_rc = -ENOTSUP;
    for (size_t i = 0; i < count; i++) {
        uint64_t raw;
        int rc =
            rank_of(&domains[i]) == 0 ? -ENOTSUP : energy_now(to->calls, domains[i].handle, &raw);
        if (rc == 0 && (!whole || rank_of(&domains[i]) > rank_of(whole)))
            whole = &domains[i];
        if (rc < 0 && rc != -ENOTSUP)
            *ret_rc = rc;
    }
    return whole;
}

static void add_energy(const struct target *to, const struct domain *domain, bool spare)
{
    static const char *const inner[] = {
        [WTL_ZES_DOMAIN_UNKNOWN] = "energy",         [WTL_ZES_DOMAIN_CARD] = "card_energy",
        [WTL_ZES_DOMAIN_PACKAGE] = "package_energy", [WTL_ZES_DOMAIN_STACK] = "energy",
        [WTL_ZES_DOMAIN_MEMORY] = "memory_energy",   [WTL_ZES_DOMAIN_GPU] = "core_energy"};
    const double transients = 2, milli = 1e-3; /* above the limit, for a moment */
    struct row row = energy;
    uint64_t limit_mw = 0;
    int rc;
    if (spare)
        row.word =
            domain->kind < sizeof inner / sizeof *inner ? inner[domain->kind] : "other_energy";
    struct wtl_gpu_channel *channel = add_channel(to, domain->handle, &row, domain->tile, &rc);
    if (!channel)
        return;
    channel->spare = spare;
    if (domain->kind == WTL_ZES_DOMAIN_MEMORY)
        channel->domain = WATTLE_DOMAIN_GPU_MEMORY;
    if (limit_now(to->calls, domain->handle, &limit_mw) == 0)
        channel->max_w = transients * milli * (double)limit_mw;
}

/* Without a counter of the whole, the tiles are the device if all of them have one. */
static void add_tiles(const struct target *to,
                      const struct domain *domains,
                      size_t count,
                      uint32_t subdevices,
                      int rc)
{
    uint32_t tiles = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t raw;
        bool stack = domains[i].kind == WTL_ZES_DOMAIN_STACK ||
                     domains[i].kind == WTL_ZES_DOMAIN_UNKNOWN ||
                     domains[i].kind == WTL_ZES_DOMAIN_PACKAGE;
        if (domains[i].tile == WTL_GPU_NO || !stack ||
            energy_now(to->calls, domains[i].handle, &raw) < 0)
            continue;
        add_energy(to, &domains[i], false);
        tiles++;
    }
    if (tiles == 0)
        wtl_gpu_note(to->list, "gpu-%d: energy: %s", to->number,
                     rc == -ENOTSUP  ? "no counter"
                     : rc == -EACCES ? "no permission; run as root or use wattled"
                                     : wtl_strerror(rc));
    else if (tiles < subdevices)
        wtl_gpu_note(to->list, "gpu-%d: energy of %u of %u tiles; the rest is not measured",
                     to->number, tiles, subdevices);
}

static void add_powers(const struct target *to, uint32_t subdevices)
{
    struct domain domains[PARTS_MAX + 1];
    int rc;
    size_t count = find_domains(to, domains);
    const struct domain *whole = whole_of(to, domains, count, &rc);
    if (!whole) {
        add_tiles(to, domains, count, subdevices, rc);
        return;
    }
    add_energy(to, whole, false);
    for (size_t i = 0; i < count; i++)
        if (&domains[i] != whole)
            add_energy(to, &domains[i],
                       domains[i].tile == WTL_GPU_NO || domains[i].kind == WTL_ZES_DOMAIN_MEMORY ||
                           domains[i].kind == WTL_ZES_DOMAIN_GPU);
    (void)add_channel(to, whole->handle, &limit, WTL_GPU_NO, &rc); /* many devices have no limit */
}

static void add_parts(const struct target *to,
                      enum list which,
                      wtl_zes_list_fn *list_of,
                      wtl_zes_part_fn *properties_of)
{
    void *handles[PARTS_MAX];
    uint32_t count = properties_of ? parts_of(to, list_of, handles) : 0;
    for (uint32_t i = 0; i < count; i++) {
        static const uint32_t types[] = {[CLOCKS] = WTL_ZES_FREQUENCY_PROPERTIES,
                                         [ENGINES] = WTL_ZES_ENGINE_PROPERTIES,
                                         [SENSORS] = WTL_ZES_TEMPERATURE_PROPERTIES,
                                         [MEMORIES] = WTL_ZES_MEMORY_PROPERTIES};
        struct wtl_zes_part_properties properties = {.type = types[which]};
        if (properties_of(handles[i], &properties) != 0 || properties.kind >= 32)
            continue;
        int sub = properties.on_subdevice ? (int)properties.subdevice_id : WTL_GPU_NO, rc;
        for (size_t row = 0; row < sizeof rows / sizeof *rows; row++)
            if (rows[row].list == which && rows[row].kinds >> properties.kind & 1)
                (void)add_channel(to, handles[i], &rows[row].row, sub,
                                  &rc); /* activity: missing is missing */
    }
}

int wtl_zes_add_channels(const struct wtl_zes_calls *calls,
                         void *device,
                         int number,
                         uint32_t subdevices,
                         struct wtl_zes_parts *parts,
                         struct wtl_gpu_list *list)
{
    const struct target to = {calls, device, number, parts, list};
    add_powers(&to, subdevices);
    add_parts(&to, CLOCKS, calls->clocks, calls->clock);
    add_parts(&to, ENGINES, calls->engines, calls->engine);
    add_parts(&to, SENSORS, calls->sensors, calls->sensor);
    add_parts(&to, MEMORIES, calls->memories, calls->memory);
    return list->out_of_memory ? -ENOMEM : 0;
}
