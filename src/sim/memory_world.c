/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The world in memory: see memory_world.h. Files are those of the node's tree; descriptors are slot
 * numbers. What is not simulated (libraries, and perf events without a PMU) does not exist.
 */
#define _GNU_SOURCE
#include "sim/memory_world.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/grow.h"
#include "base/natural.h"
#include "base/random.h"

enum { EVENTS = 1 << 28 }; /* slots of events are their ids from here on */
enum { FIRST_FD = 100 };   /* so that a real descriptor used here by mistake fails */

struct memory {
    struct wtl_memory_config config;
    struct wtl_node *node;
    const struct wtl_tree *tree;
    uint64_t now_ns, draws, reads;
    int *slots; /* index of the open entry; -1 = free */
    int slot_count;
};

static struct memory *memory_of(const struct wtl_world *world)
{
    return world->impl;
}

struct wtl_memory_config wtl_memory_config_init(uint64_t now_ns, uint64_t seed)
{
    return (struct wtl_memory_config){
        .now_ns = now_ns,
        .seed = seed,
        .clock_cost_ns = 25,
        .pread_cost_ns = 600,
        .open_cost_ns = 5000,
        .late_ns = 5000,
        .late_tail_ns = 2000,
    };
}

static double draw(struct memory *m)
{
    return wtl_random_uniform(m->config.seed, m->draws++);
}

static int entry_of(const struct memory *m, int fd)
{
    int slot = fd - FIRST_FD;
    return slot >= 0 && slot < m->slot_count && m->slots[slot] < EVENTS ? m->slots[slot] : -1;
}

static int take_slot(struct memory *m, int entry)
{
    int slot = 0;
    while (slot < m->slot_count && m->slots[slot] >= 0)
        slot++;
    if (slot == m->slot_count) {
        size_t room = (size_t)slot;
        if (wtl_reserve(&m->slots, &room, room + 1, sizeof *m->slots) < 0)
            return -ENOMEM;
        for (m->slot_count = (int)room; (size_t)slot < room; room--)
            m->slots[room - 1] = -1;
    }
    m->slots[slot] = entry;
    return slot + FIRST_FD;
}

/* The event of a descriptor; NULL = none. */
static struct wtl_sim_event *event_of(const struct memory *m, int fd)
{
    int slot = fd - FIRST_FD;
    if (slot < 0 || slot >= m->slot_count || m->slots[slot] < EVENTS)
        return NULL;
    return wtl_sim_pmu_event(m->config.pmu, (uint64_t)(m->slots[slot] - EVENTS));
}

static int memory_open(const struct wtl_world *world, const char *path, int flags)
{
    struct memory *m = memory_of(world);
    m->now_ns += m->config.open_cost_ns;
    int entry = wtl_tree_find(m->tree, path, true);
    if (entry < 0)
        return entry;
    if ((flags & O_ACCMODE) != O_RDONLY && !wtl_tree_writable(wtl_tree_entry(m->tree, entry)))
        return -EACCES;
    if (wtl_tree_entry(m->tree, entry)->kind != WTL_ENTRY_FOLDER && (flags & O_DIRECTORY))
        return -ENOTDIR;
    int rc = wtl_tree_open(m->tree, m->node, entry, m->now_ns);
    return rc < 0 ? rc : take_slot(m, entry);
}

static void memory_close(const struct wtl_world *world, int fd)
{
    struct memory *m = memory_of(world);
    struct wtl_sim_event *event = event_of(m, fd);
    if (event)
        wtl_sim_event_close(event, m->now_ns);
    if (event || entry_of(m, fd) >= 0)
        m->slots[fd - FIRST_FD] = -1;
}

/* Start of a read, up to the counter access; the return value is the time after the read. */
static uint64_t begin_read(struct memory *m)
{
    uint64_t before = m->config.pread_cost_ns / 2, after = m->config.pread_cost_ns - before;
    if (m->config.preempt_probability > 0 && draw(m) < m->config.preempt_probability) {
        uint64_t gap = (uint64_t)(draw(m) * (double)m->config.preempt_ns);
        if (draw(m) < 0.5)
            before += gap;
        else
            after += gap;
    }
    m->now_ns += before;
    m->reads++;
    return after;
}

