/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * NVIDIA: devices of libnvidia-ml.so.1, in the order of the library, which is that of their PCI addresses. Instances (MIG) come
 * after all devices: they have no power of their own.
 *
 * A device that is suspended must not be woken. nvmlInit opens all devices; with NVML_INIT_FLAG_NO_ATTACH it opens none, and
 * each is then asked for by its PCI address. A device that may suspend itself later is looked at in sysfs before each call. One
 * that is suspended when the devices are listed is opened by the first read that finds it awake.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/config/visible_devices.h"
#include "base/fail.h"
#include "base/grow.h"
#include "base/whole.h"
#include "gpu/nvml_value.h"

#define BOUND "/sys/bus/pci/drivers/nvidia"

enum { DEVICES = 64, INSTANCES = 16, PROCESSES = 1000, TEXT = 96 };

struct seat {
    struct wtl_nvml_handle *handle; /* NULL: cannot be opened, or not yet: */
    bool opens_late;                /* it was suspended when the devices were listed */
    bool may_sleep;
    unsigned long long asked_us; /* newest sample of its processes so far */
};

static struct nvml {
    void *library;
    struct wtl_nvml_api api;
    bool is_init;
    struct seat seats[DEVICES]; /* of the physical devices, as numbered in the list */
} nvml;

/* ---- the library ---- */

static int look_up(const struct wtl_gpu_backend *backend, struct wattle_error *err)
{
    struct wtl_nvml_api *api = &nvml.api;
    const struct wtl_gpu_symbol symbols[] = {
        {"nvmlInit_v2", &api->init, false},
        {"nvmlShutdown", &api->shutdown, false},
        {"nvmlDeviceGetCount_v2", &api->count, false},
        {"nvmlDeviceGetHandleByIndex_v2", &api->handle, false},
        {"nvmlDeviceGetUUID", &api->uuid, false},
        {"nvmlDeviceGetName", &api->name, false},
        {"nvmlDeviceGetPciInfo_v3", &api->pci, false},
        {"nvmlDeviceGetPowerUsage", &api->power, false},
        {"nvmlInitWithFlags", &api->init_with_flags, true},
        {"nvmlSystemGetDriverVersion", &api->driver_version, true},
        {"nvmlDeviceGetHandleByPciBusId_v2", &api->handle_by_pci, true},
        {"nvmlDeviceGetTotalEnergyConsumption", &api->energy, true},
        {"nvmlDeviceGetFieldValues", &api->fields, true},
        {"nvmlDeviceGetArchitecture", &api->architecture, true},
        {"nvmlDeviceGetPowerManagementLimitConstraints", &api->limit_range, true},
        {"nvmlDeviceGetEnforcedPowerLimit", &api->limit, true},
        {"nvmlDeviceGetUtilizationRates", &api->utilization, true},
        {"nvmlDeviceGetMemoryInfo", &api->memory, true},
        {"nvmlDeviceGetClockInfo", &api->clock, true},
        {"nvmlDeviceGetTemperature", &api->temperature, true},
        {"nvmlDeviceGetCurrentClocksEventReasons", &api->reasons, true},
        {"nvmlDeviceGetCurrentClocksThrottleReasons", &api->reasons_before, true},
        {"nvmlDeviceGetMigMode", &api->mig_mode, true},
        {"nvmlDeviceGetMaxMigDeviceCount", &api->mig_count, true},
        {"nvmlDeviceGetMigDeviceHandleByIndex", &api->mig_handle, true},
        {"nvmlDeviceGetComputeRunningProcesses_v3", &api->processes, true},
        {"nvmlDeviceGetProcessUtilization", &api->process_use, true},
        {NULL, NULL, false},
    };
    int rc = wtl_gpu_symbols(backend, nvml.library, symbols, err);
    if (rc == 0 && !api->processes) {
        const struct wtl_gpu_symbol before[] = {
            {"nvmlDeviceGetComputeRunningProcesses_v2", &api->processes, true},
            {NULL, NULL, false}};
        (void)wtl_gpu_symbols(backend, nvml.library, before, err); /* it is optional */
    }
    return rc;
}

static int fail(struct wattle_error *err, const char *what, int status)
{
    int rc = wtl_nvml_error(status);
    return wtl_fail(err, rc == 0 ? -EIO : rc, "nvml: %s: %s", what, wtl_nvml_words(status));
}

