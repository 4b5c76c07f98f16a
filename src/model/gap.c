/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of the reasons of gaps: see gap.h. */
#include "model/gap.h"

#include <stddef.h>

const char *wtl_gap_reason_name(enum wtl_gap_reason reason)
{
    static const char *const names[WTL_GAP_REASON_COUNT] = {
        [WTL_GAP_READ_FAILED] = "read failed",
        [WTL_GAP_STALLED] = "stalled",
        [WTL_GAP_RESET] = "reset",
        [WTL_GAP_LOST_WRAP] = "lost wrap",
        [WTL_GAP_SUSPENDED] = "suspended",
        [WTL_GAP_OVERRUN] = "overrun",
        [WTL_GAP_DAMAGED] = "damaged",
        [WTL_GAP_NOT_SAMPLED] = "not sampled",
    };
    return (size_t)reason < WTL_GAP_REASON_COUNT ? names[reason] : "?";
}
