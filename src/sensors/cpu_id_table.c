/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Model numbers of processors by family. Sources: Linux arch/x86/include/asm/intel-family.h and
 * arch/x86/kernel/cpu/amd.c (6.12), Intel SDM vol. 4 table 2-1, AMD processor programming
 * references by family, Arm's MIDR part numbers in arch/arm64/include/asm/cputype.h. 2025-11.
 */
#include "sensors/cpu_family.h"

#define ANY     -1, 255
#define INTEL   "GenuineIntel"
#define AMD     "AuthenticAMD"
#define HYGON   "HygonGenuine"
#define ONE(m)  (m), (m)
#define ARM_LTD 0x41

/* clang-format off */
const struct wtl_cpu_id wtl_cpu_id_table[] = {
    {"", ARM_LTD, ONE(0xd03), ANY, WTL_CPU_ARM_SMALL},   /* Cortex-A53 */
    {"", ARM_LTD, ONE(0xd05), ANY, WTL_CPU_ARM_SMALL},   /* Cortex-A55 */
    {"", ARM_LTD, ONE(0xd08), ANY, WTL_CPU_ARM_SMALL},   /* Cortex-A72 */
    {"", ARM_LTD, ONE(0xd0b), ANY, WTL_CPU_ARM_SMALL},   /* Cortex-A76 */
    {"", ARM_LTD, ONE(0xd0c), ANY, WTL_CPU_NEOVERSE_N1}, /* Altra, Graviton 2 */
    {"", ARM_LTD, ONE(0xd40), ANY, WTL_CPU_NEOVERSE_V},  /* V1: Graviton 3 */
    {"", ARM_LTD, ONE(0xd49), ANY, WTL_CPU_NEOVERSE_V},  /* N2 */
    {"", ARM_LTD, ONE(0xd4f), ANY, WTL_CPU_NEOVERSE_V},  /* V2: Grace, Graviton 4 */
    {AMD, 0x0f, 0x00, 0xff, ANY, WTL_CPU_K8},
    {AMD, 0x10, 0x00, 0xff, ANY, WTL_CPU_K10},
    {AMD, 0x15, 0x00, 0x0f, ANY, WTL_CPU_BULLDOZER},     /* Opteron 4200..6300 */
    {AMD, 0x15, 0x10, 0xff, ANY, WTL_CPU_AMD_CLIENT},
    {AMD, 0x17, 0x00, 0x07, ANY, WTL_CPU_NAPLES},
    {AMD, 0x17, 0x08, 0x2f, ANY, WTL_CPU_AMD_CLIENT},
    {AMD, 0x17, 0x30, 0x3f, ANY, WTL_CPU_ROME},
    {AMD, 0x17, 0x40, 0xff, ANY, WTL_CPU_AMD_CLIENT},
    {AMD, 0x19, 0x00, 0x0f, ANY, WTL_CPU_MILAN},
    {AMD, 0x19, 0x10, 0x1f, ANY, WTL_CPU_GENOA},
    {AMD, 0x19, 0x20, 0x9f, ANY, WTL_CPU_AMD_CLIENT},
    {AMD, 0x19, 0xa0, 0xaf, ANY, WTL_CPU_GENOA},         /* Bergamo, Siena */
    {AMD, 0x1a, 0x00, 0x1f, ANY, WTL_CPU_TURIN},
    {AMD, 0x1a, 0x20, 0xff, ANY, WTL_CPU_AMD_CLIENT},
    {INTEL, 6, ONE(0x0f), ANY, WTL_CPU_CORE},
    {INTEL, 6, ONE(0x16), ANY, WTL_CPU_CORE},
    {INTEL, 6, ONE(0x17), ANY, WTL_CPU_PENRYN},
    {INTEL, 6, ONE(0x1a), ANY, WTL_CPU_NEHALEM},
    {INTEL, 6, ONE(0x1d), ANY, WTL_CPU_PENRYN},          /* Dunnington */
    {INTEL, 6, ONE(0x1e), ANY, WTL_CPU_NEHALEM},
    {INTEL, 6, ONE(0x25), ANY, WTL_CPU_WESTMERE},
    {INTEL, 6, ONE(0x2a), ANY, WTL_CPU_SANDYBRIDGE},
    {INTEL, 6, ONE(0x2c), ANY, WTL_CPU_WESTMERE},
    {INTEL, 6, ONE(0x2d), ANY, WTL_CPU_SANDYBRIDGE},
    {INTEL, 6, ONE(0x2e), ANY, WTL_CPU_NEHALEM},
    {INTEL, 6, ONE(0x2f), ANY, WTL_CPU_WESTMERE},
    {INTEL, 6, ONE(0x3a), ANY, WTL_CPU_IVYBRIDGE},
    {INTEL, 6, ONE(0x3c), ANY, WTL_CPU_HASWELL},
    {INTEL, 6, ONE(0x3d), ANY, WTL_CPU_BROADWELL},
    {INTEL, 6, ONE(0x3e), ANY, WTL_CPU_IVYBRIDGE},
    {INTEL, 6, ONE(0x3f), ANY, WTL_CPU_HASWELL},
    {INTEL, 6, ONE(0x45), ANY, WTL_CPU_HASWELL},
    {INTEL, 6, ONE(0x46), ANY, WTL_CPU_HASWELL},
    {INTEL, 6, ONE(0x47), ANY, WTL_CPU_BROADWELL},
    {INTEL, 6, ONE(0x4e), ANY, WTL_CPU_INTEL_CLIENT},    /* Skylake */
    {INTEL, 6, ONE(0x4f), ANY, WTL_CPU_BROADWELL},
    {INTEL, 6, ONE(0x55), -1, 4, WTL_CPU_SKYLAKE},
    {INTEL, 6, ONE(0x55), 5, 255, WTL_CPU_CASCADELAKE},  /* and Cooper Lake */
    {INTEL, 6, ONE(0x56), ANY, WTL_CPU_BROADWELL},
    {INTEL, 6, ONE(0x5e), ANY, WTL_CPU_INTEL_CLIENT},    /* Skylake, Xeon E3 v5 */
    {INTEL, 6, ONE(0x6a), ANY, WTL_CPU_ICELAKE},
    {INTEL, 6, ONE(0x6c), ANY, WTL_CPU_ICELAKE},
    {INTEL, 6, 0x7d, 0x7e, ANY, WTL_CPU_INTEL_CLIENT},   /* Ice Lake */
    {INTEL, 6, 0x8c, 0x8e, ANY, WTL_CPU_INTEL_CLIENT},   /* Tiger, Kaby, Coffee Lake */
    {INTEL, 6, ONE(0x8f), ANY, WTL_CPU_SAPPHIRERAPIDS},
    {INTEL, 6, ONE(0x97), ANY, WTL_CPU_INTEL_CLIENT},    /* Alder Lake */
    {INTEL, 6, ONE(0x9a), ANY, WTL_CPU_INTEL_CLIENT},
    {INTEL, 6, ONE(0x9e), ANY, WTL_CPU_INTEL_CLIENT},    /* Kaby, Coffee Lake, Xeon E-2100 */
    {INTEL, 6, 0xa5, 0xa7, ANY, WTL_CPU_INTEL_CLIENT},   /* Comet, Rocket Lake */
    {INTEL, 6, 0xaa, 0xac, ANY, WTL_CPU_INTEL_CLIENT},   /* Meteor Lake */
    {INTEL, 6, 0xad, 0xae, ANY, WTL_CPU_GRANITERAPIDS},
    {INTEL, 6, ONE(0xaf), ANY, WTL_CPU_SIERRAFOREST},
    {INTEL, 6, ONE(0xb7), ANY, WTL_CPU_INTEL_CLIENT},    /* Raptor Lake */
    {INTEL, 6, ONE(0xba), ANY, WTL_CPU_INTEL_CLIENT},
    {INTEL, 6, ONE(0xbd), ANY, WTL_CPU_INTEL_CLIENT},    /* Lunar Lake */
    {INTEL, 6, ONE(0xbf), ANY, WTL_CPU_INTEL_CLIENT},
    {INTEL, 6, 0xc5, 0xc6, ANY, WTL_CPU_INTEL_CLIENT},   /* Arrow Lake */
    {INTEL, 6, ONE(0xcf), ANY, WTL_CPU_EMERALDRAPIDS},
    {INTEL, 15, 0x00, 0xff, ANY, WTL_CPU_NETBURST},
    {HYGON, 0x18, 0x00, 0xff, ANY, WTL_CPU_NAPLES},      /* Zen 1 under licence */
};
/* clang-format on */

const size_t wtl_cpu_id_count = sizeof wtl_cpu_id_table / sizeof wtl_cpu_id_table[0];
