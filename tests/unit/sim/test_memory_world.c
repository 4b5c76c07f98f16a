/* SPDX-License-Identifier: BSD-3-Clause */
/* The world in memory: files through the world's table, its clock, costs, lateness and faults. */
#include "sim/memory_world.h"

#include <errno.h>
#include <fcntl.h>

#include "tap.h"

#define START UINT64_C(1000000000000)
#define S     UINT64_C(1000000000)
#define ZONE  "/sys/class/powercap/intel-rapl:0"

struct rig {
    struct wtl_expression *watts;
    struct wtl_node *node;
    struct wtl_tree *tree;
    struct wtl_world *world;
};

static void rig_open(struct rig *rig, const char *fault, const struct wtl_memory_config *memory)
{
    struct wtl_node_config config = wtl_node_config_init(START);
    struct wtl_tree_config tree = wtl_tree_config_init();
    struct wattle_error err = {""};
    (void)wtl_expression_compile("100", wtl_power_variables, WTL_POWER_VARIABLES, &rig->watts,
                                 &err);
    config.domains[0] = wtl_node_domain_init(WATTLE_DOMAIN_PACKAGE, 0, rig->watts, 1);
    config.domain_count = 1;
    if (fault && wtl_fault_parse(fault, &config.faults[0], &err) == 0)
        config.fault_count = 1;
    tree.model = wtl_cpu_model_find("zen3");
    if (wtl_node_create(&config, &rig->node, &err) < 0 ||
        wtl_tree_create(&tree, &config, &rig->tree, &err) < 0 ||
        wtl_memory_world_create(rig->node, rig->tree, memory, &rig->world, &err) < 0)
        diag("%s", err.text);
}

static void rig_close(struct rig *rig)
{
    wtl_memory_world_destroy(rig->world);
    wtl_tree_destroy(rig->tree);
    wtl_node_destroy(rig->node);
    wtl_expression_destroy(rig->watts);
}

static void check_files(void)
{
    struct wtl_memory_config memory = wtl_memory_config_init(START, 1);
    struct rig rig;
    char text[64], **names = NULL;
    rig_open(&rig, NULL, &memory);
    const struct wtl_world *w = rig.world;
    ok(w->simulated && w->virtual_time, "it says what it is");
    is_int(wtl_world_text(w, ZONE "/name", text, sizeof text), 9, "a file is read");
    is_str(text, "package-0", "its text");
    int n = w->ops->list(w, "/sys/class/powercap", &names);
    is_int(n, 2, "a folder is listed");
    is_str(n > 1 ? names[1] : "", "intel-rapl:0", "in natural order");
    free(names);
    is_int(w->ops->readlink(w, ZONE, text, sizeof text), 23, "a link is read");
    is_str(text, "intel-rapl/intel-rapl:0", "its target");
    ok(w->ops->exists(w, "/proc/cpuinfo") && !w->ops->exists(w, "/proc/none"), "what exists");
    is_int(w->ops->open(w, "/proc/none", O_RDONLY), -ENOENT, "what does not");
    is_int(w->ops->open(w, ZONE "/name", O_RDWR), -EACCES, "nothing can be written");
    is_int(w->ops->pread(w, 5, text, 1, 0), -EBADF, "not a descriptor");
    int fd = w->ops->msr_open(w, 1);
    uint64_t raw = 0, uj = 0, shown = 0;
    is_int(w->ops->msr_read(w, fd, 0xC001029B, &raw), 0, "a register is read");
    (void)wtl_node_raw(rig.node, 0, wtl_memory_world_time(w), &shown);
    is_int(raw, shown, "its value");
    is_int(w->ops->msr_open(w, 2), -ENOENT, "no third CPU");
    is_int(wtl_world_u64(w, ZONE "/energy_uj", &uj), 0, "energy is read");
    w->ops->close(w, fd);
    is_int(w->ops->msr_read(w, fd, 0xC001029B, &raw), -EBADF, "not after close");
    uint32_t regs[4];
    is_int(w->ops->cpuid(w, 1, 0, regs), 0, "CPUID");
    is_int(regs[0], 0xA00F11, "family 25, model 1, stepping 1");
    rig_close(&rig);
}

