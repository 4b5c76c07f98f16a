/* SPDX-License-Identifier: BSD-3-Clause */
/* ROCm SMI, and the rules for AMD's devices. The library is a fake: what real ones answer is in docs/dev/gpu-libraries.md. */
#include "gpu/fake_library.h"

static const double tick_j = 1.0 / 65536;

static const char mi250x[] =
    "devices 1\nversion 7\n"
    "0.bdf 0x7f0000c100\n0.unique 0x1c88a3ee5c23b4d1\n0.name AMD Instinct MI250X\n"
    "0.energy 655360\n0.power 98000000\n0.power_type 0\n0.limit 560000000\n"
    "0.busy 42\n0.memory_busy 7\n0.memory_used 11534336\n"
    "0.clock.0 1650000000\n0.clock.4 1600000000\n"
    "0.temperature.0 41000\n0.temperature.1 48500\n0.temperature.2 -3000\n";

static void test_values(struct fake *fake)
{
    fake_values(fake, mi250x);
    is_int(fake_open(fake), 0, "opens: %s", fake->err.text);
    is_str(fake->list.library, "ROCm SMI 7.8.0", "version");
    const struct wtl_gpu_device *device = fake->list.devices;
    is_int(fake->list.device_count, 1, "devices");
    is_str(device->pci, "007f:c1:00.0", "address");
    is_str(device->uuid, "GPU-1c88a3ee5c23b4d1", "identifier");
    is_str(device->name, "AMD Instinct MI250X", "name");
    is_double(fake_read(fake, 0, "energy", WTL_GPU_NO), 655360 * tick_j, 1e-9,
              "energy in ticks of 2^-16 J, not of the library's 15.3 uJ");
    is_double(fake_read(fake, 0, "power_average", WTL_GPU_NO), 98, 1e-9, "power");
    is_double(fake_read(fake, 0, "power_limit", WTL_GPU_NO), 560, 1e-9, "limit");
    is_double(fake_read(fake, 0, "gpu_use", WTL_GPU_NO), 0.42, 1e-9, "use");
    is_double(fake_read(fake, 0, "memory_use", WTL_GPU_NO), 0.07, 1e-9, "memory's use");
    is_double(fake_read(fake, 0, "memory_used", WTL_GPU_NO), 11534336, 1e-9, "memory");
    is_double(fake_read(fake, 0, "gpu_clock", WTL_GPU_NO), 1.65e9, 1, "clock");
    is_double(fake_read(fake, 0, "memory_clock", WTL_GPU_NO), 1.6e9, 1, "memory's clock");
    is_double(fake_read(fake, 0, "temperature", WTL_GPU_NO), 41, 1e-9, "temperature");
    is_double(fake_read(fake, 0, "hotspot_temperature", WTL_GPU_NO), 48.5, 1e-9, "hot spot");
    is_double(fake_read(fake, 0, "memory_temperature", WTL_GPU_NO), -3, 1e-9, "below zero");
    const struct wtl_gpu_channel *energy = fake_channel(fake, 0, "energy", WTL_GPU_NO);
    const struct wtl_gpu_channel *power = fake_channel(fake, 0, "power_average", WTL_GPU_NO);
    ok(energy && energy->kind == WATTLE_COUNTER && !energy->spare && !energy->activity,
       "counter first");
    is_double(energy ? energy->max_w : 0, 1120, 1e-9, "bound from the limit");
    ok(power && power->kind == WATTLE_WINDOW_AVERAGE && power->spare, "average power is spare");
    is_int(fake_totals(fake), 1, "one channel for totals");
    is_int(fake->list.note_count, 0, "nothing to note");
}

static void test_clock_layouts(struct fake *fake)
{
    fake_values(fake, mi250x);
    fake_set(fake, "clocks old");
    is_int(fake_open(fake), 0, "opens");
    is_double(fake_read(fake, 0, "gpu_clock", WTL_GPU_NO), 1.65e9, 1,
              "the record of old libraries");
    fake_set(fake, "clocks recent");
    is_double(fake_read(fake, 0, "gpu_clock", WTL_GPU_NO), 1.65e9, 1,
              "of newer ones, with deep sleep");
    fake_set(fake, "0.clock.0 0xffffffffffffffff");
    is_int(fake_read(fake, 0, "gpu_clock", WTL_GPU_NO), -EIO, "no clock that cannot be");
}

