/* SPDX-License-Identifier: BSD-3-Clause */
/* Counter sets on scripted hosts, where every count is known: scaling, kinds of cores, permissions, tables. */
#define _GNU_SOURCE
#include "counters/columns/columns.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "../sensors/made_host.h"
#include "base/world/world_recorded.h"
#include "counters/columns/counters.h"
#include "tap.h"

#define DEVICES "root/sys/bus/event_source/devices/"
#define NET_HEAD                                                                               \
    "Inter-|   Receive                                                |  Transmit\n"           \
    " face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs " \
    "drop fifo colls carrier compressed\n"

struct rig {
    struct made_host made;
    struct wtl_world *world;
    struct wtl_counter_set set;
    struct wtl_count_columns columns;
};

static void rig_open(struct rig *rig, const char *columns, struct wtl_target target)
{
    struct wattle_error err = {""};
    char text[2048];
    (void)snprintf(text, sizeof text, "[columns]\n%s", columns);
    rig->world = made_host_open(&rig->made);
    ok(wtl_counter_set_parse(&rig->set, "t", "t.ini", text, strlen(text), &err) == 0, "set %s",
       err.text);
    is_int(wtl_count_columns_open(&rig->columns, rig->world, &target, &rig->set), 0, "opens");
    wtl_count_columns_read(&rig->columns);
}

static void rig_close(struct rig *rig)
{
    wtl_count_columns_close(&rig->columns);
    is_int(wtl_world_recorded_open_fds(rig->world), 0, "nothing stays open");
    wtl_counter_set_fini(&rig->set);
    made_host_close(&rig->made);
}

static void rig_at(struct rig *rig, double seconds)
{
    rig->world->ops->sleep_until(rig->world, WTL_RECORDED_START_NS + (uint64_t)(seconds * 1e9));
    wtl_count_columns_read(&rig->columns);
}

/* The value, or its error. */
static double value(struct rig *rig, size_t i)
{
    uint64_t raw = 0;
    int rc = wtl_count_columns_value(&rig->columns, i, &raw);
    return rc < 0 ? rc : (double)raw;
}

static const struct wtl_target machine = {.pid = 0};

static void put_machine(struct made_host *made, const char *cpus)
{
    made_host_put(made, "root/sys/devices/system/cpu/online", cpus);
    made_host_put(made, DEVICES "cpu/type", "4\n");
}

static void test_scaling(void)
{
    struct rig rig = {.made = {.world = NULL}};
    put_machine(&rig.made, "0-1\n");
    made_host_put(&rig.made, "root/perf/0/0x0/0", "0\n");
    made_host_put(&rig.made, "root/perf/0/0x0/1", "0\n");
    made_host_put(&rig.made, "root/perf/0/0x1/0", "0\n");
    made_host_put(&rig.made, "root/perf/0/0x1/1", "0\n");
    made_host_put(&rig.made, "root/perf/0/0x1/running", "0\n");
    /* Instructions are on the counter a quarter of the time; from 4 s to 6 s never. */
    made_host_put(&rig.made, "script.tsv",
                  "0\t/perf/0/0x0/0\t1000+100/s\n0\t/perf/0/0x0/1\t5000+300/s\n"
                  "0\t/perf/0/0x1/0\t0+50/s\n0\t/perf/0/0x1/1\t0+50/s\n"
                  "4\t/perf/0/0x1/0\t200\n6\t/perf/0/0x1/0\t200+50/s\n"
                  "0\t/perf/0/0x1/running\t0+250000000/s\n4\t/perf/0/0x1/running\t1000000000\n"
                  "6\t/perf/0/0x1/running\t1000000000+250000000/s\n");
    rig_open(&rig, "C = perf:cycles\nI = perf:instructions\nN = perf:bus-cycles\n", machine);
    is_double(value(&rig, 0), 0, 0, "counts from its first reading");
    rig_at(&rig, 2);
    is_double(value(&rig, 0), 800, 0, "both CPUs, exactly: it was not multiplexed");
    is_double(value(&rig, 1), (100 + 100) * 4, 2, "scaled by 4");
    ok(rig.columns.list[2].status < 0, "an event that the PMU does not have");
    ok(strstr(rig.columns.list[2].why.text, "no such event") != NULL, "%s",
       rig.columns.list[2].why.text);
    rig_at(&rig, 4);
    rig_at(&rig, 5);
    is_double(value(&rig, 1), -EAGAIN, 0, "not counted since: no value");
    ok(isnan(wtl_count_columns_share(&rig.columns, 2)), "no share of what is not there");
    rig_at(&rig, 8);
    ok(value(&rig, 1) > 1600, "the next reading covers that time, too: %g", value(&rig, 1));
    double share = wtl_count_columns_share(&rig.columns, 1);
    ok(share > 0.15 && share < 0.25, "share %g", share);
    is_double(wtl_count_columns_share(&rig.columns, 0), 1, 0, "all the time");
    rig_close(&rig);
}

