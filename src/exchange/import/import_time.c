/* SPDX-License-Identifier: BSD-3-Clause */
/* Parses times: see import_time.h. */
#define _GNU_SOURCE
#include "exchange/import/import_time.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "exchange/date.h"
#include "exchange/import/decimal.h"

const char *const wtl_time_unit_names[] = {"auto", "s", "ms", "us", "ns", "min", "h", "iso", NULL};
const char *const wtl_time_epoch_names[] = {"auto", "start", "1970", NULL};

static const int64_t NS = 1000000000;

/* Exactly n digits; -1 if there are fewer. */
static int take_number(const char **text, size_t *left, size_t n)
{
    int value = 0;
    if (*left < n)
        return -1;
    for (size_t i = 0; i < n; i++) {
        char c = (*text)[i];
        if (c < '0' || c > '9')
            return -1;
        value = value * 10 + (c - '0');
    }
    *text += n;
    *left -= n;
    return value;
}

static bool take(const char **text, size_t *left, char a, char b)
{
    if (*left == 0 || (**text != a && **text != b))
        return false;
    (*text)++;
    (*left)--;
    return true;
}

/* "Z", "UTC", "+01:00", "+0100", " +01:00" or nothing, in seconds; -EINVAL. */
static int take_zone(const char *text, size_t left, int64_t *ret_s)
{
    *ret_s = 0;
    (void)take(&text, &left, ' ', ' ');
    bool utc =
        (left == 1 && (*text == 'Z' || *text == 'z')) || (left == 3 && memcmp(text, "UTC", 3) == 0);
    if (left == 0 || utc)
        return 0;
    bool west = *text == '-';
    if (!take(&text, &left, '+', '-'))
        return -EINVAL;
    int hours = take_number(&text, &left, 2);
    (void)take(&text, &left, ':', ':');
    int minutes = left ? take_number(&text, &left, 2) : 0;
    if (hours < 0 || hours > 24 || minutes < 0 || minutes > 59 || left)
        return -EINVAL;
    *ret_s = (west ? -1 : 1) * (hours * 3600 + minutes * 60);
    return 0;
}

/* "2026-01-02", also with slashes, as days since 1970; -EINVAL. */
static int take_date(const char **text, size_t *left, int64_t *ret_days)
{
    int year = take_number(text, left, 4);
    if (year < 1 || !take(text, left, '-', '/'))
        return -EINVAL;
    int month = take_number(text, left, 2);
    if (month < 1 || month > 12 || !take(text, left, '-', '/'))
        return -EINVAL;
    int day = take_number(text, left, 2);
    if (day < 1 || day > 31)
        return -EINVAL;
    *ret_days = wtl_date_days(year, month, day);
    return 0;
}

/* ".678901" in ns; further digits are dropped. */
static int64_t take_fraction(const char **text, size_t *left)
{
    int64_t fraction = 0, unit = NS;
    if (!take(text, left, '.', ','))
        return 0;
    for (; *left && **text >= '0' && **text <= '9'; (*text)++, (*left)--) {
        unit /= 10;
        fraction += unit * (**text - '0');
    }
    return fraction;
}

/* "03:04:05.678901" or "03:04", in ns; -EINVAL. */
static int take_clock(const char **text, size_t *left, int64_t *ret_ns)
{
    int hour = take_number(text, left, 2), second = 0;
    if (hour < 0 || hour > 24 || !take(text, left, ':', ':'))
        return -EINVAL;
    int minute = take_number(text, left, 2);
    if (take(text, left, ':', ':'))
        second = take_number(text, left, 2);
    if (minute < 0 || minute > 59 || second < 0 || second > 60)
        return -EINVAL;
    *ret_ns = (hour * 3600 + minute * 60 + second) * NS + take_fraction(text, left);
    return 0;
}

