/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers as written: every digit, the grammar, scaling with rounding; compared with strtod. */
#include "exchange/import/decimal.h"

#include <errno.h>
#include <math.h>

#include "tap.h"

static void test_parse(void)
{
    static const struct {
        int line;
        const char *text;
        char point;
        int rc;
        int64_t digits;
        int exponent;
    } rows[] = {{__LINE__, "0", '.', 0, 0, 0},
                {__LINE__, "-0.0", '.', 0, 0, 0},
                {__LINE__, "190.0", '.', 0, 190, 0},
                {__LINE__, "1.50", '.', 0, 15, -1},
                {__LINE__, " 12\t", '.', 0, 12, 0},
                {__LINE__, ".5", '.', 0, 5, -1},
                {__LINE__, "5.", '.', 0, 5, 0},
                {__LINE__, "+3", '.', 0, 3, 0},
                {__LINE__, "-1,25", ',', 0, -125, -2},
                {__LINE__, "1e3", '.', 0, 1, 3},
                {__LINE__, "4.483109622193541e-06", '.', 0, 4483109622193541, -21},
                {__LINE__, "0.0001549484709031223", '.', 0, 1549484709031223, -19},
                {__LINE__, "1767225600006000000", '.', 0, 1767225600006000000, 0},
                {__LINE__, "9223372036854775799", '.', 0, 9223372036854775799, 0},
                {__LINE__, "92233720368547757999", '.', 0, 9223372036854775800, 1},
                {__LINE__, "1234567890123456789012", '.', 0, 1234567890123456789, 3},
                {__LINE__, "1e301", '.', -ERANGE, 0, 0},
                {__LINE__, "1e99999999999", '.', -ERANGE, 0, 0},
                {__LINE__, "", '.', -EINVAL, 0, 0},
                {__LINE__, ".", '.', -EINVAL, 0, 0},
                {__LINE__, "-", '.', -EINVAL, 0, 0},
                {__LINE__, "1.2.3", '.', -EINVAL, 0, 0},
                {__LINE__, "1,5", '.', -EINVAL, 0, 0},
                {__LINE__, "1e", '.', -EINVAL, 0, 0},
                {__LINE__, "0x10", '.', -EINVAL, 0, 0},
                {__LINE__, "nan", '.', -EINVAL, 0, 0},
                {__LINE__, "inf", '.', -EINVAL, 0, 0},
                {__LINE__, "1 2", '.', -EINVAL, 0, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct wtl_decimal d = {0, 0};
        tap_line = rows[i].line;
        is_int(wtl_decimal_parse(rows[i].text, strlen(rows[i].text), rows[i].point, &d), rows[i].rc,
               "\"%s\"", rows[i].text);
        is_int(d.digits, rows[i].digits, "digits of \"%s\"", rows[i].text);
        is_int(d.exponent, rows[i].exponent, "exponent of \"%s\"", rows[i].text);
    }
    tap_line = 0;
}

static void test_scaled(void)
{
    int64_t whole = 7;
    bool exact = false;
    is_int(wtl_decimal_scaled((struct wtl_decimal){15, -1}, 3, &whole, &exact), 0,
           "1.5 in thousandths");
    is_int(whole, 1500, "is 1500");
    ok(exact, "exactly");
    is_int(wtl_decimal_scaled((struct wtl_decimal){-155, -2}, 1, &whole, &exact), 0,
           "-1.55 in tenths");
    is_int(whole, -16, "rounds away from 0 at one half");
    ok(!exact, "and says so");
    is_int(wtl_decimal_scaled((struct wtl_decimal){1, -30}, 0, &whole, &exact), 0, "far too small");
    is_int(whole, 0, "is 0");
    is_int(wtl_decimal_scaled((struct wtl_decimal){12, 17}, 0, &whole, NULL), -ERANGE, "too large");
    is_int(wtl_decimal_whole((struct wtl_decimal){17672256000, -1}, 9, &whole), 0, "ns of 2026");
    is_int(whole, 1767225600000000000, "with 19 digits");
    is_int(wtl_decimal_magnitude((struct wtl_decimal){1234, -1}), 3, "123.4");
    is_int(wtl_decimal_magnitude((struct wtl_decimal){5, -2}), -1, "0.05");
}

/* Values equal strtod's, to the last bit or one next to it. */
static void test_value(void)
{
    uint64_t state = 42;
    int off = 0;
    for (int i = 0; i < 20000; i++) {
        char text[40];
        state = state * 6364136223846793005u + 1442695040888963407u;
        int n = snprintf(text, sizeof text, "%.*g", 1 + (int)(state >> 60),
                         (double)(int64_t)state * pow(10, (int)(state >> 40 & 31) - 24));
        struct wtl_decimal d;
        double want = strtod(text, NULL);
        off += wtl_decimal_parse(text, (size_t)n, '.', &d) < 0 ||
               fabs(wtl_decimal_value(d) - want) > fabs(want) * 2.3e-16;
    }
    is_int(off, 0, "20000 numbers of all sizes");
}

int main(void)
{
    test_parse();
    test_scaled();
    test_value();
    return done_testing();
}
