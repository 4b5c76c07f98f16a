/* SPDX-License-Identifier: BSD-3-Clause */
/* The probe in a world with known refresh and clock cost. */
#include "source/probe.h"

#include "../sensors/host.h"

extern const struct wtl_driver wtl_driver_powercap;

static void test_refresh(void)
{
    struct host host = host_open("skx-2s", &wtl_driver_powercap, NULL);
    struct wtl_probe probe;
    is_int(wtl_probe_channel(&host.source, 0, 100, 200000000, &probe), 0, "probes");
    is_int(probe.reads, 100, "reads");
    is_int(probe.cost_ns, 0, "reads cost nothing where the clock stands");
    is_int(probe.changes, 33, "changes seen");
    is_double((double)probe.refresh_ns, 976562, 2000, "refresh of the script, to one poll");
    wtl_world_recorded_step(host.world, 500);
    is_int(wtl_probe_channel(&host.source, 0, 1000, 5000000, &probe), 0, "probes again");
    is_int(probe.reads, 256, "no more reads than it can keep");
    is_int(probe.cost_ns, 500, "cost is the clock's step");
    is_int(probe.cost_p90_ns, 500, "always");
    ok(probe.polled_ns >= 5000000 && probe.polled_ns < 5002000, "polls as long as it may");
    wtl_world_recorded_step(host.world, 0);
    host_close(&host, "skx-2s");
}

static void test_faults(void)
{
    struct host host = host_open("faults", &wtl_driver_powercap, NULL);
    struct wtl_probe probe = {.reads = 7};
    host_at(&host, 2.1);
    is_int(wtl_probe_channel(&host.source, 1, 10, 1000000, &probe), -EIO, "a channel that fails");
    is_int(probe.reads, 7, "leaves the result alone");
    is_int(wtl_probe_channel(&host.source, 9, 10, 0, &probe), -EINVAL, "no such channel");
    is_int(wtl_probe_channel(&host.source, 2, 10, 1000000, &probe), 0, "a channel that stands");
    is_int(probe.changes, 0, "does not change");
    is_int(probe.refresh_ns, 0, "and has no refresh");
    host_close(&host, "faults");
}

int main(void)
{
    test_refresh();
    test_faults();
    return done_testing();
}
