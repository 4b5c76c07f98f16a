/* SPDX-License-Identifier: BSD-3-Clause */
/* Metrics of a run: see metric.h. */
#include "analysis/metric.h"

#include <math.h>

const char *const wtl_metric_names[] = {"energy", "time", "power", "edp", NULL};
const char *const wtl_metric_fields[] = {"energy_j", "wall_time_s", "mean_w", "edp_js"};

double wtl_metric_of(const struct wtl_result *result, enum wtl_metric metric)
{
    switch (metric) {
    case WTL_METRIC_ENERGY:
        return result->total_j;
    case WTL_METRIC_TIME:
        return result->wall_time_s;
    case WTL_METRIC_POWER:
        return result->total_w;
    case WTL_METRIC_EDP:
        return result->total_j * result->wall_time_s;
    }
    return NAN;
}

double wtl_metric_resolution(const struct wtl_result *results, size_t count, enum wtl_metric metric)
{
    double squares = 0, sum = 0, n = (double)count;
    if (metric == WTL_METRIC_TIME || count == 0)
        return 0;
    for (size_t i = 0; i < count; i++) {
        squares += results[i].total_interval_j * results[i].total_interval_j;
        sum += results[i].total_j;
    }
    double part = sqrt(2 * squares / n) / (sum / n);
    return isfinite(part) ? part : 0;
}
