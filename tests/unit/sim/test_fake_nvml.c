/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The fake NVML, opened as a program opens the real one, on a folder with the files of a node's GPUs: what it answers, and
 * which error stands for which fault.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tap.h"

typedef void *device_t;

struct field_value {
    unsigned field, scope;
    long long timestamp, latency;
    unsigned type, status;
    union {
        unsigned u;
        unsigned long long ull;
    } value;
};

static char root[] = "/tmp/wattle-fake-nvml.XXXXXX";

static void put(const char *name, const char *text)
{
    char path[128];
    (void)snprintf(path, sizeof path, "%s/%s", root, name);
    FILE *file = fopen(path, "w");
    if (!file || fputs(text, file) < 0 || fclose(file) != 0)
        diag("%s: %s", path, strerror(errno));
}

static void drop(const char *name)
{
    char path[128];
    (void)snprintf(path, sizeof path, "%s/%s", root, name);
    (void)unlink(path);
}

static void *open_library(const char *name)
{
    char path[512];
    (void)snprintf(path, sizeof path, "%s/%s.so", FAKE_LIBRARIES, name);
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    ok(library != NULL, "%s opens", name);
    return library;
}

static int simple(void *library, const char *name)
{
    int (*call)(void) = NULL;
    *(void **)&call = dlsym(library, name);
    return call ? call() : -1;
}

static int number(void *library, const char *name, device_t device, unsigned long long *value)
{
    int (*call)(device_t, unsigned long long *) = NULL;
    *(void **)&call = dlsym(library, name);
    *value = 0;
    return call ? call(device, value) : -1;
}

static device_t handle(void *library, unsigned i)
{
    int (*call)(unsigned, device_t *) = NULL;
    device_t device = NULL;
    *(void **)&call = dlsym(library, "nvmlDeviceGetHandleByIndex_v2");
    return call && call(i, &device) == 0 ? device : NULL;
}

static int field(void *library, device_t device, unsigned id, unsigned scope, unsigned *value)
{
    struct field_value row = {.field = id, .scope = scope};
    int (*call)(device_t, int, struct field_value *) = NULL;
    *(void **)&call = dlsym(library, "nvmlDeviceGetFieldValues");
    int status = call ? call(device, 1, &row) : -1;
    *value = row.value.u;
    return status ? status : (int)row.status;
}

static void test_now(void)
{
    unsigned long long value;
    unsigned watts;
    void *nvml = open_library("nvml");
    if (!nvml)
        return;
    is_int(number(nvml, "nvmlDeviceGetTotalEnergyConsumption", nvml, &value), 1, "not initialised");
    is_int(simple(nvml, "nvmlInit_v2"), 0, "init");
    device_t gpu = handle(nvml, 0), other = handle(nvml, 1);
    ok(gpu && other && !handle(nvml, 2), "two devices");
    is_int(number(nvml, "nvmlDeviceGetTotalEnergyConsumption", gpu, &value), 0, "energy");
    is_int(value, 5000000001, "more than 32 bits");
    is_int(number(nvml, "nvmlDeviceGetPowerUsage", gpu, &value), 0, "power");
    is_int(value, 250125, "mW");
    is_int(field(nvml, gpu, 186, 0, &watts), 0, "instant");
    is_int(watts, 251000, "mW");
    is_int(field(nvml, gpu, 186, 1, &watts), 3, "no module: not supported");
    is_int(field(nvml, gpu, 185, 0, &watts), 3, "no average: not supported");
    is_int(number(nvml, "nvmlDeviceGetTotalEnergyConsumption", other, &value), 3,
           "a device without counter: not supported");
    drop("1/mig");
    drop("1/power_mw");
    is_int(number(nvml, "nvmlDeviceGetPowerUsage", other, &value), 15, "a lost device");
    is_int(number(nvml, "nvmlDeviceGetPowerUsage", gpu, &value), 0, "the other one is there");
    put("1/mig", "3\n");
    put("1/power_mw", "60000\n");
    int (*instance)(device_t, unsigned, device_t *) = NULL;
    device_t mig = NULL;
    *(void **)&instance = dlsym(nvml, "nvmlDeviceGetMigDeviceHandleByIndex");
    ok(instance && instance(other, 2, &mig) == 0 && instance(other, 3, &mig) == 6,
       "three instances");
    char uuid[96] = "";
    int (*uuid_of)(device_t, char *, unsigned) = NULL;
    *(void **)&uuid_of = dlsym(nvml, "nvmlDeviceGetUUID");
    ok(uuid_of && uuid_of(mig, uuid, sizeof uuid) == 0 && strncmp(uuid, "MIG-", 4) == 0, "%s",
       uuid);
    ok(uuid_of && uuid_of(mig, uuid, 8) == 7, "a short buffer");
    is_int(number(nvml, "nvmlDeviceGetPowerUsage", mig, &value), 3, "an instance has no power");
    is_int(simple(nvml, "nvmlShutdown"), 0, "shutdown");
    is_int(number(nvml, "nvmlDeviceGetPowerUsage", gpu, &value), 1, "then nothing works");
}

static void test_ages(void)
{
    unsigned watts;
    void *old = open_library("nvml-old"), *ancient = open_library("nvml-ancient");
    if (!old || !ancient)
        return;
    is_int(simple(old, "nvmlInit_v2"), 0, "the old one");
    is_int(field(old, handle(old, 0), 186, 0, &watts), 3, "knows no instant power");
    ok(!dlsym(old, "nvmlDeviceGetMigMode"), "nor MIG");
    ok(dlsym(ancient, "nvmlInit_v2") && !dlsym(ancient, "nvmlDeviceGetPciInfo_v3"),
       "the ancient one lacks more");
    put("library", "mismatch\n");
    is_int(simple(ancient, "nvmlInit_v2"), 18, "another version than the kernel's");
    (void)setenv("WATTLE_SIM_GPUS", "/nonexistent", 1);
    is_int(simple(ancient, "nvmlInit_v2"), 9, "no driver");
}

int main(void)
{
    static const char *const files[][2] = {
        {"library", "now\n"},        {"0/mig", "0\n"},
        {"0/name", "NVIDIA H100\n"}, {"0/energy_mj", "5000000001\n"},
        {"0/power_mw", "250125\n"},  {"0/instant_mw", "251000\n"},
        {"0/pci", "0000:17:00.0\n"}, {"1/mig", "0\n"},
        {"1/power_mw", "60000\n"},   {"1/uuid", "GPU-68e33742-1f78-a607-95f9-f408816af929\n"}};
    if (!mkdtemp(root))
        return 1;
    (void)setenv("WATTLE_SIM_GPUS", root, 1);
    for (int i = 0; i < 2; i++) {
        char path[128];
        (void)snprintf(path, sizeof path, "%s/%d", root, i);
        (void)mkdir(path, 0700);
    }
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        put(files[i][0], files[i][1]);
    test_now();
    test_ages();
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        drop(files[i][0]);
    for (int i = 0; i < 2; i++) {
        char path[128];
        (void)snprintf(path, sizeof path, "%s/%d", root, i);
        (void)rmdir(path);
    }
    (void)rmdir(root);
    return done_testing();
}
