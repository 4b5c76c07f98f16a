/* SPDX-License-Identifier: BSD-3-Clause */
/* What hwmon chips measure, by their name and the label of the sensor. */
#ifndef WTL_SENSORS_HWMON_TABLE_H
#define WTL_SENSORS_HWMON_TABLE_H

#include <stddef.h>

#include <wattle/quantity.h>

enum wtl_hwmon_flags {
    WTL_HWMON_SLOW = 1u << 0,   /* behind a slow bus or firmware: a read may take over 1 ms */
    WTL_HWMON_SOCKET = 1u << 1, /* the number in the label is the package's */
    WTL_HWMON_NO_CAP_IS_PACKAGE = 1u << 2, /* without powerN_cap it is the power of a package */
    WTL_HWMON_PAIRS = 1u << 3              /* has only voltage and current: power = inN * currN */
};

struct wtl_hwmon_row {
    const char *chip;  /* patterns as of fnmatch(3), case ignored */
    const char *label; /* "" = no label */
    enum wattle_domain domain;
    unsigned flags;
};

extern const struct wtl_hwmon_row wtl_hwmon_rows[];
extern const size_t wtl_hwmon_row_count;

/* The first row that fits; the last one fits all. */
const struct wtl_hwmon_row *wtl_hwmon_find(const char *chip, const char *label);

#endif
