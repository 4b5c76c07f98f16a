/* SPDX-License-Identifier: BSD-3-Clause */
/* A world of tasks written as a trace: what "wattle tasks" finds in it, and what it refuses. */
#define _GNU_SOURCE
#include <errno.h>
#include <math.h>
#include <unistd.h>

#include "analysis/tasks/task_study.h"
#include "sim/tasks/task_world.h"
#include "tap.h"
#include "trace/writer.h"

#define START UINT64_C(100000000000)
enum { CORES = 16 };

struct as {
    bool regions, cores, sockets, no_marks, gap;
    bool sleeper; /* one more thread is inside "single" all the time, and sleeps */
    double cpu_s; /* 0 = unknown */
    const char *path;
};

struct mark {
    uint64_t time_ns;
    uint32_t core, task, type;
    bool begins;
};

static int by_time(const void *a, const void *b)
{
    const struct mark *x = a, *y = b;
    if (x->time_ns != y->time_ns)
        return x->time_ns < y->time_ns ? -1 : 1;
    return (int)x->begins - (int)y->begins;
}

static void write_marks(struct wtl_trace_writer *w,
                        const struct wtl_task_world *world,
                        const struct as *as)
{
    const struct wtl_task_world_config *config = wtl_task_world_config(world);
    struct wtl_trace_process process = {.pid = 5, .rank = -1, .command = "app"};
    uint32_t p = (uint32_t)wtl_trace_writer_process(w, &process), threads[CORES];
    uint32_t names[WTL_SIM_TASK_TYPES];
    size_t n;
    const struct wtl_sim_task *tasks = wtl_task_world_tasks(world, &n);
    struct mark *marks = calloc(2 * n, sizeof *marks);
    for (uint32_t i = 0; i < CORES; i++) {
        struct wtl_trace_thread thread = {.process = p, .tid = 100 + i, .name = "w"};
        threads[i] = (uint32_t)wtl_trace_writer_thread(w, &thread);
    }
    for (unsigned j = 0; j < config->type_count; j++)
        names[j] = (uint32_t)wtl_trace_writer_string(w, config->types[j].name);
    for (size_t i = 0; i < n; i++) {
        marks[2 * i] = (struct mark){START + tasks[i].begin_ns, tasks[i].core, tasks[i].id,
                                     tasks[i].type, true};
        marks[2 * i + 1] = (struct mark){START + tasks[i].end_ns, tasks[i].core, tasks[i].id,
                                         tasks[i].type, false};
    }
    qsort(marks, 2 * n, sizeof *marks, by_time);
    if (as->sleeper) {
        struct wtl_trace_thread thread = {.process = p, .tid = 99, .name = "w"};
        struct wtl_mark mark = {.time_ns = START,
                                .thread = (uint32_t)wtl_trace_writer_thread(w, &thread),
                                .name = (uint32_t)wtl_trace_writer_string(w, "single"),
                                .kind =
                                    (enum wtl_mark_kind)(WATTLE_STATE_ENTER + WATTLE_STATE_WORK)};
        (void)wtl_trace_writer_marks(w, &mark, 1); /* up to the end of the window */
    }
    for (size_t i = 0; i < 2 * n; i++) {
        unsigned kind = as->regions       ? (marks[i].begins ? WTL_MARK_BEGIN : WTL_MARK_END)
                        : marks[i].begins ? WATTLE_TASK_RUN
                                          : WATTLE_TASK_DONE;
        if (marks[i].task == 0) /* it spins */
            kind = (marks[i].begins ? WATTLE_STATE_ENTER : WATTLE_STATE_LEAVE) + WATTLE_STATE_IDLE;
        struct wtl_mark two[2] = {{.time_ns = marks[i].time_ns,
                                   .thread = threads[marks[i].core],
                                   .name = names[marks[i].type],
                                   .value = as->regions ? 0 : marks[i].task,
                                   .kind = (enum wtl_mark_kind)kind}};
        two[1] = two[0];
        two[1].kind = (enum wtl_mark_kind)WATTLE_TASK_DETAIL;
        two[1].name = WATTLE_TASK_KEY_CORE;
        two[1].value = marks[i].core;
        (void)wtl_trace_writer_marks(w, two, as->cores && marks[i].begins ? 2 : 1);
    }
    free(marks);
}

