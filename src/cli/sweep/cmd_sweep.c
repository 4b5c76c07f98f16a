/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * "wattle sweep": one command at several settings of the machine, in blocks of random order, and which setting is best
 * for what. What follows from the runs is in analysis/sweep/sweep.h.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/cluster/run_result.h"
#include "analysis/compare/matching.h"
#include "analysis/pose/pose_metric.h"
#include "analysis/sweep/sweep.h"
#include "base/fail.h"
#include "base/flush.h"
#include "cli/commands.h"
#include "cli/control/hold_options.h"
#include "cli/inputs.h"
#include "cli/output.h"
#include "cli/run/command_line.h"
#include "cli/run/progress.h"
#include "cli/run/trials.h"
#include "cli/sweep/sweep_options.h"
#include "measure/trace_name.h"
#include "model/gap.h"
#include "report/json_value.h"
#include "report/sweep/sweep_report.h"
#include "trace/reader.h"

struct wtl_sweep_runs {
    const struct wtl_sweep_options *options; /* borrowed */
    const struct wtl_config *config;         /* of the site; borrowed */
    struct wtl_trials trials;
    struct wtl_sweep *sweep; /* borrowed; its settings are set */
    struct wtl_progress progress;
    const char *folder; /* exists */
    char *command_line; /* shown; borrowed */
    char trace[4096];
    char labels[256];
    size_t done; /* runs in this call */
    size_t told; /* sentences of control since the end of the last run */
    bool failed_at_all;
};

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

/* ---- runs ---- */

/*
 * The runs of a sweep: block by block, each setting once, with the settings held by control/hold.h
 * around each run, so that they come back however it ends. A run that has its complete trace in
 * the folder is read from there, not repeated.
 */

#define THREADS "OMP_NUM_THREADS"

/* ---- a run's numbers ---- */

/* What a channel alone contains and leaves out of the node: the rule of totals says. */
static struct wtl_total total_of(const struct wattle_channel *channel)
{
    struct wattle_channel alone = *channel;
    struct wtl_total total = {.count = 0};
    wtl_total_choose(&alone, 1, &total);
    return total;
}

/* Without a name: of the total. unknown_ns: time that the energy leaves out. open: why it tells nothing, or "". */
static int take_energy(struct wtl_sweep *sweep,
                       size_t block,
                       size_t setting,
                       const char *name,
                       const struct wtl_energy *energy,
                       const struct wtl_total *total,
                       uint64_t unknown_ns,
                       double wall_s,
                       const char *open)
{
    struct wtl_sweep_curve *curve =
        name ? wtl_sweep_curve(sweep, name) : wtl_sweep_total(sweep, total->contains);
    if (!curve)
        return sweep->curve_count == WTL_SWEEP_CURVES ? 0 : -ENOMEM;
    curve->partial |= total->count == 0 || total->excludes[0] != '\0';
    (void)snprintf(curve->contains, sizeof curve->contains, "%s",
                   total->count > 0 ? total->contains : "");
    (void)snprintf(curve->excludes, sizeof curve->excludes, "%s",
                   total->count > 0 ? total->excludes : "");
    curve->simulated |= energy->simulated;
    if (open[0])
        (void)snprintf(curve->open, sizeof curve->open, "%s", open);
    if (wtl_gap_matters(unknown_ns, wall_s)) {
        curve->lacking++; /* too low by an unknown amount */
    } else if (!isnan(energy->j)) {
        if (energy->quality > curve->quality)
            curve->quality = energy->quality;
        size_t at = block * sweep->setting_count + setting;
        curve->energy_j[at] = energy->j;
        wtl_energy_ends(energy, &curve->low_j[at], &curve->high_j[at]);
        double part = energy->half_j / energy->j / sqrt((double)sweep->blocks);
        if (isfinite(part) && part > curve->resolution[setting])
            curve->resolution[setting] = part;
    }
    return 0;
}

