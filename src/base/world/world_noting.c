/* SPDX-License-Identifier: BSD-3-Clause */
/* Each function calls the inner world and records request and answer: see world_noting.h. */
#define _GNU_SOURCE
#include "base/world/world_noting.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <linux/perf_event.h>

#include "base/grow.h"
#include "base/world/dialogue.h"
#include "base/world/noted_dialogue.h"

struct noting {
    const struct wtl_world *inner;
    struct wtl_note *notes;
    size_t count, capacity;
    struct {
        int fd, cpu;
    } * registers; /* registers are read by descriptor: which CPU does it belong to */
    size_t register_count;
    struct wtl_noted_dialogue dialogue;
    bool out_of_memory;
};

static struct noting *noting_of(const struct wtl_world *world)
{
    return world->impl;
}

static const struct wtl_world *inner_of(const struct wtl_world *world)
{
    return noting_of(world)->inner;
}

static bool is_same(const struct wtl_note *a, const struct wtl_note *b)
{
    return a->kind == b->kind && a->type == b->type && a->config == b->config && a->cpu == b->cpu &&
           a->reg == b->reg && strcmp(a->name, b->name) == 0;
}

static void note(const struct wtl_world *world, struct wtl_note what)
{
    struct noting *n = noting_of(world);
    for (size_t i = n->count; i-- > 0;) { /* the same item is usually requested again soon */
        if (is_same(&n->notes[i], &what))
            return;
    }
    bool room = wtl_reserve(&n->notes, &n->capacity, n->count + 1, sizeof *n->notes) == 0;
    char *name = room ? strdup(what.name) : NULL;
    if (!name) {
        n->out_of_memory = true;
        return;
    }
    what.name = name;
    n->notes[n->count++] = what;
}

static void note_path(const struct wtl_world *world,
                      enum wtl_note_kind kind,
                      const char *path,
                      int status)
{
    note(world, (struct wtl_note){.kind = kind, .name = path, .status = status < 0 ? status : 0});
}

static int noting_open(const struct wtl_world *world, const char *path, int flags)
{
    int fd = inner_of(world)->ops->open(inner_of(world), path, flags);
    note_path(world, WTL_NOTE_FILE, path, fd);
    return fd;
}

static void noting_close(const struct wtl_world *world, int fd)
{
    inner_of(world)->ops->close(inner_of(world), fd);
    wtl_noted_close(&noting_of(world)->dialogue, fd);
}

static ssize_t noting_pread(const struct wtl_world *world,
                            int fd,
                            void *buf,
                            size_t n,
                            off_t offset)
{
    return inner_of(world)->ops->pread(inner_of(world), fd, buf, n, offset);
}

static ssize_t noting_read(const struct wtl_world *world, int fd, void *buf, size_t n)
{
    return inner_of(world)->ops->read(inner_of(world), fd, buf, n);
}

static ssize_t noting_readlink(const struct wtl_world *world, const char *path, char *buf, size_t n)
{
    ssize_t got = inner_of(world)->ops->readlink(inner_of(world), path, buf, n);
    note_path(world, WTL_NOTE_LINK, path, (int)got);
    return got;
}

static int noting_list(const struct wtl_world *world, const char *path, char ***ret_names)
{
    int count = inner_of(world)->ops->list(inner_of(world), path, ret_names);
    note_path(world, WTL_NOTE_FOLDER, path, count);
    return count;
}

static bool noting_exists(const struct wtl_world *world, const char *path)
{
    bool is = inner_of(world)->ops->exists(inner_of(world), path);
    if (is)
        note_path(world, WTL_NOTE_EXISTS, path, 0);
    return is;
}

static uint64_t noting_now_ns(const struct wtl_world *world, clockid_t clock)
{
    return inner_of(world)->ops->now_ns(inner_of(world), clock);
}

static int noting_sleep_until(const struct wtl_world *world, uint64_t deadline_ns)
{
    return inner_of(world)->ops->sleep_until(inner_of(world), deadline_ns);
}

static int noting_perf_event_open(const struct wtl_world *world,
                                  struct perf_event_attr *attr,
                                  pid_t pid,
                                  int cpu,
                                  int group_fd,
                                  unsigned long flags)
{
    int fd =
        inner_of(world)->ops->perf_event_open(inner_of(world), attr, pid, cpu, group_fd, flags);
    if (cpu >= 0)
        note(world, (struct wtl_note){.kind = WTL_NOTE_PERF,
                                      .name = "",
                                      .status = fd < 0 ? fd : 0,
                                      .type = attr->type,
                                      .config = attr->config,
                                      .cpu = cpu});
    return fd;
}

/* A descriptor may be reused for another CPU: the last one counts. */
static void keep_cpu(struct noting *n, int fd, int cpu)
{
    if (wtl_grow(&n->registers, n->register_count, sizeof *n->registers) < 0) {
        n->out_of_memory = true;
        return;
    }
    n->registers[n->register_count].fd = fd;
    n->registers[n->register_count++].cpu = cpu;
}

static int cpu_of(const struct noting *n, int fd)
{
    for (size_t i = n->register_count; i-- > 0;) {
        if (n->registers[i].fd == fd)
            return n->registers[i].cpu;
    }
    return -1;
}

