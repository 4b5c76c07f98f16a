/* SPDX-License-Identifier: BSD-3-Clause */
#include "load/gpu/cuda.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"

const struct wtl_cuda_kind wtl_cuda_itself = {.name = "CUDA",
                                              .variable = "CUDA_VISIBLE_DEVICES",
                                              .libraries = {"libcuda.so.1"},
                                              .needs = "NVIDIA's driver",
                                              .driver = "NVIDIA's kernel driver",
                                              .multiprocessors = WTL_CUDA_MULTIPROCESSORS,
                                              .has_contexts = true};
const struct wtl_cuda_kind wtl_cuda_hip = {
    .name = "HIP",
    .variable = "HIP_VISIBLE_DEVICES and ROCR_VISIBLE_DEVICES",
    .libraries = {"libamdhip64.so", "libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5",
                  "/opt/rocm/lib/libamdhip64.so"},
    .needs = "AMD's ROCm",
    .driver = "the amdgpu driver",
    .multiprocessors = WTL_HIP_MULTIPROCESSORS};

/* Where the compiler is unless it is in the library itself, as up to version 6. */
static const char *const compilers[] = {"libhiprtc.so", "libhiprtc.so.7",
                                        "/opt/rocm/lib/libhiprtc.so", NULL};

struct name {
    const char *name;
    void *into;
};

static void *open_first(const char *const *names)
{
    void *handle = NULL;
    for (; !handle && *names; names++)
        handle = dlopen(*names, RTLD_NOW | RTLD_LOCAL);
    return handle;
}

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
    return wtl_fail(err, -EIO, "%s: %s: %s (error %d)", cuda->kind->name, what,
                    words ? words : "unknown", result);
}

/* Look up functions, ended by a NULL name. */
static int look_up(const char *library,
                   void *handle,
                   const struct name *names,
                   struct wattle_error *err)
{
    for (; names->name; names++) {
        void *address = dlsym(handle, names->name);
        if (!address)
            return wtl_fail(err, -ENOTSUP, "%s has no %s: its version is too old", library,
                            names->name);
        memcpy(names->into, &address, sizeof address);
    }
    return 0;
}

int wtl_cuda_open(struct wtl_cuda *cuda, const struct wtl_cuda_kind *kind, struct wattle_error *err)
{
    const struct name of_cuda[] = {
        {"cuInit", &cuda->init},
        {"cuDeviceGetCount", &cuda->device_count},
        {"cuDeviceGet", &cuda->device_get},
        {"cuDeviceGetName", &cuda->device_name},
        {"cuDeviceGetPCIBusId", &cuda->device_pci},
        {"cuDeviceGetAttribute", &cuda->device_attribute},
        {"cuCtxCreate_v2", &cuda->context_create},
        {"cuCtxSynchronize", &cuda->synchronize},
        {"cuModuleLoadData", &cuda->module_load},
        {"cuModuleGetFunction", &cuda->module_function},
        {"cuMemAlloc_v2", &cuda->memory_allocate},
        {"cuLaunchKernel", &cuda->launch},
        {"cuEventCreate", &cuda->event_create},
        {"cuEventRecord", &cuda->event_record},
        {"cuEventElapsedTime", &cuda->event_elapsed},
        {"cuGetErrorString", &cuda->error_string},
        {NULL, NULL},
    };
    const struct name of_hip[] = {
        {"hipInit", &cuda->init},
        {"hipGetDeviceCount", &cuda->device_count},
        {"hipDeviceGet", &cuda->device_get},
        {"hipDeviceGetName", &cuda->device_name},
        {"hipDeviceGetPCIBusId", &cuda->device_pci},
        {"hipDeviceGetAttribute", &cuda->device_attribute},
        {"hipSetDevice", &cuda->device_set},
        {"hipDeviceSynchronize", &cuda->synchronize},
        {"hipModuleLoadData", &cuda->module_load},
        {"hipModuleGetFunction", &cuda->module_function},
        {"hipMalloc", &cuda->memory_allocate},
        {"hipModuleLaunchKernel", &cuda->launch},
        {"hipEventCreateWithFlags", &cuda->event_create},
        {"hipEventRecord", &cuda->event_record},
        {"hipEventElapsedTime", &cuda->event_elapsed},
        {NULL, NULL},
    };
    const struct name words = {"hipDrvGetErrorString", &cuda->error_string};
    *cuda = (struct wtl_cuda){.kind = kind, .library = open_first(kind->libraries)};
    if (!cuda->library)
        return wtl_fail(err, -ENOENT, "%s not found; it comes with %s", kind->libraries[0],
                        kind->needs);
    int rc = look_up(kind->libraries[0], cuda->library, kind->has_contexts ? of_cuda : of_hip, err);
    if (rc < 0)
        return rc;
    void *address = kind->has_contexts ? NULL : dlsym(cuda->library, words.name);
    if (address)
        memcpy(words.into, &address, sizeof address);
    int result = cuda->init(0);
    const char *text = NULL;
    if (result == WTL_CUDA_OK)
        return 0;
    if (!cuda->error_string || cuda->error_string(result, &text) != WTL_CUDA_OK)
        text = NULL;
    return wtl_fail(err, -ENODEV, "%s finds no device%s%s (error %d): %s is not loaded, or see %s",
                    kind->name, text ? ": " : "", text ? text : "", result, kind->driver,
                    kind->variable);
}

int wtl_hip_compile(const struct wtl_cuda *hip,
                    const char *source,
                    void **ret_code,
                    struct wattle_error *err)
{
    static struct wtl_hiprtc rtc;
    struct wtl_hip_program *program;
    size_t size = 0;
    const struct name functions[] = {
        {"hiprtcCreateProgram", &rtc.create},
        {"hiprtcCompileProgram", &rtc.compile},
        {"hiprtcGetCodeSize", &rtc.code_size},
        {"hiprtcGetCode", &rtc.code},
        {NULL, NULL},
    };
    void *handle = dlsym(hip->library, functions[0].name) ? hip->library : open_first(compilers);
    if (!handle)
        return wtl_fail(err, -ENOENT, "%s not found; it comes with %s", compilers[0],
                        hip->kind->needs);
    int rc = look_up(compilers[0], handle, functions, err);
    if (rc < 0)
        return rc;
    int status = rtc.create(&program, source, "wattle_burn.hip", 0, NULL, NULL);
    status = status != 0 ? status : rtc.compile(program, 0, NULL);
    status = status != 0 ? status : rtc.code_size(program, &size);
    if (status != 0 || size == 0)
        return wtl_fail(err, -EIO, "hiprtc cannot compile the kernel (error %d)", status);
    *ret_code = malloc(size);
    if (!*ret_code)
        return wtl_no_memory(err);
    status = rtc.code(program, *ret_code);
    return status == 0 ? 0 : wtl_fail(err, -EIO, "hiprtc has no code (error %d)", status);
}
