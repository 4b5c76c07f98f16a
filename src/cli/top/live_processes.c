/* SPDX-License-Identifier: BSD-3-Clause */
/* Shares of processes per update: see live_processes.h. */
#define _GNU_SOURCE
#include "cli/top/live_processes.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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
                                             .model = wtl_share_by_cpu_time(idle_w, WTL_IDLE_GIVEN),
                                             .total_j = NAN};
    wtl_process_table_init(&processes->table, world);
    if (!world->ops->exists(world, "/proc/self/stat") && !world->ops->exists(world, "/proc/1/stat"))
        return wtl_fail(err, -ENOENT, "/proc shows no processes");
    processes->has_busy = wtl_busy_open(&processes->busy, world, "auto", NULL) == 0;
    return 0;
}

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

static void drop(struct wtl_live_counted *counted)
{
    if (counted->counter)
        wtl_work_counter_close(counted->counter);
    free(counted->counter);
    counted->counter = NULL;
}

static void live_counters_close(struct wtl_live_counters *counters)
{
    if (!counters->world)
        return;
    for (size_t i = 0; counters->list && i < counters->count; i++)
        drop(&counters->list[i]);
    free(counters->list);
    wtl_work_counter_close(&counters->machine);
    *counters = (struct wtl_live_counters){.count = 0};
}

