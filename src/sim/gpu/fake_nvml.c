/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * libnvidia-ml.so.1 as programs of a simulated node find it: answers from the node's GPUs. Written after the published NVML
 * reference only, with layouts of its own, so that a mistake in those of wattle-gpu shows. FAKE_AGE 1 is a library of about
 * R418 (no MIG, no fields of power, older names), 2 one that lacks what every later one has.
 *
 * Faults of the node: vanish is NVML_ERROR_GPU_IS_LOST, permission and eio what they say, hang never returns, crash kills the
 * program.
 */
#define _GNU_SOURCE
#include <strings.h>
#include <time.h>

#include "sim/gpu/fake.h"

#ifndef FAKE_AGE
#    define FAKE_AGE 0
#endif

enum status {
    SUCCESS = 0,
    UNINITIALIZED = 1,
    INVALID_ARGUMENT = 2,
    NOT_SUPPORTED = 3,
    NO_PERMISSION = 4,
    NOT_FOUND = 6,
    INSUFFICIENT_SIZE = 7,
    DRIVER_NOT_LOADED = 9,
    GPU_IS_LOST = 15,
    VERSION_MISMATCH = 18,
    NO_DATA = 21,
    UNKNOWN = 999
};

enum { INSTANCES = 8 };

/* A device (instance 0), or instance - 1 of MIG on it. */
struct device {
    int gpu, instance;
};

static struct device handles[FAKE_GPUS][INSTANCES];
static int users;

static int status_of(int rc)
{
    switch (rc) {
    case -ENOENT:
        return NOT_SUPPORTED;
    case -ENODEV:
        return GPU_IS_LOST;
    case -EACCES:
    case -EPERM:
        return NO_PERMISSION;
    default:
        return rc < 0 ? UNKNOWN : SUCCESS;
    }
}

static int text_of(const struct device *device, const char *name, char text[FAKE_TEXT])
{
    if (users == 0)
        return UNINITIALIZED;
    if (!device)
        return INVALID_ARGUMENT;
    return status_of(fake_get(device->gpu, name, text));
}

/* Numbers of a file; those of a device are not told of its instances. */
static int numbers_of(const struct device *device,
                      const char *name,
                      size_t n,
                      unsigned long long values[])
{
    char text[FAKE_TEXT], *at = text;
    int status = text_of(device, name, text);
    if (status != SUCCESS)
        return status;
    if (device->instance > 0)
        return NOT_SUPPORTED;
    for (size_t i = 0; i < n; i++)
        values[i] = strtoull(at, &at, 10);
    return SUCCESS;
}

static int number_of(const struct device *device, const char *name, unsigned *ret)
{
    unsigned long long value = 0;
    if (!ret)
        return INVALID_ARGUMENT;
    int status = numbers_of(device, name, 1, &value);
    if (status == SUCCESS)
        *ret = (unsigned)value;
    return status;
}

static int copy(const char *text, char *ret, unsigned size)
{
    if (!ret)
        return INVALID_ARGUMENT;
    return (size_t)snprintf(ret, size, "%s", text) < size ? SUCCESS : INSUFFICIENT_SIZE;
}

static unsigned instances_of(const struct device *device)
{
    const struct device whole = {device->gpu, 0};
    unsigned n = 0;
    return number_of(&whole, "mig", &n) == SUCCESS && n < INSTANCES ? n : 0;
}

static int init(bool attaches)
{
    char text[FAKE_TEXT];
    if (fake_library_is("mismatch"))
        return VERSION_MISMATCH;
    if (fake_gpus() == 0)
        return DRIVER_NOT_LOADED;
    for (int gpu = 0; gpu < FAKE_GPUS; gpu++) {
        for (int instance = 0; instance < INSTANCES; instance++)
            handles[gpu][instance] = (struct device){gpu, instance};
        if (attaches) /* opens, and so wakes, each that is there */
            (void)fake_get(gpu, "mig", text);
    }
    users++;
    return SUCCESS;
}

EXPORT int nvmlInit_v2(void)
{
    return init(true);
}

EXPORT int nvmlInit(void)
{
    return nvmlInit_v2();
}

EXPORT int nvmlShutdown(void)
{
    users -= users > 0;
    return SUCCESS;
}

EXPORT const char *nvmlErrorString(int status)
{
    static char text[40];
    (void)snprintf(text, sizeof text, "simulated NVML error %d", status);
    return text;
}

EXPORT int nvmlSystemGetDriverVersion(char *version, unsigned size)
{
    return users ? copy(FAKE_AGE == 0 ? "535.129.03" : "418.67", version, size) : UNINITIALIZED;
}

