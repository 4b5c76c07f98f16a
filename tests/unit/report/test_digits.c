/* SPDX-License-Identifier: BSD-3-Clause */
/* No more digits than the interval supports, over the whole range of magnitudes. */
#include "report/digits.h"

#include <math.h>

#include "tap.h"

static void test_intervals(void)
{
    static const struct {
        int line;
        double value, half;
        const char *want;
    } rows[] = {
        {__LINE__, 1234.5678, 0.2345, "1234.57 +- 0.23"},
        {__LINE__, 1234.5678, 2.345, "1234.6 +- 2.3"},
        {__LINE__, 1234.5678, 23.45, "1235 +- 23"},
        {__LINE__, 1234.5678, 234.5, "1230 +- 230"},
        {__LINE__, 1234.5678, 2345, "1200 +- 2300"},
        {__LINE__, 0.5, 0.0996, "0.50 +- 0.10"},
        {__LINE__, 0.5, 0.996, "0.5 +- 1.0"},
        {__LINE__, 5, 9.96, "5 +- 10"},
        {__LINE__, 100, 0.095, "100.000 +- 0.095"},
        {__LINE__, 0.001234, 0.0001, "0.00123 +- 0.00010"},
        {__LINE__, 0, 0.5, "0.00 +- 0.50"},
        {__LINE__, -0.001, 0.5, "0.00 +- 0.50"},
        {__LINE__, -12.34, 0.5, "-12.34 +- 0.50"},
        {__LINE__, 1234.5678, NAN, "1230"},
        {__LINE__, 0.0012345, NAN, "0.00123"},
        {__LINE__, 1234.5678, 0, "1234.57"},
        {__LINE__, 0, NAN, "0"},
        {__LINE__, 620, 1e-6, "620.000 +- 0.001"},
        {__LINE__, 1234567.8, 0.01, "1234570 +- 10"},
        {__LINE__, NAN, 1, "unknown"},
        {__LINE__, 3.2e15, 1e10, "3.2e+15 +- 10000000000"},
        {__LINE__, 1e-12, 1e-13, "1e-12 +- 1e-13"},
    };
    char buf[80];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tap_line = rows[i].line;
        is_str(wtl_digits_interval(buf, sizeof buf, rows[i].value, rows[i].half), rows[i].want,
               "%g with %g", rows[i].value, rows[i].half);
    }
    tap_line = 0;
}

/* What is true of a lower bound: never above it, and as long as the value itself. */
static void test_lowered(void)
{
    static const struct {
        double value, half;
        const char *want;
        int line;
    } rows[] = {
        {1237, NAN, "1230", __LINE__},
        {1999.9, NAN, "1990", __LINE__},
        {2000, NAN, "2000", __LINE__},
        {415, 390, "410", __LINE__},
        {499, 499, "490", __LINE__},
        {0.0129999, NAN, "0.0129", __LINE__},
        {0.29, NAN, "0.290", __LINE__},
        {1234567.89, 0, "1234560", __LINE__},
        {12.3456789, 0.01, "12.345", __LINE__},
        {0, NAN, "0", __LINE__},
    };
    char buf[80];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double lowered = wtl_digits_lowered(rows[i].value, rows[i].half);
        tap_line = rows[i].line;
        ok(lowered <= rows[i].value * (1 + 1e-12), "%.17g of %.17g", lowered, rows[i].value);
        is_str(wtl_digits_value(buf, sizeof buf, lowered, rows[i].half), rows[i].want, "%g with %g",
               rows[i].value, rows[i].half);
    }
    tap_line = 0;
    ok(isnan(wtl_digits_lowered(NAN, NAN)), "unknown");
    const struct wtl_energy part = {.j = NAN, .known_j = 205.9999, .half_j = NAN};
    is_str(wtl_digits_energy(buf, sizeof buf, &part), "at least 205.99",
           "a sum that is partly known");
}

