/* SPDX-License-Identifier: BSD-3-Clause */
/* Heat map: one row per node or per group of adjacent nodes; darker is more power. And shares of the total. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "plot/plot.h"
#include "report/cluster/run_figure_kind.h"
#include "report/cluster/run_shares.h"
#include "report/digits.h"

enum { ROWS_MAX = 96, COLUMNS_MAX = 240, SHADES = 24, LABELS_MAX = 24, SCALE_PT = 14 };
#define ROW_MM 3.0

/* Some colours of cividis (J. R. Nunez and others, PLOS ONE 13 (2018)), from pale to dark: for all kinds of eyes and grey prints. */
static const unsigned char steps[][3] = {{255, 234, 70},  {203, 186, 105}, {148, 142, 119},
                                         {102, 105, 112}, {53, 69, 108},   {0, 32, 77}};

static uint32_t shade(size_t i)
{
    size_t last = sizeof steps / sizeof *steps - 1;
    double at = (double)i / (SHADES - 1) * (double)last;
    size_t low = (size_t)at, high = low < last ? low + 1 : last;
    uint32_t color = 0;
    for (size_t c = 0; c < 3; c++) {
        double value = steps[low][c] + (at - (double)low) * (steps[high][c] - steps[low][c]);
        color = color << 8 | (uint32_t)lround(value);
    }
    return color;
}

static int make_heat(const struct wtl_run_figure *figure, struct wtl_run_heat *heat)
{
    return wtl_run_heat_make(figure->data->profile, figure->options->by_energy, ROWS_MAX,
                             COLUMNS_MAX, heat);
}

static int nodes_prepare(struct wtl_run_figure *figure, struct wattle_error *err)
{
    const struct wtl_axes usual = {0};
    const struct wtl_run_profile *p = figure->data->profile;
    struct wtl_run_heat heat;
    if (make_heat(figure, &heat) < 0)
        return wtl_no_memory(err);
    bool known = !isnan(heat.low);
    size_t rows = heat.rows;
    wtl_run_heat_fini(&heat);
    if (!known)
        return wtl_fail(err, -ENODATA, "nothing to draw: no power is known");
    if (!(figure->height_mm > 0))
        figure->height_mm = (wtl_axes_frame_height(&usual, 0) + SCALE_PT) / WTL_PT_PER_MM +
                            fmax(25, fmin(ROW_MM * (double)rows, 110));
    wtl_run_figure_say(figure, "Power of each node over time, nodes sorted by %s.",
                       figure->options->by_energy ? "energy, lowest at the top" : "name");
    if (rows < p->node_count)
        wtl_run_figure_say(figure, "Each row is the mean of %zu to %zu adjacent nodes.",
                           p->node_count / rows, (p->node_count + rows - 1) / rows);
    wtl_run_figure_say(figure, "White: unknown.");
    wtl_run_figure_say_source(figure);
    return 0;
}

/* One rectangle for neighbours of the same shade: limits the file to a few hundred KB. */
static void draw_row(const struct wtl_axes *axes,
                     const struct wtl_panel *panel,
                     const struct wtl_run_heat *heat,
                     size_t row,
                     double length_s)
{
    double scale = heat->high > heat->low ? (SHADES - 1) / (double)(heat->high - heat->low) : 0;
    double top = wtl_axes_y(panel, (double)row), bottom = wtl_axes_y(panel, (double)row + 1);
    const float *power = heat->power + row * heat->columns;
    long before = -1;
    size_t from = 0;
    for (size_t c = 0; c <= heat->columns; c++) {
        long now = c == heat->columns || isnan(power[c])
                       ? -1
                       : lround((double)(power[c] - heat->low) * scale);
        if (c < heat->columns && now == before)
            continue;
        double x0 = wtl_axes_x(axes, (double)from / (double)heat->columns * length_s);
        double x1 = wtl_axes_x(axes, (double)c / (double)heat->columns * length_s);
        struct wtl_paint paint = {.stroke = WTL_NO_COLOR,
                                  .fill = before >= 0 ? shade((size_t)before) : WTL_NO_COLOR};
        if (before >= 0)
            wtl_canvas_rectangle(axes->canvas, x0, top, x1 - x0 + 0.15, bottom - top + 0.15,
                                 &paint);
        before = now;
        from = c;
    }
}

