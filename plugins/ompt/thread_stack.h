/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a thread of the program is in: a stack of states and tasks, and the marks that its changes leave. Ends that
 * the runtime never reports are known from it. In the summary (WATTLE_TASKS=summary) changes add to the times of the
 * current bin instead.
 *
 * Used by the thread itself only; not in signal handlers.
 */
#ifndef THREAD_STACK_H
#define THREAD_STACK_H

#include <stdbool.h>
#include <stdint.h>

#include <wattle/task.h>

/* A task: its number and the id of its type, in the one word that the runtime keeps for it; 0 = not one of ours. */
static inline uint64_t task_word(uint64_t number, uint32_t name)
{
    return number << 16 | (name & 0xffff);
}
static inline uint64_t task_number(uint64_t word)
{
    return word >> 16;
}
static inline uint32_t task_name(uint64_t word)
{
    return (uint32_t)(word & 0xffff);
}

struct stack_entry {
    uint64_t word;  /* of the task, or of the parallel region */
    uint32_t state; /* enum wattle_state, or STACK_TASK */
    uint32_t name;
};

#define STACK_TASK 0xffu

struct task_times; /* task_times.h */
struct task_order; /* task_order.h */

struct thread_stack {
    struct stack_entry *entries;
    uint32_t depth, room;
    uint32_t over;            /* entries beyond the limit, not recorded */
    unsigned forks;           /* of the process, when it was last used */
    struct task_times *times; /* summary; NULL = not used yet */
    struct task_order *order; /* dependences; NULL = none yet */
};

/* The calling thread's; NULL: nothing is recorded (or no memory). */
struct thread_stack *thread_stack(void);

/* The thread ends, or recording does: close what is open, marked as cut. */
void thread_stack_close(void);

/* Call once. */
void thread_stack_start(void);

/* A state. Leaving one that is not on the stack leaves the mark nevertheless. threads: of the team, or 0; over: the
 * parallel region is, for all its threads. */
void stack_enter(struct thread_stack *stack,
                 uint32_t state,
                 uint32_t name,
                 uint64_t word,
                 uint64_t threads);
void stack_leave(struct thread_stack *stack,
                 uint32_t state,
                 uint32_t name,
                 uint64_t word,
                 bool over);

/* A barrier begins: worksharing whose end is missing is over. */
void stack_close_work(struct thread_stack *stack);

/* Is it in this state, with nothing above? */
static inline bool stack_top_is(const struct thread_stack *stack, uint32_t state)
{
    return stack->depth > 0 && stack->entries[stack->depth - 1].state == state;
}

/* The parallel region of the innermost implicit task, and the innermost task in it; 0 = none. */
uint64_t stack_region(const struct thread_stack *stack);
uint64_t stack_task(const struct thread_stack *stack);

/* The thread turns from one task to another, as OMPT reports it: 0 = the implicit task. */
void stack_done(struct thread_stack *stack, uint64_t word);
void stack_turn_to(struct thread_stack *stack, uint64_t word, bool after_done);

#endif