static ssize_t read_msr(struct memory *m,
                        const struct wtl_entry *e,
                        void *buf,
                        size_t n,
                        off_t offset)
{
    uint64_t value;
    if (n != sizeof value)
        return -EINVAL;
    int rc = wtl_tree_msr(m->tree, m->node, e->cpu, (uint32_t)offset, m->now_ns, &value);
    if (rc < 0)
        return rc;
    memcpy(buf, &value, sizeof value);
    return sizeof value;
}

static ssize_t read_text(struct memory *m, int entry, void *buf, size_t n, off_t offset)
{
    char made[WTL_TREE_TEXT];
    const char *text;
    ssize_t length = wtl_tree_text(m->tree, m->node, entry, m->now_ns, made, &text);
    if (length <= 0 || offset >= length)
        return length < 0 ? length : 0;
    size_t rest = (size_t)(length - offset);
    if (rest > n)
        rest = n;
    memcpy(buf, text + offset, rest);
    return (ssize_t)rest;
}

static ssize_t memory_pread(const struct wtl_world *world,
                            int fd,
                            void *buf,
                            size_t n,
                            off_t offset)
{
    struct memory *m = memory_of(world);
    int entry = entry_of(m, fd);
    if (entry < 0)
        return -EBADF;
    const struct wtl_entry *e = wtl_tree_entry(m->tree, entry);
    if (e->kind == WTL_ENTRY_FOLDER)
        return -EISDIR;
    if (offset < 0)
        return -EINVAL;
    uint64_t after = begin_read(m);
    ssize_t got = e->content == WTL_CONTENT_MSR ? read_msr(m, e, buf, n, offset)
                                                : read_text(m, entry, buf, n, offset);
    m->now_ns += after;
    return got;
}

static ssize_t memory_write(const struct wtl_world *world, int fd, const void *text, size_t n)
{
    struct memory *m = memory_of(world);
    int entry = entry_of(m, fd);
    if (entry < 0)
        return -EBADF;
    uint64_t after = begin_read(m);
    int rc = wtl_tree_write(m->tree, m->node, entry, m->now_ns, text, n);
    m->now_ns += after;
    return rc < 0 ? rc : (ssize_t)n;
}

static int memory_put(const struct wtl_world *world, const char *path, const char *text)
{
    int fd = memory_open(world, path, O_WRONLY);
    if (fd < 0)
        return fd;
    ssize_t n = memory_write(world, fd, text, strlen(text));
    memory_close(world, fd);
    return n < 0 ? (int)n : 0;
}

static ssize_t memory_read(const struct wtl_world *world, int fd, void *buf, size_t n)
{
    struct memory *m = memory_of(world);
    struct wtl_sim_event *event = event_of(m, fd);
    if (!event)
        return -EBADF; /* for sockets, which do not exist here */
    uint64_t after = begin_read(m);
    ssize_t got = wtl_sim_event_read(event, m->now_ns, buf, n);
    m->now_ns += after;
    return got;
}

static ssize_t memory_readlink(const struct wtl_world *world, const char *path, char *buf, size_t n)
{
    struct memory *m = memory_of(world);
    m->now_ns += m->config.open_cost_ns;
    int entry = wtl_tree_find(m->tree, path, false);
    if (entry < 0)
        return entry;
    const struct wtl_entry *e = wtl_tree_entry(m->tree, entry);
    if (e->kind != WTL_ENTRY_LINK || n == 0)
        return -EINVAL;
    size_t length = strlen(e->text);
    if (length > n - 1)
        length = n - 1;
    memcpy(buf, e->text, length);
    buf[length] = '\0';
    return (ssize_t)length;
}

