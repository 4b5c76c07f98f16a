/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Any mixture of faults, powers, intervals, units and ranges: the known energy is never more than
 * the truth, what is missing is covered by the time reported as unknown, constant power is that of
 * the known time, and the total is consistent. Each seed is one measurement in virtual time; a seed
 * that once failed stays in the list of those that are always run.
 *
 *     test_record_fault_mix             some seeds, and the kept ones
 *     test_record_fault_mix 17          one seed, with its contents
 *     test_record_fault_mix 1 2000      a range of seeds (the test record/fault_mix/2000)
 *     test_record_fault_mix traces F N  traces of N of the kept seeds and then of others, in folder F
 *
 * Excluded is what no reading shows: a counter that restarts so that its next reading could have
 * come about by counting on, or that had stopped just before, while the power rose so much that it
 * grew as before; one that had stopped before its first reading, and counts at the second; a
 * standstill shorter than the time between two readings, of which the second is the last before a
 * gap; and one in which the counter wraps, with only one reading, which shows what had been counted
 * before it.
 */
#define _GNU_SOURCE
#include "record/session.h"

#include <errno.h>
#include <math.h>
#include <time.h>

#include "base/random.h"
#include "model/result.h"
#include "sim/memory_world.h"
#include "source/driver.h"
#include "tap.h"

#define START_NS UINT64_C(1000000000000)
#define S        UINT64_C(1000000000)
#define MS       UINT64_C(1000000)

/* Seeds from here on include looks just after the start; those below were found without. */
#ifdef __SANITIZE_ADDRESS__ /* about twenty times slower, and the energies are those of the other
                             * build */
enum { LAST_SEED = 60, LOOKS = 20, SLOW = 20 };
#else
enum { LAST_SEED = 300, LOOKS = 100, SLOW = 100 };
#endif
enum { DOMAINS = 2, STEPS = 4, LOOKS_FROM = 5000000 };

/* Seeds from here on include slow counters. */
enum { SLOW_FROM = 8000000 };

/* A restarted counter counts as detected if the value it then shows would require more than this
 * many times the maximum power. */
static const double SEEN = 3;

/* The readings of a domain so far. */
struct seen {
    bool any;
    uint64_t raw, twin;
    uint64_t ahead;     /* how far a counter without resets is ahead of this one */
    uint64_t before_ns; /* the last reading that differed */
    uint64_t first_ns, first_raw, first_units, last_ns;
    double fastest;  /* units per ns from one changed reading to the next */
    double behind_j; /* the maximum lag of a reading */
    double masked_j; /* the maximum lag of a reading which grew as if it had none */
    double stale_j;  /* part of its first growth that belongs to the time before its last reading
                  * without any */
    bool moved;      /* a reading differed from the first */
    bool failed;     /* a read has failed */
    bool stood;      /* the last reading lagged, and had grown since the previous one */
    bool hidden;     /* a reset that cannot be detected */
};

/* One measurement. */
struct mix {
    uint64_t seed, draws;
    bool loud;
    struct wtl_node_config config;
    struct wtl_memory_config memory;
    struct wattle_channel channels[DOMAINS];
    double greatest_w[DOMAINS], jump_w[DOMAINS];
    char power[DOMAINS][200];
    char faults[1000];
    uint64_t interval_ns, length_ns, suspend_at_ns, suspended_ns;
    double preempt_probability;
    uint64_t preempt_ns, read_cost_ns;
    bool filtering;
    /* while it runs */
    struct wtl_node *node, *twin; /* twin: the same without resets and failures */
    struct wtl_world *world;
    struct seen seen[DOMAINS];
    /* after it */
    uint64_t start_ns, end_ns;
    double truth_j[DOMAINS];
    struct wtl_result result;
};

static const char *traces; /* folder for a trace of each measurement; NULL = none */

static struct mix *now_running; /* used by the driver, which has no other access to it */

static double uniform(struct mix *mix, double low, double high)
{
    return low + (high - low) * wtl_random_uniform(mix->seed, mix->draws++);
}

static unsigned pick(struct mix *mix, unsigned n)
{
    return (unsigned)(wtl_random_bits(mix->seed, mix->draws++) % n);
}

