/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Spread over runs: mean, standard deviation and the half width of the 95 % interval of the mean by
 * Student's t.
 */
#include "model/spread.h"

#include <math.h>

#include "model/student.h"

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
        spread.ci95 = wtl_student_quantile(0.975, (double)(n - 1)) * spread.sd / sqrt((double)n);
    return spread;
}
