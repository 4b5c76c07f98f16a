/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Power over time: for each channel a line of means and a band from the least to the greatest; gaps stay
 * gaps. Channels of very different size, or many, get a panel for each domain.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "report/digits.h"
#include "report/figure_kind.h"
#include "report/plot.h"

enum { ONE_PANEL_CHANNELS = 7, PANELS_MAX = 6, HEIGHT_MM = 52, PANEL_MM = 24 };
#define ONE_PANEL_RATIO  25.0 /* between the powers of two domains, up to which they share a panel */
#define STRETCHES_PER_PT 0.75

struct curve {
    struct wtl_plot_step *steps;
    size_t count;
    double max_w; /* NaN = nothing is known */
    size_t panel;
    size_t look;
};

struct power {
    struct wtl_figure_labels labels;
    struct curve *curves;       /* [labels.count] */
    const struct wtl_gap *gaps; /* borrowed */
    int gap_count;
    uint64_t begin_ns, end_ns, stretch_ns;
    struct wtl_panel panels[PANELS_MAX];
    size_t panel_count;
    struct wtl_legend *legend;
};

/* Points of the pyramid as at most `room` steps. Where several become one, the mean is weighted with time. */
static int fill_curve(struct wtl_figure *figure,
                      struct curve *curve,
                      const struct wtl_power_point *points,
                      size_t n,
                      size_t room)
{
    const struct power *power = figure->data;
    double width_ns = (double)(power->end_ns - power->begin_ns) / (double)room;
    curve->steps = calloc(n ? n : 1, sizeof *curve->steps);
    curve->max_w = NAN;
    if (!curve->steps)
        return -ENOMEM;
    for (size_t i = 0; i < n;) {
        uint64_t begin = points[i].begin_ns, end = points[i].end_ns;
        bool known = isfinite(points[i].mean_w);
        double low = points[i].min_w, high = points[i].max_w;
        double sum = points[i].mean_w * (double)(end - begin), time = (double)(end - begin);
        for (i++; i < n && isfinite(points[i].mean_w) == known && points[i].begin_ns == end &&
                  (double)(points[i].end_ns - begin) <= width_ns;
             i++) {
            low = fmin(low, points[i].min_w);
            high = fmax(high, points[i].max_w);
            sum += points[i].mean_w * (double)(points[i].end_ns - end);
            time += (double)(points[i].end_ns - end);
            end = points[i].end_ns;
        }
        begin = begin < power->begin_ns ? power->begin_ns : begin;
        end = end > power->end_ns ? power->end_ns : end;
        if (end <= begin)
            continue;
        curve->steps[curve->count++] = (struct wtl_plot_step){
            .begin = wtl_figure_seconds(figure, begin),
            .end = wtl_figure_seconds(figure, end),
            .low = known ? low : NAN,
            .value = known ? sum / time : NAN,
            .high = known ? high : NAN,
        };
        curve->max_w = known ? fmax(curve->max_w, high) : curve->max_w;
    }
    return 0;
}

static int read_curve(struct wtl_figure *figure, size_t i, size_t room, struct wattle_error *err)
{
    struct power *power = figure->data;
    struct wtl_trace_range range = {.begin_ns = power->begin_ns, .end_ns = power->end_ns};
    struct wtl_power_point *points;
    uint64_t stretch_ns;
    int id = wtl_trace_reader_find_channel(figure->reader, power->labels.channels[i]->channel.name);
    if (id < 0)
        return wtl_fail(err, id, "%s: not in the trace", power->labels.channels[i]->channel.name);
    int n = wtl_trace_reader_power(figure->reader, (uint32_t)id, &range, room, &points, &stretch_ns,
                                   err);
    if (n < 0)
        return n;
    power->stretch_ns = stretch_ns > power->stretch_ns ? stretch_ns : power->stretch_ns;
    int rc = fill_curve(figure, &power->curves[i], points, (size_t)n, room);
    free(points);
    return rc < 0 ? wtl_fail(err, rc, "not enough memory") : 0;
}

/* The panel of a domain, if each gets its own: their order is that of the channels. */
static size_t domain_panel(const struct power *power, size_t i)
{
    enum wattle_domain seen[PANELS_MAX];
    size_t n = 0;
    for (size_t k = 0; k <= i; k++) {
        enum wattle_domain domain = power->labels.channels[k]->channel.domain;
        size_t at = 0;
        while (at < n && seen[at] != domain)
            at++;
        if (at == n && n < PANELS_MAX)
            seen[n++] = domain;
        if (k == i)
            return at < PANELS_MAX ? at : PANELS_MAX - 1;
    }
    return 0;
}