static void check_costs(void)
{
    struct wtl_memory_config memory = wtl_memory_config_init(START, 1);
    struct rig rig;
    memory.late_tail_ns = 0;
    rig_open(&rig, NULL, &memory);
    const struct wtl_world *w = rig.world;
    is_int(wtl_world_monotonic(w), START + 25, "a look at the clock");
    int fd = w->ops->open(w, ZONE "/energy_uj", O_RDONLY);
    is_int(wtl_memory_world_time(w), START + 25 + 5000, "an open");
    uint64_t uj, shown;
    (void)wtl_world_pread_u64(w, fd, &uj);
    is_int(wtl_memory_world_time(w), START + 25 + 5000 + 600, "a read");
    is_int(w->ops->sleep_until(w, START + S), 0, "a sleep");
    is_int(wtl_memory_world_time(w), START + S + 5000, "wakes late");
    (void)w->ops->sleep_until(w, START);
    is_int(wtl_memory_world_time(w), START + S + 10000, "never back in time");
    wtl_memory_world_advance(w, 7);
    (void)wtl_world_pread_u64(w, fd, &uj);
    (void)wtl_node_raw(rig.node, 0, START + S + 10007 + 300, &shown);
    is_int(uj, shown * 1000000 >> 14, "the counter is looked at half way");
    is_int(wtl_memory_world_reads(w), 2, "reads are counted");
    rig_close(&rig);
}

/* Lateness of 20000 wake-ups: mean and the fraction that had to wait. */
static void check_lateness(void)
{
    struct wtl_memory_config memory = wtl_memory_config_init(START, 42);
    struct rig rig;
    memory.wait_probability = 0.1;
    memory.wait_ns = 4000000;
    rig_open(&rig, NULL, &memory);
    double sum = 0;
    int waited = 0;
    enum { N = 20000 };
    for (int i = 1; i <= N; i++) {
        uint64_t deadline = START + (uint64_t)i * 10000000;
        (void)rig.world->ops->sleep_until(rig.world, deadline);
        uint64_t late = wtl_memory_world_time(rig.world) - deadline;
        sum += (double)late;
        waited += late > 100000;
    }
    is_double(sum / N, 5000 + 2000 + 0.1 * 2000000, 15000, "mean lateness");
    is_double((double)waited / N, 0.1 * 0.975, 0.008, "a tenth had to wait");
    rig_close(&rig);
}

static void check_faults(void)
{
    struct wtl_memory_config memory = wtl_memory_config_init(START, 1);
    struct rig rig;
    uint64_t uj;
    rig_open(&rig, "vanish@1s,for=1s", &memory);
    const struct wtl_world *w = rig.world;
    int fd = w->ops->open(w, ZONE "/energy_uj", O_RDONLY);
    is_int(wtl_world_pread_u64(w, fd, &uj), 0, "there before");
    (void)w->ops->sleep_until(w, START + S);
    is_int(wtl_world_pread_u64(w, fd, &uj), -ENODEV, "gone");
    ok(!w->ops->exists(w, ZONE "/energy_uj"), "for everyone");
    is_int(w->ops->open(w, ZONE "/energy_uj", O_RDONLY), -ENOENT, "cannot be opened");
    (void)w->ops->sleep_until(w, START + 2 * S);
    is_int(wtl_world_pread_u64(w, fd, &uj), 0, "back");
    rig_close(&rig);
    rig_open(&rig, "permission", &memory);
    is_int(rig.world->ops->open(rig.world, ZONE "/energy_uj", O_RDONLY), -EACCES, "forbidden");
    ok(rig.world->ops->exists(rig.world, ZONE "/energy_uj"), "but there");
    is_int(rig.world->ops->msr_open(rig.world, 0), -EACCES, "registers too");
    rig_close(&rig);
}

int main(void)
{
    check_files();
    check_costs();
    check_lateness();
    check_faults();
    wtl_memory_world_destroy(NULL);
    return done_testing();
}
