/* SPDX-License-Identifier: BSD-3-Clause */
/* The range of a metric over runs: that of the estimates among them, in the metric's unit. */
#include "analysis/compare/metric.h"

#include <math.h>

#include "tap.h"

static struct wtl_result run_of(double joules, enum wattle_quality quality)
{
    bool model = quality == WATTLE_ESTIMATED;
    return (struct wtl_result){.total = {.count = 1, .quality = quality},
                               .energy.j = joules,
                               .total_w = joules / 2,
                               .wall_time_s = 2,
                               .energy.low_j = model ? joules / 2 : (double)NAN,
                               .energy.high_j = model ? joules * 3 : (double)NAN};
}

int main(void)
{
    struct wtl_result runs[] = {run_of(10, WATTLE_ESTIMATED), run_of(14, WATTLE_ESTIMATED)};
    double range[2];
    wtl_metric_range(runs, 2, WTL_METRIC_ENERGY, range);
    is_double(range[0], 6, 1e-12, "the model errs alike in all runs: low");
    is_double(range[1], 36, 1e-12, "high");
    wtl_metric_range(runs, 2, WTL_METRIC_POWER, range);
    is_double(range[1], 18, 1e-12, "power");
    wtl_metric_range(runs, 2, WTL_METRIC_EDP, range);
    is_double(range[1], 72, 1e-12, "energy x time");
    wtl_metric_range(runs, 2, WTL_METRIC_TIME, range);
    ok(isnan(range[0]) && isnan(range[1]), "a time is no estimate");
    runs[1] = run_of(14, WATTLE_MEASURED);
    wtl_metric_range(runs, 2, WTL_METRIC_ENERGY, range);
    is_double(range[0], 9.5, 1e-12, "beside a measurement");
    runs[0].energy.high_j = NAN;
    wtl_metric_range(runs, 2, WTL_METRIC_ENERGY, range);
    ok(isnan(range[1]), "a model that does not say");
    wtl_metric_range(runs + 1, 1, WTL_METRIC_ENERGY, range);
    ok(isnan(range[0]) && isnan(range[1]), "measurements have none");
    return done_testing();
}
