/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which tasks a task must wait for, from its depend clauses. The runtime reports only those predecessors that are not
 * complete yet, which depends on timing; this is the whole graph. Dependences hold between children of one task. An
 * implicit task stays on its thread, which keeps the order of its children; that of an explicit one, which may be untied and
 * move, is found by the task.
 */
#ifndef TASK_ORDER_H
#define TASK_ORDER_H

#include <stdint.h>

struct task_order;

/* A task and what its clauses say; parent: anything that identifies its parent on this thread. Writes the marks.
 * *order is created at the first call. */
struct ompt_dependence;
void task_order_add(struct task_order **order,
                    uint64_t parent,
                    uint64_t word,
                    const struct ompt_dependence *dependences,
                    int count);

/* The order of the children of an explicit task; for the thread that runs it. NULL: no memory. */
struct task_order **task_order_of(uint64_t word);
/* The task is complete, and creates no more. */
void task_order_done(uint64_t word);
/* Call first, and in a child of fork: a thread that is not there may hold locks. */
void task_order_start(void);

/* The parallel region is over: forget all. */
void task_order_forget(struct task_order *order);
void task_order_free(struct task_order *order);

/* Predecessors left out so far in this process: a variable with more readers at once than are kept, or no memory. */
uint64_t task_order_lost(void);

#endif