/* Two kinds of cores: on CPUs each PMU has its own; a thread is on one or the other. */
static void test_hybrid(void)
{
    struct rig rig = {.made = {.world = NULL}};
    made_host_put(&rig.made, "root/sys/devices/system/cpu/online", "0-3\n");
    made_host_put(&rig.made, DEVICES "cpu_core/cpus", "0-1\n");
    made_host_put(&rig.made, DEVICES "cpu_core/type", "4\n");
    made_host_put(&rig.made, DEVICES "cpu_atom/cpus", "2-3\n");
    made_host_put(&rig.made, DEVICES "cpu_atom/type", "10\n");
    static const char *const events[] = {"0x400000000/0", "0x400000000/1",   "0xa00000000/2",
                                         "0xa00000000/3", "0x400000000/pid", "0xa00000000/pid"};
    for (size_t i = 0; i < 6; i++) {
        char path[64];
        (void)snprintf(path, sizeof path, "root/perf/0/%s", events[i]);
        made_host_put(&rig.made, path, "0\n");
    }
    made_host_put(&rig.made, "root/perf/0/0x400000000/running", "0\n");
    made_host_put(&rig.made, "root/perf/0/0xa00000000/running", "0\n");
    made_host_put(&rig.made, "script.tsv",
                  "0\t/perf/0/0x400000000/0\t0+1000/s\n0\t/perf/0/0x400000000/1\t0+1000/s\n"
                  "0\t/perf/0/0xa00000000/2\t0+10/s\n0\t/perf/0/0xa00000000/3\t0+10/s\n"
                  "0\t/perf/0/0x400000000/pid\t0+750/s\n0\t/perf/0/0xa00000000/pid\t0+40/s\n"
                  "0\t/perf/0/0x400000000/running\t0+750000000/s\n"
                  "0\t/perf/0/0xa00000000/running\t0+250000000/s\n");
    rig_open(&rig, "C = perf:cycles\n", (struct wtl_target){.pid = 7, .inherit = true});
    rig_at(&rig, 2);
    is_double(value(&rig, 0), 2 * (750 + 40), 0, "both PMUs, and nothing is scaled");
    is_double(wtl_count_columns_share(&rig.columns, 0), 1, 1e-9, "it was always on one of them");
    ok(strstr(rig.columns.list[0].where, "each kind of core") != NULL, "%s",
       rig.columns.list[0].where);
    rig_close(&rig);
}

/* A CPU goes offline: the sum is not that of the machine any more, also when it is back. */
static void test_offline(void)
{
    struct rig rig = {.made = {.world = NULL}};
    put_machine(&rig.made, "0-1\n");
    made_host_put(&rig.made, "root/perf/0/0x0/0", "0\n");
    made_host_put(&rig.made, "root/perf/0/0x0/1", "0\n");
    made_host_put(&rig.made, "script.tsv",
                  "0\t/perf/0/0x0/0\t0+10/s\n0\t/perf/0/0x0/1\t0+10/s\n"
                  "3\t/sys/devices/system/cpu/online\t0\n"
                  "6\t/sys/devices/system/cpu/online\t0-1\n");
    rig_open(&rig, "C = perf:cycles\n", machine);
    rig_at(&rig, 2);
    is_double(value(&rig, 0), 40, 0, "before");
    rig_at(&rig, 4);
    is_double(value(&rig, 0), -ESTALE, 0, "offline");
    rig_at(&rig, 7);
    is_double(value(&rig, 0), -ESTALE, 0, "back, but its event is gone");
    rig_close(&rig);
}

