/* SPDX-License-Identifier: BSD-3-Clause */
/* The page and its parts on request: see cmd_report.h. */
#define _GNU_SOURCE
#include "cli/report/cmd_report.h"

#include <arpa/inet.h>
#include <errno.h>
#include <math.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/flush.h"
#include "base/parse.h"
#include "base/whole.h"
#include "report/page.h"
#include "report/tasks/stretch_document.h"

struct answering {
    const struct wtl_report_serve *serve;
    char *page;
    size_t page_size;
    struct wtl_tile_bytes tile;
    char *text;
};

/* "A/B": the two parts, in the buffer. */
static bool two(char *text, const char **ret_a, const char **ret_b)
{
    char *slash = strchr(text, '/');
    if (!slash)
        return false;
    *slash = '\0';
    *ret_a = text;
    *ret_b = slash + 1;
    return true;
}

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

static int answer_tile(struct answering *a, char *rest, struct wtl_loopback_answer *ret)
{
    const char *level_text, *index_text;
    uint64_t level, index;
    bool leaf;
    if (!two(rest, &level_text, &index_text) || wtl_parse_u64(level_text, &level) < 0 ||
        wtl_parse_u64(index_text, &index) < 0 || level >= WTL_TILE_LEVELS)
        return 0;
    int rc = wtl_activity_tile(&a->serve->lanes->lanes.pyramid, (unsigned)level, index, &a->tile,
                               &leaf, NULL);
    if (rc == -EINVAL)
        return 0;
    *ret = (struct wtl_loopback_answer){"application/octet-stream", a->tile.data, a->tile.size};
    return rc;
}

/* Seconds since the zero of the page as a time of the trace; false: it is no such time. */
static bool time_of(const struct answering *a, const char *text, uint64_t *ret_ns)
{
    char *end;
    double seconds = strtod(text, &end);
    double ns = (double)a->serve->lanes->start_ns + seconds * 1e9;
    if (*end || end == text || !(ns >= 0 && ns < 9e18))
        return false;
    int64_t since = wtl_whole_i64(round(seconds * 1e9));
    *ret_ns = a->serve->lanes->start_ns + (uint64_t)since;
    return true;
}

static int answer_energy(struct answering *a, char *rest, struct wtl_loopback_answer *ret)
{
    const char *begin_text, *end_text;
    uint64_t begin_ns, end_ns;
    json_t *document = NULL;
    if (!two(rest, &begin_text, &end_text) || !time_of(a, begin_text, &begin_ns) ||
        !time_of(a, end_text, &end_ns) || end_ns <= begin_ns)
        return 0;
    int rc =
        wtl_stretch_document(a->serve->reader, a->serve->result, begin_ns, end_ns, &document, NULL);
    if (rc < 0)
        return rc;
    free(a->text);
    a->text = json_dumps(document, JSON_COMPACT | JSON_REAL_PRECISION(15));
    json_decref(document);
    if (!a->text)
        return -ENOMEM;
    *ret = (struct wtl_loopback_answer){"application/json", a->text, strlen(a->text)};
    return 0;
}

static int answer_path(void *context, const char *path, struct wtl_loopback_answer *ret)
{
    static const char tile[] = "tile/", energy[] = "energy/";
    struct answering *a = context;
    char text[1024];
    (void)snprintf(text, sizeof text, "%s", path);
    if (!path[0]) {
        *ret = (struct wtl_loopback_answer){"text/html; charset=utf-8", a->page, a->page_size};
        return 0;
    }
    if (strncmp(text, tile, sizeof tile - 1) == 0 && a->serve->lanes->lanes.lane_count > 0)
        return answer_tile(a, text + sizeof tile - 1, ret);
    if (strncmp(text, energy, sizeof energy - 1) == 0)
        return answer_energy(a, text + sizeof energy - 1, ret);
    return 0;
}

static int make_page(struct answering *a, struct wattle_error *err)
{
    FILE *out = open_memstream(&a->page, &a->page_size);
    int rc = out ? wtl_page_write(out, a->serve->document, a->serve->result, true, err)
                 : wtl_no_memory_for(err, "the page");
    if (out && fclose(out) != 0 && rc == 0)
        rc = wtl_no_memory_for(err, "the page");
    return rc;
}

/* ---- the server ---- */

/*
 * Loopback server: lets a browser on this machine ask a command for parts of what it shows.
 * HTTP/1.1, GET only, on 127.0.0.1 only. Every address begins with a random token, so that other
 * users of the machine, and pages from elsewhere that guess the port, get nothing; a request under
 * another host name (DNS rebinding) gets nothing, either. Connections, their requests and the time
 * that they may take are limited; one answer is made at a time.
 */

