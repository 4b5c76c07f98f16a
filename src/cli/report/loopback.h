/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Loopback server: lets a browser on this machine ask a command for parts of what it shows. HTTP/1.1, GET only, on
 * 127.0.0.1 only. Every address begins with a random token, so that other users of the machine, and pages from
 * elsewhere that guess the port, get nothing; a request under another host name (DNS rebinding) gets nothing,
 * either. Connections, their requests and the time that they may take are limited; one answer is made at a time.
 */
#ifndef WTL_CLI_LOOPBACK_H
#define WTL_CLI_LOOPBACK_H

#include <stddef.h>
#include <stdint.h>

#include <wattle/error.h>

struct wtl_loopback_answer {
    const char *type; /* of the contents; NULL = there is no such thing */
    const void *data; /* valid until the next answer */
    size_t size;
};

/* path: what follows "/TOKEN/", at most 1000 bytes. Negative: an error of the command, shown to the reader as such. */
typedef int (*wtl_loopback_fn)(void *context, const char *path, struct wtl_loopback_answer *ret);

struct wtl_loopback {
    int listener;
    uint16_t port;
    char token[33], address[96]; /* "http://127.0.0.1:PORT/TOKEN/" */
};

/* port 0: one that is free. 0 or -errno with a sentence. */
int wtl_loopback_open(struct wtl_loopback *loopback, uint16_t port, struct wattle_error *err);
/* Answer requests until a signal ends the program; returns only if the listener fails. */
int wtl_loopback_serve(const struct wtl_loopback *loopback,
                       wtl_loopback_fn answer,
                       void *context,
                       struct wattle_error *err);
void wtl_loopback_close(struct wtl_loopback *loopback);

#endif
