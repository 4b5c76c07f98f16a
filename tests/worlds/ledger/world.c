/* SPDX-License-Identifier: BSD-3-Clause */
/* The virtual node of worlds-ledger: see world.h. */
#define _GNU_SOURCE
#include "world.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "sim/memory_world.h"

enum { OWN_FD = 1 << 20, STAT_FD = OWN_FD - 1 };

static struct machine *running; /* whose clock is CLOCK_MONOTONIC */
static pthread_t main_thread;
static struct wtl_world_ops ops;
static const struct wtl_world_ops *below;

/* Of the main thread it is virtual; wall clocks go with it. Other threads wait for disks, in real time. */
int clock_gettime(clockid_t clock, struct timespec *ret)
{
    bool is_virtual =
        clock == CLOCK_MONOTONIC || clock == CLOCK_BOOTTIME || clock == CLOCK_REALTIME;
    if (!running || !is_virtual || !pthread_equal(pthread_self(), main_thread))
        return (int)syscall(SYS_clock_gettime, clock, ret);
    uint64_t ns = wtl_memory_world_time(running->memory);
    ret->tv_sec = (time_t)(ns / 1000000000u) + (clock == CLOCK_REALTIME ? 1800000000 : 0);
    ret->tv_nsec = (long)(ns % 1000000000u);
    return 0;
}

uint64_t machine_now(const struct machine *machine)
{
    return wtl_memory_world_time(machine->memory);
}

void machine_sleep_until(struct machine *machine, uint64_t time_ns)
{
    uint64_t now_ns = machine_now(machine);
    if (time_ns > now_ns)
        wtl_memory_world_advance(machine->memory, time_ns - now_ns);
}

/* ---- files ---- */

static double used_s(const struct load *load, uint64_t now_ns)
{
    uint64_t until_ns = now_ns < load->to_ns ? now_ns : load->to_ns;
    return until_ns > load->from_ns ? (double)(until_ns - load->from_ns) * 1e-9 * load->cpus : 0;
}

/* CPU time of all jobs that are or were there. */
static double batch_s(const struct machine *machine, uint64_t now_ns)
{
    double sum = 0;
    for (int i = 0; i < machine->load_count; i++)
        sum += used_s(&machine->loads[i], now_ns);
    return sum;
}

/* The job of the cgroup; -1 = the one above all of them; -2 = none, or not there. */
static int load_of(const struct machine *machine, const char *path)
{
    static const char folder[] = "/sys/fs/cgroup/batch/", file[] = "cpu.stat";
    uint64_t now_ns = machine_now(machine);
    if (strcmp(path, "/sys/fs/cgroup/batch/cpu.stat") == 0)
        return -1;
    size_t n = strlen(path);
    if (strncmp(path, folder, sizeof folder - 1) != 0 || n < sizeof file ||
        strcmp(path + n - (sizeof file - 1), file) != 0)
        return -2;
    const char *name = path + sizeof folder - 1;
    for (int i = machine->load_count - 1; i >= 0; i--) {
        const struct load *load = &machine->loads[i];
        size_t length = strlen(load->name);
        if (strncmp(name, load->name, length) == 0 && name[length] == '/' &&
            now_ns >= load->from_ns && now_ns < load->to_ns)
            return i;
    }
    return -2;
}

static int own_open(const struct wtl_world *world, const char *path, int flags)
{
    if (strcmp(path, "/proc/stat") == 0)
        return STAT_FD;
    if (strncmp(path, "/sys/fs/cgroup/", 15) == 0) {
        int load = load_of(running, path);
        return load < -1 ? -ENOENT : OWN_FD + 1 + load;
    }
    return below->open(world, path, flags);
}

static void own_close(const struct wtl_world *world, int fd)
{
    if (fd < STAT_FD)
        below->close(world, fd);
}

/* Each load has CPUs of its own, as long as there are some; the system has the last one. */
static double cpu_s(int cpu, uint64_t now_ns, double up_s)
{
    double sum = cpu == running->cpus - 1 ? running->system_cpus * up_s : 0;
    for (int i = 0, at = 0; i < running->load_count; i++) {
        const struct load *load = &running->loads[i];
        int wide = load->cpus > 1 ? (int)ceil(load->cpus) : 1;
        for (int k = 0; k < wide; k++)
            if ((at + k) % running->cpus == cpu)
                sum += used_s(load, now_ns) / wide;
        at += wide;
    }
    return sum < up_s ? sum : up_s;
}

