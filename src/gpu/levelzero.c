/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Intel GPUs, by Sysman of Level Zero. zesInit opens Sysman alone; with a loader that does not have it (before 1.13 or so), or a
 * driver that does not, the whole of Level Zero is opened with ZES_ENABLE_SYSMAN=1, whose devices are Sysman's. Facts: docs/dev/gpu-libraries.md.
 */
#define _POSIX_C_SOURCE 200809L
#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/config/visible_devices.h"
#include "base/fail.h"
#include "base/grow.h"
#include "gpu/levelzero_value.h"

enum { MOST = 64 }; /* drivers; devices of one */

static struct wtl_zes_calls calls;
static struct {
    void *handle;
    void **devices; /* by number in the list, grown with wtl_grow() */
    size_t count;
    struct wtl_zes_parts parts;
    bool alone; /* Sysman by itself */
} opened;

static const struct wtl_gpu_symbol symbols[] = {
    {.name = "zesDeviceGetProperties", .into = &calls.device},
    {.name = "zesDevicePciGetProperties", .into = &calls.pci},
    {.name = "zesDeviceEnumPowerDomains", .into = &calls.powers},
    {.name = "zesPowerGetProperties", .into = &calls.power},
    {.name = "zesPowerGetEnergyCounter", .into = &calls.energy},
    {.name = "zesDeviceGetCardPowerDomain", .into = &calls.card_power, .optional = true},
    {.name = "zesPowerGetLimits", .into = &calls.limits, .optional = true},
    {.name = "zesPowerGetLimitsExt", .into = &calls.limits_ext, .optional = true},
    {.name = "zesDeviceEnumFrequencyDomains", .into = &calls.clocks, .optional = true},
    {.name = "zesFrequencyGetProperties", .into = &calls.clock, .optional = true},
    {.name = "zesFrequencyGetState", .into = &calls.clock_state, .optional = true},
    {.name = "zesDeviceEnumEngineGroups", .into = &calls.engines, .optional = true},
    {.name = "zesEngineGetProperties", .into = &calls.engine, .optional = true},
    {.name = "zesEngineGetActivity", .into = &calls.activity, .optional = true},
    {.name = "zesDeviceEnumTemperatureSensors", .into = &calls.sensors, .optional = true},
    {.name = "zesTemperatureGetProperties", .into = &calls.sensor, .optional = true},
    {.name = "zesTemperatureGetState", .into = &calls.temperature, .optional = true},
    {.name = "zesDeviceEnumMemoryModules", .into = &calls.memories, .optional = true},
    {.name = "zesMemoryGetProperties", .into = &calls.memory, .optional = true},
    {.name = "zesMemoryGetState", .into = &calls.memory_state, .optional = true},
    {.name = "zesDeviceProcessesGetState", .into = &calls.processes, .optional = true},
    {0},
};

static const struct wtl_gpu_symbol sysman_start[] = {
    {.name = "zesInit", .into = &calls.init, .optional = true},
    {.name = "zesDriverGet", .into = &calls.drivers, .optional = true},
    {.name = "zesDeviceGet", .into = &calls.devices, .optional = true},
    {0},
};

static const struct wtl_gpu_symbol core_start[] = {
    {.name = "zeInit", .into = &calls.init},
    {.name = "zeDriverGet", .into = &calls.drivers},
    {.name = "zeDeviceGet", .into = &calls.devices},
    {0},
};

static int use_core(struct wattle_error *err)
{
    int rc = wtl_gpu_symbols(&wtl_gpu_levelzero, opened.handle, core_start, err);
    opened.alone = false;
    if (rc == 0 && setenv("ZES_ENABLE_SYSMAN", "1", 1) < 0)
        rc = wtl_no_memory(err);
    return rc;
}