static struct wattle_channel channel(int package)
{
    struct wattle_channel c = {.sensor = "powercap",
                               .domain = WATTLE_DOMAIN_PACKAGE,
                               .index = package,
                               .sub = -1,
                               .quantity = WATTLE_ENERGY,
                               .kind = WATTLE_COUNTER,
                               .flags = WATTLE_CHANNEL_PRIMARY,
                               .scale = 1e-6};
    snprintf(c.name, sizeof c.name, "powercap:package-%d", package);
    return c;
}

/* With two sockets the first one has a constant 50 W of its own, and all cores are of the second. */
static void write_power(struct wtl_trace_writer *w,
                        const struct wtl_task_world *world,
                        const struct as *as)
{
    bool sockets = as->sockets;
    uint32_t ids[2];
    size_t n, count = sockets ? 2 : 1;
    const struct wtl_sim_task_sample *samples = wtl_task_world_samples(world, &n);
    for (size_t i = 0; i < count; i++) {
        struct wattle_channel c = channel((int)i);
        ids[i] = (uint32_t)wtl_trace_writer_channel(w, &c);
        (void)wtl_trace_writer_origin(w, ids[i], 0);
    }
    uint32_t group = (uint32_t)wtl_trace_writer_group(w, ids, count, 0);
    if (as->gap) {
        struct wtl_gap gap = {.channel = ids[0],
                              .reason = WTL_GAP_READ_FAILED,
                              .error = EIO,
                              .begin_ns = START + (uint64_t)samples[n / 3].t_ns,
                              .end_ns = START + (uint64_t)samples[2 * n / 3].t_ns};
        (void)wtl_trace_writer_gap(w, &gap);
    }
    for (size_t i = 0; i < n; i++) {
        if (as->gap && i > n / 3 && i < 2 * n / 3)
            continue;
        uint64_t ticks = (uint64_t)(1e6 * samples[i].value + 0.5);
        uint64_t values[2] = {ticks, ticks};
        if (sockets)
            values[0] = (uint64_t)(50 * 1e-3 * (double)samples[i].t_ns);
        (void)wtl_trace_writer_row(w, group, START + (uint64_t)samples[i].t_ns, values, NULL);
        (void)wtl_trace_writer_poll(w, START + (uint64_t)samples[i].t_ns);
    }
}

static void write_trace(const struct wtl_task_world *world, const struct as *as)
{
    struct wtl_trace_options options = {.force = true};
    struct wtl_trace_writer *w;
    size_t n;
    const struct wtl_sim_task_sample *samples = wtl_task_world_samples(world, &n);
    is_int(wtl_trace_writer_create(as->path, &options, &w, NULL), 0, "create %s", as->path);
    (void)wtl_trace_writer_meta(w, "run.command", "./app");
    (void)wtl_trace_writer_meta(w, "host.name", "n1");
    if (as->cpu_s > 0) {
        char text[32];
        snprintf(text, sizeof text, "%.6f", as->cpu_s);
        (void)wtl_trace_writer_meta(w, "process.cpu_s", text);
    }
    if (as->sockets) {
        (void)wtl_trace_writer_meta(w, "cpu.sockets", "2");
        (void)wtl_trace_writer_meta(w, "numa.nodes", "2");
        (void)wtl_trace_writer_meta(w, "numa.cpus.0", "32-47");
        (void)wtl_trace_writer_meta(w, "numa.cpus.1", "0-15");
    }
    (void)wtl_trace_writer_window_begin(w, START + (uint64_t)samples[0].t_ns);
    write_power(w, world, as);
    if (!as->no_marks)
        write_marks(w, world, as);
    (void)wtl_trace_writer_window_end(w, START + (uint64_t)samples[n - 1].t_ns);
    is_int(wtl_trace_writer_finish(w, NULL), 0, "finish");
}

