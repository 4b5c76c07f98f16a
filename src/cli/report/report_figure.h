/* SPDX-License-Identifier: BSD-3-Clause */
/* "wattle report --plot": options and drawing of a single figure. */
#ifndef WTL_CLI_REPORT_FIGURE_H
#define WTL_CLI_REPORT_FIGURE_H

#include "cli/verb.h"
#include "report/cluster/run_figure.h"
#include "report/figures/figure.h"

struct wtl_report_figure {
    const char *path; /* NULL = no figure; "-": SVG on standard output */
    unsigned kind;    /* of wtl_report_figure_kinds, power first */
    unsigned order;   /* of wtl_report_figure_orders, by name first */
    unsigned dpi;     /* 0 = as the figure has it */
    struct wtl_figure_options options;
    struct wtl_run_figure_options of_runs; /* kind, part and order; the rest is in options */
};

extern const char *const wtl_report_figure_kinds[], *const wtl_report_figure_orders[];

/* The rows of a table of options, for a request T with a figure. */
/* Names of fields take no parentheses: NOLINTBEGIN(bugprone-macro-parentheses) */
#define WTL_REPORT_FIGURE_OPTIONS(T, figure)                                                      \
    {0, "plot", "FILE",                                                                           \
     "write a figure for a paper instead of the page:\nFILE.svg, .pdf or .png, or \"-\" for SVG " \
     "on stdout;\n"                                                                               \
     "for runs also FILE.gp for gnuplot, with its data.\nPrints the caption",                     \
     WTL_TAKES_TEXT(T, figure.path)},                                                             \
        {0, "figure", "KIND",                                                                     \
         "what --plot shows: power, energy, distribution or\nregions; for runs: power, "          \
         "domains, boxes, nodes,\ntags or scaling (default power)",                               \
         WTL_TAKES_CHOICE(T, figure.kind, wtl_report_figure_kinds)},                              \
        {0, "size", "SIZE",                                                                       \
         "size of the figure: WIDTH or WIDTHxHEIGHT in mm\n(default width 85, one column)",       \
         WTL_CALLS(T, figure, wtl_report_figure_take_size)},                                      \
        {0, "part", "NAME", "for runs: only this part, such as package",                          \
         WTL_TAKES_TEXT(T, figure.of_runs.part)},                                                 \
        {0, "sort", "ORDER", "for runs: sort nodes by name or energy\n(default name)",            \
         WTL_TAKES_CHOICE(T, figure.order, wtl_report_figure_orders)},                            \
        {0, "dpi", "N", "resolution of a PNG in dpi (default 300)",                               \
         WTL_TAKES_UNSIGNED(T, figure.dpi, 30, 2400)},                                            \
    {                                                                                             \
        0, "title", "TEXT", "title above the figure (default: none)",                             \
            WTL_TAKES_TEXT(T, figure.options.title)                                               \
    }
/* NOLINTEND(bugprone-macro-parentheses) */

#define WTL_FIGURE_MIN_MM 20.0
#define WTL_FIGURE_MAX_MM 2000.0

/* --size: returns 0, or the exit status of the usage error after a message. */
int wtl_figure_take_size(const struct wtl_command *command,
                         const char *value,
                         double *ret_width_mm,
                         double *ret_height_mm);

/* --size, of a struct wtl_report_figure. */
int wtl_report_figure_take_size(const struct wtl_command *command, void *place, const char *value);

/* Complete the options and check that the kind is valid for a trace, or for runs. Returns 0, or the exit status of the usage error after a message. */
int wtl_report_figure_check(struct wtl_report_figure *figure,
                            const struct wtl_command *command,
                            bool of_runs);

/* Print the caption of a file. Returns 0 or -errno. */
int wtl_report_figure_caption(const char *path, const char *caption, struct wattle_error *err);

/* Draw it and print its caption. Returns 0, or -errno with a message. */
int wtl_report_figure_make(const struct wtl_report_figure *figure,
                           const char *trace,
                           bool force,
                           struct wattle_error *err);

#endif
