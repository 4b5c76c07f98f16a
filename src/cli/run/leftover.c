/* SPDX-License-Identifier: BSD-3-Clause */
/* Incomplete files: see leftover.h. Entries are never freed, so that a signal handler can walk them at any time. */
#define _GNU_SOURCE
#include "cli/run/leftover.h"

#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/signals.h"

struct wtl_leftover {
    const char *_Atomic path;          /* NULL = none */
    struct wtl_leftover *next, *spare; /* spare: of those without path */
};

static struct wtl_leftover *_Atomic all;
static struct wtl_leftover *spares;

struct wtl_leftover *wtl_leftover_add(const char *path)
{
    struct wtl_leftover *one = spares;
    if (one) {
        spares = one->spare;
    } else {
        one = calloc(1, sizeof *one);
        if (!one)
            return NULL;
        one->next = atomic_load(&all);
        atomic_store(&all, one);
    }
    atomic_store(&one->path, path);
    return one;
}

void wtl_leftover_forget(struct wtl_leftover *leftover)
{
    if (!leftover)
        return;
    atomic_store(&leftover->path, NULL);
    leftover->spare = spares;
    spares = leftover;
}

/* The default action is restored and happens on return. */
static void on_signal(int number)
{
    for (const struct wtl_leftover *one = atomic_load(&all); one; one = one->next) {
        const char *path = atomic_load(&one->path);
        if (path)
            (void)unlink(path);
    }
    (void)raise(number);
}

void wtl_leftovers_guard(void)
{
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND}, now;
    (void)sigemptyset(&action.sa_mask);
    for (int number = 1; number <= SIGRTMAX; number++) {
        if (wtl_signal_ends(number) && sigaction(number, NULL, &now) == 0 &&
            now.sa_handler == SIG_DFL)
            (void)sigaction(number, &action, NULL);
    }
    (void)signal(SIGXFSZ, SIG_IGN);
}
