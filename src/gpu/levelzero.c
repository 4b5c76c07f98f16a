/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>

#include "base/fail.h"
#include "gpu/backend.h"

static int stub_open(const char *library, struct wtl_gpu_list *list, struct wattle_error *err)
{
    (void)library, (void)list;
    return wtl_fail(err, -ENODEV, "levelzero: not built yet");
}

static int stub_read(const struct wtl_gpu_list *list, size_t channel, uint64_t *ret_raw)
{
    (void)list, (void)channel, (void)ret_raw;
    return -ENOTSUP;
}

static void stub_close(void)
{
}

const struct wtl_gpu_backend wtl_gpu_levelzero = {.name = "levelzero",
                                                  .needs = "",
                                                  .libraries = {NULL},
                                                  .open = stub_open,
                                                  .read = stub_read,
                                                  .close = stub_close};
