/* SPDX-License-Identifier: BSD-3-Clause */
/* The hwmon table checks itself: no row is hidden by an earlier one, and known chips match. */
#include "sensors/hwmon_table.h"

#include "tap.h"

/* A text that matches a pattern: its stars become empty, and no earlier row may match it. */
static void make_example(const char *pattern, char *out, size_t size)
{
    size_t used = 0;
    for (const char *p = pattern; *p && used + 1 < size; p++) {
        if (*p != '*')
            out[used++] = *p;
    }
    out[used] = '\0';
}

static void test_rows(void)
{
    for (size_t i = 0; i < wtl_hwmon_row_count; i++) {
        const struct wtl_hwmon_row *row = &wtl_hwmon_rows[i];
        char chip[64], label[64];
        make_example(row->chip, chip, sizeof chip);
        make_example(row->label, label, sizeof label);
        ok(wtl_hwmon_find(chip, label) == row, "row %zu (%s, %s) is reachable", i, row->chip,
           row->label);
    }
}

static void test_chips(void)
{
    static const struct {
        int line;
        const char *chip, *label;
        enum wattle_domain domain;
    } rows[] = {
        {__LINE__, "power_meter", "", WATTLE_DOMAIN_NODE},
        {__LINE__, "power_meter", "Module Power Socket 1", WATTLE_DOMAIN_NODE},
        {__LINE__, "power_meter", "Grace Power Socket 0", WATTLE_DOMAIN_PACKAGE},
        {__LINE__, "power_meter", "CPU Power Socket 0", WATTLE_DOMAIN_CORE},
        {__LINE__, "power_meter", "SysIO Power Socket 3", WATTLE_DOMAIN_UNCORE},
        {__LINE__, "amdgpu", "PPT", WATTLE_DOMAIN_GPU},
        {__LINE__, "i915", "", WATTLE_DOMAIN_GPU},
        {__LINE__, "xe", "card", WATTLE_DOMAIN_GPU},
        {__LINE__, "xe", "pkg", WATTLE_DOMAIN_OTHER},
        {__LINE__, "amd_energy", "Esocket1", WATTLE_DOMAIN_PACKAGE},
        {__LINE__, "ina3221", "VDD_IN", WATTLE_DOMAIN_NODE},
        {__LINE__, "ina3221", "VDD_CPU_CV", WATTLE_DOMAIN_BOARD},
        {__LINE__, "ina226", "", WATTLE_DOMAIN_BOARD},
        {__LINE__, "corsairpsu", "power total", WATTLE_DOMAIN_PSU},
        {__LINE__, "corsairpsu", "power +12v", WATTLE_DOMAIN_OTHER},
        {__LINE__, "dps1200", "pin", WATTLE_DOMAIN_PSU},
        {__LINE__, "dps1200", "pout1", WATTLE_DOMAIN_OTHER},
        {__LINE__, "pmbus", "pin1", WATTLE_DOMAIN_PSU},
        {__LINE__, "pmbus", "pout1", WATTLE_DOMAIN_OTHER},
        {__LINE__, "ibmpowernv", "System", WATTLE_DOMAIN_NODE},
        {__LINE__, "ibmpowernv", "Chip 0 Vdd", WATTLE_DOMAIN_OTHER},
        {__LINE__, "ibmpowernv", "Chip 0 ", WATTLE_DOMAIN_PACKAGE},
        {__LINE__, "BAT0", "", WATTLE_DOMAIN_OTHER},
        {__LINE__, "chip of 2030", "rail", WATTLE_DOMAIN_BOARD},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tap_line = rows[i].line;
        is_int(wtl_hwmon_find(rows[i].chip, rows[i].label)->domain, rows[i].domain, "%s \"%s\"",
               rows[i].chip, rows[i].label);
    }
    tap_line = 0;
}

int main(void)
{
    test_rows();
    test_chips();
    return done_testing();
}