static void test_others(void)
{
    char buf[120];
    is_str(wtl_digits_range(buf, sizeof buf, 812.3, 451.2, 1393.7), "810 (450..1390)", "a range");
    is_str(wtl_digits_range(buf, sizeof buf, 812.3, NAN, NAN), "812", "without its ends");
    is_str(wtl_digits_short(buf, sizeof buf, 8.23), "8.2", "short below ten");
    is_str(wtl_digits_short(buf, sizeof buf, 9.96), "10", "short at ten");
    is_str(wtl_digits_short(buf, sizeof buf, 104.4), "104", "short above");
    is_str(wtl_digits_short(buf, sizeof buf, NAN), "?", "short unknown");

    is_str(wtl_digits_si(buf, sizeof buf, 1.1e-6, NAN), "1.10 u", "micro");
    is_str(wtl_digits_si(buf, sizeof buf, 909091, 1), "909 k", "kilo");
    is_str(wtl_digits_si(buf, sizeof buf, 1.234e9, 1.1e8), "1.23 G", "with an interval");
    is_str(wtl_digits_si(buf, sizeof buf, 0.99999, NAN), "1.00 ", "no prefix");
    is_str(wtl_digits_si(buf, sizeof buf, 0, NAN), "0 ", "nothing");
    is_str(wtl_digits_si(buf, sizeof buf, 3e20, NAN), "300000000 T", "beyond the prefixes");

    struct wtl_energy energy = {.j = 0.53542, .half_j = 0.00066, .known_j = NAN};
    is_str(wtl_digits_energy(buf, sizeof buf, &energy), "0.53542 +- 0.00066", "a measurement");
    energy.interval_only = true;
    energy.half_j = 0.7;
    is_str(wtl_digits_energy(buf, sizeof buf, &energy), "0.54 (0.00..1.24)",
           "too short to resolve");
    energy.quality = WATTLE_ESTIMATED;
    energy.low_j = 0.3;
    energy.high_j = 0.9;
    is_str(wtl_digits_energy(buf, sizeof buf, &energy), "0.54 (0.30..0.90)",
           "an estimate, whatever its resolution");
    energy.low_j = energy.high_j = NAN;
    is_str(wtl_digits_energy(buf, sizeof buf, &energy), "0.54", "of which nothing is known");
    energy.j = NAN;
    is_str(wtl_digits_energy(buf, sizeof buf, &energy), "unknown", "no energy");
    energy.known_j = 206;
    is_str(wtl_digits_energy(buf, sizeof buf, &energy), "at least 206.00",
           "a part of it is unknown");
    energy.known_half_j = 5;
    is_str(wtl_digits_energy(buf, sizeof buf, &energy), "at least 201.00",
           "the lower end of the rest");

    is_str(wtl_digits_product(buf, sizeof buf, 15999.8123, 2.8), "15999.8 ", "a product");
    is_str(wtl_digits_product(buf, sizeof buf, 1.234e-7, 2e-8), "123 n", "a tiny one");
    is_str(wtl_digits_product(buf, sizeof buf, 1.234e-9, 3e-7), "1.2 n", "within its interval");
    is_str(wtl_digits_product(buf, sizeof buf, 0.0123, 4), "0.012 ", "larger, within its interval");
    is_str(wtl_digits_product(buf, sizeof buf, 0, 4), "0 ", "none");
    is_str(wtl_digits_product(buf, sizeof buf, 5e-8, NAN), "50.0 n", "interval unknown");
    is_str(wtl_digits_product(buf, sizeof buf, NAN, NAN), "unknown ", "unknown");

    static const struct {
        int line;
        double seconds;
        const char *want;
    } times[] = {
        {__LINE__, 976e-6, "976 us"},    {__LINE__, 1.2145e-3, "1.21 ms"},
        {__LINE__, 12.345, "12.3 s"},    {__LINE__, 0.9999, "1.00 s"},
        {__LINE__, 9.999e-4, "1.00 ms"}, {__LINE__, 22e-9, "22.0 ns"},
        {__LINE__, 4321, "4321 s"},      {__LINE__, 0, "0 s"},
        {__LINE__, NAN, "unknown"},      {__LINE__, 0.1, "100 ms"},
    };
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        tap_line = times[i].line;
        is_str(wtl_digits_time(buf, sizeof buf, times[i].seconds), times[i].want, "a time");
    }
    tap_line = 0;
    is_str(wtl_digits_bytes(buf, sizeof buf, 512), "512 B", "bytes");
    is_str(wtl_digits_bytes(buf, sizeof buf, 1536), "1.5 KiB", "a small count");
    is_str(wtl_digits_bytes(buf, sizeof buf, 812.0 * 1024 * 1024), "812 MiB", "a large one");
    is_str(wtl_digits_bytes(buf, sizeof buf, NAN), "unknown", "unknown");
}

int main(void)
{
    test_intervals();
    test_lowered();
    test_others();
    return done_testing();
}
