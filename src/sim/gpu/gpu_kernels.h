/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Kernels on the GPUs of a live node: who began and ends when. A kernel may be announced ahead of its begin (it waits for
 * another one in its queue), so a list of them is kept until the node's time has passed. At each begin and end the share of the
 * GPU that is used, at most 1, steps at exactly that instant. Not thread-safe: under the node's lock.
 */
#ifndef WTL_SIM_GPU_GPU_KERNELS_H
#define WTL_SIM_GPU_GPU_KERNELS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <wattle/error.h>

#include "sim/power_path.h"

struct wtl_sim_kernel {
    uint64_t from_ns, until_ns;
    double level; /* share of the GPU that it uses, 0 .. 1 */
    int gpu;
};

struct wtl_sim_kernels {
    struct wtl_sim_kernel *list; /* those that have not ended */
    size_t count, capacity;
    uint64_t done_ns; /* events up to here have been told */
    struct wtl_sim_gpu_process {
        long pid;
        int gpu;
        uint64_t busy_ns; /* of all its kernels */
    } * processes;
    size_t process_count, process_capacity;
};

/*
 * "GPU NS LEVEL PID [AFTER]" in lines, as it is written to the node: a kernel that begins after now_ns, and not before AFTER.
 * 0, or -EINVAL with the remedy.
 */
int wtl_sim_kernel_parse(char *lines,
                         int gpus,
                         uint64_t now_ns,
                         struct wtl_sim_kernel *ret,
                         long *ret_pid,
                         struct wattle_error *err);

void wtl_sim_kernels_fini(struct wtl_sim_kernels *kernels); /* accepts a zeroed one */

/* A kernel of a process; one of length 0 makes the process known. 0 or -ENOMEM. */
int wtl_sim_kernels_add(struct wtl_sim_kernels *kernels,
                        const struct wtl_sim_kernel *kernel,
                        long pid);

/* Call step for each begin and end up to now_ns, in order of time. */
void wtl_sim_kernels_until(struct wtl_sim_kernels *kernels,
                           uint64_t now_ns,
                           void (*step)(void *context, uint64_t time_ns, int gpu, double level),
                           void *context);

/* "PID BUSY_NS" of each process of a GPU, a line each, as many as fit: the length. */
ssize_t wtl_sim_kernels_show(const struct wtl_sim_kernels *kernels,
                             int gpu,
                             char *buf,
                             size_t size);

#endif
