/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The part of ROCm SMI (librocm_smi64.so) that is used here: functions, numbers and the record of a process after the published
 * reference, own prototypes (docs/dev/gpu-libraries.md). Checked against the vendor's headers by scripts/check-vendors.
 */
#ifndef WTL_GPU_ROCM_SMI_API_H
#define WTL_GPU_ROCM_SMI_API_H

#include <stddef.h>
#include <stdint.h>

enum {
    WTL_RSMI_NOT_SUPPORTED = 2,
    WTL_RSMI_FILE_ERROR = 3,
    WTL_RSMI_PERMISSION = 4,
    WTL_RSMI_NOT_YET = 9,
    WTL_RSMI_NOT_FOUND = 10,
    WTL_RSMI_NO_DATA = 14,
    WTL_RSMI_BUSY = 16
};

enum { WTL_RSMI_CLOCK_SYSTEM = 0, WTL_RSMI_CLOCK_MEMORY = 4 };
enum { WTL_RSMI_AVERAGE_POWER = 0 };
enum { WTL_RSMI_MEMORY_VRAM = 0, WTL_RSMI_TEMPERATURE_NOW = 0 };
enum { WTL_RSMI_SENSOR_EDGE = 0, WTL_RSMI_SENSOR_HOTSPOT = 1, WTL_RSMI_SENSOR_MEMORY = 2 };

struct wtl_rsmi_process {
    uint32_t pid, pasid;
    uint64_t vram, sdma_us;
    uint32_t occupancy, padding;
};

struct wtl_rsmi_calls {
    int (*init)(uint64_t flags);
    int (*shut_down)(void);
    int (*version)(void *ret);
    int (*count)(uint32_t *ret);
    int (*pci)(uint32_t device, uint64_t *ret);
    int (*unique)(uint32_t device, uint64_t *ret);
    int (*name)(uint32_t device, char *ret, size_t n);
    int (*energy)(uint32_t device, uint64_t *ret, float *ret_resolution, uint64_t *ret_time);
    int (*power)(uint32_t device, uint64_t *ret, uint32_t *ret_type);
    int (*mean_power)(uint32_t device, uint32_t sensor, uint64_t *ret);
    int (*limit)(uint32_t device, uint32_t sensor, uint64_t *ret);
    int (*busy)(uint32_t device, uint32_t *ret);
    int (*memory_busy)(uint32_t device, uint32_t *ret);
    int (*memory_used)(uint32_t device, uint32_t type, uint64_t *ret);
    int (*clock)(uint32_t device, uint32_t type, void *ret);
    int (*temperature)(uint32_t device, uint32_t sensor, uint32_t metric, int64_t *ret);
    int (*link)(uint32_t from, uint32_t to, uint64_t *ret_min, uint64_t *ret_max);
    int (*process_list)(struct wtl_rsmi_process *list, uint32_t *count);
    int (*process_devices)(uint32_t pid, uint32_t *list, uint32_t *count);
};

#endif
