/* SPDX-License-Identifier: BSD-3-Clause */
/* What the reasons of gaps are called, and what such a gap means for the energy: see gap.h. The one
 * place that decides it, for all that reads samples. */
#include "model/gap.h"

#include <stdio.h>

/* What becomes of a counter's energy in the gap. */
enum effect {
    COUNTED, /* its growth over the gap is right */
    UNSURE,  /* it has grown by what may not be energy of this time */
    STOPPED  /* ticks stand still: what was counted in it is not known */
};

static const struct {
    const char *name;
    enum effect effect;
} reasons[WTL_GAP_REASON_COUNT] = {
    [WTL_GAP_READ_FAILED] = {"read failed", COUNTED},
    [WTL_GAP_STALLED] = {"stalled", STOPPED},
    [WTL_GAP_RESET] = {"reset", STOPPED},
    [WTL_GAP_LOST_WRAP] = {"lost wrap", STOPPED},
    [WTL_GAP_SUSPENDED] = {"suspended", UNSURE},
    [WTL_GAP_OVERRUN] = {"overrun", COUNTED},
    [WTL_GAP_DAMAGED] = {"damaged", COUNTED},
    [WTL_GAP_NOT_SAMPLED] = {"not sampled", COUNTED},
    [WTL_GAP_IMPLAUSIBLE_VALUE] = {"implausible value", UNSURE},
};

const char *wtl_gap_reason_name(enum wtl_gap_reason reason)
{
    return (size_t)reason < WTL_GAP_REASON_COUNT ? reasons[reason].name : "?";
}

bool wtl_gap_loses_energy(enum wtl_gap_reason reason, enum wattle_kind kind)
{
    return kind != WATTLE_COUNTER || (size_t)reason >= WTL_GAP_REASON_COUNT ||
           reasons[reason].effect != COUNTED;
}

bool wtl_gap_stops_ticks(enum wtl_gap_reason reason)
{
    return (size_t)reason >= WTL_GAP_REASON_COUNT || reasons[reason].effect == STOPPED;
}

char *wtl_gap_incomplete(char *buf, size_t n, uint64_t unknown_ns)
{
    buf[0] = '\0';
    if (unknown_ns > 0)
        (void)snprintf(buf, n, "  INCOMPLETE: the energy of %.3g s is missing",
                       (double)unknown_ns * 1e-9);
    return buf;
}
