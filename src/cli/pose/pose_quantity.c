/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers with units: see pose_quantity.h. */
#include "cli/pose/pose_quantity.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/parse.h"

struct unit {
    const char *name;
    double factor;
};

static const struct unit times[] = {{"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3}, {"s", 1}, {"min", 60},
                                    {"m", 60},    {"h", 3600},  {"d", 86400}, {NULL, 0}};
static const struct unit energies[] = {{"uJ", 1e-6},   {"mJ", 1e-3}, {"J", 1},     {"kJ", 1e3},
                                       {"MJ", 1e6},    {"GJ", 1e9},  {"Wh", 3600}, {"kWh", 3.6e6},
                                       {"MWh", 3.6e9}, {NULL, 0}};
static const struct unit powers[] = {{"mW", 1e-3}, {"W", 1}, {"kW", 1e3}, {"MW", 1e6}, {NULL, 0}};

int wtl_pose_quantity(const char *text, enum wtl_pose_dimension dimension, double *ret_value)
{
    static const struct unit *const tables[] = {times, energies, powers};
    char number[64];
    double value;
    size_t n = strlen(text), digits = n;
    while (digits > 0 && !strchr("0123456789.", text[digits - 1]))
        digits--;
    const char *unit = text + digits + strspn(text + digits, " ");
    if (digits == 0 || digits >= sizeof number)
        return -EINVAL;
    memcpy(number, text, digits);
    number[digits] = '\0';
    if (wtl_parse_double(number, &value) < 0)
        return -EINVAL;
    const struct unit *row = tables[dimension];
    while (*unit && row->name && strcmp(row->name, unit) != 0)
        row++;
    if (!row->name || (!*unit && unit != text + digits))
        return -EINVAL;
    value *= *unit ? row->factor : 1;
    if (!isfinite(value))
        return -EINVAL;
    *ret_value = value;
    return 0;
}

const char *wtl_pose_quantity_expected(enum wtl_pose_dimension dimension)
{
    static const char *const texts[] = {
        "a run time in seconds or with a unit (ms, min, h), such as 212.91 or 3.5min",
        "an energy in joules or with a unit (kJ, MJ, Wh, kWh), such as 38952.89 or 10.8kWh",
        "a power in watts or with a unit (mW, kW), such as 181.14",
    };
    return texts[dimension];
}
