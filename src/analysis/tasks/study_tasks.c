/* SPDX-License-Identifier: BSD-3-Clause */
/* The tasks of a study: one pass over the activities finds where the sensors stand in time, a second one fills the rows. */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/tasks/study_parts.h"
#include "base/fail.h"
#include "base/grow.h"
#include "base/whole.h"
#include "trace/id_map.h"

enum { WORKERS = 65536 };            /* the last one is all further threads */
#define OF_CORE UINT32_C(0x80000000) /* threads of a trace are fewer */

/* Of the time of idle threads, or of others outside of tasks, that they use a processor: they spin, or work. */
static const double spinning_least = 0.5;

/* Idle threads count if they spin. */
static bool is_work(const struct wtl_task_study *study, int kind)
{
    return kind == WATTLE_STATE_IDLE ? study->idle_spins : kind != WATTLE_STATE_JOIN;
}

static bool counts(const struct wtl_task_study *study, const struct wtl_activity *a)
{
    if (a->what == WTL_ACTIVITY_BIN)
        return is_work(study, a->kind) && a->bytes > 0 && a->end_ns > a->begin_ns;
    return is_work(study, a->kind);
}

static bool is_task(int kind)
{
    return kind == WTL_ACTIVITY_TASK || kind == WTL_ACTIVITY_REGION;
}

/* A thread that sleeps in a state, as inside "single", is no task: the machine need not be busy. */
static bool is_asleep(const struct wtl_task_study *study, const struct wtl_activity *a)
{
    return study->states_sleep && !is_task(a->kind) && !wtl_study_is_lane(study, a->thread);
}

/* ---- a pass ---- */

struct pass {
    struct wtl_task_study *study;
    struct wtl_activities *activities;
    int sockets[WTL_TASK_CPUS];
    struct wtl_id_map workers; /* of threads, and of cores */
};

static bool lies_in(const struct pass *p,
                    const struct wtl_activity *a,
                    const struct wtl_task_set *set)
{
    if (!wtl_study_card_fits(p->study, a->thread, set->card))
        return false;
    return set->socket < 0 || a->core < 0 || a->core >= WTL_TASK_CPUS ||
           p->sockets[a->core] == set->socket;
}

static int open_pass(struct pass *p, struct wattle_error *err)
{
    const struct wtl_activity_options options = {
        .begin_ns = p->study->result.start_monotonic_ns,
        .end_ns = p->study->result.end_monotonic_ns,
        .by = p->study->request.by,
        .what = WTL_ACTIVITY_SEGMENT | WTL_ACTIVITY_BIN,
    };
    return wtl_activities_open(p->study->reader, &options, &p->activities, err);
}

/* ---- what there is ---- */

int wtl_study_survey(struct wtl_task_study *study, struct wattle_error *err)
{
    struct pass p = {.study = study};
    struct wtl_activity a;
    double idle_s = 0, busy_s = 0, states_s = 0;
    bool sockets = wtl_study_sockets(study->reader, p.sockets);
    if (!sockets && isnan(study->result.cpu_s))
        return 0;
    int rc = open_pass(&p, err);
    if (rc < 0)
        return rc;
    study->by_core = sockets;
    while ((rc = wtl_activities_next(p.activities, &a, err)) > 0) {
        if (a.kind == WATTLE_STATE_IDLE)
            idle_s += wtl_study_seconds(&a);
        if (!counts(study, &a) || wtl_study_is_lane(study, a.thread))
            continue;
        busy_s += wtl_study_seconds(&a);
        states_s += is_task(a.kind) ? 0 : wtl_study_seconds(&a);
        study->by_core &= a.core >= 0 && a.core < WTL_TASK_CPUS && p.sockets[a.core] >= 0;
    }
    study->idle_spins = idle_s > 0 && study->result.cpu_s - busy_s > spinning_least * idle_s;
    study->states_sleep = study->result.cpu_s - (busy_s - states_s) < spinning_least * states_s;
    wtl_activities_close(p.activities);
    return rc;
}

/* ---- lags ---- */

static int fill_curves(struct pass *p, struct wattle_error *err)
{
    struct wtl_activity a;
    int rc = open_pass(p, err);
    if (rc < 0)
        return rc;
    while (rc >= 0 && (rc = wtl_activities_next(p->activities, &a, err)) > 0)
        for (size_t i = 0; rc > 0 && i < p->study->set_count; i++) {
            struct wtl_task_set *set = &p->study->sets[i];
            if (counts(p->study, &a) && lies_in(p, &a, set) &&
                wtl_task_curve_add(&set->curve, a.type, a.begin_ns, a.end_ns, wtl_study_share(&a),
                                   is_asleep(p->study, &a)) < 0)
                rc = wtl_no_memory(err);
        }
    wtl_activities_close(p->activities);
    return rc;
}

