/* SPDX-License-Identifier: BSD-3-Clause */
/* Figures of runs: see report_run_figure.h. */
#define _GNU_SOURCE
#include "cli/cluster/report_run_figure.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "cli/output.h"
#include "report/cluster/run_figure.h"
#include "report/table.h"

static int draw(const struct wtl_report_figure *figure,
                const struct wtl_run_figure_options *options,
                bool force,
                const struct wtl_run_figure_data *data,
                struct wattle_error *err)
{
    const char *path = figure->path;
    bool standard = strcmp(path, "-") == 0;
    enum wtl_picture picture = WTL_PICTURE_SVG;
    struct wtl_output output;
    char caption[WTL_CAPTION_MAX];
    int rc = standard ? 0 : wtl_picture_of(path, &picture, err);
    rc = rc < 0 ? rc : wtl_output_open(&output, path, force, err);
    if (rc < 0)
        return rc;
    rc = wtl_run_figure_draw(data, options, picture, output.stream, caption, err);
    if (rc == 0)
        rc = wtl_output_commit(&output, err);
    else
        wtl_output_drop(&output);
    return rc < 0 || standard ? rc : wtl_report_figure_caption(path, caption, err);
}

/* FILE.gp and FILE.dat in the same folder, which the script reads without a path. Writes both or none. */
static int write_script(const struct wtl_report_figure *figure,
                        const struct wtl_run_figure_options *options,
                        bool force,
                        const struct wtl_run_figure_data *data,
                        struct wattle_error *err)
{
    const char *path = figure->path;
    struct wtl_output script, table;
    char *beside = NULL;
    if (asprintf(&beside, "%.*s.dat", (int)(strlen(path) - 3), path) < 0)
        return wtl_no_memory(err);
    const char *slash = strrchr(beside, '/');
    int rc = wtl_output_open(&script, path, force, err);
    bool opened = rc == 0;
    rc = rc < 0 ? rc : wtl_output_open(&table, beside, force, err);
    bool both = rc == 0;
    rc = rc < 0 ? rc
                : wtl_run_gnuplot(data, options, slash ? slash + 1 : beside, script.stream,
                                  table.stream, err);
    if (rc == 0)
        rc = wtl_output_commit(&table, err);
    else if (both)
        wtl_output_drop(&table);
    if (rc == 0)
        rc = wtl_output_commit(&script, err);
    else if (opened)
        wtl_output_drop(&script);
    if (rc == 0)
        wtl_print_sentence(stdout,
                           "%s: reads its data from %s; run it in that folder: gnuplot %s\n", path,
                           beside, strrchr(path, '/') ? strrchr(path, '/') + 1 : path);
    free(beside);
    return rc;
}

int wtl_report_run_figure(const struct wtl_report_figure *figure,
                          double reference_w,
                          bool force,
                          const struct wtl_run_profile *profile,
                          const struct wtl_study *study,
                          struct wattle_error *err)
{
    const struct wtl_run_figure_data data = {.profile = study ? NULL : profile, .study = study};
    struct wtl_run_figure_options options = figure->of_runs;
    options.width_mm = figure->options.width_mm;
    options.height_mm = figure->options.height_mm;
    options.dpi = figure->options.dpi;
    options.title = figure->options.title;
    options.reference_w = reference_w;
    size_t n = strlen(figure->path);
    return n > 3 && strcmp(figure->path + n - 3, ".gp") == 0
               ? write_script(figure, &options, force, &data, err)
               : draw(figure, &options, force, &data, err);
}
