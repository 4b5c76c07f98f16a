/* SPDX-License-Identifier: BSD-3-Clause */
/* A region of 2 s at 50 W has 100 J, and the time outside has the rest. */
#include "analysis/regions/region_rows.h"

#include <math.h>

#include "analysis/cluster/run_result.h"
#include "sample_trace.h"
#include "tap.h"

int main(void)
{
    struct wtl_trace_reader *reader = NULL;
    struct wtl_result result;
    struct wtl_region_row *rows = NULL;
    struct wattle_error err = {""};
    if (!is_int(sample_trace("region_rows.wtl", SAMPLE_WHOLE), 0, "a trace") ||
        !is_int(wtl_trace_reader_open("region_rows.wtl", &reader, &err), 0, "opened") ||
        !is_int(wtl_run_result_read(reader, "x", &result, &err), 0, "read %s", err.text))
        return done_testing();
    int count = wtl_region_rows(reader, &result, &rows, &err);
    if (is_int(count, 2, "outside and one region")) {
        is_str(rows[0].name, "", "outside first");
        is_double(rows[0].inclusive.j, 400, 0.5, "outside");
        is_str(rows[1].name, "solve", "the region");
        is_int(rows[1].count, 1, "once");
        is_double(rows[1].thread_s, 2, 1e-9, "for 2 s");
        is_double(rows[1].inclusive.j, 100, rows[1].inclusive.half_j + 0.1, "100 J");
        is_double(rows[1].exclusive.j, 100, rows[1].exclusive.half_j + 0.1, "exclusive");
        ok(rows[1].inclusive.half_j > 0 && rows[1].inclusive.half_j < 5, "with an interval: %g",
           rows[1].inclusive.half_j);
    }
    free(rows);

    /* The same as an estimate: the interval includes the model's error. */
    double exact = 0;
    result.channels[0].channel.quality = WATTLE_ESTIMATED;
    result.channels[0].channel.ratio_low = 0.5;
    result.channels[0].channel.ratio_high = 1.5;
    if (wtl_region_rows(reader, &result, &rows, &err) == 2)
        exact = rows[1].inclusive.half_j;
    is_double(exact, 50, 1, "half of it for a model that may be wrong by half");
    free(rows);

    result.channels[0].channel.flags &= ~(unsigned)WATTLE_CHANNEL_IN_TOTAL;
    if (is_int(wtl_region_rows(reader, &result, &rows, &err), 2, "without a total"))
        ok(isnan(rows[1].inclusive.j), "the energy is unknown");
    free(rows);
    wtl_result_fini(&result);
    wtl_trace_reader_close(reader);
    return done_testing();
}
