/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How a load ends: by its time, by a signal, or with the process that started it. No handler runs:
 * the signals are blocked in all threads, and one sleeping thread waits for them.
 */
#ifndef WTL_LOAD_ENDING_H
#define WTL_LOAD_ENDING_H

#include <stdint.h>
#include <sys/types.h>

/* Get TERM when the parent ends, or at once if it has already ended since `parent` was read (call
 * getppid() first in main()). */
void wtl_ending_with_parent(pid_t parent);

/* Block TERM, INT and HUP in the calling thread and all threads it creates later. */
void wtl_ending_block(void);

/* Sleep for this long, or until one of the three arrives: returns its number, or 0. */
int wtl_ending_wait(uint64_t ns);

/* End the process: with status 0, or by that signal. */
_Noreturn void wtl_ending_leave(int signal);

#endif
