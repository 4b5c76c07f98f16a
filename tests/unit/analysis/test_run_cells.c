/* SPDX-License-Identifier: BSD-3-Clause */
/* The steps of a run's CSVs: as long as the sample spacing, and no more than its traces can
 * fill. */
#include "analysis/cluster/run_cells.h"

#include <errno.h>

#include "run_traces.h"
#include "tap.h"

static void try(const struct wtl_run *run, uint64_t step_ns, int want, uint64_t want_step_ns)
{
    struct wtl_run_totals totals;
    struct wtl_run_cells cells;
    struct wattle_error err = {""};
    is_int(wtl_run_totals_of(run, &totals, &err), 0, "totals %s", err.text);
    int rc = wtl_run_cells_init(&cells, run, &totals, step_ns, &err);
    if (is_int(rc, want, "steps of %llu ns: %s", (unsigned long long)step_ns, err.text) && rc == 0)
        is_int((intmax_t)cells.grid.step_ns, (intmax_t)want_step_ns, "step");
    if (rc < 0)
        ok(strstr(err.text, "--step"), "and what to do");
    else
        wtl_run_cells_fini(&cells);
    wtl_run_totals_fini(&totals);
}

int main(void)
{
    struct run_trace trace = {.path = "cells.wtl",
                              .node = "a",
                              .run_id = "cells",
                              .package_w = 100,
                              .dram_w = 20,
                              .monotonic_ns = 5000 * RUN_SECOND,
                              .seconds = 5,
                              .rank = -1};
    char word[] = "cells.wtl", *words[] = {word};
    for (trace.no_interval = 0; trace.no_interval < 2; trace.no_interval++) {
        struct wtl_run *run = NULL;
        struct wattle_error err = {""};
        is_int(run_trace_write(&trace), 0, "written");
        if (!is_int(wtl_run_open(words, 1, NULL, &run, &err), 0, "opened %s", err.text))
            continue;
        try(run, 0, 0, trace.no_interval ? wtl_run_node(run, 0)->row->interval_ns : 10000000);
        ok(wtl_run_node(run, 0)->row->interval_ns / 10000000 == 1, "the interval of its samples");
        try(run, 1000000, 0, 1000000);
        try(run, 1000, -ERANGE, 0);
        wtl_run_close(run);
    }
    return done_testing();
}
