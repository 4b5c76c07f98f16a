/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Figures of studies whose model is known: points are where the model says, nothing is missing,
 * texts do not overlap, degenerate models draw what exists.
 */
#define _GNU_SOURCE
#include "report/pose/pose_figure.h"

#include <dlfcn.h>
#include <errno.h>
#include <math.h>

#include "analysis/cluster/run_result.h"
#include "plot/canvas_back.h"
#include "report/pose/pose_caption.h"
#include "report/pose/pose_chart.h"
#include "tap.h"
#include "unit/analysis/sample_trace.h"

#define THETA "\xCE\xB8"

static char *bytes;
static size_t size;
static char caption[2048];
static struct wattle_error err;
static struct wtl_pose_study study;

/* ---- studies ---- */

static void *grown(void *array, size_t n, size_t item)
{
    char *more = realloc(array, (n + 1) * item);
    if (!more)
        exit(1);
    memset(more + n * item, 0, item);
    return more;
}

static void add_metric(const char *text)
{
    size_t n = study.metric_count;
    study.metrics = grown(study.metrics, n, sizeof *study.metrics);
    study.metric_names = grown(study.metric_names, n, sizeof *study.metric_names);
    if (wtl_pose_metric_parse(text, &study.metrics[n], &err) < 0)
        exit(1);
    study.metric_names[n] = strdup(text);
    study.metric_count++;
}

static void add_code(const char *label,
                     const char *group,
                     double t,
                     double p,
                     double low,
                     double high)
{
    size_t n = study.subject_count++;
    study.subjects = grown(study.subjects, n, sizeof *study.subjects);
    study.subjects[n].label = label ? strdup(label) : NULL;
    study.subjects[n].group = group ? strdup(group) : NULL;
    study.subjects[n].code = (struct wtl_pose_code){t, p * t, low, high};
    study.subjects[n].doubt = wtl_pose_doubt_unknown();
}

static void add_candidate(const char *label, double t, double e, double parameter)
{
    size_t n = study.candidate_count++;
    study.candidates = grown(study.candidates, n, sizeof *study.candidates);
    study.candidates[n] =
        (struct wtl_pose_candidate){.label = strdup(label), .at = {t, e}, .parameter = parameter};
}

static void begin(const char *metric)
{
    wtl_pose_study_fini(&study);
    study = (struct wtl_pose_study){0};
    add_metric(metric);
}

static int draw_as(const struct wtl_pose_figure_options *options, enum wtl_picture picture)
{
    err.text[0] = caption[0] = '\0';
    free(bytes);
    bytes = NULL;
    if (study.subject_count > 0 && !study.models && wtl_pose_study_compute(&study, &err) < 0) {
        diag("%s", err.text);
        exit(1);
    }
    FILE *out = open_memstream(&bytes, &size);
    int rc = wtl_pose_figure_draw(&study, options, picture, out, caption, sizeof caption, &err);
    fclose(out);
    return rc;
}

static int draw(const struct wtl_pose_figure_options *options)
{
    static const struct wtl_pose_figure_options none;
    return draw_as(options ? options : &none, WTL_PICTURE_SVG);
}

/* ---- inspecting an SVG ---- */

static size_t count(const char *what)
{
    size_t n = 0;
    for (const char *p = bytes; p && (p = strstr(p, what)); p++)
        n++;
    return n;
}

/* The k-th group of that name; NULL = there are fewer. */
static const char *group(const char *name, int k)
{
    char label[200];
    const char *p = bytes;
    (void)snprintf(label, sizeof label, "<g aria-label=\"%s\">", name);
    for (p = strstr(p, label); p && k > 0; k--)
        p = strstr(p + 1, label);
    return p;
}

static double number_behind(const char *p, const char *attribute)
{
    p = p ? strstr(p, attribute) : NULL;
    return p ? strtod(p + strlen(attribute), NULL) : (double)NAN;
}

static struct wtl_xy circle_in(const char *name, int k)
{
    const char *p = group(name, k);
    return (struct wtl_xy){number_behind(p, "cx=\""), number_behind(p, "cy=\"")};
}

struct box {
    double x0, y0, x1, y1;
    const char *text;
};

