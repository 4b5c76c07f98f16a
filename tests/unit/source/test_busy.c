/* SPDX-License-Identifier: BSD-3-Clause */
/* Busy time, processors and virtualisation on recorded hosts. */
#define _GNU_SOURCE
#include "source/busy.h"

#include <errno.h>

#include "../sensors/host.h"
#include "../sensors/made_host.h"
#include "source/cpuinfo.h"
#include "source/virtual.h"
#include "tap.h"

static void at(const struct wtl_world *world, double seconds)
{
    uint64_t deadline = WTL_RECORDED_START_NS + (uint64_t)(seconds * 1e9) + 1000;
    (void)world->ops->sleep_until(world, deadline);
}

static void test_busy(void)
{
    static const struct row {
        int line;
        const char *host, *prefer;
        int rc;
        enum wtl_busy_kind kind;
        double from, to, busy_s;
    } rows[] = {
        {__LINE__, "xeon-2s-loaded", "auto", 0, WTL_BUSY_STAT, 1, 9, 0},
        {__LINE__, "xeon-2s-loaded", "stat", 0, WTL_BUSY_STAT, 1, 15, 20},
        {__LINE__, "xeon-2s-loaded", "schedstat", 0, WTL_BUSY_SCHEDSTAT, 0.5, 2, 2},
        {__LINE__, "xeon-2s-loaded", "cpuacct", -ENOENT, WTL_BUSY_CPUACCT, 0, 0, 0},
        {__LINE__, "xeon-2s-loaded", "top", -EINVAL, WTL_BUSY_CPUACCT, 0, 0, 0},
        {__LINE__, "guest-2cpu", "auto", 0, WTL_BUSY_CPUACCT, 1, 3, 2},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct row *row = &rows[i];
        struct wtl_world *world = host_world(row->host);
        struct wtl_busy busy;
        struct wattle_error err = {0};
        tap_line = row->line;
        is_int(wtl_busy_open(&busy, world, row->prefer, &err), row->rc, "%s on %s", row->prefer,
               row->host);
        if (row->rc == 0) {
            uint64_t first = 0, last = 0;
            is_int(busy.kind, row->kind, "kind");
            at(world, row->from);
            is_int(wtl_busy_read(&busy, &first), 0, "reads");
            at(world, row->to);
            is_int(wtl_busy_read(&busy, &last), 0, "reads again");
            is_double((double)(last - first) * 1e-9, row->busy_s, 0.001, "busy seconds");
        } else {
            ok(err.text[0] != '\0', "says: %s", err.text);
        }
        wtl_busy_close(&busy);
        is_int(wtl_world_recorded_open_fds(world), 0, "nothing left open");
        wtl_world_close(world);
    }
    tap_line = 0;
}

/* Parse a cpuinfo text, through a host that contains it. */
static void test_cpuinfo(void)
{
    struct wtl_world *world = host_world("xeon-2s-loaded");
    struct wtl_cpuinfo info;
    is_int(wtl_cpuinfo_read(world, &info), 0, "a server");
    is_int(wtl_cpuinfo_count(world, &info), 0, "counts");
    is_int(info.sockets, 2, "sockets");
    is_int(info.cores, 8, "cores");
    is_int(info.threads, 8, "threads");
    is_int(info.model, 45, "model, not the name of the model");
    is_double(info.ghz, 2.4, 1e-9, "frequency from the name");
    ok(!info.hypervisor && !info.amx, "no guest");
    wtl_world_close(world);
    world = host_world("guest-2cpu");
    is_int(wtl_cpuinfo_read(world, &info), 0, "a guest");
    ok(info.hypervisor && info.amx && info.avx512, "its flags");
    is_double(info.ghz, 0, 0, "frequency unknown");
    struct wtl_virtual where;
    wtl_virtual_detect(world, &where);
    is_str(where.machine, "kvm", "hypervisor");
    is_str(where.container, "", "no container");
    wtl_world_close(world);
}

