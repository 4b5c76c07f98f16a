/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Usage: make_pages FOLDER
 *
 * Traces with invented power for the pictures of pages in the guide, marked as simulated: FOLDER/nodes has a run of
 * 48 nodes, one of which ends late and one of which has a gap; FOLDER/study has 90 runs on one node, three
 * applications at three scales in two topologies, five times each.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/writer.h"

#define SECOND UINT64_C(1000000000)
#define EPOCH  (UINT64_C(1700000000) * SECOND)

enum { PARTS = 3, NODES = 48, STRAGGLER = 17, SILENT = 31 };

/* A node of a run: its power in phases. */
struct node {
    char path[512], name[16], run[48];
    const char *command;
    const char *labels[3]; /* app, scale, topology; NULL = none */
    double phase_s[5];     /* their ends */
    double package_w[5];
    double seconds, parts_w[PARTS]; /* [1..]: of dram and network */
    double wave_w;
    uint64_t every_ns;
    double gap_s[2]; /* not sampled from .. to; 0, 0 = always */
    int parts;
};

static double noise(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(*state >> 33) / 2147483648.0 - 0.5;
}

static double package_w(const struct node *n, double at_s)
{
    size_t phase = 0;
    while (phase < 4 && at_s >= n->phase_s[phase])
        phase++;
    return n->package_w[phase] + n->wave_w * sin(at_s / 5);
}

static uint32_t add_channel(struct wtl_trace_writer *w, int part)
{
    static const char *const names[PARTS] = {"powercap:package-0", "powercap:dram-0",
                                             "hwmon:network-0"};
    static const enum wattle_domain domains[PARTS] = {WATTLE_DOMAIN_PACKAGE, WATTLE_DOMAIN_DRAM,
                                                      WATTLE_DOMAIN_NETWORK};
    struct wattle_channel c = {.domain = domains[part],
                               .sub = -1,
                               .quantity = WATTLE_ENERGY,
                               .kind = WATTLE_COUNTER,
                               .flags = WATTLE_CHANNEL_PRIMARY | WATTLE_CHANNEL_SIMULATED,
                               .scale = 1e-6,
                               .refresh_ns = 1000000};
    (void)snprintf(c.name, sizeof c.name, "%s", names[part]);
    (void)snprintf(c.sensor, sizeof c.sensor, "%s", part < 2 ? "powercap" : "hwmon");
    return (uint32_t)wtl_trace_writer_channel(w, &c);
}

static void add_metadata(struct wtl_trace_writer *w, const struct node *n)
{
    static const char *const keys[3] = {"label.app", "label.scale", "label.topology"};
    char interval[24];
    (void)snprintf(interval, sizeof interval, "%llu", (unsigned long long)n->every_ns);
    (void)wtl_trace_writer_meta(w, "node.name", n->name);
    (void)wtl_trace_writer_meta(w, "node.key", n->name);
    (void)wtl_trace_writer_meta(w, "host.name", n->name);
    (void)wtl_trace_writer_meta(w, "run.id", n->run);
    (void)wtl_trace_writer_meta(w, "run.command", n->command);
    (void)wtl_trace_writer_meta(w, "sampler.interval_ns", interval);
    for (int i = 0; i < 3; i++)
        if (n->labels[i])
            (void)wtl_trace_writer_meta(w, keys[i], n->labels[i]);
}

static void add_rows(struct wtl_trace_writer *w,
                     const struct node *n,
                     uint32_t group,
                     const uint32_t *ids)
{
    uint64_t begin = EPOCH, rows = (uint64_t)(n->seconds * 1e9) / n->every_ns;
    double joules[PARTS] = {0}, every_s = (double)n->every_ns * 1e-9;
    for (uint64_t i = 0; i <= rows; i++) {
        double at_s = (double)i * every_s, w0 = package_w(n, at_s);
        uint64_t values[PARTS], now = begin + i * n->every_ns;
        for (int p = 0; p < n->parts; p++) {
            values[p] = (uint64_t)(joules[p] * 1e6);
            joules[p] += every_s * (p == 0 ? w0 : p == 1 ? n->parts_w[1] * w0 : n->parts_w[2]);
        }
        if (at_s > n->gap_s[0] && at_s < n->gap_s[1])
            continue;
        (void)wtl_trace_writer_row(w, group, now, values, NULL);
        (void)wtl_trace_writer_poll(w, now);
    }
    for (int p = 0; n->gap_s[1] > 0 && p < n->parts; p++)
        (void)wtl_trace_writer_gap(
            w, &(struct wtl_gap){.channel = ids[p],
                                 .reason = WTL_GAP_STALLED,
                                 .begin_ns = begin + (uint64_t)(n->gap_s[0] * 1e9),
                                 .end_ns = begin + (uint64_t)(n->gap_s[1] * 1e9)});
    (void)wtl_trace_writer_window_end(w, begin + rows * n->every_ns);
}

