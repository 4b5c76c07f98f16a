/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Spread over runs: mean, standard deviation and the half width of the 95 % interval of the mean by
 * Student's t.
 */
#include "model/statistics/spread.h"

#include <math.h>

#include "model/statistics/quantile.h"
#include "model/statistics/student.h"

struct wtl_spread wtl_spread_of(const double *values, size_t n)
{
    struct wtl_spread spread = {.ci95 = NAN};
    spread.mean = wtl_mean_sd(values, n, &spread.sd);
    if (n >= 3)
        spread.ci95 = wtl_student_quantile(0.975, (double)(n - 1)) * spread.sd / sqrt((double)n);
    return spread;
}
