/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Addresses become names at their first use. dl_iterate_phdr() and not dladdr(): the lock of the latter is held
 * while constructors run, and a constructor may wait for a team whose threads are here.
 */
#define _GNU_SOURCE
#include "code_name.h"

#include <inttypes.h>
#include <limits.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <wattle/region.h>

enum { NAME_BYTES = 255, SLOTS = 8192, PROBES = 64 };

static const char *const words[CODE_WHATS] = {
    "",         "loop",    "sections", "single",    "workshare", "distribute",
    "taskloop", "scope",   "barrier",  "taskwait",  "taskgroup", "lock",
    "critical", "ordered", "join",     "condition", "semaphore"};

/* Known addresses. A key is set once; its id may follow later, and whoever does not see it yet finds the same. */
static struct {
    uint64_t key; /* address << 8 | what; 0 = free */
    uint32_t id;
} known[SLOTS];

/* The loaded file that contains an address. */
struct module {
    uintptr_t address;
    uintptr_t offset;
    uint64_t id;
    char path[PATH_MAX];
    bool found;
};

static uint64_t hash_bytes(uint64_t hash, const void *data, size_t size)
{
    const unsigned char *bytes = data;

    for (size_t i = 0; i < size; i++)
        hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
    return hash;
}

static bool contains(const struct dl_phdr_info *info, uintptr_t address, size_t size)
{
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        uintptr_t begin = info->dlpi_addr + part->p_vaddr;

        if (part->p_type == PT_LOAD && address >= begin && address - begin < part->p_memsz &&
            size <= part->p_memsz - (address - begin))
            return true;
    }
    return false;
}

static uint64_t module_id(const struct dl_phdr_info *info)
{
    uint64_t hash = hash_bytes(UINT64_C(0xcbf29ce484222325), info->dlpi_phdr,
                               info->dlpi_phnum * sizeof(ElfW(Phdr)));

    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        uintptr_t begin = info->dlpi_addr + part->p_vaddr;

        if (part->p_type == PT_NOTE && part->p_filesz <= part->p_memsz &&
            contains(info, begin, part->p_filesz))
            hash = hash_bytes(hash, (const void *)begin,
                              part->p_filesz); /* NOLINT: a loaded segment */
    }
    return hash;
}

static int look_into(struct dl_phdr_info *info, size_t size, void *data)
{
    struct module *module = data;
    char resolved[PATH_MAX];

    (void)size;
    if (!contains(info, module->address, 1))
        return 0;
    module->found = true;
    module->offset = module->address - info->dlpi_addr;
    module->id = module_id(info);
    if (!info->dlpi_name || !info->dlpi_name[0]) {
        ssize_t length = readlink("/proc/self/exe", module->path, sizeof(module->path) - 1);

        module->path[length > 0 ? length : 0] = '\0';
    } else {
        const char *path =
            info->dlpi_name[0] == '/' ? info->dlpi_name : realpath(info->dlpi_name, resolved);

        (void)snprintf(module->path, sizeof(module->path), "%s", path ? path : info->dlpi_name);
    }
    return 1;
}

static uint32_t find(enum code_what what, const void *address)
{
    struct module module = {.address = (uintptr_t)address};
    char name[NAME_BYTES + 1];

    if (address) {
        module.address--; /* in the call, not after it */
        (void)dl_iterate_phdr(look_into, &module);
    }
    if (!module.found)
        return wattle_region_id(what == CODE_PLAIN ? "(unknown code)" : words[what]);
    int head = snprintf(name, sizeof(name), "code:%s:%016" PRIx64 ":%" PRIxPTR ":", words[what],
                        module.id, module.offset);
    size_t room = sizeof(name) - (size_t)head, length = strlen(module.path);
    /* Of a path that is too long, the end. */
    (void)snprintf(name + head, room, "%s", module.path + (length < room ? 0 : length - room + 1));
    return wattle_region_id(name);
}

uint32_t code_name(enum code_what what, const void *address)
{
    uint64_t key = (uint64_t)(uintptr_t)address << 8 | (uint64_t)what << 1 | 1;
    size_t at = (size_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 51); /* 13 bits */

    for (unsigned probe = 0; probe < PROBES; probe++, at = (at + 1) % SLOTS) {
        uint64_t have = __atomic_load_n(&known[at].key, __ATOMIC_RELAXED);

        if (have == 0 && __atomic_compare_exchange_n(&known[at].key, &have, key, false,
                                                     __ATOMIC_RELAXED, __ATOMIC_RELAXED))
            have = key;
        if (have != key)
            continue;
        uint32_t id = __atomic_load_n(&known[at].id, __ATOMIC_RELAXED);

        if (__builtin_expect(id == 0, 0)) {
            id = find(what, address);
            __atomic_store_n(&known[at].id, id, __ATOMIC_RELAXED);
        }
        return id;
    }
    return find(what, address);
}

struct range {
    uintptr_t address, begin, end;
};

static int find_range(struct dl_phdr_info *info, size_t size, void *data)
{
    struct range *range = data;

    (void)size;
    if (!contains(info, range->address, 1))
        return 0;
    range->begin = UINTPTR_MAX;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        uintptr_t begin = info->dlpi_addr + part->p_vaddr, end = begin + part->p_memsz;

        if (part->p_type != PT_LOAD)
            continue;
        range->begin = begin < range->begin ? begin : range->begin;
        range->end = end > range->end ? end : range->end;
    }
    return 1;
}

void code_range(uintptr_t address, uintptr_t *ret_begin, uintptr_t *ret_end)
{
    struct range range = {.address = address};

    (void)dl_iterate_phdr(find_range, &range);
    *ret_begin = range.begin;
    *ret_end = range.end;
}

struct place {
    uintptr_t address;
    const char *const *names;
    bool found;
};

static int is_of(struct dl_phdr_info *info, size_t size, void *data)
{
    struct place *place = data;

    (void)size;
    if (!contains(info, place->address, 1))
        return 0;
    const char *slash = info->dlpi_name ? strrchr(info->dlpi_name, '/') : NULL;

    for (const char *const *name = place->names; slash && *name && !place->found; name++)
        place->found = strncmp(slash + 1, *name, strlen(*name)) == 0;
    return 1;
}

int code_is_of(const void *address, const char *const *names)
{
    struct place place = {.address = (uintptr_t)address, .names = names};

    (void)dl_iterate_phdr(is_of, &place);
    return place.found;
}

struct library {
    const char *name;
    bool found;
};

static int is_library(struct dl_phdr_info *info, size_t size, void *data)
{
    struct library *library = data;
    const char *slash = info->dlpi_name ? strrchr(info->dlpi_name, '/') : NULL;

    (void)size;
    library->found = slash && strncmp(slash + 1, library->name, strlen(library->name)) == 0;
    return library->found;
}

int code_has_library(const char *name)
{
    struct library library = {.name = name};

    (void)dl_iterate_phdr(is_library, &library);
    return library.found;
}
