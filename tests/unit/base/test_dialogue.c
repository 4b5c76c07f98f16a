/* SPDX-License-Identifier: BSD-3-Clause */
/* Dialogues: the grammar, conversion from bytes to text and back, which rows apply when, and
 * devices with ioctl on a recorded host. For answers of sockets, lines and programs see
 * test_peer.c. */
#define _GNU_SOURCE
#include "base/world/dialogue.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/world/world_recorded.h"
#include "tap.h"

static void test_grammar(void)
{
    static const struct {
        int line;
        const char *text, *says; /* NULL: valid */
    } rows[] = {
        {__LINE__, "", NULL},
        {__LINE__, "# a\n\n0\ttcp:h:1\tq\ta\n", NULL},
        {__LINE__, "1.5\ttcp:h:1\tq\ta\t20ms\n", NULL},
        {__LINE__, "0\texec:a b\\sc\t!open\t!exit 255\n", NULL},
        {__LINE__, "0\ta\t!open\t!silent\n0\ta\tq\t!close\n0\ta\tq\t!EIO\n", NULL},
        {__LINE__, "0\ta\t\\x21!\\n\\r\\t\\0\\\\ \\xff\t\\s\\x41\\{1+1/s}\\{1-1/s~1s:le8}\n", NULL},
        {__LINE__, "0\ta\t!ioctl 0x1f \\x18|\\s\\x7c|\t!ioctl 0x1f 3 |\\{5+1/s:be2}\n", NULL},
        {__LINE__, "0\ta\tq\t\n", NULL},
        {__LINE__, "0\ta\tq\n", "line 1: expected time"},
        {__LINE__, "\n0\ta\tq\tx\t1s\t\n", "line 2: expected time"},
        {__LINE__, "x\ta\tq\tx\n", "'x' is not a time"},
        {__LINE__, "0\ta\tq\tx\t1y\n", "'1y' is not a delay"},
        {__LINE__, "0\t\tq\tx\n", "peer ''"},
        {__LINE__, "0\ta\\x20b\tq\tx\n", "peer 'a\\x20b'"},
        {__LINE__, "0\ta\t\tx\n", "request ''"},
        {__LINE__, "0\ta\t\\x41\tx\n", "request '\\x41'"},
        {__LINE__, "0\ta\t\\sb\tx\n", "request '\\sb'"},
        {__LINE__, "0\ta\t\\{1+1/s}\tx\n", "request"},
        {__LINE__, "0\ta\t!opened\tx\n", "request '!opened'"},
        {__LINE__, "0\ta\t!ioctl 0x01 \tx\n", "request '!ioctl 0x01 '"},
        {__LINE__, "0\ta\t!ioctl 0x1\tx\n", "request"},
        {__LINE__, "0\ta\t!ioctl 0x1 \\x01\\0\tx\n", "request"},
        {__LINE__, "0\ta\tq\t\\y\n", "answer '\\y'"},
        {__LINE__, "0\ta\tq\t\\x4\n", "answer"},
        {__LINE__, "0\ta\tq\t\\xFF\n", "answer"},
        {__LINE__, "0\ta\tq\t\\{1+1}\n", "answer"},
        {__LINE__, "0\ta\tq\t\\{1+1/s\n", "answer"},
        {__LINE__, "0\ta\tq\t\\{1+1/s:be9}\n", "answer"},
        {__LINE__, "0\ta\tq\t!exit 256\n", "answer '!exit 256'"},
        {__LINE__, "0\ta\tq\t!exit 1 2\n", "answer"},
        {__LINE__, "0\ta\tq\t!EWHAT\n", "answer '!EWHAT'"},
        {__LINE__, "0\ta\tq\t!ioctl 0x1 -1 \n", "answer"},
        {__LINE__, "0\ta\tq\t!ioctl 0x1 0\n", "answer"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct wattle_error err = {""};
        struct wtl_dialogue dialogue = {0};
        tap_line = rows[i].line;
        int rc = wtl_dialogue_parse(rows[i].text, strlen(rows[i].text), &dialogue, &err);
        is_int(rc, rows[i].says ? -EBADMSG : 0, "row %zu: %s", i, err.text);
        ok(strstr(err.text, rows[i].says ? rows[i].says : "") != NULL, "it says: %s", err.text);
        wtl_dialogue_fini(&dialogue);
    }
    tap_line = 0;
    static char longer[5000];
    struct wattle_error err = {""};
    struct wtl_dialogue none;
    memset(longer, 'x', sizeof longer);
    memcpy(longer, "0\ta\tq\t", 6);
    is_int(wtl_dialogue_parse(longer, sizeof longer, &none, &err), -EBADMSG, "a long answer");
    is_int(wtl_dialogue_parse("0\ta\0", 4, &none, &err), -EBADMSG, "a NUL byte");
}

static void test_text(void)
{
    static const struct {
        int line;
        const char *bytes;
        size_t n;
        const char *text;
    } rows[] = {
        {__LINE__, "power?\r\n", 8, "power?\\r\\n"},
        {__LINE__, "!a!", 3, "\\x21a!"},
        {__LINE__, "\x00\x01\xff|a b\\", 8, "\\0\\x01\\xff|a b\\\\"},
        {__LINE__, "GET /power\r\nAuthorization: Basic dXNlcjpw\r\n\r\n", 45,
         "GET /power\\r\\nAuthorization: (hidden)\\r\\n\\r\\n"},
        {__LINE__, "login?password=abc&x=1", 22, "login?password=(hidden)&x=1"},
    };
    char text[WTL_DIALOGUE_TEXT];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tap_line = rows[i].line;
        is_int(wtl_dialogue_text(rows[i].bytes, rows[i].n, text, sizeof text), 0, "text");
        is_str(text, rows[i].text, "as it is written");
    }
    tap_line = 0;
    static const char zeros[WTL_DIALOGUE_BYTES + 1];
    is_int(wtl_dialogue_text(zeros, sizeof zeros - 1, text, sizeof text), 0, "as long as can be");
    is_int(wtl_dialogue_text(zeros, sizeof zeros, text, sizeof text), -EMSGSIZE, "too long");
    is_int(wtl_dialogue_text("abc", 3, text, 3), -EMSGSIZE, "no room");
    const char *const argv[] = {"ipmitool", "-P", "geheim", "a b", "", "c|\n", NULL};
    is_int(wtl_dialogue_command(argv, text, sizeof text), 0, "a command");
    is_str(text, "exec:ipmitool -P (hidden) a\\sb  c\\x7c\\n", "without its password");
    is_str(wtl_dialogue_failure(-EPIPE), "!EPIPE", "an error");
    is_str(wtl_dialogue_failure(EXDEV), "!EIO", "one without a name here");
}

