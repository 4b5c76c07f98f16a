/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "load/gpu/gpu_engine.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "base/fail.h"

/* In the order of trying. */
static const struct wtl_gpu_engine *const engines[] = {&wtl_engine_cuda, &wtl_engine_hip,
                                                       &wtl_engine_levelzero, NULL};

bool wtl_engine_is_wanted(const char *wanted, int number, const char *pci)
{
    char text[16];
    (void)snprintf(text, sizeof text, "%d", number);
    return !wanted || strcmp(wanted, text) == 0 || strcasecmp(wanted, pci) == 0;
}

int wtl_engine_open(const char *wanted,
                    const struct wtl_gpu_engine **ret,
                    struct wtl_engine_device *ret_device,
                    struct wattle_error *err)
{
    struct wattle_error first = {0};
    int rc = -ENOENT;
    for (const struct wtl_gpu_engine *const *engine = engines; *engine; engine++) {
        struct wattle_error why = {0};
        int now = (*engine)->open(wanted, ret_device, &why);
        if (now == 0) {
            *ret = *engine;
            return 0;
        }
        if (rc == -ENOENT && now != -ENOENT) {
            rc = now;
            first = why;
        }
    }
    if (rc != -ENOENT)
        return wtl_fail(err, rc, "%s", first.text);
    return wtl_fail(err, rc,
                    "no library that runs kernels on a GPU: libcuda.so.1 comes with NVIDIA's "
                    "driver, libamdhip64.so with AMD's ROCm, libze_loader.so.1 with Intel's "
                    "package level-zero");
}

double wtl_engine_now_s(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now); /* cannot fail */
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}
