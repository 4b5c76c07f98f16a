/* SPDX-License-Identifier: BSD-3-Clause */
/* Times of accounting: wall clock in ns since 1970, as people and Slurm write them, in the local zone unless they say Z. */
#ifndef WTL_JOBS_JOB_TIME_H
#define WTL_JOBS_JOB_TIME_H

#include <stddef.h>
#include <stdint.h>

enum { WTL_JOB_TIME_TEXT = 32 };

/* "2026-11" (its first day), "2026-11-26" (its midnight), "2026-11-26T10:00", "2026-11-26T10:00:30", with a blank for the T, with
 * Z at the end: UTC; or ten or more digits: seconds since 1970. 0 or -EINVAL. */
int wtl_job_time_parse(const char *text, int64_t *ret_ns);

/* The same, or relative to now: "now", "today" (midnight), "month" (its first day), or a duration ("7d"): that long ago. */
int wtl_job_time_parse_from(const char *text, int64_t now_ns, int64_t *ret_ns);

/* Local midnight of the first day of the month of a time, or of so many months later. */
int64_t wtl_job_time_first_of_month(int64_t ns, int months);

/* "2026-11-26 10:00:30" in the local zone; "-" for 0. Returns text. */
char *wtl_job_time_print(int64_t ns, char text[WTL_JOB_TIME_TEXT]);

#endif
