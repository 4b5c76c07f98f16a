/* SPDX-License-Identifier: BSD-3-Clause */
/* The runs of a sweep: see sweep_runs.h. */
#define _GNU_SOURCE
#include "cli/sweep/sweep_runs.h"

#include <errno.h>
#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/cluster/run_result.h"
#include "analysis/compare/matching.h"
#include "base/fail.h"
#include "cli/commands.h"
#include "cli/control/hold_options.h"
#include "trace/reader.h"

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

/* Without a name: of the total. open: why it tells nothing, or "". */
static int take_energy(struct wtl_sweep *sweep,
                       size_t block,
                       size_t setting,
                       const char *name,
                       const struct wtl_energy *energy,
                       const struct wtl_total *total,
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
    if (!isnan(energy->j)) {
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
        rc = take_energy(sweep, block, setting, NULL, &result->energy, &result->total, open);
    for (size_t i = 0; rc == 0 && i < result->energy_count; i++) {
        const struct wtl_result_channel *channel = &result->channels[i];
        struct wtl_energy energy = wtl_result_energy(channel);
        bool is_all = result->total.count == 1 && channel->channel.flags & WATTLE_CHANNEL_IN_TOTAL;
        if (is_all || !(channel->channel.flags & WATTLE_CHANNEL_PRIMARY))
            continue; /* the total by another name; another view of the same */
        const struct wtl_total total = total_of(&channel->channel);
        open[0] = '\0';
        (void)wtl_matching_average(channel, result->wall_time_s, open, sizeof open);
        rc = take_energy(sweep, block, setting, channel->channel.name, &energy, &total, open);
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

bool wtl_sweep_is_trace(const char *name)
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
static void tell(void *context, const char *sentence)
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
        .world = runs->trials.measure.what.world, .tell = tell, .context = runs};
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

int wtl_sweep_runs_all(struct wtl_sweep_runs *runs, struct wattle_error *err)
{
    size_t only = runs->options->block;
    int rc = only > 0 ? 0 : wtl_sweep_runs_read(runs, err);
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

int wtl_sweep_runs_read(struct wtl_sweep_runs *runs, struct wattle_error *err)
{
    int rc = 0;
    for (size_t b = 0; rc >= 0 && b < runs->sweep->blocks; b++) {
        for (size_t i = 0; rc >= 0 && i < runs->sweep->setting_count; i++)
            rc = read_run(runs, b, i, err);
    }
    return rc < 0 ? rc : 0;
}