EXPORT int nvmlSystemGetNVMLVersion(char *version, unsigned size)
{
    return users ? copy(FAKE_AGE == 0 ? "12.535.129.03" : "10.418.67", version, size)
                 : UNINITIALIZED;
}

EXPORT int nvmlDeviceGetCount_v2(unsigned *count)
{
    if (users == 0 || !count)
        return users ? INVALID_ARGUMENT : UNINITIALIZED;
    *count = (unsigned)fake_gpus();
    return SUCCESS;
}

EXPORT int nvmlDeviceGetHandleByIndex_v2(unsigned index, struct device **ret)
{
    char text[FAKE_TEXT];
    if (users == 0)
        return UNINITIALIZED;
    if (!ret || index >= (unsigned)fake_gpus())
        return INVALID_ARGUMENT;
    int status = text_of(&handles[index][0], "mig", text);
    if (status == SUCCESS)
        *ret = &handles[index][0];
    return status;
}

EXPORT int nvmlDeviceGetName(const struct device *device, char *name, unsigned size)
{
    char text[FAKE_TEXT];
    int status = text_of(device, "name", text);
    if (status == SUCCESS && device->instance > 0)
        (void)snprintf(text + strlen(text), sizeof text - strlen(text), " MIG 1g.10gb");
    return status == SUCCESS ? copy(text, name, size) : status;
}

EXPORT int nvmlDeviceGetUUID(const struct device *device, char *uuid, unsigned size)
{
    char text[FAKE_TEXT], instance[FAKE_TEXT];
    int status = text_of(device, "uuid", text);
    if (status != SUCCESS || device->instance == 0)
        return status == SUCCESS ? copy(text, uuid, size) : status;
    (void)snprintf(instance, sizeof instance, "MIG-%.24s%012x", text + 4,
                   (unsigned)device->instance);
    return copy(instance, uuid, size);
}

#if FAKE_AGE < 2
struct pci {
    char bus_id_legacy[16];
    unsigned domain, bus, device, pci_device_id, pci_sub_system_id;
    char bus_id[32];
};

static int pci_of(const struct device *device, struct pci *ret)
{
    char text[FAKE_TEXT];
    int status = text_of(device, "pci", text);
    if (status != SUCCESS || !ret)
        return status == SUCCESS ? INVALID_ARGUMENT : status;
    *ret = (struct pci){.pci_device_id = 0x233010de};
    unsigned place[3];
    fake_place(text, place);
    ret->domain = place[0];
    ret->bus = place[1];
    ret->device = place[2];
    (void)snprintf(ret->bus_id_legacy, sizeof ret->bus_id_legacy, "%04X:%02X:%02X.0",
                   ret->domain & 0xffff, ret->bus & 0xff, ret->device & 0xff);
    (void)snprintf(ret->bus_id, sizeof ret->bus_id, "%08X:%02X:%02X.0", ret->domain,
                   ret->bus & 0xff, ret->device & 0xff);
    return SUCCESS;
}

EXPORT int nvmlDeviceGetPciInfo_v3(const struct device *device, struct pci *ret)
{
    return pci_of(device, ret);
}

EXPORT int nvmlDeviceGetTotalEnergyConsumption(const struct device *device, unsigned long long *mj)
{
    return mj ? numbers_of(device, "energy_mj", 1, mj) : INVALID_ARGUMENT;
}

EXPORT int nvmlDeviceGetHandleByPciBusId_v2(const char *bus_id, struct device **ret)
{
    for (int gpu = 0; bus_id && gpu < fake_gpus(); gpu++) {
        struct pci pci;
        if (pci_of(&handles[gpu][0], &pci) == SUCCESS &&
            (strcasecmp(pci.bus_id, bus_id) == 0 || strcasecmp(pci.bus_id_legacy, bus_id) == 0))
            return nvmlDeviceGetHandleByIndex_v2((unsigned)gpu, ret);
    }
    return users ? NOT_FOUND : UNINITIALIZED;
}
#endif

EXPORT int nvmlDeviceGetPowerUsage(const struct device *device, unsigned *mw)
{
    return number_of(device, "power_mw", mw);
}

EXPORT int nvmlDeviceGetEnforcedPowerLimit(const struct device *device, unsigned *mw)
{
    return number_of(device, "limit_mw", mw);
}

EXPORT int nvmlDeviceGetPowerManagementLimit(const struct device *device, unsigned *mw)
{
    return number_of(device, "limit_mw", mw);
}

EXPORT int nvmlDeviceGetPowerManagementLimitConstraints(const struct device *device,
                                                        unsigned *least_mw,
                                                        unsigned *most_mw)
{
    int status = number_of(device, "limit_mw", most_mw);
    if (status == SUCCESS && least_mw)
        *least_mw = *most_mw / 4;
    return status;
}

