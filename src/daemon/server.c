/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The socket of wattled: see server.h. A connection costs one descriptor and one entry of a table. Everything is
 * non-blocking: a reply that a peer does not take at once closes the connection, so no reply is ever
 * buffered here.
 *
 * The kernel limits how many descriptors a user has sent that are not yet received, for wattled to its own
 * limit of open files. A peer that asked for pages again and again without receiving them could use all of
 * them, and no other client would get a page. So a connection never has more than one page under way, and one
 * that is closed keeps its place until its page was received or its other end is gone.
 */
#define _GNU_SOURCE
#include "daemon/server.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/sockios.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/world/world.h"

enum {
    PEERS_MAX = 4096,    /* connections in all */
    PEERS_OF_USER = 256, /* of one user, at most a quarter of all; root: any number */
    PEERS_FOR_ROOT = 64, /* places that others cannot take, at most a quarter of all */
    OTHER_FILES = 256,   /* descriptors for everything else, where the limit allows */
    BACKLOG = 1024,
    EVENTS = 64,
    MORE_MAX = 64, /* bytes of a reply kept for its last line */
    ACCEPTS = 256  /* at a time, so that requests get their turn */
};

struct peer {
    int fd; /* -1 = free */
    uid_t uid;
    enum wtl_presence presence;
    bool lent;    /* the last reply came with a descriptor */
    bool leaving; /* closed for the peer, which has not received its last reply */
};

struct wtl_server {
    const struct wtl_server_ops *ops;
    void *context;
    char path[108];
    int listener, epoll, spare; /* spare: given up to answer a connection without a descriptor */
    size_t most;                /* connections, as far as the limit of open files allows */
    size_t count, leaving;
    size_t readers[WTL_READS_FULL + 1];
    struct wtl_server_stats stats;
    struct peer peers[PEERS_MAX];
};

bool wtl_reply_add(struct wtl_reply *reply, const char *format, ...)
{
    va_list list;
    size_t room = (reply->most ? reply->most : WTL_REPLY_SHORT) + 1 - MORE_MAX - reply->length;
    va_start(list, format);
    int n = vsnprintf(reply->text + reply->length, room, format, list);
    va_end(list);
    bool fits = n > 0 && (size_t)n < room;
    if (fits)
        reply->length += (size_t)n;
    else
        reply->text[reply->length] = '\0';
    return fits;
}

void wtl_reply_more(struct wtl_reply *reply, size_t left_out, size_t of_total)
{
    if (left_out > 0)
        reply->length += (size_t)snprintf(reply->text + reply->length, MORE_MAX, "\nmore %zu %zu",
                                          left_out, of_total);
}

/* ---- opening ---- */

static int address_of(const char *path, struct sockaddr_un *ret_address)
{
    *ret_address = (struct sockaddr_un){.sun_family = AF_UNIX};
    int n = snprintf(ret_address->sun_path, sizeof ret_address->sun_path, "%s", path);
    return n < 0 || (size_t)n >= sizeof ret_address->sun_path ? -ENAMETOOLONG : 0;
}

/* 1 if a process listens there; 0 if none does; -errno. */
static int is_alive(const struct sockaddr_un *address)
{
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return -errno;
    int rc = connect(fd, (const struct sockaddr *)address, sizeof *address) == 0 ? 1 : -errno;
    (void)close(fd); /* nothing was sent */
    return rc == -ECONNREFUSED || rc == -ENOENT ? 0 : rc == -EAGAIN ? 1 : rc;
}

