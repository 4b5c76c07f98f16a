/* SPDX-License-Identifier: BSD-3-Clause */
#include "gauge_methods.h"

#include <math.h>

#include "model/statistics/student.h"

double gauge_trapezoid(const struct wtl_gauge_pass *pass, double begin_s, double end_s)
{
    const struct wtl_gauge_reading *r = pass->readings;
    double sum = 0;
    for (size_t i = 1; i < pass->count; i++) {
        double a = fmax(r[i - 1].time_s, begin_s), b = fmin(r[i].time_s, end_s);
        if (b <= a)
            continue;
        double slope = (r[i].watts - r[i - 1].watts) / (r[i].time_s - r[i - 1].time_s);
        sum += (r[i - 1].watts + slope * ((a + b) / 2 - r[i - 1].time_s)) * (b - a);
    }
    return sum;
}

double gauge_naive(const struct wtl_gauge_pass *pass)
{
    return gauge_trapezoid(pass, pass->begin_s, pass->end_s);
}

double gauge_mcdaniel(const struct wtl_gauge_pass *pass,
                      double delay_s,
                      double rise_s,
                      double fall_s)
{
    double from = pass->begin_s + delay_s + rise_s, to = pass->end_s - delay_s - fall_s;
    if (!(to > from))
        return NAN;
    return gauge_trapezoid(pass, from, to) / (to - from) * (pass->end_s - pass->begin_s);
}

double gauge_yang(const struct wtl_gauge_pass *trial,
                  double duration_s,
                  double idle_s,
                  double idle_w,
                  double shift_s,
                  double rise_s)
{
    double left_out = fmin(ceil(rise_s / duration_s), YANG_REPEATS / 2);
    double from = trial->begin_s + left_out * duration_s + shift_s, to = trial->end_s + shift_s;
    double repeats = YANG_REPEATS - left_out;
    return (gauge_trapezoid(trial, from, to) - idle_s * idle_w) / repeats;
}

struct wtl_gauge_value gauge_over_runs(const double *joules, size_t count)
{
    double sum = 0, squares = 0, n = 0;
    for (size_t i = 0; i < count; i++) {
        if (isnan(joules[i]))
            continue;
        double off = joules[i] - (n > 0 ? sum / n : 0);
        sum += joules[i];
        n += 1;
        squares += off * (joules[i] - sum / n);
    }
    if (n < 2)
        return (struct wtl_gauge_value){n > 0 ? sum / n : NAN, NAN};
    return (struct wtl_gauge_value){sum / n, wtl_student_quantile(0.975, n - 1) *
                                                 sqrt(squares / (n - 1) / n)};
}