static int take_result(struct wtl_sweep_runs *runs,
                       size_t block,
                       size_t setting,
                       const struct wtl_result *result)
{
    struct wtl_sweep *sweep = runs->sweep;
    char open[160] = "";
    int rc = 0;
    (void)wtl_matching_averages(result, open, sizeof open);
    if (result->total.count > 0)
        rc = take_energy(sweep, block, setting, NULL, &result->energy, &result->total,
                         result->total_unknown_ns, result->wall_time_s, open);
    for (size_t i = 0; rc == 0 && i < result->energy_count; i++) {
        const struct wtl_result_channel *channel = &result->channels[i];
        struct wtl_energy energy = wtl_result_energy(channel);
        bool is_all = result->total.count == 1 && channel->channel.flags & WATTLE_CHANNEL_IN_TOTAL;
        if (is_all || !(channel->channel.flags & WATTLE_CHANNEL_PRIMARY))
            continue; /* the total by another name; another view of the same */
        const struct wtl_total total = total_of(&channel->channel);
        open[0] = '\0';
        (void)wtl_matching_average(channel, result->wall_time_s, open, sizeof open);
        rc = take_energy(sweep, block, setting, channel->channel.name, &energy, &total,
                         channel->summary.unknown_ns, result->wall_time_s, open);
    }
    for (size_t i = 0; rc == 0 && i < result->flag_count; i++)
        rc = wtl_sweep_flag(sweep, result->flags[i].name);
    if (rc == 0)
        sweep->time_s[block * sweep->setting_count + setting] = result->wall_time_s;
    return rc;
}

/* ---- traces ---- */

static int name_trace(struct wtl_sweep_runs *runs,
                      size_t block,
                      size_t setting,
                      struct wattle_error *err)
{
    int n = snprintf(runs->trace, sizeof runs->trace, "%s/block-%zu-setting-%zu.wtl", runs->folder,
                     block + 1, setting + 1);
    if (n < 0 || (size_t)n >= sizeof runs->trace)
        return wtl_fail(err, -ENAMETOOLONG, "%s: the name is too long", runs->folder);
    return 0;
}

/* Whether a file has the name of the trace of a run. */
static bool sweep_is_trace(const char *name)
{
    return fnmatch("block-[0-9]*-setting-[0-9]*.wtl", name, 0) == 0;
}

static bool is_complete(const struct wtl_result *result, bool ignore_failure)
{
    for (size_t i = 0; i < result->flag_count; i++) {
        if (strcmp(result->flags[i].name, "UNFINISHED") == 0 ||
            strcmp(result->flags[i].name, "DAMAGED") == 0)
            return false;
    }
    return result->wall_time_s > 0 && !result->cut_off &&
           (result->exit_code == 0 || ignore_failure);
}

/* 1: there is a complete run, which was taken; 0: there is none; -errno. */
static int read_run(struct wtl_sweep_runs *runs,
                    size_t block,
                    size_t setting,
                    struct wattle_error *err)
{
    struct wtl_trace_reader *reader;
    struct wtl_result result;
    int rc = name_trace(runs, block, setting, err);
    if (rc < 0 || access(runs->trace, F_OK) < 0)
        return rc;
    if (wtl_trace_reader_open(runs->trace, &reader, NULL) < 0)
        return 0;
    rc = wtl_run_result_read(reader, runs->trace, &result, NULL);
    if (rc == 0) {
        bool whole = is_complete(&result, runs->options->run.ignore_failure);
        rc = whole ? take_result(runs, block, setting, &result) : 0;
        wtl_result_fini(&result);
        rc = rc < 0 ? rc : whole;
    } else if (rc != -ENOMEM) {
        rc = 0;
    }
    wtl_trace_reader_close(reader);
    return rc;
}

/* ---- a run ---- */

/* "frequency=2.1GHz,threads=4" in the trace, for "wattle stats" and others. */
static void label(struct wtl_sweep_runs *runs, size_t block, const struct wtl_sweep_setting *s)
{
    size_t room = sizeof runs->labels;
    size_t used = (size_t)snprintf(runs->labels, room, "block=%zu", block + 1);
    if (s->frequency[0])
        used += (size_t)snprintf(runs->labels + used, room - used, ",frequency=%s", s->frequency);
    if (s->turbo != 0)
        used += (size_t)snprintf(runs->labels + used, room - used, ",turbo=%s",
                                 s->turbo > 0 ? "on" : "off");
    if (s->limit_w > 0)
        used += (size_t)snprintf(runs->labels + used, room - used, ",limit=%.6gW", s->limit_w);
    if (s->threads > 0)
        (void)snprintf(runs->labels + used, room - used, ",threads=%u", s->threads);
    runs->trials.measure.what.labels = runs->labels;
}

