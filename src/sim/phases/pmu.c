/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/phases/pmu.h"

#include <assert.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

#define TURN_NS UINT64_C(4000000) /* a tick of a kernel with 250 Hz */

#ifndef PERF_FORMAT_LOST
#    define PERF_FORMAT_LOST (1u << 4)
#endif

struct wtl_sim_event {
    struct wtl_sim_pmu *pmu;
    struct wtl_sim_event *before, *after;   /* in the order of opening */
    struct wtl_sim_event *leader, *sibling; /* the group: its leader, the next member */
    uint64_t id, format;
    pid_t pid;
    int cpu;
    size_t column;
    bool on;
    uint64_t count, enabled_ns, running_ns, since_ns; /* settled until since_ns */
    struct wtl_sim_scope scope;                       /* with programs */
    double before_count, now_count;                   /* of the programs at from_ns and now_ns */
    uint64_t from_ns, now_ns;
    double rest; /* below one event */
};

struct wtl_sim_pmu {
    struct wtl_sim_pmu_config config;
    struct wtl_sim_event *first, *last;
    uint64_t ids;
    size_t count;
    struct wtl_sim_event **waiting; /* room for the leaders that take turns */
    size_t waiting_room;
};

static const struct {
    uint32_t type;
    uint64_t config;
    const char *column;
} known[] = {
    {PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, "CPU_CYCLES"},
    {PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, "INSTRUCTIONS"},
    {PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES, "CACHE_REFERENCES"},
    {PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES, "CACHE_MISSES"},
    {PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS, "BRANCH_INSTRUCTIONS"},
    {PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES, "BRANCH_MISSES"},
    {PERF_TYPE_HARDWARE, PERF_COUNT_HW_BUS_CYCLES, "BUS_CYCLES"},
    {PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND, "STALLED_CYCLES_FRONTEND"},
    {PERF_TYPE_RAW, 0x003c, "CPU_CYCLES"},
    {PERF_TYPE_RAW, 0x00c0, "INSTRUCTIONS"},
    {PERF_TYPE_RAW, 0x4f2e, "CACHE_REFERENCES"},
    {PERF_TYPE_RAW, 0x412e, "CACHE_MISSES"},
    {PERF_TYPE_RAW, 0x00c4, "BRANCH_INSTRUCTIONS"},
    {PERF_TYPE_RAW, 0x00c5, "BRANCH_MISSES"},
};

int wtl_sim_pmu_create(const struct wtl_sim_pmu_config *config, struct wtl_sim_pmu **ret_pmu)
{
    struct wtl_sim_pmu *pmu = calloc(1, sizeof *pmu);
    if (!pmu)
        return -ENOMEM;
    pmu->config = *config;
    if (pmu->config.cpus < 1)
        pmu->config.cpus = 1;
    *ret_pmu = pmu;
    return 0;
}

void wtl_sim_pmu_destroy(struct wtl_sim_pmu *pmu)
{
    if (!pmu)
        return;
    for (struct wtl_sim_event *e = pmu->first, *next; e; e = next) {
        next = e->after;
        free(e);
    }
    free(pmu->waiting);
    free(pmu);
}

void wtl_sim_pmu_start(struct wtl_sim_pmu *pmu, uint64_t t0_ns)
{
    pmu->config.t0_ns = t0_ns;
}

bool wtl_sim_pmu_has(uint32_t type)
{
    return type == PERF_TYPE_HARDWARE || type == PERF_TYPE_HW_CACHE || type == PERF_TYPE_RAW;
}

/* In the order of struct wtl_sim_program. */
static const char *const of_programs[WTL_SIM_PROGRAM_EVENTS] = {"CPU_CYCLES", "INSTRUCTIONS",
                                                                "CACHE_MISSES"};

static int column_of_programs(const struct perf_event_attr *attr)
{
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        for (int k = 0; k < WTL_SIM_PROGRAM_EVENTS; k++) {
            if (known[i].type == attr->type && known[i].config == attr->config &&
                strcmp(known[i].column, of_programs[k]) == 0)
                return k;
        }
    }
    return -ENOENT;
}

