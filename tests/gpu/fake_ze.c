/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A fake Level Zero loader. Keys: init, zesinit (of Sysman alone), devices, and per device N: N.properties (a result), N.type, N.name, N.pci ("domain
 * bus device function"), N.subdevices, N.card (number of the power domain that is the card's, or "separate"), N.processes
 * ("pid bytes pid bytes"), and the parts of each list: N.powers COUNT with N.power.I.energy .domain .tile .limit .sustained
 * (separate: I is "card"), N.clocks with N.clock.I.kind .tile .mhz .reasons, N.engines with N.engine.I.kind .tile .active
 * .time, N.sensors with N.sensor.I.kind .celsius, N.memories with N.memory.I.kind .tile .free .size. Compiled with FAKE_OLD it
 * is a loader without zesInit.
 */
#include "gpu/fake_values.h"
#include "gpu/levelzero_api.h"

#define EXPORT __attribute__((visibility("default")))

enum { INVALID = 0x78000004, CARD = 0x800, UNKNOWN_DRIVER = 0x1 };

/* Handles: device + 1 in bits 16 and up, below 1 + the number of the part. */
static unsigned device_of(const void *handle)
{
    return (unsigned)((uintptr_t)handle >> 16) - 1;
}

static unsigned part_of(const void *handle)
{
    return (unsigned)((uintptr_t)handle & 0xffff) - 1;
}

static void *handle_of(unsigned device, unsigned part)
{
    return (void *)(((uintptr_t)device + 1) << 16 | (part + 1));
}

static struct fake_value of_part(const void *handle, const char *list, const char *what)
{
    if (part_of(handle) == CARD)
        return fake_value("%u.%s.card.%s", device_of(handle), list, what);
    return fake_value("%u.%s.%u.%s", device_of(handle), list, part_of(handle), what);
}

static int start(void)
{
    return fake_value("init").status;
}

static int drivers(uint32_t *count, void **list)
{
    if (list && *count > 0)
        list[0] = (void *)(uintptr_t)UNKNOWN_DRIVER;
    *count = 1;
    return 0;
}

static int devices(uint32_t *count, void **list)
{
    uint32_t n = (uint32_t)fake_value("devices").whole;
    for (uint32_t i = 0; list && i < n && i < *count; i++)
        list[i] = handle_of(i, 0);
    *count = n;
    return fake_value("devices").status;
}

EXPORT int zeInit(uint32_t flags)
{
    const char *sysman = getenv("ZES_ENABLE_SYSMAN");
    (void)flags;
    return sysman && strcmp(sysman, "1") == 0 ? start() : INVALID;
}

EXPORT int zeDriverGet(uint32_t *count, void **list)
{
    return drivers(count, list);
}

EXPORT int zeDeviceGet(void *driver, uint32_t *count, void **list)
{
    (void)driver;
    return devices(count, list);
}
#ifndef FAKE_OLD
EXPORT int zesInit(uint32_t flags)
{
    (void)flags;
    int status = fake_value("zesinit").status;
    return status ? status : start();
}

EXPORT int zesDriverGet(uint32_t *count, void **list)
{
    return drivers(count, list);
}

EXPORT int zesDeviceGet(void *driver, uint32_t *count, void **list)
{
    (void)driver;
    return devices(count, list);
}

EXPORT int zesPowerGetLimitsExt(void *power, uint32_t *count, struct wtl_zes_power_limit *list)
{
    struct fake_value limit = of_part(power, "power", "limit");
    if (limit.known && *count >= 2 && list[0].type == WTL_ZES_POWER_LIMIT) {
        list[0].level = 3; /* peak, in amperes */
        list[0].unit = 1;
        list[0].limit_mw = 1;
        list[1].level = WTL_ZES_LEVEL_SUSTAINED;
        list[1].unit = WTL_ZES_UNIT_POWER;
        list[1].limit_mw = (int32_t)limit.whole;
    }
    *count = limit.known ? 2 : 0;
    return limit.status;
}
#endif

EXPORT int zesDeviceGetProperties(void *device, struct wtl_zes_device_properties *ret)
{
    unsigned number = device_of(device);
    struct fake_value type = fake_value("%u.type", number);
    if (ret->type != WTL_ZES_DEVICE_PROPERTIES || ret->core.type != WTL_ZE_DEVICE_PROPERTIES)
        return INVALID;
    ret->core.device_type = type.known ? (uint32_t)type.whole : 1;
    for (unsigned i = 0; i < 16; i++)
        ret->core.uuid[i] = (uint8_t)(16 * number + i);
    (void)snprintf(ret->core.name, sizeof ret->core.name, "%s", fake_value("%u.name", number).text);
    ret->subdevices = (uint32_t)fake_value("%u.subdevices", number).whole;
    (void)snprintf(ret->driver, sizeof ret->driver, "1.6.33578");
    return fake_value("%u.properties", number).status;
}

EXPORT int zesDevicePciGetProperties(void *device, struct wtl_zes_pci_properties *ret)
{
    struct fake_value value = fake_value("%u.pci", device_of(device));
    char *at = value.text;
    if (ret->type != WTL_ZES_PCI_PROPERTIES)
        return INVALID;
    ret->domain = (uint32_t)strtoul(at, &at, 0);
    ret->bus = (uint32_t)strtoul(at, &at, 0);
    ret->device = (uint32_t)strtoul(at, &at, 0);
    ret->function = (uint32_t)strtoul(at, &at, 0);
    return value.status;
}

static int parts(void *device, const char *list, uint32_t *count, void **handles)
{
    struct fake_value value = fake_value("%u.%s", device_of(device), list);
    uint32_t n = (uint32_t)value.whole;
    for (uint32_t i = 0; handles && i < n && i < *count; i++)
        handles[i] = handle_of(device_of(device), i);
    *count = n;
    return value.status;
}

EXPORT int zesDeviceEnumPowerDomains(void *device, uint32_t *count, void **list)
{
    return parts(device, "powers", count, list);
}

EXPORT int zesDeviceGetCardPowerDomain(void *device, void **ret)
{
    struct fake_value value = fake_value("%u.card", device_of(device));
    bool separate = strcmp(value.text, "separate") == 0;
    *ret = handle_of(device_of(device), separate ? CARD : (unsigned)value.whole);
    return fake_status(&value, WTL_ZE_UNSUPPORTED);
}

EXPORT int zesPowerGetProperties(void *power, struct wtl_zes_power_properties *ret)
{
    struct fake_value tile = of_part(power, "power", "tile"),
                      domain = of_part(power, "power", "domain");
    struct wtl_zes_power_extension *extension = ret->next;
    if (ret->type != WTL_ZES_POWER_PROPERTIES)
        return INVALID;
    ret->on_subdevice = tile.known;
    ret->subdevice_id = (uint32_t)tile.whole;
    if (extension && extension->type == WTL_ZES_POWER_EXTENSION)
        extension->domain = (uint32_t)domain.whole;
    return 0;
}

EXPORT int zesPowerGetEnergyCounter(void *power, struct wtl_zes_energy *ret)
{
    struct fake_value value = of_part(power, "power", "energy");
    ret->energy_uj = value.whole;
    ret->time_us = 1;
    return fake_status(&value, WTL_ZE_UNSUPPORTED);
}

EXPORT int zesPowerGetLimits(void *power,
                             struct wtl_zes_sustained_limit *ret,
                             void *burst,
                             void *peak)
{
    struct fake_value value = of_part(power, "power", "sustained");
    if (burst || peak)
        return INVALID;
    ret->enabled = value.known;
    ret->power_mw = (int32_t)value.whole;
    return fake_status(&value, WTL_ZE_UNSUPPORTED);
}

static int properties(void *part,
                      const char *list,
                      uint32_t type,
                      struct wtl_zes_part_properties *ret)
{
    struct fake_value tile = of_part(part, list, "tile");
    if (ret->type != type)
        return INVALID;
    ret->kind = (uint32_t)of_part(part, list, "kind").whole;
    ret->on_subdevice = tile.known;
    ret->subdevice_id = (uint32_t)tile.whole;
    return 0;
}

EXPORT int zesDeviceEnumFrequencyDomains(void *device, uint32_t *count, void **list)
{
    return parts(device, "clocks", count, list);
}

EXPORT int zesFrequencyGetProperties(void *part, struct wtl_zes_part_properties *ret)
{
    return properties(part, "clock", WTL_ZES_FREQUENCY_PROPERTIES, ret);
}

EXPORT int zesFrequencyGetState(void *part, struct wtl_zes_frequency_state *ret)
{
    struct fake_value value = of_part(part, "clock", "mhz");
    ret->actual_mhz = value.real;
    ret->reasons = (uint32_t)of_part(part, "clock", "reasons").whole;
    return ret->type == WTL_ZES_FREQUENCY_STATE ? fake_status(&value, WTL_ZE_UNSUPPORTED) : INVALID;
}

EXPORT int zesDeviceEnumEngineGroups(void *device, uint32_t *count, void **list)
{
    return parts(device, "engines", count, list);
}

EXPORT int zesEngineGetProperties(void *part, struct wtl_zes_part_properties *ret)
{
    return properties(part, "engine", WTL_ZES_ENGINE_PROPERTIES, ret);
}

EXPORT int zesEngineGetActivity(void *part, struct wtl_zes_engine_stats *ret)
{
    struct fake_value value = of_part(part, "engine", "active");
    ret->active_us = value.whole;
    ret->time_us = of_part(part, "engine", "time").whole;
    return fake_status(&value, WTL_ZE_UNSUPPORTED);
}

EXPORT int zesDeviceEnumTemperatureSensors(void *device, uint32_t *count, void **list)
{
    return parts(device, "sensors", count, list);
}

EXPORT int zesTemperatureGetProperties(void *part, struct wtl_zes_part_properties *ret)
{
    return properties(part, "sensor", WTL_ZES_TEMPERATURE_PROPERTIES, ret);
}

EXPORT int zesTemperatureGetState(void *part, double *ret)
{
    struct fake_value value = of_part(part, "sensor", "celsius");
    *ret = value.real;
    return fake_status(&value, WTL_ZE_UNSUPPORTED);
}

EXPORT int zesDeviceEnumMemoryModules(void *device, uint32_t *count, void **list)
{
    return parts(device, "memories", count, list);
}

EXPORT int zesMemoryGetProperties(void *part, struct wtl_zes_part_properties *ret)
{
    return properties(part, "memory", WTL_ZES_MEMORY_PROPERTIES, ret);
}

EXPORT int zesMemoryGetState(void *part, struct wtl_zes_memory_state *ret)
{
    struct fake_value value = of_part(part, "memory", "free");
    ret->free = value.whole;
    ret->size = of_part(part, "memory", "size").whole;
    return ret->type == WTL_ZES_MEMORY_STATE ? fake_status(&value, WTL_ZE_UNSUPPORTED) : INVALID;
}

EXPORT int zesDeviceProcessesGetState(void *device, uint32_t *count, struct wtl_zes_process *list)
{
    struct fake_value value = fake_value("%u.processes", device_of(device));
    uint32_t n = 0, pid;
    for (char *at = value.text; (pid = (uint32_t)strtoul(at, &at, 10)) != 0; n++) {
        uint64_t memory = strtoull(at, &at, 10);
        if (!list || n >= *count)
            continue;
        if (list[n].type != WTL_ZES_PROCESS_STATE)
            return INVALID;
        list[n].pid = pid;
        list[n].memory = memory;
    }
    *count = n;
    return fake_status(&value, WTL_ZE_UNSUPPORTED);
}