static int memory_list(const struct wtl_world *world, const char *path, char ***ret_names)
{
    struct memory *m = memory_of(world);
    m->now_ns += m->config.open_cost_ns;
    int folder = wtl_tree_find(m->tree, path, true), count = 0;
    if (folder < 0)
        return folder;
    if (wtl_tree_entry(m->tree, folder)->kind != WTL_ENTRY_FOLDER)
        return -ENOTDIR;
    char **names = malloc((size_t)wtl_tree_count(m->tree) * sizeof *names);
    if (!names)
        return -ENOMEM;
    int i = wtl_tree_entry(m->tree, folder)->child;
    for (; i >= 0; i = wtl_tree_entry(m->tree, i)->next)
        names[count++] = (char *)wtl_tree_entry(m->tree, i)->name;
    char **sorted = wtl_natural_sorted(names, count);
    free(names);
    if (!sorted)
        return -ENOMEM;
    *ret_names = sorted;
    return count;
}

static bool memory_exists(const struct wtl_world *world, const char *path)
{
    struct memory *m = memory_of(world);
    m->now_ns += m->config.open_cost_ns;
    int entry = wtl_tree_find(m->tree, path, true);
    return entry >= 0 && wtl_tree_open(m->tree, m->node, entry, m->now_ns) != -ENOENT;
}

static uint64_t memory_now_ns(const struct wtl_world *world, clockid_t clock)
{
    struct memory *m = memory_of(world);
    uint64_t realtime = clock == CLOCK_REALTIME ? UINT64_C(1700000000000000000) : 0;
    m->now_ns += m->config.clock_cost_ns;
    return m->now_ns + realtime;
}

static int memory_sleep_until(const struct wtl_world *world, uint64_t deadline_ns)
{
    struct memory *m = memory_of(world);
    const struct wtl_memory_config *c = &m->config;
    if (deadline_ns > m->now_ns)
        m->now_ns = deadline_ns;
    m->now_ns += c->late_ns;
    if (c->late_tail_ns > 0)
        m->now_ns +=
            (uint64_t)((double)c->late_tail_ns * wtl_random_exponential(c->seed, m->draws++));
    if (c->wait_probability > 0 && draw(m) < c->wait_probability)
        m->now_ns += (uint64_t)(draw(m) * (double)c->wait_ns);
    return 0;
}

static int memory_perf_event_open(const struct wtl_world *world,
                                  struct perf_event_attr *attr,
                                  pid_t pid,
                                  int cpu,
                                  int group_fd,
                                  unsigned long flags)
{
    struct memory *m = memory_of(world);
    struct wtl_sim_event *leader = event_of(m, group_fd), *event;
    m->now_ns += m->config.open_cost_ns;
    if (!m->config.pmu || !wtl_sim_pmu_has(attr->type))
        return -ENOENT;
    if (group_fd >= 0 && !leader)
        return -EBADF;
    if (flags & PERF_FLAG_PID_CGROUP)
        pid = -1;
    int rc = wtl_sim_pmu_open(m->config.pmu, attr, pid, cpu, -1, leader, m->now_ns, &event);
    return rc < 0 ? rc : take_slot(m, EVENTS + (int)wtl_sim_event_id(event));
}

static int memory_msr_open(const struct wtl_world *world, int cpu)
{
    char path[40];
    (void)snprintf(path, sizeof path, "/dev/cpu/%d/msr", cpu); /* always fits */
    return memory_open(world, path, O_RDONLY);
}

static int memory_msr_read(const struct wtl_world *world, int fd, uint32_t reg, uint64_t *ret_value)
{
    struct memory *m = memory_of(world);
    int entry = entry_of(m, fd);
    if (entry < 0 || wtl_tree_entry(m->tree, entry)->content != WTL_CONTENT_MSR)
        return -EBADF;
    uint64_t after = begin_read(m);
    int rc = wtl_tree_msr(m->tree, m->node, wtl_tree_entry(m->tree, entry)->cpu, reg, m->now_ns,
                          ret_value);
    m->now_ns += after;
    return rc;
}

