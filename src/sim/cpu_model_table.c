/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Family, model and stepping as in the kernel's arch/x86/include/asm/intel-family.h and in AMD's
 * processor programming references. Memory energy of Haswell to Ice Lake servers and of Knights
 * Landing has a fixed unit of 2^-16 J (15.3 uJ) whatever register 0x606 says: kernel,
 * drivers/powercap/intel_rapl_common.c, the entries with rapl_defaults_hsw_server. Sapphire Rapids
 * has 2^-14 again; its platform domain in units of 1 J is omitted.
 */
#include "sim/cpu_model_table.h"

#include <stddef.h>
#include <string.h>

#define INTEL "GenuineIntel"
#define AMD   "AuthenticAMD"

static const struct wtl_cpu_model table[] = {
    {"goldmont", INTEL, 6, 92, 9, "Intel(R) Celeron(R) CPU N3350 @ 1.10GHz", 14},
    {"haswell-ep", INTEL, 6, 63, 2, "Intel(R) Xeon(R) CPU E5-2680 v3 @ 2.50GHz", 16},
    {"broadwell-ep", INTEL, 6, 79, 1, "Intel(R) Xeon(R) CPU E5-2690 v4 @ 2.60GHz", 16},
    {"skylake-sp", INTEL, 6, 85, 4, "Intel(R) Xeon(R) Gold 6148 CPU @ 2.40GHz", 16},
    {"icelake-sp", INTEL, 6, 106, 6, "Intel(R) Xeon(R) Platinum 8360Y CPU @ 2.40GHz", 16},
    {"sapphire-rapids", INTEL, 6, 143, 8, "Intel(R) Xeon(R) Platinum 8480+", 14},
    {"kaby-lake", INTEL, 6, 158, 9, "Intel(R) Core(TM) i7-7700K CPU @ 4.20GHz", 14},
    {"zen2", AMD, 23, 49, 0, "AMD EPYC 7742 64-Core Processor", 14},
    {"zen3", AMD, 25, 1, 1, "AMD EPYC 7763 64-Core Processor", 14},
    {"zen4", AMD, 25, 17, 1, "AMD EPYC 9654 96-Core Processor", 14},
};

const struct wtl_cpu_model *wtl_cpu_model_row(unsigned i)
{
    return i < sizeof table / sizeof *table ? &table[i] : NULL;
}

const struct wtl_cpu_model *wtl_cpu_model_find(const char *name)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        if (strcmp(table[i].name, name) == 0)
            return &table[i];
    }
    return NULL;
}

bool wtl_cpu_model_is_amd(const struct wtl_cpu_model *model)
{
    return strcmp(model->vendor, AMD) == 0;
}
