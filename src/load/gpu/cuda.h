/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The few functions of the CUDA driver interface that run a kernel of one's own, from libcuda.so.1 by dlopen(3), and those of AMD's
 * HIP, which have the same shapes and other names. Prototypes are our own, after the published references; nothing of
 * CUDA or ROCm is needed to build. scripts/check-vendors compares them with the vendors' headers.
 */
#ifndef WTL_LOAD_CUDA_H
#define WTL_LOAD_CUDA_H

#include <stdbool.h>
#include <stddef.h>

#include <wattle/error.h>

enum { WTL_CUDA_OK = 0 };
enum { WTL_CUDA_MULTIPROCESSORS = 16, WTL_HIP_MULTIPROCESSORS = 63 }; /* an attribute */

/* The library's own. */
struct wtl_cuda_context;
struct wtl_cuda_module;
struct wtl_cuda_function;
struct wtl_cuda_stream;
struct wtl_cuda_event;
struct wtl_hip_program;

/* Which of the two. */
struct wtl_cuda_kind {
    const char *name, *variable; /* "CUDA", "CUDA_VISIBLE_DEVICES" */
    const char *libraries[8];
    const char *needs;  /* where the library comes from */
    const char *driver; /* of the kernel */
    int multiprocessors;
    bool has_contexts; /* else a device is made the current one */
};
extern const struct wtl_cuda_kind wtl_cuda_itself, wtl_cuda_hip;

struct wtl_cuda {
    const struct wtl_cuda_kind *kind;
    void *library;
    int (*init)(unsigned flags);
    int (*device_count)(int *count);
    int (*device_get)(int *device, int ordinal);
    int (*device_name)(char *name, int size, int device);
    int (*device_pci)(char *name, int size, int device);
    int (*device_attribute)(int *value, int attribute, int device);
    int (*context_create)(struct wtl_cuda_context **context, unsigned flags, int device);
    int (*device_set)(int device);
    int (*synchronize)(void);
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
    int (*error_string)(int result, const char **text); /* HIP: since 6, else NULL */
};

/* AMD's compiler at run time. */
struct wtl_hiprtc {
    int (*create)(struct wtl_hip_program **program,
                  const char *source,
                  const char *name,
                  int headers,
                  const char **contents,
                  const char **names);
    int (*compile)(struct wtl_hip_program *program, int options, const char **words);
    int (*code_size)(struct wtl_hip_program *program, size_t *size);
    int (*code)(struct wtl_hip_program *program, char *code);
};

/* Open the library and initialise it: 0; -ENOENT: no library; -ENODEV: no driver or no device; -ENOTSUP: a function is
 * missing; with a sentence. The library stays loaded. */
int wtl_cuda_open(struct wtl_cuda *cuda,
                  const struct wtl_cuda_kind *kind,
                  struct wattle_error *err);

/* A program for the current device; the caller frees *ret_code. 0, or -errno with a sentence. */
int wtl_hip_compile(const struct wtl_cuda *hip,
                    const char *source,
                    void **ret_code,
                    struct wattle_error *err);

/* 0, or -EIO with "CUDA: what: the driver's words". */
int wtl_cuda_check(const struct wtl_cuda *cuda,
                   int result,
                   const char *what,
                   struct wattle_error *err);

#endif