/* Vendor and signature of the configured model. */
static int memory_cpuid(const struct wtl_world *world,
                        uint32_t leaf,
                        uint32_t subleaf,
                        uint32_t regs[4])
{
    const struct wtl_cpu_model *model = wtl_tree_config(memory_of(world)->tree)->model;
    (void)subleaf;
    if (!model || leaf > 1)
        return -ENOTSUP;
    memset(regs, 0, 4 * sizeof *regs);
    if (leaf == 0) {
        regs[0] = 1;
        memcpy(&regs[1], model->vendor, 4); /* ebx, edx, ecx */
        memcpy(&regs[3], model->vendor + 4, 4);
        memcpy(&regs[2], model->vendor + 8, 4);
        return 0;
    }
    uint32_t family = model->family < 15 ? model->family : 15;
    regs[0] = (model->family - family) << 20 | (uint32_t)(model->model >> 4) << 16 | family << 8 |
              (model->model & 15) << 4 | model->stepping;
    return 0;
}

static void *memory_dlopen(const struct wtl_world *world, const char *soname)
{
    (void)world, (void)soname;
    return NULL;
}

static void *memory_dlsym(const struct wtl_world *world, void *handle, const char *symbol)
{
    (void)world, (void)handle, (void)symbol;
    return NULL;
}

static void memory_dlclose(const struct wtl_world *world, void *handle)
{
    (void)world, (void)handle;
}

static const char *memory_getenv(const struct wtl_world *world, const char *name)
{
    (void)world;
    return strcmp(name, "WATTLE_SIMULATED") == 0 ? "1" : NULL;
}

static long memory_sysconf(const struct wtl_world *world, int name)
{
    switch (name) {
    case _SC_NPROCESSORS_ONLN:
    case _SC_NPROCESSORS_CONF:
        return wtl_tree_config(memory_of(world)->tree)->cpus;
    case _SC_CLK_TCK:
        return 100;
    case _SC_PAGESIZE:
        return 4096;
    default:
        return -1;
    }
}

static int memory_uname(const struct wtl_world *world, struct utsname *ret_name)
{
    (void)world;
    *ret_name = (struct utsname){.sysname = "Linux",
                                 .nodename = "simulated",
                                 .release = "6.1.0-simulated",
                                 .version = "#1",
                                 .machine = "x86_64"};
    return 0;
}

static uid_t memory_geteuid(const struct wtl_world *world)
{
    (void)world;
    return 0;
}

static const struct wtl_world_ops memory_ops = {
    .open = memory_open,
    .close = memory_close,
    .pread = memory_pread,
    .read = memory_read,
    .readlink = memory_readlink,
    .list = memory_list,
    .exists = memory_exists,
    .put = memory_put,
    .now_ns = memory_now_ns,
    .sleep_until = memory_sleep_until,
    .perf_event_open = memory_perf_event_open,
    .msr_open = memory_msr_open,
    .msr_read = memory_msr_read,
    .cpuid = memory_cpuid,
    .dlopen = memory_dlopen,
    .dlsym = memory_dlsym,
    .dlclose = memory_dlclose,
    .getenv = memory_getenv,
    .sysconf = memory_sysconf,
    .uname = memory_uname,
    .geteuid = memory_geteuid,
};

int wtl_memory_world_create(struct wtl_node *node,
                            const struct wtl_tree *tree,
                            const struct wtl_memory_config *config,
                            struct wtl_world **ret_world,
                            struct wattle_error *err)
{
    struct wtl_world *world = malloc(sizeof *world + sizeof(struct memory));
    if (!world)
        return wtl_fail(err, -ENOMEM, "out of memory");
    struct memory *m = (struct memory *)(void *)(world + 1);
    *m = (struct memory){.config = *config, .node = node, .tree = tree, .now_ns = config->now_ns};
    *world =
        (struct wtl_world){.ops = &memory_ops, .impl = m, .virtual_time = true, .simulated = true};
    *ret_world = world;
    return 0;
}

void wtl_memory_world_destroy(struct wtl_world *world)
{
    if (!world)
        return;
    free(memory_of(world)->slots);
    free(world);
}

uint64_t wtl_memory_world_time(const struct wtl_world *world)
{
    return memory_of(world)->now_ns;
}

void wtl_memory_world_advance(const struct wtl_world *world, uint64_t ns)
{
    memory_of(world)->now_ns += ns;
}

uint64_t wtl_memory_world_reads(const struct wtl_world *world)
{
    return memory_of(world)->reads;
}
