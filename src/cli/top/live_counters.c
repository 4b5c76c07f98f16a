/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/top/live_counters.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"

/* The events of a process are opened above the first part of a CPU, and closed below the second. */
static const double OPENED = 0.01, CLOSED = 0.001;
enum { RENEWED = 10, IDLE_LOOKS = 5 };

struct wtl_live_counted {
    pid_t pid;
    uint64_t start_ticks;
    struct wtl_work_counter *counter;    /* points into itself, so it does not move */
    struct wtl_share_events read, since; /* at the last read of this counter, and since the mark */
    unsigned looks, idle;
    bool there;
};

int wtl_live_counters_open(struct wtl_live_counters *counters,
                           const struct wtl_world *world,
                           struct wattle_error *why)
{
    static const struct wtl_target whole = {.pid = 0};
    *counters = (struct wtl_live_counters){.world = world};
    counters->list = calloc(WTL_LIVE_COUNTED, sizeof *counters->list);
    int rc = counters->list ? 0 : wtl_fail(why, -ENOMEM, "out of memory");
    if (rc == 0)
        rc = wtl_work_counter_open(&counters->machine, world, &whole, WTL_COUNTED_MACHINE, false,
                                   why);
    if (rc == 0)
        rc = wtl_work_counter_read(&counters->machine, &counters->total, NULL);
    if (rc < 0)
        wtl_live_counters_close(counters);
    return rc;
}

static void drop(struct wtl_live_counted *counted)
{
    if (counted->counter)
        wtl_work_counter_close(counted->counter);
    free(counted->counter);
    counted->counter = NULL;
}

void wtl_live_counters_close(struct wtl_live_counters *counters)
{
    if (!counters->world)
        return;
    for (size_t i = 0; counters->list && i < counters->count; i++)
        drop(&counters->list[i]);
    free(counters->list);
    wtl_work_counter_close(&counters->machine);
    *counters = (struct wtl_live_counters){.count = 0};
}

static struct wtl_live_counted *find(const struct wtl_live_counters *counters,
                                     const struct wtl_process *process)
{
    for (size_t i = 0; i < counters->count; i++) {
        if (counters->list[i].pid == process->stat.pid &&
            counters->list[i].start_ticks == process->stat.start_ticks)
            return &counters->list[i];
    }
    return NULL;
}

static int open_counter(struct wtl_live_counters *counters, struct wtl_live_counted *counted)
{
    struct wattle_error why;
    const struct wtl_target target = {.pid = counted->pid};
    counted->counter = calloc(1, sizeof *counted->counter);
    int rc = counted->counter ? wtl_work_counter_open(counted->counter, counters->world, &target,
                                                      WTL_COUNTED_PROCESS, false, &why)
                              : -ENOMEM;
    if (rc == 0)
        rc = wtl_work_counter_read(counted->counter, &counted->read, NULL);
    counted->looks = 0;
    return rc == -EAGAIN ? 0 : rc;
}

static void add_events(struct wtl_share_events *sum, const struct wtl_share_events *more)
{
    sum->cycles += more->cycles;
    sum->instructions += more->instructions;
    sum->misses += more->misses;
}

/* False: it is not counted any more. */
static bool read_counted(struct wtl_live_counters *counters,
                         struct wtl_live_counted *counted,
                         double load)
{
    struct wtl_share_events now;
    int rc = wtl_work_counter_read(counted->counter, &now, NULL);
    if (rc == -EAGAIN)
        return true;
    if (rc < 0)
        return false;
    const struct wtl_share_events more = wtl_share_events_since(&now, &counted->read);
    add_events(&counted->since, &more);
    counted->read = now;
    counted->idle = load < CLOSED ? counted->idle + 1 : 0;
    if (counted->idle > IDLE_LOOKS)
        return false;
    if (++counted->looks < RENEWED)
        return true;
    wtl_work_counter_close(counted->counter);
    free(counted->counter);
    counted->counter = NULL;
    return open_counter(counters, counted) == 0;
}

static void read_all(struct wtl_live_counters *counters,
                     const struct wtl_process_table *table,
                     double seconds)
{
    size_t kept = 0;
    for (size_t i = 0; i < counters->count; i++)
        counters->list[i].there = false;
    for (size_t i = 0; i < table->count; i++) {
        struct wtl_live_counted *counted = find(counters, &table->items[i]);
        if (counted)
            counted->there =
                read_counted(counters, counted, (double)table->items[i].used_ns * 1e-9 / seconds);
    }
    for (size_t i = 0; i < counters->count; i++) {
        if (counters->list[i].there)
            counters->list[kept++] = counters->list[i];
        else
            drop(&counters->list[i]);
    }
    counters->count = kept;
}

/* The busiest process that is not counted; NULL = none that is busy enough. */
static const struct wtl_process *busiest(const struct wtl_live_counters *counters,
                                         const struct wtl_process_table *table,
                                         double seconds)
{
    const struct wtl_process *found = NULL;
    for (size_t i = 0; i < table->count; i++) {
        const struct wtl_process *process = &table->items[i];
        if (!process->stat.kernel_thread && (double)process->used_ns * 1e-9 >= OPENED * seconds &&
            (!found || process->used_ns > found->used_ns) && !find(counters, process))
            found = process;
    }
    return found;
}

int wtl_live_counters_look(struct wtl_live_counters *counters,
                           const struct wtl_process_table *table,
                           double seconds,
                           struct wattle_error *why)
{
    const struct wtl_process *process;
    int rc = wtl_work_counter_read(&counters->machine, &counters->total, NULL);
    if (rc < 0 && rc != -EAGAIN)
        return wtl_fail(why, rc, "the counters could not be read on: %s", wtl_work_counter_why(rc));
    read_all(counters, table, seconds);
    while (counters->count < WTL_LIVE_COUNTED && (process = busiest(counters, table, seconds))) {
        struct wtl_live_counted *counted = &counters->list[counters->count];
        *counted = (struct wtl_live_counted){.pid = process->stat.pid,
                                             .start_ticks = process->stat.start_ticks};
        if (open_counter(counters, counted) < 0) { /* it has ended, or no descriptors are left */
            drop(counted);
            break;
        }
        counters->count++;
    }
    counters->rest = wtl_share_events_since(&counters->total, &counters->total_marked);
    for (size_t i = 0; i < counters->count; i++)
        counters->rest = wtl_share_events_since(&counters->rest, &counters->list[i].since);
    return 0;
}

const struct wtl_share_events *wtl_live_counters_of(const struct wtl_live_counters *counters,
                                                    const struct wtl_process *process)
{
    const struct wtl_live_counted *counted = find(counters, process);
    return counted && counted->since.cycles > 0 ? &counted->since : &counters->rest;
}

void wtl_live_counters_mark(struct wtl_live_counters *counters)
{
    counters->total_marked = counters->total;
    for (size_t i = 0; i < counters->count; i++)
        counters->list[i].since = (struct wtl_share_events){.cycles = 0};
}