/* ---- devices ---- */

static struct wtl_gpu_device describe(struct wtl_nvml_handle *handle)
{
    struct wtl_gpu_device device = wtl_gpu_device_init();
    char text[TEXT] = "";
    if (nvml.api.uuid(handle, text, sizeof text) == WTL_NVML_OK)
        (void)snprintf(device.uuid, sizeof device.uuid, "%.63s", text);
    if (nvml.api.name(handle, device.name, sizeof device.name) != WTL_NVML_OK)
        (void)snprintf(device.name, sizeof device.name, "NVIDIA GPU");
    return device;
}

static void place(struct wtl_nvml_handle *handle, struct wtl_gpu_device *device)
{
    struct wtl_nvml_pci pci = {.domain = 0};
    if (nvml.api.pci(handle, &pci) != WTL_NVML_OK)
        return;
    (void)snprintf(device->pci, sizeof device->pci, "%04x:%02x:%02x.0", pci.domain & 0xfffffu,
                   pci.bus & 0xffu, pci.device & 0x1fu);
    device->numa = wtl_gpu_numa_of(device->pci);
}

static bool are_alike(const struct wtl_gpu_list *list)
{
    for (size_t i = 1; i < list->device_count; i++) {
        if (list->devices[i].parent < 0 &&
            strcmp(list->devices[i].name, list->devices[0].name) != 0)
            return false;
    }
    return true;
}

/* Whether programs see the device, or an instance of it. */
static bool is_shown(const struct wtl_gpu_list *list, size_t number, const char *visible)
{
    if (wtl_visible_in_list(visible, (int)number, list->devices[number].uuid))
        return true;
    for (size_t i = 0; i < list->device_count; i++) /* an instance has no number */
        if (list->devices[i].parent == (int)number &&
            wtl_visible_in_list(visible, WTL_GPU_NO, list->devices[i].uuid))
            return true;
    return false;
}

static void mark_hidden(struct wtl_gpu_list *list)
{
    const struct wtl_visible_devices visible = wtl_visible_devices();
    if (wtl_visible_by_speed(&visible) && !are_alike(list)) {
        wtl_gpu_note(list, "CUDA_VISIBLE_DEVICES has numbers, which count from the fastest device: "
                           "which are meant is not known; set CUDA_DEVICE_ORDER=PCI_BUS_ID");
        return;
    }
    for (size_t i = 0; i < list->device_count; i++) {
        struct wtl_gpu_device *device = &list->devices[i];
        if (device->parent < 0)
            device->hidden = !is_shown(list, i, visible.cuda);
    }
}

/* Add an opened device with its channels; handle NULL: one that cannot be opened keeps its number. */
static void add_device(struct wtl_gpu_list *list, struct wtl_nvml_handle *handle, const char *why)
{
    struct wtl_gpu_device device = handle ? describe(handle) : wtl_gpu_device_init();
    if (handle)
        place(handle, &device);
    int number = wtl_gpu_add_device(list, &device);
    if (number < 0 || number >= DEVICES)
        return;
    nvml.seats[number] =
        (struct seat){.handle = handle, .may_sleep = wtl_gpu_may_sleep(device.pci)};
    if (handle)
        wtl_nvml_add_channels(&nvml.api, handle, number, list);
    else
        wtl_gpu_note(list, "gpu-%d cannot be opened: %s", number, why);
}

static int list_by_index(struct wtl_gpu_list *list, struct wattle_error *err)
{
    unsigned count = 0;
    int status = nvml.api.count(&count);
    if (status != WTL_NVML_OK)
        return fail(err, "cannot count the devices", status);
    for (unsigned i = 0; i < count && i < DEVICES; i++) {
        struct wtl_nvml_handle *handle = NULL;
        status = nvml.api.handle(i, &handle);
        add_device(list, status == WTL_NVML_OK ? handle : NULL, wtl_nvml_words(status));
    }
    return 0;
}

/* ---- devices of which some are asleep ---- */

struct bound {
    char pci[16];
};

static int by_address(const void *a, const void *b)
{
    return strcmp(((const struct bound *)a)->pci, ((const struct bound *)b)->pci);
}