static void test_denied(void)
{
    struct rig rig = {.made = {.world = NULL}};
    put_machine(&rig.made, "0\n");
    made_host_put(&rig.made, "root/proc/sys/kernel/perf_event_paranoid", "2\n");
    made_host_put(&rig.made, "root/proc/stat", "cpu 0 0 0 0 0 0 0 0 0 0\nctxt 100\n");
    made_host_put(&rig.made, "root/proc/net/dev",
                  NET_HEAD "  eth0: 1 2 0 0 0 0 0 0 3 4 0 0 0 0 0 0\n");
    made_host_put(&rig.made, "root/perf/0/0x0/0", "0\n");
    made_host_put(&rig.made, "root/perf/1/0x4/0", "0\n");
    made_host_put(&rig.made, "script.tsv",
                  "0\t/perf/0/0x0/0\t!EACCES\n0\t/perf/1/0x4/0\t!EACCES\n"
                  "0\t/proc/stat\tctxt 100\n5\t/proc/stat\tctxt 250\n");
    rig_open(&rig,
             "C = perf:cycles\nM = cpu:migrations\nS = cpu:context_switches\nN = net:sent_bytes\n",
             machine);
    is_int(rig.columns.list[0].status, -EACCES, "no permission");
    ok(strstr(rig.columns.list[0].why.text, "sysctl kernel.perf_event_paranoid=0") != NULL, "%s",
       rig.columns.list[0].why.text);
    is_str(rig.columns.list[1].remedy.now, "sysctl kernel.perf_event_paranoid=0", "remedy");
    is_int(rig.columns.list[2].status, 0, "what /proc shows remains");
    rig_at(&rig, 6);
    is_double(value(&rig, 2), 250, 0, "and is counted");
    is_double(value(&rig, 3), 3, 0, "the network, too");
    rig_close(&rig);
}

static void test_tables(void)
{
    struct rig rig = {.made = {.world = NULL}};
    put_machine(&rig.made, "0\n");
    made_host_put(&rig.made, "root/proc/net/dev",
                  NET_HEAD "    lo: 900 9 0 0 0 0 0 0 900 9 0 0 0 0 0 0\n"
                           "  eth0: 100 1 0 0 0 0 0 0 200 2 0 0 0 0 0 0\n"
                           "  eth1:  10 1 0 0 0 0 0 0  20 2 0 0 0 0 0 0\n"
                           "   br0: 110 1 0 0 0 0 0 0 220 2 0 0 0 0 0 0\n");
    made_host_put(&rig.made, "root/sys/class/net/eth0/device/vendor", "x\n");
    made_host_put(&rig.made, "root/sys/class/net/eth1/device/vendor", "x\n");
    made_host_put(&rig.made, "root/sys/class/net/br0/mtu", "1\n");
    made_host_put(&rig.made, "root/proc/diskstats",
                  "   8 0 sda 5 0 10 0 7 0 20 0 0 0 0\n   8 1 sda1 5 0 10 0 7 0 20 0 0 0 0\n"
                  " 253 0 dm-0 5 0 10 0 7 0 20 0 0 0 0\n   7 0 loop0 1 0 1 0 1 0 1 0 0 0 0\n");
    made_host_put(&rig.made, "root/sys/block/sda/device/model", "x\n");
    made_host_put(&rig.made, "root/sys/block/dm-0/size", "1\n");
    made_host_put(&rig.made, "root/sys/block/loop0/size", "1\n");
    made_host_put(&rig.made, "root/proc/meminfo",
                  "MemTotal:  1000 kB\nMemFree: 1 kB\nMemAvailable:  400 kB\n");
    rig_open(&rig,
             "S = net:sent_bytes\nR = net:received_packets\nL = net:sent_bytes@lo\n"
             "D = disk:written_bytes\nO = disk:reads\nP = disk:read_bytes@sda1\n"
             "M = memory:used_bytes\nX = net:sent_bytes@wlan0\n",
             machine);
    is_double(value(&rig, 0), 220, 0, "interfaces with a device: not lo, not the bridge");
    is_double(value(&rig, 1), 2, 0, "packets");
    is_double(value(&rig, 2), 900, 0, "one by name");
    is_double(value(&rig, 3), 20 * 512, 0, "sectors of the disk: not its partition, dm, loop");
    is_double(value(&rig, 4), 5, 0, "reads");
    is_double(value(&rig, 5), 10 * 512, 0, "a partition by name");
    is_double(value(&rig, 6), 600 * 1024, 0, "memory in use");
    is_int(rig.columns.list[7].status, -ENODEV, "an interface that is not there");
    ok(strstr(rig.columns.list[7].why.text, "wlan0") != NULL, "%s", rig.columns.list[7].why.text);
    rig_close(&rig);
}

