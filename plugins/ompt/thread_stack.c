/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A task that waits and lets the thread run another stays where it is, below the other one. It is paused only when
 * the thread returns to something below it, or takes up another task after the one above has ended: then it may
 * resume on any thread.
 */
#define _GNU_SOURCE
#include "thread_stack.h"

#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>

#include "task_order.h"
#include "task_times.h"

enum { DEEPEST = 4096, FIRST = 32, RECORDING_EACH = 1, RECORDING_SUMMARY = 2 };

static __thread struct thread_stack *mine __attribute__((tls_model("initial-exec")));
static unsigned forks;

static void after_fork(void)
{
    forks++; /* only one thread exists */
    task_order_start();
}

void thread_stack_start(void)
{
    task_order_start();
    (void)pthread_atfork(NULL, NULL, after_fork);
}

struct thread_stack *thread_stack(void)
{
    if (!wattle_task_recording())
        return NULL;
    if (__builtin_expect(!mine, 0)) {
        mine = calloc(1, sizeof(*mine));
        if (!mine)
            return NULL;
        mine->forks = forks;
    }
    if (__builtin_expect(mine->forks != forks, 0)) {
        /* The parent's thread is in them, not this process. */
        mine->depth = mine->over = 0;
        mine->forks = forks;
        task_order_free(mine->order);
        mine->order = NULL;
        task_times_free(mine->times);
        mine->times = NULL;
    }
    return mine;
}

/* ---- marks ---- */

static bool in_summary(void)
{
    return wattle_task_recording() == RECORDING_SUMMARY;
}

/* With the thread's counters, if a set is read. */
static void mark(uint32_t kind, uint32_t name, uint64_t value, uint32_t key, uint64_t detail)
{
    struct wattle_task_detail details[WATTLE_TASK_DETAILS_MAX];
    unsigned count = 0;

    if (key)
        details[count++] = (struct wattle_task_detail){WATTLE_TASK_DETAIL, key, detail};
    count += wattle_task_counters(details + count, WATTLE_TASK_DETAILS_MAX - count);
    if (count > 0)
        wattle_task_mark_with(kind, name, value, details, count);
    else
        wattle_task_mark(kind, name, value);
}

/* What the thread is in changes. true: marks are wanted. */
static bool changes(struct thread_stack *stack, bool task_done)
{
    const struct stack_entry *top = stack->depth > 0 ? &stack->entries[stack->depth - 1] : NULL;

    if (__builtin_expect(!in_summary(), 1))
        return true;
    bool works = top && (top->state == STACK_TASK || top->state == WATTLE_STATE_PARALLEL ||
                         top->state == WATTLE_STATE_WORK);

    task_times_add(&stack->times, works ? top->name : 0, task_done);
    return false;
}

static void push(struct thread_stack *stack, uint32_t state, uint32_t name, uint64_t word)
{
    if (stack->depth == stack->room) {
        uint32_t room = stack->room ? 2 * stack->room : FIRST;
        struct stack_entry *entries =
            room <= DEEPEST ? realloc(stack->entries, room * sizeof(*entries)) : NULL;

        if (!entries) {
            stack->over++;
            return;
        }
        stack->entries = entries;
        stack->room = room;
    }
    stack->entries[stack->depth++] = (struct stack_entry){word, state, name};
}

/* ---- states ---- */

/* At a barrier, and at the end of the region, no worksharing is open any more; that of a "single" of GCC, and of a
 * loop that was cancelled, has no end. */
void stack_close_work(struct thread_stack *stack)
{
    for (; stack_top_is(stack, WATTLE_STATE_WORK); stack->depth--) {
        const struct stack_entry *entry = &stack->entries[stack->depth - 1];

        if (changes(stack, false))
            mark(WATTLE_STATE_LEAVE + WATTLE_STATE_WORK, entry->name, task_number(entry->word),
                 WATTLE_TASK_KEY_CUT, 1);
    }
}

void stack_enter(struct thread_stack *stack,
                 uint32_t state,
                 uint32_t name,
                 uint64_t word,
                 uint64_t threads)
{
    uint32_t depth = stack->depth;
    bool marks = changes(stack, false);

    push(stack, state, name, word);
    if (marks && stack->depth > depth)
        mark(WATTLE_STATE_ENTER + state, name, task_number(word),
             threads ? WATTLE_TASK_KEY_THREADS : 0, threads);
}

