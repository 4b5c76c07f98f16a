/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The simulated node: see node.h. Energy comes from power_path.c; this file computes what a counter
 * shows of it: the value at the last tick before the reading, the effect of faults, and truncation
 * to units and bits.
 */
#include "sim/node.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/grow.h"
#include "base/random.h"

enum { FILTER_TICKS = 8 };

/* Streams of random numbers: one for each domain and purpose. */
enum purpose { FOR_JITTER = 1, FOR_WANDER, FOR_FILTER, FOR_PHASE, FOR_RAW0, FOR_EIO };

struct counter {
    struct wtl_power_path path;
    uint64_t first_tick_ns;
    double jitter_ns, jitter_max_ns;
    uint64_t jitter_stream, filter_stream, eio_stream, reads;
    uint64_t mask;
    double units_per_j;
    bool faulty; /* some fault affects it */
    bool cached; /* for a counter without faults: its value from tick_ns to next_ns */
    uint64_t tick_ns, next_ns, units;
};

struct wtl_node {
    struct wtl_node_config config;
    struct wtl_influences influences;
    struct wtl_sim_knobs *knobs;
    struct counter counters[];
};

static uint64_t stream_of(uint64_t seed, enum wattle_domain domain, int index, enum purpose purpose)
{
    uint64_t key = (uint64_t)domain << 40 | (uint64_t)(unsigned)index << 8 | (uint64_t)purpose;
    return wtl_random_bits(seed, key);
}

struct wtl_node_config wtl_node_config_init(uint64_t start_ns)
{
    return (struct wtl_node_config){.start_ns = start_ns,
                                    .t0_ns = start_ns,
                                    .grid_ns = 100000,
                                    .f = 2.5,
                                    .knobs = wtl_sim_knobs_config_init()};
}

struct wtl_node_domain wtl_node_domain_init(enum wattle_domain domain,
                                            int index,
                                            const struct wtl_expression *power,
                                            uint64_t seed)
{
    enum { TICK_NS = 976562, RANGE_BITS = 32 };
    return (struct wtl_node_domain){
        .domain = domain,
        .index = index,
        .power = power,
        .unit_exp = 14,
        .range_bits = RANGE_BITS,
        .raw0 =
            wtl_random_bits(stream_of(seed, domain, index, FOR_RAW0), 0) >> (64 - RANGE_BITS + 1),
        .tick_ns = TICK_NS,
        .phase_ns = wtl_random_bits(stream_of(seed, domain, index, FOR_PHASE), 0) % TICK_NS,
        .jitter_ns = 20000,
    };
}

static int check_domain(const struct wtl_node_config *config, size_t i, struct wattle_error *err)
{
    const struct wtl_node_domain *d = &config->domains[i];
    const char *name = wattle_domain_name(d->domain);
    if (d->unit_exp > 30 || d->range_bits < 8 || d->range_bits > 48)
        return wtl_fail(err, -EINVAL,
                        "%s-%d: the unit's exponent must be 0 to 30, the range 8 to 48 bits", name,
                        d->index);
    if (d->tick_ns == 0 || !(d->jitter_ns >= 0))
        return wtl_fail(err, -EINVAL,
                        "%s-%d: the tick must be longer than 0, the jitter not negative", name,
                        d->index);
    if (!(d->wander_w >= 0) || (d->wander_w > 0 && !(d->wander_tau_s > 0)))
        return wtl_fail(err, -EINVAL, "%s-%d: wander requires W >= 0 and a correlation time > 0 s",
                        name, d->index);
    for (size_t k = 0; k < i; k++) {
        if (config->domains[k].domain == d->domain && config->domains[k].index == d->index)
            return wtl_fail(err, -EINVAL, "%s-%d: given twice", name, d->index);
    }
    return 0;
}