/* In a container no interface has a device. Another one appears: what it had counted is unknown, so that the sum falls
 * and the difference is a gap. */
static void test_changing_table(void)
{
    struct rig rig = {.made = {.world = NULL}};
    put_machine(&rig.made, "0\n");
    made_host_put(&rig.made, "root/proc/net/dev",
                  "    lo: 900 9 0 0 0 0 0 0 900 9 0 0 0 0 0 0\n"
                  "  eth0: 100 1 0 0 0 0 0 0 200 2 0 0 0 0 0 0\n");
    made_host_put(&rig.made, "script.tsv",
                  "5\t/proc/net/dev\teth0: 100 1 0 0 0 0 0 0 250 2 0 0 0 0 0 0\\n"
                  "veth1: 1 1 0 0 0 0 0 0 70000 2 0 0 0 0 0 0\n"
                  "8\t/proc/net/dev\teth0: 100 1 0 0 0 0 0 0 260 2 0 0 0 0 0 0\\n"
                  "veth1: 1 1 0 0 0 0 0 0 70005 2 0 0 0 0 0 0\n");
    rig_open(&rig, "S = net:sent_bytes\n", machine);
    is_double(value(&rig, 0), 200, 0, "all but lo");
    rig_at(&rig, 6);
    is_double(value(&rig, 0), 0, 0, "another one: from 0");
    rig_at(&rig, 9);
    is_double(value(&rig, 0), 15, 0, "and on");
    rig_close(&rig);
}