struct utilization {
    unsigned gpu, memory;
};

EXPORT int nvmlDeviceGetUtilizationRates(const struct device *device, struct utilization *ret)
{
    int status = ret ? number_of(device, "utilization", &ret->gpu) : INVALID_ARGUMENT;
    if (status != SUCCESS)
        return status;
    ret->memory = ret->gpu / 2;
    return instances_of(device) > 0 ? NOT_SUPPORTED : SUCCESS;
}

struct memory {
    unsigned long long total, free, used;
};

EXPORT int nvmlDeviceGetMemoryInfo(const struct device *device, struct memory *ret)
{
    unsigned long long values[2] = {0, 0};
    if (!device || !ret)
        return INVALID_ARGUMENT;
    const struct device whole = {device->gpu, 0};
    int status = numbers_of(&whole, "memory", 2, values);
    unsigned long long parts = device->instance > 0 ? INSTANCES : 1;
    if (status == SUCCESS)
        *ret =
            (struct memory){values[0] / parts, (values[0] - values[1]) / parts, values[1] / parts};
    return status;
}

/* Clock 0 and 1 are graphics and the processors, 2 the memory. */
EXPORT int nvmlDeviceGetClockInfo(const struct device *device, int clock, unsigned *mhz)
{
    unsigned long long values[2] = {0, 0};
    int status = mhz && clock >= 0 && clock <= 2 ? numbers_of(device, "clocks_mhz", 2, values)
                                                 : INVALID_ARGUMENT;
    if (status == SUCCESS)
        *mhz = (unsigned)values[clock == 2];
    return status;
}

EXPORT int nvmlDeviceGetTemperature(const struct device *device, int sensor, unsigned *celsius)
{
    return sensor == 0 ? number_of(device, "temperature_c", celsius) : INVALID_ARGUMENT;
}

EXPORT int nvmlDeviceGetCurrentClocksThrottleReasons(const struct device *device,
                                                     unsigned long long *reasons)
{
    return reasons ? numbers_of(device, "reasons", 1, reasons) : INVALID_ARGUMENT;
}

/* NVML numbers architectures in the order of their years. */
EXPORT int nvmlDeviceGetArchitecture(const struct device *device, unsigned *ret)
{
    static const struct {
        const char *word;
        unsigned number;
    } rows[] = {{"K40", 2}, {"P100", 4}, {"V100", 5}, {"A100", 7}, {"H100", 9}, {"GH200", 9}};
    char text[FAKE_TEXT];
    int status = ret ? text_of(device, "name", text) : INVALID_ARGUMENT;
    for (size_t i = 0; status == SUCCESS && i < sizeof rows / sizeof *rows; i++) {
        if (strstr(text, rows[i].word))
            *ret = rows[i].number;
    }
    return status;
}

struct process { /* since _v2 */
    unsigned pid;
    unsigned long long memory;
    unsigned gpu_instance, compute_instance;
};

/* Processes of the device that still run: their PIDs and the time that their kernels took. */
static int processes_of(const struct device *device, unsigned pids[], unsigned long long busy_ns[])
{
    char text[FAKE_TEXT] = "";
    int n = 0, status = text_of(device, "processes", text);
    if (status != SUCCESS)
        return -status;
    for (char *line = text, *end; *line; line = end) {
        char path[40];
        pids[n] = (unsigned)strtoul(line, &end, 10);
        busy_ns[n] = strtoull(end, &end, 10);
        end += *end == '\n';
        (void)snprintf(path, sizeof path, "/proc/%u", pids[n]);
        n += access(path, F_OK) == 0;
    }
    return n;
}

enum { PROCESSES = FAKE_TEXT / 4 };

#if FAKE_AGE == 0
EXPORT int nvmlDeviceGetComputeRunningProcesses_v3(const struct device *device,
                                                   unsigned *count,
                                                   struct process *list)
{
    unsigned pids[PROCESSES];
    unsigned long long busy_ns[PROCESSES];
    int n = count ? processes_of(device, pids, busy_ns) : -INVALID_ARGUMENT;
    if (n < 0)
        return -n;
    bool fits = *count >= (unsigned)n && (list || n == 0);
    *count = (unsigned)n;
    for (int i = 0; fits && i < n; i++)
        list[i] = (struct process){pids[i], 512u << 20, 0xffffffff, 0xffffffff};
    return fits ? SUCCESS : INSUFFICIENT_SIZE;
}

EXPORT int nvmlDeviceGetComputeRunningProcesses_v2(const struct device *device,
                                                   unsigned *count,
                                                   struct process *list)
{
    return nvmlDeviceGetComputeRunningProcesses_v3(device, count, list);
}
#endif

