/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of signals, and how they are received and forwarded: see signals.h. */
#define _GNU_SOURCE
#include "base/signals.h"

#include <errno.h>
#include <stddef.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <unistd.h>

/* How wattle handles a signal sent to it. */
enum kind {
    LEFT_ALONE = 0, /* KILL and STOP; job control, which stops wattle with its command */
    ABOUT_CHILD,    /* CHLD */
    BY_TERMINAL,    /* ends a program; the terminal also sends it to the command */
    ENDING,         /* ends a program: forwarded; without a command it ends the measurement */
    NOTICE,         /* for programs that request it: forwarded; wattle itself does not use it */
    BY_WRITE,       /* forwarded, except those raised by wattle's own writes */
};

static const enum kind kinds[] = {
    [SIGCHLD] = ABOUT_CHILD, [SIGINT] = BY_TERMINAL, [SIGQUIT] = BY_TERMINAL, [SIGTERM] = ENDING,
    [SIGHUP] = ENDING,       [SIGABRT] = ENDING,     [SIGALRM] = ENDING,      [SIGVTALRM] = ENDING,
    [SIGPROF] = ENDING,      [SIGXCPU] = ENDING,     [SIGPWR] = ENDING,       [SIGSTKFLT] = ENDING,
    [SIGSEGV] = ENDING,      [SIGBUS] = ENDING,      [SIGFPE] = ENDING,       [SIGILL] = ENDING,
    [SIGSYS] = ENDING,       [SIGTRAP] = ENDING,     [SIGUSR1] = NOTICE,      [SIGUSR2] = NOTICE,
    [SIGIO] = NOTICE,        [SIGURG] = NOTICE,      [SIGWINCH] = NOTICE,     [SIGPIPE] = BY_WRITE,
    [SIGXFSZ] = BY_WRITE,
};

static enum kind kind_of(int number)
{
    if (number >= SIGRTMIN && number <= SIGRTMAX)
        return NOTICE;
    return number > 0 && (size_t)number < sizeof kinds / sizeof *kinds ? kinds[number] : LEFT_ALONE;
}

bool wtl_signal_ends(int number)
{
    return kind_of(number) == BY_TERMINAL || kind_of(number) == ENDING;
}

/* A signal that ends a program but that wattle was started with as ignored, for example by nohup. A
 * blocked signal is queued even when it is ignored, so it must not be blocked. */
static bool is_ignored(int number)
{
    struct sigaction action;
    return wtl_signal_ends(number) && sigaction(number, NULL, &action) == 0 &&
           action.sa_handler == SIG_IGN;
}

int wtl_signals_take(struct wtl_signals *signals)
{
    struct sigaction ignore = {.sa_handler = SIG_IGN}, usual = {.sa_handler = SIG_DFL};
    sigset_t mask;
    sigemptyset(&mask);
    for (int number = 1; number <= SIGRTMAX; number++) {
        if (kind_of(number) != LEFT_ALONE && !is_ignored(number))
            sigaddset(&mask, number);
    }
    /* Blocking does not hold back a fault in wattle itself: the kernel then kills it with the signal as
     * usual. */
    *signals = (struct wtl_signals){0};
    signals->fd = signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK);
    if (signals->fd < 0)
        return -errno;
    (void)sigprocmask(SIG_BLOCK, &mask, &signals->old_mask);
    (void)sigaction(SIGPIPE, &ignore, &signals->old_pipe);
    (void)sigaction(SIGXFSZ, &ignore, &signals->old_xfsz);
    /* If the parent ignores SIGCHLD, children would be reaped before we can read their status. */
    (void)sigaction(SIGCHLD, &usual, &signals->old_chld);
    return 0;
}

void wtl_signals_restore(const struct wtl_signals *signals)
{
    (void)sigaction(SIGPIPE, &signals->old_pipe, NULL);
    (void)sigaction(SIGXFSZ, &signals->old_xfsz, NULL);
    (void)sigaction(SIGCHLD, &signals->old_chld, NULL);
    (void)sigprocmask(SIG_SETMASK, &signals->old_mask, NULL);
}

/* Whether to forward it to the command. The terminal sends its signals (INT, QUIT, WINCH) to its whole
 * process group, which includes the command. */
static bool is_for_command(const struct signalfd_siginfo *info)
{
    switch (kind_of((int)info->ssi_signo)) {
    case ENDING:
        return true;
    case NOTICE:
        return info->ssi_signo != SIGWINCH || info->ssi_code != SI_KERNEL;
    case BY_WRITE:
        return info->ssi_pid != (uint32_t)getpid();
    default:
        return false;
    }
}

static void pass_on(const struct signalfd_siginfo *info, pid_t pid)
{
    union sigval value = {.sival_ptr = (void *)(uintptr_t)info->ssi_ptr};
    if (!is_for_command(info))
        return;
    if (info->ssi_code == SI_QUEUE && sigqueue(pid, (int)info->ssi_signo, value) == 0)
        return;
    (void)kill(pid, (int)info->ssi_signo); /* it may have ended in the meantime */
}

int wtl_signals_next(struct wtl_signals *signals, pid_t pid)
{
    struct signalfd_siginfo info;
    if (read(signals->fd, &info, sizeof info) != (ssize_t)sizeof info)
        return 0;
    if (wtl_signal_ends((int)info.ssi_signo))
        signals->came = (int)info.ssi_signo;
    if (pid > 0)
        pass_on(&info, pid);
    return (int)info.ssi_signo;
}

bool wtl_signals_ended(struct wtl_signals *signals)
{
    while (wtl_signals_next(signals, 0) != 0)
        continue;
    return signals->came != 0;
}

void wtl_signals_die(int number)
{
    struct rlimit none = {0, 0};
    sigset_t others;
    (void)setrlimit(RLIMIT_CORE, &none); /* the command has already dumped its core; avoid a
                                            second one */
    (void)signal(number, SIG_DFL);
    sigfillset(&others); /* so that no other pending signal is delivered first */
    sigdelset(&others, number);
    (void)raise(number);
    (void)sigprocmask(SIG_SETMASK, &others, NULL);
}
