/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A fake HIP (with its compiler) and a fake Level Zero that run the load's kernel on two devices: nothing is computed, a kernel takes 100 ns
 * per round, from the end of the one before. Each becomes a line of $WATTLE_FAKE_LOG: "DEVICE GROUPS THREADS ROUNDS BEGIN_NS END_NS".
 * $WATTLE_FAKE_INIT is what the first call returns. Prototypes after the published references.
 */
#define _POSIX_C_SOURCE 200809L
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define EXPORT __attribute__((visibility("default")))

enum { DEVICES = 2, WRONG = 1, NS_PER_ROUND = 100, PROCESSORS = 104, SPIRV = 0x07230203 };

static int device;
static uint64_t end_ns;
static char image[] = "the code";

static uint64_t now_ns(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static int first_result(void)
{
    const char *text = getenv("WATTLE_FAKE_INIT");
    return text ? (int)strtol(text, NULL, 0) : 0;
}

static int run(unsigned groups, unsigned threads, unsigned rounds)
{
    uint64_t now = now_ns(), begin = end_ns > now ? end_ns : now;
    const char *path = getenv("WATTLE_FAKE_LOG");
    FILE *log = path ? fopen(path, "ae") : NULL;
    end_ns = begin + (uint64_t)rounds * NS_PER_ROUND;
    if (!log)
        return WRONG;
    (void)fprintf(log, "%d %u %u %u %llu %llu\n", device, groups, threads, rounds,
                  (unsigned long long)begin, (unsigned long long)end_ns);
    return fclose(log) == 0 ? 0 : WRONG;
}

static int wait_for_end(void)
{
    struct timespec at = {(time_t)(end_ns / 1000000000), (long)(end_ns % 1000000000)};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL) != 0)
        continue;
    return 0;
}

/* ---- HIP ---- */

EXPORT int hipInit(unsigned flags)
{
    return flags == 0 ? first_result() : WRONG;
}

EXPORT int hipGetDeviceCount(int *count)
{
    *count = DEVICES;
    return 0;
}

EXPORT int hipDeviceGet(int *ret, int ordinal)
{
    *ret = ordinal;
    return ordinal < DEVICES ? 0 : WRONG;
}

EXPORT int hipDeviceGetName(char *name, int size, int number)
{
    (void)snprintf(name, (size_t)size, "Fake HIP %d", number);
    return 0;
}

EXPORT int hipDeviceGetPCIBusId(char *name, int size, int number)
{
    (void)snprintf(name, (size_t)size, "0000:%02x:00.0", 0xc0 + number);
    return 0;
}

EXPORT int hipDeviceGetAttribute(int *value, int attribute, int number)
{
    (void)number;
    *value = PROCESSORS;
    return attribute == 63 ? 0 : WRONG;
}

EXPORT int hipSetDevice(int number)
{
    device = number;
    return 0;
}

EXPORT int hipDeviceSynchronize(void)
{
    return wait_for_end();
}

EXPORT int hipModuleLoadData(void **module, const void *code)
{
    *module = image;
    return strcmp(code, image) == 0 ? 0 : WRONG;
}

EXPORT int hipModuleGetFunction(void **function, void *module, const char *name)
{
    *function = image;
    return module == image && strcmp(name, "wattle_burn") == 0 ? 0 : WRONG;
}

EXPORT int hipMalloc(void **ret, size_t size)
{
    static float memory[256];
    *ret = memory;
    return size == sizeof memory ? 0 : WRONG;
}

EXPORT int hipModuleLaunchKernel(void *function,
                                 unsigned gx,
                                 unsigned gy,
                                 unsigned gz,
                                 unsigned bx,
                                 unsigned by,
                                 unsigned bz,
                                 unsigned shared,
                                 void *stream,
                                 void **parameters,
                                 void **extra)
{
    unsigned rounds;
    if (function != image || stream || extra || shared || gy * gz * by * bz != 1)
        return WRONG;
    memcpy(&rounds, parameters[1], sizeof rounds);
    return run(gx, bx, rounds);
}

EXPORT int hipEventCreateWithFlags(uint64_t **event, unsigned flags)
{
    *event = calloc(1, sizeof **event); /* as long as the program */
    return *event && flags == 0 ? 0 : WRONG;
}

EXPORT int hipEventRecord(uint64_t *event, void *stream)
{
    uint64_t now = now_ns();
    *event = end_ns > now ? end_ns : now;
    return stream ? WRONG : 0;
}

EXPORT int hipEventElapsedTime(float *ms, const uint64_t *from, const uint64_t *to)
{
    *ms = (float)((double)(*to - *from) * 1e-6);
    return 0;
}

EXPORT int hipDrvGetErrorString(int result, const char **text)
{
    (void)result;
    *text = "said by the fake";
    return 0;
}

EXPORT int hiprtcCreateProgram(void **program,
                               const char *source,
                               const char *name,
                               int headers,
                               const char **contents,
                               const char **names)
{
    *program = image;
    return strstr(source, "__global__ void wattle_burn(float *out, unsigned rounds)") && name &&
                   headers == 0 && !contents && !names
               ? 0
               : WRONG;
}

EXPORT int hiprtcCompileProgram(const void *program, int options, const char **words)
{
    return program == image && options == 0 && !words ? 0 : WRONG;
}

EXPORT int hiprtcGetCodeSize(const void *program, size_t *size)
{
    *size = sizeof image;
    return program == image ? 0 : WRONG;
}