static void choose_panels(struct power *power)
{
    double max_w[PANELS_MAX] = {0}, most = 0, least = INFINITY;
    size_t domains = 0;
    for (size_t i = 0; i < power->labels.count; i++) {
        size_t panel = power->curves[i].panel = domain_panel(power, i);
        domains = panel + 1 > domains ? panel + 1 : domains;
        max_w[panel] = fmax(max_w[panel], power->curves[i].max_w);
    }
    for (size_t i = 0; i < domains; i++) {
        most = fmax(most, max_w[i]);
        least = max_w[i] > 0 ? fmin(least, max_w[i]) : least;
    }
    bool one = power->labels.count <= ONE_PANEL_CHANNELS && most <= least * ONE_PANEL_RATIO;
    power->panel_count = one ? 1 : domains;
    for (size_t i = 0; i < power->labels.count; i++) {
        size_t k = 0;
        power->curves[i].panel = one ? 0 : power->curves[i].panel;
        for (size_t j = 0; j < i; j++)
            k += power->curves[j].panel == power->curves[i].panel;
        power->curves[i].look = one ? i : k;
        const char *domain = wattle_domain_name(power->labels.channels[i]->channel.domain);
        power->panels[power->curves[i].panel].y.label = one ? "Power" : domain;
    }
    for (size_t i = 0; i < power->panel_count; i++) {
        struct wtl_chart_axis *y = &power->panels[i].y;
        y->unit = "W";
        y->high = one ? most : max_w[i];
        y->high = y->high > 0 ? 1.04 * y->high : 1;
        y->grid = true;
    }
}

static bool gap_shown(const struct power *power,
                      const struct wtl_figure *figure,
                      int g,
                      size_t *ret_curve)
{
    const struct wtl_gap *gap = &power->gaps[g];
    if (gap->end_ns <= power->begin_ns || gap->begin_ns >= power->end_ns)
        return false;
    const struct wtl_trace_channel *of = wtl_trace_reader_channel(figure->reader, gap->channel);
    for (size_t i = 0; of && i < power->labels.count; i++) {
        if (strcmp(of->channel.name, power->labels.channels[i]->channel.name) == 0) {
            *ret_curve = i;
            return true;
        }
    }
    return false;
}

static void say(struct wtl_figure *figure)
{
    struct power *power = figure->data;
    uint32_t reasons = 0;
    size_t gaps = 0, curve;
    char stretch[32];
    wtl_figure_say(figure,
                   "Power over time. Line: mean; band: least to greatest mean over at least %s.",
                   wtl_digits_time(stretch, sizeof stretch, 1e-9 * (double)power->stretch_ns));
    for (int g = 0; g < power->gap_count; g++) {
        if (!gap_shown(power, figure, g, &curve))
            continue;
        gaps++;
        reasons |= UINT32_C(1) << power->gaps[g].reason;
    }
    if (gaps > 0) {
        char words[160] = "";
        for (unsigned r = 0, n = 0; r < WTL_GAP_REASON_COUNT; r++)
            if (reasons >> r & 1) {
                size_t at = strlen(words);
                (void)snprintf(words + at, sizeof words - at, "%s%s", n++ ? ", " : "",
                               wtl_gap_reason_name((enum wtl_gap_reason)r));
            }
        wtl_figure_say(figure, "Hatched: %zu gap%s in which a channel is unknown (%s).", gaps,
                       gaps == 1 ? "" : "s", words);
    }
    wtl_figure_say_source(figure, &power->labels);
}

static int power_prepare(struct wtl_figure *figure, struct wattle_error *err)
{
    struct power *power = figure->data = calloc(1, sizeof *power);
    if (!power)
        return wtl_fail(err, -ENOMEM, "not enough memory");
    int rc = wtl_figure_labels(figure->result, &power->labels, err);
    if (rc == 0)
        rc = wtl_figure_range(figure, &power->begin_ns, &power->end_ns, err);
    if (rc < 0)
        return rc;
    power->curves = calloc(power->labels.count, sizeof *power->curves);
    power->legend = calloc(power->labels.count + 1, sizeof *power->legend);
    if (!power->curves || !power->legend)
        return wtl_fail(err, -ENOMEM, "not enough memory");
    size_t room = (size_t)(figure->width_mm * WTL_PT_PER_MM * STRETCHES_PER_PT);
    bool known = false;
    for (size_t i = 0; i < power->labels.count; i++) {
        if ((rc = read_curve(figure, i, room, err)) < 0)
            return rc;
        known |= isfinite(power->curves[i].max_w);
    }
    if ((power->gap_count = wtl_trace_reader_gaps(figure->reader, &power->gaps, err)) < 0)
        return power->gap_count;
    if (!known)
        return wtl_fail(err, -ENODATA, "%s: there is nothing to draw, since no power is known (%s)",
                        figure->result->trace ? figure->result->trace : "trace",
                        power->gap_count ? wtl_gap_reason_name(power->gaps[0].reason)
                                         : "too few samples");
    choose_panels(power);
    if (!(figure->height_mm > 0))
        figure->height_mm =
            power->panel_count == 1 ? HEIGHT_MM : 14 + PANEL_MM * (double)power->panel_count;
    say(figure);
    return 0;
}