static struct wtl_task_study study;

static int read_study(const struct as *as, enum wtl_activity_by by, struct wattle_error *err)
{
    const struct wtl_task_request request = {
        .by = by, .idle_w = NAN, .static_w = NAN, .resamples = 50};
    return wtl_task_study_read(as->path, &request, &study, err);
}

static const struct wtl_task_cost *type_of(const char *name)
{
    for (size_t i = 0; i < study.model.type_count; i++)
        if (strcmp(study.model.types[i].name, name) == 0)
            return &study.model.types[i];
    return NULL;
}

/* Without noise and without a calibration everything is found, from idle stretches and runs on few cores. */
static void finds(const struct wtl_task_world *world, const struct as *as, enum wtl_activity_by by)
{
    const struct wtl_task_world_config *config = wtl_task_world_config(world);
    const struct wtl_task_world_truth *truth = wtl_task_world_truth(world);
    struct wattle_error err = {""};
    double workers_j = 0, tasks_j = 0;
    write_trace(world, as);
    is_int(read_study(as, by, &err), 0, "%s: %s", as->path, err.text);
    is_int(study.model.type_count, config->type_count, "all types");
    for (unsigned j = 0; j < config->type_count; j++) {
        const struct wtl_task_cost *type = type_of(config->types[j].name);
        if (!ok(type != NULL, "type %s", config->types[j].name))
            continue;
        is_int(type->count, truth->count[j], "%s: count", type->name);
        is_double(type->power_w.value, config->types[j].power_w, 0.01 * config->types[j].power_w,
                  "%s: power", type->name);
        tasks_j += type->energy_j.value;
    }
    for (size_t i = 0; i < study.worker_count; i++)
        workers_j += study.workers[i].energy_j;
    is_int(study.worker_count, CORES, "workers");
    is_double(workers_j, tasks_j, 1e-6 * tasks_j, "workers have the energy of the tasks");
    ok(fabs(study.model.measured_j - study.model.modelled_j.value) < 0.001 * study.model.measured_j,
       "all of it is explained: %g of %g J", study.model.modelled_j.value, study.model.measured_j);
    const struct wtl_task_channel *last = &study.model.channels[study.model.channel_count - 1];
    is_double(last->fit.x[WTL_TASK_IDLE], config->idle_w, 0.2, "P_Y");
    is_double(last->fit.x[WTL_TASK_STATIC], config->static_w, 1, "P_S");
    if (as->sockets)
        is_double(study.model.channels[0].fit.x[WTL_TASK_IDLE], 50, 0.1, "P_Y of the other socket");
}

/* Idle threads that use processors have a power of their own; those that sleep are nobody's. */
static void spins(void)
{
    struct wtl_task_world_config config = wtl_task_world_random(3, 3000, 5);
    unsigned k = config.type_count++;
    for (unsigned j = 0; j < k; j++)
        config.types[j].share = 1;
    config.types[k] = (struct wtl_sim_task_type){.name = "spin", .power_w = 4, .duration_s = 1};
    config.spin = k + 1;
    config.few_cores = 0.5;
    struct wtl_task_world *world;
    struct wattle_error err = {""};
    is_int(wtl_task_world_create(&config, &world, &err), 0, "a world that spins %s", err.text);
    const struct wtl_task_world_truth *truth = wtl_task_world_truth(world);
    struct as as = {.path = "spins.wtl"};
    for (unsigned j = 0; j < config.type_count; j++)
        as.cpu_s += truth->time_s[j];
    for (int spinning = 1; spinning >= 0; spinning--) {
        as.cpu_s -= spinning ? 0 : truth->time_s[k];
        write_trace(world, &as);
        const struct wtl_task_request request = {.idle_w = config.idle_w,
                                                 .static_w = config.static_w};
        is_int(wtl_task_study_read(as.path, &request, &study, &err), 0, "read: %s", err.text);
        const struct wtl_task_cost *type = type_of("spin (idle)");
        ok(!type == !spinning, "idle threads are a type if they spin");
        if (type)
            is_double(type->power_w.value, 4, 0.2, "with its power");
        for (unsigned j = 0; spinning && j < k; j++)
            is_double(type_of(config.types[j].name)->power_w.value, config.types[j].power_w,
                      0.02 * config.types[j].power_w, "%s: power", config.types[j].name);
        wtl_task_study_fini(&study);
    }
    wtl_task_world_destroy(world);
}

