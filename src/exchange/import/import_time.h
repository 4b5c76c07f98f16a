/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Converts times as other tools write them to integer nanoseconds: numbers with a unit, since 1970
 * or since the start of a recording, and dates: ISO 8601 (RFC 3339, also with a blank instead of the
 * T), day or month first, ctime(3), or only the time of day. Without a zone they are UTC, or in the zone that is given.
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
    WTL_TIME_PS,
    WTL_TIME_DAYS,
    WTL_TIME_ISO,   /* dates, always since 1970: 2026-01-31; */
    WTL_TIME_DMY,   /* 31/1/2026, 31.1.2026; */
    WTL_TIME_MDY,   /* 1/31/2026; */
    WTL_TIME_CTIME, /* Sat Jan 31 12:00:00 2026, with a zone at the end or not */
    WTL_TIME_CLOCK  /* 12:00:00 without a date: since midnight before the start */
};

enum wtl_time_epoch { WTL_EPOCH_AUTO = 0, WTL_EPOCH_START, WTL_EPOCH_1970 };

struct wtl_time_form {
    enum wtl_time_unit unit;
    enum wtl_time_epoch epoch;
    char point;       /* the decimal sign */
    const char *zone; /* borrowed: of dates without one, "Europe/Berlin"; NULL = UTC */
    /* Of wtl_time_next(). */
    bool any;
    int64_t last_ns, midnight_ns;
    int64_t block, offset_s; /* a quarter of an hour of local time, and the zone's offset in it */
};

/* "", "s", "ms", ... ; "auto", "start", "1970": in the order of the enums, terminated by NULL. */
extern const char *const wtl_time_unit_names[];
extern const char *const wtl_time_epoch_names[];

/* Convert n bytes to nanoseconds. 0, -EINVAL if they are not a time of this form, -ERANGE if it
 * does not fit. */
int wtl_time_parse(const char *text, size_t n, const struct wtl_time_form *form, int64_t *ret_ns);

/* The same for the times of a recording in their order: a clock that goes back by half a day has passed midnight, and of the two
 * readings of an hour that is repeated at the end of summer time the first counts that is not before the last time. */
int wtl_time_next(const char *text, size_t n, struct wtl_time_form *form, int64_t *ret_ns);

/* Is there such a time zone in the system's database? */
bool wtl_time_has_zone(const char *name);

/* Settle the form by a time in the file, without guessing: a date, or a number that one unit alone places between 2000 and 2100.
 * 0; -EINVAL: not a time; -ENOTUNIQ: a date that has two readings; -ENODATA: a number without a unit; -ERANGE: a number that the
 * stated unit puts after 2100. */
int wtl_time_settle(const char *text, size_t n, struct wtl_time_form *form);

/* Print a time since 1970 as "2026-01-02T03:04:05.678901234Z" into text of 32 bytes or more. */
void wtl_time_print(int64_t ns, char *text, size_t size);

#endif
