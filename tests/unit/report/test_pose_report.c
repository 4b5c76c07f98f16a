/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A POSE study in its three formats in difficult cases: names from files with escapes or of great
 * length, intervals, more codes than fit a page, numbers of any magnitude, a full stream. For
 * ordinary codes see tests/cli/pose-*.
 */
#define _GNU_SOURCE
#include "report/pose/pose_report.h"

#include <errno.h>
#include <math.h>

#include "base/utf8.h"
#include "report/json_value.h"
#include "report/pose/pose_forms.h"
#include "tap.h"

static char *text;
static size_t size;

static struct wtl_pose_study study_of(size_t codes, size_t metrics, double scale)
{
    static const char *const names[] = {"Et^3", "EDS:1,900", "E*t^2+E^2*t+0*sqrt(E*E*E*E*E*E*E)",
                                        "EDD:0.30/3.6e6,2.50/3600"};
    struct wtl_pose_study study = {
        .subjects = calloc(codes, sizeof *study.subjects),
        .subject_count = codes,
        .metrics = calloc(metrics, sizeof *study.metrics),
        .metric_names = calloc(metrics, sizeof *study.metric_names),
        .metric_count = metrics,
    };
    struct wattle_error err = {""};
    if (!study.subjects || !study.metrics || !study.metric_names)
        exit(1);
    for (size_t i = 0; i < metrics; i++) {
        if (wtl_pose_metric_parse(names[i], &study.metrics[i], &err) < 0)
            exit(1);
        study.metric_names[i] = strdup(names[i]);
    }
    for (size_t i = 0; i < codes; i++)
        study.subjects[i] = (struct wtl_pose_subject){
            .label = strdup("evil \033[31m name \xff of a code that is longer than any column"),
            .group = strdup("a-host-with-a-long-name\n.example"),
            .code = {scale * (10 + (double)i), scale * 2000 * (10 + (double)i) / 10, 100, 300},
            .doubt = wtl_pose_doubt_unknown(),
        };
    return study;
}

static void add_candidate(struct wtl_pose_study *study)
{
    study->candidates = calloc(1, sizeof *study->candidates);
    if (!study->candidates)
        exit(1);
    study->candidate_count = 1;
    study->candidates[0] = (struct wtl_pose_candidate){
        .label = strdup("\033]0;title\007 a version with a label that goes on and on"),
        .at = {study->subjects[0].code.t_s * 0.9, study->subjects[0].code.e_j * 0.9},
        .doubt = wtl_pose_doubt_unknown(),
        .parameter = 2.1,
    };
    study->parameter_name = strdup("frequency");
    study->parameter_unit = strdup("GHz");
}

static int print(struct wtl_pose_study *study, enum wtl_format format, bool details)
{
    struct wattle_error err = {""};
    free(text);
    text = NULL;
    FILE *out = open_memstream(&text, &size);
    int rc = wtl_pose_study_compute(study, &err);
    rc = rc < 0 ? rc : wtl_report_pose(out, format, study, details, NULL, &err);
    fclose(out);
    if (rc < 0)
        diag("%s", err.text);
    return rc;
}

/* No control characters except line breaks, valid UTF-8, at most 80 columns. */
static void check_clean(const char *what)
{
    size_t longest = 0, control = 0;
    for (const char *p = text; *p; p++)
        control += ((unsigned char)*p < ' ' && *p != '\n') || *p == 0x7f;
    char *line = strdup(text), *rest = line;
    for (char *one; (one = strsep(&rest, "\n")) != NULL;) {
        size_t columns = wtl_utf8_columns(one);
        longest = columns > longest ? columns : longest;
        if (columns > 80)
            diag("too long: %s", one);
    }
    free(line);
    is_int(control, 0, "%s: no control characters", what);
    ok(longest <= 80, "%s: %zu columns", what, longest);
}

static void test_text(size_t codes, size_t metrics, bool details, double scale)
{
    struct wtl_pose_study study = study_of(codes, metrics, scale);
    char what[80];
    (void)snprintf(what, sizeof what, "%zu codes, %zu metrics, %s, times %g", codes, metrics,
                   details ? "details" : "short", scale);
    add_candidate(&study);
    study.systems = calloc(1, sizeof *study.systems);
    if (!study.systems)
        exit(1);
    study.systems[study.system_count++] =
        (struct wtl_pose_system_summary){.pmin_w = 100, .pmax_w = 300};
    is_int(print(&study, WTL_FORMAT_TEXT, details), 0, "%s", what);
    check_clean(what);
    wtl_pose_study_fini(&study);
}