static void test_no_counter(struct fake *fake)
{
    fake_values(
        fake,
        "devices 1\n0.bdf 0x300\n0.energy 0xffffffffffffffff\n0.power 25000000\n0.power_type 1\n");
    is_int(fake_open(fake), 0, "opens");
    const struct wtl_gpu_channel *power = fake_channel(fake, 0, "power", WTL_GPU_NO);
    ok(!fake_channel(fake, 0, "energy", WTL_GPU_NO), "all bits set is no counter");
    ok(power && power->kind == WATTLE_GAUGE && !power->spare, "current power instead");
    ok(fake_says(fake, "gpu-0: energy: not supported"), "said");
    fake_set(fake, "0.energy 0");
    is_int(fake_open(fake), 0, "opens");
    ok(!fake_channel(fake, 0, "energy", WTL_GPU_NO) && fake->list.devices[0].dies == 1,
       "0 with power is no counter, and no second die");
    fake_set(fake, "0.energy 5\n0.resolution 1000");
    is_int(fake_open(fake), 0, "opens");
    ok(!fake_channel(fake, 0, "energy", WTL_GPU_NO) && fake_says(fake, "unknown unit"),
       "a counter with another unit is refused");
    is_int(fake_totals(fake), 1, "so power is not spare");
    fake_values(fake, "devices 1\n0.bdf 0x300\n0.mean_power 31000000\n");
    is_int(fake_open(fake), 0, "opens");
    is_double(fake_read(fake, 0, "power_average", WTL_GPU_NO), 31, 1e-9,
              "power of older libraries");
}

static void test_packages(struct fake *fake)
{
    fake_values(fake, "devices 4\n"
                      "0.bdf 0xc100\n0.energy 100\n0.power 90000000\n0.limit 560000000\n"
                      "1.bdf 0xc600\n1.energy 0\n1.power 0\n1.limit 0\n"
                      "2.bdf 0xd100\n2.energy 200\n2.power 95000000\n2.limit 560000000\n"
                      "3.bdf 0xd600\n3.energy 0\n3.power 0\n3.limit 0\n3.busy 5\n"
                      "1.link.0 50000\n1.link.2 200000\n1.link.3 50000\n"
                      "3.link.0 50000\n3.link.1 50000\n3.link.2 50000\n");
    is_int(fake_open(fake), 0, "opens");
    is_int(fake_totals(fake), 2, "a package is counted once");
    ok(!fake_channel(fake, 1, "energy", WTL_GPU_NO) &&
           !fake_channel(fake, 1, "power_average", WTL_GPU_NO),
       "no zeroes from a second die");
    const struct wtl_gpu_channel *both = fake_channel(fake, 2, "energy", WTL_GPU_NO);
    ok(both && strstr(both->location, "0000:d1:00.0 and 0000:c6:00.0"),
       "its first die has the energy of both");
    is_int(fake->list.devices[1].die, 1, "die");
    is_int(fake->list.devices[2].dies, 2, "dies");
    ok(fake_says(fake, "gpu-3: second die of a package; the first die reports"),
       "two are as near: not guessed");
    is_int(fake->list.devices[0].dies, 1, "not that one");
    ok(fake_channel(fake, 3, "gpu_use", WTL_GPU_NO) != NULL, "but the use of each die");
}

static void test_divided(struct fake *fake)
{
    fake_values(fake, "devices 3\n0.bdf 0x2300\n0.energy 100\n0.power 90000000\n"
                      "1.bdf 0x10002301\n1.energy 100\n1.power 90000000\n"
                      "2.bdf 0x2400\n2.energy 100\n2.power 90000000\n");
    is_int(fake_open(fake), 0, "opens");
    is_int(fake->list.devices[1].parent, 0, "part of the first");
    is_int(fake->list.devices[2].parent, WTL_GPU_NO, "another one");
    ok(!fake_channel(fake, 1, "energy", WTL_GPU_NO), "a part has no energy of its own");
    is_int(fake_totals(fake), 2, "two devices");
}

static void test_errors_of_reads(struct fake *fake)
{
    static const struct {
        int line;
        const char *set;
        int want;
    } row[] = {
        {__LINE__, "0.energy !2", -ENOTSUP},
        {__LINE__, "0.energy !9", -ENOTSUP},
        {__LINE__, "0.energy !4", -EACCES},
        {__LINE__, "0.energy !14", -ENODATA},
        {__LINE__, "0.energy !16", -ENODATA},
        {__LINE__, "0.energy !3", -ENODEV}, /* its folder is not there */
        {__LINE__, "0.energy !10", -ENODEV},
        {__LINE__, "0.energy !6", -EIO},
        {__LINE__, "0.energy !0xffffffff", -EIO},
        {__LINE__, "0.energy 0", -ENODATA},
    };
    fake_values(fake, mi250x);
    is_int(fake_open(fake), 0, "opens");
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        tap_line = row[i].line;
        fake_set(fake, row[i].set);
        is_int(fake_read(fake, 0, "energy", WTL_GPU_NO), row[i].want, "%s", row[i].set);
    }
    tap_line = 0;
    fake_set(fake, "0.energy 6553600");
    is_double(fake_read(fake, 0, "energy", WTL_GPU_NO), 100, 1e-9, "back again");
    fake_set(fake, "0.busy 255");
    is_int(fake_read(fake, 0, "gpu_use", WTL_GPU_NO), -ENOTSUP, "no 255 %%");
}

