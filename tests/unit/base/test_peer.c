/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Peers that answer requests: the same questions to real peers, created by this test (sockets on
 * loopback, pseudo-terminals, programs), and to a recorded host with their dialogues. The answers
 * are the same. No timing is asserted except that a deadline ends the wait.
 */
#define _GNU_SOURCE
#include "base/world/world.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <termios.h>
#include <unistd.h>

#include "base/world/world_noting.h"
#include "base/world/world_recorded.h"
#include "tap.h"

enum { TCP, UNIX, UDP, LINE, DEVICE, SERVERS };

static char folder[] = "/tmp/wattle-peer-XXXXXX";
static char names[SERVERS][128]; /* addresses */
static char refused[64];         /* an address without a listener */
static int listening[SERVERS];   /* sockets and masters of terminals */
static int held[SERVERS];        /* the other ends of terminals, which would hang up if closed */

static uint64_t in_ms(const struct wtl_world *world, uint64_t ms)
{
    return wtl_world_monotonic(world) + ms * 1000000;
}

/* ---- the peer's side ---- */

static void say(int fd, const char *text)
{
    if (write(fd, text, strlen(text)) < 0)
        diag("the peer cannot write: %s", strerror(errno));
}

/* Answer lines until "bye" or the end. */
static void answer(int fd)
{
    char line[64];
    size_t used = 0;
    while (used < sizeof line && read(fd, line + used, 1) == 1) {
        if (line[used++] != '\n')
            continue;
        line[used - 1] = '\0';
        used = 0;
        if (strcmp(line, "bye") == 0)
            return;
        if (strcmp(line, "power?") == 0)
            say(fd, "12.5 W\n");
        if (strcmp(line, "parts?") == 0) {
            say(fd, "12");
            (void)usleep(5000);
            say(fd, ".5 W\n");
        }
    }
}

static void *serve(void *arg)
{
    int fd;
    while ((fd = accept(*(int *)arg, NULL, NULL)) >= 0) {
        answer(fd);
        (void)close(fd);
    }
    return NULL;
}

static void *serve_terminal(void *arg)
{
    answer(*(int *)arg);
    return NULL;
}

static void *serve_datagrams(void *arg)
{
    struct sockaddr_in from;
    socklen_t n = sizeof from;
    char text[64];
    while (recvfrom(*(int *)arg, text, sizeof text, 0, (struct sockaddr *)&from, &n) > 0) {
        if (text[0] == 'q')
            break;
        if (text[0] == '?' || text[0] == 'c')
            (void)sendto(*(int *)arg, "\x01\x02!\0x", 5, 0, (struct sockaddr *)&from, n);
    }
    return NULL;
}

static bool listen_inet(int which, int type, const char *form)
{
    struct sockaddr_in name = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t n = sizeof name;
    int fd = socket(AF_INET, type | SOCK_CLOEXEC, 0);
    listening[which] = fd;
    if (fd < 0 || bind(fd, (struct sockaddr *)&name, n) < 0 ||
        getsockname(fd, (struct sockaddr *)&name, &n) < 0 ||
        (type == SOCK_STREAM && listen(fd, 4) < 0))
        return false;
    (void)snprintf(names[which], sizeof names[which], "%s:127.0.0.1:%d", form,
                   ntohs(name.sin_port));
    return true;
}

static bool listen_unix(void)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    listening[UNIX] = fd;
    (void)snprintf(name.sun_path, sizeof name.sun_path, "%s/socket", folder);
    (void)snprintf(names[UNIX], sizeof names[UNIX], "unix:%.100s", name.sun_path);
    return fd >= 0 && bind(fd, (struct sockaddr *)&name, sizeof name) == 0 && listen(fd, 4) == 0;
}