static void draw_gaps(const struct wtl_figure *figure, const struct wtl_axes *axes)
{
    const struct power *power = figure->data;
    struct wtl_paint paint = {
        .stroke = WTL_NO_COLOR, .fill = WTL_INK_GAP, .hatch = WTL_HATCH_RISING};
    size_t curve;
    for (int g = 0; g < power->gap_count; g++) {
        if (!gap_shown(power, figure, g, &curve))
            continue;
        const struct wtl_gap *gap = &power->gaps[g];
        const struct wtl_panel *panel = &power->panels[power->curves[curve].panel];
        double x0 = fmax(wtl_axes_x(axes, wtl_figure_seconds(figure, gap->begin_ns)), axes->x0);
        double x1 = fmin(wtl_axes_x(axes, wtl_figure_seconds(figure, gap->end_ns)), axes->x1);
        wtl_canvas_rectangle(axes->canvas, x0, panel->top, fmax(x1 - x0, 0.6),
                             panel->bottom - panel->top, &paint);
    }
}

/* Entries for the looks that are used, and one for gaps. */
static size_t fill_legend(const struct wtl_figure *figure)
{
    struct power *power = figure->data;
    size_t n = 0, curve;
    for (size_t i = 0; i < power->labels.count; i++) {
        struct wtl_look look = wtl_palette_look(power->curves[i].look);
        power->legend[n++] = (struct wtl_legend){
            .label = power->labels.texts[i],
            .paint = {.stroke = look.color, .fill = WTL_NO_COLOR, .width = 1, .dash = look.dash}};
    }
    for (int g = 0; g < power->gap_count; g++) {
        if (gap_shown(power, figure, g, &curve)) {
            power->legend[n++] = (struct wtl_legend){
                .label = "gap",
                .paint = {.stroke = WTL_NO_COLOR, .fill = WTL_INK_GAP, .hatch = WTL_HATCH_RISING}};
            break;
        }
    }
    return n;
}

static void power_draw(struct wtl_figure *figure, struct wtl_axes *axes)
{
    struct power *power = figure->data;
    axes->x = (struct wtl_chart_axis){.kind = WTL_AXIS_TIME,
                                      .label = "Time",
                                      .low = wtl_figure_seconds(figure, power->begin_ns),
                                      .high = wtl_figure_seconds(figure, power->end_ns)};
    axes->panels = power->panels;
    axes->panel_count = power->panel_count;
    axes->legend = power->legend;
    axes->legend_count = fill_legend(figure);
    wtl_axes_draw(axes);
    draw_gaps(figure, axes);
    for (size_t i = 0; i < power->labels.count; i++) {
        const struct curve *curve = &power->curves[i];
        struct wtl_look look = wtl_palette_look(curve->look);
        struct wtl_paint band = {.stroke = WTL_NO_COLOR, .fill = look.color, .opacity = 0.25};
        wtl_plot_band(axes, &power->panels[curve->panel], curve->steps, curve->count, &band);
    }
    for (size_t i = 0; i < power->labels.count; i++) {
        const struct curve *curve = &power->curves[i];
        struct wtl_look look = wtl_palette_look(curve->look);
        struct wtl_paint line = {
            .stroke = look.color, .fill = WTL_NO_COLOR, .width = 0.8, .dash = look.dash};
        wtl_canvas_group(axes->canvas, power->labels.texts[i]);
        wtl_plot_steps(axes, &power->panels[curve->panel], curve->steps, curve->count, &line);
        wtl_canvas_group_end(axes->canvas);
    }
}

static void power_fini(struct wtl_figure *figure)
{
    struct power *power = figure->data;
    if (!power)
        return;
    for (size_t i = 0; power->curves && i < power->labels.count; i++)
        free(power->curves[i].steps);
    free(power->curves);
    free(power->legend);
    wtl_figure_labels_fini(&power->labels);
    free(power);
}

const struct wtl_figure_kind_ops wtl_figure_power = {power_prepare, power_draw, power_fini};
