/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A fake AMD SMI. Keys: devices, init, version ("24 6 2": the first words of amdsmi_version_t), record (6.2, 6.4, 7.0: the
 * layout of amdsmi_power_info_t), and per device N: N.socket, N.type, N.bdf, N.uuid, N.name, N.energy, N.resolution,
 * N.current, N.average, N.limit, N.busy, N.memory_busy, N.memory_used, N.clock.TYPE, N.temperature.SENSOR, N.link.M, N.processes ("PID BYTES PID BYTES ...").
 */
#include "gpu/fake_values.h"

#define EXPORT __attribute__((visibility("default")))

enum { NOT_SUPPORTED = 2, INVALID = 1 };

static uint32_t devices(void)
{
    return (uint32_t)fake_value("devices").whole;
}

/* Handles: 1 + number; sockets 1001 + number. */
static unsigned number_of(void *handle)
{
    return (unsigned)((uintptr_t)handle - 1);
}

EXPORT int amdsmi_init(uint64_t flags)
{
    struct fake_value value = fake_value("init");
    return flags == 2 ? value.status : INVALID;
}

EXPORT int amdsmi_shut_down(void)
{
    return 0;
}

EXPORT int amdsmi_get_lib_version(uint32_t *ret)
{
    struct fake_value value = fake_value("version");
    char *at = value.text;
    for (int i = 0; i < 4; i++)
        ret[i] = (uint32_t)strtoul(at, &at, 10);
    return value.status;
}

EXPORT int amdsmi_get_socket_handles(uint32_t *count, void **list)
{
    uint32_t n = devices();
    for (uint32_t i = 0; list && i < n && i < *count; i++)
        list[i] = (void *)(uintptr_t)(1001 + i);
    *count = n;
    return fake_value("sockets").status;
}

/* A device is in the socket of its number unless N.socket says another. */
EXPORT int amdsmi_get_processor_handles(void *socket, uint32_t *count, void **list)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < devices(); i++) {
        struct fake_value value = fake_value("%u.socket", i);
        if ((value.known ? value.whole : i) != (uintptr_t)socket - 1001)
            continue;
        if (list && n < *count)
            list[n] = (void *)(uintptr_t)(i + 1);
        n++;
    }
    *count = n;
    return 0;
}

EXPORT int amdsmi_get_processor_type(void *handle, uint32_t *ret)
{
    struct fake_value value = fake_value("%u.type", number_of(handle));
    *ret = value.known ? (uint32_t)value.whole : 1;
    return 0;
}

static int whole(const struct fake_value *value, uint64_t *ret)
{
    if (fake_status(value, NOT_SUPPORTED) == 0)
        *ret = value->whole;
    return fake_status(value, NOT_SUPPORTED);
}

EXPORT int amdsmi_get_gpu_device_bdf(void *handle, uint64_t *ret)
{
    struct fake_value value = fake_value("%u.bdf", number_of(handle));
    return whole(&value, ret);
}

EXPORT int amdsmi_get_gpu_device_uuid(void *handle, unsigned *length, char *ret)
{
    struct fake_value value = fake_value("%u.uuid", number_of(handle));
    if (*length < 38)
        return INVALID;
    if (fake_status(&value, NOT_SUPPORTED) == 0)
        (void)snprintf(ret, *length, "%s", value.text);
    return fake_status(&value, NOT_SUPPORTED);
}

EXPORT int amdsmi_get_gpu_asic_info(void *handle, char *ret)
{
    struct fake_value value = fake_value("%u.name", number_of(handle));
    memset(ret, 0x41, 600);
    (void)snprintf(ret, 256, "%s", value.text);
    return fake_status(&value, NOT_SUPPORTED);
}

EXPORT int amdsmi_get_energy_count(void *handle, uint64_t *ret, float *resolution, uint64_t *time)
{
    struct fake_value value = fake_value("%u.energy", number_of(handle));
    struct fake_value tick = fake_value("%u.resolution", number_of(handle));
    *resolution = tick.known ? (float)tick.real : 15.3F;
    *time = 1;
    return whole(&value, ret);
}

