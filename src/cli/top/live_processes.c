/* SPDX-License-Identifier: BSD-3-Clause */
/* Shares of processes per update: see live_processes.h. */
#define _GNU_SOURCE
#include "cli/top/live_processes.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/fail.h"

int wtl_live_processes_open(struct wtl_live_processes *processes,
                            const struct wtl_world *world,
                            double idle_w,
                            struct wattle_error *err)
{
    long online = world->ops->sysconf(world, _SC_NPROCESSORS_ONLN);
    *processes = (struct wtl_live_processes){.world = world,
                                             .cpus = online > 0 ? (double)online : 1,
                                             .load = NAN,
                                             .seconds = NAN,
                                             .idle_w = idle_w,
                                             .total_j = NAN};
    processes->idle_origin = isnan(idle_w) ? WTL_IDLE_UNKNOWN : WTL_IDLE_GIVEN;
    wtl_process_table_init(&processes->table, world);
    if (!world->ops->exists(world, "/proc/self/stat") && !world->ops->exists(world, "/proc/1/stat"))
        return wtl_fail(err, -ENOENT, "/proc shows no processes");
    processes->has_busy = wtl_busy_open(&processes->busy, world, "auto", NULL) == 0;
    return 0;
}

void wtl_live_processes_close(struct wtl_live_processes *processes)
{
    if (processes->has_busy)
        wtl_busy_close(&processes->busy);
    processes->has_busy = false;
    if (processes->world)
        wtl_process_table_fini(&processes->table);
}

void wtl_live_processes_model(struct wtl_live_processes *processes, double idle_w, double cpus)
{
    if (processes->idle_origin == WTL_IDLE_GIVEN || isnan(idle_w))
        return;
    processes->idle_w = idle_w;
    processes->idle_origin = WTL_IDLE_MODEL;
    if (cpus > 0)
        processes->cpus = cpus;
}

/* The power of a nearly idle machine: the mean, since the minimum would be random. */
static void learn_idle(struct wtl_live_processes *processes, double gained_j, double seconds)
{
    double load = processes->pending_busy_s / (processes->pending_s * processes->cpus);
    bool quiet = load <= WTL_IDLE_LOAD; /* false for NaN */
    if (processes->idle_origin == WTL_IDLE_GIVEN || processes->idle_origin == WTL_IDLE_MODEL ||
        !quiet)
        return;
    processes->quiet_s += seconds;
    processes->quiet_j += gained_j;
    processes->quiet_busy_s += load * processes->cpus * seconds;
    processes->idle_w = processes->quiet_j / processes->quiet_s;
    processes->idle_origin = WTL_IDLE_SEEN;
}

double wtl_live_processes_idle_load(const struct wtl_live_processes *processes)
{
    return processes->quiet_busy_s / (processes->quiet_s * processes->cpus);
}

static double machine_s(struct wtl_live_processes *processes)
{
    uint64_t before_ns = processes->busy_ns;
    if (!processes->has_busy || wtl_busy_read(&processes->busy, &processes->busy_ns) < 0)
        return NAN;
    return (double)(processes->busy_ns - before_ns) * 1e-9;
}

static void forget_pending(struct wtl_live_processes *processes)
{
    for (size_t i = 0; i < processes->table.count; i++)
        processes->table.items[i].pending_s = 0;
    processes->pending_s = processes->pending_busy_s = 0;
}

static void forget_power(struct wtl_live_processes *processes)
{
    double no = NAN;
    processes->known = false;
    for (size_t i = 0; i < processes->table.count; i++)
        processes->table.items[i].power_w = NAN;
    processes->power_w = (struct wtl_share_rest){.processes_j = no, .idle_j = no, .unseen_j = no};
}

static void add_rest(struct wtl_share_rest *sum, const struct wtl_share_rest *rest, double factor)
{
    sum->processes_j += rest->processes_j * factor;
    sum->idle_j += rest->idle_j * factor;
    sum->unseen_j += rest->unseen_j * factor;
    sum->quality = rest->quality;
}

