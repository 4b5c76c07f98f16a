/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The part of NVIDIA's management library (libnvidia-ml.so.1) that is used here: own prototypes after the published reference
 * (NVML API Reference Guide, R340 to R590). Layouts of versioned structures carry size and version in their first member where
 * the reference says so; those below have none. Also used by the library that tests put in its place.
 */
#ifndef WTL_GPU_NVML_API_H
#define WTL_GPU_NVML_API_H

#include <stdint.h>

struct wtl_nvml_handle; /* a device, opaque */

enum wtl_nvml_return {
    WTL_NVML_OK = 0,
    WTL_NVML_UNINITIALIZED = 1,
    WTL_NVML_INVALID_ARGUMENT = 2,
    WTL_NVML_NOT_SUPPORTED = 3,
    WTL_NVML_NO_PERMISSION = 4,
    WTL_NVML_NOT_FOUND = 6,
    WTL_NVML_INSUFFICIENT_SIZE = 7,
    WTL_NVML_DRIVER_NOT_LOADED = 9,
    WTL_NVML_TIMEOUT = 10,
    WTL_NVML_FUNCTION_NOT_FOUND = 13,
    WTL_NVML_GPU_IS_LOST = 15,
    WTL_NVML_RESET_REQUIRED = 16,
    WTL_NVML_OPERATING_SYSTEM = 17, /* the devices are blocked, as by a cgroup */
    WTL_NVML_VERSION_MISMATCH =
        18, /* of library and kernel driver: after an update without a reboot */
    WTL_NVML_MEMORY = 20,
    WTL_NVML_NO_DATA = 21,
    WTL_NVML_GPU_NOT_FOUND = 28,
    WTL_NVML_UNKNOWN = 999
};

enum { WTL_NVML_NO_ATTACH = 2 }; /* of nvmlInitWithFlags: devices are not opened */

enum wtl_nvml_architecture { WTL_NVML_PASCAL = 4, WTL_NVML_VOLTA = 5, WTL_NVML_AMPERE = 7 };

enum wtl_nvml_clock { WTL_NVML_CLOCK_SM = 1, WTL_NVML_CLOCK_MEMORY = 2 };

/* Fields of nvmlDeviceGetFieldValues and their scopes. */
enum wtl_nvml_field {
    WTL_NVML_FIELD_MEMORY_TEMPERATURE = 82, /* degrees */
    WTL_NVML_FIELD_POWER_AVERAGE = 185,     /* mW over 1 s; Ampere except GA100, and newer */
    WTL_NVML_FIELD_POWER_INSTANT = 186      /* mW */
};

enum wtl_nvml_scope {
    WTL_NVML_SCOPE_GPU = 0,
    WTL_NVML_SCOPE_MODULE = 1,
    WTL_NVML_SCOPE_MEMORY = 2
};

/* Bits of the reasons why clocks are not those that were asked for. */
enum wtl_nvml_reason {
    WTL_NVML_REASON_POWER_CAP = 0x4,
    WTL_NVML_REASON_SLOWDOWN = 0x8, /* hardware: heat, power brake or too high power */
    WTL_NVML_REASON_SYNC_BOOST = 0x10,
    WTL_NVML_REASON_SW_THERMAL = 0x20,
    WTL_NVML_REASON_HW_THERMAL = 0x40,
    WTL_NVML_REASON_POWER_BRAKE = 0x80
};

enum wtl_nvml_type { /* of a value */
                     WTL_NVML_DOUBLE = 0,
                     WTL_NVML_U32 = 1,
                     WTL_NVML_ULONG = 2,
                     WTL_NVML_U64 = 3,
                     WTL_NVML_S64 = 4,
                     WTL_NVML_S32 = 5,
                     WTL_NVML_U16 = 6
};

struct wtl_nvml_field_value {
    unsigned field, scope;
    long long timestamp;  /* us since 1970 */
    long long latency_us; /* how long the query took */
    unsigned type;        /* enum wtl_nvml_type */
    unsigned status;      /* enum wtl_nvml_return, of this field */
    union {
        double d;
        unsigned u32;
        unsigned long ul;
        unsigned long long u64;
        long long s64;
        int s32;
        unsigned short u16;
    } value;
};

