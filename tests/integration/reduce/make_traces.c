/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Usage: make_traces FOLDER NODES [WORD...]
 *
 * Traces of the nodes n1 .. nNODES of the run "r1" in FOLDER, of known energy: node k draws 50 + k W in its package and
 * 10 W in its memory over 2 s, begins (k - 1) * 20 ms later than the first, and has the region "solve" from 0.4 s to
 * 0.8 s of its window. Rank k - 1 ran on node k. Words: sync (measured offsets, no wall clock), cut (the last has no
 * footer), estimated (the last has only estimates), listed (the job had one node more), groups=RANKS (run.groups of
 * all), last-groups=RANKS (of the last), bare (the last has no samples), regions=N (r0 .. within "solve"), psys (its
 * package is in a psys of 100 + k W, and contains cores with a quarter of its power), empty (the last was cut off
 * before its window and its first sample).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unit/analysis/run_traces.h"

/* The text after "groups=". */
static const char *after(int argc, char **argv, const char *word)
{
    for (int i = 3; i < argc; i++)
        if (strncmp(argv[i], word, strlen(word)) == 0)
            return argv[i] + strlen(word);
    return NULL;
}

static int has(int argc, char **argv, const char *word)
{
    for (int i = 3; i < argc; i++)
        if (strcmp(argv[i], word) == 0)
            return 1;
    return 0;
}

int main(int argc, char **argv)
{
    char path[512], node[32], nodes[64];
    if (argc < 3)
        return 2;
    int count = atoi(argv[2]);
    const char *regions = after(argc, argv, "regions=");
    (void)snprintf(nodes, sizeof nodes, "n[1-%d]", count + 1);
    for (int k = 1; k <= count; k++) {
        (void)snprintf(path, sizeof path, "%s/n%d.wtl", argv[1], k);
        (void)snprintf(node, sizeof node, "n%d", k);
        const char *groups = k == count ? after(argc, argv, "last-groups=") : NULL;
        struct run_trace t = {.path = path,
                              .node = node,
                              .key = node,
                              .run_id = "r1",
                              .nodes = has(argc, argv, "listed") ? nodes : NULL,
                              .groups = groups ? groups : after(argc, argv, "groups="),
                              .bare = k == count && has(argc, argv, "bare"),
                              .regions = regions ? atoi(regions) : 0,
                              .package_w = 50 + k,
                              .dram_w = 10,
                              .monotonic_ns = (uint64_t)(1000 + 7 * k) * RUN_SECOND,
                              .late_ns = (uint64_t)(k - 1) * 20000000,
                              .seconds = 2,
                              .sync = has(argc, argv, "sync"),
                              .no_wall = has(argc, argv, "sync"),
                              .estimated = k == count && has(argc, argv, "estimated"),
                              .cut = k == count && has(argc, argv, "cut"),
                              .empty = k == count && has(argc, argv, "empty"),
                              .psys_w = has(argc, argv, "psys") ? 100 + k : 0,
                              .rank = k - 1};
        if (run_trace_write(&t) < 0)
            return 1;
    }
    return 0;
}