static bool chance(struct mix *mix, double probability)
{
    return uniform(mix, 0, 1) < probability;
}

/* Uniform on a logarithmic scale. */
static double spread(struct mix *mix, double low, double high)
{
    return low * pow(high / low, uniform(mix, 0, 1));
}

static void draw_power(struct mix *mix, unsigned i)
{
    double low = i == 0 ? spread(mix, 4, 300) : spread(mix, 0.3, 30);
    char *text = mix->power[i];
    size_t room = sizeof mix->power[i];
    double high = low;
    int n = snprintf(text, room, "%.6g", low);
    switch (pick(mix, 4)) {
    case 0:
        break;
    case 1: {
        double more = low * spread(mix, 0.1, 9);
        high = low + more;
        (void)snprintf(text + n, room - (size_t)n, "+%.6g*square(t+%.4f,%.4f,%.3f)", more,
                       uniform(mix, 0, 1), spread(mix, 0.1, 2), uniform(mix, 0.1, 0.9));
        break;
    }
    default: {
        const char *sign = chance(mix, 0.5) ? "t-" : "-t+"; /* all up or all down */
        for (unsigned k = pick(mix, STEPS); k < STEPS; k++) {
            double more = low * spread(mix, 0.1, 3);
            high += more;
            n += snprintf(text + n, room - (size_t)n, "+%.6g*step(%s%.4f)", more, sign,
                          uniform(mix, 0.9, 3));
        }
    }
    }
    mix->greatest_w[i] = high;
    mix->jump_w[i] = high - low;
}

static void draw_channel(struct mix *mix, unsigned i, const struct wtl_expression *watts)
{
    static const double headroom[] = {0, 0, 1.5, 4};
    struct wtl_node_domain *domain = &mix->config.domains[i];
    *domain = wtl_node_domain_init(i == 0 ? WATTLE_DOMAIN_PACKAGE : WATTLE_DOMAIN_DRAM, 0, watts,
                                   mix->seed);
    domain->unit_exp = chance(mix, 0.5) ? 14 : 10 + pick(mix, 7);
    domain->range_bits = chance(mix, 0.4) ? 32 : 20 + pick(mix, 13);
    domain->raw0 &= (UINT64_C(1) << domain->range_bits) - 1;
    struct wattle_channel *channel = &mix->channels[i];
    *channel = wtl_channel_init(domain->domain, 0, WATTLE_ENERGY, WATTLE_COUNTER);
    channel->scale = ldexp(1, -(int)domain->unit_exp);
    channel->modulus = UINT64_C(1) << domain->range_bits;
    if (mix->seed >= SLOW_FROM) {
        domain->tick_ns = MS * (mix->seed % 3 == 0 ? 100 : mix->seed % 3 == 1 ? 50 : 20);
        domain->phase_ns = mix->seed * 7919 % 100 * domain->tick_ns / 100;
    }
    channel->refresh_ns = domain->tick_ns;
    channel->max_w = headroom[pick(mix, 4)] * mix->greatest_w[i];
}

static void draw_fault(struct mix *mix, unsigned k)
{
    static const enum wtl_fault_kind kinds[] = {WTL_FAULT_EIO,
                                                WTL_FAULT_EIO,
                                                WTL_FAULT_RESET,
                                                WTL_FAULT_RESET,
                                                WTL_FAULT_STALL,
                                                WTL_FAULT_STALL,
                                                WTL_FAULT_VANISH,
                                                WTL_FAULT_WRAP_WHILE_STALLED,
                                                WTL_FAULT_WRAP_WHILE_STALLED,
                                                WTL_FAULT_PERMISSION,
                                                WTL_FAULT_FILTERING};
    struct wtl_fault *fault = &mix->config.faults[k];
    double seconds = (double)mix->length_ns * 1e-9;
    fault->kind = kinds[pick(mix, sizeof kinds / sizeof *kinds)];
    fault->domain = chance(mix, 0.7) ? WATTLE_DOMAIN_PACKAGE : WATTLE_DOMAIN_DRAM;
    fault->index = -1;
    fault->at_ns = (uint64_t)(1e9 * uniform(mix, 0.9, 1.1 + seconds));
    if (k > 0 && chance(mix, 0.6)) /* near another one */
        fault->at_ns = mix->config.faults[k - 1].at_ns + (uint64_t)(1e9 * spread(mix, 0.001, 0.5));
    fault->for_ns =
        chance(mix, 0.15) ? UINT64_MAX : (uint64_t)(1e9 * spread(mix, 0.003, fmax(seconds, 0.6)));
    fault->rate = chance(mix, 0.5) ? 1 : uniform(mix, 0.05, 0.9);
    mix->filtering |= fault->kind == WTL_FAULT_FILTERING;
    size_t n = strlen(mix->faults);
    (void)snprintf(mix->faults + n, sizeof mix->faults - n, " %s:%s@%.4gs,for=%.4gs,rate=%.2g",
                   wtl_fault_name(fault->kind),
                   wattle_domain_name((enum wattle_domain)fault->domain),
                   (double)fault->at_ns * 1e-9,
                   fault->for_ns == UINT64_MAX ? -1 : (double)fault->for_ns * 1e-9, fault->rate);
}