enum { PEERS = 32, REQUEST_BYTES = 8192, REQUEST_S = 10, ANSWER_S = 10, PATH_BYTES = 1000 };

struct peer {
    int fd; /* -1 = free */
    time_t until;
    size_t size;
    char request[REQUEST_BYTES];
};

/* ---- answers ---- */

static void send_all(int fd, const void *data, size_t size)
{
    const char *at = data;
    while (size > 0) {
        ssize_t n = send(fd, at, size, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return; /* the browser went away, or takes nothing */
        at += n;
        size -= (size_t)n;
    }
}

static void reply(int fd, const char *status, const char *type, const void *data, size_t size)
{
    char head[512];
    int length = snprintf(head, sizeof head,
                          "HTTP/1.1 %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\n"
                          "Connection: close\r\nCache-Control: no-store\r\n"
                          "X-Content-Type-Options: nosniff\r\nX-Frame-Options: DENY\r\n"
                          "Cross-Origin-Resource-Policy: same-origin\r\n"
                          "Referrer-Policy: no-referrer\r\n\r\n",
                          status, type, size);
    send_all(fd, head, (size_t)length);
    send_all(fd, data, size);
}

static void refuse(int fd, const char *status)
{
    reply(fd, status, "text/plain", status, strlen(status));
}

/* The value of a header, up to the end of its line; NULL: there is none. */
static const char *header_of(const char *request, const char *name, size_t *ret_length)
{
    size_t n = strlen(name);
    for (const char *line = strstr(request, "\r\n"); line && line[2]; line = strstr(line, "\r\n")) {
        line += 2;
        if (strncasecmp(line, name, n) != 0 || line[n] != ':')
            continue;
        line += n + 1;
        line += strspn(line, " \t");
        *ret_length = strcspn(line, "\r\n \t");
        return line;
    }
    return NULL;
}

/* Is the request for this server, under one of its own names? */
static bool is_host(const struct wtl_loopback *loopback, const char *request)
{
    static const char *const names[] = {"127.0.0.1", "localhost"};
    size_t length;
    const char *host = header_of(request, "Host", &length);
    for (size_t i = 0; host && i < sizeof names / sizeof *names; i++) {
        char name[32];
        int n = snprintf(name, sizeof name, "%s:%u", names[i], loopback->port);
        if ((size_t)n == length && strncasecmp(host, name, length) == 0)
            return true;
    }
    return false;
}

/* All bytes are compared, so that the time says nothing about the token. */
static bool is_token(const struct wtl_loopback *loopback, const char *text)
{
    unsigned differs = 0;
    size_t n = strlen(loopback->token);
    if (strnlen(text, n + 1) < n + 1 || text[n] != '/')
        return false;
    for (size_t i = 0; i < n; i++)
        differs |= (unsigned char)text[i] ^ (unsigned char)loopback->token[i];
    return differs == 0;
}

static void answer_request(const struct wtl_loopback *loopback,
                           struct peer *peer,
                           wtl_loopback_fn answer,
                           void *context)
{
    static const char get[] = "GET /";
    char path[PATH_BYTES + 1];
    const char *from = peer->request + sizeof get - 1;
    if (strncmp(peer->request, get, sizeof get - 1) != 0) {
        refuse(peer->fd, "405 Method Not Allowed");
        return;
    }
    if (!is_host(loopback, peer->request) || !is_token(loopback, from)) {
        refuse(peer->fd, "404 Not Found");
        return;
    }
    from += strlen(loopback->token) + 1;
    size_t length = strcspn(from, " ?\r\n");
    if (length > PATH_BYTES) {
        refuse(peer->fd, "414 URI Too Long");
        return;
    }
    memcpy(path, from, length);
    path[length] = '\0';
    struct wtl_loopback_answer made = {0};
    int rc = answer(context, path, &made);
    if (rc < 0)
        refuse(peer->fd, "500 Internal Server Error");
    else if (!made.type)
        refuse(peer->fd, "404 Not Found");
    else
        reply(peer->fd, "200 OK", made.type, made.data, made.size);
}

/* ---- connections ---- */

static time_t now(void)
{
    struct timespec time;
    (void)clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec;
}

static void drop(struct peer *peer)
{
    (void)close(peer->fd);
    peer->fd = -1;
}

static void accept_peer(const struct wtl_loopback *loopback, struct peer peers[PEERS])
{
    const struct timeval limit = {.tv_sec = ANSWER_S};
    struct peer *place = &peers[0]; /* the one that waits longest, if none is free */
    int fd = accept4(loopback->listener, NULL, NULL, SOCK_CLOEXEC);
    if (fd < 0)
        return;
    for (size_t i = 0; i < PEERS; i++) {
        if (peers[i].fd < 0) {
            place = &peers[i];
            break;
        }
        place = peers[i].until < place->until ? &peers[i] : place;
    }
    if (place->fd >= 0)
        drop(place);
    (void)setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    place->fd = fd;
    place->size = 0;
    place->until = now() + REQUEST_S;
}

/* What has arrived; answers when the request is complete. */
static void read_peer(const struct wtl_loopback *loopback,
                      struct peer *peer,
                      wtl_loopback_fn answer,
                      void *context)
{
    ssize_t n =
        recv(peer->fd, peer->request + peer->size, REQUEST_BYTES - 1 - peer->size, MSG_DONTWAIT);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (n > 0) {
        peer->size += (size_t)n;
        peer->request[peer->size] = '\0';
        bool whole = strstr(peer->request, "\r\n\r\n") != NULL;
        if (!whole && peer->size < REQUEST_BYTES - 1)
            return;
        if (whole)
            answer_request(loopback, peer, answer, context);
        else
            refuse(peer->fd, "431 Request Header Fields Too Large");
    }
    drop(peer);
}

/* Answer requests until a signal ends the program; returns only if the listener fails. */
static int loopback_serve(const struct wtl_loopback *loopback,
                          wtl_loopback_fn answer,
                          void *context,
                          struct wattle_error *err)
{
    static struct peer peers[PEERS];
    for (size_t i = 0; i < PEERS; i++)
        peers[i].fd = -1;
    for (;;) {
        struct pollfd wait[PEERS + 1] = {{.fd = loopback->listener, .events = POLLIN}};
        for (size_t i = 0; i < PEERS; i++)
            wait[i + 1] = (struct pollfd){.fd = peers[i].fd, .events = POLLIN};
        if (poll(wait, PEERS + 1, REQUEST_S * 1000) < 0 && errno != EINTR)
            return wtl_fail(err, -errno, "waiting for requests: %s", wtl_strerror(errno));
        if (wait[0].revents & (POLLERR | POLLNVAL))
            return wtl_fail(err, -EIO, "the socket for requests failed");
        for (size_t i = 0; i < PEERS; i++) {
            if (peers[i].fd >= 0 && wait[i + 1].revents)
                read_peer(loopback, &peers[i], answer, context);
            else if (peers[i].fd >= 0 && now() > peers[i].until)
                drop(&peers[i]);
        }
        if (wait[0].revents & POLLIN)
            accept_peer(loopback, peers);
    }
}

static void loopback_close(struct wtl_loopback *loopback)
{
    if (loopback->listener >= 0)
        (void)close(loopback->listener);
    loopback->listener = -1;
}

/* port 0: one that is free. 0 or -errno with a sentence. */
static int loopback_open(struct wtl_loopback *loopback, uint16_t port, struct wattle_error *err)
{
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    unsigned char bytes[16];
    const int yes = 1;
    *loopback = (struct wtl_loopback){.listener = -1};
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
        return wtl_fail(err, -EIO, "no random numbers for the address of the page");
    for (size_t i = 0; i < sizeof bytes; i++)
        (void)snprintf(loopback->token + 2 * i, 3, "%02x", bytes[i]);
    loopback->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (loopback->listener < 0)
        return wtl_fail(err, -errno, "no socket for the page: %s", wtl_strerror(errno));
    (void)setsockopt(loopback->listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (bind(loopback->listener, (struct sockaddr *)&address, sizeof address) < 0 ||
        listen(loopback->listener, PEERS) < 0 ||
        getsockname(loopback->listener, (struct sockaddr *)&address, &size) < 0) {
        int code = errno;
        loopback_close(loopback);
        return wtl_fail(err, -code, "port %u of 127.0.0.1 for the page: %s%s", port,
                        wtl_strerror(code),
                        code == EADDRINUSE ? "; choose another one with --port" : "");
    }
    loopback->port = ntohs(address.sin_port);
    (void)snprintf(loopback->address, sizeof loopback->address, "http://127.0.0.1:%u/%s/",
                   loopback->port, loopback->token);
    return 0;
}

/* ---- the page ---- */

int wtl_report_serve(const struct wtl_report_serve *serve, struct wattle_error *err)
{
    struct answering a = {.serve = serve};
    struct wtl_loopback loopback;
    int rc = make_page(&a, err);
    rc = rc < 0 ? rc : loopback_open(&loopback, serve->port, err);
    if (rc == 0) {
        (void)printf("%s\nOpen this address in a browser on this machine; Ctrl-C ends it.\n",
                     loopback.address);
        rc = wtl_flush(stdout, err);
        rc = rc < 0 ? rc : loopback_serve(&loopback, answer_path, &a, err);
        loopback_close(&loopback);
    }
    free(a.page);
    free(a.tile.data);
    free(a.text);
    return rc;
}