static void set_threads(const struct wtl_sweep_setting *setting)
{
    char text[16];
    if (setting->threads == 0)
        return;
    (void)snprintf(text, sizeof text, "%u", setting->threads);
    (void)setenv(THREADS, text, 1); /* without memory the command runs as before */
}

/* What control has to say: while settings come back, that others have changed them. */
static void warn_of_control(void *context, const char *sentence)
{
    struct wtl_sweep_runs *runs = context;
    runs->told++;
    wtl_trials_warn(&runs->trials, sentence);
}

static void refuse(struct wtl_sweep_setting *setting, const char *why)
{
    (void)snprintf(setting->refused, sizeof setting->refused, "%.190s", why[0] ? why : "unknown");
}

/* Does this error of a hold belong to the setting, or to the machine as it is now? */
static bool is_of_setting(int rc)
{
    return rc == -EINVAL || rc == -EIO || rc == -ENODEV || rc == -ENOTSUP || rc == -ERANGE;
}

/* Measure with the settings held. -EREMCHG: the setting was refused, nothing ran; -ESTALE: others changed settings
 * meanwhile, the run does not count. */
static int measure(struct wtl_sweep_runs *runs,
                   struct wtl_sweep_setting *setting,
                   struct wtl_result *ret,
                   struct wattle_error *err)
{
    struct wtl_control control = {
        .world = runs->trials.measure.what.world, .tell = warn_of_control, .context = runs};
    struct wtl_hold_request request = {0};
    struct wtl_hold *hold = NULL;
    struct wattle_error why = {""};
    int rc = wtl_sweep_request(setting, &request, err);
    bool asks = rc == 0 && wtl_hold_asks(&request);
    if (asks)
        rc = wtl_hold_keep_to_site(&request, runs->config, err);
    if (asks && rc == 0)
        rc = wtl_hold_begin(&control, &request, &hold, err);
    if (rc < 0 && is_of_setting(rc)) {
        refuse(setting, err->text);
        return -EREMCHG;
    }
    if (rc < 0)
        return rc;
    set_threads(setting);
    rc = wtl_trials_trial(&runs->trials, ret, err);
    runs->told = 0;
    int ended = wtl_hold_end(hold, &why);
    if (rc < 0 || (ended == 0 && runs->told == 0))
        return rc;
    wtl_result_fini(ret);
    (void)unlink(runs->trace); /* of which setting it is, is not known */
    return ended < 0 ? wtl_fail(err, ended, "%s", why.text) : -ESTALE;
}

static void show(struct wtl_sweep_runs *runs, size_t block, size_t turn, const char *what)
{
    const struct wtl_sweep *sweep = runs->sweep;
    double all = (double)(sweep->blocks * sweep->setting_count);
    wtl_progress_show(&runs->progress, (double)(block * sweep->setting_count + turn) / all,
                      "block %zu of %zu, run %zu of %zu: %s", block + 1, sweep->blocks, turn + 1,
                      sweep->setting_count, what);
}

static bool has_run(const struct wtl_sweep *sweep, size_t setting)
{
    for (size_t b = 0; b < sweep->blocks; b++) {
        if (sweep->time_s[b * sweep->setting_count + setting] > 0)
            return true;
    }
    return false;
}

static int run_one(struct wtl_sweep_runs *runs, size_t block, size_t i, struct wattle_error *err)
{
    struct wtl_sweep_setting *setting = &runs->sweep->settings[i];
    struct wtl_result result;
    struct wattle_error why = {""};
    if (access(runs->trace, F_OK) == 0 && unlink(runs->trace) < 0) /* of a run that was cut off */
        return wtl_fail(err, -errno, "%s: %s", runs->trace, wtl_strerror(errno));
    runs->trials.measure.what.trace_path = runs->trace;
    label(runs, block, setting);
    int rc = measure(runs, setting, &result, &why);
    if (rc == -EREMCHG)
        return 0;
    if (rc == -ESTALE) {
        wtl_trials_warn(&runs->trials, "settings were changed by others during a run, which does "
                                       "not count; --resume repeats it");
        runs->failed_at_all = true;
        return 0;
    }
    if (rc == -ECHILD && !runs->trials.command_failed) {
        /* At this setting only? Then it is left out; a later failure leaves out its block. */
        if (!has_run(runs->sweep, i))
            refuse(setting, why.text);
        else
            wtl_trials_warn(&runs->trials, why.text);
        runs->failed_at_all = true;
        return 0;
    }
    if (rc < 0)
        return rc == -EINTR ? rc : wtl_fail(err, rc, "%s: %s", setting->label, why.text);
    rc = take_result(runs, block, i, &result);
    wtl_result_fini(&result);
    runs->done++;
    return rc < 0 ? wtl_no_memory(err) : 0;
}

