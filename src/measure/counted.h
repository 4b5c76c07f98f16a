/* SPDX-License-Identifier: BSD-3-Clause */
/* The counter set that a measurement records. */
#ifndef WTL_MEASURE_COUNTED_H
#define WTL_MEASURE_COUNTED_H

#include "measure/measurement_state.h"

/* Its source; NULL: none is recorded. */
struct wtl_source *wtl_measurement_counters(const struct wtl_measurement *m);

#endif
