/* SPDX-License-Identifier: BSD-3-Clause */
/* A connection to a pmlib server: see connection.h. */
#define _GNU_SOURCE
#include "pmclient/connection.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { PATIENCE_S = 10, PATIENCE_MOST_S = 3600, LIST_MAX = 1 << 16, PROBE_MAX = 4096 };

int wtl_pm_complain(const char *format, ...)
{
    char text[512];
    va_list list;
    va_start(list, format);
    (void)vsnprintf(text, sizeof text, format, list);
    va_end(list);
    (void)fprintf(stderr, "pmlib: %s\n", text); /* a failure has no receiver */
    return -1;
}

static int patience_ms(void)
{
    const char *text = getenv("PMLIB_TIMEOUT");
    long s = text && text[0] ? strtol(text, NULL, 10) : PATIENCE_S;
    return (int)(s >= 1 && s <= PATIENCE_MOST_S ? s : PATIENCE_S) * 1000;
}

/* 0 or -errno. */
static int wait_for(int fd, short events)
{
    struct pollfd one = {.fd = fd, .events = events};
    int rc;
    do
        rc = poll(&one, 1, patience_ms());
    while (rc < 0 && errno == EINTR);
    return rc > 0 ? 0 : rc == 0 ? -ETIMEDOUT : -errno;
}

static int finish_connecting(int fd)
{
    int error = 0, one = 1;
    socklen_t size = sizeof error;
    int rc = wait_for(fd, POLLOUT);
    if (rc == 0 && getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) < 0)
        error = errno;
    (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one); /* only slower without */
    return rc < 0 ? rc : -error;
}

int wtl_pm_connect(const server_t *server)
{
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)server->port)};
    char ip[SERVER_IP_LEN];
    (void)snprintf(ip, sizeof ip, "%.*s", SERVER_IP_LEN - 1, server->server_ip);
    if (server->port <= 0 || server->port > UINT16_MAX || inet_pton(AF_INET, ip, &to.sin_addr) != 1)
        return wtl_pm_complain("\"%s\", port %d is not an IPv4 address and port", ip, server->port);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return wtl_pm_complain("cannot create a socket: %s", strerror(errno));
    int rc = connect(fd, (const struct sockaddr *)&to, sizeof to) < 0 ? -errno : 0;
    if (rc == -EINPROGRESS || rc == -EINTR)
        rc = finish_connecting(fd);
    if (rc == 0)
        return fd;
    (void)close(fd); /* nothing was sent */
    return wtl_pm_complain("cannot connect to the server %s:%d: %s; check that it is running", ip,
                           server->port, strerror(-rc));
}

int wtl_pm_send(int fd, const struct wtl_pm_request *request)
{
    uint8_t bytes[WTL_PM_REQUEST_MAX], unread;
    size_t n = wtl_pm_request_write(request, bytes), sent = 0;
    if (recv(fd, &unread, 1, MSG_PEEK | MSG_DONTWAIT) > 0)
        return wtl_pm_complain("the server has sent more than its reply; it is of another "
                               "generation: set PMLIB_DIALECT=auto");
    while (sent < n) { /* one segment: some servers read each field with one call */
        ssize_t now = send(fd, bytes + sent, n - sent, MSG_NOSIGNAL);
        int rc = now >= 0 ? 0 : errno == EAGAIN ? wait_for(fd, POLLOUT) : -errno;
        if (rc < 0 && rc != -EINTR)
            return wtl_pm_complain("cannot send to the server: %s", strerror(-rc));
        sent += now > 0 ? (size_t)now : 0;
    }
    return 0;
}

