/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Signals of a program that runs a command: which are handled by wattle, which are forwarded to the command,
 * and which end a measurement. A single table, in signals.c. All are received through a signalfd, none by a
 * handler.
 */
#ifndef WTL_BASE_SIGNALS_H
#define WTL_BASE_SIGNALS_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

/* Signal state before wattle changed it, for the command and to be restored. */
struct wtl_signals {
    sigset_t old_mask;
    struct sigaction old_pipe, old_xfsz, old_chld;
    int fd;   /* signalfd for all handled signals, and CHLD */
    int came; /* last received signal that ends a program; 0 = none */
};

/*
 * Block the signals that wattle handles; those that end a program and are ignored (HUP under nohup) stay
 * ignored. PIPE and XFSZ are ignored: a failed write is reported as an error. Call before creating threads. 0
 * or -errno.
 */
int wtl_signals_take(struct wtl_signals *signals);

/* In the command, before its exec: restore the saved state. */
void wtl_signals_restore(const struct wtl_signals *signals);

/*
 * The next pending signal, without waiting: its number; 0 = none. One that ends a program is stored in
 * `came`. pid (0 = no command) receives the signals that are forwarded, with their queued value. INT and QUIT
 * are not forwarded, since the terminal also sends them to the command.
 */
int wtl_signals_next(struct wtl_signals *signals, pid_t pid);

/* Whether this signal, by the table, ends what wattle does while there is no command. */
bool wtl_signal_ends(int number);

/* Read all pending signals while there is no command to forward them to; returns whether one of them ends
 * a program. */
bool wtl_signals_ended(struct wtl_signals *signals);

/* Die of this signal, as the command did. Returns if the signal does not kill. */
void wtl_signals_die(int number);

#endif
