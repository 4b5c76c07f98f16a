/* SPDX-License-Identifier: BSD-3-Clause */
/* See pose_panels.h. */
#include "report/pose/pose_panels.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "analysis/power/total_curve.h"
#include "base/fail.h"
#include "base/text/figures.h"
#include "base/whole.h"
#include "plot/canvas_back.h"
#include "plot/plot.h"
#include "report/pose/pose_chart.h"

enum { DRAWN = 10 /* runs of a code: more would cover each other */ };
#define MARKER_PT    2.0
#define LABEL_GAP_PT 1.5

/* ---- gain over the parameter ---- */

bool wtl_pose_gain_exists(const struct wtl_pose_study *study)
{
    size_t known = 0;
    for (size_t i = 0; i < study->candidate_count; i++)
        known += isfinite(study->candidates[i].parameter) != 0;
    return known > 1;
}

static double gain_of(const struct wtl_pose_study *study, size_t metric, size_t candidate)
{
    return wtl_pose_study_model(study, 0, metric)->verdicts[candidate].gain;
}

static int by_x(const void *a, const void *b)
{
    const struct wtl_xy *x = a, *y = b;
    return (x->x > y->x) - (x->x < y->x);
}

static void draw_gains(const struct wtl_axes *axes, const struct wtl_pose_study *study, size_t m)
{
    struct wtl_look look = wtl_palette_look(m);
    struct wtl_paint paint = {
        .stroke = look.color, .fill = WTL_NO_COLOR, .width = 0.8, .dash = look.dash};
    struct wtl_xy *points = calloc(study->candidate_count + 1, sizeof *points);
    size_t n = 0;
    for (size_t i = 0; points && i < study->candidate_count; i++)
        if (isfinite(study->candidates[i].parameter))
            points[n++] = (struct wtl_xy){study->candidates[i].parameter, gain_of(study, m, i)};
    if (!points) {
        axes->canvas->failed = -ENOMEM;
        return;
    }
    if (study->metric_count == 1)
        paint = wtl_pose_path_paint();
    wtl_sort(points, n, sizeof *points, by_x);
    wtl_plot_line(axes, axes->panels, points, n, &paint);
    free(points);
}

static void draw_gain_markers(const struct wtl_axes *axes, const struct wtl_pose_study *study)
{
    char name[160], title[320];
    for (size_t i = 0; i < study->candidate_count; i++) {
        const struct wtl_pose_candidate *candidate = &study->candidates[i];
        const struct wtl_pose_verdict *verdict = &wtl_pose_study_model(study, 0, 0)->verdicts[i];
        struct wtl_look look = wtl_pose_region_look(verdict->region);
        struct wtl_xy at = {candidate->parameter, verdict->gain};
        if (!isfinite(at.x) || !isfinite(at.y))
            continue;
        (void)snprintf(name, sizeof name, "gain of %.120s", candidate->label);
        (void)snprintf(title, sizeof title, "%.120s: gain %.3f; %s", candidate->label,
                       verdict->gain, wtl_pose_region_titles[verdict->region]);
        wtl_canvas_group_titled(axes->canvas, name, title);
        wtl_plot_markers(axes, axes->panels, &at, 1, MARKER_PT, &look);
        wtl_canvas_group_end(axes->canvas);
    }
}

void wtl_pose_gain_draw(struct wtl_canvas *canvas,
                        const struct wtl_pose_study *study,
                        double top,
                        double width,
                        double height)
{
    const char *name = study->parameter_name, *unit = study->parameter_unit;
    char label[64];
    double low = 1, high = 1, left = INFINITY, right = -INFINITY;
    for (size_t i = 0; i < study->candidate_count; i++) {
        if (!isfinite(study->candidates[i].parameter))
            continue;
        left = fmin(left, study->candidates[i].parameter);
        right = fmax(right, study->candidates[i].parameter);
        for (size_t m = 0; m < study->metric_count; m++) {
            low = fmin(low, gain_of(study, m, i));
            high = fmax(high, gain_of(study, m, i));
        }
    }
    (void)snprintf(label, sizeof label, "%.60s", name ? name : "parameter");
    label[0] = (char)toupper((unsigned char)label[0]);
    double margin = 0.08 * (high - low), room = 0.04 * (right - left);
    struct wtl_panel panel = {.y = {.label = "Gain", .low = low - margin, .high = high + margin}};
    struct wtl_axes axes = {
        .canvas = canvas,
        .top = top,
        .width = width,
        .height = height,
        .panels = &panel,
        .panel_count = 1,
        .x = {.label = label, .unit = unit ? unit : "", .low = left - room, .high = right + room}};
    struct wtl_paint even = {.stroke = WTL_INK, .fill = WTL_NO_COLOR, .width = 0.6};
    wtl_axes_draw(&axes);
    wtl_canvas_group(canvas, "gain over the parameter");
    wtl_plot_horizontal(&axes, &panel, 1, &even);
    for (size_t m = 0; m < study->metric_count; m++)
        draw_gains(&axes, study, m);
    draw_gain_markers(&axes, study);
    wtl_canvas_group_end(canvas);
}

