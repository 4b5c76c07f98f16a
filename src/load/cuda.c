/* SPDX-License-Identifier: BSD-3-Clause */
#include "load/cuda.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>

#include "base/fail.h"

static const char *const library = "libcuda.so.1";

int wtl_cuda_check(const struct wtl_cuda *cuda,
                   int result,
                   const char *what,
                   struct wattle_error *err)
{
    const char *words = NULL;
    if (result == WTL_CUDA_OK)
        return 0;
    if (!cuda->error_string || cuda->error_string(result, &words) != WTL_CUDA_OK)
        words = NULL;
    return wtl_fail(err, -EIO, "%s: %s (CUDA error %d)", what, words ? words : "unknown", result);
}

int wtl_cuda_open(struct wtl_cuda *cuda, struct wattle_error *err)
{
    const struct {
        const char *name;
        void *into;
    } functions[] = {
        {"cuInit", &cuda->init},
        {"cuDeviceGetCount", &cuda->device_count},
        {"cuDeviceGet", &cuda->device_get},
        {"cuDeviceGetName", &cuda->device_name},
        {"cuDeviceGetPCIBusId", &cuda->device_pci},
        {"cuDeviceGetAttribute", &cuda->device_attribute},
        {"cuCtxCreate_v2", &cuda->context_create},
        {"cuCtxSynchronize", &cuda->context_synchronize},
        {"cuModuleLoadData", &cuda->module_load},
        {"cuModuleGetFunction", &cuda->module_function},
        {"cuMemAlloc_v2", &cuda->memory_allocate},
        {"cuLaunchKernel", &cuda->launch},
        {"cuEventCreate", &cuda->event_create},
        {"cuEventRecord", &cuda->event_record},
        {"cuEventElapsedTime", &cuda->event_elapsed},
        {"cuGetErrorString", &cuda->error_string},
    };
    memset(cuda, 0, sizeof *cuda);
    void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (!handle)
        return wtl_fail(err, -ENOENT,
                        "%s not found; it comes with NVIDIA's driver (loads for other GPUs do not "
                        "exist yet)",
                        library);
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        void *address = dlsym(handle, functions[i].name);
        if (!address)
            return wtl_fail(err, -ENOTSUP, "%s has no %s: its version is too old", library,
                            functions[i].name);
        memcpy(functions[i].into, &address, sizeof address);
    }
    int result = cuda->init(0);
    if (result != WTL_CUDA_OK) {
        (void)wtl_cuda_check(cuda, result, "cuInit", err);
        return -ENODEV;
    }
    return 0;
}
