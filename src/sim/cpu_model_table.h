/* SPDX-License-Identifier: BSD-3-Clause */
/* Processors that a simulated node can imitate, for programs that check the model. */
#ifndef WTL_SIM_CPU_MODEL_TABLE_H
#define WTL_SIM_CPU_MODEL_TABLE_H

#include <stdbool.h>

struct wtl_cpu_model {
    const char *name;   /* "skylake-sp" */
    const char *vendor; /* as in CPUID */
    unsigned family, model, stepping;
    const char *text;       /* "model name" */
    unsigned dram_unit_exp; /* unit of memory energy is 2^-n J; 14 is the usual value */
};

/* By name; NULL if unknown. */
const struct wtl_cpu_model *wtl_cpu_model_find(const char *name);
bool wtl_cpu_model_is_amd(const struct wtl_cpu_model *model);
/* Row i of the table; NULL after the end. */
const struct wtl_cpu_model *wtl_cpu_model_row(unsigned i);

#endif
