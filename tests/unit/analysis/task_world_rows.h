/* SPDX-License-Identifier: BSD-3-Clause */
/* The rows and the model of a world of tasks (sim/tasks/task_world.h), for tests and benchmarks. */
#ifndef WATTLE_TESTS_TASK_WORLD_ROWS_H
#define WATTLE_TESTS_TASK_WORLD_ROWS_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/tasks/task_lag.h"
#include "analysis/tasks/task_model.h"
#include "sim/tasks/task_world.h"

struct world_model {
    struct wtl_task_world *world;
    struct wtl_task_rows rows;
    struct wtl_task_model model;
    uint16_t type_of[WTL_SIM_TASK_TYPES];
    struct wtl_task_lag lag;
    struct wattle_error err;
};

static int world_intervals(struct world_model *m)
{
    const struct wtl_task_world_config *config = wtl_task_world_config(m->world);
    size_t n;
    const struct wtl_sim_task_sample *s = wtl_task_world_samples(m->world, &n);
    m->rows.channels = 1;
    for (size_t i = 1; i < n; i++) {
        double seconds = 1e-9 * (double)(s[i].t_ns - s[i - 1].t_ns), power = s[i].value;
        if (s[i].t_ns <= s[i - 1].t_ns || s[i - 1].t_ns < 0)
            continue;
        struct wtl_task_interval in = {(uint64_t)s[i - 1].t_ns, (uint64_t)s[i].t_ns, seconds};
        if (!config->sensor.gauge)
            power = (s[i].value - s[i - 1].value) / seconds;
        else if (config->sensor.window_s > 0)
            in.begin_ns = (uint64_t)fmax(0, (double)in.end_ns - 1e9 * config->sensor.window_s);
        if (wtl_task_rows_add_interval(&m->rows, &in, &power) < 0)
            return -1;
    }
    return 0;
}

/* The lag, as a trace has it found before its rows get their tasks. */
static int world_lag(struct world_model *m, bool calibrated)
{
    const struct wtl_task_world_config *config = wtl_task_world_config(m->world);
    struct wtl_task_curve curve;
    size_t n;
    const struct wtl_sim_task *tasks = wtl_task_world_tasks(m->world, &n);
    int rc = wtl_task_curve_begin(&curve, &m->rows);
    for (size_t i = 0; rc == 0 && i < n; i++)
        rc =
            wtl_task_curve_add(&curve, tasks[i].type, tasks[i].begin_ns, tasks[i].end_ns, 1, false);
    wtl_task_curve_end(&curve);
    rc = rc < 0 ? rc
                : wtl_task_lag_find(&curve, &m->rows,
                                    config->sensor.gauge && config->sensor.window_s == 0,
                                    calibrated ? config->idle_w : (double)NAN,
                                    calibrated ? config->static_w : (double)NAN, &m->lag);
    wtl_task_curve_fini(&curve);
    if (rc == 0)
        wtl_task_lag_apply(&m->lag, &m->rows);
    return rc;
}

/* calibrated: P_Y and P_S are known. Returns what the fit returns. */
static int world_model(const struct wtl_task_world_config *config,
                       enum wtl_task_method method,
                       bool calibrated,
                       unsigned resamples,
                       struct world_model *m)
{
    size_t n;
    memset(m, 0, sizeof *m);
    if (wtl_task_world_create(config, &m->world, &m->err) < 0 || world_intervals(m) < 0 ||
        (method != WTL_TASK_PAPER && world_lag(m, calibrated) < 0) ||
        wtl_task_rows_begin(&m->rows) < 0)
        return -1;
    const struct wtl_sim_task *tasks = wtl_task_world_tasks(m->world, &n);
    for (size_t i = 0; i < n; i++)
        if (wtl_task_rows_add(&m->rows, tasks[i].type, tasks[i].begin_ns, tasks[i].end_ns, 1,
                              false) < 0)
            return -1;
    wtl_task_rows_end(&m->rows);
    m->model = (struct wtl_task_model){.method = method,
                                       .channel_count = 1,
                                       .channels = calloc(1, sizeof *m->model.channels),
                                       .type_count = config->type_count,
                                       .type_of = m->type_of,
                                       .column_count = config->type_count,
                                       .seed = config->seed,
                                       .resamples = resamples};
    if (!m->model.channels)
        return -1;
    for (unsigned j = 0; j < config->type_count; j++) {
        m->type_of[j] = (uint16_t)j;
        (void)snprintf(m->model.types[j].name, sizeof m->model.types[j].name, "%s",
                       config->types[j].name);
    }
    struct wtl_task_channel *ch = m->model.channels;
    (void)snprintf(ch->name, sizeof ch->name, "node");
    ch->rows = &m->rows;
    ch->lag = &m->lag;
    ch->idle = (struct wtl_task_platform){calibrated ? config->idle_w : (double)NAN, 0,
                                          calibrated ? WTL_TASK_CALIBRATED : WTL_TASK_FITTED};
    ch->statics = (struct wtl_task_platform){calibrated ? config->static_w : (double)NAN, 0,
                                             calibrated ? WTL_TASK_CALIBRATED : WTL_TASK_FITTED};
    return wtl_task_model_fit(&m->model, &m->err);
}

static void world_model_fini(struct world_model *m)
{
    wtl_task_model_fini(&m->model);
    wtl_task_rows_fini(&m->rows);
    wtl_task_world_destroy(m->world);
}

#endif
