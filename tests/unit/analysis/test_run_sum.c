/* SPDX-License-Identifier: BSD-3-Clause */
/* Sums over nodes: reduce and the report agree about the same nodes, and a part is never taken for
 * the whole. */
#include "analysis/cluster/run_sum.h"

#include <math.h>

#include "analysis/cluster/run.h"
#include "analysis/cluster/run_profile.h"
#include "analysis/cluster/run_totals.h"
#include "run_traces.h"
#include "tap.h"

static struct wtl_energy measured(double j, double half_j)
{
    const struct wattle_channel channel = {.quality = WATTLE_MEASURED};
    return wtl_energy_on(&channel, j, half_j);
}

static void test_sums(void)
{
    const struct wtl_run_addend known = {.energy = measured(80, 3), .time_s = 2};
    const struct wtl_run_addend more = {.energy = measured(20, 4), .time_s = 4};
    struct wtl_run_addend unknown = {.energy = measured(NAN, 1), .time_s = 2, .unknown_s = 2};
    const struct wattle_channel guess = {
        .quality = WATTLE_ESTIMATED, .ratio_low = 0.5, .ratio_high = 2};
    const struct wtl_run_addend model = {.energy = wtl_energy_on(&guess, 10, 1)};
    struct wtl_run_sum sum = {0}, part = {0}, none = {0}, estimates = {0}, missing = {0};

    unknown.energy.simulated = true;
    (void)wtl_run_sum_add(&sum, &known, "a");
    (void)wtl_run_sum_add(&sum, &more, "b");
    wtl_run_sum_close(&sum, false, 0);
    is_double(sum.energy.j, 100, 1e-9, "what is known adds up");
    is_double(sum.energy.half_j, 5, 1e-9, "independent half widths as squares");
    is_double(sum.energy.known_j, 100, 1e-9, "all of it is known");
    is_double(sum.mean_w, 100.0 / 3, 1e-9, "over the mean time");
    is_str(sum.per.min_node, "b", "who has least");
    ok(isnan(sum.energy.low_j), "only estimates have ends");

    (void)wtl_run_sum_add(&part, &known, "a");
    (void)wtl_run_sum_add(&part, &unknown, "b");
    wtl_run_sum_close(&part, false, 10);
    ok(isnan(part.energy.j) && isnan(part.energy.half_j) && isnan(part.mean_w),
       "with an unknown node there is no sum");
    is_double(part.energy.known_j, 80, 1e-9, "but what the other has");
    ok(part.nodes == 1 && part.unknown == 1, "of one of two");
    ok(part.energy.simulated && part.unknown_s == 2 && part.partial == 0,
       "what the unknown one is counts");

    wtl_run_sum_close(&none, false, 10);
    ok(isnan(none.energy.j) && isnan(none.energy.known_j), "of no node nothing is known");

    const struct wtl_run_addend partial = {
        .energy = measured(80, 3), .time_s = 10, .unknown_s = 2, .full_j = 100};
    (void)wtl_run_sum_add(&missing, &partial, "a");
    (void)wtl_run_sum_add(&missing, &more, "b");
    wtl_run_sum_close(&missing, false, 10);
    is_double(missing.energy.j, 100, 1e-9, "where time is unknown the energy is what is known");
    ok(missing.unknown_s == 2 && missing.partial == 1, "which is said");
    is_double(missing.mean_w, 12, 1e-9, "the power is of the known time");
    is_double(missing.full_j, 120, 1e-9, "as if the rest was like that");

    (void)wtl_run_sum_add(&estimates, &model, "a");
    (void)wtl_run_sum_add(&estimates, &model, "b");
    wtl_run_sum_close(&estimates, true, 10);
    ok(estimates.energy.half_j == 2 && estimates.energy.low_j == 9 && estimates.energy.high_j == 44,
       "the error of a model adds whole");
}

