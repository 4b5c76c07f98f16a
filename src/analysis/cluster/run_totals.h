/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Run totals: the energy of a run, of its domains, parts and regions, over all nodes, with all
 * flags. This is the one document of a run: reduce, stats, compare and the report are views of it.
 *
 * What is added: energies of nodes, each over its own window, by the rules of run_sum.h.
 *
 * Mean power is energy divided by the time of the whole run, so that it times the time is the
 * energy, and nodes that were measured one after the other, or not to the end, do not count as if
 * they drew power simultaneously. That of a region is over the mean time that a node spent in it,
 * times the nodes.
 */
#ifndef WTL_ANALYSIS_RUN_TOTALS_H
#define WTL_ANALYSIS_RUN_TOTALS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <wattle/error.h>

#include "analysis/cluster/run.h"
#include "analysis/cluster/run_sum.h"
#include "model/result.h"

/* The sum of a domain, or of a part of the machine. */
struct wtl_run_domain_sum {
    const char *name, *within; /* as in struct wtl_run_domain; borrowed from the run */
    enum wattle_domain domain;
    bool estimated, in_total; /* in_total: on every node */
    bool in_some_total;       /* on at least one */
    double in_total_j;        /* how much of it is in the nodes' totals; NaN = nothing, or
                               * unknown */
    size_t channels;
    struct wtl_run_sum sum;
};

/* A region on one node. */
struct wtl_run_stay {
    const struct wtl_run_region *region;
    size_t node, order; /* order: its position over all nodes */
    bool estimated;
};

struct wtl_run_region_sum {
    const char *name; /* "" = outside all regions; borrowed from the run */
    bool estimated;
    uint64_t count, unbalanced, crossing;
    size_t unresolved; /* nodes where its energy is only an interval */
    /* Sums over nodes; union: some thread of the node was inside. */
    double thread_s, union_s, exclusive_s;
    struct wtl_run_sum inclusive, exclusive;
    const struct wtl_run_stay *stays; /* one for each node that had it, in the order of the run */
    size_t stay_count;
};

struct wtl_run_totals {
    double wall_s; /* first begin to last end */
    struct wtl_run_sum measured, estimated;
    const char *contains, *excludes;    /* the total of the first node in the sum, as text */
    bool mixed;                         /* totals do not have the same content on every node */
    struct wtl_run_domain_sum *domains; /* measured ones first, each in the order of domains */
    size_t domain_count;
    struct wtl_run_domain_sum *parts; /* by first appearance over the nodes */
    size_t part_count;
    struct wtl_run_region_sum *regions; /* outside first, then by first appearance over the nodes */
    size_t region_count;
    struct wtl_run_stay *stays; /* all regions */
    struct wtl_run_flags flags; /* those of the nodes, then those of the run */
};

/* The run must outlive it. 0 or -ENOMEM, with a message. Zeroed on failure. */
int wtl_run_totals_of(const struct wtl_run *run,
                      struct wtl_run_totals *ret_totals,
                      struct wattle_error *err);
void wtl_run_totals_fini(struct wtl_run_totals *totals);

/* The main sum of the run: what was measured, or else estimated. */
const struct wtl_run_sum *wtl_run_totals_sum(const struct wtl_run_totals *totals);
/* Is that an estimate? Then its regions are the estimated ones, too. */
bool wtl_run_totals_estimated(const struct wtl_run_totals *totals);

/*
 * The same as a result, for code that uses results: a channel for each domain ("run:package-0"),
 * the sum as its total. path becomes its `trace`. 0 or -ENOMEM.
 */
int wtl_run_totals_result(const struct wtl_run *run,
                          const struct wtl_run_totals *totals,
                          const char *path,
                          struct wtl_result *ret_result);

/* All three steps for a run file. Returns what wtl_run_open() returns. */
int wtl_run_file_result(const char *path, struct wtl_result *ret_result, struct wattle_error *err);

#endif
