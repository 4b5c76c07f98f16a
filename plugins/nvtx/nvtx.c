/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * NVTX annotations as regions:
 *
 *     NVTX_INJECTION64_PATH=.../libwattle-nvtx.so wattle run -- ./app
 *
 * nvtxRangePush begins a region of its message on the calling thread, Pop ends it. nvtxRangeStart and End do so on the
 * threads that call them, so a range that another thread ends is unbalanced, and reported as such. Those of a domain are called "domain:
 * message". Marks are events of type NVTX_EVENT with the region id of their message. Without a message: "NVTX".
 * Categories, colours, payloads and names of threads are not recorded.
 */
#define _GNU_SOURCE
#include "nvtx_abi.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <wattle/region.h>

#include "range_table.h"

enum { NVTX_EVENT = 0x4e565458, NAME_BYTES = 256, DEPTH = 64 };

/* Of domains and registered strings: what their handles point to. They live as long as the process. */
struct text {
    char text[NAME_BYTES / 2];
};

/* Regions that this thread has pushed. NVTX has a stack for each domain; popping takes the innermost of the same one. */
static __thread struct {
    const void *domain;
    uint32_t id;
} pushed[DEPTH] __attribute__((tls_model("initial-exec")));
static __thread int depth __attribute__((tls_model("initial-exec")));

/* ---- names ---- */

/* UTF-8; as much as fits. */
static void narrow(const wchar_t *wide, char *text, size_t n)
{
    size_t at = 0;

    for (; wide && *wide && at + 4 < n; wide++) {
        uint32_t c = (uint32_t)*wide;

        if (c < 0x80) {
            text[at++] = (char)c;
        } else if (c < 0x800) {
            text[at++] = (char)(0xc0 | c >> 6);
            text[at++] = (char)(0x80 | (c & 0x3f));
        } else if (c < 0x10000) {
            text[at++] = (char)(0xe0 | c >> 12);
            text[at++] = (char)(0x80 | (c >> 6 & 0x3f));
            text[at++] = (char)(0x80 | (c & 0x3f));
        } else {
            text[at++] = (char)(0xf0 | (c >> 18 & 7));
            text[at++] = (char)(0x80 | (c >> 12 & 0x3f));
            text[at++] = (char)(0x80 | (c >> 6 & 0x3f));
            text[at++] = (char)(0x80 | (c & 0x3f));
        }
    }
    text[at] = '\0';
}

static uint32_t name_of(const struct text *domain, const char *message)
{
    char name[NAME_BYTES];

    if (!message || !message[0])
        message = "NVTX";
    if (domain && domain->text[0])
        (void)snprintf(name, sizeof(name), "%s: %.120s", domain->text, message);
    else
        (void)snprintf(name, sizeof(name), "%.250s", message);
    uint32_t id = wattle_region_id(name);

    return id ? id : wattle_region_id("NVTX"); /* it was not UTF-8 */
}

static uint32_t name_of_wide(const wchar_t *message)
{
    char text[NAME_BYTES];

    narrow(message, text, sizeof(text));
    return name_of(NULL, text);
}

static uint32_t name_of_event(const struct text *domain, const struct nvtx_attributes *event)
{
    char text[NAME_BYTES];

    if (!event || event->size < sizeof(*event))
        return name_of(domain, NULL);
    if (event->message_type == NVTX_MESSAGE_ASCII)
        return name_of(domain, event->message.ascii);
    if (event->message_type == NVTX_MESSAGE_REGISTERED && event->message.registered)
        return name_of(domain, ((const struct text *)event->message.registered)->text);
    text[0] = '\0';
    if (event->message_type == NVTX_MESSAGE_UNICODE)
        narrow(event->message.unicode, text, sizeof(text));
    return name_of(domain, text);
}

static struct text *keep(const char *message)
{
    struct text *text = calloc(1, sizeof(*text));

    if (text && message)
        (void)snprintf(text->text, sizeof(text->text), "%s", message);
    return text;
}

static struct text *keep_wide(const wchar_t *message)
{
    struct text *text = calloc(1, sizeof(*text));

    if (text)
        narrow(message, text->text, sizeof(text->text));
    return text;
}

/* ---- ranges of a thread ---- */

static int push(const struct text *domain, uint32_t id)
{
    if (depth < DEPTH) {
        pushed[depth].domain = domain;
        pushed[depth].id = id;
        wattle_region_begin(id);
    }
    return depth++;
}

static int pop(const struct text *domain)
{
    if (depth == 0)
        return -1;
    if (--depth >= DEPTH)
        return depth;
    int at = depth;

    while (at >= 0 && pushed[at].domain != domain)
        at--;
    if (at < 0) { /* nothing of this domain is open */
        depth++;
        return -1;
    }
    wattle_region_end(pushed[at].id);
    for (; at < depth; at++)
        pushed[at] = pushed[at + 1];
    return depth;
}

static uint64_t start(uint32_t id)
{
    wattle_region_begin(id);
    return range_add(id);
}

/* ---- the calls ---- */