static void draw_mix(struct mix *mix)
{
    static const unsigned intervals_ms[] = {1, 5, 10, 10, 20, 20, 50, 100, 100, 500, 1000};
    mix->interval_ns = MS * intervals_ms[pick(mix, sizeof intervals_ms / sizeof *intervals_ms)];
    double least_s = fmax(0.1, 2.2 * (double)mix->interval_ns * 1e-9);
    mix->length_ns = (uint64_t)(1e9 * spread(mix, least_s, fmax(2, 4 * least_s)));
    mix->memory = wtl_memory_config_init(START_NS + S, mix->seed);
    mix->read_cost_ns = chance(mix, 0.5) ? 60000 : 110000;
    if (chance(mix, 0.2)) {
        mix->memory.wait_probability = uniform(mix, 0.01, 0.3);
        mix->memory.wait_ns = 30 * MS;
    }
    if (chance(mix, 0.2)) {
        mix->preempt_probability = spread(mix, 0.0005, 0.02);
        mix->preempt_ns = 4 * MS;
    }
    if (chance(mix, 0.1)) {
        mix->suspend_at_ns = START_NS + S + (uint64_t)uniform(mix, 0, (double)mix->length_ns);
        mix->suspended_ns = (uint64_t)(1e9 * spread(mix, 0.2, 1e4));
    }
    mix->config = wtl_node_config_init(START_NS);
    mix->config.seed = mix->seed;
    mix->config.grid_ns = MS;
    mix->config.domain_count = DOMAINS;
    for (unsigned i = 0; i < DOMAINS; i++)
        draw_power(mix, i);
    mix->config.fault_count = chance(mix, 0.05) ? 0 : 1 + pick(mix, 5);
    for (unsigned k = 0; k < mix->config.fault_count; k++)
        draw_fault(mix, k);
    if (mix->suspended_ns && chance(mix, 0.5) && mix->config.fault_count < 8) {
        /* it lost its count while asleep */
        mix->config.faults[mix->config.fault_count++] =
            (struct wtl_fault){.kind = WTL_FAULT_RESET,
                               .domain = -1,
                               .index = -1,
                               .at_ns = mix->suspend_at_ns - START_NS,
                               .for_ns = UINT64_MAX,
                               .rate = 1};
    }
}

/*
 * Has it stood still since the previous reading, but grown by as much as before, because the power
 * rose? If the count is lost before it catches up, no reading shows what is missing. And does some
 * of its first growth belong to the time before the first reading, when it was not seen to stand
 * still?
 */
