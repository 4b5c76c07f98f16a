/* SPDX-License-Identifier: BSD-3-Clause */
/* The power model in C compared with the one that made the tables, and the tables themselves. */
#include <math.h>

#include "sensors/power_curve.h"
#include "sensors/server_power.h"
#include "tap.h"

struct golden {
    const char *key;
    double chips, cores, ghz, memory_gb;
    int smt;
    const char *family;
    double idle_w, full_w;
};

struct golden_key {
    const char *name, *key;
};

#include "server_power_golden.h"

static void test_keys(void)
{
    int wrong = 0;
    for (size_t i = 0; i < sizeof golden_keys / sizeof golden_keys[0]; i++) {
        char key[WTL_CPU_KEY_MAX];
        wtl_cpu_key(golden_keys[i].name, key);
        bool same = strcmp(key, golden_keys[i].key) == 0;
        bool too_long = strlen(golden_keys[i].key) >= WTL_CPU_KEY_MAX && !key[0];
        if (!same && !too_long) {
            diag("%s: got '%s', want '%s'", golden_keys[i].name, key, golden_keys[i].key);
            wrong++;
        }
    }
    is_int(wrong, 0, "%zu names give the keys of the generator",
           sizeof golden_keys / sizeof golden_keys[0]);
}

static void test_golden(void)
{
    for (size_t i = 0; i < sizeof golden / sizeof golden[0]; i++) {
        const struct golden *g = &golden[i];
        struct wtl_server_machine server = {.chips = g->chips,
                                            .cores = g->cores,
                                            .ghz = g->ghz,
                                            .memory_gb = g->memory_gb,
                                            .smt = g->smt};
        struct wtl_server_watts watts;
        (void)snprintf(server.key, sizeof server.key, "%s", g->key);
        for (int f = 0; f < WTL_CPU_FAMILY_COUNT; f++) {
            if (strcmp(wtl_cpu_family_name((enum wtl_cpu_family)f), g->family) == 0)
                server.family = (enum wtl_cpu_family)f;
        }
        wtl_server_power(&server, &watts);
        is_int(watts.tier, WTL_POWER_MODEL, "%s: in the table", g->key);
        is_double(watts.idle_w, g->idle_w, 0.002 * g->idle_w, "%s: idle", g->key);
        is_double(watts.full_w, g->full_w, 0.002 * g->full_w, "%s: full", g->key);
    }
}

static void test_tables(void)
{
    int bad = 0, families[WTL_CPU_FAMILY_COUNT] = {0};
    for (size_t i = 0; i < wtl_cpu_tdp_count; i++) {
        const struct wtl_cpu_tdp *row = &wtl_cpu_tdp_table[i];
        bad += i > 0 && strcmp(wtl_cpu_tdp_table[i - 1].key, row->key) >= 0;
        bad += row->family >= WTL_CPU_FAMILY_COUNT || (!row->tdp_dw && !row->family);
        bad += wtl_cpu_tdp_find(row->key) != row;
    }
    is_int(bad, 0, "%zu processors: sorted, no duplicates, each is found", wtl_cpu_tdp_count);
    bad = 0;
    for (size_t i = 0; i < wtl_server_cpu_count; i++) {
        const struct wtl_server_cpu *row = &wtl_server_cpus[i];
        bad += i > 0 && strcmp(wtl_server_cpus[i - 1].key, row->key) >= 0;
        bad += wtl_server_cpu_find(row->key) != row || !row->servers;
        bad += !(fabsf(row->idle) < 1.5F && fabsf(row->full) < 1.5F);
    }
    is_int(bad, 0, "%zu server processors: sorted, found, within a factor of 4.5",
           wtl_server_cpu_count);
    bad = 0;
    for (size_t i = 0; i < wtl_power_curve_count; i++) {
        const double *part = wtl_power_curves[i].part;
        bad += part[0] != 0 || part[WTL_POWER_CURVE_POINTS - 1] != 1;
        for (int p = 1; p < WTL_POWER_CURVE_POINTS; p++)
            bad += part[p] < part[p - 1];
    }
    is_int(bad, 0, "%zu curves rise from 0 to 1", wtl_power_curve_count);
    bad = 0;
    for (int t = 0; t < WTL_POWER_TIER_COUNT; t++)
        bad += !(wtl_power_intervals[t].low > 0 && wtl_power_intervals[t].low < 1 &&
                 wtl_power_intervals[t].high > 1);
    is_int(bad, 0, "every tier's interval holds 1");
    ok(wtl_power_intervals[WTL_POWER_MODEL].high < wtl_power_intervals[WTL_POWER_GENERIC].high,
       "knowing the processor narrows the interval");
    for (size_t i = 0; i < wtl_cpu_id_count; i++) {
        const struct wtl_cpu_id *id = &wtl_cpu_id_table[i];
        struct wtl_cpuinfo info = {.family = id->family,
                                   .model = id->model_first,
                                   .stepping = id->stepping_first,
                                   .implementer = id->family,
                                   .part = id->model_first};
        (void)snprintf(info.vendor, sizeof info.vendor, "%s", id->vendor);
        ok(wtl_cpu_family_of(&info) == id->is, "number row %zu is reached", i);
        families[id->is]++;
    }
    bad = 0;
    for (int f = 1; f < WTL_CPU_FAMILY_COUNT; f++)
        bad += families[f] == 0;
    is_int(bad, 0, "every family has a number");
}

