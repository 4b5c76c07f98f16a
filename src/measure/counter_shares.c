/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * See counter_shares.h. The events of the processes are opened before the command starts, so that all of it inherits them; those of
 * the machine, some for each CPU, by the thread, since a short command need not wait for them.
 *
 * A sample of energy is known up to half a second after it was taken, and activity changes meanwhile. So counters are read when samples are taken, and the last
 * of these counts are kept; a look ends at a sample, with the counts of its time.
 */
#define _GNU_SOURCE
#include "measure/counter_shares.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "account/cgroup_use.h"
#include "account/share_looks.h"
#include "base/fail.h"
#include "counters/columns/work_counter.h"
#include "measure/counted.h"

enum { TREE, OTHERS };
enum { KEPT = 16 };

static const uint64_t FIRST_NS = 100000000, STEP_NS = 100000000, PERIOD_NS = 200000000,
                      LATER_NS = 1000000000, LEAST_NS = 20000000;
static const uint64_t AFTER_NS = 1000000; /* a sample: it is taken then */
static const uint64_t APART_NS = 5000000;
static const double FAR = 2.5; /* steps */
static const double TICKS =
    1.2; /* three standard deviations of the difference of two rounded times */
static const char too_short[] = "the run is too short: counters are used from about 6 s on",
                  no_difference[] =
                      "the counters have not predicted power clearly better than CPU time, or "
                      "not within a tenth";

/* Everything that is counted, at one time. */
struct counts {
    double time_s, used_s;
    struct wtl_share_events tree, machine;
    double *spared_s; /* [CPUs]: not busy */
};

struct wtl_counter_shares {
    const struct wtl_world *world;
    struct wtl_session *session;
    const struct wtl_selection *selection;
    struct wtl_target target;
    char cgroup[4096];  /* "" = the tree, whose clock counts its CPU time */
    const bool *may_on; /* [may_count] */
    size_t may_count;
    enum wattle_quality quality;
    struct wtl_share_model model;
    uint64_t step_ns; /* between two readings of counters */
    pthread_t thread;
    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t ends;
    bool ending;
    struct wattle_error why; /* it has failed; "" = not */
    struct wtl_work_counter tree, machine;
    struct wtl_cpu_times times;
    struct wtl_share_looks *looks;
    struct counts kept[KEPT]; /* the newest is (kept_count - 1) % KEPT */
    size_t kept_count;
    double *spared_s; /* of all of the above, and of the next two: one block */
    double *busy_s;
    struct counts last, now; /* at the last look, and at the next */
    uint64_t last_ns;        /* 0 = no look yet */
    double last_j;
    double cycles, busy_sum_s; /* of the machine, in all looks */
};

/* ---- one look ---- */

/* Of what is divided: the counters of the total without devices, and until when all of them are known. UINT64_MAX: nothing is divided. */
static uint64_t read_energy(struct wtl_counter_shares *shares, double *ret_j)
{
    uint64_t time_ns = UINT64_MAX;
    *ret_j = 0;
    for (size_t i = 0; i < shares->selection->recorded_count; i++) {
        struct wtl_result_channel channel = {.channel = shares->selection->channels[i]};
        if (!(channel.channel.flags & WATTLE_CHANNEL_IN_TOTAL) ||
            wtl_share_is_of_device(&channel.channel))
            continue;
        wtl_session_summary(shares->session, i, &channel.summary);
        *ret_j += wtl_result_energy(&channel).j;
        if (channel.summary.last_ns < time_ns)
            time_ns = channel.summary.last_ns;
    }
    return time_ns;
}

/* Read the counters, as the newest of those that are kept, unless this thread was interrupted meanwhile: then they are of different times. */
static int take_counts(struct wtl_counter_shares *shares)
{
    struct counts *ret = &shares->kept[shares->kept_count % KEPT], counts = *ret;
    uint64_t used_ns = 0, begin_ns = wtl_world_monotonic(shares->world);
    int tree = wtl_work_counter_read(&shares->tree, &counts.tree, &used_ns);
    int machine = wtl_work_counter_read(&shares->machine, &counts.machine, NULL);
    int rc = tree < 0 && tree != -EAGAIN ? tree : machine < 0 ? machine : tree;
    if (rc == 0)
        rc = wtl_cpu_times_look(&shares->times);
    if (rc == 0 && shares->cgroup[0])
        rc = wtl_cgroup_cpu_ns(shares->world, shares->cgroup, &used_ns);
    if (rc < 0)
        return rc;
    if (wtl_world_monotonic(shares->world) - begin_ns > APART_NS)
        return 0;
    counts.used_s = (double)used_ns * 1e-9;
    counts.time_s = (double)shares->times.now_ns * 1e-9;
    for (size_t i = 0; i < shares->times.count; i++)
        counts.spared_s[i] = (double)shares->times.spared[i] * WTL_CPU_TICK_S;
    *ret = counts;
    shares->kept_count++;
    return 0;
}

