/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Divides energy among jobs: see divider.h. Each open job is one entry of a division: a step, or a job without its open
 * steps. Entries are rounded as sums of all before them, so that what is charged is never more than there is.
 */
#define _GNU_SOURCE
#include "daemon/jobs/divider.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "daemon/jobs/divider_state.h"
#include "daemon/jobs/job_use.h"

static const uint64_t FORGOTTEN_NS = 60000000000;
/* Older than any look and its values. */
static const uint64_t STALE_NS = 3000000000;
static const uint64_t GPU_PATIENCE_NS = 50000000; /* for what is mostly there at once */
static const double ns_to_s = 1e-9;

int wtl_divider_create(const struct wtl_world *world,
                       const struct wtl_share_model *model,
                       struct wtl_divider **ret_divider)
{
    struct wattle_error why;
    struct wtl_divider *divider = calloc(1, sizeof *divider);
    if (!divider)
        return -ENOMEM;
    divider->world = world;
    divider->model = *model;
    divider->busy_s = (double)NAN;
    (void)wtl_cpu_times_open(&divider->times, world, false, &why); /* else only jobs have a time */
    *ret_divider = divider;
    return 0;
}

void wtl_divider_set_model(struct wtl_divider *divider, const struct wtl_share_model *model)
{
    divider->model = *model;
    divider->fit = (struct wtl_node_fit){.looks = 0};
    if (divider->counters.machine)
        wtl_share_count(&divider->model);
}

void wtl_divider_count(struct wtl_divider *divider, struct wtl_work_counter *machine)
{
    wtl_job_counters_use(&divider->counters, divider->times.world ? machine : NULL);
}

void wtl_divider_destroy(struct wtl_divider *divider)
{
    if (!divider)
        return;
    wtl_cpu_times_close(&divider->times);
    wtl_job_roofs_fini(&divider->roofs);
    wtl_job_gpus_fini(&divider->gpus);
    wtl_job_counters_fini(&divider->counters);
    free(divider->bases);
    free(divider);
}

void wtl_divider_watch(struct wtl_divider *divider, const struct wtl_selection *selection)
{
    wtl_job_gpus_watch(&divider->gpus, selection);
}

void wtl_divider_rest(struct wtl_divider *divider)
{
    wtl_job_gpus_rest(&divider->gpus);
    wtl_job_counters_rest(&divider->counters);
}

void wtl_divider_begin(struct wtl_divider *divider, struct wtl_ledger_job *job)
{
    wtl_job_use_begin(divider->world, &divider->roofs, job);
    if (job->terms.cpus[0] && divider->times.world)
        wtl_job_counters_begin(&divider->counters, &divider->times);
}

int wtl_divider_match(struct wtl_divider *divider, const struct wtl_page_values *values)
{
    struct wtl_divider_base *bases = calloc(values->count + 1, sizeof *bases);
    if (!bases)
        return -ENOMEM;
    for (size_t i = 0; i < values->count; i++) {
        const char *name = wtl_page_values_channel(values, i)->name;
        size_t k = 0;
        assert(divider->bases || divider->count == 0);
        while (k < divider->count &&
               strncmp(divider->bases[k].name, name, sizeof divider->bases[k].name) != 0)
            k++;
        if (k < divider->count)
            bases[i] = divider->bases[k];
        memcpy(bases[i].name, name, sizeof bases[i].name);
    }
    free(divider->bases);
    divider->bases = bases;
    divider->count = values->count;
    return 0;
}

/* Are they those of this page? */
static bool is_matched(const struct wtl_divider *divider, const struct wtl_page_values *values)
{
    bool same = divider->count == values->count && divider->bases;
    for (size_t i = 0; same && i < values->count; i++)
        same = strncmp(divider->bases[i].name, wtl_page_values_channel(values, i)->name,
                       sizeof divider->bases[i].name) == 0;
    return same;
}

/* ---- one look ---- */

