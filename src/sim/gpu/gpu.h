/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The GPUs of a simulated node. Their power is that of the node's domains gpu-0, gpu-1, ...; this is what they show of it,
 * beyond the counter of the domain, in the files of gpu/N at the root of the node. The fake vendor libraries (fake_nvml.c,
 * fake_cuda.c) answer from these files.
 */
#ifndef WTL_SIM_GPU_GPU_H
#define WTL_SIM_GPU_GPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <wattle/error.h>

#include "sim/gpu/gpu_gauge.h"
#include "sim/node.h"

/* Values that a GPU shows, each in a file of this name; see wtl_sim_gpu_field_name(). */
enum wtl_sim_gpu_field {
    WTL_SIM_GPU_ENERGY,  /* energy_mj: since the start, and what was there before */
    WTL_SIM_GPU_POWER,   /* power_mw: the gauge */
    WTL_SIM_GPU_AVERAGE, /* average_mw: the average of a second */
    WTL_SIM_GPU_INSTANT, /* instant_mw: the gauge of the model without its average */
    WTL_SIM_GPU_MODULE,  /* module_mw: GPU and the CPU on its module (package of the same number) */
    WTL_SIM_GPU_LIMIT,   /* limit_mw */
    WTL_SIM_GPU_UTILIZATION, /* utilization: share of the last sixth of a second with a kernel, in percent */
    WTL_SIM_GPU_MEMORY,      /* memory: total and used bytes */
    WTL_SIM_GPU_CLOCKS,      /* clocks_mhz: of the processors, of the memory */
    WTL_SIM_GPU_TEMPERATURE, /* temperature_c */
    WTL_SIM_GPU_REASONS,     /* reasons: why clocks are low, as NVML's bits */
    WTL_SIM_GPU_MIG,         /* mig: number of instances, 0 = MIG is off */
    WTL_SIM_GPU_PROCESSES, /* processes: PID and busy ns of each that used it; written by live_node.c */
    WTL_SIM_GPU_FIELDS
};

struct wtl_sim_gpu_model {
    const char *name; /* "h100" */
    const char *text; /* "NVIDIA H100 80GB HBM3" */
    const char *power;
    double limit_w;
    uint64_t memory;
    unsigned sm_mhz, memory_mhz;
    struct wtl_gpu_gauge gauge, instant; /* a period of 0: the model has no such value */
    bool energy, module;
};

struct wtl_sim_gpu {
    int index; /* of its domain gpu */
    const struct wtl_sim_gpu_model *model;
    struct wtl_gpu_gauge gauge, average, instant;
    double limit_w;
    uint64_t energy_quantum_mj;
    unsigned missing; /* 1 << enum wtl_sim_gpu_field: not supported */
    int mig;          /* instances from the start, or from a fault mig on */
    int numa;
};

/* Which library the programs find. */
enum wtl_sim_gpu_library {
    WTL_SIM_GPU_LIBRARY_NOW,
    WTL_SIM_GPU_LIBRARY_OLD,      /* without fields of power, MIG and newer versions of functions */
    WTL_SIM_GPU_LIBRARY_ANCIENT,  /* without functions that every later one has */
    WTL_SIM_GPU_LIBRARY_MISMATCH, /* of another version than the kernel's driver */
    WTL_SIM_GPU_LIBRARY_NONE
};

struct wtl_sim_gpus {
    struct wtl_sim_gpu list[WTL_SIM_GPUS];
    size_t count;
    enum wtl_sim_gpu_library library;
    const char *folder; /* of the fake libraries; borrowed, NULL = they are not there */
};

/*
 * KEY=VALUE,...: append one GPU, or as many as its `count`. *ret_power is its expression, borrowed from `text` or the
 * model, with its length. Returns 0, or -EINVAL with the remedy.
 */
int wtl_sim_gpu_parse(struct wtl_sim_gpus *gpus,
                      const char *text,
                      const char **ret_power,
                      size_t *ret_length,
                      struct wattle_error *err);

/* What becomes of its domain: the counter ticks as the library's does. */
struct wtl_node_domain wtl_sim_gpu_domain(const struct wtl_sim_gpu *gpu,
                                          const struct wtl_expression *power,
                                          uint64_t seed);

const char *wtl_sim_gpu_library_name(enum wtl_sim_gpu_library library);
const char *wtl_sim_gpu_field_name(enum wtl_sim_gpu_field field);
/* Does the GPU have the file at all? */
bool wtl_sim_gpu_has(const struct wtl_sim_gpu *gpu, enum wtl_sim_gpu_field field);
/* UUID and PCI address of a GPU. */
void wtl_sim_gpu_uuid(const struct wtl_sim_gpu *gpu, char uuid[48]);
void wtl_sim_gpu_pci(const struct wtl_sim_gpu *gpu, char pci[16]);

/* The value of a field at an instant: its length in buf, or -ENODEV, -EIO, ... as its counter fails. */
ssize_t wtl_sim_gpu_show(const struct wtl_sim_gpu *gpu,
                         struct wtl_node *node,
                         enum wtl_sim_gpu_field field,
                         uint64_t time_ns,
                         char *buf,
                         size_t size);

#endif
