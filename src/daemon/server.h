/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The socket of wattled: connections, their limits, requests and replies (docs/format/page.md). It knows
 * nothing about sensors: what a request does is the caller's table. It is robust against its peers: a bounded
 * number of connections in all and per user (root has reserved ones), no request waits for a peer, a peer that
 * does not read its reply is closed, and when descriptors run out, a new connection gets "no busy".
 *
 * Thread rule: all calls from one thread.
 */
#ifndef WTL_DAEMON_SERVER_H
#define WTL_DAEMON_SERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <wattle/error.h>

#include "daemon/request.h"

enum { WTL_REPLY_MAX = 4000 };

/* A reply under construction. */
struct wtl_reply {
    char text[WTL_REPLY_MAX + 1];
    size_t length;
    int fd; /* to pass with it, borrowed; -1 = none */
};

/* Append to a reply; what does not fit is cut off at a line. */
void wtl_reply_add(struct wtl_reply *reply, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

struct wtl_server_ops {
    /* A request of a user: fill the reply. Returns true if the peer counts as a reader from now on. */
    bool (*request)(void *context,
                    uid_t uid,
                    const struct wtl_request_line *request,
                    struct wtl_reply *reply);
    /* The number of connections that count as readers has changed: of all users. */
    void (*readers)(void *context, size_t count);
};

struct wtl_server;

/* Listen on a path (mode 0666), replacing a socket nobody listens on. 0; -EADDRINUSE with a sentence: another
 * wattled; the errno of the folder. */
int wtl_server_open(const char *path,
                    const struct wtl_server_ops *ops,
                    void *context,
                    struct wtl_server **ret_server,
                    struct wattle_error *err);

/* Readable when wtl_server_serve() has something to do: for poll(). */
int wtl_server_fd(const struct wtl_server *server);

/* Serve what is waiting; never blocks. */
void wtl_server_serve(struct wtl_server *server);

/* Close every connection of readers of a user; they connect again if they may. */
void wtl_server_drop(struct wtl_server *server, uid_t uid);

struct wtl_server_stats {
    size_t connections, readers;
    uint64_t accepted, refused, requests, malformed;
};
void wtl_server_stats(const struct wtl_server *server, struct wtl_server_stats *ret_stats);

/* Close all and remove the socket. Accepts NULL. */
void wtl_server_close(struct wtl_server *server);

#endif
