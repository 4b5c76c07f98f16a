/* SPDX-License-Identifier: BSD-3-Clause */
/* ROCm SMI (librocm_smi64.so), the library of ROCm up to 7: see amd.h. Devices are numbered; no structure but that of
 * clocks and processes is shared with the library. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/grow.h"
#include "gpu/amd.h"
#include "gpu/rocm_smi_api.h"

enum { MAX_CLOCKS = 33 };

static struct wtl_rsmi_calls call;

static float resolution_uj;

static const struct wtl_gpu_symbol symbols[] = {
    {.name = "rsmi_init", .into = &call.init},
    {.name = "rsmi_shut_down", .into = &call.shut_down},
    {.name = "rsmi_num_monitor_devices", .into = &call.count},
    {.name = "rsmi_dev_pci_id_get", .into = &call.pci},
    {.name = "rsmi_version_get", .into = &call.version, .optional = true},
    {.name = "rsmi_dev_unique_id_get", .into = &call.unique, .optional = true},
    {.name = "rsmi_dev_name_get", .into = &call.name, .optional = true},
    {.name = "rsmi_dev_energy_count_get", .into = &call.energy, .optional = true},
    {.name = "rsmi_dev_power_get", .into = &call.power, .optional = true},
    {.name = "rsmi_dev_power_ave_get", .into = &call.mean_power, .optional = true},
    {.name = "rsmi_dev_power_cap_get", .into = &call.limit, .optional = true},
    {.name = "rsmi_dev_busy_percent_get", .into = &call.busy, .optional = true},
    {.name = "rsmi_dev_memory_busy_percent_get", .into = &call.memory_busy, .optional = true},
    {.name = "rsmi_dev_memory_usage_get", .into = &call.memory_used, .optional = true},
    {.name = "rsmi_dev_gpu_clk_freq_get", .into = &call.clock, .optional = true},
    {.name = "rsmi_dev_temp_metric_get", .into = &call.temperature, .optional = true},
    {.name = "rsmi_minmax_bandwidth_get", .into = &call.link, .optional = true},
    {.name = "rsmi_compute_process_info_get", .into = &call.process_list, .optional = true},
    {.name = "rsmi_compute_process_gpus_get", .into = &call.process_devices, .optional = true},
    {0},
};

static int error_of(int status)
{
    switch (status) {
    case 0:
        return 0;
    case WTL_RSMI_NOT_SUPPORTED:
    case WTL_RSMI_NOT_YET:
        return -ENOTSUP;
    case WTL_RSMI_PERMISSION:
        return -EACCES;
    case WTL_RSMI_FILE_ERROR: /* a file of sysfs that cannot be read: rocm.c looks whether the device is still there */
    case WTL_RSMI_NOT_FOUND:
        return -ENODEV;
    case WTL_RSMI_NO_DATA:
    case WTL_RSMI_BUSY:
        return -ENODATA;
    default:
        return -EIO;
    }
}

static int rsmi_open(const struct wtl_gpu_backend *backend,
                     void *handle,
                     struct wtl_gpu_list *list,
                     size_t *ret_count,
                     struct wattle_error *err)
{
    uint32_t count = 0, version[16] = {0};
    int rc = wtl_gpu_symbols(backend, handle, symbols, err);
    if (rc < 0)
        return rc;
    int status = call.init(0);
    if (status == WTL_RSMI_PERMISSION)
        return wtl_fail(
            err, -EACCES,
            "ROCm SMI: no permission; join the groups render and video, or use wattled");
    if (status != 0)
        return wtl_fail(err, -ENODEV,
                        "ROCm SMI: rsmi_init failed (status %d): no AMD GPU, or the amdgpu driver "
                        "is not loaded",
                        status);
    status = call.count(&count);
    if (status != 0 || count == 0) {
        (void)call.shut_down(); /* it answers or it does not */
        return wtl_fail(err, -ENODEV, "ROCm SMI: no AMD GPU (status %d)", status);
    }
    bool known =
        call.version && call.version(version) == 0; /* major, minor, patch, then a pointer */
    (void)snprintf(list->library, sizeof list->library, known ? "ROCm SMI %u.%u.%u" : "ROCm SMI",
                   version[0], version[1], version[2]);
    *ret_count = count;
    return 0;
}