struct look {
    struct wtl_divider *divider;
    const struct wtl_page_values *values;
    struct wtl_ledger_job *const *jobs;
    size_t count;
    const struct wtl_ledger_job *alone; /* has the whole node; NULL = none */
    uint64_t whole_ns;                  /* when Slurm last gave all of it to a job; 0 = never */
    size_t *job_of;                  /* [count]: that a step is part of; itself; SIZE_MAX = gone */
    int64_t *charged_uj;             /* [count] */
    struct wtl_share_job *entries;   /* [count] */
    struct wtl_share_events *events; /* [count], of those that have some */
    bool *may_on;                    /* [count][CPUs] */
    bool *gone;                      /* [count]: it reserves nothing any more */
    struct wtl_device_claim *claims; /* [count], of the device that is divided */
    bool final;                      /* nothing may wait for the next look */
    double busy_s;                   /* of the machine, since boot; NaN = unknown */
    /* Of channels that were divided in the last look too: the same parts. */
    double *parts;      /* [count] of each entry */
    double *half_parts; /* [count] half widths of their intervals; 0: not by counters */
    double idle_part;
    unsigned rule;
};

/* Of a division: parts of its energy. */
struct division {
    const double *parts;
    const double *half_parts; /* NULL = no intervals */
    double idle_part;
    unsigned rule;
    enum wtl_device_rule device_rule;
};

/* Busy time of all CPUs since boot. */
static double machine_busy_s(const struct wtl_cpu_times *times)
{
    double sum_s = 0;
    for (size_t i = 0; i < times->count; i++)
        sum_s += (double)times->now_ns * ns_to_s - (double)times->spared[i] * WTL_CPU_TICK_S;
    return sum_s;
}

static size_t find_parent(const struct look *look, size_t i)
{
    size_t k = 0;
    if (!look->jobs[i]->terms.parent[0])
        return i;
    while (k < look->count && (look->jobs[k]->terms.parent[0] ||
                               strcmp(look->jobs[k]->id, look->jobs[i]->terms.parent) != 0))
        k++;
    return k < look->count ? k : SIZE_MAX;
}

/* It has long ended without notice: its epilog did not run, or did not reach wattled. It reserves nothing. Of one that was
 * never seen, Slurm says so by giving the whole node to another. */
static bool is_forgotten(const struct look *look, size_t i)
{
    const struct wtl_ledger_job *job = look->jobs[i];
    const struct wtl_job_use *use = &job->use;
    if (use->seen_ns == 0)
        return job->terms.slurm > 0 && job->begin_ns < look->whole_ns;
    return use->gone_ns > 0 && look->values->time_ns - use->gone_ns > FORGOTTEN_NS;
}

/* Which jobs there are, and whether one of them is alone. */
static void sort_out(struct look *look)
{
    size_t jobs = 0;
    for (size_t i = 0; i < look->count; i++) {
        const struct wtl_ledger_job *job = look->jobs[i];
        if (job->terms.slurm && job->terms.reserved >= 1 && job->begin_ns > look->whole_ns)
            look->whole_ns = job->begin_ns;
    }
    for (size_t i = 0; i < look->count; i++) {
        look->job_of[i] = find_parent(look, i);
        look->gone[i] = is_forgotten(look, i);
        if (look->job_of[i] != i || look->gone[i])
            continue;
        jobs++;
        look->alone = look->jobs[i]->terms.reserved >= 1 ? look->jobs[i] : NULL;
    }
    look->alone = jobs == 1 ? look->alone : NULL;
}

/* CPU time of each entry since the job's channel was divided last; NULL = since the last look. */
static void fill_entries(struct look *look, const size_t *channels)
{
    for (size_t i = 0; i < look->count; i++) {
        const struct wtl_ledger_job *job = look->jobs[i];
        uint64_t before_ns = job->use.look_cpu_ns;
        if (channels && channels[i] < job->channel_count)
            before_ns = job->channels[channels[i]].divided_cpu_ns;
        look->entries[i] = (struct wtl_share_job){
            .used_s =
                job->use.cpu_ns > before_ns ? (double)(job->use.cpu_ns - before_ns) * ns_to_s : 0,
            .reserved = look->job_of[i] == i && !look->gone[i] ? job->terms.reserved : 0};
    }
    for (size_t i = 0; i < look->count; i++) {
        size_t of = look->job_of[i];
        if (of != i && of < look->count)
            look->entries[of].used_s = fmax(look->entries[of].used_s - look->entries[i].used_s, 0);
        else if (of != i) /* cannot be: a step ends with its job */
            look->entries[i].used_s = 0;
    }
}

