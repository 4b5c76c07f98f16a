/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * For each variable of a parent, two generations of tasks: those that may run together now (readers, a mutexinoutset,
 * an inoutset; or one writer), and those before, for which each of the present ones waits.
 */
#include "task_order.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <wattle/task.h>

#include "ompt_abi.h"
#include "thread_stack.h"

enum { FIRST_SLOTS = 64, SLOTS_MAX = 1 << 20, MEMBERS_MAX = 1 << 16, BUCKETS = 256 };

struct generation {
    uint64_t *tasks; /* numbers */
    uint32_t count, room;
};

struct variable {
    uint64_t key; /* of the parent and the address; 0 = free */
    int type;     /* of the present generation */
    struct generation now, before;
};

struct task_order {
    struct variable *variables; /* open addressing */
    size_t slots, used;
};

/* Explicit tasks with children that depend on each other. Only the thread that runs a parent uses its order; the lock
 * is for the list. */
struct parent {
    struct parent *next;
    uint64_t word;
    struct task_order *order;
};

static struct {
    pthread_mutex_t lock;
    struct parent *first;
} buckets[BUCKETS];
static uint64_t parents; /* in all of them: most tasks have no such children */

static uint64_t lost;

uint64_t task_order_lost(void)
{
    return __atomic_load_n(&lost, __ATOMIC_RELAXED);
}

static void lose(uint64_t count)
{
    (void)__atomic_fetch_add(&lost, count, __ATOMIC_RELAXED);
}

static uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 33) * UINT64_C(0xff51afd7ed558ccd);
    x = (x ^ x >> 33) * UINT64_C(0xc4ceb9fe1a85ec53);
    return x ^ x >> 33;
}

static struct variable *slot_of(struct variable *variables, size_t slots, uint64_t key)
{
    size_t at = (size_t)key & (slots - 1);

    while (variables[at].key != 0 && variables[at].key != key)
        at = (at + 1) & (slots - 1);
    return &variables[at];
}

static bool grow(struct task_order *order)
{
    size_t slots = order->slots ? 2 * order->slots : FIRST_SLOTS;
    struct variable *variables = slots <= SLOTS_MAX ? calloc(slots, sizeof(*variables)) : NULL;

    if (!variables)
        return false;
    for (size_t i = 0; i < order->slots; i++)
        if (order->variables[i].key != 0)
            *slot_of(variables, slots, order->variables[i].key) = order->variables[i];
    free(order->variables);
    order->variables = variables;
    order->slots = slots;
    return true;
}

static struct variable *find(struct task_order *order, uint64_t parent, uint64_t address)
{
    uint64_t key = mix(mix(parent) + address) | 1;

    if (2 * order->used >= order->slots && !grow(order)) {
        task_order_forget(order);
        lose(1);
        if (order->slots == 0)
            return NULL;
    }
    struct variable *variable = slot_of(order->variables, order->slots, key);

    if (variable->key == 0) {
        variable->key = key;
        order->used++;
    }
    return variable;
}

static void join(struct generation *generation, uint64_t task)
{
    if (generation->count == generation->room) {
        uint32_t room = generation->room ? 2 * generation->room : 4;
        uint64_t *tasks =
            room <= MEMBERS_MAX ? realloc(generation->tasks, room * sizeof(*tasks)) : NULL;

        if (!tasks) {
            lose(1);
            return;
        }
        generation->tasks = tasks;
        generation->room = room;
    }
    generation->tasks[generation->count++] = task;
}

static void wait_for(const struct generation *before, uint64_t word)
{
    struct wattle_task_detail details[WATTLE_TASK_DETAILS_MAX];

    for (uint32_t i = 0; i < before->count;) {
        unsigned n = 0;

        for (; n < WATTLE_TASK_DETAILS_MAX && i < before->count; i++)
            if (before->tasks[i] != task_number(word))
                details[n++] = (struct wattle_task_detail){WATTLE_TASK_DETAIL, WATTLE_TASK_KEY_TASK,
                                                           before->tasks[i]};
        if (n > 0)
            wattle_task_mark_with(WATTLE_TASK_AFTER, task_name(word), task_number(word), details,
                                  n);
    }
}

/* May tasks whose clauses are alike run in any order? */
static bool together(int type)
{
    return type == OMPT_DEPENDENCE_IN || type == OMPT_DEPENDENCE_MUTEXINOUTSET ||
           type == OMPT_DEPENDENCE_INOUTSET;
}

static struct parent **place_of(struct parent **at, uint64_t word)
{
    while (*at && (*at)->word != word)
        at = &(*at)->next;
    return at;
}

struct task_order **task_order_of(uint64_t word)
{
    size_t bucket = mix(word) % BUCKETS;

    (void)pthread_mutex_lock(&buckets[bucket].lock);
    struct parent *parent = *place_of(&buckets[bucket].first, word);

    if (!parent && (parent = calloc(1, sizeof(*parent)))) {
        *parent = (struct parent){.next = buckets[bucket].first, .word = word};
        buckets[bucket].first = parent;
        (void)__atomic_fetch_add(&parents, 1, __ATOMIC_RELAXED);
    }
    (void)pthread_mutex_unlock(&buckets[bucket].lock);
    return parent ? &parent->order : NULL;
}

void task_order_done(uint64_t word)
{
    size_t bucket = mix(word) % BUCKETS;

    if (__atomic_load_n(&parents, __ATOMIC_RELAXED) == 0)
        return;
    (void)pthread_mutex_lock(&buckets[bucket].lock);
    struct parent **at = place_of(&buckets[bucket].first, word), *parent = *at;

    if (parent) {
        *at = parent->next;
        (void)__atomic_fetch_sub(&parents, 1, __ATOMIC_RELAXED);
    }
    (void)pthread_mutex_unlock(&buckets[bucket].lock);
    if (parent)
        task_order_free(parent->order);
    free(parent);
}

void task_order_start(void)
{
    static const pthread_mutex_t fresh = PTHREAD_MUTEX_INITIALIZER;

    for (size_t i = 0; i < BUCKETS; i++)
        buckets[i].lock = fresh;
}

void task_order_add(struct task_order **order,
                    uint64_t parent,
                    uint64_t word,
                    const struct ompt_dependence *dependences,
                    int count)
{
    if (!*order && !(*order = calloc(1, sizeof(**order))))
        return;
    for (int i = 0; i < count; i++) {
        int type = dependences[i].type;

        if (type == OMPT_DEPENDENCE_SOURCE || type == OMPT_DEPENDENCE_SINK)
            continue;
        struct variable *variable = find(*order, parent, dependences[i].variable.value);

        if (!variable)
            continue;
        if (variable->type != type || !together(type)) {
            struct generation oldest = variable->before;

            variable->before = variable->now;
            variable->now = oldest;
            variable->now.count = 0;
            variable->type = type;
        }
        wait_for(&variable->before, word);
        join(&variable->now, task_number(word));
    }
}

void task_order_forget(struct task_order *order)
{
    if (!order || order->used == 0)
        return;
    for (size_t i = 0; i < order->slots; i++) {
        free(order->variables[i].now.tasks);
        free(order->variables[i].before.tasks);
    }
    memset(order->variables, 0, order->slots * sizeof(*order->variables));
    order->used = 0;
}

void task_order_free(struct task_order *order)
{
    if (!order)
        return;
    task_order_forget(order);
    free(order->variables);
    free(order);
}
