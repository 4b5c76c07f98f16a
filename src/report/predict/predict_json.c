/* SPDX-License-Identifier: BSD-3-Clause */
/* The document "wattle.prediction/1", and its CSV. Every field is always there. */
#include <errno.h>
#include <math.h>

#include "base/fail.h"
#include "base/flush.h"
#include "report/json_value.h"
#include "report/predict/predict_report.h"

/* Of members: types and fields take no parentheses. NOLINTBEGIN(bugprone-macro-parentheses) */

static const struct wtl_prediction_report *report_of(const void *of)
{
    return of;
}

static const struct wtl_prediction *prediction_of(const void *of)
{
    return report_of(of)->prediction;
}

static double over(double a, double b)
{
    return b > 0 ? a / b : (double)NAN;
}

WTL_MEMBER_GET(energy_kind)
{
    const struct wtl_subject *s = report_of(of)->subject;
    wtl_value_text(ret, isnan(s->done_j) ? NULL
                        : s->derived     ? "derived"
                                         : wattle_quality_name(s->quality));
}

WTL_MEMBER_GET(is_simulated)
{
    wtl_value_bool(ret, report_of(of)->subject->simulated || prediction_of(of)->simulated);
}

WTL_MEMBER_GET(energy_quality)
{
    const struct wtl_prediction *p = prediction_of(of);
    wtl_value_text(ret, isnan(p->energy_j) ? NULL : wattle_quality_name(p->quality));
}

WTL_MEMBER_GET(unknown_share)
{
    wtl_value_number(ret, report_of(of)->subject->unknown);
}

WTL_MEMBER_GET(short_node)
{
    wtl_value_text(ret, report_of(of)->subject->shortest);
}

WTL_MEMBER_GET(nodes)
{
    wtl_value_count(ret, report_of(of)->subject->node_count);
}

WTL_MEMBER_GET(unknown_probability)
{
    const struct wtl_prediction *p = prediction_of(of);
    wtl_value_number(ret, p->match.program_count > 0 ? p->match.unknown : (double)NAN);
}

WTL_MEMBER_GET(measured_energy)
{
    wtl_value_number(ret, report_of(of)->subject->whole_j);
}

WTL_MEMBER_GET(measured_time)
{
    wtl_value_number(ret, report_of(of)->subject->whole_s);
}

WTL_MEMBER_GET(energy_ratio)
{
    wtl_value_number(ret, over(prediction_of(of)->energy_j, report_of(of)->subject->whole_j));
}

WTL_MEMBER_GET(time_ratio)
{
    wtl_value_number(ret, over(prediction_of(of)->time_s, report_of(of)->subject->whole_s));
}

WTL_MEMBER_GET(paper_energy)
{
    const struct wtl_prediction *p = prediction_of(of);
    wtl_value_number(ret, p->reference ? p->transfer.paper_j : (double)NAN);
}

WTL_MEMBER_GET(variation_share)
{
    const struct wtl_prediction *p = prediction_of(of);
    wtl_value_number(ret, over(p->variation_j, p->done_j));
}

WTL_MEMBER_GET(problem)
{
    const struct wtl_prediction *p = prediction_of(of);
    wtl_value_text(ret, p->why.text[0] ? p->why.text : NULL);
}

#define CANDIDATE(kind, field) kind(struct wtl_predicted_candidate, field)

static const struct wtl_member of_candidate[] = {
    {"program", CANDIDATE(WTL_TEXT_AT, program), .meaning = "name of the stored runs"},
    {"runs", CANDIDATE(WTL_SIZE_AT, runs), .meaning = "stored"},
    {"distance", CANDIDATE(WTL_NUMBER_AT, distance),
     .meaning = "share of the time so far that does not fit its nearest run: 0.02 = 2 %"},
    {"probability", CANDIDATE(WTL_NUMBER_AT, probability),
     .meaning = "that the run is of this program"},
    {"used", CANDIDATE(WTL_SIZE_AT, used),
     .meaning = "stored runs that its end is predicted from; 0: it has none, being improbable"},
    {"energy_j", CANDIDATE(WTL_NUMBER_OR_NULL, energy_j),
     .meaning = "at the end, if it is this program"},
    {"energy_low_j", CANDIDATE(WTL_NUMBER_OR_NULL, energy_low_j),
     .meaning = "95 % interval, if it is this program; null: unknown, as from one run"},
    {"energy_high_j", CANDIDATE(WTL_NUMBER_OR_NULL, energy_high_j), .meaning = "likewise"},
    {"time_s", CANDIDATE(WTL_NUMBER_OR_NULL, time_s),
     .meaning = "time at the end, if it is this program"},
    {"time_low_s", CANDIDATE(WTL_NUMBER_OR_NULL, time_low_s),
     .meaning = "95 % interval, if it is this program; null: unknown, as from one run"},
    {"time_high_s", CANDIDATE(WTL_NUMBER_OR_NULL, time_high_s), .meaning = "likewise"},
    {.key = NULL}};