/* P_Y or P_S of all channels of a set, as far as they are known before. */
static double known_w(const struct wtl_task_study *study, const struct wtl_task_set *set, bool idle)
{
    double watts = 0;
    for (size_t c = 0; c < study->model.channel_count; c++)
        if (study->model.channels[c].rows == &set->rows)
            watts += idle ? study->model.channels[c].idle.power_w
                          : study->model.channels[c].statics.power_w;
    return watts;
}

static int find_lags(struct pass *p, struct wattle_error *err)
{
    struct wtl_task_study *study = p->study;
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < study->set_count; i++)
        rc = wtl_task_curve_begin(&study->sets[i].curve, &study->sets[i].rows);
    rc = rc < 0 ? wtl_no_memory(err) : fill_curves(p, err);
    for (size_t i = 0; i < study->set_count; i++) {
        struct wtl_task_set *set = &study->sets[i];
        wtl_task_curve_end(&set->curve);
        if (rc == 0 &&
            wtl_task_lag_find(&set->curve, &set->rows, set->gauge, known_w(study, set, true),
                              known_w(study, set, false), &set->lag) < 0)
            rc = wtl_no_memory(err);
        wtl_task_curve_fini(&set->curve);
        wtl_task_lag_apply(&set->lag, &set->rows);
    }
    return rc;
}

/* ---- workers ---- */

static void name_worker(const struct pass *p, struct wtl_task_worker *worker)
{
    const struct wtl_trace_thread *thread =
        wtl_trace_reader_thread(p->study->reader, worker->thread);
    if (worker->core >= 0)
        (void)snprintf(worker->name, sizeof worker->name, "CPU %d", worker->core);
    else if (thread && wtl_thread_is_lane(thread))
        (void)snprintf(worker->name, sizeof worker->name, "%.60s", thread->name);
    else if (thread)
        (void)snprintf(worker->name, sizeof worker->name, "thread %u%s%.20s%s", thread->tid,
                       thread->name[0] ? " (" : "", thread->name, thread->name[0] ? ")" : "");
    else
        (void)snprintf(worker->name, sizeof worker->name, "thread %u", worker->thread);
    worker->socket =
        worker->core >= 0 && worker->core < WTL_TASK_CPUS ? p->sockets[worker->core] : -1;
}

static struct wtl_task_worker *worker_of(struct pass *p, const struct wtl_activity *a)
{
    struct wtl_task_study *study = p->study;
    int64_t known =
        wtl_id_map_index(&p->workers, a->core >= 0 ? OF_CORE | (uint32_t)a->core : a->thread);
    if (known < 0)
        return NULL;
    if (known >= WORKERS)
        known = WORKERS - 1;
    if ((size_t)known < study->worker_count)
        return &study->workers[known];
    if (wtl_reserve(&study->workers, &study->worker_room, study->worker_count + 1,
                    sizeof *study->workers) < 0)
        return NULL;
    struct wtl_task_worker *worker = &study->workers[study->worker_count++];
    *worker = (struct wtl_task_worker){.thread = a->thread, .core = a->core};
    name_worker(p, worker);
    return worker;
}

static void name_others(struct pass *p)
{
    if (p->workers.count <= WORKERS)
        return;
    struct wtl_task_worker *others = &p->study->workers[WORKERS - 1];
    others->core = others->socket = -1;
    others->thread = UINT32_MAX;
    (void)snprintf(others->name, sizeof others->name, "(%" PRIu32 " other threads)",
                   p->workers.count - (WORKERS - 1));
}

static int by_place(const void *a, const void *b)
{
    const struct wtl_task_worker *x = a, *y = b;
    if (x->core != y->core)
        return x->core < y->core ? -1 : 1;
    return x->thread < y->thread ? -1 : x->thread > y->thread;
}

static int add_worker(struct pass *p, const struct wtl_activity *a)
{
    struct wtl_task_worker *worker = worker_of(p, a);
    if (!worker)
        return -ENOMEM;
    if (wtl_reserve_zeroed(&worker->time_s, &worker->room, (size_t)a->type + 1,
                           sizeof *worker->time_s) < 0)
        return -ENOMEM;
    double seconds = wtl_study_seconds(a);
    worker->time_s[a->type] += seconds;
    worker->busy_s += seconds;
    return 0;
}

/* ---- rows ---- */

static int add_activity(struct pass *p, const struct wtl_activity *a)
{
    for (size_t i = 0; i < p->study->set_count; i++) {
        struct wtl_task_set *set = &p->study->sets[i];
        if (lies_in(p, a, set) && wtl_task_rows_add(&set->rows, a->type, a->begin_ns, a->end_ns,
                                                    wtl_study_share(a), is_asleep(p->study, a)) < 0)
            return -ENOMEM;
    }
    return add_worker(p, a);
}

