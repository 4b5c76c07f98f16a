/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The processes on the GPUs of one driver, and which share of a GPU's time each has used: as its vendor's library tells, in a
 * conversation of its own with wattle-gpu. Look by look: what has been answered is taken, and asked for again. No look waits
 * longer than it is told to, whatever the library does; a process that has hung for 2 s (4 s while it lists the devices) is started again later.
 */
#ifndef WTL_SENSORS_GPU_USE_H
#define WTL_SENSORS_GPU_USE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "source/driver.h"

struct wtl_gpu_user {
    int device; /* the index of the driver's channels */
    pid_t pid;
    double used; /* share of the device's time lately, 0 to 1; NaN = unknown */
};

struct wtl_gpu_use {
    struct wtl_gpu_conversation *conversation; /* NULL: not started */
    struct wtl_gpu_user *users;                /* of the last answer */
    size_t count;
    uint64_t known; /* devices (bits) of which the last answer told */
};

/* Does this driver have such a library: "nvml", "rocm", "levelzero"? */
bool wtl_gpu_use_is_of(const char *driver);

/* Nothing was answered yet, and the program is not known to have failed. */
bool wtl_gpu_use_is_starting(const struct wtl_gpu_use *use);

/* An answer is to come. */
bool wtl_gpu_use_is_waiting(const struct wtl_gpu_use *use);

/* Ask about these devices (bits) of an open source, after taking what was answered, for which it waits until `until_ns`. No devices: the
 * conversation ends, so that the library lets go of them. */
void wtl_gpu_use_look(struct wtl_gpu_use *use,
                      const struct wtl_source *source,
                      uint64_t devices,
                      uint64_t until_ns);
void wtl_gpu_use_fini(struct wtl_gpu_use *use);

#endif
