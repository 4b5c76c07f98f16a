/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * "wattle sweep": one command at several settings of the machine, in blocks of random order, and which setting is best
 * for what. The runs are in cli/sweep/sweep_runs.h, what follows from them in analysis/sweep/sweep.h.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/pose/pose_metric.h"
#include "base/fail.h"
#include "base/flush.h"
#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/inputs.h"
#include "cli/output.h"
#include "cli/sweep/sweep_options.h"
#include "cli/sweep/sweep_runs.h"
#include "cli/sweep/sweep_slurm.h"
#include "measure/trace_name.h"
#include "report/json_value.h"
#include "report/sweep/sweep_report.h"

struct job {
    struct wtl_sweep_options options;
    struct wtl_cli_settings settings;
    struct wtl_sweep_runs runs;
    struct wtl_sweep sweep;
    char *folder; /* chosen by wattle; NULL = given */
    char *line;
    int lock; /* the plan, locked; -1 = not */
};

/* ---- before ---- */

static bool has_plan(const char *folder)
{
    char path[4096];
    int n = snprintf(path, sizeof path, "%s/" WTL_SWEEP_FILE, folder);
    return n > 0 && (size_t)n < sizeof path && access(path, F_OK) == 0;
}

static int choose_folder(struct job *job, struct wattle_error *err)
{
    struct wtl_sweep_options *o = &job->options;
    bool made = false;
    int rc = wtl_trials_place_series(&job->runs.trials, "sweep", &o->folder, err);
    if (rc < 0)
        return rc;
    if (!o->folder) {
        char *name = wtl_trace_default_name();
        if (!name ||
            asprintf(&job->folder, "%.*s-sweep", (int)(strlen(name) - strlen(".wtl")), name) < 0)
            job->folder = NULL;
        free(name);
        if (!job->folder)
            return wtl_no_memory(err);
        o->folder = job->folder;
    }
    rc = wtl_trace_folder_make(o->folder, &made, err);
    if (rc < 0 || o->resume)
        return rc;
    if (has_plan(o->folder) && !o->run.force)
        return wtl_fail(err, -EEXIST, "%s already contains a sweep; continue it with --resume %s",
                        o->folder, o->folder);
    return 0;
}

static bool is_still(int fd, const char *path)
{
    struct stat here, there;
    return fstat(fd, &here) == 0 && stat(path, &there) == 0 && here.st_ino == there.st_ino;
}

/* Two calls must not run the same blocks; elements of a job array run different ones. */
static int lock_plan(struct job *job, struct wattle_error *err)
{
    char path[4096];
    const struct wtl_sweep_options *o = &job->options;
    int n = snprintf(path, sizeof path, "%s/" WTL_SWEEP_FILE, o->folder), old = job->lock;
    if (n < 0 || (size_t)n >= sizeof path)
        return wtl_fail(err, -ENAMETOOLONG, "%s: the name is too long", o->folder);
    job->lock = open(path, O_RDONLY | O_CLOEXEC);
    if (old >= 0)
        (void)close(old); /* of the plan before */
    if (job->lock < 0)
        return wtl_fail(err, -errno, "%s: %s", path, wtl_strerror(errno));
    bool busy =
        flock(job->lock, (o->block > 0 ? LOCK_SH : LOCK_EX) | LOCK_NB) < 0 && errno == EWOULDBLOCK;
    if (busy || !is_still(job->lock, path))
        return wtl_fail(err, -EBUSY, "%s: another \"wattle sweep\" is at work there; wait for it",
                        o->folder);
    return 0;
}