static int start_counter(struct wtl_node *node, size_t i)
{
    const struct wtl_node_config *config = &node->config;
    const struct wtl_node_domain *d = &config->domains[i];
    struct counter *c = &node->counters[i];
    double limit = 0.49 * (double)d->tick_ns;
    c->first_tick_ns = config->start_ns + d->phase_ns;
    c->jitter_ns = !d->jitter_normal && d->jitter_ns > limit ? limit : d->jitter_ns;
    c->jitter_max_ns = limit;
    c->jitter_stream = stream_of(config->seed, d->domain, d->index, FOR_JITTER);
    c->filter_stream = stream_of(config->seed, d->domain, d->index, FOR_FILTER);
    c->eio_stream = stream_of(config->seed, d->domain, d->index, FOR_EIO);
    c->mask = (UINT64_C(1) << d->range_bits) - 1;
    c->units_per_j = ldexp(1, (int)d->unit_exp);
    for (size_t k = 0; k < config->fault_count; k++)
        c->faulty |= wtl_fault_hits(&config->faults[k], d->domain, d->index);
    struct wtl_power_config path = {
        .influences = &node->influences,
        .power = d->power,
        .start_ns = config->start_ns,
        .t0_ns = config->t0_ns,
        .grid_ns = config->grid_ns,
        .track = config->track,
        .socket = d->index,
        .gpu = d->domain == WATTLE_DOMAIN_GPU && d->index < WTL_SIM_GPUS ? d->index : -1,
        .wander_w = d->wander_w,
        .wander_tau_s = d->wander_tau_s,
        .stream = stream_of(config->seed, d->domain, d->index, FOR_WANDER),
    };
    return wtl_power_path_init(&c->path, &path);
}

static int check_config(const struct wtl_node_config *config, struct wattle_error *err)
{
    size_t n = config->domain_count;
    if (n == 0 || n > WTL_NODE_DOMAINS || config->fault_count > WTL_NODE_FAULTS)
        return wtl_fail(err, -EINVAL, "a node has 1 to %d domains and at most %d faults",
                        WTL_NODE_DOMAINS, WTL_NODE_FAULTS);
    if (config->grid_ns == 0)
        return wtl_fail(err, -EINVAL, "the grid must be longer than 0");
    if (!(config->f > 0) || config->knobs.cpus < 1 || config->knobs.cpus_per_policy < 1 ||
        !(config->knobs.step_ghz > 0))
        return wtl_fail(err, -EINVAL, "a node has a frequency, steps of it, CPUs and policies");
    for (size_t i = 0; i < n; i++) {
        int rc = check_domain(config, i, err);
        if (rc < 0)
            return rc;
    }
    return 0;
}

int wtl_node_create(const struct wtl_node_config *config,
                    struct wtl_node **ret_node,
                    struct wattle_error *err)
{
    size_t n = config->domain_count;
    int rc = check_config(config, err);
    if (rc < 0)
        return rc;
    struct wtl_node *node = calloc(1, sizeof *node + n * sizeof *node->counters);
    struct wtl_influence *list = malloc(sizeof *list);
    struct wtl_sim_knobs *knobs = wtl_sim_knobs_create(&config->knobs, config->f);
    rc = node && list && knobs ? 0 : -ENOMEM;
    if (rc == 0) {
        node->config = *config;
        node->knobs = knobs;
        *list = (struct wtl_influence){.time_ns = config->start_ns,
                                       .load = config->load,
                                       .f = wtl_sim_knobs_mean_ghz(knobs, INFINITY)};
        node->influences = (struct wtl_influences){list, 1, 1};
    }
    for (size_t i = 0; rc == 0 && i < n; i++)
        rc = start_counter(node, i);
    if (rc < 0) {
        if (!node || !node->influences.list)
            free(list);
        if (!node || !node->knobs)
            wtl_sim_knobs_destroy(knobs);
        wtl_node_destroy(node);
        return wtl_fail(err, rc, "out of memory");
    }
    *ret_node = node;
    return 0;
}

