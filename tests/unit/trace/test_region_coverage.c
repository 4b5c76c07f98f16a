/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Do the intervals of regions contain the truth with slow sampling? The power is a square wave of
 * any period, in step with the marks or not, plus a part that the regions draw themselves; it is
 * sampled far more slowly than it changes, as fast, or faster. At least 95 of 100 intervals must
 * contain the truth, and no interval may claim more than the possible power. Likewise if a burst of
 * many times the power begins just before a border, and another region just after it: since the bursts
 * are in step with the regions, errors of several visits have the same sign, and 90 of 100 must do. So must
 * those of short regions beside bursts that are never in a step without a mark.
 */
#include <math.h>

#include "tap.h"
#include "trace/regions/region_energy.h"

#define UNIT_J        61e-6
#define TICK_NS       976563u
#define START         UINT64_C(1000000000)
#define VISITS        200
#define RANDOM_VISITS 64 /* at most */
#define NAMES         4

struct visit {
    double begin_s, end_s;
    unsigned name;
};

/* A node and what runs on it. */
struct node {
    double base_w, wave_w, period_s, duty, phase_s; /* wave_w more for duty of each period */
    double own_w[NAMES];                            /* more inside of a region */
    double interval_s, length_s;
    struct visit visits[VISITS];
    unsigned visit_count;
    double truth_j[NAMES], union_s[NAMES];
};

struct row {
    int line;
    const char *what;
    double own;               /* fraction of the power that the regions draw themselves */
    double wave;              /* fraction drawn by the square wave */
    double shortest, longest; /* visits, in intervals */
    void (*make)(const struct row *row, uint64_t *random, struct node *node); /* or NULL */
    double held,
        wide; /* of the intervals: that hold the truth; at most so many are wider than a quarter of it */
};

static double uniform(uint64_t *state, double low, double high)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return low + (high - low) * (double)(*state >> 11) * 0x1p-53;
}

static double wave_on_s(const struct node *node, double t)
{
    double periods = floor((t + node->phase_s) / node->period_s);
    double rest = t + node->phase_s - periods * node->period_s;

    return periods * node->duty * node->period_s + fmin(rest, node->duty * node->period_s);
}

static double joules_at(const struct node *node, double t)
{
    double joules = node->base_w * t + node->wave_w * (wave_on_s(node, t) - wave_on_s(node, 0));

    for (unsigned i = 0; i < node->visit_count; i++) {
        const struct visit *visit = &node->visits[i];

        joules += node->own_w[visit->name] *
                  (fmin(fmax(t, visit->begin_s), visit->end_s) - visit->begin_s);
    }
    return joules;
}

/* Bursts of 5 to 305 W; a long region ends up to 0.6 intervals after the begin of each, and a short one begins a hundredth of one later. */
static void make_bursts(const struct row *row, uint64_t *random, struct node *node)
{
    node->base_w = 5;
    node->wave_w = 300;
    node->period_s = node->interval_s * uniform(random, 15, 20);
    node->duty = uniform(random, 0.05, 0.2);
    node->phase_s = 0;
    node->visit_count = 0;
    for (unsigned n = 1; n <= 6; n++) {
        double end_s = n * node->period_s + node->interval_s * uniform(random, 0.1, 0.6);
        double begin_s = end_s + 0.01 * node->interval_s;
        double longer = node->interval_s * uniform(random, row->shortest, row->longest);
        unsigned name = 2 * (n % 2);
        node->visits[node->visit_count++] =
            (struct visit){end_s - 9 * node->interval_s, end_s, name};
        node->visits[node->visit_count++] = (struct visit){begin_s, begin_s + longer, name + 1};
    }
    node->length_s = 6.5 * node->period_s;
}