/* 0, or why the machine's counters cannot be used; they are then closed. */
static int live_counters_open(struct wtl_live_counters *counters,
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
        live_counters_close(counters);
    return rc;
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

/* Read all, after a scan of the processes, `seconds` after the last one, and choose whose counters are open from now on. 0, or why they cannot be read on. */
static int live_counters_look(struct wtl_live_counters *counters,
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

/* What a process has counted since the mark, or what all that are not counted have: its ratios are theirs. Valid until the next look. */
static const struct wtl_share_events *live_counters_of(const struct wtl_live_counters *counters,
                                                       const struct wtl_process *process)
{
    const struct wtl_live_counted *counted = find(counters, process);
    return counted && counted->since.cycles > 0 ? &counted->since : &counters->rest;
}

/* What was counted so far has been divided. */
static void live_counters_mark(struct wtl_live_counters *counters)
{
    counters->total_marked = counters->total;
    for (size_t i = 0; i < counters->count; i++)
        counters->list[i].since = (struct wtl_share_events){.cycles = 0};
}

void wtl_live_processes_close(struct wtl_live_processes *processes)
{
    if (processes->has_busy)
        wtl_busy_close(&processes->busy);
    processes->has_busy = false;
    live_counters_close(&processes->counters);
    wtl_cpu_times_close(&processes->times);
    if (processes->world)
        wtl_process_table_fini(&processes->table);
}

void wtl_live_processes_model(struct wtl_live_processes *processes,
                              const struct wtl_share_model *model,
                              double cpus)
{
    struct wtl_share_model given = processes->model;
    if (model->idle == WTL_IDLE_UNKNOWN)
        return;
    processes->model = *model;
    if (given.idle == WTL_IDLE_GIVEN) {
        processes->model.idle = given.idle;
        processes->model.node.idle_w = given.node.idle_w;
    }
    if (cpus > 0)
        processes->cpus = cpus;
    wtl_cpu_times_close(&processes->times);
    if (model->rule == WTL_SHARE_CALIBRATED) /* without it, the rule is CPU time */
        (void)wtl_cpu_times_open(&processes->times, processes->world,
                                 model->node.frequency_exponent > 0, NULL);
}

static void stop_counting(struct wtl_live_processes *processes)
{
    live_counters_close(&processes->counters);
    processes->model.counts = false;
    if (processes->model.rule != WTL_SHARE_CALIBRATED)
        wtl_cpu_times_close(&processes->times);
}

void wtl_live_processes_count(struct wtl_live_processes *processes)
{
    int rc = live_counters_open(&processes->counters, processes->world, &processes->no_counters);
    if (rc == 0 && !processes->times.world)
        rc =
            wtl_cpu_times_open(&processes->times, processes->world, false, &processes->no_counters);
    if (rc == 0)
        wtl_share_count(&processes->model);
    else
        stop_counting(processes);
}

/* Idle power that was seen. What was learnt from events stays, but for what it was learnt without any. */
static void set_idle(struct wtl_live_processes *processes, double idle_w)
{
    if (!processes->counters.world) {
        processes->model = wtl_share_by_cpu_time(idle_w, WTL_IDLE_SEEN);
        return;
    }
    if (processes->model.idle != WTL_IDLE_SEEN) {
        processes->fit = (struct wtl_node_fit){.looks = 0};
        processes->model.counts = false;
        processes->model.node.activation_w = 0;
    }
    processes->model.idle = WTL_IDLE_SEEN;
    processes->model.node.idle_w = idle_w;
}

/* The power of a nearly idle machine: the mean, since the minimum would be random. */
static void learn_idle(struct wtl_live_processes *processes, double gained_j, double seconds)
{
    double load = processes->pending_busy_s / (processes->pending_s * processes->cpus);
    bool quiet = load <= WTL_IDLE_LOAD; /* false for NaN */
    if (!quiet ||
        (processes->model.idle != WTL_IDLE_UNKNOWN && processes->model.idle != WTL_IDLE_SEEN))
        return;
    processes->quiet_s += seconds;
    processes->quiet_j += gained_j;
    processes->quiet_busy_s += load * processes->cpus * seconds;
    set_idle(processes, processes->quiet_j / processes->quiet_s);
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
    if (processes->times.world)
        wtl_cpu_times_mark(&processes->times);
    if (processes->counters.world)
        live_counters_mark(&processes->counters);
}

static void forget_power(struct wtl_live_processes *processes)
{
    double no = NAN;
    processes->known = false;
    for (size_t i = 0; i < processes->table.count; i++)
        processes->table.items[i].power_w = processes->table.items[i].gpu_w =
            processes->table.items[i].half_w = NAN;
    processes->power_w = (struct wtl_share_rest){.jobs_j = no, .idle_j = no, .unattributed_j = no};
}

static void add_rest(struct wtl_share_rest *sum, const struct wtl_share_rest *rest, double factor)
{
    sum->jobs_j += rest->jobs_j * factor;
    sum->idle_j += rest->idle_j * factor;
    sum->unattributed_j += rest->unattributed_j * factor;
    sum->rule = rest->rule;
    sum->quality = rest->quality;
}

/* The processes that used CPU time, each with its place in the table. */
struct active {
    struct wtl_share_job *jobs;
    size_t *places, count;
    double *shares_j, *halves_j;
    bool *may_on; /* [count][cpus] */
    double *busy_s;
};

static int find_active(const struct wtl_live_processes *processes,
                       double stretch,
                       struct active *active)
{
    const struct wtl_process_table *table = &processes->table;
    size_t most = table->count + 1, cpus = processes->times.count;
    active->jobs = calloc(most, sizeof *active->jobs);
    active->places = calloc(most, sizeof *active->places);
    active->shares_j = calloc(most, sizeof *active->shares_j);
    active->halves_j = calloc(most, sizeof *active->halves_j);
    active->may_on = calloc(most * cpus + 1, sizeof *active->may_on);
    active->busy_s = calloc(cpus + 1, sizeof *active->busy_s);
    if (!active->jobs || !active->places || !active->shares_j || !active->halves_j ||
        !active->may_on || !active->busy_s)
        return -ENOMEM;
    for (size_t i = 0; i < table->count; i++) {
        const struct wtl_process *process = &table->items[i];
        bool *may_on = active->may_on + active->count * cpus;
        if (process->pending_s == 0)
            continue;
        bool some = processes->times.world &&
                    wtl_cpu_times_are_some(&processes->times, process->cpus, may_on);
        active->jobs[active->count] = (struct wtl_share_job){.used_s = process->pending_s * stretch,
                                                             .may_on = some ? may_on : NULL};
        if (processes->counters.world)
            active->jobs[active->count].events = live_counters_of(&processes->counters, process);
        active->places[active->count++] = i;
    }
    for (size_t i = 0; i < cpus; i++)
        active->busy_s[i] = processes->times.busy_s[i] * stretch;
    return 0;
}

static void free_active(struct active *active)
{
    free(active->jobs);
    free(active->places);
    free(active->shares_j);
    free(active->halves_j);
    free(active->may_on);
    free(active->busy_s);
}

/* An idle process has no power, with an interval only where shares have one. */
static void give_shares(struct wtl_live_processes *processes,
                        const struct active *active,
                        enum wtl_share_rule rule,
                        double seconds)
{
    struct wtl_process *items = processes->table.items;
    for (size_t i = 0; i < processes->table.count; i++) {
        items[i].power_w = items[i].gpu_w = 0;
        items[i].half_w = rule == WTL_SHARE_COUNTERS ? 0 : (double)NAN;
    }
    for (size_t i = 0; i < active->count; i++) {
        items[active->places[i]].power_w = active->shares_j[i] / seconds;
        items[active->places[i]].half_w = active->halves_j[i] / seconds;
        items[active->places[i]].energy_j += active->shares_j[i];
    }
}

/* Divide the energy of the total in `seconds` among processes by their pending CPU time. */
static int divide(struct wtl_live_processes *processes,
                  double gained_j,
                  double devices_j,
                  double seconds,
                  enum wattle_quality quality)
{
    struct active active = {.count = 0};
    double stretch = seconds / processes->pending_s; /* from the looks' time to the energy's */
    struct wtl_share_rest rest;
    int rc = find_active(processes, stretch, &active);
    if (rc == 0) {
        struct wtl_share_cpus cpus = wtl_cpu_times_cpus(&processes->times);
        cpus.busy_s = active.busy_s;
        const struct wtl_share_interval interval = {.energy_j = gained_j,
                                                    .devices_j = devices_j,
                                                    .seconds = seconds,
                                                    .machine_s =
                                                        processes->pending_busy_s * stretch,
                                                    .cpus = processes->times.world ? &cpus : NULL,
                                                    .quality = quality};
        (void)wtl_share_learn(&processes->model, &processes->fit, &interval, active.jobs,
                              active.count);
        rc = wtl_shares(&processes->model, &interval, active.jobs, active.count, active.shares_j,
                        &rest);
        rc = rc < 0 ? rc
                    : wtl_share_halves(&processes->model, &interval, active.jobs, active.count,
                                       active.shares_j, &rest, active.halves_j);
    }
    if (rc == 0) {
        give_shares(processes, &active, rest.rule, seconds);
        if (processes->gpus)
            wtl_live_gpus_give(processes->gpus, &processes->table, seconds, &rest);
        processes->known = true;
        processes->power_w = (struct wtl_share_rest){0};
        add_rest(&processes->power_w, &rest, 1 / seconds);
        add_rest(&processes->since, &rest, 1);
        processes->settled_j += gained_j;
    }
    free_active(&active);
    return rc;
}

/* What has been gained without a share is nobody's. */
static void settle(struct wtl_live_processes *processes, double total_j)
{
    if (isnan(total_j))
        return;
    processes->since.unattributed_j += total_j - processes->settled_j;
    processes->settled_j = total_j;
}

/* The power that is shown is the sum of what each channel's newest readings show, over times of their own; its parts are in proportion to the energies of
 * the last division. */
static void show_as(struct wtl_live_processes *processes, double total_w)
{
    struct wtl_share_rest *power_w = &processes->power_w;
    double factor = total_w / (power_w->jobs_j + power_w->idle_j + power_w->unattributed_j);
    if (!processes->known || !isfinite(factor) || !(factor > 0))
        return;
    for (size_t i = 0; i < processes->table.count; i++) {
        processes->table.items[i].power_w *= factor;
        processes->table.items[i].gpu_w *= factor;
        processes->table.items[i].half_w *= factor;
    }
    power_w->jobs_j *= factor;
    power_w->idle_j *= factor;
    power_w->unattributed_j *= factor;
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
    if (first && processes->times.world)
        wtl_cpu_times_mark(&processes->times);
    if (first)
        return;
    processes->pending_s += processes->seconds;
    processes->pending_busy_s += busy_s;
    for (size_t i = 0; i < table->count; i++)
        table->items[i].pending_s += (double)table->items[i].used_ns * 1e-9;
}

/* Once it is not possible any more, CPU time alone is used. */
static void look_at_counters(struct wtl_live_processes *processes)
{
    if (!processes->counters.world)
        return;
    if (isnan(processes->seconds)) /* the first look */
        live_counters_mark(&processes->counters);
    else if (!processes->times.world ||
             live_counters_look(&processes->counters, &processes->table, processes->seconds,
                                &processes->no_counters) < 0)
        stop_counting(processes);
}

int wtl_live_processes_look(struct wtl_live_processes *processes,
                            double total_j,
                            double devices_j,
                            uint64_t total_ns,
                            enum wattle_quality quality,
                            double total_w,
                            struct wattle_error *err)
{
    int rc = wtl_process_table_look(&processes->table, err);
    if (rc < 0)
        return rc;
    if (processes->times.world && wtl_cpu_times_look(&processes->times) < 0)
        wtl_cpu_times_close(&processes->times);
    take_cpu_time(processes);
    look_at_counters(processes);
    double gained_j = total_j - processes->total_j;
    double seconds = (double)(int64_t)(total_ns - processes->total_ns) * 1e-9;
    if (gained_j >= 0 && seconds <= 0) { /* no new reading: CPU time stays pending */
        settle(processes, total_j);
        show_as(processes, total_w);
        return 0;
    }
    bool divides = gained_j >= 0 && processes->pending_s > 0;
    if (divides) {
        double of_devices_j = fmax(devices_j - processes->devices_j, 0);
        learn_idle(processes, gained_j - of_devices_j, seconds);
        rc = divide(processes, gained_j, of_devices_j, seconds, quality);
    }
    if (!divides || rc < 0)
        forget_power(processes);
    forget_pending(processes);
    settle(processes, total_j);
    if (processes->gpus)
        wtl_live_gpus_settle(processes->gpus);
    processes->total_j = total_j;
    processes->devices_j = devices_j;
    processes->total_ns = total_ns;
    show_as(processes, total_w);
    return rc < 0 ? wtl_fail(err, rc, "shares of processes: %s", wtl_strerror(rc)) : 0;
}

void wtl_live_processes_reset(struct wtl_live_processes *processes)
{
    for (size_t i = 0; i < processes->table.count; i++)
        processes->table.items[i].energy_j = 0;
    processes->table.ended_energy_j = 0;
    processes->since = (struct wtl_share_rest){.quality = processes->since.quality};
}
