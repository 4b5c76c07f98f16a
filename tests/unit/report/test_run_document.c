/* SPDX-License-Identifier: BSD-3-Clause */
/* The document of a run of known nodes, and of a study whose result is known. */
#include "report/cluster/run_document.h"

#include <math.h>
#include <unistd.h>

#include "analysis/cluster/run.h"
#include "report/cluster/run_shares.h"
#include "tap.h"
#include "unit/analysis/known_nodes.h"

enum { NODES = 4, REPEATS = 6 };

static double at(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    return json_is_number(value) ? json_number_value(value) : (double)NAN;
}

/* Four nodes of 100, 110, .. W in the package and 30 W in the network. */
static int make_run(struct wtl_run **ret_run)
{
    char paths[NODES][32], names[NODES][32], *words[NODES];
    struct wattle_error err = {""};
    for (size_t i = 0; i < NODES; i++) {
        (void)snprintf(paths[i], sizeof paths[i], "document-%zu.wtl", i);
        (void)snprintf(names[i], sizeof names[i], i == 1 ? "<b>\xff\"n1" : "n%zu", i);
        const struct known_node node = {.path = paths[i],
                                        .name = names[i],
                                        .run_id = "doc",
                                        .clock_ns = (i + 1) * UINT64_C(3000000000000),
                                        .base_w = 100 + 10 * (double)i,
                                        .work_w = 50,
                                        .network_w = 30,
                                        .length_s = 10,
                                        .mpi_ns = UINT64_C(1000000000),
                                        .labels = {"app", "cg"}};
        is_int(node_write(&node), 0, "a node");
        words[i] = paths[i];
    }
    int rc = wtl_run_open(words, NODES, NULL, ret_run, &err);
    return is_int(rc, 0, "opened%s", err.text) ? 0 : rc;
}

static void test_run(void)
{
    static const struct wtl_run_absent absent[] = {{"x.wtl", "another run"}, {"n9", NULL}};
    struct wtl_run *run = NULL;
    struct wtl_run_profile profile;
    struct wattle_error err = {""};
    struct wtl_study_run study = {.name = "doc"};
    struct wtl_run_facts facts = {
        .run_id = "doc", .study = &study, .absent = absent, .absent_count = 2, .residual_s = 1e-3};
    if (make_run(&run) < 0)
        return;
    if (is_int(wtl_run_profile_read(run, NULL, &profile, &err), 0, "profile%s", err.text)) {
        wtl_study_take_profile(&study, &profile);
        json_t *value = wtl_run_value(&profile, &facts, true);
        const json_t *total = json_array_get(json_object_get(value, "parts"), 0);
        const json_t *network = json_object_get(value, "network");
        const json_t *breakdown = json_object_get(value, "breakdown");
        double sum = 0;
        is_double(at(total, "energy_j"), 1.2 * (4600 + 4 * 300) + 1200, 1,
                  "package, dram and network");
        is_double(at(network, "node_w"), 30, 0.01, "network power of a node");
        for (size_t i = 0; i < json_array_size(breakdown); i++)
            sum += at(json_array_get(breakdown, i), "share");
        is_double(sum, 1, 1e-9, "shares sum to 1");
        is_double(at(json_object_get(json_object_get(value, "mpi"), "share"), "median"), 0.1, 1e-6,
                  "a tenth of the time in MPI");
        is_str(json_string_value(json_object_get(json_object_get(value, "alignment"), "by")),
               "realtime", "how the clocks are aligned");
        ok(json_is_null(
               json_object_get(json_array_get(json_object_get(value, "absent"), 1), "why")),
           "a node without a trace");
        is_int(json_array_size(json_object_get(value, "nodes")), NODES, "all nodes");
        is_int(json_array_size(json_object_get(value, "heat")), 2, "two orders");
        json_decref(value);
        value = wtl_run_value(&profile, &facts, false);
        ok(!json_object_get(value, "nodes"), "no nodes where many runs are compared");
        json_decref(value);
        wtl_run_profile_fini(&profile);
    }
    wtl_run_close(run);
}

/* One node has a sensor for the whole node, the other adds up its packages: no package counts
 * twice. */
