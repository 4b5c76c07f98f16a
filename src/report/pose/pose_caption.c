/* SPDX-License-Identifier: BSD-3-Clause */
/* See pose_caption.h. */
#include "report/pose/pose_caption.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text/figures.h"
#include "report/pose/pose_chart.h"

enum { NAMED = 6 /* codes whose numbers are given */ };

struct caption {
    char *text;
    size_t room, used;
};

/* Add a sentence if it fits as a whole. */
__attribute__((format(printf, 2, 3))) static void say(struct caption *caption,
                                                      const char *format,
                                                      ...)
{
    va_list ap;
    size_t left = caption->room - caption->used;
    va_start(ap, format);
    int n = vsnprintf(caption->text + caption->used, left, format, ap);
    va_end(ap);
    if (n > 0 && (size_t)n < left)
        caption->used += (size_t)n;
    else if (left > 0)
        caption->text[caption->used] = '\0';
}

static void say_metrics(struct caption *caption, const struct wtl_pose_study *study)
{
    for (size_t m = 0; m < study->metric_count; m++)
        say(caption, "%s%.60s",
            m == 0                         ? " under "
            : m + 1 == study->metric_count ? " and "
                                           : ", ",
            study->metric_names[m]);
}

static void say_code(struct caption *caption, const struct wtl_pose_subject *subject)
{
    const struct wtl_pose_code *code = &subject->code;
    say(caption, "%.80s%s%.40s (%.6g s, %.6g J, %s W; Pmin %s W%s%.32s, Pmax %s W%s%.32s)",
        subject->label ? subject->label : "the code", subject->label && subject->group ? ", " : "",
        subject->label && subject->group ? subject->group : "", code->t_s, code->e_j,
        WTL_IN_FIGURES(code->e_j / code->t_s, 5), WTL_IN_FIGURES(code->pmin_w, 5),
        subject->pmin_name ? " " : "", subject->pmin_name ? subject->pmin_name : "",
        WTL_IN_FIGURES(code->pmax_w, 5), subject->pmax_name ? " " : "",
        subject->pmax_name ? subject->pmax_name : "");
}

static void say_codes(struct caption *caption, const struct wtl_pose_study *study)
{
    size_t n = study->subject_count, told = n <= NAMED ? n : 0;
    if (n == 1) {
        say(caption, "POSE model of ");
    } else {
        say(caption, "POSE models of %zu codes%s", n, told ? ": " : "");
    }
    for (size_t s = 0; s < told; s++) {
        say(caption, "%s", s == 0 ? "" : "; ");
        say_code(caption, &study->subjects[s]);
    }
    say_metrics(caption, study);
    say(caption, ".");
}

/* Is vertex E at more than this many run times of the code, under any metric? */
static bool is_cut(const struct wtl_pose_study *study, size_t subject, double times)
{
    for (size_t m = 0; m < study->metric_count; m++) {
        const struct wtl_pose *pose = &wtl_pose_study_model(study, subject, m)->pose;
        if (!(pose->vertices[WTL_POSE_E].t_s < times * pose->code.t_s))
            return true;
    }
    return false;
}

static void say_doubts(struct caption *caption, const struct wtl_pose_study *study)
{
    size_t below = 0, above = 0, endless = 0, far = 0, simulated = 0, estimated = 0, guessed = 0;
    size_t n = study->subject_count;
    for (size_t s = 0; s < n; s++) {
        const struct wtl_pose *pose = &wtl_pose_study_model(study, s, 0)->pose;
        below += (pose->warnings & WTL_POSE_BELOW_FLOOR) != 0;
        above += (pose->warnings & WTL_POSE_ABOVE_CEILING) != 0;
        simulated += study->subjects[s].simulated;
        estimated += study->subjects[s].quality == WATTLE_ESTIMATED;
        guessed += study->subjects[s].bounds_quality == WATTLE_ESTIMATED;
        endless += is_cut(study, s, INFINITY);
        far += is_cut(study, s, WTL_POSE_WINDOW_TIMES);
    }
    const char *which = n == 1 ? "The code" : "A code";
    if (below)
        say(caption, " %s is below Pmin, which is not valid for it.", which);
    if (above)
        say(caption, " %s is above Pmax, which is not valid for it.", which);
    if (endless)
        say(caption, " E is at infinity.");
    else if (far)
        say(caption, " E is far outside the chart.");
    if (simulated)
        say(caption, " The energy is that of a simulated node.");
    if (estimated)
        say(caption, " The energy is estimated, not measured.");
    if (guessed)
        say(caption, " Pmin and Pmax are estimated, not measured.");
}

