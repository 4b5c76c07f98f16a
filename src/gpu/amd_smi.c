/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * AMD SMI (libamd_smi.so), the successor of ROCm SMI: see amd.h. Its structures change with its versions, and its functions
 * do not say so: what has plain arguments is called in any version, of structures only members are read whose place is
 * documented for the version, and the library writes into a buffer with room for any of them.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/grow.h"
#include "gpu/amd.h"
#include "gpu/amd_smi_api.h"

enum { RECORD = 4096 };

static struct wtl_amdsmi_calls call;

static struct {
    void **list; /* handles of GPUs, grown with wtl_grow() */
    size_t count;
    const struct power_layout *power;
    const struct process_layout *process; /* NULL: not known */
    float resolution_uj;
} devices;

static const struct wtl_gpu_symbol symbols[] = {
    {.name = "amdsmi_init", .into = &call.init},
    {.name = "amdsmi_shut_down", .into = &call.shut_down},
    {.name = "amdsmi_get_lib_version", .into = &call.version}, /* not in 5.6 and before */
    {.name = "amdsmi_get_socket_handles", .into = &call.sockets},
    {.name = "amdsmi_get_processor_handles", .into = &call.processors},
    {.name = "amdsmi_get_processor_type", .into = &call.type},
    {.name = "amdsmi_get_gpu_device_bdf", .into = &call.bdf},
    {.name = "amdsmi_get_gpu_device_uuid", .into = &call.uuid, .optional = true},
    {.name = "amdsmi_get_gpu_asic_info", .into = &call.asic, .optional = true},
    {.name = "amdsmi_get_energy_count", .into = &call.energy, .optional = true},
    {.name = "amdsmi_get_power_info", .into = &call.power, .optional = true},
    {.name = "amdsmi_get_power_cap_info", .into = &call.limit, .optional = true},
    {.name = "amdsmi_get_gpu_activity", .into = &call.activity, .optional = true},
    {.name = "amdsmi_get_gpu_memory_usage", .into = &call.memory_used, .optional = true},
    {.name = "amdsmi_get_clock_info", .into = &call.clock, .optional = true},
    {.name = "amdsmi_get_temp_metric", .into = &call.temperature, .optional = true},
    {.name = "amdsmi_get_gpu_process_list", .into = &call.processes, .optional = true},
    {.name = "amdsmi_get_minmax_bandwidth_between_processors",
     .into = &call.link,
     .optional = true},
    {0},
};

/* Where amdsmi_power_info_t has the power of the socket. Sources per version: docs/dev/gpu-libraries.md. */
static const struct power_layout {
    uint32_t family, least, most; /* 24.5 to 24.7: the first two numbers of the version */
    uint32_t current, average;    /* bytes */
} power_layouts[] = {
    {24, 5, 7, WTL_AMDSMI_24_POWER_NOW, WTL_AMDSMI_24_POWER_MEAN},          /* ROCm 6.1 to 6.3 */
    {25, 0, UINT32_MAX, WTL_AMDSMI_25_POWER_NOW, WTL_AMDSMI_25_POWER_MEAN}, /* ROCm 6.4 */
    {26, 0, UINT32_MAX, WTL_AMDSMI_25_POWER_NOW, WTL_AMDSMI_25_POWER_MEAN}, /* ROCm 7 */
    {27, 0, UINT32_MAX, WTL_AMDSMI_25_POWER_NOW, WTL_AMDSMI_25_POWER_MEAN}, /* ROCm 10 */
};

static const struct process_layout {
    uint32_t family, least, most;
    uint32_t pid, vram, size; /* bytes */
} process_layouts[] = {
    {24, 5, 7, WTL_AMDSMI_24_PID, WTL_AMDSMI_24_VRAM, WTL_AMDSMI_24_PROCESS},
    {26, 0, UINT32_MAX, WTL_AMDSMI_26_PID, WTL_AMDSMI_26_VRAM, WTL_AMDSMI_26_PROCESS},
    {27, 0, UINT32_MAX, WTL_AMDSMI_26_PID, WTL_AMDSMI_26_VRAM, WTL_AMDSMI_26_PROCESS},
};

/* A buffer for any structure, filled with what the library does not write. */
struct record {
    union {
        uint64_t align;
        uint32_t word[RECORD / sizeof(uint32_t)];
        char text[RECORD];
    } as;
};

