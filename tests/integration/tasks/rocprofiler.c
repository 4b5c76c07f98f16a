/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program with the part of rocprofiler-sdk that libwattle-rocprofiler uses, in one: it opens the tool as a runtime does, loads a kernel,
 * runs it and copies on two queues of two GPUs, and hands over the records. The clock is 5 s ahead and 20 ppm faster.
 * Words: "new" (as from version 1 on), "drop" (some records are dropped), "kinds" (others have their numbers), "short" (a record is
 * too small), "clock" (it fails), "busy" (the context cannot start). Written from the published interface, not from wattle's copy of it.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define EXPORT __attribute__((visibility("default")))

enum { RUNS = 20, BYTES = 256 };

struct id {
    uint64_t handle;
};

struct header {
    uint32_t category, kind;
    void *payload;
};

typedef void (*buffer_cb)(struct id, struct id, struct header **, size_t, void *, uint64_t);

static buffer_cb on_buffer;
static void (*on_code)(void);
static struct header records[100], *list[100];
static unsigned char bytes[100][BYTES];
static size_t count;
static int is_new, drop, kinds, is_short, no_clock, busy;

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static uint64_t theirs(uint64_t ns)
{
    return ns + 5000000000 + ns / 50000;
}

EXPORT int rocprofiler_get_timestamp(uint64_t *ns)
{
    *ns = theirs(now_ns());
    return no_clock;
}

EXPORT int rocprofiler_create_context(struct id *context)
{
    context->handle = 7;
    return 0;
}

EXPORT int rocprofiler_create_buffer(struct id context,
                                     size_t size,
                                     size_t mark,
                                     int policy,
                                     buffer_cb call,
                                     void *data,
                                     struct id *buffer)
{
    on_buffer = call;
    buffer->handle = 9;
    return context.handle == 7 && mark <= size && policy == 1 && !data ? 0 : 19;
}

EXPORT int rocprofiler_configure_buffer_tracing_service(struct id context,
                                                        int kind,
                                                        const int32_t *operations,
                                                        size_t n,
                                                        struct id buffer)
{
    return context.handle == 7 && (kind == 10 || kind == 11) && !operations && n == 0 &&
                   buffer.handle == 9
               ? 0
               : 4;
}

EXPORT int rocprofiler_configure_callback_tracing_service(struct id context,
                                                          int kind,
                                                          const int32_t *operations,
                                                          size_t n,
                                                          void (*call)(void),
                                                          void *data)
{
    on_code = call;
    return context.handle == 7 && kind == 10 && !operations && n == 0 && !data ? 0 : 4;
}

EXPORT int rocprofiler_query_buffer_tracing_kind_name(int kind, const char **name, uint64_t *length)
{
    *name = kinds        ? "PAGE_MIGRATION"
            : kind == 10 ? "MEMORY_COPY"
            : kind == 11 ? "KERNEL_DISPATCH"
                         : "OTHER";
    *length = strlen(*name);
    return 0;
}

EXPORT int rocprofiler_query_callback_tracing_kind_name(int kind,
                                                        const char **name,
                                                        uint64_t *length)
{
    *name = kind == 10 ? "CODE_OBJECT" : "OTHER";
    *length = strlen(*name);
    return 0;
}

/* An agent: size, id, type, 21 numbers, two short ones, location, domain, and more. */
EXPORT int rocprofiler_query_available_agents(int version,
                                              int (*call)(int, const void **, size_t, void *),
                                              size_t size,
                                              void *data)
{
    static unsigned char agents[3][400];
    const void *all[3];
    for (uint32_t i = 0; i < 3; i++) {
        uint64_t whole = sizeof agents[0], id = 100 + i;
        uint32_t type = i == 0 ? 1 : 2, location = i == 1 ? 0xc100 : 0xc608;
        memcpy(agents[i], &whole, 8);
        memcpy(agents[i] + 8, &id, 8);
        memcpy(agents[i] + 16, &type, 4);
        memcpy(agents[i] + 16 + 4 + 21 * 4 + 4, &location, 4);
        all[i] = agents[i];
    }
    return version == 1 && size <= sizeof agents[0] ? call(version, all, 3, data) : 18;
}

EXPORT int rocprofiler_start_context(struct id context)
{
    return busy || context.handle != 7 ? 12 : 0;
}

EXPORT int rocprofiler_stop_context(struct id context)
{
    return context.handle != 7;
}

