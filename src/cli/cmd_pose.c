/* SPDX-License-Identifier: BSD-3-Clause */
/* "wattle pose": is there more to win from power or from run time? */
#define _GNU_SOURCE
#include "cli/commands.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "cli/output.h"
#include "cli/pose_options.h"
#include "report/pose_report.h"

/* The code of --time and --energy. */
static int add_given(struct wtl_pose_study *study,
                     const struct wtl_pose_options *options,
                     struct wattle_error *err)
{
    struct wtl_pose_subject *subject = calloc(1, sizeof *subject);
    if (!subject)
        return wtl_fail(err, -ENOMEM, "not enough memory");
    *subject = (struct wtl_pose_subject){
        .code = {options->time_s, options->energy_j, options->pmin_w, options->pmax_w},
        .doubt = wtl_pose_doubt_unknown(),
        .quality = WATTLE_MEASURED,
        .bounds_quality = WATTLE_MEASURED,
    };
    study->subjects = subject;
    study->subject_count = 1;
    subject->label = options->label ? strdup(options->label) : NULL;
    if (options->label && !subject->label)
        return wtl_fail(err, -ENOMEM, "not enough memory");
    return 0;
}

static int print(const struct wtl_pose_options *options,
                 const struct wtl_pose_study *study,
                 struct wattle_error *err)
{
    struct wtl_output output = {0};
    int rc = wtl_output_open(&output, options->output, options->force, err);
    if (rc < 0)
        return rc;
    struct wtl_style style = wtl_style_of(output.stream);
    rc = wtl_report_pose(output.stream, options->format, study, &style, err);
    if (rc == 0)
        rc = wtl_output_commit(&output, err);
    else
        wtl_output_drop(&output);
    return rc;
}

static int run(int argc, char **argv)
{
    const struct wtl_command *command = &wtl_pose_command;
    struct wtl_pose_study study = {0};
    struct wtl_pose_options options;
    struct wattle_error err = {""};
    bool go;
    if (argc > 1 && strcmp(argv[1], "calibrate") == 0)
        return wtl_usage(command, "\"calibrate\" is not there yet");
    int status = wtl_pose_options_read(&options, command, argc, argv, &go);
    if (go) {
        study.metrics = options.metrics;
        study.metric_names = options.metric_names;
        study.metric_count = options.metric_count;
        options.metrics = NULL;
        options.metric_names = NULL;
        options.metric_count = 0;
        int rc = add_given(&study, &options, &err);
        rc = rc < 0 ? rc : wtl_pose_study_compute(&study, &err);
        rc = rc < 0 ? rc : print(&options, &study, &err);
        if (rc < 0)
            wtl_complain(command, "%s", err.text);
        status = rc < 0 ? WTL_EXIT_FAILED : WTL_EXIT_OK;
    }
    wtl_pose_study_fini(&study);
    wtl_pose_options_fini(&options);
    return status;
}

const struct wtl_command wtl_pose_command = {
    .verb = "pose",
    .run = run,
    .operands = "[TRACE]... | calibrate",
    .summary = "is there more to win from power or from run time?",
    .text = "From the run time and energy of a code and the least and greatest power of a busy\n"
            "machine: how much lower power can bring at most, and which speed-up beats that.\n",
    .options = wtl_pose_option_rows,
    .examples = "wattle pose --time 212.91 --energy 38952.89 --pmin 181.14 --pmax 345.57\n",
    .usage_exit = WTL_EXIT_USAGE,
};
