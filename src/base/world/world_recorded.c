/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The recorded world: a host stored in a folder, its script and a clock that only advances when someone
 * sleeps. This file has the world's table of functions; descriptors are in recorded_file.c, the folder in
 * recorded_host.c. One lock protects everything: this is for tests, not for speed, but reads do not allocate.
 */
#define _GNU_SOURCE
#include "base/world/world_recorded.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/grow.h"
#include "base/natural.h"
#include "base/parse.h"
#include "base/world/recorded_file.h"
#include "base/world/recorded_peer.h"

static struct wtl_recorded *recorded_of(const struct wtl_world *world)
{
    return world->impl;
}

static int recorded_open(const struct wtl_world *world, const char *path, int flags)
{
    struct wtl_recorded *r = recorded_of(world);
    if ((flags & O_ACCMODE) != O_RDONLY)
        return -EROFS;
    pthread_mutex_lock(&r->lock);
    int fd = wtl_recorded_file_open(r, path, flags);
    pthread_mutex_unlock(&r->lock);
    return fd;
}

static void recorded_close(const struct wtl_world *world, int fd)
{
    struct wtl_recorded *r = recorded_of(world);
    pthread_mutex_lock(&r->lock);
    wtl_recorded_file_close(r, fd);
    pthread_mutex_unlock(&r->lock);
}

static ssize_t recorded_pread(const struct wtl_world *world,
                              int fd,
                              void *buf,
                              size_t n,
                              off_t offset)
{
    struct wtl_recorded *r = recorded_of(world);
    pthread_mutex_lock(&r->lock);
    const struct wtl_recorded_file *file = wtl_recorded_file_of(r, fd);
    ssize_t got = file && file->fd >= 0 && offset >= 0
                      ? wtl_recorded_file_pread(r, file, buf, n, offset)
                      : -EBADF;
    pthread_mutex_unlock(&r->lock);
    return got;
}

static ssize_t recorded_read(const struct wtl_world *world, int fd, void *buf, size_t n)
{
    struct wtl_recorded *r = recorded_of(world);
    pthread_mutex_lock(&r->lock);
    const struct wtl_recorded_file *file = wtl_recorded_file_of(r, fd);
    ssize_t got = -EBADF;
    if (file && file->is_perf)
        got = wtl_recorded_perf_read(r, file, buf, n);
    else if (file && file->fd >= 0) /* each read starts anew: no offset is kept */
        got = wtl_recorded_file_pread(r, file, buf, n, 0);
    pthread_mutex_unlock(&r->lock);
    return got;
}

static ssize_t recorded_readlink(const struct wtl_world *world,
                                 const char *path,
                                 char *buf,
                                 size_t n)
{
    struct wtl_recorded *r = recorded_of(world);
    char resolved[PATH_MAX];
    int rc = wtl_recorded_resolve(&r->host, path, 1, resolved);
    if (rc < 0)
        return rc;
    ssize_t got = readlinkat(r->host.root_fd, resolved + 1, buf, n - 1);
    if (got < 0)
        return -errno;
    buf[got] = '\0';
    return got;
}

static bool is_shown(struct wtl_recorded *r, const char *folder, const char *name)
{
    char path[PATH_MAX];
    int n = snprintf(path, sizeof path, "%s/%s", folder[1] ? folder : "", name);
    if (n < 0 || (size_t)n >= sizeof path)
        return false;
    pthread_mutex_lock(&r->lock);
    struct wtl_script_state state = wtl_recorded_state(r, path);
    pthread_mutex_unlock(&r->lock);
    return !(state.kind == WTL_SCRIPT_FAILURE && state.error == ENOENT);
}

