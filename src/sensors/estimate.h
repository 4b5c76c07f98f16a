/* SPDX-License-Identifier: BSD-3-Clause */
/* Properties of the estimate beyond its channel, needed for the share of a process tree. */
#ifndef WTL_SENSORS_ESTIMATE_H
#define WTL_SENSORS_ESTIMATE_H

#include "source/driver.h"

/* Idle watts and logical CPUs of the machine covered by an opened estimate. Returns 0, or -EINVAL when the
 * source is not an opened estimate. */
int wtl_estimate_idle(const struct wtl_source *source, double *ret_idle_w, unsigned *ret_cpus);

#endif
