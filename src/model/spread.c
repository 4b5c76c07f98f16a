/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Spread over runs: mean, standard deviation and the half width of the 95 % interval of the mean by
 * Student's t. The quantile is a table up to 30 degrees of freedom and the expansion in 1/n of
 * Abramowitz and Stegun 26.7.5 beyond, which there agrees to five digits.
 */
#include "model/spread.h"

#include <math.h>

/* t(0.975, n degrees of freedom). */
static double student(size_t n)
{
    static const double table[] = {
        12.70620, 4.302653, 3.182446, 2.776445, 2.570582, 2.446912, 2.364624, 2.306004,
        2.262157, 2.228139, 2.200985, 2.178813, 2.160369, 2.144787, 2.131450, 2.119905,
        2.109816, 2.100922, 2.093024, 2.085963, 2.079614, 2.073873, 2.068658, 2.063899,
        2.059539, 2.055529, 2.051831, 2.048407, 2.045230, 2.042272,
    };
    if (n <= sizeof table / sizeof *table)
        return table[n - 1];
    double x = 1.959963984540054, nu = (double)n;
    double x3 = x * x * x, x5 = x3 * x * x, x7 = x5 * x * x;
    return x + (x3 + x) / (4 * nu) + (5 * x5 + 16 * x3 + 3 * x) / (96 * nu * nu) +
           (3 * x7 + 19 * x5 + 17 * x3 - 15 * x) / (384 * nu * nu * nu);
}

struct wtl_spread wtl_spread_of(const double *values, size_t n)
{
    struct wtl_spread spread = {.mean = NAN, .sd = NAN, .ci95 = NAN};
    if (n == 0)
        return spread;
    double sum = 0, squares = 0;
    for (size_t i = 0; i < n; i++)
        sum += values[i];
    spread.mean = sum / (double)n;
    if (n < 2)
        return spread;
    for (size_t i = 0; i < n; i++)
        squares += (values[i] - spread.mean) * (values[i] - spread.mean);
    spread.sd = sqrt(squares / (double)(n - 1));
    if (n >= 3)
        spread.ci95 = student(n - 1) * spread.sd / sqrt((double)n);
    return spread;
}