static int error_of(int status)
{
    switch (status) {
    case 0:
        return 0;
    case WTL_AMDSMI_NOT_SUPPORTED:
    case WTL_AMDSMI_NOT_YET:
        return -ENOTSUP;
    case WTL_AMDSMI_NO_PERMISSION:
        return -EACCES;
    case WTL_AMDSMI_IO:
    case WTL_AMDSMI_FILE_ERROR: /* a file of sysfs that cannot be read: rocm.c looks whether the device is still there */
    case WTL_AMDSMI_NOT_FOUND:
    case WTL_AMDSMI_NO_DRIVER:
        return -ENODEV;
    case WTL_AMDSMI_TIMEOUT:
    case WTL_AMDSMI_RETRY:
    case WTL_AMDSMI_BUSY:
    case WTL_AMDSMI_NO_DATA:
        return -ENODATA;
    default:
        return -EIO;
    }
}

static void find_layouts(const uint32_t version[2])
{
    devices.process = NULL;
    for (size_t i = 0; i < sizeof process_layouts / sizeof *process_layouts; i++)
        if (process_layouts[i].family == version[0] && version[1] >= process_layouts[i].least &&
            version[1] <= process_layouts[i].most)
            devices.process = &process_layouts[i];
    devices.power = NULL;
    for (size_t i = 0; i < sizeof power_layouts / sizeof *power_layouts; i++)
        if (power_layouts[i].family == version[0] && version[1] >= power_layouts[i].least &&
            version[1] <= power_layouts[i].most)
            devices.power = &power_layouts[i];
}

/* Append the GPUs of a socket. */
static int add_socket(void *socket)
{
    enum { MOST = 64 };
    void *list[MOST] = {NULL};
    uint32_t count = MOST, type;
    int rc = error_of(call.processors(socket, &count, list));
    for (uint32_t i = 0; rc == 0 && i < count && i < MOST; i++) {
        if (!list[i] || call.type(list[i], &type) != 0 || type != WTL_AMDSMI_TYPE_GPU)
            continue;
        rc = wtl_grow(&devices.list, devices.count, sizeof *devices.list);
        if (rc == 0)
            devices.list[devices.count++] = list[i];
    }
    return rc;
}

static int find_devices(struct wattle_error *err)
{
    enum { MOST = 256 };
    void *sockets[MOST] = {NULL};
    uint32_t count = MOST;
    int status = call.sockets(&count, sockets), rc = error_of(status);
    for (uint32_t i = 0; rc == 0 && i < count && i < MOST; i++)
        rc = add_socket(sockets[i]);
    if (rc == 0 && devices.count == 0)
        rc = -ENODEV;
    return rc < 0 ? wtl_fail(err, rc, "AMD SMI: no AMD GPU (status %d)", status) : 0;
}

static void amdsmi_close(void)
{
    if (call.shut_down)
        (void)call.shut_down(); /* nothing can be done about a library that does not end */
    free(devices.list);
    memset(&devices, 0, sizeof devices);
    memset(&call, 0, sizeof call);
}

static int amdsmi_open(const struct wtl_gpu_backend *backend,
                       void *handle,
                       struct wtl_gpu_list *list,
                       size_t *ret_count,
                       struct wattle_error *err)
{
    struct record version = {0};
    int rc = wtl_gpu_symbols(backend, handle, symbols, err);
    if (rc < 0)
        return rc;
    int status = call.init(WTL_AMDSMI_INIT_GPUS);
    if (status == WTL_AMDSMI_NO_PERMISSION)
        return wtl_fail(err, -EACCES,
                        "AMD SMI: no permission; join the groups render and video, or use wattled");
    if (status != 0)
        return wtl_fail(err, -ENODEV,
                        "AMD SMI: amdsmi_init failed (status %d): no AMD GPU, or the amdgpu driver "
                        "is not loaded",
                        status);
    const uint32_t *word = version.as.word;
    bool known = call.version(&version) == 0;
    (void)snprintf(list->library, sizeof list->library, known ? "AMD SMI %u.%u.%u" : "AMD SMI",
                   word[0], word[1], word[2]);
    find_layouts(word);
    rc = find_devices(err);
    if (rc < 0)
        amdsmi_close();
    else if (!devices.power && call.power)
        wtl_gpu_note(
            list,
            "%s: the layout of its power record is not known here; its energy counters are used",
            list->library);
    if (rc == 0)
        *ret_count = devices.count;
    return rc;
}

