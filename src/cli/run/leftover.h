/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Leftovers: incomplete files that are removed when a signal ends the program. The list is always kept and
 * costs next to nothing; signals use it only after wtl_leftovers_guard(). Only one thread changes the list.
 */
#ifndef WTL_CLI_LEFTOVER_H
#define WTL_CLI_LEFTOVER_H

struct wtl_leftover;

/* Add a path to the list, which borrows it until it is removed. NULL if out of memory: not on the list. */
struct wtl_leftover *wtl_leftover_add(const char *path);
/* Remove it: it is complete, or deleted. Accepts NULL. */
void wtl_leftover_forget(struct wtl_leftover *leftover);

/*
 * From now on, terminating signals (wtl_signal_ends()) first remove the files on the list and then end the
 * program as before (ignored signals stay ignored), and exceeding the file size limit fails with EFBIG
 * instead of SIGXFSZ. For programs that start no command and do not handle signals otherwise: most verbs, and
 * wattle-reduce-mpi.
 */
void wtl_leftovers_guard(void);

#endif
