/* SPDX-License-Identifier: BSD-3-Clause */
/* Phases and metrics of a trace with counters, or the phases of a run of many nodes, bounded for a page. */
#ifndef WTL_REPORT_REPORT_PHASES_H
#define WTL_REPORT_REPORT_PHASES_H

#include "analysis/phases/metric_series.h"
#include "analysis/phases/phase_study.h"

struct wtl_report_phases {
    struct wtl_phase_study study; /* count 0 = none */
    struct wtl_metric_series metrics;
    const char *
        problem; /* why there are none although counters were recorded; NULL = there are, or no counters */
    struct wattle_error why;
};

/* 0, also with a problem, which belongs on the page; or -ENOMEM. */
int wtl_report_phases_read(struct wtl_report_phases *phases,
                           struct wtl_trace_reader *reader,
                           size_t points);
/* Of all nodes of a run, without metrics. */
int wtl_report_phases_read_run(struct wtl_report_phases *phases, const struct wtl_run *run);
void wtl_report_phases_fini(struct wtl_report_phases *phases);

#endif
