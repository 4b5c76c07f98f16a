/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Counters that update too slowly to be polled for two ticks at each border, like those of a Cray
 * node: measurements in virtual time of a power that changes by a factor of 5 to 100 within two
 * updates of a border, at any phase. No energy may be farther than three half widths from the
 * truth, and for constant power the interval is no wider than an update.
 *
 *     test_record_slow            some seeds of each row
 *     test_record_slow 1 20000    a range of seeds
 *     test_record_slow 17         one, with its contents
 */
#include "record/session.h"

#include <math.h>
#include <stdlib.h>

#include "base/random.h"
#include "sim/memory_world.h"
#include "source/driver.h"
#include "tap.h"

#define START_NS UINT64_C(1000000000000)
#define S        UINT64_C(1000000000)
#define MS       UINT64_C(1000000)

#ifdef __SANITIZE_ADDRESS__ /* about twenty times slower, and the energies are those of the other
                             * build */
enum { SEEDS = 40 };
#else
enum { SEEDS = 200 };
#endif

static const struct row {
    int line;
    const char *name;
    uint64_t refresh_ns, interval_ns;
    unsigned unit_exp; /* the unit is 2^-unit_exp J */
    bool steps;
    bool brief; /* it lasts for about one update */
} rows[] = {
    {__LINE__, "constant, 10 Hz", 100 * MS, 100 * MS, 0, false, false},
    {__LINE__, "constant, 10 Hz, sampled every second", 100 * MS, S, 0, false, false},
    {__LINE__, "steps, 10 Hz", 100 * MS, 100 * MS, 0, true, false},
    {__LINE__, "steps, 10 Hz, sampled every 10 ms", 100 * MS, 10 * MS, 0, true, false},
    {__LINE__, "steps, 10 Hz, sampled every second", 100 * MS, S, 0, true, false},
    {__LINE__, "steps, 50 Hz", 20 * MS, 100 * MS, 14, true, false},
    {__LINE__, "steps, 50 Hz, sampled every 5 ms", 20 * MS, 5 * MS, 14, true, false},
    {__LINE__, "10 Hz, for an update or so", 100 * MS, 100 * MS, 0, true, true},
    {__LINE__, "50 Hz, for an update or so", 20 * MS, 100 * MS, 14, true, true},
};

enum { ROWS = sizeof rows / sizeof *rows };

/* One measurement. */
struct slow {
    const struct row *row;
    uint64_t seed, draws;
    char power[200];
    double length_s;
    struct wattle_channel channel;
    struct wtl_node *node;
    struct wtl_world *world;
    double truth_j;
    struct wtl_summary summary;
};

static struct slow *now_running; /* used by the driver, which has no other access to it */

static double uniform(struct slow *slow, double low, double high)
{
    return low + (high - low) * wtl_random_uniform(slow->seed, slow->draws++);
}

/* The window begins a second after the node. */
static void draw(struct slow *slow)
{
    double update_s = (double)slow->row->refresh_ns * 1e-9;
    double low_w = 12 * pow(10, uniform(slow, 0, 1)), high_w = low_w;
    slow->length_s = slow->row->brief ? uniform(slow, 0.05, 1.5) * update_s : uniform(slow, 0.2, 3);
    int n = snprintf(slow->power, sizeof slow->power, "%.4f", low_w);
    if (!slow->row->steps)
        return;
    high_w *= 5 * pow(20, uniform(slow, 0, 1)) - 1;
    unsigned where = (unsigned)uniform(slow, 0, 3); /* at the start, at the end, at both */
    for (unsigned i = 0; i < 2; i++) {
        double at_s = 1 + (i ? slow->length_s : 0) + uniform(slow, -2, 2) * update_s;
        const char *sign = uniform(slow, 0, 1) < 0.5 ? "t-" : "-t+"; /* up, or down */
        if (where == i || where == 2)
            n += snprintf(slow->power + n, sizeof slow->power - (size_t)n, "+%.4f*step(%s%.6f)",
                          high_w, sign, at_s);
    }
}

static int slow_open(struct wtl_source *source, struct wattle_error *err)
{
    (void)err;
    return wtl_source_add(source, &now_running->channel);
}

static void slow_read(struct wtl_source *source, size_t first, size_t n, struct wattle_reading *out)
{
    (void)first;
    uint64_t units = 0;
    wtl_memory_world_advance(source->world, 20000);
    int rc = wtl_node_units(now_running->node, 0, wtl_memory_world_time(source->world), &units);
    wtl_memory_world_advance(source->world, 20000);
    for (size_t i = 0; i < n; i++)
        out[i] = (struct wattle_reading){.status = rc, .raw = units};
}

static const struct wtl_driver slow_driver = {.name = "slow",
                                              .summary = "a counter that updates slowly",
                                              .open = slow_open,
                                              .read = slow_read};