/* The bits are function 0-2, device 3-7, bus 8-15, domain 16-63. */
static int amdsmi_describe(size_t device, struct wtl_amd_device *ret)
{
    uint64_t bdf = 0;
    struct record asic = {0}; /* begins with the name, of 64 or 256 bytes */
    unsigned length = sizeof ret->uuid;
    void *processor = devices.list[device];
    int rc = error_of(call.bdf(processor, &bdf));
    if (rc < 0)
        return rc;
    *ret = (struct wtl_amd_device){.bdf = bdf >> 16 << 32 | (bdf & 0xffff)};
    if (!call.uuid || call.uuid(processor, &length, ret->uuid) != 0)
        ret->uuid[0] = '\0';
    ret->uuid[sizeof ret->uuid - 1] = '\0';
    bool named = call.asic && call.asic(processor, &asic) == 0 && asic.as.text[0];
    (void)snprintf(ret->name, sizeof ret->name, "%.64s", named ? asic.as.text : "AMD GPU");
    return 0;
}

static int energy_now(void *processor, uint64_t *ret_raw)
{
    uint64_t time = 0;
    float resolution = 0;
    int rc = call.energy ? error_of(call.energy(processor, ret_raw, &resolution, &time)) : -ENOTSUP;
    if (rc == 0 && *ret_raw == UINT64_MAX)
        rc = -ENOTSUP; /* not in the tables of this device */
    if (rc == 0)
        devices.resolution_uj = resolution;
    return rc;
}

/* 0xffff and 0xffffffff: not told. */
static bool is_told(uint32_t value)
{
    return value != UINT16_MAX && value != UINT32_MAX;
}

static int power_now(void *processor, uint64_t *ret_uw, bool *ret_average)
{
    struct record record;
    const uint32_t micro = 1000000;
    if (!call.power || !devices.power)
        return -ENOTSUP;
    memset(&record, 0xff, sizeof record);
    int rc = error_of(call.power(processor, &record));
    if (rc < 0)
        return rc;
    uint32_t current = record.as.word[devices.power->current / sizeof(uint32_t)];
    uint32_t average = record.as.word[devices.power->average / sizeof(uint32_t)];
    if (!is_told(current) && !is_told(average))
        return -ENOTSUP;
    *ret_average = !is_told(current);
    *ret_uw = (uint64_t)micro * (*ret_average ? average : current);
    return 0;
}

/* One word of a structure that a function with a selector fills. */
static int word_of(int (*function)(void *, void *), void *processor, size_t at, uint64_t *ret_raw)
{
    struct record record;
    memset(&record, 0xff, sizeof record);
    int rc = function ? error_of(function(processor, &record)) : -ENOTSUP;
    if (rc == 0 && !is_told(record.as.word[at]))
        rc = -ENOTSUP;
    *ret_raw = record.as.word[at];
    return rc;
}

static int percent(void *processor, size_t at, uint64_t *ret_raw)
{
    const uint64_t all = 100;
    int rc = word_of(call.activity, processor, at, ret_raw);
    return rc == 0 && *ret_raw > all ? -ENOTSUP : rc;
}

static int limit_now(void *processor, uint64_t *ret_uw)
{
    struct record record;
    memset(&record, 0xff, sizeof record);
    int rc = call.limit ? error_of(call.limit(processor, 0, &record)) : -ENOTSUP;
    memcpy(ret_uw, &record, sizeof *ret_uw); /* amdsmi_power_cap_info_t begins with the cap */
    return rc == 0 && *ret_uw == UINT64_MAX ? -ENOTSUP : rc;
}

static int clock_now(void *processor, uint32_t type, uint64_t *ret_hz)
{
    struct record record;
    const uint64_t mega = 1000000;
    memset(&record, 0xff, sizeof record);
    int rc = call.clock ? error_of(call.clock(processor, type, &record)) : -ENOTSUP;
    if (rc == 0 && !is_told(record.as.word[0]))
        rc = -ENOTSUP;
    *ret_hz =
        mega * record.as.word[0]; /* amdsmi_clk_info_t begins with the current clock in megahertz */
    return rc;
}

/* Degrees in some versions, thousandths in others; no device is at 1000 degrees, and none that is on at 0.999. */
static int temperature_now(void *processor, uint32_t sensor, uint64_t *ret_raw)
{
    const int64_t milli = 1000;
    int64_t value = 0;
    int rc = call.temperature
                 ? error_of(call.temperature(processor, sensor, WTL_AMDSMI_TEMPERATURE_NOW, &value))
                 : -ENOTSUP;
    if (rc == 0 && (value == UINT16_MAX || value == INT64_MAX))
        rc = -ENOTSUP;
    if (value > -milli && value < milli)
        value *= milli;
    *ret_raw = (uint64_t)value;
    return rc;
}

