/* SPDX-License-Identifier: BSD-3-Clause */
/* Descriptors of our own in a program that closes all descriptors and reuses the same numbers for
 * its files. */
#define _GNU_SOURCE
#include "base/own_file.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tap.h"

static char path[] = "/tmp/wattle-own-file-XXXXXX";

static void test_file(void)
{
    struct wtl_file_id id;
    int fd = wtl_own_file_take(open(path, O_RDWR | O_CLOEXEC), &id);
    ok(fd >= 400, "it has a high number");
    ok(fcntl(fd, F_GETFD) & FD_CLOEXEC, "exec closes it");
    ok(wtl_own_file_is(fd, &id), "it is what it was");
    (void)close(fd);
    ok(!wtl_own_file_is(fd, &id), "closed by the program");
    int other = open("/dev/null", O_RDWR);
    is_int(dup2(other, fd), fd, "its number is somebody else's now");
    ok(!wtl_own_file_is(fd, &id), "which shows");
    wtl_own_file_close(fd, &id);
    ok(fcntl(fd, F_GETFD) >= 0, "and is not closed by us");
    (void)close(fd);
    (void)close(other);
    fd = wtl_own_file_again(path, O_RDWR, &id);
    ok(wtl_own_file_is(fd, &id), "it can be opened again");
    wtl_own_file_close(fd, &id);
    ok(fcntl(fd, F_GETFD) < 0, "our own is closed");
    is_int(wtl_own_file_again("/dev/null", O_RDWR, &id), -ESTALE, "another file is not it");
    is_int(wtl_own_file_take(-ENOENT, &id), -ENOENT, "what failed stays failed");
}

/* They all have one inode. */
static void test_event(void)
{
    struct perf_event_attr attr = {
        .type = PERF_TYPE_SOFTWARE, .size = sizeof attr, .config = PERF_COUNT_SW_TASK_CLOCK};
    struct wtl_file_id id;
    attr.exclude_kernel = attr.exclude_hv = 1;
    int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
    if (fd < 0) {
        ok(true, "# SKIP no perf events here");
        return;
    }
    fd = wtl_own_file_take(fd, &id);
    ok(wtl_own_file_is(fd, &id), "a perf event is what it was");
    (void)close(fd);
    int event = eventfd(1, 0);
    (void)dup2(event, fd);
    ok(!wtl_own_file_is(fd, &id), "another descriptor without a file is not it");
    (void)close(event);
    (void)close(fd);
}

int main(void)
{
    int fd = mkstemp(path);
    if (!ok(fd >= 0, "a file"))
        return done_testing();
    (void)close(fd);
    test_file();
    test_event();
    (void)unlink(path);
    return done_testing();
}
