/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Numbers as text: see digits.h. The last digit shown is the second significant one of the half
 * width after that has itself been rounded, so that 0.0996 counts as 0.10 and not as 0.100.
 */
#include "report/digits.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/whole.h"

__attribute__((format(printf, 3, 4))) static char *put(char *buf, size_t n, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    (void)vsnprintf(buf, n, format, args);
    va_end(args);
    return buf;
}

/* Digits after the point, negative = zeros before it, for `count` significant digits of x > 0. */
static int decimals_of(double x, int count)
{
    int exponent = wtl_whole_int(floor(log10(x)));
    double unit = pow(10, exponent - count + 1);
    if (round(x / unit) * unit >= pow(10, exponent + 1) * (1 - 1e-12))
        exponent++;
    return count - 1 - exponent;
}

/* The value rounded there. */
static char *put_rounded(char *buf, size_t n, double value, int decimals)
{
    if (decimals > 9)
        return put(buf, n, "%.3g", value);
    if (decimals < 0) {
        double unit = pow(10, -decimals);
        value = round(value / unit) * unit;
        decimals = 0;
    }
    if (fabs(value) >= 1e12)
        return put(buf, n, "%.6g", value);
    if (value == 0 || fabs(value) < 0.5 * pow(10, -decimals))
        value = 0; /* no "-0.0" */
    return put(buf, n, "%.*f", decimals, value);
}

static int decimals_for(double value, double half)
{
    if (half > 0 && isfinite(half))
        return decimals_of(half, 2);
    if (value == 0)
        return 0;
    return decimals_of(fabs(value), half == 0 ? 6 : 3);
}

/* The digits after the point of a value alone: six digits of it are enough. */
static int decimals_shown(double value, double half)
{
    int decimals = decimals_for(value, half), most = value == 0 ? 0 : decimals_of(fabs(value), 6);
    return value != 0 && decimals > most ? most : decimals;
}

char *wtl_digits_value(char *buf, size_t n, double value, double half)
{
    if (isnan(value))
        return put(buf, n, "unknown");
    if (isinf(value))
        return put(buf, n, "%g", value);
    return put_rounded(buf, n, value, decimals_shown(value, half));
}

double wtl_digits_lowered(double value, double half)
{
    if (!isfinite(value) || value <= 0)
        return value;
    double unit = pow(10, -decimals_shown(value, half));
    return floor(value / unit * (1 + 1e-12)) * unit;
}

char *wtl_digits_interval(char *buf, size_t n, double value, double half)
{
    char a[40], b[40];
    if (isnan(value) || isinf(value) || !(half > 0) || isinf(half))
        return wtl_digits_value(buf, n, value, half);
    int decimals = decimals_for(value, half);
    /* Six digits of the value are enough; then the half width is rounded up to the last of them. */
    int most = value == 0 ? decimals : decimals_of(fabs(value), 6);
    if (decimals > most + 1) {
        decimals = most;
        half = pow(10, -decimals);
    }
    return put(buf, n, "%s +- %s", put_rounded(a, sizeof a, value, decimals),
               put_rounded(b, sizeof b, half, decimals));
}

char *wtl_digits_range(char *buf, size_t n, double value, double low, double high)
{
    char a[40], b[40], c[40];
    if (isnan(value) || isnan(low) || isnan(high))
        return wtl_digits_value(buf, n, value, NAN);
    int decimals = decimals_for(value, (high - low) / 2);
    return put(buf, n, "%s (%s..%s)", put_rounded(a, sizeof a, value, decimals),
               put_rounded(b, sizeof b, low, decimals), put_rounded(c, sizeof c, high, decimals));
}

char *wtl_digits_estimate(char *buf, size_t n, double value, double low, double high)
{
    return isnan(low) || isnan(high) ? wtl_digits_value(buf, n, value, fabs(value))
                                     : wtl_digits_range(buf, n, value, low, high);
}

char *wtl_digits_energy(char *buf, size_t n, const struct wtl_energy *energy)
{
    char known[40];
    double low, high, least_j = wtl_energy_at_least(energy->known_j, energy->known_half_j);
    double step_j = fabs(least_j) / 2000;
    if (isnan(energy->j) && !isnan(energy->known_j))
        return put(
            buf, n, "at least %s",
            wtl_digits_value(known, sizeof known, wtl_digits_lowered(least_j, step_j), step_j));
    wtl_energy_ends(energy, &low, &high);
    return energy->quality == WATTLE_ESTIMATED || energy->interval_only
               ? wtl_digits_estimate(buf, n, energy->j, low, high)
               : wtl_digits_interval(buf, n, energy->j, energy->half_j);
}

double wtl_digits_half(const struct wtl_energy *energy)
{
    double half = wtl_energy_half(energy);
    return isnan(half) && energy->quality == WATTLE_ESTIMATED ? fabs(energy->j) : half;
}

char *wtl_digits_si(char *buf, size_t n, double value, double half)
{
    static const char *const prefixes[] = {"p", "n", "u", "m", "", "k", "M", "G", "T"};
    char number[40];
    int step = 4;
    if (isnan(value) || isinf(value) || value == 0)
        return put(buf, n, "%s ", wtl_digits_value(number, sizeof number, value, half));
    while (fabs(value) >= 999.5 && step < 8) {
        value /= 1000;
        half /= 1000;
        step++;
    }
    while (fabs(value) < 0.9995 && step > 0) {
        value *= 1000;
        half *= 1000;
        step--;
    }
    /* A rate needs at most three digits, and never more than the interval supports. */
    double least = fabs(value) * 0.005;
    (void)wtl_digits_value(number, sizeof number, value, half < least ? (double)NAN : half);
    return put(buf, n, "%s %s", number, prefixes[step]);
}

char *wtl_digits_product(char *buf, size_t n, double value, double half)
{
    char number[40];
    double most = fmin(half, fabs(value)); /* NaN, unknown, stays out of fmin */
    if (fabs(value) > 0 && fabs(value) < 1e-3)
        return wtl_digits_si(buf, n, value, isnan(half) ? half : most);
    return put(buf, n, "%s ",
               wtl_digits_value(number, sizeof number, value, isnan(half) ? half : most));
}

char *wtl_digits_short(char *buf, size_t n, double value)
{
    if (isnan(value))
        return put(buf, n, "?");
    return put(buf, n, fabs(value) < 9.95 ? "%.1f" : "%.0f", value);
}

char *wtl_digits_time(char *buf, size_t n, double seconds)
{
    static const struct {
        double least, factor;
        const char *unit;
    } units[] = {{0.9995, 1, "s"}, {0.9995e-3, 1e3, "ms"}, {0.9995e-6, 1e6, "us"}, {0, 1e9, "ns"}};
    char number[40];
    if (isnan(seconds))
        return put(buf, n, "unknown");
    if (seconds == 0)
        return put(buf, n, "0 s");
    size_t i = 0;
    while (i < 3 && fabs(seconds) < units[i].least)
        i++;
    double value = seconds * units[i].factor;
    int decimals = decimals_of(fabs(value), 3);
    return put(buf, n, "%s %s",
               put_rounded(number, sizeof number, value, decimals < 0 ? 0 : decimals),
               units[i].unit);
}

char *wtl_digits_bytes(char *buf, size_t n, double bytes)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    size_t i = 0;
    if (isnan(bytes))
        return put(buf, n, "unknown");
    while (i < 4 && bytes >= 999.5) {
        bytes /= 1024;
        i++;
    }
    return put(buf, n, i > 0 && bytes < 9.95 ? "%.1f %s" : "%.0f %s", bytes, units[i]);
}