/* What the bars at the codes represent. */
struct bars {
    bool runs, resolution, model;
};

static void add_bars(struct bars *bars, const struct wtl_pose_subject *subject)
{
    double t, e;
    if (!wtl_pose_chart_doubt(&subject->doubt, &t, &e))
        return;
    bars->runs |= isfinite(t);
    if (!(subject->doubt.e_resolution_j > 0))
        return;
    if (subject->quality == WATTLE_ESTIMATED)
        bars->model = true;
    else
        bars->resolution = true;
}

static void say_bars(struct caption *caption, const struct wtl_pose_study *study)
{
    struct bars of = {false, false, false};
    for (size_t s = 0; s < study->subject_count; s++)
        add_bars(&of, &study->subjects[s]);
    bool sensors = of.resolution || of.model;
    if (!of.runs && !sensors)
        return;
    say(caption, " Bars at \xCE\xB8: 95 %% intervals of %s%s%s%s%s.",
        of.runs ? "the means over the runs" : "the energy",
        !sensors  ? ""
        : of.runs ? ", with "
                  : ", of ",
        of.resolution ? "the resolution of the sensors" : "",
        of.resolution && of.model ? " and " : "", of.model ? "the error of the estimate" : "");
}

static void say_candidates(struct caption *caption, const struct wtl_pose_study *study, bool gain)
{
    const char *parameter = study->parameter_name ? study->parameter_name : "their parameter";
    if (study->candidate_count == 0)
        return;
    say(caption, " Markers: %zu other version%s%s%.80s%s.", study->candidate_count,
        study->candidate_count == 1 ? "" : "s", gain ? ", joined along " : "",
        gain ? parameter : "",
        study->metric_count > 1 ? ", by regions under the first metric" : "");
    if (wtl_pose_chart_front(study) > 1)
        say(caption, " Dotted: Pareto front of run time and energy.");
    if (gain)
        say(caption,
            " Below: their gain against %.80s (cost of the code divided by cost of the version).",
            parameter);
}

/* What the power below contains, if the same for all. */
static void say_power(struct caption *caption, const struct wtl_pose_study *study)
{
    const char *contains = NULL;
    bool parts = false, same = true;
    for (size_t s = 0; s < study->subject_count; s++) {
        const struct wtl_pose_subject *subject = &study->subjects[s];
        if (subject->trace_count == 0)
            continue;
        same &= subject->contains && (!contains || strcmp(contains, subject->contains) == 0);
        contains = subject->contains;
        parts |= subject->region != NULL;
    }
    bool known = same && contains;
    say(caption, " Below: power%s%.80s over the time of the runs%s.", known ? " of " : "",
        known ? contains : "", parts ? ", of which the codes are regions" : "");
}

void wtl_pose_caption_write(const struct wtl_pose_study *study,
                            const struct wtl_pose_caption *what,
                            char *text,
                            size_t n)
{
    struct caption caption = {text, n, 0};
    if (n == 0)
        return;
    text[0] = '\0';
    say_codes(&caption, study);
    if (what->chart_count > 1)
        say(&caption, " The charts have %s.",
            what->common_scale ? "the same scales" : "separate scales");
    say(&caption,
        " \xCE\xB8 is the code. The optimisation bound (B to E) joins points that cost as much as "
        "\xCE\xB8, the optimisation limit (A to C) points that cost as much as the best power "
        "optimisation, and the contribution bound (C to \xCE\xB8) points that gain equally from "
        "power and run time; D has the run time of \xCE\xB8 at Pmin.");
    if (!what->overlaid)
        say(&caption, " Regions: 1 strong run-time optimisation, 2 weak run-time optimisation, "
                      "3 power optimisation, 4 degradation.");
    say_bars(&caption, study);
    say_candidates(&caption, study, what->gain);
    if (what->power)
        say_power(&caption, study);
    say_doubts(&caption, study);
}
