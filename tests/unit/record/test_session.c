/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Complete measurements in virtual time compared with the simulated node's truth: plain, with every
 * fault of its counters in mid-run, with wraps, with a late sampler. A fault may cost the energy of
 * its own time, which must then be reported; it may never add or remove a joule elsewhere.
 */
#include "record/session.h"

#include <errno.h>
#include <math.h>

#include "sim/memory_world.h"
#include "source/registry.h"
#include "tap.h"

#define START_NS UINT64_C(1000000000000)
#define S        UINT64_C(1000000000)

extern const struct wtl_driver wtl_driver_powercap, wtl_driver_hwmon;

struct rig {
    struct wtl_expression *watts;
    struct wtl_node *node;
    struct wtl_tree *tree;
    struct wtl_world *world;
    struct wtl_selection *selection;
    struct wtl_session *session;
    uint64_t start_ns, end_ns;
    double truth_j;
    struct wtl_summary summary;
};

static void rig_open_on(struct rig *rig,
                        const char *watts,
                        unsigned bits,
                        const char *fault,
                        const struct wtl_memory_config *memory)
{
    static const struct wtl_driver *const drivers[] = {&wtl_driver_powercap, NULL};
    struct wtl_node_config config = wtl_node_config_init(START_NS);
    struct wtl_tree_config tree = wtl_tree_config_init();
    struct wtl_request request = {.drivers = drivers};
    struct wattle_error err = {""};
    *rig = (struct rig){0};
    int rc =
        wtl_expression_compile(watts, wtl_power_variables, WTL_POWER_VARIABLES, &rig->watts, &err);
    config.domains[0] = wtl_node_domain_init(WATTLE_DOMAIN_PACKAGE, 0, rig->watts, 3);
    config.domains[0].range_bits = bits;
    config.domain_count = 1;
    if (rc == 0 && fault) {
        rc = wtl_fault_parse(fault, &config.faults[0], &err);
        config.fault_count = 1;
    }
    rc = rc < 0 ? rc : wtl_node_create(&config, &rig->node, &err);
    rc = rc < 0 ? rc : wtl_tree_create(&tree, &config, &rig->tree, &err);
    rc = rc < 0 ? rc : wtl_memory_world_create(rig->node, rig->tree, memory, &rig->world, &err);
    rc = rc < 0 ? rc : wtl_selection_open(&request, rig->world, &rig->selection, &err);
    if (rc < 0)
        diag("%s", err.text);
}

static void rig_open(struct rig *rig,
                     const char *watts,
                     unsigned bits,
                     const char *fault,
                     double wait_probability)
{
    struct wtl_memory_config memory = wtl_memory_config_init(START_NS + S, 7);
    memory.wait_probability = wait_probability;
    memory.wait_ns = 30000000;
    rig_open_on(rig, watts, bits, fault, &memory);
}

static void rig_run(struct rig *rig, uint64_t interval_ns, uint64_t length_ns)
{
    struct wattle_error err = {""};
    struct wtl_session_options options = {.world = rig->world,
                                          .selection = rig->selection,
                                          .interval_ns = interval_ns,
                                          .edges_before = 3,
                                          .edges_after = 3};
    if (wtl_session_create(&options, &rig->session, &err) < 0) {
        diag("%s", err.text);
        return;
    }
    wtl_session_prepare(rig->session);
    rig->start_ns = wtl_memory_world_time(rig->world);
    wtl_session_begin(rig->session, rig->start_ns);
    wtl_session_advance(rig->session, rig->start_ns + length_ns);
    rig->end_ns = wtl_memory_world_time(rig->world);
    wtl_session_end(rig->session, rig->end_ns);
    rig->truth_j = wtl_node_energy_j(rig->node, 0, rig->start_ns, rig->end_ns);
    wtl_session_summary(rig->session, 0, &rig->summary);
}

static void rig_close(struct rig *rig)
{
    wtl_session_destroy(rig->session);
    wtl_selection_close(rig->selection);
    wtl_memory_world_destroy(rig->world);
    wtl_tree_destroy(rig->tree);
    wtl_node_destroy(rig->node);
    wtl_expression_destroy(rig->watts);
}

