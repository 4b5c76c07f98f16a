/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Traces of nodes of known power, written with the writer: package-0 and dram-0 (a fifth of its
 * power), optionally network-0, all counters of 1 uJ read every interval. The package draws base_w,
 * and work_w more inside the region "solve", which is open from one fifth to four fifths of the
 * run. Each node has a separate clock: its zero is clock_ns, and realtime relates them.
 */
#ifndef WATTLE_TESTS_KNOWN_NODES_H
#define WATTLE_TESTS_KNOWN_NODES_H

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "trace/writer.h"

#define NODE_EPOCH UINT64_C(1700000000000000000)

struct known_node {
    const char *path, *name, *run_id;
    uint64_t clock_ns;           /* value of its monotonic clock when the run begins */
    double base_w, work_w;       /* power of the package */
    double network_w;            /* 0 = no such channel */
    double begin_s, length_s;    /* window, relative to the run's begin */
    double gap_from_s, gap_to_s; /* relative to the window's begin; equal = none */
    double interval_s;           /* 0 = 0.1 */
    uint64_t mpi_ns;             /* time of its one rank inside MPI; 0 = no MPI */
    bool estimated, no_footer;
    const char *labels[8]; /* "app", "cg", "topology", "mesh", NULL */
    const char *region;    /* instead of "solve" */
};

static inline struct wattle_channel node_channel(const char *name,
                                                 enum wattle_domain domain,
                                                 bool estimated)
{
    struct wattle_channel c = {.sensor = "known",
                               .domain = domain,
                               .sub = -1,
                               .quantity = WATTLE_ENERGY,
                               .kind = WATTLE_COUNTER,
                               .quality = estimated ? WATTLE_ESTIMATED : WATTLE_MEASURED,
                               .flags = WATTLE_CHANNEL_PRIMARY,
                               .scale = 1e-6,
                               .refresh_ns = 1000000};
    (void)snprintf(c.name, sizeof c.name, "known:%s", name);
    if (estimated) {
        c.ratio_low = 0.8;
        c.ratio_high = 1.2;
    }
    return c;
}

/* Joules of the package from the window's begin to t. */
static inline double node_joules(const struct known_node *node, double t)
{
    double from = 0.2 * node->length_s, to = 0.8 * node->length_s;
    double inside = fmin(fmax(t, from), to) - from;
    return node->base_w * t + node->work_w * inside;
}

static inline void node_marks(struct wtl_trace_writer *w,
                              const struct known_node *node,
                              uint64_t begin_ns)
{
    struct wtl_trace_process process = {.pid = 77, .rank = 0, .command = "app"};
    struct wtl_trace_thread thread = {.tid = 78, .name = ""};
    thread.process = (uint32_t)wtl_trace_writer_process(w, &process);
    uint32_t t = (uint32_t)wtl_trace_writer_thread(w, &thread);
    uint32_t name = (uint32_t)wtl_trace_writer_string(w, node->region ? node->region : "solve");
    double second = 1e9;
    struct wtl_mark marks[] = {{.time_ns = begin_ns + (uint64_t)(0.2 * node->length_s * second),
                                .thread = t,
                                .name = name,
                                .kind = WTL_MARK_BEGIN},
                               {.time_ns = begin_ns + (uint64_t)(0.8 * node->length_s * second),
                                .thread = t,
                                .name = name,
                                .kind = WTL_MARK_END}};
    (void)wtl_trace_writer_marks(w, marks, 2);
}

