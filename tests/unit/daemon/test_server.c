/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The server of wattled and hostile peers, all in this process: the server never blocks, so a client's step and
 * a round of the server alternate. As root, clients of other users connect with their effective user.
 */
#define _GNU_SOURCE
#include "daemon/server.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "tap.h"

enum { USER = 4711, OTHER = 4712, LIMIT_OF_USER = 256 };

static char folder[64], path[96];
static int page_fd;
static size_t readers;
static uid_t revoked = (uid_t)-1;

static void on_request(void *context,
                       uid_t uid,
                       const struct wtl_request_line *request,
                       struct wtl_reply *reply)
{
    (void)context;
    if (request->verb != WTL_REQUEST_PAGE) {
        wtl_reply_add(reply, "ok %u", (unsigned)uid);
        return;
    }
    wtl_reply_add(reply, "ok full");
    reply->fd = page_fd;
    reply->presence = WTL_READS_FULL;
}

static bool may_read(void *context, uid_t uid, enum wtl_presence presence)
{
    (void)context;
    return presence != WTL_READS_FULL || uid != revoked;
}

static void on_readers(void *context, size_t full, size_t coarse)
{
    (void)context;
    readers = full + coarse;
}

static const struct wtl_server_ops ops = {on_request, on_readers, may_read};

static struct wtl_server *open_server(void)
{
    struct wtl_server *server = NULL;
    struct wattle_error err = {""};
    if (!ok(wtl_server_open(path, &ops, NULL, &server, &err) == 0, "listens%s", err.text))
        exit(done_testing());
    return server;
}

/* Serve until nothing waits: the number of rounds is bounded by what the clients have sent. */
static void serve(struct wtl_server *server)
{
    for (int i = 0; i < 20; i++)
        wtl_server_serve(server);
}

static struct wtl_server_stats stats_of(const struct wtl_server *server)
{
    struct wtl_server_stats stats;
    wtl_server_stats(server, &stats);
    return stats;
}

static int join(int fd)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    (void)snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    return connect(fd, (struct sockaddr *)&address, sizeof address) < 0 ? -errno : 0;
}

static int client(void)
{
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd >= 0 && join(fd) < 0) {
        (void)close(fd);
        fd = -1;
    }
    return fd;
}

static int client_of(uid_t uid)
{
    if (seteuid(uid) < 0)
        return -1;
    int fd = client();
    return seteuid(0) < 0 ? -1 : fd;
}

static const char *hear(int fd, char *reply, size_t n)
{
    ssize_t got = recv(fd, reply, n - 1, MSG_DONTWAIT);
    reply[got > 0 ? got : 0] = '\0';
    return got < 0 ? "(nothing)" : got == 0 ? "(closed)" : reply;
}

static const char *say(struct wtl_server *server, int fd, const void *packet, size_t n, char *reply)
{
    (void)send(fd, packet, n, MSG_NOSIGNAL | MSG_DONTWAIT);
    serve(server);
    return hear(fd, reply, 300);
}

static int open_files(void)
{
    int count = 0;
    for (int fd = 0; fd < 8192; fd++)
        count += fcntl(fd, F_GETFD) >= 0;
    return count;
}

static void test_garbage(void)
{
    struct wtl_server *server = open_server();
    char reply[300], packet[70000];
    struct stat about;
    ok(stat(path, &about) == 0 && (about.st_mode & 0777) == 0666, "anybody may connect");
    int fd = client();
    serve(server);
    memset(packet, 'a', sizeof packet);
    ok(strncmp(say(server, fd, packet, 255, reply), "no request unknown", 18) == 0, "%s", reply);
    ok(strncmp(say(server, fd, packet, 256, reply), "no request a request is", 23) == 0, "%s",
       reply);
    ok(strncmp(say(server, fd, packet, sizeof packet, reply), "no request", 10) == 0,
       "a packet of 70000 bytes: %s", reply);
    memset(packet, 0, 100);
    ok(strncmp(say(server, fd, packet, 100, reply), "no request", 10) == 0, "zeros: %s", reply);
    is_int(stats_of(server).malformed, 4, "all are counted");
    ok(strncmp(say(server, fd, "status", 6, reply), "ok", 2) == 0, "then a request: %s", reply);
    is_str(say(server, fd, "", 0, reply), "(closed)", "an empty packet closes the connection");
    is_int(stats_of(server).connections, 0, "and frees its place");
    (void)close(fd);
    wtl_server_close(server);
    ok(access(path, F_OK) < 0, "the socket is removed at the end");
}