static void note_masked(struct mix *mix, unsigned i, uint64_t time_ns, uint64_t raw, uint64_t twin)
{
    struct seen *seen = &mix->seen[i];
    const struct wattle_channel *channel = &mix->channels[i];
    if (!seen->any) {
        seen->first_ns = time_ns;
        seen->first_units = twin;
        seen->first_raw = raw;
    }
    double since_ns = (double)(time_ns - seen->last_ns);
    double grown = seen->any ? (double)((raw - seen->raw) & (channel->modulus - 1)) : 0;
    double used_j = wtl_node_energy_j(mix->node, i, seen->first_ns, time_ns);
    double behind_j = used_j - (double)(twin - seen->first_units) * channel->scale;
    double lag_j = mix->greatest_w[i] * 2e-9 * (double)channel->refresh_ns + 2 * channel->scale;
    seen->behind_j = fmax(seen->behind_j, behind_j);
    seen->hidden |= seen->stood && twin - seen->twin >= channel->modulus;
    seen->stood = behind_j > lag_j && grown > 0;
    if (behind_j > lag_j && seen->fastest > 0 && grown >= seen->fastest * since_ns)
        seen->masked_j = fmax(seen->masked_j, behind_j);
    double stood_ns = seen->any ? (double)(seen->last_ns - seen->first_ns) : 0;
    if (seen->any && !seen->moved && grown > 0) {
        seen->moved = true;
        if (behind_j < -lag_j && (seen->failed || stood_ns <= 3 * (double)channel->refresh_ns))
            seen->stale_j =
                wtl_node_energy_j(mix->node, i, seen->first_ns, seen->last_ns) - behind_j;
    }
    if (seen->any && since_ns > 5e6)
        seen->fastest = fmax(seen->fastest, grown / since_ns);
    else if (stood_ns > 2 * (double)channel->refresh_ns && stood_ns < 6e7) /* polls at the start */
        seen->fastest = (double)((seen->raw - seen->first_raw) & (channel->modulus - 1)) / stood_ns;
}

/* Could it have changed from the previous reading to this one by counting on? */
static void note_reading(struct mix *mix,
                         unsigned i,
                         uint64_t time_ns,
                         uint64_t raw,
                         uint64_t units)
{
    struct seen *seen = &mix->seen[i];
    uint64_t twin = 0;
    (void)wtl_node_units(mix->twin, i, time_ns, &twin);
    uint64_t ahead = twin - units, mask = mix->channels[i].modulus - 1;
    if (seen->any && ahead - seen->ahead + 2 > 4) { /* except for rounding */
        double grown_j = (double)((raw - seen->raw) & mask) * mix->channels[i].scale;
        double lag_s = fmax(0.003, 3e-9 * (double)mix->channels[i].refresh_ns);
        double pause_s = (double)(time_ns - seen->before_ns) * 1e-9 + lag_s;
        seen->hidden |= raw >= seen->raw || grown_j <= SEEN * mix->greatest_w[i] * pause_s;
    }
    note_masked(mix, i, time_ns, raw, twin);
    if (!seen->any || raw != seen->raw)
        seen->before_ns = seen->any ? seen->last_ns : time_ns;
    seen->any = true;
    seen->raw = raw;
    seen->twin = twin;
    seen->ahead = ahead;
    seen->last_ns = time_ns;
}

static int mix_open(struct wtl_source *source, struct wattle_error *err)
{
    (void)err;
    for (unsigned i = 0; i < DOMAINS; i++) {
        if (wtl_node_open(now_running->node, i, wtl_memory_world_time(source->world)) < 0)
            now_running->seen[i].hidden = true; /* there is no channel to be judged */
        int rc = wtl_source_add(source, &now_running->channels[i]);
        if (rc < 0)
            return rc;
    }
    return 0;
}

static void mix_read(struct wtl_source *source, size_t first, size_t n, struct wattle_reading *out)
{
    struct mix *mix = now_running;
    for (size_t k = 0; k < n; k++) {
        unsigned i = (unsigned)(first + k);
        uint64_t before_ns = mix->read_cost_ns / 2, after_ns = before_ns, units = 0;
        if (chance(mix, mix->preempt_probability))
            *(chance(mix, 0.5) ? &before_ns : &after_ns) +=
                (uint64_t)uniform(mix, 0, (double)mix->preempt_ns);
        wtl_memory_world_advance(source->world, before_ns);
        uint64_t time_ns = wtl_memory_world_time(source->world);
        int rc = wtl_node_units(mix->node, i, time_ns, &units);
        out[k] =
            (struct wattle_reading){.status = rc, .raw = units & (mix->channels[i].modulus - 1)};
        mix->seen[i].failed |= rc < 0;
        if (rc == 0)
            note_reading(mix, i, time_ns, out[k].raw, units);
        wtl_memory_world_advance(source->world, after_ns);
    }
}