struct wtl_nvml_pci {
    char legacy[16];
    unsigned domain, bus, device, id, subsystem;
    char bus_id[32]; /* "00000000:65:00.0" */
};

struct wtl_nvml_utilization {
    unsigned gpu, memory; /* per cent of the last sample period, 1/6 to 1 s */
};

struct wtl_nvml_memory {
    unsigned long long total, free, used; /* bytes */
};

struct wtl_nvml_process { /* of nvmlDeviceGetComputeRunningProcesses_v2 and _v3 */
    unsigned pid;
    unsigned long long memory; /* bytes; all bits set: unknown */
    unsigned gpu_instance, compute_instance;
};

struct wtl_nvml_sample { /* of nvmlDeviceGetProcessUtilization */
    unsigned pid;
    unsigned long long time_us;            /* CPU time stamp */
    unsigned sm, memory, encoder, decoder; /* per cent */
};

_Static_assert(sizeof(struct wtl_nvml_field_value) == 40, "layout of the reference");
_Static_assert(sizeof(struct wtl_nvml_pci) == 68, "layout of the reference");
_Static_assert(sizeof(struct wtl_nvml_process) == 24, "layout of the reference");
_Static_assert(sizeof(struct wtl_nvml_sample) == 32, "layout of the reference");

/* The functions, looked up by name; those after `reasons` may be NULL. Each returns an enum wtl_nvml_return. */
struct wtl_nvml_api {
    int (*init)(void);
    int (*shutdown)(void);
    int (*count)(unsigned *ret);
    int (*handle)(unsigned index, struct wtl_nvml_handle **ret);
    int (*uuid)(struct wtl_nvml_handle *device, char *ret, unsigned n);
    int (*name)(struct wtl_nvml_handle *device, char *ret, unsigned n);
    int (*pci)(struct wtl_nvml_handle *device, struct wtl_nvml_pci *ret);
    int (*power)(struct wtl_nvml_handle *device, unsigned *ret_mw);
    /* optional: newer than the rest */
    int (*init_with_flags)(unsigned flags);
    int (*driver_version)(char *ret, unsigned n);
    int (*handle_by_pci)(const char *bus_id, struct wtl_nvml_handle **ret);
    int (*energy)(struct wtl_nvml_handle *device, unsigned long long *ret_mj);
    int (*fields)(struct wtl_nvml_handle *device, int n, struct wtl_nvml_field_value *values);
    int (*architecture)(struct wtl_nvml_handle *device, unsigned *ret);
    int (*limit_range)(struct wtl_nvml_handle *device, unsigned *ret_min_mw, unsigned *ret_max_mw);
    int (*limit)(struct wtl_nvml_handle *device, unsigned *ret_mw);
    int (*utilization)(struct wtl_nvml_handle *device, struct wtl_nvml_utilization *ret);
    int (*memory)(struct wtl_nvml_handle *device, struct wtl_nvml_memory *ret);
    int (*clock)(struct wtl_nvml_handle *device, int type, unsigned *ret_mhz);
    int (*temperature)(struct wtl_nvml_handle *device, int sensor, unsigned *ret);
    int (*reasons)(struct wtl_nvml_handle *device, unsigned long long *ret);
    int (*reasons_before)(struct wtl_nvml_handle *device,
                          unsigned long long *ret); /* its name until R535 */
    int (*mig_mode)(struct wtl_nvml_handle *device, unsigned *ret_now, unsigned *ret_pending);
    int (*mig_count)(struct wtl_nvml_handle *device, unsigned *ret_most);
    int (*mig_handle)(struct wtl_nvml_handle *device, unsigned index, struct wtl_nvml_handle **ret);
    int (*processes)(struct wtl_nvml_handle *device, unsigned *count, struct wtl_nvml_process *ret);
    int (*process_use)(struct wtl_nvml_handle *device,
                       struct wtl_nvml_sample *ret,
                       unsigned *count,
                       unsigned long long since_us);
};

#endif