/* Descriptors and credentials that a peer sends do not arrive. */
static void test_gifts(void)
{
    struct wtl_server *server = open_server();
    int fd = client(), gift = open("/dev/null", O_RDONLY | O_CLOEXEC);
    serve(server);
    int before = open_files();
    union {
        struct cmsghdr align;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control = {.bytes = ""};
    char text[] = "status", reply[300];
    struct iovec part = {text, 6};
    struct msghdr message = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = control.bytes,
                             .msg_controllen = sizeof control.bytes};
    struct cmsghdr *head = CMSG_FIRSTHDR(&message);
    *head = (struct cmsghdr){CMSG_LEN(sizeof(int)), SOL_SOCKET, SCM_RIGHTS};
    memcpy(CMSG_DATA(head), &gift, sizeof gift);
    for (int i = 0; i < 100; i++) {
        (void)sendmsg(fd, &message, MSG_NOSIGNAL);
        serve(server);
        (void)hear(fd, reply, sizeof reply);
    }
    is_int(open_files(), before, "100 descriptors sent to the server have not been received");
    (void)close(gift);
    (void)close(fd);
    wtl_server_close(server);
}

static void test_readers(void)
{
    struct wtl_server *server = open_server();
    char reply[300];
    int a = client(), b = client();
    serve(server);
    is_int(readers, 0, "a connection is not a reader");
    (void)say(server, a, "page 2", 6, reply);
    is_int(readers, 1, "one that got a page is");
    (void)say(server, a, "page 2", 6, reply);
    (void)say(server, b, "page 2", 6, reply);
    is_int(readers, 2, "each once");
    (void)shutdown(a, SHUT_WR);
    serve(server);
    is_int(readers, 1, "half closed is closed");
    wtl_server_review(server);
    is_int(readers, 1, "it may still read");
    revoked = geteuid();
    wtl_server_review(server);
    revoked = (uid_t)-1;
    is_int(readers, 0, "dropped");
    is_str(hear(b, reply, sizeof reply), "(closed)", "and told so");
    (void)close(a);
    (void)close(b);
    wtl_server_close(server);
}

/* A peer that sends requests and never reads a reply. */
static void test_deaf(void)
{
    struct wtl_server *server = open_server();
    int fd = client();
    serve(server);
    for (int i = 0; i < 5000; i++) {
        (void)send(fd, "status", 6, MSG_NOSIGNAL | MSG_DONTWAIT);
        wtl_server_serve(server);
    }
    is_int(stats_of(server).connections, 0, "it is closed");
    (void)close(fd);
    wtl_server_close(server);
}

/* Pages that nobody receives stay bounded in number, whatever way the connections are ended. */
static void test_pages_under_way(void)
{
    struct wtl_server *server = open_server();
    enum { CLIENTS = 400 };
    int fds[CLIENTS], held = 0;
    for (int i = 0; i < CLIENTS; i++) {
        fds[i] = client_of(USER);
        serve(server);
        (void)send(fds[i], "page 2", 6, MSG_NOSIGNAL | MSG_DONTWAIT);
        serve(server);
        (void)send(fds[i], "page 2", 6, MSG_NOSIGNAL | MSG_DONTWAIT);
        (void)shutdown(fds[i], i % 2 ? SHUT_WR : SHUT_RDWR);
        serve(server);
    }
    is_int(stats_of(server).connections, LIMIT_OF_USER, "each keeps its place");
    is_int(stats_of(server).refused, CLIENTS - LIMIT_OF_USER, "so that the rest is refused");
    is_int(readers, 0, "though none is a reader any more");
    for (int i = 0; i < CLIENTS; i++) {
        char reply[300];
        held += strncmp(hear(fds[i], reply, sizeof reply), "ok", 2) == 0;
        held -= strncmp(hear(fds[i], reply, sizeof reply), "ok", 2) == 0;
    }
    is_int(held, LIMIT_OF_USER, "one page for each");
    int fd = client_of(USER);
    char reply[300];
    serve(server);
    ok(strncmp(say(server, fd, "page 2", 6, reply), "ok", 2) == 0, "received: places are free");
    is_int(stats_of(server).connections, 1, "all");
    for (int i = 0; i < CLIENTS; i++)
        (void)close(fds[i]);
    (void)close(fd);
    wtl_server_close(server);
}

