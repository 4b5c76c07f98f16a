/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The few functions of the CUDA driver interface that run a kernel of one's own, from libcuda.so.1 by dlopen(3). Prototypes are
 * our own, after NVIDIA's published reference; nothing of CUDA is needed to build.
 */
#ifndef WTL_LOAD_CUDA_H
#define WTL_LOAD_CUDA_H

#include <stddef.h>

#include <wattle/error.h>

enum {
    WTL_CUDA_OK = 0,
    WTL_CUDA_MULTIPROCESSORS = 16 /* CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT */
};

/* The driver's own. */
struct wtl_cuda_context;
struct wtl_cuda_module;
struct wtl_cuda_function;
struct wtl_cuda_stream;
struct wtl_cuda_event;

struct wtl_cuda {
    int (*init)(unsigned flags);
    int (*device_count)(int *count);
    int (*device_get)(int *device, int ordinal);
    int (*device_name)(char *name, int size, int device);
    int (*device_pci)(char *name, int size, int device);
    int (*device_attribute)(int *value, int attribute, int device);
    int (*context_create)(struct wtl_cuda_context **context, unsigned flags, int device);
    int (*context_synchronize)(void);
    int (*module_load)(struct wtl_cuda_module **module, const void *image);
    int (*module_function)(struct wtl_cuda_function **function,
                           struct wtl_cuda_module *module,
                           const char *name);
    int (*memory_allocate)(unsigned long long *address, size_t size);
    int (*launch)(struct wtl_cuda_function *function,
                  unsigned grid_x,
                  unsigned grid_y,
                  unsigned grid_z,
                  unsigned block_x,
                  unsigned block_y,
                  unsigned block_z,
                  unsigned shared_bytes,
                  struct wtl_cuda_stream *stream,
                  void **parameters,
                  void **extra);
    int (*event_create)(struct wtl_cuda_event **event, unsigned flags);
    int (*event_record)(struct wtl_cuda_event *event, struct wtl_cuda_stream *stream);
    int (*event_elapsed)(float *milliseconds,
                         struct wtl_cuda_event *from,
                         struct wtl_cuda_event *to);
    int (*error_string)(int result, const char **text);
};

/* Open the library and initialise it: 0; -ENOENT: no library; -ENODEV: no driver or no device; -ENOTSUP: a function is
 * missing; with a sentence. The library stays loaded. */
int wtl_cuda_open(struct wtl_cuda *cuda, struct wattle_error *err);

/* 0, or -EIO with "what: the driver's words". */
int wtl_cuda_check(const struct wtl_cuda *cuda,
                   int result,
                   const char *what,
                   struct wattle_error *err);

#endif
