/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How the frequency of the node follows its knobs, its load and its power limits: see node.h. Without an enforced limit
 * f is what the knobs ask for; with one, a ceiling for all CPUs is found by bisection.
 */
#include <errno.h>
#include <math.h>

#include "sim/node.h"

enum { BISECTIONS = 40 };

static bool is_within(const struct wtl_node *node, uint64_t time_ns, double load, double f)
{
    const struct wtl_sim_knobs *knobs = wtl_node_knobs(node);
    for (size_t i = 0; i < wtl_node_count(node); i++) {
        double limit = wtl_node_domain(node, i)->domain == WATTLE_DOMAIN_PACKAGE
                           ? wtl_sim_knobs_limit_w(knobs, (int)i)
                           : (double)INFINITY;
        if (isfinite(limit) && wtl_node_uses_f(node, i) &&
            wtl_node_would_w(node, i, time_ns, load, f) > limit * (1 + 1e-9))
            return false;
    }
    return true;
}

/* The highest ceiling at which all limits are met, or the lowest frequency. */
static double ceiling_of(const struct wtl_node *node, uint64_t time_ns, double load)
{
    const struct wtl_sim_knobs *knobs = wtl_node_knobs(node);
    double low, high;
    if (is_within(node, time_ns, load, wtl_sim_knobs_mean_ghz(knobs, INFINITY)))
        return INFINITY;
    wtl_sim_knobs_range(knobs, &low, &high);
    if (!is_within(node, time_ns, load, wtl_sim_knobs_mean_ghz(knobs, low)))
        return low;
    for (int i = 0; i < BISECTIONS; i++) {
        double middle = (low + high) / 2;
        if (is_within(node, time_ns, load, wtl_sim_knobs_mean_ghz(knobs, middle)))
            low = middle;
        else
            high = middle;
    }
    return low;
}

int wtl_node_settle(struct wtl_node *node, uint64_t time_ns, double load)
{
    double ceiling = ceiling_of(node, time_ns, load);
    double f = wtl_sim_knobs_mean_ghz(wtl_node_knobs(node), ceiling);
    struct wtl_influence last = wtl_node_influence(node);
    if (last.load != load || last.f != f) {
        int rc = wtl_node_set_influence(node, time_ns, load, f);
        if (rc < 0)
            return rc;
    }
    wtl_sim_knobs_set_ceiling(wtl_node_own_knobs(node), ceiling);
    return 0;
}

int wtl_node_set_load(struct wtl_node *node, uint64_t time_ns, double load)
{
    return wtl_node_settle(node, time_ns, load);
}

int wtl_node_write_knob(struct wtl_node *node,
                        uint64_t time_ns,
                        enum wtl_sim_knob knob,
                        int index,
                        const char *text,
                        size_t n)
{
    int rc = wtl_sim_knobs_write(wtl_node_own_knobs(node), knob, index, text, n);
    return rc < 0 ? rc : wtl_node_settle(node, time_ns, wtl_node_influence(node).load);
}

int wtl_node_force_frequency(struct wtl_node *node, uint64_t time_ns, double ghz)
{
    if (!(ghz > 0 && ghz < 1000))
        return -EINVAL;
    wtl_sim_knobs_force(wtl_node_own_knobs(node), ghz);
    return wtl_node_settle(node, time_ns, wtl_node_influence(node).load);
}
