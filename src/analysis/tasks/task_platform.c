/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/tasks/task_platform.h"

#include <math.h>

#include "model/statistics/student.h"

struct wtl_task_line wtl_task_line_of(const double *cores, const double *power_w, size_t n)
{
    struct wtl_task_line line = {NAN, NAN, NAN, NAN};
    double mean_c = 0, mean_p = 0, cc = 0, cp = 0, rest = 0;
    for (size_t i = 0; i < n; i++) {
        mean_c += cores[i] / (double)n;
        mean_p += power_w[i] / (double)n;
    }
    for (size_t i = 0; i < n; i++) {
        cc += (cores[i] - mean_c) * (cores[i] - mean_c);
        cp += (cores[i] - mean_c) * (power_w[i] - mean_p);
    }
    if (!(cc > 0))
        return line;
    line.beta_w = cp / cc;
    line.alpha_w = mean_p - line.beta_w * mean_c;
    for (size_t i = 0; i < n; i++) {
        double off = power_w[i] - line.alpha_w - line.beta_w * cores[i];
        rest += off * off;
    }
    if (n < 3)
        return line;
    double df = (double)n - 2, t = wtl_student_quantile(0.975, df);
    line.beta_half_w = t * sqrt(rest / df / cc);
    line.alpha_half_w = t * sqrt(rest / df * (1 / (double)n + mean_c * mean_c / cc));
    return line;
}