static double between(double a, double b, double part)
{
    return a + (b - a) * part;
}

static struct wtl_share_events events_between(const struct wtl_share_events *a,
                                              const struct wtl_share_events *b,
                                              double part)
{
    return (struct wtl_share_events){.cycles = between(a->cycles, b->cycles, part),
                                     .instructions =
                                         between(a->instructions, b->instructions, part),
                                     .misses = between(a->misses, b->misses, part)};
}

/* The counts at this time; false: it is not among those that are kept. The last ones of all may be a little before it. */
static bool find_counts(const struct wtl_counter_shares *shares, double time_s, struct counts *ret)
{
    size_t first = shares->kept_count > KEPT ? shares->kept_count - KEPT : 0, i = first;
    while (i < shares->kept_count && shares->kept[i % KEPT].time_s < time_s)
        i++;
    bool end = i == shares->kept_count && i > first + 1;
    if (end && time_s - shares->kept[(i - 1) % KEPT].time_s < 5 * (double)AFTER_NS * 1e-9)
        i--;
    if (i == first || i == shares->kept_count)
        return false;
    const struct counts *a = &shares->kept[(i - 1) % KEPT], *b = &shares->kept[i % KEPT];
    if (b->time_s - a->time_s > FAR * (double)shares->step_ns * 1e-9)
        return false;
    double part = fmin((time_s - a->time_s) / (b->time_s - a->time_s), 1);
    double *spared_s = ret->spared_s;
    for (size_t k = 0; k < shares->times.count; k++)
        spared_s[k] = between(a->spared_s[k], b->spared_s[k], part);
    *ret = (struct counts){.time_s = time_s,
                           .used_s = between(a->used_s, b->used_s, part),
                           .tree = events_between(&a->tree, &b->tree, part),
                           .machine = events_between(&a->machine, &b->machine, part),
                           .spared_s = spared_s};
    return true;
}

/* CPU time of the others: what the machine's is more, which is known to a tick on each CPU; within that, their cycles tell. In looks without
 * others, it would otherwise be what is left of the ticks' noise that is above 0. */
static double others_used_s(struct wtl_counter_shares *shares,
                            double rest_s,
                            const struct wtl_share_events *others)
{
    double rate = shares->cycles / shares->busy_sum_s;
    double noise_s = TICKS * WTL_CPU_TICK_S * sqrt((double)shares->times.count);
    if (!(rate > 0) || !isfinite(rate))
        return fmax(rest_s, 0);
    return fmax(fmin(fmax(others->cycles / rate, rest_s - noise_s), rest_s + noise_s), 0);
}

static int add_look(struct wtl_counter_shares *shares, double energy_j)
{
    const struct counts *last = &shares->last, *now = &shares->now;
    double seconds = now->time_s - last->time_s, machine_s = 0;
    struct wtl_share_cpus cpus = wtl_cpu_times_cpus(&shares->times);
    struct wtl_share_events machine = wtl_share_events_since(&now->machine, &last->machine);
    struct wtl_share_events events[] = {[TREE] = wtl_share_events_since(&now->tree, &last->tree)};
    struct wtl_share_events others = wtl_share_events_since(&machine, &events[TREE]);
    for (size_t i = 0; i < shares->times.count; i++)
        machine_s += shares->busy_s[i] =
            fmin(fmax(seconds - (now->spared_s[i] - last->spared_s[i]), 0), seconds);
    cpus.busy_s = shares->busy_s;
    double used_s = fmax(now->used_s - last->used_s, 0);
    shares->cycles += machine.cycles;
    shares->busy_sum_s += machine_s;
    double others_s = others_used_s(shares, machine_s - used_s, &others);
    for (size_t i = 0; i < shares->times.count && machine_s > 0; i++)
        shares->busy_s[i] = fmin(shares->busy_s[i] * (used_s + others_s) / machine_s, seconds);
    const struct wtl_share_job jobs[WTL_SHARE_LOOKS_JOBS] = {
        [TREE] = {.used_s = used_s, .may_on = shares->may_on, .events = &events[TREE]},
        [OTHERS] = {.used_s = others_s, .events = &others}};
    const struct wtl_share_interval interval = {.energy_j = energy_j,
                                                .seconds = seconds,
                                                .machine_s = used_s + others_s,
                                                .cpus = &cpus,
                                                .quality = shares->quality};
    return wtl_share_looks_add(shares->looks, &interval, jobs);
}