/* Divide the energy of the total in `seconds` among processes by their pending CPU time. */
static int divide(struct wtl_live_processes *processes,
                  double gained_j,
                  double seconds,
                  enum wattle_quality quality)
{
    struct wtl_process_table *table = &processes->table;
    double *numbers = calloc(2 * table->count + 1, sizeof *numbers);
    if (!numbers)
        return -ENOMEM;
    double *used_s = numbers, *shares_j = numbers + table->count;
    double stretch = seconds / processes->pending_s; /* from the looks' time to the energy's */
    for (size_t i = 0; i < table->count; i++)
        used_s[i] = table->items[i].pending_s * stretch;
    struct wtl_share_interval interval = {.energy_j = gained_j,
                                          .idle_w = processes->idle_w,
                                          .seconds = seconds,
                                          .cpus = processes->cpus,
                                          .machine_s = processes->pending_busy_s * stretch,
                                          .quality = quality};
    struct wtl_share_rest rest;
    int rc = wtl_process_shares(&interval, used_s, table->count, shares_j, &rest);
    for (size_t i = 0; rc == 0 && i < table->count; i++) {
        table->items[i].power_w = shares_j[i] / seconds;
        table->items[i].energy_j += shares_j[i];
    }
    free(numbers);
    if (rc < 0)
        return rc;
    processes->known = true;
    processes->power_w = (struct wtl_share_rest){0};
    add_rest(&processes->power_w, &rest, 1 / seconds);
    add_rest(&processes->since, &rest, 1);
    return 0;
}

/* CPU time since the last update. */
static void take_cpu_time(struct wtl_live_processes *processes)
{
    struct wtl_process_table *table = &processes->table;
    bool first = processes->look_ns == 0;
    double busy_s = machine_s(processes);
    processes->seconds = (double)(table->look_ns - processes->look_ns) * 1e-9;
    processes->look_ns = table->look_ns;
    processes->load = fmin(busy_s / (processes->seconds * processes->cpus), 1);
    if (first)
        processes->seconds = processes->load = NAN;
    if (first || isnan(busy_s))
        processes->load = NAN;
    if (first)
        return;
    processes->pending_s += processes->seconds;
    processes->pending_busy_s += busy_s;
    for (size_t i = 0; i < table->count; i++)
        table->items[i].pending_s += (double)table->items[i].used_ns * 1e-9;
}

int wtl_live_processes_look(struct wtl_live_processes *processes,
                            double total_j,
                            uint64_t total_ns,
                            enum wattle_quality quality,
                            struct wattle_error *err)
{
    int rc = wtl_process_table_look(&processes->table, err);
    if (rc < 0)
        return rc;
    take_cpu_time(processes);
    double gained_j = total_j - processes->total_j;
    double seconds = (double)(int64_t)(total_ns - processes->total_ns) * 1e-9;
    if (gained_j >= 0 && seconds <= 0)
        return 0; /* no new energy: CPU time stays pending */
    bool divides = gained_j >= 0 && processes->pending_s > 0;
    if (divides) {
        learn_idle(processes, gained_j, seconds);
        rc = divide(processes, gained_j, seconds, quality);
    }
    if (!divides || rc < 0)
        forget_power(processes);
    forget_pending(processes);
    processes->total_j = total_j;
    processes->total_ns = total_ns;
    return rc < 0 ? wtl_fail(err, rc, "shares of processes: %s", wtl_strerror(rc)) : 0;
}

void wtl_live_processes_reset(struct wtl_live_processes *processes)
{
    for (size_t i = 0; i < processes->table.count; i++)
        processes->table.items[i].energy_j = 0;
    processes->table.ended_energy_j = 0;
    processes->since = (struct wtl_share_rest){.quality = processes->since.quality};
}