static void test_errors_of_open(struct fake *fake)
{
    fake_values(fake, "init !4\n");
    is_int(fake_open(fake), -EACCES, "no permission: %s", fake->err.text);
    ok(strstr(fake->err.text, "join the groups"), "with the remedy");
    fake_values(fake, "init !8\n");
    is_int(fake_open(fake), -ENODEV, "no driver: %s", fake->err.text);
    fake_values(fake, "devices 0\n");
    is_int(fake_open(fake), -ENODEV, "no device: %s", fake->err.text);
    fake_values(fake, "devices !6\n");
    is_int(fake_open(fake), -ENODEV, "not counted: %s", fake->err.text);
    fake_values(fake, "devices 1\n");
    is_int(fake_open(fake), -ENOTSUP, "not described: %s", fake->err.text);
    fake_values(fake, "devices 2\n0.bdf !3\n1.bdf 0x300\n1.energy 65536\n");
    is_int(fake_open(fake), 0, "one of two is described");
    ok(fake_says(fake, "gpu-0: ROCm SMI cannot describe it: No such device"), "the other said");
    is_double(fake_read(fake, 1, "energy", WTL_GPU_NO), 1, 1e-9, "under its number");
    fake_values(fake, "devices 1\n0.bdf 0x300\n0.energy !4\n0.power !4\n0.limit !4\n");
    is_int(fake_open(fake), 0, "opens without any value");
    ok(fake_says(fake, "gpu-0: energy: no permission; join the groups"), "each said");
    is_int(fake_totals(fake), 0, "nothing measured");
    (void)snprintf(fake->library, sizeof fake->library, "%s/libfake_ze.so", FAKE_FOLDER);
    is_int(fake_open(fake), -ENOTSUP, "another library: %s", fake->err.text);
    (void)snprintf(fake->library, sizeof fake->library, "/nonexistent/librocm_smi64.so");
    is_int(fake_open(fake), -ENODEV, "no library: %s", fake->err.text);
}

static void test_visible(struct fake *fake)
{
    fake_values(fake, "devices 3\n0.bdf 0x300\n0.unique 0xabc\n1.bdf 0x400\n2.bdf 0x500\n");
    (void)setenv("ROCR_VISIBLE_DEVICES", "GPU-0000000000000abc,2", 1);
    (void)setenv("HIP_VISIBLE_DEVICES", "1", 1); /* of those two */
    is_int(fake_open(fake), 0, "opens");
    (void)unsetenv("ROCR_VISIBLE_DEVICES");
    (void)unsetenv("HIP_VISIBLE_DEVICES");
    ok(fake->list.devices[0].hidden && fake->list.devices[1].hidden &&
           !fake->list.devices[2].hidden,
       "HIP counts what ROCR shows");
}

static void test_processes(struct fake *fake)
{
    struct wtl_gpu_processes processes = {0};
    fake_values(fake, mi250x);
    fake_set(fake, "processes 10 20 30\nprocess.10 0\nprocess.20 1\nprocess.30 0");
    is_int(fake_open(fake), 0, "opens");
    is_int(fake->backend->processes(&fake->list, 0, &processes), 0, "processes");
    is_int(processes.count, 2, "of this device");
    ok(processes.count == 2 && processes.list[1].pid == 30 && processes.list[1].used < 0,
       "share unknown");
    fake_set(fake, "process_size 48");
    is_int(fake->backend->processes(&fake->list, 0, &processes), -ENOTSUP,
           "records of another size are refused");
    free(processes.list);
}

int main(void)
{
    struct fake fake = fake_init(&wtl_gpu_rocm, "fake_rocm");
    test_values(&fake);
    test_clock_layouts(&fake);
    test_no_counter(&fake);
    test_packages(&fake);
    test_divided(&fake);
    test_errors_of_reads(&fake);
    test_visible(&fake);
    test_processes(&fake);
    test_errors_of_open(&fake);
    fake_fini(&fake);
    return done_testing();
}
