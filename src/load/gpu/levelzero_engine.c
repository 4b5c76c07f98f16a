/* SPDX-License-Identifier: BSD-3-Clause */
/* The load's kernel by Level Zero, from SPIR-V, in the device's first group of queues, which computes. How long kernels took is by the
 * clock of the host, until it knows that the last one has ended. */
#define _POSIX_C_SOURCE 200809L
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/fail.h"
#include "load/gpu/gpu_engine.h"
#include "load/gpu/levelzero.h"
#include "load/gpu/levelzero_kernel.h"

enum { THREADS = 256, GROUPS_EACH = 4, GROUPS_LEAST = 64, MOST = 64 };

static const char library[] = "libze_loader.so.1";
static struct {
    struct wtl_ze_calls calls;
    void *driver, *device, *context, *queue, *list, *module, *kernel, *out;
    uint32_t groups;
} ze;

static int check(int result, const char *what, struct wattle_error *err)
{
    return result == 0
               ? 0
               : wtl_fail(err, -EIO, "Level Zero: %s failed (result 0x%x)", what, (unsigned)result);
}

static int look_up(struct wattle_error *err)
{
    struct wtl_ze_calls *calls = &ze.calls;
    const struct {
        const char *name;
        void *into;
    } functions[] = {
        {"zeInit", &calls->init},
        {"zeDriverGet", &calls->drivers},
        {"zeDeviceGet", &calls->devices},
        {"zeDeviceGetProperties", &calls->properties},
        {"zeDevicePciGetPropertiesExt", &calls->pci},
        {"zeContextCreate", &calls->context},
        {"zeCommandQueueCreate", &calls->queue},
        {"zeCommandListCreate", &calls->list},
        {"zeModuleCreate", &calls->module},
        {"zeKernelCreate", &calls->kernel},
        {"zeKernelSetGroupSize", &calls->group_size},
        {"zeKernelSetArgumentValue", &calls->argument},
        {"zeMemAllocDevice", &calls->memory},
        {"zeCommandListAppendLaunchKernel", &calls->append},
        {"zeCommandListClose", &calls->close},
        {"zeCommandListReset", &calls->reset},
        {"zeCommandQueueExecuteCommandLists", &calls->execute},
        {"zeCommandQueueSynchronize", &calls->synchronize},
    };
    void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (!handle)
        return wtl_fail(err, -ENOENT, "%s not found; it comes with Intel's package level-zero",
                        library);
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        void *address = dlsym(handle, functions[i].name);
        if (!address)
            return wtl_fail(err, -ENOTSUP, "%s has no %s: its version is too old", library,
                            functions[i].name);
        memcpy(functions[i].into, &address, sizeof address);
    }
    return 0;
}

/* Groups of threads that fill the device several times. */
static uint32_t groups_for(const struct wtl_ze_core_properties *properties)
{
    enum { THREADS_PER_UNIT = 2, WIDTH, UNITS, SUBSLICES, SLICES }; /* places in counts[] */
    const uint32_t most = 1 << 20;
    const uint32_t *counts = properties->counts;
    double threads = (double)counts[THREADS_PER_UNIT] * counts[WIDTH] * counts[UNITS] *
                     counts[SUBSLICES] * counts[SLICES];
    double groups = GROUPS_EACH * threads / THREADS;
    return groups < GROUPS_LEAST ? GROUPS_LEAST : groups > most ? most : (uint32_t)groups;
}

/* Whether this one is wanted: then it is described. */
static bool use_device(void *device, const char *wanted, int number, struct wtl_engine_device *ret)
{
    struct wtl_ze_core_properties properties = {.type = WTL_ZE_DEVICE_PROPERTIES};
    struct wtl_ze_pci pci = {.type = WTL_ZE_PCI};
    if (ze.calls.properties(device, &properties) != 0 || ze.calls.pci(device, &pci) != 0)
        return false;
    (void)snprintf(ret->pci, sizeof ret->pci, "%04x:%02x:%02x.%x", pci.domain & 0xffffu,
                   pci.bus & 0xffu, pci.device & 0x1fu, pci.function & 7u);
    if (properties.device_type != WTL_ZE_TYPE_GPU ||
        !wtl_engine_is_wanted(wanted, number, ret->pci))
        return false;
    (void)snprintf(ret->name, sizeof ret->name, "%.95s", properties.name);
    ze.device = device;
    ze.groups = groups_for(&properties);
    return true;
}

