/* SPDX-License-Identifier: BSD-3-Clause */
/* Facts about the gauges of GPUs: names are matched whole, each row can be found, and each has a source. */
#include "sensors/gpu/gauge_table.h"

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

int main(void)
{
    check("NVIDIA A100-SXM4-40GB", "pci 0000:65:00.0, nvmlDeviceGetPowerUsage", 100, 25);
    check("NVIDIA H100 80GB HBM3", "NVML_FI_DEV_POWER_INSTANT", 100, 25);
    check("NVIDIA H100 80GB HBM3", "NVML_FI_DEV_POWER_AVERAGE", 100, 1000);
    check("NVIDIA GH200 480GB", "NVML_FI_DEV_POWER_INSTANT", 100, 20);
    check("Tesla V100-SXM2-16GB", "nvmlDeviceGetPowerUsage", 20, 10);
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
