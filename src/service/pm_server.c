/* SPDX-License-Identifier: BSD-3-Clause */
/* The sockets of a pmlib server: see pm_server.h. */
#define _GNU_SOURCE
#include "service/pm_server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/fail.h"

static const uint64_t SECOND_NS = 1000000000;
static const uint64_t FIRST_NS = 5 * UINT64_C(1000000000); /* for the first request */
static const uint64_t SEND_NS = 30 * UINT64_C(1000000000); /* without progress of a reply */
enum { BACKLOG = 64, ACCEPTS = 16 };

struct connection {
    int fd; /* -1 = free */
    uint32_t ip;
    uint64_t moved_ns; /* when it was accepted, or last sent something */
    struct wtl_pm_peer peer;
};

struct wtl_pm_server {
    const struct wtl_pm_settings *settings;
    struct wtl_pm_service *service;
    struct wtl_pm_server_ops ops;
    int listeners[WTL_PM_LISTENERS];
    struct connection *connections; /* settings->clients */
    struct pollfd *polls;           /* listeners, then connections */
    size_t used;                    /* connections in use */
    bool needs;                     /* what the last call of need() said */
    uint64_t accept_ns;             /* not before this: descriptors ran out */
};

static uint64_t now(void)
{
    struct timespec clock;
    (void)clock_gettime(CLOCK_MONOTONIC, &clock); /* cannot fail */
    return (uint64_t)clock.tv_sec * SECOND_NS + (uint64_t)clock.tv_nsec;
}

/* ---- listening ---- */

static int listen_on(const struct wtl_pm_address *address, int *ret_fd, struct wattle_error *err)
{
    struct sockaddr_in name = {
        .sin_family = AF_INET, .sin_port = htons(address->port), .sin_addr.s_addr = address->ip};
    char text[INET_ADDRSTRLEN] = "";
    int one = 1, fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    (void)inet_ntop(AF_INET, &name.sin_addr, text, sizeof text);
    *ret_fd = fd;
    if (fd < 0)
        return wtl_fail(err, -errno, "cannot create a socket: %s", strerror(errno));
    (void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (bind(fd, (const struct sockaddr *)&name, sizeof name) == 0 && listen(fd, BACKLOG) == 0)
        return 0;
    return wtl_fail(err, -errno, "cannot listen on %s:%u: %s; change listen in section [pm]", text,
                    address->port, strerror(errno));
}

int wtl_pm_server_open(const struct wtl_pm_settings *settings,
                       struct wtl_pm_service *service,
                       const struct wtl_pm_server_ops *ops,
                       struct wtl_pm_server **ret_server,
                       struct wattle_error *err)
{
    struct wtl_pm_server *server = calloc(1, sizeof *server);
    if (!server)
        return wtl_no_memory(err);
    server->settings = settings;
    server->service = service;
    server->ops = *ops;
    for (size_t i = 0; i < WTL_PM_LISTENERS; i++)
        server->listeners[i] = -1;
    server->connections = calloc(settings->clients, sizeof *server->connections);
    server->polls = calloc(settings->clients + WTL_PM_LISTENERS, sizeof *server->polls);
    int rc = server->connections && server->polls ? 0 : wtl_no_memory(err);
    for (size_t i = 0; server->connections && i < settings->clients; i++)
        server->connections[i].fd = -1;
    for (size_t i = 0; i < settings->listen_count && rc == 0; i++)
        rc = listen_on(&settings->listen[i], &server->listeners[i], err);
    if (rc < 0)
        wtl_pm_server_close(server);
    else
        *ret_server = server;
    return rc;
}

static void drop(struct wtl_pm_server *server, struct connection *one)
{
    wtl_pm_peer_fini(&one->peer);
    (void)close(one->fd);
    one->fd = -1;
    server->used--;
}

void wtl_pm_server_close(struct wtl_pm_server *server)
{
    if (!server)
        return;
    for (size_t i = 0; server->connections && i < server->settings->clients; i++) {
        if (server->connections[i].fd >= 0)
            drop(server, &server->connections[i]);
    }
    for (size_t i = 0; i < WTL_PM_LISTENERS; i++) {
        if (server->listeners[i] >= 0)
            (void)close(server->listeners[i]);
    }
    free(server->connections);
    free(server->polls);
    free(server);
}

uint16_t wtl_pm_server_port(const struct wtl_pm_server *server, size_t i)
{
    struct sockaddr_in name = {.sin_port = 0};
    socklen_t size = sizeof name;
    (void)getsockname(server->listeners[i], (struct sockaddr *)&name, &size); /* port 0 if not */
    return ntohs(name.sin_port);
}

/* ---- connections ---- */

/* A place for a peer from this address; NULL = there are too many, in all or from there. */
static struct connection *place_for(struct wtl_pm_server *server, uint32_t ip)
{
    struct connection *place = NULL;
    size_t same = 0;
    for (size_t i = 0; i < server->settings->clients; i++) {
        struct connection *one = &server->connections[i];
        if (one->fd < 0)
            place = one;
        else
            same += one->ip == ip;
    }
    return same < server->settings->per_client ? place : NULL;
}

/* A host that is gone without a word is noticed after 2 minutes. */
static void watch_host(int fd)
{
    const int one = 1, idle_s = 60, every_s = 20, probes = 3, send_ms = 120000;
    (void)setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &one, sizeof one);
    (void)setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle_s, sizeof idle_s);
    (void)setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &every_s, sizeof every_s);
    (void)setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &probes, sizeof probes);
    (void)setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &send_ms, sizeof send_ms);
    (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
}

