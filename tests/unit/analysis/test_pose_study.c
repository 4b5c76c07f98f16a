/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The study: the Pareto front compared with its definition, verdicts, which machine belongs to
 * which code, messages for invalid codes, and that computing twice gives the same.
 */
#define _GNU_SOURCE
#include "analysis/pose/pose_study.h"

#include <errno.h>
#include <math.h>

#include "tap.h"

static uint64_t state = 20260101;

static double uniform(double low, double high)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return low + (high - low) * (double)(state >> 11) / 9007199254740992.0;
}

static void add_metric(struct wtl_pose_study *study, const char *text)
{
    struct wattle_error err = {""};
    size_t n = study->metric_count++;
    study->metrics = realloc(study->metrics, study->metric_count * sizeof *study->metrics);
    study->metric_names =
        realloc(study->metric_names, study->metric_count * sizeof *study->metric_names);
    if (!study->metrics || !study->metric_names ||
        wtl_pose_metric_parse(text, &study->metrics[n], &err) < 0) {
        diag("%s", err.text);
        exit(1);
    }
    study->metric_names[n] = strdup(text);
}

static void add_code(struct wtl_pose_study *study,
                     const char *label,
                     const char *group,
                     struct wtl_pose_code code)
{
    size_t n = study->subject_count++;
    study->subjects = realloc(study->subjects, study->subject_count * sizeof *study->subjects);
    if (!study->subjects)
        exit(1);
    study->subjects[n] = (struct wtl_pose_subject){
        .label = label ? strdup(label) : NULL,
        .group = group ? strdup(group) : NULL,
        .code = code,
        .doubt = wtl_pose_doubt_unknown(),
    };
}

static void add_candidates(struct wtl_pose_study *study, size_t n)
{
    study->candidates = calloc(n + 1, sizeof *study->candidates);
    if (!study->candidates)
        exit(1);
    study->candidate_count = n;
    for (size_t i = 0; i < n; i++)
        study->candidates[i].label = strdup("version");
}

static void add_system(struct wtl_pose_study *study, const char *group, double low, double high)
{
    size_t n = study->system_count++;
    study->systems = realloc(study->systems, study->system_count * sizeof *study->systems);
    if (!study->systems)
        exit(1);
    study->systems[n] = (struct wtl_pose_system_summary){
        .pmin_w = low, .pmax_w = high, .group = group ? strdup(group) : NULL};
}

/* As good in both, and better in one. */
static bool dominates(struct wtl_pose_point a, struct wtl_pose_point b)
{
    return a.t_s <= b.t_s && a.e_j <= b.e_j && (a.t_s < b.t_s || a.e_j < b.e_j);
}

/* Few positions, so that equal times, equal energies and equal points occur. */
static void test_front(size_t n, int places)
{
    struct wtl_pose_study study = {0};
    struct wattle_error err = {""};
    add_metric(&study, "Et");
    add_code(&study, "code", NULL,
             (struct wtl_pose_code){10 + floor(uniform(0, places)), 2000, 100, 300});
    add_candidates(&study, n);
    for (size_t i = 0; i < n; i++)
        study.candidates[i].at = (struct wtl_pose_point){10 + floor(uniform(0, places)),
                                                         1500 + 100 * floor(uniform(0, places))};
    is_int(wtl_pose_study_compute(&study, &err), 0, "%zu versions: %s", n, err.text);
    struct wtl_pose_point code = {study.subjects[0].code.t_s, study.subjects[0].code.e_j};
    size_t wrong = 0;
    for (size_t i = 0; i <= n; i++) {
        struct wtl_pose_point at = i < n ? study.candidates[i].at : code;
        bool front = !dominates(code, at);
        for (size_t k = 0; k < n && front; k++)
            front = !dominates(study.candidates[k].at, at);
        wrong += front != (i < n ? study.candidates[i].on_front : study.code_on_front);
    }
    is_int(wrong, 0, "%zu versions in %d places: the front is that of the definition", n, places);
    wtl_pose_study_fini(&study);
}

/* Each verdict is that of its own point, and the contributions of power and the rest add up to the
 * gain. */
