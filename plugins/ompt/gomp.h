/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Programs that GCC compiled, under a preloaded runtime with OMPT: the calls that create tasks, GOMP_task and
 * GOMP_taskloop, pass through here, because their argument says which task it is. GCC gives the calls themselves the
 * line of the construct around them.
 */
#ifndef GOMP_H
#define GOMP_H

/* The body of the task, or of the taskloop, that the calling thread is creating; NULL = unknown. */
const void *gomp_task_body(void);
const void *gomp_loop_body(void);

#endif
