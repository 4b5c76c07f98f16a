/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Kernels and copies of CUDA programs as lanes of the trace. The CUDA driver opens the library that CUDA_INJECTION64_PATH names when a
 * program initialises it, and calls InitializeInjection(); from there on CUPTI, if it is there, hands over buffers of what ran.
 * Nothing here prints, fails or stops the program; what is not recorded is named in the trace.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <wattle/task.h>

#include "../gpulanes/lane_book.h"
#include "cupti_abi.h"

#define EXPORT __attribute__((visibility("default")))

enum { BUFFER_BYTES = 1 << 20, DEVICES = 64, PERIOD_MS = 500 };

static struct cupti_calls cupti;
static struct lane_moment before, after; /* with the book open */
static char devices[DEVICES][24];

/* ---- the library ---- */

/* A call of the CUDA driver, which the program has opened. */
static bool driver_call(const char *name, void *ret)
{
    void *library = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
    void *found = library ? dlsym(library, name) : NULL;

    memcpy(ret, &found, sizeof(found));
    if (library)
        (void)dlclose(library); /* it stays */
    return found != NULL;
}

/* The one that the program has opened, or the newest one that is not newer than the driver. */
static void *open_library(void)
{
    static const struct {
        const char *name;
        int driver; /* of this version or newer; 0 = any */
    } rows[] = {{"libcupti.so.13", 13000},
                {"libcupti.so.12", 12000},
                {"libcupti.so.11.8", 11000},
                {"libcupti.so.11.7", 11000},
                {"libcupti.so.11.6", 11000},
                {"libcupti.so.11.5", 11000},
                {"libcupti.so.11.4", 11000},
                {"libcupti.so.11.3", 11000},
                {"libcupti.so.11.2", 11000},
                {"libcupti.so", 0},
                {"/usr/local/cuda/extras/CUPTI/lib64/libcupti.so", 0}};
    enum { ROWS = sizeof(rows) / sizeof(rows[0]) };
    int (*get_version)(int *) = NULL, version = 0;
    void *library = NULL;

    if (!driver_call("cuDriverGetVersion", &get_version) || get_version(&version) != 0)
        version = 0;
    for (size_t i = 0; !library && i < ROWS; i++)
        library = dlopen(rows[i].name, RTLD_LAZY | RTLD_NOLOAD);
    for (size_t i = 0; !library && i < ROWS; i++)
        if (version >= rows[i].driver)
            library = dlopen(rows[i].name, RTLD_LAZY | RTLD_LOCAL);
    return library;
}

static bool find_calls(void *library)
{
    const struct {
        const char *name;
        void *at;
        bool optional;
    } rows[] = {{"cuptiGetVersion", &cupti.get_version, false},
                {"cuptiGetTimestamp", &cupti.get_timestamp, false},
                {"cuptiActivityRegisterCallbacks", &cupti.register_callbacks, false},
                {"cuptiActivityEnable", &cupti.enable, false},
                {"cuptiActivityFlushAll", &cupti.flush_all, false},
                {"cuptiActivityGetNextRecord", &cupti.next_record, false},
                {"cuptiActivityGetNumDroppedRecords", &cupti.dropped, false},
                {"cuptiActivityFlushPeriod", &cupti.flush_period, true},
                {"cuptiGetResultString", &cupti.result_string, true}};

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        void *found = dlsym(library, rows[i].name);

        if (!found && !rows[i].optional)
            return false;
        memcpy(rows[i].at, &found, sizeof(found));
    }
    return true;
}

/* ---- records ---- */

/* The PCI address of a device of the program, which wattle's sensors know, too: in lower case, with a domain of four digits. */
static const char *device_name(uint32_t device)
{
    static char other[24];
    int (*get)(char *, int, int) = NULL;
    char *name = device < DEVICES ? devices[device] : other;

    if (name[0] && name != other)
        return name;
    if (!driver_call("cuDeviceGetPCIBusId", &get) ||
        get(name, (int)sizeof(devices[0]), (int)device) != 0)
        (void)snprintf(name, sizeof(devices[0]), "%u", device);
    for (char *at = name; *at; at++)
        *at = (char)tolower((unsigned char)*at);
    size_t domain = strcspn(name, ":");

    if (domain == 8 && strncmp(name, "0000", 4) == 0)
        memmove(name, name + 4, strlen(name + 4) + 1);
    return name;
}

static uint32_t copy_name(const struct cupti_copy *copy)
{
    static const char *const names[] = {"copy",
                                        "copy host to device",
                                        "copy device to host",
                                        "copy host to device",
                                        "copy device to host",
                                        "copy device to device",
                                        "copy device to device",
                                        "copy device to device",
                                        "copy device to device",
                                        "copy host to host"};

    if (copy->kind == CUPTI_MEMSET)
        return lane_book_name("set memory");
    if (copy->kind == CUPTI_MEMCPY_PEER || copy->copy_kind == 10)
        return lane_book_name("copy between GPUs");
    return lane_book_name(names[copy->copy_kind < 10 ? copy->copy_kind : 0]);
}

