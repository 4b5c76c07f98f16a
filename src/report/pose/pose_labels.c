/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of overlapping points are joined: "C, D, E". See pose_labels.h. */
#include "report/pose/pose_labels.h"

#include <math.h>
#include <string.h>

#include "base/text/figures.h"
#include "report/pose/pose_looks.h"

enum { NAMED = 30 /* candidates */ };
#define THETA     "\xCE\xB8"
#define SAME_PT   4.2 /* points of the sheet within which letters are joined */
#define ALIKE_PT  9.0 /* the same letter of several metrics */
#define MARK_PT   2.3
#define NAME_PART 0.4 /* of the width, for a candidate's label */
#define GRID      48  /* places each way at which a region's number may stand */

const struct wtl_pose *wtl_pose_scene_pose(const struct wtl_pose_scene *scene, size_t metric)
{
    const struct wtl_pose_chart *chart = scene->chart;
    return &wtl_pose_study_model(chart->study, chart->subject, chart->metric + metric)->pose;
}

void wtl_pose_scene_place(const struct wtl_pose_scene *scene, struct wtl_xy *points, size_t n)
{
    for (size_t i = 0; i < n; i++)
        points[i] = (struct wtl_xy){wtl_axes_x(scene->axes, points[i].x),
                                    wtl_axes_y(scene->panel, points[i].y)};
}

void wtl_pose_scene_mark(struct wtl_pose_scene *scene,
                         struct wtl_pose_point at,
                         int letter,
                         size_t metric)
{
    size_t i = scene->mark_count++;
    scene->marks[i] = (struct wtl_pose_mark){
        .at = {wtl_axes_x(scene->axes, at.t_s), wtl_axes_y(scene->panel, at.e_j)},
        .letter = letter,
        .metric = metric,
        .cluster = i};
}

/* ---- vertices and the code ---- */

static bool belong_together(const struct wtl_pose_mark *a, const struct wtl_pose_mark *b)
{
    double distance = hypot(a->at.x - b->at.x, a->at.y - b->at.y);
    return distance < (a->letter == b->letter ? ALIKE_PT : SAME_PT);
}

static void find_clusters(struct wtl_pose_scene *scene)
{
    struct wtl_pose_mark *marks = scene->marks;
    size_t kept = 0;
    for (size_t i = 0; i < scene->mark_count; i++) {
        bool elsewhere = marks[i].letter >= WTL_POSE_C && marks[i].letter <= WTL_POSE_E;
        if (scene->has_inset && elsewhere)
            continue;
        marks[kept] = marks[i];
        marks[kept].cluster = kept;
        kept++;
    }
    scene->mark_count = kept;
    for (size_t i = 0; i < scene->mark_count; i++) {
        for (size_t k = 0; k < i; k++) {
            size_t from = marks[i].cluster, to = marks[k].cluster;
            if (from == to || !belong_together(&marks[i], &marks[k]))
                continue;
            for (size_t j = 0; j < scene->mark_count; j++)
                if (marks[j].cluster == from)
                    marks[j].cluster = to;
        }
    }
}

static void cluster_text(const bool letters[WTL_POSE_VERTICES + 1], char *buf, size_t n)
{
    static const char *const names[WTL_POSE_VERTICES + 1] = {"A", "B", "C", "D", "E", THETA};
    size_t used = 0;
    buf[0] = '\0';
    for (int v = 0; v <= WTL_POSE_VERTICES; v++) {
        if (!letters[v])
            continue;
        int more = snprintf(buf + used, n - used, "%s%s", used ? ", " : "", names[v]);
        used += more > 0 && (size_t)more < n - used ? (size_t)more : 0;
    }
}

static void label_cluster(struct wtl_pose_scene *scene, size_t cluster)
{
    bool letters[WTL_POSE_VERTICES + 1] = {false}, one_metric = true;
    struct wtl_font font = wtl_axes_label_font(scene->axes);
    struct wtl_xy low = {INFINITY, INFINITY}, high = {-INFINITY, -INFINITY};
    size_t metric = scene->marks[cluster].metric;
    char text[64];
    for (size_t i = 0; i < scene->mark_count; i++) {
        const struct wtl_pose_mark *mark = &scene->marks[i];
        if (mark->cluster != cluster)
            continue;
        letters[mark->letter] = true;
        one_metric &= mark->metric == metric && mark->letter != WTL_POSE_D &&
                      mark->letter != WTL_POSE_VERTICES;
        low = (struct wtl_xy){fmin(low.x, mark->at.x), fmin(low.y, mark->at.y)};
        high = (struct wtl_xy){fmax(high.x, mark->at.x), fmax(high.y, mark->at.y)};
    }
    struct wtl_xy middle = {(low.x + high.x) / 2, (low.y + high.y) / 2};
    double clear = MARK_PT + hypot(high.x - low.x, high.y - low.y) / 2;
    cluster_text(letters, text, sizeof text);
    font.bold = true;
    if (scene->chart->metric_count > 1 && one_metric)
        font.color = wtl_palette_look(metric).color;
    (void)wtl_label_draw(&scene->field, middle, clear, text, &font);
}

