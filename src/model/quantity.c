/* SPDX-License-Identifier: BSD-3-Clause */
/* Names and units of the enumerations in <wattle/quantity.h>. */
#include <wattle/quantity.h>

#include <stddef.h>

static const char *name_of(const char *const *names, size_t count, int value)
{
    return value >= 0 && (size_t)value < count ? names[value] : "?";
}

const char *wattle_domain_name(enum wattle_domain domain)
{
    static const char *const names[WATTLE_DOMAIN_COUNT] = {
        [WATTLE_DOMAIN_NODE] = "node",       [WATTLE_DOMAIN_PSYS] = "psys",
        [WATTLE_DOMAIN_PACKAGE] = "package", [WATTLE_DOMAIN_CORE] = "core",
        [WATTLE_DOMAIN_UNCORE] = "uncore",   [WATTLE_DOMAIN_DRAM] = "dram",
        [WATTLE_DOMAIN_GPU] = "gpu",         [WATTLE_DOMAIN_GPU_MEMORY] = "gpu_memory",
        [WATTLE_DOMAIN_BOARD] = "board",     [WATTLE_DOMAIN_PSU] = "psu",
        [WATTLE_DOMAIN_NETWORK] = "network", [WATTLE_DOMAIN_DISK] = "disk",
        [WATTLE_DOMAIN_OTHER] = "other",
    };
    return name_of(names, WATTLE_DOMAIN_COUNT, (int)domain);
}

const char *wattle_quantity_name(enum wattle_quantity quantity)
{
    static const char *const names[WATTLE_QUANTITY_COUNT] = {
        [WATTLE_ENERGY] = "energy",
        [WATTLE_POWER] = "power",
        [WATTLE_CPU_TIME] = "cpu_time",
        [WATTLE_FREQUENCY] = "frequency",
        [WATTLE_TEMPERATURE] = "temperature",
        [WATTLE_EVENTS] = "count",
        [WATTLE_BYTES] = "bytes",
        [WATTLE_RATIO] = "ratio",
        [WATTLE_POWER_LIMIT] = "power_limit",
    };
    return name_of(names, WATTLE_QUANTITY_COUNT, (int)quantity);
}

const char *wattle_quantity_unit(enum wattle_quantity quantity)
{
    static const char *const units[WATTLE_QUANTITY_COUNT] = {
        [WATTLE_ENERGY] = "J",     [WATTLE_POWER] = "W",       [WATTLE_CPU_TIME] = "s",
        [WATTLE_FREQUENCY] = "Hz", [WATTLE_TEMPERATURE] = "C", [WATTLE_EVENTS] = "",
        [WATTLE_BYTES] = "B",      [WATTLE_RATIO] = "",        [WATTLE_POWER_LIMIT] = "W",
    };
    return name_of(units, WATTLE_QUANTITY_COUNT, (int)quantity);
}

const char *wattle_kind_name(enum wattle_kind kind)
{
    static const char *const names[WATTLE_KIND_COUNT] = {
        [WATTLE_COUNTER] = "counter",
        [WATTLE_GAUGE] = "gauge",
        [WATTLE_WINDOW_AVERAGE] = "window average",
    };
    return name_of(names, WATTLE_KIND_COUNT, (int)kind);
}

const char *wattle_quality_name(enum wattle_quality quality)
{
    static const char *const names[WATTLE_QUALITY_COUNT] = {
        [WATTLE_MEASURED] = "measured",
        [WATTLE_DERIVED] = "derived",
        [WATTLE_ESTIMATED] = "estimated",
    };
    return name_of(names, WATTLE_QUALITY_COUNT, (int)quality);
}
