/* SPDX-License-Identifier: BSD-3-Clause */
/* The convenience functions of a world, on a recorded host; and the real world's errors for missing
 * files. */
#define _GNU_SOURCE
#include "base/world/world.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/world/world_recorded.h"
#include "tap.h"

static char folder[] = "/tmp/wattle-world-XXXXXX";

static void put(const char *name, const char *text, size_t n)
{
    char path[96];
    (void)snprintf(path, sizeof path, "%s/root/%s", folder, name);
    FILE *file = fopen(path, "w");
    if (file) {
        (void)fwrite(text, 1, n, file);
        (void)fclose(file);
    }
}

static void test_text(const struct wtl_world *world)
{
    char text[10], *whole;
    is_int(wtl_world_text(world, "/text", text, sizeof text), 5, "text");
    is_str(text, "a b c", "trailing white space is gone");
    is_int(wtl_world_text(world, "/long", text, sizeof text), -EOVERFLOW, "does not fit");
    is_int(wtl_world_text(world, "/empty", text, sizeof text), 0, "an empty file");
    is_str(text, "", "is the empty text");
    is_int(wtl_world_text(world, "/none", text, sizeof text), -ENOENT, "no file");
    is_int(wtl_world_slurp(world, "/long", &whole), 20000, "a large file");
    ok(whole[19999] == 'x' && whole[20000] == '\0', "to its end");
    free(whole);
    is_int(wtl_world_slurp(world, "/empty", &whole), 0, "an empty file");
    is_str(whole, "", "is the empty text");
    free(whole);
    is_int(wtl_world_slurp(world, "/none", &whole), -ENOENT, "no file");
}

static void test_numbers(const struct wtl_world *world)
{
    static const struct {
        int line;
        const char *path;
        int whole, unsigned_rc, signed_rc;
        int64_t value;
    } rows[] = {
        {__LINE__, "/number", 0, 0, 0, 123456789},
        {__LINE__, "/negative", -EBADMSG, -EBADMSG, 0, -42},
        {__LINE__, "/number-unit", -EBADMSG, 0, 0, 7},
        {__LINE__, "/hex", -EBADMSG, -EBADMSG, -EBADMSG, 0},
        {__LINE__, "/fraction", -EBADMSG, -EBADMSG, -EBADMSG, 0},
        {__LINE__, "/huge", -EBADMSG, -EBADMSG, -EBADMSG, 0},
        {__LINE__, "/text", -EBADMSG, -EBADMSG, -EBADMSG, 0},
        {__LINE__, "/empty", -EBADMSG, -EBADMSG, -EBADMSG, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint64_t value = 99;
        int64_t number = 99;
        tap_line = rows[i].line;
        int fd = world->ops->open(world, rows[i].path, O_RDONLY);
        is_int(wtl_world_u64(world, rows[i].path, &value), rows[i].whole, "%s as a whole file",
               rows[i].path);
        is_int(wtl_world_pread_u64(world, fd, &value), rows[i].unsigned_rc, "at its start");
        if (rows[i].unsigned_rc == 0)
            is_int(value, rows[i].value, "value");
        else
            is_int(value, 99, "untouched");
        is_int(wtl_world_pread_i64(world, fd, &number), rows[i].signed_rc, "with a sign");
        is_int(number, rows[i].signed_rc == 0 ? rows[i].value : 99, "value");
        world->ops->close(world, fd);
    }
    tap_line = 0;
    uint64_t value;
    is_int(wtl_world_pread_u64(world, -1, &value), -EBADF, "no file");
}

static void test_real(void)
{
    const struct wtl_world *world = wtl_world_real();
    uint64_t value;
    is_int(world->ops->open(world, "/nonexistent/file", O_RDONLY), -ENOENT, "no such file");
    ok(!world->ops->exists(world, "/nonexistent/file"), "which does not exist");
    ok(!world->virtual_time, "time is real");
    uint64_t before = wtl_world_monotonic(world);
    is_int(world->ops->sleep_until(world, before), 0, "a deadline that is over");
    ok(wtl_world_monotonic(world) >= before, "time does not go back");
    int fd = world->ops->open(world, "/proc/self/stat", O_RDONLY);
    if (fd >= 0) {
        is_int(wtl_world_pread_u64(world, fd, &value), 0, "own pid");
        is_int(value, getpid(), "is ours");
        is_int(fcntl(fd, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC, "closed on exec");
        world->ops->close(world, fd);
    }
    wtl_world_close((struct wtl_world *)(uintptr_t)world);
    ok(wtl_world_real() == world, "closing the real world does nothing");
}

static int pipe_fds[2];

static void on_alarm(int signal)
{
    (void)signal;
    (void)!write(pipe_fds[1], "5", 1); /* the answer comes with the signal that interrupts */
}

/* A read interrupted by a signal is resumed. */
static void test_signal(void)
{
    const struct wtl_world *world = wtl_world_real();
    struct sigaction action = {.sa_handler = on_alarm}; /* no SA_RESTART */
    struct itimerval soon = {.it_value.tv_usec = 20000};
    char byte = 0;
    if (pipe(pipe_fds) < 0)
        return;
    (void)sigaction(SIGALRM, &action, NULL);
    (void)setitimer(ITIMER_REAL, &soon, NULL);
    is_int(world->ops->read(world, pipe_fds[0], &byte, 1), 1, "read in spite of a signal");
    is_int(byte, '5', "what came with it");
    world->ops->close(world, pipe_fds[0]);
    world->ops->close(world, pipe_fds[1]);
}

int main(void)
{
    static char longer[20000];
    char path[64];
    struct wtl_world *world;
    struct wattle_error err = {{0}};
    memset(longer, 'x', sizeof longer);
    if (!mkdtemp(folder))
        skip_all("no temporary folder");
    (void)snprintf(path, sizeof path, "%s/root", folder);
    (void)mkdir(path, 0700);
    put("text", "a b c \t\n\n", 9);
    put("long", longer, sizeof longer);
    put("empty", "", 0);
    put("number", "123456789\n", 10);
    put("negative", "-42\n", 4);
    put("number-unit", "7 kB\n", 5);
    put("hex", "0x1f\n", 5);
    put("fraction", "12.5\n", 5);
    put("huge", "99999999999999999999999999999999\n", 33);
    if (ok(wtl_world_recorded(folder, &world, &err) == 0, "host opens: %s", err.text)) {
        test_text(world);
        test_numbers(world);
        is_int(wtl_world_recorded_open_fds(world), 0, "nothing stays open");
        wtl_world_close(world);
    }
    test_real();
    test_signal();
    static const char *const names[] = {"text",        "long", "empty",    "number", "negative",
                                        "number-unit", "hex",  "fraction", "huge",   ""};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        (void)snprintf(path, sizeof path, "%s/root/%s", folder, names[i]);
        (void)remove(path);
    }
    (void)rmdir(folder);
    return done_testing();
}