static int find_functions(struct wattle_error *err)
{
    int rc = wtl_gpu_symbols(&wtl_gpu_levelzero, opened.handle, symbols, err);
    if (rc == 0)
        rc = wtl_gpu_symbols(&wtl_gpu_levelzero, opened.handle, sysman_start, err);
    opened.alone = rc == 0 && calls.init && calls.drivers && calls.devices;
    return rc < 0 || opened.alone ? rc : use_core(err);
}

static int start(struct wattle_error *err)
{
    int result = calls.init(0), rc = wtl_zes_error(result);
    if (rc < 0 && rc != -EACCES && opened.alone && use_core(NULL) == 0) {
        result = calls.init(0);
        rc = wtl_zes_error(result);
    }
    switch (rc) {
    case 0:
        return 0;
    case -EACCES:
        return wtl_fail(err, rc, "levelzero: no permission; join the group render, or use wattled");
    case -ENOTSUP:
        return wtl_fail(
            err, rc,
            "levelzero: the driver does not support Sysman (result 0x%x); install a newer "
            "intel-level-zero-gpu",
            (unsigned)result);
    default:
        return wtl_fail(
            err, -ENODEV,
            "levelzero: no driver for a GPU (result 0x%x); install intel-level-zero-gpu",
            (unsigned)result);
    }
}

