/* SPDX-License-Identifier: BSD-3-Clause */
#include "events.h"

#include <errno.h>

#include <wattle/region.h>
#include <wattle/task.h>

#include "../ompt/code_name.h"
#include "value_name.h"

enum { TYPES_OPEN = 16, FUNCTIONS_OPEN = 64 };

/* What this thread has open. Initial-exec: one instruction to reach. */
static __thread struct {
    struct {
        uint32_t type, id;
    } open[TYPES_OPEN]; /* id 0 = free */
    uint32_t count;     /* places in use, from the front */
    uint32_t depth;     /* of functions; those beyond FUNCTIONS_OPEN are only counted */
    struct {
        uint32_t id;
        bool state; /* was recorded as a state, too */
    } functions[FUNCTIONS_OPEN];
} mine __attribute__((tls_model("initial-exec")));

static bool off;

void events_on(bool on)
{
    __atomic_store_n(&off, !on, __ATOMIC_RELAXED);
}

static bool is_on(void)
{
    return !__atomic_load_n(&off, __ATOMIC_RELAXED);
}

/* The place is taken before the call, and freed before it: a handler that adds an event of the same type never ends a
 * region twice. */
static void end_region(uint32_t type)
{
    for (uint32_t i = 0; i < mine.count; i++) {
        if (mine.open[i].type != type || mine.open[i].id == 0)
            continue;
        uint32_t id = mine.open[i].id;

        mine.open[i].id = 0;
        while (mine.count > 0 && mine.open[mine.count - 1].id == 0)
            mine.count--;
        wattle_region_end(id);
        return;
    }
}

static void begin_region(uint32_t type, uint64_t value)
{
    uint32_t at = 0, id;

    while (at < mine.count && mine.open[at].id != 0)
        at++;
    if (at == TYPES_OPEN || (id = value_name(type, value)) == 0)
        return; /* more types at once than anybody has: only the event */
    mine.open[at].type = type;
    mine.open[at].id = id;
    if (at == mine.count)
        mine.count++;
    wattle_region_begin(id);
}

void events_add(uint32_t type, uint64_t value)
{
    bool on = is_on();

    if (!wattle_recording())
        return;
    if (on)
        wattle_event(type, value);
    end_region(type);
    if (on && value != 0) {
        int saved = errno;

        begin_region(type, value);
        errno = saved;
    }
}

void events_counters(void)
{
    struct wattle_task_detail counters[WATTLE_TASK_DETAILS_MAX];

    if (!is_on())
        return;
    unsigned count = wattle_task_counters(counters, WATTLE_TASK_DETAILS_MAX);

    if (count > 0)
        wattle_task_mark_with(counters[0].kind, counters[0].name, counters[0].value, counters + 1,
                              count - 1);
}

static void enter(const void *address)
{
    uint32_t at = mine.depth++;

    if (at >= FUNCTIONS_OPEN)
        return;
    mine.functions[at].id = is_on() && wattle_recording() ? code_name(CODE_PLAIN, address) : 0;
    mine.functions[at].state = mine.functions[at].id != 0 && wattle_task_recording() == 1;
    if (mine.functions[at].state)
        wattle_task_mark(WATTLE_STATE_ENTER + WATTLE_STATE_FUNCTION, mine.functions[at].id, 0);
    if (mine.functions[at].id != 0)
        wattle_region_begin(mine.functions[at].id);
}

static void leave(void)
{
    if (mine.depth == 0)
        return; /* it was entered before anything was recorded, or never */
    uint32_t at = --mine.depth;

    if (at >= FUNCTIONS_OPEN || mine.functions[at].id == 0)
        return;
    wattle_region_end(mine.functions[at].id);
    if (mine.functions[at].state)
        wattle_task_mark(WATTLE_STATE_LEAVE + WATTLE_STATE_FUNCTION, mine.functions[at].id, 0);
}

void events_function(bool is_enter, const void *address)
{
    int saved = errno;

    if (is_enter)
        enter(address);
    else
        leave();
    errno = saved;
}
