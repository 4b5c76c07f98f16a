/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Layout and frame of a figure. From the outside in: the title and the legend take the space they
 * need at the top, the x axis at the bottom, the widest number of all y axes at the left; panels
 * share the rest.
 */
#include "plot/axes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/whole.h"

#define TICK       2.5 /* length of a tick; minor ticks are half as long */
#define GAP        2.0 /* between tick and number, number and label */
#define PANEL_GAP  4.0
#define AXIS_WIDTH 0.5
#define NAMES_PART 0.42 /* maximum fraction of the width for row names */

#define KEY_WIDTH 13.0
#define KEY_GAP   3.0
#define ENTRY_GAP 8.0
#define BELOW     4.0

struct wtl_font wtl_axes_label_font(const struct wtl_axes *axes)
{
    return (struct wtl_font){.size = axes->font_size > 0 ? axes->font_size : 7};
}

struct wtl_font wtl_axes_text_font(const struct wtl_axes *axes)
{
    struct wtl_font font = wtl_axes_label_font(axes);
    font.size -= 0.5;
    return font;
}

/* ---- legend: entries flow from left to right and break into rows; one function measures and draws
 * ---- */

static double legend_row_height(const struct wtl_axes *axes)
{
    return 1.35 * wtl_axes_text_font(axes).size;
}

static size_t legend_rows_max(const struct wtl_axes *axes)
{
    double rows = floor(axes->height / 3 / legend_row_height(axes));
    return rows < 1 ? 1 : wtl_whole_size(rows, SIZE_MAX);
}

static void draw_key(const struct wtl_axes *axes,
                     const struct wtl_legend *entry,
                     double x,
                     double y)
{
    double half = 0.32 * wtl_axes_text_font(axes).size;
    if (entry->below)
        wtl_canvas_rectangle(axes->canvas, x, y - half, KEY_WIDTH, 2 * half,
                             &(struct wtl_paint){.stroke = WTL_NO_COLOR, .fill = entry->below});
    if (entry->paint.fill != WTL_NO_COLOR)
        wtl_canvas_rectangle(axes->canvas, x, y - half, KEY_WIDTH, 2 * half, &entry->paint);
    else if (entry->paint.stroke != WTL_NO_COLOR)
        wtl_canvas_line(axes->canvas, x, y, x + KEY_WIDTH, y, &entry->paint);
    if (entry->has_marker)
        wtl_plot_marker(axes->canvas, x + KEY_WIDTH / 2, y, 2, &entry->look);
}

/* Walk over the entries within a width; draw them if top is a number. Returns the number of
 * rows. */
static size_t walk_legend(const struct wtl_axes *axes, double width, double top)
{
    struct wtl_font font = wtl_axes_text_font(axes);
    size_t row = 0, most = legend_rows_max(axes);
    double x = 0, more_width = wtl_canvas_text_width(axes->canvas, "and 999 more", &font);
    char buf[128];
    for (size_t i = 0; i < axes->legend_count; i++) {
        const struct wtl_legend *entry = &axes->legend[i];
        double room = width - KEY_WIDTH - KEY_GAP;
        wtl_canvas_fit(axes->canvas, buf, sizeof buf, entry->label, &font, room);
        double wide = KEY_WIDTH + KEY_GAP + wtl_canvas_text_width(axes->canvas, buf, &font);
        bool final = i + 1 == axes->legend_count;
        if (x > 0 && (x + wide > width || entry->new_row) && row + 1 < most) {
            row++;
            x = 0;
        }
        double keep = row + 1 == most && !final ? more_width + ENTRY_GAP : 0;
        double y = top + ((double)row + 0.5) * legend_row_height(axes);
        if (x > 0 && x + wide + keep > width) {
            (void)snprintf(buf, sizeof buf, "and %zu more", axes->legend_count - i);
            if (isfinite(top))
                wtl_canvas_text(axes->canvas, axes->x0 + x, y + 0.35 * font.size, buf, &font);
            break;
        }
        if (isfinite(top)) {
            draw_key(axes, entry, axes->x0 + x, y);
            wtl_canvas_text(axes->canvas, axes->x0 + x + KEY_WIDTH + KEY_GAP, y + 0.35 * font.size,
                            buf, &font);
        }
        x += wide + ENTRY_GAP;
    }
    return row + 1;
}

double wtl_legend_rows_height(const struct wtl_axes *axes, size_t rows)
{
    return (double)rows * legend_row_height(axes) + BELOW;
}

