/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * libcuda.so.1 as programs of a simulated node find it: the part of the CUDA driver interface that runs kernels of one's own
 * and measures them. Nothing is computed. A kernel takes as many nanoseconds as the last integer in its parameters says, which
 * are known from the text (PTX) of its module: a time to spin, or iterations of 1 ns. It uses the share of the GPU that its
 * blocks fill, one for each multiprocessor, from the end of what is before it in its stream; the node steps the power of the
 * GPU at exactly these instants. Device memory is the program's own. Written after the published reference only.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <time.h>

#include "sim/gpu/fake.h"

enum result {
    OK = 0,
    INVALID_VALUE = 1,
    OUT_OF_MEMORY = 2,
    NOT_INITIALIZED = 3,
    NO_DEVICE = 100,
    INVALID_DEVICE = 101,
    INVALID_CONTEXT = 201,
    NO_BINARY = 209,
    INVALID_HANDLE = 400,
    NOT_FOUND = 500,
    NOT_READY = 600,
    LAUNCH_FAILED = 719
};

enum { MULTIPROCESSORS = 100, PARAMETERS = 32, WITHOUT_TIME_NS = 10000 };

struct stream {
    uint64_t end_ns; /* of all that was given to it */
    uint32_t number; /* as CUPTI counts them; 0: the first one */
};

struct context {
    int gpu;
    struct stream own; /* stream NULL */
    uint64_t end_ns;   /* of all streams */
};

struct module {
    char *text;
};

struct function {
    int time_at; /* number of the parameter, -1 = none */
    int bytes;
    char name[64];
    struct function *next;
};

struct event {
    uint64_t at_ns;
};

static int devices[FAKE_GPUS], device_count = -1;
static _Thread_local struct context *current;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static uint64_t now_ns(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now); /* cannot fail */
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void sleep_until(uint64_t at_ns)
{
    struct timespec at = {(time_t)(at_ns / 1000000000), (long)(at_ns % 1000000000)};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL) == EINTR)
        continue;
}

/* ---- devices ---- */

/* The GPUs that CUDA_VISIBLE_DEVICES shows, in its order; it ends at the first that does not exist. */
static void find_devices(void)
{
    const char *list = getenv("CUDA_VISIBLE_DEVICES");
    int all = fake_gpus();
    device_count = 0;
    if (!list) {
        for (; device_count < all; device_count++)
            devices[device_count] = device_count;
        return;
    }
    while (*list && device_count < FAKE_GPUS) {
        char uuid[FAKE_TEXT], *end;
        size_t n = strcspn(list, ",");
        long found = strtol(list, &end, 10);
        if (end != list + n || n == 0) {
            for (found = 0; found < all; found++) {
                if (n > 4 && fake_get((int)found, "uuid", uuid) > 0 && strncmp(list, uuid, n) == 0)
                    break;
            }
        }
        if (found < 0 || found >= all)
            return;
        devices[device_count++] = (int)found;
        list += n + (list[n] == ',');
    }
}

/* ---- tools ---- */

/* A tool that CUDA_INJECTION64_PATH names is opened once, at the first cuInit(). */
static void inject(void)
{
    const char *path = getenv("CUDA_INJECTION64_PATH");
    void *tool = path && path[0] ? dlopen(path, RTLD_LAZY) : NULL;
    void *found = tool ? dlsym(tool, "InitializeInjection") : NULL;
    int (*start)(void);
    memcpy(&start, &found, sizeof start);
    if (start)
        (void)start();
}

/* Something ran: the simulated CUPTI hears of it, if a tool has opened it. */
static void tell_cupti(uint32_t kind,
                       uint32_t copy_kind,
                       uint64_t bytes,
                       const uint64_t span_ns[2],
                       const struct stream *stream,
                       const char *name)
{
    static const char *const names[] = {"libcupti.so.12", "libcupti.so.11.8"};
    void (*ran)(uint32_t, uint32_t, uint64_t, const uint64_t *, uint32_t, uint32_t, const char *);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        void *cupti = dlopen(names[i], RTLD_LAZY | RTLD_NOLOAD);
        void *found = cupti ? dlsym(cupti, "fake_cupti_ran") : NULL;
        memcpy(&ran, &found, sizeof ran);
        if (ran)
            ran(kind, copy_kind, bytes, span_ns, current ? (uint32_t)current->gpu : 0,
                stream && stream->number ? stream->number : 7, name);
        if (cupti)
            (void)dlclose(cupti);
    }
}

EXPORT int cuInit(unsigned flags)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    if (flags != 0)
        return INVALID_VALUE;
    find_devices();
    (void)pthread_once(&once, inject);
    return device_count > 0 ? OK : NO_DEVICE;
}

