/* SPDX-License-Identifier: BSD-3-Clause */
/* Significant digits without an exponent where people read the number. */
#include "base/text/figures.h"

#include <math.h>
#include <string.h>

#include "tap.h"

int main(void)
{
    static const struct {
        double value;
        int digits;
        const char *text;
    } cases[] = {{250, 2, "250"},           {3600, 3, "3600"},
                 {12345, 4, "12350"},       {99.6, 2, "100"},
                 {9.96, 2, "10"},           {-4590, 2, "-4600"},
                 {0.98, 2, "0.98"},         {0, 3, "0"},
                 {86400.5, 3, "86400"},     {1.5e14, 2, "150000000000000"},
                 {1e15, 3, "1e+15"},        {2e-7, 3, "2e-07"},
                 {0.0012345, 3, "0.00123"}, {INFINITY, 3, "inf"},
                 {99999.6, 5, "100000"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *text = WTL_IN_FIGURES(cases[i].value, cases[i].digits);
        ok(strcmp(text, cases[i].text) == 0, "%g with %d digits: %s", cases[i].value,
           cases[i].digits, text);
    }
    return done_testing();
}