/* Up to the newest sample, if enough time has passed since the last look. */
static int take_look(struct wtl_counter_shares *shares, uint64_t least_ns)
{
    double energy_j;
    uint64_t energy_ns = read_energy(shares, &energy_j);
    bool first = shares->last_ns == 0;
    int rc = 0;
    if (!isfinite(energy_j) || energy_ns == 0 || energy_ns == UINT64_MAX)
        return 0; /* the window has not been opened */
    if (!first && energy_ns < shares->last_ns + least_ns)
        return 0;
    if (!find_counts(shares, (double)energy_ns * 1e-9, &shares->now))
        return 0;
    if (!first && energy_j >= shares->last_j)
        rc = add_look(shares, energy_j - shares->last_j);
    struct counts last = shares->last;
    shares->last = shares->now;
    shares->now = last;
    shares->last_ns = energy_ns;
    shares->last_j = energy_j;
    return rc;
}

/* The lock is held. */
static void look_at_counters(struct wtl_counter_shares *shares, uint64_t least_ns)
{
    int rc = shares->why.text[0] || !shares->looks ? 0 : take_counts(shares);
    if (rc == 0 && shares->kept_count > 0 && !shares->why.text[0] && shares->looks)
        rc = take_look(shares, least_ns);
    if (rc < 0 && rc != -EAGAIN)
        (void)snprintf(shares->why.text, sizeof shares->why.text,
                       "the counters could not be read on: %s", wtl_work_counter_why(rc));
}

/* ---- the thread ---- */

static int take_memory(struct wtl_counter_shares *shares)
{
    size_t cpus = shares->times.count;
    shares->looks = wtl_share_looks_create(&shares->model, cpus, shares->times.core_of);
    shares->spared_s = (double *)calloc((KEPT + 3) * (cpus + 1), sizeof(double));
    if (!shares->looks || !shares->spared_s)
        return -ENOMEM;
    for (size_t i = 0; i < KEPT; i++)
        shares->kept[i].spared_s = shares->spared_s + i * cpus;
    shares->last.spared_s = shares->spared_s + KEPT * cpus;
    shares->now.spared_s = shares->spared_s + (KEPT + 1) * cpus;
    shares->busy_s = shares->spared_s + (KEPT + 2) * cpus;
    return 0;
}

/* When the next sample has been taken. */
static uint64_t next_reading(struct wtl_counter_shares *shares)
{
    double energy_j;
    uint64_t now_ns = wtl_world_monotonic(shares->world);
    uint64_t sample_ns = read_energy(shares, &energy_j);
    if (sample_ns == 0 || sample_ns >= now_ns)
        return now_ns + shares->step_ns;
    uint64_t steps = (now_ns - sample_ns) / shares->step_ns + 1;
    return sample_ns + steps * shares->step_ns + AFTER_NS;
}

/* The lock is held. */
static void open_machine(struct wtl_counter_shares *shares)
{
    static const struct wtl_target whole = {.pid = 0};
    int rc = wtl_work_counter_open(&shares->machine, shares->world, &whole, WTL_COUNTED_MACHINE,
                                   false, &shares->why);
    rc = rc < 0 ? rc : wtl_cpu_times_open(&shares->times, shares->world, false, &shares->why);
    if (shares->may_count != shares->times.count) /* a CPU has come or gone */
        shares->may_on = NULL;
    if (rc == 0)
        rc = take_memory(shares);
    if (rc < 0 && !shares->why.text[0])
        (void)snprintf(shares->why.text, sizeof shares->why.text, "%s", wtl_strerror(rc));
    if (rc < 0) /* they cost the command time */
        wtl_work_counter_close(&shares->tree);
}

static void *count(void *context)
{
    struct wtl_counter_shares *shares = context;
    uint64_t next_ns = wtl_world_monotonic(shares->world) + FIRST_NS;
    (void)pthread_mutex_lock(&shares->lock);
    while (!shares->ending) {
        const struct timespec until = {.tv_sec = (time_t)(next_ns / 1000000000),
                                       .tv_nsec = (long)(next_ns % 1000000000)};
        if (pthread_cond_timedwait(&shares->ends, &shares->lock, &until) == 0)
            continue;
        if (!shares->machine.events.list)
            open_machine(shares);
        if (shares->why.text[0])
            break;
        bool many = shares->looks && wtl_share_looks_count(shares->looks) >= WTL_SHARE_LOOKS;
        look_at_counters(shares, many ? LATER_NS : PERIOD_NS);
        next_ns = next_reading(shares);
    }
    (void)pthread_mutex_unlock(&shares->lock);
    return NULL;
}

