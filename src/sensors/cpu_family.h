/* SPDX-License-Identifier: BSD-3-Clause */
/* Families of processors: one microarchitecture of servers each; all client chips of a vendor in one. The
 * order is that of FAMILIES in scripts/power_model.py. */
#ifndef WTL_SENSORS_CPU_FAMILY_H
#define WTL_SENSORS_CPU_FAMILY_H

#include <stddef.h>
#include <stdint.h>

#include "source/cpuinfo.h"

enum wtl_cpu_family {
    WTL_CPU_UNKNOWN,
    WTL_CPU_NETBURST,
    WTL_CPU_CORE,
    WTL_CPU_PENRYN,
    WTL_CPU_NEHALEM,
    WTL_CPU_WESTMERE,
    WTL_CPU_SANDYBRIDGE,
    WTL_CPU_IVYBRIDGE,
    WTL_CPU_HASWELL,
    WTL_CPU_BROADWELL,
    WTL_CPU_SKYLAKE,
    WTL_CPU_CASCADELAKE,
    WTL_CPU_ICELAKE,
    WTL_CPU_SAPPHIRERAPIDS,
    WTL_CPU_EMERALDRAPIDS,
    WTL_CPU_GRANITERAPIDS,
    WTL_CPU_SIERRAFOREST,
    WTL_CPU_INTEL_CLIENT,
    WTL_CPU_K8,
    WTL_CPU_K10,
    WTL_CPU_BULLDOZER,
    WTL_CPU_NAPLES,
    WTL_CPU_ROME,
    WTL_CPU_MILAN,
    WTL_CPU_GENOA,
    WTL_CPU_TURIN,
    WTL_CPU_AMD_CLIENT,
    WTL_CPU_NEOVERSE_N1,
    WTL_CPU_NEOVERSE_V,
    WTL_CPU_ARM_SMALL,
    WTL_CPU_FAMILY_COUNT
};

/* A range of models (x86: family and model; ARM: implementer and part) of one family. */
struct wtl_cpu_id {
    char vendor[16]; /* as in /proc/cpuinfo; "" = ARM */
    int family;      /* implementer on ARM */
    int model_first, model_last;
    int stepping_first, stepping_last;
    enum wtl_cpu_family is;
};

extern const struct wtl_cpu_id wtl_cpu_id_table[];
extern const size_t wtl_cpu_id_count;

/* The family according to the processor's model numbers; WTL_CPU_UNKNOWN if it is not in the table. A
 * guest's numbers may be fake: its instruction sets give a lower bound. */
enum wtl_cpu_family wtl_cpu_family_of(const struct wtl_cpuinfo *info);

/* "haswell"; "unknown". Static storage. */
const char *wtl_cpu_family_name(enum wtl_cpu_family family);

#endif