/* Every text of the picture, with the width that its letters have in Helvetica. */
static size_t all_texts(struct box *boxes, size_t most)
{
    size_t n = 0;
    for (const char *p = bytes; (p = strstr(p, "<text ")) && n < most; p++) {
        const char *open = strchr(p, '>') + 1, *close = strchr(open, '<');
        char text[300];
        double x = number_behind(p, " x=\""), y = number_behind(p, " y=\"");
        double font = number_behind(p, "font-size=\"");
        (void)snprintf(text, sizeof text, "%.*s", (int)(close - open), open);
        double width = font * wtl_font_width(text, false);
        const char *middle = strstr(p, "\"middle\""), *right = strstr(p, "\"end\"");
        const char *turned = strstr(p, "rotate(");
        double shift = middle && middle < open ? width / 2 : right && right < open ? width : 0;
        boxes[n] = (struct box){x - shift, y - 0.7 * font, x - shift + width, y, p};
        if (turned && turned < open)
            boxes[n] = (struct box){x - 0.7 * font, y + shift - width, x, y + shift, p};
        n++;
    }
    return n;
}

static void no_overlap(const char *name)
{
    static struct box boxes[2000];
    double width = number_behind(bytes, "viewBox=\"0 0 ");
    size_t n = all_texts(boxes, 2000), bad = 0, outside = 0;
    for (size_t i = 0; i < n; i++) {
        outside += boxes[i].x0 < -0.5 || boxes[i].x1 > width + 0.5 || boxes[i].y0 < -0.5;
        for (size_t k = 0; k < i; k++) {
            const struct box *a = &boxes[i], *b = &boxes[k];
            if (a->x0 >= b->x1 || b->x0 >= a->x1 || a->y0 >= b->y1 || b->y0 >= a->y1)
                continue;
            if (bad++ == 0)
                diag("%.120s ... on %.120s", a->text, b->text);
        }
    }
    ok(n > 10, "%s: %zu texts", name, n);
    is_int(bad, 0, "%s: none covers another", name);
    is_int(outside, 0, "%s: none leaves the sheet", name);
}

static void is_sound(const char *name)
{
    ok(count("<svg ") == 1 && count("</svg>") == 1, "%s: one picture", name);
    is_int(count("<g ") - count("</g>"), 0, "%s: groups are closed", name);
    is_int(count("NaN") + count("nan\"") + count("inf\"") + count("-nan") + count("inf J"), 0,
           "%s: nothing unknown in it", name);
}

/* ---- points are where the model says ---- */

struct mark {
    struct wtl_pose_point at;
    struct wtl_xy on;
};

/* All marks follow one linear rule from seconds to x, and one from joules to y. */
static void check_places(const char *name, const char *metric, const struct wtl_pose *pose)
{
    struct mark marks[WTL_POSE_VERTICES + 1];
    char label[64], title[64];
    for (int v = 0; v < WTL_POSE_VERTICES; v++) {
        (void)snprintf(label, sizeof label, "vertex %c, %s", 'A' + v, metric);
        (void)snprintf(title, sizeof title, "<title>%c (%s): %.6g s, %.6g J", 'A' + v, metric,
                       pose->vertices[v].t_s, pose->vertices[v].e_j);
        marks[v] = (struct mark){pose->vertices[v], circle_in(label, 0)};
        ok(isfinite(marks[v].on.x), "%s: %s", name, label);
        is_int(count(title), 1, "%s: its values: %s", name, title);
    }
    marks[WTL_POSE_VERTICES] =
        (struct mark){{pose->code.t_s, pose->code.e_j}, circle_in("theta", 0)};
    const struct mark *a = &marks[WTL_POSE_A], *e = &marks[WTL_POSE_E], *b = &marks[WTL_POSE_B],
                      *c = &marks[WTL_POSE_C];
    double per_s = (e->on.x - a->on.x) / (e->at.t_s - a->at.t_s);
    double per_j = (b->on.y - c->on.y) / (b->at.e_j - c->at.e_j);
    ok(per_s > 0 && per_j < 0, "%s: time to the right, energy upwards", name);
    for (int v = 0; v <= WTL_POSE_VERTICES; v++) {
        is_double(marks[v].on.x, a->on.x + per_s * (marks[v].at.t_s - a->at.t_s), 0.02,
                  "%s: mark %d across", name, v);
        is_double(marks[v].on.y, c->on.y + per_j * (marks[v].at.e_j - c->at.e_j), 0.02,
                  "%s: mark %d down", name, v);
    }
}