static void test_tiers(void)
{
    static const struct row {
        int line;
        const char *key;
        enum wtl_cpu_family family;
        double tdp_w;
        enum wtl_power_tier tier;
    } rows[] = {
        {__LINE__, "e5-2609", WTL_CPU_SANDYBRIDGE, 0, WTL_POWER_MODEL},
        {__LINE__, "e5-2667 v3", WTL_CPU_HASWELL, 0, WTL_POWER_TDP},
        {__LINE__, "", WTL_CPU_HASWELL, 0, WTL_POWER_FAMILY},
        {__LINE__, "", WTL_CPU_HASWELL, 135, WTL_POWER_TDP},
        {__LINE__, "", WTL_CPU_UNKNOWN, 135, WTL_POWER_TDP_ONLY},
        {__LINE__, "riscv thing", WTL_CPU_UNKNOWN, 0, WTL_POWER_GENERIC},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct row *row = &rows[i];
        struct wtl_server_machine server = {.family = row->family,
                                            .tdp_w = row->tdp_w,
                                            .chips = 2,
                                            .cores = 16,
                                            .ghz = 3.2,
                                            .memory_gb = 64,
                                            .smt = 1};
        struct wtl_server_watts watts;
        tap_line = row->line;
        (void)snprintf(server.key, sizeof server.key, "%s", row->key);
        wtl_server_power(&server, &watts);
        is_int(watts.tier, row->tier, "tier of '%s'", row->key);
        ok(watts.idle_w > 20 && watts.idle_w < watts.full_w && watts.full_w < 1500,
           "plausible: %.0f to %.0f W", watts.idle_w, watts.full_w);
    }
    tap_line = 0;
    struct wtl_server_machine nonsense = {.chips = 1e9, .cores = -3, .ghz = NAN, .memory_gb = 1e9};
    struct wtl_server_watts watts;
    wtl_server_power(&nonsense, &watts);
    ok(isfinite(watts.idle_w) && isfinite(watts.full_w), "nonsense stays finite");
    struct wtl_server_watts one, four;
    wtl_thread_power(WTL_CPU_ICELAKE, 1, &one);
    wtl_thread_power(WTL_CPU_ICELAKE, 4, &four);
    is_double(four.full_w, 4 * one.full_w, 1e-9, "threads add up");
    is_int(one.tier, WTL_POWER_VM_FAMILY, "of a known family");
    wtl_thread_power(WTL_CPU_UNKNOWN, 1, &one);
    is_int(one.tier, WTL_POWER_VM, "of an unknown one");
}

int main(void)
{
    test_keys();
    test_golden();
    test_tables();
    test_tiers();
    return done_testing();
}