int wtl_pm_receive(int fd, void *bytes, size_t n, size_t *ret_got)
{
    size_t got = 0;
    int rc = 0;
    while (got < n && rc == 0) {
        ssize_t now = recv(fd, (char *)bytes + got, n - got, 0);
        if (now == 0)
            break;
        got += now > 0 ? (size_t)now : 0;
        if (now < 0 && errno != EINTR)
            rc = errno == EAGAIN ? wait_for(fd, POLLIN) : -errno;
    }
    if (ret_got)
        *ret_got = got;
    if (rc == -ETIMEDOUT)
        return wtl_pm_complain("the server does not answer (%zu of %zu bytes came)", got, n);
    if (rc < 0)
        return wtl_pm_complain("cannot receive from the server: %s", strerror(-rc));
    return got == n || ret_got ? 0 : wtl_pm_complain("the server has closed the connection");
}

int wtl_pm_ask(const server_t *server,
               const struct wtl_pm_request *request,
               uint8_t *bytes,
               size_t n,
               size_t *ret_got)
{
    int fd = wtl_pm_connect(server);
    if (fd < 0)
        return -1;
    int rc = wtl_pm_send(fd, request);
    if (rc == 0)
        rc = wtl_pm_receive(fd, bytes, n, ret_got);
    (void)close(fd); /* only read from */
    return rc;
}

/* ---- dialect ---- */

/* Does the list of devices come without its length? */
static int ask_list(const server_t *server, enum wtl_pm_dialect *ret)
{
    const struct wtl_pm_request request = {.mark = WTL_PM_LIST};
    char name[WTL_PM_TEXT];
    uint8_t *bytes = malloc(LIST_MAX);
    size_t got;
    if (!bytes)
        return wtl_pm_complain("out of memory");
    int rc = wtl_pm_ask(server, &request, bytes, LIST_MAX, &got);
    struct wtl_pm_reader from = {.at = bytes, .size = rc == 0 ? got : 0};
    if (rc == 0 && wtl_pm_list_next(&from, name, ret) < 0)
        rc = wtl_pm_complain("the server's list of devices cannot be understood");
    free(bytes);
    return rc;
}

/* How many bytes has a sample? Two records of the device's stream show it. */
static int ask_width(const server_t *server, const char *device, enum wtl_pm_dialect *ret)
{
    struct wtl_pm_request request = {.mark = WTL_PM_READ};
    uint8_t bytes[PROBE_MAX];
    int32_t status = 0, go_on = 1;
    (void)snprintf(request.name, sizeof request.name, "%s", device);
    int fd = wtl_pm_connect(server);
    int rc = fd < 0 ? -1 : wtl_pm_send(fd, &request);
    rc = rc < 0 ? rc : wtl_pm_receive(fd, &status, sizeof status, NULL);
    if (rc == 0 && status != 0)
        rc = wtl_pm_complain("the server does not know the device \"%s\"", device);
    size_t used = 0;
    int found = -EAGAIN;
    while (rc == 0 && found == -EAGAIN && used < sizeof bytes) {
        rc = wtl_pm_receive(fd, bytes + used, 4, NULL);
        used += 4;
        if (rc == 0 && wtl_pm_stream_dialect(bytes, used, &found) > 0)
            rc = send(fd, &go_on, sizeof go_on, MSG_NOSIGNAL) < 0
                     ? wtl_pm_complain("cannot send to the server: %s", strerror(errno))
                     : 0;
    }
    if (rc == 0 && found < 0)
        rc = wtl_pm_complain("the server's samples of \"%s\" cannot be understood", device);
    if (rc == 0)
        *ret = (enum wtl_pm_dialect)found;
    if (fd >= 0)
        (void)close(fd); /* which ends the stream */
    return rc;
}

int wtl_pm_dialect_of(const server_t *server, const char *device, enum wtl_pm_dialect *ret)
{
    const char *text = getenv("PMLIB_DIALECT");
    *ret = WTL_PM_G2;
    if (!text || !text[0] || wtl_pm_dialect_parse(text, ret) == 0)
        return 0;
    if (strcmp(text, "auto") != 0)
        return wtl_pm_complain("PMLIB_DIALECT=%s: use g2, g1, cpp or auto", text);
    int rc = ask_list(server, ret);
    return rc < 0 || *ret == WTL_PM_CPP ? rc : ask_width(server, device, ret);
}
