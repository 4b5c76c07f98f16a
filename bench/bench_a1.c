/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A1: the energy of a whole job against simulated truth. Random worlds of four RAPL-like domains
 * (976 us ticks out of phase, jitter, 61 uJ, wraps) whose power rises and falls with the job; the
 * job runs through wattle's own driver, recorder and tally in virtual time. Compared with the naive
 * method, two reads. Columns: rms error of the sum, coverage of its 95 % interval, half width;
 * rows: job length, surroundings of the job, how busy the cores are. Prints results; asserts
 * nothing.
 *
 *     bench_a1 [WORLDS [page]]    per cell; default 1000. page: the job reads the page of a wattled
 *                                 that samples at 1 kHz in the same worlds
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "page_world.h"
#include "record/session.h"
#include "sim/memory_world.h"

extern const struct wtl_driver wtl_driver_powercap, wtl_driver_page;

enum { DOMAINS = 4, JOBS = 3 };

static const uint64_t START_NS = UINT64_C(1000000000000);

/* Surroundings of the job: matched (power steps with the job, constant or wandering around it) and
 * misspecified (it rises and decays over milliseconds; it starts a tick early). */
struct setting {
    const char *name;
    double wander_w;
    const char *package_before, *package_during, *package_after;
    double wait_probability, preempt_probability;
    double pread_us;
};

static const struct setting settings[] = {
    {"quiet", 0, "40", "140", "40", 0, 0, 0.6},
    {"wandering 10 W rms", 10, "40", "140", "40", 0, 0, 0.6},
    {"decays over 3 ms", 0, "40", "140", "40+60*exp(0-(t-T)/0.003)", 0, 0, 0.6},
    {"through FUSE, 25 us a read", 0, "40", "140", "40", 0, 0, 25},
    {"one core busy", 0, "40", "140", "40", 0.05, 0.00002, 0.6},
    {"two cores busy", 0, "40", "140", "40", 0.5, 0.0003, 0.6},
};

struct cell {
    double squares, naive_squares, bias, half;
    unsigned covered, worlds, failed;
};

static struct wtl_expression *compile(const char *text, double end_s)
{
    /* T = the end of the job, which an expression cannot name */
    char full[256];
    size_t n = 0;
    struct wattle_error err = {""};
    struct wtl_expression *expression;
    for (const char *p = text; *p && n + 40 < sizeof full; p++) {
        if (*p == 'T')
            n += (size_t)snprintf(full + n, sizeof full - n, "%.9f", end_s);
        else
            full[n++] = *p;
    }
    full[n] = '\0';
    if (wtl_expression_compile(full, wtl_power_variables, WTL_POWER_VARIABLES, &expression, &err)) {
        (void)fprintf(stderr, "%s\n", err.text);
        exit(1);
    }
    return expression;
}

struct world {
    struct wtl_expression *package, *during, *after, *dram, *dram_during;
    struct wtl_node *node;
    struct wtl_tree *tree;
    struct wtl_world *world;
};

static void make_world(struct world *w, const struct setting *s, uint64_t seed)
{
    struct wtl_node_config config = wtl_node_config_init(START_NS);
    struct wtl_tree_config tree = wtl_tree_config_init();
    struct wtl_memory_config memory = wtl_memory_config_init(START_NS + 20000000, seed);
    struct wattle_error err = {""};
    tree.sockets = 2;
    memory.pread_cost_ns = (uint64_t)(s->pread_us * 1000);
    memory.wait_probability = s->wait_probability;
    memory.wait_ns = 4000000;
    memory.preempt_probability = s->preempt_probability;
    memory.preempt_ns = 3000000;
    config.seed = seed;
    w->package = compile(s->package_before, 0);
    w->during = compile(s->package_during, 0);
    w->dram = compile("5", 0);
    w->dram_during = compile("15", 0);
    w->after = NULL;
    for (unsigned i = 0; i < DOMAINS; i++) {
        enum wattle_domain domain = i % 2 ? WATTLE_DOMAIN_DRAM : WATTLE_DOMAIN_PACKAGE;
        config.domains[i] = wtl_node_domain_init(domain, (int)(i / 2), i % 2 ? w->dram : w->package,
                                                 seed * DOMAINS + i);
        config.domains[i].wander_w = i % 2 ? 0 : s->wander_w;
        config.domains[i].wander_tau_s = 0.1;
    }
    config.domain_count = DOMAINS;
    if (wtl_node_create(&config, &w->node, &err) < 0 ||
        wtl_tree_create(&tree, &config, &w->tree, &err) < 0 ||
        wtl_memory_world_create(w->node, w->tree, &memory, &w->world, &err) < 0) {
        (void)fprintf(stderr, "%s\n", err.text);
        exit(1);
    }
}

static void free_world(struct world *w)
{
    wtl_memory_world_destroy(w->world);
    wtl_tree_destroy(w->tree);
    wtl_node_destroy(w->node);
    wtl_expression_destroy(w->package);
    wtl_expression_destroy(w->during);
    wtl_expression_destroy(w->dram);
    wtl_expression_destroy(w->dram_during);
    wtl_expression_destroy(w->after);
}

