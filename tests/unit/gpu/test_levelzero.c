/* SPDX-License-Identifier: BSD-3-Clause */
/* Level Zero Sysman: domains within domains, tiles, errors. The library is a fake (tests/gpu/fake_ze.c). */
#include "gpu/fake_library.h"

/* A card with a package, two tiles and memory; clocks and temperatures per tile. */
static const char pvc[] =
    "devices 1\n0.name Intel Data Center GPU Max 1550\n0.pci 0 0x4d 0 0\n0.subdevices 2\n"
    "0.powers 5\n0.card 0\n0.power.0.energy 5000000\n0.power.0.domain 1\n0.power.0.limit 600000\n"
    "0.power.1.energy 4000000\n0.power.1.domain 2\n"
    "0.power.2.energy 1500000\n0.power.2.domain 3\n0.power.2.tile 0\n"
    "0.power.3.energy 1600000\n0.power.3.domain 3\n0.power.3.tile 1\n"
    "0.power.4.energy 700000\n0.power.4.domain 4\n"
    "0.clocks 3\n0.clock.0.kind 0\n0.clock.0.tile 0\n0.clock.0.mhz 1600\n0.clock.0.reasons 0x9\n"
    "0.clock.1.kind 0\n0.clock.1.tile 1\n0.clock.1.mhz 1450.5\n"
    "0.clock.2.kind 1\n0.clock.2.mhz 3200\n"
    "0.engines 1\n0.engine.0.kind 0\n0.engine.0.active 100\n0.engine.0.time 1000\n"
    "0.sensors 2\n0.sensor.0.kind 1\n0.sensor.0.celsius 45.5\n0.sensor.1.kind "
    "2\n0.sensor.1.celsius 38\n"
    "0.memories 1\n0.memory.0.free 96\n0.memory.0.size 128\n";

static void test_values(struct fake *fake)
{
    fake_values(fake, pvc);
    is_int(fake_open(fake), 0, "opens: %s", fake->err.text);
    is_str(fake->list.library, "Sysman, driver 1.6.33578", "version");
    is_str(fake->list.devices[0].pci, "0000:4d:00.0", "address");
    is_str(fake->list.devices[0].uuid, "00010203-0405-0607-0809-0a0b0c0d0e0f", "identifier");
    is_str(fake->list.devices[0].name, "Intel Data Center GPU Max 1550", "name");
    is_double(fake_read(fake, 0, "energy", WTL_GPU_NO), 5, 1e-9, "energy of the card");
    is_double(fake_read(fake, 0, "package_energy", WTL_GPU_NO), 4, 1e-9, "of the package");
    is_double(fake_read(fake, 0, "energy", 0), 1.5, 1e-9, "of a tile");
    is_double(fake_read(fake, 0, "energy", 1), 1.6, 1e-9, "of the other");
    is_double(fake_read(fake, 0, "memory_energy", WTL_GPU_NO), 0.7, 1e-9, "of the memory");
    is_int(fake_totals(fake), 1, "one of them in totals");
    const struct wtl_gpu_channel *card = fake_channel(fake, 0, "energy", WTL_GPU_NO);
    ok(card && !card->spare && card->kind == WATTLE_COUNTER, "the card's");
    is_double(card ? card->max_w : 0, 1200, 1e-9, "bound from the limit");
    is_double(fake_read(fake, 0, "power_limit", WTL_GPU_NO), 600, 1e-9,
              "sustained limit in watts, not in amperes");
    is_double(fake_read(fake, 0, "gpu_clock", 0), 1.6e9, 1, "clock of a tile");
    is_double(fake_read(fake, 0, "gpu_clock", 1), 1.4505e9, 1, "of the other");
    is_double(fake_read(fake, 0, "memory_clock", WTL_GPU_NO), 3.2e9, 1, "memory's clock");
    is_double(fake_read(fake, 0, "slowed_power", 0), 1, 0, "slowed by power");
    is_double(fake_read(fake, 0, "slowed_heat", 0), 1, 0, "and by heat");
    is_double(fake_read(fake, 0, "slowed_other", 0), 0, 0, "not by others");
    is_double(fake_read(fake, 0, "slowed_power", 1), 0, 0, "the other tile is not");
    is_double(fake_read(fake, 0, "temperature", WTL_GPU_NO), 45.5, 1e-9, "temperature");
    is_double(fake_read(fake, 0, "memory_temperature", WTL_GPU_NO), 38, 1e-9, "memory's");
    is_double(fake_read(fake, 0, "memory_used", WTL_GPU_NO), 32, 1e-9, "memory");
    is_int(fake_read(fake, 0, "gpu_use", WTL_GPU_NO), -ENODATA, "use since nothing");
    fake_set(fake, "0.engine.0.active 400\n0.engine.0.time 2000");
    is_double(fake_read(fake, 0, "gpu_use", WTL_GPU_NO), 0.3, 1e-6, "use since the last read");
    is_int(fake_read(fake, 0, "gpu_use", WTL_GPU_NO), -ENODATA, "no time has passed");
    is_int(fake->list.note_count, 0, "nothing to note");
}