static int rsmi_describe(size_t device, struct wtl_amd_device *ret)
{
    uint64_t id = 0, unique = 0;
    int rc = error_of(call.pci((uint32_t)device, &id));
    if (rc < 0)
        return rc;
    *ret =
        (struct wtl_amd_device){.bdf = id & ~UINT64_C(0xf0000000)}; /* part of a divided device */
    if (call.unique && call.unique((uint32_t)device, &unique) == 0 && unique != 0)
        (void)snprintf(ret->uuid, sizeof ret->uuid, "GPU-%016llx", (unsigned long long)unique);
    if (!call.name || call.name((uint32_t)device, ret->name, sizeof ret->name) != 0)
        (void)snprintf(ret->name, sizeof ret->name, "AMD GPU");
    ret->name[sizeof ret->name - 1] = '\0';
    return 0;
}

/*
 * The current frequency out of rsmi_frequencies_t, which is {count, current, hertz[32]} in old libraries and {bool, count,
 * current, hertz[33]} in newer ones. After two words there is a frequency in the old one, and an index of at most 32 in
 * the new one.
 */
static int clock_now(uint32_t device, uint32_t type, uint64_t *ret_hz)
{
    const uint64_t least_hz = 1000000, most_hz = 100000000000;
    uint64_t record[2 * MAX_CLOCKS] = {0};
    uint32_t word[4];
    int rc = call.clock ? error_of(call.clock(device, type, record)) : -ENOTSUP;
    if (rc < 0)
        return rc;
    memcpy(word, record, sizeof word);
    bool old = record[1] >= least_hz;
    uint32_t count = word[old ? 0 : 1], current = word[old ? 1 : 2];
    if (count > MAX_CLOCKS || current >= count)
        return -ENODATA; /* none is current */
    uint64_t hz = record[(old ? 1 : 2) + current];
    if (hz > most_hz)
        return -EIO;
    *ret_hz = hz;
    return 0;
}

static int power_now(uint32_t device, uint64_t *ret_uw, bool *ret_average)
{
    uint32_t type = WTL_RSMI_AVERAGE_POWER;
    int rc = -ENOTSUP;
    if (call.power)
        rc = error_of(call.power(device, ret_uw, &type));
    if (rc == -ENOTSUP && call.mean_power)
        rc = error_of(call.mean_power(device, 0, ret_uw));
    *ret_average = type == WTL_RSMI_AVERAGE_POWER;
    return rc;
}

static int percent(int (*function)(uint32_t, uint32_t *), uint32_t device, uint64_t *ret_raw)
{
    uint32_t value = UINT32_MAX;
    int rc = function ? error_of(function(device, &value)) : -ENOTSUP;
    if (rc == 0 && value > 100)
        rc = -ENOTSUP; /* all bits set: the device does not tell */
    *ret_raw = value;
    return rc;
}

static int temperature_now(uint32_t device, uint32_t sensor, uint64_t *ret_raw)
{
    int64_t value = 0;
    int rc = call.temperature
                 ? error_of(call.temperature(device, sensor, WTL_RSMI_TEMPERATURE_NOW, &value))
                 : -ENOTSUP;
    *ret_raw = (uint64_t)value;
    return rc;
}

static int energy_now(uint32_t device, uint64_t *ret_raw)
{
    uint64_t time = 0;
    float resolution = 0;
    int rc = call.energy ? error_of(call.energy(device, ret_raw, &resolution, &time)) : -ENOTSUP;
    if (rc == 0 && *ret_raw == UINT64_MAX)
        rc = -ENOTSUP; /* not in the tables of this device */
    if (rc == 0)
        resolution_uj = resolution;
    return rc;
}

static int rsmi_get(size_t number, enum wtl_amd_what what, uint64_t *ret_raw, bool *ret_average)
{
    uint32_t device = (uint32_t)number;
    switch (what) {
    case WTL_AMD_ENERGY:
        return energy_now(device, ret_raw);
    case WTL_AMD_POWER:
        return power_now(device, ret_raw, ret_average);
    case WTL_AMD_POWER_LIMIT:
        return call.limit ? error_of(call.limit(device, 0, ret_raw)) : -ENOTSUP;
    case WTL_AMD_BUSY:
        return percent(call.busy, device, ret_raw);
    case WTL_AMD_MEMORY_BUSY:
        return percent(call.memory_busy, device, ret_raw);
    case WTL_AMD_MEMORY_USED:
        return call.memory_used ? error_of(call.memory_used(device, WTL_RSMI_MEMORY_VRAM, ret_raw))
                                : -ENOTSUP;
    case WTL_AMD_CLOCK:
        return clock_now(device, WTL_RSMI_CLOCK_SYSTEM, ret_raw);
    case WTL_AMD_MEMORY_CLOCK:
        return clock_now(device, WTL_RSMI_CLOCK_MEMORY, ret_raw);
    case WTL_AMD_EDGE:
        return temperature_now(device, WTL_RSMI_SENSOR_EDGE, ret_raw);
    case WTL_AMD_HOTSPOT:
        return temperature_now(device, WTL_RSMI_SENSOR_HOTSPOT, ret_raw);
    case WTL_AMD_MEMORY_TEMPERATURE:
        return temperature_now(device, WTL_RSMI_SENSOR_MEMORY, ret_raw);
    default:
        return -ENOTSUP;
    }
}

