/* SPDX-License-Identifier: BSD-3-Clause */
/* The interface of each kind of figure to run_figure.c. */
#ifndef WTL_REPORT_RUN_FIGURE_KIND_H
#define WTL_REPORT_RUN_FIGURE_KIND_H

#include "plot/axes.h"
#include "report/cluster/run_figure.h"

struct wtl_run_figure {
    const struct wtl_run_figure_data *data;
    const struct wtl_run_figure_options *options;
    double width_mm, height_mm; /* prepare() sets the height where the user did not (0) */
    char caption[WTL_CAPTION_MAX];
};

struct wtl_run_figure_ops {
    bool of_study, of_run; /* what it can be drawn of */
    int (*prepare)(struct wtl_run_figure *figure,
                   struct wattle_error *err); /* height and caption */
    void (*draw)(const struct wtl_run_figure *figure,
                 struct wtl_axes *axes); /* canvas and place are set */
    void (*script)(const struct wtl_run_figure *figure, const char *data_name, FILE *out);
    void (*table)(const struct wtl_run_figure *figure, FILE *out);
};

extern const struct wtl_run_figure_ops wtl_run_figure_power, wtl_run_figure_domains,
    wtl_run_figure_boxes, wtl_run_figure_nodes, wtl_run_figure_tags, wtl_run_figure_scaling;

/* Add a sentence to the caption. */
void wtl_run_figure_say(struct wtl_run_figure *figure, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Of how many nodes, of what quality, what the total contains. */
void wtl_run_figure_say_source(struct wtl_run_figure *figure);

/* "Power", "Power, estimated": what an axis is of, with its quality where that is not plainly measured. In buf, which is
 * returned. */
const char *wtl_run_figure_label(const struct wtl_run_figure *figure,
                                 const char *what,
                                 char *buf,
                                 size_t n);

/* A row of boxes. */
struct wtl_run_box {
    const char *name;
    const struct wtl_description *box;
    bool marked; /* it stands out */
};

/* The boxes shown: the cases of a study; for a run, all nodes together, then as many nodes as fit.
 * malloc'ed, for the caller to free; NULL if out of memory. */
struct wtl_run_box *wtl_run_boxes(const struct wtl_run_figure *figure, size_t *ret_count);

/* Regions with a curve, those with the most energy first; returns their number, at most `most`. */
size_t wtl_run_top_regions(const struct wtl_run_profile *profile,
                           const struct wtl_profile_region **ret_regions,
                           size_t most);

/* A number of a table ("?" for NaN), and a text quoted for it or for the script. */
void wtl_run_put_number(FILE *out, double value);
/* "set ylabel 'Node power, simulated (W)'": as the drawn axis says it. */
void wtl_run_put_label(FILE *out,
                       const struct wtl_run_figure *figure,
                       const char *what,
                       const char *unit);
void wtl_run_put_quoted(FILE *out, const char *text);
/* The same in a file of data. */
void wtl_run_put_data_text(FILE *out, const char *text);

#endif
