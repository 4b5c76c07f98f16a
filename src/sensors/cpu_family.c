/* SPDX-License-Identifier: BSD-3-Clause */
/* Maps a processor's model numbers to its family: see cpu_family.h. */
#include "sensors/cpu_family.h"

#include <string.h>

static enum wtl_cpu_family by_number(const struct wtl_cpuinfo *info)
{
    int family = info->vendor[0] ? info->family : info->implementer;
    int model = info->vendor[0] ? info->model : info->part;
    for (size_t i = 0; i < wtl_cpu_id_count; i++) {
        const struct wtl_cpu_id *id = &wtl_cpu_id_table[i];
        if (strcmp(id->vendor, info->vendor) == 0 && id->family == family &&
            model >= id->model_first && model <= id->model_last &&
            info->stepping >= id->stepping_first && info->stepping <= id->stepping_last)
            return id->is;
    }
    return WTL_CPU_UNKNOWN;
}

enum wtl_cpu_family wtl_cpu_family_of(const struct wtl_cpuinfo *info)
{
    enum wtl_cpu_family family = by_number(info);
    /* AMX was introduced with Sapphire Rapids (Intel ISA extensions reference): a guest that reports it
     * with an older or a client model number runs on that or a later server. */
    if (info->amx && (family < WTL_CPU_SAPPHIRERAPIDS || family == WTL_CPU_INTEL_CLIENT))
        family = WTL_CPU_SAPPHIRERAPIDS;
    return family;
}

const char *wtl_cpu_family_name(enum wtl_cpu_family family)
{
    static const char *const names[WTL_CPU_FAMILY_COUNT] = {
        [WTL_CPU_UNKNOWN] = "unknown",
        [WTL_CPU_NETBURST] = "netburst",
        [WTL_CPU_CORE] = "core",
        [WTL_CPU_PENRYN] = "penryn",
        [WTL_CPU_NEHALEM] = "nehalem",
        [WTL_CPU_WESTMERE] = "westmere",
        [WTL_CPU_SANDYBRIDGE] = "sandybridge",
        [WTL_CPU_IVYBRIDGE] = "ivybridge",
        [WTL_CPU_HASWELL] = "haswell",
        [WTL_CPU_BROADWELL] = "broadwell",
        [WTL_CPU_SKYLAKE] = "skylake",
        [WTL_CPU_CASCADELAKE] = "cascadelake",
        [WTL_CPU_ICELAKE] = "icelake",
        [WTL_CPU_SAPPHIRERAPIDS] = "sapphirerapids",
        [WTL_CPU_EMERALDRAPIDS] = "emeraldrapids",
        [WTL_CPU_GRANITERAPIDS] = "graniterapids",
        [WTL_CPU_SIERRAFOREST] = "sierraforest",
        [WTL_CPU_INTEL_CLIENT] = "intel-client",
        [WTL_CPU_K8] = "k8",
        [WTL_CPU_K10] = "k10",
        [WTL_CPU_BULLDOZER] = "bulldozer",
        [WTL_CPU_NAPLES] = "naples",
        [WTL_CPU_ROME] = "rome",
        [WTL_CPU_MILAN] = "milan",
        [WTL_CPU_GENOA] = "genoa",
        [WTL_CPU_TURIN] = "turin",
        [WTL_CPU_AMD_CLIENT] = "amd-client",
        [WTL_CPU_NEOVERSE_N1] = "neoverse-n1",
        [WTL_CPU_NEOVERSE_V] = "neoverse-v",
        [WTL_CPU_ARM_SMALL] = "arm-small",
    };
    return (size_t)family < WTL_CPU_FAMILY_COUNT ? names[family] : names[0];
}
