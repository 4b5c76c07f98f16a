/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * "wattle top": the machine while it is measured, or a trace while it is written, on a screen or as lines.
 * measure.c measures; top_loop.c updates and shows.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "cli/commands.h"
#include "cli/run/measure.h"
#include "cli/run_words.h"
#include "cli/settings.h"
#include "cli/top/live_batch.h"
#include "cli/top/live_trace.h"
#include "cli/top/screen.h"
#include "cli/top/top_loop.h"
#include "cli/top/top_options.h"
#include "measure/shares.h"
#include "record/replay.h"
#include "record/session.h"
#include "report/table.h"

struct top {
    struct wtl_top_options options;
    const struct wtl_world *world;
    struct wtl_cli_settings settings;
    struct wtl_signals signals;
    struct wtl_live_view view;
    struct wtl_live_processes processes;
    struct wtl_live_gpus gpus;
    struct wtl_measurement *measurement;
    struct wtl_live_batch batch;
    struct wtl_screen screen;
    struct wattle_error err;
    struct wattle_error no_processes;
    int rc; /* of the loop */
};

static void warn(void *context, const char *sentence)
{
    (void)context;
    wtl_print_sentence(stderr, "wattle top: warning: %s\n", sentence);
}

/* The screen if possible, otherwise lines, with a message if they were not requested. */
static int show(struct top *top, const struct wtl_top_source *source)
{
    struct wattle_error why = {""};
    struct wtl_top_face face = {.count = top->options.count};
    bool lines = top->options.batch || !isatty(STDOUT_FILENO);
    if (!lines && (wtl_screen_check(&why) < 0 ||
                   wtl_screen_open(&top->screen, top->options.ascii, &why) < 0)) {
        wtl_print_sentence(stderr, "wattle top: %s; printing lines instead\n", why.text);
        lines = true;
    }
    if (lines) {
        top->batch = (struct wtl_live_batch){
            .out = stdout, .format = top->options.format, .processes = top->options.processes};
        face.show = wtl_live_batch_show;
        face.context = &top->batch;
    } else {
        face.show = wtl_screen_show;
        face.key = wtl_screen_key;
        face.fd = STDIN_FILENO;
        face.context = &top->screen;
        face.with_first = true;
    }
    int rc = wtl_top_loop(source, &face, &top->view, &top->signals, &top->err);
    if (!lines)
        wtl_screen_close(&top->screen);
    return rc;
}

/* ---- the machine ---- */

static int look_at_machine(void *context, struct wtl_live_view *view, struct wattle_error *err)
{
    struct top *top = context;
    struct wtl_result result;
    bool first = view->looks == 0;
    wtl_measurement_so_far(top->measurement, &result);
    uint64_t now_ns = wtl_world_monotonic(top->world);
    view->realtime_ns = top->world->ops->now_ns(top->world, CLOCK_REALTIME);
    int rc = wtl_live_view_look(view, &result, now_ns, true);
    wtl_result_fini(&result);
    if (rc < 0)
        return wtl_no_memory_for(err, "the live view");
    if (!view->processes)
        return 0;
    double total_j = view->result.energy.j;
    uint64_t total_ns = wtl_live_view_total_ns(view);
    if (first && isnan(total_j) && view->result.total.count > 0) {
        total_j = 0; /* the window has just been opened */
        total_ns = view->start_ns;
    }
    if (view->processes->gpus)
        wtl_live_gpus_look(view->processes->gpus, &view->result);
    rc = wtl_live_processes_look(view->processes, total_j, wtl_share_devices_j(&view->result),
                                 total_ns, view->result.total.quality, view->total.power_w, err);
    view->load = view->processes->load;
    return rc;
}

static void advance_machine(void *context, uint64_t time_ns)
{
    struct top *top = context;
    wtl_measure_advance(top->measurement, time_ns);
}

/* How energy is divided among processes. A recorded host has no calibration. */
static void choose_shares(struct top *top)
{
    struct wattle_error why = {""};
    struct wtl_share_model model;
    double cpus = 0, idle_w = wtl_measurement_idle_w(top->measurement, &cpus);
    int rc = -ENOENT;
    if (top->world->virtual_time)
        model = wtl_share_by_cpu_time(idle_w, WTL_IDLE_MODEL);
    else
        rc = wtl_measurement_share_model(top->measurement, &model, &why);
    if (rc < 0 && rc != -ENOENT)
        warn(top, why.text);
    wtl_live_processes_model(&top->processes, &model, cpus);
    bool live = !top->world->virtual_time && !wtl_replay_of(top->measurement->selection);
    if (live)
        wtl_live_processes_count(&top->processes);
    if (live)
        wtl_live_gpus_open(&top->gpus, top->world, top->measurement->selection);
    top->processes.gpus = top->gpus.count > 0 ? &top->gpus : NULL;
}

