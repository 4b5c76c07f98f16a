/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is used of rocprofiler-sdk (librocprofiler-sdk.so): numbers and layouts as published for ROCm 6.2 to 7. Kinds are asked for by
 * name before they are used, and a record whose size is too small is lost, since both have changed before.
 */
#ifndef ROCPROFILER_ABI_H
#define ROCPROFILER_ABI_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

enum { ROCP_OK = 0 };
enum { ROCP_CATEGORY_TRACING = 1 };
enum { ROCP_MEMORY_COPY = 10, ROCP_KERNEL_DISPATCH = 11 };             /* of buffers */
enum { ROCP_CODE_OBJECT = 10, ROCP_KERNEL_SYMBOL = 2, ROCP_LOAD = 1 }; /* of callbacks */
enum { ROCP_DISCARD = 1, ROCP_AGENT_GPU = 2, ROCP_AGENT_VERSION = 1 };

struct rocp_handle {
    uint64_t handle;
};

struct rocp_header {
    uint32_t category, kind;
    const void *payload;
};

/* Both kinds of record begin alike. */
struct rocp_record {
    uint64_t size;
    uint32_t kind, operation;
    uint64_t correlation[2];
    uint64_t thread;
    uint64_t start_ns, end_ns;
};

struct rocp_dispatch {
    struct rocp_record record;
    uint64_t info_size, agent, queue, kernel;
};

struct rocp_copy {
    struct rocp_record
        record; /* operation: 1 host to host, 2 to device, 3 to host, 4 device to device */
    uint64_t to_agent, from_agent;
};

struct rocp_event {
    uint32_t kind, operation, phase;
    const void *payload;
};

/* From version 1 on correlation has three numbers, and the event comes 8 bytes later. */
struct rocp_callback {
    struct rocp_handle context;
    uint64_t thread;
    uint64_t correlation[2];
    struct rocp_event event[1];
    uint64_t more;
};

struct rocp_symbol {
    uint64_t size, kernel, code_object;
    const char *name;
};

/* The begin of an agent; its address is further on. */
struct rocp_agent {
    uint64_t size, id;
    uint32_t type;
    uint8_t more[84];
    uint16_t vendor, device;
    uint32_t location, domain;
};

static_assert(offsetof(struct rocp_dispatch, kernel) == 80 &&
                  offsetof(struct rocp_copy, to_agent) == 56 &&
                  offsetof(struct rocp_record, start_ns) == 40,
              "layout of records");
static_assert(offsetof(struct rocp_agent, location) == 108 &&
                  offsetof(struct rocp_agent, domain) == 112,
              "layout of an agent");

struct rocp_client {
    const char *name;
    uint32_t handle;
};

typedef void (*rocp_finalize)(struct rocp_client client);

struct rocp_configured {
    size_t size;
    int (*initialize)(rocp_finalize finalize, void *data);
    void (*finalize)(void *data);
    void *data;
};

typedef void (*rocp_on_buffer)(struct rocp_handle context,
                               struct rocp_handle buffer,
                               struct rocp_header **headers,
                               size_t count,
                               void *data,
                               uint64_t dropped);
typedef void (*rocp_on_callback)(struct rocp_callback record, void *user, void *data);
typedef int (*rocp_on_agents)(int version, const void **agents, size_t count, void *data);

struct rocp_calls {
    int (*get_timestamp)(uint64_t *ns);
    int (*create_context)(struct rocp_handle *context);
    int (*create_buffer)(struct rocp_handle context,
                         size_t size,
                         size_t watermark,
                         int policy,
                         rocp_on_buffer on_buffer,
                         void *data,
                         struct rocp_handle *buffer);
    int (*trace_buffer)(struct rocp_handle context,
                        int kind,
                        const int32_t *operations,
                        size_t count,
                        struct rocp_handle buffer);
    int (*trace_callback)(struct rocp_handle context,
                          int kind,
                          const int32_t *operations,
                          size_t count,
                          rocp_on_callback on_callback,
                          void *data);
    int (*buffer_kind)(int kind, const char **name, uint64_t *length);
    int (*callback_kind)(int kind, const char **name, uint64_t *length);
    int (*query_agents)(int version, rocp_on_agents on_agents, size_t size, void *data);
    int (*start_context)(struct rocp_handle context);
    int (*stop_context)(struct rocp_handle context);
    int (*flush_buffer)(struct rocp_handle buffer);
};

#endif
