/* SPDX-License-Identifier: BSD-3-Clause */
/* Measures a node from inside a program: see profiler_node.h. */
#define _GNU_SOURCE
#include "profiler/profiler_node.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/fail.h"
#include "profiler/profiler_read.h"

/* Ticks of each counter to wait for before and after (docs/decisions/0003). */
enum { EDGES = 2 };

/* In this process, the page that programs read during the run need not be looked up. */
static void read_own_page(struct wtl_measurement *node)
{
    struct wtl_energy_reader *reader;
    size_t size;
    if (!node->energy)
        return;
    const struct wattle_page_header *header = wtl_energy_page_lend(node->energy, &size);
    if (wtl_energy_page_attach(header, size, &reader) == 0)
        wtl_profiler_read_from(reader);
}

static int open_all(struct wtl_measurement *node,
                    const struct wtl_profiler_plan *plan,
                    struct wattle_error *err)
{
    const struct wtl_profiler_settings *s = plan->settings;
    const struct wtl_measurement_options options = {
        .world = plan->world,
        .sensors = s->sensors,
        .target_name = "program", /* no single process of a job is the one to follow */
        .inside = true,
        .activity = true,
        .trace_path = plan->trace,
        .trace = {.need = s->output_is_option ? WTL_TRACE_NEW : WTL_TRACE_TRY,
                  .remedy = s->output_is_option ? "give a new file, or a folder, in options.output"
                                                : "give a new file, or a folder, in WATTLE_OUTPUT"},
        .interval_ns = s->interval_ns,
        .sampler_cpu = WTL_SAMPLER_CPU_AUTO,
        .edges = s->edges ? EDGES : 0,
        .own_page = true,
        .work = NAN,
        .node_name = plan->node_name,
        .node_key = plan->node_key,
        .run_id = plan->run_id,
        .groups = s->groups,
        .teller = plan->teller};
    int rc = wtl_measurement_init(node, &options, err);
    if (rc < 0)
        return rc;
    wtl_run_trace_spool(&node->trace);
    rc = wtl_measurement_open(node, err);
    if (node->trace.refused < 0)
        wtl_run_trace_no_spool(&node->trace); /* it may be the folder of an existing trace */
    if (rc == -EEXIST && node->trace.refused == rc)
        return wtl_fail(err, rc,
                        "%s already exists; remove it, or give another path in options.output",
                        plan->trace);
    return rc;
}

int wtl_profiler_node_open(const struct wtl_profiler_plan *plan,
                           struct wtl_measurement **ret_node,
                           struct wattle_error *err)
{
    struct wtl_measurement *node = calloc(1, sizeof *node);
    if (!node)
        return wtl_no_memory_for(err, "the profiler");
    int rc = open_all(node, plan, err);
    if (rc < 0) {
        wtl_measurement_discard(node); /* leave no trace without a measurement */
        free(node);
        return rc;
    }
    read_own_page(node);
    (void)wtl_measurement_prepare(node); /* on a thread that is never given up */
    wtl_measurement_start(node);
    wtl_measurement_begin(node);
    *ret_node = node;
    return 0;
}

int wtl_profiler_node_end(struct wtl_measurement *node, double cpu_s, struct wtl_result *ret_result)
{
    const struct wtl_measurement_used used = {
        .cpu_s = cpu_s, .max_rss_bytes = NAN, .exit_code = -1};
    wtl_measurement_end(node, wtl_world_monotonic(node->options.world));
    wtl_measurement_result(node, &used, ret_result);
    int regions = wtl_measurement_fill_trace(node, ret_result, NULL);
    int rc = wtl_run_trace_finish(&node->trace, ret_result, NULL);
    return regions < 0 ? regions : rc;
}

void wtl_profiler_node_close(struct wtl_measurement *node)
{
    if (!node)
        return;
    wtl_measurement_close(node);
    free(node);
}
