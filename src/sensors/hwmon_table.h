/* SPDX-License-Identifier: BSD-3-Clause */
/* What hwmon chips measure, by chip name and sensor label. */
#ifndef WTL_SENSORS_HWMON_TABLE_H
#define WTL_SENSORS_HWMON_TABLE_H

#include <stddef.h>

#include <wattle/quantity.h>

enum wtl_hwmon_flags {
    WTL_HWMON_SLOW = 1u << 0,   /* on a slow bus or read through firmware: a read may take over 1
                                   ms */
    WTL_HWMON_SOCKET = 1u << 1, /* the number in the label is that of the package */
    WTL_HWMON_NO_CAP_IS_PACKAGE = 1u << 2, /* if powerN_cap is missing, it is the power of a
                                              package */
    WTL_HWMON_PAIRS = 1u << 3,             /* has only voltage and current: power = inN * currN */
    WTL_HWMON_ONE_IS_MACHINE = 1u << 4,    /* of several such chips, one is that of the machine */
    WTL_HWMON_NAMED = 1u << 5              /* the label alone says what it is */
};

struct wtl_hwmon_row {
    const char *chip;  /* patterns as in fnmatch(3), case-insensitive */
    const char *label; /* "" = no label */
    enum wattle_domain domain;
    unsigned flags;
};

extern const struct wtl_hwmon_row wtl_hwmon_rows[];
extern const size_t wtl_hwmon_row_count;

/* The first matching row; the last one matches everything. */
const struct wtl_hwmon_row *wtl_hwmon_find(const char *chip, const char *label);

#endif