static int choose(const char *wanted, struct wtl_engine_device *ret, struct wattle_error *err)
{
    void *drivers[MOST], *devices[MOST];
    uint32_t driver_count = MOST;
    int number = 0, rc = check(ze.calls.drivers(&driver_count, drivers), "zeDriverGet", err);
    for (uint32_t i = 0; rc == 0 && i < driver_count && i < MOST; i++) {
        uint32_t count = MOST;
        rc = check(ze.calls.devices(drivers[i], &count, devices), "zeDeviceGet", err);
        for (uint32_t k = 0; rc == 0 && k < count && k < MOST; k++, number++) {
            if (use_device(devices[k], wanted, number, ret)) {
                ze.driver = drivers[i];
                return 0;
            }
        }
    }
    if (rc < 0)
        return rc;
    return wtl_fail(err, -ENODEV, "Level Zero shows %d devices, and not %s; see ZE_AFFINITY_MASK",
                    number, wanted ? wanted : "any GPU");
}

static int prepare(struct wattle_error *err)
{
    const struct wtl_ze_calls *calls = &ze.calls;
    const struct wtl_ze_context_wish context = {.type = WTL_ZE_CONTEXT};
    const struct wtl_ze_queue_wish queue = {.type = WTL_ZE_QUEUE, .mode = WTL_ZE_ASYNCHRONOUS};
    const struct wtl_ze_list_wish list = {.type = WTL_ZE_LIST};
    const struct wtl_ze_memory_wish memory = {.type = WTL_ZE_DEVICE_MEMORY};
    const struct wtl_ze_module_wish module = {.type = WTL_ZE_MODULE,
                                              .format = WTL_ZE_SPIRV,
                                              .size = sizeof wtl_levelzero_kernel,
                                              .input = (const uint8_t *)wtl_levelzero_kernel};
    const struct wtl_ze_kernel_wish kernel = {.type = WTL_ZE_KERNEL, .name = "wattle_burn"};
    int rc = check(calls->context(ze.driver, &context, &ze.context), "zeContextCreate", err);
    rc = rc < 0 ? rc
                : check(calls->queue(ze.context, ze.device, &queue, &ze.queue),
                        "zeCommandQueueCreate", err);
    rc = rc < 0 ? rc
                : check(calls->list(ze.context, ze.device, &list, &ze.list), "zeCommandListCreate",
                        err);
    rc = rc < 0 ? rc
                : check(calls->module(ze.context, ze.device, &module, &ze.module, NULL),
                        "zeModuleCreate", err);
    rc = rc < 0 ? rc : check(calls->kernel(ze.module, &kernel, &ze.kernel), "zeKernelCreate", err);
    rc = rc < 0 ? rc
                : check(calls->group_size(ze.kernel, THREADS, 1, 1), "zeKernelSetGroupSize", err);
    rc = rc < 0 ? rc
                : check(calls->memory(ze.context, &memory, sizeof(float) * THREADS, sizeof(float),
                                      ze.device, &ze.out),
                        "zeMemAllocDevice", err);
    return rc < 0 ? rc
                  : check(calls->argument(ze.kernel, 0, sizeof ze.out, &ze.out),
                          "zeKernelSetArgumentValue", err);
}

static int levelzero_open(const char *wanted,
                          struct wtl_engine_device *ret,
                          struct wattle_error *err)
{
    int rc = look_up(err);
    if (rc < 0)
        return rc;
    int result = ze.calls.init(0);
    if (result != 0)
        return wtl_fail(err, -ENODEV,
                        "Level Zero finds no driver for a GPU (result 0x%x); install "
                        "intel-level-zero-gpu",
                        (unsigned)result);
    rc = choose(wanted, ret, err);
    return rc < 0 ? rc : prepare(err);
}

static int levelzero_burn(unsigned rounds,
                          unsigned kernels,
                          struct wtl_engine_burn *ret,
                          struct wattle_error *err)
{
    const struct wtl_ze_calls *calls = &ze.calls;
    const struct wtl_ze_groups groups = {ze.groups, 1, 1};
    const uint32_t count = rounds;
    int rc = check(calls->reset(ze.list), "zeCommandListReset", err);
    rc = rc < 0 ? rc
                : check(calls->argument(ze.kernel, 1, sizeof count, &count),
                        "zeKernelSetArgumentValue", err);
    for (unsigned i = 0; rc == 0 && i < kernels; i++)
        rc = check(calls->append(ze.list, ze.kernel, &groups, NULL, 0, NULL),
                   "zeCommandListAppendLaunchKernel", err);
    rc = rc < 0 ? rc : check(calls->close(ze.list), "zeCommandListClose", err);
    double before = wtl_engine_now_s();
    rc = rc < 0 ? rc
                : check(calls->execute(ze.queue, 1, &ze.list, NULL),
                        "zeCommandQueueExecuteCommandLists", err);
    ret->began_s = (before + wtl_engine_now_s()) / 2;
    rc = rc < 0 ? rc
                : check(calls->synchronize(ze.queue, UINT64_MAX), "zeCommandQueueSynchronize", err);
    ret->ended_s = wtl_engine_now_s();
    return rc;
}

const struct wtl_gpu_engine wtl_engine_levelzero = {"Level Zero", levelzero_open, levelzero_burn};
