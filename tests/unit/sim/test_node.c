/* SPDX-License-Identifier: BSD-3-Clause */
/* The node compared with closed forms: energies, ticks, wraps, steps, wander and each fault. */
#include "sim/node.h"

#include <errno.h>
#include <math.h>

#include "tap.h"

#define PI 3.14159265358979323846
#define S  UINT64_C(1000000000)
#define MS UINT64_C(1000000)
static const uint64_t START = 5000 * S + 123;

static struct wtl_expression *power(const char *text)
{
    struct wtl_expression *expression = NULL;
    struct wattle_error err = {""};
    if (wtl_expression_compile(text, wtl_power_variables, WTL_POWER_VARIABLES, &expression, &err) <
        0)
        diag("%s", err.text);
    return expression;
}

/* A node of one domain, package-0. */
static struct wtl_node_config one(const struct wtl_expression *expression)
{
    struct wtl_node_config config = wtl_node_config_init(START);
    config.seed = 7;
    config.domains[0] = wtl_node_domain_init(WATTLE_DOMAIN_PACKAGE, 0, expression, config.seed);
    config.domain_count = 1;
    return config;
}

static struct wtl_node *made(const struct wtl_node_config *config)
{
    struct wtl_node *node = NULL;
    struct wattle_error err = {""};
    if (wtl_node_create(config, &node, &err) < 0)
        diag("%s", err.text);
    return node;
}

/* Energies from 0 to t seconds that can be computed manually. */
static void check_closed_forms(void)
{
    static const struct {
        int line;
        const char *text;
        double t, joules, tolerance;
    } rows[] = {
        {__LINE__, "100", 10, 1000, 1e-9},
        {__LINE__, "0", 10, 0, 0},
        {__LINE__, "-5", 10, 0, 0},
        {__LINE__, "log(-1)", 10, 0, 0},
        {__LINE__, "10*t", 10, 500, 1e-9},
        {__LINE__, "3*t^2", 2, 8, 1e-8},
        {__LINE__, "60+40*sin(2*pi*t)", 1, 60, 1e-9},
        {__LINE__, "60+40*sin(2*pi*t)", 0.5, 30 + 40 / PI, 1e-6},
        {__LINE__, "50+100*square(t, 0.1, 0.3)", 1, 80, 1e-9},
        {__LINE__, "50+50*step(t-0.25)", 1, 87.5, 1e-9},
        {__LINE__, "60+40*load", 10, 600, 1e-9},
        {__LINE__, "20*f", 10, 500, 1e-9},
        {__LINE__, "10+socket", 10, 100, 1e-9},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tap_line = rows[i].line;
        struct wtl_expression *expression = power(rows[i].text);
        struct wtl_node_config config = one(expression);
        struct wtl_node *node = made(&config);
        uint64_t end = START + (uint64_t)(rows[i].t * 1e9);
        is_double(wtl_node_energy_j(node, 0, START, end), rows[i].joules, rows[i].tolerance,
                  "%s over %g s", rows[i].text, rows[i].t);
        is_int(wtl_node_undefined(node) > 0,
               strchr(rows[i].text, 'g') != NULL && rows[i].joules == 0,
               "what has no value is counted");
        wtl_node_destroy(node);
        wtl_expression_destroy(expression);
    }
    tap_line = 0;
}

/* Steps at arbitrary instants split the energy exactly, on the grid and off it. */
static void check_steps(const char *text, double base_j)
{
    struct wtl_expression *expression = power(text), *other = power("120");
    struct wtl_node_config config = one(expression);
    struct wtl_node *node = made(&config);
    uint64_t a = START + S + 17, b = START + 2 * S + 333333, end = START + 3 * S;
    is_int(wtl_node_set_power(node, 0, a, other), 0, "%s: a step", text);
    is_int(wtl_node_set_power(node, 0, b, expression), 0, "and back");
    is_int(wtl_node_set_power(node, 0, a, other), -EINVAL, "steps come in the order of time");
    double first = (double)(b - a) * 1e-9 * 120;
    is_double(wtl_node_energy_j(node, 0, a, b), first, 1e-9, "120 W between the steps");
    is_double(wtl_node_energy_j(node, 0, START, a) + wtl_node_energy_j(node, 0, b, end),
              base_j * (3 - (double)(b - a) * 1e-9), 0.01, "the rest outside");
    is_double(wtl_node_power_w(node, 0, a), 120, 0, "power at the step is the new one");
    is_int(wtl_node_set_power(node, 0, end - 1, other), -EINVAL, "what was told stays");
    is_int(wtl_node_set_power(node, 0, end, other), 0, "from there on it may change");
    is_double(wtl_node_energy_j(node, 0, end, end + S), 120, 1e-9, "and does");
    wtl_node_destroy(node);
    wtl_expression_destroy(expression);
    wtl_expression_destroy(other);
}