static void test_plain(void)
{
    struct rig rig;
    rig_open(&rig, "80+20*sin(t)", 32, NULL, 0);
    rig_run(&rig, 10000000, 5 * S);
    is_double(rig.summary.amount, rig.truth_j, 0.001, "5 s against simulated truth");
    ok(fabs(rig.summary.amount - rig.truth_j) <= 2 * rig.summary.amount_half,
       "within the interval (%g of %g)", rig.summary.amount - rig.truth_j, rig.summary.amount_half);
    ok(rig.summary.samples > 480 && rig.summary.samples <= 500, "samples: %d",
       (int)rig.summary.samples);
    is_int(rig.summary.gaps, 0, "no gaps");
    /* over 20 ticks, of which two readings may see one more or less */
    ok(rig.summary.min_w > 57 && rig.summary.min_w < 63 && rig.summary.max_w > 97 &&
           rig.summary.max_w < 105,
       "extremes %g .. %g W", rig.summary.min_w, rig.summary.max_w);
    rig_close(&rig);
}

static void test_wraps(void)
{
    struct rig rig;
    rig_open(&rig, "500", 20, NULL, 0); /* wraps every 64 J: 8 times a second */
    rig_run(&rig, 10000000, 20 * S);
    is_double(rig.summary.amount, rig.truth_j, 0.01, "160 wraps, no joule lost");
    is_int(rig.summary.gaps, 0, "and no gap");
    rig_close(&rig);

    rig_open(&rig, "500", 20, NULL, 0);
    rig_run(&rig, S, 20 * S); /* 8 wraps between samples: cannot be known */
    ok(rig.summary.gap_reasons & 1u << WTL_GAP_LOST_WRAP, "sampled too slowly: lost wraps");
    ok(isnan(rig.summary.amount), "are not guessed (%g of %g J)", rig.summary.amount, rig.truth_j);
    ok(rig.summary.unknown_ns > 17 * S, "and their time is stated");
    rig_close(&rig);
}

static void test_late_sampler(void)
{
    struct rig rig;
    struct wtl_session_stats stats;
    rig_open(&rig, "100", 32, NULL, 0.3);
    rig_run(&rig, 1000000, 3 * S);
    wtl_session_stats(rig.session, &stats);
    is_double(rig.summary.amount, rig.truth_j, 0.01, "a late sampler costs no energy");
    ok(stats.missed > 100 && stats.late_max_ns > 10000000, "missed %d, at most %g ms late",
       (int)stats.missed, (double)stats.late_max_ns * 1e-6);
    rig_close(&rig);
}

