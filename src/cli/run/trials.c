/* SPDX-License-Identifier: BSD-3-Clause */
/* Measurements one after another: see trials.h. */
#define _GNU_SOURCE
#include "cli/run/trials.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fail.h"
#include "cli/commands.h"
#include "cli/inputs.h"
#include "measure/trace_name.h"
#include "model/meta_key.h"
#include "report/table.h"
#include "trace/reader.h"
#include "trace/run_file.h"

/* Print each message once, however often the command is repeated. */
void wtl_trials_warn(void *context, const char *sentence)
{
    struct wtl_trials *trials = context;
    enum { PLACES = sizeof trials->told / sizeof *trials->told, LENGTH = sizeof *trials->told };
    if (trials->options->quiet)
        return;
    for (unsigned i = 0; i < trials->told_count; i++) {
        if (strncmp(trials->told[i], sentence, LENGTH - 1) == 0)
            return;
    }
    if (trials->told_count < PLACES)
        (void)snprintf(trials->told[trials->told_count++], LENGTH, "%s", sentence);
    wtl_print_sentence(stderr, "wattle: warning: %s\n", sentence);
}

int wtl_trials_init(struct wtl_trials *trials,
                    const struct wtl_run_options *options,
                    const struct wtl_cli_settings *settings,
                    struct wattle_error *err)
{
    const struct wtl_run_options *o = options;
    *trials = (struct wtl_trials){.options = options, .child = wtl_child_none()};
    trials->measure = (struct wtl_measure_options){
        .what = {.world = wtl_world_real(),
                 .settings = &settings->drivers,
                 .sensors = o->sensors,
                 .sensors_required = o->sensors != NULL,
                 .require_measured = o->require_measured,
                 .target = {.pid = o->pid, .cgroup = o->cgroup},
                 .activity = true,
                 .trace = {.force = o->force,
                           .sync = o->sync,
                           .need = o->output ? WTL_TRACE_MUST : WTL_TRACE_NEW},
                 .interval_ns = o->interval_ns,
                 .sampler_cpu = o->sampler_cpu,
                 .edges = o->edges ? WTL_MEASUREMENT_EDGES : 0,
                 .work = o->work,
                 .work_unit = o->work_unit,
                 .tasks = wtl_task_mode_word(o->tools.tasks),
                 .tasks_limit = o->tools.tasks_limit,
                 .labels = o->labels.text,
                 .teller = {.warn = wtl_trials_warn, .context = trials}},
        .argv = o->argv,
        .duration_ns = o->duration_ns,
        .delay_ns = o->delay_ns,
        .print_ns = o->print_ns};
    trials->measure.what.counters_interval_ns = o->counters_interval_ns;
    trials->measure.what.target.scope = o->counters_scope;
    if (o->counters) {
        int found = wtl_counter_set_load(&trials->counters, wtl_world_real(), o->counters, err);
        if (found < 0)
            return found;
        trials->measure.what.target.counters = &trials->counters;
    }
    if (o->command != &wtl_run_command || o->repeat > 1)
        trials->measure.what.series = o->command->verb;
    int rc = wtl_signals_take(&trials->signals);
    if (rc < 0)
        return wtl_fail(err, rc, "cannot wait for signals: %s", wtl_strerror(rc));
    if (o->host && (rc = wtl_world_recorded(o->host, &trials->recorded, err)) == 0)
        trials->measure.what.world = trials->recorded;
    return rc;
}

void wtl_trials_fini(struct wtl_trials *trials)
{
    wtl_world_close(trials->recorded);
    wtl_counter_set_fini(&trials->counters);
    trials->recorded = NULL;
}

int wtl_trials_place(struct wtl_trials *trials, struct wattle_error *err)
{
    const struct wtl_run_options *o = trials->options;
    struct wattle_error why = {""};
    trials->output = o->output;
    if (o->output || !o->trace_dir || o->no_trace)
        return 0;
    int rc = wtl_trace_folder(o->trace_dir, trials->folder, sizeof trials->folder, &why);
    if (rc < 0)
        return wtl_fail(err, rc, "%s; change trace-dir (%s), or use -o", why.text,
                        o->trace_dir_origin);
    trials->output = trials->folder;
    trials->measure.what.trace.need = WTL_TRACE_MUST;
    return 0;
}

int wtl_trials_place_series(struct wtl_trials *trials,
                            const char *verb,
                            const char **ret_folder,
                            struct wattle_error *err)
{
    int rc = *ret_folder ? 0 : wtl_trials_place(trials, err);
    if (*ret_folder || rc < 0 || !trials->output)
        return rc;
    size_t used = strlen(trials->folder);
    char *name = wtl_trace_default_name();
    int more = name ? snprintf(trials->folder + used, sizeof trials->folder - used, "%.*s-%s",
                               (int)(strlen(name) - strlen(".wtl")), name, verb)
                    : -1;
    free(name);
    if (more < 0)
        return wtl_no_memory_for(err, "the name of a folder");
    if ((size_t)more >= sizeof trials->folder - used)
        return wtl_fail(err, -ENAMETOOLONG, "%.200s: the name is too long", trials->folder);
    *ret_folder = trials->folder;
    return 0;
}

