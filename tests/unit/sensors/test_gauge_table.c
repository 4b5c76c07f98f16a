/* SPDX-License-Identifier: BSD-3-Clause */
/* Facts about the gauges of GPUs: names are matched whole, each row can be found, and each has a source. */
#include "sensors/gpu/gauge_table.h"

#include "model/bound.h"
#include "tap.h"

static void check(const char *device, const char *call, uint64_t period_ms, uint64_t window_ms)
{
    const struct wtl_gauge_fact *fact = wtl_gauge_fact(device, call);
    if (period_ms == 0) {
        ok(!fact || fact->period_ns == 0, "%s: nothing known about %s", device, call);
        return;
    }
    if (!ok(fact != NULL, "%s is known", device))
        return;
    is_int(fact->period_ns, period_ms * 1000000, "%s: period", call);
    is_int(fact->window_ns, window_ms * 1000000, "%s: window", call);
}

static void check_filter(const char *device, uint64_t filter_ms)
{
    const struct wtl_gauge_fact *fact = wtl_gauge_fact(device, "nvmlDeviceGetPowerUsage");
    is_int(fact ? fact->filter_ns : 0, filter_ms * 1000000, "filter of %s", device);
}

static int open_nothing(struct wtl_source *source, struct wattle_error *err)
{
    (void)source, (void)err;
    return 0;
}

/* What a channel of power becomes: a gauge that is not known is no instant. */
static void test_channels(void)
{
    static const struct wtl_driver driver = {.name = "nvml", .open = open_nothing};
    static const struct {
        int line;
        const char *device, *call;
        uint64_t stated_ms, window_ms, refresh_ms;
        double seen;
    } rows[] = {
        {__LINE__, "NVIDIA A100-SXM4-40GB", "nvmlDeviceGetPowerUsage", 0, 25, 100, 0.25},
        {__LINE__, "Tesla K40m", "nvmlDeviceGetPowerUsage", 0, 850, 20, 1},
        {__LINE__, "AMD Instinct MI210", "rsmi_dev_power_get", 0, 2010, 0, 1},
        {__LINE__, "NVIDIA H200", "NVML_FI_DEV_POWER_INSTANT", 0, 25, 100, 0.25},
        {__LINE__, "NVIDIA H800", "NVML_FI_DEV_POWER_INSTANT", 0, 25, 100, 0.25},
        {__LINE__, "NVIDIA H20", "NVML_FI_DEV_POWER_INSTANT", 0, 25, 100, 0.25},
        {__LINE__, "NVIDIA B200", "NVML_FI_DEV_POWER_INSTANT", 0, 25, 100, 0.25},
        {__LINE__, "NVIDIA GB200", "NVML_FI_DEV_POWER_INSTANT", 0, 25, 100, 0.25},
        {__LINE__, "NVIDIA L40S", "NVML_FI_DEV_POWER_INSTANT", 0, 25, 100, 0.25},
        {__LINE__, "NVIDIA GeForce RTX 4090", "NVML_FI_DEV_POWER_INSTANT", 0, 25, 100, 0.25},
        {__LINE__, "NVIDIA GeForce RTX 5090", "NVML_FI_DEV_POWER_INSTANT", 0, 25, 100, 0.25},
        {__LINE__, "AMD Instinct MI350X", "amdsmi_get_power_info", 0, 25, 100, 0.25},
        {__LINE__, "AMD Instinct MI250X", "amdsmi_get_power_info", 0, 25, 100, 0.25},
        {__LINE__, "NVIDIA H200", "nvmlDeviceGetPowerUsage", 1000, 1000, 0, 1}, /* documented */
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct wtl_world *world = NULL;
        struct wtl_source source = {.driver = &driver};
        struct wattle_error err = {{0}};
        struct wattle_channel channel =
            wtl_channel_init(WATTLE_DOMAIN_GPU, 0, WATTLE_POWER, WATTLE_GAUGE);
        tap_line = rows[i].line;
        if (!ok(wtl_world_recorded(WATTLE_SOURCE_DIR "/tests/hosts/container", &world, &err) == 0,
                "a host without a calibration"))
            break;
        source.world = world;
        channel.window_ns = rows[i].stated_ms * 1000000;
        (void)snprintf(channel.location, sizeof channel.location, "%s", rows[i].call);
        is_int(wtl_source_add(&source, &channel), 0, "%s is added", rows[i].device);
        wtl_gauge_known(&source, 0, rows[i].device);
        is_int(source.channels[0].kind, WATTLE_WINDOW_AVERAGE, "an average");
        is_int(source.channels[0].window_ns, rows[i].window_ms * 1000000, "its window");
        is_int(source.channels[0].refresh_ns, rows[i].refresh_ms * 1000000, "its period");
        is_double(wtl_seen_part(&source.channels[0]), rows[i].seen, 0, "the part it sees");
        wtl_source_close(&source);
        wtl_world_close(world);
    }
    tap_line = 0;
}

int main(void)
{
    check("NVIDIA A100-SXM4-40GB", "pci 0000:65:00.0, nvmlDeviceGetPowerUsage", 100, 25);
    check("NVIDIA H100 80GB HBM3", "NVML_FI_DEV_POWER_INSTANT", 100, 25);
    check("NVIDIA H100 80GB HBM3", "NVML_FI_DEV_POWER_AVERAGE", 100, 1000);
    check("NVIDIA GH200 480GB", "NVML_FI_DEV_POWER_INSTANT", 100, 20);
    check("Tesla V100-SXM2-16GB", "nvmlDeviceGetPowerUsage", 20, 10);
    check_filter("Tesla K40m", 850);
    check_filter("Tesla K80", 850);
    check_filter("Tesla K20Xm", 850);
    check_filter("Tesla K10", 0);
    check_filter("Tesla K400", 0);
    test_channels();
    check("NVIDIA RTX A1000", "nvmlDeviceGetPowerUsage", 0, 0);
    check("NVIDIA H1000", "NVML_FI_DEV_POWER_INSTANT", 0, 0);
    check("AMD Instinct MI250X", "rsmi_dev_power_get", 0, 0);
    check("", "", 0, 0);
    for (size_t i = 0; i < wtl_gauge_fact_count; i++) {
        const struct wtl_gauge_fact *fact = &wtl_gauge_facts[i];
        ok(fact->source && wtl_gauge_fact(fact->device, fact->call ? fact->call : "") == fact,
           "%s, %s: reachable, with a source", fact->device, fact->call ? fact->call : "any");
    }
    return done_testing();
}