static const struct wtl_noun candidate_noun = {"candidate program", of_candidate};

static bool next_candidate(const void *of, size_t *cursor, struct wtl_value *ret)
{
    const struct wtl_prediction *p = prediction_of(of);
    return wtl_next_struct(ret, cursor, p->candidates, p->candidate_count, sizeof *p->candidates);
}

static const struct wtl_member of_next[] = {
    {"letter", WTL_CHARS_AT(struct wtl_predicted_letter, name), .meaning = "of the model"},
    {"begin_s", WTL_NUMBER_AT(struct wtl_predicted_letter, begin_s),
     .meaning = "after the end of what is known"},
    {"duration_s", WTL_NUMBER_AT(struct wtl_predicted_letter, duration_s),
     .meaning = "of the first one: what is left of it"},
    {"probability", WTL_NUMBER_AT(struct wtl_predicted_letter, probability),
     .meaning = "that it comes at this place"},
    {.key = NULL}};
static const struct wtl_noun next_noun = {"predicted letter", of_next};

WTL_MEMBER_GET(platform_problem)
{
    const struct wtl_predicted_platform *p = of;
    wtl_value_text(ret, p->why.text[0] ? p->why.text : NULL);
}

WTL_MEMBER_GET(platform_ratio)
{
    const struct wtl_predicted_platform *p = of;
    wtl_value_number(ret, over(p->energy_j, p->measured_j));
}

static const struct wtl_member of_platform[] = {
    {"platform", WTL_CHARS_AT(struct wtl_predicted_platform, name),
     .meaning = "its name in the model"},
    {"energy_j", WTL_NUMBER_OR_NULL(struct wtl_predicted_platform, energy_j),
     .meaning = "estimated for the whole run there; null: see `problem`"},
    {"energy_low_j", WTL_NUMBER_OR_NULL(struct wtl_predicted_platform, energy_low_j),
     .meaning = "95 % interval"},
    {"energy_high_j", WTL_NUMBER_OR_NULL(struct wtl_predicted_platform, energy_high_j),
     .meaning = "likewise"},
    {"time_s", WTL_NUMBER_OR_NULL(struct wtl_predicted_platform, time_s), .meaning = "estimated"},
    {"time_low_s", WTL_NUMBER_OR_NULL(struct wtl_predicted_platform, time_low_s),
     .meaning = "95 % interval"},
    {"time_high_s", WTL_NUMBER_OR_NULL(struct wtl_predicted_platform, time_high_s),
     .meaning = "likewise"},
    {"kernels", WTL_SIZE_AT(struct wtl_predicted_platform, kernels),
     .meaning = "other programs of the models that ran on both platforms"},
    {"runs", WTL_SIZE_AT(struct wtl_predicted_platform, runs),
     .meaning = "of this program that were recorded there"},
    {"measured_j", WTL_NUMBER_OR_NULL(struct wtl_predicted_platform, measured_j),
     .meaning = "their mean energy, not used for the estimate; null: none"},
    {"ratio", WTL_MEMBER_NUMBER, .nullable = true, .get = platform_ratio,
     .meaning = "estimated over measured"},
    {"problem", WTL_MEMBER_TEXT, .nullable = true, .get = platform_problem,
     .meaning = "why there is no estimate; null: there is"},
    {.key = NULL}};
static const struct wtl_noun platform_noun = {"candidate platform", of_platform};

static bool next_letter(const void *of, size_t *cursor, struct wtl_value *ret)
{
    const struct wtl_prediction *p = prediction_of(of);
    return wtl_next_struct(ret, cursor, p->next, p->next_count, sizeof *p->next);
}