static int noting_msr_open(const struct wtl_world *world, int cpu)
{
    int fd = inner_of(world)->ops->msr_open(inner_of(world), cpu);
    if (fd >= 0)
        keep_cpu(noting_of(world), fd, cpu);
    note(world, (struct wtl_note){.kind = WTL_NOTE_MSR,
                                  .name = "",
                                  .status = fd < 0 ? fd : 0,
                                  .cpu = cpu,
                                  .reg = UINT32_MAX});
    return fd;
}

static int noting_msr_read(const struct wtl_world *world, int fd, uint32_t reg, uint64_t *ret_value)
{
    int rc = inner_of(world)->ops->msr_read(inner_of(world), fd, reg, ret_value);
    int cpu = cpu_of(noting_of(world), fd);
    if (cpu >= 0)
        note(world, (struct wtl_note){
                        .kind = WTL_NOTE_MSR, .name = "", .status = rc, .cpu = cpu, .reg = reg});
    return rc;
}

static int noting_cpuid(const struct wtl_world *world,
                        uint32_t leaf,
                        uint32_t subleaf,
                        uint32_t regs[4])
{
    int rc = inner_of(world)->ops->cpuid(inner_of(world), leaf, subleaf, regs);
    struct wtl_note what = {
        .kind = WTL_NOTE_CPUID, .name = "", .status = rc, .config = (uint64_t)leaf << 32 | subleaf};
    if (rc == 0)
        memcpy(what.regs, regs, sizeof what.regs);
    note(world, what);
    return rc;
}

static uint64_t now_of(const struct wtl_world *world)
{
    return wtl_world_monotonic(inner_of(world));
}

static int noting_connect(const struct wtl_world *world, const char *address, uint64_t deadline_ns)
{
    char name[WTL_DIALOGUE_TEXT];
    int fd = wtl_world_connect(inner_of(world), address, deadline_ns);
    if (wtl_dialogue_address(address, name, sizeof name) == 0)
        wtl_noted_open(&noting_of(world)->dialogue, name, fd, 0, now_of(world));
    return fd;
}

static int noting_send(const struct wtl_world *world,
                       int fd,
                       const void *data,
                       size_t n,
                       uint64_t deadline_ns)
{
    char text[WTL_DIALOGUE_TEXT];
    uint64_t asked_ns = now_of(world);
    int rc = inner_of(world)->ops->send(inner_of(world), fd, data, n, deadline_ns);
    if (rc == 0 && n > 0 && wtl_dialogue_text(data, n, text, sizeof text) == 0)
        wtl_noted_request(&noting_of(world)->dialogue, fd, text, asked_ns);
    return rc;
}

/* A long answer is split into several. */
static void note_bytes(const struct wtl_world *world, int fd, const char *bytes, size_t n)
{
    char text[WTL_DIALOGUE_TEXT];
    for (size_t at = 0; at < n;) {
        size_t size = n - at < WTL_DIALOGUE_BYTES ? n - at : WTL_DIALOGUE_BYTES;
        if (wtl_dialogue_text(bytes + at, size, text, sizeof text) == 0)
            wtl_noted_answer(&noting_of(world)->dialogue, fd, text, now_of(world));
        at += size;
    }
}

static ssize_t noting_recv(const struct wtl_world *world,
                           int fd,
                           void *buf,
                           size_t n,
                           uint64_t deadline_ns)
{
    struct wtl_noted_dialogue *dialogue = &noting_of(world)->dialogue;
    ssize_t got = inner_of(world)->ops->recv(inner_of(world), fd, buf, n, deadline_ns);
    (void)wtl_noted_wait(dialogue, fd, false);
    if (got > 0)
        note_bytes(world, fd, buf, (size_t)got);
    else if (got == 0 || (got != -ETIMEDOUT && got != -EBADF))
        wtl_noted_answer(dialogue, fd, got == 0 ? "!close" : wtl_dialogue_failure((int)got),
                         now_of(world));
    return got;
}

static int noting_wait(const struct wtl_world *world, int fd, uint64_t deadline_ns)
{
    int rc = inner_of(world)->ops->wait(inner_of(world), fd, deadline_ns);
    (void)wtl_noted_wait(&noting_of(world)->dialogue, fd, rc == 0);
    return rc;
}

static int noting_ioctl(const struct wtl_world *world, int fd, const struct wtl_ioctl *call)
{
    struct wtl_noted_dialogue *dialogue = &noting_of(world)->dialogue;
    char request[WTL_DIALOGUE_TEXT], answer[WTL_DIALOGUE_TEXT];
    int fits = wtl_dialogue_ioctl(call, -1, request, sizeof request);
    uint64_t asked_ns = now_of(world);
    int result = inner_of(world)->ops->ioctl(inner_of(world), fd, call);
    bool fetched = wtl_noted_wait(dialogue, fd, false);
    if (fits < 0 || result == -EBADF)
        return result;
    if (!fetched)
        wtl_noted_request(dialogue, fd, request, asked_ns);
    if (result >= 0)
        fits = wtl_dialogue_ioctl(call, result, answer, sizeof answer);
    if (fits == 0)
        wtl_noted_answer(dialogue, fd, result < 0 ? wtl_dialogue_failure(result) : answer,
                         now_of(world));
    return result;
}

