/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Any text as a metric: refused with a message, or a model whose numbers satisfy the model's guarantees: the costs at
 * the ends of its bounds are equal, insights are numbers, a code is no better than itself.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/pose/pose.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void hold(int condition)
{
    if (!condition)
        abort();
}

/* M at the vertex, and slightly before and after it, around the required cost. */
static void check_vertex(const struct wtl_pose_metric *metric,
                         const struct wtl_pose_point *at,
                         double want)
{
    double before = wtl_pose_metric_value(metric, at->e_j * (1 - 1e-9), at->t_s * (1 - 1e-9));
    double behind = wtl_pose_metric_value(metric, at->e_j * (1 + 1e-9), at->t_s * (1 + 1e-9));
    if (isfinite(want) && want > 1e-290 && metric->n < 1e3)
        hold(before <= want * (1 + 1e-9) && behind >= want * (1 - 1e-9));
}

static void check_model(const struct wtl_pose *pose, const struct wtl_pose_metric *metric)
{
    const struct wtl_pose_point *v = pose->vertices;
    double cost = wtl_pose_metric_value(metric, pose->code.e_j, pose->code.t_s);
    for (int i = 0; i < WTL_POSE_INSIGHTS; i++) {
        hold(isfinite(pose->insights[i].ratio) && pose->insights[i].ratio > 0);
        hold(!isinf(pose->insights[i].absolute));
        hold(!isnan(pose->insights[i].absolute) || i == WTL_POSE_METRIC_IMPROVEMENT);
    }
    check_vertex(metric, &v[WTL_POSE_B], cost);
    check_vertex(metric, &v[WTL_POSE_E], cost);
    check_vertex(metric, &v[WTL_POSE_A],
                 wtl_pose_metric_value(metric, v[WTL_POSE_C].e_j, v[WTL_POSE_C].t_s));
    hold(v[WTL_POSE_B].t_s <= v[WTL_POSE_D].t_s && v[WTL_POSE_D].t_s <= v[WTL_POSE_E].t_s);
    hold(v[WTL_POSE_A].t_s <= v[WTL_POSE_C].t_s && v[WTL_POSE_C].t_s <= v[WTL_POSE_D].t_s);
    for (int i = 0; i < 20; i++) {
        double x = pose->code.t_s * (0.3 + 0.1 * i);
        volatile double y = wtl_pose_optimisation_bound(pose, metric, x) +
                            wtl_pose_contribution_bound(pose, metric, x) +
                            wtl_pose_optimisation_limit(pose, metric, x);
        (void)y; /* any value, but quickly */
        struct wtl_pose_point at = {x, x * 210};
        if (wtl_pose_candidate_check(pose, metric, at, NULL) < 0)
            continue;
        struct wtl_pose_verdict verdict = wtl_pose_classify(pose, metric, at);
        hold(!isnan(verdict.gain) && verdict.region >= WTL_POSE_STRONG_RUN_TIME &&
             verdict.region <= WTL_POSE_DEGRADATION);
        hold((verdict.gain > 1) == (verdict.region != WTL_POSE_DEGRADATION));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct wtl_pose_code codes[] = {{100, 25000, 150, 350}, {0.01, 1.6, 150, 200}};
    struct wtl_pose_metric metric;
    struct wattle_error err = {""};
    char *text = malloc(size + 1);
    if (!text)
        return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    if (wtl_pose_metric_parse(text, &metric, &err) < 0) {
        hold(err.text[0] != '\0');
        free(text);
        return 0;
    }
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
        struct wtl_pose pose;
        struct wattle_error why = {""};
        if (wtl_pose_of(&codes[i], &metric, &pose, &why) == 0)
            check_model(&pose, &metric);
        else
            hold(why.text[0] != '\0');
    }
    double ratios[WTL_POSE_INSIGHTS];
    (void)wtl_pose_system(150, 350, &metric, ratios, NULL);
    wtl_pose_metric_fini(&metric);
    free(text);
    return 0;
}
