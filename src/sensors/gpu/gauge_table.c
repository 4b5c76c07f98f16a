/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sources. YANG: Z. Yang, K. Adamek, W. Armour, "Part-time Power Measurements: nvidia-smi's Lack of Attention", arXiv
 * 2312.02741v2, 2023; SC'24, "Accurate and Convenient Energy Measurements for GPUs", doi 10.1109/SC41406.2024.00028. Its abstract, read
 * here, says that A100 and H100 see 25 % of the time. Periods and windows by model are from a summary of the paper by others
 * (2026-09), not checked against its tables.
 * MCDANIEL: A. McDaniel and others, "Fine-Grained Power and Energy Attribution on AMD GPU/APU-Based Exascale Nodes", arXiv
 * 2604.06056, April 2026. Its abstract was read; the numbers are from summaries by others (2026-08, 2026-09), not checked.
 * What is CLAIMED is from the description of nvmlDeviceGetPowerUsage in NVIDIA's NVML reference and of power in AMD's SMI
 * reference (2026-09).
 * BURTSCHER: M. Burtscher, I. Zecena, Z. Zong, "Measuring GPU Power with the K20 Built-in Sensor", GPGPU-7, 2014: the power is
 * followed as by a capacitor with 0.83 s (by summaries of others). YANG has the same shape for the Kepler generation.
 * None of this was tried on a device by us.
 */
#include "sensors/gpu/gauge_table.h"

#include <ctype.h>
#include <math.h>
#include <string.h>
#include <sys/utsname.h>

#include "model/calibration/calibration.h"

#define YANG      "arXiv 2312.02741 (2023-12), by a summary of others"
#define MCDANIEL  "arXiv 2604.06056 (2026-04), by summaries of others"
#define BURTSCHER "GPGPU-7 (2014), K20, by summaries of others; " YANG
#define MI210     "a measurement published by others, one MI210, ROCm 6.2 (2026-08-21)"
#define SECOND    "nvmlDeviceGetPowerUsage: the mean of 1 s on Ampere and newer, except GA100"
#define NOW       "nvmlDeviceGetPowerUsage: the power now"
#define MS        UINT64_C(1000000)

/* Of a gauge that is not known: the smallest part of the time that one was found to see. */
#define UNKNOWN_PERIOD_NS (100 * MS)
#define UNKNOWN_PART      4 /* of the period */

const struct wtl_gauge_fact wtl_gauge_facts[] = {
    {"GH200", "POWER_INSTANT", NULL, 100 * MS, 20 * MS, 0, "contains CPU and memory of the module",
     YANG},
    {"H100", "POWER_INSTANT", NULL, 100 * MS, 25 * MS, 0, NULL, YANG},
    {"H100", "POWER_AVERAGE", SECOND, 100 * MS, 1000 * MS, 0, NULL, YANG},
    {"H100", "nvmlDeviceGetPowerUsage", SECOND, 100 * MS, 1000 * MS, 0, NULL, YANG},
    {"A100", "POWER_INSTANT", NULL, 100 * MS, 25 * MS, 0, NULL, YANG},
    {"A100", "nvmlDeviceGetPowerUsage", NOW, 100 * MS, 25 * MS, 0, NULL, YANG},
    {"RTX 3090", "POWER_INSTANT", NULL, 100 * MS, 100 * MS, 0, NULL, YANG},
    {"Tesla T4", "nvmlDeviceGetPowerUsage", NOW, 100 * MS, 100 * MS, 0, NULL, YANG " (Turing)"},
    {"RTX 2080", "nvmlDeviceGetPowerUsage", NOW, 100 * MS, 100 * MS, 0, NULL, YANG " (Turing)"},
    {"V100", "nvmlDeviceGetPowerUsage", NOW, 20 * MS, 10 * MS, 0, NULL, YANG " (Volta)"},
    {"P100", "nvmlDeviceGetPowerUsage", NOW, 20 * MS, 10 * MS, 0, NULL, YANG " (Pascal)"},
    {"GTX 1080 Ti", "nvmlDeviceGetPowerUsage", NOW, 20 * MS, 10 * MS, 0, NULL, YANG},
    {"K20", "nvmlDeviceGetPowerUsage", NOW, 20 * MS, 0, 850 * MS, "a filter", BURTSCHER},
    {"K20X", "nvmlDeviceGetPowerUsage", NOW, 20 * MS, 0, 850 * MS, "a filter", BURTSCHER},
    {"K40", "nvmlDeviceGetPowerUsage", NOW, 20 * MS, 0, 850 * MS, "a filter", BURTSCHER},
    {"K80", "nvmlDeviceGetPowerUsage", NOW, 20 * MS, 0, 850 * MS, "a filter", BURTSCHER},
    {"MI250X", NULL, "average socket power; its filter is not documented", 0, 0, 0,
     "takes seconds from idle to full power; the energy counter is new each ms", MCDANIEL},
    {"MI300A", NULL, "current socket power", 0, 0, 0, "energy counter and power are new each ms",
     MCDANIEL},
    {"MI210", NULL, "average socket power; its filter is not documented", 0, 0, 2010 * MS,
     "0.19 s late, 4 s from 10 to 90 %; the energy counter is new each ms", MI210},
};
const size_t wtl_gauge_fact_count = sizeof wtl_gauge_facts / sizeof wtl_gauge_facts[0];

