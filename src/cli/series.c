/* SPDX-License-Identifier: BSD-3-Clause */
/* Measurements one after another: see series.h. */
#define _GNU_SOURCE
#include "cli/series.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "base/fail.h"

/* Each sentence once, however often the command is repeated. */
void wtl_series_warn(void *context, const char *sentence)
{
    struct wtl_series *series = context;
    enum { PLACES = sizeof series->told / sizeof *series->told, LENGTH = sizeof *series->told };
    if (series->options->quiet)
        return;
    for (unsigned i = 0; i < series->told_count; i++) {
        if (strncmp(series->told[i], sentence, LENGTH - 1) == 0)
            return;
    }
    if (series->told_count < PLACES)
        (void)snprintf(series->told[series->told_count++], LENGTH, "%s", sentence);
    (void)fprintf(stderr, "wattle: warning: %s\n", sentence);
}

int wtl_series_init(struct wtl_series *series,
                    const struct wtl_run_options *options,
                    const struct wtl_cli_settings *settings,
                    struct wattle_error *err)
{
    const struct wtl_run_options *o = options;
    *series = (struct wtl_series){.options = options, .child = wtl_child_none()};
    series->measure =
        (struct wtl_measure_options){.world = wtl_world_real(),
                                     .settings = &settings->drivers,
                                     .argv = o->argv,
                                     .pid = o->pid,
                                     .cgroup = o->cgroup,
                                     .sensors = o->sensors,
                                     .force = o->force,
                                     .sync = o->sync,
                                     .interval_ns = o->interval_ns,
                                     .duration_ns = o->duration_ns,
                                     .delay_ns = o->delay_ns,
                                     .print_ns = o->print_ns,
                                     .sampler_cpu = o->sampler_cpu,
                                     .edges = o->edges,
                                     .require_measured = o->require_measured,
                                     .work = o->work,
                                     .work_unit = o->work_unit,
                                     .teller = {.warn = wtl_series_warn, .context = series}};
    int rc = wtl_signals_take(&series->signals);
    if (rc < 0)
        return wtl_fail(err, rc, "cannot wait for signals: %s", wtl_strerror(rc));
    if (o->host && (rc = wtl_world_recorded(o->host, &series->recorded, err)) == 0)
        series->measure.world = series->recorded;
    return rc;
}

void wtl_series_fini(struct wtl_series *series)
{
    wtl_world_close(series->recorded);
    series->recorded = NULL;
}

bool wtl_series_interrupted(const struct wtl_series *series)
{
    const struct wtl_child *child = &series->child;
    bool killed = child->ended && WIFSIGNALED(child->status);
    return series->signals.came != 0 ||
           (killed && (WTERMSIG(child->status) == SIGINT || WTERMSIG(child->status) == SIGTERM));
}

/* Pause; what came since the last run is looked at in any case. -EINTR when that ends it all. */
static int cool_down(struct wtl_series *series)
{
    struct wtl_child none = wtl_child_none();
    uint64_t now = wtl_world_monotonic(wtl_world_real());
    (void)wtl_child_wait(&none, &series->signals, NULL, now + series->options->cooldown_ns);
    return wtl_series_interrupted(series) ? -EINTR : 0;
}

int wtl_series_measure(struct wtl_series *series,
                       struct wtl_result *ret_result,
                       struct wtl_run_trace *ret_trace,
                       struct wattle_error *err)
{
    int rc = cool_down(series);
    if (rc < 0)
        return rc;
    rc =
        wtl_measure(&series->measure, &series->signals, &series->child, ret_result, ret_trace, err);
    series->command_failed = series->child.exec_errno != 0;
    return rc;
}

int wtl_series_deadly_signal(const struct wtl_series *series, bool cut_short)
{
    const struct wtl_child *child = &series->child;
    if (cut_short && series->signals.came)
        return series->signals.came;
    return child->ended && WIFSIGNALED(child->status) ? WTERMSIG(child->status) : 0;
}