int wtl_node_add_fault(struct wtl_node *node, const struct wtl_fault *fault)
{
    struct wtl_node_config *config = &node->config;
    if (config->fault_count == WTL_NODE_FAULTS)
        return -ENOSPC;
    config->faults[config->fault_count++] = *fault;
    for (size_t i = 0; i < config->domain_count; i++)
        node->counters[i].faulty |=
            wtl_fault_hits(fault, config->domains[i].domain, config->domains[i].index);
    return 0;
}

void wtl_node_destroy(struct wtl_node *node)
{
    if (!node)
        return;
    for (size_t i = 0; i < node->config.domain_count; i++)
        wtl_power_path_fini(&node->counters[i].path);
    wtl_sim_knobs_destroy(node->knobs);
    free(node->influences.list);
    free(node);
}

/* Time of tick k >= 0. Jitter is less than half a tick, so ticks stay in order. */
static uint64_t tick_time(const struct counter *c, const struct wtl_node_domain *d, uint64_t k)
{
    uint64_t plain = c->first_tick_ns + k * d->tick_ns;
    if (!(c->jitter_ns > 0))
        return plain;
    double jitter = d->jitter_normal
                        ? c->jitter_ns * wtl_random_normal(c->jitter_stream, k)
                        : c->jitter_ns * (2 * wtl_random_uniform(c->jitter_stream, k) - 1);
    jitter = fmax(fmin(jitter, c->jitter_max_ns), -c->jitter_max_ns);
    return plain + (uint64_t)(int64_t)jitter;
}

/* The last tick at or before time_ns and the next one; *ret_k is its number, or -1 if there was
 * none: then the counter shows the start. */
static uint64_t last_tick(const struct wtl_node *node,
                          size_t i,
                          uint64_t time_ns,
                          int64_t *ret_k,
                          uint64_t *ret_next)
{
    const struct counter *c = &node->counters[i];
    const struct wtl_node_domain *d = &node->config.domains[i];
    uint64_t k = time_ns < c->first_tick_ns ? 0 : (time_ns - c->first_tick_ns) / d->tick_ns + 1;
    uint64_t after = tick_time(c, d, k), before;
    if (after <= time_ns) {
        before = after;
        after = tick_time(c, d, ++k);
    } else {
        before = k > 0 ? tick_time(c, d, k - 1) : 0;
        if (k > 0 && before > time_ns) {
            after = before;
            k--;
            before = k > 0 ? tick_time(c, d, k - 1) : 0;
        }
    }
    *ret_k = (int64_t)k - 1;
    *ret_next = after;
    return k > 0 && before > node->config.start_ns ? before : node->config.start_ns;
}

/* The instant whose energy a working counter shows at time_ns. */
static uint64_t shown_time(const struct wtl_node *node, size_t i, uint64_t time_ns)
{
    int64_t k;
    uint64_t next;
    return last_tick(node, i, time_ns, &k, &next);
}

/* The same with filtering since from_ns: only every 8th tick counts, and it shows the energy at a
 * random instant up to 8 ticks earlier. */
static uint64_t filtered_time(const struct wtl_node *node,
                              size_t i,
                              uint64_t time_ns,
                              uint64_t from_ns)
{
    const struct counter *c = &node->counters[i];
    const struct wtl_node_domain *d = &node->config.domains[i];
    int64_t k;
    uint64_t next;
    (void)last_tick(node, i, time_ns, &k, &next);
    uint64_t oldest = shown_time(node, i, from_ns);
    if (k < 0)
        return oldest;
    uint64_t group = (uint64_t)k / FILTER_TICKS;
    uint64_t tick = tick_time(c, d, group * FILTER_TICKS);
    double back = wtl_random_uniform(c->filter_stream, group) * (double)(FILTER_TICKS * d->tick_ns);
    return tick > oldest + (uint64_t)back ? tick - (uint64_t)back : oldest;
}

static uint64_t fault_start(const struct wtl_node *node, const struct wtl_fault *fault)
{
    uint64_t at = node->config.t0_ns + fault->at_ns;
    return at > node->config.start_ns ? at : node->config.start_ns;
}