/* "A100" is in "NVIDIA A100-SXM4-40GB", "K40" in "Tesla K40m", but "A100" not in "RTX A1000". */
static bool names(const char *text, const char *part)
{
    const char *at = strstr(text, part), *end = at ? at + strlen(part) : NULL;
    if (!at || (at > text && isalnum((unsigned char)at[-1])))
        return false;
    return !isalnum((unsigned char)end[islower((unsigned char)end[0]) != 0]);
}

const struct wtl_gauge_fact *wtl_gauge_fact(const char *device, const char *location)
{
    for (size_t i = 0; i < wtl_gauge_fact_count; i++) {
        const struct wtl_gauge_fact *fact = &wtl_gauge_facts[i];
        if (names(device, fact->device) && (!fact->call || strstr(location, fact->call)))
            return fact;
    }
    return NULL;
}

/* Seconds of a calibration in ns; 0 = unknown. */
static uint64_t ns_of(const struct wtl_calibration_section *section, const char *key)
{
    double seconds = wtl_calibration_number(section, key);
    return seconds > 0 && seconds < 1e6 ? (uint64_t)llround(seconds * 1e9) : 0;
}

static bool from_calibration(const struct wtl_world *world, struct wattle_channel *channel)
{
    struct wtl_calibration *calibration = NULL;
    struct utsname name;
    char path[512];
    if (world->ops->uname(world, &name) < 0 ||
        wtl_calibration_load(world, NULL, WTL_GAUGE_CALIBRATION, name.nodename, channel->name,
                             &calibration, path, sizeof path, NULL) < 0)
        return false;
    const struct wtl_calibration_section *section =
        wtl_calibration_find(calibration, WTL_GAUGE_CALIBRATION, name.nodename, channel->name);
    uint64_t period_ns = ns_of(section, "period_s"), window_ns = ns_of(section, "window_s"),
             filter_ns = ns_of(section, "filter_s");
    if (period_ns > 0) {
        channel->refresh_ns = period_ns;
        /* A filter that forgets within a period shows no more of it than the window does. */
        channel->window_ns =
            window_ns + (filter_ns >= period_ns || window_ns >= period_ns ? filter_ns : 0);
        if (channel->window_ns == 0)
            channel->window_ns = period_ns / UNKNOWN_PART;
    }
    wtl_calibration_destroy(calibration);
    return period_ns > 0;
}

static void from_table(struct wattle_channel *channel, const char *device)
{
    const struct wtl_gauge_fact *fact = wtl_gauge_fact(device, channel->location);
    if (fact && fact->window_ns + fact->filter_ns > 0) {
        channel->refresh_ns = fact->period_ns;
        channel->window_ns = fact->window_ns + fact->filter_ns;
    } else if (channel->window_ns == 0) {
        channel->refresh_ns = UNKNOWN_PERIOD_NS;
        channel->window_ns = UNKNOWN_PERIOD_NS / UNKNOWN_PART;
    }
}

void wtl_gauge_known(struct wtl_source *source, size_t i, const char *device)
{
    struct wattle_channel *channel = &source->channels[i];
    if (channel->quantity != WATTLE_POWER || channel->kind == WATTLE_COUNTER)
        return;
    if (!from_calibration(source->world, channel))
        from_table(channel, device);
    if (channel->window_ns > 0)
        channel->kind = WATTLE_WINDOW_AVERAGE;
}