static int run_block(struct wtl_sweep_runs *runs, size_t block, struct wattle_error *err)
{
    struct wtl_sweep *sweep = runs->sweep;
    size_t order[WTL_SWEEP_SETTINGS];
    int rc = 0;
    wtl_sweep_order(sweep->seed, block, sweep->setting_count, order);
    for (size_t turn = 0; rc == 0 && turn < sweep->setting_count; turn++) {
        size_t i = order[turn];
        if (sweep->settings[i].refused[0])
            continue;
        rc = read_run(runs, block, i, err);
        if (rc != 0) {
            rc = rc > 0 ? 0 : rc;
            continue;
        }
        show(runs, block, turn, sweep->settings[i].label);
        rc = run_one(runs, block, i, err);
    }
    return rc;
}

static int warm_up(struct wtl_sweep_runs *runs, struct wattle_error *err)
{
    int rc = 0;
    runs->trials.measure.what.trace_path = NULL;
    for (unsigned i = 0; i < runs->options->run.warmup && rc == 0; i++) {
        struct wtl_result result;
        rc = wtl_trials_trial(&runs->trials, &result, err);
        if (rc == 0)
            wtl_result_fini(&result);
    }
    return rc;
}

static int check_some(const struct wtl_sweep_runs *runs, struct wattle_error *err)
{
    const struct wtl_sweep *sweep = runs->sweep;
    for (size_t i = 0; i < sweep->setting_count; i++) {
        if (!sweep->settings[i].refused[0])
            return 0;
    }
    return wtl_fail(err, -EINVAL, "no setting can be measured; %s: %s", sweep->settings[0].label,
                    sweep->settings[0].refused);
}

/* Only read the traces that there are. */
static int sweep_runs_read(struct wtl_sweep_runs *runs, struct wattle_error *err)
{
    int rc = 0;
    for (size_t b = 0; rc >= 0 && b < runs->sweep->blocks; b++) {
        for (size_t i = 0; rc >= 0 && i < runs->sweep->setting_count; i++)
            rc = read_run(runs, b, i, err);
    }
    return rc < 0 ? rc : 0;
}

/*
 * Run what is missing: all blocks, or options->block. A setting that the machine refuses, or at which the command fails in
 * its first run, is left out, with its reason, and the others go on. 0; -EINTR: a signal; others with a sentence: nothing
 * can be changed on this machine, the command cannot be started, every setting was refused.
 */
static int sweep_runs_all(struct wtl_sweep_runs *runs, struct wattle_error *err)
{
    size_t only = runs->options->block;
    int rc = only > 0 ? 0 : sweep_runs_read(runs, err);
    bool missing = false;
    for (size_t i = 0; i < runs->sweep->blocks * runs->sweep->setting_count; i++)
        missing |= isnan(runs->sweep->time_s[i]);
    if (rc == 0 && missing)
        rc = warm_up(runs, err);
    for (size_t block = 0; rc == 0 && block < runs->sweep->blocks; block++) {
        if (only == 0 || block == only - 1)
            rc = run_block(runs, block, err);
        rc = rc < 0 ? rc : check_some(runs, err);
    }
    wtl_progress_clear(&runs->progress);
    runs->sweep->interrupted = rc == -EINTR;
    return rc;
}

/* ---- the sweep ---- */

/* Traces of another sweep would count as runs of this one. */
static int remove_traces(const struct wtl_sweep_options *o, struct wattle_error *err)
{
    char **names, path[4096];
    int count = wtl_world_real()->ops->list(wtl_world_real(), o->folder, &names), rc = 0;
    if (count < 0)
        return wtl_fail(err, count, "%s: %s", o->folder, wtl_strerror(count));
    for (int i = 0; rc == 0 && i < count; i++) {
        if (!sweep_is_trace(names[i]))
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
    int rc = o->no_run ? sweep_runs_read(&job->runs, err) : sweep_runs_all(&job->runs, err);
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
