/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The part of AMD SMI (libamd_smi.so) that is used here: functions and numbers after the published reference, own prototypes
 * (docs/dev/gpu-libraries.md). A structure is a buffer in which only members are read whose place is known. Checked against
 * the vendor's headers by scripts/check-vendors.
 */
#ifndef WTL_GPU_AMD_SMI_API_H
#define WTL_GPU_AMD_SMI_API_H

#include <stdint.h>

enum {
    WTL_AMDSMI_NOT_SUPPORTED = 2,
    WTL_AMDSMI_NOT_YET = 3,
    WTL_AMDSMI_TIMEOUT = 8,
    WTL_AMDSMI_RETRY = 9,
    WTL_AMDSMI_NO_PERMISSION = 10,
    WTL_AMDSMI_IO = 12,
    WTL_AMDSMI_FILE_ERROR = 14,
    WTL_AMDSMI_BUSY = 30,
    WTL_AMDSMI_NOT_FOUND = 31,
    WTL_AMDSMI_NO_DRIVER = 34,
    WTL_AMDSMI_NO_DATA = 40
};

enum { WTL_AMDSMI_INIT_GPUS = 2, WTL_AMDSMI_TYPE_GPU = 1 };
enum { WTL_AMDSMI_CLOCK_SYSTEM = 0, WTL_AMDSMI_CLOCK_MEMORY = 4 };
enum { WTL_AMDSMI_MEMORY_VRAM = 0, WTL_AMDSMI_TEMPERATURE_NOW = 0 };
enum { WTL_AMDSMI_SENSOR_EDGE = 0, WTL_AMDSMI_SENSOR_HOTSPOT = 1, WTL_AMDSMI_SENSOR_MEMORY = 2 };
enum { WTL_AMDSMI_ACTIVITY_GPU = 0, WTL_AMDSMI_ACTIVITY_MEMORY = 1 }; /* words of the record */

/* Where amdsmi_power_info_t has the power of the socket (uint32_t, watts), by the first number of the version. */
enum { WTL_AMDSMI_24_POWER_NOW = 0, WTL_AMDSMI_24_POWER_MEAN = 4 };
enum { WTL_AMDSMI_25_POWER_NOW = 8, WTL_AMDSMI_25_POWER_MEAN = 12 }; /* and newer */

/* amdsmi_proc_info_t by the first number of the version: places of process (uint32_t) and memory (uint64_t, bytes), size. */
enum { WTL_AMDSMI_24_PID = 32, WTL_AMDSMI_24_VRAM = 128, WTL_AMDSMI_24_PROCESS = 224 };
enum {
    WTL_AMDSMI_26_PID = 256,
    WTL_AMDSMI_26_VRAM = 352,
    WTL_AMDSMI_26_PROCESS = 704
}; /* and 27 */

struct wtl_amdsmi_calls {
    int (*init)(uint64_t flags);
    int (*shut_down)(void);
    int (*version)(void *ret);
    int (*sockets)(uint32_t *count, void **list);
    int (*processors)(void *socket, uint32_t *count, void **list);
    int (*type)(void *processor, uint32_t *ret);
    int (*bdf)(void *processor, uint64_t *ret);
    int (*uuid)(void *processor, unsigned *length, char *ret);
    int (*asic)(void *processor, void *ret);
    int (*energy)(void *processor, uint64_t *ret, float *ret_resolution, uint64_t *ret_time);
    int (*power)(void *processor, void *ret);
    int (*limit)(void *processor, uint32_t sensor, void *ret);
    int (*activity)(void *processor, void *ret);
    int (*memory_used)(void *processor, uint32_t type, uint64_t *ret);
    int (*clock)(void *processor, uint32_t type, void *ret);
    int (*temperature)(void *processor, uint32_t sensor, uint32_t metric, int64_t *ret);
    int (*processes)(void *processor, uint32_t *count, void *list);
    int (*link)(void *from, void *to, uint64_t *ret_min, uint64_t *ret_max);
};

#endif
