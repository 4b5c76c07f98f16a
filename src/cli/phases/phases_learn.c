/* SPDX-License-Identifier: BSD-3-Clause */
/* "wattle phases learn": a model from the traces of many runs. */
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "analysis/predict/model_learn.h"
#include "analysis/predict/power_learn.h"
#include "base/fail.h"
#include "base/parse.h"
#include "base/text/figures.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "cli/phases/actions.h"
#include "cli/run_words.h"

struct learn {
    struct wtl_learn_request request;
    const char *output, *idle_trace;
    uint64_t step_ns;
    double alike; /* NaN = not given */
    unsigned method;
    bool force;
};

static const char *const methods[] = {"focus", "np-focus", "pelt", "paper", NULL};

static int take_idle(const struct wtl_command *command, void *place, const char *value)
{
    double *beta = place;
    if (wtl_parse_double(value, beta) < 0 || !(*beta > 0))
        return wtl_usage(command, "--idle: \"%s\" is not a number above 0", value);
    return 0;
}

static const struct wtl_option rows[] = {
    {'o', "output", "MODEL", "write the model to MODEL", WTL_TAKES_TEXT(struct learn, output),
     .is_no_stream = true},
    {0, "force", NULL, "overwrite MODEL", WTL_SETS(struct learn, force)},
    {0, "name", "NAME", "name of all these runs (default: the program of each)",
     WTL_TAKES_TEXT(struct learn, request.name)},
    {0, "platform", "NAME", "where they ran (default: the processor of each)",
     WTL_TAKES_TEXT(struct learn, request.platform)},
    {0, "method", "METHOD", "how changes are found: focus (default), np-focus,\npelt, or paper",
     WTL_TAKES_CHOICE(struct learn, method, methods)},
    {0, "row", "DUR", "look for changes in rows of DUR (default: as the\ncounters were recorded)",
     WTL_TAKES_DURATION(struct learn, request.what.step_ns, 1)},
    {0, "step", "DUR", "letters of this length (default: of their phases)",
     WTL_TAKES_DURATION(struct learn, step_ns, 1)},
    {0, "alike", "PERCENT", "phases whose rates differ by less are the same letter\n(default 15%)",
     WTL_TAKES_PERCENT(struct learn, alike)},
    {0, "idle", "BETA", "phases with fewer cache misses per cycle are XXX",
     WTL_CALLS(struct learn, request.what.idle_beta, take_idle)},
    {0, "calibrate-idle", "TRACE",
     "find that limit, between the idle machine of TRACE and\nthe runs",
     WTL_TAKES_INPUT(struct learn, idle_trace)},
    WTL_OPTION_HELP,
    WTL_OPTIONS_END};

/* The limit is in the middle, by ratio, between the most active phase of the idle machine and the least active one of the
 * runs that is above it. Runs that cannot be learnt are left out here, too. */
static int calibrate(struct learn *learn,
                     const struct wtl_trace_list *names,
                     struct wattle_error *err)
{
    struct wtl_learner_activity idle = {.least = INFINITY}, runs = {.least = INFINITY};
    struct wattle_error why = {""};
    int rc = wtl_phase_learner_activity(&learn->request, learn->idle_trace, INFINITY, &idle, err);
    if (rc < 0)
        return rc;
    for (size_t i = 0; i < names->count; i++) {
        rc = wtl_phase_learner_activity(&learn->request, names->paths[i], 1.5 * idle.most, &runs,
                                        &why);
        if (rc == -ENOMEM)
            return wtl_no_memory(err);
    }
    if (!(runs.least < INFINITY) && why.text[0])
        return wtl_fail(err, -EINVAL, "%s", why.text);
    if (!(runs.least < INFINITY))
        return wtl_fail(
            err, -EINVAL,
            "no phase of the runs is more active than those of %s; is that the idle machine?",
            learn->idle_trace);
    learn->request.what.idle_beta = idle.most > 0 ? sqrt(idle.most * runs.least) : runs.least / 2;
    learn->request.what.idle_w = idle.known_s > 0 ? idle.energy_j / idle.known_s : 0;
    (void)fprintf(stderr, "wattle: idle below %s (idle machine: up to %s, runs: from %s)\n",
                  WTL_IN_FIGURES(learn->request.what.idle_beta, 3), WTL_IN_FIGURES(idle.most, 3),
                  WTL_IN_FIGURES(runs.least, 3));
    return 0;
}

/* Runs without a meter, or with too few rows for it: the model has no power from counters. */
static int learn_power(const struct learn *learn,
                       const struct wtl_trace_list *names,
                       struct wtl_phase_model *model,
                       struct wattle_error *err)
{
    int rc = wtl_counter_energy_learn_runs(names->paths, names->count, learn->request.what.step_ns,
                                           &model->power, err);
    return rc == -ENOMEM ? rc : 0;
}

