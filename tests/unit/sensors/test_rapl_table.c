/* SPDX-License-Identifier: BSD-3-Clause */
/* The RAPL table checks itself, and some models against figures from other sources. */
#include "sensors/rapl_table.h"

#include "tap.h"

static void test_rows(void)
{
    unsigned unsorted = 0, unreachable = 0, senseless = 0;
    for (size_t i = 0; i < wtl_rapl_model_count; i++) {
        const struct wtl_rapl_model *row = &wtl_rapl_models[i], *last = i ? row - 1 : NULL;
        unsigned model = row->model == WTL_RAPL_ANY_MODEL ? 1 : row->model;
        if (last && (last->vendor > row->vendor ||
                     (last->vendor == row->vendor && last->family > row->family) ||
                     (last->vendor == row->vendor && last->family == row->family &&
                      last->model >= row->model)))
            unsorted++;
        unreachable += wtl_rapl_find(row->vendor, row->family, model) != row;
        senseless += !(row->domains & WTL_RAPL_PACKAGE);
        senseless += row->dram_unit != row->unit && !(row->domains & WTL_RAPL_DRAM);
        senseless += row->psys_unit != row->unit && !(row->domains & WTL_RAPL_PSYS);
    }
    is_int(unsorted, 0, "sorted, nothing twice");
    is_int(unreachable, 0, "every row is reachable");
    is_int(senseless, 0, "every row has a package, exceptions only for domains it has");
    ok(wtl_rapl_find(WTL_RAPL_INTEL, 6, 15) == NULL, "Core 2 has no RAPL");
    const struct wtl_rapl_model *srf = wtl_rapl_find(WTL_RAPL_INTEL, 6, 175);
    ok(srf && srf->domains == (WTL_RAPL_PACKAGE | WTL_RAPL_DRAM), "Sierra Forest: no psys");
    ok(wtl_rapl_find(WTL_RAPL_INTEL, 19, 1) == NULL, "Diamond Rapids has no RAPL registers");
    ok(wtl_rapl_find(WTL_RAPL_INTEL, 15, 42) == NULL, "the family counts");
    ok(wtl_rapl_find(WTL_RAPL_AMD, 6, 42) == NULL, "the vendor counts");
}

/* Units as in GEOPM's register tables (docs/json_data: 6.103515625e-05, 1.5258789063e-05) and as
 * printed in Intel's datasheets (15.3 uJ, 1 J), for the unit register 0xa0e03. */
static void test_units(void)
{
    static const struct {
        int line;
        unsigned model;
        double package_j, dram_j, psys_j;
    } rows[] = {
        {__LINE__, 42, 6.103515625e-05, 6.103515625e-05, 6.103515625e-05}, /* Sandy Bridge */
        {__LINE__, 45, 6.103515625e-05, 6.103515625e-05, 6.103515625e-05}, /* no exception */
        {__LINE__, 63, 6.103515625e-05, 1.52587890625e-05, 6.103515625e-05},
        {__LINE__, 79, 6.103515625e-05, 1.52587890625e-05, 6.103515625e-05},
        {__LINE__, 85, 6.103515625e-05, 1.52587890625e-05, 6.103515625e-05},
        {__LINE__, 106, 6.103515625e-05, 1.52587890625e-05, 6.103515625e-05},
        {__LINE__, 87, 6.103515625e-05, 1.52587890625e-05, 6.103515625e-05},
        {__LINE__, 143, 6.103515625e-05, 6.103515625e-05, 1.0},
        {__LINE__, 173, 6.103515625e-05, 6.103515625e-05, 1.0}, /* Granite Rapids, as turbostat */
        {__LINE__, 158, 6.103515625e-05, 6.103515625e-05, 6.103515625e-05},
        {__LINE__, 55, 0.016384, 0.016384, 0.016384}, /* Silvermont: 2^14 uJ */
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct wtl_rapl_model *row = wtl_rapl_find(WTL_RAPL_INTEL, 6, rows[i].model);
        tap_line = rows[i].line;
        if (!ok(row != NULL, "model %u is known", rows[i].model))
            continue;
        is_double(wtl_rapl_unit_j(row->unit, 0xa0e03), rows[i].package_j, 1e-15, "package");
        is_double(wtl_rapl_unit_j(row->dram_unit, 0xa0e03), rows[i].dram_j, 1e-15, "dram");
        is_double(wtl_rapl_unit_j(row->psys_unit, 0xa0e03), rows[i].psys_j, 1e-15, "psys");
    }
    tap_line = 0;
    const struct wtl_rapl_model *zen = wtl_rapl_find(WTL_RAPL_AMD, 0x19, 1);
    ok(zen && zen->domains & WTL_RAPL_PER_CORE, "Zen 3 counts cores");
    is_double(wtl_rapl_unit_j(zen->unit, 0xa1003), 1.52587890625e-05, 1e-15, "in 2^-16 J");
    is_double(wtl_rapl_unit_j(WTL_RAPL_UNIT_ATOM, 0x505), 32e-6, 1e-15, "Bay Trail's 32 uJ");
}

int main(void)
{
    test_rows();
    test_units();
    return done_testing();
}