static void test_intervals(void)
{
    struct wtl_pose_study study = study_of(1, 1, 1);
    struct wtl_pose_doubt *doubt = &study.subjects[0].doubt;
    doubt->runs = 5;
    doubt->t_sd_s = 0.1;
    doubt->e_sd_j = 30;
    doubt->correlation = 0.5;
    doubt->pmin_half_w = 1;
    study.subjects[0].origin = WTL_POSE_TRACE;
    is_int(print(&study, WTL_FORMAT_TEXT, false), 0, "with intervals");
    check_clean("with intervals");
    ok(strstr(text, "1000 +- "), "absolute");
    ok(strstr(text, "(a..b) its ends; from run-to-run"), "what they are of");
    ok(strstr(text, "mean of 5 runs"), "runs");
    ok(strstr(text, "Pmin 100.0 +- 1.0 W"), "the floor's own");
    wtl_pose_study_fini(&study);

    /* t varies by some percent: intervals of Et^3 cannot be symmetric. */
    study = study_of(1, 1, 1);
    doubt = &study.subjects[0].doubt;
    doubt->runs = 3;
    doubt->t_sd_s = 1;
    doubt->e_sd_j = 30;
    doubt->correlation = 0;
    is_int(print(&study, WTL_FORMAT_TEXT, false), 0, "with a lopsided interval");
    check_clean("with a lopsided interval");
    const char *ends = strstr(text, ".."); /* the first is not the legend's */
    ok(ends && strstr(ends + 2, ".."), "its ends");
    wtl_pose_study_fini(&study);
}

/* Paragraphs with a label as one line each. */
static void unwrap(void)
{
    for (char *p = text; (p = strstr(p, "\n           ")) != NULL; *p = ' ')
        memmove(p, p + 11, strlen(p + 11) + 1);
}

/* The lower end is near, the upper one far: the value keeps the digits that the lower one
 * supports. */
static void test_lopsided(void)
{
    struct wtl_pose_study study = study_of(1, 1, 1);
    struct wattle_error err = {""};
    is_int(wtl_pose_study_compute(&study, &err), 0, "computed");
    struct wtl_pose_model *model = study.models;
    model->pose.insights[WTL_POSE_ENERGY_SAVED].absolute = 12.26;
    model->intervals.absolute[WTL_POSE_ENERGY_SAVED] = (struct wtl_pose_range){-0.99, 199};
    model->intervals.of_runs = true;
    free(text);
    text = NULL;
    FILE *out = open_memstream(&text, &size);
    is_int(wtl_report_pose(out, WTL_FORMAT_TEXT, &study, false, NULL, &err), 0, "printed");
    fclose(out);
    ok(strstr(text, " 12 (-1..199) J"), "lopsided: %.700s", text);
    check_clean("lopsided");
    wtl_pose_study_fini(&study);
}

/* Warnings about the codes of a table: each once, with the codes; in CSV per code. */
static void test_warnings(void)
{
    struct wtl_pose_study study = study_of(8, 2, 1);
    for (size_t s = 0; s < 8; s++) {
        free(study.subjects[s].label);
        (void)asprintf(&study.subjects[s].label, "code%zu", s);
        free(study.subjects[s].group);
        study.subjects[s].group = NULL;
        study.subjects[s].origin = WTL_POSE_TRACE;
    }
    study.subjects[2].code.pmin_w = 250;
    study.subjects[5].code.pmin_w = 260;
    study.subjects[3].simulated = true;
    study.subjects[4].quality = WATTLE_ESTIMATED;
    for (size_t s = 0; s < 8; s++)
        (void)wtl_pose_subject_flag(&study.subjects[s], "NOT ALONE", "others were there");
    for (size_t s = 1; s < 8; s++)
        (void)wtl_pose_subject_flag(&study.subjects[s], "FEW_RUNS", "one run");
    is_int(print(&study, WTL_FORMAT_TEXT, false), 0, "warnings of several codes");
    check_clean("warnings of several codes");
    unwrap();
    static const char *const said[] = {
        "not valid for it (code2; likewise code5)",
        "SIMULATED: the energy is that of a simulated node (code3)",
        " ESTIMATED: the energy is estimated by a model, not measured (code4)",
        "NOT ALONE: others were there (all 8 codes)",
        "FEW_RUNS: one run (code1, code2, code3, code4 and 3 more)",
    };
    for (size_t i = 0; i < sizeof said / sizeof *said; i++)
        ok(strstr(text, said[i]), "said: %s", said[i]);
    const char *first = strstr(text, "NOT ALONE");
    ok(first && !strstr(first + 1, "NOT ALONE"), "once");
    is_int(print(&study, WTL_FORMAT_CSV, false), 0, "as CSV");
    ok(strstr(text, ",measured,BELOW_FLOOR;NOT ALONE;FEW_RUNS,"), "names apart");
    ok(strstr(text, ",simulated,NOT ALONE;FEW_RUNS,"), "simulated");
    ok(strstr(text, ",estimated,ESTIMATED;NOT ALONE;FEW_RUNS,"), "estimated");
    ok(strstr(text, ",quality,warnings,gain_low,gain_high,region_decided,decided,simulates\n"),
       "the last columns");
    study.subjects[0].origin = WTL_POSE_GIVEN;
    for (int i = 0; i < 20; i++) {
        char name[32];
        (void)snprintf(name, sizeof name, "A_LONG_NAME_%d", i);
        (void)wtl_pose_subject_flag(&study.subjects[0], name, "of it");
    }
    is_int(print(&study, WTL_FORMAT_CSV, false), 0, "with many");
    ok(strstr(text, ";A_LONG_NAME_19,"), "all of them");
    ok(strstr(text, ",given,NOT ALONE;A_LONG_NAME_0;"), "given");
    wtl_pose_study_fini(&study);
}