/* The PCI addresses of the devices of NVIDIA's kernel driver, sorted: their number. */
static size_t list_bound(struct bound *bound, bool *ret_asleep)
{
    size_t count = 0;
    DIR *folder = opendir(BOUND);
    for (const struct dirent *entry; folder && (entry = readdir(folder)) && count < DEVICES;) {
        if (strlen(entry->d_name) != strlen("0000:65:00.0") || entry->d_name[4] != ':')
            continue;
        (void)snprintf(bound[count].pci, sizeof bound[count].pci, "%.15s", entry->d_name);
        *ret_asleep = *ret_asleep || wtl_gpu_is_asleep(bound[count].pci);
        count++;
    }
    if (folder)
        (void)closedir(folder); /* read only */
    wtl_sort(bound, count, sizeof *bound, by_address);
    return count;
}

/* One that is suspended: its energy has a channel before anything can be asked of it. */
static void add_sleeping(struct wtl_gpu_list *list, const struct bound *bound)
{
    struct wtl_gpu_device device = wtl_gpu_device_init();
    device.asleep = true;
    memcpy(device.pci, bound->pci, sizeof device.pci);
    device.numa = wtl_gpu_numa_of(device.pci);
    (void)snprintf(device.name, sizeof device.name, "NVIDIA GPU");
    int number = wtl_gpu_add_device(list, &device);
    if (number < 0 || number >= DEVICES)
        return; /* failure is remembered */
    nvml.seats[number] = (struct seat){.opens_late = true, .may_sleep = true};
    wtl_nvml_add_presumed(&nvml.api, number, list);
    wtl_gpu_note(list, "gpu-%d is asleep and was not woken; its energy is measured once it wakes",
                 number);
}

static void list_by_address(struct wtl_gpu_list *list, const struct bound *bound, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct wtl_nvml_handle *handle = NULL;
        if (wtl_gpu_is_asleep(bound[i].pci)) {
            add_sleeping(list, &bound[i]);
            continue;
        }
        int status = nvml.api.handle_by_pci(bound[i].pci, &handle);
        add_device(list, status == WTL_NVML_OK ? handle : NULL, wtl_nvml_words(status));
    }
}

/* ---- instances ---- */

static void add_instances(struct wtl_gpu_list *list, int parent)
{
    unsigned now = 0, pending = 0, most = 0;
    struct wtl_nvml_handle *owner = nvml.seats[parent].handle;
    const struct wtl_nvml_api *api = &nvml.api;
    if (!owner || !api->mig_mode || !api->mig_count || !api->mig_handle ||
        api->mig_mode(owner, &now, &pending) != WTL_NVML_OK || now == 0 ||
        api->mig_count(owner, &most) != WTL_NVML_OK)
        return;
    for (unsigned i = 0; i < most && i < INSTANCES; i++) {
        struct wtl_nvml_handle *handle = NULL;
        if (api->mig_handle(owner, i, &handle) != WTL_NVML_OK)
            continue;
        struct wtl_gpu_device device = describe(handle);
        device.parent = parent;
        memcpy(device.pci, list->devices[parent].pci, sizeof device.pci);
        device.numa = list->devices[parent].numa;
        (void)wtl_gpu_add_device(list, &device); /* failure is remembered */
    }
}

/* ---- the table ---- */

static void nvml_close(void)
{
    if (nvml.is_init)
        (void)nvml.api.shutdown(); /* nothing can be done about a failure */
    if (nvml.library)
        (void)dlclose(nvml.library); /* likewise */
    nvml = (struct nvml){0};
}

static int fill(struct wtl_gpu_list *list, struct wattle_error *err)
{
    struct bound bound[DEVICES];
    bool asleep = false;
    size_t count = list_bound(bound, &asleep);
    asleep = asleep && nvml.api.init_with_flags && nvml.api.handle_by_pci;
    int status = asleep ? nvml.api.init_with_flags(WTL_NVML_NO_ATTACH) : nvml.api.init();
    if (status != WTL_NVML_OK)
        return fail(err, "the library cannot be used", status);
    nvml.is_init = true;
    if (nvml.api.driver_version)
        (void)nvml.api.driver_version(list->library, sizeof list->library); /* else unknown */
    int rc = 0;
    if (asleep)
        list_by_address(list, bound, count);
    else
        rc = list_by_index(list, err);
    size_t devices = list->device_count < DEVICES ? list->device_count : DEVICES;
    for (size_t i = 0; rc == 0 && i < devices; i++)
        add_instances(list, (int)i);
    if (rc == 0 && list->device_count == 0)
        rc = wtl_fail(err, -ENODEV, "nvml: the library sees no device");
    if (rc == 0)
        mark_hidden(list);
    return rc;
}