EXPORT int cuDriverGetVersion(int *version)
{
    *version = 12020;
    return OK;
}

EXPORT int cuDeviceGetCount(int *count)
{
    if (device_count < 0)
        return NOT_INITIALIZED;
    *count = device_count;
    return OK;
}

EXPORT int cuDeviceGet(int *device, int ordinal)
{
    if (device_count < 0)
        return NOT_INITIALIZED;
    if (ordinal < 0 || ordinal >= device_count)
        return INVALID_DEVICE;
    *device = ordinal;
    return OK;
}

static int text_of(int device, const char *name, char text[FAKE_TEXT])
{
    if (device < 0 || device >= device_count)
        return INVALID_DEVICE;
    return fake_get(devices[device], name, text) < 0 ? NO_DEVICE : OK;
}

EXPORT int cuDeviceGetName(char *name, int size, int device)
{
    char text[FAKE_TEXT];
    int rc = text_of(device, "name", text);
    if (rc == OK)
        (void)snprintf(name, (size_t)size, "%s", text); /* cut, as the reference says */
    return rc;
}

EXPORT int cuDeviceGetPCIBusId(char *name, int size, int device)
{
    char text[FAKE_TEXT];
    int rc = text_of(device, "pci", text);
    if (rc == OK)
        (void)snprintf(name, (size_t)size, "%s", text); /* cut, as the reference says */
    return rc;
}

/* 16 bytes. */
EXPORT int cuDeviceGetUuid(unsigned char *uuid, int device)
{
    char text[FAKE_TEXT];
    int rc = text_of(device, "uuid", text), n = 0;
    for (const char *at = text + 4; rc == OK && *at && n < 16; at += *at == '-' ? 1 : 2) {
        const char byte[3] = {at[0], at[1], '\0'}; /* after "GPU-" */
        if (*at != '-')
            uuid[n++] = (unsigned char)strtoul(byte, NULL, 16);
        if (!at[1])
            break;
    }
    return rc;
}

EXPORT int cuDeviceGetUuid_v2(unsigned char *uuid, int device)
{
    return cuDeviceGetUuid(uuid, device);
}

EXPORT int cuDeviceGetAttribute(int *value, int attribute, int device)
{
    static const struct {
        int attribute, value;
    } rows[] = {{1, 1024}, {10, 32}, {13, 1500000}, {16, MULTIPROCESSORS}, {75, 9}, {76, 0}};
    unsigned place[3] = {0, 0, 0};
    char text[FAKE_TEXT];
    int rc = text_of(device, "pci", text);
    if (rc != OK)
        return rc;
    fake_place(text, place);
    if (attribute == 50 || attribute == 33 || attribute == 34) {
        *value = (int)place[attribute == 50 ? 0 : attribute - 32];
        return OK;
    }
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (rows[i].attribute == attribute) {
            *value = rows[i].value;
            return OK;
        }
    }
    return INVALID_VALUE;
}

/* ---- what runs ---- */

/* Tell the node: when it begins and ends. Without a node (a folder stands in for it) it takes its time as well. */
static int announce(int gpu,
                    uint64_t length_ns,
                    double level,
                    uint64_t after_ns,
                    uint64_t span_ns[2])
{
    const char *node = getenv("WATTLE_SIM_NODE");
    char text[200];
    uint64_t now = now_ns();
    span_ns[0] = after_ns > now ? after_ns : now;
    span_ns[1] = span_ns[0] + length_ns;
    int fd = node ? open(node, O_RDWR | O_CLOEXEC) : -1;
    if (fd < 0)
        return OK;
    int n = snprintf(text, sizeof text, "kernel\n%d\n%llu\n%.6f\n%ld\n%llu", gpu,
                     (unsigned long long)length_ns, level, (long)getpid(),
                     (unsigned long long)after_ns);
    ssize_t got = write(fd, text, (size_t)n) == n ? pread(fd, text, sizeof text - 1, 0) : -1;
    (void)close(fd);
    text[got > 0 ? got : 0] = '\0';
    if (strncmp(text, "ok ", 3) != 0)
        return LAUNCH_FAILED;
    char *rest;
    span_ns[0] = strtoull(text + 3, &rest, 10);
    span_ns[1] = strtoull(rest, NULL, 10);
    return OK;
}

/* Something of this length in a stream. */
static int run(struct stream *stream, uint64_t length_ns, double level, uint64_t span[2])
{
    if (!current)
        return INVALID_CONTEXT;
    (void)pthread_mutex_lock(&lock);
    struct stream *in = stream ? stream : &current->own;
    int rc = announce(devices[current->gpu], length_ns, level, in->end_ns, span);
    if (rc == OK) {
        in->end_ns = span[1];
        current->end_ns = span[1] > current->end_ns ? span[1] : current->end_ns;
    }
    (void)pthread_mutex_unlock(&lock);
    return rc;
}

