/* SPDX-License-Identifier: BSD-3-Clause */
/* Phases for a page: see report_phases.h. */
#include "report/result/report_phases.h"

#include <errno.h>
#include <math.h>

#include "base/fail.h"
#include "base/parse.h"
#include "model/meta_key.h"

enum { PHASES = 2000, ROWS = 100000 };

/* Longer rows than those of the counters where there would be too many. */
static uint64_t row_length(const struct wtl_trace_reader *reader)
{
    const char *text = wtl_trace_reader_meta(reader, WTL_META_COUNTERS_INTERVAL_NS);
    struct wtl_trace_window window;
    uint64_t interval_ns = 0;
    wtl_trace_reader_window(reader, &window);
    if (!window.started || !window.ended || !text || wtl_parse_u64(text, &interval_ns) < 0 ||
        interval_ns == 0)
        return 0;
    uint64_t length_ns = window.end_monotonic_ns - window.start_monotonic_ns;
    return length_ns / interval_ns > ROWS ? length_ns / ROWS : 0;
}

int wtl_report_phases_read(struct wtl_report_phases *phases,
                           struct wtl_trace_reader *reader,
                           size_t points)
{
    const struct wtl_phase_request request = {.options = wtl_phase_options_default(),
                                              .step_ns = row_length(reader),
                                              .idle_beta = (double)NAN};
    struct wattle_error ignored;
    if (!wtl_trace_reader_meta(reader, WTL_META_COUNTERS_SET))
        return 0;
    int rc = wtl_phase_study_of(&phases->study, reader, &request, &phases->why);
    if (rc == -ENOMEM)
        return rc;
    if (rc < 0) {
        phases->problem = phases->why.text;
        return 0;
    }
    const struct wtl_phase_node *node = phases->study.nodes;
    if (wtl_metric_series_read(reader, &node->rows, points, &phases->metrics, &ignored) == -ENOMEM)
        return -ENOMEM;
    if (node->phases.count > PHASES) {
        (void)wtl_fail(&phases->why, -E2BIG,
                       "%zu phases are too many to show; see \"wattle phases --min-length\"",
                       node->phases.count);
        phases->problem = phases->why.text;
        wtl_phase_study_fini(&phases->study);
    }
    return 0;
}

void wtl_report_phases_fini(struct wtl_report_phases *phases)
{
    wtl_phase_study_fini(&phases->study);
    wtl_metric_series_fini(&phases->metrics);
}
