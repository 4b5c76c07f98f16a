/* SPDX-License-Identifier: BSD-3-Clause */
/* The page of a POSE study: see pose_page.h. */
#include "report/pose/pose_page.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/pose/pose_shape.h"
#include "analysis/power/total_curve.h"
#include "base/fail.h"
#include "report/json_value.h"
#include "report/packed.h"
#include "report/page_template.h"
#include "report/pose/pose_forms.h"
#include "report/pose/pose_report.h"

enum { CELLS = 800 }; /* of the power over time of a run */
enum { RUNS = 5 };    /* repeats whose power is shown */
#define ALIKE 1.6     /* windows that differ by less are shared, to be compared by eye */

static const char *const kind_names[] = {
    [WTL_POSE_ET_N] = "Et^N",
    [WTL_POSE_EDS] = "EDS",
    [WTL_POSE_EDD] = "EDD",
    [WTL_POSE_EXPRESSION] = "expression",
};

/* ---- windows ---- */

static struct wtl_pose_window window_of_subject(const struct wtl_pose_study *study, size_t subject)
{
    struct wtl_pose_window window = {0};
    for (size_t m = 0; m < study->metric_count; m++) {
        struct wtl_pose_window one =
            wtl_pose_window_of(&wtl_pose_study_model(study, subject, m)->pose, 1);
        if (m == 0) {
            window = one;
        } else {
            wtl_pose_window_include(&window, (struct wtl_pose_point){one.t_low, one.e_low});
            wtl_pose_window_include(&window, (struct wtl_pose_point){one.t_high, one.e_high});
        }
    }
    for (size_t i = 0; subject == 0 && i < study->candidate_count; i++)
        wtl_pose_window_include(&window, study->candidates[i].at);
    return window;
}

/* One window for all if they are similar. */
static void share_windows(struct wtl_pose_window *windows, size_t n)
{
    double t_least = INFINITY, e_least = INFINITY;
    struct wtl_pose_window all = windows[0];
    for (size_t i = 0; i < n; i++) {
        t_least = fmin(t_least, windows[i].t_high);
        e_least = fmin(e_least, windows[i].e_high);
        all.t_low = fmin(all.t_low, windows[i].t_low);
        all.e_low = fmin(all.e_low, windows[i].e_low);
        all.t_high = fmax(all.t_high, windows[i].t_high);
        all.e_high = fmax(all.e_high, windows[i].e_high);
    }
    for (size_t i = 0; i < n && all.t_high < ALIKE * t_least && all.e_high < ALIKE * e_least; i++)
        windows[i] = all;
}

/* ---- shapes ---- */

/* The points as t, e, t, e, ..; frees the shape. */
static json_t *points_json(struct wtl_pose_shape *shape)
{
    float *flat = malloc((2 * shape->count + 1) * sizeof *flat);
    for (size_t i = 0; flat && i < shape->count; i++) {
        flat[2 * i] = (float)shape->points[i].t_s;
        flat[2 * i + 1] = (float)shape->points[i].e_j;
    }
    json_t *packed = flat ? wtl_json_packed(flat, 2 * shape->count) : NULL;
    free(flat);
    wtl_pose_shape_fini(shape);
    return packed;
}

static json_t *shapes_json(const struct wtl_pose *pose,
                           const struct wtl_pose_metric *metric,
                           const struct wtl_pose_window *window)
{
    const double ends[] = {window->t_low, window->t_high, window->e_low, window->e_high};
    struct wtl_json o = wtl_json_object(), curves = wtl_json_object(), regions = wtl_json_array();
    struct wtl_json borders = wtl_json_array();
    struct wtl_pose_shape shape;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        wtl_json_add(&borders, wtl_json_number(ends[i]));
    for (int i = 0; i < WTL_POSE_CURVES; i++) {
        int rc = wtl_pose_shape_of_curve(pose, metric, (enum wtl_pose_curve)i, window, &shape);
        wtl_json_set(&curves, wtl_pose_curve_names[i], rc < 0 ? NULL : points_json(&shape));
    }
    for (int i = WTL_POSE_STRONG_RUN_TIME; i <= WTL_POSE_DEGRADATION; i++) {
        int rc = wtl_pose_shape_of_region(pose, metric, (enum wtl_pose_region)i, window, &shape);
        wtl_json_add(&regions, rc < 0 ? NULL : points_json(&shape));
    }
    wtl_json_set(&o, "window", wtl_json_done(&borders));
    wtl_json_set(&o, "curves", wtl_json_done(&curves));
    wtl_json_set(&o, "regions", wtl_json_done(&regions));
    return wtl_json_done(&o);
}