static void test_one(void)
{
    static const char *const texts[] = {
        ">A</text>",          ">B</text>",        ">C</text>",
        ">D</text>",          ">E</text>",        ">\xCE\xB8</text>",
        ">181.14 W</text>",   ">345.57 W</text>", ">Run time (s)</text>",
        ">Energy (kJ)</text>"};
    begin("Et^3");
    add_code("TeaLeaf", "Haswell", 322.65, 98593.56 / 322.65, 181.14, 345.57);
    is_int(draw(NULL), 0, "one code %s", err.text);
    is_sound("one code");
    no_overlap("one code");
    ok(count(" width=\"85mm\""), "as wide as a column");
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        is_int(count(texts[i]), 1, "%s", texts[i]);
    for (int r = 1; r <= 4; r++) {
        char name[32];
        (void)snprintf(name, sizeof name, "region %d", r);
        ok(group(name, 0) && !group(name, 1), "%s is shaded", name);
    }
    is_int(count("fill=\"url(#hatch"), 4, "two are hatched, in the chart and in the legend");
    check_places("one code", "Et^3", &wtl_pose_study_model(&study, 0, 0)->pose);
    ok(strstr(caption, "322.65 s, 98593.6 J, 305.57 W") && strstr(caption, "Pmin 181.14 W"), "%s",
       caption);
    ok(!group("enlarged", 0), "nothing needs to be enlarged");
    char *first = bytes;
    bytes = NULL;
    (void)draw(NULL);
    is_str(bytes, first, "the same bytes again");
    free(first);
    struct wtl_pose_figure_options options = {.width_mm = 120, .height_mm = 50, .title = "a & b"};
    is_int(draw(&options), 0, "another size");
    ok(count(" width=\"120mm\" height=\"50mm\"") == 1 && count(">a &amp; b</text>") == 1,
       "as asked for, with a title");
    options = (struct wtl_pose_figure_options){.width_mm = 20, .height_mm = 20};
    is_int(draw(&options), 0, "a sheet that is too small");
    is_sound("too small");
}

static void test_metrics(void)
{
    static const char *const names[] = {"Et^3", "EDS:1,916.71", "EDD:1,529.26"};
    begin(names[0]);
    add_metric(names[1]);
    add_metric(names[2]);
    add_code("TeaLeaf", NULL, 322.65, 305.57, 181.14, 345.57);
    is_int(draw(NULL), 0, "three metrics %s", err.text);
    is_sound("three metrics");
    no_overlap("three metrics");
    for (size_t m = 0; m < 3; m++) {
        char label[64];
        (void)snprintf(label, sizeof label, "vertex A, %s", names[m]);
        ok(group(label, 0), "%s", label);
        (void)snprintf(label, sizeof label, ">%s</text>", names[m]);
        is_int(count(label), 1, "the legend has %s", names[m]);
    }
    is_int(count("aria-label=\"vertex D"), 1, "D is the same under all");
    is_int(count("aria-label=\"region "), 0, "no region is shaded");
    is_int(count("aria-label=\"theta\""), 1, "one chart");
    struct wtl_pose_figure_options options = {.layout = WTL_POSE_SIDE_BY_SIDE};
    is_int(draw(&options), 0, "side by side");
    no_overlap("side by side");
    is_int(count("aria-label=\"theta\""), 3, "a chart for each");
    is_int(count("aria-label=\"region 3\""), 3, "shaded");
    ok(count(">(b) EDS:1,916.71</text>") == 1 && count(" width=\"174mm\"") == 1, "with titles");
    for (size_t m = 0; m < 3; m++)
        ok(group("theta", (int)m), "chart %zu", m);
}

/* ---- candidates ---- */

