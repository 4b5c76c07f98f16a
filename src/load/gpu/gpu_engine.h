/* SPDX-License-Identifier: BSD-3-Clause */
/* Ways to run the kernel of the load on a GPU: one per vendor, each with a library that is opened when it is asked for. */
#ifndef WTL_LOAD_GPU_ENGINE_H
#define WTL_LOAD_GPU_ENGINE_H

#include <stdbool.h>

#include <wattle/error.h>

struct wtl_engine_device {
    char name[96], pci[32];
};

/* When the device worked, in seconds of CLOCK_MONOTONIC: from the middle of the time in which its first kernel was launched on. */
struct wtl_engine_burn {
    double began_s, ended_s;
};

struct wtl_gpu_engine {
    const char *name; /* "CUDA" */
    /* Open the library and a device (its number as the library counts, or PCI address; NULL: the first one), and prepare the
     * kernel. 0; -ENOENT: no library; -ENODEV: no driver, no such device; others; with a sentence. Nothing is closed: the process ends. */
    int (*open)(const char *wanted, struct wtl_engine_device *ret, struct wattle_error *err);
    /* Kernels of so many rounds, one after the other, until the last one has ended. */
    int (*burn)(unsigned rounds,
                unsigned kernels,
                struct wtl_engine_burn *ret,
                struct wattle_error *err);
};

extern const struct wtl_gpu_engine wtl_engine_cuda, wtl_engine_hip, wtl_engine_levelzero;

/* The first engine that has the device; if none has, the sentence of the first one whose library is there, or -ENOENT. */
int wtl_engine_open(const char *wanted,
                    const struct wtl_gpu_engine **ret,
                    struct wtl_engine_device *ret_device,
                    struct wattle_error *err);

double wtl_engine_now_s(void); /* CLOCK_MONOTONIC */

/* Whether the device of this number and address is the one; for engines. */
bool wtl_engine_is_wanted(const char *wanted, int number, const char *pci);

#endif