static bool open_terminal(int which, const char *before, const char *after)
{
    struct winsize size = {.ws_row = 24, .ws_col = 80};
    struct termios mode;
    int fd = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    listening[which] = fd;
    if (fd < 0 || grantpt(fd) < 0 || unlockpt(fd) < 0 || tcgetattr(fd, &mode) < 0)
        return false;
    cfmakeraw(&mode);
    (void)tcsetattr(fd, TCSANOW, &mode);
    (void)ioctl(fd, TIOCSWINSZ, &size);
    (void)snprintf(names[which], sizeof names[which], "%s%s%s", before, ptsname(fd), after);
    held[which] = open(ptsname(fd), O_RDWR | O_NOCTTY | O_CLOEXEC);
    return held[which] >= 0;
}

/* Read up to a line end, in as many parts as it arrives: returns its length, or -errno. */

/* Read up to a line end, in as many parts as it arrives: returns its length, or -errno. */
static ssize_t line_of(const struct wtl_world *world, int fd, char *line, size_t n)
{
    size_t used = 0;
    ssize_t got = 1;
    while (used + 1 < n && got > 0 && (used == 0 || line[used - 1] != '\n')) {
        got = world->ops->recv(world, fd, line + used, n - used - 1, in_ms(world, 60000));
        used += got > 0 ? (size_t)got : 0;
    }
    line[used] = '\0';
    return got < 0 ? got : (ssize_t)used;
}

static void ask(const struct wtl_world *world, int fd, const char *question, const char *want)
{
    char line[64];
    is_int(world->ops->send(world, fd, question, strlen(question), in_ms(world, 60000)), 0,
           "it is sent: %.6s", question);
    (void)line_of(world, fd, line, sizeof line);
    is_str(line, want, "and answered");
}

static void talk_stream(const struct wtl_world *world, const char *address, bool closes)
{
    char text[8];
    int fd = wtl_world_connect(world, address, in_ms(world, 60000));
    if (!ok(fd >= 0, "%s opens: %d", address, fd))
        return;
    is_int(world->ops->recv(world, fd, text, sizeof text, in_ms(world, 20)), -ETIMEDOUT,
           "nothing is said unasked");
    is_int(world->ops->wait(world, fd, in_ms(world, 20)), -ETIMEDOUT, "nor waited for");
    is_int(world->ops->recv(world, fd, text, sizeof text, 0), -ETIMEDOUT,
           "a deadline that is over asks once");
    ask(world, fd, "power?\n", "12.5 W\n");
    ask(world, fd, "parts?\n", "12.5 W\n");
    is_int(world->ops->send(world, fd, "power?\n", 7, in_ms(world, 60000)), 0, "asked");
    is_int(world->ops->wait(world, fd, in_ms(world, 60000)), 0, "there is something");
    is_int(world->ops->recv(world, fd, text, 2, 0), 2, "two bytes of it");
    ok(memcmp(text, "12", 2) == 0, "the first");
    is_int(line_of(world, fd, text, sizeof text), 5, "and the rest");
    is_str(text, ".5 W\n", "as it is");
    is_int(world->ops->send(world, fd, "mute?\n", 6, in_ms(world, 60000)), 0, "asked");
    is_int(world->ops->recv(world, fd, text, sizeof text, in_ms(world, 20)), -ETIMEDOUT,
           "no answer");
    if (closes) {
        is_int(world->ops->send(world, fd, "bye\n", 4, in_ms(world, 60000)), 0, "end");
        is_int(world->ops->recv(world, fd, text, sizeof text, in_ms(world, 60000)), 0,
               "the other end closes");
    }
    if (strncmp(address, "unix:", 5) == 0)
        is_int(world->ops->send(world, fd, "power?\n", 7, in_ms(world, 60000)), -EPIPE,
               "nobody hears");
    world->ops->close(world, fd);
}

