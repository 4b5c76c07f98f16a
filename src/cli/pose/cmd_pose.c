/* SPDX-License-Identifier: BSD-3-Clause */
/* "wattle pose": decide whether to optimise power or run time. */
#define _GNU_SOURCE
#include "cli/commands.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/flush.h"
#include "cli/output.h"
#include "cli/pose/pose_options.h"
#include "cli/pose/pose_plot.h"
#include "cli/pose/pose_subjects.h"
#include "report/pose/pose_redact.h"
#include "report/pose/pose_report.h"

/* Both files are written before either is renamed, so that a failure leaves neither. */
static int write_both(const struct wtl_pose_options *options,
                      const struct wtl_pose_study *study,
                      struct wtl_output *text,
                      struct wtl_output *picture,
                      char caption[WTL_POSE_PLOT_CAPTION],
                      struct wattle_error *err)
{
    struct wtl_style style = wtl_style_of(text->stream);
    int rc = picture->stream
                 ? wtl_pose_plot_draw(&options->plot, study, picture->stream, caption, err)
                 : 0;
    rc = rc < 0
             ? rc
             : wtl_report_pose(text->stream, options->format, study, options->details, &style, err);
    if (rc == 0 && picture->stream) {
        struct wattle_error why = {""};
        rc = wtl_flush(text->stream, &why);
        rc = rc < 0 ? wtl_fail(err, rc, "%s: %s", text->path ? text->path : "standard output",
                               why.text)
                    : wtl_output_commit(picture, err);
    }
    return rc < 0 ? rc : wtl_output_commit(text, err);
}

static int print(const struct wtl_pose_options *options,
                 const struct wtl_pose_study *study,
                 struct wattle_error *err)
{
    struct wtl_output text = {0}, picture = {0};
    char caption[WTL_POSE_PLOT_CAPTION] = "";
    int rc = wtl_output_open(&text, options->output, options->force, err);
    if (rc == 0 && options->plot.path)
        rc = wtl_output_open(&picture, options->plot.path, options->force, err);
    rc = rc < 0 ? rc : write_both(options, study, &text, &picture, caption, err);
    if (rc == 0 && options->plot.path)
        wtl_pose_plot_tell(&options->plot, caption);
    wtl_output_drop(&picture);
    wtl_output_drop(&text);
    return rc;
}

static int run(int argc, char **argv)
{
    const struct wtl_command *command = &wtl_pose_command;
    struct wtl_pose_study study = {0};
    struct wtl_pose_options options;
    struct wattle_error err = {""};
    if (argc > 1 && strcmp(argv[1], "calibrate") == 0)
        return wtl_pose_calibrate_command.run(argc - 1, argv + 1);
    int status = wtl_pose_options_read(&options, command, argc, argv);
    if (status == WTL_GO_ON) {
        int rc = wtl_pose_subjects_build(&study, &options, &err);
        if (rc == 0 && options.redact && wtl_pose_redact(&study) < 0)
            rc = wtl_no_memory(&err);
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
    .operands = "[TRACE...] | calibrate",
    .summary = "decide whether to optimise power or run time",
    .text = "Computes, from a code's run time and energy and the machine's minimum and\nmaximum "
            "power when busy, how much lower power can save at most and which\nspeed-up beats "
            "that. A code is one or more traces (repeats), or --time and\n--energy, or a table of "
            "codes (--input). \"wattle pose calibrate\" measures the\ntwo powers.\n",
    .options = wtl_pose_option_rows,
    .examples = "wattle pose --time 212.91 --energy 38952.89 --pmin 181.14 --pmax 345.57\n"
                "wattle pose runs/ --metric Et^2 --metric EDS:1,900 --plot pose.svg\n"
                "wattle pose --code OpenMP omp-*.wtl --code MPI mpi-*.wtl --plot pose.html\n"
                "wattle pose before/ --candidate O3=after/ --candidate frequencies.csv\n"
                "wattle pose --metric 'EDS:0.30/3.6e6,2.50/3600' app.wtl\n"
                "wattle pose --input codes.csv --system --format json\n"
                "wattle pose calibrate\n",
    .usage_exit = WTL_EXIT_USAGE,
    .take_operand = wtl_pose_take_word,
};
