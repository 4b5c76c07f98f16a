/* SPDX-License-Identifier: BSD-3-Clause */
/* Requests to wattled: see wattled_link.h. */
#define _GNU_SOURCE
#include "cli/node/wattled_link.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <wattle/page.h>

#include "base/fail.h"

/* "no REASON SENTENCE" */
static int refused(char *reply, struct wattle_error *err)
{
    static const struct {
        const char *word;
        int code;
    } reasons[] = {{"denied", -EPERM}, {"exists", -EEXIST}, {"missing", -ENOENT}};
    char *word = strncmp(reply, "no ", 3) == 0 ? reply + 3 : NULL;
    char *sentence = word ? strchr(word, ' ') : NULL;
    if (!sentence)
        return wtl_fail(err, -EBADMSG,
                        "wattled on this node has another version; install the same version of "
                        "wattle and wattled");
    *sentence++ = '\0';
    int code = -EIO;
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
        code = strcmp(word, reasons[i].word) == 0 ? reasons[i].code : code;
    return wtl_fail(err, code, "%s", sentence);
}

/* What a reply means, once the connection is closed. */
static int read_reply(int socket, char *reply, char **ret_lines, struct wattle_error *err)
{
    if (socket == -ENOENT || socket == -ECONNREFUSED)
        return wtl_fail(err, -ECONNREFUSED, "wattled is not running on this node; start it first");
    if (socket < 0)
        return wtl_fail(err, socket, "cannot ask wattled: %s", wtl_strerror(socket));
    (void)close(socket);
    size_t head = strncmp(reply, "ok", 2) == 0 ? 2 : 0;
    if (head == 0 || (reply[head] != '\0' && reply[head] != '\n' && reply[head] != ' '))
        return refused(reply, err);
    *ret_lines = reply + head + (reply[head] != '\0');
    return 0;
}

int wtl_wattled_ask(const char *request,
                    char reply[WTL_WATTLED_REPLY],
                    char **ret_lines,
                    struct wattle_error *err)
{
    int fd, socket = wattle_page_ask(NULL, request, reply, WTL_WATTLED_REPLY, &fd);
    if (fd >= 0)
        (void)close(fd); /* none is expected */
    return read_reply(socket, reply, ret_lines, err);
}

/* A socket with these timeouts, which also bound a connect to a full queue; or -errno. */
static int connect_within(unsigned timeout_ms)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const char *path = getenv("WATTLE_SOCKET");
    const struct timeval patience = {.tv_sec = timeout_ms / 1000,
                                     .tv_usec = (suseconds_t)(timeout_ms % 1000) * 1000};
    path = path && path[0] ? path : WATTLE_PAGE_SOCKET;
    if ((size_t)snprintf(address.sun_path, sizeof address.sun_path, "%s", path) >=
        sizeof address.sun_path)
        return -ENAMETOOLONG;
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -errno;
    (void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    (void)setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    if (connect(fd, (const struct sockaddr *)&address, sizeof address) < 0) {
        int rc = errno == EAGAIN ? -ETIMEDOUT : -errno;
        (void)close(fd); /* nothing was sent */
        return rc;
    }
    return fd;
}

int wtl_wattled_ask_within(const char *request,
                           unsigned timeout_ms,
                           char reply[WTL_WATTLED_REPLY],
                           char **ret_lines,
                           struct wattle_error *err)
{
    int fd = connect_within(timeout_ms);
    if (fd < 0)
        return read_reply(fd, reply, ret_lines, err);
    ssize_t rc = send(fd, request, strlen(request), MSG_NOSIGNAL);
    if (rc >= 0)
        rc = recv(fd, reply, WTL_WATTLED_REPLY - 1, 0);
    if (rc > 0) {
        reply[rc] = '\0';
        return read_reply(fd, reply, ret_lines, err);
    }
    int failed = rc == 0 ? -ECONNRESET : errno == EAGAIN ? -ETIMEDOUT : -errno;
    (void)close(fd); /* no reply came */
    return read_reply(failed, reply, ret_lines, err);
}