static int nvml_open(const char *library, struct wtl_gpu_list *list, struct wattle_error *err)
{
    nvml_close();
    int rc = wtl_gpu_library(&wtl_gpu_nvml, library, &nvml.library, err);
    if (rc == 0)
        rc = look_up(&wtl_gpu_nvml, err);
    if (rc == 0)
        rc = fill(list, err);
    if (rc < 0)
        nvml_close();
    return rc;
}

/* Whether the device can be asked now: it is awake, and open. 0; -ENODATA: not yet; other errors. */
static int need_awake(const struct wtl_gpu_list *list, size_t device)
{
    struct seat *seat = &nvml.seats[device];
    const char *pci = list->devices[device].pci;
    if (seat->may_sleep && wtl_gpu_is_asleep(pci))
        return -ENODATA;
    if (seat->handle)
        return 0;
    if (!seat->opens_late)
        return -ENOTSUP;
    int rc = wtl_nvml_error(nvml.api.handle_by_pci(pci, &seat->handle));
    if (rc == 0)
        return 0;
    seat->handle = NULL;
    return rc == -EACCES ? rc : -ENODATA; /* it may still be waking */
}

static int nvml_read(const struct wtl_gpu_list *list, size_t channel, uint64_t *ret_raw)
{
    const struct wtl_gpu_channel *one = &list->channels[channel];
    int rc = need_awake(list, (size_t)one->device);
    return rc < 0 ? rc : wtl_nvml_value(&nvml.api, nvml.seats[one->device].handle, one, ret_raw);
}

/* ---- processes ---- */

static int add_process(struct wtl_gpu_processes *ret, const struct wtl_nvml_process *from)
{
    if (wtl_grow(&ret->list, ret->count, sizeof *ret->list) < 0)
        return -ENOMEM;
    ret->list[ret->count++] =
        (struct wtl_gpu_process){.pid = (long)from->pid, .used = -1, .memory = from->memory};
    return 0;
}

/* How much each used of the device, by the newest sample of each; one that has used nothing since the last call has none. */
static void fill_use(struct seat *seat, struct wtl_gpu_processes *ret)
{
    static struct wtl_nvml_sample samples[PROCESSES];
    unsigned count = PROCESSES;
    int status = nvml.api.process_use
                     ? nvml.api.process_use(seat->handle, samples, &count, seat->asked_us)
                     : WTL_NVML_NOT_SUPPORTED;
    if (status != WTL_NVML_OK && status != WTL_NVML_NOT_FOUND)
        return;
    for (size_t k = 0; k < ret->count; k++)
        ret->list[k].used = 0;
    count = status == WTL_NVML_OK ? count : 0;
    for (size_t i = 0; i < count && i < PROCESSES; i++) {
        for (size_t k = 0; k < ret->count; k++) {
            if (ret->list[k].pid == (long)samples[i].pid)
                ret->list[k].used = samples[i].sm <= 100 ? 0.01 * samples[i].sm : -1;
        }
        if (samples[i].time_us > seat->asked_us)
            seat->asked_us = samples[i].time_us;
    }
}

static int nvml_processes(const struct wtl_gpu_list *list,
                          size_t device,
                          struct wtl_gpu_processes *ret)
{
    static struct wtl_nvml_process found[PROCESSES];
    unsigned count = PROCESSES;
    if (device >= DEVICES || list->devices[device].parent >= 0 || !nvml.api.processes)
        return -ENOTSUP;
    int rc = need_awake(list, device); /* nothing runs on one that sleeps, and it is not woken */
    if (rc == 0)
        rc = wtl_nvml_error(nvml.api.processes(nvml.seats[device].handle, &count, found));
    for (size_t i = 0; rc == 0 && i < count && i < PROCESSES; i++)
        rc = add_process(ret, &found[i]);
    if (rc == 0)
        fill_use(&nvml.seats[device], ret);
    return rc;
}

const struct wtl_gpu_backend wtl_gpu_nvml = {
    .name = "nvml",
    .needs = "NVIDIA's driver",
    .libraries = {"libnvidia-ml.so.1"},
    .open = nvml_open,
    .read = nvml_read,
    .processes = nvml_processes,
    .close = nvml_close,
};