static double rsmi_energy_tick_j(void)
{
    return wtl_amd_tick_j((double)resolution_uj);
}

static int rsmi_bandwidth(size_t a, size_t b, uint64_t *ret_most)
{
    uint64_t least = 0;
    return call.link ? error_of(call.link((uint32_t)a, (uint32_t)b, &least, ret_most)) : -ENOTSUP;
}

/* Whether a process uses the device; when in doubt (it has ended meanwhile) it does not. */
static bool uses(uint32_t pid, size_t device)
{
    uint32_t devices[64], count = sizeof devices / sizeof *devices;
    if (call.process_devices(pid, devices, &count) != 0)
        return false;
    for (uint32_t i = 0; i < count && i < sizeof devices / sizeof *devices; i++)
        if (devices[i] == device)
            return true;
    return false;
}

/* The share of time is not told: occupancy is that of compute units at one moment. Memory is that on all devices. */
static int rsmi_processes(size_t device, struct wtl_gpu_processes *ret)
{
    /* processes that start meanwhile; records of a library with larger ones */
    enum { SPARE = 16, LARGER = 4, MOST = 100000 };
    uint32_t count = 0;
    if (!call.process_list || !call.process_devices)
        return -ENOTSUP;
    int rc = error_of(call.process_list(NULL, &count));
    if (rc < 0 || count == 0)
        return rc;
    if (count > MOST)
        return -EOVERFLOW;
    uint32_t room = count + SPARE;
    struct wtl_rsmi_process *list = calloc((size_t)room * LARGER, sizeof *list);
    if (!list)
        return -ENOMEM;
    count = room;
    rc = error_of(call.process_list(list, &count));
    if (rc == 0 && (count > room || list[count].pid != 0))
        rc = -ENOTSUP; /* records of another size */
    for (uint32_t i = 0; rc == 0 && i < count; i++) {
        struct wtl_gpu_process process = {
            .pid = (long)list[i].pid, .used = -1, .memory = UINT64_MAX};
        if (!uses(list[i].pid, device))
            continue;
        rc = wtl_grow(&ret->list, ret->count, sizeof *ret->list);
        if (rc == 0)
            ret->list[ret->count++] = process;
    }
    free(list);
    return rc;
}

static void rsmi_close(void)
{
    if (call.shut_down)
        (void)call.shut_down(); /* nothing can be done about a library that does not end */
    memset(&call, 0, sizeof call);
}

const struct wtl_amd_library wtl_amd_rocm_smi = {
    .name = "ROCm SMI",
    .mark = "rsmi_init",
    .calls = {[WTL_AMD_ENERGY] = "rsmi_dev_energy_count_get",
              [WTL_AMD_POWER] = "rsmi_dev_power_get",
              [WTL_AMD_POWER_LIMIT] = "rsmi_dev_power_cap_get",
              [WTL_AMD_BUSY] = "rsmi_dev_busy_percent_get",
              [WTL_AMD_MEMORY_BUSY] = "rsmi_dev_memory_busy_percent_get",
              [WTL_AMD_MEMORY_USED] = "rsmi_dev_memory_usage_get",
              [WTL_AMD_CLOCK] = "rsmi_dev_gpu_clk_freq_get",
              [WTL_AMD_MEMORY_CLOCK] = "rsmi_dev_gpu_clk_freq_get",
              [WTL_AMD_EDGE] = "rsmi_dev_temp_metric_get",
              [WTL_AMD_HOTSPOT] = "rsmi_dev_temp_metric_get",
              [WTL_AMD_MEMORY_TEMPERATURE] = "rsmi_dev_temp_metric_get"},
    .open = rsmi_open,
    .describe = rsmi_describe,
    .get = rsmi_get,
    .energy_tick_j = rsmi_energy_tick_j,
    .bandwidth = rsmi_bandwidth,
    .processes = rsmi_processes,
    .close = rsmi_close,
};