/* Time after t = 0; anything earlier counts as 0. */
static uint64_t after_t0(const struct wtl_node *node, uint64_t time_ns)
{
    return time_ns > node->config.t0_ns ? time_ns - node->config.t0_ns : 0;
}

/* Is the counter, stalled since `from`, still in its first round at `time`? */
static bool still_round(struct counter *c, uint64_t from, uint64_t time)
{
    double range_j = ((double)c->mask + 1) / c->units_per_j;
    double gone_j =
        wtl_power_path_energy_j(&c->path, time) - wtl_power_path_energy_j(&c->path, from);
    return gone_j < range_j * (1 + 1.0 / 64);
}

/* The instant that a counter shows at time_ns, given the faults that began before `before_ns`: a
 * counter that is already stalled keeps its value when the next stall begins. */
static uint64_t stalled_time(const struct wtl_node *node,
                             size_t i,
                             uint64_t time_ns,
                             uint64_t before_ns,
                             struct counter *c)
{
    const struct wtl_node_domain *d = &node->config.domains[i];
    uint64_t shown = shown_time(node, i, time_ns);
    for (size_t k = 0; k < node->config.fault_count; k++) {
        const struct wtl_fault *fault = &node->config.faults[k];
        uint64_t from = fault_start(node, fault);
        if (!wtl_fault_hits(fault, d->domain, d->index) || time_ns < from || from >= before_ns)
            continue;
        bool active = wtl_fault_active(fault, after_t0(node, time_ns));
        uint64_t stood = shown;
        if (fault->kind == WTL_FAULT_FILTERING && active)
            stood = filtered_time(node, i, time_ns, from);
        bool stands =
            (fault->kind == WTL_FAULT_STALL && active) ||
            (fault->kind == WTL_FAULT_WRAP_WHILE_STALLED && still_round(c, from, time_ns));
        if (stands)
            stood = stalled_time(node, i, from, from, c);
        shown = stood < shown ? stood : shown;
    }
    return shown;
}

static uint64_t units_at(const struct wtl_node_domain *d,
                         struct counter *c,
                         uint64_t shown,
                         uint64_t reset_ns)
{
    double joules = wtl_power_path_energy_j(&c->path, shown);
    uint64_t base = d->raw0;
    if (reset_ns != UINT64_MAX) {
        joules -= wtl_power_path_energy_j(&c->path, reset_ns);
        base = 0;
    }
    return base + (uint64_t)(joules * c->units_per_j);
}

/* The instant of the last visible reset, or UINT64_MAX. */
static uint64_t last_reset(const struct wtl_node *node, size_t i, uint64_t shown)
{
    const struct wtl_node_domain *d = &node->config.domains[i];
    uint64_t last = UINT64_MAX;
    for (size_t k = 0; k < node->config.fault_count; k++) {
        const struct wtl_fault *fault = &node->config.faults[k];
        uint64_t from = fault_start(node, fault);
        if (fault->kind == WTL_FAULT_RESET && wtl_fault_hits(fault, d->domain, d->index) &&
            from <= shown && (last == UINT64_MAX || from > last))
            last = from;
    }
    return last;
}

/* What a counter shows that has jumped from this value. */
static uint64_t jumped(const struct wtl_node *node, size_t i, uint64_t time_ns, uint64_t units)
{
    const struct wtl_node_domain *d = &node->config.domains[i];
    double by = 0;
    for (size_t k = 0; k < node->config.fault_count; k++) {
        const struct wtl_fault *fault = &node->config.faults[k];
        if (fault->kind == WTL_FAULT_JUMP && wtl_fault_hits(fault, d->domain, d->index) &&
            wtl_fault_active(fault, after_t0(node, time_ns)))
            by += fault->by_j * node->counters[i].units_per_j;
    }
    return by >= 0 ? units + (uint64_t)by : units - (uint64_t)fmin(-by, (double)units);
}