/* P_S is that of a machine in which something runs: a thread that sleeps does not. */
static void sleeps(const struct wtl_task_world *world)
{
    const struct wtl_task_world_config *config = wtl_task_world_config(world);
    const struct wtl_task_world_truth *truth = wtl_task_world_truth(world);
    const struct wtl_task_request request = {.idle_w = config->idle_w,
                                             .static_w = config->static_w};
    struct wattle_error err = {""};
    struct as as = {.path = "sleeps.wtl", .sleeper = true};
    double tasks_j = 0;
    for (unsigned j = 0; j < config->type_count; j++) {
        as.cpu_s += truth->time_s[j];
        tasks_j += truth->energy_j_of[j];
    }
    write_trace(world, &as);
    is_int(wtl_task_study_read(as.path, &request, &study, &err), 0, "read: %s", err.text);
    is_double(study.model.tasks_j.value, tasks_j, 0.005 * tasks_j, "tasks beside a sleeper");
    is_double(study.model.static_j.value,
              truth->platform_j - config->idle_w * study.model.channels->known_s,
              0.005 * truth->platform_j, "P_S while any of them runs");
    wtl_task_study_fini(&study);
}

/* Types that always run together: only what they take together is known, and what a worker took only if it ran them as the others. */
static void together(bool alike)
{
    enum { TURNS = 400, TURN_NS = 10000000 };
    struct wtl_trace_options options = {.force = true};
    const struct as as = {.path = "together.wtl"};
    struct wtl_trace_process process = {.pid = 5, .rank = -1, .command = "app"};
    struct wattle_channel c = channel(0);
    struct wattle_error err = {""};
    struct wtl_trace_writer *w;
    uint64_t now = START, joules = 0, task = 0;
    is_int(wtl_trace_writer_create(as.path, &options, &w, NULL), 0, "create");
    (void)wtl_trace_writer_window_begin(w, START);
    uint32_t id = (uint32_t)wtl_trace_writer_channel(w, &c);
    (void)wtl_trace_writer_origin(w, id, 0);
    uint32_t group = (uint32_t)wtl_trace_writer_group(w, &id, 1, 0), threads[2];
    uint32_t of = (uint32_t)wtl_trace_writer_process(w, &process);
    for (uint32_t i = 0; i < 2; i++) {
        struct wtl_trace_thread thread = {.process = of, .tid = 6 + i, .name = "w"};
        threads[i] = (uint32_t)wtl_trace_writer_thread(w, &thread);
    }
    const uint32_t names[2] = {(uint32_t)wtl_trace_writer_string(w, "six"),
                               (uint32_t)wtl_trace_writer_string(w, "eight")};
    (void)wtl_trace_writer_row(w, group, now, &joules, NULL);
    for (unsigned turn = 0; turn < TURNS; turn++) {
        bool busy = turn % 3 != 0;
        for (uint32_t i = 0; busy && i < 2; i++) {
            uint32_t type = (i + (alike ? turn / 2 : 0)) % 2;
            struct wtl_mark mark = {.time_ns = now,
                                    .thread = threads[i],
                                    .name = names[type],
                                    .value = ++task,
                                    .kind = (enum wtl_mark_kind)WATTLE_TASK_RUN};
            (void)wtl_trace_writer_marks(w, &mark, 1);
        }
        now += TURN_NS;
        for (uint32_t i = 0; busy && i < 2; i++) {
            struct wtl_mark mark = {.time_ns = now,
                                    .thread = threads[i],
                                    .value = task - 1 + i,
                                    .kind = (enum wtl_mark_kind)WATTLE_TASK_DONE};
            (void)wtl_trace_writer_marks(w, &mark, 1);
        }
        joules +=
            (busy ? UINT64_C(34) : UINT64_C(20)) * (TURN_NS / 1000); /* 20 W idle, 6 and 8 W */
        (void)wtl_trace_writer_row(w, group, now, &joules, NULL);
        (void)wtl_trace_writer_poll(w, now);
    }
    (void)wtl_trace_writer_window_end(w, now);
    is_int(wtl_trace_writer_finish(w, NULL), 0, "finish");
    is_int(read_study(&as, WTL_BY_TASK, &err), 0, "together: %s", err.text);
    const struct wtl_task_model *model = &study.model;
    double group_j = model->groups[0].energy_j.value;
    is_int(model->group_count, 1, "one group");
    ok(isnan(model->static_j.value), "P_S is in it, and has no number of its own");
    is_double(group_j, 14 * 266 * 0.01, 0.1, "its energy");
    for (size_t t = 0; t < model->type_count; t++)
        ok(isnan(model->types[t].energy_j.value) && isnan(model->types[t].power_w.value) &&
               isnan(model->types[t].energy_j.high) && model->types[t].time_s > 0,
           "%s has a time, and no energy", model->types[t].name);
    for (size_t i = 0; i < study.worker_count; i++)
        if (alike)
            is_double(study.workers[i].energy_j, group_j / 2, 0.02 * group_j, "half each");
        else
            ok(isnan(study.workers[i].energy_j), "each worker ran one type: unknown");
    wtl_task_study_fini(&study);
}

