/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The little of Level Zero's Sysman (libze_loader.so.1) that is needed: functions, records and numbers as published with
 * the specification (docs/dev/gpu-libraries.md). Every record begins with its type and a pointer to an extension.
 */
#ifndef WTL_GPU_LEVELZERO_API_H
#define WTL_GPU_LEVELZERO_API_H

#include <stddef.h>
#include <stdint.h>

enum { /* results */
       WTL_ZE_LOST = 0x70000001,
       WTL_ZE_NEEDS_RESET = 0x70000006,
       WTL_ZE_LOW_POWER = 0x70000007,
       WTL_ZE_NO_PERMISSION = 0x70010000,
       WTL_ZE_NOT_AVAILABLE = 0x70010001,
       WTL_ZE_NO_DEPENDENCY = 0x70020000,
       WTL_ZE_UNINITIALIZED = 0x78000001,
       WTL_ZE_UNSUPPORTED_VERSION = 0x78000002,
       WTL_ZE_UNSUPPORTED = 0x78000003
};

enum { /* types of records */
       WTL_ZES_DEVICE_PROPERTIES = 0x1,
       WTL_ZES_PCI_PROPERTIES = 0x2,
       WTL_ZES_ENGINE_PROPERTIES = 0x5,
       WTL_ZES_FREQUENCY_PROPERTIES = 0x9,
       WTL_ZES_MEMORY_PROPERTIES = 0xb,
       WTL_ZES_POWER_PROPERTIES = 0xd,
       WTL_ZES_TEMPERATURE_PROPERTIES = 0x14,
       WTL_ZES_PROCESS_STATE = 0x16,
       WTL_ZES_FREQUENCY_STATE = 0x1b,
       WTL_ZES_MEMORY_STATE = 0x1e,
       WTL_ZES_POWER_LIMIT = 0x27,
       WTL_ZES_POWER_EXTENSION = 0x28,
       WTL_ZE_DEVICE_PROPERTIES = 0x3 /* of the core record inside that of a device */
};

enum { WTL_ZE_TYPE_GPU = 1 };

/* Domains of power: a card contains its packages, a package its stacks (tiles) and, where they are told, the others. */
enum {
    WTL_ZES_DOMAIN_UNKNOWN,
    WTL_ZES_DOMAIN_CARD,
    WTL_ZES_DOMAIN_PACKAGE,
    WTL_ZES_DOMAIN_STACK,
    WTL_ZES_DOMAIN_MEMORY,
    WTL_ZES_DOMAIN_GPU
};

enum { WTL_ZES_LEVEL_SUSTAINED = 1, WTL_ZES_UNIT_POWER = 2 };
enum { WTL_ZES_CLOCK_GPU = 0, WTL_ZES_CLOCK_MEMORY = 1 };
enum { WTL_ZES_ENGINES_ALL = 0, WTL_ZES_ENGINES_COMPUTE = 1 };
enum { WTL_ZES_SENSOR_GLOBAL = 0, WTL_ZES_SENSOR_GPU = 1, WTL_ZES_SENSOR_MEMORY = 2 };

enum { /* reasons for a lower clock, bits */
       WTL_ZES_SLOWED_POWER = 0x1 | 0x2,
       WTL_ZES_SLOWED_HEAT = 0x8,
       WTL_ZES_SLOWED_OTHER =
           0x4 | 0x10 |
           0x40 /* current, supply alert, range of the hardware; 0x20 is that of software */
};

struct wtl_ze_core_properties {
    uint32_t type;
    void *next;
    uint32_t device_type, vendor_id, device_id, flags, subdevice_id, core_mhz;
    uint64_t max_allocation;
    uint32_t counts[7]; /* contexts, priorities, threads, SIMD width, units, subslices, slices */
    uint64_t timer;
    uint32_t timestamp_bits, kernel_timestamp_bits;
    uint8_t uuid[16];
    char name[256];
};

struct wtl_zes_device_properties {
    uint32_t type;
    void *next;
    struct wtl_ze_core_properties core;
    uint32_t subdevices;
    char serial[64], board[64], brand[64], model[64], vendor[64], driver[64];
};

struct wtl_zes_pci_properties {
    uint32_t type;
    void *next;
    uint32_t domain, bus, device, function;
    int64_t max_speed[2]; /* generation and width, then bandwidth */
    uint8_t have[3];
};

struct wtl_zes_power_limit {
    uint32_t type;
    const void *next;
    uint32_t level, source, unit;
    uint8_t enabled_locked, enabled, interval_locked;
    int32_t interval_ms;
    uint8_t limit_locked;
    int32_t limit_mw;
};

struct wtl_zes_power_extension {
    uint32_t type;
    void *next;
    uint32_t domain;
    struct wtl_zes_power_limit *default_limit;
};

struct wtl_zes_power_properties {
    uint32_t type;
    void *next;
    uint8_t on_subdevice;
    uint32_t subdevice_id;
    uint8_t can_control, can_threshold;
    int32_t default_mw, min_mw, max_mw;
};

struct wtl_zes_energy {
    uint64_t energy_uj, time_us;
};

struct wtl_zes_sustained_limit {
    uint8_t enabled;
    int32_t power_mw, interval_ms;
};

/* What the properties of clocks, engines, sensors and memories begin with; the rest is not read. */
struct wtl_zes_part_properties {
    uint32_t type;
    void *next;
    uint32_t kind;
    uint8_t on_subdevice;
    uint32_t subdevice_id;
    uint64_t rest[8];
};

struct wtl_zes_frequency_state {
    uint32_t type;
    const void *next;
    double voltage, request_mhz, tdp_mhz, efficient_mhz, actual_mhz; /* negative: unknown */
    uint32_t reasons;
};

struct wtl_zes_engine_stats {
    uint64_t active_us, time_us;
};

struct wtl_zes_memory_state {
    uint32_t type;
    const void *next;
    uint32_t health;
    uint64_t free, size;
};

struct wtl_zes_process {
    uint32_t type;
    const void *next;
    uint32_t pid;
    uint64_t memory, shared;
    uint32_t engines;
};

/* Handles are pointers. A list is asked for its count first (list NULL). */
typedef int wtl_zes_list_fn(void *device, uint32_t *count, void **list);
typedef int wtl_zes_part_fn(void *part, struct wtl_zes_part_properties *ret);

struct wtl_zes_calls {
    int (*init)(uint32_t flags);
    int (*drivers)(uint32_t *count, void **list);
    wtl_zes_list_fn *devices, *powers, *clocks, *engines, *sensors, *memories;
    int (*device)(void *device, struct wtl_zes_device_properties *ret);
    int (*pci)(void *device, struct wtl_zes_pci_properties *ret);
    int (*card_power)(void *device, void **ret);
    int (*power)(void *power, struct wtl_zes_power_properties *ret);
    int (*energy)(void *power, struct wtl_zes_energy *ret);
    int (*limits)(void *power, struct wtl_zes_sustained_limit *ret, void *burst, void *peak);
    int (*limits_ext)(void *power, uint32_t *count, struct wtl_zes_power_limit *ret);
    wtl_zes_part_fn *clock, *engine, *sensor, *memory;
    int (*clock_state)(void *clock, struct wtl_zes_frequency_state *ret);
    int (*activity)(void *engine, struct wtl_zes_engine_stats *ret);
    int (*temperature)(void *sensor, double *ret);
    int (*memory_state)(void *memory, struct wtl_zes_memory_state *ret);
    int (*processes)(void *device, uint32_t *count, struct wtl_zes_process *list);
};

/* 0 or -errno as wtl_gpu_backend.read. */
int wtl_zes_error(int result);

#endif
