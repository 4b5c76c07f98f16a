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

enum {
    WTL_REPLY_MAX = 16000,
    WTL_REPLY_SHORT = 4000 /* to requests of one line, for readers of any version */
};

/* What a connection reads while it is open. */
enum wtl_presence { WTL_READS_NOTHING, WTL_READS_COARSE, WTL_READS_FULL };

/* A reply under construction. */
struct wtl_reply {
    char text[WTL_REPLY_MAX + 1];
    size_t length;
    size_t most;                /* length; 0 = WTL_REPLY_SHORT */
    int fd;                     /* to pass with it, borrowed; -1 = none */
    enum wtl_presence presence; /* of the connection from now on; before: so far */
};

/* Append to a reply: all of it, or, if it does not fit, nothing (false). A little is kept free for a last line. */
bool wtl_reply_add(struct wtl_reply *reply, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The last line: that so many lines did not fit, and how many of them belong to a total. */
void wtl_reply_more(struct wtl_reply *reply, size_t left_out, size_t of_total);

struct wtl_server_ops {
    /* A request of a user: fill the reply. */
    void (*request)(void *context,
                    uid_t uid,
                    const struct wtl_request_line *request,
                    struct wtl_reply *reply);
    /* The number of connections that read the full page, or the coarse one, has changed: of all users. */
    void (*readers)(void *context, size_t full, size_t coarse);
    /* May this user still read so? For wtl_server_review(). */
    bool (*may_read)(void *context, uid_t uid, enum wtl_presence presence);
};

struct wtl_server;

/* Listen on a path (mode 0666), replacing a socket on which no process listens. 0; -EADDRINUSE with a sentence: another
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

/* Close the connections of all readers that may no longer read as they do. */
void wtl_server_review(struct wtl_server *server);

struct wtl_server_stats {
    size_t connections, readers_full, readers_coarse;
    uint64_t accepted, refused, requests, malformed;
};
void wtl_server_stats(const struct wtl_server *server, struct wtl_server_stats *ret_stats);

/* Close all and remove the socket. Accepts NULL. */
void wtl_server_close(struct wtl_server *server);

#endif
