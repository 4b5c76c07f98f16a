/* SPDX-License-Identifier: BSD-3-Clause */
/* Decimal numbers in text: see decimal.h. */
#include "exchange/import/decimal.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

enum { DIGITS_MAX = 18, EXPONENT_MAX = 300 };
/* Digits used: 18, and a 19th if the number stays below 2^63, as times in ns do. */
static const uint64_t LAST_TAKEN = UINT64_C(922337203685477579);

static const int64_t powers[] = {1,
                                 10,
                                 100,
                                 1000,
                                 10000,
                                 100000,
                                 1000000,
                                 10000000,
                                 100000000,
                                 1000000000,
                                 10000000000,
                                 100000000000,
                                 1000000000000,
                                 10000000000000,
                                 100000000000000,
                                 1000000000000000,
                                 10000000000000000,
                                 100000000000000000,
                                 1000000000000000000};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* The digits of a number, before and after its point. */
struct digits {
    uint64_t value;
    int count;    /* significant digits used */
    int exponent; /* exponent of the last digit used */
    bool any;
    bool round_up; /* according to the first digit dropped */
    bool full;
};

static void take_digit(struct digits *d, int digit, bool fraction)
{
    d->any = true;
    if (!d->full && (d->count < DIGITS_MAX || (d->count == DIGITS_MAX && d->value <= LAST_TAKEN))) {
        d->value = d->value * 10 + (uint64_t)digit;
        d->count += d->value > 0;
        d->exponent -= fraction;
        return;
    }
    if (!d->full)
        d->round_up = digit >= 5;
    d->full = true;
    d->exponent += !fraction;
}

/* Parse "e-3" at text; returns the number of bytes, 0 if there is none, -EINVAL. */
static int take_exponent(const char *text, size_t n, int *exponent)
{
    size_t i = 1;
    int value = 0;
    if (n == 0 || (text[0] != 'e' && text[0] != 'E'))
        return 0;
    bool negative = i < n && text[i] == '-';
    i += i < n && (text[i] == '-' || text[i] == '+');
    if (i == n || !is_digit(text[i]))
        return -EINVAL;
    for (; i < n && is_digit(text[i]); i++)
        value = value < 100000 ? value * 10 + (text[i] - '0') : value;
    *exponent += negative ? -value : value;
    return (int)(i < 100000 ? i : 100000);
}

/* Parse digits before and after the point; returns the number of bytes. */
static size_t take_digits(const char *text, size_t n, char point, struct digits *d)
{
    size_t i = 0;
    for (; i < n && is_digit(text[i]); i++)
        take_digit(d, text[i] - '0', false);
    if (i == n || text[i] != point)
        return i;
    size_t begin = ++i, end = begin;
    while (end < n && is_digit(text[end]))
        end++;
    size_t last = end;
    while (last > begin && text[last - 1] == '0')
        last--;
    d->any = d->any || end > begin;
    for (; i < last; i++)
        take_digit(d, text[i] - '0', true);
    return end;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

int wtl_decimal_parse(const char *text, size_t n, char point, struct wtl_decimal *ret)
{
    struct digits d = {0};
    while (n > 0 && is_blank(text[n - 1]))
        n--;
    while (n > 0 && is_blank(*text)) {
        text++;
        n--;
    }
    size_t i = n > 0 && (text[0] == '-' || text[0] == '+');
    bool negative = n > 0 && text[0] == '-';
    i += take_digits(text + i, n - i, point, &d);
    if (!d.any)
        return -EINVAL;
    int used = take_exponent(text + i, n - i, &d.exponent);
    if (used < 0 || i + (size_t)used != n)
        return -EINVAL;
    d.value += d.round_up;
    if (d.value == 0)
        d.exponent = 0;
    if (d.exponent > EXPONENT_MAX || d.exponent < -EXPONENT_MAX)
        return -ERANGE;
    *ret = (struct wtl_decimal){.digits = negative ? -(int64_t)d.value : (int64_t)d.value,
                                .exponent = d.exponent};
    return 0;
}

double wtl_decimal_value(struct wtl_decimal decimal)
{
    /* Powers up to 10^22 are exact, so most results are the nearest double. */
    static const double exact[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                   1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                   1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    double digits = (double)decimal.digits;
    if (decimal.exponent >= 0 && decimal.exponent <= 22)
        return digits * exact[decimal.exponent];
    if (decimal.exponent < 0 && decimal.exponent >= -22)
        return digits / exact[-decimal.exponent];
    return digits * pow(10, decimal.exponent);
}

int wtl_decimal_scaled(struct wtl_decimal decimal, int places, int64_t *ret, bool *ret_exact)
{
    int shift = decimal.exponent + places;
    int64_t digits = decimal.digits;
    bool exact = true;
    if (digits == 0 || shift == 0) {
        *ret = digits;
    } else if (shift > 0) {
        if (shift > DIGITS_MAX || llabs(digits) > powers[DIGITS_MAX] / powers[shift])
            return -ERANGE;
        *ret = digits * powers[shift];
    } else if (shift < -DIGITS_MAX) {
        *ret = 0;
        exact = false;
    } else {
        int64_t by = powers[-shift], rest = digits % by;
        *ret = digits / by + (llabs(rest) >= by - llabs(rest) ? (digits < 0 ? -1 : 1) : 0);
        exact = rest == 0;
    }
    if (ret_exact)
        *ret_exact = exact;
    return 0;
}

int wtl_decimal_whole(struct wtl_decimal decimal, int places, int64_t *ret)
{
    int shift = decimal.exponent + places;
    if (shift <= 0)
        return wtl_decimal_scaled(decimal, places, ret, NULL);
    if (shift > DIGITS_MAX || __builtin_mul_overflow(decimal.digits, powers[shift], ret))
        return -ERANGE;
    return 0;
}

int wtl_decimal_magnitude(struct wtl_decimal decimal)
{
    int64_t digits = llabs(decimal.digits);
    int count = 0;
    while (count <= DIGITS_MAX && digits >= powers[count])
        count++;
    return count + decimal.exponent;
}