static void talk_datagrams(const struct wtl_world *world)
{
    uint8_t bytes[8];
    int fd = wtl_world_connect(world, names[UDP], in_ms(world, 60000));
    if (!ok(fd >= 0, "%s opens: %d", names[UDP], fd))
        return;
    is_int(world->ops->send(world, fd, "?", 1, in_ms(world, 60000)), 0, "asked");
    is_int(world->ops->recv(world, fd, bytes, sizeof bytes, in_ms(world, 60000)), 5, "five bytes");
    ok(memcmp(bytes, "\x01\x02!\0x", 5) == 0, "all of them");
    /* Another request: recorded answers to the same request differ only in time, which a busy machine
     * shifts. */
    is_int(world->ops->send(world, fd, "cut", 3, in_ms(world, 60000)), 0, "asked");
    is_int(world->ops->recv(world, fd, bytes, 2, in_ms(world, 60000)), -EMSGSIZE,
           "a datagram is not cut in silence");
    is_int(world->ops->send(world, fd, "m", 1, in_ms(world, 60000)), 0, "asked");
    is_int(world->ops->recv(world, fd, bytes, sizeof bytes, in_ms(world, 20)), -ETIMEDOUT,
           "no answer");
    world->ops->close(world, fd);
}

static void talk_device(const struct wtl_world *world)
{
    struct winsize size = {0};
    int count = 0;
    char text[8];
    const struct wtl_ioctl get_size = {TIOCGWINSZ, &size, sizeof size, NULL, 0},
                           get_count = {FIONREAD, &count, sizeof count, NULL, 0},
                           nothing = {0xff, &count, sizeof count, NULL, 0};
    int fd = wtl_world_connect(world, names[DEVICE], in_ms(world, 60000));
    if (!ok(fd >= 0, "%s opens: %d", names[DEVICE], fd))
        return;
    is_int(world->ops->ioctl(world, fd, &get_size), 0, "an ioctl");
    ok(size.ws_row == 24 && size.ws_col == 80 && size.ws_xpixel == 0, "its answer");
    is_int(world->ops->ioctl(world, fd, &nothing), -ENOTTY, "an ioctl that there is not");
    is_int(world->ops->send(world, fd, "power?\n", 7, in_ms(world, 60000)), 0, "asked");
    is_int(world->ops->wait(world, fd, in_ms(world, 60000)), 0, "waited for");
    is_int(world->ops->ioctl(world, fd, &get_count), 0, "how much");
    is_int(count, 7, "as much");
    is_int(line_of(world, fd, text, sizeof text), 7, "received");
    world->ops->close(world, fd);
}

/* The whole output of a program and how it ended. */
static int run(const struct wtl_world *world, const char *const argv[], char *text, size_t n)
{
    pid_t child;
    size_t used = 0;
    ssize_t got;
    int fd = wtl_world_spawn(world, argv, &child);
    text[0] = '\0';
    if (fd < 0)
        return fd;
    while (used + 1 < n &&
           (got = world->ops->recv(world, fd, text + used, n - used - 1, in_ms(world, 60000))) > 0)
        used += (size_t)got;
    text[used] = '\0';
    world->ops->close(world, fd);
    return world->ops->reap(world, child, in_ms(world, 60000));
}

static void talk_programs(const struct wtl_world *world)
{
    char text[64];
    pid_t child;
    const char *const print[] = {"printf", "power %s W\\n", "12", NULL},
                      *const fails[] = {"false", NULL}, *const slow[] = {"sleep", "1000", NULL},
                      *const none[] = {"/nonexistent/meter", NULL},
                      *const language[] = {"printenv", "LC_ALL", NULL};
    is_int(run(world, print, text, sizeof text), 0, "a program");
    is_str(text, "power 12 W\n", "its output");
    is_int(run(world, language, text, sizeof text), 0, "its environment");
    is_str(text, "C\n", "its language");
    is_int(run(world, fails, text, sizeof text), 1, "one that fails");
    is_int(run(world, none, text, sizeof text), -ENOENT, "one that is not there");
    int fd = wtl_world_spawn(world, slow, &child);
    if (!ok(fd >= 0, "one that is slow: %d", fd))
        return;
    is_int(world->ops->recv(world, fd, text, sizeof text, in_ms(world, 20)), -ETIMEDOUT,
           "says nothing");
    world->ops->close(world, fd);
    is_int(world->ops->reap(world, child, in_ms(world, 20)), -ETIMEDOUT, "and is killed");
    is_int(world->ops->reap(world, child, in_ms(world, 20)), -ECHILD, "once");
}