static json_t *all_shapes_json(const struct wtl_pose_study *study)
{
    struct wtl_pose_window *windows = calloc(study->subject_count + 1, sizeof *windows);
    if (!windows)
        return NULL;
    struct wtl_json all = wtl_json_array();
    for (size_t s = 0; s < study->subject_count; s++)
        windows[s] = window_of_subject(study, s);
    share_windows(windows, study->subject_count);
    for (size_t s = 0; s < study->subject_count; s++)
        for (size_t m = 0; m < study->metric_count; m++)
            wtl_json_add(&all, shapes_json(&wtl_pose_study_model(study, s, m)->pose,
                                           &study->metrics[m], &windows[s]));
    free(windows);
    return wtl_json_done(&all);
}

/* ---- power over time ---- */

static const char *name_of_path(const char *path)
{
    const char *slash = path ? strrchr(path, '/') : NULL;
    return slash ? slash + 1 : path;
}

static json_t *curve_json(const struct wtl_result *result,
                          const char *trace,
                          const double *power_w,
                          double cell_s)
{
    float begin_s[CELLS], mean_w[CELLS];
    struct wtl_json o = wtl_json_object();
    for (size_t i = 0; i < CELLS; i++) {
        begin_s[i] = (float)((double)i * cell_s);
        mean_w[i] = (float)power_w[i];
    }
    wtl_json_set(&o, "label", wtl_json_text(name_of_path(trace)));
    wtl_json_set(&o, "begin_s", wtl_json_packed(begin_s, CELLS));
    wtl_json_set(&o, "end_s", wtl_json_number(result->wall_time_s));
    wtl_json_set(&o, "power_w", wtl_json_packed(mean_w, CELLS));
    return wtl_json_done(&o);
}

/* The runs of a subject; an empty array if they are not from traces, or have no values over time. */
static int power_json(const struct wtl_pose_subject *subject,
                      json_t **ret_power,
                      struct wattle_error *err)
{
    double power_w[CELLS];
    struct wtl_json all = wtl_json_array();
    int rc = 0;
    for (size_t i = 0; subject->results && i < subject->trace_count && i < RUNS; i++) {
        const struct wtl_result *result = &subject->results[i];
        double cell_s = result->wall_time_s / CELLS;
        if (!(cell_s > 0))
            continue;
        rc = wtl_total_curve_read(result, cell_s, CELLS, power_w, err);
        if (rc == -ENODATA)
            rc = 0;
        else if (rc == 0)
            wtl_json_add(&all, curve_json(result, subject->traces[i], power_w, cell_s));
        else
            break;
    }
    *ret_power = wtl_json_done(&all);
    if (rc == 0 && !*ret_power)
        rc = -ENOMEM;
    return rc;
}

static int all_power_json(const struct wtl_pose_study *study,
                          json_t **ret_power,
                          struct wattle_error *err)
{
    struct wtl_json all = wtl_json_array();
    int rc = 0;
    for (size_t s = 0; s < study->subject_count && rc == 0; s++) {
        json_t *one = NULL;
        rc = power_json(&study->subjects[s], &one, err);
        wtl_json_add(&all, one);
    }
    *ret_power = wtl_json_done(&all);
    return rc;
}

/* ---- the document ---- */