/* Bursts of 5 to 305 W, for 0.1 to 0.3 intervals, and after each of them a short region. */
static void make_beside(const struct row *row, uint64_t *random, struct node *node)
{
    node->base_w = 5;
    node->wave_w = 300;
    node->period_s = node->interval_s * uniform(random, 15, 20);
    node->duty = node->interval_s * uniform(random, 0.1, 0.3) / node->period_s;
    node->phase_s = 0;
    node->visit_count = 0;
    for (unsigned n = 1; n <= 8; n++) {
        double begin_s = (n + node->duty) * node->period_s + 0.05 * node->interval_s;
        double longer = node->interval_s * uniform(random, row->shortest, row->longest);
        node->visits[node->visit_count++] = (struct visit){begin_s, begin_s + longer, n % NAMES};
    }
    node->length_s = 9 * node->period_s;
}

/* The same region 200 times, at any phase. */
static void make_often(const struct row *row, uint64_t *random, struct node *node)
{
    double begin_s = 3 * node->interval_s;
    node->own_w[0] = 200;
    for (node->visit_count = 0; node->visit_count < VISITS; node->visit_count++) {
        double longer = node->interval_s * uniform(random, row->shortest, row->longest);
        node->visits[node->visit_count] = (struct visit){begin_s, begin_s + longer, 0};
        begin_s += node->interval_s * uniform(random, 2.5, 4);
    }
    node->length_s = begin_s + node->interval_s;
}

static const struct row rows[] = {
    {__LINE__, "regions that say nothing of the power", 0, 1, 0.1, 12, NULL, 0.95, 1},
    {__LINE__, "regions of their own power", 1, 0, 0.1, 12, NULL, 0.95, 1},
    {__LINE__, "both", 1, 1, 0.1, 12, NULL, 0.95, 1},
    {__LINE__, "short ones", 1, 1, 0.02, 0.8, NULL, 0.95, 1},
    {__LINE__, "long ones", 0.5, 1, 3, 15, NULL, 0.95, 1},
    {__LINE__, "bursts just before a border", 0, 1, 0.3, 4, make_bursts, 0.9, 1},
    {__LINE__, "bursts beside short regions", 0, 1, 0.3, 0.6, make_beside, 0.9, 1},
    {__LINE__, "short regions of their own power, often", 1, 0, 0.1, 0.3, make_often, 0.95, 0.1},
};

static void make_node(const struct row *row, uint64_t *random, struct node *node)
{
    static const double intervals[] = {0.02, 0.1, 0.56, 1};
    double at;

    *node = (struct node){.base_w = uniform(random, 10, 60)};
    node->interval_s = intervals[(unsigned)uniform(random, 0, 4)];
    node->length_s = uniform(random, 20, 150) * node->interval_s;
    node->wave_w = row->wave * uniform(random, 10, 150);
    node->period_s = node->interval_s * pow(10, uniform(random, -1.3, 1.5));
    node->duty = uniform(random, 0.1, 0.9);
    node->phase_s = uniform(random, 0, node->period_s);
    for (unsigned n = 0; n < NAMES; n++)
        node->own_w[n] = row->own * uniform(random, 0, 100);
    at = node->interval_s * uniform(random, 0.1, 4);
    while (node->visit_count < RANDOM_VISITS) {
        double length = node->interval_s * row->shortest *
                        pow(row->longest / row->shortest, uniform(random, 0, 1));
        struct visit visit = {at, at + length, (unsigned)uniform(random, 0, NAMES)};

        if (visit.end_s > node->length_s - 3 * node->interval_s)
            break;
        node->visits[node->visit_count++] = visit;
        at = visit.end_s + node->interval_s * pow(10, uniform(random, -1.5, 1.3));
    }
    if (row->make)
        row->make(row, random, node);
    for (unsigned i = 0; i < node->visit_count; i++) {
        const struct visit *visit = &node->visits[i];

        node->truth_j[visit->name] +=
            joules_at(node, visit->end_s) - joules_at(node, visit->begin_s);
        node->union_s[visit->name] += visit->end_s - visit->begin_s;
    }
}

