/* SPDX-License-Identifier: BSD-3-Clause */
/* Parses times: see import_time.h. */
#define _GNU_SOURCE
#include "exchange/import/import_time.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "exchange/date.h"
#include "exchange/import/decimal.h"

const char *const wtl_time_unit_names[] = {"auto", "s",   "ms",  "us",  "ns",    "min",   "h", "ps",
                                           "days", "iso", "dmy", "mdy", "ctime", "clock", NULL};
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

static bool skip_letter(const char **text, size_t *left, char a, char b)
{
    if (*left == 0 || (**text != a && **text != b))
        return false;
    (*text)++;
    (*left)--;
    return true;
}

/* "Z", "UTC", "+01:00", "+0100", " +01:00" or nothing, in seconds: 0; 1 if there is no zone; -EINVAL. */
static int take_zone(const char *text, size_t left, int64_t *ret_s)
{
    *ret_s = 0;
    (void)skip_letter(&text, &left, ' ', ' ');
    bool utc =
        (left == 1 && (*text == 'Z' || *text == 'z')) || (left == 3 && memcmp(text, "UTC", 3) == 0);
    if (left == 0 || utc)
        return !utc;
    bool west = *text == '-';
    if (!skip_letter(&text, &left, '+', '-'))
        return -EINVAL;
    int hours = take_number(&text, &left, 2);
    (void)skip_letter(&text, &left, ':', ':');
    int minutes = left ? take_number(&text, &left, 2) : 0;
    if (hours < 0 || hours > 24 || minutes < 0 || minutes > 59 || left)
        return -EINVAL;
    *ret_s = (west ? -1 : 1) * (hours * 3600 + minutes * 60);
    return 0;
}

/* One or two digits; -1. */
static int take_short(const char **text, size_t *left)
{
    size_t n = *left > 1 && (*text)[1] >= '0' && (*text)[1] <= '9' ? 2 : 1;
    return take_number(text, left, n);
}

static int check_date(int year, int month, int day, int64_t *ret_days)
{
    if (year < 1 || month < 1 || month > 12 || day < 1 || day > 31)
        return -EINVAL;
    *ret_days = wtl_date_days(year, month, day);
    return 0;
}

/* "2026-01-02", also with slashes, or "20260102" before a clock, as days since 1970; -EINVAL. */
static int take_date(const char **text, size_t *left, int64_t *ret_days)
{
    bool basic = *left > 8 && ((*text)[8] == ' ' || (*text)[8] == 'T');
    int year = take_number(text, left, 4);
    basic = basic && year >= 0 && **text >= '0' && **text <= '9';
    int month = basic || skip_letter(text, left, '-', '/') ? take_number(text, left, 2) : -1;
    int day = basic || skip_letter(text, left, '-', '/') ? take_number(text, left, 2) : -1;
    return check_date(year, month, day, ret_days);
}

/* "31/1/2026", "31.01.2026", month first: "1/31/2026". */
static int take_short_date(const char **text, size_t *left, bool month_first, int64_t *ret_days)
{
    int one = take_short(text, left), two = -1, year = -1;
    char sign = *left ? **text : '\0';
    if (sign != '/' && sign != '.' && sign != '-')
        return -EINVAL;
    two = skip_letter(text, left, sign, sign) ? take_short(text, left) : -1;
    year = skip_letter(text, left, sign, sign) ? take_number(text, left, 4) : -1;
    return month_first ? check_date(year, one, two, ret_days)
                       : check_date(year, two, one, ret_days);
}

/* ".678901" in ns; further digits are dropped. */
static int64_t take_fraction(const char **text, size_t *left)
{
    int64_t fraction = 0, unit = NS;
    if (!skip_letter(text, left, '.', ','))
        return 0;
    for (; *left && **text >= '0' && **text <= '9'; (*text)++, (*left)--) {
        unit /= 10;
        fraction += unit * (**text - '0');
    }
    return fraction;
}

/* " AM", " PM" after a clock with this hour, or nothing. */
static int take_half(const char **text, size_t *left, int hour, int64_t *ret_ns)
{
    bool am = *left >= 3 && strncmp(*text, " AM", 3) == 0,
         pm = *left >= 3 && strncmp(*text, " PM", 3) == 0;
    if (!am && !pm)
        return 0;
    int more = pm ? (hour == 12 ? 0 : 12) : hour == 12 ? -12 : 0;
    *ret_ns += more * 3600 * NS;
    *text += 3;
    *left -= 3;
    return hour >= 1 && hour <= 12 ? 0 : -EINVAL;
}

/* "03:04:05.678901" or "03:04", in ns; -EINVAL. */
static int take_clock(const char **text, size_t *left, int64_t *ret_ns)
{
    int hour = take_short(text, left), second = 0;
    if (hour < 0 || hour > 24 || !skip_letter(text, left, ':', ':'))
        return -EINVAL;
    int minute = take_number(text, left, 2);
    if (skip_letter(text, left, ':', ':'))
        second = take_number(text, left, 2);
    if (minute < 0 || minute > 59 || second < 0 || second > 60)
        return -EINVAL;
    *ret_ns = (hour * 3600 + minute * 60 + second) * NS + take_fraction(text, left);
    return take_half(text, left, hour, ret_ns);
}