/* Outside the envelope some sentences would be untrue. */
static void test_outside(void)
{
    struct wtl_pose_study study = study_of(1, 1, 1);
    struct wtl_pose_code *code = &study.subjects[0].code;
    *code = (struct wtl_pose_code){100, 10000, 101, 103};
    is_int(print(&study, WTL_FORMAT_TEXT, false), 0, "below Pmin");
    ok(strstr(text, "A speed-up has nothing to beat"), "nothing to beat");
    ok(!strstr(text, "beats all power"), "no such speed-up");
    *code = (struct wtl_pose_code){10, 3500, 100, 300};
    is_int(print(&study, WTL_FORMAT_TEXT, false), 0, "above Pmax");
    unwrap();
    ok(strstr(text, "at the code's power, which is above Pmax; at Pmax or less"),
       "of what the speed-ups are");
    *code = (struct wtl_pose_code){3, 0.3, 0.1, 1};
    is_int(print(&study, WTL_FORMAT_TEXT, false), 0, "at Pmin, but for rounding");
    ok(!strstr(text, "-0.000") && !strstr(text, "e-1"), "0 has no sign: %s", text);
    wtl_pose_study_fini(&study);
}

/* Whatever the code, the machine and the metric, the headline and the advice agree. */
static void test_agreement(void)
{
    static const char *const metrics[] = {"Et^0",      "Et",       "Et^2",         "Et^3",
                                          "EDS:1,300", "EDD:1,50", "EDD:1,519.615"};
    size_t contradictions = 0, power = 0, run_time = 0;
    for (size_t k = 0; k < sizeof metrics / sizeof *metrics; k++) {
        struct wtl_pose_metric metric;
        struct wattle_error err = {""};
        if (wtl_pose_metric_parse(metrics[k], &metric, &err) < 0)
            exit(1);
        for (double pmin = 20; pmin < 300; pmin += 7) {
            for (double p = pmin; p < 320; p += 9) {
                struct wtl_pose_model model;
                const struct wtl_pose_code code = {300, 300 * p, pmin, 310};
                const struct wtl_pose_doubt doubt = wtl_pose_doubt_unknown();
                char headline[WTL_POSE_SENTENCE], energy[WTL_POSE_SENTENCE],
                    beat[WTL_POSE_SENTENCE];
                if (wtl_pose_of(&code, &metric, &model.pose, &err) < 0 ||
                    wtl_pose_intervals_of(&model.pose, &metric, &doubt, &model.intervals) < 0)
                    continue;
                (void)wtl_pose_headline(&model, headline, sizeof headline);
                (void)wtl_pose_advice(&model, WTL_POSE_ENERGY_SAVED, energy, sizeof energy);
                (void)wtl_pose_advice(&model, WTL_POSE_DOMINATING_SPEEDUP, beat, sizeof beat);
                bool wants_power = strstr(headline, "Power");
                bool energy_power = strstr(energy, "check whether processor");
                bool beat_power = strstr(beat, "look at power");
                power += wants_power;
                run_time += !wants_power;
                contradictions += wants_power ? strstr(energy, "reduce run time") ||
                                                    strstr(beat, "before any work on power")
                                              : energy_power || beat_power;
            }
        }
        wtl_pose_metric_fini(&metric);
    }
    is_int(contradictions, 0, "headline and advice agree");
    ok(power > 500 && run_time > 500, "of both kinds: %zu and %zu", power, run_time);
}