/* Height in points including the space below; 0 without entries. At most a third of the figure:
 * entries that do not fit are counted in a last entry. */
static double legend_height(const struct wtl_axes *axes)
{
    if (axes->legend_count == 0)
        return 0;
    /* The left border is not known yet; a tenth of the width is typical, and an extra row does no
     * harm. */
    return wtl_legend_rows_height(axes, walk_legend(axes, 0.85 * axes->width, NAN));
}

void wtl_legend_draw(const struct wtl_axes *axes, double top)
{
    if (axes->legend_count == 0)
        return;
    wtl_canvas_group(axes->canvas, "legend");
    (void)walk_legend(axes, axes->x1 - axes->x0, top);
    wtl_canvas_group_end(axes->canvas);
}

/* ---- axes ---- */

double wtl_axes_row_height(const struct wtl_axes *axes)
{
    return 1.5 * wtl_axes_text_font(axes).size;
}

double wtl_axes_frame_height(const struct wtl_axes *axes, size_t legend_rows)
{
    double text = wtl_axes_text_font(axes).size, label = wtl_axes_label_font(axes).size;
    double x_axis = TICK + GAP + text + GAP + label;
    double legend = legend_rows ? wtl_legend_rows_height(axes, legend_rows) : 0.5 * text;
    return 4 + (axes->title ? 1.4 * label : 0) + legend + x_axis;
}

double wtl_axes_x(const struct wtl_axes *axes, double value)
{
    const struct wtl_ticks *ticks = &axes->x.ticks;
    return axes->x0 + (value - ticks->low) / (ticks->high - ticks->low) * (axes->x1 - axes->x0);
}

double wtl_axes_y(const struct wtl_panel *panel, double value)
{
    const struct wtl_ticks *ticks = &panel->y.ticks;
    double part = (value - ticks->low) / (ticks->high - ticks->low);
    double height = panel->bottom - panel->top;
    return panel->y.kind == WTL_AXIS_NAMES ? panel->top + part * height
                                           : panel->bottom - part * height;
}

static void find_ticks(struct wtl_chart_axis *axis, double length, double per_tick)
{
    size_t wanted = length > 2 * per_tick ? wtl_whole_size(length / per_tick, 8) : 2;
    const char *unit = axis->unit ? axis->unit : "";
    if (axis->kind == WTL_AXIS_TIME)
        wtl_ticks_time(&axis->ticks, axis->low, axis->high, wanted);
    else if (axis->kind == WTL_AXIS_NUMBERS)
        wtl_ticks_numbers(&axis->ticks, axis->low, axis->high, wanted, unit, axis->widen);
    else
        axis->ticks =
            (struct wtl_ticks){.high = axis->name_count ? (double)axis->name_count : 1, .count = 0};
}

/* "Power (kW)" */
static const char *axis_label(const struct wtl_chart_axis *axis, char *buf, size_t n)
{
    const char *label = axis->label ? axis->label : "";
    if (axis->kind == WTL_AXIS_NAMES || !axis->ticks.unit[0] || !label[0])
        (void)snprintf(buf, n, "%s", label);
    else
        (void)snprintf(buf, n, "%s (%s)", label, axis->ticks.unit);
    return buf;
}

/* Width of the widest number, or of names within their limit. */
static double widest(const struct wtl_axes *axes, const struct wtl_chart_axis *axis)
{
    struct wtl_font font = wtl_axes_text_font(axes);
    double most = 0;
    if (axis->bare)
        return 0;
    for (size_t i = 0; i < axis->ticks.count; i++)
        most = fmax(most, wtl_canvas_text_width(axes->canvas, axis->ticks.ticks[i].text, &font));
    for (size_t i = 0; axis->kind == WTL_AXIS_NAMES && i < axis->name_count; i++)
        most = fmax(most, wtl_canvas_text_width(axes->canvas, axis->names[i], &font));
    return axis->kind == WTL_AXIS_NAMES ? fmin(most, NAMES_PART * axes->width) : most;
}

static void place_panels(struct wtl_axes *axes, double top, double bottom)
{
    double fixed = 0, weights = 0, at = top;
    for (size_t i = 0; i < axes->panel_count; i++) {
        const struct wtl_panel *panel = &axes->panels[i];
        fixed += panel->height + (i ? PANEL_GAP : 0);
        weights += panel->height > 0 ? 0 : panel->weight > 0 ? panel->weight : 1;
    }
    double rest = fmax(bottom - top - fixed, 10);
    for (size_t i = 0; i < axes->panel_count; i++) {
        struct wtl_panel *panel = &axes->panels[i];
        double weight = panel->weight > 0 ? panel->weight : 1;
        panel->top = at;
        panel->bottom = at + (panel->height > 0 ? panel->height : rest * weight / weights);
        at = panel->bottom + PANEL_GAP;
        find_ticks(&panel->y, panel->bottom - panel->top, 2.2 * wtl_axes_text_font(axes).size);
    }
}