/* ---- power over time ---- */

static int read_run(const struct wtl_pose_study *study,
                    size_t subject,
                    size_t run,
                    struct wtl_pose_power *power,
                    struct wattle_error *err)
{
    struct wtl_pose_run *to = &power->runs[power->count];
    int rc = wtl_total_curve_read(&study->subjects[subject].results[run],
                                  power->end_s / WTL_POSE_POWER_CELLS, WTL_POSE_POWER_CELLS,
                                  to->power_w, err);
    if (rc == -ENODATA)
        return 0;
    if (rc < 0)
        return rc;
    to->subject = subject;
    power->count++;
    for (size_t k = 0; k < WTL_POSE_POWER_CELLS; k++)
        power->most_w = fmax(power->most_w, to->power_w[k]);
    return 0;
}

int wtl_pose_power_read(const struct wtl_pose_study *study,
                        struct wtl_pose_power *ret_power,
                        struct wattle_error *err)
{
    struct wtl_pose_power power = {.count = 0};
    size_t most = 0;
    int rc = 0;
    for (size_t s = 0; s < study->subject_count; s++) {
        const struct wtl_pose_subject *subject = &study->subjects[s];
        for (size_t i = 0; subject->results && i < subject->trace_count && i < DRAWN; i++) {
            power.end_s = fmax(power.end_s, subject->results[i].wall_time_s);
            most++;
        }
    }
    if (most > 0 && power.end_s > 0) {
        power.runs = calloc(most, sizeof *power.runs);
        if (!power.runs)
            return wtl_no_memory(err);
        for (size_t s = 0; s < study->subject_count && rc == 0; s++) {
            const struct wtl_pose_subject *subject = &study->subjects[s];
            for (size_t i = 0; rc == 0 && subject->results && i < subject->trace_count && i < DRAWN;
                 i++)
                rc = read_run(study, s, i, &power, err);
        }
    }
    if (rc < 0)
        wtl_pose_power_fini(&power);
    *ret_power = power;
    return rc;
}

void wtl_pose_power_fini(struct wtl_pose_power *power)
{
    free(power->runs);
    *power = (struct wtl_pose_power){0};
}

static void draw_run(const struct wtl_axes *axes,
                     const struct wtl_pose_power *power,
                     const struct wtl_pose_run *run,
                     bool first)
{
    struct wtl_plot_step steps[WTL_POSE_POWER_CELLS];
    struct wtl_look look = wtl_palette_look(run->subject);
    double cell_s = power->end_s / WTL_POSE_POWER_CELLS;
    struct wtl_paint paint = {.stroke = first ? look.color : wtl_palette_tint(look.color, 0.35),
                              .fill = WTL_NO_COLOR,
                              .width = first ? 0.9 : 0.5,
                              .dash = look.dash};
    for (size_t k = 0; k < WTL_POSE_POWER_CELLS; k++) {
        double value = run->power_w[k];
        steps[k] = (struct wtl_plot_step){.begin = (double)k * cell_s,
                                          .end = (double)(k + 1) * cell_s,
                                          .low = value,
                                          .value = value,
                                          .high = value};
    }
    wtl_plot_steps(axes, axes->panels, steps, WTL_POSE_POWER_CELLS, &paint);
}

static bool is_first(const struct wtl_pose_power *power, size_t run)
{
    return run == 0 || power->runs[run - 1].subject != power->runs[run].subject;
}

/* Pmax above its line, Pmin below it, away from the power between them; neither if the lines are
 * close together. */