static bool feed(struct wtl_region_energy *energy, const struct node *node, uint64_t *random)
{
    bool good = true;
    uint64_t phase_ns = (uint64_t)uniform(random, 0, TICK_NS);

    for (double t = 0; t < node->length_s + 2 * node->interval_s; t += node->interval_s) {
        uint64_t ns = (uint64_t)(t * 1e9) + (uint64_t)uniform(random, 0, 30000);
        uint64_t tick_ns = ns < phase_ns ? 0 : (ns - phase_ns) / TICK_NS * TICK_NS + phase_ns;
        uint64_t ticks = (uint64_t)(joules_at(node, (double)tick_ns * 1e-9) / UNIT_J);

        good = wtl_region_energy_sample(energy, 0, START + ns, ticks, false) == 0 && good;
    }
    for (unsigned i = 0; i < node->visit_count; i++) {
        const struct visit *visit = &node->visits[i];
        struct wtl_mark begin = {.time_ns = START + (uint64_t)(visit->begin_s * 1e9),
                                 .name = 1 + visit->name};
        struct wtl_mark end = {.time_ns = START + (uint64_t)(visit->end_s * 1e9),
                               .name = 1 + visit->name,
                               .kind = WTL_MARK_END};

        good = wtl_region_energy_mark(energy, &begin) == 0 && good;
        good = wtl_region_energy_mark(energy, &end) == 0 && good;
    }
    wtl_region_energy_marked(energy, UINT64_MAX);
    return wtl_region_energy_finish(energy) == 0 && good;
}

struct score {
    unsigned regions, held, far, beyond, narrow, wide; /* far: three half widths */
};

static void judge(const struct node *node,
                  const struct wtl_region_energy *energy,
                  struct score *score)
{
    double most_w = node->base_w + node->wave_w;
    double own_w = 0;

    for (unsigned n = 0; n < NAMES; n++)
        own_w = fmax(own_w, node->own_w[n]);
    most_w += own_w;
    for (size_t i = 1; i < wtl_region_energy_count(energy); i++) {
        const struct wtl_region_result *result = wtl_region_energy_result(energy, i);
        const struct wtl_energy *got = &result->inclusive[0];
        double truth = node->truth_j[result->name - 1], union_s = node->union_s[result->name - 1];
        bool held = fabs(got->j - truth) <= got->half_j;

        score->regions++;
        score->held += held;
        score->far += fabs(got->j - truth) > 3 * got->half_j;
        score->beyond +=
            got->j + got->half_j > 3 * most_w * (union_s + 0.004 * (double)result->count);
        score->narrow += got->half_j < 0.1 * truth;
        score->wide += got->half_j > 0.25 * truth;
        if (!held && getenv("WATTLE_TEST_VERBOSE"))
            diag("L %g T/L %.3f duty %.2f base %g wave %g: %g s in %u: %g +- %g, truth %g",
                 node->interval_s, node->period_s / node->interval_s, node->duty, node->base_w,
                 node->wave_w, union_s, (unsigned)result->count, got->j, got->half_j, truth);
    }
}

static void check(const struct row *row)
{
    static const struct wattle_channel channel = {
        .quantity = WATTLE_ENERGY, .kind = WATTLE_COUNTER, .scale = UNIT_J, .refresh_ns = TICK_NS};
    uint64_t random = 88172645463325252u;
    struct score score = {0};
    bool good = true;

    for (unsigned world = 0; world < 150; world++) {
        struct wtl_region_energy *energy = NULL;
        struct node node;

        make_node(row, &random, &node);
        good =
            wtl_region_energy_create(&channel, 1, START + (uint64_t)(node.interval_s * 1e8),
                                     START + (uint64_t)(node.length_s * 1e9), &energy, NULL) == 0 &&
            feed(energy, &node, &random) && good;
        judge(&node, energy, &score);
        wtl_region_energy_destroy(energy);
    }
    ok(good, "%s", row->what);
    ok(score.held >= row->held * score.regions, "%u of %u intervals hold the truth", score.held,
       score.regions);
    ok(score.far <= 0.002 * score.regions, "%u are off by three half widths", score.far);
    ok(score.wide <= row->wide * score.regions, "%u are wider than a quarter", score.wide);
    ok(score.beyond == 0, "%u are beyond what the power can be", score.beyond);
    diag("%s: %u of %u held, %u narrower than a tenth", row->what, score.held, score.regions,
         score.narrow);
}

int main(void)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tap_line = rows[i].line;
        check(&rows[i]);
    }
    return done_testing();
}