int wtl_trace_folder_make(const char *folder, bool *ret_made, struct wattle_error *err)
{
    struct stat about;
    if (!folder)
        return 0;
    *ret_made = mkdir(folder, 0777) == 0;
    int rc = *ret_made ? 0 : -errno;
    if (rc == -EEXIST)
        rc = stat(folder, &about) == 0 && S_ISDIR(about.st_mode) ? 0 : -ENOTDIR;
    if (rc == 0 && access(folder, W_OK | X_OK) < 0)
        rc = -errno; /* reported now, not after hours of warm-up */
    return rc < 0 ? wtl_fail(err, rc, "cannot write to folder %s: %s; choose another one", folder,
                             wtl_strerror(rc))
                  : 0;
}

int wtl_trials_check_trace(const struct wtl_trials *trials,
                           const char *trace,
                           const char *other,
                           struct wattle_error *err)
{
    bool force = trials->options->force;
    int rc = wtl_outputs_differ(trace, other, err);
    rc = rc == 0 && force ? wtl_input_spare(trace, err) : rc;
    return rc < 0 ? rc : wtl_run_trace_check(trace, force, err);
}

/* Is it a complete trace of a series by the same verb? */
static bool is_of_series(const struct wtl_trials *trials, const char *path)
{
    struct wtl_trace_reader *reader;
    if (!wtl_trace_file_is(path) || wtl_run_trace_check(path, true, NULL) < 0 ||
        wtl_trace_reader_open(path, &reader, NULL) < 0)
        return false;
    const char *series = wtl_trace_reader_meta(reader, WTL_META_RUN_SERIES);
    bool same =
        series && trials->measure.what.series && strcmp(series, trials->measure.what.series) == 0;
    wtl_trace_reader_close(reader);
    return same;
}

void wtl_trials_clear(const struct wtl_trials *trials,
                      const char *folder,
                      const char *prefix,
                      size_t count,
                      const char *suffix)
{
    char path[4096];
    for (size_t i = count + 1; trials->options->force; i++) {
        int n = snprintf(path, sizeof path, "%s%s%s-%zu%s", folder ? folder : "", folder ? "/" : "",
                         prefix, i, suffix);
        if (n < 0 || (size_t)n >= sizeof path || !is_of_series(trials, path) ||
            wtl_input_spare(path, NULL) < 0 || unlink(path) < 0)
            break;
    }
}

bool wtl_trials_interrupted(const struct wtl_trials *trials)
{
    const struct wtl_child *child = &trials->child;
    bool killed = child->ended && WIFSIGNALED(child->status);
    return trials->signals.came != 0 ||
           (killed && (WTERMSIG(child->status) == SIGINT || WTERMSIG(child->status) == SIGTERM));
}

/* Pause; signals since the last run are handled in any case. Returns -EINTR if they end the series. */
static int cool_down(struct wtl_trials *trials)
{
    struct wtl_child none = wtl_child_none();
    uint64_t now = wtl_world_monotonic(wtl_world_real());
    (void)wtl_child_wait(&none, &trials->signals, NULL, now + trials->options->cooldown_ns);
    return wtl_trials_interrupted(trials) ? -EINTR : 0;
}

int wtl_trials_measure(struct wtl_trials *trials,
                       struct wtl_result *ret_result,
                       struct wtl_run_trace *ret_trace,
                       struct wattle_error *err)
{
    int rc = cool_down(trials);
    if (rc < 0)
        return rc;
    rc =
        wtl_measure(&trials->measure, &trials->signals, &trials->child, ret_result, ret_trace, err);
    trials->command_failed = trials->child.exec_errno != 0;
    if (rc == 0 && trials->first_bad == 0 && trials->child.ended)
        trials->first_bad = trials->child.status;
    return rc;
}

int wtl_trials_judge(const struct wtl_trials *trials, struct wattle_error *err)
{
    int code = wtl_child_exit_code(&trials->child);
    const char *line = trials->measure.what.command_line;
    if (wtl_trials_interrupted(trials))
        return -EINTR;
    if (code == 0 || trials->options->ignore_failure)
        return 0;
    if (WIFSIGNALED(trials->child.status))
        return wtl_fail(err, -ECHILD,
                        "%.200s: killed by signal %d; use --ignore-failure to continue", line,
                        WTERMSIG(trials->child.status));
    return wtl_fail(err, -ECHILD, "%.200s: exit status %d; use --ignore-failure to continue", line,
                    code);
}

int wtl_trials_trial(struct wtl_trials *trials,
                     struct wtl_result *ret_result,
                     struct wattle_error *err)
{
    struct wtl_run_trace trace;
    struct wtl_result result = {0};
    int rc = wtl_trials_measure(trials, &result, &trace, err);
    if (rc < 0)
        return rc;
    rc = wtl_trials_judge(trials, err);
    if (rc < 0) {
        wtl_run_trace_discard(&trace);
        wtl_result_fini(&result);
    } else {
        (void)wtl_run_trace_finish(&trace, &result, NULL); /* what fails is a flag */
        *ret_result = result;
    }
    wtl_run_trace_fini(&trace);
    return rc;
}

int wtl_trials_deadly_signal(const struct wtl_trials *trials, bool cut_short)
{
    const struct wtl_child *child = &trials->child;
    int status = cut_short && child->ended ? child->status : trials->first_bad;
    if (cut_short && trials->signals.came)
        return trials->signals.came;
    return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}