/* Node b has channels but no samples. */
static struct wtl_run *open_run(void)
{
    const struct run_trace traces[] = {{.path = "sum-a.wtl",
                                        .node = "a",
                                        .run_id = "sum",
                                        .package_w = 100,
                                        .dram_w = 20,
                                        .monotonic_ns = 5000 * RUN_SECOND,
                                        .seconds = 5,
                                        .cut = 1,
                                        .rank = -1},
                                       {.path = "sum-b.wtl",
                                        .node = "b",
                                        .run_id = "sum",
                                        .package_w = 100,
                                        .dram_w = 20,
                                        .monotonic_ns = 9000 * RUN_SECOND,
                                        .seconds = 5,
                                        .bare = 1,
                                        .rank = -1}};
    char a[] = "sum-a.wtl", b[] = "sum-b.wtl", *words[] = {a, b};
    struct wtl_run *run = NULL;
    struct wattle_error err = {""};
    for (size_t i = 0; i < 2; i++)
        is_int(run_trace_write(&traces[i]), 0, "trace of %s", traces[i].node);
    is_int(wtl_run_open(words, 2, NULL, &run, &err), 0, "opened %s", err.text);
    return run;
}

static const struct wtl_run_region_sum *find_region(const struct wtl_run_totals *totals,
                                                    const char *name)
{
    for (size_t i = 0; i < totals->region_count; i++)
        if (strcmp(totals->regions[i].name, name) == 0)
            return &totals->regions[i];
    return NULL;
}

static bool same(double a, double b)
{
    return (isnan(a) && isnan(b)) || fabs(a - b) <= 1e-9 * fabs(a);
}

static void test_regions(const struct wtl_run_totals *totals, const struct wtl_run_profile *p)
{
    for (size_t r = 0; r < p->region_count; r++) {
        const struct wtl_run_region_sum *region = p->regions[r].sum;
        const struct wtl_run_region_sum *sum = find_region(totals, region->name);
        if (!ok(sum != NULL, "both have the region \"%s\"", region->name))
            continue;
        ok(same(sum->inclusive.energy.j, region->inclusive.energy.j) &&
               isnan(region->inclusive.energy.j) &&
               same(sum->inclusive.energy.known_j, region->inclusive.energy.known_j) &&
               region->inclusive.energy.known_j > 0,
           "its energy is at least %g and at least %g", sum->inclusive.energy.known_j,
           region->inclusive.energy.known_j);
        ok(region->stay_count == sum->inclusive.nodes + sum->inclusive.unknown &&
               region->inclusive.unknown == sum->inclusive.unknown &&
               region->inclusive.unknown == 1,
           "of one of two nodes");
        ok(region->count == sum->count && same(region->union_s, sum->union_s), "count and time");
    }
}

static void test_both(void)
{
    struct wtl_run *run = open_run();
    struct wtl_run_totals totals;
    struct wtl_run_profile p;
    struct wtl_result result;
    struct wattle_error err = {""};
    if (!run)
        return;
    if (is_int(wtl_run_totals_of(run, &totals, &err), 0, "totals %s", err.text) &&
        is_int(wtl_run_profile_read(run, NULL, &p, &err), 0, "profile %s", err.text)) {
        const struct wtl_profile_part *total = &p.parts[0];
        ok(totals.measured.nodes == 1 && total->sum.nodes == 1, "one node is known");
        ok(totals.measured.unknown == 1 && total->sum.unknown == 1, "one is not");
        ok(isnan(totals.measured.energy.j) && isnan(total->sum.energy.j), "so the sum is not");
        is_double(totals.measured.energy.known_j, 600, 1, "at least what the one has");
        ok(same(totals.measured.energy.known_j, total->sum.energy.known_j), "in both");
        test_regions(&totals, &p);
        ok(totals.flags.count > 0 && totals.flags.count == p.totals.flags.count, "the same flags");
        for (size_t i = 0; i < totals.flags.count && i < p.totals.flags.count; i++)
            is_str(p.totals.flags.items[i].flag.name, totals.flags.items[i].flag.name, "flag");
        if (is_int(wtl_run_totals_result(run, &totals, "run.wtl", &result), 0, "as a result")) {
            ok(isnan(result.energy.j), "whose total is not known");
            wtl_result_fini(&result);
        }
        wtl_run_profile_fini(&p);
        wtl_run_totals_fini(&totals);
    }
    wtl_run_close(run);
}