static const struct wtl_driver mix_driver = {.name = "mix",
                                             .summary = "a mixture of faults",
                                             .open = mix_open,
                                             .read = mix_read};

static const struct wtl_world_ops *plain_ops;

/* The clock that includes suspended time. */
static uint64_t mix_now_ns(const struct wtl_world *world, clockid_t clock)
{
    uint64_t time_ns = plain_ops->now_ns(world, CLOCK_MONOTONIC);
    bool slept = now_running->suspended_ns && time_ns >= now_running->suspend_at_ns;
    if (clock == CLOCK_MONOTONIC)
        return time_ns;
    return time_ns + (slept ? now_running->suspended_ns : 0);
}

static struct wtl_trace_writer *make_trace(const struct mix *mix)
{
    struct wtl_trace_writer *writer = NULL;
    char path[4096];
    (void)snprintf(path, sizeof path, "%s/%d.wtl", traces, (int)mix->seed);
    (void)wtl_trace_writer_create(path, NULL, &writer, NULL);
    return writer;
}

static int measure(struct mix *mix)
{
    static const struct wtl_driver *const drivers[] = {&mix_driver, NULL};
    struct wtl_request request = {.drivers = drivers};
    struct wtl_selection *selection = NULL;
    struct wtl_session *session = NULL;
    struct wtl_trace_writer *writer = traces ? make_trace(mix) : NULL;
    struct wtl_world_ops ops = *mix->world->ops;
    plain_ops = mix->world->ops;
    ops.now_ns = mix_now_ns;
    mix->world->ops = &ops;
    int rc = wtl_selection_open(&request, mix->world, &selection, NULL);
    struct wtl_session_options options = {.world = mix->world,
                                          .selection = selection,
                                          .writer = writer,
                                          .interval_ns = mix->interval_ns,
                                          .edges_before = 3,
                                          .edges_after = 3,
                                          .looks = mix->seed >= LOOKS_FROM};
    rc = rc < 0 ? rc : wtl_session_create(&options, &session, NULL);
    if (rc == 0) {
        wtl_session_prepare(session);
        mix->start_ns = wtl_memory_world_time(mix->world);
        wtl_session_begin(session, mix->start_ns);
        wtl_session_advance(session, mix->start_ns + mix->length_ns);
        mix->end_ns = wtl_memory_world_time(mix->world);
        wtl_session_end(session, mix->end_ns);
        mix->result = wtl_result_unknown();
        mix->result.channels = calloc(DOMAINS, sizeof *mix->result.channels);
        mix->result.channel_count = DOMAINS;
        for (unsigned i = 0; i < DOMAINS; i++) {
            mix->truth_j[i] = wtl_node_energy_j(mix->node, i, mix->start_ns, mix->end_ns);
            mix->result.channels[i].channel = selection->channels[i];
            wtl_session_summary(session, i, &mix->result.channels[i].summary);
        }
        rc = wtl_result_total(&mix->result);
    }
    wtl_session_destroy(session);
    if (writer && wtl_trace_writer_finish(writer, NULL) < 0)
        rc = -EIO;
    wtl_selection_close(selection);
    mix->world->ops = plain_ops;
    return rc;
}

static void explain(const struct mix *mix)
{
    diag("seed %d: interval %g ms, %g s;%s%s", (int)mix->seed, (double)mix->interval_ns * 1e-6,
         (double)mix->length_ns * 1e-9, mix->faults, mix->suspended_ns ? " suspended" : "");
    for (unsigned i = 0; i < DOMAINS; i++) {
        const struct wtl_summary *s = &mix->result.channels[i].summary;
        const struct wattle_channel *c = &mix->result.channels[i].channel;
        const struct wtl_node_domain *d = &mix->config.domains[c->domain != WATTLE_DOMAIN_PACKAGE];
        unsigned k = c->domain != WATTLE_DOMAIN_PACKAGE;
        diag("  %s %s: %g +- %g J of %g, unknown %g s of %g in %d gaps (%x); unit 2^-%u, %u bits = "
             "%g J, at "
             "most %g W, bound %g W",
             c->name, mix->power[k], s->amount, s->amount_half, mix->truth_j[k],
             (double)s->unknown_ns * 1e-9, (double)(mix->end_ns - mix->start_ns) * 1e-9,
             (int)s->gaps, s->gap_reasons, d->unit_exp, d->range_bits,
             ldexp(1, (int)d->range_bits - (int)d->unit_exp), mix->greatest_w[k], c->max_w);
    }
}

