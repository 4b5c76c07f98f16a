/* SPDX-License-Identifier: BSD-3-Clause */
/* What each reason of a gap means for the energy of each kind of channel: the one table. */
#include "model/gap.h"

#include <string.h>

#include "base/random.h"
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
    {__LINE__, WTL_GAP_DEVICE_LOST, "device lost", false, false},
    {__LINE__, WTL_GAP_NOT_SAMPLED, "not sampled", false, false},
    {__LINE__, (enum wtl_gap_reason)31, "?", true, true}, /* from a newer version */
};

enum { INSTANTS = 2000 };

/* Random intervals, each reaching back over some of those before: the time is that of the union. */
static void test_cover(uint64_t seed, unsigned most_back)
{
    static bool in[INSTANTS];
    struct wtl_cover cover = {.count = 0};
    uint64_t end = 0, draws = 0, wrong = 0, grown = 0, most = 0;
    memset(in, 0, sizeof in);
    while (end < INSTANTS - 40) {
        end += wtl_random_bits(seed, draws++) % 40;
        uint64_t far = wtl_random_bits(seed, draws++) % 5 == 0 ? most_back : 20;
        uint64_t back = wtl_random_bits(seed, draws++) % far;
        uint64_t begin = back > end ? 0 : end - back, instants = 0;
        memset(in + begin, true, end - begin);
        for (size_t i = 0; i < INSTANTS; i++)
            instants += in[i];
        grown += wtl_cover_add(&cover, begin, end);
        wrong += cover.total_ns != instants || grown != instants;
        most = cover.total_ns > most ? cover.total_ns : most;
    }
    if (most_back <= 200)
        is_int(wrong, 0, "seed %d: each instant once", (int)seed);
    ok(most <= end, "seed %d: never more than there was: %d of %d", (int)seed, (int)most, (int)end);
}

int main(void)
{
    for (uint64_t seed = 1; seed <= 20; seed++) {
        test_cover(seed, 200);
        test_cover(seed, 1500);
    }
    struct wtl_cover cover = {.count = 0};
    is_int(wtl_cover_add(&cover, 10, 10), 0, "none");
    is_int(wtl_cover_add(&cover, 10, 20), 10, "one");
    is_int(wtl_cover_add(&cover, 20, 25), 5, "the next to it");
    is_int(wtl_cover_add(&cover, 5, 40), 20, "around both");
    is_int(wtl_cover_add(&cover, 12, 40), 0, "within");
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