static int parse_iso(const char *text, size_t left, int64_t *ret_ns)
{
    int64_t days, clock_ns = 0, zone;
    if (take_date(&text, &left, &days) < 0 ||
        (take(&text, &left, 'T', ' ') && take_clock(&text, &left, &clock_ns) < 0) ||
        take_zone(text, left, &zone) < 0)
        return -EINVAL;
    if (days > 106000 || days < -106000) /* 64 bits of ns are 292 years */
        return -ERANGE;
    *ret_ns = (days * 86400 - zone) * NS + clock_ns;
    return 0;
}

/* Values beyond integer range, computed in doubles. */
static int by_double(double ns, int64_t *ret_ns)
{
    if (!(fabs(ns) < 9e18))
        return -ERANGE;
    *ret_ns = llround(ns);
    return 0;
}

int wtl_time_parse(const char *text, size_t n, const struct wtl_time_form *form, int64_t *ret_ns)
{
    static const int places[] = {[WTL_TIME_AUTO] = 9,
                                 [WTL_TIME_S] = 9,
                                 [WTL_TIME_MS] = 6,
                                 [WTL_TIME_US] = 3,
                                 [WTL_TIME_NS] = 0};
    struct wtl_decimal decimal;
    while (n > 0 && (text[n - 1] == ' ' || text[n - 1] == '\t'))
        n--;
    while (n > 0 && (*text == ' ' || *text == '\t')) {
        text++;
        n--;
    }
    if (form->unit == WTL_TIME_ISO)
        return parse_iso(text, n, ret_ns);
    int rc = wtl_decimal_parse(text, n, form->point ? form->point : '.', &decimal);
    if (rc < 0)
        return rc;
    if (form->unit == WTL_TIME_MIN)
        return by_double(wtl_decimal_value(decimal) * 60e9, ret_ns);
    if (form->unit == WTL_TIME_H)
        return by_double(wtl_decimal_value(decimal) * 3600e9, ret_ns);
    if (wtl_decimal_whole(decimal, places[form->unit], ret_ns) == 0)
        return 0;
    return by_double(wtl_decimal_value(decimal) * pow(10, places[form->unit]), ret_ns);
}

bool wtl_time_guess(const char *text, size_t n, struct wtl_time_form *form)
{
    struct wtl_time_form iso = {.unit = WTL_TIME_ISO};
    struct wtl_decimal decimal;
    int64_t ns;
    if (form->unit == WTL_TIME_ISO ||
        (form->unit == WTL_TIME_AUTO && wtl_time_parse(text, n, &iso, &ns) == 0)) {
        form->unit = WTL_TIME_ISO;
        form->epoch = WTL_EPOCH_1970;
        return wtl_time_parse(text, n, form, &ns) == 0;
    }
    if (wtl_decimal_parse(text, n, form->point ? form->point : '.', &decimal) < 0)
        return false;
    double value = wtl_decimal_value(decimal);
    if (form->unit == WTL_TIME_AUTO) {
        form->unit = value >= 1e17   ? WTL_TIME_NS
                     : value >= 1e14 ? WTL_TIME_US
                     : value >= 1e11 ? WTL_TIME_MS
                                     : WTL_TIME_S;
        if (form->epoch == WTL_EPOCH_START)
            form->unit = WTL_TIME_S;
    }
    if (form->epoch == WTL_EPOCH_AUTO)
        form->epoch = wtl_time_parse(text, n, form, &ns) == 0 && ns >= 100000000 * NS
                          ? WTL_EPOCH_1970
                          : WTL_EPOCH_START;
    return true;
}

void wtl_time_print(int64_t ns, char *text, size_t size)
{
    int64_t seconds = ns / NS - (ns % NS < 0);
    time_t when = (time_t)seconds;
    struct tm tm;
    char date[24];
    if (!gmtime_r(&when, &tm) || strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%S", &tm) == 0) {
        (void)snprintf(text, size, "?");
        return;
    }
    (void)snprintf(text, size, "%s.%09lldZ", date, (long long)(ns - seconds * NS));
}
