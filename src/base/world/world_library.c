/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The machine as seen by a library inside another program: the real world, with three differences. It starts
 * no processes. The environment is that of environment.h. And descriptors are handles: the program may close
 * a descriptor it did not open and reuse the number for its own file, whose bytes would then be read as
 * joules. Therefore each read is followed (and preceded, if reading consumes data) by a check that the
 * descriptor still refers to what was opened; if not, the path is opened and read again. A perf event or a
 * peer cannot be reopened without loss: it fails from then on, which is recorded as a gap.
 *
 * Handles are acquired and released without a lock, so that fork leaves no lock held. Each is read by one
 * thread at a time.
 */
#define _GNU_SOURCE
#include "base/world/world.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/environment.h"
#include "base/own_file.h"

enum { BLOCK = 128, BLOCKS = 256 };

struct handle {
    bool taken; /* atomic */
    int fd;     /* -1: lost */
    int flags;
    char *path; /* NULL = cannot be opened again */
    struct wtl_file_id id;
};

static struct handle *blocks[BLOCKS]; /* atomic; never freed */

static const struct wtl_world_ops *real_ops(void)
{
    return wtl_world_real()->ops;
}

/* Block number i, created if necessary. */
static struct handle *block_of(size_t i)
{
    struct handle *block = __atomic_load_n(&blocks[i], __ATOMIC_ACQUIRE), *none = NULL;
    if (block)
        return block;
    block = calloc(BLOCK, sizeof *block);
    if (block && !__atomic_compare_exchange_n(&blocks[i], &none, block, false, __ATOMIC_ACQ_REL,
                                              __ATOMIC_ACQUIRE)) {
        free(block);
        block = none; /* created by another thread */
    }
    return block;
}

static struct handle *handle_of(int number)
{
    struct handle *block = number < 0 || number >= BLOCK * BLOCKS
                               ? NULL
                               : __atomic_load_n(&blocks[number / BLOCK], __ATOMIC_ACQUIRE);
    return block ? &block[number % BLOCK] : NULL;
}

/* Acquire a free handle: its number, -EMFILE or -ENOMEM. */
static int take_handle(void)
{
    for (int i = 0; i < BLOCKS; i++) {
        struct handle *block = block_of((size_t)i);
        for (int k = 0; block && k < BLOCK; k++) {
            bool no = false;
            if (!__atomic_load_n(&block[k].taken, __ATOMIC_RELAXED) &&
                __atomic_compare_exchange_n(&block[k].taken, &no, true, false, __ATOMIC_ACQ_REL,
                                            __ATOMIC_RELAXED))
                return i * BLOCK + k;
        }
        if (!block)
            return -ENOMEM;
    }
    return -EMFILE;
}

/* Store what was opened (fd, or -errno): the number of its handle, or -errno. */
static int keep(int fd, const char *path, int flags)
{
    struct wtl_file_id id;
    fd = wtl_own_file_take(fd, &id);
    int number = fd < 0 ? fd : take_handle();
    char *copy = number < 0 || !path ? NULL : strdup(path);
    if (number < 0 || (path && !copy)) {
        wtl_own_file_close(fd, &id);
        if (number >= 0)
            __atomic_store_n(&handle_of(number)->taken, false, __ATOMIC_RELEASE);
        return number < 0 ? number : -ENOMEM;
    }
    struct handle *handle = handle_of(number);
    handle->fd = fd;
    handle->flags = flags;
    handle->path = copy;
    handle->id = id;
    return number;
}

static int library_open(const struct wtl_world *world, const char *path, int flags)
{
    return keep(real_ops()->open(world, path, flags), path, flags);
}

static void library_close(const struct wtl_world *world, int fd)
{
    (void)world;
    struct handle *handle = handle_of(fd);
    if (!handle)
        return;
    wtl_own_file_close(handle->fd, &handle->id);
    free(handle->path);
    handle->path = NULL;
    handle->fd = -1;
    __atomic_store_n(&handle->taken, false, __ATOMIC_RELEASE);
}

/* The program closed the descriptor. Reopened: 0; else -EBADF, permanently. */
static int open_again(struct handle *handle)
{
    int fd = handle->path ? wtl_own_file_again(handle->path, handle->flags, &handle->id) : -EBADF;
    handle->fd = fd < 0 ? -1 : fd;
    return fd < 0 ? -EBADF : 0;
}

static ssize_t library_pread(const struct wtl_world *world,
                             int fd,
                             void *buf,
                             size_t n,
                             off_t offset)
{
    struct handle *handle = handle_of(fd);
    for (int tries = 0; handle && tries < 2; tries++) {
        ssize_t got = real_ops()->pread(world, handle->fd, buf, n, offset);
        if (wtl_own_file_is(handle->fd, &handle->id))
            return got;
        if (open_again(handle) < 0)
            break;
    }
    return -EBADF;
}

