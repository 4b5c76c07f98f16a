/* SPDX-License-Identifier: BSD-3-Clause */
/* Time, energy and node power of the cases of a study, side by side, with the 95 % intervals of their repeats. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "plot/plot.h"
#include "report/cluster/run_figure_kind.h"

#define PAGE_MM 230.0
enum { CASES_MAX = 64, COLUMNS = 3 };
static const enum wtl_study_value shown[COLUMNS] = {WTL_STUDY_TIME, WTL_STUDY_ENERGY,
                                                    WTL_STUDY_POWER};

static size_t count_of(const struct wtl_study *study)
{
    return study->case_count < CASES_MAX ? study->case_count : CASES_MAX;
}

static int scaling_prepare(struct wtl_run_figure *figure, struct wattle_error *err)
{
    const struct wtl_axes usual = {0};
    const struct wtl_study *study = figure->data->study;
    size_t count = count_of(study), repeats = 0;
    bool known = false;
    for (size_t c = 0; c < count; c++) {
        known |= isfinite(study->cases[c].spread[WTL_STUDY_ENERGY].mean);
        repeats = study->cases[c].run_count > repeats ? study->cases[c].run_count : repeats;
    }
    if (!known)
        return wtl_fail(err, -ENODATA, "nothing to draw: no energy is known");
    if (!(figure->height_mm > 0))
        figure->height_mm = fmin(
            (wtl_axes_frame_height(&usual, 0) + 1.2 * wtl_axes_row_height(&usual) * (double)count) /
                WTL_PT_PER_MM,
            PAGE_MM);
    if (!(figure->options->width_mm > 0))
        figure->width_mm = 174; /* two columns */
    wtl_run_figure_say(figure, "Time, energy and mean node power of %zu cases, %s.", count,
                       repeats > 2 ? "means over repeats with 95 % intervals" : "single runs");
    if (isfinite(study->slope.half))
        wtl_run_figure_say(
            figure, "Energy scales as time to the power of %.2f +- %.2f; 1 means proportional.",
            study->slope.exponent, study->slope.half);
    if (study->case_count > count)
        wtl_run_figure_say(figure, "%zu further cases are left out.", study->case_count - count);
    return 0;
}

/* The colour of a case: that of its first label. */
static uint32_t color_of(const struct wtl_study *study, size_t c)
{
    size_t group = 0;
    for (size_t i = 1; i <= c; i++)
        if (study->key_count > 0 &&
            strcmp(study->cases[i].values[0], study->cases[i - 1].values[0]) != 0)
            group++;
    return wtl_palette_look(group).color;
}

static void draw_column(const struct wtl_run_figure *figure, struct wtl_axes *axes, size_t column)
{
    const struct wtl_study *study = figure->data->study;
    enum wtl_study_value value = shown[column];
    static const char *const labels[] = {"Time", "Energy", "Node power"};
    char label[48];
    const char *names[CASES_MAX];
    struct wtl_panel panel = {0};
    size_t count = count_of(study);
    double most = 0;
    for (size_t c = 0; c < count; c++) {
        const struct wtl_spread *s = &study->cases[c].spread[value];
        names[c] = column == 0 ? study->cases[c].name : "";
        most = fmax(most, s->mean + (isnan(s->ci95) ? 0 : s->ci95));
    }
    axes->x = (struct wtl_chart_axis){
        .kind = value == WTL_STUDY_TIME ? WTL_AXIS_TIME : WTL_AXIS_NUMBERS,
        .label = value == WTL_STUDY_TIME
                     ? labels[column]
                     : wtl_run_figure_label(figure, labels[column], label, sizeof label),
        .unit = wtl_study_value_unit(value),
        .high = most > 0 ? 1.04 * most : 1,
        .grid = true};
    panel.y = (struct wtl_chart_axis){.kind = WTL_AXIS_NAMES, .names = names, .name_count = count};
    axes->panels = &panel;
    axes->panel_count = 1;
    wtl_axes_draw(axes);
    for (size_t c = 0; c < count; c++) {
        const struct wtl_spread *s = &study->cases[c].spread[value];
        uint32_t color = color_of(study, c);
        struct wtl_paint ink = {.stroke = WTL_INK, .fill = WTL_NO_COLOR, .width = 0.6};
        struct wtl_paint fill = {
            .stroke = color, .fill = wtl_palette_tint(color, 0.65), .width = 0.4};
        if (isnan(s->mean))
            continue;
        wtl_plot_bar(axes, &panel, c, 0.64, 0, s->mean, &fill);
        if (isfinite(s->ci95))
            wtl_plot_whisker_x(axes, &panel, s->mean - s->ci95, s->mean + s->ci95, (double)c + 0.5,
                               &ink);
    }
}

