/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The values of NVML: see nvml_value.h.
 *
 * Energy is nvmlDeviceGetTotalEnergyConsumption (Volta and newer). Without it power has to do: field 186, which is an instant,
 * or nvmlDeviceGetPowerUsage, which is one too up to GA100, and the mean of the last second on Ampere and newer. How often the
 * sensors behind them look, and at what part of the time, is not told by the library: see src/sensors/gpu/gauge_table.c.
 */
#include "gpu/nvml_value.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum call {
    CALL_ENERGY,
    CALL_POWER,
    CALL_FIELD, /* argument: the field | scope << 32 */
    CALL_GPU_USE,
    CALL_MEMORY_USE,
    CALL_MEMORY_USED,
    CALL_CLOCK, /* argument: the clock */
    CALL_TEMPERATURE,
    CALL_REASONS, /* argument: bits, of which any */
    CALL_LIMIT
};

#define SCOPED(field, scope) ((uint64_t)(field) | (uint64_t)(scope) << 32)

static const uint64_t second_ns = 1000000000;

/* Not in the reference. Published findings are 20 to 100 ms; the shortest is claimed, and a result says when a counter is slower
 * than that (SLOW UPDATES). */
static const uint64_t counter_refresh_ns = 20000000;

/* One kind of channel. */
struct row {
    enum call call;
    uint64_t argument;
    const char *word;
    enum wattle_quantity quantity;
    enum wattle_kind kind;
    enum wattle_domain domain;
    double scale;
    uint64_t window_ns;
    const char *location;
};

/* Energy and power of the GPU itself: the first that works represents it, the others are spare. */
static const struct row main_rows[] = {
    {CALL_ENERGY, 0, "energy", WATTLE_ENERGY, WATTLE_COUNTER, WATTLE_DOMAIN_GPU, 1e-3, 0,
     "nvmlDeviceGetTotalEnergyConsumption"},
    {CALL_FIELD, SCOPED(WTL_NVML_FIELD_POWER_INSTANT, WTL_NVML_SCOPE_GPU), "power_instant",
     WATTLE_POWER, WATTLE_GAUGE, WATTLE_DOMAIN_GPU, 1e-3, 0, "NVML_FI_DEV_POWER_INSTANT"},
    {CALL_POWER, 0, "power", WATTLE_POWER, WATTLE_GAUGE, WATTLE_DOMAIN_GPU, 1e-3, 0,
     "nvmlDeviceGetPowerUsage"},
    {CALL_FIELD, SCOPED(WTL_NVML_FIELD_POWER_AVERAGE, WTL_NVML_SCOPE_GPU), "power_average",
     WATTLE_POWER, WATTLE_WINDOW_AVERAGE, WATTLE_DOMAIN_GPU, 1e-3, 1000000000,
     "NVML_FI_DEV_POWER_AVERAGE"},
};

/* Power of parts and of what contains the GPU. The module holds a CPU and the GPU: as "board" it is in no total. */
static const struct row other_rows[] = {
    {CALL_FIELD, SCOPED(WTL_NVML_FIELD_POWER_INSTANT, WTL_NVML_SCOPE_MEMORY), "memory_power",
     WATTLE_POWER, WATTLE_GAUGE, WATTLE_DOMAIN_GPU_MEMORY, 1e-3, 0,
     "NVML_FI_DEV_POWER_INSTANT, scope memory"},
    {CALL_FIELD, SCOPED(WTL_NVML_FIELD_POWER_INSTANT, WTL_NVML_SCOPE_MODULE), "module_power",
     WATTLE_POWER, WATTLE_GAUGE, WATTLE_DOMAIN_BOARD, 1e-3, 0,
     "NVML_FI_DEV_POWER_INSTANT, scope module"},
};

#define POWER_REASONS   (WTL_NVML_REASON_POWER_CAP | WTL_NVML_REASON_POWER_BRAKE)
#define THERMAL_REASONS (WTL_NVML_REASON_SW_THERMAL | WTL_NVML_REASON_HW_THERMAL)

