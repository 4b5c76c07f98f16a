/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Run totals: the energy of a run, of its domains, parts and regions, over all nodes, with all that speaks against it. This
 * is the one document of a run: reduce, stats, compare and the report are views of it.
 *
 * What is added up. Energies of nodes, each over its own window, by the rules of run_sum.h.
 *
 * Mean power is energy over the time of the whole run, so that it times the time is the energy, and nodes that were
 * measured one after the other, or not to the end, do not count as if they drew at once. That of a region is over the mean time
 * that a node spent in it, times the nodes.
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

/* Of a domain, or of a part of the machine. */
struct wtl_run_domain_sum {
    const char *name, *within; /* as of struct wtl_run_domain; borrowed from the run */
    enum wattle_domain domain;
    bool estimated, in_total; /* in_total: on every node */
    bool in_some_total;       /* on one at least */
    double in_total_j;        /* what of it the nodes' totals add up; NaN = nothing, or unknown */
    size_t channels;
    struct wtl_run_sum sum;
};

/* A region on one node. */
struct wtl_run_stay {
    const struct wtl_run_region *region;
    size_t node, order; /* order: its place over all nodes */
    bool estimated;
};

struct wtl_run_region_sum {
    const char *name; /* "" = outside of all; borrowed from the run */
    bool estimated;
    uint64_t count, unbalanced, crossing;
    size_t unresolved; /* nodes where its energy is an interval only */
    /* Sums over nodes; union: some thread of the node was inside. */
    double thread_s, union_s, exclusive_s;
    struct wtl_run_sum inclusive, exclusive;
    const struct wtl_run_stay *stays; /* one for each node that had it, as nodes stand in the run */
    size_t stay_count;
};

struct wtl_run_totals {
    double wall_s; /* first begin to last end */
    struct wtl_run_sum measured, estimated;
    const char *contains, *excludes; /* the total of the first node that is in the sum, in words */
    bool mixed;                      /* totals do not contain the same on every node */
    struct wtl_run_domain_sum *domains; /* measured ones first, each in the order of domains */
    size_t domain_count;
    struct wtl_run_domain_sum *parts; /* as names first appear over the nodes */
    size_t part_count;
    struct wtl_run_region_sum
        *regions; /* outside first, then as names first appear over the nodes */
    size_t region_count;
    struct wtl_run_stay *stays; /* of all regions */
    struct wtl_run_flags flags; /* of the nodes, then of the run */
};

/* The run must outlive it. 0 or -ENOMEM, with a sentence. Zeroed when it fails. */
int wtl_run_totals_of(const struct wtl_run *run,
                      struct wtl_run_totals *ret_totals,
                      struct wattle_error *err);
void wtl_run_totals_fini(struct wtl_run_totals *totals);

/* The sum that speaks for the run: what was measured, or else what was estimated. */
const struct wtl_run_sum *wtl_run_totals_sum(const struct wtl_run_totals *totals);
/* Is that an estimate? Its regions are then those that are estimated, too. */
bool wtl_run_totals_estimated(const struct wtl_run_totals *totals);

/*
 * The same as a result, for what works with results: a channel for each domain ("run:package-0"), the sum as
 * its total. path: what its `trace` says. 0 or -ENOMEM.
 */
int wtl_run_totals_result(const struct wtl_run *run,
                          const struct wtl_run_totals *totals,
                          const char *path,
                          struct wtl_result *ret_result);

/* Of a run file, all three steps. What wtl_run_open() says. */
int wtl_run_file_result(const char *path, struct wtl_result *ret_result, struct wattle_error *err);

#endif
