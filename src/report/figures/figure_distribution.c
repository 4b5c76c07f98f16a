/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Distribution of power over time: for each channel its histogram, standing on the line of the channel, and
 * under it the median, the quartiles and the range from 5 to 95 % of the time.
 */
#include "analysis/power/distribution.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/text/figures.h"
#include "plot/plot.h"
#include "report/digits.h"
#include "report/figures/figure_kind.h"

#define LINES     2.6  /* of a row */
#define HISTOGRAM 0.62 /* of a row, the highest bin */
#define BOX       0.78 /* of a row: position of the box */
#define BOX_HALF  0.08

struct distribution {
    struct wtl_figure_labels labels;
    struct wtl_distribution *found; /* by channel, some may be missing */
    size_t found_count;
    struct wtl_figure_rows rows;
};

static void fill_rows(struct wtl_figure *figure)
{
    struct distribution *d = figure->data;
    for (size_t i = 0; i < d->rows.count; i++) {
        const struct wtl_distribution *of = &d->found[i];
        const struct wtl_trace_channel *channel =
            wtl_trace_reader_channel(figure->reader, of->channel);
        char median[32];
        d->rows.names[i] = "?";
        for (size_t k = 0; channel && k < d->labels.count; k++)
            if (strcmp(d->labels.channels[k]->channel.name, channel->channel.name) == 0)
                d->rows.names[i] = d->labels.texts[k];
        (void)snprintf(d->rows.values[i], WTL_FIGURE_VALUE, "%.30s",
                       wtl_digits_short(median, sizeof median, of->percentile_w[WTL_P50]));
    }
}

static void caption_distribution(struct wtl_figure *figure)
{
    const struct distribution *d = figure->data;
    char time[32];
    double stretch_s = 0;
    for (size_t i = 0; i < d->rows.count; i++)
        stretch_s = fmax(stretch_s, d->found[i].stretch_s);
    wtl_figure_say(figure,
                   "Distribution of power over the known time, as mean over stretches of %s. "
                   "The number at the top of each histogram is the share of the time in its "
                   "greatest bin; line: 5 to 95 "
                   "%% of the time, "
                   "box: quartiles, mark and number: median.",
                   wtl_digits_time(time, sizeof time, stretch_s));
    if (d->found_count > d->rows.count)
        wtl_figure_say(figure, "%zu further channels are left out.",
                       d->found_count - d->rows.count);
    wtl_figure_say_source(figure, &d->labels);
}

static int read_distributions(struct wtl_figure *figure, struct wattle_error *err)
{
    struct distribution *d = figure->data;
    struct wtl_trace_range range = {.no_edges = true};
    uint32_t *ids = calloc(d->labels.count, sizeof *ids);
    if (!ids)
        return wtl_no_memory(err);
    int rc = wtl_figure_range(figure, &range.begin_ns, &range.end_ns, err);
    for (size_t i = 0; rc == 0 && i < d->labels.count; i++) {
        int id = wtl_trace_reader_find_channel(figure->reader, d->labels.channels[i]->channel.name);
        if (id >= 0)
            ids[range.channel_count++] = (uint32_t)id;
    }
    range.channels = ids;
    if (rc == 0)
        rc = wtl_distributions_read(figure->reader, &range, &d->found, err);
    free(ids);
    if (rc == 0)
        return wtl_fail(err, -ENODATA, "%s: nothing to draw: no power is known",
                        figure->result->trace ? figure->result->trace : "trace");
    if (rc > 0)
        d->found_count = (size_t)rc;
    return rc < 0 ? rc : 0;
}

static int distribution_prepare(struct wtl_figure *figure, struct wattle_error *err)
{
    struct distribution *d = figure->data = calloc(1, sizeof *d);
    if (!d)
        return wtl_no_memory(err);
    int rc = wtl_figure_labels(figure, &d->labels, err);
    if (rc == 0)
        rc = read_distributions(figure, err);
    if (rc == 0)
        rc = wtl_figure_rows_init(figure, &d->rows, d->found_count, LINES, 0, err);
    if (rc < 0)
        return rc;
    fill_rows(figure);
    caption_distribution(figure);
    return 0;
}

static double greatest(const struct wtl_distribution *of)
{
    double most = 0;
    for (size_t i = 0; i < of->bins; i++)
        most = fmax(most, of->share[i]);
    return most;
}