static void find_cpus(struct look *look)
{
    const struct wtl_cpu_times *times = &look->divider->times;
    for (size_t i = 0; i < look->count; i++) {
        bool *may_on = look->may_on + i * times->count;
        look->entries[i].may_on =
            look->jobs[i]->terms.cpus[0] &&
                    wtl_cpu_times_are_some(times, look->jobs[i]->terms.cpus, may_on)
                ? may_on
                : NULL;
    }
}

/* Half widths of the intervals of shares by counters as parts of the energy; else 0. */
static void find_half_parts(const struct look *look,
                            const struct wtl_share_model *model,
                            const struct wtl_share_interval *interval,
                            const double *shares_j,
                            const struct wtl_share_rest *rest)
{
    double *halves = look->half_parts;
    bool known =
        rest->rule == WTL_SHARE_COUNTERS &&
        wtl_share_halves(model, interval, look->entries, look->count, shares_j, rest, halves) == 0;
    for (size_t i = 0; i < look->count; i++)
        halves[i] = known ? halves[i] / interval->energy_j : 0;
}

/* Divide so much energy of some seconds; cpus NULL = by CPU time alone. Parts are 0 where that is not possible. */
static struct division divide(struct look *look,
                              double energy_j,
                              double seconds,
                              double machine_s,
                              const struct wtl_share_cpus *cpus,
                              double *parts)
{
    struct division division = {.parts = parts, .rule = WTL_JOB_RULE_NONE};
    struct wtl_share_model by_time = wtl_share_by_cpu_time((double)NAN, WTL_IDLE_UNKNOWN);
    bool usable = energy_j > 0 && seconds > 0; /* else the parts are those of any energy */
    const struct wtl_share_model *model = usable ? &look->divider->model : &by_time;
    const struct wtl_share_interval interval = {.energy_j = usable ? energy_j : 1,
                                                .seconds = usable ? seconds : 1,
                                                .machine_s = machine_s,
                                                .cpus = usable ? cpus : NULL,
                                                .quality = WATTLE_MEASURED};
    struct wtl_share_rest rest;
    memset(parts, 0, look->count * sizeof *parts);
    if (wtl_shares(model, &interval, look->entries, look->count, parts, &rest) < 0)
        return division;
    if (cpus)
        find_half_parts(look, model, &interval, parts, &rest);
    (void)wtl_share_learn(&look->divider->model, &look->divider->fit, &interval, look->entries,
                          look->count);
    for (size_t i = 0; i < look->count; i++)
        parts[i] /= interval.energy_j;
    division.idle_part = rest.idle_j / interval.energy_j;
    division.rule = rest.rule == WTL_SHARE_COUNTERS     ? WTL_JOB_RULE_COUNTERS
                    : rest.rule == WTL_SHARE_CALIBRATED ? WTL_JOB_RULE_CALIBRATED
                                                        : WTL_JOB_RULE_CPU_TIME;
    return division;
}

/* ---- channels ---- */

static struct wtl_job_set job_set(const struct look *look)
{
    return (struct wtl_job_set){.jobs = look->jobs,
                                .job_of = look->job_of,
                                .gone = look->gone,
                                .count = look->count,
                                .alone = look->alone};
}

/* A new value that continues the base: its energy is known. */
static bool goes_on(const struct wtl_divider_base *base,
                    const struct wattle_page_channel *channel,
                    const struct wtl_page_value *value)
{
    return value->known && base->sample_ns > 0 && value->now.since_ns == base->since_ns &&
           value->now.time_ns != base->sample_ns &&
           (channel->kind != WATTLE_COUNTER ||
            wtl_ledger_microjoules(value->now.energy_j) >= base->energy_uj);
}

static bool is_of_device(const struct wattle_page_channel *channel)
{
    const struct wattle_channel about = {.domain = (enum wattle_domain)channel->domain};
    return wtl_share_is_of_device(&about);
}

static void set_base(const struct look *look, struct wtl_divider_base *base, size_t i)
{
    const struct wattle_page_now *now = &look->values->list[i].now;
    base->since_ns = now->since_ns;
    base->sample_ns = now->time_ns;
    base->unknown_ns = now->unknown_ns;
    base->energy_uj = wtl_ledger_microjoules(now->energy_j);
    base->busy_s = look->busy_s;
    base->number = look->divider->number;
}