static void test_times(void)
{
    static const char text[] = "5\ta\tq\tfrom5\n"
                               "9\ta\tq\tfrom9\n"
                               "9\ta\tq\tand this\n"
                               "0\ta\tr\tother\n"
                               "2\tb\tq\t\\{10+2/s} \\{10+2/s:be2} \\{258+0/s:le4}\n";
    static const struct {
        int line;
        uint64_t s;
        size_t count;
        const char *first;
    } rows[] = {{__LINE__, 0, 1, "from5"},
                {__LINE__, 5, 1, "from5"},
                {__LINE__, 8, 1, "from5"},
                {__LINE__, 9, 2, "from9"}};
    struct wtl_dialogue dialogue;
    const struct wtl_answer *found = NULL;
    uint8_t bytes[16];
    if (!ok(wtl_dialogue_parse(text, sizeof text - 1, &dialogue, NULL) == 0, "rows"))
        return;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tap_line = rows[i].line;
        is_int(wtl_dialogue_find(&dialogue, "a", "q", rows[i].s * 1000000000, &found),
               rows[i].count, "answers");
        is_str(found->text, rows[i].first, "the first");
    }
    tap_line = 0;
    is_int(wtl_dialogue_find(&dialogue, "a", "s", 0, &found), 0, "no such request");
    is_int(wtl_dialogue_find(&dialogue, "c", "q", 0, &found), 0, "no such peer");
    ok(wtl_dialogue_has(&dialogue, "b") && !wtl_dialogue_has(&dialogue, "c"), "peers");
    is_int(wtl_dialogue_find(&dialogue, "b", "q", 0, &found), 1, "numbers");
    is_int(wtl_dialogue_bytes(found, 5000000000, bytes, sizeof bytes), 10, "after 3 s");
    ok(memcmp(bytes, "16 \0\x10 \x02\x01\0\0", 10) == 0, "as text and as binary");
    is_int(wtl_dialogue_bytes(found, 0, bytes, 9), -EMSGSIZE, "no room");
    wtl_dialogue_fini(&dialogue);
}