/* A program that answers: what it is told comes back, and it ends with its input. */
static void converse(const struct wtl_world *world)
{
    char text[64];
    pid_t child;
    const char *const echo[] = {"cat", NULL}, *const none[] = {"wattle-nonexistent", NULL};
    is_int(wtl_world_converse(world, none, &child), -ENOENT, "none such");
    int fd = wtl_world_converse(world, echo, &child);
    if (!ok(fd >= 0, "one that answers: %d", fd))
        return;
    for (int i = 0; i < 2; i++) {
        is_int(world->ops->send(world, fd, "power?\n", 7, in_ms(world, 60000)), 0, "asked");
        is_int(world->ops->wait(world, fd, in_ms(world, 60000)), 0, "waited for");
        is_int(line_of(world, fd, text, sizeof text), 7, "answered");
    }
    is_int(world->ops->recv(world, fd, text, sizeof text, in_ms(world, 20)), -ETIMEDOUT, "once");
    world->ops->close(world, fd);
    is_int(world->ops->reap(world, child, in_ms(world, 60000)), 0, "it ends");
}

static void talk(const struct wtl_world *world)
{
    static const char *const bad[] = {"tcp:127.0.0.1", "tcp::80", "tcp:127.0.0.1:http",
                                      "udp:::1:5",     "unix:",   "http://x",
                                      "tty:/dev/null", "",        "tty:/dev/x:9600"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad && !world->virtual_time; i++)
        is_int(wtl_world_connect(world, bad[i], in_ms(world, 20)), -EINVAL, "no address: '%s'",
               bad[i]);
    is_int(wtl_world_connect(world, refused, in_ms(world, 60000)), -ECONNREFUSED, "nobody listens");
    is_int(wtl_world_connect(world, "/nonexistent/device", in_ms(world, 20)), -ENOENT,
           "no such device");
    is_int(wtl_world_connect(world, "unix:/nonexistent/socket", in_ms(world, 20)), -ENOENT,
           "no such socket");
    talk_stream(world, names[TCP], true);
    talk_stream(world, names[UNIX], true);
    talk_datagrams(world);
    if (names[LINE][0])
        talk_stream(world, names[LINE], false);
    if (names[DEVICE][0])
        talk_device(world);
}

/* ---- real only ---- */

static void test_lines(void)
{
    const struct wtl_world *world = wtl_world_real();
    static const char *const modes[] = {":9601:8N1", ":9600:8X1", ":9600:9N1", ":9600:8N",
                                        ":9600:"};
    char address[160];
    for (size_t i = 0; i < sizeof modes / sizeof *modes && names[DEVICE][0]; i++) {
        (void)snprintf(address, sizeof address, "tty:%s%s", names[DEVICE], modes[i]);
        is_int(wtl_world_connect(world, address, 0), -EINVAL, "no line: %s", modes[i]);
    }
    is_int(wtl_world_connect(world, "tty:/dev/null:9600:8N1", 0), -ENOTTY, "no terminal");
}

/* A pointer within the argument: set for the kernel, and removed afterwards. */
static void test_parts(void)
{
    const struct wtl_world *world = wtl_world_real();
    struct ifreq found[8] = {0};
    struct ifconf block = {.ifc_len = sizeof found};
    const struct wtl_ioctl_part part = {offsetof(struct ifconf, ifc_buf), found, sizeof found},
                                wrong = {sizeof block - 1, found, sizeof found};
    struct wtl_ioctl call = {SIOCGIFCONF, &block, sizeof block, &part, 1};
    int fd = wtl_world_connect(world, names[UDP], in_ms(world, 60000));
    is_int(world->ops->ioctl(world, fd, &call), 0, "an argument with a pointer");
    ok(block.ifc_buf == NULL, "the pointer is gone");
    ok(block.ifc_len >= (int)sizeof *found && found[0].ifr_name[0],
       "and what it pointed to is there");
    call.parts = &wrong;
    is_int(world->ops->ioctl(world, fd, &call), -EINVAL, "a pointer beyond the block");
    world->ops->close(world, fd);
}

