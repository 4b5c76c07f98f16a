/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of the reasons of gaps, and the effect of each on the energy: see gap.h. The one place that
 * decides this for all code that reads samples. */
#include "model/gap.h"

#include <stdio.h>
#include <string.h>

#include "base/text/figures.h"

/* What happens to a counter's energy in the gap. */
enum effect {
    COUNTED, /* its growth over the gap is correct */
    UNSURE,  /* its growth may include energy of another time */
    STOPPED  /* ticks stand still: what was counted in the gap is unknown */
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
    [WTL_GAP_DEVICE_LOST] = {"device lost", COUNTED},
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

/* Time covered by a part from its begin to a time within it. */
static uint64_t covered_until(const struct wtl_cover_part *part, uint64_t time_ns)
{
    uint64_t long_ns = part->end_ns - part->begin_ns, up_to_ns = time_ns - part->begin_ns;
    if (part->covered_ns == long_ns)
        return up_to_ns;
    return (uint64_t)((double)part->covered_ns * ((double)up_to_ns / (double)long_ns));
}

/* Merge the interval with the parts that it touches. */
static struct wtl_cover_part join(const struct wtl_cover_part *parts,
                                  unsigned n,
                                  uint64_t begin_ns,
                                  uint64_t end_ns)
{
    struct wtl_cover_part whole = {begin_ns, end_ns, end_ns - begin_ns};
    for (unsigned i = 0; i < n; i++) {
        if (parts[i].begin_ns < begin_ns) {
            whole.covered_ns += covered_until(&parts[i], begin_ns);
            whole.begin_ns = parts[i].begin_ns;
        }
        if (parts[i].end_ns > end_ns) {
            whole.covered_ns += parts[i].covered_ns - covered_until(&parts[i], end_ns);
            whole.end_ns = parts[i].end_ns;
        }
    }
    return whole;
}

uint64_t wtl_cover_add(struct wtl_cover *cover, uint64_t begin_ns, uint64_t end_ns)
{
    struct wtl_cover_part *parts = cover->parts;
    uint64_t before_ns = cover->total_ns;
    unsigned from = 0, to;
    if (end_ns <= begin_ns)
        return 0;
    while (from < cover->count && parts[from].end_ns < begin_ns)
        from++;
    for (to = from; to < cover->count && parts[to].begin_ns <= end_ns; to++)
        cover->total_ns -= parts[to].covered_ns;
    struct wtl_cover_part whole = join(&parts[from], to - from, begin_ns, end_ns);
    memmove(&parts[from + 1], &parts[to], (cover->count - to) * sizeof *parts);
    cover->count += 1 - (to - from);
    parts[from] = whole;
    cover->total_ns += whole.covered_ns;
    if (cover->count > WTL_COVER_PARTS) { /* merge the two oldest */
        parts[1].begin_ns = parts[0].begin_ns;
        parts[1].covered_ns += parts[0].covered_ns;
        memmove(parts, parts + 1, --cover->count * sizeof *parts);
    }
    return cover->total_ns - before_ns;
}

bool wtl_gap_matters(uint64_t unknown_ns, double time_s)
{
    static const double part = 1e-3;
    return (double)unknown_ns * 1e-9 > part * time_s;
}

char *wtl_gap_incomplete(char *buf, size_t n, uint64_t unknown_ns)
{
    buf[0] = '\0';
    if (unknown_ns > 0)
        (void)snprintf(buf, n, "  INCOMPLETE: the energy of %s s is missing",
                       WTL_IN_FIGURES((double)unknown_ns * 1e-9, 3));
    return buf;
}
