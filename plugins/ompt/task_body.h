/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which task is created: the function that the compiler made of its body. Where this library is preloaded, the calls that create
 * tasks pass through here: GOMP_task and GOMP_taskloop of GCC, __kmpc_omp_task and others of clang. What OMPT gives, where such a
 * call returns to, does not say it: GCC gives the calls the line of the construct around them, and clang with -O1 and
 * above makes one call of those of several constructs.
 */
#ifndef TASK_BODY_H
#define TASK_BODY_H

/* The body of the task, or of the taskloop, that the calling thread is creating; NULL = unknown. */
const void *task_body(void);
const void *task_body_of_loop(void);

#endif