/* If a code is outside its envelope, the reason is shown beside it. */
static void label_outside(struct wtl_pose_scene *scene)
{
    unsigned warnings = wtl_pose_scene_pose(scene, 0)->warnings;
    struct wtl_font font = wtl_axes_text_font(scene->axes);
    for (size_t i = 0; i < scene->mark_count; i++) {
        if (scene->marks[i].letter != WTL_POSE_VERTICES ||
            !(warnings & (WTL_POSE_BELOW_FLOOR | WTL_POSE_ABOVE_CEILING)))
            continue;
        const char *text =
            warnings & WTL_POSE_BELOW_FLOOR ? THETA " below Pmin" : THETA " above Pmax";
        (void)wtl_label_draw(&scene->field, scene->marks[i].at, MARK_PT, text, &font);
    }
}

/* ---- regions ---- */

static double distance_to(struct wtl_xy p, struct wtl_xy a, struct wtl_xy b)
{
    double dx = b.x - a.x, dy = b.y - a.y, square = dx * dx + dy * dy;
    double part = square > 0 ? ((p.x - a.x) * dx + (p.y - a.y) * dy) / square : 0;
    part = fmin(fmax(part, 0), 1);
    return hypot(p.x - a.x - part * dx, p.y - a.y - part * dy);
}

/* Distance from the border of a polygon; negative outside. */
static double depth_in(const struct wtl_pose_area *area, struct wtl_xy p)
{
    bool inside = false;
    double least = INFINITY;
    for (size_t i = 0; i < area->count; i++) {
        struct wtl_xy a = area->points[i], b = area->points[(i + 1) % area->count];
        if ((a.y > p.y) != (b.y > p.y) && p.x < a.x + (p.y - a.y) / (b.y - a.y) * (b.x - a.x))
            inside = !inside;
        least = fmin(least, distance_to(p, a, b));
    }
    return inside ? least : -least;
}

/* The number is placed where its region is widest and free; beside the region if that is too
 * narrow. */
static void label_region(struct wtl_pose_scene *scene, enum wtl_pose_region region)
{
    const struct wtl_pose_area *area = &scene->regions[region];
    struct wtl_font font = wtl_axes_label_font(scene->axes);
    double half_width = 0.4 * font.size, half_height = 0.5 * font.size, best = -INFINITY, depth = 0;
    struct wtl_xy low = {INFINITY, INFINITY}, high = {-INFINITY, -INFINITY}, at = {0, 0};
    char text[4];
    for (size_t i = 0; i < area->count; i++) {
        low = (struct wtl_xy){fmin(low.x, area->points[i].x), fmin(low.y, area->points[i].y)};
        high = (struct wtl_xy){fmax(high.x, area->points[i].x), fmax(high.y, area->points[i].y)};
    }
    for (int i = 0; area->count > 0 && i < GRID * GRID; i++) {
        int column = i % GRID, row = i / GRID;
        struct wtl_xy p = {low.x + (column + 0.5) / GRID * (high.x - low.x),
                           low.y + (row + 0.5) / GRID * (high.y - low.y)};
        double inside = depth_in(area, p);
        double cost = wtl_label_cost(&scene->field, p.x, p.y, half_width, half_height);
        double score = fmin(inside, 40) - 8 * cost;
        if (inside > 0 && score > best) {
            best = score;
            depth = inside;
            at = p;
        }
    }
    if (depth <= 0)
        return;
    bool narrow = depth < 0.55 * font.size;
    if (narrow && scene->has_inset)
        return;
    (void)snprintf(text, sizeof text, "%d", (int)region);
    font.size *= 1.2;
    font.bold = true;
    font.color = wtl_pose_region_look(region).color;
    if (narrow) {
        scene->field.lead_pt = 1;
        (void)wtl_label_draw(&scene->field, at, 4, text, &font);
        scene->field.lead_pt = 0;
        return;
    }
    font.anchor = WTL_ANCHOR_MIDDLE;
    wtl_canvas_text(scene->axes->canvas, at.x, at.y + 0.36 * font.size, text, &font);
    wtl_label_avoid_box(&scene->field, at.x, at.y, half_width + 0.5, half_height + 0.5, 40);
}

/* ---- the envelope ---- */

/* P with its index, and the watts: their width, drawn when x is a number. */
static double draw_power_name(const struct wtl_pose_scene *scene,
                              double x,
                              double y,
                              const char *index,
                              double power_w)
{
    struct wtl_canvas *canvas = scene->axes->canvas;
    struct wtl_font font = wtl_axes_text_font(scene->axes), small = font;
    char watts[48];
    small.size *= 0.75;
    (void)snprintf(watts, sizeof watts, "%s W", WTL_IN_FIGURES(power_w, 5));
    double p = wtl_canvas_text_width(canvas, "P", &font);
    double i = wtl_canvas_text_width(canvas, index, &small);
    if (isfinite(x)) {
        wtl_canvas_text(canvas, x, y, "P", &font);
        wtl_canvas_text(canvas, x + p, y + 0.2 * font.size, index, &small);
        wtl_canvas_text(canvas, x + p + i + 0.3 * font.size, y, watts, &font);
    }
    return p + i + 0.3 * font.size + wtl_canvas_text_width(canvas, watts, &font);
}

