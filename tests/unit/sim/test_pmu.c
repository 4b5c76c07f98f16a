/* SPDX-License-Identifier: BSD-3-Clause */
/* The performance counters of the simulated node, in the formats of perf_event_open(2), and in the memory world. */
#include "sim/phases/pmu.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <math.h>

#include "sim/memory_world.h"
#include "tap.h"

#define T0 UINT64_C(1000000000000)
#define MS UINT64_C(1000000)

static struct wtl_sim_track *track;

static struct wtl_sim_pmu *make(unsigned counters, int cpus)
{
    struct wtl_sim_pmu_config config = {
        .track = track, .t0_ns = T0, .cpus = cpus, .counters = counters};
    struct wtl_sim_pmu *pmu = NULL;
    (void)wtl_sim_pmu_create(&config, &pmu);
    return pmu;
}

static struct perf_event_attr attr_of(uint64_t config, uint64_t format)
{
    return (struct perf_event_attr){.type = PERF_TYPE_HARDWARE,
                                    .size = sizeof(struct perf_event_attr),
                                    .config = config,
                                    .read_format = format};
}

static struct wtl_sim_event *open_one(struct wtl_sim_pmu *pmu,
                                      uint64_t config,
                                      int cpu,
                                      struct wtl_sim_event *leader,
                                      uint64_t now)
{
    struct perf_event_attr attr =
        attr_of(config, PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING);
    struct wtl_sim_event *event = NULL;
    int rc = wtl_sim_pmu_open(pmu, &attr, cpu < 0 ? 1 : -1, cpu, -1, leader, now, &event);
    if (rc < 0)
        diag("open: %d", rc);
    return event;
}

static uint64_t truth(int column, uint64_t from, uint64_t to)
{
    return wtl_sim_track_count(track, (size_t)column, (int64_t)(to - T0)) -
           wtl_sim_track_count(track, (size_t)column, (int64_t)(from - T0));
}

static void check_counts(void)
{
    struct wtl_sim_pmu *pmu = make(0, 3);
    uint64_t now = T0 + 50 * MS, then = T0 + 1234 * MS, v[3], sum = 0;
    struct wtl_sim_event *task = open_one(pmu, PERF_COUNT_HW_INSTRUCTIONS, -1, NULL, now);
    struct wtl_sim_event *cpus[3];
    for (int i = 0; i < 3; i++)
        cpus[i] = open_one(pmu, PERF_COUNT_HW_INSTRUCTIONS, i, NULL, now);
    is_int(wtl_sim_event_read(task, then, v, sizeof v), 24, "three numbers");
    is_int(v[0], truth(7, now, then), "exactly the events of the time");
    is_int(v[1], then - now, "enabled all the time");
    is_int(v[2], then - now, "running all the time");
    for (int i = 0; i < 3; i++) {
        (void)wtl_sim_event_read(cpus[i], then, v, sizeof v);
        sum += v[0];
    }
    is_int(sum, truth(7, now, then), "the CPUs add up to the node");
    is_int(wtl_sim_event_read(task, then, v, 23), -ENOSPC, "too short a buffer");
    uint64_t id = 0;
    is_int(wtl_sim_event_ioctl(task, then, PERF_EVENT_IOC_RESET, 0, &id), 0, "reset");
    is_int(wtl_sim_event_ioctl(task, then, PERF_EVENT_IOC_DISABLE, 0, &id), 0, "disable");
    (void)wtl_sim_event_read(task, then + 100 * MS, v, sizeof v);
    is_int(v[0], 0, "nothing counted");
    is_int(v[1], then - now, "and no time added while it is disabled");
    is_int(wtl_sim_event_ioctl(task, then + 200 * MS, PERF_EVENT_IOC_ENABLE, 0, &id), 0, "enable");
    (void)wtl_sim_event_read(task, then + 300 * MS, v, sizeof v);
    is_int(v[0], truth(7, then + 200 * MS, then + 300 * MS), "counts again");
    is_int(wtl_sim_event_ioctl(task, then, PERF_EVENT_IOC_ID, 0, &id), 0, "its id");
    is_int(id, wtl_sim_event_id(task), "is its id");
    is_int(wtl_sim_event_ioctl(task, then, PERF_EVENT_IOC_REFRESH, 1, &id), -EINVAL, "no refresh");
    wtl_sim_pmu_destroy(pmu);
}