static int bind_at(int fd, const char *path, struct wattle_error *err)
{
    struct sockaddr_un address;
    struct stat about;
    int rc = address_of(path, &address);
    if (rc < 0)
        return wtl_fail(err, rc, "the path of the socket \"%s\" is longer than 107 bytes", path);
    rc = is_alive(&address);
    if (rc == 1)
        return wtl_fail(err, -EADDRINUSE,
                        "another wattled listens on \"%s\"; stop it first, or use --run-dir", path);
    if (rc < 0)
        return wtl_fail(err, rc, "cannot use the socket \"%s\": %s; remove it", path,
                        strerror(-rc));
    if (lstat(path, &about) == 0 && S_ISSOCK(about.st_mode))
        (void)unlink(path); /* of one that is gone; bind() reports a failure */
    if (bind(fd, (const struct sockaddr *)&address, sizeof address) < 0)
        return wtl_fail(err, -errno, "cannot create the socket \"%s\": %s; check its folder", path,
                        strerror(errno));
    if (chmod(path, 0666) < 0 || listen(fd, BACKLOG) < 0)
        return wtl_fail(err, -errno, "cannot listen on \"%s\": %s", path, strerror(errno));
    return 0;
}

static int watch(const struct wtl_server *server, int fd, uint64_t data)
{
    struct epoll_event event = {.events = EPOLLIN | EPOLLRDHUP, .data.u64 = data};
    return epoll_ctl(server->epoll, EPOLL_CTL_ADD, fd, &event) < 0 ? -errno : 0;
}

/* Sensors, and hardware counters of each CPU. */
static rlim_t open_files(void)
{
    const struct wtl_world *world = wtl_world_real();
    char **names;
    int count = world->ops->list(world, "/proc/self/fd", &names);
    if (count >= 0)
        free((void *)names);
    return count > 0 ? (rlim_t)count : 0;
}

/* Raise the limit of open files as far as it takes: the number of connections it allows. */
static size_t places(void)
{
    struct rlimit files = {.rlim_cur = 64};
    const rlim_t open = open_files(), wanted = PEERS_MAX + OTHER_FILES + open;
    if (getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur < wanted) {
        const struct rlimit more = {files.rlim_max < wanted ? files.rlim_max : wanted,
                                    files.rlim_max};
        if (setrlimit(RLIMIT_NOFILE, &more) == 0)
            files = more;
    }
    if (files.rlim_cur >= wanted)
        return PEERS_MAX;
    size_t left = files.rlim_cur > open ? (size_t)(files.rlim_cur - open) : 0;
    return left > 2 * OTHER_FILES ? left - OTHER_FILES : left / 2;
}

static size_t at_most(size_t a, size_t b)
{
    return a < b ? a : b;
}

int wtl_server_open(const char *path,
                    const struct wtl_server_ops *ops,
                    void *context,
                    struct wtl_server **ret_server,
                    struct wattle_error *err)
{
    struct wtl_server *server = calloc(1, sizeof *server);
    if (!server)
        return wtl_no_memory_for(err, "the socket");
    server->ops = ops;
    server->context = context;
    server->most = places();
    for (size_t i = 0; i < PEERS_MAX; i++)
        server->peers[i].fd = -1;
    server->epoll = epoll_create1(EPOLL_CLOEXEC);
    server->spare = open("/dev/null", O_RDONLY | O_CLOEXEC);
    server->listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    int rc = server->epoll < 0 || server->listener < 0
                 ? wtl_fail(err, -errno, "cannot create a socket: %s", strerror(errno))
                 : bind_at(server->listener, path, err);
    if (rc == 0) {
        (void)snprintf(server->path, sizeof server->path, "%s", path);
        rc = watch(server, server->listener, PEERS_MAX);
    }
    if (rc < 0) {
        wtl_server_close(server);
        return rc;
    }
    *ret_server = server;
    return 0;
}

void wtl_server_close(struct wtl_server *server)
{
    if (!server)
        return;
    for (size_t i = 0; i < PEERS_MAX; i++) {
        if (server->peers[i].fd >= 0)
            (void)close(server->peers[i].fd);
    }
    if (server->path[0])
        (void)unlink(server->path); /* the next wattled replaces what is left */
    if (server->listener >= 0)
        (void)close(server->listener);
    if (server->epoll >= 0)
        (void)close(server->epoll);
    if (server->spare >= 0)
        (void)close(server->spare);
    free(server);
}

int wtl_server_fd(const struct wtl_server *server)
{
    return server->epoll;
}

