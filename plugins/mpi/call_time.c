/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "call_time.h"

#include <wattle/region.h>
#include <wattle/task.h>

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "call_state.h"

/* Per thread. Initial-exec: one instruction to reach, and small enough for a library that is loaded
 * late. */
static __thread struct {
    struct call_counter *counter;
    uint32_t depth;
} mine __attribute__((tls_model("initial-exec")));

static atomic_bool counting;
static uint32_t region;       /* "MPI"; 0 = no regions */
static uint64_t report_ticks; /* between reports */
static _Atomic uint64_t due;  /* ticks at which the next one is due */
static _Atomic(struct call_counter *) newest;
static pthread_key_t key;
static bool keyed;

/* ---- time during which some thread is inside ---- */

/* The number of threads inside, and when the first of them entered, in one atomic word. 48 bits of
 * ticks are about a day. */
#define ONE_INSIDE ((uint64_t)1 << 48)
#define SINCE      (ONE_INSIDE - 1)
static _Atomic uint64_t inside, inside_ticks;

static void enter(uint64_t now)
{
    uint64_t was = atomic_load_explicit(&inside, memory_order_relaxed), is;

    do
        is = was < ONE_INSIDE ? ONE_INSIDE | (now & SINCE) : was + ONE_INSIDE;
    while (!atomic_compare_exchange_weak(&inside, &was, is));
}

static void leave(uint64_t now)
{
    uint64_t was = atomic_load_explicit(&inside, memory_order_relaxed), is;

    do
        is = was < 2 * ONE_INSIDE ? 0 : was - ONE_INSIDE;
    while (!atomic_compare_exchange_weak(&inside, &was, is));
    uint64_t ticks = (now - was) & SINCE;

    if (is == 0 && ticks <= SINCE / 2) /* differences between the processors' clocks must not become
                                        * a day */
        atomic_fetch_add_explicit(&inside_ticks, ticks, memory_order_relaxed);
}

/* ---- counters ---- */

/* The counter keeps its sum for reuse by another thread. A call from which the thread never
 * returned has no end. */
static void thread_gone(void *context)
{
    struct call_counter *counter = (struct call_counter *)context;

    if (counter->inside)
        leave(atomic_load(&inside));
    counter->inside = 0;
    __atomic_store_n(&counter->used, 0, __ATOMIC_RELEASE);
}

static struct call_counter *find_counter(void)
{
    struct call_counter *counter = atomic_load(&newest);
    uint32_t no = 0;

    for (; counter; counter = counter->older, no = 0)
        if (__atomic_compare_exchange_n(&counter->used, &no, 1, false, __ATOMIC_ACQ_REL,
                                        __ATOMIC_RELAXED))
            break;
    if (!counter) {
        counter = calloc(1, sizeof(*counter));
        if (!counter)
            return NULL;
        counter->used = 1;
        counter->older = atomic_load(&newest);
        while (!atomic_compare_exchange_weak(&newest, &counter->older, counter))
            ;
    }
    if (keyed)
        (void)pthread_setspecific(key, counter);
    return counter;
}

/* Parse "20us", "1.5ms", "0", "all", "off" to ns; UINT64_MAX = off. -1 if invalid. */
static int parse_least(const char *text, uint64_t *ret_ns)
{
    static const struct {
        const char *name;
        double ns;
    } units[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
    char *end;

    if (!strcasecmp(text, "off") || !strcasecmp(text, "no")) {
        *ret_ns = UINT64_MAX;
        return 0;
    }
    if (!strcasecmp(text, "all") || !strcmp(text, "0")) {
        *ret_ns = 0;
        return 0;
    }
    if (!strchr("0123456789.", text[0]))
        return -1;
    double value = strtod(text, &end);

    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
        if (strcmp(end, units[i].name) != 0)
            continue;
        double ns = value * units[i].ns;

        if (!(ns >= 0 && ns <= 50e6)) /* the range of wattle_stretch_least() */
            return -1;
        *ret_ns = (uint64_t)ns;
        return 0;
    }
    return -1;
}

int call_time_start(const char *text)
{
    uint64_t least_ns = 20000;
    int rc = text && text[0] ? parse_least(text, &least_ns) : 0;

    if (!keyed)
        keyed = pthread_key_create(&key, thread_gone) == 0;
    if (least_ns != UINT64_MAX) {
        wattle_stretch_least(least_ns);
        region = wattle_region_id("MPI");
    }
    /* Ticks in half a second, approximately. */
    uint64_t ns = wattle_stretch_ns(1000000);

    report_ticks = ns ? 500000000u / ns * 1000000u : 0;
    atomic_store(&due, 0);
    atomic_store(&counting, report_ticks > 0);
    return rc;
}

void call_time_report(void)
{
    uint64_t calls = 0;

    if (!atomic_load(&counting))
        return;
    for (struct call_counter *c = atomic_load(&newest); c; c = c->older)
        calls += __atomic_load_n(&c->calls, __ATOMIC_RELAXED);
    wattle_process_mpi(calls, wattle_stretch_ns(atomic_load(&inside_ticks)));
}

void call_time_stop(void)
{
    call_time_report();
    atomic_store(&counting, false);
}

static __attribute__((noinline, cold)) void report_if_due(uint64_t now)
{
    uint64_t then = atomic_load(&due);

    if (now >= then && atomic_compare_exchange_strong(&due, &then, now + report_ticks))
        call_time_report(); /* only one thread does it */
}

static bool has_room(struct call_counter *counter)
{
    if (__builtin_expect(!counter->room, 0))
        counter->room = calloc(1, sizeof(*counter->room)); /* stays with the counter */
    return counter->room != NULL;
}

void call_time_begin(struct timed_call *call)
{
    call->counter = NULL;
    call->inside = NULL;
    call->state = false;
    if (mine.depth++ > 0 || !atomic_load_explicit(&counting, memory_order_relaxed))
        return;
    if (!mine.counter)
        mine.counter = find_counter();
    call->counter = mine.counter;
    if (!call->counter)
        return;
    call->state = wattle_task_recording() == 1 && has_room(call->counter);
    wattle_stretch_begin(&call->stretch, call->state ? 0 : region);
    call->counter->inside = 1;
    enter(call->stretch.begin);
}

void call_time_end(struct timed_call *call)
{
    struct call_counter *counter = call->counter;

    if (call->inside) /* it did not return */
        call_state_abandon(call->inside);
    mine.depth--;
    if (!counter)
        return;
    uint64_t begin = call->stretch.begin, ticks = wattle_stretch_end(&call->stretch);

    /* Only this thread writes; a report reads. */
    __atomic_store_n(&counter->calls, counter->calls + 1, __ATOMIC_RELAXED);
    counter->inside = 0;
    leave(begin + ticks);
    if (__builtin_expect(begin + ticks >= atomic_load_explicit(&due, memory_order_relaxed), 0))
        report_if_due(begin + ticks);
}
