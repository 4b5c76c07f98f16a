/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The power model: ln(watts per chip) is linear in the known properties of the machine, plus the deviation of
 * published servers with this processor. There is one regression for each set of known properties.
 */
#include "sensors/server_power.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int compare_key(const void *key, const void *row)
{
    return strcmp(key, row); /* the rows of both tables start with the key */
}

const struct wtl_cpu_tdp *wtl_cpu_tdp_find(const char *key)
{
    if (!key[0])
        return NULL;
    return bsearch(key, wtl_cpu_tdp_table, wtl_cpu_tdp_count, sizeof wtl_cpu_tdp_table[0],
                   compare_key);
}

const struct wtl_server_cpu *wtl_server_cpu_find(const char *key)
{
    if (!key[0])
        return NULL;
    return bsearch(key, wtl_server_cpus, wtl_server_cpu_count, sizeof wtl_server_cpus[0],
                   compare_key);
}

/* Outside the range of the table's servers the logarithms would diverge. */
static double within(double value, double low, double high, double unknown)
{
    if (!(value > 0))
        return unknown;
    return value < low ? low : value > high ? high : value;
}

static double dot(const double plain[WTL_POWER_REGRESSORS], const double x[WTL_POWER_REGRESSORS])
{
    double sum = 0;
    for (int i = 0; i < WTL_POWER_REGRESSORS; i++)
        sum += plain[i] * x[i];
    return sum;
}

static enum wtl_power_tier tier_of(const struct wtl_server_cpu *cpu, int tdp, int family)
{
    if (cpu && family)
        return WTL_POWER_MODEL;
    if (family)
        return tdp ? WTL_POWER_TDP : WTL_POWER_FAMILY;
    return tdp ? WTL_POWER_TDP_ONLY : WTL_POWER_GENERIC;
}

void wtl_server_power(const struct wtl_server_machine *server, struct wtl_server_watts *ret_watts)
{
    const struct wtl_cpu_tdp *row = wtl_cpu_tdp_find(server->key);
    const struct wtl_server_cpu *cpu = wtl_server_cpu_find(server->key);
    enum wtl_cpu_family family = row && row->family ? row->family : server->family;
    double tdp = server->tdp_w > 0 ? server->tdp_w : row ? row->tdp_dw / 10.0 : 0;
    double chips = server->chips >= 1 ? server->chips : 1;
    double x[WTL_POWER_REGRESSORS] = {
        1,
        log(within(chips, 1, 8, 1)),
        log(within(server->cores / chips, 1, 288, 16) / 16),
        log(within(server->memory_gb / chips, 1, 1024, 32) / 32),
        log(within(server->ghz, 1, 5, 2.5) / 2.5),
        server->smt ? 1 : 0,
        tdp > 0 ? log(within(tdp, 10, 600, 120) / 120) : 0,
    };
    const struct wtl_power_fit *fit = &wtl_power_fits[tdp > 0][family != WTL_CPU_UNKNOWN];
    double idle = dot(fit->idle.plain, x) + fit->idle.family[family];
    double full = dot(fit->full.plain, x) + fit->full.family[family];
    enum wtl_power_tier tier = tier_of(cpu, tdp > 0, family != WTL_CPU_UNKNOWN);
    if (tier == WTL_POWER_MODEL) {
        idle += (double)cpu->idle;
        full += (double)cpu->full;
    }
    *ret_watts = (struct wtl_server_watts){
        .tier = tier,
        .family = family,
        .servers = cpu ? cpu->servers : 0,
        .tdp_w = tdp,
        .idle_w = exp(idle) * chips,
        .full_w = exp(full) * chips,
    };
    /* Two regressions may cross at the edge of the table's range. */
    if (ret_watts->idle_w > 0.9 * ret_watts->full_w)
        ret_watts->idle_w = 0.9 * ret_watts->full_w;
}

void wtl_thread_power(enum wtl_cpu_family family, int threads, struct wtl_server_watts *ret_watts)
{
    const struct wtl_thread_watts *watts = &wtl_thread_watts[family];
    int known = family != WTL_CPU_UNKNOWN && watts->full_w > 0;
    if (!known)
        watts = &wtl_thread_watts[WTL_CPU_UNKNOWN];
    *ret_watts = (struct wtl_server_watts){
        .tier = known ? WTL_POWER_VM_FAMILY : WTL_POWER_VM,
        .family = family,
        .idle_w = watts->idle_w * threads,
        .full_w = watts->full_w * threads,
    };
}
