/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "value_name.h"

#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <wattle/region.h>

enum { SLOTS = 16384, FULL = SLOTS / 4 * 3, NAME_BYTES = 256 };
enum what { FREE = 0, TYPE, VALUE, OTHERS };

/* Never removed. `what` is stored last; id and text may change later. */
static struct slot {
    uint32_t what, type, id;
    uint64_t value;
    char *text; /* of a type */
} slots[SLOTS];

static size_t used;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* A handler that interrupts the holder must not wait for it. */
static void hold(sigset_t *before)
{
    sigset_t all;

    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_BLOCK, &all, before);
    (void)pthread_mutex_lock(&lock);
}

static void release(const sigset_t *before)
{
    (void)pthread_mutex_unlock(&lock);
    (void)pthread_sigmask(SIG_SETMASK, before, NULL);
}

static void fork_begin(void)
{
    (void)pthread_mutex_lock(&lock);
}

static void fork_end(void)
{
    (void)pthread_mutex_unlock(&lock);
}

static __attribute__((constructor)) void begin(void)
{
    (void)pthread_atfork(fork_begin, fork_end, fork_end);
}

/* The slot of it; else *ret_free, the free one where it belongs. Without the lock that one may be taken by something else at any
 * time. */
static struct slot *find(enum what what, uint32_t type, uint64_t value, struct slot **ret_free)
{
    uint64_t hash = (value * UINT64_C(0x9e3779b97f4a7c15)) ^
                    (((uint64_t)type << 2 | what) * UINT64_C(0xc2b2ae3d27d4eb4f));
    size_t at = (size_t)(hash >> 50) % SLOTS;

    *ret_free = NULL;
    for (size_t i = 0; i < SLOTS; i++, at = (at + 1) % SLOTS) {
        struct slot *slot = &slots[at];
        uint32_t is = __atomic_load_n(&slot->what, __ATOMIC_ACQUIRE);

        if (is == FREE) {
            *ret_free = slot;
            return NULL;
        }
        if (is == what && slot->type == type && slot->value == value)
            return slot;
    }
    return NULL;
}

/* With the lock held. */
static struct slot *add(enum what what, uint32_t type, uint64_t value, uint32_t id, char *text)
{
    struct slot *fresh, *slot = find(what, type, value, &fresh);

    if (!slot && (!fresh || used >= FULL))
        return NULL;
    slot = slot ? slot : fresh;
    __atomic_store_n(&slot->id, id, __ATOMIC_RELAXED);
    if (text || slot == fresh)
        __atomic_store_n(&slot->text, text, __ATOMIC_RELEASE);
    if (slot == fresh) {
        slot->type = type;
        slot->value = value;
        used++;
        __atomic_store_n(&slot->what, what, __ATOMIC_RELEASE);
    }
    return slot;
}

/* With the lock held. "Work: init"; "Work: 3"; "1000: init"; "1000:3"; "1000:..." */
static uint32_t make_id(uint32_t type, uint64_t value, bool others, const char *text)
{
    struct slot *unused;
    const struct slot *of = find(TYPE, type, 0, &unused);
    const char *description = of ? of->text : NULL;
    char name[NAME_BYTES], number[24];
    uint32_t id = 0;

    (void)snprintf(number, sizeof(number), "%" PRIu64, value);
    if (others)
        (void)snprintf(number, sizeof(number), "...");
    if (description || text) {
        char plain[16];

        (void)snprintf(plain, sizeof(plain), "%" PRIu32, type);
        (void)snprintf(name, sizeof(name), "%.120s: %.120s", description ? description : plain,
                       text ? text : number);
        id = wattle_region_id(name); /* 0: not UTF-8 */
    }
    if (id == 0) {
        (void)snprintf(name, sizeof(name), "%" PRIu32 ":%s", type, number);
        id = wattle_region_id(name);
    }
    return id;
}

static __attribute__((noinline, cold)) uint32_t first_use(enum what what,
                                                          uint32_t type,
                                                          uint64_t value)
{
    sigset_t before;
    struct slot *fresh;

    hold(&before);
    const struct slot *slot = find(what, type, value, &fresh);

    if (fresh) /* else another thread was first */
        slot = add(what, type, value, make_id(type, value, what == OTHERS, NULL), NULL);
    uint32_t id = slot ? slot->id : 0;

    release(&before);
    return id;
}

uint32_t value_name(uint32_t type, uint64_t value)
{
    struct slot *unused;
    const struct slot *slot = find(VALUE, type, value, &unused);
    enum what what = value > VALUE_NAMED_MOST ? OTHERS : VALUE;

    if (!slot && what == OTHERS)
        slot = find(OTHERS, type, 0, &unused);
    if (__builtin_expect(slot != NULL, 1))
        return __atomic_load_n(&slot->id, __ATOMIC_RELAXED);
    return first_use(what, type, what == OTHERS ? 0 : value);
}

void value_name_define_type(uint32_t type, const char *description)
{
    sigset_t before;

    if (!description || !description[0])
        return;
    hold(&before);
    struct slot *unused;
    const struct slot *slot = find(TYPE, type, 0, &unused);

    /* The old text stays: a reader may have it. Once for each change of a definition. */
    if (!slot || !slot->text || strcmp(slot->text, description) != 0) {
        char *copy = strdup(description);

        if (copy && !add(TYPE, type, 0, 0, copy))
            free(copy);
    }
    release(&before);
}

void value_name_define(uint32_t type, uint64_t value, const char *text)
{
    sigset_t before;

    if (value == 0)
        return; /* it ends the others */
    hold(&before);
    (void)add(VALUE, type, value, make_id(type, value, false, text && text[0] ? text : NULL), NULL);
    release(&before);
}
