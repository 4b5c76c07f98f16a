/* SPDX-License-Identifier: BSD-3-Clause */
/* Nodes of known power with separate clocks: sums, spread, regions, and which stand out. */
#include "analysis/cluster/run_profile.h"

#include <errno.h>

#include "known_nodes.h"
#include "tap.h"

enum { NODES = 9 };

/* 10 s each. Node i draws 100 + i W in the package; a fifth of that in dram. 100 W more in
 * "solve". */
static struct known_node nodes[NODES];
static char paths[NODES][32], names[NODES][16];
enum { HUNGRY = 5, IDLE = 6, SLOW = 7, HOLED = 8 };

static void describe_nodes(void)
{
    for (size_t i = 0; i < NODES; i++) {
        (void)snprintf(paths[i], sizeof paths[i], "profile-%zu.wtl", i);
        (void)snprintf(names[i], sizeof names[i], "n%zu", i);
        nodes[i] = (struct known_node){.path = paths[i],
                                       .name = names[i],
                                       .run_id = "profile",
                                       .clock_ns = (i + 1) * UINT64_C(1000000000000),
                                       .base_w = 100 + (double)i,
                                       .work_w = 100,
                                       .length_s = 10,
                                       .mpi_ns = i == 0 ? UINT64_C(2500000000) : 0};
    }
    nodes[HUNGRY].base_w = 300;
    nodes[IDLE].base_w = 10;
    nodes[IDLE].work_w = 0;
    nodes[SLOW].length_s = 12;
    nodes[HOLED].gap_from_s = 4;
    nodes[HOLED].gap_to_s = 6;
}

/* The first nodes as a run. */
static struct wtl_run *open_run(size_t count)
{
    char *words[NODES];
    struct wtl_run *run = NULL;
    struct wattle_error err = {""};
    for (size_t i = 0; i < count; i++)
        words[i] = paths[i];
    is_int(wtl_run_open(words, count, NULL, &run, &err), 0, "a run of %zu nodes%s", count,
           err.text);
    return run;
}

/* The sum over all nodes known at t, in the package. */
static double truth_w(double t, size_t *ret_n)
{
    double sum = 0;
    *ret_n = 0;
    for (size_t i = 0; i < NODES; i++) {
        const struct known_node *node = &nodes[i];
        bool gap = node->gap_to_s > node->gap_from_s && t > node->gap_from_s && t < node->gap_to_s;
        if (t > node->length_s || gap)
            continue;
        bool inside = t > 0.2 * node->length_s && t < 0.8 * node->length_s;
        sum += node->base_w + (inside ? node->work_w : 0);
        ++*ret_n;
    }
    return sum;
}

static size_t cell_at(const struct wtl_run_profile *p, double t)
{
    return (size_t)(t / p->cell_s);
}

static void test_curves(const struct wtl_run_profile *p)
{
    static const double moments[] = {1, 3, 5, 7, 9, 11};
    const struct wtl_profile_part *package = wtl_profile_part_find(p, "package");
    if (!ok(package != NULL, "there is a package") || !package)
        return;
    for (size_t m = 0; m < sizeof moments / sizeof *moments; m++) {
        size_t n, k = cell_at(p, moments[m]);
        double want = truth_w(moments[m], &n);
        is_int(package->curve.covered[k], n, "nodes at %g s", moments[m]);
        is_double((double)package->curve.sum[k], want, 0.5, "their sum at %g s", moments[m]);
        is_double((double)package->curve.mean[k], want / (double)n, 0.1, "their mean");
        is_double((double)p->parts[0].curve.sum[k], 1.2 * want, 0.6, "and of the total");
    }
    /* At 1 s: 10, 100 .. 104, 107, 108, 300. */
    size_t k = cell_at(p, 1);
    is_double((double)package->curve.min[k], 10, 0.05, "least");
    is_double((double)package->curve.q1[k], 101, 0.05, "first quartile");
    is_double((double)package->curve.median[k], 103, 0.05, "median");
    is_double((double)package->curve.q3[k], 107, 0.05, "third quartile");
    is_double((double)package->curve.max[k], 300, 0.05, "most");
}

