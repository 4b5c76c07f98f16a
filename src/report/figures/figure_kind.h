/* SPDX-License-Identifier: BSD-3-Clause */
/* The interface of each kind of figure to figure.c, and shared parts. */
#ifndef WTL_REPORT_FIGURE_KIND_H
#define WTL_REPORT_FIGURE_KIND_H

#include "plot/axes.h"
#include "report/figures/figure.h"
#include "report/redact.h"

/* A figure under construction. */
struct wtl_figure {
    struct wtl_trace_reader *reader;
    const struct wtl_result *result;
    struct wtl_redactor *redactor; /* NULL = nothing is left out */
    double width_mm, height_mm;    /* height: set by prepare() unless given by the user (0) */
    char caption[WTL_CAPTION_MAX];
    void *data; /* of the kind: from prepare() to fini() */
};

struct wtl_figure_kind_ops {
    /* Read, choose the height, write the caption. fini() is called in any case. */
    int (*prepare)(struct wtl_figure *figure, struct wattle_error *err);
    /* axes has its canvas and place. */
    void (*draw)(struct wtl_figure *figure, struct wtl_axes *axes);
    void (*fini)(struct wtl_figure *figure);
};

extern const struct wtl_figure_kind_ops wtl_figure_power, wtl_figure_energy,
    wtl_figure_distribution, wtl_figure_regions;

enum { WTL_FIGURE_VALUE = 64 }; /* bytes of a value's text */

/* Add a sentence to the caption; truncated if too long. */
void wtl_figure_say(struct wtl_figure *figure, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Seconds since the start of the window (of the first sample, without one). */
double wtl_figure_seconds(const struct wtl_figure *figure, uint64_t monotonic_ns);

/* The drawn span: the window, or the span of the samples without one. Returns 0, or -ENODATA with a message. */
int wtl_figure_range(const struct wtl_figure *figure,
                     uint64_t *ret_begin_ns,
                     uint64_t *ret_end_ns,
                     struct wattle_error *err);

/*
 * Channels and their labels in a figure: without the sensor if all have the same, with the quality unless all
 * are measured. The figure owns the labels (wtl_figure_labels_fini()).
 */
struct wtl_figure_labels {
    size_t count;
    const struct wtl_result_channel **channels; /* borrowed */
    char (*texts)[96];
    const char *sensor; /* of all; NULL = they differ */
    const char
        *quality; /* of all, in words: "estimated", "simulated"; NULL = measured, or they differ */
};

/* The channels of the result that represent their domain; all channels of energy and power if none does. */
int wtl_figure_labels(const struct wtl_figure *figure,
                      struct wtl_figure_labels *ret_labels,
                      struct wattle_error *err);
void wtl_figure_labels_fini(struct wtl_figure_labels *labels);

/* The sentence of the caption about sensors and quality: "Sensor: powercap, on a simulated node." */
void wtl_figure_say_source(struct wtl_figure *figure, const struct wtl_figure_labels *labels);

/*
 * A figure of rows: names at the left, bars or similar, values as text at the right. If the height is given,
 * as many rows as fit; otherwise the height follows the rows, up to a page.
 */
struct wtl_figure_rows {
    size_t count;                     /* that are shown */
    const char **names;               /* [count]; borrowed or in texts */
    char (*texts)[96];                /* [count]: room for names */
    char (*values)[WTL_FIGURE_VALUE]; /* [count]; "" = none */
    struct wtl_panel panel;           /* y is filled; x of the axes is the kind's own */
};

/* For `wanted` rows, each `lines` lines high, and that many rows of legend. 0 or -ENOMEM. */
int wtl_figure_rows_init(struct wtl_figure *figure,
                         struct wtl_figure_rows *rows,
                         size_t wanted,
                         double lines,
                         size_t legend_rows,
                         struct wattle_error *err);
void wtl_figure_rows_fini(struct wtl_figure_rows *rows);

/* Draw axes, names and values. */
void wtl_figure_rows_draw(struct wtl_figure_rows *rows, struct wtl_axes *axes);

#endif
