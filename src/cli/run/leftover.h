/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Leftovers: files that are not whole yet, and go when a signal ends the program. The list is kept always and costs next to
 * nothing; only wtl_leftovers_guard() makes signals look at it. Lists are changed by one thread.
 */
#ifndef WTL_CLI_LEFTOVER_H
#define WTL_CLI_LEFTOVER_H

struct wtl_leftover;

/* Put a path on the list, which borrows it until it is forgotten. NULL without memory: it is not on the list then. */
struct wtl_leftover *wtl_leftover_add(const char *path);
/* It is whole, or gone. Accepts NULL. */
void wtl_leftover_forget(struct wtl_leftover *leftover);

/*
 * From now on signals that end a program (wtl_signal_ends()) remove what is on the list before they end the program as they would have
 * done (those that are ignored stay so), and a file that grows too large fails with EFBIG in place of SIGXFSZ. For
 * what starts no command and leaves signals alone otherwise: all verbs but few, and wattle-reduce-mpi.
 */
void wtl_leftovers_guard(void);

#endif