static int column_of(const struct wtl_sim_pmu *pmu, const struct perf_event_attr *attr)
{
    if (pmu->config.programs)
        return column_of_programs(attr);
    for (size_t i = 0; pmu->config.track && i < sizeof known / sizeof *known; i++) {
        if (known[i].type == attr->type && known[i].config == attr->config)
            return wtl_sim_track_column(pmu->config.track, known[i].column);
    }
    return -ENOENT;
}

static double of_scope(const struct wtl_sim_event *e)
{
    return wtl_sim_programs_count(e->pmu->config.programs, e->column, &e->scope);
}

/* What the programs did since the event was settled, for a part of that time. */
static void count_programs(struct wtl_sim_event *e, uint64_t from, uint64_t to)
{
    double all = (double)(e->now_ns - e->from_ns), part = all > 0 ? (double)(to - from) / all : 0;
    double more = (e->now_count - e->before_count) * part + e->rest;
    uint64_t whole = more > 0 ? (uint64_t)more : 0;
    e->count += whole;
    e->rest = more - (double)whole;
}

/* The counter of this event's CPU, or of the node. Shares of all CPUs add up to the whole. */
static uint64_t total(const struct wtl_sim_event *e, uint64_t time_ns)
{
    const struct wtl_sim_pmu_config *c = &e->pmu->config;
    uint64_t all = wtl_sim_track_count(c->track, e->column, (int64_t)(time_ns - c->t0_ns));
    return e->cpu < 0 ? all : (all + (uint64_t)e->cpu) / (uint64_t)c->cpus;
}

/* The kernel counts a member only while its leader is enabled, too. */
static bool counts(const struct wtl_sim_event *e)
{
    return e->on && e->leader->on;
}

static void run_event(struct wtl_sim_event *e, uint64_t from, uint64_t to, bool runs)
{
    if (!counts(e))
        return;
    e->enabled_ns += to - from;
    if (!runs)
        return;
    e->running_ns += to - from;
    if (e->pmu->config.programs)
        count_programs(e, from, to);
    else
        e->count += total(e, to) - total(e, from);
}

static void run_group(struct wtl_sim_event *leader, uint64_t from, uint64_t to, bool runs)
{
    for (struct wtl_sim_event *e = leader; e; e = e->sibling)
        run_event(e, from, to, runs);
}

static unsigned size_of_group(const struct wtl_sim_event *leader)
{
    unsigned n = 0;
    for (const struct wtl_sim_event *e = leader; e; e = e->sibling)
        n += counts(e);
    return n;
}

/* One turn: groups from `start` on, as long as they fit. */
static void run_turn(struct wtl_sim_pmu *pmu, size_t n, size_t start, uint64_t from, uint64_t to)
{
    unsigned left = pmu->config.counters;
    for (size_t k = 0; k < n; k++) {
        struct wtl_sim_event *leader = pmu->waiting[(start + k) % n];
        unsigned size = size_of_group(leader);
        bool fits = size <= left;
        left = fits ? left - size : 0;
        run_group(leader, from, to, fits);
    }
}

/* Before it is settled until now. */
static void look_at_programs(struct wtl_sim_event *e, uint64_t now)
{
    if (!e->pmu->config.programs)
        return;
    e->from_ns = e->since_ns;
    e->now_ns = now;
    e->before_count = e->now_count;
    e->now_count = of_scope(e);
}

static bool together(const struct wtl_sim_event *a, const struct wtl_sim_event *b)
{
    return a->pid == b->pid && a->cpu == b->cpu;
}