static void test_verdicts(void)
{
    struct wtl_pose_study study = {0};
    struct wattle_error err = {""};
    enum { N = 50 };
    add_metric(&study, "Et^2");
    add_metric(&study, "EDS:1,300");
    add_code(&study, "code", NULL, (struct wtl_pose_code){10, 2000, 100, 300});
    add_candidates(&study, N);
    for (size_t i = 0; i < N; i++) {
        double t = uniform(5, 15);
        study.candidates[i].at = (struct wtl_pose_point){t, t * uniform(100, 300)};
    }
    is_int(wtl_pose_study_compute(&study, &err), 0, "%s", err.text);
    for (size_t m = 0; m < study.metric_count; m++) {
        const struct wtl_pose_model *model = wtl_pose_study_model(&study, 0, m);
        const struct wtl_pose_metric *metric = &study.metrics[m];
        size_t wrong = 0, unequal = 0;
        for (size_t i = 0; i < N; i++) {
            struct wtl_pose_point at = study.candidates[i].at;
            const struct wtl_pose_verdict *verdict = &model->verdicts[i];
            double cost = wtl_pose_metric_value(metric, 2000, 10);
            double by_power = wtl_pose_metric_value(metric, at.e_j / at.t_s * 10, 10);
            double gain = cost / wtl_pose_metric_value(metric, at.e_j, at.t_s);
            unequal += fabs(verdict->gain / gain - 1) > 1e-12;
            if (gain > 1)
                wrong += fabs(verdict->power_part - log(cost / by_power) / log(gain)) > 1e-9;
            else
                wrong += verdict->region != WTL_POSE_DEGRADATION || !isnan(verdict->power_part);
        }
        is_int(unequal, 0, "%s: gains", study.metric_names[m]);
        is_int(wrong, 0, "%s: shares", study.metric_names[m]);
    }
    wtl_pose_study_fini(&study);
}

static void test_machines(void)
{
    struct wtl_pose_study study = {0};
    struct wattle_error err = {""};
    add_metric(&study, "Et^3");
    add_metric(&study, "E+t^2");
    add_code(&study, "a", "east", (struct wtl_pose_code){10, 2000, 100, 300});
    add_code(&study, "b", "west", (struct wtl_pose_code){10, 2000, 100, 300});
    add_code(&study, "c", NULL, (struct wtl_pose_code){10, 2000, 100, 300});
    add_system(&study, "west", 100, 200);
    add_system(&study, "east", 100, 300);
    is_int(wtl_pose_study_compute(&study, &err), 0, "%s", err.text);
    ok(wtl_pose_study_system(&study, 0) == &study.systems[1], "by group");
    ok(wtl_pose_study_system(&study, 1) == &study.systems[0], "by group, the other");
    ok(!wtl_pose_study_system(&study, 2), "of no group, and two machines: none");
    is_double(study.systems[1].ratios[WTL_POSE_ENERGY_SAVED], 3, 1e-12, "Pmax / Pmin");
    ok(isnan(study.systems[1].ratios[WTL_POSE_INSIGHTS]), "not separable: unknown beside codes");
    is_int(wtl_pose_study_compute(&study, &err), 0, "again: %s", err.text);
    is_double(study.systems[0].ratios[WTL_POSE_ENERGY_SAVED], 2, 1e-12, "the same");
    wtl_pose_study_fini(&study);
    ok(study.subject_count == 0 && !study.models, "cleared");
}

/* A table row with an empty group belongs to a separate machine. */
static void test_no_group(void)
{
    struct wtl_pose_study study = {0};
    struct wattle_error err = {""};
    add_metric(&study, "Et^3");
    add_code(&study, "a", "west", (struct wtl_pose_code){10, 2000, 100, 300});
    add_code(&study, "b", NULL, (struct wtl_pose_code){10, 2000, 100, 400});
    add_code(&study, "c", "north", (struct wtl_pose_code){10, 2000, 100, 400});
    add_system(&study, "west", 100, 300);
    add_system(&study, NULL, 100, 400);
    ok(!wtl_pose_study_system(&study, 0), "nothing before it is computed");
    is_int(wtl_pose_study_compute(&study, &err), 0, "%s", err.text);
    ok(wtl_pose_study_system(&study, 0) == &study.systems[0], "by group");
    ok(wtl_pose_study_system(&study, 1) == &study.systems[1], "of no group");
    ok(!wtl_pose_study_system(&study, 2), "of a group without a summary");
    wtl_pose_study_fini(&study);
}

static void test_refusals(void)
{
    struct wtl_pose_study study = {0};
    struct wattle_error err = {""};
    add_metric(&study, "E+t^2");
    add_system(&study, NULL, 100, 200);
    is_int(wtl_pose_study_compute(&study, &err), -ENOTSUP, "a machine alone: %s", err.text);
    add_code(&study, "good", NULL, (struct wtl_pose_code){10, 2000, 100, 300});
    add_code(&study, "bad one", NULL, (struct wtl_pose_code){10, 2000, 300, 100});
    is_int(wtl_pose_study_compute(&study, &err), -EINVAL, "Pmin above Pmax");
    ok(strncmp(err.text, "bad one: ", 9) == 0, "names the code: %s", err.text);
    study.subjects[1].code = (struct wtl_pose_code){(double)NAN, 2000, 100, 300};
    is_int(wtl_pose_study_compute(&study, &err), -EINVAL, "NaN: %s", err.text);
    wtl_pose_study_fini(&study);
}

int main(void)
{
    test_front(0, 5);
    test_front(1, 2);
    for (int i = 0; i < 20; i++)
        test_front(40, 8);
    test_front(2000, 3000);
    test_verdicts();
    test_machines();
    test_no_group();
    test_refusals();
    return done_testing();
}