/* The time of all CPUs together exceeds 64 bits on a large machine: differences stay correct. */
static void test_overflow(void)
{
    struct wtl_world *world = host_world("xeon-2s-loaded"); /* 8 CPUs */
    struct wtl_busy busy;
    uint64_t first = 0, last = 0;
    is_int(wtl_busy_open(&busy, world, "stat", NULL), 0, "busy time");
    for (uint64_t at = 1; at <= 22; at++) {
        (void)world->ops->sleep_until(world, at * UINT64_C(100000000000000000));
        is_int(wtl_busy_read(&busy, &first), 0, "reads");
    }
    (void)world->ops->sleep_until(world, UINT64_C(2400000000000000000));
    is_int(wtl_busy_read(&busy, &last), 0, "reads again");
    is_int(last - first, INT64_C(1600000000000000000), "8 CPUs for 2e8 s");
    wtl_busy_close(&busy);
    wtl_world_close(world);
}

/* A /proc/schedstat that does not fit does not give a smaller sum. */
static void test_long_schedstat(void)
{
    struct made_host host = {0};
    struct wtl_busy busy;
    struct wattle_error err = {0};
    static char text[40000];
    size_t used = (size_t)snprintf(text, sizeof text, "version 15\ncpu0 0 0 0 0 0 0 5 0 0\n");
    while (used + 100 < sizeof text)
        used += (size_t)snprintf(text + used, sizeof text - used, "domain%zu 3 0 0 0 0\n", used);
    (void)snprintf(text + used, sizeof text - used, "cpu1 0 0 0 0 0 0 7 0 0\n");
    made_host_put(&host, "root/proc/schedstat", text);
    made_host_put(&host, "root/proc/stat", "cpu 1 0\ncpu0 1 0\ncpu1 1 0\n");
    struct wtl_world *world = made_host_open(&host);
    is_int(wtl_busy_open(&busy, world, "schedstat", &err), -EOVERFLOW, "refused: %s", err.text);
    made_host_close(&host);
}

/* CPU 1 is offline; a container; the firmware of a laptop whose maker also runs a cloud. */
static void test_odd_server(void)
{
    struct wtl_world *world = host_world("odd-server");
    struct wtl_cpuinfo info;
    struct wtl_virtual where;
    struct wtl_busy busy;
    is_int(wtl_cpuinfo_read(world, &info), 0, "an odd server");
    is_int(info.threads, 4, "threads");
    is_int(wtl_cpuinfo_count(world, &info), 0, "counts");
    is_int(info.sockets, 2, "sockets");
    is_int(info.cores, 3, "cores, that of the last CPU, too");
    wtl_virtual_detect(world, &where);
    is_str(where.machine, "", "no hypervisor");
    is_str(where.container, "docker", "a container");
    is_int(wtl_busy_open(&busy, world, "auto", NULL), 0, "busy time");
    is_int(busy.cpus, 4, "of the CPUs that are online");
    wtl_busy_close(&busy);
    wtl_world_close(world);
}

/* On this kernel: busy time is at most that of all CPUs, and grows while this process runs. */
static void test_real(void)
{
    struct wtl_busy busy;
    struct wattle_error err = {0};
    const struct wtl_world *world = wtl_world_real();
    if (wtl_busy_open(&busy, world, "auto", &err) < 0) {
        skip("no busy time here: %s", err.text);
        return;
    }
    diag("%s", busy.where);
    uint64_t begin = wtl_world_monotonic(world), first, last, now;
    (void)wtl_busy_read(&busy, &first);
    do
        now = wtl_world_monotonic(world);
    while (now - begin < UINT64_C(300000000));
    (void)wtl_busy_read(&busy, &last);
    double used_s = (double)(last - first) * 1e-9;
    double room_s = (double)(now - begin) * 1e-9 * busy.cpus;
    double step_s = (double)busy.resolution_ns * 1e-9;
    ok(used_s > 0.05, "a busy loop shows: %.3f s", used_s);
    ok(used_s <= room_s + 2 * step_s + 0.1, "no more than there is");
    wtl_busy_close(&busy);
}

int main(void)
{
    test_busy();
    test_cpuinfo();
    test_overflow();
    test_long_schedstat();
    test_odd_server();
    test_real();
    return done_testing();
}