static void add_region(struct wtl_trace_writer *w, const struct node *n)
{
    struct wtl_trace_process process = {.pid = 77, .rank = -1, .command = n->command};
    int p = wtl_trace_writer_process(w, &process);
    struct wtl_trace_thread thread = {.process = (uint32_t)p, .tid = 78, .name = ""};
    uint32_t id = (uint32_t)wtl_trace_writer_thread(w, &thread);
    uint32_t name = (uint32_t)wtl_trace_writer_string(w, "solve");
    struct wtl_mark marks[2] = {{.time_ns = EPOCH + (uint64_t)(n->phase_s[0] * 1e9),
                                 .thread = id,
                                 .name = name,
                                 .kind = WTL_MARK_BEGIN},
                                {.time_ns = EPOCH + (uint64_t)(n->phase_s[1] * 1e9),
                                 .thread = id,
                                 .name = name,
                                 .kind = WTL_MARK_END}};
    (void)wtl_trace_writer_marks(w, marks, 2);
}

static int write_node(const struct node *n)
{
    struct wtl_trace_options options = {.force = true};
    struct wtl_trace_writer *w;
    uint32_t ids[PARTS];
    struct wtl_clock_pair pair = {EPOCH, EPOCH, EPOCH};
    int rc = wtl_trace_writer_create(n->path, &options, &w, NULL);
    if (rc < 0)
        return rc;
    add_metadata(w, n);
    for (int p = 0; p < n->parts; p++)
        ids[p] = add_channel(w, p);
    uint32_t group = (uint32_t)wtl_trace_writer_group(w, ids, (uint32_t)n->parts, 0);
    (void)wtl_trace_writer_clocks(w, &pair);
    (void)wtl_trace_writer_window_begin(w, EPOCH);
    add_rows(w, n, group, ids);
    add_region(w, n);
    return wtl_trace_writer_finish(w, NULL);
}

static int write_nodes(const char *folder)
{
    int rc = 0;
    uint64_t seed = 1;
    for (int k = 1; rc == 0 && k <= NODES; k++) {
        double late_s = 2 * noise(&seed), more_w = 6 * noise(&seed);
        struct node n = {.run = "r1",
                         .command = "./app",
                         .phase_s = {36, 72, 81 + late_s, 144, 180},
                         .package_w = {115, 215, 212, 172, 104},
                         .seconds = k == STRAGGLER ? 198 : 180,
                         .parts_w = {0, 0.2, 31 + noise(&seed)},
                         .wave_w = 1.2,
                         .every_ns = SECOND / 4,
                         .gap_s = {k == SILENT ? 72 : 0, k == SILENT ? 90 : 0},
                         .parts = PARTS};
        for (int i = 0; i < 5; i++)
            n.package_w[i] += more_w;
        n.phase_s[3] += k == STRAGGLER ? 18 : late_s / 4;
        (void)snprintf(n.name, sizeof n.name, "n%02d", k);
        (void)snprintf(n.path, sizeof n.path, "%s/nodes/%s.wtl", folder, n.name);
        rc = write_node(&n);
    }
    return rc;
}

static int write_study(const char *folder)
{
    static const char *const apps[] = {"dgemm", "stream", "xsbench"};
    static const char *const scales[] = {"1", "2", "4"};
    static const char *const topologies[] = {"mesh", "torus"};
    static const double times_s[] = {1.36, 1.26, 1.27}, powers_w[] = {155, 121, 108};
    static const double parts[] = {1, 0.53, 0.3};
    int rc = 0;
    uint64_t seed = 5;
    for (int i = 0; rc == 0 && i < 90; i++) {
        int app = i / 30, scale = i / 10 % 3, topology = i / 5 % 2;
        double slower = topology == 0 && scale > 0 ? 1 + 0.12 * scale : 1;
        double power_w = powers_w[app] - 2 * scale + 4 * noise(&seed);
        struct node n = {.command = apps[app],
                         .labels = {apps[app], scales[scale], topologies[topology]},
                         .seconds =
                             times_s[app] * parts[scale] * slower * (1 + 0.03 * noise(&seed)),
                         .package_w = {50, power_w, power_w + 5, power_w - 3, 60},
                         .parts_w = {0, 0.28, 0},
                         .wave_w = 2.5,
                         .every_ns = SECOND / 500,
                         .name = "n1",
                         .parts = 2};
        const double ends[5] = {0.02, 0.45, 0.6, 0.97 - 0.08 * (app == 0), 1};
        for (int k = 0; k < 5; k++)
            n.phase_s[k] = ends[k] * n.seconds;
        (void)snprintf(n.run, sizeof n.run, "%s-%s-%s-%d", apps[app], scales[scale],
                       topologies[topology], i % 5 + 1);
        (void)snprintf(n.path, sizeof n.path, "%s/study/%s.wtl", folder, n.run);
        rc = write_node(&n);
    }
    return rc;
}

int main(int argc, char **argv)
{
    if (argc != 2 || write_nodes(argv[1]) < 0 || write_study(argv[1]) < 0) {
        (void)fprintf(stderr, "usage: make_pages FOLDER, with the folders nodes and study\n");
        return 1;
    }
    return 0;
}
