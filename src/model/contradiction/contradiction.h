/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Contradictions: channels of a result of which one contains the other, or which measure the same, and whose energies cannot
 * both be right. Which of them is wrong is not known from the numbers alone, so that nothing is corrected: the result says so.
 */
#ifndef WTL_MODEL_CONTRADICTION_H
#define WTL_MODEL_CONTRADICTION_H

#include "model/result.h"

/* Set the flag CONTRADICTORY if any two of the energies contradict each other. 0 or -ENOMEM. */
int wtl_contradiction_flag(struct wtl_result *result);

#endif
