/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Converts times as other tools write them to integer nanoseconds: numbers with a unit, since 1970
 * or since the start of a recording, and ISO 8601 dates (RFC 3339, also with a blank instead of the
 * T; without a zone they are UTC).
 */
#ifndef WTL_EXCHANGE_IMPORT_TIME_H
#define WTL_EXCHANGE_IMPORT_TIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum wtl_time_unit {
    WTL_TIME_AUTO = 0,
    WTL_TIME_S,
    WTL_TIME_MS,
    WTL_TIME_US,
    WTL_TIME_NS,
    WTL_TIME_MIN,
    WTL_TIME_H,
    WTL_TIME_ISO /* a date; always since 1970 */
};

enum wtl_time_epoch { WTL_EPOCH_AUTO = 0, WTL_EPOCH_START, WTL_EPOCH_1970 };

struct wtl_time_form {
    enum wtl_time_unit unit;
    enum wtl_time_epoch epoch;
    char point; /* the decimal sign */
};

/* "", "s", "ms", ... ; "auto", "start", "1970": in the order of the enums, terminated by NULL. */
extern const char *const wtl_time_unit_names[];
extern const char *const wtl_time_epoch_names[];

/* Convert n bytes to nanoseconds. 0, -EINVAL if they are not a time of this form, -ERANGE if it
 * does not fit. */
int wtl_time_parse(const char *text, size_t n, const struct wtl_time_form *form, int64_t *ret_ns);

/* Replace AUTO based on a time in the file: a date, or by magnitude, since no recording dates from
 * 1973: a number above 10^8 is since 1970, in s, ms, us or ns. Others are seconds since the start.
 * false = not a time. */
bool wtl_time_guess(const char *text, size_t n, struct wtl_time_form *form);

/* Print a time since 1970 as "2026-01-02T03:04:05.678901234Z" into text of 32 bytes or more. */
void wtl_time_print(int64_t ns, char *text, size_t size);

#endif