/* The name is looked up only if somebody records; errno is the program's. */
#define NAMED(expression)                                \
    int saved = errno;                                   \
    uint32_t id = wattle_recording() ? (expression) : 0; \
                                                         \
    errno = saved;

static void mark_ex(const struct nvtx_attributes *event)
{
    NAMED(name_of_event(NULL, event))
    wattle_event(NVTX_EVENT, id);
}

static void mark_a(const char *message)
{
    NAMED(name_of(NULL, message))
    wattle_event(NVTX_EVENT, id);
}

static void mark_w(const wchar_t *message)
{
    NAMED(name_of_wide(message))
    wattle_event(NVTX_EVENT, id);
}

static uint64_t start_ex(const struct nvtx_attributes *event)
{
    NAMED(name_of_event(NULL, event))
    return start(id);
}

static uint64_t start_a(const char *message)
{
    NAMED(name_of(NULL, message))
    return start(id);
}

static uint64_t start_w(const wchar_t *message)
{
    NAMED(name_of_wide(message))
    return start(id);
}

static void end(uint64_t number)
{
    wattle_region_end(range_take(number));
}

static int push_ex(const struct nvtx_attributes *event)
{
    NAMED(name_of_event(NULL, event))
    return push(NULL, id);
}

static int push_a(const char *message)
{
    NAMED(name_of(NULL, message))
    return push(NULL, id);
}

static int push_w(const wchar_t *message)
{
    NAMED(name_of_wide(message))
    return push(NULL, id);
}

static int pop_any(void)
{
    return pop(NULL);
}

static void domain_mark_ex(const struct text *domain, const struct nvtx_attributes *event)
{
    NAMED(name_of_event(domain, event))
    wattle_event(NVTX_EVENT, id);
}

static uint64_t domain_start_ex(const struct text *domain, const struct nvtx_attributes *event)
{
    NAMED(name_of_event(domain, event))
    return start(id);
}

static void domain_end(const struct text *domain, uint64_t number)
{
    (void)domain;
    end(number);
}

static int domain_push_ex(const struct text *domain, const struct nvtx_attributes *event)
{
    NAMED(name_of_event(domain, event))
    return push(domain, id);
}

static struct text *string_a(const struct text *domain, const char *message)
{
    (void)domain;
    return keep(message);
}

static struct text *string_w(const struct text *domain, const wchar_t *message)
{
    (void)domain;
    return keep_wide(message);
}

/* ---- the injection ---- */

struct entry {
    unsigned at;
    nvtx_function function;
};

#define ENTRY(at, function)           \
    {                                 \
        at, (nvtx_function)(function) \
    }

static int replace(const struct nvtx_callbacks *callbacks,
                   int module,
                   const struct entry *entries,
                   size_t n)
{
    nvtx_function **table = NULL;
    unsigned count = 0;

    if (!callbacks->table(module, &table, &count) || !table)
        return 0;
    for (size_t i = 0; i < n; i++)
        if (entries[i].at < count && table[entries[i].at])
            *table[entries[i].at] = entries[i].function;
    return 1;
}

int InitializeInjectionNvtx2(nvtx_get_table *get_table);

/* 1 = the annotations come here. */
__attribute__((visibility("default"))) int InitializeInjectionNvtx2(nvtx_get_table *get_table)
{
    static const struct entry core[] = {
        ENTRY(NVTX_MARK_EX, mark_ex),   ENTRY(NVTX_MARK_A, mark_a),   ENTRY(NVTX_MARK_W, mark_w),
        ENTRY(NVTX_START_EX, start_ex), ENTRY(NVTX_START_A, start_a), ENTRY(NVTX_START_W, start_w),
        ENTRY(NVTX_END, end),           ENTRY(NVTX_PUSH_EX, push_ex), ENTRY(NVTX_PUSH_A, push_a),
        ENTRY(NVTX_PUSH_W, push_w),     ENTRY(NVTX_POP, pop_any)};
    static const struct entry core2[] = {ENTRY(NVTX_DOMAIN_MARK_EX, domain_mark_ex),
                                         ENTRY(NVTX_DOMAIN_START_EX, domain_start_ex),
                                         ENTRY(NVTX_DOMAIN_END, domain_end),
                                         ENTRY(NVTX_DOMAIN_PUSH_EX, domain_push_ex),
                                         ENTRY(NVTX_DOMAIN_POP, pop),
                                         ENTRY(NVTX_DOMAIN_STRING_A, string_a),
                                         ENTRY(NVTX_DOMAIN_STRING_W, string_w),
                                         ENTRY(NVTX_DOMAIN_CREATE_A, keep),
                                         ENTRY(NVTX_DOMAIN_CREATE_W, keep_wide)};
    const struct nvtx_callbacks *callbacks = get_table ? get_table(NVTX_TABLE_CALLBACKS) : NULL;

    if (!callbacks || callbacks->size < sizeof(*callbacks) || !callbacks->table)
        return 0;
    int rc = replace(callbacks, NVTX_MODULE_CORE, core, sizeof(core) / sizeof(core[0]));

    (void)replace(callbacks, NVTX_MODULE_CORE2, core2, sizeof(core2) / sizeof(core2[0]));
    return rc;
}
