/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * hwmon chips: see hwmon_table.h. The first matching row is used, so specific labels come before "*";
 * tests/unit/sensors/test_hwmon_table.c checks that each row can be reached. Source of the rows: Linux
 * Documentation/hwmon (one page per chip) as of November 2026, not checked against each driver's source; if a
 * row proves wrong on a machine, please report a bug.
 */
#define _GNU_SOURCE
#include "sensors/hwmon_table.h"

#include <fnmatch.h>

#define SLOW   WTL_HWMON_SLOW
#define SOCKET WTL_HWMON_SOCKET
#define PAIRS  WTL_HWMON_PAIRS

const struct wtl_hwmon_row wtl_hwmon_rows[] = {
    /* ACPI 4.0 power meters, read through firmware: the whole machine, or parts of it. NVIDIA Grace, "Grace Performance Tuning
     * Guide", power telemetry: a module has the processor with its memory ("Grace") and, with Hopper, the GPU. */
    {"power_meter", "Module Power Socket*", WATTLE_DOMAIN_NODE, SLOW | SOCKET | WTL_HWMON_NAMED},
    {"power_meter", "Grace Power Socket*", WATTLE_DOMAIN_PACKAGE, SLOW | SOCKET | WTL_HWMON_NAMED},
    {"power_meter", "CPU Power Socket*", WATTLE_DOMAIN_CORE, SLOW | SOCKET | WTL_HWMON_NAMED},
    {"power_meter", "SysIO Power Socket*", WATTLE_DOMAIN_UNCORE, SLOW | SOCKET | WTL_HWMON_NAMED},
    {"power_meter", "*", WATTLE_DOMAIN_NODE, SLOW | WTL_HWMON_ONE_IS_MACHINE},
    /* POWER9/10 on-chip controller (ibmpowernv). */
    {"ibmpowernv", "System*", WATTLE_DOMAIN_NODE, 0},
    {"ibmpowernv", "Chip * Vd*", WATTLE_DOMAIN_OTHER, 0},
    {"ibmpowernv", "Chip *", WATTLE_DOMAIN_PACKAGE, SOCKET},
    {"ibmpowernv", "*Memory*", WATTLE_DOMAIN_DRAM, SOCKET},
    {"ibmpowernv", "*GPU*", WATTLE_DOMAIN_GPU, 0},
    /* Graphics. On an APU amdgpu reports the power of the whole package and has no cap. */
    {"amdgpu", "*", WATTLE_DOMAIN_GPU, WTL_HWMON_NO_CAP_IS_PACKAGE},
    {"i915", "*", WATTLE_DOMAIN_GPU, 0},
    {"xe", "pkg", WATTLE_DOMAIN_OTHER, 0}, /* part of "card" */
    {"xe", "*", WATTLE_DOMAIN_GPU, 0},
    {"nouveau", "*", WATTLE_DOMAIN_GPU, 0},
    /* Processors. amd_energy was removed from Linux in 5.13 and is maintained outside it. */
    {"amd_energy", "Esocket*", WATTLE_DOMAIN_PACKAGE, SOCKET},
    {"amd_energy", "Ecore*", WATTLE_DOMAIN_OTHER, 0},   /* numbered over all packages */
    {"zenpower", "SVI2_P_Core", WATTLE_DOMAIN_CORE, 0}, /* github.com/ocerman/zenpower */
    {"zenpower", "SVI2_P_SoC", WATTLE_DOMAIN_UNCORE, 0},
    {"fam15h_power", "*", WATTLE_DOMAIN_PACKAGE, 0},
    {"k10temp", "Package*", WATTLE_DOMAIN_PACKAGE, SOCKET}, /* with patches that are not in Linux */
    {"k10temp", "Core", WATTLE_DOMAIN_CORE, 0},
    {"xgene*", "CPU power", WATTLE_DOMAIN_PACKAGE, 0},
    /* Rails of boards with TI shunt monitors on I2C; Jetson labels: NVIDIA's developer guide, "Power
     * monitoring". VDD_IN and similar rails feed the whole module. */
    {"ina3221", "VDD_IN", WATTLE_DOMAIN_NODE, SLOW | PAIRS},
    {"ina3221", "POM_5V_IN", WATTLE_DOMAIN_NODE, SLOW | PAIRS},
    {"ina3221", "*", WATTLE_DOMAIN_BOARD, SLOW | PAIRS},
    {"ina2*", "*", WATTLE_DOMAIN_BOARD, SLOW},
    {"ltc2947", "*", WATTLE_DOMAIN_BOARD, SLOW},
    {"ltc4*", "*", WATTLE_DOMAIN_BOARD, SLOW},
    {"adm1*", "*", WATTLE_DOMAIN_BOARD, SLOW},
    /* Power supplies. Input power includes output power, so only the input is assigned to the supply. */
    {"corsairpsu", "power total", WATTLE_DOMAIN_PSU, SLOW},
    {"corsairpsu", "*", WATTLE_DOMAIN_OTHER, SLOW},
    {"*psu*", "pout*", WATTLE_DOMAIN_OTHER, SLOW},
    {"*psu*", "*", WATTLE_DOMAIN_PSU, SLOW},
    {"cffps*", "pout*", WATTLE_DOMAIN_OTHER, SLOW},
    {"cffps*", "*", WATTLE_DOMAIN_PSU, SLOW},
    {"ibm-cffps*", "pout*", WATTLE_DOMAIN_OTHER, SLOW},
    {"ibm-cffps*", "*", WATTLE_DOMAIN_PSU, SLOW},
    {"dps*", "pout*", WATTLE_DOMAIN_OTHER, SLOW},
    {"dps*", "*", WATTLE_DOMAIN_PSU, SLOW},
    {"pfe*", "pout*", WATTLE_DOMAIN_OTHER, SLOW},
    {"pfe*", "*", WATTLE_DOMAIN_PSU, SLOW},
    {"pmbus", "pin*", WATTLE_DOMAIN_PSU, SLOW},
    {"pmbus", "*", WATTLE_DOMAIN_OTHER, SLOW},
    /* wattle-sim names its sensors by domain and index. */
    {"wattle_sim", "node-*", WATTLE_DOMAIN_NODE, SOCKET},
    {"wattle_sim", "psys-*", WATTLE_DOMAIN_PSYS, SOCKET},
    {"wattle_sim", "package-*", WATTLE_DOMAIN_PACKAGE, SOCKET},
    {"wattle_sim", "core-*", WATTLE_DOMAIN_CORE, SOCKET},
    {"wattle_sim", "uncore-*", WATTLE_DOMAIN_UNCORE, SOCKET},
    {"wattle_sim", "dram-*", WATTLE_DOMAIN_DRAM, SOCKET},
    {"wattle_sim", "gpu-*", WATTLE_DOMAIN_GPU, SOCKET},
    /* Batteries report the power flowing in or out, not the machine's consumption. */
    {"BAT*", "*", WATTLE_DOMAIN_OTHER, SLOW},
    {"ucsi_*", "*", WATTLE_DOMAIN_OTHER, SLOW},
    {"nvme", "*", WATTLE_DOMAIN_DISK, 0},
    {"*", "*PSU*", WATTLE_DOMAIN_PSU, SLOW},
    {"*", "*", WATTLE_DOMAIN_BOARD, 0},
};

const size_t wtl_hwmon_row_count = sizeof wtl_hwmon_rows / sizeof *wtl_hwmon_rows;

const struct wtl_hwmon_row *wtl_hwmon_find(const char *chip, const char *label)
{
    size_t i = 0;
    while (i + 1 < wtl_hwmon_row_count &&
           (fnmatch(wtl_hwmon_rows[i].chip, chip, FNM_CASEFOLD) != 0 ||
            fnmatch(wtl_hwmon_rows[i].label, label, FNM_CASEFOLD) != 0))
        i++;
    return &wtl_hwmon_rows[i];
}