static uint64_t ours(uint64_t theirs_ns)
{
    return theirs_ns ? lane_book_time(&before, &after, theirs_ns) : 0;
}

static void take_record(const void *record)
{
    struct cupti_kernel kernel;
    struct cupti_copy copy;

    memcpy(&copy, record, sizeof(copy));
    if (copy.kind == CUPTI_KERNEL || copy.kind == CUPTI_CONCURRENT_KERNEL) {
        memcpy(&kernel, record, sizeof(kernel));
        lane_book_add(device_name(kernel.device), kernel.stream, ours(kernel.start_ns),
                      ours(kernel.end_ns), lane_book_name(kernel.name));
    } else if (copy.kind == CUPTI_MEMCPY || copy.kind == CUPTI_MEMSET ||
               copy.kind == CUPTI_MEMCPY_PEER) {
        lane_book_add(device_name(copy.device), copy.stream, ours(copy.start_ns), ours(copy.end_ns),
                      copy_name(&copy));
    }
}

static void requested(uint8_t **buffer, size_t *size, size_t *most_records)
{
    void *memory = malloc(BUFFER_BYTES); /* NULL: CUPTI drops records, and counts them */

    *buffer = memory;
    *size = memory ? BUFFER_BYTES : 0;
    *most_records = 0;
}

static void completed(void *context, uint32_t stream, uint8_t *buffer, size_t size, size_t valid)
{
    size_t dropped = 0;
    void *record = NULL;
    struct lane_moment now;

    (void)size;
    if (!lane_book_open()) {
        free(buffer);
        return;
    }
    if (lane_book_moment(cupti.get_timestamp, &now)) {
        before = after;
        after = now;
    }
    while (buffer && valid > 0 && cupti.next_record(buffer, valid, &record) == CUPTI_OK)
        take_record(record);
    lane_book_close();
    free(buffer);
    if (cupti.dropped(context, stream, &dropped) == CUPTI_OK)
        lane_book_lost(dropped);
}

/* ---- begin and end ---- */

static void at_exit(void)
{
    if (!lane_book_is_own())
        return;
    (void)cupti.flush_all(CUPTI_FLUSH_FORCED); /* what did not end has no end: it is counted */
    lane_book_tell_lost("CUPTI");
}

static void refused(const char *why)
{
    char text[160];

    (void)snprintf(text, sizeof(text), "kernels and copies on NVIDIA GPUs (%.120s)", why);
    lane_book_refused(text);
}

static void refused_by(const char *call, int result)
{
    char text[120];
    const char *words = NULL;

    if (!cupti.result_string || cupti.result_string(result, &words) != CUPTI_OK || !words)
        words = "no text";
    (void)snprintf(text, sizeof(text), "%s of CUPTI: error %d, %.60s", call, result, words);
    refused(text);
}

/* 0, or the error of what no kernel is recorded without. */
static int enable_all(void)
{
    int rc = cupti.enable(CUPTI_CONCURRENT_KERNEL);

    if (rc != CUPTI_OK)
        return rc;
    bool copies = cupti.enable(CUPTI_MEMCPY) == CUPTI_OK;
    bool peers = cupti.enable(CUPTI_MEMCPY_PEER) == CUPTI_OK;

    copies &= cupti.enable(CUPTI_MEMSET) == CUPTI_OK;
    if (!copies || !peers)
        lane_book_refused("some copies on GPUs (CUPTI does not offer them)");
    if (cupti.flush_period)
        (void)cupti.flush_period(PERIOD_MS); /* less is lost if the program is killed */
    return 0;
}

static void start(void)
{
    char text[64];
    uint32_t version = 0;
    void *library = open_library();
    int rc;

    if (!library || !find_calls(library)) {
        refused(library ? "libcupti.so lacks calls" : "libcupti.so not found");
        return;
    }
    if ((rc = cupti.get_version(&version)) != CUPTI_OK) {
        refused_by("cuptiGetVersion", rc);
        return;
    }
    if (!lane_book_moment(cupti.get_timestamp, &before)) {
        refused("the clock of CUPTI cannot be read");
        return;
    }
    after = before;
    if ((rc = cupti.register_callbacks(requested, completed)) != CUPTI_OK) {
        refused_by("cuptiActivityRegisterCallbacks", rc);
        return;
    }
    if ((rc = enable_all()) != 0) {
        refused_by("cuptiActivityEnable", rc);
        return;
    }
    (void)snprintf(text, sizeof(text), "CUPTI, interface %u", version);
    lane_book_begin(text);
    (void)atexit(at_exit);
}

EXPORT int InitializeInjection(void);

EXPORT int InitializeInjection(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    if (wattle_task_recording() == 1)
        (void)pthread_once(&once, start);
    else if (wattle_task_recording() == 2)
        refused("a summary has no lanes");
    return 1;
}