static int read_faults(struct wtl_node *node, size_t i, uint64_t time_ns)
{
    const struct wtl_node_domain *d = &node->config.domains[i];
    struct counter *c = &node->counters[i];
    for (size_t k = 0; k < node->config.fault_count; k++) {
        const struct wtl_fault *fault = &node->config.faults[k];
        if (!wtl_fault_hits(fault, d->domain, d->index) ||
            !wtl_fault_active(fault, after_t0(node, time_ns)))
            continue;
        if (fault->kind == WTL_FAULT_VANISH)
            return -ENODEV;
        if (fault->kind == WTL_FAULT_HANG)
            return -ETIMEDOUT;
        if (fault->kind == WTL_FAULT_CRASH)
            return -EFAULT;
        if (fault->kind == WTL_FAULT_EIO &&
            wtl_random_uniform(c->eio_stream, c->reads++) < fault->rate)
            return -EIO;
    }
    return 0;
}

int wtl_node_open(const struct wtl_node *node, size_t i, uint64_t time_ns)
{
    const struct wtl_node_domain *d = &node->config.domains[i];
    for (size_t k = 0; k < node->config.fault_count; k++) {
        const struct wtl_fault *fault = &node->config.faults[k];
        if (!wtl_fault_hits(fault, d->domain, d->index) ||
            !wtl_fault_active(fault, after_t0(node, time_ns)))
            continue;
        if (fault->kind == WTL_FAULT_VANISH)
            return -ENOENT;
        if (fault->kind == WTL_FAULT_PERMISSION)
            return -EACCES;
    }
    return 0;
}

int wtl_node_units(struct wtl_node *node, size_t i, uint64_t time_ns, uint64_t *ret_units)
{
    const struct wtl_node_domain *d = &node->config.domains[i];
    struct counter *c = &node->counters[i];
    if (time_ns < node->config.start_ns)
        time_ns = node->config.start_ns;
    if (c->faulty) {
        int rc = read_faults(node, i, time_ns);
        if (rc < 0)
            return rc;
        uint64_t shown = stalled_time(node, i, time_ns, UINT64_MAX, c);
        *ret_units = jumped(node, i, time_ns, units_at(d, c, shown, last_reset(node, i, shown)));
        return 0;
    }
    if (!c->cached || time_ns < c->tick_ns || time_ns >= c->next_ns) {
        int64_t k;
        c->tick_ns = last_tick(node, i, time_ns, &k, &c->next_ns);
        c->units = units_at(d, c, c->tick_ns, UINT64_MAX);
        c->cached = true;
    }
    *ret_units = c->units;
    return 0;
}

int wtl_node_raw(struct wtl_node *node, size_t i, uint64_t time_ns, uint64_t *ret_raw)
{
    uint64_t units;
    int rc = wtl_node_units(node, i, time_ns, &units);
    if (rc == 0)
        *ret_raw = units & node->counters[i].mask;
    return rc;
}

bool wtl_node_filtering(const struct wtl_node *node, uint64_t time_ns)
{
    for (size_t k = 0; k < node->config.fault_count; k++) {
        const struct wtl_fault *fault = &node->config.faults[k];
        if (fault->kind == WTL_FAULT_FILTERING && wtl_fault_active(fault, after_t0(node, time_ns)))
            return true;
    }
    return false;
}

double wtl_node_energy_j(struct wtl_node *node, size_t i, uint64_t from_ns, uint64_t to_ns)
{
    if (from_ns < node->config.start_ns || to_ns < from_ns)
        return NAN;
    struct wtl_power_path *path = &node->counters[i].path;
    return wtl_power_path_energy_j(path, to_ns) - wtl_power_path_energy_j(path, from_ns);
}

double wtl_node_power_w(struct wtl_node *node, size_t i, uint64_t time_ns)
{
    if (time_ns < node->config.start_ns)
        return NAN;
    return wtl_power_path_power_w(&node->counters[i].path, time_ns);
}