static int list_names(struct wtl_recorded *r, DIR *dir, const char *folder, char ***ret_names)
{
    char **names = NULL;
    size_t count = 0;
    int rc = 0;
    for (struct dirent *entry; rc == 0 && (entry = readdir(dir));) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 ||
            strcmp(entry->d_name, ".gitkeep") == 0 || !is_shown(r, folder, entry->d_name))
            continue;
        rc = wtl_grow(&names, count, sizeof *names);
        if (rc == 0 && !(names[count] = strdup(entry->d_name)))
            rc = -ENOMEM;
        count += rc == 0;
    }
    char **sorted = rc == 0 ? wtl_natural_sorted(names, (int)count) : NULL;
    for (size_t i = 0; i < count; i++)
        free(names[i]);
    free(names);
    if (!sorted)
        return -ENOMEM;
    *ret_names = sorted;
    return (int)count;
}

static int recorded_list(const struct wtl_world *world, const char *path, char ***ret_names)
{
    struct wtl_recorded *r = recorded_of(world);
    char resolved[PATH_MAX];
    int rc = wtl_recorded_resolve(&r->host, path, 0, resolved);
    if (rc < 0)
        return rc;
    pthread_mutex_lock(&r->lock);
    rc = wtl_recorded_open_failure(wtl_recorded_state(r, resolved));
    pthread_mutex_unlock(&r->lock);
    if (rc < 0)
        return rc;
    int fd = openat(r->host.root_fd, resolved[1] ? resolved + 1 : ".",
                    O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    DIR *dir = fdopendir(fd);
    if (!dir) {
        rc = -errno;
        (void)close(fd); /* read only */
        return rc;
    }
    rc = list_names(r, dir, resolved, ret_names);
    (void)closedir(dir); /* read only */
    return rc;
}

static bool recorded_exists(const struct wtl_world *world, const char *path)
{
    struct wtl_recorded *r = recorded_of(world);
    char resolved[PATH_MAX];
    struct stat st;
    if (wtl_recorded_resolve(&r->host, path, 0, resolved) < 0)
        return false;
    pthread_mutex_lock(&r->lock);
    struct wtl_script_state state = wtl_recorded_state(r, resolved);
    pthread_mutex_unlock(&r->lock);
    if (state.kind == WTL_SCRIPT_FAILURE && state.error == ENOENT)
        return false;
    return fstatat(r->host.root_fd, resolved[1] ? resolved + 1 : ".", &st, AT_SYMLINK_NOFOLLOW) ==
           0;
}

static uint64_t recorded_now_ns(const struct wtl_world *world, clockid_t clock)
{
    /* 2026-01-01T00:00:00Z when the monotonic clock reads 1000 s, 5 s of suspend before it. */
    static const uint64_t boottime_ns = 5000000000u;
    struct wtl_recorded *r = recorded_of(world);
    pthread_mutex_lock(&r->lock);
    uint64_t now = r->now_ns;
    r->now_ns += r->step_ns;
    pthread_mutex_unlock(&r->lock);
    if (clock == CLOCK_REALTIME)
        return WTL_RECORDED_REALTIME_NS + (now - WTL_RECORDED_START_NS);
    return clock == CLOCK_BOOTTIME ? now + boottime_ns : now;
}

static int recorded_sleep_until(const struct wtl_world *world, uint64_t deadline_ns)
{
    struct wtl_recorded *r = recorded_of(world);
    pthread_mutex_lock(&r->lock);
    if (deadline_ns > r->now_ns)
        r->now_ns = deadline_ns;
    pthread_mutex_unlock(&r->lock);
    return 0;
}

/* An event is the file perf/<type>/<config>/<cpu> below the root; of a process "pid", of a cgroup "cgroup-<cpu>". */
static int recorded_perf_event_open(const struct wtl_world *world,
                                    struct perf_event_attr *attr,
                                    pid_t pid,
                                    int cpu,
                                    int group_fd,
                                    unsigned long flags)
{
    struct wtl_recorded *r = recorded_of(world);
    bool of_cgroup = flags & PERF_FLAG_PID_CGROUP;
    char path[96], name[32] = "pid";
    if (cpu < 0 && (pid < 0 || of_cgroup))
        return -EINVAL;
    if (cpu >= 0)
        (void)snprintf(name, sizeof name, "%s%d", of_cgroup ? "cgroup-" : "", cpu);
    (void)snprintf(path, sizeof path, "/perf/%u/0x%llx/%s", attr->type,
                   (unsigned long long)attr->config, name);
    pthread_mutex_lock(&r->lock);
    int fd = wtl_recorded_file_open(r, path, O_RDONLY);
    int rc = fd < 0 ? 0 : wtl_recorded_perf_join(r, fd, group_fd, attr->read_format);
    pthread_mutex_unlock(&r->lock);
    if (rc < 0) {
        recorded_close(world, fd);
        return rc;
    }
    return fd == -ENOENT ? -EINVAL : fd; /* the kernel's error for an event that does not exist */
}

static int recorded_msr_open(const struct wtl_world *world, int cpu)
{
    char path[64];
    (void)snprintf(path, sizeof path, "/dev/cpu/%d/msr", cpu);
    return recorded_open(world, path, O_RDONLY | O_DIRECTORY);
}

static int recorded_msr_read(const struct wtl_world *world,
                             int fd,
                             uint32_t reg,
                             uint64_t *ret_value)
{
    struct wtl_recorded *r = recorded_of(world);
    pthread_mutex_lock(&r->lock);
    const struct wtl_recorded_file *folder = wtl_recorded_file_of(r, fd);
    int rc = -EBADF;
    if (folder) {
        char path[PATH_MAX];
        int n = snprintf(path, sizeof path, "%s/0x%x", folder->path, (unsigned)reg);
        struct wtl_recorded_file file = {.path = path, .fd = -1};
        if (n > 0 && (size_t)n < sizeof path)
            file.fd = wtl_recorded_host_open(r->host.root_fd, path + 1, O_RDONLY);
        rc = file.fd < 0
                 ? -EIO
                 : wtl_recorded_file_number(r, &file, ret_value); /* EIO like the msr module */
        if (file.fd >= 0)
            (void)close(file.fd); /* read only */
    }
    pthread_mutex_unlock(&r->lock);
    return rc;
}

static int recorded_cpuid(const struct wtl_world *world,
                          uint32_t leaf,
                          uint32_t subleaf,
                          uint32_t regs[4])
{
    const struct wtl_recorded_host *host = &recorded_of(world)->host;
    for (size_t i = 0; i < host->cpuid_count; i++) {
        if (host->cpuid[i].leaf != leaf || host->cpuid[i].subleaf != subleaf)
            continue;
        memcpy(regs, host->cpuid[i].regs, sizeof host->cpuid[i].regs);
        return 0;
    }
    return -ENOTSUP;
}

static void *recorded_dlopen(const struct wtl_world *world, const char *soname)
{
    (void)world, (void)soname;
    return NULL; /* a recorded host has no libraries */
}

static void *recorded_dlsym(const struct wtl_world *world, void *file, const char *symbol)
{
    (void)world, (void)file, (void)symbol;
    return NULL;
}

static void recorded_dlclose(const struct wtl_world *world, void *file)
{
    (void)world, (void)file;
}

static const char *recorded_getenv(const struct wtl_world *world, const char *name)
{
    size_t n = strlen(name);
    for (const char *p = recorded_of(world)->host.env; p && *p; p += strlen(p) + 1) {
        if (strncmp(p, name, n) == 0 && p[n] == '=')
            return p + n + 1;
    }
    return NULL;
}

static long recorded_sysconf(const struct wtl_world *world, int name)
{
    const char *path = NULL;
    char text[8192];
    uint8_t set[1024] = {0};
    switch (name) {
    case _SC_CLK_TCK:
        return 100;
    case _SC_PAGESIZE:
        return 4096;
    case _SC_NPROCESSORS_ONLN:
        path = "/sys/devices/system/cpu/online";
        break;
    case _SC_NPROCESSORS_CONF:
        path = "/sys/devices/system/cpu/present";
        break;
    default:
        return -1;
    }
    if (wtl_world_text(world, path, text, sizeof text) < 0)
        return -1;
    return wtl_parse_cpulist(text, set, sizeof set * 8);
}

static int recorded_uname(const struct wtl_world *world, struct utsname *ret_name)
{
    *ret_name = recorded_of(world)->host.name;
    return 0;
}

static uid_t recorded_geteuid(const struct wtl_world *world)
{
    return recorded_of(world)->host.euid;
}

static const struct wtl_world_ops recorded_ops = {
    .open = recorded_open,
    .close = recorded_close,
    .pread = recorded_pread,
    .read = recorded_read,
    .readlink = recorded_readlink,
    .list = recorded_list,
    .exists = recorded_exists,
    .now_ns = recorded_now_ns,
    .sleep_until = recorded_sleep_until,
    .perf_event_open = recorded_perf_event_open,
    .msr_open = recorded_msr_open,
    .msr_read = recorded_msr_read,
    .cpuid = recorded_cpuid,
    .connect = wtl_recorded_connect,
    .send = wtl_recorded_send,
    .recv = wtl_recorded_recv,
    .wait = wtl_recorded_wait,
    .ioctl = wtl_recorded_ioctl,
    .spawn = wtl_recorded_spawn,
    .converse = wtl_recorded_converse,
    .reap = wtl_recorded_reap,
    .dlopen = recorded_dlopen,
    .dlsym = recorded_dlsym,
    .dlclose = recorded_dlclose,
    .getenv = recorded_getenv,
    .sysconf = recorded_sysconf,
    .uname = recorded_uname,
    .geteuid = recorded_geteuid,
};

int wtl_world_recorded(const char *path, struct wtl_world **ret_world, struct wattle_error *err)
{
    struct wtl_recorded *r = calloc(1, sizeof *r);
    if (!r)
        return -ENOMEM;
    int rc = wtl_recorded_host_load(path, &r->host, err);
    if (rc < 0) {
        free(r);
        return rc;
    }
    (void)pthread_mutex_init(&r->lock, NULL); /* default attributes: cannot fail */
    r->now_ns = WTL_RECORDED_START_NS;
    r->world = (struct wtl_world){.ops = &recorded_ops, .impl = r, .virtual_time = true};
    r->world.simulated = recorded_getenv(&r->world, "WATTLE_SIMULATED") != NULL;
    *ret_world = &r->world;
    return 0;
}

void wtl_world_close(struct wtl_world *world)
{
    if (!world || world->ops != &recorded_ops)
        return;
    struct wtl_recorded *r = recorded_of(world);
    for (int at = 0; at < WTL_RECORDED_FILES; at++)
        recorded_close(world, WTL_RECORDED_FIRST_FD + at);
    wtl_recorded_host_fini(&r->host);
    (void)pthread_mutex_destroy(&r->lock);
    free(r);
}

void wtl_world_recorded_step(struct wtl_world *world, uint64_t step_ns)
{
    struct wtl_recorded *r = recorded_of(world);
    pthread_mutex_lock(&r->lock);
    r->step_ns = step_ns;
    pthread_mutex_unlock(&r->lock);
}

unsigned wtl_world_recorded_open_fds(const struct wtl_world *world)
{
    struct wtl_recorded *r = recorded_of(world);
    unsigned count = 0;
    pthread_mutex_lock(&r->lock);
    for (int at = 0; at < WTL_RECORDED_FILES; at++)
        count += r->files[at] != NULL;
    for (int at = 0; at < WTL_RECORDED_CHILDREN; at++)
        count += r->children[at].is;
    pthread_mutex_unlock(&r->lock);
    return count;
}

const char *wtl_world_recorded_unanswered(const struct wtl_world *world)
{
    struct wtl_recorded *r = recorded_of(world);
    pthread_mutex_lock(&r->lock);
    const char *request = r->unanswered[0] ? r->unanswered : NULL;
    pthread_mutex_unlock(&r->lock);
    return request;
}