static bool flagged(const char *name)
{
    for (size_t i = 0; i < study.flag_count; i++)
        if (strcmp(study.flags[i].name, name) == 0)
            return true;
    return false;
}

/* Where other programs draw the power, the tasks do not explain it. */
static void is_not_alone(void)
{
    struct wtl_task_world_config config = wtl_task_world_random(3, 1500, 5);
    struct wattle_error err = {""};
    const struct as as = {.path = "others.wtl"};
    config.repeats = 6;
    for (int busy = 0; busy < 2; busy++) {
        struct wtl_task_world *world;
        config.sensor.others_w = busy ? 600 : 0;
        config.sensor.others_s = 0.5;
        is_int(wtl_task_world_create(&config, &world, &err), 0, "a world %s", err.text);
        write_trace(world, &as);
        const struct wtl_task_request request = {.idle_w = config.idle_w,
                                                 .static_w = config.static_w};
        is_int(wtl_task_study_read(as.path, &request, &study, &err), 0, "read: %s", err.text);
        is_int(flagged("UNEXPLAINED"), busy, "UNEXPLAINED if others draw it");
        is_int(isnan(study.model.types[0].energy_j.value) && isnan(study.model.idle_j.value) &&
                   isnan(study.workers[0].energy_j),
               busy, "then only the total has a number");
        ok(study.model.measured_j > 0, "the total: %g J", study.model.measured_j);
        ok(!flagged("LAG"), "and no meter is late");
        wtl_task_study_fini(&study);
        wtl_task_world_destroy(world);
    }
}

/* What a counter counted while nobody read it is in the total of the run, and no task's. */
static void has_gap(const struct wtl_task_world *world)
{
    struct wattle_error err = {""};
    for (int gap = 0; gap < 2; gap++) {
        const struct as as = {.path = "gap.wtl", .gap = gap};
        write_trace(world, &as);
        is_int(read_study(&as, WTL_BY_TASK, &err), 0, "%s", err.text);
        is_int(flagged("NOT DIVIDED"), gap, "NOT DIVIDED if there is a gap: %g J of %g",
               study.outside_j, study.model.measured_j);
        wtl_task_study_fini(&study);
    }
}