static void check_influence(void)
{
    struct wtl_expression *expression = power("10+40*load+f");
    struct wtl_node_config config = one(expression);
    struct wtl_node *node = made(&config);
    double truth = 0;
    uint64_t t = START;
    for (int i = 0; i < 1000; i++) {
        struct wtl_influence now = wtl_node_influence(node);
        uint64_t next = t + 1234567 + (uint64_t)i;
        truth += (10 + 40 * now.load + now.f) * (double)(next - t) * 1e-9;
        t = next;
        if (wtl_node_set_influence(node, t, (i % 11) / 10.0, 1 + i % 3) < 0)
            ok(false, "step %d", i);
    }
    is_double(wtl_node_energy_j(node, 0, START, t), truth, 1e-9,
              "1000 steps of load and frequency");
    is_int(wtl_node_set_influence(node, t - 1, 0, 1), -EINVAL, "not into the past");
    wtl_node_destroy(node);
    wtl_expression_destroy(expression);
}

/* The same energy bit for bit, queried forwards, backwards and at random. */
static void check_random_access(void)
{
    enum { N = 2000 };
    static double forward[N];
    struct wtl_expression *expression = power("60+30*sin(7*t)+20*load");
    struct wtl_node_config config = one(expression);
    config.domains[0].wander_w = 5;
    config.domains[0].wander_tau_s = 0.05;
    struct wtl_node *node = made(&config);
    int differences = 0;
    for (int i = 0; i < N; i++) {
        uint64_t t = START + (uint64_t)i * 777777;
        forward[i] = wtl_node_energy_j(node, 0, START, t);
        if (i % 50 == 49)
            (void)wtl_node_set_influence(node, t, (i % 7) / 7.0, 2);
    }
    for (int i = N - 1; i >= 0; i--)
        differences +=
            wtl_node_energy_j(node, 0, START, START + (uint64_t)i * 777777) != forward[i];
    for (int i = 0; i < N; i++) {
        int k = i * 7919 % N;
        differences +=
            wtl_node_energy_j(node, 0, START, START + (uint64_t)k * 777777) != forward[k];
    }
    is_int(differences, 0, "the past does not change");
    ok(isnan(wtl_node_energy_j(node, 0, START - 1, START)), "nothing is known before the start");
    ok(isnan(wtl_node_energy_j(node, 0, START + 1, START)), "nor backwards");
    wtl_node_destroy(node);
    wtl_expression_destroy(expression);
}

/* Unwrap the counter over a minute, reading every `step` ns; compare with the truth. */
static void check_counter(unsigned bits, double jitter_ns, bool normal, uint64_t step)
{
    struct wtl_expression *expression = power("110+50*sin(3*t)");
    struct wtl_node_config config = one(expression);
    config.domains[0].range_bits = bits;
    config.domains[0].jitter_ns = jitter_ns;
    config.domains[0].jitter_normal = normal;
    struct wtl_node *node = made(&config);
    uint64_t mask = (UINT64_C(1) << bits) - 1, first = 0, last = 0, sum = 0, t = START;
    int changes = 0, wraps = 0;
    (void)wtl_node_raw(node, 0, t, &first);
    last = first;
    for (; t < START + 60 * S; t += step) {
        uint64_t raw = 0;
        (void)wtl_node_raw(node, 0, t, &raw);
        changes += raw != last;
        wraps += raw < last;
        sum += (raw - last) & mask;
        last = raw;
    }
    double shown = (double)sum / 16384, truth = wtl_node_energy_j(node, 0, START, t - step);
    ok(shown <= truth + 1e-4 && shown > truth - 160 * 0.0015,
       "%u bits: shown %.4f J, truth %.4f J, at most a tick less", bits, shown, truth);
    int ticks = (int)(60 * S / config.domains[0].tick_ns);
    if (step < config.domains[0].tick_ns / 10 && !normal) /* else two ticks may fall in one step */
        ok(abs(changes - ticks) <= 1, "%d changes in %d ticks", changes, ticks);
    is_int(wraps, (int)(((first & mask) + sum) >> bits), "wraps at 2^%u", bits);
    wtl_node_destroy(node);
    wtl_expression_destroy(expression);
}