static int by_time(const void *a, const void *b)
{
    const struct wtl_activity_type *const *x = a, *const *y = b;
    return (*x)->time_ns < (*y)->time_ns ? 1 : (*x)->time_ns > (*y)->time_ns ? -1 : 0;
}

static bool is_type(const struct wtl_task_study *study, const struct wtl_activity_type *type)
{
    return type->time_ns > 0 && is_work(study, type->kind);
}

static void name_type(struct wtl_task_cost *cost, const struct wtl_activity_type *type)
{
    assert(type);
    const char *kind = wtl_activity_kind_name(type->kind);
    cost->kind = type->kind;
    cost->count = type->count;
    if (!type->name || !type->name[0])
        (void)snprintf(cost->name, sizeof cost->name, "(%s)", kind);
    else if (type->kind == WTL_ACTIVITY_TASK || type->kind == WTL_ACTIVITY_REGION)
        (void)snprintf(cost->name, sizeof cost->name, "%s", type->name);
    else
        (void)snprintf(cost->name, sizeof cost->name, "%.80s (%.40s)", type->name, kind);
}

/* From this type on, the rows of some set have one column for all. */
static size_t types_apart(const struct wtl_task_study *study, size_t count)
{
    for (size_t i = 0; i < study->set_count; i++)
        if (study->sets[i].rows.others && study->sets[i].rows.types - 1 < count)
            count = study->sets[i].rows.types - 1;
    return count;
}

/* The types with most time; those beyond the room of the model, or of the rows, are one. */
static int choose_types(struct wtl_task_study *study, const struct wtl_activities *activities)
{
    struct wtl_task_model *model = &study->model;
    size_t count = wtl_activities_type_count(activities), used = 0, together = 0;
    size_t apart = types_apart(study, count);
    const struct wtl_activity_type **order =
        calloc(count + 1, sizeof(const struct wtl_activity_type *));
    study->type_of = calloc(count + WTL_TASK_TYPES_MAX, sizeof *study->type_of);
    if (!order || !study->type_of) {
        free(order);
        return -ENOMEM;
    }
    for (size_t i = 0; i < count; i++) {
        const struct wtl_activity_type *type = wtl_activities_type(activities, i);
        if (is_type(study, type) && i < apart)
            order[used++] = type;
        else
            together += is_type(study, type);
    }
    wtl_sort(order, used, sizeof(const struct wtl_activity_type *), by_time);
    study->others = together > 0 || used > WTL_TASK_MODELLED;
    model->type_count =
        used + study->others < WTL_TASK_MODELLED ? used + study->others : WTL_TASK_MODELLED;
    for (size_t i = 0; i < model->type_count && i < used; i++)
        name_type(&model->types[i], order[i]);
    if (study->others)
        (void)snprintf(model->types[model->type_count - 1].name, sizeof model->types[0].name,
                       "(%zu other types)", used + together - model->type_count + 1);

    for (size_t i = 0; i < count; i++) {
        const struct wtl_activity_type *type = wtl_activities_type(activities, i);
        size_t at = 0;
        while (at + 1 < model->type_count && (i >= apart || order[at] != type))
            at++;
        study->type_of[i] = (uint16_t)at;
    }
    model->type_of = study->type_of;
    model->column_count = count;
    free(order);
    return 0;
}

static int fill_rows(struct pass *p, struct wattle_error *err)
{
    struct wtl_activity a;
    int rc = open_pass(p, err);
    if (rc < 0)
        return rc;
    for (size_t i = 0; i < p->study->set_count; i++)
        if (wtl_task_rows_begin(&p->study->sets[i].rows) < 0) {
            wtl_activities_close(p->activities);
            return wtl_no_memory(err);
        }
    while ((rc = wtl_activities_next(p->activities, &a, err)) > 0)
        if (counts(p->study, &a) && add_activity(p, &a) < 0) {
            rc = wtl_no_memory(err);
            break;
        }
    p->study->faults = *wtl_activities_faults(p->activities);
    if (rc == 0 && choose_types(p->study, p->activities) < 0)
        rc = wtl_no_memory(err);
    wtl_activities_close(p->activities);
    name_others(p);
    free(p->workers.slots);
    if (p->study->worker_count > 0)
        wtl_sort(p->study->workers, p->study->worker_count, sizeof *p->study->workers, by_place);
    return rc;
}

int wtl_study_tasks(struct wtl_task_study *study, struct wattle_error *err)
{
    struct pass p = {.study = study};
    (void)wtl_study_sockets(study->reader, p.sockets);
    int rc =
        study->request.no_lag || study->request.method == WTL_TASK_PAPER ? 0 : find_lags(&p, err);
    rc = rc < 0 ? rc : fill_rows(&p, err);
    for (size_t i = 0; i < study->set_count; i++)
        if (study->sets[i].rows.busy)
            wtl_task_rows_end(&study->sets[i].rows);
    return rc;
}