int wtl_node_set_power(struct wtl_node *node,
                       size_t i,
                       uint64_t time_ns,
                       const struct wtl_expression *power)
{
    return wtl_power_path_set(&node->counters[i].path, time_ns, power);
}

static int add_influence(struct wtl_node *node, struct wtl_influence influence)
{
    struct wtl_influences *all = &node->influences;
    uint64_t time_ns = influence.time_ns;
    if (time_ns < all->list[all->count - 1].time_ns)
        return -EINVAL;
    for (size_t i = 0; i < node->config.domain_count; i++) {
        if (time_ns < node->counters[i].path.asked_ns)
            return -EINVAL;
    }
    if (wtl_reserve(&all->list, &all->capacity, all->count + 1, sizeof *all->list) < 0)
        return -ENOMEM;
    all->list[all->count++] = influence;
    for (size_t i = 0; i < node->config.domain_count; i++)
        (void)wtl_power_path_cut(&node->counters[i].path, time_ns); /* its condition was checked */
    return 0;
}

int wtl_node_set_influence(struct wtl_node *node, uint64_t time_ns, double load, double f)
{
    struct wtl_influence influence = wtl_node_influence(node);
    influence.time_ns = time_ns;
    influence.load = load;
    influence.f = f;
    return add_influence(node, influence);
}

int wtl_node_set_tasks(struct wtl_node *node, uint64_t time_ns, double tasks_w, unsigned busy)
{
    struct wtl_influence influence = wtl_node_influence(node);
    influence.time_ns = time_ns;
    influence.tasks_w = tasks_w;
    influence.busy = busy;
    return add_influence(node, influence);
}

int wtl_node_set_gpu(struct wtl_node *node, uint64_t time_ns, int gpu, double level)
{
    struct wtl_influence influence = wtl_node_influence(node);
    influence.time_ns = time_ns;
    influence.gpu[gpu] = (float)level;
    return add_influence(node, influence);
}

struct wtl_influence wtl_node_influence(const struct wtl_node *node)
{
    return node->influences.list[node->influences.count - 1];
}

const struct wtl_influences *wtl_node_influences(const struct wtl_node *node)
{
    return &node->influences;
}

const struct wtl_node_config *wtl_node_config(const struct wtl_node *node)
{
    return &node->config;
}

size_t wtl_node_count(const struct wtl_node *node)
{
    return node->config.domain_count;
}

const struct wtl_node_domain *wtl_node_domain(const struct wtl_node *node, size_t i)
{
    return &node->config.domains[i];
}

void wtl_node_name(const struct wtl_node *node, size_t i, char *name, size_t n)
{
    const struct wtl_node_domain *d = &node->config.domains[i];
    (void)snprintf(name, n, "%s-%d", wattle_domain_name(d->domain),
                   d->index); /* may be truncated */
}

int wtl_node_find(const struct wtl_node *node, enum wattle_domain domain, int index)
{
    for (size_t i = 0; i < node->config.domain_count; i++) {
        if (node->config.domains[i].domain == domain && node->config.domains[i].index == index)
            return (int)i;
    }
    return -ENOENT;
}

double wtl_node_would_w(const struct wtl_node *node,
                        size_t i,
                        uint64_t time_ns,
                        double load,
                        double f)
{
    return wtl_power_path_would_w(&node->counters[i].path, time_ns, load, f);
}

bool wtl_node_uses_f(const struct wtl_node *node, size_t i)
{
    return wtl_power_path_uses(&node->counters[i].path, WTL_POWER_F);
}

struct wtl_sim_knobs *wtl_node_own_knobs(struct wtl_node *node)
{
    return node->knobs;
}

const struct wtl_sim_knobs *wtl_node_knobs(const struct wtl_node *node)
{
    return node->knobs;
}

uint64_t wtl_node_undefined(const struct wtl_node *node)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < node->config.domain_count; i++)
        sum += node->counters[i].path.undefined;
    return sum;
}
