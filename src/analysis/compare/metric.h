/* SPDX-License-Identifier: BSD-3-Clause */
/* Metric: the one number of a run by which two commands are compared. */
#ifndef WTL_ANALYSIS_METRIC_H
#define WTL_ANALYSIS_METRIC_H

#include "model/result.h"

enum wtl_metric {
    WTL_METRIC_ENERGY, /* total, J */
    WTL_METRIC_TIME,   /* s */
    WTL_METRIC_POWER,  /* mean of the total, W */
    WTL_METRIC_EDP,    /* energy x time, J s */
};
enum { WTL_METRIC_COUNT = 4 };

/* "energy", "time", "power", "edp", NULL: in the order of the enum. */
extern const char *const wtl_metric_names[];

/* "energy_j", "time_s", "mean_w", "edp_js": for fields. */
extern const char *const wtl_metric_fields[];

/* Its value in a run, NaN = unknown. */
double wtl_metric_of(const struct wtl_result *result, enum wtl_metric metric);

/* 95 % range of the mean of runs if any of them is an estimate; the error of the model is the same in
 * all of them. NaN, NaN: no estimate, or the error of the model is unknown. */
void wtl_metric_range(const struct wtl_result *results,
                      size_t count,
                      enum wtl_metric metric,
                      double ret_range[2]);

/* Half width of the sensors' resolution for the mean of these runs, as a part of it: of the total, or of the
 * channel of that name. 0 if it is unknown. */
double wtl_mean_resolution(const struct wtl_result *results, size_t count, const char *channel);

/* Half width of the sensors' resolution for the difference of two such runs, as a part of the value
 * (0.01 = 1 %): the root mean square over the runs. 0 if it is unknown or does not apply. */
double wtl_metric_resolution(const struct wtl_result *results,
                             size_t count,
                             enum wtl_metric metric);

#endif