static bool next_platform(const void *of, size_t *cursor, struct wtl_value *ret)
{
    const struct wtl_prediction *p = prediction_of(of);
    return wtl_next_struct(ret, cursor, p->platforms, p->platform_count, sizeof *p->platforms);
}

#define REPORT(kind, field) kind(struct wtl_prediction_report, field)
#define PREDICTED(kind, field) \
    kind(struct wtl_prediction, field), WTL_VIA(struct wtl_prediction_report, prediction)

static const struct wtl_member of_prediction[] = {
    {"model", REPORT(WTL_TEXT_AT, model), .meaning = "the file"},
    {"trace", REPORT(WTL_TEXT_AT, trace), .csv = 1, .meaning = "the run"},
    {"platform", REPORT(WTL_TEXT_OR_NULL, platform), .csv = 2, .meaning = "where it runs"},
    {"nodes", WTL_MEMBER_INTEGER, .get = nodes, .csv = 3, .meaning = "their number"},
    {"part", REPORT(WTL_NUMBER_AT, part), .csv = 4,
     .meaning = "of the trace that the prediction is from: 0.2 = 20 %; 1: all of it"},
    {"known", PREDICTED(WTL_BOOLEAN_AT, known), .csv = 5,
     .meaning =
         "false: an unknown run, like none of the model, or one of several that cannot be told "
         "apart yet: see `candidates`"},
    {"program", PREDICTED(WTL_TEXT_OR_NULL, program), .csv = 6,
     .meaning = "name of the runs it is one of; null: unknown run"},
    {"probability", PREDICTED(WTL_NUMBER_OR_NULL, probability), .csv = 7,
     .meaning = "that it is this program, or that it is unknown; null: not known, from a run on "
                "another platform"},
    {"unknown_probability", WTL_MEMBER_NUMBER, .nullable = true, .get = unknown_probability,
     .meaning = "that it is none of the programs that ran on this platform"},
    {"reference", PREDICTED(WTL_TEXT_OR_NULL, reference), .csv = 8,
     .meaning = "platform of the run that it is predicted from; null: this one"},
    {"runs", PREDICTED(WTL_SIZE_AT, runs), .csv = 9, .meaning = "that it is predicted from"},
    {"progress", PREDICTED(WTL_NUMBER_OR_NULL, progress), .csv = 10,
     .meaning = "share of the nearest run that lies before the same letter: 0.25 = 25 %"},
    {"done_s", PREDICTED(WTL_NUMBER_AT, done_s), .csv = 11, .meaning = "time so far"},
    {"done_j", PREDICTED(WTL_NUMBER_OR_NULL, done_j), .csv = 12, .meaning = "energy so far"},
    {"done_quality", WTL_MEMBER_TEXT, .nullable = true, .get = energy_kind, .csv = 13,
     .meaning = "of the energy so far: as in wattle-run(1), or `derived`: from counters alone"},
    {"simulated", WTL_MEMBER_BOOLEAN, .get = is_simulated, .csv = 14,
     .meaning = "an energy is of a simulated node, of this run or of those it is predicted from"},
    {"unknown_share", WTL_MEMBER_NUMBER, .get = unknown_share, .csv = 28,
     .meaning = "of the time of `done_j`, or of `measured_j`, in which power is not known; it "
                "counts there as in the rest: 0.02 = 2 %"},
    {"short_node", WTL_MEMBER_TEXT, .nullable = true, .get = short_node,
     .meaning = "a node that was recorded for less of the time than the others; what is predicted "
                "assumes that it goes on; null: none"},
    {"energy_quality", WTL_MEMBER_TEXT, .nullable = true, .get = energy_quality, .csv = 27,
     .meaning = "of the stored energies that `energy_j` is predicted from: the lowest of "
                "`measured`, `derived`, `estimated`"},
    {"energy_j", PREDICTED(WTL_NUMBER_OR_NULL, energy_j), .csv = 15,
     .meaning = "predicted at the end of the program; null: see `problem`, and `candidates` for "
                "what it is if it is one of them"},
    {"energy_low_j", PREDICTED(WTL_NUMBER_OR_NULL, energy_low_j), .csv = 16,
     .meaning =
         "95 % interval, over all that it may be; with a `reference`: if it is this program; "
         "null: unknown"},
    {"energy_high_j", PREDICTED(WTL_NUMBER_OR_NULL, energy_high_j), .csv = 17,
     .meaning = "likewise"},
    {"time_s", PREDICTED(WTL_NUMBER_OR_NULL, time_s), .csv = 18,
     .meaning = "predicted time at the end"},
    {"time_low_s", PREDICTED(WTL_NUMBER_OR_NULL, time_low_s), .csv = 19,
     .meaning = "95 % interval"},
    {"time_high_s", PREDICTED(WTL_NUMBER_OR_NULL, time_high_s), .csv = 20, .meaning = "likewise"},
    {"paper_j", WTL_MEMBER_NUMBER, .nullable = true, .get = paper_energy, .csv = 21,
     .meaning = "the estimate of the paper from a run on another platform; null: none"},
    {"measured_j", WTL_MEMBER_NUMBER, .nullable = true, .get = measured_energy, .csv = 22,
     .meaning = "energy of the whole trace; null: it ends here, or is unknown"},
    {"measured_s", WTL_MEMBER_NUMBER, .nullable = true, .get = measured_time, .csv = 23,
     .meaning = "its time"},
    {"energy_ratio", WTL_MEMBER_NUMBER, .nullable = true, .unit = "", .get = energy_ratio,
     .csv = 24, .meaning = "predicted over measured"},
    {"time_ratio", WTL_MEMBER_NUMBER, .nullable = true, .unit = "", .get = time_ratio, .csv = 25,
     .meaning = "likewise"},
    {"idle_w", PREDICTED(WTL_NUMBER_OR_NULL, idle_w),
     .meaning = "power of the idle system: `--idle`, or the letter XXX of the model"},
    {"variation_j", PREDICTED(WTL_NUMBER_OR_NULL, variation_j),
     .meaning = "energy so far above that of the idle system: the run's part of its variation"},
    {"variation_share", WTL_MEMBER_NUMBER, .nullable = true, .get = variation_share,
     .meaning = "of the energy so far"},
    {"candidates", WTL_MEMBER_LIST, .next = next_candidate, .of = &candidate_noun,
     .meaning = "programs it may be, the most probable first, at most eight; below"},
    {"next", WTL_MEMBER_LIST, .next = next_letter, .of = &next_noun,
     .meaning = "letters to come on the first node; below"},
    {"next_from", PREDICTED(WTL_TEXT_OR_NULL, next_from),
     .meaning = "`runs`: those of the nearest run; `predictor`: what follows such letters in the "
                "model"},
    {"platforms", WTL_MEMBER_LIST, .next = next_platform, .of = &platform_noun,
     .meaning = "of `--platform`, the least energy first; below"},
    {"problem", WTL_MEMBER_TEXT, .nullable = true, .get = problem, .csv = 26,
     .meaning = "why there is no energy, or no interval; null: there is"},
    {.key = NULL}};