/* A little all the time: the tasks get it, within no interval. The power of the idle machine tells. */
static void has_neighbours(void)
{
    struct wattle_error err = {""};
    const struct as as = {.path = "neighbours.wtl"};
    struct wtl_task_world_config config = wtl_task_world_random(3, 1500, 5);
    config.repeats = 6;
    for (int busy = 0; busy < 2; busy++) {
        struct wtl_task_world *world;
        config.sensor.others_w = busy ? 30 : 0;
        config.sensor.others_s = 0.5;
        is_int(wtl_task_world_create(&config, &world, &err), 0, "a world %s", err.text);
        write_trace(world, &as);
        const struct wtl_task_request request = {.idle_w = config.idle_w,
                                                 .static_w = config.static_w};
        is_int(wtl_task_study_read(as.path, &request, &study, &err), 0, "read: %s", err.text);
        is_int(flagged("IDLE DIFFERS"), busy, "IDLE DIFFERS if others draw 15 W");
        wtl_task_study_fini(&study);
        wtl_task_world_destroy(world);
    }
}

static void refuses(const struct wtl_task_world *world)
{
    struct wattle_error err = {""};
    struct as none = {.no_marks = true, .path = "none.wtl"};
    write_trace(world, &none);
    is_int(read_study(&none, WTL_BY_TASK, &err), -ENODATA, "no marks: %s", err.text);
    wtl_task_study_fini(&study);
    is_int(read_study(&none, WTL_BY_REGION, &err), -ENODATA, "no regions: %s", err.text);
    wtl_task_study_fini(&study);
    none.path = "missing.wtl";
    is_int(read_study(&none, WTL_BY_TASK, &err), -ENOENT, "no file: %s", err.text);
    wtl_task_study_fini(&study);
}

/* More types than columns: those that share one are "other types", not the first of them. */
static void has_many_types(void)
{
    enum { MANY = 4200, LONG = 4095 };
    struct wtl_trace_options options = {.force = true};
    const struct as as = {.path = "many.wtl"};
    struct wtl_trace_process process = {.pid = 5, .rank = -1, .command = "app"};
    struct wattle_channel c = channel(0);
    struct wattle_error err = {""};
    struct wtl_trace_writer *w;
    uint64_t now = START, joules = 0;
    is_int(wtl_trace_writer_create(as.path, &options, &w, NULL), 0, "create");
    (void)wtl_trace_writer_meta(w, "run.command", "./app");
    (void)wtl_trace_writer_window_begin(w, START);
    uint32_t id = (uint32_t)wtl_trace_writer_channel(w, &c);
    (void)wtl_trace_writer_origin(w, id, 0);
    uint32_t group = (uint32_t)wtl_trace_writer_group(w, &id, 1, 0);
    struct wtl_trace_thread thread = {
        .process = (uint32_t)wtl_trace_writer_process(w, &process), .tid = 6, .name = "w"};
    uint32_t of = (uint32_t)wtl_trace_writer_thread(w, &thread);
    for (unsigned i = 0; i < MANY; i++) {
        char name[16];
        snprintf(name, sizeof name, "t%u", i);
        uint64_t half = i == LONG ? 100000000 : 1000000;
        struct wtl_mark mark = {.time_ns = now,
                                .thread = of,
                                .name = (uint32_t)wtl_trace_writer_string(w, name),
                                .value = i + 1,
                                .kind = (enum wtl_mark_kind)WATTLE_TASK_RUN};
        (void)wtl_trace_writer_row(w, group, now, &joules, NULL);
        (void)wtl_trace_writer_marks(w, &mark, 1);
        now += half;
        joules += half / 100; /* 10 W, then nothing for as long */
        mark.time_ns = now;
        mark.kind = (enum wtl_mark_kind)WATTLE_TASK_DONE;
        (void)wtl_trace_writer_marks(w, &mark, 1);
        (void)wtl_trace_writer_row(w, group, now, &joules, NULL);
        (void)wtl_trace_writer_poll(w, now);
        now += half;
    }
    (void)wtl_trace_writer_row(w, group, now, &joules, NULL);
    (void)wtl_trace_writer_window_end(w, now);
    is_int(wtl_trace_writer_finish(w, NULL), 0, "finish");
    is_int(read_study(&as, WTL_BY_TASK, &err), 0, "many types: %s", err.text);
    ok(type_of("t4095") == NULL && study.others, "the one with most time shares its column");
    wtl_task_study_fini(&study);
}

