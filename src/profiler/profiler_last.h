/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program whose main() ends with pthread_exit(3) ends with its last thread, as if by exit(0).
 * wattle's own threads would keep it alive forever.
 */
#ifndef WTL_PROFILER_LAST_H
#define WTL_PROFILER_LAST_H

/* Start watching: if the calling thread is that of main() and ends before its process, finish is
 * called on a separate thread as soon as only wattle's threads are left. It has to end these; the C
 * library then calls exit(0). Once per process. */
void wtl_profiler_last_watch(void (*finish)(void));

#endif
