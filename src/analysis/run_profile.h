/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Profile of a run: all that a report says of the traces of many nodes, on one clock: power over time as the sum and
 * the spread over nodes, energy by part of the machine, by node and by region, and which nodes stand out.
 *
 * Two passes, one trace open at a time. The first looks at footers only. The second reads power from the
 * pyramids (timeline.h) and the marks. Memory: a float for each node, part and cell, for which cells are made longer where
 * there are many nodes (WTL_PROFILE_VALUES), however long the run.
 *
 * A node that is not known in a cell (it began later, ended earlier, has a gap) is not counted as zero: `covered` says how
 * many nodes a sum holds. Nodes with an estimated total are never added to measured ones.
 *
 * Not thread-safe; independent profiles may be made at once.
 */
#ifndef WTL_ANALYSIS_RUN_PROFILE_H
#define WTL_ANALYSIS_RUN_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <wattle/channel.h>
#include <wattle/error.h>

#include "analysis/description.h"
#include "analysis/run_sum.h"
#include "trace/reader.h"

enum { WTL_PROFILE_PARTS = 24, WTL_PROFILE_REGIONS = 256, WTL_PROFILE_CELLS = 512 };
#define WTL_PROFILE_VALUES ((size_t)48 << 20) /* of all nodes, parts and cells */

/* How the clock of a node was put beside the others. */
enum wtl_profile_clock { WTL_CLOCK_ALONE, WTL_CLOCK_SYNC, WTL_CLOCK_REALTIME, WTL_CLOCK_NONE };
const char *wtl_profile_clock_name(enum wtl_profile_clock clock); /* "alone", "sync points", ... */

/* Where the traces come from. Borrowed until the profile is made. */
struct wtl_profile_source {
    void *context;
    size_t count;
    /* Open the trace of node i; the profile closes it. 0 or -errno with a sentence. */
    int (*open)(void *context,
                size_t i,
                struct wtl_trace_reader **ret_reader,
                struct wattle_error *err);
    const char *(*name)(void *context, size_t i);
    /* A moment of node i on the clock that all share. */
    int64_t (*reference_ns)(void *context, size_t i, uint64_t node_ns);
    enum wtl_profile_clock (*clock)(void *context, size_t i);
    double (*residual_s)(void *context, size_t i); /* NaN = unknown */
    /* What speaks against node i; NULL: what its trace alone says. */
    const struct wtl_result_flag *(*flags)(void *context, size_t i, size_t *ret_count);
};

struct wtl_profile_options {
    size_t cells; /* of the time; 0 = WTL_PROFILE_CELLS */
    /* Told before each node, in words: "nodes: power", 3 of 1536. May be NULL. */
    void (*step)(void *context, const char *step, size_t done, size_t all);
    void *step_context;
};

/* A value over the cells of the run. [cells] each; NaN where no node is known. */
struct wtl_profile_curve {
    float *sum, *mean, *min, *q1, *median, *q3, *max; /* W, over nodes */
    uint32_t *covered;                                /* nodes that are known there */
};

/* A part of the machine: the primary channels of one domain, over sockets and cards. Part 0 is the total. */
struct wtl_profile_part {
    char name[WATTLE_NAME_MAX];   /* "total", "package", "dram": what channels call it */
    char within[WATTLE_NAME_MAX]; /* the part that contains it, or "" */
    enum wattle_domain domain;
    enum wattle_quality quality; /* the weakest of the nodes that count */
    bool simulated, in_total;
    struct wtl_run_sum sum; /* over the nodes that count */
    double in_total_j; /* what of it the totals of the nodes add up; NaN = nothing, or unknown */
    struct wtl_description node_w; /* mean power of each node */
    struct wtl_profile_curve curve;
};

enum wtl_profile_mark {
    WTL_NODE_IDLE = 1u << 0,     /* it drew so little that it took no part */
    WTL_NODE_OUTLIER = 1u << 1,  /* its mean power is far from the others' */
    WTL_NODE_LATE_END = 1u << 2, /* it ended long behind the others: a straggler */
    WTL_NODE_LATE_BEGIN = 1u << 3,
    WTL_NODE_NOT_ADDED = 1u << 4, /* an estimate among measured nodes */
    WTL_NODE_UNFINISHED = 1u << 5 /* its trace has no footer, or is damaged */
};