/* NOLINTEND(bugprone-macro-parentheses) */
const struct wtl_noun wtl_noun_prediction = {"prediction", of_prediction};
const struct wtl_noun wtl_noun_prediction_row = {"prediction row", of_prediction};

json_t *wtl_json_prediction(const struct wtl_prediction_report *report)
{
    return wtl_noun_document("wattle.prediction/1", &wtl_noun_prediction, report);
}

void wtl_csv_prediction(FILE *out, const struct wtl_prediction_report *report)
{
    struct wtl_row_writer sheet;
    size_t count = wtl_noun_csv_begin(&sheet, out, "wattle.prediction/1", &wtl_noun_prediction_row);
    wtl_noun_csv_row(&sheet, count, &wtl_noun_prediction_row, report);
    wtl_row_writer_end(&sheet);
}

int wtl_report_prediction(FILE *out,
                          enum wtl_format format,
                          const struct wtl_prediction_report *report,
                          const struct wtl_style *style,
                          struct wattle_error *err)
{
    int rc = 0;
    if (format == WTL_FORMAT_TEXT)
        rc = wtl_text_prediction(out, style, report);
    else if (format == WTL_FORMAT_JSON)
        rc = wtl_json_print(out, wtl_json_prediction(report));
    else
        wtl_csv_prediction(out, report);
    if (rc == -ENOMEM)
        return wtl_no_memory(err);
    return wtl_flush(out, err);
}