/* Traces of another sweep would count as runs of this one. */
static int remove_traces(const struct wtl_sweep_options *o, struct wattle_error *err)
{
    char **names, path[4096];
    int count = wtl_world_real()->ops->list(wtl_world_real(), o->folder, &names), rc = 0;
    if (count < 0)
        return wtl_fail(err, count, "%s: %s", o->folder, wtl_strerror(count));
    for (int i = 0; rc == 0 && i < count; i++) {
        if (!wtl_sweep_is_trace(names[i]))
            continue;
        int n = snprintf(path, sizeof path, "%s/%s", o->folder, names[i]);
        if (!o->run.force)
            rc = wtl_fail(err, -EEXIST, "%s has traces of a sweep already; --force removes them",
                          o->folder);
        else if (n < 0 || (size_t)n >= sizeof path)
            rc = wtl_fail(err, -ENAMETOOLONG, "%s: the name is too long", o->folder);
        else if (unlink(path) < 0)
            rc = wtl_fail(err, -errno, "%s: %s", path, wtl_strerror(errno));
    }
    free(names);
    return rc;
}

/* The plan is replaced as a whole: the lock of the old one is kept until the new one is locked. */
static int write_plan(struct job *job, struct wattle_error *err)
{
    const struct wtl_sweep_options *o = &job->options;
    if (o->no_run)
        return 0;
    int rc = has_plan(o->folder) ? lock_plan(job, err) : 0;
    if (o->block > 0)
        return rc;
    rc = rc < 0 || o->resume ? rc : remove_traces(o, err);
    rc = rc < 0 ? rc : wtl_sweep_file_write(o->folder, &o->form, err);
    return rc < 0 ? rc : lock_plan(job, err);
}

static int make_sweep(struct job *job, struct wattle_error *err)
{
    const struct wtl_sweep_order_form *form = &job->options.form;
    struct wtl_sweep_wish wish = {form->frequencies, form->threads, form->limits, form->turbo};
    struct wtl_sweep_setting *settings = NULL;
    size_t count = 0;
    int rc = wtl_sweep_plan(&wish, &settings, &count, err);
    if (rc == 0 && wtl_sweep_init(&job->sweep, count, form->blocks) < 0)
        rc = wtl_no_memory(err);
    if (rc == 0)
        memcpy(job->sweep.settings, settings, count * sizeof *settings);
    free(settings);
    job->line = rc < 0 ? NULL : wtl_command_line((char *const *)form->words);
    if (rc == 0 && !job->line)
        rc = wtl_no_memory_for(err, "the command line");
    job->sweep.command = job->line;
    job->sweep.slowdown = form->slowdown;
    job->sweep.metric = form->metric;
    job->sweep.seed = form->seed;
    if (rc == 0 && form->metric) { /* now, not after hours */
        struct wtl_pose_metric metric;
        rc = wtl_pose_metric_parse(form->metric, &metric, err);
        if (rc == 0)
            wtl_pose_metric_fini(&metric);
    }
    return rc;
}

static int set_up(struct job *job, struct wattle_error *err)
{
    struct wtl_sweep_options *o = &job->options;
    int rc = wtl_trials_init(&job->runs.trials, &o->run, &job->settings, err);
    rc = rc < 0 ? rc : make_sweep(job, err);
    if (rc == 0 && o->plot) {
        enum wtl_picture picture;
        rc = wtl_picture_of(o->plot, &picture, err);
        rc = rc < 0 ? rc : wtl_output_free(o->plot, o->run.force, err);
    }
    rc = rc < 0 || !o->save ? rc : wtl_output_free(o->save, o->run.force, err);
    rc = rc < 0 ? rc : choose_folder(job, err);
    rc = rc < 0 ? rc : write_plan(job, err);
    job->runs.options = o;
    job->runs.config = job->settings.config;
    job->runs.sweep = &job->sweep;
    job->runs.folder = o->folder;
    job->runs.trials.measure.what.command_line = job->line;
    job->runs.trials.measure.what.trace.need = WTL_TRACE_MUST;
    job->runs.trials.measure.stdio = o->show_output ? WTL_STDIO_SHOWN : WTL_STDIO_SILENT;
    wtl_progress_begin(&job->runs.progress, !o->run.quiet && !o->show_output, false);
    return rc;
}

/* ---- after ---- */