static void label_limits(const struct wtl_axes *axes,
                         const struct wtl_pose_code *code,
                         double end_s)
{
    double size = wtl_axes_text_font(axes).size, floor = axes->panels->bottom;
    double pmin = wtl_axes_y(axes->panels, code->pmin_w);
    double pmax = wtl_axes_y(axes->panels, code->pmax_w);
    char text[48];
    if (pmin - pmax < size)
        return;
    (void)snprintf(text, sizeof text, "Pmax %s W", WTL_IN_FIGURES(code->pmax_w, 5));
    wtl_plot_label(axes, axes->panels, (struct wtl_xy){end_s, code->pmax_w}, -2, LABEL_GAP_PT,
                   text);
    (void)snprintf(text, sizeof text, "Pmin %s W", WTL_IN_FIGURES(code->pmin_w, 5));
    bool below = pmin + LABEL_GAP_PT + size < floor;
    if (below || pmin - pmax > 3 * size)
        wtl_plot_label(axes, axes->panels, (struct wtl_xy){end_s, code->pmin_w}, -2,
                       below ? -LABEL_GAP_PT : LABEL_GAP_PT, text);
}

/* The upper end of the axis: above the greatest value, with room for a label. */
static double with_headroom(const struct wtl_axes *axes, double most)
{
    double frame = wtl_axes_frame_height(axes, axes->legend_count ? 1 : 0);
    double label = wtl_axes_text_font(axes).size + 2 * LABEL_GAP_PT;
    double share = fmin(label / fmax(axes->height - frame, label), 0.5);
    return most * fmax(1.12, 1 / (1 - share));
}

/* The envelope: black where all codes have the same one, else in the colour of the code. */
static void draw_limits(const struct wtl_axes *axes,
                        const struct wtl_pose_study *study,
                        const struct wtl_pose_power *power)
{
    const struct wtl_pose_code *first = &study->subjects[power->runs[0].subject].code;
    bool same = true;
    for (size_t i = 0; i < power->count; i++) {
        const struct wtl_pose_code *code = &study->subjects[power->runs[i].subject].code;
        same &= code->pmin_w == first->pmin_w && code->pmax_w == first->pmax_w;
    }
    for (size_t i = 0; i < power->count; i++) {
        const struct wtl_pose_code *code = &study->subjects[power->runs[i].subject].code;
        struct wtl_paint paint = {.stroke = same ? WTL_INK
                                                 : wtl_palette_look(power->runs[i].subject).color,
                                  .fill = WTL_NO_COLOR,
                                  .width = 0.6};
        if (!is_first(power, i) || (same && i > 0))
            continue;
        wtl_plot_horizontal(axes, axes->panels, code->pmin_w, &paint);
        wtl_plot_horizontal(axes, axes->panels, code->pmax_w, &paint);
        if (same)
            label_limits(axes, code, power->end_s);
    }
}

void wtl_pose_power_draw(struct wtl_canvas *canvas,
                         const struct wtl_pose_study *study,
                         const struct wtl_pose_power *power,
                         double top,
                         double width,
                         double height)
{
    struct wtl_legend *legend = calloc(study->subject_count + 1, sizeof *legend);
    double most = power->most_w;
    size_t entries = 0;
    for (size_t i = 0; legend && i < power->count; i++) {
        const struct wtl_pose_subject *subject = &study->subjects[power->runs[i].subject];
        most = fmax(most, subject->code.pmax_w);
        struct wtl_look look = wtl_palette_look(power->runs[i].subject);
        if (is_first(power, i))
            legend[entries++] = (struct wtl_legend){
                .label = subject->label ? subject->label : "the code",
                .paint = {
                    .stroke = look.color, .fill = WTL_NO_COLOR, .width = 1, .dash = look.dash}};
    }
    char label[40];
    struct wtl_panel panel = {.y = {.label = wtl_pose_what(&study->subjects[power->runs[0].subject],
                                                           "Power", label, sizeof label),
                                    .unit = "W"}};
    struct wtl_axes axes = {.canvas = canvas,
                            .top = top,
                            .width = width,
                            .height = height,
                            .panels = &panel,
                            .panel_count = 1,
                            .x = {.kind = power->end_s < 10000 ? WTL_AXIS_NUMBERS : WTL_AXIS_TIME,
                                  .label = "Time",
                                  .unit = "s",
                                  .high = power->end_s},
                            .legend = legend,
                            .legend_count = entries > 1 ? entries : 0};
    if (!legend) {
        canvas->failed = -ENOMEM;
        return;
    }
    panel.y.high = with_headroom(&axes, most);
    wtl_axes_draw(&axes);
    wtl_canvas_group(canvas, "power over time");
    for (int pass = 0; pass < 2; pass++) { /* the first run of each code above the others */
        for (size_t i = 0; i < power->count; i++)
            if (is_first(power, i) == (pass == 1))
                draw_run(&axes, power, &power->runs[i], pass == 1);
    }
    draw_limits(&axes, study, power);
    wtl_canvas_group_end(canvas);
    free(legend);
}
