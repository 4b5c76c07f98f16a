/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The harness of torture.h. Every allocation of the objects under test goes through the __wrap_ functions below: a
 * countdown determines which one fails, a balance of blocks shows leaks. Threads may allocate, so both are atomic;
 * which allocation fails then depends on their order, but over all n each one is covered.
 */
#define _GNU_SOURCE
#include "torture.h"

#include <dirent.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *block, size_t size);
char *__real_strdup(const char *text);
void __real_free(void *block);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *block, size_t size);
char *__wrap_strdup(const char *text);
void __wrap_free(void *block);

#define NEVER 0 /* a countdown of 0 stays at 0 */

static atomic_long allocation_countdown, call_countdown;
static atomic_long blocks; /* allocated minus freed */
static atomic_bool fired, spoiled;
static int call_error;
static _Thread_local int paused;

/* Is this the one that fails? */
static bool expires(atomic_long *countdown)
{
    if (paused || atomic_load(countdown) == NEVER)
        return false;
    if (atomic_fetch_sub(countdown, 1) != 1)
        return false;
    atomic_store(&fired, true);
    return true;
}

static void *counted(void *block)
{
    if (block && !paused)
        atomic_fetch_add(&blocks, 1);
    return block;
}

void *__wrap_malloc(size_t size)
{
    return expires(&allocation_countdown) ? NULL : counted(__real_malloc(size));
}

void *__wrap_calloc(size_t count, size_t size)
{
    return expires(&allocation_countdown) ? NULL : counted(__real_calloc(count, size));
}

void *__wrap_realloc(void *block, size_t size)
{
    if (expires(&allocation_countdown))
        return NULL;
    void *grown = __real_realloc(block, size);
    return block ? grown : counted(grown);
}

char *__wrap_strdup(const char *text)
{
    return expires(&allocation_countdown) ? NULL : counted(__real_strdup(text));
}

void __wrap_free(void *block)
{
    if (block && !paused)
        atomic_fetch_sub(&blocks, 1);
    __real_free(block);
}

void torture_pause(void)
{
    paused++;
}

void torture_resume(void)
{
    paused--;
}

void torture_mark(void *object, size_t size)
{
    memset(object, 0xA5, size);
}

void torture_untouched(const void *object, size_t size, const char *name)
{
    const unsigned char *bytes = object;
    size_t i = 0;
    while (i < size && bytes[i] == 0xA5)
        i++;
    if (i == size)
        return;
    atomic_store(&spoiled, true);
    printf("# %s: byte %zu was written though the call failed\n", name, i);
}

/* ---- the world ---- */

static const struct wtl_world *inner_of(const struct wtl_world *world)
{
    return world->impl;
}

/* 0, or the error of this call. */
static int call_fails(void)
{
    return expires(&call_countdown) ? -call_error : 0;
}

#define PASS(type, call)         \
    int failure_ = call_fails(); \
    if (failure_ < 0)            \
        return failure_;         \
    torture_pause();             \
    type result_ = (call);       \
    torture_resume();            \
    return result_

static int torture_open(const struct wtl_world *world, const char *path, int flags)
{
    const struct wtl_world *inner = inner_of(world);
    PASS(int, inner->ops->open(inner, path, flags));
}

static void torture_close(const struct wtl_world *world, int fd)
{
    const struct wtl_world *inner = inner_of(world);
    torture_pause();
    inner->ops->close(inner, fd);
    torture_resume();
}

static ssize_t torture_pread(const struct wtl_world *world,
                             int fd,
                             void *buf,
                             size_t n,
                             off_t offset)
{
    const struct wtl_world *inner = inner_of(world);
    PASS(ssize_t, inner->ops->pread(inner, fd, buf, n, offset));
}

static ssize_t torture_read(const struct wtl_world *world, int fd, void *buf, size_t n)
{
    const struct wtl_world *inner = inner_of(world);
    PASS(ssize_t, inner->ops->read(inner, fd, buf, n));
}

static ssize_t torture_readlink(const struct wtl_world *world,
                                const char *path,
                                char *buf,
                                size_t n)
{
    const struct wtl_world *inner = inner_of(world);
    PASS(ssize_t, inner->ops->readlink(inner, path, buf, n));
}