/* The bins as a polygon of steps that stands on the row's line. */
static void draw_histogram(const struct wtl_axes *axes,
                           const struct wtl_panel *panel,
                           double base,
                           const struct wtl_distribution *of,
                           const struct wtl_paint *paint)
{
    struct wtl_xy *corners = malloc((2 * of->bins + 2) * sizeof *corners);
    double most = greatest(of);
    size_t n = 0;
    if (!corners || !(most > 0)) {
        free(corners);
        return;
    }
    corners[n++] = (struct wtl_xy){of->low_w, base};
    for (size_t i = 0; i < of->bins; i++) {
        double y = base - HISTOGRAM * of->share[i] / most;
        corners[n++] = (struct wtl_xy){of->low_w + (double)i * of->step_w, y};
        corners[n++] = (struct wtl_xy){of->low_w + (double)(i + 1) * of->step_w, y};
    }
    corners[n++] = (struct wtl_xy){of->low_w + (double)of->bins * of->step_w, base};
    wtl_plot_area(axes, panel, corners, n, paint);
    free(corners);
}

/* The y axis of a row: a tick at its greatest bin. */
static void draw_scale(const struct wtl_axes *axes,
                       const struct wtl_panel *panel,
                       double base,
                       const struct wtl_distribution *of)
{
    struct wtl_paint ink = {.stroke = WTL_INK, .fill = WTL_NO_COLOR, .width = 0.5};
    struct wtl_font font = wtl_axes_text_font(axes);
    double y = wtl_axes_y(panel, base - HISTOGRAM);
    char text[32];
    (void)snprintf(text, sizeof text, "%s %%", WTL_IN_FIGURES(100 * greatest(of), 3));
    font.size -= 1;
    font.anchor = WTL_ANCHOR_END;
    wtl_canvas_line(axes->canvas, axes->x0 - 2, y, axes->x0, y, &ink);
    wtl_canvas_text(axes->canvas, axes->x0 - 3.5, y + 0.35 * font.size, text, &font);
}

static void draw_box(const struct wtl_axes *axes,
                     const struct wtl_panel *panel,
                     double y,
                     const struct wtl_distribution *of,
                     uint32_t color)
{
    const double *w = of->percentile_w;
    struct wtl_paint line = {.stroke = WTL_INK, .fill = WTL_NO_COLOR, .width = 0.6};
    struct wtl_paint box = {.stroke = WTL_INK, .fill = wtl_palette_tint(color, 0.6), .width = 0.5};
    struct wtl_paint median = {.stroke = WTL_INK, .fill = WTL_NO_COLOR, .width = 1.1};
    const struct wtl_xy corners[] = {{w[WTL_P25], y - BOX_HALF},
                                     {w[WTL_P75], y - BOX_HALF},
                                     {w[WTL_P75], y + BOX_HALF},
                                     {w[WTL_P25], y + BOX_HALF}};
    const struct wtl_xy middle[] = {{w[WTL_P50], y - BOX_HALF}, {w[WTL_P50], y + BOX_HALF}};
    wtl_plot_whisker_x(axes, panel, w[WTL_P5], w[WTL_P95], y, &line);
    wtl_plot_area(axes, panel, corners, 4, &box);
    wtl_plot_line(axes, panel, middle, 2, &median);
}

static void distribution_draw(struct wtl_figure *figure, struct wtl_axes *axes)
{
    struct distribution *d = figure->data;
    const struct wtl_panel *panel = &d->rows.panel;
    const char *quality = d->labels.quality;
    double most = 0;
    char label[64];
    for (size_t i = 0; i < d->rows.count; i++)
        most = fmax(most, d->found[i].low_w + (double)d->found[i].bins * d->found[i].step_w);
    (void)snprintf(label, sizeof label, "Power%s%.20s", quality ? ", " : "",
                   quality ? quality : "");
    axes->x = (struct wtl_chart_axis){
        .label = label, .unit = "W", .high = most > 0 ? 1.02 * most : 1, .grid = true};
    wtl_figure_rows_draw(&d->rows, axes);
    for (size_t i = 0; i < d->rows.count; i++) {
        uint32_t color = wtl_palette_look(0).color;
        struct wtl_paint paint = {
            .stroke = color, .fill = wtl_palette_tint(color, 0.45), .width = 0.5};
        double base = (double)i + 0.1 + HISTOGRAM;
        wtl_canvas_group(axes->canvas, d->rows.names[i]);
        draw_histogram(axes, panel, base - 0.06, &d->found[i], &paint);
        draw_scale(axes, panel, base - 0.06, &d->found[i]);
        draw_box(axes, panel, (double)i + BOX, &d->found[i], color);
        wtl_canvas_group_end(axes->canvas);
    }
}

static void distribution_fini(struct wtl_figure *figure)
{
    struct distribution *d = figure->data;
    if (!d)
        return;
    wtl_distributions_free(d->found, d->found_count);
    wtl_figure_rows_fini(&d->rows);
    wtl_figure_labels_fini(&d->labels);
    free(d);
}

const struct wtl_figure_kind_ops wtl_figure_distribution = {distribution_prepare, distribution_draw,
                                                            distribution_fini};