static int plot(const struct job *job, struct wattle_error *err)
{
    const struct wtl_sweep_options *o = &job->options;
    struct wtl_output output = {0};
    enum wtl_picture picture;
    char caption[1536] = "";
    if (!o->plot)
        return 0;
    if (job->sweep.curve_count == 0 || job->sweep.curves[0].blocks == 0)
        return wtl_fail(err, -ENODATA, "%s: there is no energy to draw", o->plot);
    int rc = wtl_picture_of(o->plot, &picture, err);
    rc = rc < 0 ? rc : wtl_output_open(&output, o->plot, o->run.force, err);
    if (rc < 0)
        return rc;
    rc = wtl_sweep_figure_draw(&job->sweep, picture, output.stream, caption, sizeof caption, err);
    rc = rc < 0 ? rc : wtl_output_commit(&output, err);
    if (rc < 0)
        return wtl_output_fail(&output, rc, err);
    wtl_print_sentence(stderr, "%s: %s\n", o->plot, caption);
    return 0;
}

static int save(const struct job *job, struct wattle_error *err)
{
    struct wtl_output output = {0};
    if (!job->options.save)
        return 0;
    int rc = wtl_output_open(&output, job->options.save, job->options.run.force, err);
    if (rc < 0)
        return rc;
    rc = wtl_json_print(output.stream, wtl_json_sweep(&job->sweep));
    rc = rc < 0 ? wtl_no_memory(err) : wtl_output_commit(&output, err);
    return rc < 0 ? wtl_output_fail(&output, rc, err) : 0;
}

/* DIR/pose.csv, for "wattle pose --candidate". */
static int write_pose(const struct job *job, struct wattle_error *err)
{
    char path[4096];
    struct wtl_output output = {0};
    int n = snprintf(path, sizeof path, "%s/pose.csv", job->options.folder);
    if (n < 0 || (size_t)n >= sizeof path)
        return 0;
    (void)unlink(path); /* of a sweep before */
    if (job->sweep.curve_count == 0 || job->sweep.curves[0].blocks == 0 ||
        job->sweep.curves[0].quality == WATTLE_ESTIMATED || job->sweep.curves[0].open[0])
        return 0;
    int rc = wtl_output_open(&output, path, true, err);
    if (rc < 0)
        return rc;
    wtl_pose_table_sweep(output.stream, &job->sweep, &job->sweep.curves[0]);
    rc = wtl_output_commit(&output, err);
    return rc < 0 ? wtl_output_fail(&output, rc, err) : 0;
}

static int print(struct job *job, struct wattle_error *err)
{
    struct wtl_style style = wtl_style_of(stdout);
    style.verbose = job->options.details;
    int rc = wtl_sweep_judge(&job->sweep, err);
    if (rc < 0)
        return rc;
    rc = plot(job, err);
    rc = rc < 0 ? rc : save(job, err);
    rc = rc < 0 || job->options.no_run ? rc : write_pose(job, err);
    return rc < 0 ? rc : wtl_report_sweep(stdout, job->options.format, &job->sweep, &style, err);
}

static int submit(struct job *job, struct wattle_error *err)
{
    char number[64] = "";
    (void)close(job->lock); /* an element may begin at once */
    job->lock = -1;
    int rc = wtl_sweep_slurm_submit(job->options.folder, &job->options, number, err);
    if (rc < 0)
        return rc;
    wtl_print_sentence(
        stdout, "submitted as job %s, %u blocks; when it has ended: wattle sweep --resume %s\n",
        number, job->options.form.blocks, job->options.folder);
    return wtl_flush(stdout, err);
}