static const struct row activity_rows[] = {
    {CALL_GPU_USE, 0, "gpu_use", WATTLE_RATIO, WATTLE_GAUGE, WATTLE_DOMAIN_GPU, 0.01, 0,
     "nvmlDeviceGetUtilizationRates, gpu"},
    {CALL_MEMORY_USE, 0, "memory_use", WATTLE_RATIO, WATTLE_GAUGE, WATTLE_DOMAIN_GPU, 0.01, 0,
     "nvmlDeviceGetUtilizationRates, memory"},
    {CALL_MEMORY_USED, 0, "memory_used", WATTLE_BYTES, WATTLE_GAUGE, WATTLE_DOMAIN_GPU, 1, 0,
     "nvmlDeviceGetMemoryInfo"},
    {CALL_CLOCK, WTL_NVML_CLOCK_SM, "sm_clock", WATTLE_FREQUENCY, WATTLE_GAUGE, WATTLE_DOMAIN_GPU,
     1e6, 0, "nvmlDeviceGetClockInfo, SM"},
    {CALL_CLOCK, WTL_NVML_CLOCK_MEMORY, "memory_clock", WATTLE_FREQUENCY, WATTLE_GAUGE,
     WATTLE_DOMAIN_GPU, 1e6, 0, "nvmlDeviceGetClockInfo, memory"},
    {CALL_TEMPERATURE, 0, "temperature", WATTLE_TEMPERATURE, WATTLE_GAUGE, WATTLE_DOMAIN_GPU, 1, 0,
     "nvmlDeviceGetTemperature"},
    {CALL_FIELD, SCOPED(WTL_NVML_FIELD_MEMORY_TEMPERATURE, 0), "memory_temperature",
     WATTLE_TEMPERATURE, WATTLE_GAUGE, WATTLE_DOMAIN_GPU, 1, 0, "NVML_FI_DEV_MEMORY_TEMP"},
    {CALL_REASONS, POWER_REASONS, "slowed_power", WATTLE_RATIO, WATTLE_GAUGE, WATTLE_DOMAIN_GPU, 1,
     0, "nvmlDeviceGetCurrentClocksEventReasons, power"},
    {CALL_REASONS, THERMAL_REASONS, "slowed_heat", WATTLE_RATIO, WATTLE_GAUGE, WATTLE_DOMAIN_GPU, 1,
     0, "nvmlDeviceGetCurrentClocksEventReasons, heat"},
    {CALL_REASONS, WTL_NVML_REASON_SLOWDOWN | WTL_NVML_REASON_SYNC_BOOST, "slowed_other",
     WATTLE_RATIO, WATTLE_GAUGE, WATTLE_DOMAIN_GPU, 1, 0,
     "nvmlDeviceGetCurrentClocksEventReasons, others"},
    {CALL_LIMIT, 0, "power_limit", WATTLE_POWER_LIMIT, WATTLE_GAUGE, WATTLE_DOMAIN_GPU, 1e-3, 0,
     "nvmlDeviceGetEnforcedPowerLimit"},
};

#define COUNT(rows) (sizeof(rows) / sizeof *(rows))

/* ---- what the library returned ---- */

static const struct {
    int status, error;
    const char *words;
} outcomes[] = {
    {WTL_NVML_OK, 0, "success"},
    {WTL_NVML_INVALID_ARGUMENT, EINVAL, "the library does not know this request"},
    {WTL_NVML_NOT_SUPPORTED, ENOTSUP, "not supported by this device"},
    {WTL_NVML_NO_PERMISSION, EACCES, "no permission; check the modes of /dev/nvidia*"},
    {WTL_NVML_NOT_FOUND, ENODEV, "not found"},
    {WTL_NVML_DRIVER_NOT_LOADED, ENODEV,
     "NVIDIA's kernel driver is not loaded; load it with: modprobe nvidia"},
    {WTL_NVML_TIMEOUT, ETIMEDOUT, "the device did not answer"},
    {WTL_NVML_FUNCTION_NOT_FOUND, ENOTSUP, "the library lacks this function"},
    {WTL_NVML_GPU_IS_LOST, ENODEV, "the device is lost (off the bus); see dmesg for an Xid"},
    {WTL_NVML_RESET_REQUIRED, ENODEV, "the device needs a reset: nvidia-smi --gpu-reset"},
    {WTL_NVML_OPERATING_SYSTEM, EACCES,
     "the operating system blocks the devices, perhaps a cgroup or container"},
    {WTL_NVML_VERSION_MISMATCH, ENOTSUP,
     "library and kernel driver are of different versions, as after an update; reload the driver "
     "or reboot"},
    {WTL_NVML_MEMORY, ENOMEM, "out of memory"},
    {WTL_NVML_NO_DATA, ENODATA, "no data"},
    {WTL_NVML_GPU_NOT_FOUND, ENODEV, "no such device"},
    {WTL_NVML_UNKNOWN, EIO, "unknown error of the library"},
};

