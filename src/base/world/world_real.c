/* SPDX-License-Identifier: BSD-3-Clause */
/* The real world: direct access to the operating system. One static object, no state. */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#if defined(__x86_64__) || defined(__i386__)
#    include <cpuid.h>
#endif

#include "base/natural.h"
#include "base/world/peer.h"
#include "base/world/world.h"

static int real_open(const struct wtl_world *world, const char *path, int flags)
{
    (void)world;
    int fd;
    do /* a user-space file system may be slow */
        fd = open(path, flags | O_CLOEXEC);
    while (fd < 0 && errno == EINTR);
    return fd < 0 ? -errno : fd;
}

static void real_close(const struct wtl_world *world, int fd)
{
    (void)world;
    (void)close(fd); /* read-only descriptors: nothing can be lost */
}

static ssize_t real_pread(const struct wtl_world *world, int fd, void *buf, size_t n, off_t offset)
{
    (void)world;
    ssize_t got;
    do
        got = pread(fd, buf, n, offset);
    while (got < 0 && errno == EINTR);
    return got < 0 ? -errno : got;
}

static ssize_t real_read(const struct wtl_world *world, int fd, void *buf, size_t n)
{
    (void)world;
    ssize_t got;
    do
        got = read(fd, buf, n);
    while (got < 0 && errno == EINTR);
    return got < 0 ? -errno : got;
}

static ssize_t real_readlink(const struct wtl_world *world, const char *path, char *buf, size_t n)
{
    (void)world;
    ssize_t got = readlink(path, buf, n - 1);
    if (got < 0)
        return -errno;
    buf[got] = '\0';
    return got;
}

static int real_list(const struct wtl_world *world, const char *path, char ***ret_names)
{
    (void)world;
    struct dirent **entries;
    int found = scandir(path, &entries, NULL, NULL);
    if (found < 0)
        return -errno;
    int count = 0;
    char **names = malloc(((size_t)found + 1) * sizeof *names);
    for (int i = 0; names && i < found; i++) {
        if (strcmp(entries[i]->d_name, ".") != 0 && strcmp(entries[i]->d_name, "..") != 0)
            names[count++] = entries[i]->d_name;
    }
    char **sorted = names ? wtl_natural_sorted(names, count) : NULL;
    free(names);
    for (int i = 0; i < found; i++)
        free(entries[i]);
    free(entries);
    if (!sorted)
        return -ENOMEM;
    *ret_names = sorted;
    return count;
}

static bool real_exists(const struct wtl_world *world, const char *path)
{
    (void)world;
    return access(path, F_OK) == 0;
}

static int real_put(const struct wtl_world *world, const char *path, const char *text)
{
    size_t n = strlen(text);
    int fd = real_open(world, path, O_WRONLY | O_TRUNC | O_NOCTTY);
    if (fd < 0)
        return fd;
    ssize_t put;
    do
        put = write(fd, text, n);
    while (put < 0 && errno == EINTR);
    int rc = put < 0 ? -errno : (size_t)put < n ? -EIO : 0;
    return close(fd) < 0 && rc == 0 ? -errno : rc;
}

static int real_may_put(const struct wtl_world *world, const char *path)
{
    (void)world;
    return faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) < 0 ? -errno : 0;
}

static uint64_t real_now_ns(const struct wtl_world *world, clockid_t clock)
{
    (void)world;
    struct timespec now;
    (void)clock_gettime(clock, &now); /* cannot fail for the clocks in use */
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static int real_sleep_until(const struct wtl_world *world, uint64_t deadline_ns)
{
    (void)world;
    struct timespec when = {.tv_sec = (time_t)(deadline_ns / 1000000000u),
                            .tv_nsec = (long)(deadline_ns % 1000000000u)};
    return -clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &when, NULL);
}

static int real_perf_event_open(const struct wtl_world *world,
                                struct perf_event_attr *attr,
                                pid_t pid,
                                int cpu,
                                int group_fd,
                                unsigned long flags)
{
    (void)world;
    long fd = syscall(SYS_perf_event_open, attr, pid, cpu, group_fd, flags | PERF_FLAG_FD_CLOEXEC);
    return fd < 0 ? -errno : (int)fd;
}