/* The channels of a job are mostly those of the page, in its order. */
static void find_channels(const struct look *look, size_t i, size_t *ret_channels)
{
    const char *name = wtl_page_values_channel(look->values, i)->name;
    for (size_t j = 0; j < look->count; j++) {
        const struct wtl_ledger_job *job = look->jobs[j];
        size_t n = 0, at = i;
        while (n < job->channel_count &&
               strncmp(job->channels[at % job->channel_count].name, name, WATTLE_NAME_MAX) != 0)
            n++, at++;
        ret_channels[j] = n < job->channel_count ? at % job->channel_count : SIZE_MAX;
    }
}

/* The counter itself is what is charged: to the job that has the node for itself, and to its steps, which have it too
 * (docs/decisions/0039). Of a GPU not to a step that has named its own. */
static bool has_counter(const struct look *look, size_t i, bool of_device)
{
    size_t of = look->job_of[i];
    return look->alone && of < look->count && look->jobs[of] == look->alone &&
           (of == i || !of_device || !look->jobs[i]->terms.gpus[0]);
}

struct rest {
    const double *half_parts; /* of each entry, of delta_uj; NULL = no intervals */
    int64_t delta_uj, idle_uj, unattributed_uj;
    unsigned rule;
    enum wtl_device_rule device_rule;
    const double *parts;
};

/* Charge whole microjoules: entries, then jobs with their steps. */
static struct rest charge(struct look *look,
                          const struct division *division,
                          int64_t delta_uj,
                          bool of_device)
{
    struct rest rest = {.half_parts = look->alone ? NULL : division->half_parts,
                        .delta_uj = delta_uj,
                        .rule = division->rule,
                        .device_rule = division->device_rule,
                        .parts = division->parts};
    double sum = 0, energy = (double)delta_uj;
    int64_t charged_uj = 0;
    for (size_t i = 0; i < look->count; i++) {
        sum += division->parts[i];
        look->charged_uj[i] = (int64_t)llround(sum * energy) - charged_uj;
        charged_uj += look->charged_uj[i];
    }
    rest.idle_uj = (int64_t)llround((sum + division->idle_part) * energy) - charged_uj;
    rest.unattributed_uj = delta_uj - charged_uj - rest.idle_uj;
    for (size_t i = 0; i < look->count; i++) {
        size_t of = look->job_of[i];
        if (of != i && of < look->count)
            look->charged_uj[of] += look->charged_uj[i];
    }
    if (!look->alone)
        return rest;
    for (size_t i = 0; i < look->count; i++) {
        if (has_counter(look, i, of_device))
            look->charged_uj[i] = delta_uj;
    }
    rest.idle_uj = rest.unattributed_uj = 0;
    return rest;
}

/* What a device has used since its last value is charged for the time since a job began only: before, others may have had it. Its value
 * is then older than a look because reads failed, or the library had let go; else nothing changes. */
static void leave_out_before(struct look *look,
                             const struct wtl_divider_base *base,
                             uint64_t now_ns,
                             struct rest *rest)
{
    for (size_t i = 0; i < look->count; i++) {
        uint64_t begin_ns = look->jobs[i]->begin_ns;
        if (begin_ns < base->sample_ns + STALE_NS || now_ns <= base->sample_ns)
            continue;
        double own = begin_ns < now_ns
                         ? (double)(now_ns - begin_ns) / (double)(now_ns - base->sample_ns)
                         : 0;
        int64_t kept_uj = (int64_t)llround((double)look->charged_uj[i] * own);
        if (look->job_of[i] == i || look->job_of[i] >= look->count)
            rest->unattributed_uj += look->charged_uj[i] - kept_uj;
        look->charged_uj[i] = kept_uj;
    }
}

/* Does its list name something that is no GPU here, which may be any? */
static bool is_vague(const struct look *look, size_t j)
{
    return !wtl_job_gpus_are_here(look->jobs[j]->terms.gpus, look->values);
}