static void test_energy(const struct wtl_run_profile *p)
{
    double want = 0;
    for (size_t i = 0; i < NODES; i++)
        want += node_joules(&nodes[i], nodes[i].length_s);
    const struct wtl_profile_part *dram = wtl_profile_part_find(p, "dram");
    is_double(p->parts[0].sum.energy.j, 1.2 * want, 1, "their energy");
    is_int(p->parts[0].sum.nodes, NODES, "of all: a counter goes on while nobody reads it");
    ok(p->parts[0].sum.energy.half_j > 0 && p->parts[0].sum.energy.half_j < 5,
       "with an interval: %g", p->parts[0].sum.energy.half_j);
    ok(dram && dram->in_total, "dram is in the total");
    is_double(dram ? dram->sum.energy.j : NAN, 0.2 * want, 0.5, "and a fifth of the package's");
    is_double(p->nodes[0].power.median, 240, 0.5, "median over the time of a node");
    is_double(p->nodes[0].power.min, 120, 0.5, "least");
    is_double(p->nodes[0].power.max, 240, 0.5, "most");
    is_double(p->nodes[HOLED].row->gap_s, 2, 1e-6, "a gap is told");
    is_double(p->nodes[0].mpi_share, 0.25, 1e-6, "a quarter of the time in MPI");
    ok(isnan(p->nodes[1].mpi_share), "of others it is not known");
    is_double(p->length_s, 12, 1e-6, "time from the first start to the last end");
}

static void test_regions(const struct wtl_run_profile *p)
{
    const struct wtl_profile_region *solve = NULL, *outside = NULL;
    for (size_t r = 0; r < p->region_count; r++) {
        solve = strcmp(p->regions[r].sum->name, "solve") == 0 ? &p->regions[r] : solve;
        outside = p->regions[r].sum->name[0] ? outside : &p->regions[r];
    }
    if (!ok(solve && outside, "the region and what is outside") || !solve || !outside)
        return;
    is_int(solve->sum->stay_count, NODES - 1, "all but the idle node were in it");
    is_int(solve->sum->count, NODES - 1, "once each");
    is_double(solve->node_s.median, 6, 1e-6, "for 6 s");
    size_t k = cell_at(p, 5);
    is_int(solve->inside[k], NODES - 2, "open on seven nodes of known power at 5 s");
    is_double((double)solve->min[k], 240, 0.5, "the least of them");
    is_double((double)solve->max[k], 480, 0.5, "the most");
    is_int(solve->inside[cell_at(p, 1)], 0, "not at 1 s");
    ok(isnan(solve->mean[cell_at(p, 1)]), "so its power there is not known");
    double sum = 0, n = 0;
    for (size_t i = 0; i < NODES; i++)
        if (i != IDLE && i != HOLED) {
            sum += 1.2 * (nodes[i].base_w + 100);
            n++;
        }
    is_double((double)solve->mean[k], sum / n, 0.5, "mean of those inside");
    is_double((double)outside->mean[cell_at(p, 1)], 1.2 * truth_w(1, &(size_t){0}) / 8, 45,
              "outside there is power, too");
}

static void test_marks(const struct wtl_run_profile *p)
{
    is_int(p->nodes[IDLE].marks, WTL_NODE_IDLE, "the idle node");
    is_int(p->nodes[HUNGRY].marks, WTL_NODE_OUTLIER, "the one that draws more");
    is_int(p->nodes[SLOW].marks, WTL_NODE_LATE_END, "the straggler");
    for (size_t i = 0; i < NODES; i++)
        if (i != IDLE && i != HUNGRY && i != SLOW)
            is_int(p->nodes[i].marks, 0, "nothing of node %zu", i);
    is_double(p->outlier_nodes, NODES - 1, 0,
              "an outlier was looked for among all but the idle one");
    is_int(p->least, IDLE, "the idle node is the least");
    is_int(p->most, HUNGRY, "the hungry one the most");
    is_int(p->power.n, NODES, "mean powers of those with energy");
    size_t order[NODES];
    is_int(wtl_profile_order(p, true, order), 0, "in the order of energy");
    is_int(order[0], IDLE, "the least first");
    is_int(order[NODES - 1], HUNGRY, "the most last");
}

