/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A fake ROCm SMI. Keys: devices, init, version (major), clocks (old|new: the layout of rsmi_frequencies_t), and per device
 * N: N.bdf, N.unique, N.name, N.energy, N.resolution, N.power, N.power_type, N.mean_power, N.limit, N.busy, N.memory_busy,
 * N.memory_used, N.clock.TYPE, N.temperature.SENSOR, N.link.M, and processes (the pids of device 0), process_size.
 */
#include "gpu/fake_values.h"

#define EXPORT __attribute__((visibility("default")))

enum { NOT_SUPPORTED = 2 };

EXPORT int rsmi_init(uint64_t flags)
{
    struct fake_value value = fake_value("init");
    (void)flags;
    return value.status;
}

EXPORT int rsmi_shut_down(void)
{
    return 0;
}

EXPORT int rsmi_version_get(void *ret)
{
    struct {
        uint32_t major, minor, patch;
        const char *build;
    } version = {(uint32_t)fake_value("version").whole, 8, 0, "fake"};
    memcpy(ret, &version, sizeof version);
    return 0;
}

EXPORT int rsmi_num_monitor_devices(uint32_t *ret)
{
    struct fake_value value = fake_value("devices");
    *ret = (uint32_t)value.whole;
    return value.status;
}

static int whole(const struct fake_value *value, uint64_t *ret)
{
    if (fake_status(value, NOT_SUPPORTED) == 0)
        *ret = value->whole;
    return fake_status(value, NOT_SUPPORTED);
}

EXPORT int rsmi_dev_pci_id_get(uint32_t device, uint64_t *ret)
{
    struct fake_value value = fake_value("%u.bdf", device);
    return whole(&value, ret);
}

EXPORT int rsmi_dev_unique_id_get(uint32_t device, uint64_t *ret)
{
    struct fake_value value = fake_value("%u.unique", device);
    return whole(&value, ret);
}

EXPORT int rsmi_dev_name_get(uint32_t device, char *ret, size_t n)
{
    struct fake_value value = fake_value("%u.name", device);
    if (fake_status(&value, NOT_SUPPORTED) == 0)
        (void)snprintf(ret, n, "%s", value.text);
    return fake_status(&value, NOT_SUPPORTED);
}

EXPORT int rsmi_dev_energy_count_get(uint32_t device,
                                     uint64_t *ret,
                                     float *resolution,
                                     uint64_t *time)
{
    struct fake_value value = fake_value("%u.energy", device),
                      tick = fake_value("%u.resolution", device);
    *resolution = tick.known ? (float)tick.real : 15.3F;
    *time = 1;
    return whole(&value, ret);
}

EXPORT int rsmi_dev_power_get(uint32_t device, uint64_t *ret, uint32_t *type)
{
    struct fake_value value = fake_value("%u.power", device);
    *type = (uint32_t)fake_value("%u.power_type", device).whole;
    return whole(&value, ret);
}

EXPORT int rsmi_dev_power_ave_get(uint32_t device, uint32_t sensor, uint64_t *ret)
{
    struct fake_value value = fake_value("%u.mean_power", device);
    (void)sensor;
    return whole(&value, ret);
}

EXPORT int rsmi_dev_power_cap_get(uint32_t device, uint32_t sensor, uint64_t *ret)
{
    struct fake_value value = fake_value("%u.limit", device);
    (void)sensor;
    return whole(&value, ret);
}

static int percent(const struct fake_value *value, uint32_t *ret)
{
    if (fake_status(value, NOT_SUPPORTED) == 0)
        *ret = (uint32_t)value->whole;
    return fake_status(value, NOT_SUPPORTED);
}

EXPORT int rsmi_dev_busy_percent_get(uint32_t device, uint32_t *ret)
{
    struct fake_value value = fake_value("%u.busy", device);
    return percent(&value, ret);
}

EXPORT int rsmi_dev_memory_busy_percent_get(uint32_t device, uint32_t *ret)
{
    struct fake_value value = fake_value("%u.memory_busy", device);
    return percent(&value, ret);
}

EXPORT int rsmi_dev_memory_usage_get(uint32_t device, uint32_t type, uint64_t *ret)
{
    struct fake_value value = fake_value("%u.memory_used", device);
    return type == 0 ? whole(&value, ret) : NOT_SUPPORTED;
}

EXPORT int rsmi_dev_gpu_clk_freq_get(uint32_t device, uint32_t type, void *ret)
{
    struct {
        uint32_t count, current;
        uint64_t hz[32];
    } old = {3, 1, {500000000, 0, 1700000000}};
    struct {
        _Bool deep_sleep;
        uint32_t count, current;
        uint64_t hz[33];
    } recent = {1, 3, 1, {132000000, 0, 2100000000}};
    struct fake_value value = fake_value("%u.clock.%u", device, type);
    old.hz[1] = recent.hz[1] = value.whole;
    if (fake_status(&value, NOT_SUPPORTED) != 0)
        return fake_status(&value, NOT_SUPPORTED);
    if (strcmp(fake_value("clocks").text, "old") == 0)
        memcpy(ret, &old, sizeof old);
    else
        memcpy(ret, &recent, sizeof recent);
    return 0;
}

EXPORT int rsmi_dev_temp_metric_get(uint32_t device, uint32_t sensor, uint32_t metric, int64_t *ret)
{
    struct fake_value value = fake_value("%u.temperature.%u", device, sensor);
    *ret = strtoll(value.text, NULL, 10);
    return metric == 0 ? fake_status(&value, NOT_SUPPORTED) : NOT_SUPPORTED;
}

EXPORT int rsmi_minmax_bandwidth_get(uint32_t from, uint32_t to, uint64_t *least, uint64_t *most)
{
    struct fake_value value = fake_value("%u.link.%u", from, to);
    *least = 0;
    return whole(&value, most);
}

/* "processes 10 20": their pids; "process_size 48": records of a library with another layout. */
EXPORT int rsmi_compute_process_info_get(char *list, uint32_t *count)
{
    struct fake_value value = fake_value("processes"), size = fake_value("process_size");
    size_t record = size.known ? size.whole : 32;
    uint32_t n = 0, pid;
    for (char *at = value.text, *end; (pid = (uint32_t)strtoul(at, &end, 10)) != 0; at = end, n++)
        if (list && n < *count)
            for (size_t k = 0; k < record; k += sizeof pid)
                memcpy(list + n * record + k, &pid, sizeof pid);
    *count = n;
    return fake_status(&value, NOT_SUPPORTED);
}

EXPORT int rsmi_compute_process_gpus_get(uint32_t pid, uint32_t *list, uint32_t *count)
{
    struct fake_value value = fake_value("process.%u", pid); /* its device */
    if (*count > 0 && value.known)
        list[0] = (uint32_t)value.whole;
    *count = value.known ? 1 : 0;
    return 0;
}