static void scaling_draw(const struct wtl_run_figure *figure, struct wtl_axes *axes)
{
    double whole = axes->width, left = axes->left;
    const char *title = axes->title;
    /* The first column has the names. */
    double first = 0.46 * whole, other = 0.27 * whole;
    for (size_t column = 0; column < COLUMNS; column++) {
        axes->left = left + (column ? first + (double)(column - 1) * other : 0);
        axes->width = column ? other : first;
        axes->title = column ? (title ? " " : NULL) : title;
        draw_column(figure, axes, column);
    }
}

static void scaling_table(const struct wtl_run_figure *figure, FILE *out)
{
    const struct wtl_study *study = figure->data->study;
    (void)fputs("# row case time_s time_ci95_s energy_j energy_ci95_j node_w node_ci95_w runs\n",
                out);
    for (size_t c = 0; c < study->case_count; c++) {
        const struct wtl_study_case *one = &study->cases[c];
        (void)fprintf(out, "%zu ", c + 1);
        wtl_run_put_data_text(out, one->name);
        for (size_t i = 0; i < COLUMNS; i++) {
            (void)fputc(' ', out);
            wtl_run_put_number(out, one->spread[shown[i]].mean);
            (void)fputc(' ', out);
            wtl_run_put_number(out, one->spread[shown[i]].ci95);
        }
        (void)fprintf(out, " %zu\n", one->run_count);
    }
}

static void scaling_script(const struct wtl_run_figure *figure, const char *data_name, FILE *out)
{
    static const char *const labels[] = {"Time", "Energy", "Node power"};
    static const char *const units[] = {"s", "J", "W"};
    (void)fputs("file = ", out);
    wtl_run_put_quoted(out, data_name);
    (void)fputs("\nset multiplot layout 1,3\nset boxwidth 0.6\nset style fill solid 0.6\n"
                "set yrange [0:*]\nset xtics rotate by -60 out\nunset key\n",
                out);
    (void)fprintf(out, "set xrange [0.4:%.1f]\n", (double)figure->data->study->case_count + 0.6);
    for (int i = 0; i < COLUMNS; i++) {
        bool intervals = false;
        for (size_t c = 0; c < figure->data->study->case_count; c++)
            intervals |= isfinite(figure->data->study->cases[c].spread[shown[i]].ci95);
        if (shown[i] == WTL_STUDY_TIME)
            (void)fputs("set ylabel 'Time (s)'\n", out);
        else
            wtl_run_put_label(out, figure, labels[i], units[i]);
        (void)fprintf(out, "plot file using 1:%d:xtic(2) with boxes lc rgb '#0072b2'", 3 + 2 * i);
        if (intervals)
            (void)fprintf(out, ", file using 1:%d:%d with yerrorbars pt 0 lc rgb 'black'",
                          3 + 2 * i, 4 + 2 * i);
        (void)fputc('\n', out);
    }
    (void)fputs("unset multiplot\n", out);
}

const struct wtl_run_figure_ops wtl_run_figure_scaling = {.of_study = true,
                                                          .prepare = scaling_prepare,
                                                          .draw = scaling_draw,
                                                          .script = scaling_script,
                                                          .table = scaling_table};