/* As in a host program: signals blocked and ignored, descriptors left open. */
static void test_clean_child(void)
{
    const struct wtl_world *world = wtl_world_real();
    const char *const signals[] = {"grep", "^Sig[BI]", "/proc/self/status", NULL},
                      *const descriptors[] = {"ls", "/proc/self/fd", NULL},
                      *const leaves[] = {"/bin/sh", "-c", "sleep 1000 & echo $!", NULL};
    char text[256], path[64];
    sigset_t all, old;
    (void)sigfillset(&all);
    (void)signal(SIGPIPE, SIG_IGN);
    (void)pthread_sigmask(SIG_SETMASK, &all, &old);
    int left_open = fcntl(STDOUT_FILENO, F_DUPFD, 57);
    is_int(run(world, signals, text, sizeof text), 0, "signals");
    const char *ignored = strstr(text, "SigIgn:");
    ok(strncmp(text, "SigBlk:\t0000000000000000\n", 25) == 0, "none is blocked");
    ok(ignored && !(strtoull(ignored + 7, NULL, 16) & 1u << (SIGPIPE - 1)), "PIPE is not ignored");
    is_int(run(world, descriptors, text, sizeof text), 0, "descriptors");
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 34)
    is_str(text, "0\n1\n2\n3\n", "those of the program alone (3 is the folder)");
#endif
    (void)close(left_open);
    (void)pthread_sigmask(SIG_SETMASK, &old, NULL);
    (void)signal(SIGPIPE, SIG_DFL);
    pid_t child;
    int fd = wtl_world_spawn(world, leaves, &child);
    (void)line_of(world, fd, text, sizeof text);
    world->ops->close(world, fd);
    is_int(world->ops->reap(world, child, in_ms(world, 60000)), 0, "a program that leaves another");
    (void)snprintf(path, sizeof path, "/proc/%ld/stat", strtol(text, NULL, 10));
    char state = '?';
    for (int i = 0; i < 6000 && state; i++) {
        ssize_t n = wtl_world_text(world, path, text, sizeof text);
        const char *name = n > 0 ? strrchr(text, ')') : NULL;
        state = name && name[2] != 'Z' ? name[2] : '\0'; /* gone, or a zombie */
        if (state)
            (void)usleep(10000);
    }
    ok(!state, "which is gone with it");
}

static void test_library(void)
{
    const struct wtl_world *world = wtl_world_library();
    const char *const argv[] = {"true", NULL};
    char text[8];
    pid_t child;
    is_int(wtl_world_spawn(world, argv, &child), -ENOTSUP, "a library starts no programs");
    int fd = wtl_world_connect(world, names[TCP], in_ms(world, 60000)), own = -1;
    ask(world, fd, "power?\n", "12.5 W\n");
    struct sockaddr_in server = {0}, peer = {0};
    socklen_t n = sizeof server;
    int pair[2] = {-1, -1};
    (void)getsockname(listening[TCP], (struct sockaddr *)&server, &n);
    (void)socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair);
    for (int i = 3; i < 1024 && own < 0; i++) { /* our end: the program closes it in favour of its
                                                 * own */
        n = sizeof peer;
        if (getpeername(i, (struct sockaddr *)&peer, &n) == 0 && peer.sin_family == AF_INET &&
            peer.sin_port == server.sin_port)
            own = dup2(pair[0], i);
    }
    ok(own >= 0, "the program's own socket");
    is_int(world->ops->send(world, fd, "power?\n", 7, 0), -EBADF, "nothing is sent into it");
    is_int(world->ops->recv(world, fd, text, sizeof text, 0), -EBADF, "nor taken from it");
    is_int(world->ops->wait(world, fd, 0), -EBADF, "nor waited for");
    world->ops->close(world, fd);
    ok(fcntl(own, F_GETFD) >= 0, "it stays open");
    (void)close(own);
    (void)close(pair[0]);
    (void)close(pair[1]);
}

