/* SPDX-License-Identifier: BSD-3-Clause */
/* The picture of a study: see pose_plot.h. */
#define _GNU_SOURCE
#include "cli/pose_plot.h"

#include <string.h>

#include "cli/report_figure.h"
#include "report/pose_page.h"
#include "report/table.h"

static bool is_page(const char *path)
{
    size_t n = strlen(path);
    return (n > 5 && strcmp(path + n - 5, ".html") == 0) ||
           (n > 4 && strcmp(path + n - 4, ".htm") == 0);
}

int wtl_pose_plot_option(struct wtl_pose_plot *plot,
                         const struct wtl_command *command,
                         int id,
                         const char *value)
{
    static const char *const names[] = {"--title", "--layout", "--size", "--dpi", "--no-power"};
    static const char *const layouts[] = {"overlaid", "side-by-side", NULL};
    size_t layout = 0;
    uint64_t dpi = 0;
    int status = 0;
    if (id != WTL_POSE_PLOT_OPTION_PLOT && !plot->given)
        plot->given = names[id - WTL_POSE_PLOT_OPTION_TITLE];
    if (id > WTL_POSE_PLOT_OPTION_TITLE && !plot->drawn)
        plot->drawn = names[id - WTL_POSE_PLOT_OPTION_TITLE];
    switch (id) {
    case WTL_POSE_PLOT_OPTION_PLOT:
        plot->path = value;
        break;
    case WTL_POSE_PLOT_OPTION_TITLE:
        plot->options.title = value;
        break;
    case WTL_POSE_PLOT_OPTION_LAYOUT:
        status = wtl_option_choice(command, "--layout", value, layouts, &layout);
        plot->options.layout = (enum wtl_pose_layout)layout;
        break;
    case WTL_POSE_PLOT_OPTION_DPI:
        status = wtl_option_u64(command, "--dpi", value, 30, 2400, &dpi);
        plot->options.dpi = (double)dpi;
        break;
    case WTL_POSE_PLOT_OPTION_NO_POWER:
        plot->options.no_power = true;
        break;
    default:
        if (wtl_figure_size(value, &plot->options.width_mm, &plot->options.height_mm) < 0)
            status = wtl_usage(command,
                               "--size: \"%s\" is neither a width nor WIDTHxHEIGHT of %g to %g "
                               "mm; as in 85x60",
                               value, WTL_FIGURE_MIN_MM, WTL_FIGURE_MAX_MM);
        break;
    }
    return status;
}

int wtl_pose_plot_check(const struct wtl_pose_plot *plot,
                        const struct wtl_command *command,
                        bool no_code)
{
    enum wtl_picture picture;
    struct wattle_error err = {""};
    if (!plot->path)
        return plot->given ? wtl_usage(command,
                                       "%s is of a picture; say with --plot FILE that one is "
                                       "wanted",
                                       plot->given)
                           : 0;
    if (no_code)
        return wtl_usage(command, "--plot draws codes; name one");
    if (is_page(plot->path))
        return plot->drawn
                   ? wtl_usage(command, "%s is of a drawing; a page (.html) fits its window",
                               plot->drawn)
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
    enum wtl_picture picture;
    (void)snprintf(caption, WTL_POSE_PLOT_CAPTION, "open it in a browser");
    if (is_page(plot->path))
        return wtl_pose_page_write(study, plot->options.title, stream, err);
    int rc = wtl_picture_of(plot->path, &picture, err);
    return rc < 0 ? rc
                  : wtl_pose_figure_draw(study, &plot->options, picture, stream, caption,
                                         WTL_POSE_PLOT_CAPTION, err);
}

void wtl_pose_plot_tell(const struct wtl_pose_plot *plot, const char *caption)
{
    wtl_print_clean(stderr, plot->path, strlen(plot->path));
    (void)fputs(": ", stderr);
    wtl_print_clean(stderr, caption, strlen(caption));
    (void)fputc('\n', stderr);
}