void wtl_server_stats(const struct wtl_server *server, struct wtl_server_stats *ret_stats)
{
    *ret_stats = server->stats;
    ret_stats->connections = server->count;
    ret_stats->readers_full = server->readers[WTL_READS_FULL];
    ret_stats->readers_coarse = server->readers[WTL_READS_COARSE];
}

/* ---- replies ---- */

/* 0; -errno: the peer did not take it, or the connection is broken. */
static int send_reply(int fd, const struct wtl_reply *reply)
{
    union {
        struct cmsghdr align;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control = {.bytes = ""};
    struct iovec part = {.iov_base = (void *)(uintptr_t)reply->text, .iov_len = reply->length};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    if (reply->fd >= 0) {
        message.msg_control = &control;
        message.msg_controllen = sizeof control.bytes;
        struct cmsghdr *head = CMSG_FIRSTHDR(&message);
        head->cmsg_level = SOL_SOCKET;
        head->cmsg_type = SCM_RIGHTS;
        head->cmsg_len = CMSG_LEN(sizeof(int));
        memcpy(CMSG_DATA(head), &reply->fd, sizeof(int));
    }
    return sendmsg(fd, &message, MSG_DONTWAIT | MSG_NOSIGNAL) < 0 ? -errno : 0; /* whole packets */
}

static void refuse(struct wtl_server *server, int fd, const char *sentence)
{
    struct wtl_reply reply = {.fd = -1};
    wtl_reply_add(&reply, "no busy %s", sentence);
    (void)send_reply(fd, &reply); /* it is closed in any case */
    (void)close(fd);
    server->stats.refused++;
}

/* ---- connections ---- */

/* Is there a reply on its way that the peer has not received? */
static bool is_unread(const struct peer *peer)
{
    int bytes = 0;
    return peer->lent && ioctl(peer->fd, SIOCOUTQ, &bytes) == 0 && bytes > 0;
}

static void free_peer(struct wtl_server *server, struct peer *peer)
{
    (void)close(peer->fd); /* also removes it from the epoll */
    server->leaving -= peer->leaving;
    server->count--;
    *peer = (struct peer){.fd = -1};
}

static void set_presence(struct wtl_server *server, struct peer *peer, enum wtl_presence presence)
{
    if (peer->presence == presence)
        return;
    server->readers[peer->presence]--;
    server->readers[presence]++;
    peer->presence = presence;
    server->ops->readers(server->context, server->readers[WTL_READS_FULL],
                         server->readers[WTL_READS_COARSE]);
}

static void close_peer(struct wtl_server *server, struct peer *peer)
{
    set_presence(server, peer, WTL_READS_NOTHING);
    server->readers[WTL_READS_NOTHING]--;
    if (is_unread(peer)) {
        (void)shutdown(peer->fd, SHUT_RDWR);
        (void)epoll_ctl(server->epoll, EPOLL_CTL_DEL, peer->fd, NULL);
        peer->leaving = true;
        server->leaving++;
    } else {
        free_peer(server, peer);
    }
}

/* Free the places of peers that have received their last reply, or are gone. */
static void sweep(struct wtl_server *server)
{
    for (size_t i = 0; i < PEERS_MAX && server->leaving > 0; i++) {
        struct peer *peer = &server->peers[i];
        if (peer->fd >= 0 && peer->leaving && !is_unread(peer))
            free_peer(server, peer);
    }
}

static size_t count_of(const struct wtl_server *server, uid_t uid)
{
    size_t count = 0;
    for (size_t i = 0; i < PEERS_MAX; i++)
        count += server->peers[i].fd >= 0 && server->peers[i].uid == uid;
    return count;
}

static void admit(struct wtl_server *server, int fd)
{
    struct ucred peer = {.uid = (uid_t)-1};
    socklen_t size = sizeof peer;
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) < 0) {
        (void)close(fd); /* not a peer that can be served */
        return;
    }
    size_t kept = at_most(PEERS_FOR_ROOT, server->most / 4);
    size_t most = peer.uid == 0 ? server->most : server->most - kept;
    size_t of_user = at_most(PEERS_OF_USER, server->most / 4);
    if (server->count >= most) {
        refuse(server, fd, "too many connections to wattled; try again later");
        return;
    }
    if (peer.uid != 0 && count_of(server, peer.uid) >= of_user) {
        refuse(server, fd, "this user has too many connections to wattled; close some");
        return;
    }
    for (size_t i = 0; i < PEERS_MAX; i++) {
        if (server->peers[i].fd >= 0)
            continue;
        if (watch(server, fd, i) < 0)
            break;
        server->peers[i] = (struct peer){.fd = fd, .uid = peer.uid};
        server->count++;
        server->readers[WTL_READS_NOTHING]++;
        server->stats.accepted++;
        return;
    }
    refuse(server, fd, "too many connections to wattled; try again later");
}