static uint64_t end_of(const struct stream *stream)
{
    (void)pthread_mutex_lock(&lock);
    uint64_t end = stream ? stream->end_ns : current->own.end_ns;
    (void)pthread_mutex_unlock(&lock);
    return end;
}

EXPORT int cuCtxCreate_v2(struct context **context, unsigned flags, int device)
{
    (void)flags;
    if (device < 0 || device >= device_count)
        return device_count < 0 ? NOT_INITIALIZED : INVALID_DEVICE;
    *context = calloc(1, sizeof **context);
    if (!*context)
        return OUT_OF_MEMORY;
    (*context)->gpu = device;
    current = *context;
    uint64_t span[2];
    return run(NULL, 0, 0, span); /* the process is known to the GPU from now on */
}

EXPORT int cuCtxDestroy_v2(struct context *context)
{
    current = current == context ? NULL : current;
    free(context);
    return OK;
}

EXPORT int cuCtxSetCurrent(struct context *context)
{
    current = context;
    return OK;
}

EXPORT int cuCtxGetCurrent(struct context **context)
{
    *context = current;
    return OK;
}

EXPORT int cuDevicePrimaryCtxRetain(struct context **context, int device)
{
    struct context *before = current;
    int rc = cuCtxCreate_v2(context, 0, device);
    current = before;
    return rc;
}

EXPORT int cuDevicePrimaryCtxRelease_v2(int device)
{
    return device >= 0 && device < device_count ? OK : INVALID_DEVICE;
}

EXPORT int cuCtxSynchronize(void)
{
    if (!current)
        return INVALID_CONTEXT;
    (void)pthread_mutex_lock(&lock);
    uint64_t end = current->end_ns;
    (void)pthread_mutex_unlock(&lock);
    sleep_until(end);
    return OK;
}

/* ---- modules ---- */

EXPORT int cuModuleLoadData(struct module **module, const void *image)
{
    if (!current)
        return INVALID_CONTEXT;
    if (!strstr(image, ".version")) /* machine code, or not a program */
        return NO_BINARY;
    *module = calloc(1, sizeof **module);
    if (*module && !((*module)->text = strdup(image))) {
        free(*module);
        *module = NULL;
    }
    return *module ? OK : OUT_OF_MEMORY;
}

EXPORT int cuModuleLoadDataEx(struct module **module,
                              const void *image,
                              unsigned n,
                              int *options,
                              void **values)
{
    (void)n, (void)options, (void)values;
    return cuModuleLoadData(module, image);
}

EXPORT int cuModuleUnload(struct module *module)
{
    free(module->text);
    free(module);
    return OK;
}

/* Look through the parameters: which is the last integer, and how long is it? */
static void find_time(const char *list, struct function *function)
{
    const char *end = strchr(list, ')');
    int i = 0;
    function->time_at = -1;
    for (const char *at = list; end && (at = strstr(at, ".param")) && at < end; i++) {
        at += strlen(".param");
        at += strspn(at, " \t\n.");
        unsigned long bits = *at && strchr("usb", *at) ? strtoul(at + 1, NULL, 10) : 0;
        if (bits == 32 || bits == 64) {
            function->time_at = i;
            function->bytes = (int)(bits / 8);
        }
    }
}

EXPORT int cuModuleGetFunction(struct function **function,
                               const struct module *module,
                               const char *name)
{
    size_t n = strlen(name);
    const char *at = module->text;
    while ((at = strstr(at, ".entry"))) {
        at += strlen(".entry");
        at += strspn(at, " \t\n");
        if (strncmp(at, name, n) == 0 && strchr(" \t\n(", at[n]))
            break;
    }
    if (!at)
        return NOT_FOUND;
    *function = calloc(1, sizeof **function); /* as long as the program */
    if (!*function)
        return OUT_OF_MEMORY;
    (void)pthread_mutex_lock(&lock);
    static struct function *all;
    (*function)->next = all; /* not lost, for leak checkers */
    all = *function;
    (void)pthread_mutex_unlock(&lock);
    (void)snprintf((*function)->name, sizeof(*function)->name, "%s", name);
    find_time(at, *function);
    return OK;
}