enum verdict {
    HOLDS,
    HIDDEN,
    TOO_MUCH,
    TOO_LITTLE,
    NO_ENERGY,
    NO_FLAG,
    NO_RUN,
    WRONG_POWER,
    LONG_GAPS,
    VERDICTS
};

/* What a standstill shorter than the time between two looks may hide. */
static double short_stand_j(const struct mix *mix, unsigned k)
{
    return fmin(mix->seen[k].behind_j, mix->greatest_w[k] * 1e-9 * (double)mix->interval_ns);
}

static enum verdict judge(const struct mix *mix)
{
    bool unknown = false;
    for (unsigned i = 0; i < DOMAINS; i++) {
        const struct wtl_summary *s = &mix->result.channels[i].summary;
        unsigned k = mix->result.channels[i].channel.domain != WATTLE_DOMAIN_PACKAGE;
        double window_s = (double)(mix->end_ns - mix->start_ns) * 1e-9;
        double unknown_s = (double)s->unknown_ns * 1e-9;
        double known_j = s->amount, margin_j = 3 * s->amount_half + 1e-6;
        if (mix->seen[k].hidden)
            return HIDDEN;
        unknown |= s->unknown_ns > 0;
        if (s->gap_ns > mix->end_ns - mix->start_ns)
            return LONG_GAPS;
        if (isnan(known_j)) {
            if (unknown_s < window_s)
                return NO_ENERGY;
            continue;
        }
        /* No reading shows a jump of power between the last tick and the border. */
        margin_j += mix->jump_w[k] * 0.5e-9 * (double)mix->channels[k].refresh_ns;
        /* The value of a filtering counter is equally old; again after each gap. */
        if (mix->filtering)
            margin_j += mix->greatest_w[k] * 16e-9 * (double)mix->channels[k].refresh_ns *
                        (double)(1 + s->gaps);
        if (known_j > mix->truth_j[k] + margin_j + mix->seen[k].stale_j)
            return TOO_MUCH;
        /* The last reading before a gap may have lagged: what it then caught up with belongs to the
         * gap. */
        margin_j += mix->seen[k].masked_j + (unknown_s > 0 ? short_stand_j(mix, k) : 0);
        if (mix->truth_j[k] - known_j > mix->greatest_w[k] * unknown_s + margin_j)
            return TOO_LITTLE;
        if (unknown_s > window_s)
            return TOO_LITTLE;
        /* Known energy and known time are consistent. */
        if (mix->jump_w[k] == 0 && known_j > mix->greatest_w[k] * (window_s - unknown_s) + margin_j)
            return WRONG_POWER;
    }
    bool flagged = false;
    for (size_t i = 0; i < mix->result.flag_count; i++)
        flagged |= strcmp(mix->result.flags[i].name, "INCOMPLETE") == 0;
    return flagged == unknown ? HOLDS : NO_FLAG;
}

