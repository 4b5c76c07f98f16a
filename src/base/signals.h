/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Signals of a program that runs a command: which of them are wattle's, which are passed on to the command,
 * and which end a measurement. One table, in signals.c. All are taken by a signalfd, none by a handler.
 */
#ifndef WTL_BASE_SIGNALS_H
#define WTL_BASE_SIGNALS_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

/* Signals as they were before wattle touched them, to be given to the command and restored. */
struct wtl_signals {
    sigset_t old_mask;
    struct sigaction old_pipe, old_xfsz, old_chld;
    int fd;   /* signalfd for all that is taken, and CHLD */
    int came; /* the last one that came of those that end a program; 0 = none */
};

/*
 * Block what wattle handles; those that end a program and are ignored (HUP under nohup) stay so. PIPE and XFSZ are ignored:
 * a write that fails is told as such. Before any thread is made. 0 or -errno.
 */
int wtl_signals_take(struct wtl_signals *signals);

/* In the command, before its exec: as they were. */
void wtl_signals_restore(const struct wtl_signals *signals);

/*
 * The next one that has come, without waiting: its number; 0 = there is none. One that ends a program is kept in `came`. pid
 * (0 = there is no command): gets what is to be passed on, a queued value included. INT and QUIT are not, since the
 * terminal sends them to it, too.
 */
int wtl_signals_next(struct wtl_signals *signals, pid_t pid);

/* Does this one, by the table, end what wattle does while there is no command? */
bool wtl_signal_ends(int number);

/* All that have come, while there is no command that they could be passed on to: has one come that ends a program? */
bool wtl_signals_ended(struct wtl_signals *signals);

/* Die of this one, as the command did. Returns when that does not kill. */
void wtl_signals_die(int number);

#endif