static double two_reads_j(struct wtl_node *node, uint64_t at_ns, const double *earlier)
{
    double sum = 0;
    for (unsigned i = 0; i < DOMAINS; i++) {
        uint64_t raw = 0;
        (void)wtl_node_raw(node, i, at_ns, &raw);
        sum += (double)raw / 16384;
    }
    return earlier ? sum - *earlier : sum;
}

static void step_power(struct world *w, const struct setting *s, uint64_t at_ns, bool start)
{
    if (!start)
        w->after = compile(s->package_after, (double)(at_ns - START_NS) * 1e-9);
    for (unsigned i = 0; i < DOMAINS; i++) {
        const struct wtl_expression *package = start ? w->during : w->after;
        const struct wtl_expression *dram = start ? w->dram_during : w->dram;
        (void)wtl_node_set_power(w->node, i, at_ns, i % 2 ? dram : package);
    }
}

static bool through_page;

static void run_world(const struct setting *s, uint64_t job_ns, uint64_t seed, struct cell *cell)
{
    const struct wtl_driver *const drivers[] = {
        through_page ? &wtl_driver_page : &wtl_driver_powercap, NULL};
    struct wtl_request request = {.drivers = drivers, .in_place = true};
    struct wtl_selection *selection = NULL;
    struct wtl_session *session = NULL;
    struct wattle_error err = {""};
    struct world w;
    make_world(&w, s, seed);
    const struct wtl_world *world = through_page ? page_world_open(w.world, seed) : w.world;
    struct wtl_session_options options = {.world = world,
                                          .interval_ns = 100000000,
                                          .edges_before = 3,
                                          .edges_after = 3,
                                          .looks = true};
    if (wtl_selection_open(&request, world, &selection, &err) < 0 ||
        selection->recorded_count != DOMAINS)
        exit(1);
    options.selection = selection;
    if (wtl_session_create(&options, &session, &err) < 0)
        exit(1);
    wtl_session_prepare(session);
    uint64_t start_ns = wtl_memory_world_time(w.world);
    double naive = two_reads_j(w.node, start_ns, NULL);
    step_power(&w, s, start_ns, true);
    wtl_session_begin(session, start_ns);
    uint64_t end_ns = start_ns + job_ns;
    wtl_session_advance(session, end_ns);
    end_ns = wtl_memory_world_time(w.world);
    naive = two_reads_j(w.node, end_ns, &naive);
    step_power(&w, s, end_ns, false);
    wtl_session_end(session, end_ns);

    double truth = 0, sum = 0, squares = 0;
    for (unsigned i = 0; i < DOMAINS; i++) {
        struct wtl_summary summary;
        truth += wtl_node_energy_j(w.node, i, start_ns, end_ns);
        wtl_session_summary(session, i, &summary);
        sum += summary.amount;
        squares += summary.amount_half * summary.amount_half;
    }
    double error = (sum - truth) / truth, naive_error = (naive - truth) / truth;
    if (fabs(naive_error) < 0.5) /* else it wrapped between the two reads, which the naive method
                                  * does not handle */
        cell->naive_squares += naive_error * naive_error;
    cell->squares += error * error;
    cell->bias += error;
    cell->half += sqrt(squares) / truth;
    cell->covered += fabs(sum - truth) <= sqrt(squares);
    cell->worlds++;
    wtl_session_destroy(session);
    wtl_selection_close(selection);
    if (through_page)
        page_world_close();
    free_world(&w);
}

int main(int argc, char **argv)
{
    unsigned worlds = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 1000;
    through_page = argc > 2 && strcmp(argv[2], "page") == 0;
    static const uint64_t jobs_ns[JOBS] = {10000000, 100000000, 1000000000};
    printf("A1  %u simulated worlds per cell, 2 packages and 2 drams%s; errors of the sum in %%\n",
           worlds, through_page ? ", through the page" : "");
    printf("A1  %-28s %8s %10s %10s %10s %10s %9s\n", "around the job", "job", "naive rms",
           "wattle rms", "bias", "half width", "coverage");
    for (size_t s = 0; s < sizeof settings / sizeof *settings; s++) {
        for (size_t j = 0; j < JOBS; j++) {
            struct cell cell = {0};
            for (unsigned i = 0; i < worlds; i++)
                run_world(&settings[s], jobs_ns[j], i + 1 + 1000000 * (j + 10 * s), &cell);
            double n = cell.worlds;
            printf("A1  %-28s %5g ms %10.4f %10.4f %+10.4f %10.4f %8.1f%%\n", settings[s].name,
                   (double)jobs_ns[j] * 1e-6, 100 * sqrt(cell.naive_squares / n),
                   100 * sqrt(cell.squares / n), 100 * cell.bias / n, 100 * cell.half / n,
                   100.0 * cell.covered / n);
        }
    }
    return 0;
}