/* Edges are where phase, period and jitter put them. */
static void check_ticks(void)
{
    struct wtl_expression *expression = power("1000");
    struct wtl_node_config config = one(expression);
    config.domains[0].tick_ns = MS;
    config.domains[0].phase_ns = 300000;
    config.domains[0].jitter_ns = 50000;
    struct wtl_node *node = made(&config);
    uint64_t last = 0, raw = 0, edge = 0;
    int edges = 0, outside = 0;
    double sum = 0, squares = 0;
    (void)wtl_node_raw(node, 0, START, &last);
    for (uint64_t t = START; t < START + 2 * S; t += 1000) {
        (void)wtl_node_raw(node, 0, t, &raw);
        if (raw == last)
            continue;
        last = raw;
        edge = (t - START) % MS;
        outside += edge < 249000 || edge > 352000;
        sum += (double)edge;
        squares += (double)edge * (double)edge;
        edges++;
    }
    is_int(edges, 2000, "one edge per tick");
    is_int(outside, 0, "all within the jitter");
    is_double(sum / edges, 300500, 3000, "around the phase");
    is_double(sqrt(squares / edges - sum / edges * (sum / edges)), 50000 / sqrt(3), 1500,
              "uniform: its rms is 1/sqrt(3) of the half width");
    wtl_node_destroy(node);
    wtl_expression_destroy(expression);
}

static void check_wander(void)
{
    struct wtl_expression *expression = power("100");
    struct wtl_node_config config = one(expression);
    config.domains[0].wander_w = 10;
    config.domains[0].wander_tau_s = 0.02;
    struct wtl_node *node = made(&config);
    enum { N = 100000 };
    double sum = 0, squares = 0, lagged = 0, lag[20] = {0};
    for (int i = 0; i < N; i++) {
        double w = wtl_node_power_w(node, 0, START + (uint64_t)i * MS) - 100;
        sum += w;
        squares += w * w;
        lagged += w * lag[i % 20];
        lag[i % 20] = w;
    }
    is_double(sum / N, 0, 0.8, "the wandering has no mean");
    is_double(sqrt(squares / N), 10, 0.5, "its rms is 10 W");
    is_double(lagged / squares, exp(-1), 0.05, "its correlation after tau is 1/e");
    is_double(wtl_node_energy_j(node, 0, START, START + 100 * S), 10000, 100,
              "energy goes with it");

    config.domains[0].index = 1;
    struct wtl_node *again = made(&config), *same;
    config.domains[0].index = 0;
    same = made(&config);
    uint64_t t = START + 77 * MS;
    ok(wtl_node_power_w(again, 0, t) != wtl_node_power_w(node, 0, t), "domains wander apart");
    ok(wtl_node_power_w(same, 0, t) == wtl_node_power_w(node, 0, t),
       "the same seed, the same world");
    wtl_node_destroy(node);
    wtl_node_destroy(again);
    wtl_node_destroy(same);
    wtl_expression_destroy(expression);
}

static struct wtl_node *faulty(const struct wtl_expression *expression,
                               const char *fault,
                               unsigned bits)
{
    struct wtl_node_config config = one(expression);
    struct wattle_error err = {""};
    config.domains[1] = wtl_node_domain_init(WATTLE_DOMAIN_DRAM, 0, expression, 1);
    config.domain_count = 2;
    config.domains[0].range_bits = bits;
    if (!ok(wtl_fault_parse(fault, &config.faults[0], &err) == 0, "%s", fault))
        diag("%s", err.text);
    config.fault_count = 1;
    return made(&config);
}

static uint64_t raw_at(struct wtl_node *node, uint64_t after)
{
    uint64_t raw = UINT64_MAX;
    (void)wtl_node_raw(node, 0, START + after, &raw);
    return raw;
}

static void check_absence(const struct wtl_expression *watts)
{
    uint64_t raw;
    struct wtl_node *node = faulty(watts, "vanish:package@1s,for=1s", 32);
    is_int(wtl_node_raw(node, 0, START + 999 * MS, &raw), 0, "there before");
    is_int(wtl_node_raw(node, 0, START + S, &raw), -ENODEV, "gone");
    is_int(wtl_node_open(node, 0, START + S), -ENOENT, "its file too");
    is_int(wtl_node_raw(node, 1, START + S, &raw), 0, "the other domain stays");
    is_int(wtl_node_raw(node, 0, START + 2 * S, &raw), 0, "back again");
    wtl_node_destroy(node);

    node = faulty(watts, "permission:package", 32);
    is_int(wtl_node_open(node, 0, START), -EACCES, "forbidden");
    is_int(wtl_node_open(node, 1, START), 0, "the other is not");
    wtl_node_destroy(node);

    node = faulty(watts, "eio,rate=0.25", 32);
    int failed = 0;
    for (uint64_t i = 0; i < 10000; i++)
        failed += wtl_node_raw(node, 0, START + i * MS, &raw) == -EIO;
    ok(abs(failed - 2500) < 200, "a quarter of the reads fail: %d of 10000", failed);
    wtl_node_destroy(node);
}