static int write_model(const struct learn *learn,
                       const struct wtl_phase_model *model,
                       struct wattle_error *err)
{
    struct wtl_output output;
    int rc = wtl_output_open(&output, learn->output, learn->force, err);
    if (rc < 0)
        return rc;
    wtl_phase_model_write(model, output.stream);
    return wtl_output_commit(&output, err);
}

static void print_summary(const struct learn *learn, const struct wtl_phase_model *model)
{
    size_t stays = 0;
    for (size_t r = 0; r < model->run_count; r++) {
        for (size_t n = 0; n < model->runs[r].node_count; n++)
            stays += model->runs[r].nodes[n].count;
    }
    (void)printf("%s: %zu run%s, %zu letter%s, %zu phase%s\n", learn->output, model->run_count,
                 model->run_count == 1 ? "" : "s", model->alphabet.count,
                 model->alphabet.count == 1 ? "" : "s", stays, stays == 1 ? "" : "s");
    if (model->left_out > 0)
        (void)fprintf(stderr,
                      "wattle: the last %zu of the %zu counters of the set are not used: a letter "
                      "has room for %zu\n",
                      model->left_out, model->alphabet.columns + model->left_out,
                      model->alphabet.columns);
    if (!wtl_alphabet_activity_name(&model->alphabet))
        (void)fprintf(
            stderr,
            "wattle: the counter set %s has no cache misses and no CPU time: no phase is XXX\n",
            *model->alphabet.set ? model->alphabet.set : "of these runs");
}

/* Runs that cannot be used are named and left out, unless none is left. */
static int learn_all(struct learn *learn,
                     char *const *words,
                     size_t count,
                     struct wattle_error *err)
{
    const struct wtl_command *command = &wtl_phases_learn_command;
    struct wtl_phase_model model = {0};
    struct wtl_trace_list names = {0};
    int rc = wtl_output_free(learn->output, learn->force, err);
    rc = rc < 0 ? rc : wtl_run_words(command, words, count, true, &names, err);
    rc = rc < 0 || !learn->idle_trace ? rc : calibrate(learn, &names, err);
    for (size_t i = 0; rc == 0 && i < names.count; i++) {
        struct wattle_error why = {""};
        rc = wtl_phase_learner_run(&model, &learn->request, names.paths[i], &why);
        if (rc == 0)
            continue;
        *err = why;
        if (rc == -ENOMEM)
            break;
        wtl_complain(command, "left out: %s", why.text);
        rc = 0;
    }
    if (rc == 0 && model.run_count == 0)
        rc = wtl_fail(err, -ENODATA, "no run is left to learn from");
    rc = rc < 0 ? rc : wtl_phase_learner_settle(&model, err);
    rc = rc < 0 ? rc : learn_power(learn, &names, &model, err);
    rc = rc < 0 ? rc : write_model(learn, &model, err);
    if (rc == 0)
        print_summary(learn, &model);
    wtl_phase_model_fini(&model);
    wtl_trace_list_fini(&names);
    return rc;
}

int wtl_cmd_phases_learn(int argc, char **argv)
{
    const struct wtl_command *command = &wtl_phases_learn_command;
    struct learn learn = {
        .request.what = {.options = wtl_phase_options_default(), .idle_beta = (double)NAN},
        .alike = (double)NAN};
    struct wtl_command_line line;
    struct wattle_error err = {""};
    int status = wtl_command_read(command, argc, argv, &learn, &line);
    if (status != WTL_GO_ON)
        return status;
    if (line.count == 0)
        return wtl_usage(command, "no trace given");
    if (!learn.output)
        return wtl_usage(command, "-o MODEL is missing");
    if (learn.idle_trace && !isnan(learn.request.what.idle_beta))
        return wtl_usage(command, "--calibrate-idle cannot be used with --idle");
    learn.request.what.options.method = (enum wtl_phase_method)learn.method;
    learn.request.step_s = 1e-9 * (double)learn.step_ns;
    learn.request.alike = isnan(learn.alike) ? 0 : learn.alike;
    if (learn_all(&learn, (char *const *)line.words, line.count, &err) < 0) {
        wtl_complain(command, "%s", err.text);
        return WTL_EXIT_FAILED;
    }
    return WTL_EXIT_OK;
}

const struct wtl_command wtl_phases_learn_command = {
    .verb = "phases learn",
    .run = wtl_cmd_phases_learn,
    .operands = "TRACE|DIR...",
    .summary = "learn letters and their energy from many runs",
    .text = "Finds the phases of all runs and the behaviours that recur in them, and writes\n"
            "them as a model: for \"wattle phases --model\", \"wattle phases graph\" and\n"
            "\"wattle predict\". All runs must be recorded with the same counter set.\n",
    .options = rows,
    .examples = "wattle phases learn -o app.model traces/\n"
                "wattle phases learn -o lu.model --name lu --calibrate-idle idle.wtl lu-*.wtl\n"
                "wattle phases learn -o app.model --step 15s traces/\n",
    .usage_exit = WTL_EXIT_USAGE,
};