/* As the kernel shows them, in ticks of 10 ms. */
static int put_stat(char *text, size_t room)
{
    double up_s = (double)(machine_now(running) - LEDGER_START_S * UINT64_C(1000000000)) * 1e-9;
    int n = snprintf(text, room, "cpu  0 0 0 0 0 0 0 0 0 0\n");
    for (int i = 0; i < running->cpus; i++) {
        double busy_s = cpu_s(i, machine_now(running), up_s),
               phase = fmod(0.618 * i, 1); /* ticks of CPUs are apart */
        n += snprintf(text + n, room - (size_t)n, "cpu%d %llu 0 0 %llu 0 0 0 0 0 0\n", i,
                      (unsigned long long)(busy_s * 100 + phase),
                      (unsigned long long)((up_s - busy_s) * 100 + phase));
    }
    return n + snprintf(text + n, room - (size_t)n, "intr 0\n");
}

static ssize_t own_pread(const struct wtl_world *world, int fd, void *buf, size_t n, off_t offset)
{
    char text[8192];
    int size;
    if (fd < STAT_FD)
        return below->pread(world, fd, buf, n, offset);
    uint64_t now_ns = machine_now(running);
    int load = fd - OWN_FD - 1;
    if (fd == STAT_FD)
        size = put_stat(text, sizeof text);
    else if (load >= 0 && now_ns >= running->loads[load].to_ns)
        return -ENODEV;
    else
        size = snprintf(
            text, sizeof text, "usage_usec %llu\nuser_usec 0\n",
            (unsigned long long)(1e6 * (load < 0 ? batch_s(running, now_ns)
                                                 : used_s(&running->loads[load], now_ns))));
    if (offset >= size)
        return 0;
    size -= (int)offset;
    size = (size_t)size < n ? size : (int)n;
    memcpy(buf, text + offset, (size_t)size);
    return size;
}

static int own_list(const struct wtl_world *world, const char *path, char ***ret_names)
{
    if (strncmp(path, "/sys/fs/cgroup", 14) == 0 || strcmp(path, "/proc") == 0)
        return -ENOENT;
    return below->list(world, path, ret_names);
}

/* ---- opening ---- */

static bool said(int rc, const struct wattle_error *err)
{
    if (rc < 0)
        (void)fprintf(stderr, "worlds-ledger: %s (%d)\n", err->text, rc);
    return rc == 0;
}

bool machine_open(struct machine *machine, int argc, char **argv, int cpus, uint64_t seed)
{
    struct wattle_error err = {""};
    struct wtl_memory_config memory =
        wtl_memory_config_init(LEDGER_START_S * UINT64_C(1000000000) + 1, seed);
    *machine = (struct machine){.cpus = cpus};
    int rc = wtl_sim_options_parse(&machine->options, argc, argv, cpus, &err);
    machine->options.node.start_ns = machine->options.node.t0_ns =
        LEDGER_START_S * UINT64_C(1000000000);
    rc = rc < 0 ? rc : wtl_node_create(&machine->options.node, &machine->node, &err);
    rc = rc < 0 ? rc
                : wtl_tree_create(&machine->options.tree, &machine->options.node, &machine->tree,
                                  &err);
    rc = rc < 0 ? rc
                : wtl_memory_world_create(machine->node, machine->tree, &memory, &machine->memory,
                                          &err);
    if (!said(rc, &err))
        return false;
    below = machine->memory->ops;
    ops = *below;
    ops.open = own_open;
    ops.close = own_close;
    ops.pread = own_pread;
    ops.list = own_list;
    machine->world = *machine->memory;
    machine->world.ops = &ops;
    main_thread = pthread_self();
    running = machine;
    return true;
}

void machine_close(struct machine *machine)
{
    running = NULL;
    wtl_memory_world_destroy(machine->memory);
    wtl_tree_destroy(machine->tree);
    wtl_node_destroy(machine->node);
    wtl_sim_options_fini(&machine->options);
}
