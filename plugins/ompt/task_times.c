/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "task_times.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <wattle/task.h>

enum { SLOTS = 256, FULL = 192, BIN_NS = 10000000 };

struct task_times {
    uint64_t bin_ns;   /* begin of the bin */
    uint64_t since_ns; /* of the last change */
    unsigned used;
    struct {
        uint32_t name; /* 0 = free */
        uint32_t done;
        uint64_t ns;
    } types[SLOTS];
};

static uint64_t now_ns(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now); /* cannot fail */
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* ago: how long before now the bin ended. */
static void sum(uint32_t name, uint64_t ns, uint64_t length, uint64_t done, uint64_t ago)
{
    const struct wattle_task_detail details[] = {
        {WATTLE_TASK_DETAIL, WATTLE_TASK_KEY_BIN_NS, length},
        {WATTLE_TASK_DETAIL, WATTLE_TASK_KEY_COUNT, done},
        {WATTLE_TASK_DETAIL, WATTLE_TASK_KEY_AGO_NS, ago},
    };

    wattle_task_mark_with(WATTLE_TASK_SUM, name, ns, details, ago > 0 ? 3 : 2);
}

static void end_bin(struct task_times *times, uint64_t end, uint64_t now)
{
    uint64_t length = end - times->bin_ns, busy = 0;

    for (unsigned i = 0; i < SLOTS && length > 0; i++) {
        if (times->types[i].name == 0)
            continue;
        busy += times->types[i].ns;
        sum(times->types[i].name, times->types[i].ns, length, times->types[i].done, now - end);
    }
    if (length > busy)
        sum(0, length - busy, length, 0, now - end);
    memset(times->types, 0, sizeof(times->types));
    times->used = 0;
    times->bin_ns = end;
}

/* What was long has a bin of its own: in one with it, what came before could be anywhere in that time. */
static void split(struct task_times *times, uint64_t now)
{
    if (now - times->since_ns >= BIN_NS && times->since_ns > times->bin_ns)
        end_bin(times, times->since_ns, now);
}

void task_times_add(struct task_times **times, uint32_t name, bool done)
{
    uint64_t now = now_ns();
    struct task_times *t = *times;

    if (!t) {
        t = *times = calloc(1, sizeof(*t));
        if (!t)
            return;
        t->bin_ns = t->since_ns = now;
    }
    split(t, now);
    if (name) {
        unsigned at = name % SLOTS;

        while (t->types[at].name != 0 && t->types[at].name != name)
            at = (at + 1) % SLOTS;
        t->used += t->types[at].name == 0;
        t->types[at].name = name;
        t->types[at].ns += now - t->since_ns;
        t->types[at].done += done;
    }
    t->since_ns = now;
    if (now - t->bin_ns >= BIN_NS || t->used >= FULL)
        end_bin(t, now, now);
}

void task_times_end(struct task_times *times)
{
    uint64_t now = now_ns();

    if (!times)
        return;
    split(times, now);
    end_bin(times, now, now);
}

void task_times_free(struct task_times *times)
{
    free(times);
}