static int torture_list(const struct wtl_world *world, const char *path, char ***ret_names)
{
    const struct wtl_world *inner = inner_of(world);
    int failure = expires(&allocation_countdown) ? -ENOMEM : call_fails();
    if (failure < 0)
        return failure;
    torture_pause();
    int count = inner->ops->list(inner, path, ret_names);
    torture_resume();
    if (count >= 0)
        (void)counted(*ret_names); /* the caller frees it */
    return count;
}

static bool torture_exists(const struct wtl_world *world, const char *path)
{
    const struct wtl_world *inner = inner_of(world);
    return inner->ops->exists(inner, path);
}

static uint64_t torture_now_ns(const struct wtl_world *world, clockid_t clock)
{
    const struct wtl_world *inner = inner_of(world);
    return inner->ops->now_ns(inner, clock);
}

static int torture_sleep_until(const struct wtl_world *world, uint64_t deadline_ns)
{
    const struct wtl_world *inner = inner_of(world);
    return inner->ops->sleep_until(inner, deadline_ns);
}

static int torture_perf_event_open(const struct wtl_world *world,
                                   struct perf_event_attr *attr,
                                   pid_t pid,
                                   int cpu,
                                   int group_fd,
                                   unsigned long flags)
{
    const struct wtl_world *inner = inner_of(world);
    PASS(int, inner->ops->perf_event_open(inner, attr, pid, cpu, group_fd, flags));
}

static int torture_msr_open(const struct wtl_world *world, int cpu)
{
    const struct wtl_world *inner = inner_of(world);
    PASS(int, inner->ops->msr_open(inner, cpu));
}

static int torture_msr_read(const struct wtl_world *world, int fd, uint32_t reg, uint64_t *ret)
{
    const struct wtl_world *inner = inner_of(world);
    PASS(int, inner->ops->msr_read(inner, fd, reg, ret));
}

static int torture_cpuid(const struct wtl_world *world,
                         uint32_t leaf,
                         uint32_t subleaf,
                         uint32_t regs[4])
{
    const struct wtl_world *inner = inner_of(world);
    return inner->ops->cpuid(inner, leaf, subleaf, regs);
}

static int torture_connect(const struct wtl_world *world, const char *address, uint64_t deadline_ns)
{
    const struct wtl_world *inner = inner_of(world);
    PASS(int, wtl_world_connect(inner, address, deadline_ns));
}

static int torture_send(const struct wtl_world *world,
                        int fd,
                        const void *data,
                        size_t n,
                        uint64_t deadline_ns)
{
    const struct wtl_world *inner = inner_of(world);
    PASS(int, inner->ops->send(inner, fd, data, n, deadline_ns));
}

static ssize_t torture_recv(const struct wtl_world *world,
                            int fd,
                            void *buf,
                            size_t n,
                            uint64_t deadline_ns)
{
    const struct wtl_world *inner = inner_of(world);
    PASS(ssize_t, inner->ops->recv(inner, fd, buf, n, deadline_ns));
}

static int torture_wait(const struct wtl_world *world, int fd, uint64_t deadline_ns)
{
    const struct wtl_world *inner = inner_of(world);
    PASS(int, inner->ops->wait(inner, fd, deadline_ns));
}

static int torture_ioctl(const struct wtl_world *world, int fd, const struct wtl_ioctl *call)
{
    const struct wtl_world *inner = inner_of(world);
    PASS(int, inner->ops->ioctl(inner, fd, call));
}

static int torture_spawn(const struct wtl_world *world, const char *const argv[], pid_t *ret_child)
{
    const struct wtl_world *inner = inner_of(world);
    PASS(int, wtl_world_spawn(inner, argv, ret_child));
}

static int torture_converse(const struct wtl_world *world,
                            const char *const argv[],
                            pid_t *ret_child)
{
    const struct wtl_world *inner = inner_of(world);
    PASS(int, wtl_world_converse(inner, argv, ret_child));
}