static json_t *metrics_json(const struct wtl_pose_study *study)
{
    struct wtl_json all = wtl_json_array();
    for (size_t m = 0; m < study->metric_count; m++) {
        const struct wtl_pose_metric *metric = &study->metrics[m];
        bool sums = metric->kind == WTL_POSE_EDS || metric->kind == WTL_POSE_EDD;
        struct wtl_json o = wtl_json_object();
        wtl_json_set(&o, "kind", wtl_json_text(kind_names[metric->kind]));
        wtl_json_set(&o, "n",
                     wtl_json_number(metric->kind == WTL_POSE_ET_N ? metric->n : (double)NAN));
        wtl_json_set(&o, "alpha", wtl_json_number(sums ? metric->alpha : (double)NAN));
        wtl_json_set(&o, "beta", wtl_json_number(sums ? metric->beta : (double)NAN));
        wtl_json_add(&all, wtl_json_done(&o));
    }
    return wtl_json_done(&all);
}

static json_t *headlines_json(const struct wtl_pose_study *study)
{
    char text[WTL_POSE_SENTENCE];
    struct wtl_json all = wtl_json_array();
    for (size_t s = 0; s < study->subject_count; s++)
        for (size_t m = 0; m < study->metric_count; m++)
            wtl_json_add(&all, wtl_json_text(wtl_pose_headline(wtl_pose_study_model(study, s, m),
                                                               text, sizeof text)));
    return wtl_json_done(&all);
}

static json_t *title_json(const struct wtl_pose_study *study, const char *title)
{
    char text[512];
    if (title)
        return wtl_json_text(title);
    if (study->subject_count == 0)
        return wtl_json_text("System summary");
    const struct wtl_pose_subject *first = &study->subjects[0];
    if (study->subject_count > 1)
        (void)snprintf(text, sizeof text, "Power or run time: %zu codes", study->subject_count);
    else
        (void)snprintf(text, sizeof text, "%s%s%s",
                       first->label ? first->label : "Power or run time?",
                       first->label && first->group ? ", " : "",
                       first->label && first->group ? first->group : "");
    return wtl_json_text(text);
}

int wtl_pose_page_document(const struct wtl_pose_study *study,
                           const char *title,
                           json_t **ret_document,
                           struct wattle_error *err)
{
    if ((study->subject_count == 0 && study->system_count == 0) || study->metric_count == 0)
        return wtl_fail(err, -ENODATA, "no code to draw; give its run time and energy, or traces");
    json_t *power = NULL;
    int rc = all_power_json(study, &power, err);
    if (rc < 0 && rc != -ENOMEM) {
        json_decref(power);
        return rc;
    }
    struct wtl_json o = wtl_json_document("wattle.pose-page/1");
    wtl_json_set(&o, "title", title_json(study, title));
    wtl_json_set(&o, "redacted", json_boolean(study->redacted));
    wtl_json_set(&o, "document", wtl_pose_document(study));
    wtl_json_set(&o, "headlines", headlines_json(study));
    wtl_json_set(&o, "metrics", metrics_json(study));
    wtl_json_set(&o, "shapes", all_shapes_json(study));
    wtl_json_set(&o, "power", power);
    *ret_document = wtl_json_done(&o);
    return *ret_document ? 0 : wtl_no_memory_for(err, "the page");
}

/* ---- the page ---- */

int wtl_pose_page_there(struct wattle_error *err)
{
    return wtl_page_template_there(&wtl_page_pose, err);
}

int wtl_pose_page_write(const struct wtl_pose_study *study,
                        const char *title,
                        FILE *out,
                        struct wattle_error *err)
{
    char summary[WTL_POSE_SENTENCE] = "What the machine allows, for any code";
    json_t *document = NULL;
    int rc = wtl_pose_page_there(err);
    rc = rc < 0 ? rc : wtl_pose_page_document(study, title, &document, err);
    if (rc < 0)
        return rc;
    if (study->subject_count > 0)
        (void)wtl_pose_headline(wtl_pose_study_model(study, 0, 0), summary, sizeof summary);
    rc = wtl_page_template_fill(&wtl_page_pose,
                                json_string_value(json_object_get(document, "title")), summary,
                                document, false, out, err);
    json_decref(document);
    return rc;
}