static void test_candidates(void)
{
    begin("Et^3");
    add_code("solver", NULL, 100, 280, 150, 340);
    study.parameter_name = strdup("frequency");
    study.parameter_unit = strdup("GHz");
    for (int i = 0; i < 10; i++) {
        double f = 1.2 + 0.2 * i, t = 52 + 114 / f, p = 140 + 6.2 * f * f * f;
        char label[32];
        (void)snprintf(label, sizeof label, "%.1f GHz", f);
        add_candidate(label, t, t * p, f);
    }
    is_int(draw(NULL), 0, "ten candidates %s", err.text);
    is_sound("ten candidates");
    no_overlap("ten candidates");
    is_int(count("aria-label=\"candidate "), 10, "each has a marker");
    is_int(count("aria-label=\"gain of "), 10, "and another over the frequency");
    ok(group("path along the parameter", 0) && group("Pareto front", 0), "path and front");
    ok(count(">Pareto front</text>") == 1 && strstr(caption, "Dotted: Pareto front"), "named");
    ok(count(">Frequency (GHz)</text>") == 1 && count(">Gain</text>") == 1, "axes of the gain");
    for (int i = 0; i < 10; i++) {
        char text[32];
        (void)snprintf(text, sizeof text, ">%.1f GHz</text>", 1.2 + 0.2 * i);
        is_int(count(text), 1, "%s", text);
    }
    ok(strstr(caption, "10 other versions, joined along frequency"), "%s", caption);
    begin("EDS:1,900");
    add_code("solver", NULL, 100, 280, 150, 340);
    add_candidate("<script>alert(1)</script> & a label that is far too long for its place", 80,
                  26000, (double)NAN);
    add_candidate("fewer threads", 101, 24000, (double)NAN);
    add_candidate("rewritten", 70, 19000, (double)NAN);
    add_candidate("capped", 120, 25000, (double)NAN);
    is_int(draw(NULL), 0, "candidates without a parameter");
    is_sound("candidates");
    no_overlap("candidates");
    is_int(count("<script>"), 0, "labels are texts");
    ok(!group("gain over the parameter", 0) && !group("path along the parameter", 0),
       "nothing is joined");
    ok(count(">Pareto front</text>") == 0 && !group("Pareto front", 0) &&
           !strstr(caption, "Pareto"),
       "one version is better than all: no front");
    ok(count("rewritten: 70 s, 19000 J, 271.43 W; strong run-time optimisation, gain 1.") == 1,
       "values and verdict");
}

/* ---- many codes, odd ones ---- */

static void test_many(void)
{
    begin("Et^3");
    for (int i = 0; i < 12; i++) {
        char label[40];
        (void)snprintf(label, sizeof label, "application %d", i);
        add_code(label, "a platform with a name", 60 + 20 * i, 200 + 10 * i, 180, 345);
    }
    is_int(draw(NULL), 0, "12 codes %s", err.text);
    is_sound("12 codes");
    no_overlap("12 codes");
    is_int(count("aria-label=\"theta\""), 12, "a chart for each");
    ok(strstr(caption, "POSE models of 12 codes under Et^3. The charts have"), "%s", caption);
    begin("Et^3");
    add_code("OpenMP", NULL, 113.66, 235.39, 181.14, 345.57);
    add_code("MPI", NULL, 86.35, 277.4, 167.76, 345.57);
    is_int(draw(NULL), 0, "two of one machine");
    ok(strstr(caption, "the same scales"), "share scales: %s", caption);
    is_double(circle_in("vertex A, Et^3", 1).x - circle_in("vertex A, Et^3", 0).x,
              number_behind(bytes, "viewBox=\"0 0 ") / 2 +
                  (circle_in("theta", 0).x - circle_in("vertex A, Et^3", 0).x) *
                      (wtl_pose_study_model(&study, 1, 0)->pose.vertices[0].t_s -
                       wtl_pose_study_model(&study, 0, 0)->pose.vertices[0].t_s) /
                      (113.66 - wtl_pose_study_model(&study, 0, 0)->pose.vertices[0].t_s),
              0.1, "a second is as wide in both");
}