/* Bring all events that compete with this one for counters up to date. */
static void settle_turns(struct wtl_sim_event *event, uint64_t now)
{
    struct wtl_sim_pmu *pmu = event->pmu;
    uint64_t from = event->since_ns;
    unsigned wanted = 0;
    size_t n = 0;
    for (struct wtl_sim_event *e = pmu->first; e; e = e->after) {
        if (!together(e, event))
            continue;
        look_at_programs(e, now);
        e->since_ns = now;
        if (e->leader == e && size_of_group(e) > 0) {
            wanted += size_of_group(e);
            pmu->waiting[n++] = e;
        }
    }
    bool enough = wanted <= pmu->config.counters;
    for (uint64_t to; n > 0 && from < now; from = to) {
        uint64_t turn = (from - pmu->config.t0_ns) / TURN_NS;
        to = pmu->config.t0_ns + (turn + 1) * TURN_NS;
        to = enough || to > now ? now : to;
        run_turn(pmu, n, (size_t)(enough ? 0 : turn % n), from, to);
    }
}

static void settle(struct wtl_sim_event *event, uint64_t now)
{
    if (now <= event->since_ns)
        return;
    if (event->pmu->config.counters > 0) {
        settle_turns(event, now);
        return;
    }
    for (struct wtl_sim_event *e = event->leader; e; e = e->sibling) {
        look_at_programs(e, now);
        run_event(e, e->since_ns, now, true);
        e->since_ns = now;
    }
}

static int check(const struct wtl_sim_pmu *pmu,
                 const struct perf_event_attr *attr,
                 pid_t pid,
                 int cpu,
                 const struct wtl_sim_event *leader)
{
    unsigned size = 1;
    if (pid < -1 || cpu < -1 || (pid == -1 && cpu == -1) || cpu >= pmu->config.cpus)
        return -EINVAL;
    if (attr->sample_period != 0)
        return -EOPNOTSUPP;
    if (!leader)
        return 0;
    if (leader->leader != leader || leader->pid != pid || leader->cpu != cpu)
        return -EINVAL;
    for (const struct wtl_sim_event *e = leader; e; e = e->sibling)
        size++;
    return pmu->config.counters > 0 && size > pmu->config.counters ? -EINVAL : 0;
}

static void append(struct wtl_sim_pmu *pmu, struct wtl_sim_event *e, struct wtl_sim_event *leader)
{
    e->before = pmu->last;
    *(pmu->last ? &pmu->last->after : &pmu->first) = e;
    pmu->last = e;
    pmu->count++;
    e->leader = leader ? leader : e;
    if (!leader)
        return;
    while (leader->sibling)
        leader = leader->sibling;
    leader->sibling = e;
}

int wtl_sim_pmu_open(struct wtl_sim_pmu *pmu,
                     const struct perf_event_attr *attr,
                     pid_t pid,
                     int cpu,
                     int control_group,
                     struct wtl_sim_event *leader,
                     uint64_t now_ns,
                     struct wtl_sim_event **ret_event)
{
    if (pmu->config.denied)
        return -EACCES;
    int column = column_of(pmu, attr);
    int rc = column < 0 ? column : check(pmu, attr, pid, cpu, leader);
    if (rc == 0)
        rc = wtl_reserve(&pmu->waiting, &pmu->waiting_room, pmu->count + 1,
                         sizeof(struct wtl_sim_event *));
    struct wtl_sim_event *e = rc == 0 ? calloc(1, sizeof *e) : NULL;
    if (!e)
        return rc < 0 ? rc : -ENOMEM;
    *e = (struct wtl_sim_event){
        .pmu = pmu,
        .id = ++pmu->ids,
        .format = attr->read_format,
        .pid = pid,
        .cpu = cpu,
        .column = (size_t)column,
        .on = !attr->disabled || attr->enable_on_exec,
        .since_ns = now_ns,
        .scope = {.pid = pid, .inherit = attr->inherit, .cpu = cpu, .group = control_group}};
    if (pmu->config.programs) {
        e->scope.born = wtl_sim_programs_born(pmu->config.programs);
        e->now_count = of_scope(e);
    }
    struct wtl_sim_event *other = pmu->config.counters > 0 ? pmu->last : NULL;
    while (other && !together(other, e))
        other = other->before;
    if (other)
        settle(other, now_ns); /* and all that compete */
    append(pmu, e, leader);
    *ret_event = e;
    return 0;
}