static size_t outcome_of(int status)
{
    size_t i = 0;
    while (i + 1 < COUNT(outcomes) && outcomes[i].status != status)
        i++;
    return i;
}

int wtl_nvml_error(int status)
{
    return -outcomes[outcome_of(status)].error;
}

const char *wtl_nvml_words(int status)
{
    return outcomes[outcome_of(status)].words;
}

/* ---- values ---- */

/* A field as an integer, or WTL_NVML_UNKNOWN if it is of no such type. */
static int take_field(const struct wtl_nvml_field_value *value, uint64_t *ret)
{
    if (value->status != WTL_NVML_OK)
        return (int)value->status;
    switch (value->type) {
    case WTL_NVML_U32:
        *ret = value->value.u32;
        return WTL_NVML_OK;
    case WTL_NVML_ULONG:
        *ret = value->value.ul;
        return WTL_NVML_OK;
    case WTL_NVML_U64:
        *ret = value->value.u64;
        return WTL_NVML_OK;
    case WTL_NVML_S64:
        *ret = (uint64_t)value->value.s64;
        return WTL_NVML_OK;
    case WTL_NVML_S32:
        *ret = (uint64_t)(int64_t)value->value.s32;
        return WTL_NVML_OK;
    default:
        return WTL_NVML_UNKNOWN;
    }
}

static int call_field(const struct wtl_nvml_api *api,
                      struct wtl_nvml_handle *handle,
                      uint64_t argument,
                      uint64_t *ret)
{
    struct wtl_nvml_field_value value = {.field = (unsigned)argument,
                                         .scope = (unsigned)(argument >> 32)};
    int status = api->fields ? api->fields(handle, 1, &value) : WTL_NVML_FUNCTION_NOT_FOUND;
    return status == WTL_NVML_OK ? take_field(&value, ret) : status;
}

static int call_use(const struct wtl_nvml_api *api,
                    struct wtl_nvml_handle *handle,
                    bool of_memory,
                    uint64_t *ret)
{
    struct wtl_nvml_utilization use = {0};
    int status = api->utilization ? api->utilization(handle, &use) : WTL_NVML_FUNCTION_NOT_FOUND;
    *ret = of_memory ? use.memory : use.gpu;
    return status;
}

static int call_memory(const struct wtl_nvml_api *api,
                       struct wtl_nvml_handle *handle,
                       uint64_t *ret)
{
    struct wtl_nvml_memory memory = {0};
    int status = api->memory ? api->memory(handle, &memory) : WTL_NVML_FUNCTION_NOT_FOUND;
    *ret = memory.used;
    return status;
}

static int call_reasons(const struct wtl_nvml_api *api,
                        struct wtl_nvml_handle *handle,
                        uint64_t mask,
                        uint64_t *ret)
{
    unsigned long long bits = 0;
    int (*reasons)(struct wtl_nvml_handle *, unsigned long long *) =
        api->reasons ? api->reasons : api->reasons_before;
    int status = reasons ? reasons(handle, &bits) : WTL_NVML_FUNCTION_NOT_FOUND;
    *ret = (bits & mask) != 0;
    return status;
}

