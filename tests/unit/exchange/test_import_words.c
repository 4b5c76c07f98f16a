/* SPDX-License-Identifier: BSD-3-Clause */
/* Headers as written by loggers, and their interpretation. */
#include "exchange/import/import_words.h"

#include "tap.h"

static void test_guess(void)
{
    static const struct {
        int line;
        const char *header, *file;
        const char *domain, *quantity, *unit; /* NULL = not given */
        int index;
    } rows[] = {
        {__LINE__, "package_power", NULL, "package", "power", NULL, 0},
        {__LINE__, "PkgWatt", NULL, "package", "power", "W", 0},
        {__LINE__, "Pkg_J", NULL, "package", "energy", "J", 0},
        {__LINE__, "RAMWatt", NULL, "dram", "power", "W", 0},
        {__LINE__, "PkgTmp", NULL, "package", "temperature", NULL, 0},
        {__LINE__, "Bzy_MHz", NULL, NULL, "frequency", "MHz", 0},
        {__LINE__, "energy_uj", NULL, NULL, "energy", "uJ", 0},
        {__LINE__, "power [mW]", NULL, NULL, "power", "mW", 0},
        {__LINE__, "platform power (kW)", NULL, "node", "power", "kW", 0},
        {__LINE__, "socket1.dram.energy.mJ", NULL, "dram", "energy", "mJ", 1},
        {__LINE__, "cpu0 temp C", NULL, "package", "temperature", "C", 0},
        {__LINE__, "gpu3_power_w", NULL, "gpu", "power", "W", 3},
        {__LINE__, "cpu_load", NULL, "package", "ratio", NULL, 0},
        {__LINE__, "busy %", NULL, NULL, "ratio", "%", 0},
        {__LINE__, "power_limit_w", NULL, NULL, "power_limit", "W", 0},
        {__LINE__, "cache_miss", NULL, NULL, NULL, NULL, 0},
        {__LINE__, "bpf_cpu_time_us", NULL, "package", NULL, NULL, 0},
        {__LINE__, "energy", "/d/occ_power_mem.1.csv", "dram", "energy", NULL, 1},
        {__LINE__, "direct_sample", "occ_power_proc.0.csv.gz", "package", NULL, NULL, 0},
        {__LINE__, "update_tag", "occ_power_proc.0.csv", "package", NULL, NULL, 0},
        {__LINE__, "value", "taurus.power.csv", NULL, NULL, NULL, 0},
        {__LINE__, "Package PL1_0(Watt)", NULL, "package", "power_limit", "W", 0},
        {__LINE__, "cpu_cap_w", NULL, "package", "power_limit", "W", 0},
        {__LINE__, "Power Factor", NULL, NULL, NULL, NULL, 0},
        {__LINE__, "Actual Consumption/W", NULL, NULL, "power", "W", 0},
        {__LINE__, "power.draw [W]", NULL, NULL, "power", "W", 0},
        {__LINE__, "occ_power_gpu.1.energy", NULL, "gpu", "energy", NULL, 1},
        {__LINE__, "power_from_energy", NULL, NULL, "power", NULL, 0},
        {__LINE__, "occ_power_gpu.0.update_tag", NULL, "gpu", NULL, NULL, 0},
        {__LINE__, "cpu_e5_2620_power_w", NULL, "package", "power", "W", 0},
        {__LINE__, "cpu3d power [W]", NULL, "package", "power", "W", 0},
        {__LINE__, "energy_MJ", NULL, NULL, "energy", "MJ", 0},
        {__LINE__, "POWER (Watts)", NULL, NULL, "power", "W", 0},
        {__LINE__, "power_min", NULL, NULL, NULL, NULL, 0},
        {__LINE__, "energy_kwh_total", NULL, NULL, "energy", NULL, 0},
        {__LINE__, "energy (kWh) total", NULL, NULL, "energy", NULL, 0},
        {__LINE__, "pkg_energy_uj_sum", NULL, "package", "energy", NULL, 0},
        {__LINE__, "power_mw_avg", NULL, NULL, "power", NULL, 0},
        {__LINE__, "images_per_j_avg", NULL, NULL, NULL, NULL, 0},
        {__LINE__, "CORE10_ENERGY (J)", NULL, "core", "energy", "J", 10},
        /* the micro sign and the Greek mu; what lies beyond ASCII is no border */
        {__LINE__, "cpu_power_\xc2\xb5W", NULL, "package", "power", "uW", 0},
        {__LINE__, "cpu_power_\xce\xbcW", NULL, "package", "power", "uW", 0},
        {__LINE__, "cpu energy [\xce\xbcJ]", NULL, "package", "energy", "uJ", 0},
        {__LINE__, "cpu_power_\xb5W", NULL, "package", "power", "uW", 0},
        {__LINE__, "cpu \xd0\xb5W", NULL, "package", NULL, NULL, 0},
        {__LINE__,
         "gpu temp \xc2\xb0"
         "C",
         NULL, "gpu", "temperature", "C", 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct wtl_meaning m = {.sub = -1};
        tap_line = rows[i].line;
        wtl_import_words_guess(rows[i].header, rows[i].file, &m);
        is_str(m.has_domain ? wattle_domain_name(m.domain) : "none",
               rows[i].domain ? rows[i].domain : "none", "domain of \"%s\"", rows[i].header);
        is_str(m.has_quantity ? wattle_quantity_name(m.quantity) : "none",
               rows[i].quantity ? rows[i].quantity : "none", "quantity of \"%s\"", rows[i].header);
        is_str(m.has_unit ? m.unit : "none", rows[i].unit ? rows[i].unit : "none", "unit of \"%s\"",
               rows[i].header);
        is_int(m.index, rows[i].index, "index of \"%s\"", rows[i].header);
    }
    tap_line = 0;
}

static void test_time(void)
{
    static const struct {
        const char *header;
        bool time;
        enum wtl_time_unit unit;
    } rows[] = {{"timestamp", true, WTL_TIME_AUTO},
                {"t_s", true, WTL_TIME_S},
                {"time [ms]", true, WTL_TIME_MS},
                {"Time_Of_Day_Seconds", true, WTL_TIME_S},
                {"time [min]", true, WTL_TIME_MIN},
                {"t_ps", true, WTL_TIME_PS},
                {"bpf_cpu_time_us", false, 0},
                {"tapo_time_delta", false, 0},
                {"power", false, 0},
                {"duration", false, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        enum wtl_time_unit unit = WTL_TIME_AUTO;
        is_int(wtl_import_words_are_time(rows[i].header, &unit), rows[i].time, "\"%s\" is %sa time",
               rows[i].header, rows[i].time ? "" : "not ");
        if (rows[i].time)
            is_int(unit, rows[i].unit, "its unit");
    }
}

int main(void)
{
    test_guess();
    test_time();
    ok(wtl_unit_find("mw", 2) && strcmp(wtl_unit_find("mw", 2)->name, "mW") == 0,
       "mw is a milliwatt");
    ok(wtl_unit_find("MW", 2) && strcmp(wtl_unit_find("MW", 2)->name, "MW") == 0,
       "MW is a megawatt");
    ok(wtl_unit_find("KWH", 3) && strcmp(wtl_unit_find("KWH", 3)->name, "kWh") == 0,
       "KWH is a kWh");
    ok(!wtl_unit_find("furlong", 7), "a furlong is no unit");
    char a[64], b[64];
    wtl_import_words_stem("rapl_power", a, sizeof a);
    wtl_import_words_stem("rapl_energy", b, sizeof b);
    is_str(a, b, "power and energy of one sensor");
    return done_testing();
}