static int measure(struct slow *slow)
{
    static const struct wtl_driver *const drivers[] = {&slow_driver, NULL};
    struct wtl_request request = {.drivers = drivers};
    struct wtl_selection *selection = NULL;
    struct wtl_session *session = NULL;
    int rc = wtl_selection_open(&request, slow->world, &selection, NULL);
    struct wtl_session_options options = {.world = slow->world,
                                          .selection = selection,
                                          .interval_ns = slow->row->interval_ns,
                                          .edges_before = 3,
                                          .edges_after = 3,
                                          .looks = true};
    rc = rc < 0 ? rc : wtl_session_create(&options, &session, NULL);
    if (rc == 0) {
        wtl_session_prepare(session);
        uint64_t start_ns = wtl_memory_world_time(slow->world);
        wtl_session_begin(session, start_ns);
        wtl_session_advance(session, start_ns + (uint64_t)(slow->length_s * 1e9));
        uint64_t end_ns = wtl_memory_world_time(slow->world);
        wtl_session_end(session, end_ns);
        slow->truth_j = wtl_node_energy_j(slow->node, 0, start_ns, end_ns);
        wtl_session_summary(session, 0, &slow->summary);
    }
    wtl_session_destroy(session);
    wtl_selection_close(selection);
    return rc;
}

static int run(struct slow *slow)
{
    struct wtl_expression *watts = NULL;
    struct wtl_node_config config = wtl_node_config_init(START_NS);
    struct wtl_tree_config tree_config = wtl_tree_config_init();
    struct wtl_memory_config memory = wtl_memory_config_init(START_NS + S, slow->seed);
    struct wtl_tree *tree = NULL;
    struct wattle_error err = {""};
    draw(slow);
    int rc =
        wtl_expression_compile(slow->power, wtl_power_variables, WTL_POWER_VARIABLES, &watts, &err);
    struct wtl_node_domain *domain = &config.domains[0];
    config.seed = slow->seed;
    config.domain_count = 1;
    *domain = wtl_node_domain_init(WATTLE_DOMAIN_NODE, 0, watts, slow->seed);
    domain->tick_ns = slow->row->refresh_ns;
    domain->phase_ns = (uint64_t)uniform(slow, 0, (double)domain->tick_ns);
    domain->jitter_ns = uniform(slow, 0, 0.02) * (double)domain->tick_ns;
    domain->unit_exp = slow->row->unit_exp;
    slow->channel = wtl_channel_init(WATTLE_DOMAIN_NODE, 0, WATTLE_ENERGY, WATTLE_COUNTER);
    slow->channel.scale = ldexp(1, -(int)domain->unit_exp);
    slow->channel.refresh_ns = domain->tick_ns;
    now_running = slow;
    rc = rc < 0 ? rc : wtl_node_create(&config, &slow->node, &err);
    rc = rc < 0 ? rc : wtl_tree_create(&tree_config, &config, &tree, &err);
    rc = rc < 0 ? rc : wtl_memory_world_create(slow->node, tree, &memory, &slow->world, &err);
    rc = rc < 0 ? rc : measure(slow);
    if (rc < 0)
        diag("seed %d: %s %s", (int)slow->seed, err.text, slow->power);
    wtl_memory_world_destroy(slow->world);
    wtl_tree_destroy(tree);
    wtl_node_destroy(slow->node);
    wtl_expression_destroy(watts);
    return rc;
}

static void test_row(const struct row *row, uint64_t from, uint64_t to)
{
    unsigned within = 0, far = 0, flagged = 0, wide = 0, n = 0;
    double half_j = 0, off_j = 0;
    for (uint64_t seed = from; seed <= to; seed++, n++) {
        struct slow slow = {.row = row, .seed = seed};
        if (run(&slow) < 0) {
            far++;
            continue;
        }
        const struct wtl_summary *s = &slow.summary;
        double off = fabs(s->amount - slow.truth_j), half = s->amount_half;
        double update_j = slow.truth_j / slow.length_s * (double)row->refresh_ns * 1e-9;
        bool is_far = !(off <= 3 * half + 1e-6);
        within += off <= half;
        far += is_far;
        wide += half > update_j + 2 * slow.channel.scale;
        flagged += s->unknown_ns > 0;
        half_j += half;
        off_j += off;
        if (is_far || from == to)
            diag("%s, seed %d: %g s of %s W: %.2f +- %.2f J, truth %.2f, unknown %g s", row->name,
                 (int)seed, slow.length_s, slow.power, s->amount, half, slow.truth_j,
                 (double)s->unknown_ns * 1e-9);
    }
    tap_line = row->line;
    is_int((long)far, 0, "%s: of %u none is farther off than three half widths", row->name, n);
    is_int((long)flagged, 0, "all of the time is known");
    if (!row->steps && !row->brief)
        is_int((long)wide, 0, "no interval is wider than an update");
    diag("%s: %.1f %% within one half width, mean half width %.2f J, mean error %.2f J", row->name,
         100.0 * within / n, half_j / n, off_j / n);
}

int main(int argc, char **argv)
{
    uint64_t from = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    uint64_t to = argc > 2 ? strtoull(argv[2], NULL, 10) : argc > 1 ? from : SEEDS;
    for (size_t i = 0; i < ROWS; i++)
        test_row(&rows[i], from, to);
    return done_testing();
}
