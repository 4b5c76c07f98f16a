/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The energy of GPUs, divided between the measured processes and all others by the time that they have used the GPUs (account/device_share.h):
 *
 *     tree + others + idle + unattributed = energy of the GPUs in the total
 *
 * The vendor's library is asked once a second, from a thread of its own, so that sampling never waits for it. What was gained after the
 * last answer is divided as before it. Of a run that ends before the first answer, and of what cannot be asked, all is unattributed.
 */
#ifndef WTL_MEASURE_GPU_SHARES_H
#define WTL_MEASURE_GPU_SHARES_H

#include "measure/measurement_state.h"

struct wtl_gpu_shares;

/* Begin to ask, before the window, if a GPU in the total can be asked about; else NULL. */
struct wtl_gpu_shares *wtl_gpu_shares_start(const struct wtl_measurement *m);

/* Set the shares of GPUs of a result that has its channels, so far or final. shares may be NULL: all is unattributed. */
void wtl_gpu_shares_fill(struct wtl_gpu_shares *shares, struct wtl_result *result);

void wtl_gpu_shares_end(struct wtl_gpu_shares *shares); /* accepts NULL; before the session ends */

#endif