static enum verdict run_seed(uint64_t seed, bool loud)
{
    struct mix *mix = calloc(1, sizeof *mix);
    struct wtl_expression *watts[DOMAINS] = {NULL};
    struct wtl_tree_config tree_config = wtl_tree_config_init();
    struct wtl_tree *tree = NULL;
    struct wattle_error err = {""};
    int rc = 0;
    if (!mix)
        return NO_RUN;
    mix->seed = seed;
    mix->loud = loud;
    draw_mix(mix);
    for (unsigned i = 0; i < DOMAINS && rc == 0; i++) {
        rc = wtl_expression_compile(mix->power[i], wtl_power_variables, WTL_POWER_VARIABLES,
                                    &watts[i], &err);
        draw_channel(mix, i, watts[i]);
    }
    struct wtl_node_config twin = mix->config;
    twin.fault_count = 0;
    for (size_t k = 0; k < mix->config.fault_count; k++) {
        enum wtl_fault_kind kind = mix->config.faults[k].kind;
        if (kind == WTL_FAULT_STALL || kind == WTL_FAULT_WRAP_WHILE_STALLED ||
            kind == WTL_FAULT_FILTERING)
            twin.faults[twin.fault_count++] = mix->config.faults[k];
    }
    now_running = mix;
    rc = rc < 0 ? rc : wtl_node_create(&mix->config, &mix->node, &err);
    rc = rc < 0 ? rc : wtl_node_create(&twin, &mix->twin, &err);
    rc = rc < 0 ? rc : wtl_tree_create(&tree_config, &mix->config, &tree, &err);
    rc = rc < 0 ? rc : wtl_memory_world_create(mix->node, tree, &mix->memory, &mix->world, &err);
    rc = rc < 0 ? rc : measure(mix);
    enum verdict verdict = rc < 0 ? NO_RUN : judge(mix);
    if (rc < 0)
        diag("seed %d: %s %s", (int)seed, err.text, mix->power[0]);
    else if (loud || (verdict != HOLDS && verdict != HIDDEN))
        explain(mix);
    wtl_result_fini(&mix->result);
    wtl_memory_world_destroy(mix->world);
    wtl_tree_destroy(tree);
    wtl_node_destroy(mix->node);
    wtl_node_destroy(mix->twin);
    for (unsigned i = 0; i < DOMAINS; i++)
        wtl_expression_destroy(watts[i]);
    free(mix);
    return verdict;
}

/* Each failed once, for a different reason. */
static const uint64_t kept[] = {
    4531,    5861,    6190,    9214,    11800,   13546,   14704,  15509,  19117,  19629,   20477,
    20643,   21857,   23615,   24149,   27195,   31313,   32114,  37913,  48343,  52209,   62241,
    63146,   65183,   66638,   66713,   69447,   317,     391,    1012,   1096,   1429,    1490,
    1590,    1988,    2655,    86439,   87405,   201240,  224422, 224919, 227719, 319417,  318216,
    321281,  327568,  207774,  213990,  218934,  226946,  230848, 240613, 19794,  1017976, 1028171,
    1046560, 1008427, 1037346, 9300238, 9301077, 9307009, 8001595};
enum { KEPT = sizeof kept / sizeof *kept };

static int write_traces(uint64_t count)
{
    int failed = 0;
    for (uint64_t i = 0; i < count; i++)
        failed |= run_seed(i < KEPT ? kept[i] : i - KEPT + 1, false) == NO_RUN;
    return failed;
}

int main(int argc, char **argv)
{
    static const char *const names[VERDICTS] = {
        "hold",       "hidden",      "too much",
        "too little", "no energy",   "no flag",
        "no run",     "wrong power", "more in gaps than there was"};
    if (argc == 4) {
        traces = argv[2];
        return write_traces(strtoull(argv[3], NULL, 10));
    }
    uint64_t from = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    uint64_t to = argc > 2 ? strtoull(argv[2], NULL, 10) : argc > 1 ? from : LAST_SEED;
    int counts[VERDICTS] = {0};
    for (uint64_t seed = from; seed <= to; seed++) {
        enum verdict verdict = run_seed(seed, argc == 2);
        if (verdict != HOLDS && verdict != HIDDEN)
            diag("  ^ %s", names[verdict]);
        counts[verdict]++;
    }
    for (uint64_t seed = LOOKS_FROM; argc == 1 && seed < LOOKS_FROM + LOOKS; seed++)
        counts[run_seed(seed, false)]++;
    for (uint64_t seed = SLOW_FROM; argc == 1 && seed < SLOW_FROM + SLOW; seed++)
        counts[run_seed(seed, false)]++;
    for (size_t i = 0; argc == 1 && i < KEPT; i++)
        counts[run_seed(kept[i], false)]++;
    for (int i = 0; i < VERDICTS; i++)
        diag("%s: %d", names[i], counts[i]);
    for (int i = TOO_MUCH; i < VERDICTS; i++)
        is_int(counts[i], 0, "%s", names[i]);
    return done_testing();
}