/* As many as usually fit; more if that gives fewer than three that fit. */
static void find_x_ticks(struct wtl_axes *axes, double length)
{
    double size = wtl_axes_text_font(axes).size, per_tick = 4.2 * size;
    find_ticks(&axes->x, length, per_tick);
    for (int i = 0; i < 3 && axes->x.kind == WTL_AXIS_NUMBERS && axes->x.ticks.count < 3; i++) {
        struct wtl_ticks before = axes->x.ticks;
        per_tick *= 0.7;
        find_ticks(&axes->x, length, per_tick);
        if ((double)axes->x.ticks.count * (widest(axes, &axes->x) + size) > length)
            axes->x.ticks = before;
    }
}

static void lay_out(struct wtl_axes *axes, double *ret_legend_top)
{
    struct wtl_font label = wtl_axes_label_font(axes), text = wtl_axes_text_font(axes);
    double top = axes->top + 2, bottom = axes->top + axes->height - 2, left = 0;
    bool labelled = false;
    if (axes->title)
        top += label.size * 1.4;
    *ret_legend_top = top;
    /* The legend's rows depend only on the width, and the panels on the legend. */
    top += legend_height(axes);
    if (!axes->x.bare)
        bottom -= TICK + GAP + text.size;
    if (axes->x.label)
        bottom -= GAP + label.size;
    place_panels(axes, fmax(top, axes->top + text.size * 0.5), bottom);
    for (size_t i = 0; i < axes->panel_count; i++) {
        const struct wtl_chart_axis *y = &axes->panels[i].y;
        double tick = y->bare ? 0 : y->kind == WTL_AXIS_NAMES ? GAP : TICK + GAP;
        left = fmax(left, widest(axes, y) + tick);
        labelled |= y->label != NULL;
    }
    axes->x0 = axes->left + 2 + left + (labelled ? label.size + GAP : 0);
    axes->x1 = axes->left + axes->width - 3;
    find_x_ticks(axes, axes->x1 - axes->x0);
    /* The last number may extend beyond the axis by half its width. */
    if (axes->x.ticks.count > 0 && !axes->x.bare) {
        const struct wtl_tick *last = &axes->x.ticks.ticks[axes->x.ticks.count - 1];
        double half = wtl_canvas_text_width(axes->canvas, last->text, &text) / 2;
        double out = wtl_axes_x(axes, last->value) + half - (axes->left + axes->width - 1);
        axes->x1 -= fmax(out, 0);
    }
}

static void draw_grid(const struct wtl_axes *axes, const struct wtl_panel *panel)
{
    struct wtl_paint grid = {.stroke = WTL_INK_GRID, .fill = WTL_NO_COLOR, .width = 0.4};
    for (size_t i = 0; panel->y.grid && i < panel->y.ticks.count; i++) {
        double y = wtl_axes_y(panel, panel->y.ticks.ticks[i].value);
        wtl_canvas_line(axes->canvas, axes->x0, y, axes->x1, y, &grid);
    }
    for (size_t i = 0; axes->x.grid && i < axes->x.ticks.count; i++) {
        double x = wtl_axes_x(axes, axes->x.ticks.ticks[i].value);
        wtl_canvas_line(axes->canvas, x, panel->top, x, panel->bottom, &grid);
    }
}

/* Minor ticks between the others: step by step from the first multiple in the axis. */
static size_t minor_ticks(const struct wtl_ticks *ticks, double *values, size_t most)
{
    size_t n = 0;
    if (!(ticks->minor > 0))
        return 0;
    double k = ceil(ticks->low / ticks->minor - 1e-9);
    for (; n < most && k * ticks->minor <= ticks->high + ticks->minor * 1e-6; k++)
        values[n++] = k * ticks->minor;
    return n;
}