static const struct wtl_profile_region *find_region(const struct wtl_run_profile *p,
                                                    const char *name)
{
    for (size_t r = 0; r < p->region_count; r++)
        if (strcmp(p->regions[r].sum->name, name) == 0)
            return &p->regions[r];
    return NULL;
}

/* Of the total: a node's energy in the three fifths of its time in "solve". */
static double solve_joules(const struct known_node *node)
{
    return node->work_w > 0 ? 1.2 * 0.6 * node->length_s * (node->base_w + node->work_w) : 0;
}

static void test_estimated_regions(const struct wtl_run_profile *p)
{
    const struct wtl_profile_region *solve = find_region(p, "solve");
    double want = 0;
    for (size_t i = 0; i < NODES; i++)
        want += i == 1 ? 0 : solve_joules(&nodes[i]);
    is_int(solve ? solve->sum->stay_count : 0, NODES - 2, "nor in a region's nodes");
    is_int(solve ? solve->sum->count : 0, NODES - 2, "nor in its count");
    is_double(solve ? solve->sum->inclusive.energy.j : NAN, want, 1, "nor in its energy");
    ok(solve && solve->sum->inclusive.energy.half_j < 10, "nor in its interval: %g",
       solve ? solve->sum->inclusive.energy.half_j : NAN);
    is_int(solve ? solve->node_j.n : 0, NODES - 2, "nor in the spread over nodes");
}

/* If all are estimates, the models' errors are correlated: the ends add up. */
static void test_all_estimated(void)
{
    struct wtl_run_profile p;
    struct wattle_error err = {""};
    double want = 0, low = 0, high = 0;
    for (size_t i = 0; i < NODES; i++) {
        struct known_node estimate = nodes[i];
        estimate.estimated = true;
        is_int(node_write(&estimate), 0, "an estimate of node %zu", i);
        want += solve_joules(&nodes[i]);
    }
    struct wtl_run *run = open_run(NODES);
    if (!run || !is_int(wtl_run_profile_read(run, NULL, &p, &err), 0, "read%s", err.text)) {
        wtl_run_close(run);
        return;
    }
    const struct wtl_profile_region *solve = find_region(&p, "solve");
    const struct wtl_profile_part *total = &p.parts[0];
    for (size_t i = 0; i < NODES; i++) {
        low += p.nodes[i].parts[0]->energy.low_j;
        high += p.nodes[i].parts[0]->energy.high_j;
    }
    ok(low > 0 && low < total->sum.energy.j && high > total->sum.energy.j, "%g lies in %g..%g",
       total->sum.energy.j, low, high);
    is_double(total->sum.energy.low_j, low, 1e-6, "the low ends add up");
    is_double(total->sum.energy.high_j, high, 1e-6, "and the high ones");
    is_double(wtl_energy_half(&total->sum.energy), (high - low) / 2, 1e-6, "and so half of it");
    is_double(solve ? solve->sum->inclusive.energy.j : NAN, want, 1, "the region adds up");
    is_double(solve ? solve->sum->inclusive.energy.low_j / solve->sum->inclusive.energy.j : NAN,
              low / total->sum.energy.j, 1e-3, "its low end lies as the total's does");
    is_double(solve ? solve->sum->inclusive.energy.high_j / solve->sum->inclusive.energy.j : NAN,
              high / total->sum.energy.j, 1e-3, "and the high one");
    wtl_run_profile_fini(&p);
    wtl_run_close(run);
    for (size_t i = 0; i < NODES; i++)
        is_int(node_write(&nodes[i]), 0, "as before");
}

