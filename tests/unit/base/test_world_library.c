/* SPDX-License-Identifier: BSD-3-Clause */
/* The world of a library in a program that closes all descriptors and reuses the same numbers for
 * its files. */
#define _GNU_SOURCE
#include "base/world/world.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "tap.h"

static char folder[] = "/tmp/wattle-library-XXXXXX";

static void put(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text))
        ok(false, "%s can be written", path);
    (void)close(fd);
}

/* Like a program that becomes a daemon: closes everything from 3 on, and then opens its own file
 * with all those numbers. */
static void take_all(const char *path)
{
    for (int fd = 3; fd < 1024; fd++)
        (void)close(fd);
    for (int fd = 3; fd < 1024; fd++)
        (void)open(path, O_RDWR);
}

static void free_all(void)
{
    for (int fd = 3; fd < 1024; fd++)
        (void)close(fd);
}

static void test_reopened(const struct wtl_world *world, const char *sensor, const char *other)
{
    uint64_t value = 0;
    int fd = world->ops->open(world, sensor, O_RDONLY);
    is_int(wtl_world_pread_u64(world, fd, &value), 0, "a sensor");
    is_int((int)value, 1111, "its value");
    take_all(other);
    is_int(wtl_world_pread_u64(world, fd, &value), -EBADF,
           "no descriptor is free to open it again");
    free_all();
    is_int(wtl_world_pread_u64(world, fd, &value), 0, "it is opened again");
    is_int((int)value, 1111, "and gives its own value");
    for (int k = 3; k < 1024; k++)
        (void)close(k);
    for (int k = 3; k < 900; k++)
        (void)open(other, O_RDWR);
    is_int(wtl_world_pread_u64(world, fd, &value), 0, "also where its number is another file's");
    is_int((int)value, 1111, "its own value again");
    (void)close(899);
    (void)unlink(sensor);
    free_all();
    is_int(wtl_world_pread_u64(world, fd, &value), -EBADF, "a sensor that is gone fails");
    world->ops->close(world, fd);
    world->ops->close(world, -1);
}

static void test_event(const struct wtl_world *world, const char *other)
{
    struct perf_event_attr attr = {
        .type = PERF_TYPE_SOFTWARE, .size = sizeof attr, .config = PERF_COUNT_SW_TASK_CLOCK};
    uint64_t value = 0;
    attr.exclude_kernel = attr.exclude_hv = 1;
    int fd = world->ops->perf_event_open(world, &attr, 0, -1, -1, 0);
    if (fd < 0) {
        ok(true, "# SKIP no perf events here");
        return;
    }
    is_int((int)world->ops->read(world, fd, &value, sizeof value), 8, "a perf event");
    take_all(other);
    is_int((int)world->ops->read(world, fd, &value, sizeof value), -EBADF,
           "one that was closed fails from then on");
    free_all();
    is_int((int)world->ops->read(world, fd, &value, sizeof value), -EBADF, "and stays so");
    world->ops->close(world, fd);
}

static void test_many(const struct wtl_world *world)
{
    int fds[300], count = 0;
    for (int i = 0; i < 300; i++) {
        fds[i] = world->ops->open(world, "/proc/self/stat", O_RDONLY);
        count += fds[i] >= 0;
    }
    is_int(count, 300, "300 at once");
    for (int i = 0; i < 300; i++)
        world->ops->close(world, fds[i]);
    is_int(world->ops->open(world, "/nothing/there", O_RDONLY), -ENOENT, "what is not there");
}

int main(void)
{
    const struct wtl_world *world = wtl_world_library();
    const struct rlimit limit = {.rlim_cur = 1024, .rlim_max = 1024};
    char sensor[64], other[64], text[8] = "";
    (void)setrlimit(RLIMIT_NOFILE, &limit);
    if (!ok(mkdtemp(folder) != NULL, "a folder"))
        return done_testing();
    (void)snprintf(sensor, sizeof sensor, "%s/energy_uj", folder);
    (void)snprintf(other, sizeof other, "%s/mine", folder);
    put(sensor, "1111\n");
    put(other, "2222\n");
    test_reopened(world, sensor, other);
    test_event(world, other);
    test_many(world);
    int fd = open(other, O_RDONLY);
    is_int((int)read(fd, text, 5), 5, "the program's file");
    is_str(text, "2222\n", "is as it was");
    (void)close(fd);
    (void)unlink(sensor);
    (void)unlink(other);
    (void)rmdir(folder);
    return done_testing();
}