static void test_mixed_shares(void)
{
    struct wtl_profile_part parts[] = {
        {.name = "total", .within = "", .sum.nodes = 2, .sum.energy.j = 100},
        {.name = "psys",
         .within = "",
         .sum.nodes = 1,
         .sum.energy.j = 60,
         .in_total = true,
         .in_total_j = 60},
        {.name = "package",
         .within = "",
         .sum.nodes = 2,
         .sum.energy.j = 70,
         .in_total = true,
         .in_total_j = 40}};
    struct wtl_run_profile profile = {.parts = parts, .part_count = 3};
    struct wtl_run_share shares[WTL_PROFILE_PARTS + 1];
    if (!is_int(wtl_run_shares(&profile, shares), 2, "the two, and nothing left"))
        return;
    is_double(shares[0].share, 0.6, 1e-12, "all of the first node");
    is_double(shares[1].share, 0.4, 1e-12, "the packages of the second only");
}

/* One sensor for everything: the parts within it, and the rest. */
static void test_shares(void)
{
    struct wtl_profile_part parts[] = {
        {.name = "total", .within = "", .sum.nodes = 2, .sum.energy.j = 100},
        {.name = "node", .within = "", .sum.nodes = 2, .sum.energy.j = 100, .in_total = true},
        {.name = "package", .within = "", .sum.nodes = 2, .sum.energy.j = 60},
        {.name = "core", .within = "package", .sum.nodes = 2, .sum.energy.j = 50},
        {.name = "dram", .within = "", .sum.nodes = 2, .sum.energy.j = 15},
        {.name = "gpu", .within = "", .sum.nodes = 1, .sum.energy.j = 10}};
    struct wtl_run_profile profile = {.parts = parts, .part_count = 6};
    struct wtl_run_share shares[WTL_PROFILE_PARTS + 1];
    if (!is_int(wtl_run_shares(&profile, shares), 3, "two parts and the rest"))
        return;
    is_str(shares[0].name, "package", "the package");
    is_double(shares[0].share, 0.6, 1e-12, "its share");
    is_double(shares[1].share, 0.15, 1e-12, "the memory's");
    ok(shares[2].rest, "the rest is derived");
    is_double(shares[2].share, 0.25, 1e-12, "its share; the GPU of one node is in it");
    test_mixed_shares();
    parts[0].sum.energy.j = NAN;
    is_int(wtl_run_shares(&profile, shares), 0, "none of what is not known");
}

static struct wtl_study_run study_run(const char *app, const char *topology, int repeat, double t)
{
    struct wtl_study_run run = {.nodes = 4, .time_s = t, .network_w = 30, .label_count = 3};
    (void)snprintf(run.labels[0].key, WTL_STUDY_TEXT, "app");
    (void)snprintf(run.labels[0].value, WTL_STUDY_TEXT, "%s", app);
    (void)snprintf(run.labels[1].key, WTL_STUDY_TEXT, "topology");
    (void)snprintf(run.labels[1].value, WTL_STUDY_TEXT, "%s", topology);
    (void)snprintf(run.labels[2].key, WTL_STUDY_TEXT, "repeat");
    (void)snprintf(run.labels[2].value, WTL_STUDY_TEXT, "%d", repeat);
    run.node_w = 200;
    run.energy.j = t * run.node_w * 4;
    return run;
}

