/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * See counter_shares.h. The events of the processes are opened before the command starts, so that all of it inherits them; those of
 * the machine, some for each CPU, by the thread, since a short command need not wait for them.
 */
#define _GNU_SOURCE
#include "measure/counter_shares.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "account/cgroup_use.h"
#include "account/share_looks.h"
#include "base/fail.h"
#include "counters/columns/perf_events.h"
#include "measure/counted.h"

enum { CYCLES, INSTRUCTIONS, MISSES, HARDWARE, CLOCK = HARDWARE, EVENTS };
enum { TREE, OTHERS };

static const char *const event_names[EVENTS] = {"cycles", "instructions", "cache-misses",
                                                "task-clock"};
static const uint64_t FIRST_NS = 100000000, PERIOD_NS = 250000000, LATER_NS = 1000000000,
                      LEAST_NS = 20000000;
static const char too_short[] = "the run is too short: counters are used from about 6 s on",
                  no_difference[] =
                      "as far as the counters show, power does not depend on what the "
                      "CPUs do";

/* Everything that is counted, at one time. */
struct state {
    uint64_t now_ns, energy_ns, used_ns;
    double energy_j;
    struct wtl_share_events tree, machine;
};

struct wtl_counter_shares {
    const struct wtl_world *world;
    struct wtl_session *session;
    const struct wtl_selection *selection;
    struct wtl_target target, whole;
    char cgroup[4096];  /* "" = the tree, whose clock counts its CPU time */
    const bool *may_on; /* [may_count] */
    size_t may_count;
    enum wattle_quality quality;
    struct wtl_share_model model;
    pthread_t thread;
    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t ends;
    bool ending;
    struct wattle_error why; /* it has failed; "" = not */
    struct wtl_perf_events tree, machine;
    struct wtl_cpu_times times;
    struct wtl_share_looks *looks;
    struct state last; /* now_ns 0 = none yet */
};

/* ---- one look ---- */

static int open_events(struct wtl_perf_events *events,
                       const struct wtl_world *world,
                       const struct wtl_target *target,
                       enum wtl_counted scope,
                       struct wattle_error *err)
{
    struct wtl_perf_code codes[EVENTS];
    size_t count = scope == WTL_COUNTED_TREE ? EVENTS : HARDWARE;
    int rc = 0;
    for (size_t i = 0; i < count && rc == 0; i++)
        rc = wtl_perf_code(world, event_names[i], &codes[i], err);
    rc = rc < 0 ? rc : wtl_perf_events_open(events, world, target, scope, codes, count);
    for (size_t i = 0; i < events->count && rc == 0; i++) {
        rc = events->list[i].status;
        if (rc < 0)
            *err = events->list[i].why;
    }
    return rc;
}

static struct wtl_share_events values_of(const struct wtl_perf_events *events)
{
    return (struct wtl_share_events){.cycles = (double)events->list[CYCLES].value,
                                     .instructions = (double)events->list[INSTRUCTIONS].value,
                                     .misses = (double)events->list[MISSES].value};
}

/* -EAGAIN: an event waits for a counter, which the next look covers. */
static int read_events(struct wtl_perf_events *events)
{
    int rc = 0;
    wtl_perf_events_read(events);
    for (size_t i = 0; i < events->count; i++)
        rc = rc < 0 && rc != -EAGAIN      ? rc
             : events->list[i].status < 0 ? events->list[i].status
                                          : rc;
    return rc;
}

/* Of what is divided: the counters of the total without devices, and until when all of them are known. */
static void read_energy(struct wtl_counter_shares *shares, struct state *state)
{
    state->energy_ns = UINT64_MAX;
    for (size_t i = 0; i < shares->selection->recorded_count; i++) {
        struct wtl_result_channel channel = {.channel = shares->selection->channels[i]};
        if (!(channel.channel.flags & WATTLE_CHANNEL_IN_TOTAL) ||
            wtl_share_is_of_device(&channel.channel))
            continue;
        wtl_session_summary(shares->session, i, &channel.summary);
        state->energy_j += wtl_result_energy(&channel).j;
        if (channel.summary.last_ns < state->energy_ns)
            state->energy_ns = channel.summary.last_ns;
    }
}

static int read_state(struct wtl_counter_shares *shares, struct state *ret)
{
    struct state state = {.energy_j = 0};
    int tree = read_events(&shares->tree), machine = read_events(&shares->machine);
    int rc = tree < 0 && tree != -EAGAIN ? tree : machine < 0 ? machine : tree;
    if (rc == 0)
        rc = wtl_cpu_times_look(&shares->times);
    if (rc == 0 && shares->cgroup[0])
        rc = wtl_cgroup_cpu_ns(shares->world, shares->cgroup, &state.used_ns);
    else if (rc == 0)
        state.used_ns = shares->tree.list[CLOCK].value;
    if (rc < 0)
        return rc;
    state.tree = values_of(&shares->tree);
    state.machine = values_of(&shares->machine);
    state.now_ns = shares->times.now_ns;
    read_energy(shares, &state);
    *ret = state;
    return 0;
}

static struct wtl_share_events difference(const struct wtl_share_events *a,
                                          const struct wtl_share_events *b)
{
    return (struct wtl_share_events){.cycles = fmax(a->cycles - b->cycles, 0),
                                     .instructions = fmax(a->instructions - b->instructions, 0),
                                     .misses = fmax(a->misses - b->misses, 0)};
}