static void draw_scale(const struct wtl_run_figure *figure,
                       const struct wtl_axes *axes,
                       double top,
                       const struct wtl_run_heat *heat)
{
    struct wtl_font font = wtl_axes_text_font(axes);
    double width = 60, left = axes->x0 + 40, step = width / SHADES;
    char low[32], high[128], number[32], label[64];
    (void)wtl_digits_short(low, sizeof low, (double)heat->low);
    (void)snprintf(high, sizeof high, "%s W (%s)",
                   wtl_digits_short(number, sizeof number, (double)heat->high),
                   wtl_run_figure_label(figure, "power", label, sizeof label));
    for (size_t i = 0; i < SHADES; i++) {
        struct wtl_paint paint = {.stroke = WTL_NO_COLOR, .fill = shade(i)};
        wtl_canvas_rectangle(axes->canvas, left + (double)i * step, top, step + 0.15, 6, &paint);
    }
    wtl_canvas_text(axes->canvas, left + width + 3, top + 5.5, high, &font);
    font.anchor = WTL_ANCHOR_END;
    wtl_canvas_text(axes->canvas, left - 3, top + 5.5, low, &font);
}

static void nodes_draw(const struct wtl_run_figure *figure, struct wtl_axes *axes)
{
    const struct wtl_run_profile *p = figure->data->profile;
    const char *names[ROWS_MAX];
    struct wtl_run_heat heat;
    struct wtl_panel panel = {0};
    double top = axes->top + (axes->title ? 12 : 3);
    if (make_heat(figure, &heat) < 0)
        return;
    size_t every = (heat.rows + LABELS_MAX - 1) / LABELS_MAX;
    for (size_t r = 0; r < heat.rows; r++)
        names[r] = r % every ? "" : p->nodes[heat.order[heat.first[r]]].name;
    axes->top += SCALE_PT;
    axes->height -= SCALE_PT;
    axes->x = (struct wtl_chart_axis){
        .kind = WTL_AXIS_TIME, .label = "Time", .unit = "s", .high = p->length_s};
    panel.y =
        (struct wtl_chart_axis){.kind = WTL_AXIS_NAMES, .names = names, .name_count = heat.rows};
    axes->panels = &panel;
    axes->panel_count = 1;
    wtl_axes_draw(axes);
    draw_scale(figure, axes, top, &heat);
    for (size_t r = 0; r < heat.rows; r++)
        draw_row(axes, &panel, &heat, r, p->length_s);
    wtl_run_heat_fini(&heat);
}

static void nodes_table(const struct wtl_run_figure *figure, FILE *out)
{
    const struct wtl_run_profile *p = figure->data->profile;
    struct wtl_run_heat heat;
    if (make_heat(figure, &heat) < 0)
        return;
    (void)fputs("# time_s row power_w; a row for each of:", out);
    for (size_t r = 0; r < heat.rows; r++) {
        (void)fputc(' ', out);
        wtl_run_put_quoted(out, p->nodes[heat.order[heat.first[r]]].name);
    }
    (void)fputc('\n', out);
    for (size_t r = 0; r < heat.rows; r++) {
        for (size_t c = 0; c < heat.columns; c++) {
            wtl_run_put_number(out, ((double)c + 0.5) / (double)heat.columns * p->length_s);
            (void)fprintf(out, " %zu ", r);
            if (isnan(heat.power[r * heat.columns + c]))
                (void)fputs("NaN", out); /* an image has no missing cells */
            else
                wtl_run_put_number(out, (double)heat.power[r * heat.columns + c]);
            (void)fputc('\n', out);
        }
        (void)fputc('\n', out);
    }
    wtl_run_heat_fini(&heat);
}

static void nodes_script(const struct wtl_run_figure *figure, const char *data_name, FILE *out)
{
    char label[64];
    struct wtl_run_heat heat;
    if (make_heat(figure, &heat) < 0)
        return;
    (void)fputs("file = ", out);
    wtl_run_put_quoted(out, data_name);
    (void)fprintf(out,
                  "\nset xlabel 'Time (s)'\nset ylabel 'Node'\nset cblabel '%s (W)'\nunset key\n",
                  wtl_run_figure_label(figure, "Power", label, sizeof label));
    (void)fputs("set autoscale xfix\n"
                "set palette defined (0 '#ffea46', 1 '#cbba69', 2 '#948e77', 3 '#666970', 4 "
                "'#35456c', 5 '#00204d')\n"
                "set xtics out\nset ytics out (",
                out);
    size_t every = (heat.rows + LABELS_MAX - 1) / LABELS_MAX;
    for (size_t r = 0; r < heat.rows; r += every) {
        (void)fputs(r ? ", " : "", out);
        wtl_run_put_quoted(out, figure->data->profile->nodes[heat.order[heat.first[r]]].name);
        (void)fprintf(out, " %zu", r);
    }
    (void)fprintf(out, ")\nplot [][%.1f:-0.5] file using 1:2:3 with image\n",
                  (double)heat.rows - 0.5);
    wtl_run_heat_fini(&heat);
}

const struct wtl_run_figure_ops wtl_run_figure_nodes = {.of_run = true,
                                                        .prepare = nodes_prepare,
                                                        .draw = nodes_draw,
                                                        .script = nodes_script,
                                                        .table = nodes_table};

/* ---- shares ---- */

enum { BAR_MM = 6 };