/* Without a free descriptor, a connection would stay in the queue and be announced again and again. */
static bool shed(struct wtl_server *server)
{
    if (server->spare < 0)
        return false;
    (void)close(server->spare);
    int fd = accept4(server->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd >= 0)
        refuse(server, fd, "wattled has no free descriptor; try again later");
    server->spare = open("/dev/null", O_RDONLY | O_CLOEXEC);
    return fd >= 0;
}

static void accept_all(struct wtl_server *server)
{
    sweep(server);
    for (int n = 0; n < ACCEPTS; n++) {
        int fd = accept4(server->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
        if (fd >= 0)
            admit(server, fd);
        else if (errno == EMFILE || errno == ENFILE) {
            if (!shed(server))
                return;
        } else if (errno != ECONNABORTED && errno != EINTR)
            return;
    }
}

/* ---- requests ---- */

static bool answer(struct wtl_server *server, struct peer *peer, const char *packet, size_t size)
{
    struct wtl_request_line request;
    struct wtl_reply reply = {.fd = -1, .presence = peer->presence};
    const char *why;
    server->stats.requests++;
    if (wtl_request_parse(packet, size, &request, &why) < 0) {
        server->stats.malformed++;
        wtl_reply_add(&reply, "no request %s", why);
    } else if (wtl_request_is_privileged(request.verb) && peer->uid != 0) {
        wtl_reply_add(&reply, "no denied only root may make this request");
    } else {
        server->ops->request(server->context, peer->uid, &request, &reply);
    }
    int rc = send_reply(peer->fd, &reply);
    if (rc == -ETOOMANYREFS) { /* pages under way: of other processes of wattled's user */
        reply = (struct wtl_reply){.fd = -1};
        wtl_reply_add(&reply, "no busy wattled has no free descriptor; try again later");
        rc = send_reply(peer->fd, &reply);
    }
    if (rc < 0)
        return false;
    peer->lent = reply.fd >= 0;
    set_presence(server, peer, reply.presence);
    return true;
}

/* Requests of a peer; descriptors that it passes are never received. */
static void serve_peer(struct wtl_server *server, struct peer *peer)
{
    char packet[WTL_REQUEST_MAX + 1];
    ssize_t got = recv(peer->fd, packet, sizeof packet, MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (got <= 0 || is_unread(peer) || !answer(server, peer, packet, (size_t)got))
        close_peer(server, peer);
}

void wtl_server_serve(struct wtl_server *server)
{
    struct epoll_event events[EVENTS];
    int n = epoll_wait(server->epoll, events, EVENTS, 0);
    for (int i = 0; i < n; i++) {
        uint64_t number = events[i].data.u64;
        if (number == PEERS_MAX)
            accept_all(server);
        else if (server->peers[number].fd >= 0 && !server->peers[number].leaving)
            serve_peer(server, &server->peers[number]);
    }
}

void wtl_server_review(struct wtl_server *server)
{
    for (size_t i = 0; i < PEERS_MAX; i++) {
        struct peer *peer = &server->peers[i];
        if (peer->fd >= 0 && peer->presence != WTL_READS_NOTHING &&
            !server->ops->may_read(server->context, peer->uid, peer->presence))
            close_peer(server, peer);
    }
}