static int amdsmi_get(size_t device, enum wtl_amd_what what, uint64_t *ret_raw, bool *ret_average)
{
    void *processor = devices.list[device];
    switch (what) {
    case WTL_AMD_ENERGY:
        return energy_now(processor, ret_raw);
    case WTL_AMD_POWER:
        return power_now(processor, ret_raw, ret_average);
    case WTL_AMD_POWER_LIMIT:
        return limit_now(processor, ret_raw);
    case WTL_AMD_BUSY:
        return percent(processor, WTL_AMDSMI_ACTIVITY_GPU, ret_raw);
    case WTL_AMD_MEMORY_BUSY:
        return percent(processor, WTL_AMDSMI_ACTIVITY_MEMORY, ret_raw);
    case WTL_AMD_MEMORY_USED:
        return call.memory_used
                   ? error_of(call.memory_used(processor, WTL_AMDSMI_MEMORY_VRAM, ret_raw))
                   : -ENOTSUP;
    case WTL_AMD_CLOCK:
        return clock_now(processor, WTL_AMDSMI_CLOCK_SYSTEM, ret_raw);
    case WTL_AMD_MEMORY_CLOCK:
        return clock_now(processor, WTL_AMDSMI_CLOCK_MEMORY, ret_raw);
    case WTL_AMD_EDGE:
        return temperature_now(processor, WTL_AMDSMI_SENSOR_EDGE, ret_raw);
    case WTL_AMD_HOTSPOT:
        return temperature_now(processor, WTL_AMDSMI_SENSOR_HOTSPOT, ret_raw);
    case WTL_AMD_MEMORY_TEMPERATURE:
        return temperature_now(processor, WTL_AMDSMI_SENSOR_MEMORY, ret_raw);
    default:
        return -ENOTSUP;
    }
}

static double amdsmi_energy_tick_j(void)
{
    return wtl_amd_tick_j((double)devices.resolution_uj);
}

static int amdsmi_bandwidth(size_t a, size_t b, uint64_t *ret_most)
{
    uint64_t least = 0;
    return call.link ? error_of(call.link(devices.list[a], devices.list[b], &least, ret_most))
                     : -ENOTSUP;
}

/* The share of time is not told: that of a process's engines leaves out what compute queues do. */
static int amdsmi_processes(size_t device, struct wtl_gpu_processes *ret)
{
    enum { SPARE = 16, MOST = 100000 }; /* processes that start meanwhile */
    uint32_t count = 0;
    const struct process_layout *layout = devices.process;
    if (!call.processes || !layout)
        return -ENOTSUP;
    int rc = error_of(call.processes(devices.list[device], &count, NULL));
    if (rc < 0 || count == 0)
        return rc;
    if (count > MOST)
        return -EOVERFLOW;
    uint32_t room = count + SPARE;
    char *list = calloc(room, layout->size);
    if (!list)
        return -ENOMEM;
    count = room;
    rc = error_of(call.processes(devices.list[device], &count, list));
    for (uint32_t i = 0; rc == 0 && i < count && i < room; i++) {
        uint32_t pid;
        struct wtl_gpu_process process = {.used = -1};
        memcpy(&pid, list + (size_t)i * layout->size + layout->pid, sizeof pid);
        memcpy(&process.memory, list + (size_t)i * layout->size + layout->vram,
               sizeof process.memory);
        process.pid = (long)pid;
        rc = wtl_grow(&ret->list, ret->count, sizeof *ret->list);
        if (rc == 0)
            ret->list[ret->count++] = process;
    }
    free(list);
    return rc;
}

const struct wtl_amd_library wtl_amd_smi = {
    .name = "AMD SMI",
    .mark = "amdsmi_init",
    .calls = {[WTL_AMD_ENERGY] = "amdsmi_get_energy_count",
              [WTL_AMD_POWER] = "amdsmi_get_power_info",
              [WTL_AMD_POWER_LIMIT] = "amdsmi_get_power_cap_info",
              [WTL_AMD_BUSY] = "amdsmi_get_gpu_activity",
              [WTL_AMD_MEMORY_BUSY] = "amdsmi_get_gpu_activity",
              [WTL_AMD_MEMORY_USED] = "amdsmi_get_gpu_memory_usage",
              [WTL_AMD_CLOCK] = "amdsmi_get_clock_info",
              [WTL_AMD_MEMORY_CLOCK] = "amdsmi_get_clock_info",
              [WTL_AMD_EDGE] = "amdsmi_get_temp_metric",
              [WTL_AMD_HOTSPOT] = "amdsmi_get_temp_metric",
              [WTL_AMD_MEMORY_TEMPERATURE] = "amdsmi_get_temp_metric"},
    .open = amdsmi_open,
    .describe = amdsmi_describe,
    .get = amdsmi_get,
    .energy_tick_j = amdsmi_energy_tick_j,
    .bandwidth = amdsmi_bandwidth,
    .processes = amdsmi_processes,
    .close = amdsmi_close,
};