/* "Sat Jan 31 12:00:00 2026 -0800": the clock is inside the date. */
static int take_ctime(const char **text, size_t *left, int64_t *ret_days, int64_t *ret_clock_ns)
{
    static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
    int month = 0;
    if (*left < 20)
        return -EINVAL;
    *text += 4; /* the day of the week */
    *left -= 4;
    for (int i = 0; i < 12; i++) {
        if (strncmp(*text, months + 3 * i, 3) == 0)
            month = i + 1;
    }
    *text += 3;
    *left -= 3;
    while (*left && **text == ' ')
        (void)skip_letter(text, left, ' ', ' ');
    int day = take_short(text, left);
    if (!skip_letter(text, left, ' ', ' ') || take_clock(text, left, ret_clock_ns) < 0 ||
        !skip_letter(text, left, ' ', ' '))
        return -EINVAL;
    return check_date(take_number(text, left, 4), month, day, ret_days);
}

/* ---- zones ---- */

/* Names lead to files; those that lead elsewhere are none. */
bool wtl_time_has_zone(const char *name)
{
    char path[PATH_MAX];
    int n = snprintf(path, sizeof path, "/usr/share/zoneinfo/%s", name);
    return *name && *name != '/' && !strstr(name, "..") && strlen(name) < 64 && n > 0 &&
           (size_t)n < sizeof path && access(path, R_OK) == 0;
}

/* The offset of the zone that TZ names, in seconds east of UTC. */
static int64_t offset_at(int64_t utc_s)
{
    time_t when = (time_t)utc_s;
    struct tm tm;
    return localtime_r(&when, &tm) ? tm.tm_gmtoff : 0;
}

/* Local seconds to offsets, the greater first: it is that of the earlier time. Returns how many there are: 0 in an hour that is left out. */
static int offsets_of(int64_t local_s, int64_t offsets[2])
{
    int64_t before = offset_at(local_s - 86400), after = offset_at(local_s + 86400);
    const int64_t both[2] = {before > after ? before : after, before > after ? after : before};
    int n = 0;
    for (int i = 0; i < 2; i++) {
        if ((i == 0 || both[1] != both[0]) && offset_at(local_s - both[i]) == both[i])
            offsets[n++] = both[i];
    }
    return n;
}

/* From local time in the form's zone to UTC. The C library knows only the zone in TZ, which is set for as long as it takes. */
static int to_utc(struct wtl_time_form *form, int64_t *ns)
{
    enum { QUARTER = 900 };
    int64_t local_s = *ns / NS, offsets[2];
    if (form->block != local_s / QUARTER || !form->any) {
        char kept[128] = "";
        const char *before = secure_getenv("TZ");
        bool had = before != NULL;
        (void)snprintf(kept, sizeof kept, "%s", had ? before : "");
        (void)setenv("TZ", form->zone, 1);
        tzset();
        int n = offsets_of(local_s, offsets);
        (void)(had ? setenv("TZ", kept, 1) : unsetenv("TZ"));
        tzset();
        if (n == 0)
            return -EINVAL;
        bool second = n == 2 && form->any && *ns - offsets[0] * NS <= form->last_ns;
        form->block = n == 1 ? local_s / QUARTER : INT64_MIN;
        form->offset_s = offsets[second];
    }
    *ns -= form->offset_s * NS;
    return 0;
}

static int take_day(const char **text, size_t *left, enum wtl_time_unit unit, int64_t *ret_days)
{
    bool short_date = unit == WTL_TIME_DMY || unit == WTL_TIME_MDY;
    *ret_days = 0;
    return unit == WTL_TIME_CLOCK ? 0
           : short_date           ? take_short_date(text, left, unit == WTL_TIME_MDY, ret_days)
                                  : take_date(text, left, ret_days);
}

static int parse_date(const char *text, size_t left, struct wtl_time_form *form, int64_t *ret_ns)
{
    enum wtl_time_unit unit = form->unit;
    int64_t days, clock_ns = 0, zone;
    bool clock = unit == WTL_TIME_CLOCK;
    int rc = unit == WTL_TIME_CTIME ? take_ctime(&text, &left, &days, &clock_ns)
                                    : take_day(&text, &left, unit, &days);
    if (rc < 0 || (unit != WTL_TIME_CTIME && (clock || skip_letter(&text, &left, 'T', ' ')) &&
                   take_clock(&text, &left, &clock_ns) < 0))
        return -EINVAL;
    rc = take_zone(text, left, &zone);
    if (rc < 0 || (clock && left))
        return -EINVAL;
    if (days > 106000 || days < -106000) /* 64 bits of ns are 292 years */
        return -ERANGE;
    *ret_ns = (days * 86400 - zone) * NS + clock_ns;
    return rc > 0 && form->zone && !clock ? to_utc(form, ret_ns) : 0;
}

