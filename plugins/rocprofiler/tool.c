/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Kernels and copies of programs for AMD GPUs as lanes of the trace. The runtime (HIP, HSA) opens the libraries that
 * ROCP_TOOL_LIBRARIES names and calls rocprofiler_configure(); rocprofiler-sdk then hands over buffers of what ran. Nothing here prints,
 * fails or stops the program; what is not recorded is named in the trace.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <wattle/task.h>

#include "../gpulanes/lane_book.h"
#include "rocprofiler_abi.h"

#define EXPORT __attribute__((visibility("default")))

enum { BUFFER_BYTES = 1 << 20, MARK_BYTES = 1 << 19, AGENTS = 64, KERNELS = 8192 };

static struct rocp_calls rocp;
static struct rocp_handle context, buffer;
static struct lane_moment before, after; /* with the book open */
static uint32_t version;

static struct {
    uint64_t id;
    char address[24]; /* "" = no GPU */
} agents[AGENTS];
static size_t agent_count;

/* Names of kernels by their ids; written when code is loaded. */
static struct {
    pthread_mutex_t lock;
    struct {
        uint64_t kernel;
        uint32_t name;
    } slots[KERNELS];
} kernels = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- the library ---- */

static bool find_calls(void)
{
    const struct {
        const char *name;
        void *at;
    } rows[] = {{"rocprofiler_get_timestamp", &rocp.get_timestamp},
                {"rocprofiler_create_context", &rocp.create_context},
                {"rocprofiler_create_buffer", &rocp.create_buffer},
                {"rocprofiler_configure_buffer_tracing_service", &rocp.trace_buffer},
                {"rocprofiler_configure_callback_tracing_service", &rocp.trace_callback},
                {"rocprofiler_query_buffer_tracing_kind_name", &rocp.buffer_kind},
                {"rocprofiler_query_callback_tracing_kind_name", &rocp.callback_kind},
                {"rocprofiler_query_available_agents", &rocp.query_agents},
                {"rocprofiler_start_context", &rocp.start_context},
                {"rocprofiler_stop_context", &rocp.stop_context},
                {"rocprofiler_flush_buffer", &rocp.flush_buffer}};
    static const char *const names[] = {"librocprofiler-sdk.so.1", "librocprofiler-sdk.so.0",
                                        "librocprofiler-sdk.so"};
    void *library = NULL;

    for (size_t i = 0; !library && i < sizeof(names) / sizeof(names[0]); i++)
        library = dlopen(names[i], RTLD_LAZY | RTLD_NOLOAD);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        void *found = dlsym(library ? library : RTLD_DEFAULT, rows[i].name);

        if (!found)
            return false;
        memcpy(rows[i].at, &found, sizeof(found));
    }
    return true;
}

static void refused(const char *why)
{
    char text[160];

    (void)snprintf(text, sizeof(text), "kernels and copies on AMD GPUs (%.120s)", why);
    lane_book_refused(text);
}

/* Kinds have numbers that have changed before: are they those that are used here? */
static bool kinds_are_known(void)
{
    const char *copies = NULL, *dispatches = NULL, *code = NULL;
    uint64_t length;

    return rocp.buffer_kind(ROCP_MEMORY_COPY, &copies, &length) == ROCP_OK &&
           rocp.buffer_kind(ROCP_KERNEL_DISPATCH, &dispatches, &length) == ROCP_OK &&
           rocp.callback_kind(ROCP_CODE_OBJECT, &code, &length) == ROCP_OK && copies &&
           dispatches && code && strcmp(copies, "MEMORY_COPY") == 0 &&
           strcmp(dispatches, "KERNEL_DISPATCH") == 0 && strcmp(code, "CODE_OBJECT") == 0;
}

/* ---- agents and kernels ---- */

