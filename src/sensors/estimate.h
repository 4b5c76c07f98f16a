/* SPDX-License-Identifier: BSD-3-Clause */
/* What the estimate knows beyond its channel: for the share of a process tree. */
#ifndef WTL_SENSORS_ESTIMATE_H
#define WTL_SENSORS_ESTIMATE_H

#include "source/driver.h"

/* Idle watts and logical CPUs of the machine that an opened estimate speaks of. Returns 0, or
 * -EINVAL when the source is no opened estimate. */
int wtl_estimate_idle(const struct wtl_source *source, double *ret_idle_w, unsigned *ret_cpus);

#endif
