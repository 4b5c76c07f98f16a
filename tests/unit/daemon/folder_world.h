/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * For tests of wattled: a world whose files are in a folder of this test (as root, real other files are not seen), in real time,
 * with one powercap counter of exactly 10 W whose reads can fail.
 */
#ifndef TESTS_UNIT_DAEMON_FOLDER_WORLD_H
#define TESTS_UNIT_DAEMON_FOLDER_WORLD_H

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/world/world.h"

#define ZONE "/sys/class/powercap/intel-rapl:0"

static char root[64];              /* the folder; below it sys/, proc/ and run/ */
static char run_dir[80];           /* for wattled */
static atomic_int counter_fd = -1; /* as the driver has opened it */
static atomic_int counter_error;   /* 0; -errno of its reads */
static struct wtl_world_ops folder_ops;
static struct wtl_world folder_world;

static inline const char *below(const char *path, char *full, size_t n)
{
    (void)snprintf(full, n, "%s%s", root, path);
    return full;
}

static inline int folder_open(const struct wtl_world *world, const char *path, int flags)
{
    char full[600];
    int fd = wtl_world_real()->ops->open(world, below(path, full, sizeof full), flags);
    if (strcmp(path, ZONE "/energy_uj") == 0)
        atomic_store(&counter_fd, fd);
    return fd;
}

static inline void folder_close(const struct wtl_world *world, int fd)
{
    int own = fd;
    (void)atomic_compare_exchange_strong(&counter_fd, &own, -1); /* the number is used again */
    wtl_world_real()->ops->close(world, fd);
}

static inline int folder_list(const struct wtl_world *world, const char *path, char ***ret_names)
{
    char full[600];
    return wtl_world_real()->ops->list(world, below(path, full, sizeof full), ret_names);
}

static inline bool folder_exists(const struct wtl_world *world, const char *path)
{
    char full[600];
    return wtl_world_real()->ops->exists(world, below(path, full, sizeof full));
}

static inline ssize_t folder_readlink(const struct wtl_world *world,
                                      const char *path,
                                      char *buf,
                                      size_t n)
{
    char full[600];
    return wtl_world_real()->ops->readlink(world, below(path, full, sizeof full), buf, n);
}

/* What the counter shows at an instant: 10 W are 10 uJ per us. */
static inline unsigned long long counter_at(uint64_t time_ns)
{
    return (unsigned long long)(time_ns / 100);
}

static inline ssize_t folder_pread(const struct wtl_world *world,
                                   int fd,
                                   void *buf,
                                   size_t n,
                                   off_t offset)
{
    if (fd != atomic_load(&counter_fd))
        return wtl_world_real()->ops->pread(world, fd, buf, n, offset);
    if (atomic_load(&counter_error))
        return atomic_load(&counter_error);
    return snprintf(buf, n, "%llu\n", counter_at(wtl_world_monotonic(world)));
}

static inline const char *no_variable(const struct wtl_world *world, const char *name)
{
    (void)world;
    (void)name;
    return NULL;
}

static inline int no_event(const struct wtl_world *world,
                           struct perf_event_attr *attr,
                           pid_t pid,
                           int cpu,
                           int group_fd,
                           unsigned long flags)
{
    (void)world, (void)attr, (void)pid, (void)cpu, (void)group_fd, (void)flags;
    return -ENOENT;
}

static inline int no_msr(const struct wtl_world *world, int cpu)
{
    (void)world, (void)cpu;
    return -ENOENT;
}

/* Write a file of this world, with the folders it is in. */
static inline void put_file(const char *path, const char *text)
{
    char full[600];
    (void)below(path, full, sizeof full);
    for (char *slash = full + strlen(root) + 1; (slash = strchr(slash, '/')); slash++) {
        *slash = '\0';
        (void)mkdir(full, 0755);
        *slash = '/';
    }
    FILE *out = fopen(full, "w");
    if (out) {
        (void)fputs(text, out);
        (void)fclose(out);
    }
}

static inline void make_world(void)
{
    (void)snprintf(root, sizeof root, "/tmp/wattle-daemon.XXXXXX");
    if (!mkdtemp(root))
        exit(1);
    (void)snprintf(run_dir, sizeof run_dir, "%s/run", root);
    (void)mkdir(run_dir, 0755);
    folder_world = *wtl_world_real();
    folder_ops = *folder_world.ops;
    folder_ops.open = folder_open;
    folder_ops.close = folder_close;
    folder_ops.list = folder_list;
    folder_ops.exists = folder_exists;
    folder_ops.readlink = folder_readlink;
    folder_ops.pread = folder_pread;
    folder_ops.getenv = no_variable;
    folder_ops.perf_event_open = no_event;
    folder_ops.msr_open = no_msr;
    folder_world.ops = &folder_ops;
    put_file(ZONE "/name", "package-0\n");
    put_file(ZONE "/energy_uj", "1\n");
    put_file(ZONE "/max_energy_range_uj", "262143328850\n");
}

static inline void remove_world(void)
{
    char command[100];
    (void)snprintf(command, sizeof command, "rm -rf '%s'", root);
    if (system(command) != 0) /* NOLINT(cert-env33-c): a path of ours */
        perror(root);
}

#endif