static int take_agents(int of_version, const void **list, size_t count, void *data)
{
    (void)of_version;
    (void)data;
    for (size_t i = 0; i < count && agent_count < AGENTS; i++) {
        struct rocp_agent agent;

        memcpy(&agent, list[i], sizeof(agent));
        agents[agent_count].id = agent.id;
        if (agent.type == ROCP_AGENT_GPU)
            (void)snprintf(agents[agent_count].address, sizeof(agents[0].address),
                           "%04x:%02x:%02x.%x", agent.domain & 0xffffu, agent.location >> 8 & 0xff,
                           agent.location >> 3 & 0x1f, agent.location & 7);
        agent_count++;
    }
    return ROCP_OK;
}

/* NULL: not a GPU. */
static const char *address_of(uint64_t agent)
{
    for (size_t i = 0; i < agent_count; i++)
        if (agents[i].id == agent)
            return agents[i].address[0] ? agents[i].address : NULL;
    return NULL;
}

static void keep_name(uint64_t kernel, uint32_t name)
{
    (void)pthread_mutex_lock(&kernels.lock);
    for (uint64_t i = 0; i < KERNELS; i++) {
        size_t at = (kernel + i) % KERNELS;

        if (kernels.slots[at].name && kernels.slots[at].kernel != kernel)
            continue;
        kernels.slots[at].kernel = kernel;
        kernels.slots[at].name = name;
        break;
    }
    (void)pthread_mutex_unlock(&kernels.lock);
}

static uint32_t name_of(uint64_t kernel)
{
    uint32_t name = 0;

    (void)pthread_mutex_lock(&kernels.lock);
    for (uint64_t i = 0; i < KERNELS && name == 0; i++) {
        size_t at = (kernel + i) % KERNELS;

        if (!kernels.slots[at].name)
            break;
        if (kernels.slots[at].kernel == kernel)
            name = kernels.slots[at].name;
    }
    (void)pthread_mutex_unlock(&kernels.lock);
    return name ? name : lane_book_name(NULL);
}

/* Of code that was loaded. Newer versions have 8 bytes more before the kind; kinds and operations tell which is it. */
static void on_code(struct rocp_callback record, void *user, void *data)
{
    struct rocp_event event = record.event[0];
    struct rocp_symbol symbol;

    (void)user;
    (void)data;
    if (event.kind != ROCP_CODE_OBJECT || event.operation < 1 || event.operation > 3)
        memcpy(&event, (const char *)&record.event[0] + 8, sizeof(event));
    if (event.kind != ROCP_CODE_OBJECT || event.operation != ROCP_KERNEL_SYMBOL ||
        event.phase != ROCP_LOAD || !event.payload)
        return;
    memcpy(&symbol, event.payload, sizeof(symbol));
    if (!lane_book_open()) /* it has the names, too */
        return;
    uint32_t name = symbol.name ? lane_book_name(symbol.name) : 0;

    lane_book_close();
    if (name)
        keep_name(symbol.kernel, name);
}

/* ---- records ---- */

static uint64_t ours(uint64_t theirs_ns)
{
    return theirs_ns ? lane_book_time(&before, &after, theirs_ns) : 0;
}

static void take_dispatch(const void *payload)
{
    struct rocp_dispatch dispatch;

    memcpy(&dispatch, payload, sizeof(dispatch));
    const char *address = address_of(dispatch.agent);

    lane_book_add(address ? address : "?", dispatch.queue, ours(dispatch.record.start_ns),
                  ours(dispatch.record.end_ns), name_of(dispatch.kernel));
}

static void take_copy(const void *payload)
{
    static const char *const names[] = {"copy", "copy host to host", "copy host to device",
                                        "copy device to host", "copy device to device"};
    struct rocp_copy copy;

    memcpy(&copy, payload, sizeof(copy));
    const char *to = address_of(copy.to_agent), *from = address_of(copy.from_agent);
    const char *name = names[copy.record.operation < 5 ? copy.record.operation : 0];

    if (to && from && copy.to_agent != copy.from_agent)
        name = "copy between GPUs";
    /* Copies have no queue: those of a device are its queue 0. */
    lane_book_add(to     ? to
                  : from ? from
                         : "?",
                  0, ours(copy.record.start_ns), ours(copy.record.end_ns), lane_book_name(name));
}

static uint64_t size_of(const void *payload)
{
    uint64_t size;

    memcpy(&size, payload, sizeof(size));
    return size;
}