static void accept_all(struct wtl_pm_server *server, int listener, uint64_t now_ns)
{
    for (int i = 0; i < ACCEPTS; i++) {
        struct sockaddr_in name = {.sin_port = 0};
        socklen_t size = sizeof name;
        char text[INET_ADDRSTRLEN] = "";
        int fd = accept4(listener, (struct sockaddr *)&name, &size, SOCK_CLOEXEC | SOCK_NONBLOCK);
        if (fd < 0) {
            if (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS)
                server->accept_ns = now_ns + SECOND_NS;
            return;
        }
        struct connection *one = place_for(server, name.sin_addr.s_addr);
        if (!one) {
            const int32_t error = WTL_PM_ERROR;
            (void)send(fd, &error, sizeof error, MSG_NOSIGNAL | MSG_DONTWAIT);
            (void)close(fd);
            continue;
        }
        watch_host(fd);
        (void)inet_ntop(AF_INET, &name.sin_addr, text, sizeof text);
        *one = (struct connection){.fd = fd, .ip = name.sin_addr.s_addr, .moved_ns = now_ns};
        wtl_pm_peer_init(&one->peer, server->service, text);
        server->used++;
    }
}

/* Read what has come: false = the connection is over. */
static bool receive(struct connection *one, uint64_t now_ns)
{
    uint8_t bytes[WTL_PM_REQUEST_MAX];
    size_t room = wtl_pm_peer_room(&one->peer);
    if (room == 0)
        return true;
    ssize_t got = recv(one->fd, bytes, room, 0);
    if (got > 0)
        wtl_pm_peer_feed(&one->peer, bytes, (size_t)got, now_ns);
    return got > 0 || (got < 0 && (errno == EAGAIN || errno == EINTR));
}

/* Send what can be sent: false = the connection is over. */
static bool transmit(struct connection *one, uint64_t now_ns)
{
    const uint8_t *bytes;
    size_t n;
    while ((bytes = wtl_pm_peer_pull(&one->peer, &n)) != NULL) {
        ssize_t sent = send(one->fd, bytes, n, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent < 0)
            return errno == EAGAIN && now_ns - one->moved_ns < SEND_NS;
        one->moved_ns = now_ns;
        wtl_pm_peer_sent(&one->peer, (size_t)sent, now_ns);
    }
    if (one->peer.state == WTL_PM_FRESH)
        return now_ns - one->moved_ns < FIRST_NS;
    one->moved_ns = now_ns;
    return one->peer.state != WTL_PM_LEAVING;
}

static void serve(struct wtl_pm_server *server,
                  struct connection *one,
                  short events,
                  uint64_t now_ns)
{
    bool lives = true;
    wtl_pm_peer_tick(&one->peer, now_ns);
    if (events & (POLLIN | POLLHUP | POLLERR))
        lives = receive(one, now_ns);
    if (!(lives && transmit(one, now_ns)))
        drop(server, one);
}

/* ---- the loop ---- */

static size_t prepare(struct wtl_pm_server *server, uint64_t now_ns, uint64_t *ret_next_ns)
{
    size_t n = 0;
    for (size_t i = 0; i < server->settings->listen_count; i++)
        server->polls[n++] = (struct pollfd){
            .fd = now_ns < server->accept_ns ? -1 : server->listeners[i], .events = POLLIN};
    for (size_t i = 0; i < server->settings->clients; i++) {
        struct connection *one = &server->connections[i];
        uint64_t next_ns = one->fd < 0 ? UINT64_MAX : wtl_pm_peer_next_ns(&one->peer);
        size_t pending = 0;
        if (one->fd >= 0)
            (void)wtl_pm_peer_pull(&one->peer, &pending);
        bool reads = one->fd >= 0 && wtl_pm_peer_room(&one->peer) > 0;
        server->polls[n++] = (struct pollfd){
            .fd = one->fd, .events = (short)((reads ? POLLIN : 0) | (pending ? POLLOUT : 0))};
        *ret_next_ns = next_ns < *ret_next_ns ? next_ns : *ret_next_ns;
    }
    return n;
}

static bool is_measuring(const struct wtl_pm_server *server)
{
    for (size_t i = 0; i < server->settings->clients; i++) {
        if (server->connections[i].fd >= 0 && wtl_pm_peer_measures(&server->connections[i].peer))
            return true;
    }
    return false;
}

static void turn(struct wtl_pm_server *server, const sigset_t *awake)
{
    uint64_t now_ns = now();
    uint64_t next_ns = now_ns + (server->used > 0 || server->needs ? 1 : 3600) * SECOND_NS;
    size_t n = prepare(server, now_ns, &next_ns), listeners = server->settings->listen_count;
    uint64_t wait_ns = next_ns > now_ns ? next_ns - now_ns : 0;
    struct timespec wait = {.tv_sec = (time_t)(wait_ns / SECOND_NS),
                            .tv_nsec = (long)(wait_ns % SECOND_NS)};
    int rc = ppoll(server->polls, n, &wait, awake);
    now_ns = now();
    /* Connections first: an accepted one has no events yet. */
    for (size_t i = 0; i < server->settings->clients; i++) {
        if (server->connections[i].fd >= 0)
            serve(server, &server->connections[i],
                  rc > 0 ? server->polls[listeners + i].revents : (short)0, now_ns);
    }
    for (size_t i = 0; rc > 0 && i < listeners; i++) {
        if (server->polls[i].revents)
            accept_all(server, server->listeners[i], now_ns);
    }
    server->needs = server->ops.need(server->ops.context, is_measuring(server), now_ns);
}

void wtl_pm_server_run(struct wtl_pm_server *server,
                       const volatile sig_atomic_t *stop,
                       const sigset_t *awake)
{
    server->needs = true;
    while (!*stop)
        turn(server, awake);
}