/* A controller: a command is accepted at once, its answer is available 4 ms later. */
static const char controller[] =
    "0\t/dev/bmc\t!ioctl 0x10 \\x02|ask\t!ioctl 0x10 0 \\x02|ask\n"
    "0\t/dev/bmc\t!ioctl 0x10 \\x02|ask\t!ioctl 0x11 1 \\x07|\\{118+2/s:le2}\t4ms\n"
    "0\t/dev/bmc\t!ioctl 0x10 \\x02|bad\t!ioctl 0x10 0 \\x02|bad\n"
    "0\t/dev/bmc\t!ioctl 0x10 \\x02|bad\t!EMSGSIZE\n"
    "0\t/dev/bmc\t!ioctl 0x11 |\t!EAGAIN\n"
    "0\t/dev/bmc\t!ioctl 0x12 \t!ioctl 0x13 0 \n"
    "0\t/dev/bmc\t!ioctl 0x14 \t!ioctl 0x14 0 |||toomuch\n"
    "0\t/dev/denied\t!open\t!EACCES\n"
    "0\ttcp:slow:1\t!open\thello\t1s\n"
    "0\ttcp:slow:1\tq\ta\t30ms\n"
    "0\ttcp:slow:1\tlast\t!ECONNRESET\n"
    "0\ttcp:late:1\t!open\t!ETIMEDOUT\t5s\n";

struct message {
    uint8_t head;
    void *data;
};

static int ask(const struct wtl_world *world,
               int fd,
               unsigned long request,
               uint8_t head,
               const char *out,
               uint8_t in[4])
{
    struct message message = {.head = head};
    struct wtl_ioctl_part part = {offsetof(struct message, data), in, 4};
    struct wtl_ioctl call = {request, &message, sizeof message, &part, 1};
    memset(in, 0, 4);
    memcpy(in, out, strlen(out));
    int rc = world->ops->ioctl(world, fd, &call);
    ok(message.data == NULL, "no pointer is left");
    return rc;
}

