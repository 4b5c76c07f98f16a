/* SPDX-License-Identifier: BSD-3-Clause */
/* "wattle pose --plot": options and drawing of the figure. */
#ifndef WTL_CLI_POSE_PLOT_H
#define WTL_CLI_POSE_PLOT_H

#include <stdbool.h>
#include <stdio.h>

#include "cli/verb.h"
#include "report/pose/pose_figure.h"

struct wtl_pose_plot {
    const char *path; /* NULL = none */
    unsigned dpi;     /* 0 = default of the figure */
    struct wtl_pose_figure_options options;
};

extern const char *const wtl_pose_plot_layouts[];
int wtl_pose_plot_take_size(const struct wtl_command *command, void *place, const char *value);

/* The rows of a table of options, for a request T with a plot. */
/* Names of fields take no parentheses: NOLINTBEGIN(bugprone-macro-parentheses) */
#define WTL_POSE_PLOT_OPTIONS(T, plot)                                                           \
    {0, "plot", "FILE",                                                                          \
     "also draw it: FILE.html, .svg, .pdf or .png; prints\nthe caption on stderr",               \
     WTL_TAKES_TEXT(T, plot.path)},                                                              \
        {0, "layout", "LAYOUT",                                                                  \
         "overlaid: one chart per code with all metrics;\nside-by-side: one chart per code and " \
         "metric\n"                                                                              \
         "(default overlaid)",                                                                   \
         WTL_TAKES_CHOICE(T, plot.options.layout, wtl_pose_plot_layouts)},                       \
        {0, "size", "SIZE",                                                                      \
         "size of the figure: WIDTH or WIDTHxHEIGHT in mm\n(default width 85, one column)",      \
         WTL_CALLS(T, plot, wtl_pose_plot_take_size)},                                           \
        {0, "dpi", "N", "resolution of a PNG in dpi (default 300)",                              \
         WTL_TAKES_UNSIGNED(T, plot.dpi, 30, 2400)},                                             \
        {0, "title", "TEXT", "title above the chart", WTL_TAKES_TEXT(T, plot.options.title)},    \
    {                                                                                            \
        0, "no-power", NULL, "do not draw the power over time of traces",                        \
            WTL_SETS(T, plot.options.no_power)                                                   \
    }
/* NOLINTEND(bugprone-macro-parentheses) */

/* Check for conflicting options. Returns 0, or the exit status of the usage error after a message. */
int wtl_pose_plot_check(const struct wtl_pose_plot *plot,
                        const struct wtl_command *command,
                        const struct wtl_command_line *line,
                        bool no_code);

enum { WTL_POSE_PLOT_CAPTION = 2048 };

/* Draw a computed study. Returns 0 and its caption, or -errno with a message. */
int wtl_pose_plot_draw(const struct wtl_pose_plot *plot,
                       const struct wtl_pose_study *study,
                       FILE *stream,
                       char caption[WTL_POSE_PLOT_CAPTION],
                       struct wattle_error *err);

/* Print the caption of a written figure on stderr. */
void wtl_pose_plot_tell(const struct wtl_pose_plot *plot, const char *caption);

#endif
