/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The PMUs of the cores. Most machines have one, which counts the generic events on every CPU. A processor with two kinds
 * of cores has one for each ("cpu_core" and "cpu_atom", "armv8_cortex_a53" and "armv8_cortex_a72"), with its list of CPUs
 * in the file cpus; generic events are then opened per PMU, its type in the upper half of the configuration (Linux 5.13).
 */
#ifndef WTL_COUNTERS_CORE_PMU_H
#define WTL_COUNTERS_CORE_PMU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/world/topology.h"
#include "counters/columns/perf_name.h"

enum { WTL_CORE_PMUS = 4 };

struct wtl_core_pmu {
    char name[32];
    uint32_t type;
    uint8_t cpus[WTL_CPUS_MAX / 8];
};

struct wtl_core_pmus {
    struct wtl_core_pmu list[WTL_CORE_PMUS];
    size_t count; /* 0: there is at most one kind of core */
    bool present; /* some PMU counts hardware events */
};

/* Returns 0, -ENOMEM, or -E2BIG: more kinds of cores than WTL_CORE_PMUS. */
int wtl_core_pmus_load(const struct wtl_world *world, struct wtl_core_pmus *ret_pmus);

/* Whether this code is to be opened on each of the PMUs: a generic event of a processor with several. */
bool wtl_core_pmus_split(const struct wtl_core_pmus *pmus, const struct wtl_perf_code *code);

/* The code of a generic event on PMU i. */
struct wtl_perf_code wtl_core_pmus_code(const struct wtl_core_pmus *pmus,
                                        size_t i,
                                        const struct wtl_perf_code *code);

/* Whether the event can be counted on this CPU: false if its PMU belongs to other ones. */
bool wtl_core_pmus_has(const struct wtl_core_pmus *pmus, const struct wtl_perf_code *code, int cpu);

#endif