/* Threads that come and go, more than are told apart: the rest is one. */
static void has_many_threads(void)
{
    enum { MANY = 70000, APART = 65535, RUN_NS = 100000 };
    struct wtl_trace_options options = {.force = true};
    const struct as as = {.path = "threads.wtl"};
    struct wtl_trace_process process = {.pid = 5, .rank = -1, .command = "app"};
    struct wattle_channel c = channel(0);
    struct wattle_error err = {""};
    struct wtl_trace_writer *w;
    uint64_t now = START, joules = 0;
    double busy_s = 0;
    is_int(wtl_trace_writer_create(as.path, &options, &w, NULL), 0, "create");
    (void)wtl_trace_writer_meta(w, "run.command", "./app");
    (void)wtl_trace_writer_window_begin(w, START);
    uint32_t id = (uint32_t)wtl_trace_writer_channel(w, &c);
    (void)wtl_trace_writer_origin(w, id, 0);
    uint32_t group = (uint32_t)wtl_trace_writer_group(w, &id, 1, 0);
    uint32_t of = (uint32_t)wtl_trace_writer_process(w, &process);
    uint32_t name = (uint32_t)wtl_trace_writer_string(w, "t");
    for (unsigned i = 0; i < MANY; i++) {
        struct wtl_trace_thread thread = {.process = of, .tid = 6 + i, .name = "w"};
        struct wtl_mark mark = {.time_ns = now,
                                .thread = (uint32_t)wtl_trace_writer_thread(w, &thread),
                                .name = name,
                                .value = i + 1,
                                .kind = (enum wtl_mark_kind)WATTLE_TASK_RUN};
        if (i % 100 == 0)
            (void)wtl_trace_writer_row(w, group, now, &joules, NULL);
        (void)wtl_trace_writer_marks(w, &mark, 1);
        now += RUN_NS;
        joules += RUN_NS / 100;
        mark.time_ns = now;
        mark.kind = (enum wtl_mark_kind)WATTLE_TASK_DONE;
        (void)wtl_trace_writer_marks(w, &mark, 1);
        (void)wtl_trace_writer_poll(w, now);
    }
    (void)wtl_trace_writer_row(w, group, now, &joules, NULL);
    (void)wtl_trace_writer_window_end(w, now);
    is_int(wtl_trace_writer_finish(w, NULL), 0, "finish");
    is_int(read_study(&as, WTL_BY_TASK, &err), 0, "many threads: %s", err.text);
    is_int(study.worker_count, APART + 1, "told apart, and the others");
    for (size_t i = 0; i < study.worker_count; i++)
        busy_s += study.workers[i].busy_s;
    if (study.worker_count == APART + 1)
        is_str(study.workers[APART].name, "(4465 other threads)", "which are named");
    is_double(busy_s, 1e-9 * MANY * RUN_NS, 1e-6, "none is lost");
    wtl_task_study_fini(&study);
}

int main(void)
{
    static const struct as ways[] = {{.path = "tasks.wtl"},
                                     {.path = "regions.wtl", .regions = true},
                                     {.path = "sockets.wtl", .cores = true, .sockets = true}};
    struct wtl_task_world_config config = wtl_task_world_random(3, 3000, 5);
    struct wtl_task_world *world;
    struct wattle_error err = {""};
    config.few_cores = 0.5;
    is_int(wtl_task_world_create(&config, &world, &err), 0, "a world %s", err.text);
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        finds(world, &ways[i], ways[i].regions ? WTL_BY_REGION : WTL_BY_TASK);
        wtl_task_study_fini(&study);
    }
    has_gap(world);
    refuses(world);
    sleeps(world);
    together(true);
    together(false);
    spins();
    is_not_alone();
    has_neighbours();
    has_many_types();
    has_many_threads();
    wtl_task_world_destroy(world);
    return done_testing();
}