/* Values beyond integer range, computed in doubles. */
static int by_double(double ns, int64_t *ret_ns)
{
    if (!(fabs(ns) < 9e18))
        return -ERANGE;
    *ret_ns = llround(ns);
    return 0;
}

static int parse(const char *text, size_t n, struct wtl_time_form *form, int64_t *ret_ns)
{
    static const int places[] = {[WTL_TIME_AUTO] = 9,
                                 [WTL_TIME_S] = 9,
                                 [WTL_TIME_MS] = 6,
                                 [WTL_TIME_US] = 3,
                                 [WTL_TIME_NS] = 0};
    static const double ns_of[] = {[WTL_TIME_MIN] = 60e9,
                                   [WTL_TIME_H] = 3600e9,
                                   [WTL_TIME_PS] = 1e-3,
                                   [WTL_TIME_DAYS] = 86400e9};
    struct wtl_decimal decimal;
    while (n > 0 && (text[n - 1] == ' ' || text[n - 1] == '\t'))
        n--;
    while (n > 0 && (*text == ' ' || *text == '\t')) {
        text++;
        n--;
    }
    if (form->unit >= WTL_TIME_ISO)
        return parse_date(text, n, form, ret_ns);
    int rc = wtl_decimal_parse(text, n, form->point ? form->point : '.', &decimal);
    if (rc < 0)
        return rc;
    if (ns_of[form->unit] > 0)
        return by_double(wtl_decimal_value(decimal) * ns_of[form->unit], ret_ns);
    if (wtl_decimal_whole(decimal, places[form->unit], ret_ns) == 0)
        return 0;
    return by_double(wtl_decimal_value(decimal) * pow(10, places[form->unit]), ret_ns);
}

int wtl_time_parse(const char *text, size_t n, const struct wtl_time_form *form, int64_t *ret_ns)
{
    struct wtl_time_form once = *form;
    return parse(text, n, &once, ret_ns);
}

int wtl_time_next(const char *text, size_t n, struct wtl_time_form *form, int64_t *ret_ns)
{
    static const int64_t HALF = 43200LL * 1000000000;
    int rc = parse(text, n, form, ret_ns);
    if (rc < 0)
        return rc;
    if (form->unit == WTL_TIME_CLOCK) {
        *ret_ns += form->midnight_ns;
        if (form->any && *ret_ns < form->last_ns - HALF) {
            form->midnight_ns += 2 * HALF;
            *ret_ns += 2 * HALF;
        }
    }
    form->any = true;
    form->last_ns = *ret_ns;
    return 0;
}

/* Dates of no recording: before 2000, after 2100. */
static const int64_t FROM_NS = 946684800LL * 1000000000, TO_NS = 4102444800LL * 1000000000;

static int settle_date(const char *text, size_t n, struct wtl_time_form *form)
{
    int readings = 0;
    enum wtl_time_unit first = form->unit == WTL_TIME_AUTO ? WTL_TIME_ISO : form->unit;
    enum wtl_time_unit last = form->unit == WTL_TIME_AUTO ? WTL_TIME_CTIME : form->unit;
    for (int unit = (int)first; unit <= (int)last; unit++) {
        struct wtl_time_form one = {.unit = (enum wtl_time_unit)unit, .zone = form->zone};
        int64_t ns;
        /* A date with points is day first everywhere. */
        if (wtl_time_parse(text, n, &one, &ns) < 0 ||
            (first != last && unit == WTL_TIME_MDY && memchr(text, '.', n < 5 ? n : 5)))
            continue;
        form->unit = one.unit;
        readings++;
    }
    form->epoch = form->unit == WTL_TIME_CLOCK ? WTL_EPOCH_START : WTL_EPOCH_1970;
    return readings == 0 ? -EINVAL : readings > 1 ? -ENOTUNIQ : 0;
}

int wtl_time_settle(const char *text, size_t n, struct wtl_time_form *form)
{
    static const enum wtl_time_unit since_1970[] = {WTL_TIME_S, WTL_TIME_MS, WTL_TIME_US,
                                                    WTL_TIME_NS};
    struct wtl_decimal decimal;
    int64_t ns;
    if (form->unit >= WTL_TIME_ISO ||
        wtl_decimal_parse(text, n, form->point ? form->point : '.', &decimal) < 0)
        return settle_date(text, n, form);
    if (form->unit == WTL_TIME_AUTO) {
        for (size_t i = 0; i < 4 && form->epoch != WTL_EPOCH_START; i++) {
            struct wtl_time_form one = {.unit = since_1970[i], .point = form->point};
            if (wtl_time_parse(text, n, &one, &ns) == 0 && ns >= FROM_NS && ns < TO_NS)
                form->unit = one.unit;
        }
    }
    if (form->unit == WTL_TIME_AUTO)
        return -ENODATA;
    int rc = wtl_time_parse(text, n, form, &ns);
    if (rc < 0 || ns >= TO_NS)
        return -ERANGE;
    if (form->epoch == WTL_EPOCH_AUTO)
        form->epoch = ns >= FROM_NS ? WTL_EPOCH_1970 : WTL_EPOCH_START;
    return 0;
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