static int noting_spawn(const struct wtl_world *world, const char *const argv[], pid_t *ret_child)
{
    char name[WTL_DIALOGUE_TEXT];
    uint64_t started_ns = now_of(world);
    int fd = wtl_world_spawn(inner_of(world), argv, ret_child);
    if (wtl_dialogue_command(argv, name, sizeof name) == 0)
        wtl_noted_open(&noting_of(world)->dialogue, name, fd, fd < 0 ? 0 : *ret_child, started_ns);
    return fd;
}

/* It ends because its input does, which is no answer: its end is not noted. */
static int noting_converse(const struct wtl_world *world,
                           const char *const argv[],
                           pid_t *ret_child)
{
    char name[WTL_DIALOGUE_TEXT];
    uint64_t started_ns = now_of(world);
    int fd = wtl_world_converse(inner_of(world), argv, ret_child);
    if (wtl_dialogue_command(argv, name, sizeof name) == 0)
        wtl_noted_open(&noting_of(world)->dialogue, name, fd, 0, started_ns);
    return fd;
}

static int noting_reap(const struct wtl_world *world, pid_t child, uint64_t deadline_ns)
{
    int status = inner_of(world)->ops->reap(inner_of(world), child, deadline_ns);
    wtl_noted_end(&noting_of(world)->dialogue, child, status, now_of(world));
    return status;
}

static void *noting_dlopen(const struct wtl_world *world, const char *soname)
{
    return inner_of(world)->ops->dlopen(inner_of(world), soname);
}

static void *noting_dlsym(const struct wtl_world *world, void *handle, const char *symbol)
{
    return inner_of(world)->ops->dlsym(inner_of(world), handle, symbol);
}

static void noting_dlclose(const struct wtl_world *world, void *handle)
{
    inner_of(world)->ops->dlclose(inner_of(world), handle);
}

static const char *noting_getenv(const struct wtl_world *world, const char *name)
{
    const char *value = inner_of(world)->ops->getenv(inner_of(world), name);
    if (value)
        note_path(world, WTL_NOTE_ENV, name, 0);
    return value;
}

static long noting_sysconf(const struct wtl_world *world, int name)
{
    return inner_of(world)->ops->sysconf(inner_of(world), name);
}

static int noting_uname(const struct wtl_world *world, struct utsname *ret_name)
{
    return inner_of(world)->ops->uname(inner_of(world), ret_name);
}

static uid_t noting_geteuid(const struct wtl_world *world)
{
    return inner_of(world)->ops->geteuid(inner_of(world));
}

static const struct wtl_world_ops noting_ops = {
    .open = noting_open,
    .close = noting_close,
    .pread = noting_pread,
    .read = noting_read,
    .readlink = noting_readlink,
    .list = noting_list,
    .exists = noting_exists,
    .now_ns = noting_now_ns,
    .sleep_until = noting_sleep_until,
    .perf_event_open = noting_perf_event_open,
    .msr_open = noting_msr_open,
    .msr_read = noting_msr_read,
    .cpuid = noting_cpuid,
    .connect = noting_connect,
    .send = noting_send,
    .recv = noting_recv,
    .wait = noting_wait,
    .ioctl = noting_ioctl,
    .spawn = noting_spawn,
    .converse = noting_converse,
    .reap = noting_reap,
    .dlopen = noting_dlopen,
    .dlsym = noting_dlsym,
    .dlclose = noting_dlclose,
    .getenv = noting_getenv,
    .sysconf = noting_sysconf,
    .uname = noting_uname,
    .geteuid = noting_geteuid,
};

int wtl_world_noting(const struct wtl_world *inner, struct wtl_world **ret_world)
{
    struct wtl_world *world = calloc(1, sizeof *world);
    struct noting *n = calloc(1, sizeof *n);
    if (!world || !n) {
        free(world);
        free(n);
        return -ENOMEM;
    }
    n->inner = inner;
    *world = *inner;
    world->ops = &noting_ops;
    world->impl = n;
    *ret_world = world;
    return 0;
}

void wtl_world_noting_close(struct wtl_world *world)
{
    if (!world)
        return;
    struct noting *n = noting_of(world);
    for (size_t i = 0; i < n->count; i++)
        free((char *)n->notes[i].name);
    free(n->notes);
    free(n->registers);
    wtl_noted_fini(&n->dialogue);
    free(n);
    free(world);
}

int wtl_world_noted_dialogues(const struct wtl_world *world, char **ret_text)
{
    return wtl_noted_text(&noting_of(world)->dialogue, ret_text);
}

const struct wtl_note *wtl_world_noted(const struct wtl_world *world, size_t *ret_count)
{
    *ret_count = noting_of(world)->count;
    return noting_of(world)->notes;
}

bool wtl_world_noted_all(const struct wtl_world *world)
{
    return !noting_of(world)->out_of_memory && !noting_of(world)->dialogue.out_of_memory;
}
