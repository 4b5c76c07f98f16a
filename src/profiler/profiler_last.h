/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program whose main() ends by pthread_exit(3) ends with its last thread, as if by exit(0). wattle's own threads would keep it
 * for ever.
 */
#ifndef WTL_PROFILER_LAST_H
#define WTL_PROFILER_LAST_H

/* From now on: when the calling thread, if it is that of main(), ends before its process, finish is called, by a thread of its own, as
 * soon as no thread is left but wattle's. It has to end these; the C library then calls exit(0). Once in a process. */
void wtl_profiler_last_watch(void (*finish)(void));

#endif