static void test_estimates(void)
{
    struct wtl_run_profile p;
    struct wattle_error err = {""};
    struct known_node estimate = nodes[1];
    estimate.estimated = true;
    is_int(node_write(&estimate), 0, "node 1 has an estimate only");
    struct wtl_run *run = open_run(NODES);
    if (!run || !is_int(wtl_run_profile_read(run, NULL, &p, &err), 0, "read%s", err.text)) {
        wtl_run_close(run);
        return;
    }
    size_t n;
    double want = truth_w(1, &n) - 101;
    is_int(p.nodes[1].marks, WTL_NODE_NOT_ADDED, "it is not added to measured ones");
    is_double((double)p.parts[0].curve.sum[cell_at(&p, 1)], 1.2 * want, 0.6, "nor in the sum");
    is_int(p.parts[0].curve.covered[cell_at(&p, 1)], n - 1, "which says so");
    is_int(p.parts[0].sum.nodes, NODES - 1, "nor in the energy");
    test_estimated_regions(&p);
    wtl_run_profile_fini(&p);
    wtl_run_close(run);
    is_int(node_write(&nodes[1]), 0, "as before");
}

/* A region without a name is not the time outside all regions, which has no name either. */
static void test_names(void)
{
    enum { THREE = 3 };
    struct wtl_run_profile p;
    struct wattle_error err = {""};
    for (size_t i = 0; i < THREE; i++) {
        struct known_node node = nodes[i];
        node.region = "";
        is_int(node_write(&node), 0, "a region without a name");
    }
    struct wtl_run *run = open_run(THREE);
    if (run && is_int(wtl_run_profile_read(run, NULL, &p, &err), 0, "read%s", err.text)) {
        is_int(p.region_count, 2, "it and what is outside");
        for (size_t r = 0; r < p.region_count; r++)
            is_int(p.regions[r].sum->stay_count, THREE, "\"%s\" once on each node",
                   p.regions[r].sum->name);
        wtl_run_profile_fini(&p);
    }
    wtl_run_close(run);
    for (size_t i = 0; i < THREE; i++)
        is_int(node_write(&nodes[i]), 0, "as before");
}

/* 45, 45, 45 and 85 W: of four nodes no rule can tell one, which is not the same as that none stands out. */
static void test_few(void)
{
    struct wtl_run_profile p;
    struct wattle_error err = {""};
    for (size_t i = 0; i < 4; i++) {
        struct known_node node = nodes[i];
        node.base_w = i == 3 ? 85 : 45;
        node.work_w = 0;
        is_int(node_write(&node), 0, "node %zu of four", i);
    }
    struct wtl_run *run = open_run(4);
    if (run && is_int(wtl_run_profile_read(run, NULL, &p, &err), 0, "read%s", err.text)) {
        is_int(p.nodes[3].marks & WTL_NODE_OUTLIER, 0, "no mark");
        ok(isnan(p.outlier_nodes), "and it says that it cannot be judged");
        wtl_run_profile_fini(&p);
    }
    wtl_run_close(run);
    for (size_t i = 0; i < 4; i++)
        is_int(node_write(&nodes[i]), 0, "as before");
}

static void test_nothing(void)
{
    struct known_node empty = nodes[0];
    struct wtl_run_profile p;
    struct wattle_error err = {""};
    empty.length_s = 0;
    empty.work_w = 0;
    is_int(node_write(&empty), 0, "one sample");
    struct wtl_run *run = open_run(1);
    is_int(run ? wtl_run_profile_read(run, NULL, &p, &err) : 0, -ENODATA, "nothing to show: %s",
           err.text);
    wtl_run_close(run);
}

int main(void)
{
    struct wtl_run_profile p;
    struct wattle_error err = {""};
    describe_nodes();
    for (size_t i = 0; i < NODES; i++)
        is_int(node_write(&nodes[i]), 0, "trace of %s", names[i]);
    struct wtl_run *run = open_run(NODES);
    if (run && is_int(wtl_run_profile_read(run, NULL, &p, &err), 0, "read%s", err.text)) {
        test_curves(&p);
        test_energy(&p);
        test_regions(&p);
        test_marks(&p);
        wtl_run_profile_fini(&p);
    }
    wtl_run_close(run);
    test_estimates();
    test_all_estimated();
    test_names();
    test_few();
    test_nothing();
    return done_testing();
}
