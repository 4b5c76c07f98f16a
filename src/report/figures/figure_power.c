/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Power over time: for each channel a line of means and a band from minimum to maximum; gaps stay gaps. If
 * channels differ widely, or are many, each domain gets a panel.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/power/timeline.h"
#include "base/fail.h"
#include "base/whole.h"
#include "plot/plot.h"
#include "report/digits.h"
#include "report/figures/figure_kind.h"
#include "report/figures/figure_strip.h"

enum {
    ONE_PANEL_CHANNELS = 7,
    PANELS_MAX = 6,
    HEIGHT_MM = 52,
    PANEL_MM = 24,
    MOST_STRETCHES = 1 << 20
};
#define ONE_PANEL_RATIO  25.0 /* between the powers of two domains, up to which they share a panel */
#define GAP_PT           0.6  /* a gap is at least so wide */
#define STRETCHES_PER_PT 0.6  /* at least, at most twice as many */

struct curve {
    struct wtl_plot_step *steps;
    size_t count;
    double max_w; /* NaN = nothing is known */
    size_t panel, look;
};

struct power {
    struct wtl_figure_labels labels;
    uint32_t *ids;              /* [labels.count], in the trace */
    struct curve *curves;       /* [labels.count] */
    const struct wtl_gap *gaps; /* borrowed */
    int gap_count;
    uint64_t begin_ns, end_ns;
    double stretch_s;
    struct wtl_panel
        panels[PANELS_MAX + 1]; /* of power, then that of the regions if there are any */
    size_t panel_count;         /* of power */
    struct wtl_figure_strip strip;
    struct wtl_legend *legend; /* [labels.count + 1 + regions] */
    char (*look_labels)[96];   /* [labels.count] */
    char label[40];            /* of the y axis */
};

/* The stretches of a series, cut at the borders of the picture. */
static int fill_curve(const struct wtl_figure *figure,
                      const struct wtl_axis *axis,
                      const struct wtl_series *series,
                      struct curve *curve)
{
    const struct power *power = figure->data;
    curve->steps = calloc(axis->count + 1, sizeof *curve->steps);
    if (!curve->steps)
        return -ENOMEM;
    for (size_t i = 0; i < axis->count; i++) {
        uint64_t begin_ns = axis->begin_ns[i];
        uint64_t end_ns = i + 1 < axis->count ? axis->begin_ns[i + 1] : axis->end_ns;
        begin_ns = begin_ns < power->begin_ns ? power->begin_ns : begin_ns;
        end_ns = end_ns > power->end_ns ? power->end_ns : end_ns;
        if (end_ns <= begin_ns)
            continue;
        bool known = isfinite(series->mean[i]);
        curve->steps[curve->count++] = (struct wtl_plot_step){
            .begin = wtl_figure_seconds(figure, begin_ns),
            .end = wtl_figure_seconds(figure, end_ns),
            .low = known ? (double)series->min[i] : NAN,
            .value = known ? (double)series->mean[i] : NAN,
            .high = known ? (double)series->max[i] : NAN,
        };
        curve->max_w = known ? fmax(curve->max_w, (double)series->max[i]) : curve->max_w;
    }
    return 0;
}