/* A function that returns one number of 32 bits, or is missing. */
static int call_u32(int (*function)(struct wtl_nvml_handle *, unsigned *),
                    struct wtl_nvml_handle *handle,
                    uint64_t *ret)
{
    unsigned value = 0;
    int status = function ? function(handle, &value) : WTL_NVML_FUNCTION_NOT_FOUND;
    *ret = value;
    return status;
}

static int call_indexed(int (*function)(struct wtl_nvml_handle *, int, unsigned *),
                        struct wtl_nvml_handle *handle,
                        uint64_t argument,
                        uint64_t *ret)
{
    unsigned value = 0;
    int status = function ? function(handle, (int)argument, &value) : WTL_NVML_FUNCTION_NOT_FOUND;
    *ret = value;
    return status;
}

static int call_energy(const struct wtl_nvml_api *api,
                       struct wtl_nvml_handle *handle,
                       uint64_t *ret)
{
    unsigned long long value = 0;
    int status = api->energy ? api->energy(handle, &value) : WTL_NVML_FUNCTION_NOT_FOUND;
    *ret = value;
    return status;
}

static int call(const struct wtl_nvml_api *api,
                struct wtl_nvml_handle *handle,
                enum call what,
                uint64_t argument,
                uint64_t *ret)
{
    switch (what) {
    case CALL_ENERGY:
        return call_energy(api, handle, ret);
    case CALL_POWER:
        return call_u32(api->power, handle, ret);
    case CALL_FIELD:
        return call_field(api, handle, argument, ret);
    case CALL_GPU_USE:
    case CALL_MEMORY_USE:
        return call_use(api, handle, what == CALL_MEMORY_USE, ret);
    case CALL_MEMORY_USED:
        return call_memory(api, handle, ret);
    case CALL_CLOCK:
        return call_indexed(api->clock, handle, argument, ret);
    case CALL_TEMPERATURE:
        return call_indexed(api->temperature, handle, 0, ret);
    case CALL_REASONS:
        return call_reasons(api, handle, argument, ret);
    case CALL_LIMIT:
        return call_u32(api->limit, handle, ret);
    }
    return WTL_NVML_FUNCTION_NOT_FOUND;
}

int wtl_nvml_value(const struct wtl_nvml_api *api,
                   struct wtl_nvml_handle *handle,
                   const struct wtl_gpu_channel *channel,
                   uint64_t *ret_raw)
{
    return wtl_nvml_error(call(api, handle, (enum call)channel->key[0], channel->key[1], ret_raw));
}

/* ---- channels ---- */

/* Whether a name has the word: "A30" is not in "NVIDIA RTX A3000". */
static bool names(const char *name, const char *word)
{
    const char *at = strstr(name, word);
    char next = at ? at[strlen(word)] : '0';
    return next < '0' || next > '9';
}

/* nvmlDeviceGetPowerUsage: the mean of a second on Ampere and newer, but for GA100 (A100, A30, A800). */
static bool averages(const struct wtl_nvml_api *api,
                     struct wtl_nvml_handle *handle,
                     const char *name)
{
    uint64_t architecture = 0;
    return call_u32(api->architecture, handle, &architecture) == WTL_NVML_OK &&
           architecture >= WTL_NVML_AMPERE && !names(name, "A100") && !names(name, "A800") &&
           !names(name, "A30");
}

static struct wtl_gpu_channel channel_of(const struct row *row, int device)
{
    struct wtl_gpu_channel channel =
        wtl_gpu_channel_init(device, row->word, row->quantity, row->kind);
    channel.domain = row->domain;
    channel.scale = row->scale;
    channel.window_ns = row->window_ns;
    channel.refresh_ns = row->call == CALL_ENERGY ? counter_refresh_ns : 0;
    (void)snprintf(channel.location, sizeof channel.location, "%s", row->location);
    channel.key[0] = row->call;
    channel.key[1] = row->argument;
    return channel;
}

/* A device that refuses energy or power for another reason than lacking it is worth a sentence. */
static void note(struct wtl_gpu_list *list, int device, const struct row *row, int status)
{
    if (wtl_nvml_error(status) != -ENOTSUP && wtl_nvml_error(status) != -EINVAL)
        wtl_gpu_note(list, "gpu-%d: %s: %s", device, row->location, wtl_nvml_words(status));
}

