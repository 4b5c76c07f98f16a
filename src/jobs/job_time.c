/* SPDX-License-Identifier: BSD-3-Clause */
/* Times of accounting: see job_time.h. */
#define _GNU_SOURCE
#include "jobs/job_time.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/parse.h"

static const int64_t NS = 1000000000;

enum { EPOCH_DIGITS = 10 };

/* Exactly n digits at *text, from least to most. */
static bool parse_digits(const char **text, int n, int least, int most, int *ret)
{
    int value = 0;
    for (int i = 0; i < n; i++) {
        if (!isdigit((unsigned char)(*text)[i]))
            return false;
        value = value * 10 + ((*text)[i] - '0');
    }
    *text += n;
    *ret = value;
    return value >= least && value <= most;
}

static bool take_sign(const char **text, char sign)
{
    if (**text != sign)
        return false;
    (*text)++;
    return true;
}

static bool take_clock(const char **text, struct tm *tm)
{
    if (!parse_digits(text, 2, 0, 23, &tm->tm_hour) || !take_sign(text, ':') ||
        !parse_digits(text, 2, 0, 59, &tm->tm_min))
        return false;
    return !take_sign(text, ':') || parse_digits(text, 2, 0, 60, &tm->tm_sec);
}

static int to_ns(struct tm *tm, bool utc, int64_t *ret_ns)
{
    const int day = tm->tm_mday;
    tm->tm_isdst = -1;
    time_t seconds = utc ? timegm(tm) : mktime(tm);
    if (seconds < 0 || seconds > INT64_MAX / NS || tm->tm_mday != day) /* such as February 30 */
        return -EINVAL;
    *ret_ns = (int64_t)seconds * NS;
    return 0;
}

int wtl_job_time_parse(const char *text, int64_t *ret_ns)
{
    struct tm tm = {.tm_mday = 1};
    uint64_t seconds;
    if (strspn(text, "0123456789") >= EPOCH_DIGITS) {
        if (wtl_parse_u64(text, &seconds) < 0 || seconds > INT64_MAX / (uint64_t)NS)
            return -EINVAL;
        *ret_ns = (int64_t)seconds * NS;
        return 0;
    }
    if (!parse_digits(&text, 4, 1970, 2262, &tm.tm_year) || !take_sign(&text, '-') ||
        !parse_digits(&text, 2, 1, 12, &tm.tm_mon))
        return -EINVAL;
    tm.tm_year -= 1900;
    tm.tm_mon -= 1;
    if (*text && (!take_sign(&text, '-') || !parse_digits(&text, 2, 1, 31, &tm.tm_mday)))
        return -EINVAL;
    if ((*text == 'T' || *text == ' ') && (text++, !take_clock(&text, &tm)))
        return -EINVAL;
    bool utc = take_sign(&text, 'Z');
    return *text ? -EINVAL : to_ns(&tm, utc, ret_ns);
}

/* The local midnight of the day of a time, or of the first day of its month. */
static int64_t midnight(int64_t ns, bool first, int months)
{
    time_t seconds = (time_t)(ns / NS);
    struct tm tm;
    if (!localtime_r(&seconds, &tm))
        return ns;
    tm.tm_hour = tm.tm_min = tm.tm_sec = 0;
    tm.tm_mday = first ? 1 : tm.tm_mday;
    tm.tm_mon += months;
    tm.tm_isdst = -1;
    seconds = mktime(&tm);
    return seconds < 0 ? 0 : (int64_t)seconds * NS;
}

int64_t wtl_job_time_first_of_month(int64_t ns, int months)
{
    return midnight(ns, true, months);
}

int wtl_job_time_parse_from(const char *text, int64_t now_ns, int64_t *ret_ns)
{
    uint64_t ago;
    if (strcmp(text, "now") == 0)
        *ret_ns = now_ns;
    else if (strcmp(text, "today") == 0)
        *ret_ns = midnight(now_ns, false, 0);
    else if (strcmp(text, "month") == 0)
        *ret_ns = midnight(now_ns, true, 0);
    else if (wtl_job_time_parse(text, ret_ns) == 0)
        return 0;
    else if (isdigit((unsigned char)text[0]) && isalpha((unsigned char)text[strlen(text) - 1]) &&
             wtl_parse_duration(text, &ago) == 0)
        *ret_ns = ago < (uint64_t)now_ns ? now_ns - (int64_t)ago : 0;
    else
        return -EINVAL;
    return 0;
}

char *wtl_job_time_print(int64_t ns, char text[WTL_JOB_TIME_TEXT])
{
    time_t seconds = (time_t)(ns / NS);
    struct tm tm;
    if (ns <= 0 || !localtime_r(&seconds, &tm) ||
        strftime(text, WTL_JOB_TIME_TEXT, "%Y-%m-%d %H:%M:%S", &tm) == 0)
        (void)snprintf(text, WTL_JOB_TIME_TEXT, "-");
    return text;
}