/* As documented for ROCm 6.2, 6.4 and 7.0. */
EXPORT int amdsmi_get_power_info(void *handle, void *ret)
{
    struct fake_value current = fake_value("%u.current", number_of(handle));
    struct fake_value average = fake_value("%u.average", number_of(handle));
    struct fake_value record = fake_value("record"),
                      status = fake_value("%u.power_info", number_of(handle));
    uint32_t now = current.known ? (uint32_t)current.whole : 0xffff;
    uint32_t mean = average.known ? (uint32_t)average.whole : 0xffff;
    struct {
        uint32_t current, average, gfx, soc, memory, limit, reserved[11];
    } rocm_6_2 = {now, mean, 1, 2, 3, 4, {0}};
    struct {
        uint64_t socket;
        uint32_t current, average, gfx, soc, memory, limit, reserved[2];
    } rocm_6_4 = {77, now, mean, 1, 2, 3, 4, {0}};
    struct {
        uint64_t socket;
        uint32_t current, average;
        uint64_t gfx, soc, memory;
        uint32_t limit;
        uint64_t reserved[18];
    } rocm_7_0 = {77, now, mean, 1, 2, 3, 4, {0}};
    if (strcmp(record.text, "6.2") == 0)
        memcpy(ret, &rocm_6_2, sizeof rocm_6_2);
    else if (strcmp(record.text, "6.4") == 0)
        memcpy(ret, &rocm_6_4, sizeof rocm_6_4);
    else
        memcpy(ret, &rocm_7_0, sizeof rocm_7_0);
    return status.status;
}

EXPORT int amdsmi_get_power_cap_info(void *handle, uint32_t sensor, uint64_t *ret)
{
    struct fake_value value = fake_value("%u.limit", number_of(handle));
    (void)sensor;
    memset(ret, 0, 8 * sizeof *ret);
    return whole(&value, ret);
}

EXPORT int amdsmi_get_gpu_activity(void *handle, uint32_t *ret)
{
    struct fake_value busy = fake_value("%u.busy", number_of(handle));
    struct fake_value memory = fake_value("%u.memory_busy", number_of(handle));
    ret[0] = busy.known ? (uint32_t)busy.whole : 0xffff;
    ret[1] = memory.known ? (uint32_t)memory.whole : 0xffff;
    ret[2] = 0xffff;
    memset(ret + 3, 0, 13 * sizeof *ret);
    return fake_status(&busy, NOT_SUPPORTED);
}

EXPORT int amdsmi_get_gpu_memory_usage(void *handle, uint32_t type, uint64_t *ret)
{
    struct fake_value value = fake_value("%u.memory_used", number_of(handle));
    return type == 0 ? whole(&value, ret) : NOT_SUPPORTED;
}

EXPORT int amdsmi_get_clock_info(void *handle, uint32_t type, uint32_t *ret)
{
    struct fake_value value = fake_value("%u.clock.%u", number_of(handle), type);
    memset(ret, 0, 8 * sizeof *ret);
    ret[0] = (uint32_t)value.whole;
    return fake_status(&value, NOT_SUPPORTED);
}

EXPORT int amdsmi_get_temp_metric(void *handle, uint32_t sensor, uint32_t metric, int64_t *ret)
{
    struct fake_value value = fake_value("%u.temperature.%u", number_of(handle), sensor);
    *ret = strtoll(value.text, NULL, 10);
    return metric == 0 ? fake_status(&value, NOT_SUPPORTED) : NOT_SUPPORTED;
}

EXPORT int amdsmi_get_minmax_bandwidth_between_processors(void *from,
                                                          void *to,
                                                          uint64_t *least,
                                                          uint64_t *most)
{
    struct fake_value value = fake_value("%u.link.%u", number_of(from), number_of(to));
    *least = 0;
    return whole(&value, most);
}

/* As documented for versions 24 (records of 224 bytes) and 27 (of 704). */
EXPORT int amdsmi_get_gpu_process_list(void *handle, uint32_t *count, char *list)
{
    struct fake_value value = fake_value("%u.processes", number_of(handle));
    struct fake_value version = fake_value("version");
    bool old = strtoul(version.text, NULL, 10) == 24;
    size_t size = old ? 224 : 704, pid_at = old ? 32 : 256, memory_at = old ? 128 : 352;
    uint32_t n = 0;
    for (char *at = value.text; value.status == 0 && strspn(at, " 0123456789") > 0; n++) {
        uint32_t pid = (uint32_t)strtoul(at, &at, 10);
        uint64_t memory = strtoull(at, &at, 10);
        if (!list || n >= *count)
            continue;
        memset(list + n * size, 0x41, size);
        memcpy(list + n * size + pid_at, &pid, sizeof pid);
        memcpy(list + n * size + memory_at, &memory, sizeof memory);
    }
    *count = n;
    return value.status;
}