static void draw_y(const struct wtl_axes *axes, const struct wtl_panel *panel)
{
    struct wtl_paint ink = {.stroke = WTL_INK, .fill = WTL_NO_COLOR, .width = AXIS_WIDTH};
    struct wtl_font font = wtl_axes_text_font(axes);
    double small[160], x = axes->x0;
    char buf[256];
    font.anchor = WTL_ANCHOR_END;
    if (panel->y.bare)
        return;
    wtl_canvas_line(axes->canvas, x, panel->top, x, panel->bottom, &ink);
    for (size_t n = minor_ticks(&panel->y.ticks, small, 160), i = 0; i < n; i++) {
        double y = wtl_axes_y(panel, small[i]);
        wtl_canvas_line(axes->canvas, x - TICK / 2, y, x, y, &ink);
    }
    for (size_t i = 0; i < panel->y.ticks.count; i++) {
        double y = wtl_axes_y(panel, panel->y.ticks.ticks[i].value);
        wtl_canvas_line(axes->canvas, x - TICK, y, x, y, &ink);
        wtl_canvas_text(axes->canvas, x - TICK - GAP, y + 0.35 * font.size,
                        panel->y.ticks.ticks[i].text, &font);
    }
    for (size_t i = 0; panel->y.kind == WTL_AXIS_NAMES && i < panel->y.name_count; i++) {
        double y = wtl_axes_y(panel, (double)i + 0.5) + 0.35 * font.size;
        wtl_canvas_fit(axes->canvas, buf, sizeof buf, panel->y.names[i], &font,
                       NAMES_PART * axes->width + 1);
        wtl_canvas_text(axes->canvas, x - GAP, y, buf, &font);
    }
}

static void draw_y_label(const struct wtl_axes *axes, const struct wtl_panel *panel)
{
    struct wtl_font font = wtl_axes_label_font(axes);
    char buf[96];
    if (!panel->y.label)
        return;
    font.anchor = WTL_ANCHOR_MIDDLE;
    font.upright = true;
    wtl_canvas_text(axes->canvas, axes->left + 1 + font.size, (panel->top + panel->bottom) / 2,
                    axis_label(&panel->y, buf, sizeof buf), &font);
}

static void draw_x(const struct wtl_axes *axes, const struct wtl_panel *panel, bool last)
{
    struct wtl_paint ink = {.stroke = WTL_INK, .fill = WTL_NO_COLOR, .width = AXIS_WIDTH};
    struct wtl_font font = wtl_axes_text_font(axes), label = wtl_axes_label_font(axes);
    double small[160], y = panel->bottom;
    char buf[96];
    font.anchor = label.anchor = WTL_ANCHOR_MIDDLE;
    if (axes->x.bare)
        return;
    if (!panel->y.bare || last)
        wtl_canvas_line(axes->canvas, axes->x0, y, axes->x1, y, &ink);
    for (size_t n = minor_ticks(&axes->x.ticks, small, 160), i = 0; last && i < n; i++) {
        double x = wtl_axes_x(axes, small[i]);
        wtl_canvas_line(axes->canvas, x, y, x, y + TICK / 2, &ink);
    }
    for (size_t i = 0; last && i < axes->x.ticks.count; i++) {
        double x = wtl_axes_x(axes, axes->x.ticks.ticks[i].value);
        wtl_canvas_line(axes->canvas, x, y, x, y + TICK, &ink);
        wtl_canvas_text(axes->canvas, x, y + TICK + GAP + 0.75 * font.size,
                        axes->x.ticks.ticks[i].text, &font);
    }
    if (last && axes->x.label)
        wtl_canvas_text(axes->canvas, (axes->x0 + axes->x1) / 2,
                        y + TICK + 2 * GAP + font.size + 0.75 * label.size,
                        axis_label(&axes->x, buf, sizeof buf), &label);
}

void wtl_axes_draw(struct wtl_axes *axes)
{
    double legend_top = 0;
    struct wtl_font title = wtl_axes_label_font(axes);
    char buf[512];
    lay_out(axes, &legend_top);
    wtl_canvas_group(axes->canvas, "axes");
    if (axes->title) {
        title.bold = true;
        wtl_canvas_fit(axes->canvas, buf, sizeof buf, axes->title, &title,
                       wtl_canvas_safe_width(axes->canvas, axes->x1 - axes->x0));
        wtl_canvas_text(axes->canvas, axes->x0, axes->top + 2 + title.size, buf, &title);
    }
    for (size_t i = 0; i < axes->panel_count; i++) {
        draw_grid(axes, &axes->panels[i]);
        draw_y(axes, &axes->panels[i]);
        draw_y_label(axes, &axes->panels[i]);
        draw_x(axes, &axes->panels[i], i + 1 == axes->panel_count);
    }
    wtl_canvas_group_end(axes->canvas);
    wtl_legend_draw(axes, legend_top);
}