EXPORT int rocprofiler_flush_buffer(struct id buffer)
{
    for (size_t i = 0; i < count; i++)
        list[i] = &records[i];
    on_buffer((struct id){7}, buffer, list, count, NULL, drop ? 3 : 0);
    return 0;
}

static unsigned char *record(uint32_t kind,
                             uint32_t operation,
                             uint64_t from,
                             uint64_t to,
                             uint64_t size)
{
    unsigned char *at = bytes[count];
    uint64_t times[2] = {from ? theirs(from) : 0, to ? theirs(to) : 0};
    memcpy(at, &size, 8);
    memcpy(at + 8, &kind, 4);
    memcpy(at + 12, &operation, 4);
    memcpy(at + 40, times, 16);
    records[count++] = (struct header){1, kind, at};
    return at;
}

static void dispatch(uint64_t agent,
                     uint64_t queue,
                     uint64_t kernel,
                     uint64_t from,
                     uint64_t to,
                     uint64_t size)
{
    uint64_t info[4] = {72, agent, queue, kernel};
    memcpy(record(11, 2, from, to, size) + 56, info, sizeof info);
}

static void copy(uint32_t direction,
                 uint64_t to_agent,
                 uint64_t from_agent,
                 uint64_t from,
                 uint64_t to)
{
    uint64_t agents[2] = {to_agent, from_agent};
    memcpy(record(10, direction, from, to, 104) + 56, agents, sizeof agents);
}

struct old_record {
    uint64_t context, thread, correlation[2];
    uint32_t kind, operation, phase;
    void *payload;
};

struct new_record {
    uint64_t context, thread, correlation[3];
    uint32_t kind, operation, phase;
    void *payload;
};

static void load(uint64_t id, const char *name)
{
    struct {
        uint64_t size, kernel, code;
        const char *name;
        uint64_t more[4];
    } symbol = {sizeof symbol, id, 1, name, {0}};
    if (is_new)
        ((void (*)(struct new_record, void *, void *))on_code)(
            (struct new_record){7, 1, {0}, 10, 2, 1, &symbol}, NULL, NULL);
    else
        ((void (*)(struct old_record, void *, void *))on_code)(
            (struct old_record){7, 1, {0}, 10, 2, 1, &symbol}, NULL, NULL);
}

int main(int argc, char **argv)
{
    struct {
        const char *name;
        uint32_t handle;
    } client = {NULL, 1};
    struct configured {
        size_t size;
        int (*initialize)(void *, void *);
        void (*finalize)(void *);
        void *data;
    } *made = NULL;
    for (int i = 1; i < argc; i++) {
        is_new |= !strcmp(argv[i], "new");
        drop |= !strcmp(argv[i], "drop");
        kinds |= !strcmp(argv[i], "kinds");
        is_short |= !strcmp(argv[i], "short");
        no_clock |= !strcmp(argv[i], "clock");
        busy |= !strcmp(argv[i], "busy");
    }
    const char *path = getenv("ROCP_TOOL_LIBRARIES");
    void *tool = path && *path ? dlopen(path, RTLD_LAZY) : NULL;
    struct configured *(*configure)(uint32_t, const char *, uint32_t, void *) =
        tool ? (struct configured * (*)(uint32_t, const char *, uint32_t, void *))
                   dlsym(tool, "rocprofiler_configure")
             : NULL;
    if (configure)
        made = configure(is_new ? 10001 : 600, "a copy", 0, &client);
    if (!made || made->size != sizeof *made || made->initialize(NULL, made->data) != 0)
        return 0;
    load(41, "_Z4gemmPf");
    load(42, "axpy");
    struct timespec rest = {0, 60000000};
    nanosleep(&rest, NULL);
    uint64_t begin = now_ns() - 50000000;
    for (uint64_t i = 0; i < RUNS; i++) {
        uint64_t at = begin + i * 2000000;
        dispatch(101, 5, 41, at, at + 1500000, 184);
        dispatch(102, 6, 42, at, at + 500000, 184);
        copy(i % 2 ? 2 : 3, i % 2 ? 101 : 100, i % 2 ? 100 : 101, at + 1500000, at + 1750000);
    }
    dispatch(101, 5, 42, begin + 1000000, begin + 3000000, 184); /* overlaps two */
    copy(4, 102, 101, begin, begin + 1000);
    dispatch(101, 5, 43, 0, 0, 184); /* unknown times */
    if (is_short)
        dispatch(101, 5, 41, begin, begin + 1, 40);
    made->finalize(made->data);
    return 0;
}
