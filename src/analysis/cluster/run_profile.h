/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Profile of a run: what a report shows about the traces of many nodes in addition to their totals
 * (run_totals.h): power over time on one clock, as the sum and the spread over nodes, for parts of
 * the machine and regions, and which nodes stand out.
 *
 * Energies are those of the totals. Power is read from the pyramids (timeline.h), regions from the
 * marks, one trace open at a time. Memory: a float for each node, part and cell; with many nodes
 * the cells are longer (WTL_PROFILE_VALUES). It does not depend on the length of the run.
 *
 * A node that is unknown in a cell (it began later, ended earlier, has a gap) does not count as
 * zero: `covered` is the number of nodes in a sum. Nodes with an estimated total are never added to
 * measured ones.
 *
 * Not thread-safe; independent profiles may be built at the same time.
 */
#ifndef WTL_ANALYSIS_RUN_PROFILE_H
#define WTL_ANALYSIS_RUN_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <wattle/channel.h>
#include <wattle/error.h>

#include "analysis/cluster/run.h"
#include "analysis/cluster/run_totals.h"
#include "analysis/statistics/description.h"

enum { WTL_PROFILE_PARTS = 24, WTL_PROFILE_REGIONS = 256, WTL_PROFILE_CELLS = 512 };
#define WTL_PROFILE_VALUES ((size_t)48 << 20) /* over all nodes, parts and cells */

/* How the clock of a node was aligned with the others. */
enum wtl_profile_clock { WTL_CLOCK_ALONE, WTL_CLOCK_SYNC, WTL_CLOCK_REALTIME, WTL_CLOCK_NONE };
const char *wtl_profile_clock_name(enum wtl_profile_clock clock); /* "alone", "sync points", ... */

struct wtl_profile_options {
    size_t cells; /* in the time; 0 = WTL_PROFILE_CELLS */
    /* Called before each node with a description: "nodes: power", 3 of 1536. May be NULL. */
    void (*step)(void *context, const char *step, size_t done, size_t all);
    void *step_context;
};

/* A value over the cells of the run. [cells] each; NaN where no node is known. */
struct wtl_profile_curve {
    float *sum, *mean, *min, *q1, *median, *q3, *max; /* W, over nodes */
    uint32_t *covered;                                /* nodes that are known in the cell */
};

/* A part of the machine: the primary channels of one domain, over sockets and cards. Part 0 is the
 * total. */
struct wtl_profile_part {
    const char *name;   /* "total", "package", "dram": as in channel names */
    const char *within; /* the part that contains it, or "" */
    enum wattle_domain domain;
    bool estimated;
    bool in_total;          /* on one node at least */
    struct wtl_run_sum sum; /* from the totals: over the nodes that count */
    double in_total_j; /* how much of it is in the totals of the nodes; NaN = nothing, or unknown */
    struct wtl_description node_w; /* mean power of each known node */
    struct wtl_profile_curve curve;
};

enum wtl_profile_mark {
    WTL_NODE_IDLE = 1u << 0,     /* it drew so little that it did no work */
    WTL_NODE_OUTLIER = 1u << 1,  /* its mean power is far from the others' */
    WTL_NODE_LATE_END = 1u << 2, /* a straggler: it ended long after the others */
    WTL_NODE_LATE_BEGIN = 1u << 3,
    WTL_NODE_NOT_ADDED = 1u << 4, /* an estimate among measured nodes */
    WTL_NODE_UNFINISHED = 1u << 5 /* its trace has no footer, or is damaged */
};

struct wtl_profile_node {
    const char *name;
    const struct wtl_run_row *row;
    unsigned marks;        /* enum wtl_profile_mark */
    double begin_s, end_s; /* window, since the begin of the run; NaN = no window */
    /* The first is its total. Zero channels where the node has none. */
    const struct wtl_run_part *parts[WTL_PROFILE_PARTS];
    struct wtl_description power; /* power of the total over time: means over fine_s */
    double mpi_share;             /* fraction of its ranks' time inside MPI calls; NaN = unknown */
    enum wtl_profile_clock clock;
    double residual_s;
};

/* A region, over the nodes that had it and are included in the sums. */
struct wtl_profile_region {
    const struct wtl_run_region_sum *sum;
    struct wtl_description node_j, node_w, node_s;
    /* [cells]: power of nodes while they were inside, weighted by the time inside; extremes of
     * nodes that were inside for at least half of the cell; number of nodes in which it was
     * open. */
    float *mean, *min, *max;
    uint32_t *inside;
};

struct wtl_run_profile {
    struct wtl_run_totals totals; /* totals of the run */
    double length_s;              /* from the first begin to the last end */
    size_t cells;
    double cell_s, fine_s;
    struct wtl_profile_part *parts;
    size_t part_count;
    struct wtl_profile_node *nodes;
    size_t node_count;
    float *node_w; /* [nodes * cells]: power of each node's total */
    struct wtl_profile_region *regions;
    size_t region_count;
    uint64_t regions_left_out;
    struct wtl_description energy, power, time; /* over nodes: J, mean W, s */
    struct wtl_description
        moments; /* power of all nodes at all fine cells: the box of the application */
    double idle_below_w, late_s; /* thresholds of the marks; NaN = the rule does not apply */
    double outlier_nodes; /* among which outliers were looked for; NaN = too few to tell one */
    size_t least, middle, most; /* nodes by mean power; SIZE_MAX = none */
    double interval_s;
};

/* Build the profile of a run, which must outlive it. 0; -ENODATA if no node has a window or
 * samples; -ENOMEM; or the reader's error. */
int wtl_run_profile_read(const struct wtl_run *run,
                         const struct wtl_profile_options *options,
                         struct wtl_run_profile *ret_profile,
                         struct wattle_error *err);
void wtl_run_profile_fini(struct wtl_run_profile *profile);

/* The part with this name, or NULL. */
const struct wtl_profile_part *wtl_profile_part_find(const struct wtl_run_profile *profile,
                                                     const char *name);

/* Order of the nodes by name (natural order) or by ascending energy: order[nodes]. 0 or -ENOMEM. */
int wtl_profile_order(const struct wtl_run_profile *profile, bool by_energy, size_t *ret_order);

#endif