static void test_tree(void)
{
    struct rig rig = {.made = {.world = NULL}};
    put_machine(&rig.made, "0\n");
    made_host_put(&rig.made, "root/proc/7/stat", "7 (a) S 1 7 7 0 -1 0 0 0 0 0 5 5 0 0 20\n");
    made_host_put(&rig.made, "root/proc/7/task/7/children", "8 \n");
    made_host_put(&rig.made, "root/proc/7/task/9/children", "10 \n");
    made_host_put(&rig.made, "root/proc/10/task/10/children", "");
    made_host_put(&rig.made, "root/proc/7/statm", "100 10 1 1 0 1 0\n");
    made_host_put(&rig.made, "root/proc/7/io",
                  "rchar: 1\nwchar: 1\nsyscr: 1\nsyscw: 1\nread_bytes: 4096\nwrite_bytes: 8192\n"
                  "cancelled_write_bytes: 1\n");
    made_host_put(&rig.made, "root/proc/8/statm", "100 5 1 1 0 1 0\n");
    made_host_put(&rig.made, "root/proc/8/io",
                  "rchar: 1\nread_bytes: 100\nwrite_bytes: 200\ncancelled_write_bytes: 1\n");
    made_host_put(&rig.made, "root/proc/8/task/8/children", "");
    made_host_put(&rig.made, "root/proc/7/net/dev", "  eth0: 1 1 0 0 0 0 0 0 77 2 0 0 0 0 0 0\n");
    made_host_put(&rig.made, "root/perf/1/0x3/pid", "5\n"); /* context switches */
    made_host_put(&rig.made, "script.tsv",
                  "5\t/proc/8\t!gone\n7\t/proc/7\t!gone\n0\t/perf/1/0x3/pid\t0+10/s\n");
    rig_open(&rig,
             "R = disk:read_bytes\nW = disk:written_bytes\nM = memory:used_bytes\n"
             "N = net:sent_bytes\nS = cpu:context_switches\n",
             (struct wtl_target){.pid = 7});
    is_double(value(&rig, 0), 4196, 0, "the tree has read");
    is_double(value(&rig, 1), 8392, 0, "and written");
    is_double(value(&rig, 2), 15 * 4096, 0, "resident");
    is_double(value(&rig, 3), 77, 0, "the interfaces of the process");
    is_str(rig.columns.list[3].note, "of the whole machine", "which is said");
    rig_at(&rig, 2);
    is_double(value(&rig, 4), 4 * 2 * 10, 0,
              "all threads of the tree, also of a child of the second one");
    rig_at(&rig, 6);
    is_double(value(&rig, 0), 4196, 0, "a child has ended: no less than before");
    wtl_tree_count_end(&rig.columns.tree); /* as when the root has ended and is still there */
    rig_at(&rig, 8);
    is_double(value(&rig, 0), 4196, 0, "the last value");
    rig_close(&rig);
}

/* Without a last look the end of a tree is a gap. */
static void test_tree_gone(void)
{
    struct rig rig = {.made = {.world = NULL}};
    put_machine(&rig.made, "0\n");
    made_host_put(&rig.made, "root/proc/7/io", "a: 1\nread_bytes: 4096\nwrite_bytes: 8192\n");
    made_host_put(&rig.made, "root/proc/7/statm", "100 10 1 1 0 1 0\n");
    made_host_put(&rig.made, "script.tsv", "3\t/proc/7\t!gone\n");
    rig_open(&rig, "R = disk:read_bytes\n", (struct wtl_target){.pid = 7});
    rig_at(&rig, 4);
    is_double(value(&rig, 0), -ENOENT, 0, "no value");
    rig_close(&rig);
}

static void test_cgroup(void)
{
    struct rig rig = {.made = {.world = NULL}};
    put_machine(&rig.made, "0\n");
    made_host_put(&rig.made, "root/sys/fs/cgroup/job/cpu.stat", "usage_usec 5000\nuser_usec 1\n");
    made_host_put(&rig.made, "root/sys/fs/cgroup/job/memory.current", "12345\n");
    made_host_put(&rig.made, "root/sys/fs/cgroup/job/memory.stat",
                  "anon 1\npgfault 17\npgmajfault 3\n");
    made_host_put(&rig.made, "root/sys/fs/cgroup/job/io.stat",
                  "8:0 rbytes=100 wbytes=7 rios=2 wios=1 dbytes=0 dios=0\n"
                  "8:16 rbytes=11 wbytes=1 rios=2 wios=1 dbytes=0 dios=0\n");
    made_host_put(&rig.made, "root/perf/0/0x0/cgroup-0", "0\n");
    made_host_put(&rig.made, "script.tsv", "0\t/perf/0/0x0/cgroup-0\t0+21/s\n");
    rig_open(&rig,
             "T = cpu:task_clock\nM = memory:used_bytes\nF = cpu:page_faults\nR = disk:read_bytes\n"
             "O = disk:writes\nC = perf:cycles\n",
             (struct wtl_target){.cgroup = "/sys/fs/cgroup/job"});
    is_double(value(&rig, 0), 5e6, 0, "CPU time in ns");
    is_double(value(&rig, 1), 12345, 0, "memory");
    is_double(value(&rig, 2), 17, 0, "page faults");
    is_double(value(&rig, 3), 111, 0, "read from both devices");
    is_double(value(&rig, 4), 2, 0, "writes");
    rig_at(&rig, 2);
    is_double(value(&rig, 5), 42, 0, "cycles of the cgroup");
    rig_close(&rig);
}

