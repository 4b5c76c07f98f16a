/* SPDX-License-Identifier: BSD-3-Clause */
/* Maps Kokkos Tools callbacks to wattle regions: see kokkos_tool.h. */
#define _GNU_SOURCE
#include "kokkos_tool.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <wattle/region.h>

enum { NAME_BYTES = 255, DIGITS = 17, DEEPEST = 64 };

/* Regions that are open on a thread and end without their name. */
struct open_regions {
    uint32_t depth; /* may exceed the capacity */
    uint32_t ids[DEEPEST];
};

static __thread struct open_regions pushed;
static __thread struct open_regions copies;

/* FNV-1a, 64 bits. */
static uint64_t hash_of(const char *text)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);

    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    return hash;
}

/* The id of a name; one that is too long becomes its beginning plus "~" and its hash. */
static uint32_t id_of(const char *name)
{
    char shorter[NAME_BYTES + 1];

    if (!name || !name[0])
        return wattle_region_id("(unnamed)");
    if (strnlen(name, NAME_BYTES + 1) <= NAME_BYTES)
        return wattle_region_id(name);
    (void)snprintf(shorter, sizeof shorter, "%.*s~%016" PRIx64, NAME_BYTES - DIGITS, name,
                   hash_of(name));
    return wattle_region_id(shorter);
}

static void push(struct open_regions *open, uint32_t id)
{
    if (open->depth < DEEPEST) {
        open->ids[open->depth] = id;
        wattle_region_begin(id);
    }
    open->depth++;
}

static void pop(struct open_regions *open)
{
    if (open->depth == 0)
        return; /* more ends than begins */
    open->depth--;
    if (open->depth < DEEPEST)
        wattle_region_end(open->ids[open->depth]);
}

static void begin(const char *name, uint64_t *ret_handle)
{
    uint32_t id = id_of(name);

    if (ret_handle)
        *ret_handle = id;
    wattle_region_begin(id);
}

/* Unknown handles are ignored. */
static void end(uint64_t handle)
{
    if (handle <= UINT32_MAX)
        wattle_region_end((uint32_t)handle);
}

void kokkosp_init_library(int load_sequence,
                          uint64_t interface_version,
                          uint32_t device_count,
                          void *devices)
{
    (void)load_sequence;
    (void)interface_version;
    (void)device_count;
    (void)devices;
}

void kokkosp_finalize_library(void)
{
}

void kokkosp_request_tool_settings(uint32_t count, struct kokkos_tool_settings *settings)
{
    const char *fences = secure_getenv("WATTLE_KOKKOS_FENCES");

    if (count > 0 && settings)
        settings->requires_global_fencing = !(fences && strcmp(fences, "no") == 0);
}

void kokkosp_begin_parallel_for(const char *name, uint32_t device, uint64_t *ret_handle)
{
    (void)device;
    begin(name, ret_handle);
}

void kokkosp_end_parallel_for(uint64_t handle)
{
    end(handle);
}

void kokkosp_begin_parallel_reduce(const char *name, uint32_t device, uint64_t *ret_handle)
{
    (void)device;
    begin(name, ret_handle);
}

void kokkosp_end_parallel_reduce(uint64_t handle)
{
    end(handle);
}

void kokkosp_begin_parallel_scan(const char *name, uint32_t device, uint64_t *ret_handle)
{
    (void)device;
    begin(name, ret_handle);
}

void kokkosp_end_parallel_scan(uint64_t handle)
{
    end(handle);
}

void kokkosp_begin_fence(const char *name, uint32_t device, uint64_t *ret_handle)
{
    (void)device;
    begin(name, ret_handle);
}

void kokkosp_end_fence(uint64_t handle)
{
    end(handle);
}

void kokkosp_push_profile_region(const char *name)
{
    push(&pushed, id_of(name));
}

void kokkosp_pop_profile_region(void)
{
    pop(&pushed);
}

void kokkosp_create_profile_section(const char *name, uint32_t *ret_section)
{
    if (ret_section)
        *ret_section = id_of(name);
}

void kokkosp_start_profile_section(uint32_t section)
{
    wattle_region_begin(section);
}

void kokkosp_stop_profile_section(uint32_t section)
{
    wattle_region_end(section);
}

void kokkosp_destroy_profile_section(uint32_t section)
{
    (void)section; /* names are never released */
}

void kokkosp_profile_event(const char *name)
{
    uint32_t id = id_of(name);

    wattle_region_begin(id);
    wattle_region_end(id);
}

void kokkosp_begin_deep_copy(struct kokkos_space destination,
                             const char *destination_name,
                             const void *destination_pointer,
                             struct kokkos_space source,
                             const char *source_name,
                             const void *source_pointer,
                             uint64_t bytes)
{
    char name[2 * sizeof destination.name + 32];

    (void)destination_name;
    (void)destination_pointer;
    (void)source_name;
    (void)source_pointer;
    (void)bytes;
    (void)snprintf(name, sizeof name, "deep_copy %.64s <- %.64s", destination.name, source.name);
    push(&copies, id_of(name));
}

void kokkosp_end_deep_copy(void)
{
    pop(&copies);
}