static void test_odd(void)
{
    static const struct {
        int line;
        const char *name, *metric;
        double t, p, low, high;
        const char *want, *said;
    } rows[] = {
        {__LINE__, "at Pmin", "Et^3", 100, 180, 180, 350, ">C, D, E, " THETA "</text>", ""},
        {__LINE__, "below Pmin", "Et^3", 194.72, 175.67, 180.9, 329.69,
         ">" THETA " below Pmin</text>", "is below Pmin"},
        {__LINE__, "above Pmax", "EDD:1,500", 100, 400, 180, 350, ">" THETA " above Pmax</text>",
         "is above Pmax"},
        {__LINE__, "Pmin 0", "Et^3", 100, 200, 0, 350, ">0 W</text>", "E is at infinity"},
        {__LINE__, "E far away", "EDS:1,1", 100, 200, 1, 350, ">A, C</text>",
         "far outside the chart"},
        {__LINE__, "run time alone", "EDS:0,1", 100, 200, 100, 350, ">C, D, E</text>", ""},
        {__LINE__, "energy alone", "Et^0", 100, 200, 100, 350, ">A</text>", ""},
        {__LINE__, "n = 200", "Et^200", 100, 250, 180, 350, ">E</text>", ""},
        {__LINE__, "not separable", "E*t^2+0.1*t", 3, 200, 100, 300, ">A</text>", ""},
        {__LINE__, "microseconds", "Et", 3e-6, 200, 100, 300, ">Run time (\xC2\xB5s)</text>", ""},
        {__LINE__, "days", "Et", 4e5, 200, 100, 300, ">Run time (d)</text>", ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tap_line = rows[i].line;
        begin(rows[i].metric);
        add_code("code", NULL, rows[i].t, rows[i].p, rows[i].low, rows[i].high);
        is_int(draw(NULL), 0, "%s: drawn %s", rows[i].name, err.text);
        is_sound(rows[i].name);
        no_overlap(rows[i].name);
        ok(count(rows[i].want) >= 1, "%s: %s", rows[i].name, rows[i].want);
        ok(strstr(caption, rows[i].said), "%s: %s", rows[i].name, caption);
    }
    tap_line = 0;
    begin("Et^3");
    add_code("PathFinder", NULL, 212.91, 38952.89 / 212.91, 181.14, 345.57);
    is_int(draw(NULL), 0, "little scope");
    no_overlap("little scope");
    ok(group("enlarged", 0) && count("aria-label=\"theta\"") == 2, "C, D, E are shown larger");
    is_int(count(">D</text>"), 1, "with their letters there alone");
}

static void test_caption(void)
{
    struct wtl_pose_caption what = {.chart_count = 1};
    char text[100];
    begin("Et^3");
    add_code(NULL, NULL, 10, 200, 100, 300);
    study.subjects[0].quality = WATTLE_ESTIMATED;
    study.subjects[0].simulated = true;
    study.subjects[0].pmin_name = strdup("omp_parallel");
    (void)draw(NULL);
    ok(strstr(caption, "Pmin 100 W omp_parallel") && strstr(caption, "simulated node") &&
           strstr(caption, "estimated, not measured"),
       "%s", caption);
    wtl_pose_caption_write(&study, &what, text, sizeof text);
    ok(strlen(text) > 20 && strlen(text) < sizeof text, "in little room: %s", text);
    wtl_pose_caption_write(&study, &what, text, 0);
    wtl_pose_study_fini(&study);
    study = (struct wtl_pose_study){0};
    is_int(draw(NULL), -ENODATA, "no code: %s", err.text);
    is_int(size, 0, "nothing is written");
}

/* ---- power over time ---- */

static void add_run(size_t subject, const char *path)
{
    struct wtl_trace_reader *reader = NULL;
    struct wtl_pose_subject *to = &study.subjects[subject];
    size_t n = to->trace_count;
    to->results = grown(to->results, n, sizeof *to->results);
    to->traces = grown(to->traces, n, sizeof *to->traces);
    to->traces[n] = strdup(path);
    if (wtl_trace_reader_open(path, &reader, &err) < 0 ||
        wtl_run_result_read(reader, path, &to->results[n], &err) < 0) {
        diag("%s: %s", path, err.text);
        exit(1);
    }
    wtl_trace_reader_close(reader);
    to->trace_count = n + 1;
}

static void test_power(void)
{
    struct wtl_pose_figure_options options = {.no_power = true};
    is_int(sample_trace("pose_figure.wtl", SAMPLE_WHOLE), 0, "a trace");
    begin("Et^3");
    add_code("one", NULL, 5, 100, 60, 220);
    add_code("two", NULL, 5, 110, 60, 220);
    add_run(0, "pose_figure.wtl");
    add_run(0, "pose_figure.wtl");
    add_run(1, "pose_figure.wtl");
    is_int(draw(NULL), 0, "with traces %s", err.text);
    is_sound("power");
    no_overlap("power");
    ok(group("power over time", 0), "the power is shown");
    ok(count(">Pmin 60 W</text>") == 1 && count(">Pmax 220 W</text>") == 1, "with the envelope");
    ok(count(">one</text>") == 1 && count(">two</text>") == 1, "and a legend");
    ok(strstr(caption, "Below: power over the time of the runs."), "%s", caption);
    for (int s = 0; s < 2; s++)
        study.subjects[s].contains = strdup("package");
    study.subjects[1].region = strdup("solve");
    (void)draw(NULL);
    ok(strstr(caption, "Below: power of package over the time of the runs, of which the codes are"),
       "%s", caption);
    options = (struct wtl_pose_figure_options){.width_mm = 174, .height_mm = 100};
    is_int(draw(&options), 0, "in little room");
    no_overlap("power in little room");
    ok(count(">Pmin 60 W</text>") == 1 && count(">Pmax 220 W</text>") == 1,
       "the envelope is named");
    study.subjects[0].code.pmin_w = study.subjects[1].code.pmin_w = 219;
    is_int(draw(&options), 0, "Pmin near Pmax");
    no_overlap("power with Pmin near Pmax");
    ok(count(">Pmax 220 W</text>") == 0, "no names where they would lie on each other");
    options = (struct wtl_pose_figure_options){.no_power = true};
    is_int(draw(&options), 0, "without power");
    ok(!group("power over time", 0), "it is left out");
}

/* Error bars at the code if its uncertainty is known. */
static void test_doubt(void)
{
    double t, e;
    struct wtl_pose_doubt doubt = wtl_pose_doubt_unknown();
    ok(!wtl_pose_chart_doubt(&doubt, &t, &e), "nothing is known");
    doubt.runs = 4;
    doubt.t_sd_s = 2;
    doubt.e_sd_j = 30;
    doubt.e_resolution_j = 40;
    ok(wtl_pose_chart_doubt(&doubt, &t, &e), "of four runs it is");
    is_double(t, 3.182446, 1e-5, "Student with 3 degrees of freedom, by the root of 4");
    is_double(e, hypot(3.182446 * 15, 40), 1e-3, "with the resolution of the sensors");
    begin("Et^3");
    add_code("runs", NULL, 322.65, 305.57, 181.14, 345.57);
    is_int(draw(NULL), 0, "without");
    const char *theta = group("theta", 0), *end = theta ? strstr(theta, "</g>") : NULL;
    ok(theta && !memmem(theta, (size_t)(end - theta), "<path", 5), "a marker alone");
    study.subjects[0].doubt = doubt;
    is_int(draw(NULL), 0, "with");
    theta = group("theta", 0);
    end = theta ? strstr(theta, "<circle") : NULL;
    ok(theta && end && memmem(theta, (size_t)(end - theta), "<path", 5), "bars below the marker");
    ok(strstr(caption,
              "95 % intervals of the means over the runs, with the resolution of the sensors."),
       "%s", caption);
    study.subjects[0].doubt.runs = 1;
    (void)draw(NULL);
    ok(strstr(caption, "95 % intervals of the energy, of the resolution of the sensors."), "%s",
       caption);
    study.subjects[0].quality = WATTLE_ESTIMATED;
    (void)draw(NULL);
    ok(strstr(caption, "95 % intervals of the energy, of the error of the estimate."), "%s",
       caption);
    study.subjects[0].doubt.runs = 4;
    study.subjects[0].doubt.e_resolution_j = (double)NAN;
    (void)draw(NULL);
    ok(strstr(caption, "95 % intervals of the means over the runs."), "%s", caption);

    /* The window contains the bars, and part of infinite ones. */
    struct wtl_pose_window plain = wtl_pose_window_of(&wtl_pose_study_model(&study, 0, 0)->pose, 1);
    study.subjects[0].doubt.e_resolution_j = 40;
    study.subjects[0].doubt.t_sd_s = 80;
    wtl_pose_chart_doubt(&study.subjects[0].doubt, &t, &e);
    struct wtl_pose_window window = wtl_pose_chart_window(&study, 0, 0, 1);
    ok(322.65 + t > plain.t_high && 322.65 + t < window.t_high && 322.65 - t > window.t_low,
       "a bar of +- %g s lies within %g .. %g s", t, window.t_low, window.t_high);
    study.subjects[0].doubt.t_sd_s = 1e5;
    study.subjects[0].doubt.e_high_j = 1e9;
    study.subjects[0].doubt.e_low_j = 0;
    window = wtl_pose_chart_window(&study, 0, 0, 1);
    ok(window.t_high < 3 * plain.t_high && window.e_high < 3 * plain.e_high && window.t_low >= 0,
       "endless bars leave the chart readable");
    is_int(draw(NULL), 0, "and are cut off");
    is_sound("endless bars");
}

static void test_limits(void)
{
    begin("Et^3");
    for (int i = 0; i < 61; i++)
        add_code("code", NULL, 100 + i, 200, 100, 300);
    is_int(draw(NULL), -E2BIG, "61 codes: %s", err.text);
    is_int(size, 0, "nothing is written");
    begin("Et^3");
    add_metric("Et");
    for (int i = 0; i < 3; i++)
        add_code("code", "node", 100 + i, 200, 100, 300);
    struct wtl_pose_figure_options options = {.layout = WTL_POSE_SIDE_BY_SIDE};
    is_int(draw(&options), 0, "three codes, two metrics");
    is_double(circle_in("theta", 0).x, circle_in("theta", 2).x, 10, "a row for each code");
    ok(count(">(f) code, node, Et</text>") == 1, "with titles");
    begin("Et^3");
    add_code("code", NULL, 100, 200, 100, 300);
    for (int i = 0; i < 2000; i++) {
        char label[32];
        (void)snprintf(label, sizeof label, "version %d", i);
        add_candidate(label, 60 + 0.05 * i, 12000 + 37 * (i % 101), (double)NAN);
    }
    is_int(draw(NULL), 0, "2000 candidates");
    is_int(count("aria-label=\"candidate "), 2000, "all have markers");
    size_t named = 0;
    for (const char *p = bytes; (p = strstr(p, ">version ")); p++)
        named += strncmp(strchr(p + 1, '<'), "</text>", 7) == 0;
    ok(named > 0 && named <= 30, "those of the front have names: %zu", named);
}

static void test_cairo(void)
{
    begin("Et^3");
    add_code("PathFinder", NULL, 212.91, 182.95, 181.14, 345.57);
    add_candidate("x", 180, 40000, (double)NAN);
    if (!dlopen("libcairo.so.2", RTLD_NOW)) {
        skip("libcairo is not installed: PNG and PDF");
        return;
    }
    struct wtl_pose_figure_options options = {.dpi = 100};
    is_int(draw_as(&options, WTL_PICTURE_PNG), 0, "a PNG %s", err.text);
    ok(size > 2000 && memcmp(bytes, "\x89PNG", 4) == 0, "it is one");
    is_int(draw_as(&options, WTL_PICTURE_PDF), 0, "a PDF %s", err.text);
    ok(size > 2000 && memcmp(bytes, "%PDF", 4) == 0, "it is one");
}

int main(void)
{
    test_one();
    test_metrics();
    test_candidates();
    test_many();
    test_odd();
    test_caption();
    test_power();
    test_doubt();
    test_limits();
    test_cairo();
    wtl_pose_study_fini(&study);
    free(bytes);
    return done_testing();
}
