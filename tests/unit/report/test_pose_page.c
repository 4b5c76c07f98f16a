/* SPDX-License-Identifier: BSD-3-Clause */
/* The page of a POSE study: its document, its shapes, and names that look like markup. */
#define _GNU_SOURCE
#include "report/pose/pose_page.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/pose/pose_shape.h"
#include "report/page_template.h"
#include "report/pose/pose_report.h"
#include "tap.h"

static char evil[] = "</script><img src=x onerror=alert(1)>";
static char fewer_threads[] = "12 threads", half[] = "half", pathfinder[] = "PathFinder";

static struct wtl_pose_subject subject_of(char *label, double t_s, double e_j)
{
    return (struct wtl_pose_subject){.label = label,
                                     .code = {t_s, e_j, 181.14, 345.57},
                                     .doubt = wtl_pose_doubt_unknown(),
                                     .origin = WTL_POSE_GIVEN,
                                     .bounds_origin = WTL_POSE_GIVEN};
}

/* A study of the given parts, computed. Only the computed data is owned. */
static struct wtl_pose_study study_of(struct wtl_pose_subject *subjects,
                                      size_t n,
                                      struct wtl_pose_metric *metrics,
                                      char **names,
                                      size_t metric_count,
                                      struct wtl_pose_candidate *candidates,
                                      size_t candidate_count)
{
    struct wattle_error err = {""};
    struct wtl_pose_study study = {.subjects = subjects,
                                   .subject_count = n,
                                   .metrics = metrics,
                                   .metric_names = names,
                                   .metric_count = metric_count,
                                   .candidates = candidates,
                                   .candidate_count = candidate_count};
    for (size_t i = 0; i < metric_count; i++)
        is_int(wtl_pose_metric_parse(names[i], &metrics[i], &err), 0, "metric %s", names[i]);
    is_int(wtl_pose_study_compute(&study, &err), 0, "a study: %s", err.text);
    return study;
}

static void free_study(struct wtl_pose_study *study)
{
    for (size_t i = 0; i < study->subject_count * study->metric_count; i++) {
        free(study->models[i].verdicts);
        free(study->models[i].verdict_intervals);
    }
    free(study->models);
    free(study->systems_by_group);
    for (size_t i = 0; i < study->metric_count; i++)
        wtl_pose_metric_fini(&study->metrics[i]);
}

static double number_in(const json_t *array, size_t i)
{
    return json_number_value(json_array_get(array, i));
}

static void test_document(void)
{
    char et3[] = "Et^3", eds[] = "EDS:1,900";
    char *names[] = {et3, eds};
    struct wtl_pose_metric metrics[2];
    struct wtl_pose_subject subjects[] = {subject_of(pathfinder, 212.91, 38952.89),
                                          subject_of(half, 106.5, 30000)};
    struct wtl_pose_candidate candidates[] = {
        {.label = fewer_threads, .at = {900, 150000}, .parameter = 12}};
    struct wtl_pose_study study = study_of(subjects, 2, metrics, names, 2, candidates, 1);
    struct wattle_error err = {""};
    json_t *page = NULL, *document = wtl_pose_document(&study);
    is_int(wtl_pose_page_document(&study, NULL, &page, &err), 0, "a document: %s", err.text);
    is_str(json_string_value(json_object_get(page, "schema")), "wattle.pose-page/1", "its schema");
    ok(json_equal(json_object_get(page, "document"), document),
       "it holds what --format json prints");
    const json_t *shapes = json_object_get(page, "shapes");
    is_int((long)json_array_size(shapes), 4, "shapes of each code under each metric");
    is_int((long)json_array_size(json_object_get(page, "power")), 2, "power of each code");
    for (size_t i = 0; i < json_array_size(shapes); i++) {
        const json_t *one = json_array_get(shapes, i);
        const json_t *window = json_object_get(one, "window");
        ok(number_in(window, 0) < number_in(window, 1) &&
               number_in(window, 2) < number_in(window, 3),
           "%zu: a window", i);
        is_int((long)json_array_size(json_object_get(one, "regions")), 4, "%zu: regions", i);
        is_int((long)json_object_size(json_object_get(one, "curves")), WTL_POSE_CURVES,
               "%zu: curves", i);
        if (i < 2)
            ok(number_in(window, 1) >= 900 && number_in(window, 3) >= 150000,
               "%zu: the candidate is within", i);
        else
            ok(number_in(window, 1) < 450, "%zu: another code is not drawn as small as that", i);
    }
    const json_t *second = json_array_get(json_object_get(page, "metrics"), 1);
    is_str(json_string_value(json_object_get(second, "kind")), "EDS", "the second metric");
    is_double(json_number_value(json_object_get(second, "beta")), 900, 0, "its beta");
    ok(json_is_null(json_object_get(second, "n")), "it has no n");
    json_decref(page);
    json_decref(document);
    free_study(&study);
}

static void test_one_window(void)
{
    char et3[] = "Et^3";
    char *names[] = {et3};
    struct wtl_pose_metric metrics[1];
    struct wtl_pose_subject subjects[] = {subject_of(pathfinder, 212.91, 38952.89),
                                          subject_of(half, 190, 45000)};
    struct wtl_pose_study study = study_of(subjects, 2, metrics, names, 1, NULL, 0);
    struct wattle_error err = {""};
    json_t *page = NULL;
    is_int(wtl_pose_page_document(&study, NULL, &page, &err), 0, "a document: %s", err.text);
    const json_t *shapes = json_object_get(page, "shapes");
    ok(json_equal(json_object_get(json_array_get(shapes, 0), "window"),
                  json_object_get(json_array_get(shapes, 1), "window")),
       "codes that are alike share a window");
    json_decref(page);
    free_study(&study);
}

static void test_page(void)
{
    char et3[] = "Et^3";
    char *names[] = {et3}, *text = NULL;
    size_t size = 0;
    struct wtl_pose_metric metrics[1];
    struct wtl_pose_subject subject = subject_of(evil, 212.91, 38952.89);
    struct wtl_pose_study study = study_of(&subject, 1, metrics, names, 1, NULL, 0);
    struct wattle_error err = {""};
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return;
    int rc = wtl_pose_page_write(&study, NULL, out, &err);
    (void)fclose(out);
    if (wtl_page_pose.length[0] == 0) {
        is_int(rc, -ENOTSUP, "a build without the page says so: %s", err.text);
        is_int((long)size, 0, "and writes nothing");
    } else {
        is_int(rc, 0, "a page: %s", err.text);
        ok(strstr(text, evil) == NULL, "the label is text");
        ok(strstr(text, "<title>&lt;/script&gt;&lt;img") != NULL, "in the title");
        ok(strstr(text, "\\u003c/script>\\u003cimg") != NULL, "and in the document");
    }
    free(text);
    free_study(&study);
}

static void test_nothing(void)
{
    struct wtl_pose_study study = {0};
    struct wattle_error err = {""};
    json_t *page = NULL;
    is_int(wtl_pose_page_document(&study, NULL, &page, &err), -ENODATA, "no code: %s", err.text);
    ok(page == NULL, "no document");
}

int main(void)
{
    test_document();
    test_one_window();
    test_page();
    test_nothing();
    return done_testing();
}