static void write_uuid(char *text, size_t n, const uint8_t id[16])
{
    size_t at = 0;
    for (size_t i = 0; i < 16 && at + 3 < n; i++)
        at += (size_t)snprintf(text + at, n - at, "%s%02x",
                               i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", (unsigned)id[i]);
}

static int add_device(void *handle, struct wtl_gpu_list *list)
{
    struct wtl_zes_device_properties properties = {.type = WTL_ZES_DEVICE_PROPERTIES,
                                                   .core.type = WTL_ZE_DEVICE_PROPERTIES};
    struct wtl_zes_pci_properties pci = {.type = WTL_ZES_PCI_PROPERTIES};
    int rc = wtl_zes_error(calls.device(handle, &properties));
    if (rc == 0 && properties.core.device_type != WTL_ZE_TYPE_GPU)
        return 0; /* an NPU or the like */
    if (rc == 0)
        rc = wtl_zes_error(calls.pci(handle, &pci));
    int number = (int)list->device_count;
    if (rc < 0) {
        wtl_gpu_note(list, "gpu-%d: cannot be described: %s", number, wtl_strerror(rc));
        return rc;
    }
    struct wtl_gpu_device device = wtl_gpu_device_init();
    write_uuid(device.uuid, sizeof device.uuid, properties.core.uuid);
    (void)snprintf(device.pci, sizeof device.pci, "%04x:%02x:%02x.%x", pci.domain & 0xffff,
                   pci.bus & 0xff, pci.device & 0x1f, pci.function & 7);
    (void)snprintf(device.name, sizeof device.name, "%.95s",
                   properties.core.name[0] ? properties.core.name : properties.model);
    if (number == 0)
        (void)snprintf(list->library, sizeof list->library, "Sysman, driver %.63s",
                       properties.driver);
    for (int i = 0; i < number; i++)
        if (strcmp(list->devices[i].pci, device.pci) == 0)
            return 0; /* of two drivers */
    device.numa = wtl_gpu_numa_of(device.pci);
    device.asleep = wtl_gpu_is_asleep(device.pci);
    const struct wtl_visible_devices visible = wtl_visible_devices();
    device.hidden = !wtl_visible_to_levelzero(&visible, number);
    if (wtl_grow(&opened.devices, opened.count, sizeof *opened.devices) < 0 ||
        wtl_gpu_add_device(list, &device) < 0)
        return -ENOMEM;
    opened.devices[opened.count++] = handle;
    if (device.asleep) {
        wtl_gpu_note(list,
                     "gpu-%d: asleep and not woken; it is measured when it is awake at the start",
                     number);
        return 0;
    }
    return wtl_zes_add_channels(&calls, handle, number, properties.subdevices, &opened.parts, list);
}

static int list_devices(struct wtl_gpu_list *list, struct wattle_error *err)
{
    void *drivers[MOST], *devices[MOST];
    uint32_t driver_count = MOST;
    int failed = 0, rc = wtl_zes_error(calls.drivers(&driver_count, drivers));
    for (uint32_t i = 0; rc == 0 && i < driver_count && i < MOST; i++) {
        uint32_t count = MOST;
        rc = wtl_zes_error(calls.devices(drivers[i], &count, devices));
        for (uint32_t k = 0; rc == 0 && k < count && k < MOST; k++) {
            int now = add_device(devices[k], list);
            if (now == -ENOMEM)
                return wtl_no_memory(err);
            failed = now < 0 ? now : failed;
        }
    }
    if (list->device_count > 0)
        return 0; /* those that are there are measured; the others have notes */
    rc = rc < 0 ? rc : failed < 0 ? failed : -ENODEV;
    return wtl_fail(err, rc, "levelzero: no GPU can be used: %s",
                    rc == -ENODEV ? "none found" : wtl_strerror(rc));
}

static void levelzero_close(void)
{
    free(opened.devices);
    free(opened.parts.list);
    if (opened.handle)
        (void)dlclose(opened.handle); /* Sysman has no call that ends it */
    memset(&opened, 0, sizeof opened);
    memset(&calls, 0, sizeof calls);
}

static int levelzero_open(const char *library, struct wtl_gpu_list *list, struct wattle_error *err)
{
    int rc = wtl_gpu_library(&wtl_gpu_levelzero, library, &opened.handle, err);
    if (rc < 0)
        return rc;
    rc = find_functions(err);
    if (rc == 0)
        rc = start(err);
    if (rc == 0)
        rc = list_devices(list, err);
    if (rc < 0)
        levelzero_close();
    return rc;
}

static int levelzero_read(const struct wtl_gpu_list *list, size_t channel, uint64_t *ret_raw)
{
    const struct wtl_gpu_channel *from = &list->channels[channel];
    if (!opened.handle)
        return -ENODEV;
    if (wtl_gpu_is_asleep(list->devices[from->device].pci)) /* reading would wake it */
        return -ENODATA;
    return wtl_zes_value(&calls, &opened.parts, from, ret_raw);
}

/* Memory and engines of each process; the share of time is not told. */
static int levelzero_processes(const struct wtl_gpu_list *list,
                               size_t device,
                               struct wtl_gpu_processes *ret)
{
    enum { SPARE = 16, PROCESSES_MAX = 100000 }; /* processes that start meanwhile */
    uint32_t count = 0;
    (void)list;
    if (!calls.processes || device >= opened.count)
        return -ENOTSUP;
    int rc = wtl_zes_error(calls.processes(opened.devices[device], &count, NULL));
    if (rc < 0 || count == 0)
        return rc;
    if (count > PROCESSES_MAX)
        return -EOVERFLOW;
    count += SPARE;
    uint32_t room = count;
    struct wtl_zes_process *states = calloc(room, sizeof *states);
    if (!states)
        return -ENOMEM;
    for (uint32_t i = 0; i < room; i++)
        states[i].type = WTL_ZES_PROCESS_STATE;
    rc = wtl_zes_error(calls.processes(opened.devices[device], &count, states));
    for (uint32_t i = 0; rc == 0 && i < count && i < room; i++) {
        rc = wtl_grow(&ret->list, ret->count, sizeof *ret->list);
        if (rc == 0)
            ret->list[ret->count++] = (struct wtl_gpu_process){
                .pid = (long)states[i].pid, .used = -1, .memory = states[i].memory};
    }
    free(states);
    return rc;
}

const struct wtl_gpu_backend wtl_gpu_levelzero = {
    .name = "levelzero",
    .needs = "Intel's packages level-zero and intel-level-zero-gpu",
    .libraries = {"libze_loader.so.1"},
    .open = levelzero_open,
    .read = levelzero_read,
    .processes = levelzero_processes,
    .close = levelzero_close};