struct wtl_profile_node {
    char *name;               /* owned */
    unsigned marks;           /* enum wtl_profile_mark */
    int64_t begin_ns, end_ns; /* of its window, on the common clock */
    double begin_s, end_s;    /* the same since the begin of the run; NaN = it has none */
    struct wtl_run_part parts[WTL_PROFILE_PARTS]; /* the first is its total */
    struct wtl_result_flag *flags;                /* of its result; owned */
    size_t flag_count;
    struct wtl_description power; /* of its total over time: means over fine_s */
    double gap_s;                 /* in which a channel of its total is unknown */
    uint64_t ranks;               /* of MPI on it; 0 = not known */
    double mpi_share;             /* of the time of its ranks, inside MPI calls; NaN = not known */
    enum wtl_profile_clock clock;
    double residual_s;
};

/* What one node tells of a region. */
struct wtl_profile_stay {
    size_t node;
    uint64_t count;
    double union_s;
    struct wtl_energy energy;
};

/* A region, over the nodes that had it and are added. "" = the time outside of all. */
struct wtl_profile_region {
    char *name;             /* owned */
    struct wtl_run_sum sum; /* inclusive */
    size_t nodes;           /* that had it */
    size_t unresolved;      /* of these, on how many its energy is an interval only */
    uint64_t count;
    double union_s; /* sum over nodes of the time in which it was open */
    struct wtl_description node_j, node_w, node_s;
    struct wtl_profile_stay
        *stays; /* [stay_count] while it is made, of all nodes; NULL afterwards */
    size_t stay_count;
    /* [cells]: power of nodes while they were inside, weighted with the time inside; extremes of nodes that were
     * inside for at least half of the cell; in how many nodes it was open. */
    float *mean, *min, *max;
    uint32_t *inside;
};

struct wtl_run_profile {
    int64_t begin_ns; /* on the common clock */
    double length_s;  /* from the first begin to the last end */
    size_t cells;
    double cell_s, fine_s;
    struct wtl_profile_part *parts;
    size_t part_count;
    struct wtl_profile_node *nodes;
    size_t node_count;
    float *node_w; /* [nodes * cells]: power of the total of each node */
    struct wtl_profile_region *regions;
    size_t region_count;
    uint64_t regions_left_out;
    struct wtl_description energy, power, time; /* over nodes: J, mean W, s */
    struct wtl_description
        moments; /* power of all nodes at all fine moments: the box of the application */
    double idle_below_w, late_s; /* limits of the marks; NaN = the rule does not apply */
    size_t least, middle, most;  /* nodes by mean power; SIZE_MAX = there is none */
    double interval_s;
    char contains[128], excludes[128]; /* of the total, as the first node says */
    bool totals_differ;                /* nodes contain different things */
    struct wtl_run_flags flags;        /* of all nodes */
};

/* Make the profile. 0; -ENODATA when no node has a window or samples; -ENOMEM; what source or reader said. */
int wtl_run_profile_read(const struct wtl_profile_source *source,
                         const struct wtl_profile_options *options,
                         struct wtl_run_profile *ret_profile,
                         struct wattle_error *err);
void wtl_run_profile_fini(struct wtl_run_profile *profile);

/* Is the node's value of part k in the sums? Not where it is unknown, or an estimate among measured ones. */
bool wtl_profile_adds(const struct wtl_run_profile *profile,
                      const struct wtl_profile_node *node,
                      size_t k);

/* The part of a name, or NULL. */
const struct wtl_profile_part *wtl_profile_part_find(const struct wtl_run_profile *profile,
                                                     const char *name);

/* Nodes by name (natural order) or by energy, least first: order[nodes]. 0 or -ENOMEM. */
int wtl_profile_order(const struct wtl_run_profile *profile, bool by_energy, size_t *ret_order);

#endif