void wtl_sim_event_close(struct wtl_sim_event *event, uint64_t now_ns)
{
    struct wtl_sim_pmu *pmu = event->pmu;
    settle(event, now_ns);
    if (event->leader != event) {
        struct wtl_sim_event *e = event->leader;
        while (e->sibling != event)
            e = e->sibling;
        e->sibling = event->sibling;
    } else {
        for (struct wtl_sim_event *e = event->sibling, *next; e; e = next) {
            next = e->sibling; /* each is a group of its own now */
            e->sibling = NULL;
            e->leader = e;
        }
    }
    *(event->before ? &event->before->after : &pmu->first) = event->after;
    *(event->after ? &event->after->before : &pmu->last) = event->before;
    pmu->count--;
    free(event);
}

uint64_t wtl_sim_event_id(const struct wtl_sim_event *event)
{
    return event->id;
}

struct wtl_sim_event *wtl_sim_pmu_event(const struct wtl_sim_pmu *pmu, uint64_t id)
{
    struct wtl_sim_event *e = pmu->last;
    while (e && e->id > id)
        e = e->before;
    return e && e->id == id ? e : NULL;
}

struct writer {
    uint8_t *at;
    size_t used, n;
};

static void put(struct writer *w, uint64_t value)
{
    if (w->used + sizeof value <= w->n)
        memcpy(w->at + w->used, &value, sizeof value);
    w->used += sizeof value;
}

static void put_value(struct writer *w, const struct wtl_sim_event *e, uint64_t format)
{
    put(w, e->count);
    if (format & PERF_FORMAT_ID)
        put(w, e->id);
    if (format & PERF_FORMAT_LOST)
        put(w, 0);
}

static void put_times(struct writer *w, const struct wtl_sim_event *e, uint64_t format)
{
    assert(e);
    if (format & PERF_FORMAT_TOTAL_TIME_ENABLED)
        put(w, e->enabled_ns);
    if (format & PERF_FORMAT_TOTAL_TIME_RUNNING)
        put(w, e->running_ns);
}

ssize_t wtl_sim_event_read(struct wtl_sim_event *event, uint64_t now_ns, void *buf, size_t n)
{
    struct writer w = {.at = buf, .n = n};
    settle(event, now_ns);
    if (event->format & PERF_FORMAT_GROUP) {
        uint64_t size = 0;
        for (struct wtl_sim_event *e = event->leader; e; e = e->sibling)
            size++;
        put(&w, size);
        put_times(&w, event->leader, event->format);
        for (struct wtl_sim_event *e = event->leader; e; e = e->sibling)
            put_value(&w, e, event->format);
    } else {
        put(&w, event->count);
        put_times(&w, event, event->format);
        if (event->format & PERF_FORMAT_ID)
            put(&w, event->id);
        if (event->format & PERF_FORMAT_LOST)
            put(&w, 0);
    }
    return w.used > n ? -ENOSPC : (ssize_t)w.used;
}

static int change(struct wtl_sim_event *e, unsigned long request)
{
    if (request == PERF_EVENT_IOC_RESET)
        e->count = 0;
    else
        e->on = request == PERF_EVENT_IOC_ENABLE;
    return 0;
}

int wtl_sim_event_ioctl(struct wtl_sim_event *event,
                        uint64_t now_ns,
                        unsigned long request,
                        uint64_t argument,
                        uint64_t *ret_id)
{
    if (request == PERF_EVENT_IOC_ID) {
        *ret_id = event->id;
        return 0;
    }
    if (request == PERF_EVENT_IOC_SET_OUTPUT)
        return 0; /* nothing is put out */
    if (request != PERF_EVENT_IOC_ENABLE && request != PERF_EVENT_IOC_DISABLE &&
        request != PERF_EVENT_IOC_RESET)
        return -EINVAL;
    settle(event, now_ns);
    if (!(argument & PERF_IOC_FLAG_GROUP))
        return change(event, request);
    for (struct wtl_sim_event *e = event->leader; e; e = e->sibling)
        (void)change(e, request);
    return 0;
}
