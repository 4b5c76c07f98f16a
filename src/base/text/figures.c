/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/text/figures.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const char *wtl_figures(char *text, double value, int digits)
{
    (void)snprintf(text, WTL_FIGURES, "%.*g", digits, value);
    if (strchr(text, 'e') && fabs(value) >= 1 && fabs(value) < 1e15) {
        double unit = pow(10, floor(log10(fabs(value))) - digits + 1);
        (void)snprintf(text, WTL_FIGURES, "%.0f", round(value / unit) * unit);
    }
    return text;
}