static void check_groups(void)
{
    struct wtl_sim_pmu *pmu = make(0, 2);
    struct perf_event_attr attr =
        attr_of(PERF_COUNT_HW_CPU_CYCLES,
                PERF_FORMAT_GROUP | PERF_FORMAT_ID | PERF_FORMAT_TOTAL_TIME_ENABLED);
    struct wtl_sim_event *leader, *member, *other;
    uint64_t now = T0 + MS, v[8], id;
    attr.disabled = 1;
    is_int(wtl_sim_pmu_open(pmu, &attr, 5, -1, -1, NULL, now, &leader), 0, "a leader, disabled");
    attr.disabled = 0;
    attr.config = PERF_COUNT_HW_CACHE_MISSES;
    is_int(wtl_sim_pmu_open(pmu, &attr, 5, -1, -1, leader, now, &member), 0, "a member");
    is_int(wtl_sim_pmu_open(pmu, &attr, 6, -1, -1, leader, now, &other), -EINVAL,
           "of another process");
    is_int(wtl_sim_pmu_open(pmu, &attr, 5, -1, -1, member, now, &other), -EINVAL,
           "a member leads none");
    is_int(wtl_sim_event_read(leader, now + 10 * MS, v, sizeof v), 48, "the whole group");
    ok(v[0] == 2 && v[1] == 0 && v[2] == 0 && v[4] == 0, "counts only with its leader");
    (void)wtl_sim_event_ioctl(leader, now + 10 * MS, PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP,
                              &id);
    (void)wtl_sim_event_read(leader, now + 90 * MS, v, sizeof v);
    is_int(v[2], truth(0, now + 10 * MS, now + 90 * MS), "cycles");
    is_int(v[3], wtl_sim_event_id(leader), "with their id");
    is_int(v[4], truth(2, now + 10 * MS, now + 90 * MS), "misses");
    is_int(v[5], wtl_sim_event_id(member), "with their id");
    wtl_sim_event_close(leader, now + 90 * MS);
    is_int(wtl_sim_event_read(member, now + 100 * MS, v, sizeof v), 32,
           "a member outlives its leader");
    is_int(v[2], truth(2, now + 10 * MS, now + 100 * MS), "and counts on");
    wtl_sim_pmu_destroy(pmu);
}

/* Five events on two counters take turns: each runs for 2/5 of the time, and scaled they are near the truth. */
static void check_turns(void)
{
    static const uint64_t configs[] = {PERF_COUNT_HW_CPU_CYCLES, PERF_COUNT_HW_INSTRUCTIONS,
                                       PERF_COUNT_HW_CACHE_MISSES, PERF_COUNT_HW_BRANCH_MISSES,
                                       PERF_COUNT_HW_BUS_CYCLES};
    static const int columns[] = {0, 7, 2, 10, 9};
    struct wtl_sim_pmu *pmu = make(2, 1);
    struct wtl_sim_event *events[5];
    uint64_t now = T0 + 3 * MS, then = now + 8000 * MS, v[3];
    for (int i = 0; i < 5; i++)
        events[i] = open_one(pmu, configs[i], 0, NULL, now);
    for (int i = 0; i < 5; i++) {
        (void)wtl_sim_event_read(events[i], then, v, sizeof v);
        double share = (double)v[2] / (double)v[1];
        is_int(v[1], then - now, "enabled all the time");
        is_double(share, 0.4, 0.01, "running for two fifths");
        is_double((double)v[0] / share / (double)truth(columns[i], now, then), 1, 0.03,
                  "scaled near the truth");
    }
    for (int i = 0; i < 3; i++)
        wtl_sim_event_close(events[i], then);
    uint64_t before[3];
    (void)wtl_sim_event_read(events[4], then, before, sizeof before);
    (void)wtl_sim_event_read(events[4], then + 100 * MS, v, sizeof v);
    is_int(v[2] - before[2], 100 * MS, "two that are left run all the time");
    wtl_sim_pmu_destroy(pmu);
}