static void test_outermost(struct fake *fake)
{
    fake_values(fake, pvc);
    fake_set(fake, "0.power.0.energy !0x78000003");
    is_int(fake_open(fake), 0, "opens");
    is_double(fake_read(fake, 0, "energy", WTL_GPU_NO), 4, 1e-9,
              "without the card's counter the package's");
    is_int(fake_totals(fake), 1, "alone");

    fake_values(fake, pvc);
    fake_set(fake, "0.card separate\n0.power.card.energy 9000000\n0.power.0.domain 0");
    is_int(fake_open(fake), 0, "opens");
    is_double(fake_read(fake, 0, "energy", WTL_GPU_NO), 9, 1e-9,
              "a card's domain outside the list");
    is_int(fake_totals(fake), 1, "alone");

    fake_values(fake, "devices 1\n0.pci 0 3 0 0\n0.powers 1\n0.power.0.energy "
                      "2000000\n0.power.0.sustained 150000\n");
    is_int(fake_open(fake), 0, "opens");
    is_double(fake_read(fake, 0, "energy", WTL_GPU_NO), 2, 1e-9,
              "a domain that does not say what it is");
    is_double(fake_read(fake, 0, "power_limit", WTL_GPU_NO), 150, 1e-9,
              "limit of drivers without the extension");
}

static void test_tiles(struct fake *fake)
{
    fake_values(fake, "devices 1\n0.pci 0 3 0 0\n0.subdevices 2\n0.powers 2\n"
                      "0.power.0.energy 1000000\n0.power.0.domain 3\n0.power.0.tile 0\n"
                      "0.power.1.energy 2000000\n0.power.1.domain 3\n0.power.1.tile 1\n");
    is_int(fake_open(fake), 0, "opens");
    is_int(fake_totals(fake), 2, "only tiles: they are the device");
    is_int(fake->list.note_count, 0, "all of it");
    fake_set(fake, "0.power.1.energy !0x78000003");
    is_int(fake_open(fake), 0, "opens");
    ok(fake_says(fake, "gpu-0: energy of 1 of 2 tiles; the rest is not measured"),
       "or less than that");
    fake_set(fake, "0.power.0.energy !0x70010000");
    is_int(fake_open(fake), 0, "opens");
    is_int(fake_totals(fake), 0, "nothing");
    ok(fake_says(fake, "gpu-0: energy: no counter"), "said");
    fake_values(fake, "devices 1\n0.pci 0 3 0 0\n0.powers 1\n0.power.0.energy !0x70010000\n");
    is_int(fake_open(fake), 0, "opens");
    ok(fake_says(fake, "gpu-0: energy: no permission"), "and why");
}

static void test_errors_of_reads(struct fake *fake)
{
    static const struct {
        int line;
        const char *set;
        int want;
    } row[] = {
        {__LINE__, "0.power.0.energy !0x70000001", -ENODEV},
        {__LINE__, "0.power.0.energy !0x70000006", -ENODEV},
        {__LINE__, "0.power.0.energy !0x70000007", -ENODATA},
        {__LINE__, "0.power.0.energy !0x70010000", -EACCES},
        {__LINE__, "0.power.0.energy !0x70010001", -ENODATA},
        {__LINE__, "0.power.0.energy !0x78000003", -ENOTSUP},
        {__LINE__, "0.power.0.energy !0x70020000", -ENOTSUP},
        {__LINE__, "0.power.0.energy !0x7ffffffe", -EIO},
        {__LINE__, "0.power.0.energy !0x78000001", -ENODEV},
    };
    fake_values(fake, pvc);
    is_int(fake_open(fake), 0, "opens");
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        tap_line = row[i].line;
        fake_set(fake, row[i].set);
        is_int(fake_read(fake, 0, "energy", WTL_GPU_NO), row[i].want, "%s", row[i].set);
    }
    tap_line = 0;
    fake_set(fake, "0.clock.0.mhz -1\n0.sensor.0.celsius nan\n0.memory.0.free 200");
    is_int(fake_read(fake, 0, "gpu_clock", 0), -ENODATA, "a clock that is not known");
    is_int(fake_read(fake, 0, "temperature", WTL_GPU_NO), -ENODATA,
           "a temperature that is not one");
    is_int(fake_read(fake, 0, "memory_used", WTL_GPU_NO), -ENODATA, "more free than there is");
}