static void test_users(void)
{
    struct wtl_server *server = open_server();
    enum { CLIENTS = LIMIT_OF_USER + 10 };
    int fds[CLIENTS];
    char reply[300];
    for (int i = 0; i < CLIENTS; i++) {
        fds[i] = client_of(USER);
        serve(server);
    }
    is_int(stats_of(server).connections, LIMIT_OF_USER, "a user has a limit");
    ok(strncmp(hear(fds[CLIENTS - 1], reply, sizeof reply), "no busy this user", 17) == 0, "%s",
       reply);
    int other = client_of(OTHER), root = client();
    serve(server);
    is_str(say(server, other, "status", 6, reply), "ok 4712", "another user is served");
    ok(strncmp(say(server, other, "allow 4712", 10, reply), "no denied", 9) == 0, "%s", reply);
    is_str(say(server, root, "allow 4712", 10, reply), "ok 0", "root is served");
    for (int i = 0; i < CLIENTS; i++)
        (void)close(fds[i]);
    serve(server);
    is_int(stats_of(server).connections, 2, "closed connections are noticed");
    (void)close(other);
    (void)close(root);
    wtl_server_close(server);
}

static void test_full(void)
{
    struct wtl_server *server = open_server();
    enum { CLIENTS = 600 };
    int fds[CLIENTS];
    char reply[300];
    for (int i = 0; i < CLIENTS; i++) {
        fds[i] = client_of((uid_t)(5000 + i));
        serve(server);
    }
    is_int(stats_of(server).connections, CLIENTS, "600 users at once");
    int root = client();
    serve(server);
    is_str(say(server, root, "status", 6, reply), "ok 0", "and root");
    for (int i = 0; i < CLIENTS; i++)
        (void)close(fds[i]);
    (void)close(root);
    wtl_server_close(server);
}

static void test_no_descriptors(void)
{
    struct wtl_server *server = open_server();
    struct rlimit old;
    char reply[300];
    int fds[3];
    for (int i = 0; i < 3; i++)
        fds[i] = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    (void)getrlimit(RLIMIT_NOFILE, &old);
    const struct rlimit none = {(rlim_t)fds[2] + 1, old.rlim_max};
    (void)setrlimit(RLIMIT_NOFILE, &none);
    for (int i = 0; i < 3; i++)
        (void)join(fds[i]);
    serve(server);
    (void)setrlimit(RLIMIT_NOFILE, &old);
    for (int i = 0; i < 3; i++) {
        ok(strncmp(hear(fds[i], reply, sizeof reply), "no busy wattled has no free", 27) == 0,
           "without descriptors: %s", reply);
        (void)close(fds[i]);
    }
    int fd = client();
    serve(server);
    ok(strncmp(say(server, fd, "status", 6, reply), "ok", 2) == 0, "afterwards: %s", reply);
    (void)close(fd);
    wtl_server_close(server);
}

static void test_two(void)
{
    struct wtl_server *server = open_server(), *second = NULL;
    struct wattle_error err = {""};
    is_int(wtl_server_open(path, &ops, NULL, &second, &err), -EADDRINUSE, "a second one: %s",
           err.text);
    wtl_server_close(server);
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    (void)snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    ok(bind(fd, (struct sockaddr *)&address, sizeof address) == 0 && close(fd) == 0,
       "a socket left by one that was killed");
    wtl_server_close(open_server());
    fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    ok(fd >= 0 && close(fd) == 0, "a file in its place");
    ok(wtl_server_open(path, &ops, NULL, &second, &err) < 0, "is not replaced: %s", err.text);
    (void)unlink(path);
}

static void test_many(void)
{
    struct wtl_server *server = open_server();
    enum { MANY = 100000 };
    int before = open_files(), bad = 0;
    char reply[300];
    for (int i = 0; i < MANY; i++) {
        int fd = client();
        wtl_server_serve(server);
        (void)send(fd, "page 2", 6, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (i % 3)
            wtl_server_serve(server);
        bad += i % 3 && strcmp(hear(fd, reply, sizeof reply), "ok full") != 0;
        (void)close(fd);
        wtl_server_serve(server);
    }
    serve(server);
    is_int(bad, 0, "100000 connections, one after the other, are answered");
    is_int(stats_of(server).accepted, MANY, "each was accepted");
    is_int(stats_of(server).connections, 0, "none is left");
    is_int(open_files(), before, "no descriptor either");
    is_int(readers, 0, "no reader either");
    wtl_server_close(server);
}

int main(void)
{
    (void)snprintf(folder, sizeof folder, "/tmp/wattle-server.XXXXXX");
    page_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (!mkdtemp(folder) || chmod(folder, 0755) < 0)
        return 1;
    (void)snprintf(path, sizeof path, "%s/socket", folder);
    test_garbage();
    test_gifts();
    test_readers();
    test_deaf();
    test_no_descriptors();
    test_two();
    test_many();
    struct rlimit files;
    if (geteuid() == 0 && getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_max >= 8192) {
        test_pages_under_way();
        test_users();
        test_full();
    } else {
        skip("connections of other users need root and 8192 open files");
    }
    (void)rmdir(folder);
    return done_testing();
}
