/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * AMD's two libraries, AMD SMI and its predecessor ROCm SMI, as rocm.c sees them: one value of one device in a fixed unit.
 * Where layouts, units and numbers come from: docs/dev/gpu-libraries.md.
 */
#ifndef WTL_GPU_AMD_H
#define WTL_GPU_AMD_H

#include "gpu/backend.h"

/* What a library is asked, and the unit of the answer. */
enum wtl_amd_what {
    WTL_AMD_ENERGY,      /* ticks of energy_tick_j */
    WTL_AMD_POWER,       /* microwatts */
    WTL_AMD_POWER_LIMIT, /* microwatts */
    WTL_AMD_BUSY,        /* percent */
    WTL_AMD_MEMORY_BUSY, /* percent */
    WTL_AMD_MEMORY_USED, /* bytes */
    WTL_AMD_CLOCK,       /* hertz */
    WTL_AMD_MEMORY_CLOCK,
    WTL_AMD_EDGE, /* thousandths of a degree Celsius, two's complement */
    WTL_AMD_HOTSPOT,
    WTL_AMD_MEMORY_TEMPERATURE,
    WTL_AMD_WHAT_COUNT,
    /* of no library: see amd_metrics.h; millionths of the time */
    WTL_AMD_SLOWED_POWER = WTL_AMD_WHAT_COUNT,
    WTL_AMD_SLOWED_HEAT,
    WTL_AMD_SLOWED_OTHER
};

/* How a device is described. */
struct wtl_amd_device {
    uint64_t bdf;  /* domain << 32 | bus << 8 | device << 3 | function; see wtl_amd_pci */
    char uuid[64]; /* "" = unknown */
    char name[96];
};

struct wtl_amd_library {
    const char *name;                      /* "AMD SMI" */
    const char *mark;                      /* a function that only this library has */
    const char *calls[WTL_AMD_WHAT_COUNT]; /* for provenance */
    /* Look up the functions, initialise, count the devices; the version goes to list->library, what cannot be used to a
     * note. 0 or -errno with a sentence; on failure the library is not initialised. */
    int (*open)(const struct wtl_gpu_backend *backend,
                void *handle,
                struct wtl_gpu_list *list,
                size_t *ret_count,
                struct wattle_error *err);
    int (*describe)(size_t device, struct wtl_amd_device *ret);
    /* 0, or -errno as wtl_gpu_backend.read. *ret_average: the power is an average, not the current one. */
    int (*get)(size_t device, enum wtl_amd_what what, uint64_t *ret_raw, bool *ret_average);
    double (*energy_tick_j)(
        void); /* after the first energy: joules per tick; 0 = a tick that is not known */
    /* Bandwidth of the direct link between two devices: 0 or -errno. */
    int (*bandwidth)(size_t a, size_t b, uint64_t *ret_most);
    int (*processes)(size_t device, struct wtl_gpu_processes *ret); /* NULL: does not tell */
    void (*close)(void);
};

extern const struct wtl_amd_library wtl_amd_smi, wtl_amd_rocm_smi;

/* Joules per tick of the energy counter whose resolution a library gives in microjoules, rounded: 0 if it is not the one
 * that all devices have. */
double wtl_amd_tick_j(double resolution_uj);

#endif
