/* SPDX-License-Identifier: BSD-3-Clause */
/* "wattle pose --plot": the options of the picture, and its making. */
#ifndef WTL_CLI_POSE_PLOT_H
#define WTL_CLI_POSE_PLOT_H

#include <stdbool.h>
#include <stdio.h>

#include "cli/options.h"
#include "report/pose_figure.h"

struct wtl_pose_plot {
    const char *path;  /* NULL = none */
    const char *given; /* the first option that makes sense with a picture only, or NULL */
    const char *drawn; /* the first that makes sense with a drawn one only, no page; or NULL */
    struct wtl_pose_figure_options options;
};

enum wtl_pose_plot_option {
    WTL_POSE_PLOT_OPTION_FIRST = 100,
    WTL_POSE_PLOT_OPTION_PLOT = WTL_POSE_PLOT_OPTION_FIRST,
    WTL_POSE_PLOT_OPTION_TITLE,
    WTL_POSE_PLOT_OPTION_LAYOUT,
    WTL_POSE_PLOT_OPTION_SIZE,
    WTL_POSE_PLOT_OPTION_DPI,
    WTL_POSE_PLOT_OPTION_NO_POWER
};

/* The rows of the table of options. */
#define WTL_POSE_PLOT_OPTIONS                                                                  \
    {WTL_POSE_PLOT_OPTION_PLOT, 0, "plot", "FILE",                                             \
     "draw it, too: FILE.html, .svg, .pdf or .png; the\ncaption goes to standard error"},      \
        {WTL_POSE_PLOT_OPTION_LAYOUT, 0, "layout", "LAYOUT",                                   \
         "overlaid: all metrics of a code in one chart;\nside-by-side: a chart for each code " \
         "and\n"                                                                               \
         "metric (default overlaid)"},                                                         \
        {WTL_POSE_PLOT_OPTION_SIZE, 0, "size", "SIZE",                                         \
         "of the drawing: WIDTH or WIDTHxHEIGHT in mm\n(default 85, a column, and what it "    \
         "needs)"},                                                                            \
        {WTL_POSE_PLOT_OPTION_DPI, 0, "dpi", "N", "dots per inch of a PNG (default 300)"},     \
        {WTL_POSE_PLOT_OPTION_TITLE, 0, "title", "TEXT", "a line above the chart"},            \
    {                                                                                          \
        WTL_POSE_PLOT_OPTION_NO_POWER, 0, "no-power", NULL,                                    \
            "leave the power over time out that traces have"                                   \
    }

/* Take one of these options: 0, or the exit status of the usage error that was told. */
int wtl_pose_plot_option(struct wtl_pose_plot *plot,
                         const struct wtl_command *command,
                         int id,
                         const char *value);

/* What does not go together. The same. */
int wtl_pose_plot_check(const struct wtl_pose_plot *plot,
                        const struct wtl_command *command,
                        bool no_code);

enum { WTL_POSE_PLOT_CAPTION = 2048 };

/* Draw a computed study. 0 and its caption, or -errno with a sentence. */
int wtl_pose_plot_draw(const struct wtl_pose_plot *plot,
                       const struct wtl_pose_study *study,
                       FILE *stream,
                       char caption[WTL_POSE_PLOT_CAPTION],
                       struct wattle_error *err);

/* The caption of a picture that is there, to standard error. */
void wtl_pose_plot_tell(const struct wtl_pose_plot *plot, const char *caption);

#endif