static int work(struct job *job, struct wattle_error *err)
{
    const struct wtl_sweep_options *o = &job->options;
    if (o->slurm)
        return submit(job, err);
    int rc = o->no_run ? wtl_sweep_runs_read(&job->runs, err) : wtl_sweep_runs_all(&job->runs, err);
    if (rc < 0 && rc != -EINTR)
        wtl_complain(&wtl_sweep_command, "%s", err->text);
    if (o->block > 0)
        return rc;
    struct wattle_error why = {""};
    int printed = print(job, &why);
    if (rc == 0 && printed < 0) {
        *err = why;
        wtl_complain(&wtl_sweep_command, "%s", err->text);
    }
    if (rc < 0 && !o->no_run && (job->runs.done > 0 || rc == -EINTR))
        wtl_complain(NULL,
                     "the sweep is not complete; continue it with \"wattle sweep --resume %s\"",
                     o->folder);
    return rc < 0 ? rc : printed;
}

static void tear_down(struct job *job)
{
    if (job->lock >= 0)
        (void)close(job->lock);
    if (job->folder)
        (void)rmdir(job->folder); /* if it is empty */
    wtl_sweep_fini(&job->sweep);
    free(job->folder);
    free(job->line);
    wtl_trials_fini(&job->runs.trials);
    wtl_sweep_options_fini(&job->options);
    wtl_cli_settings_fini(&job->settings);
}

static int exit_status(const struct job *job, int rc)
{
    if (rc == 0)
        return WTL_EXIT_OK;
    if (job->runs.trials.command_failed)
        return wtl_child_exit_code(&job->runs.trials.child);
    bool began = job->runs.done > 0 || job->runs.failed_at_all;
    return wtl_exit_failed(began ? WTL_EXIT_FAILED : WTL_EXIT_RUN_FAILED);
}

static int run(int argc, char **argv)
{
    struct job job = {.lock = -1};
    struct wattle_error err = {""};
    if (wtl_cli_settings_load(&job.settings, wtl_world_real(), &err) < 0) {
        wtl_complain(&wtl_sweep_command, "%s", err.text);
        return WTL_EXIT_RUN_FAILED;
    }
    int status = wtl_sweep_options_parse(&job.options, job.settings.config, argc, argv);
    if (status != WTL_GO_ON) {
        wtl_sweep_options_fini(&job.options);
        wtl_cli_settings_fini(&job.settings);
        return status;
    }
    int rc = set_up(&job, &err);
    bool ready = rc == 0;
    rc = ready ? work(&job, &err) : rc;
    if (rc < 0 && (!ready || job.options.slurm)) /* else it has been said */
        wtl_complain(&wtl_sweep_command, "%s", err.text);
    status = exit_status(&job, rc);
    int deadly = rc == -EINTR ? wtl_trials_deadly_signal(&job.runs.trials, true) : 0;
    tear_down(&job);
    if (deadly)
        wtl_signals_die(deadly);
    return status;
}

const struct wtl_command wtl_sweep_command = {
    .verb = "sweep",
    .run = run,
    .operands = "[--] COMMAND [ARGUMENT...]",
    .summary = "energy against time of a command at several frequencies",
    .text =
        "Runs the command at each setting, in whole blocks of random order, and prints energy "
        "against\n"
        "time, what is best for energy, energy x time and others, and which settings cannot be "
        "told\n"
        "from the best. Settings are held around each run and always come back. Output of the\n"
        "command is dropped unless --show-output is given; its input is empty.\n"
        "Exit status: 0 measured; 1 a run failed, or the result could not be written; 125, 126,\n"
        "127 as for \"wattle run\".\n",
    .options = wtl_sweep_option_table,
    .examples = "wattle sweep --freq 1.2-2.3GHz:0.1 --turbo both -- ./solver input\n"
                "wattle sweep --freq min,1.8GHz,max --threads 1,2,4 -o sweep -- ./solver input\n"
                "wattle sweep --resume sweep --repeat 10 --plot sweep.pdf\n"
                "wattle sweep --slurm --sbatch -pshort -o sweep --freq 1.2-2.3GHz:0.1 -- "
                "./solver\n",
    .usage_exit = WTL_EXIT_RUN_FAILED,
    .runs_command = true,
};