EXPORT int hiprtcGetCode(const void *program, char *code)
{
    memcpy(code, image, sizeof image);
    return program == image ? 0 : WRONG;
}

/* ---- Level Zero ---- */

static unsigned group_threads, ze_rounds, appended[64], groups_of[64], count_appended;

EXPORT int zeInit(uint32_t flags)
{
    return flags == 0 ? first_result() : WRONG;
}

EXPORT int zeDriverGet(uint32_t *count, void **list)
{
    list[0] = image;
    *count = 1;
    return 0;
}

EXPORT int zeDeviceGet(void *driver, uint32_t *count, void **list)
{
    for (uintptr_t i = 0; i < DEVICES; i++)
        list[i] = (void *)(i + 1);
    *count = DEVICES;
    return driver == image ? 0 : WRONG;
}

/* ze_device_properties_t by its places. */
EXPORT int zeDeviceGetProperties(void *handle, char *ret)
{
    static const uint32_t counts[] = {7, 0, 8, 16, 8, 4, 2}; /* 8192 threads */
    uint32_t type, gpu = 1;
    memcpy(&type, ret, sizeof type);
    memcpy(ret + 16, &gpu, sizeof gpu);
    memcpy(ret + 48, counts, sizeof counts);
    (void)snprintf(ret + 112, 256, "Fake Level Zero %d", (int)(uintptr_t)handle - 1);
    return type == 3 ? 0 : WRONG;
}

EXPORT int zeDevicePciGetPropertiesExt(void *handle, uint32_t *ret)
{
    ret[4] = 0;
    ret[5] = (uint32_t)(0xd0 + (uintptr_t)handle - 1);
    ret[6] = ret[7] = 0;
    return ret[0] == 0x10008 ? 0 : WRONG;
}

static int create(const uint32_t *wish, uint32_t type, void **ret)
{
    *ret = image;
    return wish[0] == type ? 0 : WRONG;
}

EXPORT int zeContextCreate(void *driver, const uint32_t *wish, void **ret)
{
    return driver == image ? create(wish, 0xd, ret) : WRONG;
}

EXPORT int zeCommandQueueCreate(void *context, void *handle, const uint32_t *wish, void **ret)
{
    device = (int)(uintptr_t)handle - 1;
    return context == image ? create(wish, 0xe, ret) : WRONG;
}

EXPORT int zeCommandListCreate(void *context, void *handle, const uint32_t *wish, void **ret)
{
    (void)handle;
    return context == image ? create(wish, 0xf, ret) : WRONG;
}

EXPORT int zeModuleCreate(void *context, void *handle, const char *wish, void **ret, void **ret_log)
{
    uint32_t head[1], magic;
    size_t size;
    const void *input;
    (void)handle;
    memcpy(head, wish, sizeof head);
    memcpy(&size, wish + 24, sizeof size);
    memcpy(&input, wish + 32, sizeof input);
    memcpy(&magic, input, sizeof magic);
    return context == image && !ret_log && size % 4 == 0 && size > 400 && magic == SPIRV
               ? create(head, 0x1b, ret)
               : WRONG;
}

EXPORT int zeKernelCreate(void *module, const char *wish, void **ret)
{
    const char *name;
    uint32_t head[1];
    memcpy(head, wish, sizeof head);
    memcpy(&name, wish + 24, sizeof name);
    return module == image && strcmp(name, "wattle_burn") == 0 ? create(head, 0x1d, ret) : WRONG;
}

EXPORT int zeKernelSetGroupSize(void *kernel, uint32_t x, uint32_t y, uint32_t z)
{
    group_threads = x;
    return kernel == image && y == 1 && z == 1 ? 0 : WRONG;
}

EXPORT int zeKernelSetArgumentValue(void *kernel, uint32_t number, size_t size, const void *value)
{
    if (number == 1)
        memcpy(&ze_rounds, value, sizeof ze_rounds);
    return kernel == image && size == (number == 0 ? sizeof(void *) : sizeof ze_rounds) ? 0 : WRONG;
}

EXPORT int zeMemAllocDevice(void *context,
                            const uint32_t *wish,
                            size_t size,
                            size_t alignment,
                            void *handle,
                            void **ret)
{
    (void)handle, (void)alignment;
    return context == image && size == 1024 ? create(wish, 0x15, ret) : WRONG;
}

EXPORT int zeCommandListReset(void *list)
{
    count_appended = 0;
    return list == image ? 0 : WRONG;
}

EXPORT int zeCommandListAppendLaunchKernel(void *list,
                                           void *kernel,
                                           const uint32_t *groups,
                                           void *signal,
                                           uint32_t waits,
                                           void **wait)
{
    if (list != image || kernel != image || signal || waits || wait || count_appended == 64)
        return WRONG;
    groups_of[count_appended] = groups[0];
    appended[count_appended++] = ze_rounds;
    return groups[1] == 1 && groups[2] == 1 ? 0 : WRONG;
}

EXPORT int zeCommandListClose(void *list)
{
    return list == image ? 0 : WRONG;
}

EXPORT int zeCommandQueueExecuteCommandLists(void *queue, uint32_t count, void **lists, void *fence)
{
    int rc = queue == image && count == 1 && lists[0] == image && !fence ? 0 : WRONG;
    for (unsigned i = 0; rc == 0 && i < count_appended; i++)
        rc = run(groups_of[i], group_threads, appended[i]);
    return rc;
}

EXPORT int zeCommandQueueSynchronize(void *queue, uint64_t timeout_ns)
{
    return queue == image && timeout_ns == UINT64_MAX ? wait_for_end() : WRONG;
}
