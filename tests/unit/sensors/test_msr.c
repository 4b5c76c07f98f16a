/* SPDX-License-Identifier: BSD-3-Clause */
/* The msr driver on recorded hosts: units by model, one reader per package, die or core. */
#include <math.h>

#include "host.h"
#include "sensors/msr.h"

extern const struct wtl_driver wtl_driver_msr;

static void test_channels(void)
{
    static const struct {
        int line;
        const char *host, *name, *location;
        int unit_exp; /* scale = 2^-unit_exp J */
        double max_w, power_w;
    } rows[] = {
        {__LINE__, "skx-2s", "msr:package-0", "/dev/cpu/0/msr 0x611", 14, 600, 150},
        {__LINE__, "skx-2s", "msr:dram-0", "/dev/cpu/0/msr 0x619", 16, 0, 20},
        {__LINE__, "skx-2s", "msr:package-1", "/dev/cpu/2/msr 0x611", 14, 600, 100},
        {__LINE__, "skx-2s", "msr:dram-1", "/dev/cpu/2/msr 0x619", 16, 0, 18},
        {__LINE__, "spr-2s", "msr:package-0", "/dev/cpu/0/msr 0x611", 14, 1400, 200},
        {__LINE__, "spr-2s", "msr:dram-1", "/dev/cpu/2/msr 0x619", 14, 0, 28},
        {__LINE__, "spr-2s", "msr:psys-0", "/dev/cpu/0/msr 0x64d", 0, 0, 600},
        {__LINE__, "epyc-zen3", "msr:package-0", "/dev/cpu/0/msr 0xc001029b", 16, 0, 120},
        {__LINE__, "epyc-zen3", "msr:package-1", "/dev/cpu/4/msr 0xc001029b", 16, 0, 140},
        {__LINE__, "epyc-zen3", "msr:core-0-0", "/dev/cpu/0/msr 0xc001029a", 16, 0, 5},
        {__LINE__, "epyc-zen3", "msr:core-1-3", "/dev/cpu/7/msr 0xc001029a", 16, 0, 12},
        {__LINE__, "clx-ap", "msr:package-1-0", "/dev/cpu/2/msr 0x611", 14, 0, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct host host = host_open(rows[i].host, &wtl_driver_msr, NULL);
        tap_line = rows[i].line;
        const struct wattle_channel *channel = host_channel(&host, rows[i].name);
        if (ok(host.rc == 0 && channel, "%s has %s", rows[i].host, rows[i].name)) {
            is_str(channel->location, rows[i].location, "location");
            is_double(channel->scale, ldexp(1, -rows[i].unit_exp), 0, "unit");
            is_double(channel->max_w, rows[i].max_w, 1e-9, "bound of the power");
            ok(channel->modulus == UINT64_C(1) << 32, "32 bits");
            is_double(host_power(&host, rows[i].name, 1, 9), rows[i].power_w, 0.01, "power");
        }
        host_close(&host, rows[i].host);
    }
    tap_line = 0;
}

static void test_counts(void)
{
    static const struct {
        int line;
        const char *host;
        int rc, count;
        unsigned fds; /* CPUs opened: no more than needed */
        const char *says;
    } rows[] = {
        {__LINE__, "skx-2s", 0, 4, 2, ""},
        {__LINE__, "spr-2s", 0, 5, 2, "energy filtering is on"},
        {__LINE__, "epyc-zen3", 0, 10, 8, ""},
        {__LINE__, "clx-ap", 0, 8, 4, ""},
        {__LINE__, "kvm-guest", -ENODEV, 0, 0, "provides no energy registers"},
        {__LINE__, "container", -ENODEV, 0, 0, "measure on the host"},
        {__LINE__, "laptop-tgl", -ENODEV, 0, 0, "modprobe msr"},
        {__LINE__, "denied", -EACCES, 0, 0, "setcap cap_sys_rawio+ep"},
        {__LINE__, "jetson-orin", -ENODEV, 0, 0, "not an x86 processor"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct host host = host_open(rows[i].host, &wtl_driver_msr, NULL);
        const char *said = host.said;
        tap_line = rows[i].line;
        is_int(host.rc, rows[i].rc, "%s opens so", rows[i].host);
        is_int(host.source.count, rows[i].count, "number of channels");
        is_int(wtl_world_recorded_open_fds(host.world), rows[i].fds, "CPUs opened");
        ok(strstr(said, rows[i].says) != NULL, "it says: %s", said);
        host_close(&host, rows[i].host);
    }
    tap_line = 0;
}

static void test_filtering(void)
{
    static const struct {
        int line;
        const char *host;
        int want;
    } rows[] = {
        {__LINE__, "spr-2s", 1},           {__LINE__, "skx-2s", -ENODEV},
        {__LINE__, "epyc-zen3", -ENODEV},  {__LINE__, "denied", -EACCES},
        {__LINE__, "laptop-tgl", -ENOENT},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct wtl_world *world = host_world(rows[i].host);
        tap_line = rows[i].line;
        is_int(wtl_msr_filtering(world), rows[i].want, "filtering on %s", rows[i].host);
        is_int(wtl_world_recorded_open_fds(world), 0, "nothing stays open");
        wtl_world_close(world);
    }
    tap_line = 0;
}

/* The register wraps 6 s after the start. */
static void test_wrap(void)
{
    struct host host = host_open("skx-2s", &wtl_driver_msr, NULL);
    host_at(&host, 5);
    struct wattle_reading before = host_read(&host, "msr:package-0");
    host_at(&host, 7);
    struct wattle_reading after = host_read(&host, "msr:package-0");
    ok(after.raw < before.raw, "it wrapped");
    is_int(after.raw + (UINT64_C(1) << 32) - before.raw, 300 << 14, "300 J in 2 s at 150 W");
    host_close(&host, "skx-2s");
}

/* On clx-ap the upper half of CPU 0's package register is not 0. */
static void test_reserved(void)
{
    struct host host = host_open("clx-ap", &wtl_driver_msr, NULL);
    is_int(host_read(&host, "msr:package-0-0").raw, 1000000, "reserved bits are no energy");
    host_close(&host, "clx-ap");
}

int main(void)
{
    test_reserved();
    test_channels();
    test_counts();
    test_filtering();
    test_wrap();
    return done_testing();
}