/* Is it known what a job has of a device that it, or the job that it is a step of, has reserved? */
static bool is_divided(const struct look *look, size_t j, const struct rest *rest)
{
    size_t of = look->job_of[j] < look->count ? look->job_of[j] : j;
    bool own = look->claims[j].reserved, of_job = look->claims[of].reserved;
    if (rest->device_rule != WTL_DEVICE_RESERVED && is_vague(look, j))
        return false;
    if (rest->device_rule == WTL_DEVICE_UNKNOWN)
        return !own && !of_job;
    bool of_all = rest->device_rule == WTL_DEVICE_RESERVED && of != j && rest->parts[of] > 0;
    return !of_all || (!own && look->jobs[j]->terms.gpus[0]); /* a step of several */
}

/* How a device was divided, for a job that has it. */
static void note_device(const struct look *look,
                        size_t j,
                        struct wtl_ledger_job_channel *channel,
                        const struct rest *rest)
{
    bool whole = has_counter(look, j, true);
    enum wtl_device_rule rule = whole ? WTL_DEVICE_RESERVED : rest->device_rule;
    bool known = whole || is_divided(look, j, rest);
    if (!known) {
        channel->undivided_uj += rest->delta_uj;
        rule = WTL_DEVICE_UNKNOWN;
    }
    if ((!known || look->claims[j].reserved || look->charged_uj[j] != 0) &&
        rule > channel->device_rule)
        channel->device_rule = rule;
}

/* Half width of the interval of what a job is charged; a job has its steps, whose errors add up. */
static int64_t half_uj(const struct look *look, size_t j, const struct rest *rest)
{
    double part = 0;
    for (size_t i = 0; i < look->count; i++)
        part += i == j || look->job_of[i] == j ? rest->half_parts[i] : 0;
    return (int64_t)llround(part * (double)rest->delta_uj);
}

/* Add to a job what its channel has counted; before_uj: it showed that at the last look. */
static void enter(const struct look *look,
                  size_t j,
                  struct wtl_ledger_job_channel *channel,
                  int64_t before_uj,
                  const struct rest *rest)
{
    struct wtl_ledger_job *job = look->jobs[j];
    int64_t own_uj = wtl_ledger_microjoules(channel->until_j) - before_uj;
    bool whole = has_counter(look, j, rest->device_rule != WTL_DEVICE_EMPTY);
    if (own_uj == 0 && rest->delta_uj == 0) {
        job->use.rules |= whole ? WTL_JOB_RULE_EXCLUSIVE : 0; /* it is charged 0 of 0 */
        return;
    }
    if (own_uj !=
        rest->delta_uj) { /* after a restart that lost the last look: nothing is guessed */
        channel->unattributed_uj += own_uj;
        job->use.rules |= WTL_JOB_RULE_NONE;
        return;
    }
    channel->charged_uj += look->charged_uj[j];
    if (rest->half_parts)
        channel->share_half_uj += half_uj(look, j, rest);
    channel->idle_uj += rest->idle_uj;
    channel->unattributed_uj += rest->unattributed_uj;
    channel->others_uj += own_uj - look->charged_uj[j] - rest->idle_uj - rest->unattributed_uj;
    job->use.rules |= whole ? WTL_JOB_RULE_EXCLUSIVE : rest->rule;
    if (rest->device_rule != WTL_DEVICE_EMPTY)
        note_device(look, j, channel, rest);
}

static void advance(struct look *look, size_t i, const size_t *channels, const struct rest *rest)
{
    for (size_t j = 0; j < look->count; j++) {
        struct wtl_ledger_job *job = look->jobs[j];
        if (channels[j] >= job->channel_count)
            continue;
        struct wtl_ledger_job_channel *channel = &job->channels[channels[j]];
        int64_t before_uj = isnan(channel->until_j) ? 0 : wtl_ledger_microjoules(channel->until_j);
        if (wtl_job_channel_advance(job, channel, look->values, i) && job->terms.given)
            enter(look, j, channel, before_uj, rest);
        if (look->values->list[i].known && look->divider->bases[i].number == look->divider->number)
            channel->divided_cpu_ns = job->use.cpu_ns;
    }
}

