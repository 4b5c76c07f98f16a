/* SPDX-License-Identifier: BSD-3-Clause */
/* The picture of a study: see pose_plot.h. */
#define _GNU_SOURCE
#include "cli/pose/pose_plot.h"

#include <string.h>

#include "cli/report/report_figure.h"
#include "report/pose/pose_page.h"
#include "report/pose/pose_system_figure.h"
#include "report/table.h"

static bool is_page(const char *path)
{
    size_t n = strlen(path);
    return (n > 5 && strcmp(path + n - 5, ".html") == 0) ||
           (n > 4 && strcmp(path + n - 4, ".htm") == 0);
}

const char *const wtl_pose_plot_layouts[] = {"overlaid", "side-by-side", NULL};

int wtl_pose_plot_take_size(const struct wtl_command *command, void *place, const char *value)
{
    struct wtl_pose_plot *plot = place;
    return wtl_figure_take_size(command, value, &plot->options.width_mm, &plot->options.height_mm);
}

int wtl_pose_plot_check(const struct wtl_pose_plot *plot,
                        const struct wtl_command *command,
                        const struct wtl_command_line *line,
                        bool no_code)
{
    static const char *const of_pictures[] = {"title", "layout", "size", "dpi", "no-power", NULL};
    const char *given = wtl_option_first_given(command, line, of_pictures);
    const char *drawn = wtl_option_first_given(command, line, of_pictures + 1);
    enum wtl_picture picture;
    struct wattle_error err = {""};
    if (!plot->path)
        return given ? wtl_usage(command, "--%s requires --plot FILE", given) : 0;
    static const char *const of_codes[] = {"layout", "no-power", NULL};
    const char *of_code = wtl_option_first_given(command, line, of_codes);
    if (no_code && of_code)
        return wtl_usage(command, "--%s requires a code", of_code);
    if (is_page(plot->path))
        return drawn ? wtl_usage(command,
                                 "--%s cannot be used with --plot FILE.html, which fits its window",
                                 drawn)
                     : 0;
    if (wtl_picture_of(plot->path, &picture, &err) < 0)
        return wtl_usage(command, "--plot: \"%s\" must end in .html, .svg, .pdf or .png",
                         plot->path);
    return 0;
}

int wtl_pose_plot_draw(const struct wtl_pose_plot *plot,
                       const struct wtl_pose_study *study,
                       FILE *stream,
                       char caption[WTL_POSE_PLOT_CAPTION],
                       struct wattle_error *err)
{
    struct wtl_pose_figure_options options = plot->options;
    enum wtl_picture picture;
    if (plot->dpi > 0)
        options.dpi = plot->dpi;
    (void)snprintf(caption, WTL_POSE_PLOT_CAPTION, "open it in a browser");
    if (is_page(plot->path))
        return wtl_pose_page_write(study, plot->options.title, stream, err);
    int rc = wtl_picture_of(plot->path, &picture, err);
    bool machines = study->subject_count == 0 && study->system_count > 0;
    return rc < 0 ? rc
                  : (machines ? wtl_pose_system_figure_draw : wtl_pose_figure_draw)(
                        study, &options, picture, stream, caption, WTL_POSE_PLOT_CAPTION, err);
}

void wtl_pose_plot_tell(const struct wtl_pose_plot *plot, const char *caption)
{
    wtl_print_clean(stderr, plot->path, strlen(plot->path));
    (void)fputs(": ", stderr);
    wtl_print_clean(stderr, caption, strlen(caption));
    (void)fputc('\n', stderr);
}