static int start_thread(struct wtl_counter_shares *shares)
{
    pthread_condattr_t clock;
    sigset_t all, old;
    (void)pthread_condattr_init(&clock);
    (void)pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    (void)pthread_cond_init(&shares->ends, &clock);
    (void)pthread_condattr_destroy(&clock);
    (void)pthread_mutex_init(&shares->lock, NULL);
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_BLOCK, &all, &old);
    int rc = pthread_create(&shares->thread, NULL, count, shares);
    (void)pthread_sigmask(SIG_SETMASK, &old, NULL);
    return -rc;
}

static void release(struct wtl_counter_shares *shares)
{
    wtl_work_counter_close(&shares->tree);
    wtl_work_counter_close(&shares->machine);
    wtl_cpu_times_close(&shares->times);
    wtl_share_looks_destroy(shares->looks);
    free(shares->spared_s);
    free(shares);
}

/* Whole intervals of sampling. */
static uint64_t step_of(const struct wtl_measurement *m)
{
    struct wtl_session_stats stats;
    wtl_session_stats(m->session, &stats);
    uint64_t interval_ns = stats.interval_ns > 0 ? stats.interval_ns : STEP_NS;
    return interval_ns * ((STEP_NS + interval_ns - 1) / interval_ns);
}

struct wtl_counter_shares *wtl_counter_shares_start(struct wtl_measurement *m)
{
    const struct wtl_target *target = &m->options.target;
    struct wattle_error why = {""};
    struct wtl_counter_shares *shares = calloc(1, sizeof *shares);
    int rc = !shares ? -ENOMEM : m->session ? 0 : -ENODEV;
    if (rc == 0 && wtl_measurement_counters(m))
        rc = wtl_fail(&why, -EBUSY, "the counters are those of --counters");
    if (rc == 0) {
        *shares = (struct wtl_counter_shares){.world = m->options.world,
                                              .session = m->session,
                                              .selection = m->selection,
                                              .target = *target,
                                              .may_on = m->may_on,
                                              .may_count = m->cpu_times.count,
                                              .quality = m->selection->total.quality,
                                              .model = m->share_model,
                                              .step_ns = step_of(m)};
        if (target->cgroup &&
            !wtl_cgroup_name(shares->world, target->cgroup, shares->cgroup, sizeof shares->cgroup))
            rc = wtl_fail(&why, -ENOENT, "the CPU time of this cgroup is not known");
    }
    rc = rc < 0 ? rc
                : wtl_work_counter_open(&shares->tree, shares->world, &shares->target,
                                        target->cgroup ? WTL_COUNTED_CGROUP : WTL_COUNTED_TREE,
                                        !target->cgroup, &why);
    rc = rc < 0 ? rc : start_thread(shares);
    if (rc == 0)
        return shares;
    (void)snprintf(m->counter_note, sizeof m->counter_note, "%.255s",
                   why.text[0] ? why.text : wtl_strerror(rc));
    if (shares)
        release(shares);
    return NULL;
}

int wtl_counter_shares_divide(struct wtl_counter_shares *shares,
                              const struct wtl_share_interval *interval,
                              double *shares_j,
                              double *halves_j,
                              struct wtl_share_rest *ret_rest,
                              char *note,
                              size_t n)
{
    if (!shares)
        return -ENOENT;
    (void)pthread_mutex_lock(&shares->lock);
    look_at_counters(shares, LEAST_NS);
    const bool *const may_on[WTL_SHARE_LOOKS_JOBS] = {[TREE] = shares->may_on};
    int rc = shares->why.text[0] ? -ENODEV : -ENODATA;
    if (rc == -ENODATA && shares->looks)
        rc = wtl_share_looks_divide(shares->looks, interval, may_on, shares_j, halves_j, ret_rest);
    (void)snprintf(note, n, "%s",
                   shares->why.text[0] ? shares->why.text
                   : rc == -ENODATA    ? too_short
                   : rc == -ENOENT     ? no_difference
                   : rc < 0            ? wtl_strerror(rc)
                                       : "");
    (void)pthread_mutex_unlock(&shares->lock);
    return rc;
}

void wtl_counter_shares_end(struct wtl_counter_shares *shares)
{
    if (!shares)
        return;
    (void)pthread_mutex_lock(&shares->lock);
    shares->ending = true;
    (void)pthread_cond_signal(&shares->ends);
    (void)pthread_mutex_unlock(&shares->lock);
    (void)pthread_join(shares->thread, NULL);
    (void)pthread_cond_destroy(&shares->ends);
    (void)pthread_mutex_destroy(&shares->lock);
    release(shares);
}