/* Of a device. False: by whom it is used will be known at the next look. */
static bool divide_device(struct look *look,
                          const struct wattle_page_channel *channel,
                          double *parts,
                          struct division *division)
{
    bool soon = false;
    const struct wtl_job_set set = job_set(look);
    double others = wtl_job_gpus_claims(&look->divider->gpus, channel, &set, look->claims, &soon);
    *division = (struct division){.parts = parts, .rule = 0};
    division->device_rule =
        wtl_device_parts(look->claims, look->count, others, parts, &division->idle_part);
    return division->device_rule != WTL_DEVICE_UNKNOWN || !soon || look->final;
}

/* What one channel has counted, divided. False: not yet. */
static bool divide_channel(struct look *look,
                           size_t i,
                           const size_t *channels,
                           struct rest *ret_rest)
{
    const struct wattle_page_channel *channel = wtl_page_values_channel(look->values, i);
    const struct wattle_page_now *now = &look->values->list[i].now;
    const struct wtl_divider_base *base = &look->divider->bases[i];
    int64_t delta_uj = wtl_ledger_microjoules(now->energy_j) - base->energy_uj;
    struct division division = {.parts = look->parts,
                                .half_parts = look->half_parts,
                                .idle_part = look->idle_part,
                                .rule = look->rule};
    double *parts = look->parts + look->count;
    memset(parts, 0, look->count * sizeof *parts);
    if (delta_uj < 0) {
        division = (struct division){.parts = parts, .rule = 0};
    } else if (is_of_device(channel)) {
        if (!divide_device(look, channel, parts, &division))
            return false;
    } else if (base->number == 0 || base->number + 1 != look->divider->number) {
        fill_entries(look, channels);
        double machine_s = look->busy_s - base->busy_s;
        division = divide(look, 0, 0, machine_s < 0 ? (double)NAN : machine_s, NULL, parts);
    }
    *ret_rest = charge(look, &division, delta_uj, is_of_device(channel));
    if (is_of_device(channel) && !look->alone) /* that one is charged the counter */
        leave_out_before(look, base, now->time_ns, ret_rest);
    return true;
}

static void look_at_channels(struct look *look, size_t *channels)
{
    struct wtl_divider *divider = look->divider;
    for (size_t i = 0; i < look->values->count; i++) {
        const struct wtl_page_value *value = &look->values->list[i];
        struct wtl_divider_base *base = &divider->bases[i];
        struct rest rest = {0};
        find_channels(look, i, channels);
        bool on = goes_on(base, wtl_page_values_channel(look->values, i), value);
        if (on && !divide_channel(look, i, channels, &rest))
            continue;
        if (on || (value->known && (base->sample_ns == 0 || value->now.since_ns != base->since_ns ||
                                    value->now.time_ns != base->sample_ns)))
            set_base(look, base, i);
        advance(look, i, channels, &rest);
    }
}

/* Energy in the total that the last look has seen too, in joules; 0: some of it is not known now. */
static double total_j(const struct look *look)
{
    int64_t sum_uj = 0;
    for (size_t i = 0; i < look->values->count; i++) {
        const struct wattle_page_channel *channel = wtl_page_values_channel(look->values, i);
        const struct wtl_page_value *value = &look->values->list[i];
        const struct wtl_divider_base *base = &look->divider->bases[i];
        if (!(channel->flags & WATTLE_CHANNEL_IN_TOTAL) || is_of_device(channel))
            continue;
        if (!goes_on(base, channel, value) || base->number + 1 != look->divider->number ||
            value->now.unknown_ns != base->unknown_ns)
            return 0;
        sum_uj += wtl_ledger_microjoules(value->now.energy_j) - base->energy_uj;
    }
    return (double)sum_uj * 1e-6;
}

/* The share of jobs is not by counters: why. */
static void note_uncounted(const struct look *look)
{
    const struct wtl_job_set set = job_set(look);
    for (size_t i = 0; i < look->count; i++) {
        unsigned *kept = &look->jobs[i]->use.uncounted;
        unsigned reason = wtl_job_counters_reason(&look->divider->counters, &set, look->entries, i);
        *kept = reason > *kept ? reason : *kept;
    }
}

