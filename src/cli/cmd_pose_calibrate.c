/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * "wattle pose calibrate": measure the minimum and maximum power of a busy machine and store them. Checks
 * which loads can run, where to store, that each load starts, and that sensors are available, before the
 * minutes of measuring.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/results.h"
#include "base/fail.h"
#include "cli/commands.h"
#include "cli/pose/calibrate.h"
#include "cli/pose/calibrate_document.h"
#include "cli/settings.h"
#include "model/quality.h"

static const struct wtl_command *const command = &wtl_pose_calibrate_command;

/* A load requested by name must be able to run, and at least one load must run. */
static int check_loads(const struct wtl_calibrate *calibrate, struct wattle_error *err)
{
    const struct wtl_calibrate_load *missing = NULL;
    size_t running = 0;
    for (size_t i = 0; i < WTL_CALIBRATE_LOADS; i++) {
        const struct wtl_calibrate_load *load = &calibrate->loads[i];
        running += wtl_calibrate_runs(load);
        if (!missing && load->asked && load->why[0])
            missing = load;
    }
    if (missing && (calibrate->options.named || running == 0))
        return wtl_fail(err, -ENOENT, "%s cannot run: %s", missing->name, missing->why);
    return 0;
}

/* Simulated powers must not be stored as those of this machine. */
static int check_idle(struct wtl_calibrate *calibrate, struct wattle_error *err)
{
    if (wtl_result_is_simulated(&calibrate->idle) && !calibrate->options.output)
        return wtl_fail(err, -EINVAL,
                        "the sensors are simulated, so the result must not be stored in %s as this "
                        "machine's; choose a file with --output",
                        calibrate->path);
    return 0;
}

/* Unusable bounds do not replace usable ones. */
static int store(struct wtl_calibrate *calibrate, struct wattle_error *err)
{
    struct wtl_pose_bounds bounds;
    struct wattle_error why = {""};
    int rc = wtl_calibrate_bounds(calibrate, 0, &bounds, &why);
    if (rc == 0 && !wtl_calibrate_sound(&bounds, why.text, sizeof why.text))
        rc = -EBADMSG;
    rc = rc == -EBADMSG ? wtl_fail(err, rc, "%s; nothing was stored", why.text)
                        : wtl_calibrate_store(calibrate, err);
    if (rc < 0 && !calibrate->not_stored[0])
        (void)snprintf(calibrate->not_stored, sizeof calibrate->not_stored, "%s", err->text);
    return rc;
}

static int report(struct wtl_calibrate *calibrate, struct wattle_error *err)
{
    struct wtl_style style = wtl_style_of(stdout);
    if (wtl_calibrate_warn(calibrate) < 0)
        return wtl_no_memory(err);
    return wtl_calibrate_report(calibrate, stdout, &style, err);
}

static int calibrate_machine(struct wtl_calibrate *calibrate, struct wattle_error *err)
{
    const struct wtl_calibrate_options *o = &calibrate->options;
    struct wtl_style style = wtl_style_of(stderr);
    int rc = wtl_calibrate_try(calibrate, err);
    rc = rc < 0 ? rc : check_loads(calibrate, err);
    rc = rc < 0 ? rc : wtl_calibrate_idle(calibrate, err);
    rc = rc < 0 ? rc : check_idle(calibrate, err);
    if (rc < 0)
        return rc;
    if (calibrate->idle.total.quality == WATTLE_ESTIMATED)
        wtl_calibrate_leave_out(calibrate);
    wtl_calibrate_time_left(calibrate, &calibrate->about_s, &calibrate->most_s);
    if (wtl_calibrate_warn(calibrate) < 0)
        return wtl_no_memory(err);
    if (!o->run.quiet)
        wtl_calibrate_plan(calibrate, stderr, &style);
    rc = wtl_calibrate_measure(calibrate, err);
    if (rc < 0)
        return rc;
    struct wattle_error why = {""};
    int stored = store(calibrate, &why);
    rc = report(calibrate, err);
    if (rc == 0 && stored < 0)
        return wtl_fail(err, stored, "%s", why.text);
    return rc;
}