/* Beside the line, as far from the origin as possible; outside the envelope if there is room. */
static void label_envelope(struct wtl_pose_scene *scene, int line)
{
    enum { STEPS = 24, OFFSETS = 9 };
    const struct wtl_xy *ends = scene->envelope[line];
    const struct wtl_pose_code *code = &wtl_pose_scene_pose(scene, 0)->code;
    double size = wtl_axes_text_font(scene->axes).size, power = line ? code->pmax_w : code->pmin_w;
    const char *index = line ? "max" : "min";
    double half_width = draw_power_name(scene, NAN, 0, index, power) / 2, half_height = 0.45 * size;
    struct wtl_paint lead = {.stroke = WTL_INK_FAINT, .fill = WTL_NO_COLOR, .width = 0.35};
    struct wtl_xy best = {0, 0}, on = {0, 0};
    double least = INFINITY;
    bool steep = fabs(ends[1].y - ends[0].y) > 2 * fabs(ends[1].x - ends[0].x);
    if (ends[0].x == ends[1].x && ends[0].y == ends[1].y)
        return;
    for (int i = 0; i < 2 * STEPS * OFFSETS; i++) {
        int round = i / (2 * STEPS);
        double part = 1 - (double)(i % STEPS) / STEPS, off = 7.0 * round;
        int side = i / STEPS % 2 == 0 ? 1 : -1, up = line ? side : -side;
        struct wtl_xy to = {ends[0].x + part * (ends[1].x - ends[0].x),
                            ends[0].y + part * (ends[1].y - ends[0].y)};
        /* Lines rise to the right: what is above one is to its left. The box's corner touches it. */
        struct wtl_xy at = {to.x - up * (half_width + 2 + (steep ? off : 0)),
                            to.y - up * (half_height + 1 + (steep ? 0 : off))};
        double cost = wtl_label_cost(&scene->field, at.x, at.y, half_width, half_height) +
                      (1 - part) + (side == 1 ? 0 : 2) + 0.3 * off;
        if (cost < least) {
            least = cost;
            best = at;
            on = to;
        }
    }
    struct wtl_xy near = {fmin(fmax(on.x, best.x - half_width), best.x + half_width),
                          fmin(fmax(on.y, best.y - half_height), best.y + half_height)};
    if (hypot(near.x - on.x, near.y - on.y) > 4)
        wtl_canvas_line(scene->axes->canvas, on.x, on.y, near.x, near.y, &lead);
    wtl_canvas_group(scene->axes->canvas, line ? "P_max" : "P_min");
    (void)draw_power_name(scene, best.x - half_width, best.y + 0.35 * size, index, power);
    wtl_canvas_group_end(scene->axes->canvas);
    wtl_label_avoid_box(&scene->field, best.x, best.y, half_width, half_height, 40);
}

/* ---- candidates ---- */

static void label_candidates(struct wtl_pose_scene *scene)
{
    const struct wtl_pose_study *study = scene->chart->study;
    struct wtl_font font = wtl_axes_text_font(scene->axes);
    char text[96];
    for (size_t i = 0, left = NAMED; i < study->candidate_count && left > 0; i++) {
        const struct wtl_pose_candidate *candidate = &study->candidates[i];
        /* If there are very many, only those that matter have names. */
        if (study->candidate_count > NAMED && !candidate->on_front)
            continue;
        left--;
        struct wtl_xy at = {wtl_axes_x(scene->axes, candidate->at.t_s),
                            wtl_axes_y(scene->panel, candidate->at.e_j)};
        wtl_canvas_fit(scene->axes->canvas, text, sizeof text, candidate->label, &font,
                       NAME_PART * (scene->axes->x1 - scene->axes->x0));
        if (text[0])
            (void)wtl_label_draw(&scene->field, at, 2.6, text, &font);
    }
}

/* ---- all ---- */

void wtl_pose_scene_letters(struct wtl_pose_scene *scene)
{
    wtl_canvas_group(scene->axes->canvas, "letters");
    find_clusters(scene);
    for (size_t i = 0; i < scene->mark_count; i++)
        if (scene->marks[i].cluster == i)
            label_cluster(scene, i);
    wtl_canvas_group_end(scene->axes->canvas);
}

void wtl_pose_scene_names(struct wtl_pose_scene *scene, bool candidates)
{
    wtl_canvas_group(scene->axes->canvas, "names");
    if (!scene->chart->inset) {
        label_outside(scene);
        for (int line = 0; line < 2; line++)
            label_envelope(scene, line);
        if (candidates)
            label_candidates(scene);
    }
    for (int r = 1; r <= WTL_POSE_DEGRADATION; r++)
        label_region(scene, (enum wtl_pose_region)r);
    wtl_canvas_group_end(scene->axes->canvas);
}
