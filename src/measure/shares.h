/* SPDX-License-Identifier: BSD-3-Clause */
/* The share of the measured processes in the total: how it is divided is decided when the measurement starts. */
#ifndef WTL_MEASURE_SHARES_H
#define WTL_MEASURE_SHARES_H

#include "measure/measurement_state.h"

/* Before the window: load the calibration and look at each CPU, if there is something to divide and a calibration for
 * it. A calibration that cannot be used is a warning. */
void wtl_measurement_shares_open(struct wtl_measurement *m);

/* Energy in the total of devices such as GPUs, which is not divided by CPU time. */
double wtl_share_devices_j(const struct wtl_result *result);

/* Fill in the shares of a result that contains total and CPU times. */
void wtl_measurement_shares_fill(struct wtl_measurement *m, struct wtl_result *result);

void wtl_measurement_shares_close(struct wtl_measurement *m);

/* Idle power and the number of CPUs it refers to, if it comes from the estimate; else NaN, and
 * *ret_cpus is unchanged. */
double wtl_measurement_idle_w(const struct wtl_measurement *m, double *ret_cpus);

/* The calibrated model of shares for the total, else -ENOENT (no calibration), -ESTALE, -EBADMSG or others with a message
 * and the model by CPU time. After wtl_measurement_prepare(). */
int wtl_measurement_share_model(const struct wtl_measurement *m,
                                struct wtl_share_model *ret_model,
                                struct wattle_error *err);

#endif
