/* SPDX-License-Identifier: BSD-3-Clause */
/* Package topology on recorded machines: hybrid cores, offline CPUs, several dies, ARM. */
#include "base/world/topology.h"

#include "../sensors/host.h"

static bool is_cpu(const struct wtl_cpu *cpu, const int want[4])
{
    bool same = cpu->number == want[0] && cpu->package == want[1] && cpu->die == want[2] &&
                cpu->core == want[3];
    if (!same)
        diag("CPU %d package %d die %d core %d", cpu->number, cpu->package, cpu->die, cpu->core);
    return same;
}

static void test_hosts(void)
{
    static const struct {
        int line;
        const char *host;
        size_t cpus, packages, dies, cores;
        int first[4], last[4]; /* number, package, die, core */
    } rows[] = {
        {__LINE__, "topology-hybrid", 20, 1, 1, 14, {0, 0, 0, 0}, {19, 0, 0, 31}},
        {__LINE__, "topology-offline", 17, 2, 2, 17, {4, 0, 0, 2}, {20, 0, 0, 12}},
        {__LINE__, "odd-server", 4, 2, 2, 3, {0, 0, 0, 0}, {4, 1, 0, 1}},
        {__LINE__, "skx-2s", 8, 2, 2, 4, {0, 0, 0, 0}, {7, 1, 0, 1}},
        {__LINE__, "clx-ap", 4, 2, 4, 4, {0, 0, 0, 0}, {3, 1, 1, 0}},
        {__LINE__, "jetson-orin", 4, 1, 1, 4, {0, 0, 0, 0}, {3, 0, 0, 3}},
        {__LINE__, "guest-2cpu", 2, 1, 1, 2, {0, 0, 0, -1}, {1, 0, 0, -1}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct wtl_world *world = host_world(rows[i].host);
        struct wtl_topology topology;
        tap_line = rows[i].line;
        if (ok(wtl_topology_load(world, &topology) == 0, "%s loads", rows[i].host)) {
            size_t packages = 0, dies = 0, cores = 0;
            for (size_t k = 0; k < topology.count; k++) {
                packages += topology.cpus[k].first_of_package;
                dies += topology.cpus[k].first_of_die;
                cores += topology.cpus[k].first_of_core;
            }
            is_int(topology.count, rows[i].cpus, "CPUs online");
            is_int(packages, rows[i].packages, "packages");
            is_int(dies, rows[i].dies, "dies");
            is_int(cores, rows[i].cores, "cores");
            ok(is_cpu(&topology.cpus[0], rows[i].first), "first CPU");
            ok(is_cpu(&topology.cpus[topology.count - 1], rows[i].last), "last CPU");
            wtl_topology_fini(&topology);
        }
        wtl_world_close(world);
    }
    tap_line = 0;
    struct wtl_world *world = host_world("kepler");
    struct wtl_topology none = {.count = 5};
    is_int(wtl_topology_load(world, &none), -ENODEV, "a host without CPUs");
    is_int(none.count, 5, "leaves the result alone");
    wtl_world_close(world);
}

int main(void)
{
    test_hosts();
    return done_testing();
}