/* ---- recorded only ---- */

static void put_stream(FILE *file, const char *name)
{
    (void)fprintf(file,
                  "0\t%s\tpower?\\n\t12.5 W\\n\t2ms\n"
                  "0\t%s\tparts?\\n\t12\n"
                  "0\t%s\tparts?\\n\t.5 W\\n\t5ms\n"
                  "0\t%s\tmute?\\n\t!silent\n"
                  "0\t%s\tbye\\n\t!close\t1ms\n",
                  name, name, name, name, name);
}

/* A host with the written dialogues; closes the file. */
static struct wtl_world *open_host(FILE *file)
{
    char path[64];
    struct wtl_world *world = NULL;
    struct wattle_error err = {{0}};
    (void)fclose(file);
    (void)snprintf(path, sizeof path, "%s/root", folder);
    (void)mkdir(path, 0700);
    ok(wtl_world_recorded(folder, &world, &err) == 0, "a recorded host: %s", err.text);
    (void)snprintf(path, sizeof path, "%s/dialogues.tsv", folder);
    (void)unlink(path);
    return world;
}

static FILE *create_dialogues(void)
{
    char path[64];
    (void)snprintf(path, sizeof path, "%s/dialogues.tsv", folder);
    return fopen(path, "w");
}

static struct wtl_world *record(void)
{
    FILE *file = create_dialogues();
    if (!file)
        return NULL;
    put_stream(file, names[TCP]);
    put_stream(file, names[UNIX]);
    if (names[LINE][0])
        put_stream(file, names[LINE]);
    (void)fprintf(file,
                  "0\t%s\t?\t\\x01\\x02!\\0x\n0\t%s\tcut\t\\x01\\x02!\\0x\n0\t%s\tm\t!silent\n",
                  names[UDP], names[UDP], names[UDP]);
    if (names[DEVICE][0])
        (void)fprintf(file,
                      "0\t%s\t!ioctl 0x%x \t!ioctl 0x%x 0 \\x18\\0P\n"
                      "0\t%s\t!ioctl 0xff \t!ENOTTY\n"
                      "0\t%s\tpower?\\n\t12.5 W\\n\t2ms\n"
                      "0\t%s\t!ioctl 0x%x \t!ioctl 0x%x 0 \\x07\n",
                      names[DEVICE], TIOCGWINSZ, TIOCGWINSZ, names[DEVICE], names[DEVICE],
                      names[DEVICE], FIONREAD, FIONREAD);
    (void)fputs("0\texec:printf power\\s%s\\sW\\\\n 12\t!open\tpower 12 W\\n\n"
                "0\texec:printenv LC_ALL\t!open\tC\\n\n"
                "0\texec:false\t!open\t!exit 1\n"
                "0\texec:cat\tpower?\\n\tpower?\\n\n"
                "0\texec:sleep 1000\t!open\t!silent\n",
                file);
    return open_host(file);
}

/* What is noted from the real peers answers as they did. */
static void test_noted(void)
{
    struct wtl_world *noting, *world = NULL;
    char *text = NULL;
    if (!ok(wtl_world_noting(wtl_world_real(), &noting) == 0, "a world that notes"))
        return;
    talk(noting);
    talk_programs(noting);
    converse(noting);
    is_int(wtl_world_noted_dialogues(noting, &text), 0, "what it noted");
    ok(wtl_world_noted_all(noting), "all of it");
    wtl_world_noting_close(noting);
    FILE *file = create_dialogues();
    if (file && text) {
        (void)fputs(text, file);
        world = open_host(file);
    }
    if (world) {
        talk(world);
        talk_programs(world);
        converse(world);
        ok(wtl_world_recorded_unanswered(world) == NULL, "nothing is missing: %s", text);
        is_int(wtl_world_recorded_open_fds(world), 0, "nothing stays open");
    }
    wtl_world_close(world);
    free(text);
}