/* One of two nodes lacks a second of its package: both sums exclude it, and say so. */
static void test_partial(void)
{
    const struct run_trace whole = {.path = "part-a.wtl",
                                    .node = "a",
                                    .run_id = "part",
                                    .package_w = 100,
                                    .dram_w = 20,
                                    .monotonic_ns = 5000 * RUN_SECOND,
                                    .seconds = 5,
                                    .rank = -1};
    struct run_trace stalled = whole;
    char a[] = "part-a.wtl", b[] = "part-b.wtl", *words[] = {a, b};
    struct wtl_run *run = NULL;
    struct wtl_run_totals totals;
    struct wtl_run_profile p;
    struct wattle_error err = {""};
    stalled.path = b;
    stalled.node = "b";
    stalled.stalled = 1;
    if (!is_int(run_trace_write(&whole) < 0 ? -1 : run_trace_write(&stalled), 0, "two traces") ||
        !is_int(wtl_run_open(words, 2, NULL, &run, &err), 0, "opened %s", err.text))
        return;
    if (is_int(wtl_run_totals_of(run, &totals, &err), 0, "totals %s", err.text) &&
        is_int(wtl_run_profile_read(run, NULL, &p, &err), 0, "profile %s", err.text)) {
        const struct wtl_run_sum *sum = &totals.measured;
        const struct wtl_profile_part *total = &p.parts[0];
        is_double(sum->energy.j, 1100, 2, "one second is left out");
        is_double(sum->unknown_s, 1, 0.02, "it is said to be unknown");
        is_int(sum->partial, 1, "of one node");
        is_double(sum->mean_w, 240, 1, "the power is of the known time");
        ok(same(total->sum.energy.j, sum->energy.j) && same(total->sum.unknown_s, sum->unknown_s) &&
               total->sum.partial == sum->partial,
           "the profile says the same");
        is_double(total->node_w.min, 120, 0.5, "no node drew less");
        wtl_run_profile_fini(&p);
        wtl_run_totals_fini(&totals);
    }
    wtl_run_close(run);
}

/* One of two nodes has an estimate without any sample: it is in no region of what was measured. */
static void test_unknown_estimate(void)
{
    struct run_trace node = {.path = "guess-a.wtl",
                             .node = "a",
                             .run_id = "guess",
                             .package_w = 100,
                             .dram_w = 20,
                             .monotonic_ns = 5000 * RUN_SECOND,
                             .seconds = 5,
                             .rank = -1};
    char a[] = "guess-a.wtl", b[] = "guess-b.wtl", *words[] = {a, b};
    struct wtl_run *run = NULL;
    struct wtl_run_profile p;
    struct wattle_error err = {""};
    int rc = run_trace_write(&node);
    node.path = b;
    node.node = "b";
    node.estimated = node.bare = 1;
    if (!is_int(rc < 0 ? rc : run_trace_write(&node), 0, "two traces") ||
        !is_int(wtl_run_open(words, 2, NULL, &run, &err), 0, "opened %s", err.text))
        return;
    if (is_int(wtl_run_profile_read(run, NULL, &p, &err), 0, "profile %s", err.text)) {
        const struct wtl_run_flags *flags = &p.totals.flags;
        is_int(p.nodes[1].marks & WTL_NODE_NOT_ADDED, WTL_NODE_NOT_ADDED, "it is not added");
        ok(p.region_count > 0, "there are regions");
        for (size_t r = 0; r < p.region_count; r++)
            ok(p.regions[r].sum->stay_count == 1 && p.regions[r].sum->inclusive.energy.j > 0,
               "\"%s\" is of the other one", p.regions[r].sum->name);
        ok(flags->count > 0 && flags->items[flags->count - 1].first == NULL,
           "the run says itself what it lacks");
        is_str(flags->count ? flags->items[flags->count - 1].flag.name : "", "INCOMPLETE", "this");
        wtl_run_profile_fini(&p);
    }
    wtl_run_close(run);
}

int main(void)
{
    test_sums();
    test_unknown_estimate();
    test_partial();
    test_both();
    return done_testing();
}