static int domains_prepare(struct wtl_run_figure *figure, struct wattle_error *err)
{
    const struct wtl_axes usual = {0};
    struct wtl_run_share shares[WTL_PROFILE_PARTS + 1];
    size_t count = wtl_run_shares(figure->data->profile, shares);
    if (count == 0)
        return wtl_fail(err, -ENODATA, "nothing to draw: no total is known");
    if (!(figure->height_mm > 0))
        figure->height_mm =
            wtl_axes_frame_height(&usual, 0) / WTL_PT_PER_MM + BAR_MM * (double)count;
    wtl_run_figure_say(figure, "Energy by part of the machine, as shares of the total.");
    if (shares[count - 1].rest)
        wtl_run_figure_say(figure, "Hatched: rest of the total (derived).");
    wtl_run_figure_say_source(figure);
    return 0;
}

static void domains_draw(const struct wtl_run_figure *figure, struct wtl_axes *axes)
{
    struct wtl_run_share shares[WTL_PROFILE_PARTS + 1];
    const char *names[WTL_PROFILE_PARTS + 1];
    size_t count = wtl_run_shares(figure->data->profile, shares);
    struct wtl_font font = wtl_axes_text_font(axes);
    struct wtl_panel panel = {0};
    double most = 0;
    for (size_t i = 0; i < count; i++) {
        names[i] = shares[i].name;
        most = fmax(most, 100 * shares[i].share);
    }
    char label[48];
    axes->x = (struct wtl_chart_axis){
        .label = wtl_run_figure_label(figure, "Share of the energy", label, sizeof label),
        .unit = "%",
        .high = fmin(1.05 * most, 100),
        .grid = true};
    panel.y = (struct wtl_chart_axis){.kind = WTL_AXIS_NAMES, .names = names, .name_count = count};
    axes->panels = &panel;
    axes->panel_count = 1;
    wtl_axes_draw(axes);
    for (size_t i = 0; i < count; i++) {
        uint32_t color = shares[i].rest ? WTL_INK_FAINT : wtl_palette_look(i).color;
        struct wtl_paint paint = {.stroke = color,
                                  .fill = shares[i].rest ? color : wtl_palette_tint(color, 0.7),
                                  .width = 0.5,
                                  .hatch = shares[i].rest ? WTL_HATCH_FALLING : WTL_FULL};
        char text[64], energy[32];
        (void)snprintf(text, sizeof text, "%.1f %%, %sJ", 100 * shares[i].share,
                       wtl_digits_si(energy, sizeof energy, shares[i].energy_j, NAN));
        wtl_plot_bar(axes, &panel, i, 0.62, 0, 100 * shares[i].share, &paint);
        /* Inside a long bar, next to a short one. */
        bool within = shares[i].share * 100 > 0.6 * axes->x.high;
        font.anchor = within ? WTL_ANCHOR_END : WTL_ANCHOR_START;
        wtl_canvas_text(axes->canvas, wtl_axes_x(axes, 100 * shares[i].share) + (within ? -3 : 3),
                        wtl_axes_y(&panel, (double)i + 0.5) + 0.35 * font.size, text, &font);
    }
}

static void domains_table(const struct wtl_run_figure *figure, FILE *out)
{
    struct wtl_run_share shares[WTL_PROFILE_PARTS + 1];
    size_t count = wtl_run_shares(figure->data->profile, shares);
    (void)fputs("# row name share_percent energy_j\n", out);
    for (size_t i = 0; i < count; i++) {
        (void)fprintf(out, "%zu ", i + 1);
        wtl_run_put_data_text(out, shares[i].name);
        (void)fputc(' ', out);
        wtl_run_put_number(out, 100 * shares[i].share);
        (void)fputc(' ', out);
        wtl_run_put_number(out, shares[i].energy_j);
        (void)fputc('\n', out);
    }
}

static void domains_script(const struct wtl_run_figure *figure, const char *data_name, FILE *out)
{
    struct wtl_run_share shares[WTL_PROFILE_PARTS + 1];
    size_t count = wtl_run_shares(figure->data->profile, shares);
    (void)fputs("file = ", out);
    wtl_run_put_quoted(out, data_name);
    (void)fputc('\n', out);
    wtl_run_put_label(out, figure, "Share of the energy", "%");
    (void)fputs("set boxwidth 0.6\n"
                "set style fill solid 0.6\nset yrange [0:*]\nunset key\n"
                "set xtics out\n",
                out);
    (void)fprintf(out, "plot [0.4:%.1f] file using 1:3:xtic(2) with boxes lc rgb '#0072b2'\n",
                  (double)count + 0.6);
}

const struct wtl_run_figure_ops wtl_run_figure_domains = {.of_run = true,
                                                          .prepare = domains_prepare,
                                                          .draw = domains_draw,
                                                          .script = domains_script,
                                                          .table = domains_table};