static int torture_reap(const struct wtl_world *world, pid_t child, uint64_t deadline_ns)
{
    const struct wtl_world *inner = inner_of(world);
    torture_pause();
    int status =
        inner->ops->reap(inner, child, deadline_ns); /* like close: the child is finished */
    torture_resume();
    return status;
}

static const char *torture_getenv(const struct wtl_world *world, const char *name)
{
    const struct wtl_world *inner = inner_of(world);
    return inner->ops->getenv(inner, name);
}

static long torture_sysconf(const struct wtl_world *world, int name)
{
    const struct wtl_world *inner = inner_of(world);
    return inner->ops->sysconf(inner, name);
}

static int torture_uname(const struct wtl_world *world, struct utsname *ret_name)
{
    const struct wtl_world *inner = inner_of(world);
    return inner->ops->uname(inner, ret_name);
}

static uid_t torture_geteuid(const struct wtl_world *world)
{
    const struct wtl_world *inner = inner_of(world);
    return inner->ops->geteuid(inner);
}

void torture_world(struct wtl_world *world, const struct wtl_world *inner)
{
    static const struct wtl_world_ops ops = {
        .open = torture_open,
        .close = torture_close,
        .pread = torture_pread,
        .read = torture_read,
        .readlink = torture_readlink,
        .list = torture_list,
        .exists = torture_exists,
        .now_ns = torture_now_ns,
        .sleep_until = torture_sleep_until,
        .perf_event_open = torture_perf_event_open,
        .msr_open = torture_msr_open,
        .msr_read = torture_msr_read,
        .cpuid = torture_cpuid,
        .connect = torture_connect,
        .send = torture_send,
        .recv = torture_recv,
        .wait = torture_wait,
        .ioctl = torture_ioctl,
        .spawn = torture_spawn,
        .converse = torture_converse,
        .reap = torture_reap,
        .getenv = torture_getenv,
        .sysconf = torture_sysconf,
        .uname = torture_uname,
        .geteuid = torture_geteuid,
    };
    *world = *inner;
    world->ops = &ops;
    world->impl = (void *)inner;
}

/* ---- the runs ---- */

static int open_descriptors(void)
{
    int count = 0;
    DIR *dir = opendir("/proc/self/fd");
    while (dir && readdir(dir))
        count++;
    if (dir)
        (void)closedir(dir);
    return count;
}

/* One run. Nothing may be left; returns whether that is true. */
static bool run_once(const struct torture_case *test, long n, const char *what, int *ret_rc)
{
    long blocks_before = atomic_load(&blocks);
    int fds_before = open_descriptors();
    atomic_store(&spoiled, false);
    *ret_rc = test->run(test);
    long blocks_left = atomic_load(&blocks) - blocks_before;
    int fds_left = open_descriptors() - fds_before;
    if (blocks_left || fds_left)
        printf("# %s: %ld blocks and %d descriptors are left when %s %ld fails\n", test->name,
               blocks_left, fds_left, what, n);
    return !blocks_left && !fds_left && !atomic_load(&spoiled);
}

bool torture_allocations(const struct torture_case *test)
{
    bool good = true;
    for (long n = 1;; n++) {
        int rc;
        atomic_store(&fired, false);
        atomic_store(&allocation_countdown, n);
        good &= run_once(test, n, "allocation", &rc);
        atomic_store(&allocation_countdown, NEVER);
        if (!atomic_load(&fired)) {
            printf("# %s: %ld allocations, then %d\n", test->name, n - 1, rc);
            return good && rc == 0 && n > 1;
        }
        if (rc == -ENOMEM || (test->optional && rc == 0))
            continue;
        printf("# %s: returns %d when allocation %ld fails\n", test->name, rc, n);
        good = false;
    }
}

bool torture_world_calls(const struct torture_case *test, int error)
{
    bool good = true;
    call_error = error;
    for (long n = 1;; n++) {
        int rc;
        atomic_store(&fired, false);
        atomic_store(&call_countdown, n);
        good &= run_once(test, n, "call", &rc);
        atomic_store(&call_countdown, NEVER);
        if (!atomic_load(&fired)) {
            printf("# %s: %ld calls to the world, then %d\n", test->name, n - 1, rc);
            return good && rc == 0 && n > 1;
        }
    }
}