/* The parts of everything that has counted since the last look. */
static void divide_common(struct look *look)
{
    struct wtl_divider *divider = look->divider;
    struct wtl_share_cpus cpus = wtl_cpu_times_cpus(&divider->times);
    double machine_s = look->busy_s - divider->busy_s;
    double seconds = (double)(look->values->time_ns - divider->look_ns) * ns_to_s;
    fill_entries(look, NULL);
    if (divider->times.world) {
        const struct wtl_job_set set = job_set(look);
        find_cpus(look);
        wtl_job_counters_look(&divider->counters, &divider->times, &set, look->entries,
                              look->events);
    }
    struct division division =
        divide(look, total_j(look), seconds, machine_s < 0 ? (double)NAN : machine_s,
               divider->times.world ? &cpus : NULL, look->parts);
    look->idle_part = division.idle_part;
    look->rule = division.rule;
    if (!look->alone && division.rule != WTL_JOB_RULE_COUNTERS)
        note_uncounted(look);
}

/* ---- the look ---- */

static bool take_memory(struct look *look)
{
    size_t n = look->count + 1;
    look->job_of = (size_t *)calloc(2 * n, sizeof *look->job_of);
    look->charged_uj = (int64_t *)calloc(n, sizeof *look->charged_uj);
    look->entries = (struct wtl_share_job *)calloc(n, sizeof *look->entries);
    look->events = (struct wtl_share_events *)calloc(n, sizeof *look->events);
    look->may_on = (bool *)calloc(n * (look->divider->times.count + 1), sizeof *look->may_on);
    look->parts = (double *)calloc(2 * n, sizeof *look->parts);
    look->half_parts = (double *)calloc(n, sizeof *look->half_parts);
    look->gone = (bool *)calloc(n, sizeof *look->gone);
    look->claims = (struct wtl_device_claim *)calloc(n, sizeof *look->claims);
    return look->events && look->half_parts && look->gone && look->claims && look->job_of &&
           look->charged_uj && look->entries && look->may_on && look->parts;
}

static void free_memory(struct look *look)
{
    free(look->job_of);
    free(look->charged_uj);
    free(look->entries);
    free(look->events);
    free(look->may_on);
    free(look->parts);
    free(look->half_parts);
    free(look->gone);
    free(look->claims);
}

static void look_at_gpus(const struct look *look)
{
    const struct wtl_job_set set = job_set(look);
    wtl_job_gpus_look(&look->divider->gpus, look->divider->world, look->values, &set,
                      wtl_world_monotonic(look->divider->world) + GPU_PATIENCE_NS);
}

/* The job is now at this instant; of channels that the page does not have any more, nothing is known since the last. */
static void finish_job(struct wtl_ledger_job *job, const struct wtl_page_values *values)
{
    for (size_t k = 0; k < job->channel_count; k++) {
        struct wtl_ledger_job_channel *channel = &job->channels[k];
        if (wtl_job_channel_find(channel, values, k) == values->count)
            (void)wtl_job_channel_advance(job, channel, values, values->count);
    }
    job->until_ns = values->time_ns;
    job->use.look_cpu_ns = job->use.cpu_ns;
}

void wtl_divider_look(struct wtl_divider *divider,
                      const struct wtl_page_values *values,
                      struct wtl_ledger_job *const *jobs,
                      size_t count,
                      bool final)
{
    struct look look = {.divider = divider,
                        .values = values,
                        .jobs = jobs,
                        .count = count,
                        .final = final,
                        .busy_s = (double)NAN};
    bool ready = take_memory(&look);
    if (ready && !is_matched(divider, values))
        ready = wtl_divider_match(divider, values) == 0;
    if (ready) { /* else the next look divides what this one could not */
        divider->number++;
        wtl_jobs_use_look(divider->world, &divider->roofs, jobs, count, values->time_ns);
        if (divider->times.world && wtl_cpu_times_look(&divider->times) == 0)
            look.busy_s = machine_busy_s(&divider->times);
        sort_out(&look);
        look_at_gpus(&look);
        divide_common(&look);
        look_at_channels(&look, look.job_of + count + 1);
        for (size_t i = 0; i < count; i++)
            finish_job(jobs[i], values);
        if (divider->times.world)
            wtl_cpu_times_mark(&divider->times);
        divider->look_ns = values->time_ns;
        divider->busy_s = look.busy_s;
    }
    free_memory(&look);
}
