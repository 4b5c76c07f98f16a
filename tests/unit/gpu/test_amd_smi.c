/* SPDX-License-Identifier: BSD-3-Clause */
/* AMD SMI: what differs from ROCm SMI (test_rocm.c), above all its records, which change with the version. */
#include "gpu/fake_library.h"

static const char mi300x[] =
    "devices 2\nversion 26 2 0\nrecord 7.0\n"
    "0.bdf 0x1c100\n0.uuid 2bff74a1-0000-1000-8089-5e1aa4d1b0c2\n0.name AMD Instinct MI300X\n"
    "0.energy 65536000\n0.current 712\n0.limit 750000000\n"
    "0.busy 99\n0.memory_busy 63\n0.memory_used 1024\n0.clock.0 2100\n0.clock.4 1300\n"
    "0.temperature.1 71\n0.temperature.2 65000\n"
    "1.bdf 0xc200\n1.energy 1\n1.average 80\n1.type 2\n";

static void test_values(struct fake *fake)
{
    fake_values(fake, mi300x);
    is_int(fake_open(fake), 0, "opens: %s", fake->err.text);
    is_str(fake->list.library, "AMD SMI 26.2.0", "version");
    is_int(fake->list.device_count, 1, "processors that are no GPU are left out");
    const struct wtl_gpu_device *device = fake->list.devices;
    is_str(device->pci, "0001:c1:00.0", "address: domain from bit 16");
    is_str(device->uuid, "2bff74a1-0000-1000-8089-5e1aa4d1b0c2", "identifier");
    is_str(device->name, "AMD Instinct MI300X", "name");
    is_double(fake_read(fake, 0, "energy", WTL_GPU_NO), 1000, 1e-9, "energy");
    is_double(fake_read(fake, 0, "power", WTL_GPU_NO), 712, 1e-9, "power");
    is_double(fake_read(fake, 0, "power_limit", WTL_GPU_NO), 750, 1e-9, "limit");
    is_double(fake_read(fake, 0, "gpu_use", WTL_GPU_NO), 0.99, 1e-9, "use");
    is_double(fake_read(fake, 0, "memory_use", WTL_GPU_NO), 0.63, 1e-9, "memory's use");
    is_double(fake_read(fake, 0, "memory_used", WTL_GPU_NO), 1024, 1e-9, "memory");
    is_double(fake_read(fake, 0, "gpu_clock", WTL_GPU_NO), 2.1e9, 1, "clock");
    is_double(fake_read(fake, 0, "memory_clock", WTL_GPU_NO), 1.3e9, 1, "memory's clock");
    is_double(fake_read(fake, 0, "hotspot_temperature", WTL_GPU_NO), 71, 1e-9, "in degrees");
    is_double(fake_read(fake, 0, "memory_temperature", WTL_GPU_NO), 65, 1e-9, "in thousandths");
    ok(!fake_channel(fake, 0, "temperature", WTL_GPU_NO), "no edge sensor, no channel");
    is_int(fake_totals(fake), 1, "one channel for totals");
}

static void test_records(struct fake *fake)
{
    static const struct {
        int line;
        const char *set, *word;
        double want;
    } row[] = {
        {__LINE__, "version 24 6 2 0\nrecord 6.2", "power", 712},
        {__LINE__, "version 24 6 2 0\nrecord 6.2\n0.current 65535\n0.average 99", "power_average",
         99},
        {__LINE__, "version 24 7 1 0\nrecord 6.2", "power", 712}, /* ROCm 6.3 */
        {__LINE__, "version 25 3 0\nrecord 6.4", "power", 712},
        {__LINE__, "version 25 5 1\nrecord 6.4\n0.current 65535\n0.average 99", "power_average",
         99},
        {__LINE__, "version 26 0 0\nrecord 7.0", "power", 712},
        {__LINE__, "version 27 1 0\nrecord 7.0", "power", 712},
        {__LINE__, "version 26 0 0\nrecord 7.0\n0.current 0xffffffff\n0.average 99",
         "power_average", 99},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        tap_line = row[i].line;
        fake_values(fake, mi300x);
        fake_set(fake, row[i].set);
        is_int(fake_open(fake), 0, "opens");
        is_double(fake_read(fake, 0, row[i].word, WTL_GPU_NO), row[i].want, 1e-9, "%.12s",
                  row[i].set);
        is_int(fake->list.note_count, 0, "no note");
    }
    tap_line = 0;
    static const char *const unknown[] = {"version 23 4 0 0", "version 24 8 0 0", "version 28 0 0",
                                          "version !5"};
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++) {
        fake_values(fake, mi300x);
        fake_set(fake, unknown[i]);
        is_int(fake_open(fake), 0, "opens with %s", unknown[i]);
        ok(!fake_channel(fake, 0, "power", WTL_GPU_NO) &&
               fake_says(fake, "layout of its power record is not known"),
           "a record of unknown layout is not read");
        is_double(fake_read(fake, 0, "energy", WTL_GPU_NO), 1000, 1e-9, "the counter is");
    }
}