struct sample {
    unsigned pid;
    unsigned long long time_us;
    unsigned sm, memory, encoder, decoder;
};

static unsigned long long now_us(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_REALTIME, &now); /* cannot fail */
    return (unsigned long long)now.tv_sec * 1000000 + (unsigned long long)now.tv_nsec / 1000;
}

/* One sample for each process: its share of the time since the last call of this program. */
EXPORT int nvmlDeviceGetProcessUtilization(const struct device *device,
                                           struct sample *list,
                                           unsigned *count,
                                           unsigned long long since_us)
{
    static struct before {
        unsigned pid;
        unsigned long long busy_ns, at_us;
    } before[FAKE_GPUS][PROCESSES];
    unsigned pids[PROCESSES];
    unsigned long long busy_ns[PROCESSES], now = now_us();
    (void)since_us;
    int n = count ? processes_of(device, pids, busy_ns) : -INVALID_ARGUMENT;
    if (n <= 0)
        return n < 0 ? -n : NOT_FOUND;
    bool fits = *count >= (unsigned)n && list;
    *count = (unsigned)n;
    for (int i = 0; fits && i < n; i++) {
        struct before *b = before[device->gpu];
        while (b->pid != pids[i] && b->pid != 0)
            b++;
        double us = b->pid ? (double)(now - b->at_us) : 1e6;
        double share = (double)(busy_ns[i] - b->busy_ns) / (us > 1 ? us : 1) / 10;
        list[i] = (struct sample){
            .pid = pids[i], .time_us = now, .sm = share > 100 ? 100 : (unsigned)share};
        *b = (struct before){pids[i], busy_ns[i], now};
    }
    return fits ? SUCCESS : INSUFFICIENT_SIZE;
}

#if FAKE_AGE == 0
EXPORT int nvmlInitWithFlags(unsigned flags)
{
    const unsigned no_attach = 2;
    return init(!(flags & no_attach));
}

EXPORT int nvmlDeviceGetCurrentClocksEventReasons(const struct device *device,
                                                  unsigned long long *reasons)
{
    return nvmlDeviceGetCurrentClocksThrottleReasons(device, reasons);
}

EXPORT int nvmlDeviceGetMigMode(const struct device *device, unsigned *current, unsigned *pending)
{
    int status = number_of(device, "mig", current);
    if (status == SUCCESS)
        *current = *pending = *current > 0;
    return status;
}

EXPORT int nvmlDeviceGetMaxMigDeviceCount(const struct device *device, unsigned *count)
{
    char text[FAKE_TEXT];
    int status = text_of(device, "mig", text);
    if (status == SUCCESS)
        *count = INSTANCES - 1;
    return status;
}

EXPORT int nvmlDeviceGetMigDeviceHandleByIndex(const struct device *device,
                                               unsigned index,
                                               struct device **ret)
{
    char text[FAKE_TEXT];
    int status = text_of(device, "mig", text);
    if (status != SUCCESS)
        return status;
    if (index >= instances_of(device))
        return NOT_FOUND;
    *ret = &handles[device->gpu][index + 1];
    return SUCCESS;
}
#endif

#if FAKE_AGE < 2
struct field_value {
    unsigned field, scope;
    long long timestamp_us, latency_us;
    int type;
    int status;
    union {
        double d;
        unsigned u;
        unsigned long long ull;
    } value;
};

static void answer_field(const struct device *device, struct field_value *value)
{
    enum {
        FIELD_ENERGY = 83,
        FIELD_AVERAGE = 185,
        FIELD_INSTANT = 186,
        TYPE_UINT = 1,
        TYPE_ULL = 3
    };
    const char *name = value->scope == 1               ? "module_mw"
                       : value->field == FIELD_INSTANT ? "instant_mw"
                                                       : "average_mw";
    bool power = FAKE_AGE == 0 && value->scope <= 1 &&
                 (value->field == FIELD_INSTANT || value->field == FIELD_AVERAGE);
    value->timestamp_us = (long long)now_us();
    value->latency_us = 0;
    if (value->field == FIELD_ENERGY) {
        value->type = TYPE_ULL;
        value->status = numbers_of(device, "energy_mj", 1, &value->value.ull);
        return;
    }
    value->type = TYPE_UINT;
    value->status = power ? number_of(device, name, &value->value.u) : NOT_SUPPORTED;
}

EXPORT int nvmlDeviceGetFieldValues(const struct device *device,
                                    int count,
                                    struct field_value *values)
{
    char text[FAKE_TEXT];
    int status = values ? text_of(device, "mig", text) : INVALID_ARGUMENT;
    for (int i = 0; status == SUCCESS && i < count; i++)
        answer_field(device, &values[i]);
    return status;
}
#endif