void stack_leave(struct thread_stack *stack,
                 uint32_t state,
                 uint32_t name,
                 uint64_t word,
                 bool over)
{
    uint32_t at = stack->depth;

    if (stack->over > 0) {
        stack->over--;
        return;
    }
    if (state == WATTLE_STATE_PARALLEL) {
        stack_close_work(stack);
        at = stack->depth;
    }
    while (at > 0 && stack->entries[at - 1].state != state &&
           stack->entries[at - 1].state != WATTLE_STATE_PARALLEL)
        at--;
    bool found = at > 0 && stack->entries[at - 1].state == state;

    if (found) {
        name = stack->entries[at - 1].name;
        word = stack->entries[at - 1].word;
    }
    if (changes(stack, false))
        mark(WATTLE_STATE_LEAVE + state, name, task_number(word), over ? WATTLE_TASK_KEY_OVER : 0,
             over);
    if (found)
        stack->depth = at - 1;
}

/* ---- tasks ---- */

/* Where the innermost implicit task begins. */
static uint32_t base_of(const struct thread_stack *stack)
{
    uint32_t at = stack->depth;

    while (at > 0 && stack->entries[at - 1].state != WATTLE_STATE_PARALLEL)
        at--;
    return at;
}

uint64_t stack_region(const struct thread_stack *stack)
{
    uint32_t base = base_of(stack);

    return base > 0 ? stack->entries[base - 1].word : 0;
}

uint64_t stack_task(const struct thread_stack *stack)
{
    for (uint32_t at = stack->depth, base = base_of(stack); at > base; at--)
        if (stack->entries[at - 1].state == STACK_TASK)
            return stack->entries[at - 1].word;
    return 0;
}

/* The index of a task on the stack; its depth if it is not there. */
static uint32_t find_task(const struct thread_stack *stack, uint64_t word)
{
    for (uint32_t at = stack->depth, base = base_of(stack); at > base; at--)
        if (stack->entries[at - 1].state == STACK_TASK && stack->entries[at - 1].word == word)
            return at - 1;
    return stack->depth;
}

/* All tasks from this index on leave the thread, and the states in them. */
static void pause_from(struct thread_stack *stack, uint32_t from)
{
    for (uint32_t at = stack->depth; at > from; at--) {
        const struct stack_entry *entry = &stack->entries[at - 1];

        if (entry->state == STACK_TASK) {
            stack->depth = at;
            if (changes(stack, false))
                mark(WATTLE_TASK_PAUSE, entry->name, task_number(entry->word), 0, 0);
            stack->depth = at - 1;
        }
    }
}

/* The first task above an index. */
static uint32_t first_task(const struct thread_stack *stack, uint32_t from)
{
    while (from < stack->depth && stack->entries[from].state != STACK_TASK)
        from++;
    return from;
}

void stack_done(struct thread_stack *stack, uint64_t word)
{
    uint32_t at = find_task(stack, word);

    bool found = at < stack->depth;

    if (found) {
        pause_from(stack, first_task(stack, at + 1));
        stack->depth = at + 1;
    } else if (stack->over > 0) {
        stack->over--; /* it began beyond the limit; its end is recorded */
    }
    task_order_done(word);
    if (changes(stack, found)) /* one that was cancelled never ran */
        mark(WATTLE_TASK_DONE, task_name(word), task_number(word), 0, 0);
    if (found)
        stack->depth = at;
}

void stack_turn_to(struct thread_stack *stack, uint64_t word, bool after_done)
{
    if (word == 0) {
        pause_from(stack, first_task(stack, base_of(stack)));
        return;
    }
    uint32_t at = find_task(stack, word);

    if (at < stack->depth) {
        pause_from(stack, first_task(stack, at + 1));
        return;
    }
    if (after_done) /* who runs something else after a task had not waited for it */
        for (uint64_t top; (top = stack_task(stack)) != 0;)
            pause_from(stack, find_task(stack, top));
    bool marks = changes(stack, false);

    push(stack, STACK_TASK, task_name(word), word);
    if (marks)
        mark(WATTLE_TASK_RUN, task_name(word), task_number(word), 0, 0);
}

/* ---- the end ---- */

void thread_stack_close(void)
{
    struct thread_stack *stack = mine;

    if (!stack)
        return;
    mine = NULL;
    if (stack->forks == forks && wattle_task_recording()) {
        for (; stack->depth > 0; stack->depth--) {
            const struct stack_entry *entry = &stack->entries[stack->depth - 1];
            bool task = entry->state == STACK_TASK;
            bool idle =
                entry->state == WATTLE_STATE_IDLE; /* until the thread ends: as it should be */

            if (changes(stack, false))
                mark(task ? WATTLE_TASK_PAUSE : WATTLE_STATE_LEAVE + entry->state, entry->name,
                     task_number(entry->word), idle ? 0 : WATTLE_TASK_KEY_CUT, !idle);
        }
        task_times_end(stack->times);
    }
    task_times_free(stack->times);
    task_order_free(stack->order);
    free(stack->entries);
    free(stack);
}