static void test_errors(struct fake *fake)
{
    static const struct {
        int line;
        const char *set;
        int want;
    } row[] = {
        {__LINE__, "0.energy !2", -ENOTSUP},  {__LINE__, "0.energy !3", -ENOTSUP},
        {__LINE__, "0.energy !10", -EACCES},  {__LINE__, "0.energy !9", -ENODATA},
        {__LINE__, "0.energy !30", -ENODATA}, {__LINE__, "0.energy !40", -ENODATA},
        {__LINE__, "0.energy !8", -ENODATA},  {__LINE__, "0.energy !14", -ENODEV},
        {__LINE__, "0.energy !31", -ENODEV},  {__LINE__, "0.energy !7", -EIO},
        {__LINE__, "0.energy 0", -ENODATA},   {__LINE__, "0.energy 0xffffffffffffffff", -ENOTSUP},
    };
    fake_values(fake, mi300x);
    is_int(fake_open(fake), 0, "opens");
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        tap_line = row[i].line;
        fake_set(fake, row[i].set);
        is_int(fake_read(fake, 0, "energy", WTL_GPU_NO), row[i].want, "%s", row[i].set);
    }
    tap_line = 0;
    fake_set(fake, "0.current 0xffff");
    is_int(fake_read(fake, 0, "power", WTL_GPU_NO), -ENOTSUP, "power that is not told any more");
    fake_set(fake, "0.power_info !10");
    is_int(fake_read(fake, 0, "power", WTL_GPU_NO), -EACCES, "power without permission");
    fake_values(fake, "init !10\n");
    is_int(fake_open(fake), -EACCES, "no permission: %s", fake->err.text);
    fake_values(fake, "init !34\n");
    is_int(fake_open(fake), -ENODEV, "no driver: %s", fake->err.text);
    fake_values(fake, "devices 0\nversion 26 2 0\n");
    is_int(fake_open(fake), -ENODEV, "no device: %s", fake->err.text);
    fake_values(fake, "devices 1\nversion 26 2 0\nsockets !10\n");
    is_int(fake_open(fake), -EACCES, "no sockets: %s", fake->err.text);
}

static void test_processes(struct fake *fake)
{
    static const char *const told[] = {"version 24 6 2 0", "version 24 7 1 0", "version 26 2 0",
                                       "version 27 1 0"};
    for (size_t i = 0; i < sizeof told / sizeof *told; i++) {
        struct wtl_gpu_processes all = {0};
        fake_values(fake, mi300x);
        fake_set(fake, told[i]);
        fake_set(fake, "0.processes 4711 1048576 12 0");
        is_int(fake_open(fake), 0, "opens");
        is_int(fake->backend->processes(&fake->list, 0, &all), 0, "processes of %s", told[i]);
        is_int(all.count, 2, "both");
        if (all.count == 2) {
            is_int(all.list[0].pid, 4711, "process");
            is_int(all.list[0].memory, 1048576, "its memory");
            ok(all.list[0].used < 0, "its share is not told");
            is_int(all.list[1].pid, 12, "the other one");
        }
        fake_set(fake, "0.processes !10");
        is_int(fake->backend->processes(&fake->list, 0, &all), -EACCES, "no permission");
        fake_set(fake, "0.processes none");
        is_int(fake->backend->processes(&fake->list, 0, &all), 0, "none");
        free(all.list);
    }
    fake_values(fake, mi300x);
    fake_set(fake, "version 25 3 0\nrecord 6.4\n0.processes 4711 1");
    is_int(fake_open(fake), 0, "opens");
    is_int(fake->backend->processes(&fake->list, 0, NULL), -ENOTSUP, "records of unknown layout");
}

static void test_second_die(struct fake *fake)
{
    fake_values(fake, "devices 2\nversion 25 4 0\nrecord 6.4\n"
                      "0.bdf 0xc100\n0.energy 10\n0.average 90\n0.limit 560000000\n"
                      "1.bdf 0xc600\n1.energy 0\n1.average 0\n1.limit 0\n1.link.0 200000\n");
    is_int(fake_open(fake), 0, "opens");
    const struct wtl_gpu_channel *both = fake_channel(fake, 0, "energy", WTL_GPU_NO);
    ok(both && strstr(both->location, "0000:c1:00.0 and 0000:c6:00.0"),
       "the first die has the energy of both");
    is_int(fake->list.note_count, 0, "nothing is left out");
    is_int(fake_totals(fake), 1, "counted once");
}

int main(void)
{
    struct fake fake = fake_init(&wtl_gpu_rocm, "fake_amdsmi");
    test_values(&fake);
    test_records(&fake);
    test_processes(&fake);
    test_second_die(&fake);
    test_errors(&fake);
    fake_fini(&fake);
    return done_testing();
}