static void on_buffer(struct rocp_handle of_context,
                      struct rocp_handle of_buffer,
                      struct rocp_header **headers,
                      size_t count,
                      void *data,
                      uint64_t dropped)
{
    struct lane_moment now;
    uint64_t lost = dropped;

    (void)of_context;
    (void)of_buffer;
    (void)data;
    if (!lane_book_open())
        return;
    if (lane_book_moment(rocp.get_timestamp, &now)) {
        before = after;
        after = now;
    }
    for (size_t i = 0; i < count; i++) {
        const struct rocp_header *header = headers[i];

        if (header->category != ROCP_CATEGORY_TRACING)
            continue;
        if (header->kind == ROCP_KERNEL_DISPATCH &&
            size_of(header->payload) >= sizeof(struct rocp_dispatch))
            take_dispatch(header->payload);
        else if (header->kind == ROCP_MEMORY_COPY &&
                 size_of(header->payload) >= sizeof(struct rocp_copy))
            take_copy(header->payload);
        else
            lost++;
    }
    lane_book_close();
    if (lost > 0)
        lane_book_lost(lost);
}

/* ---- begin and end ---- */

static bool configure(void)
{
    return rocp.create_context(&context) == ROCP_OK &&
           rocp.create_buffer(context, BUFFER_BYTES, MARK_BYTES, ROCP_DISCARD, on_buffer, NULL,
                              &buffer) == ROCP_OK &&
           rocp.trace_callback(context, ROCP_CODE_OBJECT, NULL, 0, on_code, NULL) == ROCP_OK &&
           rocp.trace_buffer(context, ROCP_KERNEL_DISPATCH, NULL, 0, buffer) == ROCP_OK;
}

static int initialize(rocp_finalize finalize, void *data)
{
    const char *why = NULL;
    char text[64];

    (void)finalize;
    (void)data;
    if (!find_calls())
        why = "librocprofiler-sdk.so lacks calls";
    else if (!kinds_are_known())
        why = "this version of rocprofiler-sdk is not known";
    else if (!lane_book_moment(rocp.get_timestamp, &before))
        why = "the clock of rocprofiler-sdk cannot be read";
    else if (rocp.query_agents(ROCP_AGENT_VERSION, take_agents, sizeof(struct rocp_agent), NULL) !=
             ROCP_OK)
        why = "rocprofiler-sdk does not name its devices";
    else if (!configure())
        why = "rocprofiler-sdk does not offer it";
    after = before;
    if (why) {
        refused(why);
        return -1;
    }
    if (rocp.trace_buffer(context, ROCP_MEMORY_COPY, NULL, 0, buffer) != ROCP_OK)
        lane_book_refused("copies on GPUs (rocprofiler-sdk does not offer it)");
    if (rocp.start_context(context) != ROCP_OK) {
        refused("another tool uses rocprofiler-sdk");
        return -1;
    }
    (void)snprintf(text, sizeof(text), "rocprofiler-sdk %u.%u.%u", version / 10000,
                   version / 100 % 100, version % 100);
    lane_book_begin(text);
    return 0;
}

static void finalize_tool(void *data)
{
    (void)data;
    if (!lane_book_is_own())
        return;
    (void)rocp.stop_context(context);
    (void)rocp.flush_buffer(buffer);
    lane_book_tell_lost("rocprofiler-sdk");
}

EXPORT struct rocp_configured *rocprofiler_configure(uint32_t of_version,
                                                     const char *text,
                                                     uint32_t priority,
                                                     struct rocp_client *client);

EXPORT struct rocp_configured *rocprofiler_configure(uint32_t of_version,
                                                     const char *text,
                                                     uint32_t priority,
                                                     struct rocp_client *client)
{
    static struct rocp_configured configured = {sizeof(configured), initialize, finalize_tool,
                                                NULL};
    int recording = wattle_task_recording();

    (void)text;
    (void)priority;
    if (recording == 2)
        refused("a summary has no lanes");
    if (recording != 1)
        return NULL; /* other tools may start */
    version = of_version;
    client->name = "wattle";
    return &configured;
}
