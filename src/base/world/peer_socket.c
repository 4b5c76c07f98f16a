/* SPDX-License-Identifier: BSD-3-Clause */
/* Sockets of peer.h: addresses, names and connecting within a deadline. */
#define _GNU_SOURCE
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/errand.h"
#include "base/parse.h"
#include "base/world/peer.h"

/* A resolver query, which may block the thread that makes it. */
struct lookup {
    char host[256], port[8];
    struct addrinfo hints, *found;
    int rc; /* of getaddrinfo(3) */
};

static void look_up(void *context)
{
    struct lookup *lookup = context;
    lookup->rc = getaddrinfo(lookup->host, lookup->port, &lookup->hints, &lookup->found);
}

static void free_lookup(void *context)
{
    struct lookup *lookup = context;
    if (lookup->rc == 0)
        freeaddrinfo(lookup->found);
    free(lookup);
}

/* "HOST:PORT" or "[HOST]:PORT": 0 or -EINVAL. */
static int parse_host(const char *text, struct lookup *lookup)
{
    const char *colon = strrchr(text, ':');
    size_t n = colon ? (size_t)(colon - text) : 0;
    uint64_t port;
    bool bracketed = n > 2 && text[0] == '[' && text[n - 1] == ']';
    if (bracketed) {
        text++;
        n -= 2;
    }
    if (n == 0 || n >= sizeof lookup->host || (!bracketed && memchr(text, ':', n)) ||
        wtl_parse_u64(colon + 1, &port) < 0 || port == 0 || port > UINT16_MAX)
        return -EINVAL;
    memcpy(lookup->host, text, n);
    (void)snprintf(lookup->port, sizeof lookup->port, "%u", (unsigned)port);
    return 0;
}

/* An error of the resolver as an errno value. */
static int resolver_error(int rc)
{
    switch (rc) {
    case 0:
        return 0;
    case EAI_MEMORY:
        return -ENOMEM;
    case EAI_AGAIN:
        return -EAGAIN;
    default: /* no such name */
        return -EADDRNOTAVAIL;
    }
}

/* Addresses of a host; *ret_lookup is freed by free_lookup(). Numeric addresses directly, names through an
 * errand. */
static int resolve(const char *text, int type, uint64_t deadline_ns, struct lookup **ret_lookup)
{
    static const struct wtl_errand_work work = {.run = look_up, .late = free_lookup};
    uint64_t now_ns = wtl_peer_now();
    struct lookup *lookup = calloc(1, sizeof *lookup);
    if (!lookup)
        return -ENOMEM;
    lookup->rc = EAI_FAIL;
    lookup->hints =
        (struct addrinfo){.ai_socktype = type, .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV};
    int rc = parse_host(text, lookup);
    if (rc == 0)
        look_up(lookup);
    if (rc == 0 && lookup->rc == EAI_NONAME && deadline_ns > now_ns) {
        struct wtl_errand *errand = NULL;
        uint64_t slices = (deadline_ns - now_ns) / 100000000u;
        unsigned patience = slices > WTL_PATIENCE ? WTL_PATIENCE : (unsigned)slices;
        lookup->hints.ai_flags = AI_NUMERICSERV | AI_ADDRCONFIG;
        if (!wtl_errand_do(&errand, &work, lookup, &patience))
            return -ETIMEDOUT; /* the thread frees it */
        wtl_errand_end(errand);
    }
    rc = rc < 0 ? rc : resolver_error(lookup->rc);
    if (rc < 0)
        free_lookup(lookup);
    else
        *ret_lookup = lookup;
    return rc;
}

static int connect_to(int family,
                      int type,
                      const struct sockaddr *address,
                      socklen_t n,
                      uint64_t deadline_ns)
{
    int fd = socket(family, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), rc = 0, one = 1;
    socklen_t size = sizeof rc;
    if (fd < 0)
        return -errno;
    if (connect(fd, address, n) < 0)
        rc = errno;
    if (rc == EINPROGRESS || rc == EINTR) {
        rc = -wtl_peer_poll(fd, POLLOUT, deadline_ns);
        if (rc == 0 && getsockopt(fd, SOL_SOCKET, SO_ERROR, &rc, &size) < 0)
            rc = errno;
    }
    if (rc == 0 && family != AF_UNIX && type == SOCK_STREAM)
        (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one); /* only slower without */
    if (rc == 0)
        return fd;
    (void)close(fd); /* nothing was sent */
    return -rc;
}

static int connect_unix(const char *path, int type, uint64_t deadline_ns)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    size_t n = strlen(path);
    if (n == 0 || n >= sizeof name.sun_path)
        return n ? -ENAMETOOLONG : -EINVAL;
    memcpy(name.sun_path, path, n);
    return connect_to(AF_UNIX, type, (const struct sockaddr *)&name, sizeof name, deadline_ns);
}

/* Try the addresses of a host in turn; each gets its part of the remaining time. */
static int connect_host(const char *text, int type, uint64_t deadline_ns)
{
    struct lookup *lookup;
    uint64_t left = 0;
    int rc = resolve(text, type, deadline_ns, &lookup);
    if (rc < 0)
        return rc;
    for (const struct addrinfo *one = lookup->found; one; one = one->ai_next)
        left++;
    rc = -EADDRNOTAVAIL;
    for (const struct addrinfo *one = lookup->found; one && rc < 0; one = one->ai_next, left--) {
        uint64_t now_ns = wtl_peer_now();
        uint64_t until_ns =
            deadline_ns > now_ns ? now_ns + (deadline_ns - now_ns) / left : deadline_ns;
        rc = connect_to(one->ai_family, type, one->ai_addr, one->ai_addrlen, until_ns);
    }
    free_lookup(lookup);
    return rc;
}

int wtl_peer_socket(const char *address, uint64_t deadline_ns)
{
    if (strncmp(address, "tcp:", 4) == 0)
        return connect_host(address + 4, SOCK_STREAM, deadline_ns);
    if (strncmp(address, "udp:", 4) == 0)
        return connect_host(address + 4, SOCK_DGRAM, deadline_ns);
    if (strncmp(address, "packet:", 7) == 0)
        return connect_unix(address + 7, SOCK_SEQPACKET, deadline_ns);
    return strncmp(address, "unix:", 5) == 0 ? connect_unix(address + 5, SOCK_STREAM, deadline_ns)
                                             : -EINVAL;
}