/* An upper bound of the power: twice the highest limit, since short peaks exceed it; 0 = unknown. */
static double bound_w(const struct wtl_nvml_api *api, struct wtl_nvml_handle *handle)
{
    unsigned lowest = 0, highest = 0;
    if (!api->limit_range || api->limit_range(handle, &lowest, &highest) != WTL_NVML_OK)
        return 0;
    return 2e-3 * highest;
}

static void add_main(const struct wtl_nvml_api *api,
                     struct wtl_nvml_handle *handle,
                     int device,
                     struct wtl_gpu_list *list)
{
    uint64_t raw;
    bool represented = false;
    double most_w = bound_w(api, handle);
    for (size_t i = 0; i < COUNT(main_rows); i++) {
        const struct row *row = &main_rows[i];
        int status = call(api, handle, row->call, row->argument, &raw);
        while (status == WTL_NVML_OK && raw == 0 && row->call == CALL_ENERGY &&
               wtl_gpu_wait_for_count(list))
            status = call(api, handle, row->call, row->argument, &raw);
        if (status != WTL_NVML_OK) {
            note(list, device, row, status);
            continue;
        }
        if (raw ==
            0) { /* no GPU draws nothing: the device lacks it, and the library does not say so */
            wtl_gpu_note(list, "gpu-%d: %s is 0, so it is not used", device, row->location);
            continue;
        }
        struct wtl_gpu_channel channel = channel_of(row, device);
        if (row->call == CALL_POWER && averages(api, handle, list->devices[device].name)) {
            channel.kind = WATTLE_WINDOW_AVERAGE;
            channel.window_ns = second_ns;
        }
        channel.spare = represented;
        channel.max_w = most_w;
        represented = true;
        (void)wtl_gpu_add_channel(list, &channel); /* failure is remembered */
    }
    if (!represented)
        wtl_gpu_note(list,
                     "gpu-%d (%.60s) has neither an energy counter nor a power sensor that this "
                     "driver shows",
                     device, list->devices[device].name);
}

/* Numbers of PCI devices grow with their generations: that of the first Volta (Titan V) is 1d81, of the last Pascal 1d56 (pci.ids). */
static bool is_before_volta(const char *pci)
{
    const int volta = 0x1d80;
    int id = wtl_gpu_pci_id(pci);
    return id != WTL_GPU_NO && id < volta;
}

void wtl_nvml_add_presumed(const struct wtl_nvml_api *api, int device, struct wtl_gpu_list *list)
{
    enum call call =
        api->energy && !is_before_volta(list->devices[device].pci) ? CALL_ENERGY : CALL_POWER;
    for (size_t i = 0; i < COUNT(main_rows); i++) {
        if (main_rows[i].call != call)
            continue;
        const struct wtl_gpu_channel channel = channel_of(&main_rows[i], device);
        (void)wtl_gpu_add_channel(list, &channel); /* failure is remembered */
    }
}

static void add_rows(const struct wtl_nvml_api *api,
                     struct wtl_nvml_handle *handle,
                     int device,
                     const struct row *rows,
                     size_t count,
                     struct wtl_gpu_list *list)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t raw = 0;
        bool is_power = rows[i].quantity == WATTLE_POWER;
        if (call(api, handle, rows[i].call, rows[i].argument, &raw) != WTL_NVML_OK ||
            (is_power && raw == 0))
            continue;
        struct wtl_gpu_channel channel = channel_of(&rows[i], device);
        channel.activity = !is_power;
        (void)wtl_gpu_add_channel(list, &channel); /* failure is remembered */
    }
}

void wtl_nvml_add_channels(const struct wtl_nvml_api *api,
                           struct wtl_nvml_handle *handle,
                           int device,
                           struct wtl_gpu_list *list)
{
    add_main(api, handle, device, list);
    add_rows(api, handle, device, other_rows, COUNT(other_rows), list);
    add_rows(api, handle, device, activity_rows, COUNT(activity_rows), list);
}