static void check_refusals(void)
{
    struct wtl_sim_pmu *pmu = make(2, 4), *none = NULL;
    struct wtl_sim_event *event, *leader;
    struct perf_event_attr attr = attr_of(PERF_COUNT_HW_CPU_CYCLES, 0);
    is_int(wtl_sim_pmu_open(pmu, &attr, -1, -1, -1, NULL, T0, &event), -EINVAL, "of nothing");
    is_int(wtl_sim_pmu_open(pmu, &attr, -1, 4, -1, NULL, T0, &event), -EINVAL,
           "of a CPU that is not");
    attr.sample_period = 1000;
    is_int(wtl_sim_pmu_open(pmu, &attr, 1, -1, -1, NULL, T0, &event), -EOPNOTSUPP, "sampling");
    attr = attr_of(PERF_COUNT_HW_STALLED_CYCLES_BACKEND, 0);
    is_int(wtl_sim_pmu_open(pmu, &attr, 1, -1, -1, NULL, T0, &event), -ENOENT,
           "what the node lacks");
    attr = attr_of(PERF_COUNT_HW_CPU_CYCLES, 0);
    (void)wtl_sim_pmu_open(pmu, &attr, 1, -1, -1, NULL, T0, &leader);
    (void)wtl_sim_pmu_open(pmu, &attr, 1, -1, -1, leader, T0, &event);
    is_int(wtl_sim_pmu_open(pmu, &attr, 1, -1, -1, leader, T0, &event), -EINVAL,
           "a group of three on two");
    wtl_sim_pmu_destroy(pmu);
    struct wtl_sim_pmu_config config = {.cpus = 1};
    (void)wtl_sim_pmu_create(&config, &none);
    is_int(wtl_sim_pmu_open(none, &attr, 1, -1, -1, NULL, T0, &event), -ENOENT,
           "no hardware events");
    wtl_sim_pmu_destroy(none);
    config.denied = true;
    (void)wtl_sim_pmu_create(&config, &none);
    is_int(wtl_sim_pmu_open(none, &attr, 1, -1, -1, NULL, T0, &event), -EACCES, "denied");
    wtl_sim_pmu_destroy(none);
}

/* A node in virtual time: its power, its files and its events follow the same phases. */
static void check_memory_world(void)
{
    struct wattle_error err = {""};
    struct wtl_expression *watts = NULL;
    (void)wtl_expression_compile("phases", wtl_power_variables, WTL_POWER_VARIABLES, &watts, &err);
    struct wtl_node_config config = wtl_node_config_init(T0);
    config.domains[0] = wtl_node_domain_init(WATTLE_DOMAIN_PACKAGE, 0, watts, 1);
    config.domain_count = 1;
    config.track = track;
    struct wtl_tree_config files = wtl_tree_config_init();
    files.views |= WTL_VIEW_COUNTERS;
    struct wtl_memory_config memory = wtl_memory_config_init(T0, 1);
    memory.open_cost_ns = memory.pread_cost_ns = memory.clock_cost_ns = 0;
    memory.pmu = make(0, 2);
    struct wtl_node *node = NULL;
    struct wtl_tree *tree = NULL;
    struct wtl_world *world = NULL;
    (void)wtl_node_create(&config, &node, &err);
    (void)wtl_tree_create(&files, &config, &tree, &err);
    (void)wtl_memory_world_create(node, tree, &memory, &world, &err);
    struct perf_event_attr attr = attr_of(PERF_COUNT_HW_CPU_CYCLES, 0), software = attr;
    software.type = PERF_TYPE_SOFTWARE;
    const struct wtl_world_ops *ops = world->ops;
    int fd = ops->perf_event_open(world, &attr, 0, -1, -1, 0);
    is_int(ops->perf_event_open(world, &software, 0, -1, -1, 0), -ENOENT, "no software events");
    ok(fd >= 0, "an event");
    wtl_memory_world_advance(world, 10000 * MS);
    uint64_t value = 0, to = T0 + 10000 * MS;
    is_int(ops->read(world, fd, &value, sizeof value), 8, "is read");
    is_int(value, truth(0, T0, to), "and counts");
    ops->close(world, fd);
    is_int(ops->read(world, fd, &value, sizeof value), -EBADF, "until it is closed");
    char text[WTL_TREE_TEXT + 1] = "", want[64];
    fd = ops->open(world, "/proc/net/dev", 0);
    (void)ops->pread(world, fd, text, WTL_TREE_TEXT, 0);
    (void)snprintf(want, sizeof want, "eth0: %7llu", (unsigned long long)truth(5, T0, to));
    ok(strstr(text, want) != NULL, "/proc/net/dev has \"%s\"", want);
    double joules = 0;
    for (uint64_t t = 0; t < 10000 * MS; t += 20 * MS)
        joules += wtl_sim_track_power_w(track, (int64_t)t) * 0.02;
    is_double(wtl_node_energy_j(node, 0, T0, to), joules, 1e-6, "its energy is that of the phases");
    wtl_memory_world_destroy(world);
    wtl_sim_pmu_destroy(memory.pmu);
    wtl_tree_destroy(tree);
    wtl_node_destroy(node);
    wtl_expression_destroy(watts);
}

int main(void)
{
    struct wtl_phase_world_config c;
    struct wattle_error err = {""};
    (void)wtl_phase_world_program("lu", &c);
    c.step_s = 0.02;
    c.length = 0.1;
    if (wtl_sim_track_create(&c, &track, &err) < 0)
        diag("%s", err.text);
    check_counts();
    check_groups();
    check_turns();
    check_refusals();
    check_memory_world();
    wtl_sim_track_destroy(track);
    return done_testing();
}