static void test_errors_of_open(struct fake *fake)
{
    fake_values(fake, "init !0x78000001\n");
    is_int(fake_open(fake), -ENODEV, "no driver: %s", fake->err.text);
    fake_values(fake, "init !0x70010000\n");
    is_int(fake_open(fake), -EACCES, "no permission: %s", fake->err.text);
    fake_values(fake, "init !0x78000002\n");
    is_int(fake_open(fake), -ENOTSUP, "old driver: %s", fake->err.text);
    fake_values(fake, "devices 0\n");
    is_int(fake_open(fake), -ENODEV, "no device: %s", fake->err.text);
    fake_values(fake, "devices 1\n0.type 5\n");
    is_int(fake_open(fake), -ENODEV, "an NPU is no GPU: %s", fake->err.text);
    fake_values(
        fake,
        "devices 2\n0.properties !0x70000001\n1.pci 0 3 0 0\n1.powers 1\n1.power.0.energy 1\n");
    is_int(fake_open(fake), 0, "one device is lost");
    ok(fake_says(fake, "gpu-0: cannot be described"), "said");
    is_int(fake_totals(fake), 1, "the other is measured");
    fake_values(fake, "devices 2\n0.pci 0 3 0 0\n1.pci 0 3 0 0\n");
    is_int(fake_open(fake), 0, "opens");
    is_int(fake->list.device_count, 1, "a device of two drivers is one");
}

static void test_visible(struct fake *fake)
{
    fake_values(fake, "devices 3\n0.pci 0 3 0 0\n1.pci 0 4 0 0\n2.pci 0 5 0 0\n");
    (void)setenv("ZE_AFFINITY_MASK", "0.1,2", 1);
    is_int(fake_open(fake), 0, "opens");
    (void)unsetenv("ZE_AFFINITY_MASK");
    ok(!fake->list.devices[0].hidden && fake->list.devices[1].hidden &&
           !fake->list.devices[2].hidden,
       "a device with a tile in the mask is shown");
}

static void test_processes(struct fake *fake)
{
    struct wtl_gpu_processes processes = {0};
    fake_values(fake, pvc);
    fake_set(fake, "0.processes 11 4096 12 8192");
    is_int(fake_open(fake), 0, "opens");
    is_int(fake->backend->processes(&fake->list, 0, &processes), 0, "processes");
    ok(processes.count == 2 && processes.list[1].pid == 12 && processes.list[1].memory == 8192,
       "with memory");
    is_int(fake->backend->processes(&fake->list, 7, &processes), -ENOTSUP, "of no such device");
    free(processes.list);
}

int main(void)
{
    struct fake fake = fake_init(&wtl_gpu_levelzero, "fake_ze");
    test_values(&fake);
    test_outermost(&fake);
    test_tiles(&fake);
    test_errors_of_reads(&fake);
    test_errors_of_open(&fake);
    test_visible(&fake);
    test_processes(&fake);
    char text[4096];
    (void)snprintf(text, sizeof text, "%szesinit !2013265921\n", pvc);
    fake_values(&fake, text);
    is_int(fake_open(&fake), 0, "a driver without zesInit: %s", fake.err.text);
    is_double(fake_read(&fake, 0, "energy", WTL_GPU_NO), 5, 1e-9, "energy");
    (void)snprintf(fake.library, sizeof fake.library, "%s/libfake_ze_old.so", FAKE_FOLDER);
    fake_values(&fake, pvc);
    is_int(fake_open(&fake), 0, "a loader without zesInit: %s", fake.err.text);
    is_double(fake_read(&fake, 0, "energy", WTL_GPU_NO), 5, 1e-9, "energy");
    ok(!fake_channel(&fake, 0, "power_limit", WTL_GPU_NO), "nor with new limits");
    (void)snprintf(fake.library, sizeof fake.library, "%s/libfake_rocm.so", FAKE_FOLDER);
    is_int(fake_open(&fake), -ENOTSUP, "another library: %s", fake.err.text);
    fake_fini(&fake);
    return done_testing();
}