EXPORT int cuLaunchKernel(const struct function *function,
                          unsigned grid_x,
                          unsigned grid_y,
                          unsigned grid_z,
                          unsigned block_x,
                          unsigned block_y,
                          unsigned block_z,
                          unsigned shared_bytes,
                          struct stream *stream,
                          void **parameters,
                          void **extra)
{
    uint64_t ns = WITHOUT_TIME_NS, blocks = (uint64_t)grid_x * grid_y * grid_z;
    (void)shared_bytes;
    if (!function)
        return INVALID_HANDLE;
    if (extra || blocks == 0 || (uint64_t)block_x * block_y * block_z == 0 ||
        (uint64_t)block_x * block_y * block_z > 1024)
        return INVALID_VALUE;
    if (function->time_at >= 0) {
        ns = 0;
        memcpy(&ns, parameters[function->time_at], (size_t)function->bytes); /* little endian */
    }
    double level = blocks < MULTIPROCESSORS ? (double)blocks / MULTIPROCESSORS : 1;
    uint64_t span[2];
    int rc = run(stream, ns, level, span);
    if (rc == OK)
        tell_cupti(10, 0, 0, span, stream, function->name);
    return rc;
}

/* ---- streams and events ---- */

EXPORT int cuStreamCreate(struct stream **stream, unsigned flags)
{
    static uint32_t last = 12;
    (void)flags;
    *stream = calloc(1, sizeof **stream);
    if (*stream)
        (*stream)->number = __atomic_add_fetch(&last, 1, __ATOMIC_RELAXED);
    return *stream ? OK : OUT_OF_MEMORY;
}

EXPORT int cuStreamDestroy_v2(struct stream *stream)
{
    free(stream);
    return OK;
}

EXPORT int cuStreamSynchronize(struct stream *stream)
{
    if (!current)
        return INVALID_CONTEXT;
    sleep_until(end_of(stream));
    return OK;
}

EXPORT int cuStreamQuery(struct stream *stream)
{
    if (!current)
        return INVALID_CONTEXT;
    return end_of(stream) <= now_ns() ? OK : NOT_READY;
}

EXPORT int cuEventCreate(struct event **event, unsigned flags)
{
    (void)flags;
    *event = calloc(1, sizeof **event);
    return *event ? OK : OUT_OF_MEMORY;
}

EXPORT int cuEventDestroy_v2(struct event *event)
{
    free(event);
    return OK;
}

EXPORT int cuEventRecord(struct event *event, struct stream *stream)
{
    if (!current)
        return INVALID_CONTEXT;
    uint64_t end = end_of(stream), now = now_ns();
    event->at_ns = end > now ? end : now;
    return OK;
}

EXPORT int cuEventSynchronize(struct event *event)
{
    sleep_until(event->at_ns);
    return OK;
}

EXPORT int cuEventQuery(const struct event *event)
{
    return event->at_ns <= now_ns() ? OK : NOT_READY;
}

EXPORT int cuEventElapsedTime(float *ms, const struct event *from, const struct event *to)
{
    if (to->at_ns > now_ns())
        return NOT_READY;
    *ms = (float)((double)(int64_t)(to->at_ns - from->at_ns) * 1e-6);
    return OK;
}

/* ---- memory ---- */

EXPORT int cuMemAlloc_v2(unsigned long long *address, size_t n)
{
    void *memory = current && n > 0 ? calloc(1, n) : NULL;
    *address = (uint64_t)(uintptr_t)memory;
    return memory ? OK : current ? OUT_OF_MEMORY : INVALID_CONTEXT;
}

EXPORT int cuMemFree_v2(unsigned long long address)
{
    free((void *)(uintptr_t)address);
    return OK;
}

/* Copies take as long as they take here, after all kernels, and no power. */
static int copy(void *to, const void *from, size_t n, uint32_t copy_kind)
{
    uint64_t span[2];
    (void)cuCtxSynchronize();
    span[0] = now_ns();
    memcpy(to, from, n);
    span[1] = now_ns();
    tell_cupti(1, copy_kind, n, span, NULL, NULL);
    return OK;
}

EXPORT int cuMemcpyHtoD_v2(unsigned long long to, const void *from, size_t n)
{
    return copy((void *)(uintptr_t)to, from, n, 1);
}

EXPORT int cuMemcpyDtoH_v2(void *to, unsigned long long from, size_t n)
{
    return copy(to, (const void *)(uintptr_t)from, n, 2);
}

EXPORT int cuMemsetD32_v2(unsigned long long to, unsigned value, size_t n)
{
    for (size_t i = 0; i < n; i++)
        ((unsigned *)(uintptr_t)to)[i] = value;
    return OK;
}

EXPORT int cuGetErrorString(int result, const char **text)
{
    static _Thread_local char words[40];
    (void)snprintf(words, sizeof words, "simulated CUDA error %d", result);
    *text = words;
    return OK;
}

EXPORT int cuGetErrorName(int result, const char **text)
{
    return cuGetErrorString(result, text);
}
