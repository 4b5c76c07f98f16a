/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The part of Level Zero (libze_loader.so.1) that runs a kernel of one's own, by dlopen(3): own prototypes, after the published
 * specification. scripts/check-vendors compares them with the vendor's headers. The record of a device is in gpu/levelzero_api.h.
 */
#ifndef WTL_LOAD_LEVELZERO_H
#define WTL_LOAD_LEVELZERO_H

#include <stddef.h>
#include <stdint.h>

#include "gpu/levelzero_api.h"

enum { /* types of records */
       WTL_ZE_CONTEXT = 0xd,
       WTL_ZE_QUEUE = 0xe,
       WTL_ZE_LIST = 0xf,
       WTL_ZE_DEVICE_MEMORY = 0x15,
       WTL_ZE_MODULE = 0x1b,
       WTL_ZE_KERNEL = 0x1d,
       WTL_ZE_PCI = 0x10008
};
enum { WTL_ZE_SPIRV = 0, WTL_ZE_ASYNCHRONOUS = 2 };

struct wtl_ze_context_wish {
    uint32_t type;
    const void *next;
    uint32_t flags;
};

struct wtl_ze_queue_wish {
    uint32_t type;
    const void *next;
    uint32_t ordinal, index, flags, mode, priority;
};

struct wtl_ze_list_wish {
    uint32_t type;
    const void *next;
    uint32_t ordinal, flags;
};

struct wtl_ze_module_wish {
    uint32_t type;
    const void *next;
    uint32_t format;
    size_t size;
    const uint8_t *input;
    const char *build_flags;
    const void *constants;
};

struct wtl_ze_kernel_wish {
    uint32_t type;
    const void *next;
    uint32_t flags;
    const char *name;
};

struct wtl_ze_memory_wish {
    uint32_t type;
    const void *next;
    uint32_t flags, ordinal;
};

struct wtl_ze_pci {
    uint32_t type;
    void *next;
    uint32_t domain, bus, device, function;
    int64_t speed[2];
};

struct wtl_ze_groups {
    uint32_t x, y, z;
};

/* Handles are pointers. */
struct wtl_ze_calls {
    int (*init)(uint32_t flags);
    int (*drivers)(uint32_t *count, void **list);
    int (*devices)(void *driver, uint32_t *count, void **list);
    int (*properties)(void *device, struct wtl_ze_core_properties *ret);
    int (*pci)(void *device, struct wtl_ze_pci *ret);
    int (*context)(void *driver, const struct wtl_ze_context_wish *wish, void **ret);
    int (*queue)(void *context, void *device, const struct wtl_ze_queue_wish *wish, void **ret);
    int (*list)(void *context, void *device, const struct wtl_ze_list_wish *wish, void **ret);
    int (*module)(void *context,
                  void *device,
                  const struct wtl_ze_module_wish *wish,
                  void **ret,
                  void **ret_log);
    int (*kernel)(void *module, const struct wtl_ze_kernel_wish *wish, void **ret);
    int (*group_size)(void *kernel, uint32_t x, uint32_t y, uint32_t z);
    int (*argument)(void *kernel, uint32_t number, size_t size, const void *value);
    int (*memory)(void *context,
                  const struct wtl_ze_memory_wish *wish,
                  size_t size,
                  size_t alignment,
                  void *device,
                  void **ret);
    int (*append)(void *list,
                  void *kernel,
                  const struct wtl_ze_groups *groups,
                  void *signal,
                  uint32_t waits,
                  void **wait);
    int (*close)(void *list);
    int (*reset)(void *list);
    int (*execute)(void *queue, uint32_t count, void **lists, void *fence);
    int (*synchronize)(void *queue, uint64_t timeout_ns);
};

#endif