/* cg takes 100 s on the mesh and 90 s on the torus, at the same power; lu 300 s on both. */
static void test_study(void)
{
    struct wtl_study_run runs[4 * REPEATS];
    struct wtl_study study;
    struct wattle_error err = {""};
    for (int r = 0; r < REPEATS; r++) {
        double wobble = 1 + 0.001 * (r % 3);
        runs[4 * r] = study_run("cg", "mesh", r, 100 * wobble);
        runs[4 * r + 1] = study_run("cg", "torus", r, 90 * wobble);
        runs[4 * r + 2] = study_run("lu", "mesh", r, 300 * wobble);
        runs[4 * r + 3] = study_run("lu", "torus", r, 300 * (1 + 0.001 * ((r + 1) % 3)));
    }
    if (!is_int(wtl_study_make(runs, 4 * REPEATS, 0.01, &study, &err), 0, "study%s", err.text))
        return;
    is_int(study.key_count, 2, "the repeat is no key");
    is_int(study.case_count, 4, "four cases");
    is_str(study.cases[0].name, "cg, mesh", "in the order of their labels");
    is_int(study.cases[0].run_count, REPEATS, "with their repeats");
    is_double(study.cases[0].spread[WTL_STUDY_TIME].mean, 100.1, 1e-9, "mean time");
    is_int(study.difference_count, 4, "two topologies of each, two applications of each");
    for (size_t i = 0; i < study.difference_count; i++) {
        const struct wtl_study_difference *d = &study.differences[i];
        if (d->a == 0 && d->b == 1) {
            is_double(d->comparison[WTL_STUDY_ENERGY].ratio.value, 0.9, 1e-6, "a tenth less");
            is_int(d->verdict[WTL_STUDY_ENERGY].kind, WTL_VERDICT_LESS, "%s",
                   d->verdict[WTL_STUDY_ENERGY].text);
        }
        if (d->a == 2 && d->b == 3)
            is_int(d->verdict[WTL_STUDY_ENERGY].kind, WTL_VERDICT_SAME, "%s",
                   d->verdict[WTL_STUDY_ENERGY].text);
    }
    is_double(study.slope.exponent, 1, 1e-9, "energy follows time");
    json_t *document = wtl_run_document(json_array(), "t", &study, 2300);
    const json_t *value = json_object_get(document, "study");
    is_int(json_array_size(json_object_get(value, "cases")), 4, "the cases in the document");
    is_double(at(document, "reference_w"), 2300, 0, "and the reference");
    json_decref(document);
    wtl_study_fini(&study);
}

/* More nodes than the heat map has rows: the document stays small, and rows say which nodes they
 * contain. */
static void test_many(void)
{
    enum { MANY = 600 };
    static char paths[MANY][32], names[MANY][16];
    static char *words[MANY];
    struct wtl_run *run = NULL;
    struct wtl_run_profile profile;
    struct wattle_error err = {""};
    struct wtl_run_facts facts = {.residual_s = NAN,
                                  .begin_realtime_ns = UINT64_C(1700000000123456789)};
    for (size_t i = 0; i < MANY; i++) {
        (void)snprintf(paths[i], sizeof paths[i], "many-%zu.wtl", i);
        (void)snprintf(names[i], sizeof names[i], "n%zu", i);
        words[i] = paths[i];
        const struct known_node node = {.path = paths[i],
                                        .name = names[i],
                                        .clock_ns = (i + 1) * UINT64_C(1000000000),
                                        .base_w = 100 + (double)i,
                                        .length_s = 20,
                                        .interval_s = 0.5};
        if (node_write(&node) < 0)
            words[i] = NULL;
    }
    int rc = wtl_run_open(words, MANY, NULL, &run, &err);
    if (is_int(rc, 0, "opened %d nodes%s", MANY, err.text) &&
        is_int(wtl_run_profile_read(run, NULL, &profile, &err), 0, "profile%s", err.text)) {
        json_t *value = wtl_run_value(&profile, &facts, true);
        const json_t *heat = json_array_get(json_object_get(value, "heat"), 1);
        char *text = json_dumps(value, JSON_COMPACT);
        is_int(json_array_size(json_object_get(heat, "first")), WTL_RUN_HEAT_ROWS, "rows");
        is_int(json_integer_value(json_object_get(value, "begin_realtime_ns")), 1700000000123456789,
               "the time of day to the ns, which a double does not hold");
        is_str(json_string_value(json_array_get(json_object_get(heat, "first"), 0)), "n0",
               "by energy, the least first");
        is_str(
            json_string_value(json_array_get(json_object_get(heat, "last"), WTL_RUN_HEAT_ROWS - 1)),
            "n599", "the most last");
        is_double((double)profile.parts[0].curve.sum[profile.cells / 2],
                  1.2 * (MANY * 100 + MANY * (MANY - 1) / 2.0), 5, "their sum");
        ok(text && strlen(text) < 1500000, "%zu bytes", text ? strlen(text) : 0);
        free(text);
        json_decref(value);
        wtl_run_profile_fini(&profile);
    }
    wtl_run_close(run);
    for (size_t i = 0; i < MANY; i++)
        (void)unlink(paths[i]);
}

int main(void)
{
    test_run();
    test_shares();
    test_study();
    test_many();
    return done_testing();
}
