/* SPDX-License-Identifier: BSD-3-Clause */
/* A node's measurement from inside: see profiler_node.h. */
#define _GNU_SOURCE
#include "profiler/profiler_node.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/fail.h"
#include "measure/measurement.h"
#include "profiler/profiler_read.h"

/* Ticks of each counter to wait for before and after (docs/decisions/0003). */
enum { EDGES = 2 };

struct wtl_profiler_node {
    struct wtl_measurement m;
    wtl_profiler_tell_fn tell;
};

static void warn(void *context, const char *sentence)
{
    const struct wtl_profiler_node *node = context;
    if (node->tell)
        node->tell(sentence);
}

/* For this process what programs read while it runs need not be found. */
static void read_own_page(struct wtl_profiler_node *node)
{
    struct wtl_energy_reader *reader;
    size_t size;
    if (!node->m.energy)
        return;
    const struct wtl_energy_header *header = wtl_energy_page_lend(node->m.energy, &size);
    if (wtl_energy_page_attach(header, size, &reader) == 0)
        wtl_profiler_read_from(reader);
}

static int open_all(struct wtl_profiler_node *node,
                    const struct wtl_profiler_plan *plan,
                    struct wattle_error *err)
{
    const struct wtl_profiler_settings *s = plan->settings;
    const struct wtl_measurement_options options = {
        .world = plan->world,
        .sensors = s->sensors,
        .target_name = "program", /* of the processes of a job none is the one to be followed */
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
        .teller = {.warn = warn, .context = node}};
    int rc = wtl_measurement_init(&node->m, &options, err);
    if (rc < 0)
        return rc;
    wtl_run_trace_spool(&node->m.trace);
    rc = wtl_measurement_open(&node->m, err);
    if (rc == -EEXIST && node->m.trace.refused == rc)
        return wtl_fail(err, rc, "%s: exists; remove it, or give another path in options.output",
                        plan->trace);
    return rc;
}

int wtl_profiler_node_open(const struct wtl_profiler_plan *plan,
                           struct wtl_profiler_node **ret_node,
                           struct wattle_error *err)
{
    struct wtl_profiler_node *node = calloc(1, sizeof *node);
    if (!node)
        return wtl_no_memory_for(err, "the profiler");
    node->tell = plan->tell;
    int rc = open_all(node, plan, err);
    if (rc < 0) {
        wtl_measurement_discard(&node->m); /* a trace without a measurement is not left behind */
        free(node);
        return rc;
    }
    read_own_page(node);
    (void)wtl_measurement_prepare(&node->m); /* on a thread that nobody gives up */
    wtl_measurement_start(&node->m);
    wtl_measurement_begin(&node->m);
    *ret_node = node;
    return 0;
}

const char *wtl_profiler_node_trace(const struct wtl_profiler_node *node)
{
    return node->m.trace.refused < 0 ? NULL : node->m.trace.path;
}

const char *wtl_profiler_node_spool(const struct wtl_profiler_node *node)
{
    return wtl_run_trace_folder(&node->m.trace);
}

void wtl_profiler_node_flag(struct wtl_profiler_node *node, const char *name, const char *text)
{
    wtl_measurement_flag(&node->m, name, text);
}

int wtl_profiler_node_end(struct wtl_profiler_node *node,
                          double cpu_s,
                          struct wtl_result *ret_result)
{
    const struct wtl_measurement_used used = {
        .cpu_s = cpu_s, .max_rss_bytes = NAN, .exit_code = -1};
    wtl_measurement_end(&node->m, wtl_world_monotonic(node->m.options.world));
    wtl_measurement_result(&node->m, &used, ret_result);
    int regions = wtl_measurement_fill_trace(&node->m, ret_result, NULL);
    int rc = wtl_run_trace_finish(&node->m.trace, ret_result, NULL);
    return regions < 0 ? regions : rc;
}

void wtl_profiler_node_leave(struct wtl_profiler_node *node)
{
    wtl_measurement_leave(&node->m);
}

void wtl_profiler_node_forget(struct wtl_profiler_node *node)
{
    if (node && node->m.trace.writer)
        wtl_trace_writer_forget(node->m.trace.writer);
}

void wtl_profiler_node_close(struct wtl_profiler_node *node)
{
    if (!node)
        return;
    wtl_measurement_close(&node->m);
    free(node);
}