static int real_msr_open(const struct wtl_world *world, int cpu)
{
    char path[32];
    (void)snprintf(path, sizeof path, "/dev/cpu/%d/msr", cpu);
    return real_open(world, path, O_RDONLY);
}

_Static_assert(sizeof(off_t) == 8, "registers above 2^31 are offsets of /dev/cpu/N/msr");

static int real_msr_read(const struct wtl_world *world, int fd, uint32_t reg, uint64_t *ret_value)
{
    uint64_t value;
    ssize_t got = real_pread(world, fd, &value, sizeof value, (off_t)reg);
    if (got != (ssize_t)sizeof value)
        return got < 0 ? (int)got : -EIO;
    *ret_value = value;
    return 0;
}

static int real_cpuid(const struct wtl_world *world,
                      uint32_t leaf,
                      uint32_t subleaf,
                      uint32_t regs[4])
{
    (void)world;
#if defined(__x86_64__) || defined(__i386__)
    if (leaf >> 16 == 0x4000) { /* hypervisor leaves: beyond the highest leaf, valid if bit 31 of
                                   leaf 1 ECX is set */
        __cpuid_count(leaf, subleaf, regs[0], regs[1], regs[2], regs[3]);
        return 0;
    }
    if (__get_cpuid_count(leaf, subleaf, &regs[0], &regs[1], &regs[2], &regs[3]))
        return 0;
#else
    (void)leaf, (void)subleaf, (void)regs;
#endif
    return -ENOTSUP;
}

static void *real_dlopen(const struct wtl_world *world, const char *soname)
{
    (void)world;
    return dlopen(soname, RTLD_NOW | RTLD_LOCAL);
}

static void *real_dlsym(const struct wtl_world *world, void *handle, const char *symbol)
{
    (void)world;
    return dlsym(handle, symbol);
}

static void real_dlclose(const struct wtl_world *world, void *handle)
{
    (void)world;
    (void)dlclose(handle); /* a failure cannot be handled */
}

static const char *real_getenv(const struct wtl_world *world, const char *name)
{
    (void)world;
    return getenv(name);
}

static long real_sysconf(const struct wtl_world *world, int name)
{
    (void)world;
    return sysconf(name);
}

static int real_uname(const struct wtl_world *world, struct utsname *ret_name)
{
    (void)world;
    return uname(ret_name) < 0 ? -errno : 0;
}

static uid_t real_geteuid(const struct wtl_world *world)
{
    (void)world;
    return geteuid();
}

static const struct wtl_world_ops real_ops = {
    .open = real_open,
    .close = real_close,
    .pread = real_pread,
    .read = real_read,
    .readlink = real_readlink,
    .list = real_list,
    .exists = real_exists,
    .put = real_put,
    .may_put = real_may_put,
    .now_ns = real_now_ns,
    .sleep_until = real_sleep_until,
    .perf_event_open = real_perf_event_open,
    .msr_open = real_msr_open,
    .msr_read = real_msr_read,
    .cpuid = real_cpuid,
    .connect = wtl_peer_connect,
    .send = wtl_peer_send,
    .recv = wtl_peer_recv,
    .recv_memory = wtl_peer_recv_memory,
    .unmap = wtl_peer_unmap,
    .wait = wtl_peer_wait,
    .ioctl = wtl_peer_ioctl,
    .spawn = wtl_peer_spawn,
    .converse = wtl_peer_converse,
    .reap = wtl_peer_reap,
    .dlopen = real_dlopen,
    .dlsym = real_dlsym,
    .dlclose = real_dlclose,
    .getenv = real_getenv,
    .sysconf = real_sysconf,
    .uname = real_uname,
    .geteuid = real_geteuid,
};

const struct wtl_world *wtl_world_real(void)
{
    static const struct wtl_world plain = {.ops = &real_ops};
    static const struct wtl_world simulated = {.ops = &real_ops, .simulated = true};
    return getenv("WATTLE_SIMULATED") ? &simulated : &plain;
}
