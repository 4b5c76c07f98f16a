/* SPDX-License-Identifier: BSD-3-Clause */
/* Metrics of a run: see metric.h. */
#include "analysis/compare/metric.h"

#include <math.h>

const char *const wtl_metric_names[] = {"energy", "time", "power", "edp", NULL};
const char *const wtl_metric_fields[] = {"energy_j", "wall_time_s", "mean_w", "edp_js"};

double wtl_metric_of(const struct wtl_result *result, enum wtl_metric metric)
{
    switch (metric) {
    case WTL_METRIC_ENERGY:
        return result->energy.j;
    case WTL_METRIC_TIME:
        return result->wall_time_s;
    case WTL_METRIC_POWER:
        return result->total_w;
    case WTL_METRIC_EDP:
        return result->energy.j * result->wall_time_s;
    }
    return NAN;
}

void wtl_metric_range(const struct wtl_result *results,
                      size_t count,
                      enum wtl_metric metric,
                      double ret_range[2])
{
    bool estimated = false;
    double sums[2] = {0, 0};
    for (size_t i = 0; i < count && metric != WTL_METRIC_TIME; i++) {
        const struct wtl_result *r = &results[i];
        bool model = r->total.count > 0 && r->total.quality == WATTLE_ESTIMATED;
        double value = wtl_metric_of(r, metric);
        estimated |= model;
        sums[0] += model ? value * r->energy.low_j / r->energy.j : value;
        sums[1] += model ? value * r->energy.high_j / r->energy.j : value;
    }
    for (int end = 0; end < 2; end++)
        ret_range[end] = estimated ? sums[end] / (double)count : (double)NAN;
}

double wtl_mean_resolution(const struct wtl_result *results, size_t count, const char *channel)
{
    double squares = 0, sum = 0;
    for (size_t i = 0; i < count; i++) {
        const struct wtl_result_channel *found =
            channel ? wtl_result_find(&results[i], channel) : NULL;
        struct wtl_energy energy = found     ? wtl_result_energy(found)
                                   : channel ? wtl_energy_unknown()
                                             : results[i].energy;
        squares += energy.half_j * energy.half_j;
        sum += energy.j;
    }
    return sum > 0 && squares >= 0 ? sqrt(squares) / sum : 0;
}

double wtl_metric_resolution(const struct wtl_result *results, size_t count, enum wtl_metric metric)
{
    double squares = 0, sum = 0, n = (double)count;
    if (metric == WTL_METRIC_TIME || count == 0)
        return 0;
    for (size_t i = 0; i < count; i++) {
        squares += results[i].energy.half_j * results[i].energy.half_j;
        sum += results[i].energy.j;
    }
    double part = sqrt(2 * squares / n) / (sum / n);
    return isfinite(part) ? part : 0;
}
