/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finds the nodes that stand out. The rules, which every output format prints:
 *   idle       mean power below 60 % of the median node's, with three nodes or more;
 *   outlier    among the others, if they are five or more: beyond the generalized extreme Studentized deviate
 *              (outliers.h), and more than 1 % from their median;
 *   straggler  ends later than the median node by more than 3.5 robust standard deviations (description.h), 1 %
 *              of the run and two sample intervals; likewise for nodes that begin late.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "analysis/cluster/profile_pass.h"
#include "analysis/outliers.h"

#define IDLE_PART   0.6
#define FAR_PART    0.01
#define LATE_SCALES 3.5
enum { FEWEST_NODES = 3 };

struct judge {
    struct wtl_run_profile *profile;
    double *values, *scratch; /* [nodes] */
    size_t *which;            /* [nodes]: the node that values[i] belongs to */
    bool *marked;
};

static bool counts(const struct wtl_profile_node *node)
{
    return !isnan(node->parts[0]->mean_w) && !(node->marks & WTL_NODE_NOT_ADDED);
}

/* Mean powers of the nodes that count and have none of these marks. */
static size_t collect(struct judge *j, unsigned without)
{
    size_t n = 0;
    for (size_t i = 0; i < j->profile->node_count; i++) {
        const struct wtl_profile_node *node = &j->profile->nodes[i];
        if (!counts(node) || node->marks & without)
            continue;
        j->which[n] = i;
        j->values[n++] = node->parts[0]->mean_w;
    }
    return n;
}

static void mark_idle(struct judge *j)
{
    struct wtl_run_profile *p = j->profile;
    size_t n = collect(j, 0);
    struct wtl_description all = wtl_describe(j->values, n);
    p->idle_below_w = n >= FEWEST_NODES ? IDLE_PART * all.median : (double)NAN;
    for (size_t i = 0; i < p->node_count; i++)
        if (counts(&p->nodes[i]) && p->nodes[i].parts[0]->mean_w < p->idle_below_w)
            p->nodes[i].marks |= WTL_NODE_IDLE;
}

static void mark_outliers(struct judge *j)
{
    struct wtl_run_profile *p = j->profile;
    size_t n = collect(j, WTL_NODE_IDLE);
    p->outlier_nodes = n >= WTL_OUTLIERS_FEWEST ? (double)n : (double)NAN;
    (void)wtl_outliers(j->values, n, j->marked);
    for (size_t i = 0; i < n; i++)
        j->scratch[i] = j->values[i];
    double median = wtl_describe(j->scratch, n).median;
    for (size_t i = 0; i < n; i++)
        if (j->marked[i] && fabs(j->values[i] - median) > FAR_PART * fabs(median))
            p->nodes[j->which[i]].marks |= WTL_NODE_OUTLIER;
}

/* sign +1: nodes that end late; -1 with begins: nodes that begin late. */
static double mark_late(struct judge *j, bool begins, enum wtl_profile_mark mark)
{
    struct wtl_run_profile *p = j->profile;
    size_t n = 0;
    for (size_t i = 0; i < p->node_count; i++) {
        double at = begins ? p->nodes[i].begin_s : p->nodes[i].end_s;
        if (!isnan(at))
            j->values[n++] = at;
    }
    struct wtl_description all = wtl_describe(j->values, n);
    if (n < FEWEST_NODES)
        return (double)NAN;
    double limit = LATE_SCALES * wtl_robust_scale(j->values, n, j->scratch);
    limit = fmax(limit, fmax(FAR_PART * p->length_s, 2 * p->interval_s));
    for (size_t i = 0; i < p->node_count; i++) {
        double at = begins ? p->nodes[i].begin_s : p->nodes[i].end_s;
        if (at - all.median > limit)
            p->nodes[i].marks |= mark;
    }
    return limit;
}

/* Minimum, middle and maximum of mean power. */
static void rank(struct judge *j)
{
    struct wtl_run_profile *p = j->profile;
    size_t n = collect(j, 0);
    double median = NAN, nearest = INFINITY;
    for (size_t i = 0; i < n; i++)
        j->scratch[i] = j->values[i];
    median = wtl_describe(j->scratch, n).median;
    p->least = p->middle = p->most = SIZE_MAX;
    for (size_t i = 0; i < n; i++) {
        size_t at = j->which[i];
        double w = p->nodes[at].parts[0]->mean_w;
        if (p->least == SIZE_MAX || w < p->nodes[p->least].parts[0]->mean_w)
            p->least = at;
        if (p->most == SIZE_MAX || w > p->nodes[p->most].parts[0]->mean_w)
            p->most = at;
        if (fabs(w - median) < nearest) {
            nearest = fabs(w - median);
            p->middle = at;
        }
    }
}

static void describe(struct judge *j)
{
    struct wtl_run_profile *p = j->profile;
    size_t n = collect(j, 0);
    p->power = wtl_describe(j->values, n);
    n = collect(j, 0);
    for (size_t i = 0; i < n; i++)
        j->values[i] = p->nodes[j->which[i]].parts[0]->energy.j;
    p->energy = wtl_describe(j->values, n);
    n = 0;
    for (size_t i = 0; i < p->node_count; i++)
        if (!isnan(p->nodes[i].begin_s))
            j->values[n++] = p->nodes[i].end_s - p->nodes[i].begin_s;
    p->time = wtl_describe(j->values, n);
}

int wtl_profile_judge(struct wtl_profile_pass *pass)
{
    struct wtl_run_profile *p = pass->profile;
    size_t room = p->node_count + 1;
    struct judge j = {.profile = p,
                      .values = malloc(room * sizeof *j.values),
                      .scratch = malloc(room * sizeof *j.scratch),
                      .which = malloc(room * sizeof *j.which),
                      .marked = malloc(room * sizeof *j.marked)};
    bool there = j.values && j.scratch && j.which && j.marked;
    if (there) {
        mark_idle(&j);
        mark_outliers(&j);
        p->late_s = mark_late(&j, false, WTL_NODE_LATE_END);
        (void)mark_late(&j, true, WTL_NODE_LATE_BEGIN);
        rank(&j);
        describe(&j);
    }
    free(j.values);
    free(j.scratch);
    free(j.which);
    free(j.marked);
    return there ? 0 : -ENOMEM;
}