/* An interval that contains both answers gives neither. */
static void test_undecided(void)
{
    struct wtl_pose_study study = study_of(1, 1, 1);
    study.subjects[0].code = (struct wtl_pose_code){10, 1500, 120, 300};
    study.subjects[0].doubt.e_resolution_j = 300;
    add_candidate(&study);
    study.candidates[0].parameter = (double)NAN;
    study.candidates[0].at = (struct wtl_pose_point){9.9, 1490};
    study.candidates[0].doubt.e_resolution_j = 250;
    is_int(print(&study, WTL_FORMAT_TEXT, false), 0, "uncertain");
    ok(strstr(text, "Undecided: lower power"), "the headline: %s", text);
    ok(!strstr(text, "before any work") && !strstr(text, "worth a look"), "no advice against it");
    ok(strstr(text, "2 weak?"), "the region of the candidate");
    is_int(print(&study, WTL_FORMAT_JSON, false), 0, "as JSON");
    json_t *document = json_loads(text, 0, NULL);
    json_t *candidate = json_array_get(json_object_get(document, "candidates"), 0);
    ok(json_is_false(json_object_get(json_object_get(document, "verdict"), "decided")), "verdict");
    ok(json_is_false(json_object_get(candidate, "region_decided")), "region");
    json_t *gain = json_object_get(candidate, "gain_interval");
    ok(json_real_value(json_array_get(gain, 0)) < 0.9 &&
           json_real_value(json_array_get(gain, 1)) > 1.1,
       "gain");
    json_decref(document);
    wtl_pose_study_fini(&study);
}

static void test_many(void)
{
    struct wtl_pose_study study = study_of(5000, 1, 1);
    is_int(print(&study, WTL_FORMAT_TEXT, false), 0, "5000 codes");
    size_t lines = 0;
    for (const char *p = text; *p; p++)
        lines += *p == '\n';
    ok(lines < 100, "%zu lines", lines);
    is_int(print(&study, WTL_FORMAT_CSV, false), 0, "as CSV");
    wtl_pose_study_fini(&study);
}

static void test_document(void)
{
    struct wtl_pose_study study = study_of(2, 2, 1);
    add_candidate(&study);
    is_int(print(&study, WTL_FORMAT_JSON, false), 0, "as JSON");
    json_t *document = json_loads(text, 0, NULL);
    ok(document, "which reads back");
    json_t *codes = json_object_get(document, "codes");
    is_int(json_array_size(codes), 4, "codes by metrics");
    ok(json_object_get(json_array_get(codes, 1), "candidates"), "candidates are of the first code");
    ok(!json_object_get(json_array_get(codes, 2), "candidates"), "and of no other");
    ok(json_is_null(json_object_get(json_array_get(codes, 0), "system")), "no machine");
    ok(!json_object_get(document, "systems"), "none beside");
    /* Code by code gives the same as all at once. */
    char *whole = NULL;
    size_t length;
    FILE *out = open_memstream(&whole, &length);
    is_int(wtl_json_print(out, wtl_pose_document(&study)), 0, "all at once");
    fclose(out);
    json_t *at_once = json_loads(whole, 0, NULL);
    ok(json_equal(at_once, document), "is the same");
    json_decref(at_once);
    free(whole);
    json_decref(document);
    wtl_pose_study_fini(&study);
}

static void test_full(void)
{
    struct wtl_pose_study study = study_of(1, 1, 1);
    struct wattle_error err = {""};
    is_int(wtl_pose_study_compute(&study, &err), 0, "computed");
    for (int format = 0; format < 3; format++) {
        FILE *out = fopen("/dev/full", "w");
        if (!out)
            break;
        is_int(wtl_report_pose(out, (enum wtl_format)format, &study, false, NULL, &err), -ENOSPC,
               "a full disk: %s", err.text);
        fclose(out);
    }
    wtl_pose_study_fini(&study);
}

int main(void)
{
    for (int i = 0; i < 4; i++) {
        test_text(1, 1 + (size_t)i, false, 1);
        test_text(3, 1 + (size_t)i, i % 2, 1);
    }
    test_text(1, 2, true, 1e-6);
    test_text(1, 2, false, 1e-6);
    test_text(1, 2, true, 1e7);
    test_text(1, 2, false, 1e7);
    test_intervals();
    test_lopsided();
    test_warnings();
    test_outside();
    test_agreement();
    test_undecided();
    test_many();
    test_document();
    test_full();
    free(text);
    return done_testing();
}