static void attend(void *context, struct wtl_measurement *measurement)
{
    struct top *top = context;
    top->measurement = measurement;
    if (top->view.processes)
        choose_shares(top);
    struct wtl_top_source source = {.look = look_at_machine, .context = top, .world = top->world};
    if (top->world->virtual_time)
        source.advance = advance_machine;
    else
        source.sample_ns = top->options.sample_ns;
    top->rc = show(top, &source);
    top->processes.gpus = NULL;
    wtl_live_gpus_close(&top->gpus);
}

static int watch_machine(struct top *top)
{
    const struct wtl_top_options *o = &top->options;
    struct wtl_measure_options measure = {
        .what = {.world = top->world,
                 .settings = &top->settings.drivers,
                 .sensors = o->sensors,
                 .sensors_required = o->sensors != NULL,
                 .activity = true,
                 .trace_path = o->output,
                 .trace = {.force = o->force, .need = WTL_TRACE_MUST},
                 .interval_ns = o->sample_ns,
                 .sampler_cpu = WTL_SAMPLER_CPU_AUTO,
                 .edges = WTL_MEASUREMENT_EDGES,
                 .work = NAN,
                 .teller = {.warn = warn, .context = top}},
        .attendant = {.attend = attend, .context = top}};
    struct wtl_child child = wtl_child_none();
    struct wtl_result result;
    struct wtl_run_trace trace;
    if (!o->no_processes &&
        wtl_live_processes_open(&top->processes, top->world, o->idle_w, &top->no_processes) == 0)
        top->view.processes = &top->processes;
    else if (top->no_processes.text[0])
        top->view.no_processes = top->no_processes.text;
    int rc = wtl_measure(&measure, &top->signals, &child, &result, &trace, &top->err);
    if (rc == 0) {
        (void)wtl_run_trace_finish(&trace, &result, NULL); /* what fails is a flag */
        wtl_run_trace_fini(&trace);
        wtl_result_fini(&result);
        rc = top->rc;
    }
    wtl_live_processes_close(&top->processes);
    return rc;
}

/* ---- a trace ---- */

static int watch_trace(struct top *top)
{
    struct wtl_live_trace trace;
    char *path = NULL;
    int rc = wtl_run_word_single(&wtl_top_command, top->options.trace, &path, &top->err);
    if (rc == 0 && wtl_run_name_is_run(path))
        rc = wtl_fail(&top->err, -EINVAL, "%s is a run of many nodes; name the trace of one", path);
    rc = rc < 0 ? rc : wtl_live_trace_open(&trace, path, &top->err);
    if (rc < 0) {
        free(path);
        return rc;
    }
    struct wtl_top_source source = wtl_live_trace_source(&trace);
    rc = show(top, &source);
    wtl_live_trace_close(&trace);
    free(path);
    return rc;
}

static int watch(struct top *top)
{
    struct wtl_world *recorded = NULL;
    top->world = wtl_world_real();
    wtl_live_view_init(&top->view, top->options.interval_ns);
    top->view.sort = top->options.sort;
    if (top->options.filter)
        (void)snprintf(top->view.filter, sizeof top->view.filter, "%s", top->options.filter);
    int rc = wtl_cli_settings_load(&top->settings, top->world, &top->err);
    if (rc == 0 && top->options.host) {
        rc = wtl_world_recorded(top->options.host, &recorded, &top->err);
        top->world = recorded;
        top->view.users.numbers = true;
    }
    rc = rc < 0 ? rc : wtl_signals_take(&top->signals);
    if (rc < 0 && !top->err.text[0])
        (void)wtl_fail(&top->err, rc, "cannot wait for signals: %s", wtl_strerror(rc));
    if (rc == 0)
        rc = top->options.trace ? watch_trace(top) : watch_machine(top);
    wtl_live_view_fini(&top->view);
    wtl_cli_settings_fini(&top->settings);
    wtl_world_close(recorded);
    return rc;
}

static int run(int argc, char **argv)
{
    struct top top = {.err = {""}};
    int status = wtl_top_options_parse(&top.options, argc, argv);
    if (status != WTL_GO_ON)
        return status;
    int rc = watch(&top);
    if (rc < 0) {
        wtl_complain(&wtl_top_command, "%s", top.err.text);
        return WTL_EXIT_FAILED;
    }
    /* Ctrl-C ends lines, as q ends the screen; other signals have their default effect. */
    if (top.signals.came && top.signals.came != SIGINT)
        wtl_signals_die(top.signals.came);
    return WTL_EXIT_OK;
}

const struct wtl_command wtl_top_command = {
    .verb = "top",
    .run = run,
    .takes_signals = true,
    .operands = "[TRACE|DIR]",
    .summary = "show power and energy of machine and processes, live",
    .text = "Measures this machine or, with TRACE, follows a trace that is being written.\nShares "
            "of processes are computed from CPU time. Press h for keys, q to quit.\nWithout a "
            "terminal, prints lines.\n",
    .options = wtl_top_option_table,
    .examples = "wattle top\n"
                "wattle top -i 2s --sort energy --filter python\n"
                "wattle top app.wtl\n"
                "wattle top --format json -n 10 | jq .total.power.w\n"
                "wattle top -o evening.wtl\n",
    .usage_exit = WTL_EXIT_USAGE,
};
