/* SPDX-License-Identifier: BSD-3-Clause */
/* Power from counters, learnt from the runs of these names that have a meter (counter_energy.h), for a model. */
#ifndef WTL_ANALYSIS_POWER_LEARN_H
#define WTL_ANALYSIS_POWER_LEARN_H

#include <stddef.h>
#include <stdint.h>

#include <wattle/error.h>

#include "analysis/predict/counter_energy.h"

/* At most 64 nodes of runs are read, evenly over all; runs without counters or a meter are left out. step_ns: length of a row;
 * 0 = as the counters were recorded. Returns 0; -ENODATA if nothing can be learnt from them; -EINVAL for different counters;
 * -ENOMEM; with a sentence. */
int wtl_counter_energy_learn_runs(char *const *names,
                                  size_t count,
                                  uint64_t step_ns,
                                  struct wtl_counter_energy *ret_model,
                                  struct wattle_error *err);

#endif