static void test_faults(void)
{
    static const struct {
        int line;
        unsigned bits;
        const char *fault;
        enum wtl_gap_reason reason;
        double least_gap_s, most_gap_s; /* reported loss */
        bool energy_known;              /* the counter continues after the fault */
    } rows[] = {
        {__LINE__, 32, "eio:package@3,for=1", WTL_GAP_READ_FAILED, 0.9, 1.2, true},
        {__LINE__, 32, "vanish:package@4", WTL_GAP_DEVICE_LOST, 1.9, 2.2, false},
        {__LINE__, 32, "stall:package@3,for=1", WTL_GAP_STALLED, 0.9, 1.2, false},
        {__LINE__, 32, "reset:package@3", WTL_GAP_RESET, 0, 0.1, false},
        {__LINE__, 21, "wrap-while-stalled:package@2,for=1", WTL_GAP_STALLED, 1.2, 1.4, false},
        /* a wrong value for a moment; the last one as the window ends */
        {__LINE__, 32, "jump:package@3,for=0.005,by=-40", WTL_GAP_READ_FAILED, 0.01, 0.03, true},
        {__LINE__, 32, "jump:package@3,for=0.02,by=-40", WTL_GAP_READ_FAILED, 0.02, 0.05, true},
        {__LINE__, 32, "jump:package@3,for=0.005,by=-1e9", WTL_GAP_READ_FAILED, 0.01, 0.03, true},
        {__LINE__, 32, "jump:package@3,for=0.005,by=30000", WTL_GAP_READ_FAILED, 0.01, 0.03, true},
        {__LINE__, 32, "jump:package@5.995,by=-40", WTL_GAP_RESET, 0.0001, 0.03, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tap_line = rows[i].line;
        struct rig rig;
        rig_open(&rig, "100", rows[i].bits, rows[i].fault, 0);
        rig_run(&rig, 10000000, 5 * S);
        const struct wtl_summary *s = &rig.summary;
        double gap_s = (double)s->gap_ns * 1e-9, unknown_s = (double)s->unknown_ns * 1e-9;
        ok(s->gaps >= 1 && (s->gap_reasons & 1u << rows[i].reason), "%s: a gap with its reason",
           rows[i].fault);
        ok(gap_s >= rows[i].least_gap_s && gap_s <= rows[i].most_gap_s, "of %g s", gap_s);
        double known_s = (double)(rig.end_ns - rig.start_ns) * 1e-9 - unknown_s;
        is_double(s->amount, 100 * known_s, 2.5, "energy of the known time");
        ok(s->amount < rig.truth_j + 0.01, "never a joule too many");
        if (rows[i].energy_known)
            is_double(s->amount, rig.truth_j, 0.01, "what was counted meanwhile is there");
        rig_close(&rig);
    }
    tap_line = 0;
}

/* Samples of channel `name` in 5 s at 10 ms on a recorded host. */
static int samples_of(const char *host, const char *which, const char *name)
{
    char path[512];
    struct rig rig = {0};
    int samples = -1;
    (void)snprintf(path, sizeof path, WATTLE_SOURCE_DIR "/tests/hosts/%s", host);
    struct wtl_request request = {.drivers = wtl_drivers, .which = which};
    struct wtl_session_options options = {.interval_ns = 10000000};
    if (wtl_world_recorded(path, &rig.world, NULL) < 0 ||
        wtl_selection_open(&request, rig.world, &rig.selection, NULL) < 0)
        return -1;
    options.world = rig.world;
    options.selection = rig.selection;
    if (wtl_session_create(&options, &rig.session, NULL) < 0)
        return -1;
    wtl_session_prepare(rig.session);
    uint64_t start_ns = wtl_world_monotonic(rig.world);
    wtl_session_begin(rig.session, start_ns);
    wtl_session_advance(rig.session, start_ns + 5 * S);
    wtl_session_end(rig.session, wtl_world_monotonic(rig.world));
    for (size_t i = 0; i < rig.selection->recorded_count; i++) {
        wtl_session_summary(rig.session, i, &rig.summary);
        if (strcmp(rig.selection->channels[i].name, name) == 0)
            samples = (int)rig.summary.samples;
    }
    wtl_session_destroy(rig.session);
    wtl_selection_close(rig.selection);
    wtl_world_close(rig.world);
    return samples;
}

/* Slow channels have a separate pace, even next to fast ones of the same driver. */
static void test_slow_channels(void)
{
    static const struct {
        int line;
        const char *host, *which, *name;
        int least, most;
    } rows[] = {
        {__LINE__, "skx-2s", "powercap,hwmon", "powercap:package-0", 480, 502},
        {__LINE__, "skx-2s", "powercap,hwmon", "hwmon:node-0", 4, 7}, /* refresh 1 s */
        {__LINE__, "laptop-battery", NULL, "power_supply:node-0", 4, 7},
        {__LINE__, "jetson-orin", NULL, "hwmon:node-0", 48, 52},
        {__LINE__, "workstation-gpu", "hwmon", "hwmon:gpu-0", 480, 502},
        {__LINE__, "workstation-gpu", "hwmon", "hwmon:psu-0", 4, 52},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tap_line = rows[i].line;
        int samples = samples_of(rows[i].host, rows[i].which, rows[i].name);
        ok(samples >= rows[i].least && samples <= rows[i].most, "%s on %s: %d samples",
           rows[i].name, rows[i].host, samples);
    }
    tap_line = 0;
}

/* The reported pace is that of the energy counters, whichever driver comes first. */
static void test_order_of_drivers(void)
{
    static const struct wtl_driver *const orders[2][3] = {
        {&wtl_driver_powercap, &wtl_driver_hwmon, NULL},
        {&wtl_driver_hwmon, &wtl_driver_powercap, NULL}};
    for (size_t i = 0; i < 2; i++) {
        struct rig rig = {0};
        struct wtl_session_stats stats = {0};
        struct wtl_request request = {.drivers = orders[i], .which = "powercap,hwmon"};
        struct wtl_session_options options = {
            .interval_ns = 10000000, .edges_before = 3, .edges_after = 3};
        if (!ok(wtl_world_recorded(WATTLE_SOURCE_DIR "/tests/hosts/skx-2s", &rig.world, NULL) ==
                        0 &&
                    wtl_selection_open(&request, rig.world, &rig.selection, NULL) == 0,
                "a host with both"))
            return;
        options.world = rig.world;
        options.selection = rig.selection;
        is_int(wtl_session_create(&options, &rig.session, NULL), 0, "a session");
        wtl_session_prepare(rig.session);
        uint64_t start_ns = wtl_world_monotonic(rig.world);
        wtl_session_begin(rig.session, start_ns);
        wtl_session_advance(rig.session, start_ns + 5 * S);
        wtl_session_end(rig.session, wtl_world_monotonic(rig.world));
        wtl_session_stats(rig.session, &stats);
        ok(stats.collections >= 480 && stats.collections <= 502,
           "%s first: %d collections of energy", orders[i][0]->name, (int)stats.collections);
        bool slow = rig.selection->channels[0].flags & WATTLE_CHANNEL_SLOW;
        is_int(slow, i == 1, "the first channel is a slow one, or not");
        wtl_session_destroy(rig.session);
        wtl_selection_close(rig.selection);
        wtl_world_close(rig.world);
    }
}

/* Read once a second, a counter that ticks every millisecond has stalled if two looks agree. */
static void test_slow_stall(void)
{
    struct rig rig;
    rig_open(&rig, "100", 32, "stall:package@3.5", 0);
    rig_run(&rig, S, 8 * S);
    double missing_j = rig.truth_j - rig.summary.amount;
    ok(rig.summary.gap_reasons & 1u << WTL_GAP_STALLED, "a stall seen once a second");
    ok(missing_j <= 100 * ((double)rig.summary.unknown_ns * 1e-9 + 1) + 0.1,
       "what is missing is stated (%g J, %g s)", missing_j, (double)rig.summary.unknown_ns * 1e-9);
    rig_close(&rig);
}

/* A counter that does not count is not a measurement of 0 J: all of the time is unknown. */
static void test_never_moved(void)
{
    struct rig rig;
    rig_open(&rig, "0", 32, NULL, 0);
    rig_run(&rig, 10000000, 8 * S);
    ok(rig.summary.gap_reasons & 1u << WTL_GAP_STALLED, "a counter that never moved has stalled");
    is_double((double)rig.summary.unknown_ns * 1e-9, 8, 0.01, "from the start");
    rig_close(&rig);

    rig_open(&rig, "0", 32, NULL, 0);
    rig_run(&rig, 10000000, S / 10);
    wtl_session_summary(rig.session, 0, &rig.summary);
    ok(rig.summary.gap_reasons & 1u << WTL_GAP_STALLED, "also in 0.1 s");
    ok(isnan(rig.summary.amount) && isnan(rig.summary.min_w), "of which no energy is known");
    is_double((double)rig.summary.unknown_ns * 1e-9, 0.1, 0.01, "from the start");
    rig_close(&rig);
}

/* Is the energy the truth, allowing three times the interval plus the time reported as unknown? */
static bool holds(const struct rig *rig, double greatest_w)
{
    const struct wtl_summary *s = &rig->summary;
    double unknown_j = greatest_w * (double)s->unknown_ns * 1e-9;
    if (isnan(s->amount))
        return s->unknown_ns == rig->end_ns - rig->start_ns;
    return fabs(s->amount - rig->truth_j) <= 3 * s->amount_half + 1e-3 + unknown_j;
}

/*
 * Reads are interrupted, also at the borders, while the power jumps: then the edges are far from
 * the border, or far from each other, and say little about the power in between.
 */
static void test_busy_borders(void)
{
    enum { SEEDS = 150 };
    static const struct {
        int line;
        double probability;
        uint64_t up_to_ns;
    } rows[] = {{__LINE__, 0.02, 4000000}, {__LINE__, 0.002, 20000000}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int wrong = 0;
        double sum_j = 0;
        tap_line = rows[i].line;
        for (uint64_t seed = 1; seed <= SEEDS; seed++) {
            struct rig rig;
            struct wtl_memory_config memory = wtl_memory_config_init(START_NS + S, seed);
            char watts[48];
            memory.preempt_probability = rows[i].probability;
            memory.preempt_ns = rows[i].up_to_ns;
            (void)snprintf(watts, sizeof watts, "60+40*square(t+%d*0.001,0.37,0.5)",
                           (int)(seed % 371));
            rig_open_on(&rig, watts, 32, NULL, &memory);
            rig_run(&rig, S, 3 * S + seed % 97 * 3700000);
            if (!holds(&rig, 100) && wrong++ == 0)
                diag("seed %d: %g J of %g J, half width %g J", (int)seed, rig.summary.amount,
                     rig.truth_j, rig.summary.amount_half);
            sum_j += rig.summary.amount_half;
            rig_close(&rig);
        }
        is_int(wrong, 0, "interrupted reads: the truth is within three intervals");
        ok(sum_j / SEEDS < 5, "which are %g J on average", sum_j / SEEDS);
    }
    tap_line = 0;
}

/* A world whose reads number `from` up to `to` fail. */
static struct {
    const struct wtl_world_ops *plain;
    uint64_t reads, from, to;
} failing;

static ssize_t failing_pread(const struct wtl_world *world,
                             int fd,
                             void *buf,
                             size_t n,
                             off_t offset)
{
    failing.reads++;
    if (failing.reads >= failing.from && failing.reads <= failing.to)
        return -EIO;
    return failing.plain->pread(world, fd, buf, n, offset);
}

/* One measurement of 3 s with one look per second; true if the counter was read up to `from`. */
static bool run_failing(struct rig *rig, uint64_t from, uint64_t to)
{
    struct wtl_memory_config memory = wtl_memory_config_init(START_NS + S, 7);
    memory.pread_cost_ns = 50000; /* about 60 looks at each border */
    rig_open_on(rig, "60+40*square(t,0.37,0.5)", 32, NULL, &memory);
    failing.plain = rig->world->ops;
    failing.reads = 0;
    failing.from = from;
    failing.to = to;
    struct wtl_world_ops ops = *failing.plain;
    ops.pread = failing_pread;
    rig->world->ops = &ops;
    rig_run(rig, S, 3 * S + 100000000);
    rig->world->ops = failing.plain;
    return failing.reads >= from;
}

/* Each read of a measurement fails in turn: by itself, with its neighbours, with all later ones. */
static void test_failing_reads(void)
{
    static const uint64_t lengths[] = {1, 2, 20, UINT32_MAX};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        int wrong = 0, blunt = 0, silent = 0;
        uint64_t from = 1;
        for (bool more = true; more; from++) {
            struct rig rig;
            more = run_failing(&rig, from, from + lengths[i] - 1);
            if (!holds(&rig, 100) && wrong++ == 0)
                diag("from read %d on: %g J of %g J, half width %g J", (int)from,
                     rig.summary.amount, rig.truth_j, rig.summary.amount_half);
            blunt += !(rig.summary.amount_half < 0.05);
            silent += rig.summary.samples < 3 && rig.summary.gaps == 0;
            rig_close(&rig);
        }
        ok(from > 100, "%d reads in turn", (int)from);
        is_int(wrong, 0, "%u in a row: the truth is within the interval, or said to be unknown",
               (unsigned)lengths[i]);
        is_int(silent, 0, "a sample that is missing is a gap");
        if (lengths[i] <= 2)
            ok(blunt <= 2, "and the edges are found all the same, but for %d times", blunt);
    }
}

int main(void)
{
    test_plain();
    test_wraps();
    test_late_sampler();
    test_faults();
    test_slow_channels();
    test_order_of_drivers();
    test_slow_stall();
    test_never_moved();
    test_busy_borders();
    test_failing_reads();
    return done_testing();
}