static int set_up(struct wtl_calibrate *calibrate,
                  const struct wtl_cli_settings *settings,
                  struct wattle_error *err)
{
    int rc = wtl_trials_init(&calibrate->series, &calibrate->options.run, settings, err);
    if (rc == 0 && wtl_calibrate_find(calibrate) < 0)
        rc = wtl_no_memory(err);
    rc = rc < 0 ? rc : wtl_calibrate_place(calibrate, err);
    rc = rc < 0 ? rc : check_loads(calibrate, err);
    wtl_calibrate_time_left(calibrate, &calibrate->about_s, &calibrate->most_s);
    calibrate->progress = !calibrate->options.run.quiet && wtl_style_of(stderr).color;
    return rc;
}

static void tear_down(struct wtl_calibrate *calibrate)
{
    for (size_t i = 0; i < WTL_CALIBRATE_LOADS; i++) {
        struct wtl_calibrate_load *load = &calibrate->loads[i];
        if (load->repeated)
            wtl_repeat_fini(&load->repeat);
        wtl_run_results_free(load->results, load->count);
        free(load->runs);
        free(load->argv);
        free(load->text);
    }
    if (calibrate->has_idle)
        wtl_result_fini(&calibrate->idle);
    free(calibrate->warnings);
    wtl_calibration_destroy(calibrate->old);
    wtl_trials_fini(&calibrate->series);
}

static int run(int argc, char **argv)
{
    static struct wtl_calibrate calibrate; /* too large for the stack */
    struct wtl_cli_settings settings;
    struct wattle_error err = {""};
    if (wtl_cli_settings_load(&settings, wtl_world_real(), &err) < 0) {
        wtl_complain(command, "%s", err.text);
        return WTL_EXIT_FAILED;
    }
    int status = wtl_calibrate_options_parse(&calibrate.options, settings.config, argc, argv);
    if (status != WTL_GO_ON) {
        wtl_cli_settings_fini(&settings);
        return status;
    }
    int rc = set_up(&calibrate, &settings, &err);
    if (rc == 0)
        rc = calibrate.options.dry_run ? report(&calibrate, &err)
                                       : calibrate_machine(&calibrate, &err);
    if (rc < 0 && rc != -EINTR)
        wtl_complain(command, "%s", err.text);
    if (rc == -EINTR)
        wtl_complain(command, "interrupted: nothing was stored, and no load is running");
    int deadly = rc == -EINTR ? wtl_trials_deadly_signal(&calibrate.series, true) : 0;
    tear_down(&calibrate);
    wtl_cli_settings_fini(&settings);
    if (deadly)
        wtl_signals_die(deadly);
    return rc < 0 ? WTL_EXIT_FAILED : WTL_EXIT_OK;
}

const struct wtl_command wtl_pose_calibrate_command = {
    .verb = "pose calibrate",
    .run = run,
    .operands = "",
    .summary = "measure this machine's minimum and maximum power when busy",
    .text = "Runs loads one after another and measures their power: those of the POSE paper\nfor "
            "Pmin, and the most power-hungry one for Pmax. Stores the result for \"wattle\npose\". "
            "Takes about ten minutes, during which nothing else should run. Changes\nno settings: "
            "set governor and turbo first, as they are when codes run.\nExit status: 0 measured "
            "and stored; 1 failed, nothing was stored; 2 usage\nerror.\n",
    .options = wtl_calibrate_option_table,
    .examples = "wattle pose calibrate --dry-run\n"
                "sudo wattle pose calibrate\n"
                "wattle pose calibrate --loads omp_parallel,fma --runs 5 -o node.conf\n"
                "wattle pose calibrate --launcher 'mpirun --use-hwthread-cpus -np %d'\n"
                "wattle pose calibrate --load-command './xhpl'\n",
    .usage_exit = WTL_EXIT_USAGE,
};
