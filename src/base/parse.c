/* SPDX-License-Identifier: BSD-3-Clause */
/* Strict text to number conversions: see parse.h for the grammars. */
#define _GNU_SOURCE
#include "base/parse.h"

#include <ctype.h>
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

int wtl_scan_u64(const char *text, size_t n, uint64_t *ret)
{
    uint64_t value = 0;
    size_t i = 0;
    for (; i < n && text[i] >= '0' && text[i] <= '9'; i++) {
        uint64_t digit = (uint64_t)(text[i] - '0');
        /* 19 digits always fit; avoid a division for each digit of each reading. */
        if (i >= 19 && value > (UINT64_MAX - digit) / 10)
            return -EOVERFLOW;
        value = value * 10 + digit;
    }
    if (i == 0)
        return -EINVAL;
    *ret = value;
    return (int)i;
}

int wtl_parse_u64(const char *text, uint64_t *ret)
{
    uint64_t value;
    size_t n = strlen(text);
    int used = wtl_scan_u64(text, n, &value);
    if (used < 0)
        return used;
    if ((size_t)used != n)
        return -EINVAL;
    *ret = value;
    return 0;
}

int wtl_parse_hex_u64(const char *text, uint64_t *ret)
{
    if (text[0] != '0' || (text[1] != 'x' && text[1] != 'X'))
        return wtl_parse_u64(text, ret);
    const char *p = text + 2;
    if (!*p)
        return -EINVAL;
    uint64_t value = 0;
    for (; *p; p++) {
        if (!isxdigit((unsigned char)*p))
            return -EINVAL;
        if (value >> 60)
            return -EOVERFLOW;
        int digit = isdigit((unsigned char)*p) ? *p - '0' : tolower((unsigned char)*p) - 'a' + 10;
        value = value << 4 | (uint64_t)digit;
    }
    *ret = value;
    return 0;
}

/* strtod in the C locale, whatever locale the program has set; *end as set by strtod. */
static double scan_double(const char *text, const char **end)
{
    static locale_t c_locale;
    locale_t locale = __atomic_load_n(&c_locale, __ATOMIC_ACQUIRE);
    if (!locale) {
        locale_t expected = (locale_t)0;
        locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
        if (!__atomic_compare_exchange_n(&c_locale, &expected, locale, 0, __ATOMIC_ACQ_REL,
                                         __ATOMIC_ACQUIRE)) {
            freelocale(locale);
            locale = expected;
        }
    }
    if (!locale) { /* out of memory: never happens for "C" in glibc and musl */
        *end = text;
        return 0;
    }
    char *stop;
    double value = strtod_l(text, &stop, locale);
    *end = stop;
    return value;
}

/* A number in plain decimal notation at the start of text; *end points after it. */
static int scan_number(const char *text, double *ret, const char **end)
{
    const char *p = text + (text[0] == '-' || text[0] == '+');
    if (!isdigit((unsigned char)*p) && *p != '.')
        return -EINVAL;
    if (p[0] == '0' && (p[1] == 'x' || p[1] == 'X'))
        return -EINVAL;
    double value = scan_double(text, end);
    if (*end == text)
        return -EINVAL;
    if (!isfinite(value))
        return -EOVERFLOW;
    *ret = value;
    return 0;
}

int wtl_parse_double(const char *text, double *ret)
{
    const char *end;
    double value;
    int rc = scan_number(text, &value, &end);
    if (rc < 0)
        return rc;
    if (*end)
        return -EINVAL;
    *ret = value;
    return 0;
}

int wtl_parse_duration(const char *text, uint64_t *ret_ns)
{
    static const struct {
        const char *unit;
        double ns;
    } units[] = {{"", 1e9},   {"ns", 1.0},   {"us", 1e3},   {"ms", 1e6},   {"s", 1e9},
                 {"m", 60e9}, {"min", 60e9}, {"h", 3600e9}, {"d", 86400e9}};
    const char *end;
    double value;
    int rc = scan_number(text, &value, &end);
    if (rc < 0)
        return rc;
    if (value < 0)
        return -EINVAL;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (strcmp(end, units[i].unit) != 0)
            continue;
        double ns = value * units[i].ns;
        if (ns >= 9.2e18)
            return -EOVERFLOW;
        *ret_ns = (uint64_t)(ns + 0.5);
        return 0;
    }
    return -EINVAL;
}

int wtl_parse_interval(const char *text, uint64_t *ret_ns)
{
    uint64_t ns;
    int rc = wtl_parse_duration(text, &ns);
    if (rc == 0 && ns > 0 && strchr("0123456789.", text[strlen(text) - 1]))
        rc = -EDOM;
    if (rc == 0)
        *ret_ns = ns;
    return rc;
}

int wtl_parse_cpulist(const char *text, uint8_t *set, size_t nbits)
{
    const char *p = text;
    int count = 0;
    if (!*p)
        return 0;
    for (;;) {
        uint64_t first, last;
        int used = wtl_scan_u64(p, strlen(p), &first);
        if (used < 0)
            return used;
        p += used;
        last = first;
        if (*p == '-') {
            used = wtl_scan_u64(p + 1, strlen(p + 1), &last);
            if (used < 0)
                return used;
            p += used + 1;
        }
        if (last < first)
            return -EINVAL;
        if (last >= nbits)
            return -EOVERFLOW;
        for (uint64_t i = first; i <= last; i++) {
            count += !(set[i / 8] >> (i % 8) & 1);
            set[i / 8] |= (uint8_t)(1u << (i % 8));
        }
        if (!*p)
            return count;
        if (*p++ != ',')
            return -EINVAL;
    }
}

/* Without blanks around it; cuts the text. */
static char *trim(char *text)
{
    static const char blanks[] = " \t\r\n";
    text += strspn(text, blanks);
    size_t n = strlen(text);
    while (n > 0 && strchr(blanks, text[n - 1]))
        n--;
    text[n] = '\0';
    return text;
}

int wtl_parse_pair(char *text, const char *between, double *ret_first, double *ret_second)
{
    text = trim(text);
    char *second = text + strcspn(text, between);
    if (!*second)
        return -EINVAL;
    *second++ = '\0';
    int rc = wtl_parse_double(trim(text), ret_first);
    return rc < 0 ? rc : wtl_parse_double(trim(second), ret_second);
}