static inline void node_meta(struct wtl_trace_writer *w, const struct known_node *node)
{
    char key[64], value[32];
    (void)wtl_trace_writer_meta(w, "run.id", node->run_id ? node->run_id : "known");
    (void)wtl_trace_writer_meta(w, "run.command", "./app");
    (void)wtl_trace_writer_meta(w, "run.target", "command");
    (void)wtl_trace_writer_meta(w, "node.name", node->name);
    (void)wtl_trace_writer_meta(w, "host.name", node->name);
    (void)snprintf(value, sizeof value, "%.0f",
                   1e9 * (node->interval_s > 0 ? node->interval_s : 0.1));
    (void)wtl_trace_writer_meta(w, "sampler.interval_ns", value);
    for (size_t i = 0; i + 1 < 8 && node->labels[i]; i += 2) {
        (void)snprintf(key, sizeof key, "label.%s", node->labels[i]);
        (void)wtl_trace_writer_meta(w, key, node->labels[i + 1]);
    }
    if (node->mpi_ns > 0) {
        (void)snprintf(value, sizeof value, "%llu", (unsigned long long)node->mpi_ns);
        (void)wtl_trace_writer_meta(w, "mpi.ranks", "1");
        (void)wtl_trace_writer_meta(w, "mpi.rank.0.time_ns", value);
        (void)wtl_trace_writer_meta(w, "mpi.rank.0.calls", "12");
    }
}

static inline void node_rows(struct wtl_trace_writer *w,
                             const struct known_node *node,
                             uint32_t group,
                             uint32_t channels,
                             uint64_t begin_ns)
{
    double step_s = node->interval_s > 0 ? node->interval_s : 0.1;
    uint64_t step_ns = (uint64_t)llround(step_s * 1e9);
    uint64_t rows = (uint64_t)llround(node->length_s / step_s), lost = 0;
    for (uint64_t i = 0; i <= rows; i++) {
        double t = (double)i * step_s;
        uint64_t now = begin_ns + i * step_ns;
        double joules = node_joules(node, t);
        uint64_t values[3] = {(uint64_t)llround(1e6 * joules), (uint64_t)llround(0.2e6 * joules),
                              (uint64_t)llround(1e6 * node->network_w * t)};
        bool gap = node->gap_to_s > node->gap_from_s && t > node->gap_from_s + 1e-9 &&
                   t < node->gap_to_s - 1e-9;
        if (gap) {
            lost = lost ? lost : now - step_ns;
            continue;
        }
        for (uint32_t c = 0; lost && c < channels; c++) {
            struct wtl_gap entry = {
                .channel = c, .reason = WTL_GAP_READ_FAILED, .begin_ns = lost, .end_ns = now};
            (void)wtl_trace_writer_gap(w, &entry);
        }
        lost = 0;
        if (i == rows)
            (void)wtl_trace_writer_window_end(w, now);
        (void)wtl_trace_writer_row(w, group, now, values, NULL);
        (void)wtl_trace_writer_poll(w, now);
    }
}

/* Returns 0 or the writer's error. */
static inline int node_write(const struct known_node *node)
{
    struct wtl_trace_options options = {.force = true};
    struct wtl_trace_writer *w;
    const struct wattle_channel channels[3] = {
        node_channel("package-0", WATTLE_DOMAIN_PACKAGE, node->estimated),
        node_channel("dram-0", WATTLE_DOMAIN_DRAM, node->estimated),
        node_channel("network-0", WATTLE_DOMAIN_NETWORK, node->estimated)};
    uint32_t ids[3], count = node->network_w > 0 ? 3 : 2;
    uint64_t begin_ns = node->clock_ns + (uint64_t)llround(1e9 * node->begin_s);
    struct wtl_clock_pair pair = {begin_ns, begin_ns,
                                  NODE_EPOCH + (uint64_t)llround(1e9 * node->begin_s)};
    int rc = wtl_trace_writer_create(node->path, &options, &w, NULL);
    if (rc < 0)
        return rc;
    node_meta(w, node);
    for (uint32_t c = 0; c < count; c++)
        ids[c] = (uint32_t)wtl_trace_writer_channel(w, &channels[c]);
    uint32_t group = (uint32_t)wtl_trace_writer_group(w, ids, count, 0);
    (void)wtl_trace_writer_clocks(w, &pair);
    (void)wtl_trace_writer_window_begin(w, begin_ns);
    node_rows(w, node, group, count, begin_ns);
    if (node->work_w > 0)
        node_marks(w, node, begin_ns);
    if (!node->no_footer)
        return wtl_trace_writer_finish(w, NULL);
    rc = wtl_trace_writer_flush(w);
    wtl_trace_writer_abandon(w);
    return rc;
}

#endif