static void test_unanswered(struct wtl_world *world)
{
    ok(wtl_world_recorded_unanswered(world) == NULL, "all was answered");
    int fd = wtl_world_connect(world, names[TCP], 0);
    is_int(world->ops->send(world, fd, "volts?\n", 7, 0), -EPROTO, "what is not there");
    char want[160];
    (void)snprintf(want, sizeof want, "%s\tvolts?\\n", names[TCP]);
    is_str(wtl_world_recorded_unanswered(world), want, "and which");
    world->ops->close(world, fd);
    is_int(world->ops->send(world, fd, "power?\n", 7, 0), -EBADF, "closed");
    is_int(wtl_world_recorded_open_fds(world), 0, "nothing stays open");
}

static bool set_up(pthread_t threads[SERVERS])
{
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct sockaddr_in name = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t n = sizeof name;
    if (fd < 0 || bind(fd, (struct sockaddr *)&name, n) < 0 ||
        getsockname(fd, (struct sockaddr *)&name, &n) < 0)
        return false;
    (void)snprintf(refused, sizeof refused, "tcp:127.0.0.1:%d", ntohs(name.sin_port));
    if (!listen_inet(TCP, SOCK_STREAM, "tcp") || !listen_inet(UDP, SOCK_DGRAM, "udp") ||
        !listen_unix())
        return false;
    if (!open_terminal(LINE, "tty:", ":9600:8N1") || !open_terminal(DEVICE, "", "")) {
        diag("no pseudo-terminals here");
        names[LINE][0] = names[DEVICE][0] = '\0';
    }
    static void *(*const serves[SERVERS])(void *) = {serve, serve, serve_datagrams, serve_terminal,
                                                     serve_terminal};
    for (int i = 0; i < SERVERS; i++) {
        if (names[i][0])
            (void)pthread_create(&threads[i], NULL, serves[i], &listening[i]);
    }
    return true; /* the port of `refused` stays bound, so that no other process gets it */
}

int main(void)
{
    pthread_t threads[SERVERS];
    char path[64];
    if (!mkdtemp(folder) || !set_up(threads))
        skip_all("no sockets on loopback");
    talk(wtl_world_real());
    talk_programs(wtl_world_real());
    converse(wtl_world_real());
    test_lines();
    test_parts();
    test_clean_child();
    talk(wtl_world_library());
    test_library();
    struct wtl_world *world = record();
    if (world) {
        talk(world);
        talk_programs(world);
        converse(world);
        test_unanswered(world);
        wtl_world_close(world);
    }
    test_noted();
    for (int i = 0; i < SERVERS; i++) {
        if (!names[i][0])
            continue;
        int fd =
            wtl_world_connect(wtl_world_real(), names[i], 0); /* a terminal: its end is noticed */
        if (i == UDP)
            (void)wtl_world_real()->ops->send(wtl_world_real(), fd, "q", 1, 0);
        if (i == LINE || i == DEVICE)
            (void)wtl_world_real()->ops->send(wtl_world_real(), fd, "bye\n", 4, 0);
        else if (i != UDP)
            (void)shutdown(listening[i], SHUT_RDWR);
        if (i != LINE && i != DEVICE && i != UDP)
            wtl_world_real()->ops->close(wtl_world_real(), fd);
        (void)pthread_join(threads[i], NULL);
    }
    (void)snprintf(path, sizeof path, "%s/socket", folder);
    (void)unlink(path);
    (void)snprintf(path, sizeof path, "%s/root", folder);
    (void)rmdir(path);
    (void)rmdir(folder);
    return done_testing();
}