/* The driver: as many channels as can be counted, a long set in several calls, one reading. */
static void test_driver(void)
{
    struct made_host made = {.world = NULL};
    struct wattle_error err = {""};
    char text[8192] = "[columns]\n", list[256], sentence[300];
    struct wtl_counter_set set;
    put_machine(&made, "0\n");
    made_host_put(&made, "root/perf/0/0x0/0", "0\n");
    made_host_put(&made, "root/perf/0/0x0/running", "0\n");
    made_host_put(&made, "script.tsv",
                  "0\t/perf/0/0x0/0\t0+100/s\n"
                  "0\t/perf/0/0x0/running\t0+500000000/s\n");
    for (int i = 0; i < WTL_COUNTER_COLUMNS; i++)
        (void)sprintf(text + strlen(text), "C%d = perf:%s\n", i,
                      i == 63 ? "instructions" : "cycles");
    is_int(wtl_counter_set_parse(&set, "t", "t.ini", text, strlen(text), &err), 0, "%s", err.text);
    struct wtl_world *world = made_host_open(&made);
    struct wtl_source source;
    struct wtl_target target = {.counters = &set};
    is_int(wtl_source_open(&source, &wtl_driver_counters, world, NULL, &target, &err), 0, "opens");
    is_int(source.count, 63, "channels");
    is_str(source.channels[1].name, "counters:c1-0", "name");
    is_str(source.channels[1].label, "C1", "label");
    ok(wtl_counters_complaint(&source, sentence, sizeof sentence), "one is missing: %s", sentence);
    struct wattle_reading readings[64];
    wtl_driver_counters.read(&source, 0, 32, readings);
    wtl_driver_counters.read(&source, 32, 31, readings + 32);
    world->ops->sleep_until(world, WTL_RECORDED_START_NS + UINT64_C(3000000000));
    wtl_driver_counters.read(&source, 0, 32, readings);
    wtl_driver_counters.read(&source, 32, 31, readings + 32);
    is_int(readings[0].raw, 600, "scaled");
    is_int(readings[62].raw, 600, "the same in the second call");
    is_int(readings[62].status, 0, "good");
    wtl_counters_multiplexed(&source, list, sizeof list, sentence, sizeof sentence);
    ok(strncmp(list, "C0=0.5000;C1=0.5000", 19) == 0, "%s", list);
    ok(strstr(sentence, "63 events shared") != NULL, "%s", sentence);
    wtl_source_close(&source);
    wtl_counter_set_fini(&set);
    made_host_close(&made);
}

/* Sources that do not exist, on a host that has nothing. */
static void test_unknown(void)
{
    struct rig rig = {.made = {.world = NULL}};
    made_host_put(&rig.made, "root/sys/devices/system/cpu/online", "0\n");
    rig_open(&rig,
             "A = net:bytes\nB = perf:no-such-event\nC = cpu:task_clock@0\nD = net:sent_bytes\nE = "
             "perf:cycles\nF = perf:r11112222333344445\nG = perf:task-clock\n",
             machine);
    static const char *const says[] = {"no source \"net:bytes\"",    "libpfm4",
                                       "only net: and disk:",        "/proc/net/dev",
                                       "shows no hardware counters", "more than 16 digits",
                                       "also counts idle time"};
    for (size_t i = 0; i < 7; i++)
        ok(rig.columns.list[i].status < 0 && strstr(rig.columns.list[i].why.text, says[i]) != NULL,
           "%s: %s", says[i], rig.columns.list[i].why.text);
    rig_close(&rig);
}

int main(void)
{
    test_scaling();
    test_hybrid();
    test_offline();
    test_denied();
    test_tables();
    test_changing_table();
    test_tree();
    test_tree_gone();
    test_cgroup();
    test_driver();
    test_unknown();
    return done_testing();
}