/* From the last state to this one. CPU times are taken for those of the energy's own time, a little before. */
static int add_look(struct wtl_counter_shares *shares, const struct state *now)
{
    const struct state *last = &shares->last;
    double passed_s = (double)(now->now_ns - last->now_ns) * 1e-9, machine_s = 0;
    double seconds = (double)(now->energy_ns - last->energy_ns) * 1e-9;
    double stretch = seconds / passed_s;
    struct wtl_share_cpus cpus = wtl_cpu_times_cpus(&shares->times);
    struct wtl_share_events machine = difference(&now->machine, &last->machine);
    struct wtl_share_events events[] = {[TREE] = difference(&now->tree, &last->tree)};
    struct wtl_share_events others = difference(&machine, &events[TREE]);
    for (size_t i = 0; i < shares->times.count; i++)
        machine_s += shares->times.busy_s[i] *= stretch;
    double used_s = (double)(now->used_ns - last->used_ns) * 1e-9 * stretch;
    const struct wtl_share_job jobs[WTL_SHARE_LOOKS_JOBS] = {
        [TREE] = {.used_s = used_s, .may_on = shares->may_on, .events = &events[TREE]},
        [OTHERS] = {.used_s = fmax(machine_s - used_s, 0), .events = &others}};
    const struct wtl_share_interval interval = {.energy_j = now->energy_j - last->energy_j,
                                                .seconds = seconds,
                                                .machine_s = machine_s,
                                                .cpus = &cpus,
                                                .quality = shares->quality};
    int rc = wtl_share_looks_add(shares->looks, &interval, jobs);
    wtl_cpu_times_mark(&shares->times);
    return rc;
}

/* Is there energy since the last look, and enough time? */
static bool is_new(const struct wtl_counter_shares *shares,
                   const struct state *now,
                   uint64_t least_ns)
{
    const struct state *last = &shares->last;
    return now->energy_ns > last->energy_ns && now->now_ns >= last->now_ns + least_ns &&
           now->energy_j >= last->energy_j;
}

static int take_state(struct wtl_counter_shares *shares, uint64_t least_ns)
{
    struct state now;
    int rc = read_state(shares, &now);
    if (rc < 0 || !isfinite(now.energy_j) || now.energy_ns == 0 || now.energy_ns == UINT64_MAX)
        return rc; /* the window has not been opened */
    if (shares->last.now_ns == 0)
        wtl_cpu_times_mark(&shares->times);
    else if (is_new(shares, &now, least_ns))
        rc = add_look(shares, &now);
    else
        return 0;
    shares->last = now;
    return rc;
}

/* The lock is held. A look without new energy waits for the next. */
static void look_at_counters(struct wtl_counter_shares *shares, uint64_t least_ns)
{
    int rc = shares->why.text[0] || !shares->looks ? 0 : take_state(shares, least_ns);
    if (rc < 0 && rc != -EAGAIN)
        (void)snprintf(shares->why.text, sizeof shares->why.text,
                       "the counters could not be read on: %s",
                       rc == -ESTALE ? "a CPU went offline or came online" : wtl_strerror(rc));
}

/* ---- the thread ---- */

/* The lock is held. */
static void open_machine(struct wtl_counter_shares *shares)
{
    int rc = open_events(&shares->machine, shares->world, &shares->whole, WTL_COUNTED_MACHINE,
                         &shares->why);
    rc = rc < 0 ? rc : wtl_cpu_times_open(&shares->times, shares->world, false, &shares->why);
    if (shares->may_count != shares->times.count) /* a CPU has come or gone */
        shares->may_on = NULL;
    if (rc == 0)
        shares->looks =
            wtl_share_looks_create(&shares->model, shares->times.count, shares->times.core_of);
    if (rc < 0 && !shares->why.text[0])
        (void)snprintf(shares->why.text, sizeof shares->why.text, "%s", wtl_strerror(rc));
    if (rc < 0) /* they cost the command time */
        wtl_perf_events_close(&shares->tree);
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
        if (!shares->machine.list)
            open_machine(shares);
        if (shares->why.text[0])
            break;
        look_at_counters(shares, 0);
        bool many = shares->looks && wtl_share_looks_count(shares->looks) >= WTL_SHARE_LOOKS;
        uint64_t now_ns = wtl_world_monotonic(shares->world);
        next_ns += many ? LATER_NS : PERIOD_NS;
        next_ns = next_ns < now_ns ? now_ns + PERIOD_NS : next_ns;
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
    wtl_perf_events_close(&shares->tree);
    wtl_perf_events_close(&shares->machine);
    wtl_cpu_times_close(&shares->times);
    wtl_share_looks_destroy(shares->looks);
    free(shares);
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
                                              .tree.cgroup_fd = -1,
                                              .tree.online_fd = -1,
                                              .machine.cgroup_fd = -1,
                                              .machine.online_fd = -1};
        if (target->cgroup &&
            !wtl_cgroup_name(shares->world, target->cgroup, shares->cgroup, sizeof shares->cgroup))
            rc = wtl_fail(&why, -ENOENT, "the CPU time of this cgroup is not known");
    }
    rc = rc < 0 ? rc
                : open_events(&shares->tree, shares->world, &shares->target,
                              target->cgroup ? WTL_COUNTED_CGROUP : WTL_COUNTED_TREE, &why);
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
        rc = wtl_share_looks_divide(shares->looks, interval, may_on, shares_j, ret_rest);
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
