/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is used of CUPTI's activity interface (libcupti.so): numbers and layouts as in the headers of CUPTI 11.8 and 12.4, which were
 * compiled against (docs/dev/gpu-lanes.md). The members here have the same places in every version of a record; newer versions
 * only add others behind them. Records are packed, so they are copied out before use.
 */
#ifndef CUPTI_ABI_H
#define CUPTI_ABI_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

enum { CUPTI_OK = 0, CUPTI_NO_MORE = 12 };
enum {
    CUPTI_MEMCPY = 1,
    CUPTI_MEMSET = 2,
    CUPTI_KERNEL = 3,
    CUPTI_CONCURRENT_KERNEL = 10,
    CUPTI_MEMCPY_PEER = 22
};
enum { CUPTI_FLUSH_FORCED = 1 };

/* A copy, or setting of memory; the head of all three kinds of record. */
struct cupti_copy {
    uint32_t kind;
    uint8_t copy_kind, more[3]; /* of a copy */
    uint64_t bytes;
    uint64_t start_ns, end_ns; /* both 0: unknown */
    uint32_t device, context, stream;
};

struct cupti_kernel {
    uint32_t kind;
    uint8_t more[12];
    uint64_t start_ns, end_ns; /* both 0: unknown */
    uint64_t completed_ns;
    uint32_t device, context, stream;
    uint8_t launch[52];
    const char *name; /* mangled; the library's */
};

static_assert(offsetof(struct cupti_copy, start_ns) == 16 &&
                  offsetof(struct cupti_copy, device) == 32 &&
                  offsetof(struct cupti_copy, stream) == 40,
              "layout of a copy");
static_assert(offsetof(struct cupti_kernel, start_ns) == 16 &&
                  offsetof(struct cupti_kernel, device) == 40 &&
                  offsetof(struct cupti_kernel, stream) == 48 &&
                  offsetof(struct cupti_kernel, name) == 104,
              "layout of a kernel");

typedef void (*cupti_requested)(uint8_t **buffer, size_t *size, size_t *most_records);
typedef void (
    *cupti_completed)(void *context, uint32_t stream, uint8_t *buffer, size_t size, size_t valid);

struct cupti_calls {
    int (*get_version)(uint32_t *version);
    int (*get_timestamp)(uint64_t *ns);
    int (*register_callbacks)(cupti_requested requested, cupti_completed completed);
    int (*enable)(int kind);
    int (*flush_all)(uint32_t flag);
    int (*next_record)(uint8_t *buffer, size_t valid, void **record);
    int (*dropped)(void *context, uint32_t stream, size_t *count);
    int (*flush_period)(uint32_t ms);                    /* since CUDA 11.1; or NULL */
    int (*result_string)(int result, const char **text); /* or NULL */
};

#endif