static void test_controller(const struct wtl_world *world)
{
    uint8_t in[4];
    int fd = wtl_world_connect(world, "/dev/bmc", 0);
    uint64_t before = wtl_world_monotonic(world);
    is_int(ask(world, fd, 0x11, 0, "", in), -EAGAIN, "nothing was asked");
    is_int(ask(world, fd, 0x10, 2, "ask", in), 0, "a command");
    is_int(ask(world, fd, 0x11, 0, "", in), -EAGAIN, "not yet");
    is_int(world->ops->wait(world, fd, before + 1000000), -ETIMEDOUT, "not within 1 ms");
    is_int(wtl_world_monotonic(world) - before, 1000000, "which has passed");
    is_int(world->ops->wait(world, fd, before + 9000000), 0, "but then");
    is_int(wtl_world_monotonic(world) - before, 4000000, "4 ms after the command");
    is_int(ask(world, fd, 0x11, 0, "", in), 1, "fetched");
    is_int(in[0] | in[1] << 8, 118, "watts");
    is_int(ask(world, fd, 0x10, 2, "bad", in), 0, "another command");
    is_int(ask(world, fd, 0x11, 0, "", in), -EMSGSIZE, "whose answer fails");
    is_int(ask(world, fd, 0x12, 0, "", in), -EPROTO, "an answer to something else");
    is_int(ask(world, fd, 0x14, 0, "", in), -EPROTO, "nobody wrote this one");
    int i = 0, rc = 0;
    while (rc == 0 && i++ < 100)
        rc = ask(world, fd, 0x10, 2, "ask", in);
    is_int(rc, -ENOBUFS, "too many answers that nobody fetches");
    world->ops->close(world, fd);
    is_str(wtl_world_recorded_unanswered(world), "/dev/bmc\t!ioctl 0x12 |",
           "the first request that is not there");
    is_int(wtl_world_connect(world, "/dev/denied", 0), -EACCES, "not allowed");
    is_int(wtl_world_connect(world, "/dev/none", 0), -ENOENT, "not there");
    is_int(wtl_world_connect(world, "tcp:none:1", 0), -ECONNREFUSED, "nobody there");
}

static void test_stream(const struct wtl_world *world)
{
    char text[8];
    uint64_t before = wtl_world_monotonic(world);
    int fd = wtl_world_connect(world, "tcp:slow:1", 0);
    is_int(world->ops->send(world, fd, "q", 1, 0), 0, "asked at once");
    is_int(world->ops->recv(world, fd, text, sizeof text, before + 2000000000), 5, "a greeting");
    is_int(wtl_world_monotonic(world) - before, 1000000000, "after 1 s");
    is_int(world->ops->recv(world, fd, text, sizeof text, before + 2000000000), 1, "the answer");
    is_int(wtl_world_monotonic(world) - before, 1030000000, "behind it");
    is_int(world->ops->recv(world, fd, text, sizeof text, before + 2000000000), -ETIMEDOUT,
           "no more");
    is_int(wtl_world_monotonic(world) - before, 2000000000, "until the deadline");
    is_int(world->ops->send(world, fd, "last", 4, 0), 0, "asked");
    is_int(world->ops->recv(world, fd, text, sizeof text, 0), -ECONNRESET, "an error");
    is_int(world->ops->recv(world, fd, text, sizeof text, UINT64_MAX), -ETIMEDOUT,
           "what never comes is not waited for");
    is_int(world->ops->pread(world, fd, text, sizeof text, 0), -EBADF, "no file");
    world->ops->close(world, fd);
    before = wtl_world_monotonic(world);
    is_int(wtl_world_connect(world, "tcp:late:1", before + 1000000000), -ETIMEDOUT,
           "a silent host");
    is_int(wtl_world_monotonic(world) - before, 1000000000, "until the deadline");
}

static void test_recorded(void)
{
    char folder[] = "/tmp/wattle-dialogue-XXXXXX", root[64], path[64];
    struct wtl_world *world;
    struct wattle_error err = {""};
    if (!mkdtemp(folder))
        skip_all("no temporary folder");
    (void)snprintf(root, sizeof root, "%s/root", folder);
    (void)snprintf(path, sizeof path, "%s/dialogues.tsv", folder);
    (void)mkdir(root, 0700);
    FILE *file = fopen(path, "w");
    if (file) {
        (void)fputs(controller, file);
        (void)fclose(file);
    }
    if (ok(wtl_world_recorded(folder, &world, &err) == 0, "a host: %s", err.text)) {
        test_controller(world);
        test_stream(world);
        is_int(wtl_world_recorded_open_fds(world), 0, "nothing stays open");
        wtl_world_close(world);
    }
    (void)unlink(path);
    (void)rmdir(root);
    (void)rmdir(folder);
}

int main(void)
{
    test_grammar();
    test_text();
    test_times();
    test_recorded();
    return done_testing();
}