static void check_stall(const struct wtl_expression *watts)
{
    struct wtl_node *node = faulty(watts, "stall:package-0@1s,for=2s", 32);
    uint64_t before = raw_at(node, S);
    is_int(raw_at(node, 2 * S), before, "it stands");
    is_int(raw_at(node, 3 * S - 1), before, "to the end");
    is_double((double)(raw_at(node, 4 * S) - raw_at(node, 0)) / 16384, 400, 0.2, "and catches up");
    wtl_node_destroy(node);

    node = faulty(watts, "reset:package@1s", 32);
    is_double((double)raw_at(node, 2 * S) / 16384, 100, 0.2, "one second after a reset");
    wtl_node_destroy(node);

    node = faulty(watts, "wrap-while-stalled:package@1s", 16); /* 2^16 units = 4 J = 40 ms */
    before = raw_at(node, S);
    is_int(raw_at(node, S + 39 * MS), before, "it stands for one round");
    uint64_t after = raw_at(node, S + 43 * MS);
    ok(after > before && after - before < 5000, "and shows a small step: %" PRIu64, after - before);
    wtl_node_destroy(node);
}

static void check_jump(const struct wtl_expression *watts)
{
    struct wtl_node *node = faulty(watts, "jump:package@1s,by=5000", 32);
    is_double((double)(raw_at(node, 2 * S) - raw_at(node, 0)) / 16384, 5200, 0.2, "5000 J more");
    is_double(wtl_node_energy_j(node, 0, START, START + 2 * S), 200, 1e-6,
              "the energy is the same");
    wtl_node_destroy(node);

    node = faulty(watts, "jump:package@1s,for=10ms,by=-40", 32);
    double before = (double)raw_at(node, S - 1);
    is_double((before - (double)raw_at(node, S)) / 16384, 40, 0.2, "40 J less");
    is_double(((double)raw_at(node, S + 10 * MS) - before) / 16384, 1, 0.2, "for a moment");
    wtl_node_destroy(node);

    node = faulty(watts, "jump:package@1s,for=10ms,by=-1e9", 32);
    is_int(raw_at(node, S), 0, "never less than 0");
    wtl_node_destroy(node);
}

static void check_filtering(const struct wtl_expression *watts)
{
    struct wtl_node *node = faulty(watts, "filtering:package", 32);
    uint64_t last = raw_at(node, 0), first = last;
    int changes = 0, backwards = 0;
    for (uint64_t i = 0; i < 100000; i++) {
        uint64_t raw = raw_at(node, i * 100000);
        changes += raw != last;
        backwards += raw < last;
        last = raw;
    }
    ok(wtl_node_filtering(node, START), "filtering is in force");
    is_int(backwards, 0, "never backwards");
    ok(abs(changes - 10000 / 8) < 40, "every 8th tick: %d changes in 10 s", changes);
    is_double((double)(last - first) / 16384, 1000, 2, "no energy is lost");
    wtl_node_destroy(node);
}

static void check_refusals(void)
{
    struct wtl_expression *expression = power("1");
    struct wtl_node *node = NULL;
    struct wattle_error err = {""};
    struct wtl_node_config config = one(expression);
    config.domain_count = 0;
    is_int(wtl_node_create(&config, &node, &err), -EINVAL, "no domain: %s", err.text);
    config = one(expression);
    config.domains[1] = config.domains[0];
    config.domain_count = 2;
    is_int(wtl_node_create(&config, &node, &err), -EINVAL, "twice the same: %s", err.text);
    config = one(expression);
    config.domains[0].range_bits = 63;
    is_int(wtl_node_create(&config, &node, &err), -EINVAL, "63 bits: %s", err.text);
    config = one(expression);
    config.domains[0].wander_w = 3;
    is_int(wtl_node_create(&config, &node, &err), -EINVAL, "no correlation time: %s", err.text);
    config = one(expression);
    node = made(&config);
    is_int(wtl_node_find(node, WATTLE_DOMAIN_PACKAGE, 0), 0, "package-0 is found");
    is_int(wtl_node_find(node, WATTLE_DOMAIN_PACKAGE, 1), -ENOENT, "package-1 is not");
    char name[32];
    wtl_node_name(node, 0, name, sizeof name);
    is_str(name, "package-0", "its name");
    wtl_node_destroy(node);
    wtl_node_destroy(NULL);
    wtl_expression_destroy(expression);
}

int main(void)
{
    struct wtl_expression *watts = power("100");
    check_closed_forms();
    check_steps("60", 60);
    check_steps("60+sin(2*pi*t*50)", 60);
    check_influence();
    check_random_access();
    check_counter(32, 20000, false, 100000);
    check_counter(24, 0, false, 90000);
    check_counter(16, 300000, true, 80000);
    check_counter(20, 20000, false, 5 * MS);
    check_ticks();
    check_wander();
    check_absence(watts);
    check_stall(watts);
    check_jump(watts);
    check_filtering(watts);
    check_refusals();
    wtl_expression_destroy(watts);
    return done_testing();
}
