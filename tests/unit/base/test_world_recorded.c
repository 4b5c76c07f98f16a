/* SPDX-License-Identifier: BSD-3-Clause */
/* The recorded world, on the host "links", which uses all its features. */
#define _GNU_SOURCE
#include "base/world/world_recorded.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tap.h"

static struct wtl_world *world;

static void at(double seconds)
{
    (void)world->ops->sleep_until(world, WTL_RECORDED_START_NS + (uint64_t)(seconds * 1e9 + 0.5));
}

static void test_links(void)
{
    static const struct {
        int line;
        const char *path;
        int want; /* 0 = opens */
    } rows[] = {
        {__LINE__, "/sys/real/text", 0},
        {__LINE__, "/sys/folder/text", 0},
        {__LINE__, "/sys/folder/../real/./text", 0},
        {__LINE__, "/../../sys/real/text", 0},
        {__LINE__, "/sys/outside", -ENOENT},
        {__LINE__, "/sys/above", -ENOENT},
        {__LINE__, "/sys/loop", -ELOOP},
        {__LINE__, "/sys/nothing/text", -ENOENT},
        {__LINE__, "sys/real/text", -EINVAL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tap_line = rows[i].line;
        int fd = world->ops->open(world, rows[i].path, O_RDONLY);
        is_int(fd < 0 ? fd : 0, rows[i].want, "open %s", rows[i].path);
        if (fd >= 0)
            world->ops->close(world, fd);
    }
    tap_line = 0;
    char target[64];
    is_int(world->ops->readlink(world, "/sys/relative", target, sizeof target), 10, "readlink");
    is_str(target, "real/value", "its target");
    is_int(world->ops->readlink(world, "/sys/real/text", target, sizeof target), -EINVAL,
           "a file is no link");
    is_int(world->ops->open(world, "/sys/real/text", O_WRONLY), -EROFS, "nothing opens to write");
    ok(world->ops->exists(world, "/sys/folder/text"), "exists through a link");
    ok(!world->ops->exists(world, "/sys/outside"), "nothing exists outside");
}

static void test_list(void)
{
    char **names;
    int count = world->ops->list(world, "/sys/folder", &names);
    is_int(count, 4, "four names");
    if (count == 4) {
        is_str(names[0], "item2", "natural order");
        is_str(names[1], "item10", "10 after 2");
        free(names);
    }
    is_int(world->ops->list(world, "/sys/real/text", &names), -ENOTDIR, "a file is no folder");
}

static void test_surroundings(void)
{
    struct utsname name;
    uint32_t regs[4];
    is_str(world->ops->getenv(world, "WATTLE_PERF_PMU"), "msr", "environment");
    is_str(world->ops->getenv(world, "EMPTY"), "", "empty value");
    ok(world->ops->getenv(world, "WATTLE") == NULL, "no prefix is taken for a name");
    is_int(world->ops->uname(world, &name), 0, "uname");
    is_str(name.nodename, "links", "its node");
    is_str(name.sysname, "Linux", "a default");
    is_int(world->ops->cpuid(world, 0, 0, regs), 0, "cpuid");
    is_int(regs[1], 0x756e6547, "ebx");
    is_int(world->ops->cpuid(world, 1, 0, regs), -ENOTSUP, "a leaf that is not there");
    is_int(world->ops->geteuid(world), 0, "euid");
    is_int(world->ops->sysconf(world, _SC_NPROCESSORS_ONLN), 5, "CPUs online");
    is_int(world->ops->sysconf(world, _SC_CLK_TCK), 100, "clock ticks");
    ok(world->virtual_time && !world->simulated, "virtual time, not simulated");
}

/* perf(1)'s layouts: one event by itself with its times, and two in a group. */
static void test_perf(void)
{
    struct perf_event_attr attr = {.type = 9,
                                   .config = 0,
                                   .read_format = PERF_FORMAT_GROUP |
                                                  PERF_FORMAT_TOTAL_TIME_ENABLED |
                                                  PERF_FORMAT_TOTAL_TIME_RUNNING};
    uint64_t words[8] = {0};
    int leader = world->ops->perf_event_open(world, &attr, -1, 0, -1, 0);
    ok(leader >= 0, "leader opens");
    attr.config = 1;
    int member = world->ops->perf_event_open(world, &attr, -1, 0, leader, 0);
    ok(member >= 0, "member opens");
    at(0.5);
    is_int(world->ops->read(world, leader, words, sizeof words), 5 * 8, "size of the group");
    is_int(words[0], 2, "two events");
    is_int(words[1], 500000000, "time enabled");
    is_int(words[3], 7 + 500, "first count");
    is_int(words[4], 9 + 1000, "second count");
    is_int(world->ops->read(world, leader, words, 8), -ENOSPC, "no room");
    attr.read_format = 0;
    int alone = world->ops->perf_event_open(world, &attr, -1, 0, -1, 0);
    is_int(world->ops->read(world, alone, words, sizeof words), 8, "size alone");
    is_int(words[0], 9 + 1000, "count alone");
    attr.config = 77;
    is_int(world->ops->perf_event_open(world, &attr, -1, 0, -1, 0), -EINVAL, "no such event");
    is_int(world->ops->perf_event_open(world, &attr, 1, 0, -1, 0), -EINVAL, "no processes");
    is_int(world->ops->perf_event_open(world, &attr, -1, 0, 12345, 0), -EINVAL, "no such group");
    world->ops->close(world, alone);
    world->ops->close(world, member);
    world->ops->close(world, leader);
}

static void test_script(void)
{
    char text[32];
    uint64_t value;
    int fd = world->ops->open(world, "/sys/absolute", O_RDONLY);
    int msr = world->ops->msr_open(world, 0);
    is_int(world->ops->msr_open(world, 1), -ENOENT, "no such CPU");
    is_int(world->ops->msr_read(world, msr, 0x611, &value), 0, "register");
    is_int(value, 0x10, "the script's value");
    is_int(world->ops->msr_read(world, msr, 0x612, &value), -EIO, "no such register");
    is_int(wtl_world_pread_u64(world, fd, &value), 0, "number at 0.5 s");
    is_int(value, 105, "100 + 10 / s");
    at(1);
    is_int(world->ops->msr_read(world, msr, 0x611, &value), -EIO, "register fails");
    ok(!world->ops->exists(world, "/sys/real/item2"), "gone");
    char **names;
    is_int(world->ops->list(world, "/sys/real", &names), 3, "and not listed");
    free(names);
    at(2.9);
    is_int(wtl_world_pread_u64(world, fd, &value), 0, "stalled");
    is_int(value, 120, "at what 2 s showed");
    at(3);
    is_int(wtl_world_pread_u64(world, fd, &value), -EIO, "EIO");
    at(4);
    is_int(wtl_world_pread_u64(world, fd, &value), 0, "back to the file");
    is_int(value, 1, "its own content");
    at(5);
    is_int(world->ops->pread(world, fd, text, sizeof text, 4), 6, "text from an offset");
    ok(memcmp(text, "lines\n", 6) == 0, "with its line end");
    is_int(world->ops->pread(world, fd, text, sizeof text, 10), 0, "end of file");
    at(6);
    is_int(world->ops->open(world, "/sys/real/text", O_RDONLY), -EACCES, "a folder above fails");
    is_int(wtl_world_pread_u64(world, fd, &value), -EACCES, "for open files, too");
    world->ops->close(world, fd);
    world->ops->close(world, msr);
}

static void test_clock(void)
{
    uint64_t before = wtl_world_monotonic(world);
    is_int(wtl_world_monotonic(world), before, "the clock stands");
    (void)world->ops->sleep_until(world, before - 5);
    is_int(wtl_world_monotonic(world), before, "and never goes back");
    wtl_world_recorded_step(world, 7);
    (void)wtl_world_monotonic(world);
    is_int(wtl_world_monotonic(world), before + 7, "or steps at each look");
    wtl_world_recorded_step(world, 0);
    is_int(world->ops->now_ns(world, CLOCK_BOOTTIME) - wtl_world_monotonic(world), 5000000000,
           "boot time is 5 s ahead");
}

/* A folder with one file, for hosts that must be refused. */
static void test_refused(void)
{
    static const struct {
        int line;
        const char *file, *text, *says;
        int want;
    } rows[] = {
        {__LINE__, "script.tsv", "0\t/sys/none\t1\n", "line 1: /sys/none is not in root/",
         -EBADMSG},
        {__LINE__, "script.tsv", "0\tbad\n", "line 1", -EBADMSG},
        {__LINE__, "cpuid", "1 2 3\n", "row 1: expected six numbers", -EBADMSG},
        {__LINE__, "uname", "kernel 5\n", "is not a field", -EBADMSG},
        {__LINE__, "euid", "root\n", "expected a number", -EBADMSG},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char folder[] = "/tmp/wattle-host-XXXXXX", path[64];
        struct wtl_world *none = NULL;
        struct wattle_error err = {{0}};
        tap_line = rows[i].line;
        if (!mkdtemp(folder))
            skip_all("no temporary folder");
        (void)snprintf(path, sizeof path, "%s/root", folder);
        is_int(wtl_world_recorded(folder, &none, &err), -ENOENT, "no root/: %s", err.text);
        (void)mkdir(path, 0700);
        (void)snprintf(path, sizeof path, "%s/%s", folder, rows[i].file);
        FILE *file = fopen(path, "w");
        if (file) {
            (void)fputs(rows[i].text, file);
            (void)fclose(file);
        }
        is_int(wtl_world_recorded(folder, &none, &err), rows[i].want, "%s refused", rows[i].file);
        ok(strstr(err.text, rows[i].says) != NULL, "it says: %s", err.text);
        ok(none == NULL, "nothing was made");
        (void)unlink(path);
        (void)snprintf(path, sizeof path, "%s/root", folder);
        (void)rmdir(path);
        (void)rmdir(folder);
    }
    tap_line = 0;
}

/* Files that must not be waited for, or read completely, are refused, both next to root/ and in
 * it. */
static void test_no_files(void)
{
    static const char *const names[] = {"script.tsv", "dialogues.tsv", "env",
                                        "uname",      "cpuid",         "euid"};
    char folder[] = "/tmp/wattle-host-XXXXXX";
    struct wtl_world *other = NULL;
    struct wattle_error err = {{0}};
    if (!mkdtemp(folder) || chdir(folder) < 0)
        skip_all("no temporary folder");
    (void)mkdir("root", 0700);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        (void)mkfifo(names[i], 0600);
        is_int(wtl_world_recorded(folder, &other, &err), -EINVAL, "a FIFO: %s", err.text);
        ok(strstr(err.text, names[i]) && strstr(err.text, "not a regular file"), "named");
        (void)unlink(names[i]);
        (void)close(creat(names[i], 0600));
        (void)truncate(names[i], (off_t)3 << 30);
        is_int(wtl_world_recorded(folder, &other, &err), -EFBIG, "3 GiB: %s", err.text);
        ok(strstr(err.text, names[i]) && strstr(err.text, "16 MiB"), "named");
        (void)unlink(names[i]);
        (void)symlink("/dev/zero", names[i]);
        is_int(wtl_world_recorded(folder, &other, &err), -ELOOP, "/dev/zero: %s", err.text);
        (void)unlink(names[i]);
    }
    (void)mkfifo("root/pipe", 0600);
    (void)close(creat("root/long", 0600));
    (void)truncate("root/long", (off_t)3 << 30);
    char *text = NULL;
    if (wtl_world_recorded(folder, &other, &err) < 0) {
        ok(false, "host opens: %s", err.text);
    } else {
        is_int(wtl_world_slurp(other, "/pipe", &text), -EINVAL, "a FIFO is not read");
        is_int(wtl_world_slurp(other, "/long", &text), -EFBIG, "nor 3 GiB");
    }
    wtl_world_close(other);
    (void)unlink("root/pipe");
    (void)unlink("root/long");
    (void)rmdir("root");
    (void)rmdir(folder);
}

int main(void)
{
    struct wattle_error err;
    if (wtl_world_recorded(WATTLE_SOURCE_DIR "/tests/hosts/links", &world, &err) < 0) {
        ok(false, "host opens: %s", err.text);
        return done_testing();
    }
    is_int(wtl_world_monotonic(world), WTL_RECORDED_START_NS, "starts at 1000 s");
    test_links();
    test_list();
    test_surroundings();
    test_perf();
    test_script();
    test_clock();
    is_int(wtl_world_recorded_open_fds(world), 0, "nothing stays open");
    wtl_world_close(world);
    wtl_world_close(NULL);
    test_refused();
    test_no_files();
    return done_testing();
}
