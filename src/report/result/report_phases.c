/* SPDX-License-Identifier: BSD-3-Clause */
/* Phases for a page: see report_phases.h. */
#include "report/result/report_phases.h"

#include <errno.h>
#include <math.h>

#include "base/fail.h"
#include "base/parse.h"
#include "model/meta_key.h"

enum { PHASES = 2000, ROWS = 100000, NODES = 64 };

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

static struct wtl_phase_request request_of(const struct wtl_trace_reader *reader)
{
    return (struct wtl_phase_request){.options = wtl_phase_options_default(),
                                      .step_ns = row_length(reader),
                                      .idle_beta = (double)NAN};
}

/* Phases that are too many become a problem, as what kept them from being found did. */
static int settle(struct wtl_report_phases *phases, int rc)
{
    size_t count = 0;
    for (size_t i = 0; rc == 0 && i < phases->study.count; i++)
        count += phases->study.nodes[i].phases.count;
    if (count > PHASES) {
        rc = wtl_fail(&phases->why, -E2BIG,
                      "%zu phases are too many to show; see \"wattle phases --min-length\"", count);
        wtl_phase_study_fini(&phases->study);
    }
    if (rc < 0 && rc != -ENOMEM)
        phases->problem = phases->why.text;
    return rc == -ENOMEM ? rc : 0;
}

int wtl_report_phases_read(struct wtl_report_phases *phases,
                           struct wtl_trace_reader *reader,
                           size_t points)
{
    const struct wtl_phase_request request = request_of(reader);
    struct wattle_error ignored;
    if (!wtl_trace_reader_meta(reader, WTL_META_COUNTERS_SET))
        return 0;
    int rc = wtl_phase_study_of(&phases->study, reader, &request, &phases->why);
    if (rc == 0 && wtl_metric_series_read(reader, &phases->study.nodes->rows, points,
                                          &phases->metrics, &ignored) == -ENOMEM)
        return -ENOMEM;
    return settle(phases, rc);
}

int wtl_report_phases_read_run(struct wtl_report_phases *phases, const struct wtl_run *run)
{
    struct wtl_trace_reader *reader = NULL;
    struct wtl_phase_request request = {.step_ns = 0};
    bool counted = false;
    for (size_t i = 0; !counted && i < wtl_run_node_count(run); i++) {
        if (wtl_run_node_open(run, i, &reader, &phases->why) < 0)
            continue;
        counted = wtl_trace_reader_meta(reader, WTL_META_COUNTERS_SET) != NULL;
        request = request_of(reader);
        wtl_trace_reader_close(reader);
    }
    if (!counted)
        return 0;
    int rc =
        wtl_run_node_count(run) <= NODES
            ? wtl_phase_study_of_run(&phases->study, run, &request, &phases->why)
            : wtl_fail(&phases->why, -E2BIG,
                       "those of more than %d nodes are not shown; see \"wattle phases --node\"",
                       NODES);
    return settle(phases, rc);
}

void wtl_report_phases_fini(struct wtl_report_phases *phases)
{
    wtl_phase_study_fini(&phases->study);
    wtl_metric_series_fini(&phases->metrics);
}