static int read_curves(struct wtl_figure *figure, struct wattle_error *err)
{
    struct power *power = figure->data;
    /* With the rows next to the window: between them and the first in it, power is known, too. */
    uint64_t margin_ns = 2 * figure->result->interval_ns;
    uint64_t first_ns = power->begin_ns > margin_ns ? power->begin_ns - margin_ns : 0;
    struct wtl_trace_range range = {.begin_ns = first_ns,
                                    .end_ns = power->end_ns + margin_ns,
                                    .channels = power->ids,
                                    .channel_count = power->labels.count,
                                    .no_edges = true};
    struct wtl_timeline timeline;
    size_t points =
        wtl_whole_size(figure->width_mm * WTL_PT_PER_MM * STRETCHES_PER_PT, MOST_STRETCHES) + 1;
    int rc = wtl_timeline_read(figure->reader, &range, points, WTL_TIMELINE_BANDS, &timeline, err);
    if (rc < 0)
        return rc;
    for (size_t i = 0; i < power->labels.count && rc == 0; i++) {
        const struct wtl_series *series = wtl_timeline_find(&timeline, power->ids[i]);
        power->curves[i].max_w = NAN;
        if (!series)
            continue;
        rc = fill_curve(figure, &timeline.axes[series->axis], series, &power->curves[i]);
        power->stretch_s = fmax(power->stretch_s, 1e-9 * (double)series->stretch_ns);
    }
    wtl_timeline_fini(&timeline);
    return rc < 0 ? wtl_no_memory(err) : 0;
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

/* Panel, look and label of each curve. */
static void place_curves(struct power *power, bool one)
{
    for (size_t i = 0; i < power->labels.count; i++) {
        struct curve *curve = &power->curves[i];
        size_t before = 0;
        curve->panel = one ? 0 : curve->panel;
        for (size_t k = 0; k < i; k++)
            before += power->curves[k].panel == curve->panel;
        curve->look = before;
        power->panels[curve->panel].y.label =
            one ? power->label : wattle_domain_name(power->labels.channels[i]->channel.domain);
    }
}

static void choose_panels(struct power *power)
{
    double max_w[PANELS_MAX] = {0}, most = 0, least = INFINITY;
    const char *quality = power->labels.quality;
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
    (void)snprintf(power->label, sizeof power->label, "Power%s%.20s", quality ? ", " : "",
                   quality ? quality : "");
    power->panel_count = one ? 1 : domains;
    place_curves(power, one);
    for (size_t i = 0; i < power->panel_count; i++) {
        struct wtl_chart_axis *y = &power->panels[i].y;
        double high = one ? most : max_w[i];
        y->unit = "W";
        y->high = high > 0 ? 1.04 * high : 1;
        y->grid = true;
    }
}

/* Is gap g in the picture, and to which curve does it belong? */
static bool gap_shown(const struct power *power, int g, size_t *ret_curve)
{
    const struct wtl_gap *gap = &power->gaps[g];
    if (gap->end_ns <= power->begin_ns || gap->begin_ns >= power->end_ns)
        return false;
    for (size_t i = 0; i < power->labels.count; i++) {
        if (power->ids[i] == gap->channel) {
            *ret_curve = i;
            return true;
        }
    }
    return false;
}

static void say_gaps(struct wtl_figure *figure)
{
    const struct power *power = figure->data;
    char words[160] = "";
    uint32_t reasons = 0;
    size_t gaps = 0, curve;
    for (int g = 0; g < power->gap_count; g++) {
        if (gap_shown(power, g, &curve)) {
            gaps++;
            reasons |= UINT32_C(1) << power->gaps[g].reason;
        }
    }
    for (unsigned r = 0; r < WTL_GAP_REASON_COUNT; r++) {
        size_t at = strlen(words);
        if (reasons >> r & 1)
            (void)snprintf(words + at, sizeof words - at, "%s%s", at ? ", " : "",
                           wtl_gap_reason_name((enum wtl_gap_reason)r));
    }
    if (gaps > 0)
        wtl_figure_say(figure, "Grey: %zu gap%s in which a channel is unknown (%s).", gaps,
                       gaps == 1 ? "" : "s", words);
}

static void caption_power(struct wtl_figure *figure)
{
    const struct power *power = figure->data;
    char stretch[32];
    wtl_figure_say(figure,
                   "Power over time. Line: mean; band: minimum to maximum of means over at least "
                   "%s. Changes within a single counter update are not drawn.",
                   wtl_digits_time(stretch, sizeof stretch, power->stretch_s));
    if (power->strip.bands.row_count > 0)
        wtl_figure_strip_say(figure, &power->strip);
    say_gaps(figure);
    wtl_figure_say_source(figure, &power->labels);
}

/* Labels, ids in the trace, and memory for what follows. */
static int power_begin(struct wtl_figure *figure, struct power *power, struct wattle_error *err)
{
    int rc = wtl_figure_labels(figure, &power->labels, err);
    if (rc == 0)
        rc = wtl_figure_range(figure, &power->begin_ns, &power->end_ns, err);
    if (rc < 0)
        return rc;
    power->curves = calloc(power->labels.count, sizeof *power->curves);
    power->ids = calloc(power->labels.count, sizeof *power->ids);
    power->look_labels = calloc(power->labels.count, sizeof *power->look_labels);
    if (!power->curves || !power->ids || !power->look_labels)
        return wtl_no_memory(err);
    for (size_t i = 0; i < power->labels.count; i++) {
        const char *name = power->labels.channels[i]->channel.name;
        int id = wtl_trace_reader_find_channel(figure->reader, name);
        if (id < 0)
            return wtl_fail(err, id, "%s: not in the trace", name);
        power->ids[i] = (uint32_t)id;
    }
    return 0;
}

static int power_prepare(struct wtl_figure *figure, struct wattle_error *err)
{
    struct power *power = figure->data = calloc(1, sizeof *power);
    bool known = false;
    if (!power)
        return wtl_no_memory(err);
    int rc = power_begin(figure, power, err);
    if (rc == 0)
        rc = read_curves(figure, err);
    if (rc == 0)
        rc = power->gap_count = wtl_trace_reader_gaps(figure->reader, &power->gaps, err);
    if (rc >= 0)
        rc = wtl_figure_strip_read(figure, &power->strip, err);
    if (rc < 0)
        return rc;
    for (size_t i = 0; i < power->labels.count; i++)
        known |= isfinite(power->curves[i].max_w);
    if (!known)
        return wtl_fail(err, -ENODATA, "%s: nothing to draw: no power is known (%s)",
                        figure->result->trace ? figure->result->trace : "trace",
                        power->gap_count ? wtl_gap_reason_name(power->gaps[0].reason)
                                         : "too few samples");
    size_t entries = power->labels.count + 1 + power->strip.bands.name_count + 1;
    power->legend = calloc(entries, sizeof *power->legend);
    if (!power->legend)
        return wtl_no_memory(err);
    choose_panels(power);
    if (!(figure->height_mm > 0))
        figure->height_mm =
            (power->panel_count == 1 ? HEIGHT_MM : 14 + PANEL_MM * (double)power->panel_count) +
            wtl_figure_strip_height(&power->strip) / WTL_PT_PER_MM;
    caption_power(figure);
    return 0;
}

/* One grey box, from the top to the bottom of a panel. */
static void draw_gap(const struct wtl_axes *axes,
                     const struct wtl_panel *panel,
                     double x0,
                     double x1)
{
    /* Hatching needs a minimum width to be recognisable. */
    struct wtl_paint paint = {.stroke = WTL_NO_COLOR,
                              .fill = WTL_INK_GAP,
                              .hatch = x1 - x0 < 4 ? WTL_FULL : WTL_HATCH_RISING,
                              .opacity = x1 - x0 < 4 ? 0.5 : 1};
    wtl_canvas_rectangle(axes->canvas, x0, panel->top, fmax(x1 - x0, GAP_PT),
                         panel->bottom - panel->top, &paint);
}

/* The gaps of a panel; touching ones are merged, so that thousands do not enlarge the file. */
static void draw_gaps(const struct wtl_figure *figure, const struct wtl_axes *axes, size_t panel)
{
    const struct power *power = figure->data;
    double from = NAN, to = NAN;
    size_t curve;
    for (int g = 0; g < power->gap_count; g++) {
        if (!gap_shown(power, g, &curve) || power->curves[curve].panel != panel)
            continue;
        const struct wtl_gap *gap = &power->gaps[g];
        double x0 = fmax(wtl_axes_x(axes, wtl_figure_seconds(figure, gap->begin_ns)), axes->x0);
        double x1 = fmin(wtl_axes_x(axes, wtl_figure_seconds(figure, gap->end_ns)), axes->x1);
        if (x0 <= to + GAP_PT && x1 >= from - GAP_PT) { /* false while there is none */
            from = fmin(from, x0);
            to = fmax(to, x1);
            continue;
        }
        if (isfinite(from))
            draw_gap(axes, &power->panels[panel], from, to);
        from = x0;
        to = x1;
    }
    if (isfinite(from))
        draw_gap(axes, &power->panels[panel], from, to);
}

/* The part of a name after its domain: "0" of "powercap:package-0". */
static const char *number_of(const struct wattle_channel *channel)
{
    const char *colon = strchr(channel->name, ':'), *dash = strchr(colon ? colon : "", '-');
    return dash ? dash + 1 : "";
}

/* Whether panels share a look: all are then named by numbers, where they have one. */
static bool has_shared_look(const struct power *power)
{
    for (size_t i = 0; i < power->labels.count; i++)
        for (size_t k = 0; k < i; k++)
            if (power->curves[i].look == power->curves[k].look)
                return true;
    return false;
}

/* The label of a look: the channel's; where panels share it, the number or the names. */
static const char *look_label(struct power *power, size_t look)
{
    size_t first = SIZE_MAX, users = 0;
    bool one_number = true;
    char *text = power->look_labels[look];
    text[0] = '\0';
    for (size_t i = 0; i < power->labels.count; i++) {
        if (power->curves[i].look != look)
            continue;
        size_t n = strlen(text);
        first = first == SIZE_MAX ? i : first;
        one_number &= strcmp(number_of(&power->labels.channels[i]->channel),
                             number_of(&power->labels.channels[first]->channel)) == 0;
        (void)snprintf(text + n, sizeof *power->look_labels - n, "%s%.90s", users++ ? ", " : "",
                       power->labels.texts[i]);
    }
    if (one_number && number_of(&power->labels.channels[first]->channel)[0] &&
        (users > 1 || has_shared_look(power)))
        (void)snprintf(text, sizeof *power->look_labels, "no. %.40s",
                       number_of(&power->labels.channels[first]->channel));
    return text;
}

/* Entries for the looks that are used, and one for gaps. */
static size_t fill_legend(const struct wtl_figure *figure)
{
    struct power *power = figure->data;
    size_t n = 0, looks = 0, curve;
    for (size_t i = 0; i < power->labels.count; i++)
        looks = power->curves[i].look + 1 > looks ? power->curves[i].look + 1 : looks;
    /* One channel per panel: the labels of the panels suffice. */
    for (size_t k = 0; k < looks && (power->panel_count == 1 || looks > 1); k++) {
        struct wtl_look look = wtl_palette_look(k);
        power->legend[n++] = (struct wtl_legend){
            .label = look_label(power, k),
            .paint = {.stroke = look.color, .fill = WTL_NO_COLOR, .width = 1, .dash = look.dash}};
    }
    for (int g = 0; g < power->gap_count; g++) {
        if (gap_shown(power, g, &curve)) {
            power->legend[n++] = (struct wtl_legend){
                .label = "gap",
                .paint = {.stroke = WTL_NO_COLOR, .fill = WTL_INK_GAP, .hatch = WTL_HATCH_RISING}};
            break;
        }
    }
    return n + wtl_figure_strip_legend(&power->strip, power->legend + n);
}

static void draw_curves(const struct power *power, const struct wtl_axes *axes)
{
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

static void power_draw(struct wtl_figure *figure, struct wtl_axes *axes)
{
    struct power *power = figure->data;
    double strip = wtl_figure_strip_height(&power->strip);
    axes->x = (struct wtl_chart_axis){.kind = WTL_AXIS_TIME,
                                      .label = "Time",
                                      .low = wtl_figure_seconds(figure, power->begin_ns),
                                      .high = wtl_figure_seconds(figure, power->end_ns)};
    axes->panels = power->panels;
    axes->panel_count = power->panel_count + (strip > 0);
    axes->legend = power->legend;
    axes->legend_count = fill_legend(figure);
    if (strip > 0)
        power->panels[power->panel_count] =
            (struct wtl_panel){.height = strip, .y = {.low = 0, .high = 1, .bare = true}};
    wtl_axes_draw(axes);
    for (size_t i = 0; i < power->panel_count; i++)
        draw_gaps(figure, axes, i);
    draw_curves(power, axes);
    if (strip > 0)
        wtl_figure_strip_draw(figure, &power->strip, axes, &power->panels[power->panel_count]);
}

static void power_fini(struct wtl_figure *figure)
{
    struct power *power = figure->data;
    if (!power)
        return;
    for (size_t i = 0; power->curves && i < power->labels.count; i++)
        free(power->curves[i].steps);
    free(power->curves);
    free(power->ids);
    free(power->legend);
    free(power->look_labels);
    wtl_figure_strip_fini(&power->strip);
    wtl_figure_labels_fini(&power->labels);
    free(power);
}

const struct wtl_figure_kind_ops wtl_figure_power = {power_prepare, power_draw, power_fini};
