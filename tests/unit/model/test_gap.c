/* SPDX-License-Identifier: BSD-3-Clause */
/* What each reason of a gap means for the energy of each kind of channel: the one table. */
#include "model/gap.h"
#include "tap.h"

static const struct row {
    int line;
    enum wtl_gap_reason reason;
    const char *name;
    bool counter_loses, stops_ticks;
} rows[] = {
    {__LINE__, WTL_GAP_READ_FAILED, "read failed", false, false},
    {__LINE__, WTL_GAP_STALLED, "stalled", true, true},
    {__LINE__, WTL_GAP_RESET, "reset", true, true},
    {__LINE__, WTL_GAP_LOST_WRAP, "lost wrap", true, true},
    {__LINE__, WTL_GAP_SUSPENDED, "suspended", true, false},
    {__LINE__, WTL_GAP_OVERRUN, "overrun", false, false},
    {__LINE__, WTL_GAP_DAMAGED, "damaged", false, false},
    {__LINE__, WTL_GAP_NOT_SAMPLED, "not sampled", false, false},
    {__LINE__, (enum wtl_gap_reason)31, "?", true, true}, /* of a newer version */
};

int main(void)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct row *row = &rows[i];

        tap_line = row->line;
        is_str(wtl_gap_reason_name(row->reason), row->name, "name");
        ok(wtl_gap_loses_energy(row->reason, WATTLE_COUNTER) == row->counter_loses, "counter");
        ok(wtl_gap_loses_energy(row->reason, WATTLE_GAUGE), "a gauge: nobody saw its power");
        ok(wtl_gap_loses_energy(row->reason, WATTLE_WINDOW_AVERAGE), "a window average as well");
        ok(wtl_gap_stops_ticks(row->reason) == row->stops_ticks, "ticks");
    }
    tap_line = 0;
    char text[64];
    is_str(wtl_gap_incomplete(text, sizeof text, 0), "", "nothing missing, nothing said");
    is_str(wtl_gap_incomplete(text, sizeof text, 2500000000),
           "  INCOMPLETE: the energy of 2.5 s is missing", "what is missing is said");
    return done_testing();
}