static ssize_t library_read(const struct wtl_world *world, int fd, void *buf, size_t n)
{
    struct handle *handle = handle_of(fd);
    if (!handle || (!wtl_own_file_is(handle->fd, &handle->id) && open_again(handle) < 0))
        return -EBADF;
    ssize_t got = real_ops()->read(world, handle->fd, buf, n);
    return wtl_own_file_is(handle->fd, &handle->id) ? got : -EBADF;
}

static int library_perf_event_open(const struct wtl_world *world,
                                   struct perf_event_attr *attr,
                                   pid_t pid,
                                   int cpu,
                                   int group_fd,
                                   unsigned long flags)
{
    const struct handle *group = group_fd < 0 ? NULL : handle_of(group_fd);
    if (group_fd >= 0 && (!group || !wtl_own_file_is(group->fd, &group->id)))
        return -EBADF;
    return keep(real_ops()->perf_event_open(world, attr, pid, cpu, group ? group->fd : -1, flags),
                NULL, 0);
}

/* The descriptor of a peer, which cannot be reopened without losing data: -EBADF when the program has
 * closed it. */
static int peer_of(int number)
{
    const struct handle *handle = handle_of(number);
    return handle && wtl_own_file_is(handle->fd, &handle->id) ? handle->fd : -EBADF;
}

static int library_connect(const struct wtl_world *world, const char *address, uint64_t deadline_ns)
{
    return keep(real_ops()->connect(world, address, deadline_ns), NULL, 0);
}

static int library_send(const struct wtl_world *world,
                        int fd,
                        const void *data,
                        size_t n,
                        uint64_t deadline_ns)
{
    int peer = peer_of(fd);
    return peer < 0 ? peer : real_ops()->send(world, peer, data, n, deadline_ns);
}

static ssize_t library_recv(const struct wtl_world *world,
                            int fd,
                            void *buf,
                            size_t n,
                            uint64_t deadline_ns)
{
    int peer = peer_of(fd);
    ssize_t got = peer < 0 ? peer : real_ops()->recv(world, peer, buf, n, deadline_ns);
    return peer_of(fd) < 0 ? -EBADF : got;
}

static ssize_t library_recv_memory(const struct wtl_world *world,
                                   int fd,
                                   void *buf,
                                   size_t n,
                                   struct wtl_memory *ret_memory,
                                   uint64_t deadline_ns)
{
    int peer = peer_of(fd);
    return peer < 0 ? peer : real_ops()->recv_memory(world, peer, buf, n, ret_memory, deadline_ns);
}

static int library_wait(const struct wtl_world *world, int fd, uint64_t deadline_ns)
{
    int peer = peer_of(fd);
    return peer < 0 ? peer : real_ops()->wait(world, peer, deadline_ns);
}

static int library_ioctl(const struct wtl_world *world, int fd, const struct wtl_ioctl *call)
{
    int peer = peer_of(fd);
    int result = peer < 0 ? peer : real_ops()->ioctl(world, peer, call);
    return peer_of(fd) < 0 ? -EBADF : result;
}

static int library_msr_open(const struct wtl_world *world, int cpu)
{
    char path[32];
    (void)snprintf(path, sizeof path, "/dev/cpu/%d/msr", cpu);
    return library_open(world, path, O_RDONLY);
}

static int library_msr_read(const struct wtl_world *world,
                            int fd,
                            uint32_t reg,
                            uint64_t *ret_value)
{
    uint64_t value;
    ssize_t got = library_pread(world, fd, &value, sizeof value, (off_t)reg);
    if (got != (ssize_t)sizeof value)
        return got < 0 ? (int)got : -EIO;
    *ret_value = value;
    return 0;
}

static const char *library_getenv(const struct wtl_world *world, const char *name)
{
    (void)world;
    return wtl_environment(name);
}

static struct wtl_world_ops ops;
static const struct wtl_world plain = {.ops = &ops}, simulated = {.ops = &ops, .simulated = true};

static void fill_ops(void)
{
    ops = *real_ops();
    ops.open = library_open;
    ops.close = library_close;
    ops.pread = library_pread;
    ops.read = library_read;
    ops.perf_event_open = library_perf_event_open;
    ops.msr_open = library_msr_open;
    ops.msr_read = library_msr_read;
    ops.connect = library_connect;
    ops.send = library_send;
    ops.recv = library_recv;
    ops.recv_memory = library_recv_memory;
    ops.wait = library_wait;
    ops.ioctl = library_ioctl;
    ops.converse = NULL;
    ops.spawn = NULL; /* its wait() would receive our process, or its SIGCHLD handler would run:
                         execve(2) leaves no other signal */
    ops.reap = NULL;
    ops.getenv = library_getenv;
}

const struct wtl_world *wtl_world_library(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, fill_ops);
    return wtl_world_real()->simulated ? &simulated : &plain;
}
